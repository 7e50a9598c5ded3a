mod edits;

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
};

use model::BlobId;

use super::index_nesting::tests::{index_with, trees};
use crate::{
    BlobSource, Checkout, CheckoutView, FileMode, Head, MAX_FILE_BYTES, SourceError, StatCache, Tree, WorkTree,
    head_signature, list, list_work_tree, resolve, testing::Sandbox,
};

fn work_tree_of(sandbox: &Sandbox, folder: &str) -> Checkout {
    Checkout { view: CheckoutView::WorkTree, ..first_checkout(sandbox, folder) }
}

/// Discovers a checkout, which may contain submodules.
fn first_checkout(sandbox: &Sandbox, folder: &str) -> Checkout {
    sandbox.discover(&[folder]).checkouts.remove(0)
}

fn head_of(checkout: &Checkout) -> Option<Head> {
    match resolve(checkout) {
        Err(SourceError::NoCommits { .. }) => None,
        head => Some(head.unwrap()),
    }
}

fn listed(checkout: &Checkout, cache: &StatCache) -> WorkTree {
    list_work_tree(checkout, head_of(checkout).as_ref(), cache, &|_, _| None).unwrap().expect("it is a work tree")
}

type ListedFile = (String, BlobId, u64, FileMode, String);

/// Returns everything about the files of a tree, with their contents.
fn files_of(checkout: &Checkout, tree: &Tree) -> Vec<ListedFile> {
    let reader = BlobSource::open(checkout).unwrap().with_contents_of(tree).reader();
    let file = |file: &crate::TreeFile| {
        let content = reader.read(file).map(|content| String::from_utf8_lossy(&content).into_owned());
        (file.path.clone(), file.blob, file.size, file.mode, content.unwrap_or_else(|error| error.to_string()))
    };
    tree.files.iter().map(file).collect()
}

/// Lists a work tree twice, and compares it with a commit of everything in a copy of the repository.
fn check_equals_its_commit(sandbox: &Sandbox, folder: &str, cache: &StatCache, step: &str) -> WorkTree {
    let checkout = work_tree_of(sandbox, folder);
    let work_tree = listed(&checkout, cache);
    let copy = format!("copy-{}", fs::read_dir(sandbox.path("")).unwrap().count());
    sandbox.run("", &format!("cp -a {folder} {copy}"));
    _ = fs::remove_file(sandbox.path(&format!("{copy}/.git/index.lock")));
    sandbox.commit(&copy);
    let committed = first_checkout(sandbox, &copy);
    let tree = list(&committed, &resolve(&committed).unwrap()).unwrap();
    assert_eq!(files_of(&checkout, &work_tree.tree), files_of(&committed, &tree), "{step}");
    assert_eq!(work_tree.tree.diagnostics, tree.diagnostics, "{step}");
    let again = listed(&checkout, cache);
    assert_eq!((&again.tree.files, &again.changes), (&work_tree.tree.files, &work_tree.changes), "{step}");
    // Links are not compared.
    if let Some(changes) = &work_tree.changes
        && !step.contains("ln -s")
    {
        let tree = sandbox.run(&copy, "git rev-parse HEAD^{tree}");
        assert_eq!(changes.contents.to_string(), tree, "{step}");
    }
    work_tree
}

/// Runs a line of a shell in a folder of the sandbox.
fn sh(sandbox: &Sandbox, folder: &str, script: &str) {
    sandbox.write("script.sh", script);
    sandbox.run(folder, "sh -e ../script.sh");
}

const FILES: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"app\"\n"),
    ("src/lib.rs", "pub fn one() {}\n"),
    ("src/deep/a.rs", "fn a() {}\n"),
    ("src.rs", "fn src() {}\n"),
    ("docs/guide.md", "# Guide\n"),
    ("empty", ""),
    (".gitignore", "/target/\n*.log\n"),
];

