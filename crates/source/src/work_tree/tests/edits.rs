//! Listings of a work tree whose changes are followed are those of a work tree that is listed from nothing.

use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::drop_unused_listings;

/// Lists a work tree after changes of these paths, and compares it with a listing from nothing.
fn check_followed(sandbox: &Sandbox, cache: &StatCache, changed: &[&str], step: &str) {
    let checkout = work_tree_of(sandbox, "app");
    changed.iter().for_each(|path| cache.note_changed(Path::new(path)));
    let found = listed(&checkout, cache);
    cache.follow_changes();
    let expected = listed(&checkout, &StatCache::default());
    assert_eq!(files_of(&checkout, &found.tree), files_of(&checkout, &expected.tree), "{step}");
    assert_eq!(found.tree.files, expected.tree.files, "{step}");
    assert_eq!(found.tree.diagnostics, expected.tree.diagnostics, "{step}");
    assert_eq!((&found.changes, &found.folders), (&expected.changes, &expected.folders), "{step}");
}

#[test]
fn the_changes_of_a_followed_work_tree_are_listed() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    let cache = StatCache::default();
    check_followed(&sandbox, &cache, &[], "begin");
    for (script, changed) in [
        ("printf 'pub fn two() {}\\n' > src/lib.rs", &["src/lib.rs"][..]),
        ("printf 'pub fn six() {}\\n' > src/lib.rs", &["src/lib.rs"]),
        ("printf more >> src/lib.rs; printf x > tmp.1; mv tmp.1 src.rs", &["src/lib.rs", "src.rs", "tmp.1"]),
        ("chmod +x src.rs", &["src.rs"]),
        ("printf 'fn src() {}\\n' > src.rs; chmod -x src.rs", &["src.rs"]),
        ("printf 'fn src() {}\\r\\n' > src.rs", &["src.rs"]),
        ("printf new > new.rs", &["new.rs"]),
        ("printf newer > new.rs", &["new.rs"]),
        ("rm new.rs", &["new.rs"]),
        ("printf x > a.log", &["a.log"]),
        ("printf '*.md\\n' > .gitignore", &[".gitignore"]),
        ("printf y > a.log; printf z > empty", &["a.log", "empty"]),
        ("rm src/deep/a.rs", &["src/deep/a.rs"]),
        ("rm -r src/deep", &["src/deep"]),
        ("mkdir src/deep; printf x > src/deep/b.rs", &["src/deep"]),
        ("rm -r src/deep; ln -s .. src/deep", &["src/deep"]),
        ("rm src/deep; ln -s empty link", &["src/deep", "link"]),
        ("rm link", &["link"]),
        ("rm src.rs; ln -s empty src.rs", &["src.rs"]),
        ("rm src.rs; head -c 3000000 /dev/zero | tr '\\0' x > src.rs", &["src.rs"]),
        ("printf small > src.rs", &["src.rs"]),
        ("printf a > src.rs; printf b > src.rs~", &["src.rs"]),
        ("printf a > src.rs; rm src.rs~; git add src.rs", &["src.rs"]),
        ("git commit -q -m two; printf c > src.rs", &["src.rs"]),
        ("printf d > src.rs; mkdir -p .git/info; printf 'Cargo.toml\\n' > .git/info/exclude", &["src.rs"]),
        ("git rm -q --cached Cargo.toml; printf e > src.rs", &["src.rs"]),
        ("git config core.filemode false; chmod +x src.rs", &["src.rs"]),
        ("printf f > src.rs", &["src.rs"]),
    ] {
        sh(&sandbox, "app", script);
        check_followed(&sandbox, &cache, changed, script);
    }
}

