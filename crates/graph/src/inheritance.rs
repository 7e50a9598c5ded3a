//! Inheritance between the types of a program: the methods that a call of another method may run.

use std::collections::{BTreeMap, BTreeSet};

use model::{SymbolKind, code::Flags};

use crate::{
    codebase::Codebase,
    edge::{EdgeKind, Resolution},
    infer::is_function,
    program::{FileIdx, Node, Program, SymbolIdx},
    resolve::{Edge, references},
};

/// Maximum number of methods that override one. A method with more is a convention of the language.
const MAX_OVERRIDES: usize = 500;

/// Maximum depth of inheritance that is searched.
const MAX_DEPTH: usize = 8;

/// The types that inherit from each other.
#[derive(Debug, Default)]
pub struct Inheritance {
    /// By base: its direct subtypes, and the way in which each was found.
    subtypes: BTreeMap<SymbolIdx, Vec<(SymbolIdx, Resolution)>>,
    /// By type: its direct bases.
    bases: BTreeMap<SymbolIdx, BTreeSet<SymbolIdx>>,
}

/// A method that a call of another one may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct MethodOverride {
    /// The method that calls name.
    pub declaration: SymbolIdx,
    /// The method that overrides or implements it.
    pub method: SymbolIdx,
    /// The least certain way in which the inheritance between their types was found.
    pub resolution: Resolution,
}

impl Inheritance {
    /// Reads the inheritance between types from edges.
    pub fn of(edges: impl IntoIterator<Item = Edge>) -> Inheritance {
        let mut inheritance = Inheritance::default();
        for edge in edges {
            let is_inheritance = matches!(edge.kind, EdgeKind::Extends | EdgeKind::Implements);
            if let (true, Node::Symbol(from), Node::Symbol(to)) = (is_inheritance, edge.from, edge.to) {
                inheritance.add(from, to, edge.resolution);
            }
        }
        inheritance
    }

    /// Adds a type that inherits from a base.
    pub fn add(&mut self, of: SymbolIdx, base: SymbolIdx, resolution: Resolution) {
        if self.bases.entry(of).or_default().insert(base) {
            self.subtypes.entry(base).or_default().push((of, resolution));
        }
    }

    /// Returns the direct bases of a type.
    pub fn bases_of(&self, of: SymbolIdx) -> impl Iterator<Item = SymbolIdx> {
        self.bases.get(&of).into_iter().flatten().copied()
    }

    /// Returns every method of the types that have subtypes, with each method that overrides or implements it.
    pub fn overrides(&self, codebase: &Codebase<'_>) -> Vec<MethodOverride> {
        self.overrides_in(codebase, codebase.program().file_indices())
    }

    /// Returns the methods that some files declare in types that have subtypes, with each method that overrides or implements one.
    pub fn overrides_in(&self, codebase: &Codebase<'_>, files: impl Iterator<Item = FileIdx>) -> Vec<MethodOverride> {
        if self.subtypes.is_empty() {
            return Vec::new();
        }
        let program = codebase.program();
        let symbols = files.flat_map(|file| program.symbols_of(file));
        let owned = symbols.filter_map(|symbol| Some((program.parent(symbol)?, symbol)));
        let declared = owned.filter(|(owner, symbol)| {
            self.subtypes.contains_key(owner) && is_function(program.definition(*symbol).kind)
        });
        let mut found: Vec<MethodOverride> =
            declared.flat_map(|(owner, method)| self.overrides_of(codebase, owner, method)).collect();
        found.sort_unstable();
        found.dedup_by_key(|one| (one.declaration, one.method));
        found
    }

    /// Returns the overrides of a method in subtypes; none if the language calls the method statically.
    fn overrides_of(&self, codebase: &Codebase<'_>, owner: SymbolIdx, declaration: SymbolIdx) -> Vec<MethodOverride> {
        let program = codebase.program();
        let flags = program.shape(declaration).flags;
        let dialect = codebase.dialect(program.file_of(declaration));
        let is_static =
            flags.has(Flags::STATIC) || (!dialect.overrides_methods_with_bodies() && !flags.has(Flags::ABSTRACT));
        let has_other_function = |name| {
            let mut named = program.named(name).iter();
            named.any(|other| *other != declaration && is_function(program.definition(*other).kind))
        };
        if is_static
            || program.definition(declaration).kind == SymbolKind::Constructor
            || !has_other_function(program.name_of(declaration))
        {
            return Vec::new();
        }
        let mut found = Vec::new();
        let mut seen = BTreeSet::from([owner]);
        let mut level: Vec<(SymbolIdx, Resolution)> = vec![(owner, Resolution::Declared)];
        for _ in 0..MAX_DEPTH {
            let mut below: Vec<(SymbolIdx, Resolution)> = Vec::new();
            for (of, resolution) in level {
                for (subtype, own) in self.subtypes.get(&of).into_iter().flatten() {
                    if seen.insert(*subtype) {
                        below.push((*subtype, less_certain(resolution, *own)));
                    }
                }
            }
            for (subtype, resolution) in &below {
                let methods = self.implementations(program, *subtype, declaration, &seen);
                found.extend(methods.into_iter().map(|method| MethodOverride {
                    declaration,
                    method,
                    resolution: *resolution,
                }));
            }
            if below.is_empty() {
                break;
            }
            if found.len() > MAX_OVERRIDES {
                return Vec::new();
            }
            level = below;
        }
        found
    }

    /// Returns the methods that a type has for a declaration of one of its bases: its own, or one that it inherits from a base
    /// that does not inherit from the owner of the declaration (`seen` has those that do).
    fn implementations(
        &self,
        program: &Program<'_>,
        of: SymbolIdx,
        declaration: SymbolIdx,
        seen: &BTreeSet<SymbolIdx>,
    ) -> Vec<SymbolIdx> {
        let own = methods_like(program, of, declaration);
        if !own.is_empty() {
            return own;
        }
        let mut level: BTreeSet<SymbolIdx> = self.bases_of(of).collect();
        for _ in 0..MAX_DEPTH {
            level.retain(|base| !seen.contains(base));
            let inherited: Vec<SymbolIdx> = level
                .iter()
                .flat_map(|base| methods_like(program, *base, declaration))
                .filter(|method| !program.shape(*method).flags.has(Flags::ABSTRACT))
                .collect();
            if !inherited.is_empty() || level.is_empty() {
                return inherited;
            }
            level = level.iter().flat_map(|base| self.bases_of(*base)).collect();
        }
        Vec::new()
    }
}

/// Returns the methods of a type with the name and the number of parameters of another method.
fn methods_like(program: &Program<'_>, of: SymbolIdx, declaration: SymbolIdx) -> Vec<SymbolIdx> {
    let n_parameters = program.shape(declaration).parameters.len();
    let members = program.members(of, program.name_of(declaration)).iter().copied();
    members
        .filter(|member| {
            *member != declaration
                && is_function(program.definition(*member).kind)
                && program.shape(*member).parameters.len() == n_parameters
        })
        .collect()
}

fn less_certain(a: Resolution, b: Resolution) -> Resolution {
    if a.confidence() <= b.confidence() { a } else { b }
}

/// Returns an edge from each type of a file to each of its bases in the program, and the files that these edges depend on.
pub fn bases(codebase: &Codebase<'_>, file: FileIdx) -> (Vec<Edge>, Vec<FileIdx>) {
    let (mut cx, mut edges) = (codebase.inference(), Vec::new());
    references::bases(&mut cx, file, &mut edges);
    (edges, cx.consulted())
}
