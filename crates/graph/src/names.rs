//! Interned names of a program.

use rustc_hash::FxHashMap;

/// The number of a name in its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(pub u32);

impl Name {
    /// A name that no program has.
    pub const NONE: Name = Name(u32::MAX);
}

/// The names of a program, each stored once.
#[derive(Default)]
pub(crate) struct NameInterner<'a> {
    texts: Vec<&'a str>,
    by_text: FxHashMap<&'a str, Name>,
}

impl<'a> NameInterner<'a> {
    /// Returns the number of a name, which is added if it is new.
    pub(crate) fn intern(&mut self, text: &'a str) -> Name {
        *self.by_text.entry(text).or_insert_with(|| {
            self.texts.push(text);
            Name(self.texts.len() as u32 - 1)
        })
    }

    /// Returns the number of a name, if it was added.
    pub(crate) fn find(&self, text: &str) -> Option<Name> {
        self.by_text.get(text).copied()
    }

    pub(crate) fn text(&self, name: Name) -> &'a str {
        self.texts.get(name.0 as usize).copied().unwrap_or_default()
    }
}
