//! The interface of a file as a hash. While it stays the same, no file that consulted this one is resolved again.

use model::{
    Code, Definition, DocumentEntry, FileFacts, Import, Language, SettingsDocument,
    code::{NameId, Shape, TypeExpression, TypeId},
};
use serde::Serialize;

use crate::{
    family::Family,
    languages::ecmascript::{global_names, is_script},
};

/// A hash over everything in a file that the resolution of another file can depend on. The second half covers only the
/// passages: imports and declarations through which other files reach definitions of third ones.
pub type InterfaceHash = [u8; 16];

/// Offset of the second half of a hash.
const PASSAGES: usize = 8;

/// Maximum nesting depth of types that are hashed.
const MAX_DEPTH: u32 = 12;

/// Hashes the interface of a file: definitions with their shapes, imports, and members of types of other files.
///
/// Bodies belong to the interface where results are inferred from them.
pub fn interface_hash(facts: &FileFacts) -> InterfaceHash {
    let mut hash = InterfaceHasher(blake3::Hasher::new());
    hash.header(facts);
    for definition in &facts.definitions {
        hash.add(&(definition.kind, &definition.name, &definition.container, definition.parent));
        hash.tag(facts.language, definition);
    }
    let has_inference = Family::of(facts.language).has_inference();
    if has_inference && infers_from_bodies(facts) || has_addresses(&facts.code) {
        let code = &facts.code;
        hash.add(&(&code.names, &code.scopes, &code.bindings, &code.expressions, &code.types));
        hash.add(&(&code.shapes, &code.extensions, &code.anonymous, &code.fields, &code.decorations, &code.exports));
    } else if has_inference {
        // No edge depends on the code of the other languages.
        hash.code(&facts.code);
    }
    hash.documents(facts, |_, _| true);
    let mut short = [0; 16];
    short[..PASSAGES].copy_from_slice(&hash.0.finalize().as_bytes()[..PASSAGES]);
    short[PASSAGES..].copy_from_slice(&passages(facts).finalize().as_bytes()[..PASSAGES]);
    short
}

/// The interface of a file in parts, so that each definition can be compared for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterfaceParts {
    /// A hash over everything but the definitions.
    pub rest: InterfaceHash,
    /// By definition: a hash over it and its shape.
    pub definitions: Vec<u64>,
}

/// Hashes the parts of the interface of a file. `None` if they depend on each other: results are inferred from bodies, code has parts of
/// addresses, or operators and macros are used without their name.
pub fn interface_parts(facts: &FileFacts) -> Option<InterfaceParts> {
    let code = &facts.code;
    let is_declared = matches!(Family::of(facts.language), Family::Go | Family::Java | Family::Rust);
    let has_shapes = code.shapes.len() == facts.definitions.len();
    if !is_declared || !has_shapes || infers_from_bodies(facts) || has_addresses(code) {
        return None;
    }
    let mut hash = InterfaceHasher(blake3::Hasher::new());
    hash.header(facts);
    hash.extensions(code);
    let mut rest = [0; 16];
    rest.copy_from_slice(&hash.0.finalize().as_bytes()[..16]);
    let definitions = facts.definitions.iter().zip(&code.shapes).map(|(definition, shape)| {
        let mut hash = InterfaceHasher(blake3::Hasher::new());
        let parent = definition.parent.and_then(|parent| facts.definitions.get(parent as usize));
        hash.add(&(definition.kind, &definition.name, &definition.container, parent.map(|parent| &parent.name)));
        hash.tag(facts.language, definition);
        hash.shape(code, shape);
        hash.short()
    });
    Some(InterfaceParts { rest, definitions: definitions.collect() })
}

/// Hashes the blocks of a file that add members to types, without the members.
pub fn extensions_hash(facts: &FileFacts) -> u64 {
    let mut hash = InterfaceHasher(blake3::Hasher::new());
    hash.extensions(&facts.code);
    hash.short()
}

