//! `get_risk changes=...` over the example organisation: changes of one repository that break another one.

use std::ffi::OsStr;

use causeway_tests::{answer::text, federation::Federation, organisation, process, repository::Repository};
use serde_json::{Value, json};
use tempfile::TempDir;

const CODE: &str = "src/code.ts";

/// Returns the organisation, and its repository `parcel-kit`, which `customer-portal` uses.
async fn organisation() -> (TempDir, Federation, Repository) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let repositories = organisation::materialise(&folder.path().join("org"));
    let kit = organisation::REPOSITORIES.iter().position(|alias| *alias == "parcel-kit").expect("it is in the example");
    let kit = repositories.into_iter().nth(kit).expect("it is in the example");
    let federation = Federation::over(&folder.path().join("data"), &folder.path().join("org")).await;
    (folder, federation, kit)
}

/// Edits a file of a work tree.
fn edit(repository: &Repository, from: &str, to: &str) {
    let before = std::fs::read_to_string(repository.path.join(CODE)).expect("a fixture");
    assert!(before.contains(from), "{from}");
    repository.write(CODE, before.replace(from, to));
}

/// Describes the findings as `verdict at: reason [places behind it]`.
fn findings(answer: &Value) -> Vec<String> {
    let describe = |found: &Value| {
        let behind: Vec<&str> = found["behind"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let behind = if behind.is_empty() { String::new() } else { format!(" [{}]", behind.join(" ")) };
        let reason = found["reason"].as_str().unwrap_or_default();
        format!("{} {}: {reason}{behind}", text(&found["verdict"]), text(&found["at"]))
    };
    answer["change"]["findings"].as_array().into_iter().flatten().map(describe).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_parameter_breaks_calls_in_other_repositories() {
    let (_folder, federation, kit) = organisation().await;
    let ask = || federation.ask("get_risk", json!({"changes": "working_tree", "repo": "parcel-kit"}));
    let unchanged = ask().await;
    assert_eq!(unchanged["change"]["review"]["uses"], json!({"broken": 0, "maybe": 0, "fine": 0}), "{unchanged}");

    edit(&kit, "parseParcelCode(input: string)", "parseParcelCode(input: string, strict: boolean)");
    edit(&kit, "parseParcelCode(code);", "parseParcelCode(code, true);");
    let answer = ask().await;
    let missing = "no argument for the required parameter `strict`";
    let found = findings(&answer);
    assert!(found.contains(&format!("broken customer-portal:src/api/client.ts:36: {missing}")), "{answer}");
    assert!(found.contains(&format!("broken parcel-kit:src/code.ts:49: {missing}")), "{answer}");
    // The change itself mends this call.
    assert!(found.contains(&"fine parcel-kit:src/code.ts:61: ".to_owned()), "{answer}");
    // Imports take any signature.
    assert!(!found.iter().any(|one| one.starts_with("maybe")), "{answer}");
    let definition = &answer["change"]["definitions"][0];
    assert_eq!(definition["what"], json!(["new required parameter `strict`"]), "{answer}");
    assert!(!answer["change"]["tests_to_run"].as_array().expect("a list").is_empty(), "{answer}");
    assert_eq!(answer["change"]["review"]["stale_base"], Value::Null, "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pasted_diff_is_applied_to_the_indexed_commit() {
    let (_folder, federation, _kit) = organisation().await;
    let diff = "--- a/src/code.ts\n+++ b/src/code.ts\n@@ -47 +47 @@\n-export function isParcelCode(input: string): boolean {\n+export function isCode(input: string): boolean {\n";
    let answer = federation.ask("get_risk", json!({"changes": diff, "repo": "parcel-kit"})).await;
    let found = findings(&answer);
    let import = "broken customer-portal:src/pages/TrackPage.tsx:1: it is `isCode` now";
    assert!(found.contains(&format!("{import} [customer-portal:src/pages/TrackPage.tsx:26]")), "{answer}");

    for (change, repo, expected) in [
        (diff.replace("-export", "-xport"), "parcel-kit", "line 47 of the file differs"),
        ("main...nothing".to_owned(), "parcel-kit", "the repository has no commit `nothing`"),
        ("hello".to_owned(), "parcel-kit", "it is no unified diff"),
        ("\n".to_owned(), "parcel-kit", "the change is empty"),
        ("staged".to_owned(), "all", "name it with `repo`"),
    ] {
        let error = federation.refusal("get_risk", json!({"changes": change, "repo": repo})).await;
        assert!(error.contains(expected), "{change}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_field_breaks_the_literals_that_lack_it() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let root = folder.path().join("org");
    let rust = [
        ("Cargo.toml", "[package]\nname = \"parcel\"\n"),
        ("src/lib.rs", "pub mod size;\npub mod uses;\n"),
        (
            "src/size.rs",
            "#[derive(Default)]\npub struct Size {\n    pub a: u8,\n}\n\nimpl Size {\n    pub fn one() -> Self {\n        Self { a: 1 }\n    }\n}\n",
        ),
        (
            "src/uses.rs",
            "use crate::size::Size;\n\npub fn lacks() -> Size {\n    Size { a: 2 }\n}\n\npub fn rest() -> Size {\n    Size { a: 2, ..Size::default() }\n}\n\npub fn reads(size: Size) -> u8 {\n    size.a\n}\n",
        ),
    ];
    let go = [
        ("go.mod", "module example.com/parcel\n"),
        ("size.go", "package parcel\n\ntype Size struct {\n\tA int\n}\n"),
        (
            "uses.go",
            "package parcel\n\nfunc named() Size {\n\treturn Size{A: 1}\n}\n\nfunc positional() Size {\n\treturn Size{1}\n}\n\nfunc empty() Size {\n\treturn Size{}\n}\n",
        ),
    ];
    let (rust, go) =
        (Repository::with_files(root.join("rusty"), rust), Repository::with_files(root.join("gopher"), go));
    rust.commit("A size");
    go.commit("A size");
    let federation = Federation::over(&folder.path().join("data"), &root).await;
    let both = [
        (&rust, "src/size.rs", "    pub a: u8,\n", "    pub a: u8,\n    pub b: u8,\n"),
        (&go, "size.go", "\tA int\n", "\tA int\n\tB int\n"),
    ];
    for (repository, path, from, to) in both {
        let before = std::fs::read_to_string(repository.path.join(path)).expect("a file of the test");
        repository.write(path, before.replace(from, to));
    }
    let ask = |repo: &'static str| federation.ask("get_risk", json!({"changes": "working_tree", "repo": repo}));
    let answer = ask("rusty").await;
    let expected = [
        "broken rusty:src/size.rs:9: it has no field `b`",
        "broken rusty:src/uses.rs:4: it has no field `b`",
        "fine rusty:src/uses.rs:8: ",
    ];
    assert_eq!(findings(&answer), expected, "{answer}");
    let answer = ask("gopher").await;
    let expected = [
        "broken gopher:uses.go:8: it has no value for the new field `B`",
        "fine gopher:uses.go:4: ",
        "fine gopher:uses.go:12: ",
    ];
    assert_eq!(findings(&answer), expected, "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_function_that_provides_missing_names_leaves_doubt() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let root = folder.path().join("org");
    let files = [
        ("pyproject.toml", "[project]\nname = \"parcel\"\n"),
        ("parcel/__init__.py", ""),
        ("parcel/made.py", "first = 1\n\n\ndef __getattr__(name):\n    return name\n"),
        ("parcel/plain.py", "second = 1\n"),
        (
            "parcel/uses.py",
            "from .made import first\nfrom .plain import second\n\n\ndef use():\n    return first + second\n",
        ),
    ];
    let repository = Repository::with_files(root.join("parcel"), files);
    repository.commit("Names");
    let federation = Federation::over(&folder.path().join("data"), &root).await;
    repository.write("parcel/made.py", "def __getattr__(name):\n    return name\n");
    repository.write("parcel/plain.py", "");
    let answer = federation.ask("get_risk", json!({"changes": "working_tree", "repo": "parcel"})).await;
    let expected = [
        "broken parcel:parcel/uses.py:2: it is removed [parcel:parcel/uses.py:6]",
        "maybe parcel:parcel/uses.py:1: it is removed, and `__getattr__` may provide it [parcel:parcel/uses.py:6]",
    ];
    assert_eq!(findings(&answer), expected, "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_that_a_base_type_may_provide_leaves_doubt() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let root = folder.path().join("org");
    let members = "    def close(self):\n        return 1\n\n    def drop(self):\n        return 2\n";
    let store = |members: &str| {
        format!(
            "from library import Remote\n\nfrom .base import Base\n\n\nclass Near(Base):\n{members}\n\nclass Far(Remote):\n{members}"
        )
    };
    let files = [
        ("pyproject.toml", "[project]\nname = \"parcel\"\n".to_owned()),
        ("parcel/__init__.py", String::new()),
        ("parcel/base.py", "class Base:\n    def close(self):\n        return 0\n".to_owned()),
        ("parcel/store.py", store(members)),
        (
            "parcel/uses.py",
            "from .store import Far, Near\n\n\ndef use(near: Near, far: Far):\n    near.close()\n    near.drop()\n    far.drop()\n".to_owned(),
        ),
    ];
    let files = files.iter().map(|(path, text)| (*path, text.as_str()));
    let repository = Repository::with_files(root.join("parcel"), files);
    repository.commit("Members");
    let federation = Federation::over(&folder.path().join("data"), &root).await;
    repository.write("parcel/store.py", store("    pass\n"));
    let answer = federation.ask("get_risk", json!({"changes": "working_tree", "repo": "parcel"})).await;
    let expected = [
        "broken parcel:parcel/uses.py:6: it is removed",
        "maybe parcel:parcel/uses.py:5: it is removed, and the base type `Base` may provide it",
        "maybe parcel:parcel/uses.py:7: it is removed, and the base type `Remote` may provide it",
    ];
    assert_eq!(findings(&answer), expected, "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn uses_behind_a_failing_import_follow_from_it() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let root = folder.path().join("org");
    /// The name of a repository, its files, the one that is emptied, and the findings.
    type Case<'c> = (&'c str, &'c [(&'c str, &'c str)], &'c str, &'c [&'c str]);
    let repositories: [Case<'_>; 3] = [
        (
            "typed",
            &[
                ("package.json", "{\"name\": \"typed\"}\n"),
                ("src/lib.ts", "export function gone() {}\n"),
                ("src/index.ts", "export { gone } from './lib'\n"),
                ("src/through.ts", "import { gone } from './index'\n\nexport function a() {\n  gone()\n}\n"),
                ("src/direct.ts", "import { gone } from './lib'\n\nexport function b() {\n  gone()\n  gone()\n}\n"),
                ("src/module.ts", "import * as lib from './lib'\n\nexport function c() {\n  lib.gone()\n}\n"),
            ],
            "src/lib.ts",
            // Compilers report the first import, and a use through the module.
            &[
                "broken typed:src/direct.ts:1: it is removed [typed:src/direct.ts:4 typed:src/direct.ts:5]",
                "broken typed:src/index.ts:1: it is removed [typed:src/through.ts:1 typed:src/through.ts:4]",
                "broken typed:src/module.ts:4: it is removed",
            ],
        ),
        (
            "snake",
            &[
                ("pyproject.toml", "[project]\nname = \"snake\"\n"),
                ("snake/__init__.py", "from .made import gone\n"),
                ("snake/made.py", "def gone():\n    pass\n"),
                ("snake/uses.py", "from snake import gone\n\n\ndef use():\n    return gone()\n"),
            ],
            "snake/made.py",
            // Type checkers report each import.
            &[
                "broken snake:snake/__init__.py:1: it is removed",
                "broken snake:snake/uses.py:1: it is removed [snake:snake/uses.py:5]",
            ],
        ),
        (
            "coffee",
            &[
                ("src/a/Gone.java", "package a;\n\npublic class Gone {\n}\n"),
                ("src/b/Use.java", "package b;\n\nimport a.Gone;\n\nclass Use {\n    Gone field = new Gone();\n}\n"),
            ],
            "src/a/Gone.java",
            // Compilers report each place.
            &["broken coffee:src/b/Use.java:3: it is removed", "broken coffee:src/b/Use.java:6: it is removed"],
        ),
    ];
    let made = repositories.map(|(name, files, changed, expected)| {
        let repository = Repository::with_files(root.join(name), files.iter().copied());
        repository.commit("Names");
        (name, repository, changed, expected)
    });
    let federation = Federation::over(&folder.path().join("data"), &root).await;
    for (name, repository, changed, expected) in made {
        repository.write(changed, "\n");
        let answer = federation.ask("get_risk", json!({"changes": "working_tree", "repo": name})).await;
        assert_eq!(findings(&answer), expected, "{answer}");
    }
}

#[test]
fn a_review_of_commits_finds_the_users_of_what_they_removed() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let files = [
        ("pkg/__init__.py", ""),
        ("pkg/a.py", "def helper(x):\n    return x\n\n\ndef outer(y):\n    return helper(y) + 1\n"),
        ("main.py", "from pkg.a import outer\n\n\ndef run():\n    return outer(2)\n"),
    ];
    let repository = Repository::with_files(folder.path().join("app"), files);
    repository.git(["mv", "pkg/a.py", "pkg/b.py"]);
    repository.commit("move");
    let data = folder.path().join("data");
    let mut review = process::causeway([OsStr::new("--data"), data.as_os_str(), OsStr::new("review")]);
    review.args(["--base", "HEAD~1"]).current_dir(&repository.path);
    let finished = process::finish(review);
    for expected in ["1 use broken, 0 may be, 1 fine", "main.py:1", "and 1 use in this file: 5"] {
        assert!(finished.stdout.contains(expected), "{expected}: {finished:?}");
    }
    assert!(!finished.stdout.contains("incomplete"), "{finished:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn imports_of_a_file_that_is_gone_fail() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let root = folder.path().join("org");
    let rust = [
        ("Cargo.toml", "[package]\nname = \"parcel\"\n"),
        ("src/lib.rs", "mod label;\nmod size;\nmod uses;\n"),
        ("src/label.rs", "pub fn label() -> u8 {\n    1\n}\n"),
        ("src/size.rs", "pub fn size() -> u8 {\n    2\n}\n"),
        ("src/uses.rs", "use crate::label::label;\n\npub fn both() -> u8 {\n    label() + crate::size::size()\n}\n"),
    ];
    let python = [
        ("pyproject.toml", "[project]\nname = \"crate\"\n"),
        ("crate/__init__.py", ""),
        ("crate/label.py", "def label():\n    return 1\n"),
        ("crate/size.py", "def size():\n    return 2\n"),
        ("crate/uses.py", "import crate.label\nfrom . import size\nfrom .label import label\n"),
    ];
    let (rust, python) =
        (Repository::with_files(root.join("rusty"), rust), Repository::with_files(root.join("snake"), python));
    rust.commit("Files");
    python.commit("Files");
    let federation = Federation::over(&folder.path().join("data"), &root).await;
    let remove = |repository: &Repository, path: &str| {
        std::fs::remove_file(repository.path.join(path)).expect("a file of the test");
    };
    remove(&rust, "src/label.rs");
    // The module stays where it was.
    remove(&rust, "src/size.rs");
    rust.write("src/size/mod.rs", "pub fn size() -> u8 {\n    2\n}\n");
    remove(&python, "crate/label.py");
    remove(&python, "crate/size.py");
    python.write("crate/size/__init__.py", "def size():\n    return 2\n");
    let ask = |repo: &'static str| federation.ask("get_risk", json!({"changes": "working_tree", "repo": repo}));
    let answer = ask("rusty").await;
    let broken = |answer: &Value| findings(answer).into_iter().filter(|one| one.starts_with("broken")).collect();
    let found: Vec<String> = broken(&answer);
    let expected = ["broken rusty:src/lib.rs:1: the file is removed [rusty:src/uses.rs:1 rusty:src/uses.rs:4]"];
    assert_eq!(found, expected, "{answer}");
    let answer = ask("snake").await;
    let found: Vec<String> = broken(&answer);
    let expected = ["broken snake:crate/uses.py:1: the file is removed", "broken snake:crate/uses.py:3: it is removed"];
    assert_eq!(found, expected, "{answer}");
}
