//! The lists of an overview, and their budget shares.

use serde::{Serialize, Serializer};
use text::{BudgetRequest, estimate_tokens};

use super::entry::OverviewEntry;
use crate::render::{Format, to_json};

/// One list.
#[derive(Debug, Clone)]
pub(super) struct OverviewSection {
    /// The JSON field name, and the text heading with spaces for underscores.
    pub(super) name: &'static str,
    /// The weight of its budget share.
    pub(super) weight: u32,
    pub(super) entries: Vec<OverviewEntry>,
    /// The total number, including entries that no worker sent.
    pub(super) n_all: usize,
    /// The call that returns entries which this tool does not return.
    pub(super) beyond: &'static str,
}

impl OverviewSection {
    /// Returns a complete list.
    pub(super) fn whole(name: &'static str, weight: u32, entries: Vec<OverviewEntry>) -> OverviewSection {
        OverviewSection { name, weight, n_all: entries.len(), entries, beyond: "" }
    }

    /// Returns the list with its first entries only.
    fn cut(&self, n_entries: usize) -> OverviewSection {
        let entries = self.entries.iter().take(n_entries).cloned().collect();
        OverviewSection { entries, ..*self }
    }
}

/// All lists of an overview in order. In JSON each non-empty list is a field.
#[derive(Debug, Clone, Default)]
pub(super) struct OverviewSections(pub(super) Vec<OverviewSection>);

impl OverviewSections {
    /// Returns as much of the lists as fits into `room` tokens: each has a share, and hands on its unused part.
    pub(super) fn within(&self, room: usize, format: Format) -> OverviewSections {
        let costs: Vec<Vec<usize>> = self.0.iter().map(|section| costs(section, format)).collect();
        let requests: Vec<BudgetRequest> = self
            .0
            .iter()
            .zip(&costs)
            .map(|(section, costs)| BudgetRequest {
                min: costs.first().copied().unwrap_or(0),
                max: costs.iter().sum(),
                weight: section.weight,
            })
            .collect();
        let shares = text::share_budget(room, &requests);
        let mut counts: Vec<usize> =
            costs.iter().zip(&shares).map(|(costs, share)| count_fitting(costs, *share)).collect();
        let spent: usize = costs.iter().zip(&counts).map(|(costs, count)| costs[..*count].iter().sum::<usize>()).sum();
        let mut left = room.saturating_sub(spent);
        for (costs, count) in costs.iter().zip(&mut counts) {
            let more = count_fitting(&costs[*count..], left);
            left -= costs[*count..*count + more].iter().sum::<usize>();
            *count += more;
        }
        OverviewSections(self.0.iter().zip(counts).map(|(section, count)| section.cut(count)).collect())
    }

    /// Returns the incomplete lists with the total number of their entries.
    pub(super) fn incomplete(&self) -> impl Iterator<Item = (&OverviewSection, usize)> {
        self.0.iter().filter(|section| section.entries.len() < section.n_all).map(|section| (section, section.n_all))
    }

    pub(super) fn n_shown(&self) -> usize {
        self.0.iter().map(|section| section.entries.len()).sum()
    }

    pub(super) fn n_all(&self) -> usize {
        self.0.iter().map(|section| section.n_all).sum()
    }

    /// Returns the lists as text.
    pub(super) fn lines(&self) -> String {
        let mut lines = String::new();
        for section in self.0.iter().filter(|section| !section.entries.is_empty()) {
            let n_shown = section.entries.len();
            let count =
                if n_shown < section.n_all { format!(" ({n_shown} of {})", section.n_all) } else { String::new() };
            lines += &format!("\n## {}{count}\n", section.name.replace('_', " "));
            section.entries.iter().for_each(|entry| lines += &format!("- {}\n", entry.line()));
        }
        lines
    }
}

impl Serialize for OverviewSections {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let non_empty = self.0.iter().filter(|section| !section.entries.is_empty());
        serializer.collect_map(non_empty.map(|section| (section.name, &section.entries)))
    }
}

/// Tokens of each entry; the first includes the heading.
fn costs(section: &OverviewSection, format: Format) -> Vec<usize> {
    let cost = |(entry, idx): (&OverviewEntry, usize)| {
        let shown = if format == Format::Json { to_json(entry) } else { entry.line() };
        // A comma, or a dash and a line feed.
        let n_separator_tokens = if idx == 0 { estimate_tokens(section.name) + 4 } else { 1 };
        estimate_tokens(&shown) + n_separator_tokens
    };
    section.entries.iter().zip(0..).map(cost).collect()
}

fn count_fitting(costs: &[usize], share: usize) -> usize {
    let mut left = share;
    costs.iter().take_while(|cost| left.checked_sub(**cost).map(|rest| left = rest).is_some()).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::get_overview::entry::PersonEntry;

    fn section(name: &'static str, weight: u32, n_entries: usize) -> OverviewSection {
        let entry = |n: usize| OverviewEntry::Person(PersonEntry { name: format!("person {n}"), percent: 1 });
        OverviewSection::whole(name, weight, (0..n_entries).map(entry).collect())
    }

    #[test]
    fn lists_hand_on_their_unused_budget_share() {
        let sections = OverviewSections(vec![section("a", 1, 2), section("b", 1, 1_000), section("c", 2, 1_000)]);
        for room in [0, 30, 60, 200, 1_000, 5_000] {
            for format in [Format::Json, Format::Compact] {
                let shown = sections.within(room, format);
                let counts: Vec<usize> = shown.0.iter().map(|section| section.entries.len()).collect();
                let spent: usize = shown.0.iter().flat_map(|section| costs(section, format)).sum();
                assert!(spent <= room, "{room}: {spent} {counts:?}");
                assert!(room < 1_000 || counts[0] == 2 && counts[2] > counts[1], "{room}: {counts:?}");
                assert_eq!(shown.n_all(), 2_002);
            }
        }
        assert_eq!(sections.within(1 << 20, Format::Json).n_shown(), 2_002);
    }
}
