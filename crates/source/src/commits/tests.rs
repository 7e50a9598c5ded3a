use std::fs;

use model::{ChangeKind, CommitId, Person};

use super::*;
use crate::{resolve, testing::Sandbox};

const DAY: i64 = 86_400;

/// Runs a script in a repository: `+ PATH LINE|LINE` writes a file, `- PATH` removes one, `commit WORD` commits all, and
/// anything else is a command.
fn run(sandbox: &Sandbox, folder: &str, script: &[&str]) {
    if !sandbox.path(folder).exists() {
        fs::create_dir_all(sandbox.path(folder)).unwrap();
        sandbox.run(folder, "git init -q -b main");
    }
    for line in script {
        match line.split(' ').collect::<Vec<_>>()[..] {
            ["+", path, lines] => sandbox.write(&format!("{folder}/{path}"), &(lines.replace('|', "\n") + "\n")),
            ["-", path] => fs::remove_file(sandbox.path(folder).join(path)).unwrap(),
            ["commit", subject] => commit_as(sandbox, folder, "", subject),
            _ => _ = sandbox.run(folder, line),
        }
    }
}

fn commit_as(sandbox: &Sandbox, folder: &str, environment: &str, subject: &str) {
    sandbox.run(folder, "git add -A");
    sandbox
        .run(folder, format!("env {environment} git commit -q --allow-empty -m {subject}").replace("  ", " ").as_str());
}

fn sandbox_of(script: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    run(&sandbox, "app", script);
    sandbox
}

fn walk(sandbox: &Sandbox, folder: &str, since: Option<&WalkedTo>) -> CommitWalk {
    walk_within(sandbox, folder, since, WalkBounds::default())
}

fn walk_within(sandbox: &Sandbox, folder: &str, since: Option<&WalkedTo>, bounds: WalkBounds) -> CommitWalk {
    let checkout = sandbox.checkout(folder);
    commits(&checkout, &resolve(&checkout).unwrap(), since, bounds).unwrap()
}

fn subjects(walk: CommitWalk) -> Vec<String> {
    walk.map(|commit| commit.subject).collect()
}

/// Writes a walk as `SUBJECT: +added -deleted ~modified from>to`, one commit a line.
fn render(walk: CommitWalk) -> Vec<String> {
    let change = |change: &model::Change| match &change.kind {
        ChangeKind::Added => format!(" +{}", change.path),
        ChangeKind::Deleted => format!(" -{}", change.path),
        ChangeKind::Modified => format!(" ~{}", change.path),
        ChangeKind::Renamed { from } => format!(" {from}>{}", change.path),
    };
    walk.map(|commit| format!("{}:{}", commit.subject, commit.changes.iter().map(change).collect::<String>())).collect()
}

fn check(script: &[&str], expected: &[&str]) {
    assert_eq!(render(walk(&sandbox_of(script), "app", None)), expected, "{script:?}");
}

#[test]
fn every_commit_lists_its_changes() {
    check(
        &["+ a 1", "+ d/b 2", "commit one", "+ a 3", "- d/b", "+ c 4", "commit two", "commit three"],
        &["one: +a +d/b", "two: ~a +c -d/b", "three:"],
    );
    check(&["+ a 1", "commit one", "chmod +x a", "commit two"], &["one: +a", "two:"]);
    check(&["+ a 1", "commit one", "- a", "ln -s b a", "commit two"], &["one: +a", "two: -a"]);
    check(&["+ a 1", "commit one", "- a", "+ a/b 2", "commit two"], &["one: +a", "two: -a +a/b"]);
}

