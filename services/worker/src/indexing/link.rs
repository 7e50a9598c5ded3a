//! From the facts of all files to the code graph: who uses whom. Files for which nothing has changed keep what was found.

use graph::{InterfaceHash, Manifest, OlderFile, Program, Resolved, SourceFile, Structure};
use index::{NewGraph, Snapshot};
use model::{Domain, FileClass, FileFacts};
use rayon::prelude::*;

/// A file of the tree that is indexed, with all that is known of it.
pub(super) struct ReadFile {
    pub(super) path: String,
    pub(super) facts: FileFacts,
    pub(super) class: FileClass,
    /// The generation before holds it with the same bytes.
    pub(super) is_kept: bool,
}

/// A manifest and its text.
pub(super) struct ReadManifest {
    pub(super) path: String,
    pub(super) text: String,
    pub(super) is_kept: bool,
}

/// The code graph of a tree.
pub(super) struct Linked {
    structure: Structure,
    resolved: Vec<Resolved>,
    interfaces: Vec<InterfaceHash>,
    domains: Vec<Domain>,
}

impl Linked {
    /// Returns the graph as a generation takes it.
    pub(super) fn as_new(&self) -> NewGraph<'_> {
        NewGraph {
            structure: &self.structure,
            resolved: &self.resolved,
            interfaces: &self.interfaces,
            domains: &self.domains,
        }
    }
}

/// Resolves what must be, and builds the graph. The files are in the order of their paths.
pub(super) fn link(files: &[ReadFile], manifests: &[ReadManifest], served: Option<&Snapshot>) -> Linked {
    let sources = files.iter().map(|file| SourceFile { path: &file.path, facts: &file.facts });
    let texts: Vec<Manifest<'_>> =
        manifests.iter().map(|manifest| Manifest { path: &manifest.path, text: &manifest.text }).collect();
    let program = Program::new(sources, &texts);
    let interfaces: Vec<InterfaceHash> = files.par_iter().map(|file| graph::interface_hash(&file.facts)).collect();

    let older = served.filter(|served| has_same_manifests(served, manifests)).map(Snapshot::older_files);
    let kept = kept(&program, files, &interfaces, older.as_deref().unwrap_or_default());
    let all: Vec<_> = program.file_indices().zip(kept).collect();
    let resolved: Vec<Resolved> =
        all.into_par_iter().map(|(file, kept)| kept.unwrap_or_else(|| graph::resolve(&program, file))).collect();

    let classes: Vec<FileClass> = files.iter().map(|file| file.class).collect();
    Linked {
        structure: graph::structure(&program, &resolved, &classes),
        domains: files.iter().map(|file| Domain::of(&file.path, file.facts.language, file.class)).collect(),
        resolved,
        interfaces,
    }
}

/// Says whether no manifest has changed, come, or gone: any of that can change what every import means.
fn has_same_manifests(served: &Snapshot, manifests: &[ReadManifest]) -> bool {
    let n_before = served.files().filter(|(path, _)| graph::is_manifest(path)).count();
    manifests.iter().all(|manifest| manifest.is_kept) && manifests.len() == n_before
}

fn kept(
    program: &Program<'_>,
    files: &[ReadFile],
    interfaces: &[InterfaceHash],
    older: &[OlderFile],
) -> Vec<Option<Resolved>> {
    if older.is_empty() {
        return vec![None; files.len()];
    }
    let is_same: Vec<bool> = files.iter().map(|file| file.is_kept).collect();
    graph::keep(program, interfaces, &is_same, older)
}
