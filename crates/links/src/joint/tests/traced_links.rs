//! Links that stay while the view of a provider stays.

use super::*;

/// Checks whether the links to a changed provider are renewed, and that renewed ones equal those of a new resolution.
#[track_caller]
fn check_renewed(app: &[(&str, &str)], before: &[(&str, &str)], after: &[(&str, &str)], is_renewed: bool) {
    let owned = |files: &[(&str, &str)]| -> Vec<(String, String)> {
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    };
    let importer = decode_importer(&encoded(&owned(app))).unwrap();
    let [old, new] = [before, after].map(|files| decode_provider(&encoded(&owned(files))).unwrap());
    let link = |provider: &LinkFacts, generation: &str| {
        let links = link_importer(&importer, &[provider], &BTreeSet::new());
        TracedLinks::new(links, &[&ProviderView::new(provider)], vec![generation.to_owned()])
    };
    let (stored, expected) = (link(&old, "1"), link(&new, "2"));
    assert!(!stored.links.links.is_empty(), "{before:?}");
    assert_eq!(stored.changed(&["2"]), Some(vec![0]));
    let stored = TracedLinks::decode(&stored.encode().unwrap()).unwrap();
    let renewed = stored.renewed(0, &ProviderView::new(&new), "2");
    assert_eq!(renewed.map(without_mentions), is_renewed.then_some(expected).map(without_mentions), "{after:?}");
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
