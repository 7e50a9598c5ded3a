//! Packing of the items into the budget, and rendering.

use std::collections::BTreeMap;

use proto::v1;

use super::{
    answer::{ContextAnswer, ContextSections, SectionTotals, compact},
    assembly::Assembly,
    item::ContextItem,
    modules::modules,
    packing::{PackingItem, pack},
    request::{ContextOptions, Detail},
    surroundings::EntitySurroundings,
};
use crate::render::{self, Format, RenderedAnswer};
use federation::{fetch::FetchedSource, nodes::NodeRef, plan::Plan, walk::weights::Intent};

/// Tokens of headings and counts that are only known after packing.
const MARGIN: usize = 40;

/// Rounds that spend the tokens saved by rounding.
const N_ROUNDS: usize = 3;

/// An item before it is priced.
#[derive(Clone)]
struct LayoutCandidate<'a> {
    section: usize,
    item: ContextItem,
    code: Option<&'a FetchedSource>,
    name_line: u32,
    interest: Vec<u32>,
}

/// Packs the items into the budget, and renders the answer.
pub(super) fn render(
    plan: &Plan,
    whole: ContextAnswer,
    surroundings: &EntitySurroundings<'_>,
    sources: &BTreeMap<NodeRef, FetchedSource>,
    options: &ContextOptions,
    assembly: Assembly,
) -> RenderedAnswer {
    let budget = options.token_budget;
    let lay_out = |answer: &ContextAnswer| match options.format {
        Format::Json => render::to_json(answer),
        Format::Compact => compact(answer),
    };
    let count_tokens = |answer: &ContextAnswer| text::estimate_tokens(&lay_out(answer));
    let candidates = candidates(plan, &whole, surroundings, sources, assembly);
    let whole = with_totals(whole, &candidates, assembly);
    let count_without_items = |answer: &ContextAnswer| {
        let mut answer = with_items(answer.clone(), Vec::new(), assembly);
        answer._meta.extent.more = None;
        count_tokens(&answer)
    };
    let base = base_that_fits(whole, budget, &count_tokens, &count_without_items);
    let mut answer = with_items(base.clone(), Vec::new(), assembly);
    let mut room = budget.saturating_sub(count_tokens(&answer) + MARGIN);
    if count_tokens(&answer) > budget {
        answer._meta.extent.more = None;
    }
    let shares = assembly.shares();
    for _ in 0..N_ROUNDS {
        let packing_items = candidates.iter().map(|candidate| candidate.packing_item(surroundings)).collect();
        let packed = pack(room, &shares, packing_items, |item| price(item, &base.entity, options.format));
        let packed = with_items(base.clone(), packed, assembly);
        let n_tokens = count_tokens(&packed);
        if n_tokens > budget {
            break;
        }
        answer = packed;
        // Items cost less together than their separate prices.
        let n_unspent = budget - n_tokens;
        if n_unspent < MARGIN / 2 || !answer._meta.extent.truncated {
            break;
        }
        room += n_unspent - MARGIN / 4;
    }
    match options.format {
        Format::Json => RenderedAnswer::json(&answer, plan),
        Format::Compact => RenderedAnswer::compact(compact(&answer), plan),
    }
}

/// Returns the fullest form of the frame that leaves room within the budget.
fn base_that_fits(
    whole: ContextAnswer,
    budget: usize,
    count_tokens: &impl Fn(&ContextAnswer) -> usize,
    count_without_items: &impl Fn(&ContextAnswer) -> usize,
) -> ContextAnswer {
    let mut form = whole;
    let steps: [fn(&mut ContextAnswer); 6] = [
        |answer| {
            answer.also_called_so.truncate(1);
            answer.skeleton.clear();
            answer.changed_below.clear();
        },
        |answer| answer.risks.truncate(2),
        |answer| {
            answer.also_called_so.clear();
            answer.peers.clear();
            (answer.past, answer.coupling) = (None, None);
            answer.risks.clear();
            answer._meta.shorten();
        },
        |answer| {
            answer.entity.doc.clear();
            answer.projects.clear();
        },
        |answer| answer.entity.signature.clear(),
        |answer| {
            answer.entity.shorten();
            (answer.mode, answer.intent, answer.used_by) = (None, None, None);
            answer.totals = SectionTotals::default();
        },
    ];
    for (step, is_last) in steps.into_iter().zip([false, false, false, false, true, true]) {
        // The frame may take two thirds if there are items to show; the entity itself is shortened last.
        let most = if is_last { budget } else { budget / 3 * 2 };
        if count_tokens(&form) + MARGIN <= most || is_last && count_without_items(&form) <= budget {
            break;
        }
        step(&mut form);
    }
    form
}

