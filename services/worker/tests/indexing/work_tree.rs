//! The generation of a work tree equals that of a commit of its files, whatever was edited since the generation before.

use std::{fs, sync::Arc};

use index::Snapshot;
use proptest::{prelude::*, sample::Index};

use crate::{drafts, linking::everything, project::Project, sources::FILES};

/// One change of a work tree.
#[derive(Debug, Clone)]
enum Edit {
    /// A file gets one of its versions, which may be none.
    Put(Index, Index),
    /// A file is moved to another folder, and keeps its name.
    Move(Index, &'static str),
    /// A folder is ignored, or no longer.
    Ignore(&'static str),
    /// Git stores the state so far.
    Run(&'static [&'static str]),
    /// Everything is committed.
    Commit,
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        8 => (any::<Index>(), any::<Index>()).prop_map(|(file, version)| Edit::Put(file, version)),
        2 => (any::<Index>(), prop::sample::select(vec!["py", "ts/lib", "new/deep", "go"])).prop_map(|(file, to)| Edit::Move(file, to)),
        1 => prop::sample::select(vec!["", "py/", "new/\n*.ts", "/go\n!go/go.mod"]).prop_map(Edit::Ignore),
        1 => prop::sample::select(vec![&["add", "-A"] as &[_], &["stash", "-q"], &["rm", "-q", "-r", "--cached", "."], &["reset", "-q"]])
            .prop_map(Edit::Run),
        1 => Just(Edit::Commit),
    ]
}

fn apply(edit: &Edit, project: &mut Project) {
    match edit {
        Edit::Put(file, version) => {
            let (path, versions) = file.get(FILES);
            // A folder or a file may be in the way since a move.
            if !project.path().join(path).is_dir() {
                project.put(path, *version.get(versions));
            }
        }
        Edit::Move(file, folder) => {
            let (path, _) = file.get(FILES);
            let (from, folder) = (project.path().join(path), project.path().join(folder));
            let to = folder.join(from.file_name().unwrap());
            if from.is_file() && fs::create_dir_all(folder).is_ok() && !to.exists() {
                fs::rename(from, to).unwrap();
            }
        }
        Edit::Ignore(rules) => project.put(".gitignore", Some(rules)),
        Edit::Run(line) => project.git_if_possible(line),
        Edit::Commit => project.commit("ada", "edit"),
    }
}

/// Edits a project step by step, and compares each generation of its work tree with one that is made from nothing, and with that of
/// a commit.
fn check(edits: &[Vec<Edit>]) {
    let mut project = Project::repository();
    for (path, versions) in FILES {
        project.put(path, versions[0]);
    }
    project.commit("ada", "begin");
    project.read_work_tree();
    let mut served = project.index(None);
    assert_eq!(served.manifest().changes, None);
    for step in edits {
        step.iter().for_each(|edit| apply(edit, &mut project));
        let draft = project.draft(served.clone());
        served = project.index_if_changed(served);
        let full = project.index_from_scratch();
        assert_same(&served, &full, step);
        if let Some(draft) = draft {
            drafts::assert_same_texts(&draft, &served, &format!("{step:?}"));
        }
        assert_eq!(served.manifest().generation, full.manifest().generation, "{step:?}");
        for name in ["graph.rkyv", "pages.zst", "history.rkyv"] {
            assert!(
                project.generation_file(false, name) == project.generation_file(true, name),
                "{name} after {step:?}"
            );
        }
        assert_same(&served, &project.committed_copy().index(None), step);
    }
}

fn assert_same(found: &Snapshot, expected: &Snapshot, step: &[Edit]) {
    let blobs = |of: &Snapshot| of.files().map(|(path, blob)| format!("{path} {blob}")).collect::<Vec<_>>();
    assert_eq!(blobs(found), blobs(expected), "{step:?}");
    assert_eq!(found.manifest().diagnostics, expected.manifest().diagnostics, "{step:?}");
    let (found, expected) = (everything(found), everything(expected));
    assert!(found == expected, "{step:?}: {:#?}", found.symmetric_difference(&expected).take(8).collect::<Vec<_>>());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_work_tree_answers_like_a_commit_of_its_files(edits in prop::collection::vec(prop::collection::vec(edit(), 1..5), 1..5)) {
        check(&edits);
    }
}

#[test]
fn a_commit_of_what_the_work_tree_held_extracts_nothing() {
    let mut project = Project::repository();
    project.put("a.py", Some("def one():\n    pass\n"));
    project.commit("ada", "begin");
    project.read_work_tree();
    let clean = project.index(None);
    project.put("b.py", Some("def two():\n    pass\n"));
    let dirty = project.index(Some(clean.clone()));
    let changes = dirty.manifest().changes.clone().unwrap();
    assert_eq!((changes.n_files, changes.paths), (1, vec!["b.py".to_owned()]));
    assert_eq!(dirty.manifest().commit, clean.manifest().commit);
    assert_ne!(dirty.manifest().generation, clean.manifest().generation);
    project.commit("ada", "two");
    let run = project.try_index(Some(dirty)).unwrap().published.unwrap();
    assert_eq!((run.figures.files_extracted, run.figures.incremental), (0, true));
    assert_eq!(run.snapshot.manifest().changes, None);
    // The commit itself has the same id.
    assert!(project.try_index(Some(run.snapshot.clone())).unwrap().published.is_none());
    let committed: Arc<Snapshot> = project.committed_view().index_from_scratch();
    assert_eq!(run.snapshot.manifest().generation, committed.manifest().generation);
}

#[test]
fn a_repository_without_commits_has_the_files_of_its_work_tree() {
    let mut project = Project::repository();
    project.read_work_tree();
    project.put("a.py", Some("def one():\n    pass\n"));
    let snapshot = project.index(None);
    assert_eq!((snapshot.manifest().files, snapshot.manifest().changes.is_some()), (1, true));
}
