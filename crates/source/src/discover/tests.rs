use std::{collections::BTreeSet, fs, os::unix::fs::symlink};

use model::RepoId;

use super::*;
use crate::{
    CheckoutKind, UnreadReason, identity,
    testing::{Sandbox, make_pipe},
};

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
            ("app@worktree:app-next", CheckoutKind::LinkedWorkTree),
            ("svc", CheckoutKind::WorkTree),
            ("größe 2", CheckoutKind::Folder),
            ("mirror", CheckoutKind::Bare),
            ("notes", CheckoutKind::Folder),
        ]
    );
    assert_eq!(found.diagnostics, []);
    let view = found.checkouts.iter().find(|checkout| checkout.kind == CheckoutKind::LinkedWorkTree).unwrap();
    let expected = ViewOf { repo: found.checkouts[0].repo, name: "worktree:app-next".to_owned() };
    assert_eq!(view.view_of, Some(expected));
    let ids: BTreeSet<RepoId> = found.checkouts.iter().map(|checkout| checkout.repo).collect();
    assert_eq!(ids.len(), found.checkouts.len());
}

#[test]
fn repositories_in_a_work_tree_are_left_out_on_request() {
    let sandbox = Sandbox::new();
    for repository in ["root/app", "root/app/vendored/kit", "root/other"] {
        sandbox.repository(repository, FILES);
    }
    let found = |root: &str| {
        let discoverer = Discoverer::new(vec![sandbox.path(root)], OutsideLinks::default()).without_nested();
        discoverer.discover(AliasRegistry::default())
    };
    assert_eq!(names(&found("root/app")), [("app", CheckoutKind::WorkTree)]);
    assert_eq!(names(&found("root")), [("app", CheckoutKind::WorkTree), ("other", CheckoutKind::WorkTree)]);
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
fn a_linked_work_tree_alone_stands_for_its_repository() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    sandbox.run("app", "git worktree add -q ../next");
    let alone = sandbox.checkout("next");
    assert_eq!((alone.alias.as_str(), alone.view_of), ("next", None));
    let both = sandbox.discover(&["next", "app"]);
    assert_eq!(both.checkouts[1].alias, "app@worktree:next");
    assert_eq!(both, sandbox.discover(&["app", "next"]));
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
    assert_eq!(names(&found), [("app", CheckoutKind::WorkTree), ("broken", CheckoutKind::WorkTree)]);
    let reported: Vec<&str> =
        found.diagnostics.iter().filter_map(|diagnostic| diagnostic.path.rsplit('/').next()).collect();
    assert_eq!(reported, ["broken", "empty", "file", "missing"]);
}

