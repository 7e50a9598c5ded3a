//! The columns of names. A generation knows the line of a use, and the text of the line has the name.

use std::collections::{HashMap, HashSet};

use compiler_index::ExportedOccurrence;
use links::joint::ImporterUse;
use model::FileFacts;

use super::RepositorySymbols;

/// The lines of a file, with the ranges of names that have a symbol already.
pub(super) struct LineNames<'a> {
    lines: Vec<&'a str>,
    taken: HashSet<(u32, u32)>,
    /// By line and symbol: the column of the last range. The uses of one symbol on a line have as many ranges as there are names.
    last: HashMap<(u32, String), (u32, u32)>,
}

impl<'a> LineNames<'a> {
    pub(super) fn new(text: &'a str) -> LineNames<'a> {
        LineNames { lines: text.lines().collect(), taken: HashSet::new(), last: HashMap::new() }
    }

    /// Returns the next occurrence of one of some names on a line that has no symbol yet; `None` if there is none.
    pub(super) fn occurrence(
        &mut self,
        line: u32,
        names: &[&str],
        symbol: String,
        is_definition: bool,
    ) -> Option<ExportedOccurrence> {
        let text = self.lines.get(line.checked_sub(1)? as usize)?;
        let ranges = names.iter().flat_map(|name| ranges(text, name));
        let free = ranges.into_iter().find(|(start, _)| !self.taken.contains(&(line, *start)));
        let columns = free.or_else(|| self.last.get(&(line, symbol.clone())).copied())?;
        self.taken.insert((line, columns.0));
        self.last.insert((line, symbol.clone()), columns);
        Some(ExportedOccurrence { line, columns, symbol, is_definition })
    }
}

/// Returns the ranges of a name in a line, in bytes, where it is no part of a longer name.
fn ranges<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = (u32, u32)> + 'a {
    let is_part = |c: char| c == '_' || c.is_alphanumeric();
    let matches = text.match_indices(name).filter(move |(start, found)| {
        let (before, after) = (text[..*start].chars().next_back(), text[start + found.len()..].chars().next());
        !found.is_empty() && !before.is_some_and(is_part) && !after.is_some_and(is_part)
    });
    matches.map(|(start, found)| (start as u32, (start + found.len()) as u32))
}

/// The texts by which a use may name its target: its name, its type if it is a constructor, or an alias.
pub(super) struct NamedUse<'a>(Vec<&'a str>);

impl<'a> NamedUse<'a> {
    pub(super) fn new(
        facts: &'a FileFacts,
        target: &'a RepositorySymbols<'_>,
        used: &ImporterUse,
        name: &'a str,
    ) -> NamedUse<'a> {
        let definitions = target.file(used.target.file_idx).map(|file| &target.facts.files[file].facts.definitions);
        let definition = definitions.and_then(|definitions| definitions.get(used.target.definition as usize));
        let owner = definition.and_then(|definition| definition.container.rsplit('.').next()).unwrap_or_default();
        let names = [name, owner].into_iter().filter(|name| !name.is_empty());
        let aliases = facts.imports.iter().filter(|import| import.name == name || import.name == owner);
        NamedUse(names.chain(aliases.map(|import| import.alias.as_str())).filter(|name| !name.is_empty()).collect())
    }

    pub(super) fn names(&self) -> Vec<&'a str> {
        self.0.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_use_has_a_range_of_its_own() {
        let mut lines = LineNames::new("x\nf(f(take), retake.take)\n");
        let mut next =
            |names: &[&str], symbol: &str| lines.occurrence(2, names, symbol.to_owned(), false).map(|one| one.columns);
        assert_eq!(next(&["f"], "a"), Some((0, 1)));
        assert_eq!(next(&["f"], "a"), Some((2, 3)));
        // More uses than names on the line: the last range again.
        assert_eq!(next(&["f"], "a"), Some((2, 3)));
        assert_eq!(next(&["take"], "b"), Some((4, 8)));
        assert_eq!(next(&["Pool", "take"], "b"), Some((18, 22)));
        assert_eq!(next(&["other"], "c"), None);
        assert_eq!(next(&[""], "c"), None);
    }
}
