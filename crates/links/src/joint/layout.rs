//! The files of an importer and its providers in one program, and the links among their uses.

use std::{cell::OnceCell, collections::BTreeSet};

use graph::{Codebase, Edge, FileIdx, ManifestFile, Node, Program, Resolution, SourceFile};
use model::{SymbolKind, symbol::qualify};

use super::{NamedDefinition, SymbolLink};
use crate::{
    contracts::is_installed_dependency,
    join::ContractSite,
    link_facts::{LinkFacts, LinkFactsFile},
    shared_text::SharedText,
};

/// The files of several repositories in one program. Each repository is in a folder that is its number: no name of a package or
/// module is a number.
pub(super) struct JointLayout<'a> {
    roots: Vec<String>,
    /// By file of the program.
    pub(super) files: Vec<PlacedFile<'a>>,
    manifests: Vec<(String, &'a str)>,
    /// By repository: the number of its definitions.
    n_symbols: Vec<u32>,
}

/// A file in its place in the program.
pub(super) struct PlacedFile<'a> {
    /// The path in the program.
    path: String,
    pub(super) repository: u32,
    pub(super) facts: &'a LinkFactsFile,
    /// The path in its repository, which all links of the file share.
    own_path: SharedText,
    /// True if a package manager installed it. Made for the first use of another repository in the file.
    is_installed: OnceCell<bool>,
}

impl<'a> JointLayout<'a> {
    pub(super) fn new(repositories: &[&'a LinkFacts]) -> JointLayout<'a> {
        let mut layout = JointLayout {
            roots: (0..repositories.len()).map(|repository| format!("{repository}/")).collect(),
            files: Vec::new(),
            manifests: Vec::new(),
            n_symbols: repositories.iter().map(|facts| facts.n_symbols).collect(),
        };
        for (repository, facts) in (0..).zip(repositories) {
            let placed = |facts: &'a LinkFactsFile| PlacedFile {
                path: format!("{repository}/{}", facts.path),
                repository,
                facts,
                own_path: facts.path.as_str().into(),
                is_installed: OnceCell::new(),
            };
            layout.files.extend(facts.files.iter().map(placed));
            let texts = facts.manifests.iter();
            layout.manifests.extend(texts.map(|(path, text)| (format!("{repository}/{path}"), text.as_str())));
        }
        layout
    }

    /// Lays out the files of all repositories side by side.
    pub(super) fn codebase(&self) -> Codebase<'_> {
        let sources = self.files.iter().map(|file| SourceFile { path: &file.path, facts: &file.facts.facts });
        let texts: Vec<ManifestFile<'_>> =
            self.manifests.iter().map(|(path, text)| ManifestFile { path, text }).collect();
        Codebase::side_by_side(self.roots.iter().map(String::as_str).collect(), sources, &texts)
    }

