//! Interfaces that types satisfy without saying so, as in Go: by having the methods that an interface asks for.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use model::{
    SymbolKind,
    code::{BaseKind, Flags, TypeExpression, TypeId},
};

use super::{NodeEdge, NodeIdx, Numbers};
use crate::{
    dialect::Family,
    edge::{EdgeKind, Resolution},
    infer::is_function,
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
};

/// The most types that an interface is linked with. What more types satisfy (`String() string`) is a custom of the
/// language rather than a contract of the repository.
const MAX_SATISFYING: usize = 500;

/// The most types that are compared with an interface; so many share none but a custom of the language.
const MAX_COMPARED: usize = 4_000;

/// The most types through which a type takes in methods.
const MAX_EMBEDDED: usize = 64;

/// How deep types are compared; what lies deeper is taken to be equal.
const MAX_TYPE_DEPTH: u32 = 6;

/// Returns an edge from each type of Go to each interface whose methods it has.
pub(super) fn satisfied(program: &Program<'_>, numbers: &Numbers, edges: &[NodeEdge]) -> Vec<NodeEdge> {
    let symbols: Vec<SymbolIdx> = program
        .file_indices()
        .filter(|file| Family::of(program.language(*file)) == Family::Go)
        .flat_map(|file| program.symbols_of(file))
        .collect();
    let sets = MethodSets::new(program, numbers, edges, &symbols);
    let kind = |symbol: &SymbolIdx| program.definition(*symbol).kind;
    let is_interface = |symbol: &SymbolIdx| kind(symbol) == SymbolKind::Interface;
    let mut by_method: BTreeMap<Name, Vec<SymbolIdx>> = BTreeMap::new();
    let mut methods_of: BTreeMap<SymbolIdx, BTreeMap<Name, SymbolIdx>> = BTreeMap::new();
    for of in symbols.iter().filter(|of| kind(of).is_type() && !is_interface(of)) {
        let methods = sets.of_type(*of);
        methods.keys().for_each(|name| by_method.entry(*name).or_default().push(*of));
        methods_of.insert(*of, methods);
    }
    let mut found = Vec::new();
    for interface in symbols.iter().filter(|of| is_interface(of)) {
        let Some(asked) = sets.of_interface(*interface) else { continue };
        let having = |name: &Name| by_method.get(name).map_or(&[][..], Vec::as_slice);
        let Some(fewest) = asked.keys().map(having).min_by_key(|types| types.len()) else { continue };
        if fewest.len() > MAX_COMPARED {
            continue;
        }
        let satisfies = |of: &&SymbolIdx| {
            let own = &methods_of[*of];
            asked.iter().all(|(name, method)| own.get(name).is_some_and(|own| is_same_method(program, *own, *method)))
        };
        let satisfying: Vec<&SymbolIdx> = fewest.iter().filter(satisfies).take(MAX_SATISFYING + 1).collect();
        if satisfying.len() > MAX_SATISFYING {
            continue;
        }
        found.extend(satisfying.into_iter().map(|of| NodeEdge {
            from: NodeIdx(of.0),
            to: NodeIdx(interface.0),
            kind: EdgeKind::Implements,
            resolution: Resolution::Structural,
            line: program.definition(*of).name_line,
            n_sites: 1,
            is_derived: true,
        }));
    }
    found
}

/// What types have and interfaces ask for.
struct MethodSets<'p> {
    program: &'p Program<'p>,
    methods: BTreeMap<SymbolIdx, Vec<SymbolIdx>>,
    /// By type: those that it builds on.
    bases: BTreeMap<SymbolIdx, BTreeSet<SymbolIdx>>,
}