#[test]
fn renamed_files_are_followed() {
    let moved = |first: &str, then: &[&str], expected: &str| {
        let script = [&[first, "commit one"], then, &["commit two"]].concat();
        assert_eq!(render(walk(&sandbox_of(&script), "app", None))[1], expected, "{script:?}");
    };
    moved("+ a 1|2|3|4", &["git mv a b"], "two: a>b");
    moved("+ a.rs 1|2|3|4", &["- a.rs", "+ b.rs 1|2|3|5"], "two: a.rs>b.rs");
    moved("+ d/a 1|2|3|4", &["- d/a", "+ e/f/a 1|2|3|5"], "two: d/a>e/f/a");
    moved("+ a.rs 1|2|3|4", &["- a.rs", "+ b.py 1|2|3|5"], "two: -a.rs +b.py");
    moved("+ a 1|2|3|4", &["- a", "+ b 5|6|7|8"], "two: -a +b");
    moved("+ a 1|2|3|4", &["+ b 1|2|3|4"], "two: +b");
    check(
        &["+ d/x 1|2", "+ d/y 1|2", "commit one", "mkdir e", "git mv d/x e/x", "git mv d/y e/y", "commit two"],
        &["one: +d/x +d/y", "two: d/x>e/x d/y>e/y"],
    );
    check(&["touch a", "commit one", "git mv a b", "commit two"], &["one: +a", "two: -a +b"]);
}

/// Two branches, one merged into the other on the way, and both into `main`.
const BRANCHES: &[&str] = &[
    "+ a 1",
    "commit one",
    "git checkout -q -b side",
    "+ s 1",
    "commit side-one",
    "git checkout -q main",
    "+ a 2",
    "commit two",
    "git checkout -q side",
    "git merge -q -m side-merge main",
    "+ s 2",
    "commit side-two",
    "git checkout -q main",
    "+ b 1",
    "commit three",
    "git merge -q --no-ff -m merge side",
    "+ a 3",
    "commit four",
];

#[test]
fn commits_of_a_merged_branch_come_right_before_the_merge() {
    check(
        BRANCHES,
        &["one: +a", "two: ~a", "three: +b", "side-one: +s", "side-merge:", "side-two: ~s", "merge: +s", "four: ~a"],
    );
    let merges = walk(&sandbox_of(BRANCHES), "app", None).filter(|commit| commit.is_merge).map(|commit| commit.subject);
    assert_eq!(merges.collect::<Vec<_>>(), ["side-merge", "merge"]);
}

#[test]
fn a_merge_may_have_many_parents() {
    check(
        &[
            "+ a 1",
            "commit one",
            "git checkout -q -b x",
            "+ x 1",
            "commit x",
            "git checkout -q -b y main",
            "+ y 1",
            "commit y",
            "git checkout -q main",
            "+ b 1",
            "commit two",
            "git merge -q -m all x y",
        ],
        &["one: +a", "two: +b", "x: +x", "y: +y", "all: +x +y"],
    );
}

#[test]
fn a_walk_continues_from_every_commit_on_the_first_parent_line() {
    let sandbox = sandbox_of(BRANCHES);
    let whole: Vec<Commit> = walk(&sandbox, "app", None).collect();
    for n_back in 0..5 {
        sandbox.run("app", &format!("git checkout -q --detach main~{n_back}"));
        let first = walk(&sandbox, "app", None);
        let to = first.to;
        let mut pieced: Vec<Commit> = first.collect();
        sandbox.run("app", "git checkout -q main");
        let rest = walk(&sandbox, "app", to.as_ref());
        assert!(rest.is_continued);
        assert_eq!(rest.to.unwrap().tip, whole.last().unwrap().id);
        pieced.extend(rest);
        assert_eq!(pieced, whole, "{n_back} back");
    }
}

#[test]
fn a_rewritten_history_restarts_the_walk() {
    let sandbox = sandbox_of(BRANCHES);
    let to = walk(&sandbox, "app", None).to;
    let goes_on = |script: &[&str]| {
        run(&sandbox, "app", script);
        let walk = walk(&sandbox, "app", to.as_ref());
        (walk.is_continued, walk.n_left())
    };
    assert_eq!(goes_on(&["+ z 1", "commit five"]), (true, 1));
    assert_eq!(goes_on(&["git reset -q --hard main~2", "+ z 1", "commit other"]), (false, 8));
    assert_eq!(goes_on(&["git checkout -q side"]), (false, 5));
    assert_eq!(goes_on(&["git checkout -q --orphan new", "commit first"]), (false, 1));
    let elsewhere = WalkedTo { tip: CommitId([7; 20]), ..to.unwrap() };
    assert!(!walk(&sandbox, "app", Some(&elsewhere)).is_continued);
}

