use super::*;
use crate::testing::Sandbox;

const BODY: &str = "one\ntwo\nthree\nfour\n";

/// Describes a change as lines `old -> new`, with `-` for no file.
fn describe(change: &SourceChange) -> Vec<String> {
    let path = |path: &Option<String>| path.clone().unwrap_or_else(|| "-".to_owned());
    change.files.iter().map(|file| format!("{} -> {}", path(&file.old_path), path(&file.new_path))).collect()
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.repository(
        "a",
        &[("keep.rs", BODY), ("gone.rs", "x\n"), ("old.rs", BODY), (".gitignore", "ignored.rs\n"), (".hidden", "h\n")],
    );
    sandbox
}

fn read(sandbox: &Sandbox, change: &str) -> Result<SourceChange, ChangeError> {
    read_change(&sandbox.checkout("a"), &ChangeSides::parse(change).expect("it is a change"))
}

fn edit(sandbox: &Sandbox) {
    sandbox.write("a/keep.rs", "one\ntwo\nthree\n4\n");
    sandbox.write("a/new.rs", "new\n");
    sandbox.write("a/ignored.rs", "ignored\n");
    std::fs::remove_file(sandbox.path("a/gone.rs")).unwrap();
    std::fs::rename(sandbox.path("a/old.rs"), sandbox.path("a/moved.rs")).unwrap();
}

const EDITED: [&str; 4] = ["gone.rs -> -", "keep.rs -> keep.rs", "old.rs -> moved.rs", "- -> new.rs"];

#[test]
fn work_trees_are_compared_with_their_commit() {
    let sandbox = sandbox();
    assert!(read(&sandbox, "working_tree").unwrap().files.is_empty());
    edit(&sandbox);
    let change = read(&sandbox, "working_tree").unwrap();
    assert_eq!(describe(&change), EDITED);
    assert_eq!(change.files[1].new.as_deref(), Some(b"one\ntwo\nthree\n4\n".as_slice()));
    assert!(read(&sandbox, "staged").unwrap().files.is_empty());
    sandbox.run("a", "git add -A");
    assert_eq!(describe(&read(&sandbox, "staged").unwrap()), EDITED);
}

#[test]
fn commits_are_compared_by_name() {
    let sandbox = sandbox();
    sandbox.run("a", "git branch base");
    edit(&sandbox);
    sandbox.commit("a");
    for change in ["base..HEAD", "base...HEAD", "HEAD~1..HEAD", "HEAD^..main"] {
        assert_eq!(describe(&read(&sandbox, change).unwrap()), EDITED, "{change}");
    }
    for (change, expected) in [
        ("nothing..HEAD", "no commit `nothing`; its branches are base, main"),
        ("0123456789..HEAD", "no commit `0123456789`"),
        ("HEAD@{1}..HEAD", "is no name of a commit"),
        ("..HEAD:a", "is no name of a commit"),
    ] {
        let error = read(&sandbox, change).unwrap_err().to_string();
        assert!(error.contains(expected), "{change}: {error}");
    }
}

#[test]
fn tags_are_followed_with_a_bound() {
    let sandbox = sandbox();
    edit(&sandbox);
    sandbox.commit("a");
    sandbox.run("a", "git tag -a -m first v1");
    sandbox.run("a", "git tag -a -m second v2 v1");
    for change in ["v1~1..v1", "v2^..v2", "HEAD~1...v2"] {
        assert_eq!(describe(&read(&sandbox, change).unwrap()), EDITED, "{change}");
    }
    sandbox.forge("a", "v1", "v2");
    for change in ["v1..HEAD", "v2~1..HEAD", "v2^..HEAD", "HEAD..v2"] {
        let error = read(&sandbox, change).unwrap_err().to_string();
        assert!(error.contains("no commit"), "{change}: {error}");
    }
}

#[test]
fn commits_that_lead_to_themselves_are_compared() {
    let sandbox = sandbox();
    edit(&sandbox);
    sandbox.commit("a");
    sandbox.run("a", "git commit -q --allow-empty -m third");
    sandbox.forge("a", "HEAD~1", "HEAD");
    for (change, n_files) in [("HEAD~9..HEAD", None), ("HEAD~1...HEAD", Some(0)), ("HEAD...HEAD~1", Some(0))] {
        assert_eq!(read(&sandbox, change).ok().map(|change| change.files.len()), n_files, "{change}");
    }
}

#[test]
fn abandoned_commits_are_not_read() {
    let sandbox = sandbox();
    edit(&sandbox);
    sandbox.commit("a");
    let abandoned = sandbox.run("a", "git rev-parse HEAD");
    assert_eq!(read(&sandbox, &format!("HEAD~1..{abandoned}")).unwrap().files.len(), 4);
    sandbox.run("a", "git reset -q --hard HEAD~1");
    let error = read(&sandbox, &format!("HEAD..{abandoned}")).unwrap_err().to_string();
    assert!(error.contains("no commit"), "{error}");
}

#[test]
fn repositories_without_a_work_tree_are_refused() {
    let sandbox = sandbox();
    sandbox.run("a", "git clone -q --bare . ../b.git");
    let error = read_change(&sandbox.checkout("b.git"), &ChangeSides::WorkTree).unwrap_err().to_string();
    assert!(error.contains("has no work tree"), "{error}");
    assert_eq!(ChangeSides::parse("a b..c"), None);
    assert_eq!(ChangeSides::parse("main"), None);
}
