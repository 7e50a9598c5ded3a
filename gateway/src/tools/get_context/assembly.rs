//! What each intent puts together: which sections there are, who is in them, and how the budget is shared.

use proto::v1::{Domain, EdgeKind};

use super::{around::Around, packing::SHARES, request::Detail};
use crate::walk::{
    Relation,
    sections::{Placed, Section},
    weights::Intent,
};

/// How an answer is put together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Assembly {
    /// The share of the root's code.
    root: u32,
    /// In the order in which they are shown; whoever fits several is in the first.
    pub(super) parts: &'static [Part],
    /// Whether bodies are shown.
    pub(super) detail: Detail,
    /// Whose past is told, if any.
    pub(super) intent: Option<Intent>,
}

/// One section.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) name: &'static str,
    share: u32,
    takes: fn(&View<'_>) -> bool,
}

/// What a section goes by.
pub(super) struct View<'a> {
    around: &'a Around<'a>,
    placed: &'a Placed<'a>,
}

const fn part(name: &'static str, share: u32, takes: fn(&View<'_>) -> bool) -> Part {
    Part { name, share, takes }
}

const PLAIN: [Part; 3] = [
    part("callers", SHARES[1], |view| view.is(Section::Callers)),
    part("callees", SHARES[2], |view| view.is(Section::Callees)),
    part("related", SHARES[3], |_| true),
];

/// Who breaks, and the tests to run.
const MODIFY: [Part; 4] = [
    part("callers", 40, |view| !view.is_test() && (view.is(Section::Callers) || view.is_subtype())),
    part("tests_to_run", 15, |view| view.is_test()),
    part("callees", 5, |view| view.is(Section::Callees)),
    part("related", 10, |_| true),
];

/// What it is coupled with on both sides, and what tests it.
const REVIEW: [Part; 4] = [
    part("callers", 30, |view| view.is(Section::Callers)),
    part("callees", 20, |view| view.is(Section::Callees)),
    part("tests", 15, |view| view.is_test()),
    part("related", 5, |_| true),
];

/// Where control and data go from here, then where they come from; tests reproduce.
const DEBUG: [Part; 4] = [
    part("callees", 45, |view| view.is(Section::Callees)),
    part("callers", 15, |view| view.is(Section::Callers)),
    part("data", 10, |view| !view.is_test() && view.is_tied_by(&[EdgeKind::References, EdgeKind::Imports])),
    part("related", 5, |_| true),
];

/// The patterns to follow, and where new things are hung in.
const ADD: [Part; 4] = [
    part("siblings", 40, |view| view.is_sibling()),
    part("extension_points", 20, |view| view.is_extension_point()),
    part("callers", 10, |view| view.is(Section::Callers)),
    part("related", 10, |_| true),
];

/// What is written about it, and where it leads.
const UNDERSTAND: [Part; 4] = [
    part("docs", 15, |view| view.is_document()),
    part("main_flows", 30, |view| view.is(Section::Callees)),
    part("callers", 15, |view| view.is(Section::Callers)),
    part("related", 10, |_| true),
];

/// Modules rather than definitions; `modules.rs` makes them.
const PLAN: [Part; 4] = [
    part("modules", 30, |_| false),
    part("depends_on", 30, |_| false),
    part("used_by_modules", 25, |_| false),
    part("links", 15, |_| false),
];

impl Assembly {
    pub(super) fn plain(detail: Detail) -> Assembly {
        Assembly { root: SHARES[0], parts: &PLAIN, detail, intent: None }
    }

    pub(super) fn of(intent: Intent, detail: Option<Detail>) -> Assembly {
        let (root, parts, usual): (u32, &'static [Part], Detail) = match intent {
            Intent::Modify => (30, &MODIFY, Detail::Full),
            Intent::Understand => (30, &UNDERSTAND, Detail::Full),
            Intent::Review => (30, &REVIEW, Detail::Full),
            Intent::Debug => (25, &DEBUG, Detail::Full),
            Intent::Add => (20, &ADD, Detail::Full),
            Intent::Plan => (0, &PLAN, Detail::Neighbors),
        };
        Assembly { root, parts, detail: detail.unwrap_or(usual), intent: Some(intent) }
    }

    /// Returns the shares of the root's code and of each section.
    pub(super) fn shares(&self) -> Vec<u32> {
        [self.root].into_iter().chain(self.parts.iter().map(|part| part.share)).collect()
    }

    /// Returns the index of the section that something is in.
    pub(super) fn section_of(&self, around: &Around<'_>, placed: &Placed<'_>) -> Option<usize> {
        let view = View { around, placed };
        self.parts.iter().position(|part| (part.takes)(&view))
    }
}

impl View<'_> {
    fn is(&self, section: Section) -> bool {
        self.placed.section == section
    }

    fn is_test(&self) -> bool {
        let node = self.around.found.nodes.get(&self.placed.ranked.at).and_then(|met| met.node.as_ref());
        node.is_some_and(|node| node.is_test) || self.is_tied_by(&[EdgeKind::Tests])
    }

    fn is_document(&self) -> bool {
        let node = self.around.found.nodes.get(&self.placed.ranked.at).and_then(|met| met.node.as_ref());
        node.is_some_and(|node| node.domain() == Domain::Docs) || self.is_tied_by(&[EdgeKind::Documents])
    }

    fn is_tied_by(&self, kinds: &[EdgeKind]) -> bool {
        let relation = self.placed.edge.map(|edge| edge.relation);
        matches!(relation, Some(Relation::Within(kind)) if kinds.contains(&kind))
    }

    /// Says whether it builds on the root or on what builds on it.
    fn is_subtype(&self) -> bool {
        let leads_away = self.placed.edge.is_some_and(|edge| edge.from == self.placed.ranked.at);
        leads_away && self.is_tied_by(&[EdgeKind::Extends, EdgeKind::Implements])
    }

    fn is_sibling(&self) -> bool {
        self.around.siblings.contains(&self.placed.ranked.at)
    }

    /// Says whether new things are hung in here: a base, an interface, a route, or where the root is registered.
    fn is_extension_point(&self) -> bool {
        const OPEN_KINDS: [&str; 4] = ["interface", "trait", "protocol", "route"];
        let kind = self.around.cards.get(&self.placed.ranked.at).and_then(|card| card.node.as_ref());
        let is_open = kind.is_some_and(|node| OPEN_KINDS.contains(&node.kind.as_str()));
        let registers = !self.is_test()
            && self.placed.ranked.hops == 1
            && self.is(Section::Callers)
            && self.is_tied_by(&[EdgeKind::References, EdgeKind::Handles]);
        is_open || registers || self.is_tied_by(&[EdgeKind::Extends, EdgeKind::Implements])
    }
}
