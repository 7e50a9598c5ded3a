//! Linking: from the facts of all files to the code graph. The edges of files that no change concerns are reused.

use std::sync::Arc;

use graph::{Codebase, FileIdx, InterfaceHash, ManifestFile, PreviousFile, Program, SourceFile, Structure};
use index::{NewGraph, Snapshot};
use links::{
    LinkedFile, PreviousLinkedFile, RepositoryManifests,
    compiler_facts::CompilerFacts,
    link_facts::{self, FileToEncode},
};
use model::{Domain, FileClass, FileFacts, code::DefinitionId};
use rayon::prelude::*;

use crate::repositories::WarmNames;

/// The facts of a tree, as far as linking needs them.
#[derive(Default)]
pub(super) struct ExtractedTree {
    /// The files, in the order of their paths.
    pub(super) files: Vec<FileToLink>,
    pub(super) manifests: Vec<ManifestText>,
    /// Number of files whose facts were extracted rather than cached.
    pub(super) n_extracted: u64,
}

/// A file to link.
pub(super) struct FileToLink {
    pub(super) path: String,
    pub(super) facts: Arc<FileFacts>,
    pub(super) class: FileClass,
    /// True if the generation that is extended holds it unchanged.
    pub(super) is_unchanged: bool,
}

/// The text of a package manifest.
pub(super) struct ManifestText {
    pub(super) path: String,
    pub(super) text: String,
    /// True if the generation that is extended holds it unchanged.
    pub(super) is_unchanged: bool,
}

/// The code graph of a tree.
pub(super) struct LinkedTree {
    structure: Structure,
    files: Vec<LinkedFile>,
    interfaces: Vec<InterfaceHash>,
    domains: Vec<Domain>,
    link_facts: Vec<u8>,
    /// By file: its path, and the number of its first definition.
    places: Vec<(String, u32)>,
    /// True if a compiler resolved uses, so that the links of a file depend on more than the files.
    has_compiler_uses: bool,
}

impl LinkedTree {
    /// Returns the graph in the form that a generation is written from.
    pub(super) fn as_new(&self) -> NewGraph<'_> {
        NewGraph {
            structure: &self.structure,
            files: &self.files,
            interfaces: &self.interfaces,
            domains: &self.domains,
            link_facts: &self.link_facts,
        }
    }

    /// Returns the links as the run after the next edit takes them; `None` if that cannot use them.
    pub(super) fn into_previous(self) -> Option<Vec<PreviousLinkedFile>> {
        let LinkedTree { files, interfaces, places, has_compiler_uses, .. } = self;
        if has_compiler_uses {
            return None;
        }
        let of_files = places.into_iter().zip(interfaces).zip(files);
        let previous = of_files.map(|(((path, first_symbol), interface), LinkedFile { resolved, contracts })| {
            PreviousLinkedFile { file: PreviousFile { path, interface, first_symbol, resolved }, contracts }
        });
        Some(previous.collect())
    }
}

/// The parts of the base that are in memory while a work tree is being edited.
#[derive(Default)]
pub(super) struct WarmBase {
    pub(super) links: Option<Vec<PreviousLinkedFile>>,
    /// The names of the files to link.
    pub(super) names: Option<WarmNames>,
}

/// Resolves the references of files that changes may concern, and builds the graph. Returns the names of the warm base again.
pub(super) fn link(
    tree: ExtractedTree,
    warm: WarmBase,
    compiler: &CompilerFacts,
    version_tags: &[String],
    base: Option<&Snapshot>,
) -> (LinkedTree, Option<WarmNames>) {
    let ExtractedTree { files, manifests, .. } = tree;
    let WarmBase { links: warm_links, names } = warm;
    let linked = link_files(files, &manifests, (warm_links, names.as_ref()), compiler, version_tags, base);
    (linked, names)
}

