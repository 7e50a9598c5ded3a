//! A definition, file or route as answers show it.

use std::collections::BTreeMap;

use links::SharedText;
use model::{LineSpan, symbol::qualify};
use proto::v1;
use serde::Serialize;

use crate::render;
use federation::{
    commit_id::short_commit,
    nodes::NodeRef,
    outline::{self, span},
    plan::Plan,
    repo_idx::RepoIdx,
    symbol_ref,
    walk::{LinkEvidence, WalkEdge, sections::PlacedNode},
};

/// The shown fields of a node.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct ContextItem {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub repo: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    #[serde(skip_serializing_if = "is_zero")]
    pub start_line: u32,
    #[serde(skip_serializing_if = "is_zero")]
    pub end_line: u32,
    /// The id that other tools accept; for a file `alias:path`.
    pub id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub signature: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub doc: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<ItemLink>,
    #[serde(skip_serializing_if = "is_false")]
    pub is_test: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standing: Option<ItemStanding>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// The edge by which the walk reached an item.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ItemLink {
    pub relation: &'static str,
    /// `out` if the edge leads to the item, `in` if it comes from it.
    pub direction: &'static str,
    /// The other end of the edge, unless it is the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// The line of the use, in the file of the user.
    pub line: u32,
    /// The lines of all uses, if there are several and they are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<u32>,
    pub sites: u32,
    pub confidence: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<LinkSides>,
    /// Both sides of further links between the same two ends, such as other settings of one file.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub further: Vec<LinkSides>,
    #[serde(skip)]
    passive: &'static str,
}

/// Maximum number of further links of one edge.
const MAX_FURTHER: usize = 40;

/// Maximum number of listed lines of one user. The number of uses tells of more.
const MAX_LINES: usize = 20;

/// Maximum number of places that explain a link between services.
pub(crate) const MAX_STEPS: usize = 6;

/// Both sides of a link between repositories.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct LinkSides {
    pub key: String,
    pub user: String,
    pub offer: String,
    /// The version that the user requires, and the indexed one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub versions: String,
    /// The places that a link between services was concluded from, each with its content: `deploy:web.yaml:12 CART = cart:80`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<String>,
}

/// The rank of an item.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct ItemStanding {
    pub relevance: f64,
    pub boundaries: u32,
    pub hops: u32,
}

impl ContextItem {
    pub(crate) fn of(plan: &Plan, at: NodeRef, card: &v1::NodeCard) -> ContextItem {
        let repo = plan.alias(at.repo_idx).to_owned();
        let raw_path = path_of(card);
        let path = text::sanitise_name(raw_path).into_owned();
        let lines = lines_of(card);
        let kind = card.node.as_ref().map(|node| node.kind.as_str()).unwrap_or_default();
        let kind = text::sanitise_name(kind).into_owned();
        let is_test = card.node.as_ref().is_some_and(|node| node.is_test);
        let bare = ContextItem {
            repo,
            path,
            start_line: lines.start,
            end_line: lines.end,
            kind,
            is_test,
            ..ContextItem::default()
        };
        match (&card.symbol, &card.route) {
            (Some(symbol), _) => ContextItem {
                id: symbol_ref::full_id(&bare.repo, raw_path, symbol),
                name: text::sanitise_name(&qualify(&symbol.container, &symbol.name)).into_owned(),
                signature: outline::signature(&symbol.signature),
                doc: text::first_sentence(&symbol.doc),
                ..bare
            },
            (None, Some(route)) => {
                let name = text::sanitise_name(&format!("{} {}", route.method, route.path)).into_owned();
                ContextItem { id: format!("{}:{}:{}", bare.repo, bare.path, lines.start), name, ..bare }
            }
            (None, None) => ContextItem { id: format!("{}:{}", bare.repo, bare.path), name: bare.path.clone(), ..bare },
        }
    }

    /// Drops everything except the id, for very small budgets.
    pub(crate) fn shorten(&mut self) {
        let (id, kind) = (std::mem::take(&mut self.id), std::mem::take(&mut self.kind));
        *self = ContextItem { id, kind, ..ContextItem::default() };
    }