    /// Returns the paths of files of providers and of the files of definitions, by provider.
    pub(super) fn paths_of_providers<'d>(
        &self,
        files: &BTreeSet<FileIdx>,
        definitions: impl Iterator<Item = &'d NamedDefinition>,
    ) -> Vec<Vec<String>> {
        let files = files.iter().map(|file| &self.files[file.0 as usize]);
        let of_files = files.map(|file| (file.repository, file.facts.path.as_str()));
        let of_definitions = definitions.map(|definition| (definition.repository, definition.path.as_str()));
        let all: BTreeSet<(u32, &str)> = of_files.chain(of_definitions).collect();
        let mut paths = vec![Vec::new(); self.roots.len() - 1];
        for (repository, path) in all.into_iter().filter(|(repository, _)| *repository > 0) {
            paths[repository as usize - 1].push(path.to_owned());
        }
        paths
    }

    pub(super) fn file_of(&self, program: &Program<'_>, node: Node) -> &PlacedFile<'a> {
        &self.files[file_idx(program, node).0 as usize]
    }

    pub(super) fn n_repositories(&self) -> u32 {
        self.roots.len() as u32
    }

    /// Returns the number of the repository of a file: 0 is the importer.
    pub(super) fn repository_of(&self, file: FileIdx) -> u32 {
        self.files[file.0 as usize].repository
    }

    /// Returns true if a file is of the importer.
    pub(super) fn is_own(&self, file: FileIdx) -> bool {
        self.repository_of(file) == 0
    }

    /// Returns the path of a file in its repository.
    pub(super) fn own_path(&self, file: FileIdx) -> &'a str {
        &self.files[file.0 as usize].facts.path
    }

    /// Returns the links among the uses of one file of the importer, each with the file of its target.
    pub(super) fn links(&self, program: &Program<'_>, edges: Vec<Edge>) -> Vec<(FileIdx, SymbolLink)> {
        let mut crossing: Vec<Edge> = edges;
        // The author of an installed dependency uses the package, and not this repository.
        let is_installed = |node: Node| {
            let file = self.file_of(program, node);
            *file.is_installed.get_or_init(|| is_installed_dependency(&file.facts.path))
        };
        crossing.retain(|edge| self.file_of(program, edge.to).repository != 0 && is_by_type(edge.resolution));
        crossing.retain(|edge| !is_installed(edge.from));
        crossing.sort_unstable_by_key(|edge| (edge.from, edge.to, edge.kind, edge.line));
        let same_ends = crossing.chunk_by(|a, b| (a.from, a.to, a.kind) == (b.from, b.to, b.kind));
        same_ends.map(|uses| (file_idx(program, uses[0].to), self.link(program, uses))).collect()
    }

    /// Returns the link of some uses with the same ends and kind, in the order of lines.
    pub(super) fn link(&self, program: &Program<'_>, uses: &[Edge]) -> SymbolLink {
        let first = uses[0];
        let mut lines: Vec<u32> = uses.iter().map(|one| one.line).collect();
        lines.dedup();
        let surest = uses.iter().map(|one| one.resolution).max_by(|a, b| a.confidence().total_cmp(&b.confidence()));
        let (user, target) = (self.site(program, first.from, first.line), self.definition_site(program, first.to));
        SymbolLink {
            provider: self.file_of(program, first.to).repository - 1,
            dependency: None,
            kind: first.kind,
            resolution: surest.unwrap_or(first.resolution),
            user,
            user_name: qualified_name(program, first.from),
            target,
            target_name: qualified_name(program, first.to),
            target_kind: kind_of(program, first.to),
            target_definition: match first.to {
                Node::Symbol(symbol) => Some(program.definition_id(symbol).0),
                Node::File(_) => None,
            },
            lines,
            n_sites: uses.len() as u32,
        }
    }

    pub(super) fn definition_site(&self, program: &Program<'_>, node: Node) -> ContractSite {
        let line = match node {
            Node::Symbol(symbol) => program.definition(symbol).name_line,
            Node::File(_) => 1,
        };
        self.site(program, node, line)
    }

    /// Returns the number of a node in its own generation.
    pub(super) fn node(&self, program: &Program<'_>, node: Node) -> u32 {
        let file = self.file_of(program, node);
        match node {
            Node::Symbol(symbol) => file.facts.symbol(program.definition_id(symbol).0),
            Node::File(_) => self.n_symbols[file.repository as usize] + file.facts.file_idx,
        }
    }

    pub(super) fn site(&self, program: &Program<'_>, node: Node, line: u32) -> ContractSite {
        let file = self.file_of(program, node);
        let node = self.node(program, node);
        ContractSite { node, path: SharedText::clone(&file.own_path), line }
    }
}

/// Returns the file of a node.
pub(super) fn file_idx(program: &Program<'_>, node: Node) -> FileIdx {
    match node {
        Node::Symbol(symbol) => program.file_of(symbol),
        Node::File(file) => file,
    }
}

/// Returns true if a use was resolved by imports and types, and not by its name alone.
pub(super) fn is_by_type(resolution: Resolution) -> bool {
    resolution != Resolution::UniqueName
}

pub(super) fn qualified_name(program: &Program<'_>, node: Node) -> Option<String> {
    let Node::Symbol(symbol) = node else { return None };
    let definition = program.definition(symbol);
    Some(qualify(&definition.container, &definition.name))
}

pub(super) fn kind_of(program: &Program<'_>, node: Node) -> Option<SymbolKind> {
    match node {
        Node::Symbol(symbol) => Some(program.definition(symbol).kind),
        Node::File(_) => None,
    }
}
