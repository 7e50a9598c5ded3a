//! Writes a generation of one file, publishes it, and finds the file by a term.

use std::error::Error;

use graph::{Codebase, SourceFile};
use index::{
    GenerationProvenance, GenerationWriter, NewFile, NewGraph, NewHistory, RepositoryDir, SearchQuery, publish,
};
use links::{LinkedFile, RepositoryManifests};
use model::{BlobId, CommitId, Domain, FileClass, FileFacts, Filter, Language, RepoId};
use ranking::RequestedClasses;

fn main() -> Result<(), Box<dyn Error>> {
    let (path, text) = ("src/cart.rs", "// Adds up the prices of a cart.\n");
    let facts = FileFacts::empty(Language::Rust, 1);

    // The code graph of the repository, which the writer stores.
    let codebase = Codebase::new([SourceFile { path, facts: &facts }], &[]);
    let manifests = RepositoryManifests::default();
    let files: Vec<LinkedFile> =
        codebase.program().file_indices().map(|file| links::link_file(&codebase, &manifests, file)).collect();
    let structure = links::structure(&codebase, &files, &[FileClass::Source]);
    let interfaces = [graph::interface_hash(&facts)];
    let graph = NewGraph {
        structure: &structure,
        files: &files,
        interfaces: &interfaces,
        domains: &[Domain::Code],
        link_facts: &[],
    };

    // Write into the staging folder, seal, publish.
    let folder = tempfile::tempdir()?;
    let provenance = GenerationProvenance {
        changes: None,
        repo: RepoId([1; 16]),
        commit: CommitId([2; 20]),
        branch: Some("main".to_owned()),
        committed_at: 0,
        indexed_at: 0,
        extractor: 1,
        model: None,
        pushed_index: None,
        version_tags: Vec::new(),
        diagnostics: Vec::new(),
    };
    let repository = RepositoryDir::new(folder.path(), provenance.repo);
    let mut writer = GenerationWriter::create(&repository.create_staging()?, provenance, None, 1)?;
    writer.add_file(NewFile {
        path,
        blob: BlobId([3; 20]),
        class: FileClass::Source,
        n_bytes: text.len() as u64,
        facts: &facts,
        bytes: text.as_bytes(),
        vectors: &[],
    })?;
    let manifest = writer.seal(&graph, Some(&NewHistory::none()))?;
    let snapshot = publish(&repository, &manifest)?;

    // Rank files by a term. The caller computes its weight from the statistics of all repositories.
    let terms: Vec<(String, f32)> = ranking::analyser::terms("price").into_iter().map(|term| (term, 1.0)).collect();
    let query = SearchQuery {
        terms: &terms,
        name_weight: 0.0,
        vector: None,
        identifiers: &[],
        paths: &[],
        filter: &Filter::default(),
        kept: RequestedClasses::default(),
        limit: 10,
    };
    for (score, file_idx) in snapshot.rank_by_text(&query, 0.0)? {
        println!("{score:.2} {}", snapshot.hit_path(file_idx));
    }
    Ok(())
}
