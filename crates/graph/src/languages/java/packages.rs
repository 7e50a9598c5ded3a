//! Which type a name means: type parameters, types around and within, imports, the package.

use model::{
    SymbolKind,
    code::{DefinitionId, ExpressionId, ScopeId},
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Java, lambdas::Lambdas, standard, types::plain};
use crate::{
    infer::Inference,
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
    ty::Ty,
};

/// How many scopes may lie in each other.
pub(super) const MAX_SCOPES: usize = 400;

/// The types of a program by package, and the imports of its files.
#[derive(Default)]
pub(super) struct Packages {
    numbers: FxHashMap<String, u32>,
    types: FxHashMap<(u32, Name), Vec<SymbolIdx>>,
    /// Names of types that stand in others.
    inner_names: FxHashSet<Name>,
}

/// What is known of a file before anything is asked.
#[derive(Default)]
pub(super) struct JavaFile {
    package: u32,
    /// By name: the imports of that name.
    imports: FxHashMap<Name, Vec<u32>>,
    /// The imports of everything.
    on_demand: Vec<u32>,
    /// By scope of the body, and by what makes it: the types without a name.
    pub(super) anonymous: FxHashMap<ScopeId, u32>,
    pub(super) anonymous_made: FxHashMap<ExpressionId, u32>,
    /// What stands in the bodies of types without a name.
    pub(super) anonymous_members: FxHashSet<DefinitionId>,
    pub(super) lambdas: Lambdas,
}

impl Packages {
    /// Takes in a file.
    pub(super) fn add(&mut self, program: &Program<'_>, file: FileIdx) -> JavaFile {
        let facts = program.facts(file);
        let n_packages = self.numbers.len() as u32;
        let package = *self.numbers.entry(facts.code.package.clone()).or_insert(n_packages);
        let mut known = JavaFile { package, ..JavaFile::default() };
        for symbol in program.symbols_of(file) {
            let definition = program.definition(symbol);
            if !definition.kind.is_type() {
                continue;
            }
            let name = program.name_of(symbol);
            match definition.parent {
                None => self.types.entry((package, name)).or_default().push(symbol),
                Some(_) => {
                    self.inner_names.insert(name);
                }
            }
        }
        for (index, import) in facts.imports.iter().enumerate() {
            if import.name == "*" {
                known.on_demand.push(index as u32);
            } else if let Some(name) = program.name_named(&import.name) {
                known.imports.entry(name).or_default().push(index as u32);
            }
        }
        for (index, anonymous) in facts.code.anonymous.iter().enumerate() {
            known.anonymous.insert(anonymous.scope, index as u32);
            known.anonymous_made.insert(anonymous.expression, index as u32);
            known.anonymous_members.extend(anonymous.members.iter().copied());
        }
        known
    }

    fn in_package(&self, program: &Program<'_>, from: FileIdx, package: &str, name: Name) -> Option<SymbolIdx> {
        let number = self.numbers.get(package)?;
        self.nearest(program, from, *number, name)
    }

    /// Returns the type of a package; of several in different modules the one whose path has most in common with `from`.
    fn nearest(&self, program: &Program<'_>, from: FileIdx, package: u32, name: Name) -> Option<SymbolIdx> {
        let types = self.types.get(&(package, name))?;
        let path = program.path(from);
        let in_common = |symbol: &SymbolIdx| {
            let other = program.path(program.file_of(*symbol));
            path.split('/').zip(other.split('/')).take_while(|(a, b)| a == b).count()
        };
        // The first of the best, so that the order of files decides.
        types.iter().rev().max_by_key(|symbol| in_common(symbol)).copied()
    }
}

