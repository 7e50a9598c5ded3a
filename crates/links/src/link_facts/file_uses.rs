//! The uses in a file, apart from its definitions. Only the uses of an importer are resolved, so that a provider is read without them.

use graph::Family;
use model::{Code, Definition, FileFacts, Reference, ReferenceKind};
use serde::{Deserialize, Serialize};

/// The uses in one file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StoredUses {
    references: Vec<Reference>,
    /// Call sites and accesses; the rest of it is empty.
    code: Code,
}

impl StoredUses {
    /// Adds the uses to the facts that [`split`] took them from.
    pub(super) fn add_to(self, facts: &mut FileFacts) {
        facts.references = self.references;
        facts.code.accesses = self.code.accesses;
        if !has_sites_in_values(facts) {
            facts.code.sites = self.code.sites;
        }
    }
}

/// Splits the facts of a file into its definitions and its uses, without documentation, and without the references that inference reads
/// elsewhere.
pub(super) fn split(facts: &FileFacts) -> (FileFacts, StoredUses) {
    let code = &facts.code;
    let sites = code.sites.clone();
    let (of_definitions, of_uses) = if has_sites_in_values(facts) { (sites, Vec::new()) } else { (Vec::new(), sites) };
    let definitions = FileFacts {
        language: facts.language,
        n_lines: facts.n_lines,
        doc: String::new(),
        definitions: facts.definitions.iter().map(|definition| without_texts(facts, definition)).collect(),
        references: Vec::new(),
        imports: facts.imports.clone(),
        chunks: Vec::new(),
        diagnostics: Vec::new(),
        code: Code {
            package: code.package.clone(),
            condition: code.condition.clone(),
            names: code.names.clone(),
            scopes: code.scopes.clone(),
            bindings: code.bindings.clone(),
            expressions: code.expressions.clone(),
            types: code.types.clone(),
            shapes: code.shapes.clone(),
            sites: of_definitions,
            accesses: Vec::new(),
            extensions: code.extensions.clone(),
            anonymous: code.anonymous.clone(),
            fields: code.fields.clone(),
            decorations: code.decorations.clone(),
            exports: code.exports.clone(),
            interpolations: Vec::new(),
        },
        documents: Vec::new(),
    };
    let uses = StoredUses {
        references: facts.references.iter().filter(|one| one.kind != ReferenceKind::Call).cloned().collect(),
        code: Code { sites: of_uses, accesses: code.accesses.clone(), ..Code::default() },
    };
    (definitions, uses)
}

/// Returns true if values of definitions are inferred from call sites: Rust finds the elements of a collection by what is added to it.
fn has_sites_in_values(facts: &FileFacts) -> bool {
    Family::of(facts.language) == Family::Rust
}

/// Returns a definition without the texts that inference does not read. Macros and specialisations of C are known by their signature.
fn without_texts(facts: &FileFacts, definition: &Definition) -> Definition {
    let has_signature = Family::of(facts.language) == Family::C;
    Definition {
        kind: definition.kind,
        name: definition.name.clone(),
        container: definition.container.clone(),
        parent: definition.parent,
        signature: if has_signature { definition.signature.clone() } else { String::new() },
        doc: String::new(),
        lines: definition.lines,
        name_line: definition.name_line,
        bytes: definition.bytes,
    }
}

#[cfg(test)]
mod tests {
    use model::Language;

    use super::*;

    #[test]
    fn definitions_and_uses_are_the_facts_without_texts() {
        for (path, text) in [
            ("a.ts", "/** Doc. */\nexport class A extends B { m(c: C) { c.d(); return this.e; } }\n"),
            ("a.rs", "fn f() { let mut all = Vec::new(); all.push(g()); }\n"),
            ("a.c", "#define F(a) g(a)\nint f(void) { return F(1); }\n"),
        ] {
            let facts = syntax::extract(Language::of_path(path), text.as_bytes());
            let (mut definitions, uses) = split(&facts);
            assert!(definitions.references.is_empty() && definitions.code.accesses.is_empty(), "{path}");
            assert_eq!(definitions.code.sites.is_empty(), path != "a.rs", "{path}");
            uses.add_to(&mut definitions);
            assert_eq!(definitions.code, Code { interpolations: Vec::new(), ..facts.code.clone() }, "{path}");
            let n_uses = facts.references.iter().filter(|one| one.kind != ReferenceKind::Call).count();
            assert_eq!(
                (definitions.references.len(), definitions.definitions.len()),
                (n_uses, facts.definitions.len())
            );
            let has_signature = definitions.definitions.iter().any(|one| !one.signature.is_empty());
            assert_eq!(has_signature, path == "a.c", "{path}");
        }
    }
}