#[test]
fn a_work_tree_is_listed_like_a_commit_of_its_files() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    let cache = StatCache::default();
    assert_eq!(check_equals_its_commit(&sandbox, "app", &cache, "clean").changes, None);
    for (script, paths) in [
        ("touch src/lib.rs", &[][..]),
        ("printf 'pub fn two() {}\\n' > src/lib.rs", &["src/lib.rs"]),
        ("git add src/lib.rs", &["src/lib.rs"]),
        ("printf 'pub fn six() {}\\n' > src/lib.rs", &["src/lib.rs"]),
        ("printf new > new.rs; mkdir -p target; printf x > target/x.rs; printf x > a.log", &["new.rs", "src/lib.rs"]),
        ("git add -f a.log", &["a.log", "new.rs", "src/lib.rs"]),
        ("git reset -q; git checkout -q .; rm a.log new.rs", &[]),
        ("mv src/deep src/moved", &["src/deep/a.rs", "src/moved/a.rs"]),
        ("mv src/moved src/deep; git add -A", &[]),
        ("git rm -q --cached docs/guide.md", &[]),
        ("rm docs/guide.md; git add -A; chmod +x src.rs", &["docs/guide.md", "src.rs"]),
        ("rm src.rs; mkdir src.rs; printf x > src.rs/in.rs", &["docs/guide.md", "src.rs", "src.rs/in.rs"]),
        ("git add -A; git commit -q -m two", &[]),
        ("mv Cargo.toml cargo.toml", &["Cargo.toml", "cargo.toml"]),
        (
            "rm cargo.toml; git reset -q --hard; rm -r target; printf '*.md\\n' > .gitignore; printf x > a.log; printf x > b.md",
            &[".gitignore", "a.log"],
        ),
        ("git stash -q -u; rm b.md", &[]),
        ("ln -s src.rs link", &[]),
        ("rm -r src.rs; ln -s src src.rs", &["src.rs/in.rs"]),
        ("rm link src.rs; git checkout -q .; git add -N .; printf x > n.rs; git add -N n.rs", &["n.rs"]),
        ("git update-index --assume-unchanged empty", &["n.rs"]),
        ("rm n.rs; git checkout -q --detach; : > .git/index.lock", &[]),
        ("printf other > src/lib.rs", &["src/lib.rs"]),
        ("rm .git/index.lock; rm .git/index", &["src/lib.rs"]),
    ] {
        sh(&sandbox, "app", script);
        let found = check_equals_its_commit(&sandbox, "app", &cache, script);
        let expected = (!paths.is_empty()).then_some(paths);
        let found: Option<Vec<&str>> =
            found.changes.as_ref().map(|changes| changes.paths.iter().map(String::as_str).collect());
        assert_eq!(found.as_deref(), expected, "{script}");
    }
}

#[test]
fn a_merge_in_progress_has_the_markers_of_its_conflicts() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    sh(&sandbox, "app", "git checkout -q -b topic; printf 'topic\\n' > src.rs; git commit -q -a -m topic");
    sh(&sandbox, "app", "git checkout -q main; printf 'main\\n' > src.rs; git commit -q -a -m main");
    sh(&sandbox, "app", "git merge -q topic || true");
    let found = check_equals_its_commit(&sandbox, "app", &StatCache::default(), "merge");
    assert_eq!(found.changes.unwrap().paths, ["src.rs"]);
    let content = files_of(&work_tree_of(&sandbox, "app"), &found.tree).into_iter().find(|file| file.0 == "src.rs");
    assert!(content.unwrap().4.starts_with("<<<<<<< HEAD\nmain\n======="));
    sh(&sandbox, "app", "git merge --abort; git rebase -q topic >../rebase-output 2>&1 || true");
    let found = check_equals_its_commit(&sandbox, "app", &StatCache::default(), "rebase");
    assert_eq!(found.changes.unwrap().paths, ["src.rs"]);
}

