//! Calls that could not be resolved, and the definitions that they may mean.

use std::collections::{BTreeMap, BTreeSet};

use graph::{
    CalleeForm, Codebase, EdgeKind, Family, FileIdx, FileUses, GivenArguments, Name, Node, Program, SymbolIdx,
    UnresolvedAccess, UnresolvedCall, accessed_names, called_names,
};
use model::{
    SymbolKind,
    code::{Parameter, TypeExpression},
};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::{
    JointLayout, UnresolvedSite,
    known_types::{KnownTypes, owner_of},
    layout::file_idx,
    unresolved_accesses::{MembersOfName, UnresolvedMemberName, UnresolvedMemberSite, is_member},
};

/// Maximum number of call sites without a target that are kept. Beyond it, any name may have more.
pub(super) const MAX_UNRESOLVED: usize = 200_000;

/// Weight of a definition without known calls, in calls: unresolved calls are shared in the proportion of the known ones.
pub(super) const UNSEEN_WEIGHT: f32 = 0.5;

/// Factor of the weight of a definition whose type the file of a call names or uses: a value without a known type is mostly of a type that
/// its file knows. Decision 151 has the measurements.
const NEAR_FACTOR: f32 = 16.0;

/// Factor of the weight of calls that mean no definition of the repositories: every file knows the types of its language.
const ELSEWHERE_FACTOR: f32 = 8.0;

/// Maximum number of calls whose shares are computed; their average counts for the others.
const MAX_SHARED: usize = 200;

/// Number of files through which a file reaches another repository: its imports, and theirs.
const MAX_STEPS: usize = 2;

/// Types of numbers, texts and truth values, in all languages.
const PLAIN_TYPES: [&str; 18] = [
    "bool", "boolean", "Boolean", "bytes", "char", "double", "f32", "f64", "float", "i32", "i64", "int", "Integer",
    "long", "number", "str", "string", "String",
];

/// The unresolved calls of one name that a definition has.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct UnresolvedName {
    /// By path and line.
    pub sites: Vec<UnresolvedCallSite>,
    /// The definitions of this name in the importer and its providers.
    pub definitions: Vec<NamedDefinition>,
    /// By definition: the number of resolved calls of it in the importer.
    pub n_calls: Vec<u32>,
    /// Number of calls of the name in the importer that are known to mean none of the definitions.
    pub n_elsewhere: u32,
}

/// A call whose target is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnresolvedCallSite {
    /// The call.
    pub site: UnresolvedSite,
    /// The form of its callee.
    pub form: CalleeForm,
    /// Its arguments.
    pub arguments: GivenArguments,
    /// The only definitions of the name that the types of the call allow, by index; `None` if the types are not known.
    pub candidates: Option<Vec<u32>>,
    /// The repositories that its file reaches through imports: 0 is the importer, others are one more than the index of the provider.
    pub reached: Vec<u32>,
    /// The definitions of the name whose type, or whose file if they have none, its file names or uses, by index, ascending.
    pub near: Vec<u32>,
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
    /// The arguments that it takes.
    pub parameters: TakenArguments,
    /// True for a member of a type, except for a constructor.
    pub is_member: bool,
}

/// The arguments that a definition takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenArguments {
    /// Number of arguments without which no call is possible.
    pub n_required: u32,
    /// Maximum number of positional arguments; `None` if any number is possible.
    pub n_positional: Option<u32>,
    /// The names of its parameters; `None` if any keyword is possible.
    pub keywords: Option<Vec<String>>,
    /// The positions of parameters that are a number, a text or a truth value.
    pub plain: Vec<u32>,
}

