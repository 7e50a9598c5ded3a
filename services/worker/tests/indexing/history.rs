//! The history of files in generations.

use std::sync::atomic::{AtomicU32, Ordering};

use index::{CommitQuery, Snapshot};
use model::Extent;
use worker::indexing::RunError;

use crate::project::Project;

/// Compares the history of a file: the subjects of its changes, its owner, and the files that change with it.
#[track_caller]
fn check(snapshot: &Snapshot, path: &str, subjects: &[&str], owner: &str, co_changed: &[&str]) {
    let history = snapshot.file_history(path).unwrap();
    let found: Vec<&str> = history.changes.iter().map(|change| change.subject.as_str()).collect();
    assert_eq!(found, subjects, "{path}");
    assert_eq!(history.owners.first().map(|owner| owner.author.as_str()), Some(owner), "{path}");
    let found: Vec<&str> = history.co_changes.iter().map(|other| other.path.as_str()).collect();
    assert_eq!(found, co_changed, "{path}");
}

#[test]
fn a_run_continues_the_history_of_the_last_one() {
    let mut project = Project::repository();
    for round in ["one", "two", "three"] {
        project.put("a.py", Some(&format!("# {round}\n")));
        project.put("b.py", Some(&format!("# {round} b\n")));
        project.commit("ada", round);
    }
    let first = project.index(None);
    check(&first, "a.py", &["three", "two", "one"], "ada", &["b.py"]);
    assert_eq!(first.history_extent(), Extent::Whole);

    project.put("a.py", None);
    project.put("c.py", Some("# three\n"));
    project.commit("bob", "move a");
    project.put("d.py", Some("def f(): pass\n"));
    project.commit("bob", "add d");
    let second = project.index(Some(first.clone()));
    check(&second, "c.py", &["move a", "three", "two", "one"], "ada", &["b.py"]);
    check(&second, "d.py", &["add d"], "bob", &[]);
    assert_eq!(second.file_history("a.py"), None);
    check(&first, "a.py", &["three", "two", "one"], "ada", &["b.py"]);

    project.index_from_scratch();
    for name in ["history.zst", "history.rkyv"] {
        assert!(project.generation_file(false, name) == project.generation_file(true, name), "{name}");
    }
}

#[test]
fn hotspots_and_activity_equal_those_of_a_full_run() {
    let mut project = Project::repository();
    let nested = "def f():\n    if f:\n        return 1\n";
    for round in 0..4 {
        project.put("often.py", Some(&format!("{nested}# {round}\nx = {round}\n")));
        project.put("tests/test_often.py", Some(&format!("# {round}\n")));
        project.commit("ada", &format!("round {round}"));
    }
    project.put("plain.py", Some("x = 1\n"));
    project.commit("bob", "plain");
    let first = project.index(None);
    let hotspot = |snapshot: &Snapshot, path: &str| snapshot.file_history(path).unwrap().hotspot;
    let often = hotspot(&first, "often.py").unwrap();
    assert_eq!((often.score, often.churn_share, often.complexity_share), (10.0, 1.0, 1.0));
    assert_eq!(hotspot(&first, "plain.py").map(|hotspot| hotspot.score), Some(0.0));
    assert_eq!(hotspot(&first, "tests/test_often.py"), None);

    project.put("plain.py", Some("x = 2\n"));
    project.commit("Bob", "plain again");
    let second = project.index(Some(first));
    assert_eq!(hotspot(&second, "often.py"), Some(often));
    let authors: Vec<String> = second.active_days().into_iter().map(|active| active.author).collect();
    assert_eq!(authors, ["ada", "Bob"]);
    let query = |authors: &[String], paths: &[String]| {
        let query = CommitQuery { authors, paths, days: &[], limit: 3 };
        let found = second.active_commits(&query);
        found.into_iter().map(|commit| format!("{}: {}", commit.change.subject, commit.paths.join(" "))).collect()
    };
    let found: Vec<String> = query(&["bob".to_owned()], &[]);
    assert_eq!(found, ["plain again: plain.py", "plain: plain.py"]);
    let found: Vec<String> = query(&[], &["often.py".to_owned()]);
    assert_eq!(found.len(), 3);
    assert_eq!(found[0], "round 3: often.py tests/test_often.py");
    project.index_from_scratch();
    for name in ["history.zst", "history.rkyv"] {
        assert!(project.generation_file(false, name) == project.generation_file(true, name), "{name}");
    }
}

#[test]
fn a_rewritten_history_is_read_from_the_beginning() {
    let mut project = Project::repository();
    project.put("a.py", Some("# one\n"));
    project.commit("ada", "one");
    project.put("a.py", Some("# two\n"));
    project.commit("ada", "two");
    let first = project.index(None);
    project.git(&["reset", "-q", "--hard", "HEAD~1"]);
    project.put("a.py", Some("# other\n"));
    project.commit("bob", "other");
    check(&project.index(Some(first)), "a.py", &["other", "one"], "bob", &[]);
}

#[test]
fn without_commits_there_is_no_history() {
    let folder = Project::folder();
    folder.put("a.py", Some("# one\n"));
    for snapshot in [folder.index(None), Project::repository().index(None)] {
        assert_eq!((snapshot.history_extent(), snapshot.file_history("a.py")), (Extent::Nothing, None));
    }
}

#[test]
fn unreadable_commits_cost_a_diagnostic_at_most() {
    let mut project = Project::repository();
    project.put("a.py", Some("# one\n"));
    project.commit("ada", "one");
    project.put("a.py", Some("# two\n"));
    project.commit("ada", "two");
    let output = std::process::Command::new("git").args(["rev-parse", "HEAD~1"]).current_dir(project.path()).output();
    let id = String::from_utf8(output.unwrap().stdout).unwrap();
    let (folder, file) = id.trim().split_at(2);
    std::fs::remove_file(project.path().join(".git/objects").join(folder).join(file)).unwrap();
    let snapshot = project.index(None);
    assert_eq!(snapshot.manifest().files, 1);
    assert!(snapshot.history_extent() != Extent::Whole, "{:?}", snapshot.history_extent());
}

#[test]
fn a_walk_is_stopped_with_its_run() {
    let mut project = Project::repository();
    for round in 0..5 {
        project.put("a.py", Some(&format!("# {round}\n")));
        project.commit("ada", "change");
    }
    let n_asked = AtomicU32::new(0);
    let outcome = project.index_unless(&|| n_asked.fetch_add(1, Ordering::Relaxed) >= 3);
    assert!(matches!(outcome, Err(RunError::Stopped)));
}
