use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt, os::unix::fs::symlink};

use super::*;
use crate::testing::{Sandbox, make_pipe};

fn list_head(checkout: &Checkout) -> Tree {
    list(checkout, &resolve(checkout).unwrap()).unwrap()
}

fn paths(tree: &Tree) -> Vec<&str> {
    tree.files.iter().map(|file| file.path.as_str()).collect()
}

/// Reads every listed file as text.
fn contents(checkout: &Checkout, tree: &Tree) -> Vec<(String, Result<String, ReadError>)> {
    let reader = BlobSource::open(checkout).unwrap().reader();
    let read = |file| reader.read(file).map(|content| String::from_utf8_lossy(&content).into_owned());
    tree.files.iter().map(|file| (file.path.clone(), read(file))).collect()
}

fn check_contents(checkout: &Checkout, expected: &[(&str, &str)]) {
    let read = contents(checkout, &list_head(checkout));
    let read: Vec<(&str, &str)> =
        read.iter().map(|(path, content)| (path.as_str(), content.as_ref().unwrap().as_str())).collect();
    assert_eq!(read, expected, "{}", checkout.alias);
}

const FILES: &[(&str, &str)] = &[("a b.txt", "spaces"), ("a/größe.md", "umlaut"), ("a.rs", "fn a() {}"), ("empty", "")];
const SORTED: &[(&str, &str)] =
    &[("a b.txt", "spaces"), ("a.rs", "fn a() {}"), ("a/größe.md", "umlaut"), ("empty", "")];

#[test]
fn every_layout_lists_and_reads_the_same() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    sandbox.run("", "git clone -q --bare app bare.git");
    sandbox.run("app", "git worktree add -q ../next");
    sandbox.run("", "git clone -q --shared app shared");
    sandbox.run("", &format!("git clone -q --depth 1 file://{} shallow", sandbox.path("app").display()));
    sandbox.run("bare.git", "git gc -q");
    sandbox.repository("plain", FILES);
    fs::remove_dir_all(sandbox.path("plain/.git")).unwrap();
    for folder in ["app", "bare.git", "next", "shared", "shallow", "plain"] {
        check_contents(&sandbox.checkout(folder), SORTED);
    }
    let of_git = list_head(&sandbox.checkout("app"));
    let of_folder = list_head(&sandbox.checkout("plain"));
    assert_eq!(of_git.files, of_folder.files);
    assert_eq!(of_git.diagnostics, []);
    assert!(crate::diff(of_git.blobs(), of_folder.blobs()).is_empty());
}

#[test]
fn the_committed_content_is_read_not_the_work_tree() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", &[("a.rs", "committed")]);
    sandbox.write("app/a.rs", "changed");
    sandbox.write("app/b.rs", "new");
    check_contents(&sandbox.checkout("app"), &[("a.rs", "committed")]);
}

#[test]
fn links_submodules_and_large_files_are_reported() {
    let sandbox = Sandbox::new();
    sandbox.repository("lib", &[("l.rs", "fn l() {}")]);
    sandbox.repository("app", &[("a.rs", "fn a() {}")]);
    sandbox.run("app", "git -c protocol.file.allow=always submodule --quiet add ../lib sub");
    symlink("..", sandbox.path("app/loop")).unwrap();
    sandbox.write("app/big.rs", &"x".repeat(MAX_FILE_BYTES as usize + 1));
    sandbox.write("app/big.png", &"x".repeat(MAX_FILE_BYTES as usize + 1));
    sandbox.commit("app");
    let discovery = sandbox.discover(&["app"]);
    let tree = list_head(&discovery.checkouts[0]);
    assert_eq!(paths(&tree), [".gitmodules", "a.rs", "big.png", "big.rs"]);
    let diagnostics: Vec<(&str, &str)> =
        tree.diagnostics.iter().map(|diagnostic| (diagnostic.path.as_str(), diagnostic.message.as_str())).collect();
    assert_eq!(
        diagnostics,
        [
            ("big.rs", "2097153 bytes, over the limit of 2097152 bytes a file"),
            ("", "1 symbolic links are not followed"),
            ("", "1 submodules are not part of this repository"),
        ]
    );
    let read = contents(&discovery.checkouts[0], &tree);
    assert!(matches!(read[3].1, Err(ReadError::TooLarge { .. })));
}

