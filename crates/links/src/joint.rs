//! Joint linking: the uses of one repository are resolved as if the repositories that it depends on were beside it in one
//! build.
//!
//! The inference that resolves calls inside a repository reads the facts of the providers, too. Imports, re-exports, generics,
//! inheritance and closures therefore have the same rules on both sides of the border.

mod providers;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use graph::{Codebase, Edge, EdgeKind, FileIdx, ManifestFile, Name, Node, Program, Resolution, SourceFile, uses};
use model::{SymbolKind, symbol::qualify};
use serde::{Deserialize, Serialize};

use crate::{
    RepositoryManifests,
    contract::ContractKind,
    contracts::package_of_import,
    join::{ContractLink, ContractSite},
    link_facts::{self, LinkFacts, LinkFactsError, LinkFactsFile},
};

pub use providers::{PackageProvider, provider_closures};

/// Maximum number of call sites without a target that are kept by name. Beyond it, any name may have more.
const MAX_UNRESOLVED: usize = 200_000;

/// The links of one repository to its providers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ImporterLinks {
    /// By file of the user; within a file by user, provider, target and kind, each once.
    pub links: Vec<SymbolLink>,
    /// By name of the callee: the calls whose target is not known.
    pub unresolved: BTreeMap<String, Vec<UnresolvedSite>>,
    /// The imports of packages of the providers whose file or definition was not found. Uses of any of their names may be missing.
    pub unfollowed_imports: Vec<UnresolvedSite>,
    /// True if there are other uses that were not looked at, or more unresolved calls than those listed.
    pub may_miss_any: bool,
}

/// The uses of one definition of another repository by one definition or file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SymbolLink {
    /// The index of the provider.
    pub provider: u32,
    /// The relation between the ends.
    pub kind: EdgeKind,
    /// The way in which the target was found.
    pub resolution: Resolution,
    /// The innermost definition that contains the uses; otherwise the file. The line is the first of `lines`.
    pub user: ContractSite,
    /// The qualified name of the user; `None` for a file.
    pub user_name: Option<String>,
    /// The used definition or file.
    pub target: ContractSite,
    /// The qualified name of the target; `None` for a file.
    pub target_name: Option<String>,
    /// The kind of the target; `None` for a file.
    pub target_kind: Option<SymbolKind>,
    /// The line of each use, ascending. A line with several uses occurs once.
    pub lines: Vec<u32>,
    /// The number of uses.
    pub n_sites: u32,
}

/// A use whose target is not known.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UnresolvedSite {
    /// The path of the file.
    pub path: String,
    /// The line of the call.
    pub line: u32,
}

/// Resolves the uses of `providers` in a repository. Uses within the repository are not repeated.
///
/// `packages` are the keys of the packages that the providers make. A definition is never linked by its name alone.
pub fn link_importer(importer: &LinkFacts, providers: &[LinkFacts], packages: &BTreeSet<String>) -> ImporterLinks {
    let repositories: Vec<&LinkFacts> = std::iter::once(importer).chain(providers).collect();
    let layout = JointLayout::new(&repositories);
    let sources = layout.files.iter().map(|file| SourceFile { path: &file.path, facts: &file.facts.facts });
    let texts: Vec<ManifestFile<'_>> =
        layout.manifests.iter().map(|(path, text)| ManifestFile { path, text }).collect();
    let roots = layout.roots.iter().map(String::as_str).collect();
    let codebase = Codebase::side_by_side(roots, sources, &texts);
    let own_texts: Vec<ManifestFile<'_>> =
        importer.manifests.iter().map(|(path, text)| ManifestFile { path, text }).collect();
    let declared = RepositoryManifests::read(&own_texts);
    let mut found = ImporterLinks::default();
    let n_own = importer.files.len() as u32;
    let mut n_unresolved = 0;
    for file in (0..n_own).map(FileIdx) {
        let uses = uses(&codebase, file);
        let path = &layout.files[file.0 as usize].facts.path;
        let unfollowed = unfollowed_imports(codebase.program(), file, &uses.edges, &declared, packages);
        found.unfollowed_imports.extend(unfollowed.map(|line| UnresolvedSite { path: path.clone(), line }));
        found.links.extend(layout.links(codebase.program(), uses.edges));
        for call in uses.unresolved.iter().filter(|call| call.name != Name::NONE) {
            n_unresolved += 1;
            if n_unresolved <= MAX_UNRESOLVED {
                let site = UnresolvedSite { path: path.clone(), line: call.line };
                let name = codebase.program().text(call.name);
                found.unresolved.entry(name.to_owned()).or_default().push(site);
            }
        }
    }
    found.may_miss_any = n_unresolved > MAX_UNRESOLVED;
    found
}

/// Returns the lines of the imports of these packages that were not followed to a file or definition.
fn unfollowed_imports<'a>(
    program: &'a Program<'_>,
    file: FileIdx,
    edges: &[Edge],
    declared: &'a RepositoryManifests,
    packages: &'a BTreeSet<String>,
) -> impl Iterator<Item = u32> + use<'a> {
    let followed: BTreeSet<u32> =
        edges.iter().filter(|edge| edge.kind == EdgeKind::Imports).map(|edge| edge.line).collect();
    let imports = program.facts(file).imports.iter().filter(move |import| !followed.contains(&import.line));
    imports
        .filter(move |import| {
            let package = package_of_import(program, &declared.packages, file, import);
            package.is_some_and(|package| packages.contains(&package))
        })
        .map(|import| import.line)
}

