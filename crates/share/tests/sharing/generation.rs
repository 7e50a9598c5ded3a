//! A small generation, written as a worker does.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use graph::{Codebase, SourceFile};
use index::{
    GenerationKey, GenerationProvenance, GenerationWriter, NewFile, NewGraph, NewHistory, RepositoryDir, ReusedFile,
    Snapshot,
};
use links::{LinkedFile, RepositoryManifests};
use model::{BlobId, CommitId, Domain, FileClass, FileFacts, Language, RepoId};

const REPO: RepoId = RepoId([7; 16]);

pub(crate) const FILES: [(&str, &str); 6] = [
    ("README.md", "A ship and its cargo.\n"),
    ("src/a.rs", "the first file, of ships and their masters\n"),
    ("src/b.rs", "the second file, of ports\n"),
    ("src/c.rs", "the third file, of winds and tides\n"),
    ("src/d.rs", "the fourth file, of ropes\n"),
    ("src/empty.rs", ""),
];

/// The same files, one of them changed.
pub(crate) const CHANGED: [(&str, &str); 6] = {
    let mut changed = FILES;
    changed[2].1 = "the second file, of harbours and their dues\n";
    changed
};

/// The key of the first commit of `FILES`.
pub(crate) static KEY: std::sync::LazyLock<GenerationKey> = std::sync::LazyLock::new(|| key(1));

fn key(commit: u8) -> GenerationKey {
    let commit = CommitId([commit; 20]);
    GenerationKey { repo: REPO, commit, generation: GenerationProvenance::generation_of(REPO, commit, None, 1) }
}

/// Writes and publishes a generation, given the previous one.
pub(crate) fn write(root: &Path, files: &[(&str, &str)], commit: u8, previous: Option<Arc<Snapshot>>) -> Snapshot {
    let provenance = GenerationProvenance {
        changes: None,
        repo: REPO,
        commit: CommitId([commit; 20]),
        branch: None,
        committed_at: 1,
        indexed_at: 2,
        extractor: 1,
        model: None,
        pushed_index: None,
        version_tags: Vec::new(),
        diagnostics: Vec::new(),
    };
    let repository = RepositoryDir::new(root, REPO);
    let old: BTreeMap<String, BlobId> =
        previous.iter().flat_map(|snapshot| snapshot.files()).map(|(path, blob)| (path.to_owned(), blob)).collect();
    let is_unchanged = |path: &str, text: &str| old.get(path) == Some(&blob(text));
    let n_changed = files.iter().filter(|(path, text)| !is_unchanged(path, text)).count() as u64;
    let staging = repository.create_staging().unwrap();
    let mut writer = GenerationWriter::create(&staging, provenance, previous.clone(), n_changed).unwrap();
    let facts: Vec<FileFacts> =
        files.iter().map(|(_, text)| FileFacts::empty(Language::Rust, text.lines().count() as u32)).collect();
    for ((path, text), facts) in files.iter().zip(&facts) {
        if is_unchanged(path, text) {
            writer.reuse_file(ReusedFile::read(previous.as_deref().unwrap(), path).unwrap()).unwrap();
            continue;
        }
        let (class, n_bytes) = (FileClass::Source, text.len() as u64);
        let (blob, bytes) = (blob(text), text.as_bytes());
        writer.add_file(NewFile { path, blob, class, n_bytes, facts, bytes, vectors: &[] }).unwrap();
    }
    let sources = files.iter().zip(&facts).map(|((path, _), facts)| SourceFile { path, facts });
    let codebase = Codebase::new(sources, &[]);
    let manifests = RepositoryManifests::default();
    let linked: Vec<LinkedFile> =
        codebase.program().file_indices().map(|file| links::link_file(&codebase, &manifests, file)).collect();
    let structure = links::structure(&codebase, &linked, &vec![FileClass::Source; files.len()]);
    let interfaces: Vec<_> = facts.iter().map(graph::interface_hash).collect();
    let domains = vec![Domain::Code; files.len()];
    let graph =
        NewGraph { structure: &structure, files: &linked, interfaces: &interfaces, domains: &domains, link_facts: &[] };
    let manifest = writer.seal(&graph, Some(&NewHistory::none())).unwrap();
    index::publish(&repository, &manifest).unwrap()
}

/// Returns the bytes of all files of a generation, and of its manifest.
pub(crate) fn bytes_of(snapshot: &Snapshot) -> BTreeMap<String, Vec<u8>> {
    let export = snapshot.export().unwrap();
    let read = |mut file: std::fs::File| {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut file, &mut bytes).unwrap();
        bytes
    };
    let mut all: BTreeMap<String, Vec<u8>> =
        export.files.into_iter().map(|file| (file.name, read(file.file))).collect();
    all.insert("manifest".to_owned(), export.manifest);
    all
}

fn blob(text: &str) -> BlobId {
    let mut id = [0; 20];
    id.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..20]);
    BlobId(id)
}
