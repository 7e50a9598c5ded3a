//! The overview of a repository: its purpose, modules, packages, entry points, routes, hotspots and owners.
//!
//! It is computed when a generation is sealed. It has the content of the repository's page as structured data, with source
//! locations.

use rkyv::{Archive, Deserialize, Serialize};

/// The overview of a repository. Unknown values are empty.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, Default, PartialEq)]
pub struct Overview {
    /// The name that the repository gives itself, in its README or else in its first package.
    pub name: String,
    /// Its own descriptions, that of the README first.
    pub purposes: Vec<QuotedText>,
    /// Languages of its code, most lines first.
    pub languages: BoundedList<LanguageShare>,
    /// Number of lines of its code.
    pub n_code_lines: u64,
    /// Packages, then other folders of code; the most used first.
    pub modules: BoundedList<ModuleOverview>,
    /// Packages that its manifests publish.
    pub makes: BoundedList<PackageOverview>,
    /// Packages that its manifests require, the most used first.
    pub requires: BoundedList<PackageOverview>,
    /// Installed commands, package exports and main functions.
    pub starts: BoundedList<EntryPoint>,
    /// HTTP routes that it serves.
    pub routes: BoundedList<ServedRoute>,
    /// Services of its protobuf files.
    pub services: BoundedList<DefinitionSummary>,
    /// Public definitions of its code, the most used first.
    pub most_used: BoundedList<DefinitionSummary>,
    /// Source files that are complex and change often, highest score first.
    pub hotspots: BoundedList<HotspotFile>,
    /// Communities of the file graph, largest first.
    pub communities: BoundedList<FileCommunity>,
    /// Files that define build, test, deployment and operation.
    pub infra: BoundedList<InfraFile>,
    /// Recent activity and owners.
    pub past: HistorySummary,
}

/// The first items of a list, and its full length.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, PartialEq)]
pub struct BoundedList<T> {
    /// The first items.
    pub first: Vec<T>,
    /// Length of the full list.
    pub n_all: u32,
}

/// A text quoted from a file.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, Default, PartialEq, Eq)]
pub struct QuotedText {
    /// Prose on one line, without markup.
    pub text: String,
    /// The quoted file.
    pub path: String,
}

/// A line of a file.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, Default, PartialEq, Eq)]
pub struct FileLine {
    /// Path of the file.
    pub path: String,
    /// Line number, from 1 on.
    pub line: u32,
}

/// Amount of code in one language.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, PartialEq, Eq)]
pub struct LanguageShare {
    /// Name of the language.
    pub name: String,
    /// Number of files.
    pub n_files: u32,
    /// Number of lines.
    pub n_lines: u64,
}

/// A package or another folder of code.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, Default, PartialEq)]
pub struct ModuleOverview {
    /// Path of the folder; empty for the root.
    pub path: String,
    /// Name of the package; empty for a folder that is not a package.
    pub package: String,
    /// The first sentence of its own description.
    pub purpose: QuotedText,
    /// Number of code files.
    pub n_files: u32,
    /// Number of symbols in these files.
    pub n_symbols: u32,
    /// The owner of the largest share of its history, if known.
    pub owner: Option<OwnerShare>,
    /// Modules that it uses, with the number of use sites.
    pub uses: BoundedList<(String, u32)>,
    /// Modules that use it, with the number of use sites.
    pub used_by: BoundedList<(String, u32)>,
}

/// A person's share of the history of a part of the repository.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, PartialEq)]
pub struct OwnerShare {
    /// Name of the author.
    pub name: String,
    /// From 0 to 1.
    pub share: f32,
}

/// A package that manifests publish or require.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, PartialEq, Eq)]
pub struct PackageOverview {
    /// Ecosystem and name: `npm:@acme/kit`.
    pub key: String,
    /// Its first declaration.
    pub at: FileLine,
    /// Number of manifests that declare it.
    pub n_manifests: u32,
    /// Number of known use sites of its members in code.
    pub n_sites: u32,
}

/// An entry point of execution or of a package.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, PartialEq, Eq)]
pub struct EntryPoint {
    /// Command, export or main function.
    pub kind: EntryPointKind,
    /// Symbol id of the function, or the name in the manifest.
    pub name: String,
    /// The target in the manifest; empty for a function.
    pub target: String,
    /// The declaration.
    pub at: FileLine,
}

/// The kind of an entry point.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryPointKind {
    /// A command that the package installs.
    Command,
    /// A module that the package exports.
    Export,
    /// A main function.
    Main,
}

/// An HTTP route that the repository serves.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, PartialEq, Eq)]
pub struct ServedRoute {
    /// HTTP method.
    pub method: String,
    /// Path template.
    pub path: String,
    /// The declaration.
    pub at: FileLine,
    /// Symbol id of the handler; empty if unknown.
    pub handler: String,
}

/// A definition, as lists show it.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, PartialEq, Eq)]
pub struct DefinitionSummary {
    /// Symbol id.
    pub id: String,
    /// Name of the symbol kind.
    pub kind: String,
    /// The declaration without its body.
    pub signature: String,
    /// The line of the name.
    pub at: FileLine,
    /// Number of nodes of the code graph that use it.
    pub used_by: u32,
}

/// A source file that is complex and changes often.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, PartialEq)]
pub struct HotspotFile {
    /// Path of the file.
    pub path: String,
    /// Number of lines.
    pub n_lines: u32,
    /// Geometric mean of the percentile ranks of churn and complexity, from 0 to 10.
    pub score: f32,
    /// Number of commits in the 13 weeks before the newest commit.
    pub n_recent: u32,
    /// Number of bug-fix commits in the whole history.
    pub n_fixes: u32,
    /// The owner of the largest share of its history, if known.
    pub owner: Option<OwnerShare>,
}

/// A community of the file graph.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, PartialEq)]
pub struct FileCommunity {
    /// A name derived from its files.
    pub label: String,
    /// Number of code files.
    pub n_files: u32,
    /// Share of its edges that end within the community.
    pub cohesion: f32,
    /// Paths of its most important code files.
    pub members: Vec<String>,
}

/// A file that defines build, test, deployment or operation.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, PartialEq, Eq)]
pub struct InfraFile {
    /// Path of the file.
    pub path: String,
    /// Name of the kind of infrastructure.
    pub kind: String,
    /// The targets, jobs, services or scripts that it defines.
    pub says: Vec<String>,
}

/// Recent activity and owners of a repository.
#[derive(Archive, Serialize, Deserialize, Debug, Clone, Default, PartialEq)]
pub struct HistorySummary {
    /// Number of commits in the 13 weeks before the newest commit.
    pub n_recent: u32,
    /// True if `n_recent` is a lower bound.
    pub is_at_least: bool,
    /// Owners of at least a hundredth, largest share first.
    pub owners: BoundedList<OwnerShare>,
    /// Smallest number of people who together own more than half; 0 if unknown.
    pub bus_factor: u32,
}

impl<T> Default for BoundedList<T> {
    fn default() -> BoundedList<T> {
        BoundedList { first: Vec::new(), n_all: 0 }
    }
}

impl<T> BoundedList<T> {
    /// Truncates a full list to `limit` items.
    pub(crate) fn truncated(mut items: Vec<T>, limit: usize) -> BoundedList<T> {
        let n_all = items.len() as u32;
        items.truncate(limit);
        BoundedList { first: items, n_all }
    }
}