/// Returns true if two versions of a file have the same passages. If not, any file of its language may resolve differently.
pub(crate) fn has_same_passages(one: &InterfaceHash, other: &InterfaceHash) -> bool {
    one[PASSAGES..] == other[PASSAGES..]
}

/// Returns the imports of a file through which other files reach definitions of third ones: module declarations and re-exports in
/// Rust, includes in C.
pub fn passage_imports(facts: &FileFacts) -> impl Iterator<Item = &Import> {
    let family = Family::of(facts.language);
    let declares_module = |import: &Import| import.module == "self" || import.module.ends_with(".rs");
    let has_modules = facts.imports.iter().any(declares_module);
    let is_passage = move |import: &&Import| match family {
        // The modules below a module see its imports.
        Family::Rust => has_modules || import.reexport,
        Family::C => true,
        _ => false,
    };
    facts.imports.iter().filter(is_passage)
}

/// Hashes the package of a file and its passages: imports on the way to definitions of third files, trait implementations, and in
/// TypeScript what makes definitions visible in all files.
fn passages(facts: &FileFacts) -> blake3::Hasher {
    let mut hash = InterfaceHasher(blake3::Hasher::new());
    let code = &facts.code;
    hash.add(&(&code.package, &code.condition));
    passage_imports(facts).for_each(|import| hash.import(import));
    if facts.language == Language::TypeScript {
        // The definitions of a declaration file without imports and exports are those of all files.
        hash.add(&is_script(facts));
    }
    if matches!(facts.language, Language::TypeScript | Language::Tsx) {
        global_names(facts).for_each(|name| hash.add(&name));
    }
    for extension in code.extensions.iter().filter(|extension| extension.implements.is_some()) {
        hash.written(code, extension.of, 0);
        hash.optional(code, extension.implements);
    }
    // Documents refer to each other by names and labels.
    hash.documents(facts, is_reference);
    hash.0
}

/// Returns true if the value of an entry is a name by which documents refer to each other: that of an object, a label, a file.
fn is_reference(document: &SettingsDocument, entry: &DocumentEntry) -> bool {
    let parent = entry.parent.and_then(|parent| document.entries.get(parent as usize));
    let parent = parent.map_or("", |parent| parent.key.as_str());
    matches!(entry.key.as_str(), "kind" | "name" | "env_file" | "path")
        || matches!(parent, "labels" | "matchLabels" | "selector" | "env_file")
}

/// Returns true if the value or result of a definition depends on more than its declaration.
fn infers_from_bodies(facts: &FileFacts) -> bool {
    let inferring = matches!(Family::of(facts.language), Family::Ecmascript | Family::Python);
    let code = &facts.code;
    let is_inferred = |shape: &Shape| shape.declared.is_none() && !shape.values.is_empty();
    let is_of_value = |written: &TypeExpression| matches!(written, TypeExpression::Of(_));
    inferring || !code.fields.is_empty() || code.shapes.iter().any(is_inferred) || code.types.iter().any(is_of_value)
}

/// Returns true if a file may have a part of an address that another file puts together: a path, a URL, or a variable of the
/// environment. Contracts with other repositories depend on it.
fn has_addresses(code: &Code) -> bool {
    let is_part = |name: &String| {
        name.starts_with('/')
            || name.contains("://")
            || name.contains("env")
            || name.contains("Env")
            || name.contains("ENV")
    };
    code.names.iter().any(is_part)
}

struct InterfaceHasher(blake3::Hasher);

impl InterfaceHasher {
    fn add(&mut self, part: &impl Serialize) {
        // Serialization of plain data into memory cannot fail.
        let bytes = postcard::to_stdvec(part).unwrap_or_default();
        self.0.update(&(bytes.len() as u64).to_le_bytes()).update(&bytes);
    }

