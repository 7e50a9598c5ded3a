//! Who stands behind a repository and its parts.

use model::FileClass;

use super::Told;
use crate::{
    history::FileHistoryRecord,
    overview::{Listed, Past, Person},
    pages::ground::class,
};

/// People who are named: the next ones know little.
const MAX_OWNERS: usize = 10;

/// Whoever stands behind less touched it in passing.
const MIN_SHARE: f32 = 0.01;

impl Told<'_> {
    /// Returns who stands behind the largest part of some files.
    pub(super) fn main_owner(&self, files: &[u32]) -> Option<Person> {
        let (name, share) = self.owners(&self.known(files)).into_iter().next()?;
        Some(Person { name: name.to_owned(), share })
    }

    /// Returns the past of all that people wrote.
    pub(super) fn people(&self) -> Past {
        let files = &self.sealing.tables.files;
        let is_written =
            |class: FileClass| !matches!(class, FileClass::Vendored | FileClass::Generated | FileClass::Binary);
        let written: Vec<u32> =
            (0..files.len() as u32).filter(|file| is_written(class(&files[*file as usize]))).collect();
        let owners = self.owners(&self.known(&written));
        let past = self.past(&written);
        let named = owners.iter().filter(|(_, share)| *share >= MIN_SHARE).take(MAX_OWNERS);
        let people: Vec<Person> =
            named.map(|(name, share)| Person { name: (*name).to_owned(), share: *share }).collect();
        Past {
            n_recent: past.n_recent,
            is_at_least: past.is_at_least,
            bus_factor: bus_factor(owners.iter().map(|owner| owner.1)),
            owners: Listed::of(people, MAX_OWNERS),
        }
    }

    fn known(&self, files: &[u32]) -> Vec<&FileHistoryRecord> {
        files.iter().filter_map(|file| self.sealing.past.files.get(*file as usize)?.as_ref()).collect()
    }
}

/// Returns how many of the largest shares make up more than half; 0 where all together do not.
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
    fn more_than_half_is_what_counts() {
        for (shares, expected) in [(vec![], 0), (vec![0.6], 1), (vec![0.5, 0.3], 2), (vec![0.2, 0.2], 0)] {
            assert_eq!(bus_factor(shares.iter().copied()), expected, "{shares:?}");
        }
    }
}
