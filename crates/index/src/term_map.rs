//! The term counts of a sealed generation: a map on disk, and the terms that changed since it was written.
//!
//! The generation of a changed work tree links the map of the previous one, and has a small map with the new values of the terms whose
//! counts differ. The cost of an edit is then that of its own terms.

use std::{collections::BTreeMap, path::Path};

use fst::{
    IntoStreamer, Map, MapBuilder, Streamer,
    map::{OpBuilder, Union},
};
use ranking::bm25f::MaxImpact;

use crate::{
    error::{IndexError, damaged},
    mapped::MappedBytes,
    records::{TERMS_CHANGES_FILE, TERMS_FILE},
};

/// Number of low bits of a stored value that hold the impact. The high bits hold the row count.
const IMPACT_BITS: u32 = 8;

/// The map is written again if more than one in this many of its terms changed.
const MIN_TERMS_PER_CHANGE: usize = 4;

/// Document frequency and impact of a term.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TermCount {
    /// Number of rows that contain it.
    pub(crate) rows: u64,
    /// Upper bound of its score in any file, after demotion. It does not shrink when files are removed.
    pub(crate) impact: MaxImpact,
}

impl TermCount {
    /// Returns the stored value; 0 for a term without rows.
    fn encode(self) -> u64 {
        if self.rows == 0 { 0 } else { self.rows << IMPACT_BITS | u64::from(self.impact.0) }
    }

    fn decode(value: u64) -> TermCount {
        TermCount { rows: value >> IMPACT_BITS, impact: MaxImpact(value as u8) }
    }

    /// Returns the count after a change.
    fn after(self, change: TermChange) -> TermCount {
        let rows = u64::try_from(self.rows as i64 + change.rows).unwrap_or_default();
        TermCount { rows, impact: self.impact.max(change.impact) }
    }
}

/// A difference between the counts of a term in two generations.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TermChange {
    /// Number of added rows, minus that of removed ones.
    pub(crate) rows: i64,
    /// Upper bound of the score of the term in the added files.
    pub(crate) impact: MaxImpact,
}

/// The counts of a sealed generation.
pub(crate) struct TermMap {
    counts: Map<MappedBytes>,
    /// The counts that differ from `counts`; 0 for a term that no row contains any more.
    changes: Option<Map<MappedBytes>>,
}

impl TermMap {
    /// Opens the counts of the generation in `dir`.
    pub(crate) fn open(dir: &Path, has_changes: bool) -> Result<TermMap, IndexError> {
        let open = |name: &str| {
            let path = dir.join(name);
            Map::new(MappedBytes::open(&path)?).map_err(|error| damaged(&path, error.to_string()))
        };
        let changes = has_changes.then(|| open(TERMS_CHANGES_FILE)).transpose()?;
        Ok(TermMap { counts: open(TERMS_FILE)?, changes })
    }

    /// Returns the count of a term; zero if no row contains it.
    pub(crate) fn get(&self, term: &str) -> TermCount {
        let changed = self.changes.as_ref().and_then(|changes| changes.get(term));
        changed.or_else(|| self.counts.get(term)).map(TermCount::decode).unwrap_or_default()
    }

    /// Calls `visit` with each term that begins with this letter, and its number of rows.
    pub(crate) fn for_each_with_initial(&self, letter: char, mut visit: impl FnMut(&str, u64)) {
        let mut buffer = [0; 4];
        let prefix = letter.encode_utf8(&mut buffer);
        let mut stream = self.stream_from(prefix.as_bytes());
        while let Some((term, values)) = stream.next() {
            let Some(term) = std::str::from_utf8(term).ok().filter(|term| term.starts_with(letter)) else { break };
            match latest(values).rows {
                0 => {}
                rows => visit(term, rows),
            }
        }
    }

    /// Returns true if few terms differ from the map on disk, so that it is worthwhile to link it.
    pub(crate) fn is_linkable(&self) -> bool {
        let n_changes = self.changes.as_ref().map_or(0, Map::len);
        n_changes * MIN_TERMS_PER_CHANGE <= self.counts.len()
    }

