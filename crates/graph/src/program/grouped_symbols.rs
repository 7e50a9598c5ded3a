//! Definitions by number and name, in a few arrays. A map would allocate once for each name.

use super::SymbolIdx;
use crate::names::Name;

/// Definitions in numbered groups, by name within a group.
#[derive(Default)]
pub(super) struct GroupedSymbols {
    /// By group: the start of its range in the other arrays. The last entry is their length.
    starts: Vec<u32>,
    /// The names of a group are sorted.
    names: Vec<Name>,
    symbols: Vec<SymbolIdx>,
}

impl GroupedSymbols {
    /// Groups definitions, which are sorted by group and name.
    pub(super) fn new(n_groups: usize, sorted: &[(u32, Name, SymbolIdx)]) -> GroupedSymbols {
        GroupedSymbols {
            starts: starts(n_groups, sorted.iter().map(|(group, ..)| *group)),
            names: sorted.iter().map(|(_, name, _)| *name).collect(),
            symbols: sorted.iter().map(|(.., symbol)| *symbol).collect(),
        }
    }

    /// Returns the definitions of a name in a group.
    pub(super) fn get(&self, group: u32, name: Name) -> &[SymbolIdx] {
        let range = range_of(&self.starts, group as usize);
        let names = &self.names[range.clone()];
        let first = names.partition_point(|known| *known < name);
        let n_symbols = names[first..].iter().take_while(|known| **known == name).count();
        &self.symbols[range][first..first + n_symbols]
    }
}

/// All definitions by name.
#[derive(Default)]
pub(super) struct NamedSymbols {
    starts: Vec<u32>,
    symbols: Vec<SymbolIdx>,
}

impl NamedSymbols {
    /// Sorts definitions, which are numbered in this order, by name.
    pub(super) fn new(n_names: usize, names: impl Iterator<Item = Name> + Clone) -> NamedSymbols {
        let starts = starts(n_names, names.clone().map(|name| name.0));
        let mut next = starts.clone();
        let mut symbols = vec![SymbolIdx(0); starts.last().map_or(0, |end| *end as usize)];
        for (symbol, name) in (0..).zip(names) {
            let place = &mut next[name.0 as usize];
            symbols[*place as usize] = SymbolIdx(symbol);
            *place += 1;
        }
        NamedSymbols { starts, symbols }
    }

    /// Returns the definitions of a name, in their order.
    pub(super) fn get(&self, name: Name) -> &[SymbolIdx] {
        &self.symbols[range_of(&self.starts, name.0 as usize)]
    }
}

/// Returns the start of the range of each group, and the end of the last one.
fn starts(n_groups: usize, groups: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut starts = vec![0; n_groups + 1];
    groups.for_each(|group| starts[group as usize + 1] += 1);
    for group in 0..n_groups {
        starts[group + 1] += starts[group];
    }
    starts
}

/// Returns the range of a group; an empty one if there is no such group.
fn range_of(starts: &[u32], group: usize) -> std::ops::Range<usize> {
    match (starts.get(group), starts.get(group.saturating_add(1))) {
        (Some(start), Some(end)) => *start as usize..*end as usize,
        _ => 0..0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_and_names_have_their_symbols_in_order() {
        let [a, b, c] = [0, 1, 2].map(Name);
        let of = |symbols: &[u32]| symbols.iter().copied().map(SymbolIdx).collect::<Vec<_>>();
        let sorted =
            [(0, b, 0), (2, a, 1), (2, a, 4), (2, c, 2)].map(|(group, name, symbol)| (group, name, SymbolIdx(symbol)));
        let grouped = GroupedSymbols::new(3, &sorted);
        for (group, name, expected) in
            [(0, b, &[0][..]), (0, a, &[]), (1, a, &[]), (2, a, &[1, 4]), (2, b, &[]), (2, c, &[2]), (9, a, &[])]
        {
            assert_eq!(grouped.get(group, name), of(expected), "{group} {name:?}");
        }
        assert!(grouped.get(2, Name::NONE).is_empty() && GroupedSymbols::default().get(0, a).is_empty());

        let named = NamedSymbols::new(3, [c, a, c].into_iter());
        assert_eq!(
            [a, b, c, Name::NONE].map(|name| named.get(name).to_vec()),
            [of(&[1]), of(&[]), of(&[0, 2]), of(&[])]
        );
        assert!(NamedSymbols::default().get(a).is_empty());
    }
}
