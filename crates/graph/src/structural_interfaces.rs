//! Structural interfaces of Go: a type implements an interface by its methods, without naming it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use model::{
    SymbolKind,
    code::{BaseKind, Flags, TypeExpression, TypeId},
};

use crate::{
    family::Family,
    infer::is_function,
    inheritance::Inheritance,
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
};

/// Maximum number of implementations of an interface. An interface with more (`String() string`) is a convention of the
/// language rather than a contract of the repository.
const MAX_IMPLEMENTATIONS: usize = 500;

/// Maximum number of types that are compared with an interface. More types share only a convention of the language.
const MAX_COMPARED: usize = 4_000;

/// Maximum number of embedded types that are searched for methods.
const MAX_EMBEDDED: usize = 64;

/// Maximum depth of type comparison. Deeper parts count as equal.
const MAX_TYPE_DEPTH: u32 = 6;

/// Returns each Go type with each interface whose methods it has. `bases` are the types with their bases, and `is_compared` tells
/// which types and interfaces are compared.
pub fn structural_implementations(
    program: &Program<'_>,
    bases: &Inheritance,
    is_compared: impl Fn(SymbolIdx) -> bool,
) -> Vec<(SymbolIdx, SymbolIdx)> {
    let symbols: Vec<SymbolIdx> = program
        .file_indices()
        .filter(|file| Family::of(program.language(*file)) == Family::Go)
        .flat_map(|file| program.symbols_of(file))
        .collect();
    let sets = MethodSets::new(program, bases, &symbols);
    let kind = |symbol: &SymbolIdx| program.definition(*symbol).kind;
    let is_interface = |symbol: &SymbolIdx| kind(symbol) == SymbolKind::Interface;
    let mut by_method: BTreeMap<Name, Vec<SymbolIdx>> = BTreeMap::new();
    let mut methods_of: BTreeMap<SymbolIdx, BTreeMap<Name, SymbolIdx>> = BTreeMap::new();
    for of in symbols.iter().filter(|of| kind(of).is_type() && !is_interface(of) && is_compared(**of)) {
        let methods = sets.of_type(*of);
        methods.keys().for_each(|name| by_method.entry(*name).or_default().push(*of));
        methods_of.insert(*of, methods);
    }
    let mut found = Vec::new();
    for interface in symbols.iter().filter(|of| is_interface(of) && is_compared(**of)) {
        let Some(required) = sets.of_interface(*interface) else { continue };
        let having = |name: &Name| by_method.get(name).map_or(&[][..], Vec::as_slice);
        let Some(fewest) = required.keys().map(having).min_by_key(|types| types.len()) else { continue };
        if fewest.len() > MAX_COMPARED {
            continue;
        }
        let implements = |of: &&SymbolIdx| {
            let own = &methods_of[*of];
            required
                .iter()
                .all(|(name, method)| own.get(name).is_some_and(|own| is_same_method(program, *own, *method)))
        };
        let implementing: Vec<&SymbolIdx> = fewest.iter().filter(implements).take(MAX_IMPLEMENTATIONS + 1).collect();
        if implementing.len() <= MAX_IMPLEMENTATIONS {
            found.extend(implementing.into_iter().map(|of| (*of, *interface)));
        }
    }
    found
}

/// The method sets of types and interfaces.
struct MethodSets<'p> {
    program: &'p Program<'p>,
    methods: BTreeMap<SymbolIdx, Vec<SymbolIdx>>,
    bases: &'p Inheritance,
}

