//! Packing: the choice of items and their level of detail within a budget.

use text::{BudgetRequest, ExcerptLimits, ExcerptSource, Interest, OutlineRow};

use super::item::ContextItem;
use federation::fetch::FetchedSource;

/// An item that can be shown as one line, with an excerpt of its code, or with all of it.
pub(crate) struct PackingItem<'a> {
    /// The index of its section in the shares.
    pub section: usize,
    /// The item without code.
    pub item: ContextItem,
    pub code: Option<&'a FetchedSource>,
    /// The last line of the head of the code.
    pub name_line: u32,
    /// Lines of the file that are the reason to show it.
    pub interest: Vec<u32>,
    /// Its member signatures: shown if its code is unknown or does not fit.
    pub outline: &'a [OutlineMember],
    state: PackedForm,
}

#[derive(Debug, Clone, PartialEq)]
enum PackedForm {
    Omitted,
    Line(usize),
    Excerpt(usize, String),
    Whole(usize, String),
}

/// A member of an item: its first line and its signature.
#[derive(Debug, Clone)]
pub(crate) struct OutlineMember {
    pub line: u32,
    pub signature: String,
}

/// Budget shares of the root's code, callers, callees and the rest. The root is the subject, and callers may break. A
/// section hands on its unused share.
pub(crate) const SHARES: [u32; 4] = [35, 25, 25, 15];

/// Divisor of a section's share: the part for item lines, before any code is shown.
const LINES_DIVISOR: usize = 2;

/// Minimum tokens of an excerpt; a smaller one says less than the signature.
const MIN_EXCERPT: usize = 48;

/// Rounds that distribute unused tokens.
const N_ROUNDS: usize = 4;

