//! Choosing what of a ranked list is shown, and how fully, within a budget.

use text::{Interest, OutlineRow, Source, Want};

use super::item::Item;
use crate::fetch::Fetched;

/// Something that may be shown: as one line, with an excerpt of its code, or with all of it.
pub(crate) struct Parcel<'a> {
    /// Its place among the shares.
    pub(crate) section: usize,
    /// Without code.
    pub(crate) item: Item,
    pub(crate) code: Option<&'a Fetched>,
    /// The line that ends the head of the code.
    pub(crate) name_line: u32,
    /// Lines of the file that are why it is shown.
    pub(crate) interest: Vec<u32>,
    /// What is defined in it: shown where its code is not known, or does not fit.
    pub(crate) outline: &'a [Row],
    state: State,
}

#[derive(Debug, Clone, PartialEq)]
enum State {
    Left,
    Line(usize),
    Part(usize, String),
    Whole(usize, String),
}

/// A definition within a parcel: its first line, and its signature.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) line: u32,
    pub(crate) signature: String,
}

/// How the room is shared between the root's code, callers, callees and the rest: the root is what was asked for, and
/// callers are what breaks. What a section does not need is handed on.
pub(crate) const SHARES: [u32; 4] = [35, 25, 25, 15];

/// The part of a section's share that is spent on naming its items before any code of one is shown, as a divisor.
const NAMING: usize = 2;

/// An excerpt of fewer tokens says less than the signature does.
const MIN_EXCERPT: usize = 48;

/// Rounds in which what is left over is handed on.
const N_ROUNDS: usize = 4;

impl<'a> Parcel<'a> {
    pub(crate) fn new(section: usize, item: Item, code: Option<&'a Fetched>) -> Parcel<'a> {
        Parcel { section, item, code, name_line: 0, interest: Vec::new(), outline: &[], state: State::Left }
    }

    fn spent(&self) -> usize {
        match &self.state {
            State::Left => 0,
            State::Line(spent) | State::Part(spent, _) | State::Whole(spent, _) => *spent,
        }
    }

    /// Returns the tokens of all that there is to show beside its line.
    fn most(&self) -> usize {
        match self.code {
            Some(code) => text::estimate_tokens(&code.text),
            None => self.outline.iter().map(|row| text::estimate_tokens(&row.signature) + 1).sum(),
        }
    }

    /// Returns as much of it as about `room` tokens hold; nothing where that says nothing.
    fn part(&self, room: usize) -> String {
        if !self.outline.is_empty() {
            let rows: Vec<OutlineRow<'_>> =
                self.outline.iter().map(|row| OutlineRow { line: row.line, signature: &row.signature }).collect();
            return text::skeleton(&rows, room).text;
        }
        let Some(code) = self.code else { return String::new() };
        let before_name = self.name_line.saturating_sub(code.lines.start) as usize;
        let source = Source { text: &code.text, first_line: code.lines.start, n_head_lines: before_name + 1 };
        text::excerpt(source, Interest { terms: &[], lines: &self.interest }, room).text
    }

    fn into_item(self) -> Option<(usize, Item)> {
        let code = match self.state {
            State::Left => return None,
            State::Line(_) => None,
            State::Part(_, code) | State::Whole(_, code) => Some(code),
        };
        Some((self.section, Item { code, ..self.item }))
    }
}

/// Shows as much of the parcels, each section in its order, as `room` tokens hold; `price` is what an item adds to the
/// answer at most. Returns the items shown with their sections.
pub(crate) fn pack(
    room: usize,
    shares: &[u32],
    mut parcels: Vec<Parcel<'_>>,
    price: impl Fn(&Item) -> usize,
) -> Vec<(usize, Item)> {
    let wanted = |section: usize| -> usize {
        let own = parcels.iter().filter(|parcel| parcel.section == section);
        own.map(|parcel| price(&parcel.item) + parcel.most()).sum()
    };
    let wants: Vec<Want> =
        (0..shares.len()).map(|section| Want { min: 0, max: wanted(section), weight: shares[section] }).collect();
    let mut left = room;
    for (section, share) in text::share(room, &wants).into_iter().enumerate() {
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
    parcels.into_iter().filter_map(Parcel::into_item).collect()
}

/// Spends up to `budget` more on a section; returns what was spent.
fn fill(parcels: &mut [Parcel<'_>], section: usize, budget: usize, price: &impl Fn(&Item) -> usize) -> usize {
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

/// Shows the lines of items as far as `for_names` goes; the first at any rate that `left` holds.
fn name(
    parcels: &mut [Parcel<'_>],
    section: usize,
    for_names: usize,
    left: usize,
    price: &impl Fn(&Item) -> usize,
) -> usize {
    let mut spent = 0;
    let mut is_first = true;
    for parcel in parcels.iter_mut().filter(|parcel| parcel.section == section) {
        if parcel.state == State::Left {
            let cost = price(&parcel.item);
            let most = if is_first { left } else { for_names };
            // In order: what comes later is not shown where what comes before it is not.
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

/// Shows the code of an item that has its line, whole or as much as `left` holds; returns what that adds.
fn unfold(parcel: &mut Parcel<'_>, left: usize, price: &impl Fn(&Item) -> usize) -> usize {
    if parcel.code.is_none() && parcel.outline.is_empty() {
        return 0;
    }
    if matches!(parcel.state, State::Left | State::Whole(..)) {
        return 0;
    }
    let spent = parcel.spent();
    let with = |code: String| Item { code: Some(code), ..parcel.item.clone() };
    // Laid out it never costs less by far than the bare text: large bodies need not be laid out to be turned down.
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

    fn fetched(n_lines: u32) -> Fetched {
        let lines: Vec<String> = (1..=n_lines).map(|line| format!("let value_{line} = compute({line});")).collect();
        Fetched { text: lines.join("\n"), lines: LineSpan { start: 1, end: n_lines }, file_lines: n_lines }
    }

    fn price(item: &Item) -> usize {
        text::estimate_tokens(&item.compact())
    }

    fn parcel<'a>(section: usize, name: &str, code: Option<&'a Fetched>) -> Parcel<'a> {
        Parcel::new(section, Item { name: name.to_owned(), path: "a.rs".to_owned(), ..Item::default() }, code)
    }

    fn spent(items: &[(usize, Item)]) -> usize {
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
    fn many_are_named_before_one_is_told_in_full() {
        let long = fetched(400);
        let parcels = (0..40).map(|n| parcel(1, &format!("caller_{n}"), Some(&long))).collect();
        let shown = pack(1_000, &SHARES, parcels, price);
        assert!(shown.len() > 10, "{}", shown.len());
        assert!(shown[0].1.code.is_some() && shown.last().unwrap().1.code.is_none());
    }

    #[test]
    fn little_room_shows_little() {
        let long = fetched(400);
        for room in [0, 1, 5, 20] {
            let shown = pack(room, &SHARES, vec![parcel(0, "f", Some(&long)), parcel(1, "g", None)], price);
            assert!(spent(&shown) <= room);
        }
    }
}