#[test]
fn every_layout_with_a_work_tree_is_read() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    sh(&sandbox, "app", "git worktree add -q ../next; printf '*.tmp\\n' >> .git/info/exclude; printf x > a.tmp");
    sandbox.write("next/src/lib.rs", "pub fn next() {}\n");
    sandbox.write("next/b.tmp", "x");
    for (folder, paths) in [("app", None), ("next", Some(&["src/lib.rs".to_owned()][..]))] {
        let found = listed(&work_tree_of(&sandbox, folder), &StatCache::default());
        assert_eq!(found.changes.as_ref().map(|changes| &*changes.paths), paths, "{folder}");
    }
    // Sparse checkout leaves files out of the work tree, and a sparse index leaves out their entries.
    for sparse in ["--no-sparse-index", "--sparse-index"] {
        sh(&sandbox, "app", &format!("git sparse-checkout set --cone {sparse} docs 2>/dev/null"));
        assert!(!sandbox.path("app/src/deep/a.rs").exists());
        let found = listed(&work_tree_of(&sandbox, "app"), &StatCache::default());
        assert_eq!((found.changes, found.tree.files.len()), (None, FILES.len()), "{sparse}");
        sandbox.write("app/docs/guide.md", "changed");
        let found = listed(&work_tree_of(&sandbox, "app"), &StatCache::default());
        assert_eq!(found.changes.unwrap().paths, ["docs/guide.md"], "{sparse}");
        sh(&sandbox, "app", "git checkout -q .");
    }
    sandbox.repository("lib", FILES);
    sh(&sandbox, "lib", "git -c protocol.file.allow=always submodule --quiet add ../app sub; git commit -q -m sub");
    sandbox.write("lib/sub/src/lib.rs", "changed");
    assert_eq!(check_equals_its_commit(&sandbox, "lib", &StatCache::default(), "submodule").changes, None);
    sandbox.run("lib", "git init -q nested");
    sandbox.write("lib/nested/a.rs", "fn nested() {}");
    assert_eq!(listed(&work_tree_of(&sandbox, "lib"), &StatCache::default()).changes, None, "nested");
    // A bare repository has no work tree.
    sandbox.run("", "git clone -q --bare app bare.git");
    let bare = crate::Discoverer::new(vec![sandbox.path("bare.git")], Default::default());
    let bare = bare.with_view(CheckoutView::WorkTree).discover(Default::default());
    assert_eq!(bare.checkouts[0].view, CheckoutView::Commit);
}

#[test]
fn a_work_tree_without_commits_has_its_files() {
    let sandbox = Sandbox::new();
    sandbox.write("new/a.rs", "fn a() {}");
    sandbox.run("new", "git init -q");
    let checkout = work_tree_of(&sandbox, "new");
    let found = listed(&checkout, &StatCache::default());
    assert_eq!(found.changes.unwrap().paths, ["a.rs"]);
    fs::remove_file(sandbox.path("new/a.rs")).unwrap();
    let found = listed(&checkout, &StatCache::default());
    assert_eq!((found.changes, found.tree.files.len()), (None, 0));
}

#[test]
fn line_ends_that_git_converts_are_no_change() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", &[("a.txt", "one\ntwo\n"), (".gitattributes", "*.txt text\n")]);
    sandbox.write("app/a.txt", "one\r\ntwo\r\n");
    assert_eq!(listed(&work_tree_of(&sandbox, "app"), &StatCache::default()).changes, None);
}

#[test]
fn odd_files_cost_themselves() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    let big = fs::File::create(sandbox.path("app/big.bin")).unwrap();
    big.set_len(2 << 30).unwrap();
    sandbox.write("app/large.rs", &"x".repeat(MAX_FILE_BYTES as usize + 1));
    for name in [".a.rs.swp", "a.rs~", ".#a.rs", "#a.rs#", "4913", "node_modules/a.js", "build/CACHEDIR.TAG"] {
        sandbox.write(&format!("app/{name}"), "x");
    }
    symlink("/etc", sandbox.path("app/etc")).unwrap();
    crate::testing::make_pipe(&sandbox.path("app/pipe"));
    sandbox.write("app/odd/.gitignore/x", "x");
    fs::remove_file(sandbox.path("app/src.rs")).unwrap();
    crate::testing::make_pipe(&sandbox.path("app/src.rs"));
    let found = listed(&work_tree_of(&sandbox, "app"), &StatCache::default());
    assert_eq!(found.changes.unwrap().paths, ["big.bin", "large.rs", "src.rs"]);
    let diagnostics: Vec<String> =
        found.tree.diagnostics.iter().map(|found| format!("{}: {}", found.path, found.message)).collect();
    assert_eq!(
        diagnostics,
        [
            "large.rs: 2097153 bytes, over the limit of 2097152 bytes a file",
            "odd: the folder is not read: `.gitignore`: it is a folder, not a regular file",
            ": 1 symbolic links are not followed",
            ": 2 pipes, sockets and devices are not opened",
        ]
    );
}

