//! What a file offers to others, as a hash: while it stays the same, nobody who looked into the file need look again.

use model::{
    Code, FileFacts, Import,
    code::{NameId, Shape, TypeExpression, TypeId},
};
use serde::Serialize;

use crate::dialect::Family;

/// A hash over all of a file that the resolution of another can depend on. Its second half is of the passages alone: what
/// leads through the file to definitions of others, without anybody looking into it.
pub type InterfaceHash = [u8; 16];

/// Where the second half of a hash begins.
const PASSAGES: usize = 8;

/// How deep types in types are told apart.
const MAX_DEPTH: u32 = 12;

/// Returns the hash of what a file offers: definitions with their shapes, imports, members given from outside.
///
/// Where results are inferred from bodies, the bodies are a part of it.
pub fn interface_hash(facts: &FileFacts) -> InterfaceHash {
    let mut hash = Hash(blake3::Hasher::new());
    hash.add(&(facts.language, &facts.code.package, &facts.code.condition, &facts.imports.len()));
    for import in &facts.imports {
        hash.add(&(&import.module, &import.name, &import.alias, import.reexport));
    }
    for definition in &facts.definitions {
        hash.add(&(definition.kind, &definition.name, &definition.container, definition.parent));
    }
    if infers_from_bodies(facts) {
        let code = &facts.code;
        hash.add(&(&code.names, &code.scopes, &code.bindings, &code.expressions, &code.types));
        hash.add(&(&code.shapes, &code.extensions, &code.anonymous, &code.fields, &code.decorations, &code.exports));
    } else {
        hash.code(&facts.code);
    }
    let mut short = [0; 16];
    short[..PASSAGES].copy_from_slice(&hash.0.finalize().as_bytes()[..PASSAGES]);
    short[PASSAGES..].copy_from_slice(&passages(facts).finalize().as_bytes()[..PASSAGES]);
    short
}

/// Says whether the same ways lead through two versions of a file. If not, any file of its language may find something else.
pub(crate) fn has_same_passages(one: &InterfaceHash, other: &InterfaceHash) -> bool {
    one[PASSAGES..] == other[PASSAGES..]
}

/// Hashes where a file belongs, and what it makes of the definitions of others: the modules that it takes in and what it
/// passes on in Rust, what a header includes in C, which type it makes implement which trait.
fn passages(facts: &FileFacts) -> blake3::Hasher {
    let mut hash = Hash(blake3::Hasher::new());
    let code = &facts.code;
    hash.add(&(&code.package, &code.condition));
    let takes_in = |import: &Import| import.module == "self" || import.module.ends_with(".rs");
    let has_modules = facts.imports.iter().any(takes_in);
    let is_passage = |import: &&Import| match Family::of(facts.language) {
        // What lies below a module sees all that it imports.
        Family::Rust => has_modules || import.reexport,
        Family::C => true,
        _ => false,
    };
    for import in facts.imports.iter().filter(is_passage) {
        hash.add(&(&import.module, &import.name, &import.alias, import.reexport));
    }
    for extension in code.extensions.iter().filter(|extension| extension.implements.is_some()) {
        hash.written(code, extension.of, 0);
        hash.optional(code, extension.implements);
    }
    hash.0
}

/// Says whether the value or result of a definition is told by more than what is declared of it.
fn infers_from_bodies(facts: &FileFacts) -> bool {
    let inferring = matches!(Family::of(facts.language), Family::Ecmascript | Family::Python);
    let code = &facts.code;
    let is_inferred = |shape: &Shape| shape.declared.is_none() && !shape.values.is_empty();
    let is_of_value = |written: &TypeExpression| matches!(written, TypeExpression::Of(_));
    inferring || !code.fields.is_empty() || code.shapes.iter().any(is_inferred) || code.types.iter().any(is_of_value)
}

struct Hash(blake3::Hasher);

impl Hash {
    fn add(&mut self, part: &impl Serialize) {
        // Writing to memory fails for nothing that is plain data.
        let bytes = postcard::to_stdvec(part).unwrap_or_default();
        self.0.update(&(bytes.len() as u64).to_le_bytes()).update(&bytes);
    }

    fn name(&mut self, code: &Code, name: NameId) {
        self.add(&code.name(name));
    }

    fn code(&mut self, code: &Code) {
        for shape in &code.shapes {
            self.shape(code, shape);
        }
        for extension in &code.extensions {
            self.written(code, extension.of, 0);
            self.optional(code, extension.implements);
            self.add(&extension.members);
            for parameter in &extension.type_parameters {
                self.name(code, parameter.name);
                parameter.bounds.iter().for_each(|bound| self.written(code, *bound, 0));
            }
        }
    }