impl<'p> MethodSets<'p> {
    fn new(program: &'p Program<'p>, numbers: &Numbers, edges: &[NodeEdge], symbols: &[SymbolIdx]) -> MethodSets<'p> {
        let mut methods: BTreeMap<SymbolIdx, Vec<SymbolIdx>> = BTreeMap::new();
        for symbol in symbols.iter().filter(|symbol| is_function(program.definition(**symbol).kind)) {
            if let Some(owner) = program.parent(*symbol).filter(|owner| program.definition(*owner).kind.is_type()) {
                methods.entry(owner).or_default().push(*symbol);
            }
        }
        let mut bases: BTreeMap<SymbolIdx, BTreeSet<SymbolIdx>> = BTreeMap::new();
        for edge in edges.iter().filter(|edge| edge.kind == EdgeKind::Extends && !edge.is_derived) {
            if let (Some(from), Some(to)) = (numbers.symbol(edge.from), numbers.symbol(edge.to)) {
                bases.entry(from).or_default().insert(to);
            }
        }
        MethodSets { program, methods, bases }
    }

    /// Returns the methods of a type by name, those of embedded types included; the shallowest of a name.
    fn of_type(&self, of: SymbolIdx) -> BTreeMap<Name, SymbolIdx> {
        let mut found = BTreeMap::new();
        let mut seen = BTreeSet::new();
        let mut open = VecDeque::from([of]);
        while let Some(at) = open.pop_front() {
            if !seen.insert(at) || seen.len() > MAX_EMBEDDED {
                continue;
            }
            for method in self.methods.get(&at).into_iter().flatten() {
                found.entry(self.program.name_of(*method)).or_insert(*method);
            }
            open.extend(self.bases.get(&at).into_iter().flatten().filter(|base| self.passes_on(at, **base)));
        }
        found
    }

    /// Returns what an interface asks for; nothing if it asks for nothing, or for something that is not known.
    fn of_interface(&self, of: SymbolIdx) -> Option<BTreeMap<Name, SymbolIdx>> {
        let mut seen = BTreeSet::new();
        let mut open = vec![of];
        while let Some(at) = open.pop() {
            if !seen.insert(at) {
                continue;
            }
            let bases = self.bases.get(&at).map_or(0, BTreeSet::len);
            if bases < self.program.shape(at).bases.len() || seen.len() > MAX_EMBEDDED {
                return None;
            }
            open.extend(self.bases.get(&at).into_iter().flatten());
        }
        let asked = self.of_type(of);
        (!asked.is_empty()).then_some(asked)
    }

    /// Says whether a type has the methods of another that it builds on: one that it embeds, or an interface. A new type
    /// that is made of another has none of its methods.
    fn passes_on(&self, of: SymbolIdx, base: SymbolIdx) -> bool {
        let embeds = self.program.shape(of).bases.iter().any(|base| base.kind == BaseKind::Embed);
        embeds || self.program.definition(base).kind == SymbolKind::Interface
    }
}

/// Says whether a method is what another asks for: types are compared by their names, without their packages.
fn is_same_method(program: &Program<'_>, own: SymbolIdx, asked: SymbolIdx) -> bool {
    if own == asked {
        return true;
    }
    let (own_shape, asked_shape) = (program.shape(own), program.shape(asked));
    let files = (program.file_of(own), program.file_of(asked));
    let is_private = asked_shape.flags.has(Flags::PRIVATE);
    let is_one_package = || program.code(files.0).package == program.code(files.1).package;
    own_shape.parameters.len() == asked_shape.parameters.len()
        && own_shape.parameters.iter().zip(&asked_shape.parameters).all(|(own, asked)| {
            own.is_variadic == asked.is_variadic && is_same(program, files, own.declared, asked.declared, 0)
        })
        && is_same(program, files, own_shape.declared, asked_shape.declared, 0)
        && (!is_private || is_one_package())
}

