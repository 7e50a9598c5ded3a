//! The edges that walks collect: of the graph of one repository, and links between two.

use std::sync::Arc;

use links::{ContractKind, SharedText, join::ContractLink, services::EvidenceStep};
use proto::v1;

use super::{CERTAIN, Relation};
use crate::{
    nodes::{self, NodeRef},
    overlay::CrossRepoEdge,
    repo_idx::RepoIdx,
};

/// An edge between two nodes, of one repository or two.
#[derive(Debug, Clone, PartialEq)]
pub struct WalkEdge {
    /// The source, such as a caller.
    pub from: NodeRef,
    /// The target, such as a callee.
    pub to: NodeRef,
    /// The kind of the edge or link.
    pub relation: Relation,
    /// The resolution method, such as `scope` or `import`; `key` for a link.
    pub resolution: String,
    /// In (0, 1].
    pub confidence: f32,
    /// The line of the first use: in the file of `from`, or for a link in that of its user.
    pub line: u32,
    /// The lines of all uses, ascending, as far as they are known. Walks that collect context know the first one.
    pub lines: Vec<u32>,
    /// Number of uses.
    pub sites: u32,
    /// The called method, if `to` overrides or implements it.
    pub through: Option<NodeRef>,
    /// Both sides of a link; unset for an edge within a repository.
    pub evidence: Option<Arc<LinkEvidence>>,
    /// Both sides of further links between the same nodes, such as other settings of one file.
    pub further_evidence: Vec<Arc<LinkEvidence>>,
}

/// Both sides of a link, as the code has them.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkEvidence {
    /// The key of the contract, in the notation of the offer.
    pub key: SharedText,
    /// The name within the package; empty except for a package symbol.
    pub member: SharedText,
    /// Repository, path and line of the use.
    pub user: (RepoIdx, SharedText, u32),
    /// Repository, path and line of the offer.
    pub offer: (RepoIdx, SharedText, u32),
    /// The version that the user requires, and the one that the provider gives; each empty if it is not known.
    pub versions: Option<(String, String)>,
    /// Repository, path, line and content of the places that the link was concluded from.
    pub steps: Vec<(RepoIdx, SharedText, u32, String)>,
}

impl LinkEvidence {
    pub(super) fn of(link: &ContractLink, user: RepoIdx, provider: RepoIdx) -> LinkEvidence {
        let step = |step: &EvidenceStep| (RepoIdx(step.repository), step.path.clone(), step.line, step.content.clone());
        LinkEvidence {
            key: link.key.clone(),
            member: link.member.clone(),
            user: (user, link.user.path.clone(), link.user.line),
            offer: (provider, link.offer.path.clone(), link.offer.line),
            versions: None,
            steps: link.evidence.iter().map(step).collect(),
        }
    }
}

impl WalkEdge {
    /// Returns true if the edge is inferred: a route, an HTTP call, or one of several candidates.
    pub fn is_inferred(&self) -> bool {
        let is_route =
            matches!(self.relation, Relation::Within(v1::EdgeKind::Handles) | Relation::Across(ContractKind::Http, _));
        is_route || self.confidence < CERTAIN
    }

    /// Returns true if the target may depend on the source as well, as the server of an rpc does on its definition.
    pub(super) fn is_bidirectional(&self) -> bool {
        matches!(self.relation, Relation::Across(..) | Relation::Use(v1::EdgeKind::Dispatch))
    }

    pub(crate) fn of_cross_repo_edge(cross_edge: &CrossRepoEdge<'_>) -> WalkEdge {
        let link = cross_edge.link;
        WalkEdge {
            from: cross_edge.from,
            to: cross_edge.to,
            relation: match link.use_kind {
                Some(kind) => Relation::Use(nodes::edge_kind(kind)),
                None => Relation::Across(link.kind, link.is_exact),
            },
            resolution: match link.use_kind {
                Some(_) if !link.kind.is_of_services() => "inference",
                _ => "key",
            }
            .to_owned(),
            confidence: cross_edge.confidence,
            line: link.user.line,
            lines: link.lines.clone(),
            sites: link.n_sites,
            through: None,
            evidence: Some(Arc::new(LinkEvidence {
                versions: cross_edge.dependency().map(|one| (one.required.clone(), one.indexed.clone())),
                ..LinkEvidence::of(link, cross_edge.user, cross_edge.provider)
            })),
            further_evidence: Vec::new(),
        }
    }

    pub(super) fn from_graph_edge(repo_idx: RepoIdx, edge: &v1::GraphEdge) -> WalkEdge {
        let at = |node| NodeRef { repo_idx, node };
        WalkEdge {
            from: at(edge.from),
            to: at(edge.to),
            relation: Relation::Within(edge.kind()),
            resolution: edge.resolution.clone(),
            confidence: edge.confidence,
            line: edge.line,
            lines: std::iter::once(edge.line).chain(edge.further_lines.iter().copied()).collect(),
            sites: edge.sites,
            through: None,
            evidence: None,
            further_evidence: Vec::new(),
        }
    }

    /// Returns a call of a declaration as an edge to a method that implements it.
    pub(super) fn dispatched_to(&self, method: NodeRef) -> WalkEdge {
        let dispatch = v1::EdgeKind::Dispatch;
        let is_within = self.from.repo_idx == method.repo_idx;
        WalkEdge {
            to: method,
            relation: if is_within { Relation::Within(dispatch) } else { Relation::Use(dispatch) },
            resolution: graph::Resolution::Dispatch.name().to_owned(),
            confidence: self.confidence * graph::Resolution::Dispatch.confidence(),
            evidence: None,
            further_evidence: Vec::new(),
            through: Some(self.to),
            ..self.clone()
        }
    }

    /// Returns the edge as a step of control flow: a call of a declaration runs one of several methods.
    pub(super) fn into_step(self) -> WalkEdge {
        match self.relation {
            Relation::Within(v1::EdgeKind::Dispatch) | Relation::Use(v1::EdgeKind::Dispatch) => {
                let confidence = self.confidence * graph::Resolution::Dispatch.confidence();
                WalkEdge { confidence, ..self }
            }
            _ => self,
        }
    }

    /// Adds the uses and the evidence of another edge between the same nodes.
    pub(super) fn absorb(&mut self, other: &mut WalkEdge) {
        self.lines.append(&mut other.lines);
        self.lines.sort_unstable();
        self.lines.dedup();
        let evidence = other.evidence.take().into_iter().chain(std::mem::take(&mut other.further_evidence));
        for one in evidence {
            if self.evidence.as_ref() != Some(&one) && !self.further_evidence.contains(&one) {
                self.further_evidence.push(one);
            }
        }
    }

    /// Returns the number of edges of the graph that it stands for.
    pub(super) fn length(&self) -> u32 {
        1 + u32::from(self.through.is_some())
    }

    pub(super) fn order(&self) -> (NodeRef, NodeRef, Relation, u32) {
        (self.from, self.to, self.relation, self.line)
    }
}
