//! SCIP indexes in a repository, and pushed ones: fitting, stale, damaged and foreign.

use std::{fs, path::PathBuf, sync::Arc};

use compiler_index::{ExportedDocument, ExportedOccurrence, write};
use index::Snapshot;

use crate::project::Project;

const CODE: &str = "\
class Pool:
    def take(self):
        pass


class Other:
    def take(self):
        pass


def f(pool):
    pool.take()
";

const POOL: &str = "scip-python python kit 0.1 `kit`/Pool#";
const TAKE: &str = "scip-python python kit 0.1 `kit`/Pool#take().";

/// Returns an index in which `f` calls `Pool.take`.
fn index_of(path: &str) -> Vec<u8> {
    let occurrence = |line: u32, columns: (u32, u32), symbol: &str, is_definition: bool| ExportedOccurrence {
        line,
        columns,
        symbol: symbol.to_owned(),
        is_definition,
    };
    let occurrences = vec![
        occurrence(1, (6, 10), POOL, true),
        occurrence(2, (8, 12), TAKE, true),
        occurrence(12, (9, 13), TAKE, false),
    ];
    let document =
        ExportedDocument { path: path.to_owned(), language: "python".to_owned(), occurrences, symbols: vec![] };
    write("0.1.0", vec![document], vec![]).unwrap()
}

/// Returns the calls of `f`, as the line of the callee and the resolution.
fn calls(snapshot: &Snapshot) -> Vec<(u32, &'static str)> {
    let calls = snapshot.calls(0.5);
    let of_f = calls.iter().filter(|call| call.caller.name.as_deref() == Some("f"));
    of_f.map(|call| (call.callee.line, call.resolution.name())).collect()
}

fn project(index: Option<&[u8]>) -> Project {
    let mut project = Project::repository();
    project.put("kit.py", Some(CODE));
    if let Some(index) = index {
        fs::write(project.path().join("index.scip"), index).unwrap();
    }
    project.commit("Ada", "Pools");
    project
}

#[test]
fn an_index_in_the_tree_resolves_what_inference_cannot() {
    assert_eq!(calls(&project(None).index(None)), []);
    let mut project = project(Some(&index_of("kit.py")));
    let indexed = project.index(None);
    assert_eq!(calls(&indexed), [(2, "compiler")]);
    assert_eq!((indexed.manifest().compiler_files, &indexed.manifest().diagnostics[..]), (1, &[][..]));
    // Another file changes: the index still fits this one.
    project.put("b.py", Some("def g():\n    pass\n"));
    project.commit("Ada", "Another file");
    let next = project.index(Some(indexed));
    assert_eq!(calls(&next), [(2, "compiler")]);
    // The file changes: the index is stale for it.
    project.put("kit.py", Some(&format!("# Pools.\n{CODE}")));
    project.commit("Ada", "A comment");
    let stale = project.index(Some(next));
    assert_eq!((calls(&stale), stale.manifest().compiler_files), (vec![], 0));
    let diagnostics = &stale.manifest().diagnostics;
    assert!(diagnostics[0].contains("stale for 1 of 1 files"), "{diagnostics:?}");
    assert_eq!(project.index_from_scratch().calls(0.0), stale.calls(0.0));
}

#[test]
fn paths_are_relative_to_the_folder_of_the_index() {
    let mut project = Project::repository();
    project.put("parts/kit/kit.py", Some(CODE));
    fs::write(project.path().join("parts/kit/index.scip"), index_of("kit.py")).unwrap();
    project.commit("Ada", "A part");
    assert_eq!(calls(&project.index(None)), [(2, "compiler")]);
}

#[test]
fn a_wrong_index_costs_nothing_else() {
    let fitting = index_of("kit.py");
    let outside = index_of("../kit.py");
    for (index, expected) in [
        (&b"no index"[..], "damaged or no SCIP index"),
        (&fitting[..fitting.len() - 1], "damaged or no SCIP index"),
        (&outside, "not within the repository"),
        (&index_of("other.py"), "of another project"),
        (&index_of("index.scip"), "of another project"),
        (&[0x12, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10], "more than"),
    ] {
        let snapshot = project(Some(index)).index(None);
        assert_eq!(calls(&snapshot), [], "{expected}");
        assert_eq!(snapshot.manifest().symbols, 5);
        let diagnostics = &snapshot.manifest().diagnostics;
        assert!(diagnostics.iter().any(|line| line.contains(expected)), "{expected}: {diagnostics:?}");
    }
}

/// Puts an index beside the generations of a project, as an import does.
fn push(project: &Project, commit: &str) -> PathBuf {
    let folder = project.generation_dir(false);
    let path = folder.parent().unwrap().join(format!("index-{}-{commit}.scip", "0".repeat(32)));
    fs::write(&path, index_of("kit.py")).unwrap();
    path
}

#[test]
fn a_pushed_index_makes_another_generation() {
    let project = project(None);
    let before = project.index(None);
    let pushed = push(&project, "any");
    let after = project.index(Some(before.clone()));
    assert_eq!(calls(&after), [(2, "compiler")]);
    assert_ne!(before.manifest().generation, after.manifest().generation);
    fs::remove_file(pushed).unwrap();
    let again: Arc<Snapshot> = project.index(Some(after));
    assert_eq!((calls(&again), again.manifest().generation), (vec![], before.manifest().generation));
}

#[test]
fn a_pushed_index_of_another_commit_counts_for_equal_files() {
    let mut project = project(None);
    let before = project.index(None);
    let commit = before.manifest().commit;
    project.put("b.py", Some("def g():\n    pass\n"));
    project.commit("Ada", "Another file");
    push(&project, &commit.to_string());
    let equal = project.index(Some(before));
    assert_eq!(calls(&equal), [(2, "compiler")]);
    // The names are still in their ranges, but the file differs.
    project.put("kit.py", Some(&CODE.replace("pass", "return")));
    project.commit("Ada", "A change");
    assert_eq!(calls(&project.index(Some(equal))), []);
}
