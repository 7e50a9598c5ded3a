//! One definition, file or route as an answer shows it.

use std::collections::BTreeMap;

use model::{LineSpan, symbol::qualify};
use proto::v1;
use serde::Serialize;

use crate::{
    meta::short_commit,
    nodes::At,
    plan::Plan,
    render, symbol_ref,
    tools::filters::span,
    walk::{Edge, sections::Placed},
};

/// What is shown of a node.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Item {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) repo: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) path: String,
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) start_line: u32,
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) end_line: u32,
    /// What other tools take; of a file `alias:path`.
    pub(crate) id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) signature: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) doc: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) link: Option<Tie>,
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) is_test: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) standing: Option<Standing>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<String>,
}

/// How an item hangs together with what it was reached from.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Tie {
    pub(crate) relation: &'static str,
    /// `out` if the edge leads to the item, `in` if it comes from it.
    pub(crate) direction: &'static str,
    /// The other end, where that is not the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) with: Option<String>,
    /// The line of the use, in the file of whoever uses.
    pub(crate) line: u32,
    pub(crate) sites: u32,
    pub(crate) confidence: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) evidence: Option<Sides>,
    #[serde(skip)]
    passive: &'static str,
}

/// Both sides of a link between repositories.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Sides {
    pub(crate) key: String,
    pub(crate) user: String,
    pub(crate) offer: String,
}

/// Where an item stands in the order.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Standing {
    pub(crate) relevance: f64,
    pub(crate) boundaries: u32,
    pub(crate) hops: u32,
}

impl Item {
    pub(crate) fn of(plan: &Plan, at: At, card: &v1::NodeCard) -> Item {
        let repo = plan.alias(at.position).to_owned();
        let raw_path = path_of(card);
        let path = text::sanitise_name(raw_path).into_owned();
        let lines = lines_of(card);
        let kind = card.node.as_ref().map(|node| node.kind.as_str()).unwrap_or_default();
        let kind = text::sanitise_name(kind).into_owned();
        let is_test = card.node.as_ref().is_some_and(|node| node.is_test);
        let bare = Item { repo, path, start_line: lines.start, end_line: lines.end, kind, is_test, ..Item::default() };
        match (&card.symbol, &card.route) {
            (Some(symbol), _) => Item {
                id: symbol_ref::full_id(&bare.repo, raw_path, symbol),
                name: text::sanitise_name(&qualify(&symbol.container, &symbol.name)).into_owned(),
                signature: render::signature(&symbol.signature),
                doc: render::first_sentence(&symbol.doc),
                ..bare
            },
            (None, Some(route)) => {
                let name = text::sanitise_name(&format!("{} {}", route.method, route.path)).into_owned();
                Item { id: format!("{}:{}:{}", bare.repo, bare.path, lines.start), name, ..bare }
            }
            (None, None) => Item { id: format!("{}:{}", bare.repo, bare.path), name: bare.path.clone(), ..bare },
        }
    }

    /// Leaves nothing but what other tools take, for budgets that hold no more.
    pub(crate) fn shorten(&mut self) {
        let (id, kind) = (std::mem::take(&mut self.id), std::mem::take(&mut self.kind));
        *self = Item { id, kind, ..Item::default() };
    }

    /// Returns the item with how it was reached, and over what.
    pub(crate) fn placed(plan: &Plan, placed: &Placed<'_>, cards: &BTreeMap<At, v1::NodeCard>) -> Option<Item> {
        let card = cards.get(&placed.ranked.at)?;
        let ranked = placed.ranked;
        let standing = Standing { relevance: ranked.relevance, boundaries: ranked.boundaries, hops: ranked.hops };
        let tie = |edge: &Edge| {
            let other = if edge.from == ranked.at { edge.to } else { edge.from };
            let with = cards.get(&other).filter(|_| ranked.hops > 1).map(name_of);
            Tie { with, ..Tie::of(plan, edge, ranked.at) }
        };
        let link = placed.edge.map(tie);
        Some(Item { link, standing: Some(standing), ..Item::of(plan, ranked.at, card) })
    }

