//! What a file offers to others, as a hash: while it stays the same, nobody who looked into the file need look again.

use model::{
    Code, FileFacts,
    code::{NameId, Shape, TypeExpression, TypeId},
};
use serde::Serialize;

use crate::dialect::Family;

/// A hash over all of a file that the resolution of another can depend on.
pub type InterfaceHash = [u8; 16];

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
    short.copy_from_slice(&hash.0.finalize().as_bytes()[..16]);
    short
}

/// Says whether the value of a definition is told by more than what is declared of it.
fn infers_from_bodies(facts: &FileFacts) -> bool {
    let inferring = matches!(Family::of(facts.language), Family::Ecmascript | Family::Python);
    let code = &facts.code;
    inferring || !code.fields.is_empty() || code.shapes.iter().any(|shape| shape.declared.is_none() && is_value(shape))
}

fn is_value(shape: &Shape) -> bool {
    shape.body.is_none() && !shape.values.is_empty()
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
            // A type that is told by a value: where the value stands is as near as can be had.
            TypeExpression::Of(expression) => self.add(expression),
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

    #[test]
    fn bodies_matter_where_results_are_inferred() {
        check("a.py", "def f():\n    return A()", "def f():\n    return B()", false);
    }
}
