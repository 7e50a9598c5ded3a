//! Compares two listings.

use std::cmp::Ordering;

use model::BlobId;

/// The paths in which two listings differ. Each list is sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TreeDiff<'a> {
    /// Only in the new listing.
    pub added: Vec<&'a str>,
    /// In both listings, with different contents.
    pub changed: Vec<&'a str>,
    /// Only in the old listing.
    pub removed: Vec<&'a str>,
}

impl TreeDiff<'_> {
    /// Returns true if the two listings are equal.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }
}

/// Compares two listings. Both must be sorted by path without duplicates, as [`crate::Tree::blobs`] returns them.
pub fn diff<'a>(
    old: impl IntoIterator<Item = (&'a str, BlobId)>,
    new: impl IntoIterator<Item = (&'a str, BlobId)>,
) -> TreeDiff<'a> {
    let mut old = old.into_iter().peekable();
    let mut new = new.into_iter().peekable();
    let mut diff = TreeDiff::default();
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return diff,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((old_path, _)), Some((new_path, _))) => old_path.cmp(new_path),
        };
        match order {
            Ordering::Less => diff.removed.extend(old.next().map(|(path, _)| path)),
            Ordering::Greater => diff.added.extend(new.next().map(|(path, _)| path)),
            Ordering::Equal => {
                if let (Some((path, old_blob)), Some((_, new_blob))) = (old.next(), new.next())
                    && old_blob != new_blob
                {
                    diff.changed.push(path);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn blobs(listing: &BTreeMap<String, u8>) -> impl Iterator<Item = (&str, BlobId)> {
        listing.iter().map(|(path, content)| (path.as_str(), BlobId([*content; 20])))
    }

    fn listing() -> impl Strategy<Value = BTreeMap<String, u8>> {
        prop::collection::btree_map("[ab]{1,3}", 0..3_u8, 0..8)
    }

    proptest! {
        #[test]
        fn applying_a_diff_gives_the_new_listing(old in listing(), new in listing()) {
            let diff = diff(blobs(&old), blobs(&new));
            let mut applied = old.clone();
            for path in &diff.removed {
                prop_assert!(applied.remove(*path).is_some());
            }
            for path in &diff.added {
                prop_assert_eq!(applied.insert((*path).to_owned(), new[*path]), None);
            }
            for path in &diff.changed {
                prop_assert_ne!(applied.insert((*path).to_owned(), new[*path]), Some(new[*path]));
            }
            prop_assert_eq!(&applied, &new);
            prop_assert_eq!(diff.is_empty(), old == new);
        }
    }
}
