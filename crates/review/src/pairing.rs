//! Pairs the definitions of both sides: by name, then as renamed or moved by their texts.

use std::collections::{BTreeMap, BTreeSet};

use model::SymbolKind;

use crate::difference::SidedDefinition;

/// Minimum share of equal lines of a renamed definition; the default of git for files.
const MIN_SIMILARITY: f64 = 0.5;

/// Maximum number of unpaired definitions of one side that are compared with each other.
const MAX_COMPARED: usize = 300;

/// Maximum bytes of a compared definition.
const MAX_COMPARED_BYTES: usize = 64 << 10;

/// Returns pairs of indices, the old one first.
pub(crate) fn pair_definitions(
    old: &[SidedDefinition<'_>],
    new: &[SidedDefinition<'_>],
    renamed_paths: &BTreeMap<&str, &str>,
) -> Vec<(usize, usize)> {
    let mut pairs = Pairs::default();
    let path_of =
        |before: &SidedDefinition<'_>| renamed_paths.get(before.side.path.as_str()).map(|path| (*path).to_owned());
    let name = |definition: &SidedDefinition<'_>| (definition.side.qualified(), group(definition.side.kind));
    // Overloads with the same declaration belong together, whatever their order.
    pairs.add_by_key(
        old,
        new,
        |before| Some((path_of(before)?, name(before), before.side.signature.clone())),
        |after| Some((after.side.path.clone(), name(after), after.side.signature.clone())),
    );
    pairs.add_by_key(
        old,
        new,
        |before| Some((path_of(before)?, name(before))),
        |after| Some((after.side.path.clone(), name(after))),
    );
    // A function became a variable, or a field a property.
    let of_any_kind = |definition: &SidedDefinition<'_>| definition.side.qualified();
    pairs.add_by_key(
        old,
        new,
        |before| Some((path_of(before)?, of_any_kind(before))),
        |after| Some((after.side.path.clone(), of_any_kind(after))),
    );
    let is_top_or_method = |definition: &SidedDefinition<'_>| definition.text.len() > 1;
    let moved = |definition: &SidedDefinition<'_>| {
        is_top_or_method(definition).then(|| (name(definition), definition.side.signature.clone()))
    };
    pairs.add_by_key(old, new, moved, moved);
    let moved = |definition: &SidedDefinition<'_>| {
        (definition.side.container.is_empty() && is_top_or_method(definition)).then(|| name(definition))
    };
    pairs.add_by_key(old, new, moved, moved);
    pairs.add_renamed(old, new, renamed_paths);
    pairs.add_members_of_types(old, new);
    pairs.add_members_beside_types(old, new, renamed_paths);
    pairs.found
}

/// Kinds that may become each other without a change of the name.
fn group(kind: SymbolKind) -> u8 {
    use SymbolKind::*;
    match kind {
        Function | Method | Constructor | Macro | Rpc => 0,
        kind if kind.is_type() || kind == Trait => 1,
        Constant | Variable | Field | Property | Variant => 2,
        _ => 3,
    }
}

#[derive(Default)]
struct Pairs {
    found: Vec<(usize, usize)>,
    old: BTreeSet<usize>,
    new: BTreeSet<usize>,
}

impl Pairs {
    fn add(&mut self, from: usize, to: usize) {
        self.found.push((from, to));
        self.old.insert(from);
        self.new.insert(to);
    }