    /// Returns the item on one line, and its code where there is some.
    pub(crate) fn compact(&self) -> String {
        let Item { repo, path, start_line, end_line, .. } = self;
        let shown = if self.signature.is_empty() { &self.name } else { &self.signature };
        let kind = match self.kind.as_str() {
            kind if kind.is_empty() || shown.starts_with(&format!("{kind} ")) => String::new(),
            kind => format!("{kind} "),
        };
        let mut line = format!("{repo}:{path}:{start_line}-{end_line} {kind}{shown}");
        let test = if self.is_test { "test; " } else { "" };
        match &self.link {
            Some(link) => line += &format!(" [{test}{}]", link.compact(&format!("{repo}:{path}"))),
            None if self.is_test => line += " [test]",
            None => {}
        }
        line.push('\n');
        if let Some(code) = &self.code {
            line += &format!("{}\n", render::fenced(path, code));
        }
        line
    }
}

impl Tie {
    pub(crate) fn of(plan: &Plan, edge: &Edge, at: At) -> Tie {
        let evidence = edge.evidence.as_ref().map(|evidence| {
            let site = |(position, path, line): &(usize, String, u32)| {
                format!("{}:{}:{line}", plan.alias(*position), text::sanitise_name(path))
            };
            let key = match evidence.member.as_str() {
                "" => evidence.key.clone(),
                member => format!("{}::{member}", evidence.key),
            };
            let key = text::sanitise_name(&key).into_owned();
            Sides { key, user: site(&evidence.user), offer: site(&evidence.offer) }
        });
        Tie {
            relation: edge.relation.name(),
            direction: if edge.to == at { "out" } else { "in" },
            line: edge.line,
            sites: edge.sites,
            confidence: render::rounded(edge.confidence),
            evidence,
            with: None,
            passive: edge.relation.passive(),
        }
    }

    /// Returns the tie in few words; of a link, the side in the item's own file (`place`) by its line alone.
    pub(crate) fn compact(&self, place: &str) -> String {
        let sure = if self.confidence < 1.0 { format!(" {}", self.confidence) } else { String::new() };
        if let Some(Sides { key, user, offer }) = &self.evidence {
            let side = |site: &str| match site.strip_prefix(place) {
                Some(line) if line.starts_with(':') => line.to_owned(),
                _ => site.to_owned(),
            };
            return format!("{} {key} {} -> {}{sure}", self.relation, side(user), side(offer));
        }
        let verb = if self.direction == "in" { self.relation } else { self.passive };
        let with = match &self.with {
            Some(name) if self.direction == "in" => format!(" {name}"),
            Some(name) => format!(" by {name}"),
            None => String::new(),
        };
        let line = if self.line > 0 { format!(" :{}", self.line) } else { String::new() };
        format!("{verb}{with}{line}{sure}")
    }
}

/// Returns what people call a node: its own name, or the path or route that it is.
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

/// Returns the lines of a definition; of a file all; of a route its own.
pub(crate) fn lines_of(card: &v1::NodeCard) -> LineSpan {
    match (&card.symbol, &card.route) {
        (Some(symbol), _) => span(symbol.lines.unwrap_or_default()),
        (None, Some(route)) => span(v1::Lines { start: route.line, end: route.line }),
        (None, None) => span(v1::Lines { start: 1, end: card.file.as_ref().map_or(1, |file| file.lines) }),
    }
}

/// Returns the commit of a change as it is shown.
pub(crate) fn commit(commit: &str) -> String {
    text::sanitise_name(short_commit(commit)).into_owned()
}

fn is_zero(line: &u32) -> bool {
    *line == 0
}

fn is_false(value: &bool) -> bool {
    !value
}