    /// Returns the item with the edge by which the walk reached it, and its other end.
    pub(crate) fn of_placed_node(
        plan: &Plan,
        placed: &PlacedNode<'_>,
        cards: &BTreeMap<NodeRef, v1::NodeCard>,
    ) -> Option<ContextItem> {
        let card = cards.get(&placed.ranked.at)?;
        let ranked = placed.ranked;
        let relevance = (ranked.relevance * 1e12).round() / 1e12;
        let standing = ItemStanding { relevance, boundaries: ranked.boundaries, hops: ranked.hops };
        let link_of = |edge: &WalkEdge| {
            let other = if edge.from == ranked.at { edge.to } else { edge.from };
            let with = cards.get(&other).filter(|_| ranked.hops > 1).map(name_of);
            ItemLink { with, ..ItemLink::of(plan, edge, ranked.at) }
        };
        let link = placed.edge.map(link_of);
        Some(ContextItem { link, standing: Some(standing), ..ContextItem::of(plan, ranked.at, card) })
    }

    /// Returns the item on one line, with its code if there is some.
    pub(crate) fn compact(&self) -> String {
        let ContextItem { repo, path, start_line, end_line, .. } = self;
        let kind = match self.kind.as_str() {
            kind if kind.is_empty() || self.signature.starts_with(&format!("{kind} ")) => String::new(),
            kind => format!("{kind} "),
        };
        let shown = match self.signature.as_str() {
            "" => text::quote_name(&self.name),
            signature => text::quote(signature).into(),
        };
        // A contract, such as a topic, is in no file.
        let location = match path.as_str() {
            "" => String::new(),
            path => format!("{} ", text::quote_name(&format!("{repo}:{path}:{start_line}-{end_line}"))),
        };
        let mut line = format!("{location}{kind}{shown}");
        let test = if self.is_test { "test; " } else { "" };
        match &self.link {
            Some(link) => line += &format!(" [{test}{}]", link.compact(&format!("{repo}:{path}"))),
            None if self.is_test => line += " [test]",
            None => {}
        }
        line.push('\n');
        if let Some(code) = &self.code {
            line += &format!("{}\n", render::code_fence(path, code));
        }
        line
    }
}

impl LinkSides {
    fn of(plan: &Plan, evidence: &LinkEvidence) -> LinkSides {
        let site = |(repo_idx, path, line): &(RepoIdx, SharedText, u32)| place(plan, *repo_idx, path, *line);
        let key = match &*evidence.member {
            "" => evidence.key.to_string(),
            member => format!("{}::{member}", evidence.key),
        };
        let versions = evidence.versions.as_ref().map_or_else(String::new, |(required, indexed)| {
            versions(required, indexed, &plan.repository(evidence.offer.0).advertised.commit)
        });
        let because = evidence.steps.iter().take(MAX_STEPS);
        let because = because.map(|(repo_idx, path, line, content)| {
            format!("{} {}", place(plan, *repo_idx, path, *line), text::sanitise_name(content))
        });
        LinkSides {
            key: text::sanitise_name(&key).into_owned(),
            user: site(&evidence.user),
            offer: site(&evidence.offer),
            versions,
            because: because.collect(),
        }
    }
}

/// Returns a place as answers show it: `alias:path:line`.
pub(crate) fn place(plan: &Plan, repo_idx: RepoIdx, path: &str, line: u32) -> String {
    format!("{}:{}:{line}", plan.alias(repo_idx), text::sanitise_name(path))
}

impl ItemLink {
    pub(crate) fn of(plan: &Plan, edge: &WalkEdge, at: NodeRef) -> ItemLink {
        let further = edge.further_evidence.iter().take(MAX_FURTHER);
        // The first link explains the edge.
        let further = further.map(|evidence| LinkSides { because: Vec::new(), ..LinkSides::of(plan, evidence) });
        let lines = if edge.lines.len() > 1 { edge.lines.as_slice() } else { &[] };
        ItemLink {
            relation: edge.relation.name(),
            direction: if edge.to == at { "out" } else { "in" },
            line: edge.line,
            lines: lines.iter().take(MAX_LINES).copied().collect(),
            sites: edge.sites,
            confidence: render::rounded(edge.confidence),
            evidence: edge.evidence.as_ref().map(|evidence| LinkSides::of(plan, evidence)),
            further: further.collect(),
            with: None,
            passive: edge.relation.passive(),
        }
    }