    /// Hashes the language, the package and the imports of a file.
    fn header(&mut self, facts: &FileFacts) {
        let code = &facts.code;
        self.add(&(facts.language, &code.package, &code.condition, &facts.imports.len()));
        facts.imports.iter().for_each(|import| self.import(import));
    }

    fn import(&mut self, import: &Import) {
        self.add(&(&import.module, &import.name, &import.alias, import.reexport));
    }

    /// Hashes the documents that others may refer to, without their lines: all keys, and the chosen values.
    fn documents(&mut self, facts: &FileFacts, is_chosen: impl Fn(&SettingsDocument, &DocumentEntry) -> bool) {
        for document in facts.documents.iter().filter(|document| !document.format.is_of_code()) {
            self.add(&document.format);
            for entry in &document.entries {
                let value = if is_chosen(document, entry) { entry.value.as_str() } else { "" };
                self.add(&(entry.parent, &entry.key, value));
            }
        }
    }

    /// Hashes the tag of a field of Go. Settings and messages have the names in it.
    fn tag(&mut self, language: Language, definition: &Definition) {
        let tag = definition.signature.split('`').nth(1).filter(|_| language == Language::Go);
        if let Some(tag) = tag {
            self.add(&tag);
        }
    }

    /// Returns the first bytes of the hash as a number.
    fn short(self) -> u64 {
        let hash = self.0.finalize();
        hash.as_bytes().first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
    }

    /// Hashes extensions without their members, which are definitions.
    fn extensions(&mut self, code: &Code) {
        for extension in &code.extensions {
            self.written(code, extension.of, 0);
            self.optional(code, extension.implements);
            for parameter in &extension.type_parameters {
                self.name(code, parameter.name);
                parameter.bounds.iter().for_each(|bound| self.written(code, *bound, 0));
            }
            // Functions without a definition are known by their names only.
            extension.generated.iter().for_each(|name| self.name(code, *name));
        }
    }

    fn name(&mut self, code: &Code, name: NameId) {
        self.add(&code.name(name));
    }

    fn code(&mut self, code: &Code) {
        for shape in &code.shapes {
            self.shape(code, shape);
        }
        self.extensions(code);
        code.extensions.iter().for_each(|extension| self.add(&extension.members));
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

    /// Hashes a type by its content. Its place in the arena moves with every body.
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
        // Addresses of services are put together across files.
        check(
            "a.go",
            "package a\nfunc f() string { return \"/a\" }",
            "package a\nfunc f() string { return \"/b\" }",
            false,
        );
        check(
            "a.cs",
            "class A { string F() { return Env(\"A\"); } }",
            "class A { string F() { return Env(\"B\"); } }",
            false,
        );
        check("a.rs", "fn f() -> A { x() }", "fn f() -> A { let b: B = y(); b }", true);
    }

    #[test]
    fn tags_of_fields_matter() {
        let field = |declaration: &str| format!("package a\ntype C struct {{\n\t{declaration}\n}}\n");
        let before = field("Cart string `mapstructure:\"cart\"`");
        check("a.go", &before, &field("Cart string `mapstructure:\"basket\"`"), false);
        check("a.go", &before, &field("Cart string"), false);
        check("a.go", &before, &field("Cart   string `mapstructure:\"cart\"` // The cart."), true);
        let parts = |text: &str| {
            interface_parts(&syntax::extract(Language::Go, text.as_bytes())).expect("declared types").definitions
        };
        assert_ne!(parts(&before), parts(&field("Cart string `mapstructure:\"basket\"`")));
    }

    #[track_caller]
    fn check_passages(path: &str, before: &str, after: &str, is_same: bool) {
        let hash = |text: &str| interface_hash(&syntax::extract(Language::of_path(path), text.as_bytes()));
        assert_eq!(has_same_passages(&hash(before), &hash(after)), is_same, "{before}\n{after}");
    }