#[test]
fn wrong_clocks_neither_hide_nor_repeat_commits() {
    let sandbox = sandbox_of(&["+ a 1", "commit one", "git checkout -q -b side", "+ s 1", "commit side"]);
    run(&sandbox, "app", &["git checkout -q main"]);
    for (year, subject) in [("1970", "two"), ("2090", "three"), ("1970", "four")] {
        commit_as(&sandbox, "app", &format!("GIT_COMMITTER_DATE={year}-01-02T00:00:00Z"), subject);
    }
    let to = walk(&sandbox, "app", None).to;
    run(&sandbox, "app", &["git merge -q -m merge side"]);
    let rest = walk(&sandbox, "app", to.as_ref());
    assert!(rest.is_continued);
    assert_eq!(subjects(rest), ["side", "merge"]);
    assert_eq!(subjects(walk(&sandbox, "app", None)), ["one", "two", "three", "four", "side", "merge"]);
}

#[test]
fn a_walk_respects_its_bounds() {
    let sandbox = Sandbox::new();
    run(&sandbox, "app", &[]);
    for (day, subject) in [(1, "one"), (11, "two"), (1, "three"), (21, "four"), (22, "five")] {
        commit_as(&sandbox, "app", &format!("GIT_COMMITTER_DATE=2021-05-{day:02}T00:00:00Z"), subject);
    }
    let check = |max_commits: usize, max_age: i64, expected: &[&str], extent: Extent| {
        let walk = walk_within(&sandbox, "app", None, WalkBounds { max_commits, max_age });
        assert_eq!(walk.extent, extent);
        assert_eq!(subjects(walk), expected);
    };
    check(5, 30 * DAY, &["one", "two", "three", "four", "five"], Extent::Whole);
    check(2, 30 * DAY, &["four", "five"], Extent::Bounded);
    check(5, 12 * DAY, &["two", "three", "four", "five"], Extent::Bounded);
    check(5, 0, &["five"], Extent::Bounded);
    check(0, 0, &[], Extent::Bounded);
}

#[test]
fn a_shallow_clone_returns_its_available_commits() {
    let sandbox = sandbox_of(&["+ a 1", "commit one", "+ a 2", "commit two", "+ a 3", "commit three"]);
    let origin = format!("file://{}", sandbox.path("app").display());
    sandbox.run("", &format!("git clone -q --depth 2 {origin} clone"));
    let shallow = walk(&sandbox, "clone", None);
    let to = shallow.to;
    assert_eq!(shallow.extent, Extent::Shallow);
    assert_eq!(render(shallow), ["two:", "three: ~a"]);
    sandbox.run("clone", "git fetch -q --unshallow");
    let whole = walk(&sandbox, "clone", to.as_ref());
    assert_eq!((whole.is_continued, whole.extent, whole.n_left()), (false, Extent::Whole, 3));
}

#[test]
fn commits_that_lead_to_themselves_are_walked_once() {
    let sandbox = sandbox_of(&["commit one", "commit two", "commit three"]);
    sandbox.forge("app", "HEAD~1", "HEAD");
    assert_eq!(subjects(walk(&sandbox, "app", None)), ["three", "three"]);
}

#[test]
fn a_folder_has_no_history() {
    let sandbox = Sandbox::new();
    sandbox.write("notes/a.md", "one");
    let walk = walk(&sandbox, "notes", None);
    assert_eq!((walk.extent, walk.to, walk.count()), (Extent::Nothing, None, 0));
}

