//! The sections for each intent: their members and their shares of the budget.

use proto::v1::{Domain, EdgeKind};

use super::{packing::SHARES, request::Detail, surroundings::EntitySurroundings};
use federation::walk::{
    Relation,
    sections::{PlacedNode, WalkSection},
    weights::Intent,
};

/// The assembly of an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Assembly {
    /// The budget share of the root's code.
    root: u32,
    /// In display order. An item goes to the first section that takes it.
    pub(super) sections: &'static [SectionSpec],
    /// The level of detail of items.
    pub(super) detail: Detail,
    /// The intent whose task sections are added, if any.
    pub(super) intent: Option<Intent>,
}

/// One section.
#[derive(Debug)]
pub(super) struct SectionSpec {
    pub(super) name: &'static str,
    share: u32,
    accepts: fn(&SectionView<'_>) -> bool,
}

/// The input of a section predicate.
pub(super) struct SectionView<'a> {
    surroundings: &'a EntitySurroundings<'a>,
    placed: &'a PlacedNode<'a>,
}

const fn section(name: &'static str, share: u32, accepts: fn(&SectionView<'_>) -> bool) -> SectionSpec {
    SectionSpec { name, share, accepts }
}

const PLAIN: [SectionSpec; 3] = [
    section("callers", SHARES[1], |view| view.is(WalkSection::Callers)),
    section("callees", SHARES[2], |view| view.is(WalkSection::Callees)),
    section("related", SHARES[3], |_| true),
];

/// Modify: affected code, and the tests to run.
const MODIFY: [SectionSpec; 4] = [
    section("callers", 40, |view| !view.is_test() && (view.is(WalkSection::Callers) || view.is_subtype())),
    section("tests_to_run", 15, |view| view.is_test()),
    section("callees", 5, |view| view.is(WalkSection::Callees)),
    section("related", 10, |_| true),
];

/// Review: the coupling in both directions, and the tests.
const REVIEW: [SectionSpec; 4] = [
    section("callers", 30, |view| view.is(WalkSection::Callers)),
    section("callees", 20, |view| view.is(WalkSection::Callees)),
    section("tests", 15, |view| view.is_test()),
    section("related", 5, |_| true),
];

/// Debug: where control and data go, then where they come from; tests reproduce the failure.
const DEBUG: [SectionSpec; 4] = [
    section("callees", 45, |view| view.is(WalkSection::Callees)),
    section("callers", 15, |view| view.is(WalkSection::Callers)),
    section("data", 10, |view| !view.is_test() && view.has_edge_of(&[EdgeKind::References, EdgeKind::Imports])),
    section("related", 5, |_| true),
];

/// Add: the patterns to follow, and the extension points.
const ADD: [SectionSpec; 4] = [
    section("siblings", 40, |view| view.is_sibling()),
    section("extension_points", 20, |view| view.is_extension_point()),
    section("callers", 10, |view| view.is(WalkSection::Callers)),
    section("related", 10, |_| true),
];

/// Understand: the documentation, and the main flows.
const UNDERSTAND: [SectionSpec; 4] = [
    section("docs", 15, |view| view.is_document()),
    section("main_flows", 30, |view| view.is(WalkSection::Callees)),
    section("callers", 15, |view| view.is(WalkSection::Callers)),
    section("related", 10, |_| true),
];

/// Plan: modules rather than definitions; `modules.rs` builds them.
const PLAN: [SectionSpec; 4] = [
    section("modules", 30, |_| false),
    section("depends_on", 30, |_| false),
    section("used_by_modules", 25, |_| false),
    section("links", 15, |_| false),
];

impl Assembly {
    pub(super) fn plain(detail: Detail) -> Assembly {
        Assembly { root: SHARES[0], sections: &PLAIN, detail, intent: None }
    }

    pub(super) fn of(intent: Intent, detail: Option<Detail>) -> Assembly {
        let (root, sections, default_detail): (u32, &'static [SectionSpec], Detail) = match intent {
            Intent::Modify => (30, &MODIFY, Detail::Full),
            Intent::Understand => (30, &UNDERSTAND, Detail::Full),
            Intent::Review => (30, &REVIEW, Detail::Full),
            Intent::Debug => (25, &DEBUG, Detail::Full),
            Intent::Add => (20, &ADD, Detail::Full),
            Intent::Plan => (0, &PLAN, Detail::Neighbors),
        };
        Assembly { root, sections, detail: detail.unwrap_or(default_detail), intent: Some(intent) }
    }

    /// Returns the budget shares of the root's code and of each section.
    pub(super) fn shares(&self) -> Vec<u32> {
        [self.root].into_iter().chain(self.sections.iter().map(|section| section.share)).collect()
    }

    /// Returns the section index of an item.
    pub(super) fn section_of(&self, surroundings: &EntitySurroundings<'_>, placed: &PlacedNode<'_>) -> Option<usize> {
        let view = SectionView { surroundings, placed };
        self.sections.iter().position(|section| (section.accepts)(&view))
    }
}

impl SectionView<'_> {
    fn is(&self, section: WalkSection) -> bool {
        self.placed.section == section
    }

    fn is_test(&self) -> bool {
        let node = self.surroundings.found.nodes.get(&self.placed.ranked.at).and_then(|reached| reached.node.as_ref());
        node.is_some_and(|node| node.is_test) || self.has_edge_of(&[EdgeKind::Tests])
    }

    fn is_document(&self) -> bool {
        let node = self.surroundings.found.nodes.get(&self.placed.ranked.at).and_then(|reached| reached.node.as_ref());
        node.is_some_and(|node| node.domain() == Domain::Docs) || self.has_edge_of(&[EdgeKind::Documents])
    }

    fn has_edge_of(&self, kinds: &[EdgeKind]) -> bool {
        let relation = self.placed.edge.map(|edge| edge.relation);
        matches!(relation, Some(Relation::Within(kind)) if kinds.contains(&kind))
    }

    /// Returns true for subtypes of the root, and their subtypes.
    fn is_subtype(&self) -> bool {
        let is_outgoing = self.placed.edge.is_some_and(|edge| edge.from == self.placed.ranked.at);
        is_outgoing && self.has_edge_of(&[EdgeKind::Extends, EdgeKind::Implements])
    }

    fn is_sibling(&self) -> bool {
        self.surroundings.siblings.contains(&self.placed.ranked.at)
    }

    /// Returns true for extension points: a base, an interface, a route, or the place where the root is registered.
    fn is_extension_point(&self) -> bool {
        const OPEN_KINDS: [&str; 4] = ["interface", "trait", "protocol", "route"];
        let kind = self.surroundings.cards.get(&self.placed.ranked.at).and_then(|card| card.node.as_ref());
        let is_open = kind.is_some_and(|node| OPEN_KINDS.contains(&node.kind.as_str()));
        let is_registration = !self.is_test()
            && self.placed.ranked.hops == 1
            && self.is(WalkSection::Callers)
            && self.has_edge_of(&[EdgeKind::References, EdgeKind::Handles]);
        is_open || is_registration || self.has_edge_of(&[EdgeKind::Extends, EdgeKind::Implements])
    }
}