#[test]
fn a_missing_blob_makes_only_its_file_unreadable() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", &[("a.rs", "here"), ("b.rs", "lost"), ("deep/c.rs", "lost too")]);
    for object in ["HEAD:b.rs", "HEAD:deep"] {
        let id = sandbox.run("app", &format!("git rev-parse {object}"));
        fs::remove_file(sandbox.path(&format!("app/.git/objects/{}/{}", &id[..2], &id[2..]))).unwrap();
    }
    let checkout = sandbox.checkout("app");
    let tree = list_head(&checkout);
    assert_eq!(paths(&tree), ["a.rs", "b.rs"]);
    let diagnostics: Vec<&str> = tree.diagnostics.iter().map(|diagnostic| diagnostic.path.as_str()).collect();
    assert_eq!(diagnostics, ["b.rs", "deep"]);
    let read = contents(&checkout, &tree);
    assert_eq!(read[0].1.as_deref().unwrap(), "here");
    assert!(matches!(read[1].1, Err(ReadError::Missing { .. })));
}

#[test]
fn a_partial_clone_reads_the_blobs_it_has() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    sandbox.run("app", "git config uploadpack.allowFilter true");
    let url = format!("file://{}", sandbox.path("app").display());
    sandbox.run("", &format!("git clone -q --bare --filter=blob:none {url} partial.git"));
    let checkout = sandbox.checkout("partial.git");
    let tree = list_head(&checkout);
    assert_eq!(paths(&tree), SORTED.iter().map(|(path, _)| *path).collect::<Vec<_>>());
    let read = contents(&checkout, &tree);
    let missing = read.iter().filter(|(_, content)| matches!(content, Err(ReadError::Missing { .. }))).count();
    assert_eq!(missing, 3, "all but the empty one: {read:?}");
}

#[test]
fn non_utf8_names_stay_distinct_and_readable() {
    let sandbox = Sandbox::new();
    for folder in ["app", "plain"] {
        fs::create_dir_all(sandbox.path(folder)).unwrap();
        for (name, content) in [(&b"x\xfe.py"[..], "one"), (&b"x\xff.py"[..], "two")] {
            fs::write(sandbox.path(folder).join(OsStr::from_bytes(name)), content).unwrap();
        }
    }
    sandbox.run("app", "git init -q");
    sandbox.commit("app");
    for folder in ["app", "plain"] {
        check_contents(&sandbox.checkout(folder), &[("x\\xfe.py", "one"), ("x\\xff.py", "two")]);
    }
}

#[test]
fn a_folder_lists_only_files_that_its_rules_allow() {
    let sandbox = Sandbox::new();
    for path in [
        "a.rs",
        "out/o.rs",
        "keep/.github/ci.yml",
        ".env",
        ".ssh/id",
        "node_modules/x.js",
        "build/CACHEDIR.TAG",
        "build/b.rs",
        "secret.txt",
    ] {
        sandbox.write(&format!("plain/{path}"), "x");
    }
    sandbox.write("plain/.gitignore", "out/\n");
    sandbox.write("plain/.ignore", "secret.txt\n");
    symlink(sandbox.path("plain"), sandbox.path("plain/loop")).unwrap();
    symlink("/etc/passwd", sandbox.path("plain/passwd.txt")).unwrap();
    make_pipe(&sandbox.path("plain/pipe"));
    let tree = list_head(&sandbox.checkout("plain"));
    assert_eq!(paths(&tree), ["a.rs", "keep/.github/ci.yml"]);
    let diagnostics: Vec<&str> = tree.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    assert_eq!(diagnostics, ["2 symbolic links are not followed", "1 pipes, sockets and devices are not opened"]);
}

#[test]
fn folders_with_odd_ignore_files_are_not_read() {
    let sandbox = Sandbox::new();
    for path in ["a.rs", "pipe/b.rs", "device/c.rs", "folder/.gitignore/d.rs", "large/e.rs", "good/f.rs"] {
        sandbox.write(&format!("plain/{path}"), "x");
    }
    make_pipe(&sandbox.path("plain/pipe/.ignore"));
    symlink("/dev/zero", sandbox.path("plain/device/.gitignore")).unwrap();
    sandbox.write("plain/large/.gitignore", &"#\n".repeat(600_000));
    let tree = list_head(&sandbox.checkout("plain"));
    assert_eq!(paths(&tree), ["a.rs", "good/f.rs"]);
    let diagnostics: Vec<String> =
        tree.diagnostics.iter().map(|diagnostic| format!("{}: {}", diagnostic.path, diagnostic.message)).collect();
    assert_eq!(
        diagnostics,
        [
            "device: the folder is not read: `.gitignore`: it is a device, not a regular file",
            "folder: the folder is not read: `.gitignore`: it is a folder, not a regular file",
            "large: the folder is not read: `.gitignore`: it has 1200000 bytes, over the limit of 1048576",
            "pipe: the folder is not read: `.ignore`: it is a pipe, not a regular file",
        ]
    );

    let checkout = sandbox.checkout("plain");
    make_pipe(&sandbox.path("plain/.gitignore"));
    let error = resolve(&checkout).unwrap_err();
    assert_eq!(error.to_string(), "`plain` is not read: `.gitignore`: it is a pipe, not a regular file");
}

