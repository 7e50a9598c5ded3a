//! Links that stay while the view of a provider stays.

use super::*;

/// The files of a repository: paths and texts.
type Files<'a> = &'a [(&'a str, &'a str)];

fn encoded_files(files: Files<'_>) -> Vec<u8> {
    let owned: Vec<(String, String)> =
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    encoded(&owned)
}

/// Checks whether the links to a changed provider are renewed, and that renewed ones equal those of a new resolution.
#[track_caller]
fn check_renewed(app: Files<'_>, before: Files<'_>, after: Files<'_>, is_renewed: bool) {
    check_renewed_beside(app, &[], before, after, is_renewed);
}

/// Checks the same beside other providers, which stay.
#[track_caller]
fn check_renewed_beside(app: Files<'_>, others: &[Files<'_>], before: Files<'_>, after: Files<'_>, is_renewed: bool) {
    let importer = decode_importer(&encoded_files(app)).unwrap();
    let [old, new] = [before, after].map(|files| decode_provider(&encoded_files(files)).unwrap());
    let others: Vec<LinkFacts> = others.iter().map(|files| decode_provider(&encoded_files(files)).unwrap()).collect();
    let generations = |of_changed: &'static str| -> Vec<&'static str> {
        std::iter::once(of_changed).chain(others.iter().map(|_| "0")).collect()
    };
    let link = |changed: &LinkFacts, generation: &'static str| {
        let providers: Vec<&LinkFacts> = std::iter::once(changed).chain(&others).collect();
        let views: Vec<ProviderView> = providers.iter().map(|provider| ProviderView::new(provider)).collect();
        let links = link_importer(&importer, &providers, &BTreeSet::new());
        let generations = generations(generation).into_iter().map(str::to_owned).collect();
        TracedLinks::new(links, &views.iter().collect::<Vec<_>>(), generations)
    };
    let (stored, expected) = (link(&old, "1"), link(&new, "2"));
    assert!(!stored.links.links.is_empty(), "{before:?}");
    assert_eq!(stored.changed(&generations("2")), Some(vec![0]));
    let stored = TracedLinks::decode(&stored.encode().unwrap()).unwrap();
    let view = ProviderView::new(&new);
    check_in_memory(&stored, &view);
    let renewed = stored.renewed(0, &view, "2");
    assert_eq!(renewed.map(without_mentions), is_renewed.then_some(expected).map(without_mentions), "{after:?}");
}

/// Checks that links in memory are renewed like stored ones.
#[track_caller]
fn check_in_memory(stored: &TracedLinks, view: &ProviderView) {
    let texts = SharedTexts::default();
    let contracts = |traced: &TracedLinks| -> Vec<ContractLink> {
        let of_provider = traced.links.links.iter().filter(|link| link.provider == 0);
        of_provider.zip(0..).map(|(link, use_idx)| link.clone().into_contract("kit", 1, use_idx, &texts)).collect()
    };
    let (trace, links) = (stored.trace(&texts), contracts(stored));
    let in_memory = trace.renumbered(0, view).and_then(|provider| {
        let renumbered = match provider.links(&links)? {
            Renumbered::Unchanged => links.clone(),
            Renumbered::Changed(links) => links,
        };
        let unresolved = match provider.unresolved(&stored.links.unresolved)? {
            Renumbered::Unchanged => stored.links.unresolved.clone(),
            Renumbered::Changed(unresolved) => unresolved,
        };
        Some((renumbered, unresolved, provider.trace()?))
    });
    let renewed = stored.clone().renewed(0, view, "2");
    let expected =
        renewed.map(|renewed| (contracts(&renewed), renewed.links.unresolved.clone(), renewed.trace(&texts)));
    assert_eq!(in_memory, expected);
}

