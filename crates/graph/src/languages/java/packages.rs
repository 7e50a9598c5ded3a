//! Resolution of type names: type parameters, enclosing and member types, imports, the package.

use model::{
    SymbolKind,
    code::{DefinitionId, ExpressionId, ScopeId},
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{JavaDialect, lambda_contexts::LambdaContexts, standard_library, types::simple_type};
use crate::{
    infer::Inference,
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
    ty::Ty,
};

/// Maximum nesting depth of scopes.
pub(super) const MAX_SCOPES: usize = 400;

/// The types of a program by package, and the imports of its files.
#[derive(Default)]
pub(super) struct JavaPackages {
    numbers: FxHashMap<String, u32>,
    types: FxHashMap<(u32, Name), Vec<SymbolIdx>>,
    /// The names of all member and local types.
    inner_names: FxHashSet<Name>,
}

/// The package, imports and anonymous classes of a file.
#[derive(Default)]
pub(super) struct JavaFile {
    package: u32,
    /// Single-type imports by name.
    imports: FxHashMap<Name, Vec<u32>>,
    /// On-demand imports (`import a.*`).
    on_demand: Vec<u32>,
    /// Anonymous classes by the scope of their body.
    pub(super) anonymous: FxHashMap<ScopeId, u32>,
    pub(super) anonymous_made: FxHashMap<ExpressionId, u32>,
    /// Definitions in the bodies of anonymous classes.
    pub(super) anonymous_members: FxHashSet<DefinitionId>,
    pub(super) lambdas: LambdaContexts,
}

impl JavaPackages {
    /// Adds the types of a file.
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

    /// Returns a type of a package by the name of the package.
    fn in_package(&self, program: &Program<'_>, from: FileIdx, package: &str, name: Name) -> Option<SymbolIdx> {
        let number = self.numbers.get(package)?;
        self.nearest_type(program, from, *number, name)
    }

    /// Returns a type of a package. Among equal names of several modules prefers the longest shared path with `from`.
    fn nearest_type(&self, program: &Program<'_>, from: FileIdx, package: u32, name: Name) -> Option<SymbolIdx> {
        let types = self.types.get(&(package, name))?;
        let path = program.path(from);
        let in_common = |symbol: &SymbolIdx| {
            let other = program.path(program.file_of(*symbol));
            path.split('/').zip(other.split('/')).take_while(|(a, b)| a == b).count()
        };
        // `max_by_key` returns the last maximum: reversed, the first file wins.
        types.iter().rev().max_by_key(|symbol| in_common(symbol)).copied()
    }
}

impl JavaDialect {
    /// Resolves a type name in a scope to a `Class`, a standard library type, a type parameter, or `Unknown`. `base_of`
    /// is the type whose bases are being resolved; its own member types are not in scope.
    pub(super) fn resolve_type_name(
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
                let enclosing = program.symbol(file, definition);
                let parameters = &program.shape(enclosing).type_parameters;
                let position = parameters.iter().position(|parameter| program.name(file, parameter.name) == name);
                if let Some(index) = position {
                    return Ty::Parameter { of: enclosing, index: index as u32 };
                }
                if let Some(found) = self.type_in_scope(cx, enclosing, name, may_be_inner, base_of) {
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

    /// Returns a type that is in scope inside a definition: the definition itself, a member type or a local type.
    fn type_in_scope(
        &self,
        cx: &mut Inference<'_>,
        enclosing: SymbolIdx,
        name: Name,
        may_be_inner: bool,
        base_of: Option<SymbolIdx>,
    ) -> Option<SymbolIdx> {
        let program = cx.program;
        if !is_type(program, enclosing) {
            let local = if may_be_inner { program.members(enclosing, name) } else { &[] };
            return local.iter().find(|symbol| is_type(program, **symbol)).copied();
        }
        if program.name_of(enclosing) == name {
            return Some(enclosing);
        }
        if !may_be_inner || base_of == Some(enclosing) {
            return None;
        }
        self.member_type(cx, enclosing, name)
    }

    /// Returns a member type that a type declares or inherits.
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

    /// Returns the base of an anonymous class.
    pub(super) fn anonymous_base(&self, cx: &mut Inference<'_>, file: FileIdx, scope: ScopeId) -> Option<Ty> {
        let index = *self.file(file)?.anonymous.get(&scope)?;
        let anonymous = cx.program.code(file).anonymous.get(index as usize)?;
        Some(cx.written_type(file, anonymous.base))
    }

    /// Resolves a type name at the level of a file.
    pub(super) fn resolve_file_type(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty {
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
            match self.resolve_qualified(cx, file, &parts) {
                Ty::Unknown if starts_upper(&import.name) => return Ty::Foreign(name),
                Ty::Unknown => {}
                found => return found,
            }
        }
        if let Some(found) = self.packages.nearest_type(program, file, known.package, name) {
            return Ty::class(found);
        }
        for index in &known.on_demand {
            let module = imports[*index as usize].module.as_str();
            if let Some(found) = self.packages.in_package(program, file, module, name) {
                return Ty::class(found);
            }
            if let Some(found) = standard_library::find_in_package(module, program.text(name)) {
                return simple_type(found.name);
            }
            let parts: Vec<&str> = module.split('.').collect();
            if let Ty::Class(applied) = self.resolve_qualified(cx, file, &parts)
                && let Some(found) = self.member_type(cx, applied.of, name)
            {
                return Ty::class(found);
            }
        }
        standard_library::find_in_package("java.lang", program.text(name))
            .map_or(Ty::Unknown, |found| simple_type(found.name))
    }

    /// Resolves a fully qualified type name.
    pub(super) fn resolve_qualified(&self, cx: &mut Inference<'_>, file: FileIdx, parts: &[&str]) -> Ty {
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
        standard_library::find_in_package(&package.join("."), name).map_or(Ty::Unknown, |found| simple_type(found.name))
    }

    /// Returns the types whose static members a file imports under a name or on demand.
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
            match self.resolve_qualified(cx, file, &parts) {
                Ty::Unknown => {}
                found => types.push(found),
            }
        }
        types
    }
}

/// Returns true if a definition is a type, or an enum constant that may have a class body.
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
    fn types_resolve_in_the_file_by_imports_and_in_the_package() {
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
    fn the_own_module_wins_among_equal_types() {
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
