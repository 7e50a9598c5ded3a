//! Target: a generation with modified files and renewed checksums either fails to open, or answers queries.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fs, mem,
    path::{Path, PathBuf},
};

use embed::{StaticModel, WordCache};
use graph::{Codebase, SourceFile};
use index::{
    EdgeQuery, GenerationManifest, GenerationProvenance, GenerationWriter, IndexError, NewFile, NewGraph, NewHistory,
    QueryVector, QueryWords, RepositoryDir, RowComparer, RowEmbedder, SearchQuery, Snapshot, SymbolQuery,
    SymbolSelector, publish,
};
use links::{LinkedFile, RepositoryManifests};
use model::{BlobId, CommitId, Domain, FileClass, FileFacts, Filter, Language, Message, PageType, RepoId};
use ranking::RequestedClasses;
use tempfile::TempDir;

/// The repository of the generation.
const FILES: &[(&str, &str)] = &[
    ("README.md", "# Cart\n\nKeeps what customers want to buy.\n"),
    (
        "src/cart.rs",
        "//! Carts.\n\nuse crate::price::Price;\n\n/// A cart.\npub struct Cart { items: Vec<Price> }\n\nimpl Cart {\n    /// Adds an item.\n    pub fn add(&mut self, item: Price) { self.items.push(item); }\n}\n",
    ),
    ("src/lib.rs", "mod cart;\nmod price;\n"),
    (
        "src/price.rs",
        "/// In cents.\npub struct Price(pub u64);\n\npub fn total(prices: &[Price]) -> u64 { prices.iter().map(|price| price.0).sum() }\n",
    ),
];

/// Edited files, by first byte of an edit. Append only. The term dictionary and the text index are excluded: the
/// formats of `fst` and tantivy trust their own output.
const EDITED: &[&str] = &[
    "tables.rkyv",
    "graph.rkyv",
    "history.rkyv",
    "vectors.rkyv",
    "message_words.rkyv",
    "page_words.rkyv",
    "page_tables.rkyv",
    "overview.rkyv",
    "source.zst",
    "pages.zst",
    "history.zst",
    MANIFEST,
    "messages.rkyv",
];

/// The manifest, which is edited last and as written.
const MANIFEST: &str = "manifest.json";

/// Size of an edit's header: file, offset (two bytes), length.
const EDIT_HEADER: usize = 4;

/// Length that truncates the file instead.
const TRUNCATE: u8 = u8::MAX;

thread_local! {
    /// One folder per thread, since tests run in parallel.
    static SEALED: RefCell<Sealed> = RefCell::new(Sealed::new());
}

pub(crate) fn run(input: &[u8]) {
    SEALED.with_borrow_mut(|sealed| {
        sealed.change(input);
        if let Ok(snapshot) = sealed.open() {
            query_everything(&snapshot);
        }
        sealed.restore();
    });
}

/// A sealed generation in a folder of its own.
pub(crate) struct Sealed {
    _root: TempDir,
    dir: PathBuf,
    manifest: GenerationManifest,
    /// The sealed files by their paths within the generation.
    original: BTreeMap<String, Vec<u8>>,
    /// The files that differ from the sealed ones.
    changed: BTreeSet<&'static str>,
}

impl Sealed {
    pub(crate) fn new() -> Sealed {
        let root = tempfile::tempdir().expect("there is room for a small folder");
        let manifest = write(root.path());
        let folder = root.path().join(RepoId([1; 16]).to_string());
        let dir = folder.join(manifest.generation.to_string());
        let read = |name: &String| fs::read(dir.join(name)).expect("a sealed file is there");
        let original = manifest.checksums.keys().map(|name| (name.clone(), read(name))).collect();
        Sealed { _root: root, dir, manifest, original, changed: BTreeSet::new() }
    }

    /// Opens the generation in its current state.
    pub(crate) fn open(&self) -> Result<Snapshot, IndexError> {
        Snapshot::open(&self.dir)
    }

    /// Applies the edits of `input`, and renews the checksums.
    fn change(&mut self, input: &[u8]) {
        let edits = edits(input);
        self.changed = edits.iter().map(|edit| edit.file).filter(|file| *file != MANIFEST).collect();
        for file in self.changed.clone() {
            let mut bytes = self.original[file].clone();
            edits.iter().filter(|edit| edit.file == file).for_each(|edit| edit.apply(&mut bytes));
            self.put(file, &bytes);
        }
        let mut json = serde_json::to_vec(&self.manifest).expect("a manifest is JSON");
        edits.iter().filter(|edit| edit.file == MANIFEST).for_each(|edit| edit.apply(&mut json));
        fs::write(self.dir.join(MANIFEST), json).expect("a small file can be written");
    }