#[test]
fn links_are_renewed_while_the_interface_stays() {
    let app = ("main.go", "package main\nimport \"example.org/kit\"\nfunc run() { kit.Open().Close() }\n");
    let module = ("go.mod", "module example.org/kit\n");
    let kit = ("kit.go", "package kit\ntype T struct{}\nfunc Open() *T { return nil }\nfunc (t *T) Close() {}\n");
    let other = ("other.go", "package kit\nfunc other() {}\n");
    let go = |app, after: &[(&str, &str)], is_renewed| check_renewed(&[app], &[module, kit, other], after, is_renewed);
    // Bodies, comments and lines change.
    let moved = (
        "kit.go",
        "package kit\n\n// T is one.\ntype T struct{}\nfunc Open() *T {\n\treturn &T{}\n}\nfunc (t *T) Close() {}\n",
    );
    go(app, &[module, moved, other], true);
    // The result of a used function changes.
    let retyped = ("kit.go", "package kit\ntype T struct{}\nfunc Open() int { return 1 }\nfunc (t *T) Close() {}\n");
    go(app, &[module, retyped, other], false);
    // A definition comes that the importer does not mention, also in a file that it uses.
    go(app, &[module, kit, ("other.go", "package kit\nfunc another() {}\n")], true);
    let added = |line: &str| kit.1.replacen("type T", &format!("{line}\ntype T"), 1);
    go(app, &[module, ("kit.go", &added("func another() *T { return nil }")), other], true);
    // It mentions the definition, its type, or an interface that its types may have.
    go(app, &[module, kit, ("other.go", "package kit\nfunc run() {}\n")], false);
    go(app, &[module, ("kit.go", &added("func (t *T) Further() {}")), other], false);
    go(app, &[module, kit, ("other.go", "package kit\ntype Any interface { Further() }\n")], false);
    // A definition, a file or a module goes.
    go(app, &[module, ("kit.go", "package kit\ntype T struct{}\nfunc Open() *T { return nil }\n"), other], false);
    go(app, &[module, kit], false);
    go(app, &[("go.mod", "module example.org/kit/v2\n"), kit, other], false);

    // A method that an embedded type has from another file decides over an interface.
    let app = ("main.go", "package main\nimport \"example.org/kit\"\ntype job struct{ kit.Base }\n");
    let base = ("a.go", "package kit\ntype Base struct{ Alias }\ntype Other struct{}\n");
    let files = |run: &str, other: &str, alias: &str| {
        let methods = format!("package kit\nfunc (Base) Run{run}\n");
        let others = format!("package kit\ntype Free struct{{}}\nfunc (Free) Run{other}\n");
        let aliases = format!("package kit\ntype Alias = {alias}\n");
        [methods, others, aliases]
    };
    let inner = "package kit\ntype Inner struct{}\nfunc (Inner) Stop() {}\n";
    let runner = "package kit\ntype Runner interface { Run(int) }\ntype Stopper interface { Stop() }\n";
    let promoted = |run: &str, other: &str, alias: &str, is_renewed| {
        let [before, after] = [files("(int) {}", "(int) {}", "Inner"), files(run, other, alias)];
        let [before, after] = [&before, &after].map(|[methods, others, aliases]| {
            [module, base, ("b.go", methods), ("c.go", others), ("d.go", aliases), ("e.go", inner), ("f.go", runner)]
        });
        check_renewed(&[app], &before, &after, is_renewed);
    };
    promoted("(string) {}", "(int) {}", "Inner", false);
    promoted("(int) {}", "(int) {}", "Other", false);
    promoted("(int) { println() }", "(string) {}", "Inner", true);

    // A method goes to another block of the same file.
    let app = ("src/lib.rs", "use kit::Cell;\npub fn run(cell: Cell<u8>) { cell.get(); cell.set(); }\n");
    let manifest = ("Cargo.toml", "[package]\nname = \"app\"\n[dependencies]\nkit = \"1\"\n");
    let module = ("Cargo.toml", "[package]\nname = \"kit\"\n");
    let cell = |of_first: &str, of_second: &str| {
        format!(
            "pub struct Cell<T>(T);\nimpl<T> Cell<T> {{ pub fn set(&self) {{}} }}\n\
             impl Cell<u8> {{ {of_first} }}\nimpl Cell<u16> {{ {of_second} }}\n"
        )
    };
    let before = cell("pub fn get(&self) {}", "");
    let rust = |first: &str, second: &str, is_renewed| {
        let after = cell(first, second);
        check_renewed(
            &[manifest, app],
            &[module, ("src/lib.rs", &before)],
            &[module, ("src/lib.rs", &after)],
            is_renewed,
        );
    };
    rust("", "pub fn get(&self) {}", false);
    rust("\n\n    pub fn get(&self) {}", "", true);

    let app = ("a.py", "from kit import make\n\ndef f():\n    make().run()\n");
    let kit = |body: &str| format!("class A:\n    def run(self): ...\n\ndef make():\n{body}    return A()\n");
    let (before, unrelated) = (kit(""), "def g():\n    return 1\n");
    let python = |init: &str, other: &str, is_renewed| {
        let path = ["kit/__init__.py", "kit/other.py"];
        let after = [(path[0], init), (path[1], other)];
        check_renewed(&[app], &[(path[0], &before), (path[1], unrelated)], &after, is_renewed);
    };
    // Results are inferred from bodies, so that a body of a consulted file counts, and that of another file does not.
    python(&kit("    print()\n"), unrelated, false);
    python(&before, "def g():\n    print()\n\n    return 2\n", true);
}

