//! The graph of an incremental run equals that of a full run.

use std::{collections::BTreeSet, sync::Arc};

use index::{EdgeQuery, Snapshot};
use proptest::{prelude::*, sample::Index};

use crate::{project::Project, sources::FILES};

/// A repository with each file in one of its versions.
struct LinkedProject {
    project: Project,
    served: Arc<Snapshot>,
}

impl LinkedProject {
    /// Indexes the files below a folder, in their first versions.
    fn below(folder: &str) -> LinkedProject {
        let mut project = Project::repository();
        for (path, versions) in FILES.iter().filter(|(path, _)| path.starts_with(folder)) {
            project.put(path, versions[0]);
        }
        project.commit("ada", "begin");
        let served = project.index(None);
        LinkedProject { project, served }
    }

    /// Changes files to other versions, indexes them incrementally, and compares the result with a full run.
    #[track_caller]
    fn check(&mut self, edits: &[(usize, usize)]) {
        for (file, version) in edits {
            let (path, versions) = FILES[*file];
            self.project.put(path, versions[*version]);
        }
        self.project.commit("ada", "edit");
        self.served = self.project.index(Some(self.served.clone()));
        let full = self.project.index_from_scratch();
        let edit = |(file, version): &(usize, usize)| format!("{} in version {version}", FILES[*file].0);
        let edits: Vec<String> = edits.iter().map(edit).collect();
        let (found, expected) = (everything(&self.served), everything(&full));
        let some = |of: &BTreeSet<String>, but: &BTreeSet<String>| -> Vec<String> {
            of.difference(but).take(8).map(|line| line.chars().take(1_500).collect()).collect()
        };
        let (excess, missing) = (some(&found, &expected), some(&expected, &found));
        assert!(found == expected, "after {edits:?}\nexcess: {excess:#?}\nmissing: {missing:#?}");
        let bytes = |is_full| self.project.generation_file(is_full, "graph.rkyv");
        assert!(bytes(false) == bytes(true), "equal answers from different bytes after {edits:?}");
        let pages = |of: &Snapshot| of.pages().map(|page| format!("{page:#?}")).collect::<Vec<_>>();
        pages(&self.served).iter().zip(pages(&full)).for_each(|(found, expected)| assert_eq!(*found, expected));
        let bytes = |is_full| self.project.generation_file(is_full, "pages.zst");
        assert!(bytes(false) == bytes(true), "different pages after {edits:?}");
    }
}

/// Returns all edges, nodes, offers and uses, and the reusable state of each file; one line each.
pub(crate) fn everything(snapshot: &Snapshot) -> BTreeSet<String> {
    let all: Vec<u32> = (0..snapshot.n_nodes()).collect();
    let query = EdgeQuery {
        has_outgoing: true,
        has_incoming: true,
        kinds: Vec::new(),
        min_confidence: 0.0,
        limit: usize::MAX,
        page: None,
    };
    let neighbours = snapshot.neighbours(&all, &query);
    let calls = snapshot.calls(0.0).into_iter().map(|call| format!("{call:?}"));
    let edges = neighbours.edges.into_iter().map(|edge| format!("{edge:?}"));
    let cards = snapshot.node_cards(&all).unwrap().into_iter().map(|card| format!("{card:?}"));
    let offers = snapshot.offers().map(|offer| format!("{offer:?}"));
    let uses = snapshot.uses().map(|one| format!("{one:?}"));
    let reusable = snapshot.previous_files().into_iter().map(|file| format!("{file:?}"));
    calls.chain(edges).chain(cards).chain(offers).chain(uses).chain(reusable).collect()
}

/// Changes each file of a folder alone to each of its versions, and back to the first.
#[track_caller]
fn check_every_edit(folder: &str, min_crossing: usize) {
    let mut linked = LinkedProject::below(folder);
    let calls = linked.served.calls(graph::CERTAIN);
    let n_crossing = calls.iter().filter(|call| call.caller.path != call.callee.path).count();
    assert!(n_crossing >= min_crossing, "there are edges to reuse: {calls:#?}");
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
fn a_served_rpc_is_at_its_method_wherever_the_service_is_registered() {
    let linked = LinkedProject::below("go/");
    let served = linked.served.uses().filter(|one| one.serves && one.key.ends_with("/AddItem"));
    let places: Vec<(String, u32)> = served.map(|one| (one.path, one.line)).collect();
    assert_eq!(places, [("go/crane/server.go".to_owned(), 7)]);
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
fn any_edit_of_other_files() {
    check_every_edit("proto/", 0);
}

#[test]
fn any_edit_of_documented_files() {
    check_every_edit("docs/", 2);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn many_edits_at_once(
        rounds in prop::collection::vec(prop::collection::vec((0..FILES.len(), any::<Index>()), 1..6), 1..5)
    ) {
        let mut linked = LinkedProject::below("");
        for edits in rounds {
            let version = |(file, version): (usize, Index)| (file, version.index(FILES[file].1.len()));
            linked.check(&edits.into_iter().map(version).collect::<Vec<_>>());
        }
    }
}