    /// Restores the files; the next change writes the manifest.
    fn restore(&mut self) {
        for file in mem::take(&mut self.changed) {
            let original = self.original[file].clone();
            self.put(file, &original);
        }
    }

    /// Writes a file and its checksum in the manifest.
    fn put(&mut self, file: &str, bytes: &[u8]) {
        fs::write(self.dir.join(file), bytes).expect("a small file can be written");
        let checksum = self.manifest.checksums.get_mut(file).expect("only sealed files are changed");
        checksum.bytes = bytes.len() as u64;
        checksum.blake3 = blake3::hash(bytes).to_hex().to_string();
    }
}

/// Bytes that overwrite a part of a file, or a truncation.
struct Edit<'a> {
    file: &'static str,
    at: usize,
    is_end: bool,
    bytes: &'a [u8],
}

/// Parses an input as edits; an incomplete one at the end is ignored.
fn edits(mut input: &[u8]) -> Vec<Edit<'_>> {
    let mut edits = Vec::new();
    while let Some(([file, high, low, n_bytes], rest)) = input.split_first_chunk::<EDIT_HEADER>() {
        let is_end = *n_bytes == TRUNCATE;
        let (bytes, rest) = rest.split_at(if is_end { 0 } else { rest.len().min(usize::from(*n_bytes)) });
        let file = EDITED[usize::from(*file) % EDITED.len()];
        edits.push(Edit { file, at: usize::from(u16::from_be_bytes([*high, *low])), is_end, bytes });
        input = rest;
    }
    edits
}

impl Edit<'_> {
    fn apply(&self, file: &mut Vec<u8>) {
        let at = self.at % (file.len() + 1);
        if self.is_end {
            file.truncate(at);
        } else {
            let end = (at + self.bytes.len()).min(file.len());
            file.splice(at..end, self.bytes.iter().copied());
        }
    }
}

/// Runs all queries of a worker. The results do not matter.
fn query_everything(snapshot: &Snapshot) {
    let terms = ["cart".to_owned(), "total".to_owned()];
    drop(snapshot.statistics(&terms, &terms));
    let paths: Vec<String> = snapshot.files().map(|(path, _)| path.to_owned()).collect();
    for path in &paths {
        drop(snapshot.source(path, None));
        drop(snapshot.outline(path, 2));
        drop(snapshot.file_history(path));
        for page_type in PageType::ALL {
            drop(snapshot.page(*page_type, path));
        }
    }
    for selector in [SymbolSelector::Name("total".to_owned()), SymbolSelector::Regex(".".to_owned())] {
        let query = SymbolQuery { selector, filter: Filter::default(), file_pattern: String::new(), limit: 10 };
        drop(snapshot.symbols(&query));
    }
    drop(snapshot.overview(5));
    drop(snapshot.history_state());
    snapshot.pages().for_each(drop);
    snapshot.offers().for_each(drop);
    snapshot.uses().for_each(drop);
    let nodes: Vec<u32> = (0..snapshot.n_nodes().min(50)).collect();
    drop(snapshot.node_cards(&nodes));
    let edges = EdgeQuery {
        has_outgoing: true,
        has_incoming: true,
        kinds: Vec::new(),
        min_confidence: 0.0,
        limit: 10,
        page: None,
    };
    drop(snapshot.neighbours(&nodes, &edges));
    drop(snapshot.calls(0.0));
    drop(snapshot.active_days());
    search(snapshot, &terms);
    nodes.iter().for_each(|node| _ = snapshot.node(*node));
    drop(snapshot.previous_files());
}