#[test]
fn names_of_other_files_on_the_way_of_a_lookup_count() {
    let app = [
        ("Cargo.toml", "[package]\nname = \"app\"\n[dependencies]\nkit = \"1\"\n"),
        ("src/lib.rs", "use kit::build;\npub fn run() { build(); kit::close(); }\n"),
    ];
    let manifest = ("Cargo.toml", "[package]\nname = \"kit\"\n[dependencies]\nlog = \"1\"\n");
    let log = |text: &'static str| [("Cargo.toml", "[package]\nname = \"log\"\n"), ("src/lib.rs", text)];
    let rust = |kit: &'static str, after: &'static str, is_renewed: bool| {
        let kit = [manifest, ("src/lib.rs", kit)];
        check_renewed_beside(&app, &[&kit], &log("pub fn open() {}\n"), &log(after), is_renewed);
    };
    let aliased = "pub use log::make as build;\npub fn close() {}\n";
    rust(aliased, "pub fn open() {}\npub fn make() {}\n", false);
    rust(aliased, "pub fn open() {}\npub fn another() {}\n", true);
    rust("pub fn build() {}\npub fn close() {}\n", "pub fn open() {}\npub fn make() {}\n", true);
}

#[test]
fn overloads_that_a_call_does_not_choose_count() {
    let app = [("main.cpp", "#include <kit/a.hpp>\n#include <kit/b.hpp>\nint main() { record(1); return 0; }\n")];
    let kit = |b: &'static str, c: &'static str| {
        [("include/kit/a.hpp", "void record(int n);\n"), ("include/kit/b.hpp", b), ("include/kit/c.hpp", c)]
    };
    let (two, other) = ("void record(int n, int m);\n", "void other(int n);\n");
    let before = kit(two, other);
    check_renewed(&app, &before, &kit("void record(int n, int m = 0);\n", other), false);
    check_renewed(&app, &before, &kit(two, "void other(int n, int m = 0);\n"), true);
}

#[test]
fn the_global_scope_of_typescript_counts() {
    let app = [
        ("a.ts", "import { open } from 'kit';\nopen();\ntrack();\n"),
        ("package.json", "{\"dependencies\": {\"kit\": \"1\"}}"),
    ];
    let kit = |globals: &'static str| {
        [
            ("globals.d.ts", globals),
            ("index.ts", "export function open() {}\n"),
            ("package.json", "{\"name\": \"kit\", \"main\": \"index.ts\"}"),
        ]
    };
    let exported = kit("declare function track(): void;\nexport { track };\n");
    check_renewed(&app, &exported, &kit("declare function track(): void;\n"), false);
    check_renewed(&app, &exported, &kit("declare function track(): void;\n// One.\nexport { track };\n"), true);
}