#[test]
fn a_file_that_changed_after_listing_is_refused() {
    let sandbox = Sandbox::new();
    for path in ["same.txt", "edited.txt", "gone.txt", "linked.txt", "piped.txt", "in/moved.txt"] {
        sandbox.write(&format!("plain/{path}"), "x");
    }
    sandbox.write("outside/moved.txt", "x");
    let checkout = sandbox.checkout("plain");
    let tree = list_head(&checkout);
    sandbox.write("plain/edited.txt", "y");
    for path in ["gone.txt", "linked.txt", "piped.txt"] {
        fs::remove_file(sandbox.path(&format!("plain/{path}"))).unwrap();
    }
    symlink(sandbox.path("outside/moved.txt"), sandbox.path("plain/linked.txt")).unwrap();
    make_pipe(&sandbox.path("plain/piped.txt"));
    fs::remove_dir_all(sandbox.path("plain/in")).unwrap();
    symlink(sandbox.path("outside"), sandbox.path("plain/in")).unwrap();
    for (path, content) in contents(&checkout, &tree) {
        match path.as_str() {
            "same.txt" => assert_eq!(content.unwrap(), "x"),
            _ => assert!(matches!(content, Err(ReadError::Changed { .. })), "{path}: {content:?}"),
        }
    }
}

const ONE_FILE: &[(&str, &str)] = &[("a.rs", "fn a() {}")];

fn check_head(sandbox: &Sandbox, folder: &str, branch: Option<&str>) {
    let head = resolve(&sandbox.checkout(folder)).unwrap();
    assert_eq!(head.commit.to_string(), sandbox.run(folder, "git rev-parse HEAD"));
    assert_eq!((head.branch.as_deref(), head.committed_at), (branch, 1_700_000_000));
}

#[test]
fn every_kind_of_head_resolves() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", ONE_FILE);
    check_head(&sandbox, "app", Some("main"));
    sandbox.run("app", "git checkout -q -b topic/ä");
    check_head(&sandbox, "app", Some("topic/ä"));
    sandbox.run("app", "git pack-refs --all");
    check_head(&sandbox, "app", Some("topic/ä"));
    sandbox.run("app", "git worktree add -q ../next");
    check_head(&sandbox, "next", Some("next"));
    sandbox.run("app", "git checkout -q --detach");
    check_head(&sandbox, "app", None);
    sandbox.run("", "git clone -q --bare app bare.git");
    check_head(&sandbox, "bare.git", Some("main"));
}

#[test]
fn an_unresolvable_head_returns_its_reason() {
    let sandbox = Sandbox::new();
    for folder in ["new", "table", "long", "gone", "broken"] {
        fs::create_dir_all(sandbox.path(folder)).unwrap();
    }
    sandbox.run("new", "git init -q");
    sandbox.run("gone", "git init -q");
    sandbox.run("table", "git init -q --ref-format=reftable");
    sandbox.repository("broken", ONE_FILE);
    let broken = sandbox.checkout("broken");
    fs::remove_dir_all(sandbox.path("broken/.git/objects")).unwrap();
    fs::create_dir_all(sandbox.path("broken/.git/objects")).unwrap();
    let gone = sandbox.checkout("gone");
    fs::remove_dir_all(sandbox.path("gone")).unwrap();
    assert!(matches!(resolve(&sandbox.checkout("new")), Err(SourceError::NoCommits { .. })));
    assert!(matches!(resolve(&sandbox.checkout("table")), Err(SourceError::Unsupported { .. })));
    assert!(matches!(resolve(&gone), Err(SourceError::Gone { .. })));
    assert!(matches!(resolve(&broken), Err(SourceError::Unreadable { .. })));
}

#[test]
fn the_commit_of_a_folder_is_a_hash_of_its_files() {
    let sandbox = Sandbox::new();
    sandbox.write("notes/a.md", "one");
    sandbox.write("copy/a.md", "one");
    let head = resolve(&sandbox.checkout("notes")).unwrap();
    assert_eq!((&head.branch, head.committed_at > 1_700_000_000), (&None, true));
    assert_eq!(head.commit, resolve(&sandbox.checkout("copy")).unwrap().commit);
    sandbox.write("notes/a.md", "two");
    assert_ne!(head.commit, resolve(&sandbox.checkout("notes")).unwrap().commit);
}