impl TakenArguments {
    /// Returns true if a call with these arguments is possible, of which the first ones are receivers.
    fn fit(&self, given: &GivenArguments, n_receivers: u32) -> bool {
        let n_given = given.n_positional + given.keywords.len() as u32;
        let takes = |keyword: &String| self.keywords.as_ref().is_none_or(|names| names.contains(keyword));
        (given.is_open || n_given >= self.n_required)
            && self.n_positional.is_none_or(|n_positional| given.n_positional <= n_positional + n_receivers)
            && given.keywords.iter().all(takes)
            && (n_receivers > 0 || !given.functions.iter().any(|position| self.plain.contains(position)))
    }
}

impl UnresolvedName {
    /// Returns the calls that may mean a definition, given its index.
    pub fn calls_of(&self, definition_idx: usize) -> impl Iterator<Item = &UnresolvedCallSite> {
        self.sites.iter().filter(move |call| self.may_mean(call, definition_idx))
    }

    /// Returns the expected number of calls that mean a definition, given its index: its share of the calls with a known target. Definitions
    /// that the file of a call knows have a larger share.
    pub fn expected_calls_of(&self, definition_idx: usize) -> f32 {
        let n_calls = self.calls_of(definition_idx).count();
        let n_shared = n_calls.min(MAX_SHARED);
        let shares = self.calls_of(definition_idx).take(n_shared).map(|call| self.share(call, definition_idx));
        shares.sum::<f32>() * n_calls as f32 / n_shared.max(1) as f32
    }

    /// Returns the probability that a call means a definition that it may mean.
    fn share(&self, call: &UnresolvedCallSite, definition_idx: usize) -> f32 {
        let weight = |idx: usize| {
            let known = self.n_calls.get(idx).map_or(0.0, |n_calls| *n_calls as f32) + UNSEEN_WEIGHT;
            if call.near.binary_search(&(idx as u32)).is_ok() { known * NEAR_FACTOR } else { known }
        };
        let possible = (0..self.definitions.len()).filter(|idx| self.may_mean(call, *idx)).map(weight);
        let elsewhere = match call.candidates {
            Some(_) => 0.0,
            None => self.n_elsewhere as f32 * ELSEWHERE_FACTOR + UNSEEN_WEIGHT,
        };
        weight(definition_idx) / (elsewhere + possible.sum::<f32>())
    }

    fn may_mean(&self, call: &UnresolvedCallSite, definition_idx: usize) -> bool {
        let is_candidate = |candidates: &Vec<u32>| candidates.contains(&(definition_idx as u32));
        call.candidates.as_ref().is_none_or(is_candidate) && self.definitions[definition_idx].may_be_called_at(call)
    }
}

impl NamedDefinition {
    /// Returns true if the form and the arguments of a call fit the definition.
    fn may_be_called_at(&self, call: &UnresolvedCallSite) -> bool {
        let has_form = match call.form {
            CalleeForm::Bare => !self.is_member,
            CalleeForm::Member => self.is_member,
            CalleeForm::Qualified => true,
        };
        // `A::f(a)` may write the receiver as the first argument.
        let n_receivers = u32::from(self.is_member && call.form == CalleeForm::Qualified);
        has_form
            && call.reached.binary_search(&self.repository).is_ok()
            && self.parameters.fit(&call.arguments, n_receivers)
    }
}

/// The unresolved calls and accesses of a repository.
pub(super) struct UnresolvedUses {
    pub(super) by_name: BTreeMap<String, UnresolvedName>,
    pub(super) accesses: BTreeMap<String, UnresolvedMemberName>,
    /// True if there are more than those listed.
    pub(super) is_cut: bool,
}