    /// Pairs definitions with equal keys, in their order.
    fn add_by_key<K: Ord>(
        &mut self,
        old: &[SidedDefinition<'_>],
        new: &[SidedDefinition<'_>],
        old_key: impl Fn(&SidedDefinition<'_>) -> Option<K>,
        new_key: impl Fn(&SidedDefinition<'_>) -> Option<K>,
    ) {
        let mut by_key: BTreeMap<K, Vec<usize>> = BTreeMap::new();
        for (to, after) in new.iter().enumerate().rev().filter(|(to, _)| !self.new.contains(to)) {
            if let Some(key) = new_key(after) {
                by_key.entry(key).or_default().push(to);
            }
        }
        for (from, before) in old.iter().enumerate() {
            if self.old.contains(&from) {
                continue;
            }
            let to = old_key(before).and_then(|key| by_key.get_mut(&key)?.pop());
            to.into_iter().for_each(|to| self.add(from, to));
        }
    }

    /// Pairs definitions of one container whose texts are similar apart from the name, the most similar first.
    fn add_renamed(
        &mut self,
        old: &[SidedDefinition<'_>],
        new: &[SidedDefinition<'_>],
        renamed_paths: &BTreeMap<&str, &str>,
    ) {
        let free = |taken: &BTreeSet<usize>, n: usize| {
            (0..n).filter(|at| !taken.contains(at)).take(MAX_COMPARED).collect::<Vec<_>>()
        };
        let (gone, added) = (free(&self.old, old.len()), free(&self.new, new.len()));
        let mut scored: Vec<(f64, usize, usize)> = Vec::new();
        for from in &gone {
            for to in &added {
                let (before, after) = (&old[*from], &new[*to]);
                let is_in_place = before.side.container == after.side.container
                    && renamed_paths.get(before.side.path.as_str()) == Some(&after.side.path.as_str())
                    && before.side.kind == after.side.kind;
                let is_compared = before.text.len().max(after.text.len()) <= MAX_COMPARED_BYTES;
                if is_in_place && is_compared {
                    scored.push((similarity(before, after), *from, *to));
                }
            }
        }
        scored.retain(|(similarity, ..)| *similarity >= MIN_SIMILARITY);
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        for (_, from, to) in scored {
            if !self.old.contains(&from) && !self.new.contains(&to) {
                self.add(from, to);
            }
        }
    }

    /// Pairs the members of types that were renamed or moved.
    fn add_members_of_types(&mut self, old: &[SidedDefinition<'_>], new: &[SidedDefinition<'_>]) {
        let place = |definition: &SidedDefinition<'_>| (definition.side.path.clone(), definition.side.qualified());
        let type_pairs = self.found.iter().map(|(from, to)| (place(&old[*from]), place(&new[*to])));
        let type_pairs: BTreeMap<(String, String), (String, String)> =
            type_pairs.filter(|(from, to)| from != to).collect();
        let container =
            |definition: &SidedDefinition<'_>| (definition.side.path.clone(), definition.side.container.clone());
        let old_key = |before: &SidedDefinition<'_>| {
            Some((type_pairs.get(&container(before))?.clone(), before.side.name.clone()))
        };
        let new_key = |after: &SidedDefinition<'_>| Some((container(after), after.side.name.clone()));
        self.add_by_key(old, new, old_key, new_key);
    }

    /// Pairs the members of renamed types that are in other files than the type, and stay in them.
    fn add_members_beside_types(
        &mut self,
        old: &[SidedDefinition<'_>],
        new: &[SidedDefinition<'_>],
        renamed_paths: &BTreeMap<&str, &str>,
    ) {
        let is_type = |(from, _): &&(usize, usize)| group(old[*from].side.kind) == group(SymbolKind::Class);
        let types = self.found.iter().filter(is_type);
        let types = types.map(|(from, to)| (old[*from].side.qualified(), new[*to].side.qualified()));
        let renamed: BTreeSet<(String, String)> = types.filter(|(from, to)| from != to).collect();
        for (from, to) in renamed {
            let old_key = |before: &SidedDefinition<'_>| {
                let path = renamed_paths.get(before.side.path.as_str()).filter(|_| before.side.container == from)?;
                Some(((*path).to_owned(), before.side.name.clone()))
            };
            let new_key = |after: &SidedDefinition<'_>| {
                (after.side.container == to).then(|| (after.side.path.clone(), after.side.name.clone()))
            };
            self.add_by_key(old, new, old_key, new_key);
        }
    }
}

/// Returns the share of equal lines of two definitions, apart from their names.
fn similarity(before: &SidedDefinition<'_>, after: &SidedDefinition<'_>) -> f64 {
    let (before, after) = (lines(before), lines(after));
    let n_lines = before.values().sum::<usize>().max(after.values().sum());
    let n_equal: usize = before.iter().map(|(line, count)| after.get(line).copied().unwrap_or(0).min(*count)).sum();
    n_equal as f64 / n_lines.max(1) as f64
}

fn lines(definition: &SidedDefinition<'_>) -> BTreeMap<String, usize> {
    let text = String::from_utf8_lossy(definition.text);
    let mut counts = BTreeMap::new();
    for line in text.lines().map(str::trim).filter(|line| line.len() > 1) {
        *counts.entry(line.replace(&definition.side.name, "\u{0}")).or_insert(0) += 1;
    }
    counts
}