#[test]
fn only_changed_paths_of_a_followed_work_tree_are_read() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    let (checkout, cache) = (work_tree_of(&sandbox, "app"), StatCache::default());
    let changed_after = |path: &str, note: &dyn Fn()| {
        sandbox.write(&format!("app/{path}"), &format!("fn {}() {{}}\n", path.len()));
        note();
        let found = listed(&checkout, &cache).changes.map(|changes| changes.paths).unwrap_or_default();
        cache.follow_changes();
        found
    };
    let note = |path: &'static str| move |cache: &StatCache| cache.note_changed(Path::new(path));
    assert_eq!(changed_after("src.rs", &|| {}), ["src.rs"]);
    // The first edit makes a listing that is kept.
    assert_eq!(changed_after("empty", &|| note("empty")(&cache)), ["empty", "src.rs"]);
    // The event of a change is missing, so that its file is not read.
    assert_eq!(changed_after("src/lib.rs", &|| note("empty")(&cache)), ["empty", "src.rs"]);
    assert_eq!(changed_after("src/deep/a.rs", &|| note("src/deep/a.rs")(&cache)), ["empty", "src.rs", "src/deep/a.rs"]);
    assert_eq!(
        changed_after("src/deep/a.rs", &|| cache.note_unnamed_changes()),
        ["empty", "src.rs", "src/deep/a.rs", "src/lib.rs"]
    );
    // Changes that are not followed any more may be any.
    sandbox.write("app/docs/guide.md", "# Other\n");
    listed(&checkout, &cache);
    assert!(
        listed(&checkout, &cache).changes.is_some_and(|changes| changes.paths.contains(&"docs/guide.md".to_owned()))
    );
}

#[test]
fn a_tracked_file_with_a_temporary_name_is_read_each_time() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    sh(&sandbox, "app", "printf a > 'old.rs~'; git add -f 'old.rs~'; git commit -q -m two");
    let checkout = work_tree_of(&sandbox, "app");
    let cache = edited(&checkout);
    // The events of these changes are missing. The listing is kept, so that only the first one is found.
    sh(&sandbox, "app", "printf bc > 'old.rs~'; printf 'fn other() {}' > src.rs");
    let found = listed(&checkout, &cache).changes.map(|changes| changes.paths).unwrap_or_default();
    assert_eq!(found, ["old.rs~"]);
    cache.follow_changes();
    cache.note_changed(Path::new("src.rs"));
    sh(&sandbox, "app", "rm 'old.rs~'");
    check_followed(&sandbox, &cache, &[], "gone");
}

#[test]
fn a_listing_is_dropped_after_a_time() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    let (checkout, cache) = (work_tree_of(&sandbox, "app"), StatCache::default());
    for _ in 0..2 {
        listed(&checkout, &cache);
        cache.follow_changes();
        cache.note_changed(Path::new("empty"));
    }
    drop_unused_listings([&cache].into_iter(), Some(std::time::Instant::now()));
    // The event of this change is missing.
    sandbox.write("app/src.rs", "fn other() {}\n");
    assert!(listed(&checkout, &cache).changes.is_some());
}

/// Returns a cache with the kept listing of a work tree that is being edited.
fn edited(checkout: &Checkout) -> StatCache {
    let cache = StatCache::default();
    for _ in 0..2 {
        listed(checkout, &cache);
        cache.follow_changes();
        cache.note_changed(Path::new("empty"));
    }
    cache
}

#[test]
fn only_the_listings_of_the_last_edited_work_trees_are_kept() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    let checkout = work_tree_of(&sandbox, "app");
    let caches: Vec<StatCache> = (0..6).map(|_| edited(&checkout)).collect();
    let are_kept = || -> Vec<bool> { caches.iter().map(|cache| cache.listing.used_at().is_some()).collect() };
    assert_eq!(are_kept(), [true; 6]);
    drop_unused_listings(caches.iter(), None);
    assert_eq!(are_kept(), [false, false, true, true, true, true]);
}

