//! A run that keeps what it can of the generation before links as one from nothing does.

use std::{collections::BTreeSet, sync::Arc};

use index::{EdgeQuery, Snapshot};
use proptest::{prelude::*, sample::Index};

use crate::{project::Project, sources::FILES};

/// A repository with each file in one of its versions.
struct Linked {
    project: Project,
    served: Arc<Snapshot>,
}

impl Linked {
    /// Begins with the files below a folder, in the first of their versions.
    fn below(folder: &str) -> Linked {
        let mut project = Project::repository();
        for (path, versions) in FILES.iter().filter(|(path, _)| path.starts_with(folder)) {
            project.put(path, versions[0]);
        }
        project.commit("ada", "begin");
        let served = project.index(None);
        Linked { project, served }
    }

    /// Brings files to versions, indexes that, and compares it with an index from nothing.
    #[track_caller]
    fn check(&mut self, edits: &[(usize, usize)]) {
        for (file, version) in edits {
            let (path, versions) = FILES[*file];
            self.project.put(path, versions[*version]);
        }
        self.project.commit("ada", "edit");
        self.served = self.project.index(Some(self.served.clone()));
        let anew = self.project.index_anew();
        let edit = |(file, version): &(usize, usize)| format!("{} in version {version}", FILES[*file].0);
        let edits: Vec<String> = edits.iter().map(edit).collect();
        let (found, expected) = (everything(&self.served), everything(&anew));
        let some = |of: &BTreeSet<String>, but: &BTreeSet<String>| -> Vec<String> {
            of.difference(but).take(8).map(|line| line.chars().take(1_500).collect()).collect()
        };
        let (excess, missing) = (some(&found, &expected), some(&expected, &found));
        assert!(found == expected, "after {edits:?}\nexcess: {excess:#?}\nmissing: {missing:#?}");
        let bytes = |is_anew| self.project.generation_file(is_anew, "graph.rkyv");
        assert!(bytes(false) == bytes(true), "the same answers from other bytes after {edits:?}");
        let pages = |of: &Snapshot| of.pages().map(|page| format!("{page:#?}")).collect::<Vec<_>>();
        pages(&self.served).iter().zip(pages(&anew)).for_each(|(found, expected)| assert_eq!(*found, expected));
        let bytes = |is_anew| self.project.generation_file(is_anew, "pages.zst");
        assert!(bytes(false) == bytes(true), "other pages after {edits:?}");
    }
}

/// Returns all edges, nodes, offers and uses, and what the next run may keep of each file; a line each.
fn everything(snapshot: &Snapshot) -> BTreeSet<String> {
    let all: Vec<u32> = (0..snapshot.n_nodes()).collect();
    let query =
        EdgeQuery { wants_out: true, wants_in: true, kinds: Vec::new(), min_confidence: 0.0, limit: usize::MAX };
    let around = snapshot.neighbours(&all, &query);
    let calls = snapshot.calls(0.0).into_iter().map(|call| format!("{call:?}"));
    let edges = around.edges.into_iter().map(|edge| format!("{edge:?}"));
    let cards = snapshot.cards(&all).unwrap().into_iter().map(|card| format!("{card:?}"));
    let offers = snapshot.offers().map(|offer| format!("{offer:?}"));
    let uses = snapshot.uses().map(|one| format!("{one:?}"));
    let kept = snapshot.older_files().into_iter().map(|file| format!("{file:?}"));
    calls.chain(edges).chain(cards).chain(offers).chain(uses).chain(kept).collect()
}

/// Brings each file of a folder alone to each of its versions, the first at last.
#[track_caller]
fn check_every_edit(folder: &str, min_crossing: usize) {
    let mut linked = Linked::below(folder);
    let calls = linked.served.calls(graph::CERTAIN);
    let n_crossing = calls.iter().filter(|call| call.caller.path != call.callee.path).count();
    assert!(n_crossing >= min_crossing, "there is something to keep: {calls:#?}");
    for (file, (_, versions)) in FILES.iter().enumerate().filter(|(_, (path, _))| path.starts_with(folder)) {
        (1..versions.len()).chain([0]).for_each(|version| linked.check(&[(file, version)]));
    }
}

#[test]
fn any_edit_of_python() {
    check_every_edit("py/", 4);
}

#[test]
fn any_edit_of_go() {
    check_every_edit("go/", 3);
}

#[test]
fn any_edit_of_typescript() {
    check_every_edit("ts/", 2);
}

#[test]
fn any_edit_of_rust() {
    check_every_edit("rs/", 3);
}

#[test]
fn any_edit_of_java() {
    check_every_edit("java/", 3);
}

#[test]
fn any_edit_of_c() {
    check_every_edit("c/", 3);
}

#[test]
fn any_edit_of_cpp() {
    check_every_edit("cpp/", 2);
}

#[test]
fn any_edit_of_other_languages() {
    check_every_edit("other/", 1);
}

#[test]
fn any_edit_of_what_is_no_code() {
    check_every_edit("proto/", 0);
}

#[test]
fn any_edit_of_what_documents_name() {
    check_every_edit("docs/", 2);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn many_edits_at_once(
        rounds in prop::collection::vec(prop::collection::vec((0..FILES.len(), any::<Index>()), 1..6), 1..5)
    ) {
        let mut linked = Linked::below("");
        for edits in rounds {
            let version = |(file, version): (usize, Index)| (file, version.index(FILES[file].1.len()));
            linked.check(&edits.into_iter().map(version).collect::<Vec<_>>());
        }
    }
}