    /// Replaces the lines and the number of uses.
    pub(crate) fn with_sites(self, lines: &[u32], sites: u32) -> ItemLink {
        ItemLink {
            line: lines.first().copied().unwrap_or(self.line),
            lines: if lines.len() > 1 { lines.to_vec() } else { Vec::new() },
            sites,
            ..self
        }
    }

    /// Returns the edge in a few words. The end of a link in the item's own file (`own_file`) is shown by its line
    /// only.
    pub(crate) fn compact(&self, own_file: &str) -> String {
        let confidence_suffix = if self.confidence < 1.0 { format!(" {}", self.confidence) } else { String::new() };
        if let Some(LinkSides { key, user, offer, .. }) = &self.evidence {
            let side = |site: &str| match site.strip_prefix(own_file) {
                Some(line) if line.starts_with(':') => line.to_owned(),
                _ => text::quote_name(site).into_owned(),
            };
            let key = text::quote_name(key);
            let further = self.further.iter().map(|other| {
                format!("; {} {} -> {}", text::quote_name(&other.key), side(&other.user), side(&other.offer))
            });
            let further: String = further.collect();
            return format!("{} {key} {} -> {}{confidence_suffix}{further}", self.relation, side(user), side(offer));
        }
        let verb = if self.direction == "in" { self.relation } else { self.passive };
        let with = match &self.with {
            Some(name) if self.direction == "in" => format!(" {}", text::quote_name(name)),
            Some(name) => format!(" by {}", text::quote_name(name)),
            None => String::new(),
        };
        let line = if self.line > 0 { format!(" :{}", self.line) } else { String::new() };
        format!("{verb}{with}{line}{confidence_suffix}")
    }
}

/// Returns the display name of a node: its own name, or its path or route.
fn name_of(card: &v1::NodeCard) -> String {
    let name = match (&card.symbol, &card.route) {
        (Some(symbol), _) => qualify(&symbol.container, &symbol.name),
        (None, Some(route)) => format!("{} {}", route.method, route.path),
        (None, None) => path_of(card).rsplit('/').next().unwrap_or_default().to_owned(),
    };
    text::sanitise_name(&name).into_owned()
}

pub(crate) fn path_of(card: &v1::NodeCard) -> &str {
    card.file.as_ref().map(|file| file.path.as_str()).unwrap_or_default()
}

/// Returns the lines of a definition or route; for a file all lines.
pub(crate) fn lines_of(card: &v1::NodeCard) -> LineSpan {
    match (&card.symbol, &card.route) {
        (Some(symbol), _) => span(symbol.lines.unwrap_or_default()),
        (None, Some(route)) => span(v1::Lines { start: route.line, end: route.line }),
        (None, None) => span(v1::Lines { start: 1, end: card.file.as_ref().map_or(1, |file| file.lines) }),
    }
}

/// Number of digits of a commit beside a version.
const COMMIT_DIGITS: usize = 7;

/// Returns a required and an indexed version in display form: `declares ^1.2, indexed 2.0.1 @abc1234`.
pub(crate) fn versions(required: &str, indexed: &str, commit: &str) -> String {
    let indexed = if indexed.is_empty() { String::new() } else { format!("{indexed} ") };
    let commit = commit.get(..COMMIT_DIGITS).unwrap_or(commit);
    text::sanitise_name(&format!("declares {required}, indexed {indexed}@{commit}")).into_owned()
}

/// Returns the commit of a change in display form.
pub(crate) fn commit(commit: &str) -> String {
    text::sanitise_name(short_commit(commit)).into_owned()
}

fn is_zero(line: &u32) -> bool {
    *line == 0
}

fn is_false(value: &bool) -> bool {
    !value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contract_is_shown_without_a_place() {
        let item = |path: &str, kind: &str, name: &str| ContextItem {
            repo: "shop".to_owned(),
            path: path.to_owned(),
            start_line: 3,
            end_line: 4,
            kind: kind.to_owned(),
            name: name.to_owned(),
            ..ContextItem::default()
        };
        assert_eq!(item("", "topic", "kafka:orders").compact(), "topic kafka:orders\n");
        assert_eq!(item("a.rs", "function", "show").compact(), "shop:a.rs:3-4 function show\n");
    }
}