#[test]
fn a_listing_that_ends_after_another_one_began_is_not_kept() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    let checkout = work_tree_of(&sandbox, "app");
    let cache = edited(&checkout);
    let late = cache.listing.begin();
    let (kept, _) = late.kept.expect("a listing is kept");
    sandbox.write("app/src.rs", "fn other() {}\n");
    cache.note_changed(Path::new("src.rs"));
    listed(&checkout, &cache);
    cache.follow_changes();
    cache.listing.keep(late.number, kept);
    cache.note_changed(Path::new("empty"));
    assert_eq!(listed(&checkout, &cache).changes.expect("a file has changed").paths, ["src.rs"]);
}

#[test]
fn a_work_tree_with_problems_is_listed_from_nothing() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    sh(&sandbox, "app", "rm .gitignore; mkdir .gitignore");
    let checkout = work_tree_of(&sandbox, "app");
    let cache = edited(&checkout);
    // The event of this change is missing.
    sandbox.write("app/src.rs", "fn other() {}\n");
    let found = listed(&checkout, &cache);
    assert_eq!(found.changes.expect("files have changed").paths, [".gitignore", "src.rs"]);
    assert!(found.folders.contains(&sandbox.path("app")));
}

#[test]
fn the_diagnostic_of_a_file_ends_with_its_reason() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    let id = sandbox.run("app", "git rev-parse HEAD:src.rs");
    fs::remove_file(sandbox.path("app/.git/objects").join(&id[..2]).join(&id[2..])).unwrap();
    let cache = StatCache::default();
    check_followed(&sandbox, &cache, &[], "begin");
    for (script, changed) in [
        ("printf x > empty", &["empty"]),
        ("printf 'fn two() {}\\n' > src.rs", &["src.rs"]),
        ("printf 'fn six() {}\\n' > src.rs", &["src.rs"]),
    ] {
        sh(&sandbox, "app", script);
        check_followed(&sandbox, &cache, changed, script);
    }
}

#[test]
fn folders_that_were_left_out_are_listed_once_nothing_is_in_the_way() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    let cache = StatCache::default();
    check_followed(&sandbox, &cache, &[], "begin");
    for (script, changed) in [
        ("git init -q lib; printf x > lib/a.rs", &["lib"][..]),
        ("printf a > empty", &["empty"]),
        // These folders are not watched.
        ("rm -rf lib/.git; printf b > empty", &["empty"]),
        ("mkdir out; printf x > out/CACHEDIR.TAG; printf x > out/a.rs", &["out"]),
        ("printf c > empty", &["empty"]),
        ("rm out/CACHEDIR.TAG; printf d > empty", &["empty"]),
        ("mkdir d; printf x > d/a.rs; git add d; printf x > d/CACHEDIR.TAG; printf y > d/b.rs", &["d"]),
        ("rm d/CACHEDIR.TAG", &["d/CACHEDIR.TAG"]),
    ] {
        sh(&sandbox, "app", script);
        check_followed(&sandbox, &cache, changed, script);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_edits_of_a_followed_work_tree_are_listed(edits in prop::collection::vec((0..9usize, 0..4usize), 1..8)) {
        const PATHS: [&str; 9] =
            ["src.rs", "empty", "src/lib.rs", "docs/guide.md", "new.rs", "src/deep/a.rs", "x.log", ".gitignore", "src/deep"];
        let sandbox = Sandbox::new();
        sandbox.repository("app", FILES);
        let cache = StatCache::default();
        check_followed(&sandbox, &cache, &[], "begin");
        for (step, (path, kind)) in edits.into_iter().enumerate() {
            let path = PATHS[path];
            let script = match kind {
                0 | 1 if path != "src/deep" => format!("mkdir -p $(dirname {path}); printf {step} > {path}"),
                2 => format!("rm -rf {path}"),
                _ => format!("if [ -f {path} ]; then chmod +x {path}; fi"),
            };
            let folder = Path::new(path).parent().and_then(Path::to_str).unwrap_or_default();
            let is_new_folder = !sandbox.path(&format!("app/{folder}")).exists();
            sh(&sandbox, "app", &script);
            let changed = if is_new_folder { &[path, folder][..] } else { &[path] };
            check_followed(&sandbox, &cache, changed, &script);
        }
    }
}
