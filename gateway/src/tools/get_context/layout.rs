//! Packing what there is into the budget, and laying it out.

use std::collections::BTreeMap;

use proto::v1;

use super::{
    answer::{Answer, Sections, Totals, compact},
    around::Around,
    assembly::Assembly,
    item::Item,
    modules::modules,
    packing::{Parcel, pack},
    request::{Detail, Options},
};
use crate::{
    fetch::Fetched,
    nodes::At,
    plan::Plan,
    render::{self, Format, Rendered},
    walk::weights::Intent,
};

/// What headings and figures add that are known only when the items are chosen.
const MARGIN: usize = 40;

/// Rounds in which what rounding saved is spent.
const N_ROUNDS: usize = 3;

/// Something that may be shown, before it is priced.
#[derive(Clone)]
struct Candidate<'a> {
    section: usize,
    item: Item,
    code: Option<&'a Fetched>,
    name_line: u32,
    interest: Vec<u32>,
}

/// Packs what there is into the budget, and lays it out.
pub(super) fn render(
    plan: &Plan,
    whole: Answer,
    around: &Around<'_>,
    sources: &BTreeMap<At, Fetched>,
    options: &Options,
    assembly: Assembly,
) -> Rendered {
    let budget = options.token_budget;
    let lay_out = |answer: &Answer| match options.format {
        Format::Json => render::to_json(answer),
        Format::Compact => compact(answer),
    };
    let size = |answer: &Answer| text::estimate_tokens(&lay_out(answer));
    let candidates = candidates(plan, &whole, around, sources, assembly);
    let whole = with_totals(whole, &candidates, assembly);
    let base = base_that_fits(whole, budget, &size);
    let mut answer = finished(base.clone(), Vec::new(), assembly);
    let mut room = budget.saturating_sub(size(&answer) + MARGIN);
    if size(&answer) > budget {
        answer._meta.extent.more = None;
    }
    let shares = assembly.shares();
    for _ in 0..N_ROUNDS {
        let parcels = candidates.iter().map(|candidate| candidate.parcel(around)).collect();
        let packed = pack(room, &shares, parcels, |item| price(item, &base.entity, options.format));
        let packed = finished(base.clone(), packed, assembly);
        let n_tokens = size(&packed);
        if n_tokens > budget {
            break;
        }
        answer = packed;
        // What was priced apart costs less together.
        let spare = budget - n_tokens;
        if spare < MARGIN / 2 || !answer._meta.extent.truncated {
            break;
        }
        room += spare - MARGIN / 4;
    }
    match options.format {
        Format::Json => Rendered::json(&answer, plan),
        Format::Compact => Rendered::compact(compact(&answer), plan),
    }
}

/// Returns the fullest form of the frame that leaves room within the budget.
fn base_that_fits(whole: Answer, budget: usize, size: &impl Fn(&Answer) -> usize) -> Answer {
    let mut form = whole;
    let steps: [fn(&mut Answer); 6] = [
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
            answer.totals = Totals::default();
        },
    ];
    for (step, is_last) in steps.into_iter().zip([false, false, false, false, true, true]) {
        // Two thirds for the frame are enough where there is anything to say; the entity itself goes last.
        let most = if is_last { budget } else { budget / 3 * 2 };
        if size(&form) + MARGIN <= most || is_last && size(&form) <= budget {
            break;
        }
        step(&mut form);
    }
    form
}

fn price(item: &Item, entity: &Item, format: Format) -> usize {
    let is_root = item.id == entity.id && item.standing.is_none();
    let text = match (format, &item.code) {
        (Format::Json, Some(code)) if is_root => format!(",\"code\":{}", render::to_json(code)),
        (Format::Compact, Some(code)) if is_root => format!("{}\n", render::fenced(&item.path, code)),
        (_, None) if is_root => return 0,
        (Format::Json, _) => format!("{},", render::to_json(item)),
        (Format::Compact, _) => item.compact(),
    };
    text::estimate_tokens(&text)
}

impl<'a> Candidate<'a> {
    fn parcel(&self, around: &'a Around<'_>) -> Parcel<'a> {
        let mut parcel = Parcel::new(self.section, self.item.clone(), self.code);
        parcel.name_line = self.name_line;
        parcel.interest = self.interest.clone();
        if self.section == 0 {
            parcel.outline = &around.outline;
        }
        parcel
    }
}

/// Returns all that may be shown: the root's code, and the items of the sections in their order.
fn candidates<'a>(
    plan: &Plan,
    whole: &Answer,
    around: &Around<'_>,
    sources: &'a BTreeMap<At, Fetched>,
    assembly: Assembly,
) -> Vec<Candidate<'a>> {
    let name_line = |card: &v1::NodeCard| card.symbol.as_ref().map_or(0, |symbol| symbol.name_line);
    let bare = |section: usize, item: Item| Candidate { section, item, code: None, name_line: 0, interest: Vec::new() };
    if assembly.detail == Detail::Summary || whole.unchanged == Some(true) {
        return Vec::new();
    }
    let mut candidates = Vec::new();
    if assembly.detail == Detail::Full {
        let code = sources.get(&around.entity.at);
        candidates.push(Candidate { code, name_line: name_line(around.root), ..bare(0, whole.entity.clone()) });
    }
    if assembly.intent == Some(Intent::Plan) {
        candidates.extend(modules(plan, around).into_iter().map(|(section, item)| bare(section, item)));
        return candidates;
    }
    for placed in around.placed {
        let at = placed.ranked.at;
        let Some(section) = assembly.section_of(around, placed) else { continue };
        let Some((card, item)) = around.cards.get(&at).zip(Item::placed(plan, placed, around.cards)) else { continue };
        // The call itself is why a caller is shown.
        let is_user = placed.edge.is_some_and(|edge| edge.from == at);
        let interest = placed.edge.filter(|_| is_user).map(|edge| edge.line).into_iter().collect();
        let code = sources.get(&at);
        candidates.push(Candidate { code, name_line: name_line(card), interest, ..bare(section + 1, item) });
    }
    candidates
}

/// Returns the answer with how many there are of each section.
fn with_totals(whole: Answer, candidates: &[Candidate<'_>], assembly: Assembly) -> Answer {
    let mut answer = whole;
    let count = |section: usize| candidates.iter().filter(|candidate| candidate.section == section).count();
    answer.totals = Totals(assembly.parts.iter().zip(1..).map(|(part, section)| (part.name, count(section))).collect());
    if assembly.intent == Some(Intent::Plan) {
        answer._meta.extent.total_items = candidates.iter().filter(|candidate| candidate.section > 0).count() as u64;
    }
    answer
}

/// Returns the answer with the items that were chosen.
fn finished(base: Answer, items: Vec<(usize, Item)>, assembly: Assembly) -> Answer {
    let mut answer = base;
    answer.sections = Sections(assembly.parts.iter().map(|part| (part.name, Vec::new())).collect());
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
