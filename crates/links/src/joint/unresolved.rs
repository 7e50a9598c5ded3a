//! Calls that could not be resolved, and the definitions that they may mean.

use std::collections::{BTreeMap, BTreeSet};

use graph::{Codebase, Edge, FileIdx, FileUses, Name, Node, Program, SymbolIdx, UnresolvedCall};
use model::{SymbolKind, code::Flags};
use serde::{Deserialize, Serialize};

use super::{JointLayout, UnresolvedSite};

/// Maximum number of call sites without a target that are kept. Beyond it, any name may have more.
pub(super) const MAX_UNRESOLVED: usize = 200_000;

/// Number of files through which a file reaches another repository: its imports, and theirs.
const MAX_STEPS: usize = 2;

/// The unresolved calls of one name that a definition has.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct UnresolvedName {
    /// By path and line.
    pub sites: Vec<UnresolvedCallSite>,
    /// The definitions of this name in the importer and its providers.
    pub definitions: Vec<NamedDefinition>,
}

/// A call whose target is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnresolvedCallSite {
    /// The call.
    pub site: UnresolvedSite,
    /// Number of its arguments, if it is known.
    pub n_arguments: Option<u32>,
    /// True for a call of a member of a value.
    pub is_member: bool,
    /// The repositories that its file reaches through imports: 0 is the importer, others are one more than the index of the provider.
    pub reached: Vec<u32>,
}

/// A definition that unresolved calls may mean.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedDefinition {
    /// 0 is the importer, others are one more than the index of the provider.
    pub repository: u32,
    /// The node of its generation.
    pub node: u32,
    /// The path of its file.
    pub path: String,
    /// The number within its file.
    pub definition: u32,
    /// Number of arguments without which no call is possible.
    pub n_required: u32,
    /// Maximum number of arguments; `None` if any number is possible.
    pub n_accepted: Option<u32>,
    /// True for a member of a type, except for a constructor.
    pub is_member: bool,
}

impl NamedDefinition {
    /// Returns true if a call may mean the definition.
    pub fn may_be_called_at(&self, call: &UnresolvedCallSite) -> bool {
        let fits = |n_arguments: u32| {
            n_arguments >= self.n_required && self.n_accepted.is_none_or(|n_accepted| n_arguments <= n_accepted)
        };
        self.is_member == call.is_member
            && call.reached.binary_search(&self.repository).is_ok()
            && call.n_arguments.is_none_or(fits)
    }
}

/// The unresolved calls of a repository.
pub(super) struct UnresolvedCalls {
    pub(super) by_name: BTreeMap<String, UnresolvedName>,
    /// True if there are more than those listed.
    pub(super) is_cut: bool,
}

/// The uses of the files of an importer, as far as unresolved calls depend on them.
#[derive(Default)]
pub(super) struct FileReach {
    calls: Vec<(FileIdx, UnresolvedCall)>,
    /// By own file: the repositories that it uses or imports.
    repositories: BTreeMap<FileIdx, BTreeSet<u32>>,
    /// By own file: the files of the importer that it uses.
    files: BTreeMap<FileIdx, BTreeSet<FileIdx>>,
}

impl FileReach {
    /// Adds the uses of a file. A file with imports that were not followed may use any provider.
    pub(super) fn add(
        &mut self,
        program: &Program<'_>,
        layout: &JointLayout<'_>,
        file: FileIdx,
        uses: &FileUses,
        has_unfollowed: bool,
    ) {
        self.calls.extend(uses.unresolved.iter().filter(|call| call.name != Name::NONE).map(|call| (file, *call)));
        let repositories = self.repositories.entry(file).or_default();
        repositories.insert(0);
        if has_unfollowed {
            repositories.extend(1..layout.n_repositories());
        }
        for used in uses.edges.iter().map(|edge| file_of(program, edge)) {
            match layout.repository_of(used) {
                0 if used != file => _ = self.files.entry(file).or_default().insert(used),
                0 => {}
                provider => _ = repositories.insert(provider),
            }
        }
    }