fn search(snapshot: &Snapshot, terms: &[String]) {
    let model = StaticModel::built_in();
    let vector = WordCache::new(model).embed("the total of a cart");
    let weighed: Vec<(String, f32)> = terms.iter().map(|term| (term.clone(), 1.0)).collect();
    let query = SearchQuery {
        terms: &weighed,
        name_weight: 0.0,
        vector: Some(QueryVector::new(model.id().clone(), vector.codes())),
        identifiers: &[("cart".to_owned(), 1)],
        paths: &["cart.rs".to_owned()],
        filter: &Filter::default(),
        kept: RequestedClasses::default(),
        limit: 10,
    };
    let named = snapshot.match_names_and_paths(&query);
    let by_text = snapshot.rank_by_text(&query, 0.0).unwrap_or_default();
    let files: Vec<u32> = by_text.into_iter().chain(snapshot.rank_by_vector(&query)).map(|(_, file)| file).collect();
    drop(snapshot.file_hits(&query, &named, &files));
    drop(snapshot.rank_pages(&query));
    let message_vector = QueryVector::new(model.id().clone(), vector.codes());
    drop(snapshot.rank_messages(&message_vector, &Filter { language: Some(Language::Rust), ..Filter::default() }, 10));
    let words = QueryWords::new([("total".to_owned(), 1.0), ("cart".to_owned(), 2.0)]);
    let mut comparer = RowComparer::new(&words);
    FILES.iter().for_each(|(path, _)| drop(comparer.nearness(snapshot, path, &[0, 1, 2])));
}

fn write(root: &Path) -> GenerationManifest {
    let repository = RepositoryDir::new(root, RepoId([1; 16]));
    let staging = repository.create_staging().expect("a folder can be made");
    let mut writer = GenerationWriter::create(&staging, provenance(), None, FILES.len() as u64).expect("a new index");
    let mut embedder = RowEmbedder::new(StaticModel::built_in());
    let facts: Vec<FileFacts> =
        FILES.iter().map(|(path, text)| syntax::extract(Language::of_path(path), text.as_bytes())).collect();
    for ((path, text), facts) in FILES.iter().zip(&facts) {
        let bytes = text.as_bytes();
        let vectors = embedder.row_vectors(path, facts, bytes);
        let (blob, n_bytes) = (BlobId([path.len() as u8; 20]), bytes.len() as u64);
        let class = FileClass::Source;
        writer
            .add_file(NewFile { path, blob, class, n_bytes, facts, bytes, vectors: &vectors })
            .expect("a file is added");
    }
    let codebase = Codebase::new(FILES.iter().zip(&facts).map(|((path, _), facts)| SourceFile { path, facts }), &[]);
    let manifests = RepositoryManifests::default();
    let linked: Vec<LinkedFile> =
        codebase.program().file_indices().map(|file| links::link_file(&codebase, &manifests, file)).collect();
    let structure = links::structure(&codebase, &linked, &[FileClass::Source; FILES.len()]);
    let interfaces: Vec<_> = facts.iter().map(graph::interface_hash).collect();
    let domains = [Domain::Code; FILES.len()];
    let graph =
        NewGraph { structure: &structure, files: &linked, interfaces: &interfaces, domains: &domains, link_facts: &[] };
    let messages = |path: &str| match path {
        "src/cart.rs" => vec![Message { subject: "Carts have totals", body: "", n_files: 2 }],
        _ => Vec::new(),
    };
    let history = NewHistory { messages_of_file: &messages, ..NewHistory::none() };
    let manifest = writer.seal(&graph, Some(&history)).expect("a small generation is sealed");
    drop(publish(&repository, &manifest).expect("a sound generation is published"));
    manifest
}

fn provenance() -> GenerationProvenance {
    GenerationProvenance {
        changes: None,
        repo: RepoId([1; 16]),
        commit: CommitId([1; 20]),
        branch: Some("main".to_owned()),
        committed_at: 1,
        indexed_at: 2,
        extractor: syntax::EXTRACTOR_VERSION,
        model: Some(StaticModel::built_in().id().clone()),
        pushed_index: None,
        version_tags: Vec::new(),
        diagnostics: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_files_are_sealed_and_restored() {
        let mut sealed = Sealed::new();
        let source = EDITED.iter().position(|name| *name == "source.zst").unwrap() as u8;
        sealed.change(&[source, 0, 0, 2, 1, 2]);
        assert_eq!(fs::read(sealed.dir.join("source.zst")).unwrap()[..2], [1, 2]);
        let opened = sealed.open().unwrap();
        assert!(opened.source("README.md", None).is_err());
        drop(opened);
        sealed.restore();
        sealed.change(&[]);
        query_everything(&sealed.open().unwrap());
    }
}