#[test]
fn files_of_the_git_folder_that_are_pipes_are_not_opened() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    sandbox.run("app", "git worktree add -q ../next -b next");
    _ = fs::remove_file(sandbox.path("app/.git/info/exclude"));
    crate::testing::make_pipe(&sandbox.path("app/.git/info/exclude"));
    for folder in ["app", "next"] {
        sandbox.write(&format!("{folder}/new.rs"), "x");
        let found = listed(&work_tree_of(&sandbox, folder), &StatCache::default());
        let is_told = |message: &str| message.starts_with("untracked files are not read: `exclude`: it is a pipe");
        assert!(found.tree.diagnostics.iter().any(|found| is_told(&found.message)), "{folder}: {:?}", found.tree);
    }
    crate::testing::make_pipe(&sandbox.path(&format!("app/.git/sharedindex.{}", "1".repeat(40))));
    let checkout = work_tree_of(&sandbox, "app");
    // An expired one, which nothing leads to, is not read.
    listed(&checkout, &StatCache::default());
    fs::write(sandbox.path("app/.git/index"), index_with(b"link", &[0x11; 20])).unwrap();
    let error = list_work_tree(&checkout, head_of(&checkout).as_ref(), &StatCache::default(), &|_, _| None);
    let error = error.map(|_| ()).unwrap_err();
    assert!(matches!(&error, SourceError::Refused { .. }) && error.to_string().contains("sharedindex.1"), "{error}");
}

#[test]
fn an_index_that_is_nested_too_deep_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    let checkout = work_tree_of(&sandbox, "app");
    let head = head_of(&checkout);
    let list = || list_work_tree(&checkout, head.as_ref(), &StatCache::default(), &|_, _| None).map(|_| ());
    for (n_levels, is_refused) in [(20_000, true), (3, false)] {
        fs::write(sandbox.path("app/.git/index"), index_with(b"TREE", &trees(n_levels, 0))).unwrap();
        match list() {
            Err(SourceError::Refused { reason, .. }) => {
                assert!(is_refused && reason.starts_with("`index`"), "{reason}")
            }
            listed => assert!(listed.is_ok() && !is_refused, "{n_levels}: {listed:?}"),
        }
    }
    // A shared index that leads to itself.
    let id = [0xab; 20];
    let name = format!("app/.git/sharedindex.{}", "ab".repeat(20));
    let shared = index_with(b"link", &id);
    fs::write(sandbox.path(&name), [&shared[..shared.len() - id.len()], &id].concat()).unwrap();
    fs::write(sandbox.path("app/.git/index"), shared).unwrap();
    assert!(matches!(list(), Err(SourceError::Refused { reason, .. }) if reason.contains("sharedindex.abab")));
}

#[test]
fn an_index_with_a_shared_one_has_the_entries_of_both() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    let cache = StatCache::default();
    let lines = [
        ("git config splitIndex.maxPercentChange 100; git update-index --split-index", "split"),
        ("echo 1 > added.rs; git add added.rs", "an addition"),
        ("echo 2 >> src.rs; git add src.rs", "a replacement"),
        ("git rm -q src/lib.rs", "a removal"),
        ("echo 3 >> empty; git add empty; git rm -q -f src.rs", "all of them"),
    ];
    for (line, step) in lines {
        sh(&sandbox, "app", line);
        check_equals_its_commit(&sandbox, "app", &cache, step);
    }
    let folder = fs::read_dir(sandbox.path("app/.git")).unwrap();
    let shared =
        folder.map(|entry| entry.unwrap().path()).find(|path| path.to_string_lossy().contains("/sharedindex."));
    let (checkout, shared) = (work_tree_of(&sandbox, "app"), shared.expect("the index is split"));
    let list = || list_work_tree(&checkout, head_of(&checkout).as_ref(), &cache, &|_, _| None).map(|_| ());
    let bytes = fs::read(&shared).unwrap();
    for (content, is_accepted) in [(index_with(b"TREE", b""), false), (bytes, true)] {
        fs::write(&shared, content).unwrap();
        assert_eq!(list().is_ok(), is_accepted, "{:?}", list());
    }
    fs::remove_file(&shared).unwrap();
    assert!(matches!(list(), Err(SourceError::Unreadable { .. })), "{:?}", list());
}

#[test]
fn an_index_that_is_renamed_over_another_one_is_checked() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    let checkout = work_tree_of(&sandbox, "app");
    let (head, index) = (head_of(&checkout), sandbox.path("app/.git/index"));
    let deep = index_with(b"TREE", &trees(20_000, 0));
    let good = fs::read(&index).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for content in [&deep, &good].into_iter().cycle().take(1_000) {
                fs::write(sandbox.path("next"), content).unwrap();
                fs::rename(sandbox.path("next"), &index).unwrap();
            }
        });
        while !writer.is_finished() {
            let listed = list_work_tree(&checkout, head.as_ref(), &StatCache::default(), &|_, _| None);
            assert!(matches!(&listed, Ok(Some(_)) | Err(SourceError::Refused { .. })), "{:?}", listed.map(|_| ()));
        }
    });
}