fn link_files(
    files: Vec<FileToLink>,
    manifests: &[ManifestText],
    (warm_links, names): (Option<Vec<PreviousLinkedFile>>, Option<&WarmNames>),
    compiler: &CompilerFacts,
    version_tags: &[String],
    base: Option<&Snapshot>,
) -> LinkedTree {
    let sources = files.iter().map(|file| SourceFile { path: &file.path, facts: &file.facts });
    let texts: Vec<ManifestFile<'_>> =
        manifests.iter().map(|manifest| ManifestFile { path: &manifest.path, text: &manifest.text }).collect();
    // The links of a file depend on the whole index of a compiler.
    let is_inferred = |base: &&Snapshot| compiler.files.is_empty() && base.manifest().compiler_files == 0;
    let reusable = base.filter(is_inferred).filter(|base| has_same_manifests(base, manifests));
    let read_previous = || {
        // Facts that cannot be read are encoded again.
        let link_facts = base.and_then(|base| base.link_facts().ok().flatten());
        let previous = reusable.map(|base| (base, warm_links.unwrap_or_else(|| base.previous_files())));
        (previous, link_facts)
    };
    let lay_out = || match names {
        Some(names) => Codebase::numbered(names.numbers(), sources.zip(names.of_files()), &texts),
        None => Codebase::new(sources, &texts),
    };
    let (codebase, (older, older_link_facts)) = rayon::join(lay_out, read_previous);
    let program = codebase.program();
    let declared = RepositoryManifests::read(&texts);
    let known_interface = |file: &FileToLink| base.filter(|_| file.is_unchanged)?.interface_of(&file.path);
    let interface = |file: &FileToLink| known_interface(file).unwrap_or_else(|| graph::interface_hash(&file.facts));
    let interfaces: Vec<InterfaceHash> = files.par_iter().map(interface).collect();
    let reusable = find_reusable_links(program, &files, &interfaces, older);
    let all: Vec<_> = program.file_indices().zip(reusable).collect();
    let linked = all.into_par_iter();
    let link = |file: FileIdx| {
        let compiler = compiler.uses_in_repository(program, file);
        links::link_file_with_compiler(&codebase, &declared, file, compiler.as_ref())
    };
    let linked: Vec<LinkedFile> = linked.map(|(file, reused)| reused.unwrap_or_else(|| link(file))).collect();

    let to_encode = files.iter().zip(&interfaces).map(|(file, interface)| FileToEncode {
        path: &file.path,
        class: file.class,
        facts: &file.facts,
        interface: *interface,
        is_unchanged: file.is_unchanged,
    });
    let classes: Vec<FileClass> = files.iter().map(|file| file.class).collect();
    let encode = || link_facts::encode(to_encode, &texts, compiler, version_tags, older_link_facts.as_deref());
    let (structure, link_facts) = rayon::join(|| links::structure(&codebase, &linked, &classes), encode);
    let link_facts = link_facts.unwrap_or_default();
    let first_symbol = |file: FileIdx| program.symbol(file, DefinitionId(0)).0;
    let first_symbols: Vec<u32> = program.file_indices().map(first_symbol).collect();
    LinkedTree {
        structure,
        domains: files.iter().map(|file| Domain::of(&file.path, file.facts.language, file.class)).collect(),
        files: linked,
        interfaces,
        link_facts,
        places: files.into_iter().map(|file| file.path).zip(first_symbols).collect(),
        has_compiler_uses: !compiler.files.is_empty(),
    }
}

/// Returns true if no manifest was added, changed or removed. Any of that can change the target of every import.
fn has_same_manifests(base: &Snapshot, manifests: &[ManifestText]) -> bool {
    let n_before = base.files().filter(|(path, _)| graph::is_manifest(path)).count();
    manifests.iter().all(|manifest| manifest.is_unchanged) && manifests.len() == n_before
}

/// Returns the links of each file that can be reused.
fn find_reusable_links(
    program: &Program<'_>,
    files: &[FileToLink],
    interfaces: &[InterfaceHash],
    older: Option<(&Snapshot, Vec<PreviousLinkedFile>)>,
) -> Vec<Option<LinkedFile>> {
    let Some((base, older)) = older else { return vec![None; files.len()] };
    let is_unchanged: Vec<bool> = files.iter().map(|file| file.is_unchanged).collect();
    links::reuse(program, interfaces, &is_unchanged, older, &|file_idx| base.definition_names(file_idx))
}