fn is_same(
    program: &Program<'_>,
    files: (FileIdx, FileIdx),
    own: Option<TypeId>,
    asked: Option<TypeId>,
    depth: u32,
) -> bool {
    let (own, asked) = match (own, asked) {
        (Some(own), Some(asked)) if depth < MAX_TYPE_DEPTH => (own, asked),
        (own, asked) => return own.is_some() == asked.is_some(),
    };
    let (own, asked) = (program.code(files.0).written(own), program.code(files.1).written(asked));
    if let (TypeExpression::Named { path: own, .. }, TypeExpression::Named { path: asked, .. }) = (own, asked) {
        let name = |file: FileIdx, path: &[model::code::NameId]| path.last().map(|name| program.name(file, *name));
        let is_builtin = |name: Option<Name>| name.is_some_and(|name| is_parameter_like(program.text(name)));
        let (own, asked) = (name(files.0, own), name(files.1, asked));
        return own == asked || is_builtin(own) || is_builtin(asked);
    }
    let is_empty = |of: &TypeExpression| matches!(of, TypeExpression::Unknown | TypeExpression::Object(_));
    if is_empty(own) || is_empty(asked) {
        return true;
    }
    let (own_parts, asked_parts) = (own.parts(), asked.parts());
    own.variant_number() == asked.variant_number()
        && own_parts.len() == asked_parts.len()
        && own_parts
            .iter()
            .zip(&asked_parts)
            .all(|(own, asked)| is_same(program, files, Some(*own), Some(*asked), depth + 1))
}

/// Says whether a name may stand for any type: a parameter of a generic type, or `any`, which is also `interface{}`.
fn is_parameter_like(name: &str) -> bool {
    name == "any" || (name.len() == 1 && name.bytes().all(|byte| byte.is_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use crate::{EdgeKind, testing::derived_edges};

    #[track_caller]
    fn check(kind: EdgeKind, source: &str, expected: &[&str]) {
        let found = derived_edges(&format!("//- /go.mod\nmodule m\n//- /a.go\npackage a\n{source}"), kind);
        assert_eq!(found, expected, "{source}");
    }

    #[test]
    fn types_satisfy_interfaces_by_their_methods() {
        check(
            EdgeKind::Implements,
            "type Reader interface { Read(p []byte) (int, error) }
type Both interface { Reader; Close() error }
type Limited interface { ~int | ~string; Close() error }
type Unknown interface { io.Seeker; Close() error }
type Empty interface{}
type file struct{}
func (*file) Read(b []byte) (n int, err error) { return }
type closing struct { *file }
func (c closing) Close() error { return nil }
type other struct{}
func (other) Read(p string) (int, error) { return 0, nil }
func (other) Close() {}
type made closing",
            &[
                "a.go::closing -implements-> a.go::Both",
                "a.go::closing -implements-> a.go::Reader",
                "a.go::file -implements-> a.go::Reader",
            ],
        );
    }

    #[test]
    fn names_in_small_letters_are_of_one_package() {
        let fixture = "//- /a/a.go
package a
type Sealed interface { seal(any) }
type T struct{}
func (T) seal(x interface{}) {}
//- /b/b.go
package b
type U struct{}
func (U) seal(x any) {}
";
        assert_eq!(derived_edges(fixture, EdgeKind::Implements), ["a/a.go::T -implements-> a/a.go::Sealed"]);
    }

    #[test]
    fn calls_of_interfaces_may_reach_those_who_satisfy_them() {
        check(
            EdgeKind::Calls,
            "type I interface { M() }
type T struct{}
func (T) M() {}
type U struct { T }
func (U) M() {}
func F(i I) { i.M() }
func G(t T) { t.M() }",
            &["a.go::F -calls-> a.go::T.M (dispatch)", "a.go::F -calls-> a.go::U.M (dispatch)"],
        );
    }

    #[test]
    fn what_everything_satisfies_is_no_contract() {
        let types: String = (0..510).map(|n| format!("type T{n} struct{{}}\nfunc (T{n}) M() {{}}\n")).collect();
        check(EdgeKind::Implements, &format!("type I interface {{ M() }}\n{types}"), &[]);
    }
}