impl<'p> MethodSets<'p> {
    fn new(program: &'p Program<'p>, bases: &'p Inheritance, symbols: &[SymbolIdx]) -> MethodSets<'p> {
        let mut methods: BTreeMap<SymbolIdx, Vec<SymbolIdx>> = BTreeMap::new();
        for symbol in symbols.iter().filter(|symbol| is_function(program.definition(**symbol).kind)) {
            if let Some(owner) = program.parent(*symbol).filter(|owner| program.definition(*owner).kind.is_type()) {
                methods.entry(owner).or_default().push(*symbol);
            }
        }
        MethodSets { program, methods, bases }
    }

    /// Returns the methods of a type by name, including those of embedded types. The shallowest method of a name wins.
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
            open.extend(self.bases.bases_of(at).filter(|base| self.inherits_methods(at, *base)));
        }
        found
    }

    /// Returns the methods of an interface; `None` if it has none, or if one of its bases is unknown.
    fn of_interface(&self, of: SymbolIdx) -> Option<BTreeMap<Name, SymbolIdx>> {
        let mut seen = BTreeSet::new();
        let mut open = vec![of];
        while let Some(at) = open.pop() {
            if !seen.insert(at) {
                continue;
            }
            if self.bases.bases_of(at).count() < self.program.shape(at).bases.len() || seen.len() > MAX_EMBEDDED {
                return None;
            }
            open.extend(self.bases.bases_of(at));
        }
        let required = self.of_type(of);
        (!required.is_empty()).then_some(required)
    }

    /// Returns true if a type has the methods of its base: an embedded type or an interface. A defined type (`type A B`) has
    /// none of the methods of its underlying type.
    fn inherits_methods(&self, of: SymbolIdx, base: SymbolIdx) -> bool {
        let embeds = self.program.shape(of).bases.iter().any(|base| base.kind == BaseKind::Embed);
        embeds || self.program.definition(base).kind == SymbolKind::Interface
    }
}

/// Returns true if a method matches an interface method. Types are compared by their names, without their packages.
fn is_same_method(program: &Program<'_>, own: SymbolIdx, required: SymbolIdx) -> bool {
    if own == required {
        return true;
    }
    let (own_shape, required_shape) = (program.shape(own), program.shape(required));
    let files = (program.file_of(own), program.file_of(required));
    let is_private = required_shape.flags.has(Flags::PRIVATE);
    let is_one_package = || program.code(files.0).package == program.code(files.1).package;
    own_shape.parameters.len() == required_shape.parameters.len()
        && own_shape.parameters.iter().zip(&required_shape.parameters).all(|(own, required)| {
            own.is_variadic == required.is_variadic && is_same(program, files, own.declared, required.declared, 0)
        })
        && is_same(program, files, own_shape.declared, required_shape.declared, 0)
        && (!is_private || is_one_package())
}

fn is_same(
    program: &Program<'_>,
    files: (FileIdx, FileIdx),
    own: Option<TypeId>,
    required: Option<TypeId>,
    depth: u32,
) -> bool {
    let (own, required) = match (own, required) {
        (Some(own), Some(required)) if depth < MAX_TYPE_DEPTH => (own, required),
        (own, required) => return own.is_some() == required.is_some(),
    };
    let (own, required) = (program.code(files.0).written(own), program.code(files.1).written(required));
    if let (TypeExpression::Named { path: own, .. }, TypeExpression::Named { path: required, .. }) = (own, required) {
        let name = |file: FileIdx, path: &[model::code::NameId]| path.last().map(|name| program.name(file, *name));
        let is_builtin = |name: Option<Name>| name.is_some_and(|name| is_parameter_like(program.text(name)));
        let (own, required) = (name(files.0, own), name(files.1, required));
        return own == required || is_builtin(own) || is_builtin(required);
    }
    let is_empty = |of: &TypeExpression| matches!(of, TypeExpression::Unknown | TypeExpression::Object(_));
    if is_empty(own) || is_empty(required) {
        return true;
    }
    let (own_parts, required_parts) = (own.parts(), required.parts());
    own.variant_number() == required.variant_number()
        && own_parts.len() == required_parts.len()
        && own_parts
            .iter()
            .zip(&required_parts)
            .all(|(own, required)| is_same(program, files, Some(*own), Some(*required), depth + 1))
}

/// Returns true if a name may mean any type: a type parameter, or `any`, which is also `interface{}`.
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
    fn types_implement_interfaces_by_their_methods() {
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
    fn unexported_methods_match_within_one_package() {
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
    fn calls_of_interfaces_may_reach_implementations() {
        check(
            EdgeKind::Dispatch,
            "type I interface { M() }
type T struct{}
func (T) M() {}
type U struct { T }
func (U) M() {}
func F(i I) { i.M() }
func G(t T) { t.M() }",
            &["a.go::I.M -dispatch-> a.go::T.M", "a.go::I.M -dispatch-> a.go::U.M"],
        );
    }

    #[test]
    fn an_interface_with_too_many_implementations_has_no_edges() {
        let types: String = (0..510).map(|n| format!("type T{n} struct{{}}\nfunc (T{n}) M() {{}}\n")).collect();
        check(EdgeKind::Implements, &format!("type I interface {{ M() }}\n{types}"), &[]);
    }
}