/// The files of several repositories in one program. Each repository is in a folder that is its number: no name of a package or
/// module is a number.
struct JointLayout<'a> {
    roots: Vec<String>,
    /// By file of the program.
    files: Vec<PlacedFile<'a>>,
    manifests: Vec<(String, &'a str)>,
    /// By repository: the number of its definitions.
    n_symbols: Vec<u32>,
}

/// A file in its place in the program.
struct PlacedFile<'a> {
    /// The path in the program.
    path: String,
    repository: u32,
    facts: &'a LinkFactsFile,
}

impl<'a> JointLayout<'a> {
    fn new(repositories: &[&'a LinkFacts]) -> JointLayout<'a> {
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
            };
            layout.files.extend(facts.files.iter().map(placed));
            let texts = facts.manifests.iter();
            layout.manifests.extend(texts.map(|(path, text)| (format!("{repository}/{path}"), text.as_str())));
        }
        layout
    }

    fn file_of(&self, program: &Program<'_>, node: Node) -> &PlacedFile<'a> {
        let file = match node {
            Node::Symbol(symbol) => program.file_of(symbol),
            Node::File(file) => file,
        };
        &self.files[file.0 as usize]
    }

    /// Returns the links among the uses of one file of the importer.
    fn links(&self, program: &Program<'_>, edges: Vec<Edge>) -> Vec<SymbolLink> {
        let mut crossing: Vec<Edge> = edges;
        crossing.retain(|edge| self.file_of(program, edge.to).repository != 0 && is_by_type(edge.resolution));
        crossing.sort_unstable_by_key(|edge| (edge.from, edge.to, edge.kind, edge.line));
        let same_ends = crossing.chunk_by(|a, b| (a.from, a.to, a.kind) == (b.from, b.to, b.kind));
        same_ends.map(|uses| self.link(program, uses)).collect()
    }

    /// Returns the link of some uses with the same ends and kind, in the order of lines.
    fn link(&self, program: &Program<'_>, uses: &[Edge]) -> SymbolLink {
        let first = uses[0];
        let mut lines: Vec<u32> = uses.iter().map(|one| one.line).collect();
        lines.dedup();
        let surest = uses.iter().map(|one| one.resolution).max_by(|a, b| a.confidence().total_cmp(&b.confidence()));
        let (user, target) = (self.site(program, first.from, first.line), self.definition_site(program, first.to));
        SymbolLink {
            provider: self.file_of(program, first.to).repository - 1,
            kind: first.kind,
            resolution: surest.unwrap_or(first.resolution),
            user,
            user_name: qualified_name(program, first.from),
            target,
            target_name: qualified_name(program, first.to),
            target_kind: kind_of(program, first.to),
            lines,
            n_sites: uses.len() as u32,
        }
    }

    fn definition_site(&self, program: &Program<'_>, node: Node) -> ContractSite {
        let line = match node {
            Node::Symbol(symbol) => program.definition(symbol).name_line,
            Node::File(_) => 1,
        };
        self.site(program, node, line)
    }

    /// Returns a node in the numbers of its own generation.
    fn site(&self, program: &Program<'_>, node: Node, line: u32) -> ContractSite {
        let file = self.file_of(program, node);
        let node = match node {
            Node::Symbol(symbol) => file.facts.symbol(program.definition_id(symbol).0),
            Node::File(_) => self.n_symbols[file.repository as usize] + file.facts.file_idx,
        };
        ContractSite { node, path: file.facts.path.clone(), line }
    }
}

impl ImporterLinks {
    /// Encodes the links for a cache; `None` if they are too long.
    pub fn encode(&self) -> Option<Vec<u8>> {
        link_facts::section(self)
    }

    /// Decodes the links of a cache.
    pub fn decode(bytes: &[u8]) -> Result<ImporterLinks, LinkFactsError> {
        link_facts::read_section(bytes)
    }
}

impl SymbolLink {
    /// Returns the confidence of the link, given the number of repositories that make the package.
    pub fn confidence(&self, n_makers: usize) -> f32 {
        self.resolution.confidence() / n_makers.max(1) as f32
    }

    /// Returns the link as a contract of the package with this key, which so many repositories make. `use_idx` identifies the link
    /// among the uses of the importer.
    pub fn into_contract(self, package: &str, n_makers: usize, use_idx: u32) -> ContractLink {
        let confidence = self.confidence(n_makers);
        ContractLink {
            kind: ContractKind::PackageSymbol,
            key: package.to_owned(),
            member: self.target_name.unwrap_or_default(),
            use_idx,
            user: self.user,
            offer: self.target,
            confidence,
            n_sites: self.n_sites,
            serves: false,
            is_exact: true,
            use_kind: Some(self.kind),
            lines: self.lines,
            evidence: Vec::new(),
        }
    }
}

/// Returns true if a use was resolved by imports and types, and not by its name alone.
fn is_by_type(resolution: Resolution) -> bool {
    resolution != Resolution::UniqueName
}

fn qualified_name(program: &Program<'_>, node: Node) -> Option<String> {
    let Node::Symbol(symbol) = node else { return None };
    let definition = program.definition(symbol);
    Some(qualify(&definition.container, &definition.name))
}

fn kind_of(program: &Program<'_>, node: Node) -> Option<SymbolKind> {
    match node {
        Node::Symbol(symbol) => Some(program.definition(symbol).kind),
        Node::File(_) => None,
    }
}