    /// Returns the repositories that a file reaches, ascending.
    fn reached(&self, file: FileIdx) -> Vec<u32> {
        let mut files = BTreeSet::from([file]);
        for _ in 0..MAX_STEPS {
            let next: Vec<FileIdx> = files.iter().filter_map(|file| self.files.get(file)).flatten().copied().collect();
            files.extend(next);
        }
        let reached: BTreeSet<u32> =
            files.iter().filter_map(|file| self.repositories.get(file)).flatten().copied().collect();
        reached.into_iter().collect()
    }

    /// Returns the unresolved calls of names that the repositories define.
    pub(super) fn into_calls(self, codebase: &Codebase<'_>, layout: &JointLayout<'_>) -> UnresolvedCalls {
        let program = codebase.program();
        let names: BTreeSet<Name> = self.calls.iter().map(|(_, call)| call.name).collect();
        let mut by_name: BTreeMap<Name, UnresolvedName> = BTreeMap::new();
        for symbol in program.file_indices().flat_map(|file| program.symbols_of(file)) {
            let name = called_name(program, symbol);
            if names.contains(&name) {
                by_name.entry(name).or_default().definitions.push(definition(program, layout, symbol));
            }
        }
        let reached: BTreeMap<FileIdx, Vec<u32>> = self
            .calls
            .iter()
            .map(|(file, _)| *file)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .map(|file| (file, self.reached(file)))
            .collect();
        let mut n_sites = 0;
        for (file, call) in &self.calls {
            let Some(of_name) = by_name.get_mut(&call.name) else { continue };
            let site = UnresolvedCallSite {
                site: UnresolvedSite { path: layout.own_path(*file).to_owned(), line: call.line },
                n_arguments: call.n_arguments,
                is_member: call.is_member,
                reached: reached[file].clone(),
            };
            if !of_name.definitions.iter().any(|definition| definition.may_be_called_at(&site)) {
                continue;
            }
            n_sites += 1;
            if n_sites <= MAX_UNRESOLVED {
                of_name.sites.push(site);
            }
        }
        by_name.retain(|_, of_name| !of_name.sites.is_empty());
        let text = |name: Name| program.text(name).to_owned();
        UnresolvedCalls {
            by_name: by_name.into_iter().map(|(name, of_name)| (text(name), of_name)).collect(),
            is_cut: n_sites > MAX_UNRESOLVED,
        }
    }
}

/// Returns the name by which a definition is called: that of its type for a constructor.
fn called_name(program: &Program<'_>, symbol: SymbolIdx) -> Name {
    let is_constructor = program.definition(symbol).kind == SymbolKind::Constructor;
    program.name_of(program.parent(symbol).filter(|_| is_constructor).unwrap_or(symbol))
}

fn definition(program: &Program<'_>, layout: &JointLayout<'_>, symbol: SymbolIdx) -> NamedDefinition {
    let shape = program.shape(symbol);
    let owner = program.parent(symbol).filter(|owner| program.definition(*owner).kind.is_type());
    let kind = program.definition(symbol).kind;
    let is_function = matches!(kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor);
    let is_variadic = shape.parameters.iter().any(|parameter| parameter.is_variadic);
    let required = shape.parameters.iter().filter(|parameter| !parameter.is_optional && !parameter.is_variadic);
    // Some languages write the receiver as the first parameter.
    let n_receivers = u32::from(owner.is_some() && !shape.flags.has(Flags::STATIC));
    NamedDefinition {
        repository: layout.repository_of(program.file_of(symbol)),
        node: layout.node(program, Node::Symbol(symbol)),
        path: layout.file_of(program, Node::Symbol(symbol)).facts.path.clone(),
        definition: program.definition_id(symbol).0,
        n_required: if is_function { (required.count() as u32).saturating_sub(n_receivers) } else { 0 },
        n_accepted: (is_function && !is_variadic).then_some(shape.parameters.len() as u32),
        is_member: owner.is_some() && kind != SymbolKind::Constructor,
    }
}

fn file_of(program: &Program<'_>, edge: &Edge) -> FileIdx {
    match edge.to {
        Node::Symbol(symbol) => program.file_of(symbol),
        Node::File(file) => file,
    }
}
