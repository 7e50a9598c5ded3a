//! Types that a change renames. Their new names in other declarations of the same file are no further change. In another file, the name
//! may be that of another type.

use std::collections::{BTreeMap, BTreeSet};

use crate::{DefinitionSide, SignatureChange, signature_changes};

/// The new names of types by their file and old names.
pub(crate) struct RenamedTypes<'a>(BTreeMap<(&'a str, &'a str), &'a str>);

impl<'a> RenamedTypes<'a> {
    /// Collects the renamed types of paired definitions. A name that some type still has, or that became several names, is left out.
    pub(crate) fn of(
        pairs: impl Iterator<Item = (&'a DefinitionSide, &'a DefinitionSide)>,
        remaining: &BTreeSet<&str>,
    ) -> RenamedTypes<'a> {
        let mut renamed: BTreeMap<(&str, &str), Option<&str>> = BTreeMap::new();
        for (old, new) in pairs.filter(|(old, new)| old.kind.is_type() && new.kind.is_type() && old.name != new.name) {
            let known = renamed.entry((old.path.as_str(), old.name.as_str())).or_insert(Some(new.name.as_str()));
            *known = known.filter(|known| *known == new.name);
        }
        let is_gone = |(old, new): ((&'a str, &'a str), Option<&'a str>)| {
            let is_gone = !remaining.contains(old.1);
            new.filter(|_| is_gone).map(|new| (old, new))
        };
        RenamedTypes(renamed.into_iter().filter_map(is_gone).collect())
    }

    /// Returns the differences of two declarations beyond the new names of types.
    pub(crate) fn signature_changes(&self, old: &DefinitionSide, new: &DefinitionSide) -> Vec<SignatureChange> {
        let compare = |text: &str| signature_changes(&old.declared(text), &new.declared(&new.signature));
        let as_written = compare(&old.signature);
        if as_written.is_empty() || self.0.is_empty() {
            return as_written;
        }
        // A parameter may have the old name of a type.
        let renamed = compare(&self.rename(&old.path, &old.signature));
        if renamed.len() < as_written.len() { renamed } else { as_written }
    }

    /// Replaces the old names in a text of a file, where they are whole words.
    fn rename(&self, path: &str, text: &str) -> String {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        let mut renamed = String::with_capacity(text.len());
        let mut rest = text;
        while !rest.is_empty() {
            let n_word = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            let (word, behind) = rest.split_at(n_word);
            renamed.push_str(self.0.get(&(path, word)).copied().unwrap_or(word));
            let n_other = behind.find(is_part).unwrap_or(behind.len());
            renamed.push_str(&behind[..n_other]);
            rest = &behind[n_other..];
        }
        renamed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_are_renamed() {
        let types = RenamedTypes(BTreeMap::from([
            (("a", "State"), "_State"),
            (("a", "Öl"), "Oil"),
            (("b", "Error"), "AppError"),
        ]));
        for (text, expected) in [
            ("def f(state: State) -> \"State\"", "def f(state: _State) -> \"_State\""),
            ("f(a: States, b: a.State<State>)", "f(a: States, b: a._State<_State>)"),
            ("ÖlState Öl", "ÖlState Oil"),
            ("State", "_State"),
            ("", ""),
            ("(*)", "(*)"),
            ("f() -> Error", "f() -> Error"),
        ] {
            assert_eq!(types.rename("a", text), expected);
        }
    }
}
