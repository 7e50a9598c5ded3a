//! Packing: the choice of items and their level of detail within a budget.

use text::{BudgetRequest, ExcerptSource, Interest, OutlineRow};

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
    pub outline: &'a [Row],
    state: State,
}

#[derive(Debug, Clone, PartialEq)]
enum State {
    Left,
    Line(usize),
    Part(usize, String),
    Whole(usize, String),
}

/// A member of an item: its first line and its signature.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub line: u32,
    pub signature: String,
}

/// Budget shares of the root's code, callers, callees and the rest. The root is the subject, and callers may break. A
/// section hands on its unused share.
pub(crate) const SHARES: [u32; 4] = [35, 25, 25, 15];

/// Divisor of a section's share: the part that names items before any code is shown.
const NAMING: usize = 2;

/// Minimum tokens of an excerpt; a smaller one says less than the signature.
const MIN_EXCERPT: usize = 48;

/// Rounds that distribute unused tokens.
const N_ROUNDS: usize = 4;

impl<'a> PackingItem<'a> {
    pub(crate) fn new(section: usize, item: ContextItem, code: Option<&'a FetchedSource>) -> PackingItem<'a> {
        PackingItem { section, item, code, name_line: 0, interest: Vec::new(), outline: &[], state: State::Left }
    }

    fn spent(&self) -> usize {
        match &self.state {
            State::Left => 0,
            State::Line(spent) | State::Part(spent, _) | State::Whole(spent, _) => *spent,
        }
    }

    /// Returns the tokens of everything beyond its line.
    fn most(&self) -> usize {
        match self.code {
            Some(code) => text::estimate_tokens(&code.text),
            None => self.outline.iter().map(|row| text::estimate_tokens(&row.signature) + 1).sum(),
        }
    }

    /// Returns an excerpt of about `room` tokens; nothing if that would be useless.
    fn part(&self, room: usize) -> String {
        if !self.outline.is_empty() {
            let rows: Vec<OutlineRow<'_>> =
                self.outline.iter().map(|row| OutlineRow { line: row.line, signature: &row.signature }).collect();
            return text::skeleton(&rows, room).text;
        }
        let Some(code) = self.code else { return String::new() };
        let before_name = self.name_line.saturating_sub(code.lines.start) as usize;
        let source = ExcerptSource { text: &code.text, first_line: code.lines.start, n_head_lines: before_name + 1 };
        text::excerpt(source, Interest { terms: &[], lines: &self.interest }, room).text
    }

    fn into_item(self) -> Option<(usize, ContextItem)> {
        let code = match self.state {
            State::Left => return None,
            State::Line(_) => None,
            State::Part(_, code) | State::Whole(_, code) => Some(code),
        };
        Some((self.section, ContextItem { code, ..self.item }))
    }
}

/// Packs the items, each section in order, into `room` tokens. `price` is an upper bound of the tokens that an item
/// adds. Returns the shown items with their sections.
pub(crate) fn pack(
    room: usize,
    shares: &[u32],
    mut parcels: Vec<PackingItem<'_>>,
    price: impl Fn(&ContextItem) -> usize,
) -> Vec<(usize, ContextItem)> {
    let wanted = |section: usize| -> usize {
        let own = parcels.iter().filter(|parcel| parcel.section == section);
        own.map(|parcel| price(&parcel.item) + parcel.most()).sum()
    };
    let wants: Vec<BudgetRequest> = (0..shares.len())
        .map(|section| BudgetRequest { min: 0, max: wanted(section), weight: shares[section] })
        .collect();
    let mut left = room;
    for (section, share) in text::share_budget(room, &wants).into_iter().enumerate() {
        left -= fill(&mut parcels, section, share.min(left), &price);
    }
    for _ in 0..N_ROUNDS {
        let before = left;
        for section in 0..shares.len() {
            left -= fill(&mut parcels, section, left, &price);
        }
        if left == before {
            break;
        }
    }
    parcels.into_iter().filter_map(PackingItem::into_item).collect()
}

/// Spends up to `budget` more tokens on a section; returns the spent number.
fn fill(
    parcels: &mut [PackingItem<'_>],
    section: usize,
    budget: usize,
    price: &impl Fn(&ContextItem) -> usize,
) -> usize {
    let mut left = budget;
    let has_code = parcels.iter().any(|parcel| parcel.section == section && parcel.most() > 0);
    let for_names = if has_code { budget / NAMING } else { budget };
    left -= name(parcels, section, for_names, left, price);
    for parcel in parcels.iter_mut().filter(|parcel| parcel.section == section) {
        left -= unfold(parcel, left, price);
    }
    left -= name(parcels, section, left, left, price);
    budget - left
}

/// Shows item lines as far as `for_names` goes, and the first one if `left` holds it.
fn name(
    parcels: &mut [PackingItem<'_>],
    section: usize,
    for_names: usize,
    left: usize,
    price: &impl Fn(&ContextItem) -> usize,
) -> usize {
    let mut spent = 0;
    let mut is_first = true;
    for parcel in parcels.iter_mut().filter(|parcel| parcel.section == section) {
        if parcel.state == State::Left {
            let cost = price(&parcel.item);
            let most = if is_first { left } else { for_names };
            // In order: an item is not shown if an earlier one is not.
            if spent + cost > most {
                break;
            }
            parcel.state = State::Line(cost);
            spent += cost;
        }
        is_first = false;
    }
    spent
}

/// Shows the code of an item with a line, whole or as much as `left` holds; returns the added tokens.
fn unfold(parcel: &mut PackingItem<'_>, left: usize, price: &impl Fn(&ContextItem) -> usize) -> usize {
    if parcel.code.is_none() && parcel.outline.is_empty() {
        return 0;
    }
    if matches!(parcel.state, State::Left | State::Whole(..)) {
        return 0;
    }
    let spent = parcel.spent();
    let with = |code: String| ContextItem { code: Some(code), ..parcel.item.clone() };
    // Rendered code never costs far less than the bare text, so a large body is rejected without rendering.
    if let Some(code) = parcel.code
        && text::estimate_tokens(&code.text) <= left.saturating_add(spent)
    {
        let cost = price(&with(code.text.clone()));
        if cost <= left + spent {
            parcel.state = State::Whole(cost, code.text.clone());
            return cost - spent.min(cost);
        }
    }
    let mut room = left + spent;
    while room >= MIN_EXCERPT {
        let excerpt = parcel.part(room);
        if excerpt.is_empty() {
            return 0;
        }
        let cost = price(&with(excerpt.clone()));
        if cost <= left + spent {
            if cost <= spent {
                return 0;
            }
            parcel.state = State::Part(cost, excerpt);
            return cost - spent;
        }
        room = room.saturating_sub(cost - (left + spent));
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

    fn parcel<'a>(section: usize, name: &str, code: Option<&'a FetchedSource>) -> PackingItem<'a> {
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
            let parcels = sections.iter().map(|section| parcel(*section, "f", Some(&long))).collect();
            let shown = pack(room, &SHARES, parcels, price);
            assert!(spent(&shown) <= room && spent(&shown) > room * 8 / 10, "{sections:?} {}", spent(&shown));
        }
    }

    #[test]
    fn many_items_are_named_before_one_is_shown_in_full() {
        let long = fetched(400);
        let parcels = (0..40).map(|n| parcel(1, &format!("caller_{n}"), Some(&long))).collect();
        let shown = pack(1_000, &SHARES, parcels, price);
        assert!(shown.len() > 10, "{}", shown.len());
        assert!(shown[0].1.code.is_some() && shown.last().unwrap().1.code.is_none());
    }

    #[test]
    fn a_small_budget_shows_few_items() {
        let long = fetched(400);
        for room in [0, 1, 5, 20] {
            let shown = pack(room, &SHARES, vec![parcel(0, "f", Some(&long)), parcel(1, "g", None)], price);
            assert!(spent(&shown) <= room);
        }
    }
}