#[test]
fn trees_that_contain_each_other_are_bounded() {
    let line = "tree=$(for i in 0 1 2 3 4 5 6 7 8 9; do printf '040000 tree %s\\td%s\\n' $tree $i; done | git mktree)";
    for first in ["git mktree < /dev/null", "git rev-parse HEAD^{tree}"] {
        let sandbox = Sandbox::new();
        sandbox.repository("app", FILES);
        let levels = format!("{line}\n").repeat(12);
        let script = format!("tree=$({first})\n{levels}git update-ref HEAD $(git commit-tree -m two $tree)");
        sandbox.write("bomb", &script);
        sandbox.run("app", "sh ../bomb");
        let checkout = work_tree_of(&sandbox, "app");
        let head = head_of(&checkout);
        let error = list_work_tree(&checkout, head.as_ref(), &StatCache::default(), &|_, _| None);
        let error = error.map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("more than 1000000 files and folders differ"), "{first}: {error}");
        let tree = list(&Checkout { view: CheckoutView::Commit, ..checkout }, &head.unwrap()).unwrap();
        let is_told = |message: &str| message.contains("or more files and folders are skipped");
        assert!(tree.diagnostics.iter().any(|found| is_told(&found.message)), "{first}");
    }
}

#[test]
fn an_unreadable_file_keeps_its_committed_content() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    sandbox.write("app/src.rs", "changed, and longer");
    fs::set_permissions(sandbox.path("app/src.rs"), fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(sandbox.path("app/src.rs")).is_ok() {
        // The superuser may read everything.
        return;
    }
    let found = listed(&work_tree_of(&sandbox, "app"), &StatCache::default());
    assert_eq!(found.changes, None);
    assert!(found.tree.diagnostics[0].message.contains("the committed content is used"));
}

#[test]
fn a_file_without_new_times_is_read_if_it_may_have_changed() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    let checkout = work_tree_of(&sandbox, "app");
    let cache = StatCache::default();
    // Same size, and the modification time of before: only the time of the change of the inode is another.
    for (round, content) in ["fn xyz() {}\n", "fn abc() {}\n", "fn src() {}\n"].into_iter().enumerate() {
        let before = fs::metadata(sandbox.path("app/src.rs")).unwrap().modified().unwrap();
        sandbox.write("app/src.rs", content);
        let file = fs::File::options().write(true).open(sandbox.path("app/src.rs")).unwrap();
        file.set_modified(before).unwrap();
        let found = listed(&checkout, &cache);
        assert_eq!(found.changes.is_some(), round < 2, "{content}");
    }
}

#[test]
fn a_work_tree_that_was_removed_is_gone() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    let checkout = work_tree_of(&sandbox, "app");
    let head = head_of(&checkout);
    fs::remove_dir_all(sandbox.path("app")).unwrap();
    let gone = list_work_tree(&checkout, head.as_ref(), &StatCache::default(), &|_, _| None);
    assert!(matches!(gone, Err(SourceError::Gone { .. })));
    assert_eq!(head_signature(&checkout), crate::HeadSignature::Gone);
}

#[test]
fn nothing_is_written_into_the_repository() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    sandbox.write("app/src.rs", "changed");
    sandbox.write("app/new.rs", "new");
    let listing = || sandbox.run("app", "find . -printf %p:%T@:%C@:%s\\n");
    let before = listing();
    let checkout = work_tree_of(&sandbox, "app");
    let found = listed(&checkout, &StatCache::default());
    files_of(&checkout, &found.tree);
    assert_eq!(listing(), before);
}

#[test]
fn folders_that_can_change_are_watched() {
    let sandbox = Sandbox::new();
    sandbox.repository("app", FILES);
    for path in ["target/debug/x", "new/folder/a.rs", "node_modules/a/b.js"] {
        sandbox.write(&format!("app/{path}"), "x");
    }
    sandbox.write("app/target/kept.rs", "x");
    sandbox.run("app", "git add -f target/kept.rs");
    let found = listed(&work_tree_of(&sandbox, "app"), &StatCache::default());
    let root = sandbox.path("app");
    let relative: Vec<&str> =
        found.folders.iter().map(|folder| folder.strip_prefix(&root).unwrap().to_str().unwrap()).collect();
    assert_eq!(relative, ["", "docs", "new", "new/folder", "src", "src/deep", "target"]);
}