fn price(item: &ContextItem, entity: &ContextItem, format: Format) -> usize {
    let is_root = item.id == entity.id && item.standing.is_none();
    let text = match (format, &item.code) {
        (Format::Json, Some(code)) if is_root => format!(",\"code\":{}", render::to_json(code)),
        (Format::Compact, Some(code)) if is_root => format!("{}\n", render::code_fence(&item.path, code)),
        (_, None) if is_root => return 0,
        (Format::Json, _) => format!("{},", render::to_json(item)),
        (Format::Compact, _) => item.compact(),
    };
    text::estimate_tokens(&text)
}

impl<'a> LayoutCandidate<'a> {
    fn packing_item(&self, surroundings: &'a EntitySurroundings<'_>) -> PackingItem<'a> {
        let mut packing_item = PackingItem::new(self.section, self.item.clone(), self.code);
        packing_item.name_line = self.name_line;
        packing_item.interest = self.interest.clone();
        if self.section == 0 {
            packing_item.outline = &surroundings.outline;
        }
        packing_item
    }
}

/// Returns everything that may be shown: the root's code, and the items of the sections in order.
fn candidates<'a>(
    plan: &Plan,
    whole: &ContextAnswer,
    surroundings: &EntitySurroundings<'_>,
    sources: &'a BTreeMap<NodeRef, FetchedSource>,
    assembly: Assembly,
) -> Vec<LayoutCandidate<'a>> {
    let name_line = |card: &v1::NodeCard| card.symbol.as_ref().map_or(0, |symbol| symbol.name_line);
    let bare = |section: usize, item: ContextItem| LayoutCandidate {
        section,
        item,
        code: None,
        name_line: 0,
        interest: Vec::new(),
    };
    if assembly.detail == Detail::Summary || whole.unchanged == Some(true) {
        return Vec::new();
    }
    let mut candidates = Vec::new();
    if assembly.detail == Detail::Full {
        let code = sources.get(&surroundings.entity.at);
        candidates.push(LayoutCandidate {
            code,
            name_line: name_line(surroundings.root),
            ..bare(0, whole.entity.clone())
        });
    }
    if assembly.intent == Some(Intent::Plan) {
        candidates.extend(modules(plan, surroundings).into_iter().map(|(section, item)| bare(section, item)));
        return candidates;
    }
    for placed in surroundings.placed {
        let at = placed.ranked.at;
        let Some(section) = assembly.section_of(surroundings, placed) else { continue };
        let Some((card, item)) =
            surroundings.cards.get(&at).zip(ContextItem::of_placed_node(plan, placed, surroundings.cards))
        else {
            continue;
        };
        // The call site is the reason to show a caller.
        let is_user = placed.edge.is_some_and(|edge| edge.from == at);
        let interest = placed.edge.filter(|_| is_user).map(|edge| edge.line).into_iter().collect();
        let code = sources.get(&at);
        candidates.push(LayoutCandidate { code, name_line: name_line(card), interest, ..bare(section + 1, item) });
    }
    candidates
}

/// Returns the answer with the total of each section.
fn with_totals(whole: ContextAnswer, candidates: &[LayoutCandidate<'_>], assembly: Assembly) -> ContextAnswer {
    let mut answer = whole;
    let count = |section: usize| candidates.iter().filter(|candidate| candidate.section == section).count();
    answer.totals =
        SectionTotals(assembly.sections.iter().zip(1..).map(|(part, section)| (part.name, count(section))).collect());
    if assembly.intent == Some(Intent::Plan) {
        answer._meta.extent.total_items = candidates.iter().filter(|candidate| candidate.section > 0).count() as u64;
    }
    answer
}

/// Returns the answer with the chosen items.
fn with_items(base: ContextAnswer, items: Vec<(usize, ContextItem)>, assembly: Assembly) -> ContextAnswer {
    let mut answer = base;
    answer.sections = ContextSections(assembly.sections.iter().map(|part| (part.name, Vec::new())).collect());
    let mut n_shown = 0;
    for (section, item) in items {
        match section.checked_sub(1) {
            None => answer.entity.code = item.code,
            Some(idx) => {
                answer.sections.0[idx].1.push(item);
                n_shown += 1;
            }
        }
    }
    let extent = &mut answer._meta.extent;
    extent.returned_items = n_shown;
    let is_all = n_shown >= extent.total_items || assembly.detail == Detail::Summary || answer.unchanged == Some(true);
    extent.truncated = !is_all;
    extent.more = (!is_all).then(|| "a larger token_budget".to_owned());
    answer
}
