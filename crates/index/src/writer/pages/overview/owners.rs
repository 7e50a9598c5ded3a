//! Owners and recent activity of a repository and its parts.

use model::FileClass;

use crate::{
    overview::{BoundedList, HistorySummary, OwnerShare},
    records::history::FileHistoryRecord,
    writer::pages::{context::PageContext, file_relations::class},
};

/// Maximum number of listed owners.
const MAX_OWNERS: usize = 10;

/// Minimum share of a listed owner.
const MIN_SHARE: f32 = 0.01;

impl PageContext<'_> {
    /// Returns the owner of the largest share of files.
    pub(super) fn main_owner(&self, files: &[u32]) -> Option<OwnerShare> {
        let (name, share) = self.owners(&self.known_histories(files)).into_iter().next()?;
        Some(OwnerShare { name: name.to_owned(), share })
    }

    /// Returns activity and owners of all files that people write.
    pub(super) fn history_summary(&self) -> HistorySummary {
        let files = &self.generation.tables.files;
        let is_written =
            |class: FileClass| !matches!(class, FileClass::Vendored | FileClass::Generated | FileClass::Binary);
        let written: Vec<u32> =
            (0..files.len() as u32).filter(|file| is_written(class(&files[*file as usize]))).collect();
        let owners = self.owners(&self.known_histories(&written));
        let history = self.history_part(&written);
        let listed = owners.iter().filter(|(_, share)| *share >= MIN_SHARE).take(MAX_OWNERS);
        let listed: Vec<OwnerShare> =
            listed.map(|(name, share)| OwnerShare { name: (*name).to_owned(), share: *share }).collect();
        HistorySummary {
            n_recent: history.n_recent,
            is_at_least: history.is_at_least,
            bus_factor: bus_factor(owners.iter().map(|owner| owner.1)),
            owners: BoundedList::truncated(listed, MAX_OWNERS),
        }
    }

    fn known_histories(&self, files: &[u32]) -> Vec<&FileHistoryRecord> {
        files.iter().filter_map(|file| self.generation.history.files.get(*file as usize)?.as_ref()).collect()
    }
}

/// Returns the smallest number of shares that sum to more than half; 0 if all together do not. Shares are sorted, largest
/// first.
fn bus_factor(shares: impl Iterator<Item = f32>) -> u32 {
    let mut sum = 0.0;
    for (share, n_people) in shares.zip(1..) {
        sum += share;
        if sum > 0.5 {
            return n_people;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bus_factor_counts_shares_up_to_more_than_half() {
        for (shares, expected) in [(vec![], 0), (vec![0.6], 1), (vec![0.5, 0.3], 2), (vec![0.2, 0.2], 0)] {
            assert_eq!(bus_factor(shares.iter().copied()), expected, "{shares:?}");
        }
    }
}
