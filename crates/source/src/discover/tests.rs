use std::{collections::BTreeSet, fs, os::unix::fs::symlink};

use super::*;
use crate::testing::{Sandbox, make_pipe};

const FILES: &[(&str, &str)] = &[("a.rs", "fn a() {}")];

/// Returns the alias and kind of each checkout.
fn names(discovery: &Discovery) -> Vec<(&str, CheckoutKind)> {
    discovery.checkouts.iter().map(|checkout| (checkout.alias.as_str(), checkout.kind)).collect()
}

#[test]
fn every_layout_is_discovered_with_adjacent_folders() {
    let sandbox = Sandbox::new();
    sandbox.repository("root/app", FILES);
    sandbox.run("root", "git clone -q --bare app mirror.git");
    sandbox.run("root/app", "git worktree add -q ../app-next");
    sandbox.run("root/app", "git -c protocol.file.allow=always submodule --quiet add ../mirror.git libs/core");
    sandbox.repository("root/group/deep/er/svc", FILES);
    sandbox.write("root/notes/plan.md", "plan");
    sandbox.write("root/größe 2/a.txt", "x");
    sandbox.write("root/.hidden/a.txt", "x");
    fs::create_dir_all(sandbox.path("root/empty")).unwrap();
    let found = sandbox.discover(&["root"]);
    assert_eq!(
        names(&found),
        [
            ("app", CheckoutKind::WorkTree),
            ("core", CheckoutKind::WorkTree),
            ("app-next", CheckoutKind::LinkedWorkTree),
            ("svc", CheckoutKind::WorkTree),
            ("größe 2", CheckoutKind::Folder),
            ("mirror", CheckoutKind::Bare),
            ("notes", CheckoutKind::Folder),
        ]
    );
    assert_eq!(found.diagnostics, []);
    let ids: BTreeSet<RepoId> = found.checkouts.iter().map(|checkout| checkout.repo).collect();
    assert_eq!(ids.len(), found.checkouts.len());
}

#[test]
fn a_root_may_be_the_repository_or_its_git_folder() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    for root in ["app", "app/.git"] {
        assert_eq!(names(&sandbox.discover(&[root])), [("app", CheckoutKind::WorkTree)], "{root}");
    }
    assert_eq!(sandbox.discover(&["app", "app/.git"]), sandbox.discover(&["app"]));
}

#[test]
fn a_root_without_repositories_is_one_folder() {
    let sandbox = Sandbox::new();
    sandbox.write("docs/a/b.md", "x");
    assert_eq!(names(&sandbox.discover(&["docs"])), [("docs", CheckoutKind::Folder)]);
}

#[test]
fn an_unreadable_root_is_reported_and_the_rest_is_found() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    fs::create_dir_all(sandbox.path("empty/x")).unwrap();
    sandbox.write("file", "x");
    sandbox.write("broken/.git", "gitdir: /nonexistent");
    let found = sandbox.discover(&["missing", "empty", "file", "broken", "app"]);
    assert_eq!(names(&found), [("app", CheckoutKind::WorkTree)]);
    let reported: Vec<&str> =
        found.diagnostics.iter().filter_map(|diagnostic| diagnostic.path.rsplit('/').next()).collect();
    assert_eq!(reported, ["broken", "broken", "empty", "file", "missing"]);
}

#[test]
fn links_pipes_and_tool_folders_are_not_entered() {
    let sandbox = Sandbox::new();
    sandbox.repository("elsewhere/app", FILES);
    sandbox.repository("root/node_modules/dep", FILES);
    sandbox.repository("root/target/dep", FILES);
    sandbox.repository("root/own", FILES);
    symlink(sandbox.path("elsewhere"), sandbox.path("root/link")).unwrap();
    symlink(sandbox.path("root"), sandbox.path("root/own/loop")).unwrap();
    fs::create_dir_all(sandbox.path("root/pipes")).unwrap();
    make_pipe(&sandbox.path("root/pipes/p"));
    assert_eq!(names(&sandbox.discover(&["root"])), [("own", CheckoutKind::WorkTree)]);
}

#[test]
fn aliases_and_identities_ignore_the_order_of_roots() {
    let sandbox = Sandbox::new();
    sandbox.repository("team-a/api", &[("a.rs", "1")]);
    sandbox.repository("team-b/api", &[("a.rs", "2")]);
    let found = sandbox.discover(&["team-a", "team-b"]);
    assert_eq!(names(&found), [("team-a/api", CheckoutKind::WorkTree), ("team-b/api", CheckoutKind::WorkTree)]);
    assert_eq!(found, sandbox.discover(&["team-b", "team-a", "team-b/api"]));
}

#[test]
fn a_clone_has_the_identity_of_its_origin() {
    let sandbox = Sandbox::new();
    sandbox.repository("one/app", FILES);
    sandbox.write("one/app/b.rs", "fn b() {}");
    sandbox.commit("one/app");
    // A local origin is ignored: the identity is the first commit, which both share.
    sandbox.run("", &format!("git clone -q file://{} two/other", sandbox.path("one/app").display()));
    assert_eq!(sandbox.checkout("one/app").repo, sandbox.checkout("two/other").repo);
    let both = sandbox.discover(&["one", "two"]);
    assert_ne!(both.checkouts[0].repo, both.checkouts[1].repo);
    assert_eq!(both.checkouts[0].repo, sandbox.checkout("one/app").repo);
    // A remote origin is the identity at any path.
    sandbox.run("one/app", "git remote add origin git@example.org:acme/app.git");
    sandbox.run("two/other", "git remote set-url origin https://example.org/acme/app");
    assert_eq!(sandbox.checkout("one/app").repo, sandbox.checkout("two/other").repo);
    assert_eq!(sandbox.checkout("one/app").repo, identity::of_origin("example.org/acme/app"));
}

#[test]
fn a_repository_without_commits_is_found() {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path("new")).unwrap();
    sandbox.run("new", "git init -q");
    let checkout = sandbox.checkout("new");
    assert_eq!((checkout.alias.as_str(), checkout.repo), ("new", identity::of_name("", "new")));
}

#[test]
fn a_repository_that_git_cannot_read_is_a_reported_folder() {
    let sandbox = Sandbox::new();
    sandbox.repository("piped", FILES);
    make_pipe(&sandbox.path("piped/.git/packed-refs"));
    fs::create_dir_all(sandbox.path("long")).unwrap();
    sandbox.run("long", "git init -q --object-format=sha256");
    sandbox.write("long/a.rs", "fn a() {}");
    let found = sandbox.discover(&["piped", "long"]);
    assert_eq!(names(&found), [("long", CheckoutKind::Folder), ("piped", CheckoutKind::Folder)]);
    let reported: Vec<&str> = found.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    assert!(reported.iter().all(|message| message.starts_with("this looks like a repository")), "{reported:?}");
    assert_eq!(reported.len(), 2);
}