impl Java {
    /// Returns the type that a name means at a place: a `Class`, a type of the standard library, a type parameter; nothing
    /// known where it means none. `base_of` is the type whose bases are asked for.
    pub(super) fn type_name(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        name: Name,
        scope: ScopeId,
        base_of: Option<SymbolIdx>,
    ) -> Ty {
        let program = cx.program;
        let code = program.code(file);
        let may_be_inner = self.packages.inner_names.contains(&name);
        let mut at = Some(scope);
        for _ in 0..MAX_SCOPES {
            let Some(scope_id) = at else { break };
            let Some(scope) = code.scopes.get(scope_id.index()) else { break };
            if let Some(definition) = scope.definition {
                let around = program.symbol(file, definition);
                let parameters = &program.shape(around).type_parameters;
                let position = parameters.iter().position(|parameter| program.name(file, parameter.name) == name);
                if let Some(index) = position {
                    return Ty::Parameter { of: around, index: index as u32 };
                }
                if let Some(found) = self.type_within(cx, around, name, may_be_inner, base_of) {
                    return Ty::class(found);
                }
            } else if may_be_inner && let Some(base) = self.anonymous_base(cx, file, scope_id) {
                let base = match base {
                    Ty::Object(applied) => self.member_type(cx, applied.of, name),
                    _ => None,
                };
                if let Some(found) = base {
                    return Ty::class(found);
                }
            }
            at = scope.parent;
        }
        cx.global_type(file, name)
    }

    /// Returns a type that is seen within a definition: itself, one of its own, one that is declared in its body.
    fn type_within(
        &self,
        cx: &mut Inference<'_>,
        around: SymbolIdx,
        name: Name,
        may_be_inner: bool,
        base_of: Option<SymbolIdx>,
    ) -> Option<SymbolIdx> {
        let program = cx.program;
        if !is_type(program, around) {
            let local = if may_be_inner { program.members(around, name) } else { &[] };
            return local.iter().find(|symbol| is_type(program, **symbol)).copied();
        }
        if program.name_of(around) == name {
            return Some(around);
        }
        if !may_be_inner || base_of == Some(around) {
            return None;
        }
        self.member_type(cx, around, name)
    }

    /// Returns a type that a type has within it, or takes from what it builds on.
    pub(super) fn member_type(&self, cx: &mut Inference<'_>, of: SymbolIdx, name: Name) -> Option<SymbolIdx> {
        let program = cx.program;
        if !self.packages.inner_names.contains(&name) {
            return None;
        }
        let own = |symbol: SymbolIdx| {
            self.own_members(program, symbol, name).find(|member| program.definition(*member).kind.is_type())
        };
        if let Some(found) = own(of) {
            return Some(found);
        }
        for ancestor in self.ancestry(cx, &Ty::object(of)) {
            if let Ty::Object(applied) = ancestor
                && let Some(found) = own(applied.of)
            {
                return Some(found);
            }
        }
        None
    }

    /// Returns what a type without a name builds on.
    pub(super) fn anonymous_base(&self, cx: &mut Inference<'_>, file: FileIdx, scope: ScopeId) -> Option<Ty> {
        let index = *self.file(file)?.anonymous.get(&scope)?;
        let anonymous = cx.program.code(file).anonymous.get(index as usize)?;
        Some(cx.written(file, anonymous.base))
    }