#[test]
fn links_pipes_and_tool_folders_are_not_entered() {
    let sandbox = Sandbox::new();
    sandbox.repository("elsewhere/app", FILES);
    sandbox.repository("root/node_modules/dep", FILES);
    sandbox.repository("root/target/dep", FILES);
    sandbox.repository("root/data/mirrors/dep", FILES);
    sandbox.write("root/data/CACHEDIR.TAG", "");
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
fn a_repository_that_git_cannot_read_is_refused_and_no_folder() {
    let sandbox = Sandbox::new();
    sandbox.repository("root/piped", FILES);
    make_pipe(&sandbox.path("root/piped/.git/packed-refs"));
    fs::create_dir_all(sandbox.path("root/long")).unwrap();
    sandbox.run("root/long", "git init -q --object-format=sha256");
    sandbox.write("root/long/a.rs", "fn a() {}");
    sandbox.run("root", "git init -q --bare bare.git");
    fs::remove_file(sandbox.path("root/bare.git/HEAD")).unwrap();
    make_pipe(&sandbox.path("root/bare.git/HEAD"));
    sandbox.write("root/empty/.git/a", "not a repository");
    sandbox.write("root/empty/b.rs", "fn b() {}");
    let found = sandbox.discover(&["root"]);
    let refused: Vec<(&str, &str)> = found
        .checkouts
        .iter()
        .map(|checkout| match &checkout.unread {
            Some(UnreadReason::Refused(reason)) => (checkout.alias.as_str(), reason.as_str()),
            other => panic!("{checkout:?}: {other:?}"),
        })
        .collect();
    let expected = [
        ("bare", "`HEAD` of the repository: it is a pipe, not a regular file"),
        ("empty", "`objects` of the repository: No such file or directory (os error 2)"),
        ("long", "it uses SHA-256 object ids; only repositories with SHA-1 ids can be indexed"),
        ("piped", "`packed-refs` of the repository: it is a pipe, not a regular file"),
    ];
    assert_eq!(refused, expected);
    let reported: Vec<&str> = found.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    assert!(reported.iter().all(|message| message.starts_with("this repository is not read: ")), "{reported:?}");
    assert_eq!(reported.len(), 4);
}

#[test]
fn a_refused_repository_keeps_its_alias_and_recovers() {
    let sandbox = Sandbox::new();
    sandbox.repository("root/app", FILES);
    sandbox.write("root/notes/a.md", "x");
    let discoverer = Discoverer::new(vec![sandbox.path("root")], OutsideLinks::Refuse);
    let good = discoverer.discover(AliasRegistry::default());
    fs::rename(sandbox.path("root/app/.git"), sandbox.path("aside")).unwrap();
    sandbox.write("root/app/.git", "gitdir: ../../aside");
    let refused = discoverer.discover(good.aliases.clone());
    let ids = |discovery: &Discovery| -> Vec<(String, RepoId)> {
        discovery.checkouts.iter().map(|checkout| (checkout.alias.clone(), checkout.repo)).collect()
    };
    assert_eq!(ids(&refused), ids(&good));
    assert!(
        matches!(&refused.checkouts[0].unread, Some(UnreadReason::Refused(reason)) if reason.contains("leads out"))
    );
    fs::remove_file(sandbox.path("root/app/.git")).unwrap();
    fs::rename(sandbox.path("aside"), sandbox.path("root/app/.git")).unwrap();
    assert_eq!(discoverer.discover(refused.aliases), good);
}

/// Returns the state of each checkout: true if it is read.
fn states(discovery: &Discovery) -> Vec<(&str, bool)> {
    discovery.checkouts.iter().map(|checkout| (checkout.alias.as_str(), checkout.unread.is_none())).collect()
}

#[test]
fn repositories_that_do_not_answer_are_listed_until_they_do() {
    let sandbox = Sandbox::new();
    sandbox.repository("root/app", FILES);
    sandbox.repository("root/lib", &[("lib.rs", "")]);
    sandbox.write("root/notes/a.md", "x");
    let root = sandbox.path("root");
    let discoverer = Discoverer::new(vec![root.clone()], OutsideLinks::Refuse);
    // A read that was left behind by an earlier call.
    let block = || discoverer.reads.facts.block(&root.join("app"));
    let release = block();
    let first = discoverer.discover(AliasRegistry::default());
    assert_eq!(states(&first), [("app", false), ("lib", true), ("notes", true)]);
    assert_eq!((first.diagnostics.len(), &first.checkouts[0].unread), (0, &Some(UnreadReason::Reading)));
    release();
    let read = discoverer.discover(first.aliases);
    assert_eq!(states(&read), [("app", true), ("lib", true), ("notes", true)]);
    assert_eq!(read.checkouts[0].repo, sandbox.checkout("root/app").repo, "its identity does not depend on the time");
    // Later it stays as it was for a while.
    let release = block();
    assert_eq!(discoverer.discover(read.aliases.clone()).checkouts, read.checkouts);
    release();
}

#[test]
fn folders_that_do_not_answer_keep_their_repositories() {
    let sandbox = Sandbox::new();
    sandbox.repository("root/team/app", FILES);
    sandbox.repository("root/lib", FILES);
    sandbox.write("root/notes/a.md", "x");
    let root = sandbox.path("root");
    let discoverer = Discoverer::new(vec![root.clone()], OutsideLinks::Refuse);
    let good = discoverer.discover(AliasRegistry::default());
    assert_eq!(states(&good), [("lib", true), ("notes", true), ("app", true)]);
    for folder in ["team", "team/app", ""] {
        let release = discoverer.reads.folders.block(&root.join(folder));
        let found = discoverer.discover(good.aliases.clone());
        assert_eq!(found.checkouts, good.checkouts, "{folder}");
        assert_eq!(found.diagnostics.len(), 1, "{folder}");
        release();
        assert_eq!(discoverer.discover(good.aliases.clone()), good, "{folder}");
    }
    // A new process knows the repository by its alias.
    let restarted = Discoverer::new(vec![root.clone()], OutsideLinks::Refuse);
    let release = restarted.reads.folders.block(&root.join("team/app"));
    let found = restarted.discover(good.aliases.clone());
    assert_eq!(states(&found), [("lib", true), ("notes", true), ("app", false)]);
    assert_eq!(found.checkouts[2].repo, good.checkouts[2].repo);
    release();
}

#[test]
fn repositories_below_a_root_that_disappears_stay() {
    for is_mount_point in [false, true] {
        let sandbox = Sandbox::new();
        sandbox.repository("root/app", FILES);
        sandbox.write("root/notes/a.md", "x");
        sandbox.repository("single", FILES);
        let roots = vec![sandbox.path("root"), sandbox.path("single")];
        let discoverer = Discoverer::new(roots, OutsideLinks::Refuse);
        let good = discoverer.discover(AliasRegistry::default());
        assert_eq!(states(&good), [("app", true), ("notes", true), ("single", true)]);
        fs::rename(sandbox.path("root"), sandbox.path("aside")).unwrap();
        // A root that is a repository itself has no others that could be missing.
        fs::remove_dir_all(sandbox.path("single")).unwrap();
        if is_mount_point {
            fs::create_dir(sandbox.path("root")).unwrap();
        }
        let ids = |found: &Discovery| -> Vec<RepoId> { found.checkouts.iter().map(|found| found.repo).collect() };
        for _ in 0..2 {
            let lost = discoverer.discover(good.aliases.clone());
            assert_eq!(states(&lost), [("app", false), ("notes", false)], "{is_mount_point}");
            assert_eq!(ids(&lost), ids(&good)[..2], "{is_mount_point}");
            assert_eq!(lost.diagnostics.len(), 2, "{:?}", lost.diagnostics);
        }
        _ = fs::remove_dir(sandbox.path("root"));
        fs::rename(sandbox.path("aside"), sandbox.path("root")).unwrap();
        let back = discoverer.discover(good.aliases.clone());
        assert_eq!((states(&back), ids(&back)), (vec![("app", true), ("notes", true)], ids(&good)[..2].to_vec()));
        fs::remove_dir_all(sandbox.path("root/app")).unwrap();
        fs::remove_dir_all(sandbox.path("root/notes")).unwrap();
        assert!(discoverer.discover(good.aliases).checkouts.is_empty(), "a root that was emptied is empty");
    }
}

#[test]
fn repositories_of_a_root_that_was_removed_below_another_one_are_gone() {
    let (team, outer) = ("outer/team", "outer");
    for (roots, lost, others, is_kept) in [
        (&[outer, team][..], team, &["mine"][..], false),
        (&[team, outer], team, &["mine"], false),
        // Nothing else tells that the file system of the root has answered.
        (&[team], team, &[], true),
        (&[team, "outer/mine"], team, &["mine"], true),
        (&[outer, team], outer, &[], true),
    ] {
        let sandbox = Sandbox::new();
        sandbox.repository("outer/team/app", FILES);
        sandbox.repository("outer/mine", FILES);
        let discoverer = Discoverer::new(roots.iter().map(|root| sandbox.path(root)).collect(), OutsideLinks::Refuse);
        let good = discoverer.discover(AliasRegistry::default());
        fs::rename(sandbox.path(lost), sandbox.path("aside")).unwrap();
        for _ in 0..2 {
            let found = discoverer.discover(good.aliases.clone());
            let readable = found.checkouts.iter().filter(|checkout| checkout.unread.is_none());
            let readable: Vec<&str> = readable.map(|checkout| checkout.alias.as_str()).collect();
            let has_app = found.checkouts.iter().any(|checkout| checkout.alias == "app");
            assert_eq!((readable.as_slice(), has_app), (others, is_kept), "{roots:?}: {:?}", found.diagnostics);
        }
    }
}

#[test]
fn repositories_below_a_root_that_is_lost_before_the_start_stay() {
    // The repositories and folders below the root, the loss, and whether they are kept.
    type Loss = fn(&Sandbox);
    let moved: Loss = |sandbox| fs::rename(sandbox.path("root"), sandbox.path("aside")).unwrap();
    let unmounted: Loss = |sandbox| {
        fs::rename(sandbox.path("root"), sandbox.path("aside")).unwrap();
        fs::create_dir(sandbox.path("root")).unwrap();
    };
    let replaced: Loss = |sandbox| {
        fs::rename(sandbox.path("root"), sandbox.path("aside")).unwrap();
        sandbox.write("root", "a file");
    };
    let unreachable: Loss = |sandbox| {
        fs::rename(sandbox.path("root"), sandbox.path("aside")).unwrap();
        symlink("root", sandbox.path("root")).unwrap();
    };
    let emptied: Loss = |sandbox| {
        fs::create_dir(sandbox.path("aside")).unwrap();
        for name in ["app", "notes"] {
            fs::rename(sandbox.path("root").join(name), sandbox.path("aside").join(name)).unwrap();
        }
    };
    for (case, lose, is_kept) in [
        ("moved", moved, true),
        ("unmounted", unmounted, true),
        ("replaced", replaced, true),
        ("unreachable", unreachable, true),
        ("emptied", emptied, false),
    ] {
        let sandbox = Sandbox::new();
        sandbox.repository("root/app", FILES);
        sandbox.write("root/notes/a.md", "x");
        let roots = vec![sandbox.path("root")];
        let before = Discoverer::new(roots.clone(), OutsideLinks::Refuse);
        let good = before.discover(AliasRegistry::default());
        assert_eq!(states(&good), [("app", true), ("notes", true)]);
        lose(&sandbox);
        let unknown = Discoverer::new(roots.clone(), OutsideLinks::Refuse).discover(good.aliases.clone());
        assert!(unknown.checkouts.is_empty(), "{case}: nothing else is known of the root");
        let ids = |found: &Discovery| -> Vec<RepoId> { found.checkouts.iter().map(|found| found.repo).collect() };
        // It may be lost for several starts.
        let mut known = before.known_roots();
        for _ in 0..2 {
            let restarted = Discoverer::new(roots.clone(), OutsideLinks::Refuse).with_known_roots(known);
            let lost = restarted.discover(good.aliases.clone());
            match is_kept {
                true => assert_eq!(
                    (states(&lost).as_slice(), ids(&lost)),
                    (&[("app", false), ("notes", false)][..], ids(&good))
                ),
                false => assert!(lost.checkouts.is_empty(), "{case}"),
            }
            known = restarted.known_roots();
        }
        if !is_kept {
            continue;
        }
        let restarted = Discoverer::new(roots, OutsideLinks::Refuse).with_known_roots(known);
        _ = restarted.discover(good.aliases.clone());
        let root = sandbox.path("root");
        _ = fs::remove_file(&root).or_else(|_| fs::remove_dir(&root));
        fs::rename(sandbox.path("aside"), &root).unwrap();
        let back = restarted.discover(good.aliases.clone());
        assert_eq!((states(&back), ids(&back)), (states(&good), ids(&good)), "{case}");
    }
}
