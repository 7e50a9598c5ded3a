//! The index of symbols by folded name. After a small change it is made from that of the previous generation.

use ranking::analyser::fold;
use rustc_hash::FxHashMap;

use crate::{
    records::tables::{NameRecord, SymbolRecord},
    snapshot::Snapshot,
};

/// The number of a symbol that the new generation does not have.
const REMOVED: u32 = u32::MAX;

/// Consecutive symbols of the previous generation that the new one has, too.
#[derive(Debug, Clone, Copy)]
pub(super) struct MovedSymbols {
    /// The number of the first one there.
    pub(super) before: u32,
    /// Its number here.
    pub(super) now: u32,
    pub(super) n_symbols: u32,
}

/// Returns the index of all symbols.
pub(super) fn name_records(symbols: &[SymbolRecord]) -> Vec<NameRecord> {
    records_of((0..).zip(symbols))
}

/// Returns the same as [`name_records`], from the index of the previous generation. Moved symbols are in the order of their numbers, in
/// both generations.
pub(super) fn extended_name_records(
    previous: &Snapshot,
    moved: &[MovedSymbols],
    symbols: &[SymbolRecord],
) -> Vec<NameRecord> {
    let tables = previous.tables();
    let mut now = vec![REMOVED; tables.symbols.len()];
    let mut is_moved = vec![false; symbols.len()];
    for MovedSymbols { before, now: first, n_symbols } in moved {
        let range = *before as usize..(before + n_symbols) as usize;
        now[range].iter_mut().zip(*first..).for_each(|(number, now)| *number = now);
        is_moved[*first as usize..(first + n_symbols) as usize].fill(true);
    }
    let added = (0..).zip(symbols).zip(&is_moved).filter(|(_, is_moved)| !**is_moved).map(|(symbol, _)| symbol);
    let known = tables.names.iter().filter_map(|name| {
        let symbols = name.symbols.iter().filter_map(|symbol| now.get(symbol.to_native() as usize).copied());
        let symbols: Vec<u32> = symbols.filter(|number| *number != REMOVED).collect();
        (!symbols.is_empty()).then(|| NameRecord { folded: name.folded.as_str().to_owned(), symbols })
    });
    merge(known, records_of(added))
}

/// Merges two indexes of different symbols.
fn merge(known: impl Iterator<Item = NameRecord>, added: Vec<NameRecord>) -> Vec<NameRecord> {
    let mut names = Vec::with_capacity(known.size_hint().1.unwrap_or_default() + added.len());
    let mut added = added.into_iter().peekable();
    for mut name in known {
        while let Some(new) = added.next_if(|new| new.folded < name.folded) {
            names.push(new);
        }
        if let Some(new) = added.next_if(|new| new.folded == name.folded) {
            name.symbols.extend(new.symbols);
            name.symbols.sort_unstable();
        }
        names.push(name);
    }
    names.extend(added);
    names
}

/// Returns the index of numbered symbols.
fn records_of<'a>(symbols: impl Iterator<Item = (u32, &'a SymbolRecord)>) -> Vec<NameRecord> {
    let mut by_written: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
    for (symbol_idx, symbol) in symbols {
        by_written.entry(&symbol.name).or_default().push(symbol_idx);
    }
    let mut names: Vec<NameRecord> =
        by_written.into_iter().map(|(name, symbols)| NameRecord { folded: fold(name), symbols }).collect();
    names.sort_unstable_by(|a, b| (&a.folded, &a.symbols).cmp(&(&b.folded, &b.symbols)));
    names.dedup_by(|next, first| {
        let is_same = next.folded == first.folded;
        if is_same {
            first.symbols.append(&mut next.symbols);
            first.symbols.sort_unstable();
        }
        is_same
    });
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_indexes_are_that_of_all_symbols() {
        let symbols: Vec<SymbolRecord> = ["Run", "stop", "run", "Add", "STOP", "zip"]
            .map(|name| SymbolRecord { name: name.to_owned(), ..SymbolRecord::default() })
            .into();
        let shown = |names: Vec<NameRecord>| -> Vec<(String, Vec<u32>)> {
            names.into_iter().map(|name| (name.folded, name.symbols)).collect()
        };
        let all = shown(name_records(&symbols));
        assert_eq!(all.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["add", "run", "stop", "zip"]);
        for is_known in [|nth: u32| nth.is_multiple_of(2), |nth| nth > 3, |_| true, |_| false] {
            let (known, added): (Vec<_>, Vec<_>) = (0..).zip(&symbols).partition(|(nth, _)| is_known(*nth));
            let merged = merge(records_of(known.into_iter()).into_iter(), records_of(added.into_iter()));
            assert_eq!(shown(merged), all);
        }
    }
}