    fn shape(&mut self, code: &Code, shape: &Shape) {
        self.add(&(shape.flags, shape.parameters.len(), shape.type_parameters.len(), shape.bases.len()));
        for parameter in &shape.type_parameters {
            self.name(code, parameter.name);
            parameter.bounds.iter().for_each(|bound| self.written(code, *bound, 0));
            self.optional(code, parameter.default);
        }
        for parameter in &shape.parameters {
            self.add(&(parameter.is_optional, parameter.is_variadic));
            self.optional(code, parameter.declared);
        }
        for base in &shape.bases {
            self.add(&base.kind);
            self.written(code, base.base, 0);
        }
        self.optional(code, shape.declared);
        self.optional(code, shape.receiver);
    }

    fn optional(&mut self, code: &Code, written: Option<TypeId>) {
        match written {
            Some(written) => self.written(code, written, 0),
            None => self.add(&0u8),
        }
    }

    /// Hashes a type by what it says, not by where it stands in the arena, which moves with every body.
    fn written(&mut self, code: &Code, written: TypeId, depth: u32) {
        if depth > MAX_DEPTH {
            return;
        }
        let expression = code.written(written);
        self.add(&expression.variant_number());
        match expression {
            TypeExpression::Named { path, .. } => path.iter().for_each(|name| self.name(code, *name)),
            TypeExpression::Object(fields) => fields.iter().for_each(|(name, _)| self.name(code, *name)),
            TypeExpression::Member { name, .. } => self.name(code, *name),
            TypeExpression::Literal(literal) => self.add(literal),
            _ => {}
        }
        let parts = expression.parts();
        self.add(&parts.len());
        parts.into_iter().for_each(|part| self.written(code, part, depth + 1));
    }
}

#[cfg(test)]
mod tests {
    use model::Language;

    use super::*;

    #[track_caller]
    fn check(path: &str, before: &str, after: &str, is_same: bool) {
        let hash = |text: &str| interface_hash(&syntax::extract(Language::of_path(path), text.as_bytes()));
        assert_eq!(hash(before) == hash(after), is_same, "{before}\n{after}");
    }

    #[test]
    fn bodies_do_not_matter_where_results_are_declared() {
        check("a.go", "package a\nfunc f() int { return 1 }", "package a\nfunc f() int {\n\n return 2 + g(3) }", true);
        check("a.go", "package a\nfunc f() int { return 1 }", "package a\nfunc f() string { return 1 }", false);
        check("a.go", "package a\nfunc f() int { return 1 }", "package a\nfunc g() int { return 1 }", false);
        check("a.go", "//go:build js\npackage a", "//go:build !js\npackage a", false);
        check("a.rs", "fn f() -> A { x() }", "fn f() -> A { let b: B = y(); b }", true);
    }

    #[track_caller]
    fn check_passages(path: &str, before: &str, after: &str, is_same: bool) {
        let hash = |text: &str| interface_hash(&syntax::extract(Language::of_path(path), text.as_bytes()));
        assert_eq!(has_same_passages(&hash(before), &hash(after)), is_same, "{before}\n{after}");
    }

    #[test]
    fn what_leads_to_others_is_told_apart() {
        check_passages("a.rs", "mod a;", "", false);
        check_passages("a.rs", "pub use a::f;", "pub use b::f;", false);
        check_passages("a.rs", "use a::f;", "use b::f;", true);
        check_passages("a.rs", "mod c;\nuse a::f;", "mod c;\nuse b::f;", false);
        check_passages("a.rs", "struct A;\nimpl B for A {}", "struct A;\nimpl C for A {}", false);
        check_passages("a.rs", "struct A;", "struct A { b: u32 }\nfn f() {}", true);
        check_passages("A.java", "package a;", "package b;", false);
        check_passages("a.h", "#include \"b.h\"", "#include \"c.h\"", false);
        check_passages("a.py", "from a import b", "from a import c", true);
    }

    #[test]
    fn bodies_matter_where_results_are_inferred() {
        check("a.py", "def f():\n    return A()", "def f():\n    return B()", false);
        check("a.cpp", "auto f() { return A(); }", "auto f() { return B(); }", false);
        check("a.cpp", "decltype(a()) f();", "decltype(b()) f();", false);
    }
}