#[test]
fn authors_are_resolved_by_the_mailmap() {
    let sandbox = sandbox_of(&["+ a 1", "commit one"]);
    let author = |walk: CommitWalk| walk.map(|commit| commit.author).next().unwrap();
    let before = walk(&sandbox, "app", None);
    let to = before.to;
    assert_eq!(author(before), Person { name: "a".to_owned(), email: "a@b".to_owned() });
    sandbox.write("app/.mailmap", "Ada Byron <ada@harbour.example> <a@b>\n");
    run(&sandbox, "app", &["commit two"]);
    let after = walk(&sandbox, "app", to.as_ref());
    assert!(!after.is_continued);
    assert_eq!(author(after), Person { name: "Ada Byron".to_owned(), email: "ada@harbour.example".to_owned() });
}

#[test]
fn malformed_commits_are_read() {
    let sandbox = sandbox_of(&["+ a 1", "commit one"]);
    let tree = sandbox.run("app", "git rev-parse HEAD^{tree}");
    let check = |people: &str, message: &[u8], expected: (&str, &str, &str, i64, i64)| {
        let raw = [format!("tree {tree}\n{people}\n\n").as_bytes(), message].concat();
        fs::write(sandbox.path("raw"), raw).unwrap();
        let id = sandbox.run("app", "git hash-object -t commit -w --literally ../raw");
        sandbox.run("app", &format!("git update-ref HEAD {id}"));
        let commit = walk(&sandbox, "app", None).last().unwrap();
        let text = (commit.author.name.as_str(), commit.subject.as_str(), commit.body.as_str());
        assert_eq!((text.0, text.1, text.2, commit.authored_at, commit.committed_at), expected);
    };
    let both = |author: &str| format!("author {author}\ncommitter {author}");
    check(&both(" <> 0 +0000"), b"", ("", "", "", 0, 0));
    check(&both("A <a> 5 +0000"), b"caf\xe9\n\nb\xff", ("A", "caf\u{fffd}", "b\u{fffd}", 5, 5));
    check(&both("A <a> 99999999999 +0000"), b"\n\n s \r\n\r\nb", ("A", "s", "b", 99_999_999_999, 99_999_999_999));
    let long = "ä".repeat(5_000);
    check(&both("A <a> 5 +0000"), format!("{long}\n{long}").as_bytes(), ("A", &long[..256], &long[..4_096], 5, 5));
}

#[test]
fn parallel_batches_keep_their_order() {
    const N_COMMITS: usize = 3 * BATCH_SIZE + 7;
    let commit = |idx: usize| {
        let subject = idx.to_string();
        let (n_bytes, file) = (subject.len(), idx % 7);
        format!(
            "commit refs/heads/main\ncommitter a <a@b> 1700000000 +0000\ndata {n_bytes}\n{subject}\n\
             M 100644 inline f{file}\ndata {n_bytes}\n{subject}\n\n"
        )
    };
    let sandbox = sandbox_of(&[]);
    sandbox.write("stream", &(0..N_COMMITS).map(commit).collect::<String>());
    sandbox.write("import", "git fast-import --quiet < ../stream");
    sandbox.run("app", "sh ../import");
    let expected: Vec<String> =
        (0..N_COMMITS).map(|idx| format!("{idx}: {}f{}", if idx < 7 { '+' } else { '~' }, idx % 7)).collect();
    assert_eq!(render(walk(&sandbox, "app", None)), expected);
}

#[test]
fn a_hostile_tree_is_truncated() {
    let sandbox = sandbox_of(&["+ a 1", "commit one"]);
    let line = "tree=$(for i in 0 1 2 3 4 5 6 7 8 9; do printf '040000 tree %s\\td%s\\n' $tree $i; done | git mktree)";
    let script = format!(
        "tree=$(git rev-parse HEAD^{{tree}})\n{}git update-ref HEAD $(git commit-tree -m two $tree)",
        format!("{line}\n").repeat(12)
    );
    sandbox.write("bomb", &script);
    sandbox.run("app", "sh ../bomb");
    let commits: Vec<Commit> = walk(&sandbox, "app", None).collect();
    assert_eq!(commits.len(), 1);
    assert!(commits[0].changes.len() < tree_changes::MAX_CHANGES_OF_COMMIT);
}