    /// Returns the map of these counts with changes, which are sorted by term.
    pub(crate) fn encode_all(
        previous: Option<&TermMap>,
        changes: &[(&[u8], TermChange)],
    ) -> Result<Vec<u8>, fst::Error> {
        let mut builder = MapBuilder::memory();
        let mut insert = |term: &[u8], count: TermCount| match count.encode() {
            0 => Ok(()),
            value => builder.insert(term, value),
        };
        let mut changes = changes.iter().copied().peekable();
        let mut stream = previous.map(|previous| previous.stream_from(b""));
        while let Some((term, values)) = stream.as_mut().and_then(|stream| stream.next()) {
            while let Some((new, change)) = changes.next_if(|(new, _)| *new < term) {
                insert(new, TermCount::default().after(change))?;
            }
            let change = changes.next_if(|(new, _)| *new == term).map(|(_, change)| change).unwrap_or_default();
            insert(term, latest(values).after(change))?;
        }
        changes.try_for_each(|(term, change)| insert(term, TermCount::default().after(change)))?;
        builder.into_inner()
    }

    /// Returns the map of the counts that differ from the map on disk, after changes.
    pub(crate) fn encode_changes(&self, changes: &[(&[u8], TermChange)]) -> Result<Vec<u8>, fst::Error> {
        let mut values: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
        let mut stream = self.changes.as_ref().map(Map::stream);
        while let Some((term, value)) = stream.as_mut().and_then(|stream| stream.next()) {
            values.insert(term.to_vec(), value);
        }
        for (term, change) in changes {
            let before = values.get(*term).copied().or_else(|| self.counts.get(term));
            let after = before.map(TermCount::decode).unwrap_or_default().after(*change).encode();
            match self.counts.get(term).unwrap_or_default() == after {
                true => values.remove(*term),
                false => values.insert(term.to_vec(), after),
            };
        }
        let mut builder = MapBuilder::memory();
        values.into_iter().try_for_each(|(term, value)| builder.insert(term, value))?;
        builder.into_inner()
    }

    /// Returns all terms from one on, each with its values.
    fn stream_from(&self, first: &[u8]) -> Union<'_> {
        let layers = [Some(&self.counts), self.changes.as_ref()].into_iter().flatten();
        layers.fold(OpBuilder::new(), |layers, map| layers.add(map.range().ge(first).into_stream())).union()
    }
}

/// Returns the value of the last layer that has the term.
fn latest(values: &[fst::map::IndexedValue]) -> TermCount {
    let last = values.iter().max_by_key(|value| value.index);
    last.map(|last| TermCount::decode(last.value)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn change(rows: i64) -> TermChange {
        TermChange { rows, impact: MaxImpact(rows.unsigned_abs() as u8) }
    }

    fn shown(map: &TermMap) -> Vec<(String, u64, u64)> {
        let mut shown = Vec::new();
        for letter in 'a'..='z' {
            map.for_each_with_initial(letter, |term, rows| {
                shown.push((term.to_owned(), rows, map.get(term).rows));
            });
        }
        shown
    }

    #[test]
    fn linked_counts_with_changes_are_those_of_one_map() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, bytes: Vec<u8>| fs::write(folder.path().join(name), bytes).expect("written");
        let before: [(&[u8], TermChange); 3] = [(b"ant", change(3)), (b"bee", change(1)), (b"cat", change(2))];
        write(TERMS_FILE, TermMap::encode_all(None, &before).unwrap());
        let base = TermMap::open(folder.path(), false).unwrap();
        // One term is removed, one is added between others, and one changes.
        let edit: [(&[u8], TermChange); 3] = [(b"ape", change(1)), (b"bee", change(-1)), (b"cat", change(1))];
        let whole = TermMap::encode_all(Some(&base), &edit).unwrap();
        write(TERMS_CHANGES_FILE, base.encode_changes(&edit).unwrap());
        let linked = TermMap::open(folder.path(), true).unwrap();
        let expected = [("ant", 3), ("ape", 1), ("cat", 3)].map(|(term, rows)| (term.to_owned(), rows, rows));
        assert_eq!(shown(&linked), expected);
        assert_eq!((linked.get("bee").rows, linked.get("cow").rows), (0, 0));
        // One map of all is the same as one that was written at once.
        assert_eq!(TermMap::encode_all(Some(&linked), &[]).unwrap(), whole);
        // A second edit that takes the first one back leaves no change, but the impact stays an upper bound.
        let back: [(&[u8], TermChange); 2] = [(b"ape", change(-1)), (b"bee", change(1))];
        write(TERMS_CHANGES_FILE, linked.encode_changes(&back).unwrap());
        let again = TermMap::open(folder.path(), true).unwrap();
        assert_eq!(again.changes.as_ref().map(Map::len), Some(1));
        assert_eq!((again.get("ape").rows, again.get("bee").rows, again.get("cat").rows), (0, 1, 3));
    }
}
