use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt, os::unix::fs::symlink};

use super::*;
use crate::{
    BlobSource, ReadError, resolve,
    testing::{Sandbox, make_pipe},
};

fn listed(checkout: &Checkout) -> Tree {
    list(checkout, &resolve(checkout).unwrap()).unwrap()
}

fn paths(tree: &Tree) -> Vec<&str> {
    tree.files.iter().map(|file| file.path.as_str()).collect()
}

/// Reads every file that was listed, as text.
fn contents(checkout: &Checkout, tree: &Tree) -> Vec<(String, Result<String, ReadError>)> {
    let reader = BlobSource::open(checkout).unwrap().reader();
    let read = |file| reader.read(file).map(|content| String::from_utf8_lossy(&content).into_owned());
    tree.files.iter().map(|file| (file.path.clone(), read(file))).collect()
}

fn check_contents(checkout: &Checkout, expected: &[(&str, &str)]) {
    let read = contents(checkout, &listed(checkout));
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
    let of_git = listed(&sandbox.checkout("app"));
    let of_folder = listed(&sandbox.checkout("plain"));
    assert_eq!(of_git.files, of_folder.files);
    assert_eq!(of_git.diagnostics, []);
    assert!(crate::diff(of_git.blobs(), of_folder.blobs()).is_empty());
}

#[test]
fn what_was_committed_counts_not_what_lies_in_the_work_tree() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", &[("a.rs", "committed")]);
    sandbox.write("app/a.rs", "changed");
    sandbox.write("app/b.rs", "new");
    check_contents(&sandbox.checkout("app"), &[("a.rs", "committed")]);
}

#[test]
fn links_submodules_and_large_files_are_told() {
    let sandbox = Sandbox::new();
    sandbox.repository("lib", &[("l.rs", "fn l() {}")]);
    sandbox.repository("app", &[("a.rs", "fn a() {}")]);
    sandbox.run("app", "git -c protocol.file.allow=always submodule --quiet add ../lib sub");
    symlink("..", sandbox.path("app/loop")).unwrap();
    sandbox.write("app/big.rs", &"x".repeat(MAX_FILE_BYTES as usize + 1));
    sandbox.write("app/big.png", &"x".repeat(MAX_FILE_BYTES as usize + 1));
    sandbox.commit("app");
    let discovery = sandbox.discover(&["app"]);
    let tree = listed(&discovery.checkouts[0]);
    assert_eq!(paths(&tree), [".gitmodules", "a.rs", "big.png", "big.rs"]);
    let told: Vec<(&str, &str)> =
        tree.diagnostics.iter().map(|told| (told.path.as_str(), told.message.as_str())).collect();
    assert_eq!(
        told,
        [
            ("big.rs", "2097153 bytes, more than the 2097152 that are read of one file"),
            ("", "1 symbolic links are not followed"),
            ("", "1 submodules are not part of this repository"),
        ]
    );
    let read = contents(&discovery.checkouts[0], &tree);
    assert!(matches!(read[3].1, Err(ReadError::TooLarge { .. })));
}

#[test]
fn a_missing_blob_costs_its_file() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", &[("a.rs", "here"), ("b.rs", "lost"), ("deep/c.rs", "lost too")]);
    for object in ["HEAD:b.rs", "HEAD:deep"] {
        let id = sandbox.run("app", &format!("git rev-parse {object}"));
        fs::remove_file(sandbox.path(&format!("app/.git/objects/{}/{}", &id[..2], &id[2..]))).unwrap();
    }
    let checkout = sandbox.checkout("app");
    let tree = listed(&checkout);
    assert_eq!(paths(&tree), ["a.rs", "b.rs"]);
    let told: Vec<&str> = tree.diagnostics.iter().map(|told| told.path.as_str()).collect();
    assert_eq!(told, ["b.rs", "deep"]);
    let read = contents(&checkout, &tree);
    assert_eq!(read[0].1.as_deref().unwrap(), "here");
    assert!(matches!(read[1].1, Err(ReadError::Missing { .. })));
}

#[test]
fn a_partial_clone_reads_what_it_has() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    sandbox.run("app", "git config uploadpack.allowFilter true");
    let url = format!("file://{}", sandbox.path("app").display());
    sandbox.run("", &format!("git clone -q --bare --filter=blob:none {url} partial.git"));
    let checkout = sandbox.checkout("partial.git");
    let tree = listed(&checkout);
    assert_eq!(paths(&tree), SORTED.iter().map(|(path, _)| *path).collect::<Vec<_>>());
    let read = contents(&checkout, &tree);
    let missing = read.iter().filter(|(_, content)| matches!(content, Err(ReadError::Missing { .. }))).count();
    assert_eq!(missing, 3, "all but the empty one: {read:?}");
}

#[test]
fn names_that_are_no_utf8_stay_apart_and_readable() {
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
fn a_folder_gives_what_its_rules_allow() {
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
    let tree = listed(&sandbox.checkout("plain"));
    assert_eq!(paths(&tree), ["a.rs", "keep/.github/ci.yml"]);
    let told: Vec<&str> = tree.diagnostics.iter().map(|told| told.message.as_str()).collect();
    assert_eq!(told, ["2 symbolic links are not followed", "1 pipes, sockets and devices are not opened"]);
}

#[test]
fn a_folder_is_read_only_as_it_was_listed() {
    let sandbox = Sandbox::new();
    for path in ["same.txt", "edited.txt", "gone.txt", "linked.txt", "piped.txt", "in/moved.txt"] {
        sandbox.write(&format!("plain/{path}"), "x");
    }
    sandbox.write("outside/moved.txt", "x");
    let checkout = sandbox.checkout("plain");
    let tree = listed(&checkout);
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

#[test]
fn a_listing_ends_at_its_limits() {
    let mut listing = Listing::default();
    for idx in 0..MAX_FILES + 5 {
        if listing.admit_entry() && idx % 2 == 0 {
            listing.report("x", "y");
        }
    }
    let tree = listing.finish(CommitId([0; 20]));
    assert_eq!(tree.diagnostics.len(), MAX_DIAGNOSTICS + 2);
    assert!(tree.diagnostics.iter().any(|told| told.message.starts_with("5 or more files")));
}