impl<'a> PackingItem<'a> {
    pub(crate) fn new(section: usize, item: ContextItem, code: Option<&'a FetchedSource>) -> PackingItem<'a> {
        PackingItem {
            section,
            item,
            code,
            name_line: 0,
            interest: Vec::new(),
            outline: &[],
            state: PackedForm::Omitted,
        }
    }

    fn spent(&self) -> usize {
        match &self.state {
            PackedForm::Omitted => 0,
            PackedForm::Line(spent) | PackedForm::Excerpt(spent, _) | PackedForm::Whole(spent, _) => *spent,
        }
    }

    /// Returns the tokens of everything beyond its line.
    fn max_tokens(&self) -> usize {
        match self.code {
            Some(code) => text::estimate_tokens(&code.text),
            None => self.outline.iter().map(|row| text::estimate_tokens(&row.signature) + 1).sum(),
        }
    }

    /// Returns an excerpt of about `room` tokens; nothing if that would be useless.
    fn excerpt_within(&self, room: usize) -> String {
        if !self.outline.is_empty() {
            let rows: Vec<OutlineRow<'_>> =
                self.outline.iter().map(|row| OutlineRow { line: row.line, signature: &row.signature }).collect();
            return text::skeleton(&rows, room).text;
        }
        let Some(code) = self.code else { return String::new() };
        let before_name = self.name_line.saturating_sub(code.lines.start) as usize;
        let source = ExcerptSource { text: &code.text, first_line: code.lines.start, n_head_lines: before_name + 1 };
        text::excerpt(source, Interest { terms: &[], lines: &self.interest }, ExcerptLimits::of_tokens(room)).text
    }

    fn into_item(self) -> Option<(usize, ContextItem)> {
        let code = match self.state {
            PackedForm::Omitted => return None,
            PackedForm::Line(_) => None,
            PackedForm::Excerpt(_, code) | PackedForm::Whole(_, code) => Some(code),
        };
        Some((self.section, ContextItem { code, ..self.item }))
    }
}

/// Packs the items, each section in order, into `room` tokens. `price` is an upper bound of the tokens that an item
/// adds. Returns the shown items with their sections.
pub(crate) fn pack(
    room: usize,
    shares: &[u32],
    mut packing_items: Vec<PackingItem<'_>>,
    price: impl Fn(&ContextItem) -> usize,
) -> Vec<(usize, ContextItem)> {
    let max_tokens_of = |section: usize| -> usize {
        let in_section = packing_items.iter().filter(|packing_item| packing_item.section == section);
        in_section.map(|packing_item| price(&packing_item.item) + packing_item.max_tokens()).sum()
    };
    let requests: Vec<BudgetRequest> = (0..shares.len())
        .map(|section| BudgetRequest { min: 0, max: max_tokens_of(section), weight: shares[section] })
        .collect();
    let mut remaining = room;
    for (section, share) in text::share_budget(room, &requests).into_iter().enumerate() {
        remaining -= fill(&mut packing_items, section, share.min(remaining), &price);
    }
    for _ in 0..N_ROUNDS {
        let before = remaining;
        for section in 0..shares.len() {
            remaining -= fill(&mut packing_items, section, remaining, &price);
        }
        if remaining == before {
            break;
        }
    }
    packing_items.into_iter().filter_map(PackingItem::into_item).collect()
}

/// Spends up to `budget` more tokens on a section; returns the spent number.
fn fill(
    packing_items: &mut [PackingItem<'_>],
    section: usize,
    budget: usize,
    price: &impl Fn(&ContextItem) -> usize,
) -> usize {
    let mut remaining = budget;
    let has_code =
        packing_items.iter().any(|packing_item| packing_item.section == section && packing_item.max_tokens() > 0);
    let for_lines = if has_code { budget / LINES_DIVISOR } else { budget };
    remaining -= show_lines(packing_items, section, for_lines, remaining, price);
    for packing_item in packing_items.iter_mut().filter(|packing_item| packing_item.section == section) {
        remaining -= show_code(packing_item, remaining, price);
    }
    remaining -= show_lines(packing_items, section, remaining, remaining, price);
    budget - remaining
}

/// Shows item lines of up to `for_lines` tokens in total, and the first one if it fits into `remaining`.
fn show_lines(
    packing_items: &mut [PackingItem<'_>],
    section: usize,
    for_lines: usize,
    remaining: usize,
    price: &impl Fn(&ContextItem) -> usize,
) -> usize {
    let mut spent = 0;
    let mut is_first = true;
    for packing_item in packing_items.iter_mut().filter(|packing_item| packing_item.section == section) {
        if packing_item.state == PackedForm::Omitted {
            let cost = price(&packing_item.item);
            let max_tokens = if is_first { remaining } else { for_lines };
            // In order: an item is not shown if an earlier one is not.
            if spent + cost > max_tokens {
                break;
            }
            packing_item.state = PackedForm::Line(cost);
            spent += cost;
        }
        is_first = false;
    }
    spent
}

/// Shows the code of an item with a line, whole or as much as fits into `remaining`; returns the added tokens.
fn show_code(packing_item: &mut PackingItem<'_>, remaining: usize, price: &impl Fn(&ContextItem) -> usize) -> usize {
    if packing_item.code.is_none() && packing_item.outline.is_empty() {
        return 0;
    }
    if matches!(packing_item.state, PackedForm::Omitted | PackedForm::Whole(..)) {
        return 0;
    }
    let spent = packing_item.spent();
    let with_code = |code: String| ContextItem { code: Some(code), ..packing_item.item.clone() };
    // Rendered code never costs far less than the bare text, so a large body is rejected without rendering.
    if let Some(code) = packing_item.code
        && text::estimate_tokens(&code.text) <= remaining.saturating_add(spent)
    {
        let cost = price(&with_code(code.text.clone()));
        if cost <= remaining + spent {
            packing_item.state = PackedForm::Whole(cost, code.text.clone());
            return cost - spent.min(cost);
        }
    }
    let mut room = remaining + spent;
    while room >= MIN_EXCERPT {
        let excerpt = packing_item.excerpt_within(room);
        if excerpt.is_empty() {
            return 0;
        }
        let cost = price(&with_code(excerpt.clone()));
        if cost <= remaining + spent {
            if cost <= spent {
                return 0;
            }
            packing_item.state = PackedForm::Excerpt(cost, excerpt);
            return cost - spent;
        }
        room = room.saturating_sub(cost - (remaining + spent));
    }
    0
}

#[cfg(test)]
mod tests {
    use model::LineSpan;

    use super::*;

    fn fetched(n_lines: u32) -> FetchedSource {
        let lines: Vec<String> = (1..=n_lines).map(|line| format!("let value_{line} = compute({line});")).collect();
        FetchedSource { text: lines.join("\n"), lines: LineSpan { start: 1, end: n_lines }, file_lines: n_lines }
    }

    fn price(item: &ContextItem) -> usize {
        text::estimate_tokens(&item.compact())
    }

    fn packing_item<'a>(section: usize, name: &str, code: Option<&'a FetchedSource>) -> PackingItem<'a> {
        PackingItem::new(
            section,
            ContextItem { name: name.to_owned(), path: "a.rs".to_owned(), ..ContextItem::default() },
            code,
        )
    }

    fn spent(items: &[(usize, ContextItem)]) -> usize {
        items.iter().map(|(_, item)| price(item)).sum()
    }

    #[test]
    fn unused_shares_are_handed_on() {
        let long = fetched(400);
        for (sections, room) in [(vec![1], 500), (vec![3], 500), (vec![0, 2], 1_000), (vec![1, 2, 3], 2_000)] {
            let packing_items = sections.iter().map(|section| packing_item(*section, "f", Some(&long))).collect();
            let shown = pack(room, &SHARES, packing_items, price);
            assert!(spent(&shown) <= room && spent(&shown) > room * 8 / 10, "{sections:?} {}", spent(&shown));
        }
    }

    #[test]
    fn many_items_are_named_before_one_is_shown_in_full() {
        let long = fetched(400);
        let packing_items = (0..40).map(|n| packing_item(1, &format!("caller_{n}"), Some(&long))).collect();
        let shown = pack(1_000, &SHARES, packing_items, price);
        assert!(shown.len() > 10, "{}", shown.len());
        assert!(shown[0].1.code.is_some() && shown.last().unwrap().1.code.is_none());
    }

    #[test]
    fn a_small_budget_shows_few_items() {
        let long = fetched(400);
        for room in [0, 1, 5, 20] {
            let shown = pack(room, &SHARES, vec![packing_item(0, "f", Some(&long)), packing_item(1, "g", None)], price);
            assert!(spent(&shown) <= room);
        }
    }
}