    #[test]
    fn a_definition_is_compared_apart_from_the_others() {
        let parts =
            |path: &str, text: &str| interface_parts(&syntax::extract(Language::of_path(path), text.as_bytes()));
        let go = |text: &str| parts("a.go", text).expect("declared results");
        let before = go("package a\nfunc f(n int) int { return n }\ntype T struct{}\n");
        let after = go("package a\nfunc g() {}\nfunc f(n int) int { return g() }\ntype T struct{}\n");
        assert_eq!(before.rest, after.rest);
        assert_eq!(before.definitions[..], after.definitions[1..]);
        let retyped = go("package a\nfunc f(n string) int { return 1 }\ntype T struct{}\n");
        assert_eq!(
            (before.definitions[0] == retyped.definitions[0], before.definitions[1] == retyped.definitions[1]),
            (false, true)
        );
        assert_ne!(before.rest, go("package a\nimport \"b\"\nfunc f(n int) int { return n }\ntype T struct{}\n").rest);
        // The members of a block are definitions, and the block itself is not.
        let rust = |text: &str| parts("a.rs", text).expect("declared results");
        let (one, two) = (rust("struct A;\nimpl A { fn f() {} }"), rust("struct A;\nimpl A { fn f() {} fn g() {} }"));
        assert_eq!(one.rest, two.rest);
        assert_ne!(one.rest, rust("struct A;\nimpl B for A { fn f() {} }").rest);
        // Results are inferred from bodies, and operators are used without their name.
        assert_eq!(parts("a.py", "def f(): return A()"), None);
        assert_eq!(parts("a.cpp", "int operator+(A a, A b);"), None);
    }

    #[test]
    fn passages_change_with_modules_and_reexports() {
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
    fn passages_change_with_the_global_scope_of_typescript() {
        let declared = "declare function track(): void;\n";
        let exported = format!("{declared}export {{ track }};\n");
        check_passages("a.d.ts", &exported, declared, false);
        check_passages("a.d.ts", declared, &format!("import {{ b }} from './b';\n{declared}"), false);
        check_passages("a.d.ts", declared, &format!("{declared}declare const other: number;\n"), true);
        check_passages("a.d.ts", &exported, &format!("{exported}export const other = 1;\n"), true);
        let global = |inner: &str, outer: &str| format!("declare global {{ {inner} }}\n{outer}export const a = 1;\n");
        let shared = "interface Shared { one(): void }\n";
        check_passages("a.ts", &global(shared, ""), &global("", shared), false);
        check_passages("a.ts", &global(shared, ""), &global(shared, "const other = 1;\n"), true);
    }

    #[test]
    fn names_of_documents_are_passages_and_their_settings_are_not() {
        let deployment =
            "kind: Deployment\nmetadata:\n  name: cart\nspec:\n  env:\n  - name: PAY_ADDR\n    value: pay:80\n";
        let (other_value, other_name) = (deployment.replace("pay:80", "pay:81"), deployment.replace("cart", "carts"));
        check("a.yaml", deployment, &other_value, false);
        check("a.yaml", deployment, &format!("# Comment\n{deployment}"), true);
        check_passages("a.yaml", deployment, &other_value, true);
        check_passages("a.yaml", deployment, &other_name, false);
    }

    #[test]
    fn code_without_inference_does_not_matter() {
        check("a.rb", "def f\n  g(1)\nend", "def f\n  @h = g(2)\nend", true);
        check("a.cs", "class A : B { C d = new(); }", "class A : E { F d; }", true);
        check("a.kt", "package a\nfun f() = 1", "package b\nfun f() = 1", false);
    }

    #[test]
    fn bodies_matter_where_results_are_inferred() {
        check("a.py", "def f():\n    return A()", "def f():\n    return B()", false);
        check("a.cpp", "auto f() { return A(); }", "auto f() { return B(); }", false);
        check("a.cpp", "decltype(a()) f();", "decltype(b()) f();", false);
    }
}