    /// Returns the type that a name means at the level of a file.
    pub(super) fn file_type(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty {
        let program = cx.program;
        let Some(known) = self.file(file) else { return Ty::Unknown };
        let own = program.top(file, name).iter().find(|symbol| is_type(program, **symbol));
        if let Some(own) = own {
            return Ty::class(*own);
        }
        let imports = &program.facts(file).imports;
        for index in known.imports.get(&name).into_iter().flatten() {
            let import = &imports[*index as usize];
            let parts: Vec<&str> = import.module.split('.').chain([import.name.as_str()]).collect();
            match self.qualified(cx, file, &parts) {
                Ty::Unknown if starts_upper(&import.name) => return Ty::Foreign(name),
                Ty::Unknown => {}
                found => return found,
            }
        }
        if let Some(found) = self.packages.nearest(program, file, known.package, name) {
            return Ty::class(found);
        }
        for index in &known.on_demand {
            let module = imports[*index as usize].module.as_str();
            if let Some(found) = self.packages.in_package(program, file, module, name) {
                return Ty::class(found);
            }
            if let Some(found) = standard::in_package(module, program.text(name)) {
                return plain(found.name);
            }
            let parts: Vec<&str> = module.split('.').collect();
            if let Ty::Class(applied) = self.qualified(cx, file, &parts)
                && let Some(found) = self.member_type(cx, applied.of, name)
            {
                return Ty::class(found);
            }
        }
        standard::in_package("java.lang", program.text(name)).map_or(Ty::Unknown, |found| plain(found.name))
    }

    /// Returns the type of a name with its package, and what is within it.
    pub(super) fn qualified(&self, cx: &mut Inference<'_>, file: FileIdx, parts: &[&str]) -> Ty {
        let program = cx.program;
        for n_package in 0..parts.len() {
            let package = parts[..n_package].join(".");
            let Some(name) = program.name_named(parts[n_package]) else { continue };
            if let Some(found) = self.packages.in_package(program, file, &package, name) {
                let mut at = found;
                for inner in &parts[n_package + 1..] {
                    let inner = program.name_named(inner).and_then(|inner| self.member_type(cx, at, inner));
                    let Some(inner) = inner else { return Ty::Unknown };
                    at = inner;
                }
                return Ty::class(at);
            }
        }
        let Some((name, package)) = parts.split_last() else { return Ty::Unknown };
        standard::in_package(&package.join("."), name).map_or(Ty::Unknown, |found| plain(found.name))
    }

    /// Returns the types whose static members a file takes by name, or all of them.
    pub(super) fn static_imports(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Vec<Ty> {
        let program = cx.program;
        let Some(known) = self.file(file) else { return Vec::new() };
        let imports = &program.facts(file).imports;
        let mut types = Vec::new();
        for index in known.imports.get(&name).into_iter().flatten().chain(&known.on_demand) {
            let parts: Vec<&str> = imports[*index as usize].module.split('.').collect();
            if !parts.last().is_some_and(|last| starts_upper(last)) {
                continue;
            }
            match self.qualified(cx, file, &parts) {
                Ty::Unknown => {}
                found => types.push(found),
            }
        }
        types
    }
}

/// Says whether a definition is a type, or a constant that may have a body as a type has.
pub(super) fn is_type(program: &Program<'_>, symbol: SymbolIdx) -> bool {
    let kind = program.definition(symbol).kind;
    kind.is_type() && kind != SymbolKind::TypeAlias
}

fn starts_upper(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use crate::testing::check_calls;

    #[test]
    fn types_are_found_in_the_file_by_imports_and_in_the_package() {
        check_calls(
            "//- /src/a/A.java
package a;
public class A { public static void f() {} public static class In { public void g() {} } }
//- /src/a/B.java
package a;
class B { void m() { A.f(); } }
//- /src/b/C.java
package b;
import a.A;
import a.A.In;
class C { void m(In in) { A.f(); in.g(); } }
//- /src/b/D.java
package b;
import a.*;
class D { void m() { A.f(); new A.In().g(); } }
//- /src/b/E.java
package b;
import static a.A.f;
class E { void m() { f(); a.A.f(); } }
//- /src/b/F.java
package b;
class F { void m() { A.f(); } }
",
            &[
                "src/a/B.java::B.m -calls-> src/a/A.java::A.f",
                "src/b/C.java::C.m -calls-> src/a/A.java::A.f",
                "src/b/C.java::C.m -calls-> src/a/A.java::A.In.g",
                "src/b/D.java::D.m -calls-> src/a/A.java::A.In",
                "src/b/D.java::D.m -calls-> src/a/A.java::A.In.g",
                "src/b/D.java::D.m -calls-> src/a/A.java::A.f",
                "src/b/E.java::E.m -calls-> src/a/A.java::A.f",
            ],
        );
    }

    #[test]
    fn of_two_modules_with_the_same_type_the_own_one_is_meant() {
        check_calls(
            "//- /one/src/a/A.java
package a;
class A { static void f() {} }
//- /two/src/a/A.java
package a;
class A { static void f() {} }
//- /two/src/a/B.java
package a;
class B { void m() { A.f(); } }
",
            &["two/src/a/B.java::B.m -calls-> two/src/a/A.java::A.f"],
        );
    }
}