/// The uses of the files of an importer, as far as unresolved calls depend on them.
#[derive(Default)]
pub(super) struct FileReach {
    calls: Vec<(FileIdx, UnresolvedCall)>,
    accesses: Vec<(FileIdx, UnresolvedAccess)>,
    /// Number of resolved calls and accesses of each definition.
    n_uses: FxHashMap<SymbolIdx, u32>,
    /// By own file: the repositories that it uses or imports.
    repositories: BTreeMap<FileIdx, BTreeSet<u32>>,
    /// By own file: the files of the importer that it uses.
    files: BTreeMap<FileIdx, BTreeSet<FileIdx>>,
    /// By own file with unresolved calls: what it knows.
    known: BTreeMap<FileIdx, KnownTypes>,
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
        self.calls
            .extend(uses.unresolved.iter().filter(|call| call.callee != Name::NONE).map(|call| (file, call.clone())));
        if !uses.unresolved.is_empty() {
            self.known.insert(file, KnownTypes::of(program, file, &uses.edges));
        }
        self.accesses.extend(uses.unresolved_accesses.iter().map(|access| (file, *access)));
        for edge in uses.edges.iter().filter(|edge| matches!(edge.kind, EdgeKind::Calls | EdgeKind::Accesses)) {
            if let Node::Symbol(to) = edge.to {
                *self.n_uses.entry(to).or_default() += edge.n_sites;
            }
        }
        let repositories = self.repositories.entry(file).or_default();
        repositories.insert(0);
        if has_unfollowed {
            repositories.extend(1..layout.n_repositories());
        }
        for used in uses.edges.iter().map(|edge| file_idx(program, edge.to)) {
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

    /// Returns the unresolved uses of names that the repositories define.
    pub(super) fn into_uses(self, codebase: &Codebase<'_>, layout: &JointLayout<'_>) -> UnresolvedUses {
        let program = codebase.program();
        let files: BTreeSet<FileIdx> =
            self.calls.iter().map(|(file, _)| *file).chain(self.accesses.iter().map(|(file, _)| *file)).collect();
        let reached: BTreeMap<FileIdx, Vec<u32>> = files.into_iter().map(|file| (file, self.reached(file))).collect();
        let (by_name, are_calls_cut) = self.calls_by_name(program, layout, &reached);
        let (accesses, are_accesses_cut) = self.accesses_by_name(program, layout, &reached);
        UnresolvedUses { by_name, accesses, is_cut: are_calls_cut || are_accesses_cut }
    }

    /// Returns the unresolved calls by name, and whether there are more of them.
    fn calls_by_name(
        &self,
        program: &Program<'_>,
        layout: &JointLayout<'_>,
        reached: &BTreeMap<FileIdx, Vec<u32>>,
    ) -> (BTreeMap<String, UnresolvedName>, bool) {
        let names: BTreeSet<Name> = self.calls.iter().map(|(_, call)| call.callee).collect();
        let mut by_name: BTreeMap<Name, UnresolvedName> = BTreeMap::new();
        let mut symbols: FxHashMap<Name, Vec<SymbolIdx>> = FxHashMap::default();
        for symbol in program.file_indices().flat_map(|file| program.symbols_of(file)) {
            let name = called_name(program, symbol);
            if names.contains(&name) && may_be_called(program, symbol) {
                symbols.entry(name).or_default().push(symbol);
                let of_name = by_name.entry(name).or_default();
                of_name.definitions.push(definition(program, layout, symbol));
                of_name.n_calls.push(self.n_uses.get(&symbol).copied().unwrap_or_default());
            }
        }
        let mut n_sites = 0;
        // By file and name: many calls of a file have the same name.
        let mut nears: FxHashMap<(FileIdx, Name), Vec<u32>> = FxHashMap::default();
        for (file, call) in &self.calls {
            let Some(of_name) = by_name.get_mut(&call.callee) else { continue };
            let site = UnresolvedCallSite {
                site: UnresolvedSite { path: layout.own_path(*file).to_owned(), line: call.line },
                form: call.form,
                arguments: call.arguments.clone(),
                candidates: candidates(program, layout, &call.candidates, &of_name.definitions),
                reached: reached[file].clone(),
                near: Vec::new(),
            };
            if !(0..of_name.definitions.len()).any(|definition_idx| of_name.may_mean(&site, definition_idx)) {
                continue;
            }
            n_sites += 1;
            if n_sites <= MAX_UNRESOLVED {
                let known = self.known.get(file);
                let near = || known.map_or_else(Vec::new, |known| known.near(program, &symbols[&call.callee]));
                let near = nears.entry((*file, call.callee)).or_insert_with(near).clone();
                of_name.sites.push(UnresolvedCallSite { near, ..site });
            }
        }
        by_name.retain(|_, of_name| !of_name.sites.is_empty());
        // The calls of each name, and then those of them with a known target.
        let mut n_named: FxHashMap<Name, u32> = FxHashMap::default();
        for name in self.repositories.keys().flat_map(|file| called_names(program, *file)) {
            *n_named.entry(name).or_default() += 1;
        }
        for (_, call) in &self.calls {
            n_named.entry(call.callee).and_modify(|n_known| *n_known = n_known.saturating_sub(1));
        }
        for (name, of_name) in &mut by_name {
            let n_resolved: u32 = of_name.n_calls.iter().sum();
            of_name.n_elsewhere = n_named.get(name).map_or(0, |n_known| n_known.saturating_sub(n_resolved));
        }
        (with_texts(program, by_name), n_sites > MAX_UNRESOLVED)
    }

    /// Returns the unresolved accesses by name, and whether there are more of them.
    fn accesses_by_name(
        &self,
        program: &Program<'_>,
        layout: &JointLayout<'_>,
        reached: &BTreeMap<FileIdx, Vec<u32>>,
    ) -> (BTreeMap<String, UnresolvedMemberName>, bool) {
        let mut by_name: BTreeMap<Name, UnresolvedMemberName> = BTreeMap::new();
        for (file, access) in self.accesses.iter().take(MAX_UNRESOLVED) {
            let site = UnresolvedSite { path: layout.own_path(*file).to_owned(), line: access.line };
            let site = UnresolvedMemberSite { site, reached: reached[file].clone() };
            by_name.entry(access.name).or_default().sites.push(site);
        }
        if by_name.is_empty() {
            return (BTreeMap::new(), false);
        }
        for of_name in by_name.values_mut() {
            of_name.members = vec![MembersOfName::default(); layout.n_repositories() as usize];
        }
        for symbol in program.file_indices().flat_map(|file| program.symbols_of(file)) {
            let Some(of_name) = by_name.get_mut(&program.name_of(symbol)) else { continue };
            if is_member(program, symbol) {
                let members = &mut of_name.members[layout.repository_of(program.file_of(symbol)) as usize];
                members.n_definitions += 1;
                members.n_accesses += self.n_uses.get(&symbol).copied().unwrap_or_default();
            }
        }
        let mut n_named: FxHashMap<Name, u32> = FxHashMap::default();
        for name in self.repositories.keys().flat_map(|file| accessed_names(program, *file)) {
            *n_named.entry(name).or_default() += 1;
        }
        for (name, of_name) in &mut by_name {
            let of_providers: u32 = of_name.members[1..].iter().map(|members| members.n_accesses).sum();
            let n_known = of_providers + of_name.sites.len() as u32;
            of_name.n_elsewhere = n_named.get(name).map_or(0, |n_named| n_named.saturating_sub(n_known));
        }
        (with_texts(program, by_name), self.accesses.len() > MAX_UNRESOLVED)
    }
}

fn with_texts<T>(program: &Program<'_>, by_name: BTreeMap<Name, T>) -> BTreeMap<String, T> {
    by_name.into_iter().map(|(name, of_name)| (program.text(name).to_owned(), of_name)).collect()
}

/// Returns false for a field of a language in which `value.field()` calls methods only.
fn may_be_called(program: &Program<'_>, symbol: SymbolIdx) -> bool {
    let is_field = matches!(program.definition(symbol).kind, SymbolKind::Field | SymbolKind::Property);
    !is_field || !matches!(Family::of(program.language(program.file_of(symbol))), Family::Java | Family::Rust)
}

/// Returns the indices of some symbols among definitions; `None` if there are no symbols.
fn candidates(
    program: &Program<'_>,
    layout: &JointLayout<'_>,
    symbols: &[SymbolIdx],
    definitions: &[NamedDefinition],
) -> Option<Vec<u32>> {
    let places: BTreeSet<(u32, u32)> = symbols.iter().map(|symbol| place(program, layout, *symbol)).collect();
    let is_candidate = |(_, one): &(u32, &NamedDefinition)| places.contains(&(one.repository, one.node));
    (!places.is_empty()).then(|| (0..).zip(definitions).filter(is_candidate).map(|(idx, _)| idx).collect())
}

/// Returns the name by which a definition is called: that of its type for a constructor.
fn called_name(program: &Program<'_>, symbol: SymbolIdx) -> Name {
    let is_constructor = program.definition(symbol).kind == SymbolKind::Constructor;
    program.name_of(program.parent(symbol).filter(|_| is_constructor).unwrap_or(symbol))
}

fn definition(program: &Program<'_>, layout: &JointLayout<'_>, symbol: SymbolIdx) -> NamedDefinition {
    let owner = owner_of(program, symbol);
    let kind = program.definition(symbol).kind;
    let (repository, node) = place(program, layout, symbol);
    NamedDefinition {
        repository,
        node,
        path: layout.file_of(program, Node::Symbol(symbol)).facts.path.clone(),
        definition: program.definition_id(symbol).0,
        parameters: taken_arguments(program, symbol),
        is_member: owner.is_some() && kind != SymbolKind::Constructor,
    }
}

/// Returns the arguments that a definition takes. A class without constructor, and a variable, take any.
fn taken_arguments(program: &Program<'_>, symbol: SymbolIdx) -> TakenArguments {
    let kind = program.definition(symbol).kind;
    if !matches!(kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor) {
        return TakenArguments { n_required: 0, n_positional: None, keywords: None, plain: Vec::new() };
    }
    let (shape, file) = (program.shape(symbol), program.file_of(symbol));
    let name = |parameter: &Parameter| program.text(program.name(file, parameter.name));
    let required = shape.parameters.iter().filter(|parameter| !parameter.is_optional && !parameter.is_variadic);
    let first_variadic = shape.parameters.iter().position(|parameter| parameter.is_variadic);
    let is_separator = first_variadic.is_some_and(|place| name(&shape.parameters[place]) == "*");
    let n_positional = match first_variadic {
        Some(place) if is_separator => Some(place),
        Some(_) => None,
        None => Some(shape.parameters.len()),
    };
    // The last variadic parameter takes keywords in the languages that have keyword arguments.
    let is_open = shape.parameters.last().is_some_and(|last| last.is_variadic && name(last) != "*");
    let keywords = shape.parameters.iter().map(|parameter| name(parameter).to_owned());
    TakenArguments {
        n_required: required.count() as u32,
        n_positional: n_positional.map(|n_positional| n_positional as u32),
        keywords: (!is_open).then(|| keywords.collect()),
        plain: (0..)
            .zip(&shape.parameters)
            .filter(|(_, one)| is_plain(program, file, one))
            .map(|(place, _)| place)
            .collect(),
    }
}

/// Returns true if a parameter has the type of a number, a text or a truth value in its language.
fn is_plain(program: &Program<'_>, file: FileIdx, parameter: &Parameter) -> bool {
    let code = program.code(file);
    let declared = parameter.declared.and_then(|declared| code.types.get(declared.index()));
    let Some(TypeExpression::Named { path, .. }) = declared else { return false };
    let &[name] = &**path else { return false };
    PLAIN_TYPES.contains(&code.name(name))
}

/// Returns the repository and the node of a definition.
fn place(program: &Program<'_>, layout: &JointLayout<'_>, symbol: SymbolIdx) -> (u32, u32) {
    (layout.repository_of(program.file_of(symbol)), layout.node(program, Node::Symbol(symbol)))
}
