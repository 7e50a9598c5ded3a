//! The direct uses of changed definitions, in all repositories.

use std::collections::{BTreeMap, BTreeSet};

use proto::v1;

use crate::get_context::item::path_of;
use federation::{
    answer::Answer,
    call::CallContext,
    nodes::NodeRef,
    overlay::Overlay,
    plan::Plan,
    repo_idx::RepoIdx,
    walk::{
        Relation, WalkEdge, WalkScope, impact, walk_users,
        weights::{Intent, Weights},
    },
};

/// The uses of all roots.
#[derive(Default)]
pub(super) struct ReviewedUses {
    /// By root, user and line.
    pub(super) uses: Vec<DefinitionUse>,
    /// The cards of roots and users.
    pub(super) cards: BTreeMap<NodeRef, v1::NodeCard>,
    /// Number of uses beyond the limits.
    pub(super) n_omitted: u64,
}

/// A use of a definition.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DefinitionUse {
    pub(super) root: NodeRef,
    /// The definition or file that uses it.
    pub(super) user: NodeRef,
    /// The file of the user.
    pub(super) file: (RepoIdx, String),
    /// The line of the use; for an override the line of its name.
    pub(super) line: u32,
    pub(super) kind: UseKind,
    /// True if the use is resolved by type or import rather than by name alone.
    pub(super) is_certain: bool,
}

/// A kind of use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum UseKind {
    Call,
    /// A test that calls or names it.
    Test,
    /// Implements or extends the type.
    Subtype,
    /// Overrides or implements the method.
    Override,
    /// Reads or writes it, passes it on, or writes it as a type.
    Reference,
    /// Over the network.
    Contract,
}

/// Finds the direct uses of the roots.
pub(super) async fn find(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    enter: &BTreeSet<RepoIdx>,
    roots: &BTreeSet<NodeRef>,
) -> Answer<ReviewedUses> {
    if roots.is_empty() {
        return Answer::complete(ReviewedUses::default());
    }
    let weights = Weights::new(Some(Intent::Modify));
    let direction = v1::Direction::In;
    let walk_scope =
        WalkScope { depth: 1, direction, kinds: &impact::BREAKING, include_inferred: true, enter, weights: &weights };
    let root_list: Vec<NodeRef> = roots.iter().copied().collect();
    let walked = walk_users(call, plan, overlay, &root_list, &walk_scope).await;
    let remaining = plan.without(&walked.shortfalls);
    let found = walked.value;
    let ends = found.edges.iter().flat_map(|edge| [edge.from, edge.to]).chain(roots.iter().copied());
    let cards = call.describe(&remaining, &ends.collect()).await.after(walked.shortfalls);
    let uses: BTreeSet<DefinitionUse> =
        found.edges.iter().flat_map(|edge| uses_of(edge, roots, &cards.value)).collect();
    let n_omitted = found.n_direct_omitted;
    cards.map(|cards| ReviewedUses { uses: uses.into_iter().collect(), cards, n_omitted })
}

/// Returns the uses that an edge stands for. The edges of tests repeat calls and references.
fn uses_of(edge: &WalkEdge, roots: &BTreeSet<NodeRef>, cards: &BTreeMap<NodeRef, v1::NodeCard>) -> Vec<DefinitionUse> {
    let kind = match edge.relation {
        Relation::Within(kind) | Relation::Use(kind) => match kind {
            v1::EdgeKind::Calls => UseKind::Call,
            v1::EdgeKind::Tests => UseKind::Test,
            v1::EdgeKind::Dispatch => UseKind::Override,
            v1::EdgeKind::Extends | v1::EdgeKind::Implements => UseKind::Subtype,
            _ => UseKind::Reference,
        },
        Relation::Across(..) => UseKind::Contract,
    };
    // An edge of dispatch leads from the overridden method to the overriding one.
    let (root, user) = if kind == UseKind::Override { (edge.from, edge.to) } else { (edge.to, edge.from) };
    let Some(card) = cards.get(&user).filter(|_| roots.contains(&root) && root != user) else { return Vec::new() };
    let name_line = card.symbol.as_ref().map_or(edge.line, |symbol| symbol.name_line);
    let lines: Vec<u32> = match kind {
        UseKind::Override | UseKind::Subtype => vec![name_line],
        _ if edge.lines.is_empty() => vec![edge.line],
        _ => edge.lines.clone(),
    };
    let one = |line: u32| DefinitionUse {
        root,
        user,
        file: (user.repo_idx, path_of(card).to_owned()),
        line,
        kind,
        is_certain: edge.confidence >= federation::walk::CERTAIN,
    };
    lines.into_iter().map(one).collect()
}
