//! Interned names of a program.

use std::sync::Arc;

use model::FileFacts;
use rustc_hash::FxHashMap;

/// The number of a name in its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(pub u32);

impl Name {
    /// A name that no program has.
    pub const NONE: Name = Name(u32::MAX);
}

/// Numbers of texts that outlive a program: the names of an unchanged file are not looked up again for the next program.
///
/// They are another numbering than that of a program, which begins anew each time. A text without a file stays.
#[derive(Debug, Default)]
pub struct NameNumbers {
    texts: Vec<Arc<str>>,
    by_text: FxHashMap<Arc<str>, u32>,
}

/// The numbers of the names of a file, in the order in which a program interns them.
#[derive(Debug)]
pub struct NumberedNames {
    code: Vec<u32>,
    imports: Vec<u32>,
    definitions: Vec<u32>,
}

impl NameNumbers {
    /// Numbers the names of a file.
    pub fn number(&mut self, facts: &FileFacts) -> NumberedNames {
        NumberedNames {
            code: facts.code.names.iter().map(|name| self.number_of(name)).collect(),
            imports: import_names(facts).map(|name| self.number_of(name)).collect(),
            definitions: facts.definitions.iter().map(|definition| self.number_of(&definition.name)).collect(),
        }
    }

    /// Returns the number of texts.
    pub fn n_texts(&self) -> usize {
        self.texts.len()
    }

    fn number_of(&mut self, text: &str) -> u32 {
        if let Some(number) = self.by_text.get(text) {
            return *number;
        }
        let (number, text): (u32, Arc<str>) = (self.texts.len() as u32, text.into());
        self.texts.push(text.clone());
        self.by_text.insert(text, number);
        number
    }
}

/// Returns the names in the imports of a file. Some modules are named only there.
fn import_names(facts: &FileFacts) -> impl Iterator<Item = &str> {
    facts
        .imports
        .iter()
        .flat_map(|import| import.module.split(['.', '/', ':']).chain([import.name.as_str(), import.alias.as_str()]))
}

/// The names of a program, each stored once.
#[derive(Default)]
pub(crate) struct NameInterner<'a> {
    texts: Vec<&'a str>,
    by_text: FxHashMap<&'a str, Name>,
    /// The names that have a number.
    numbered: Option<NumberedIndex<'a>>,
}

/// The name of each number, [`Name::NONE`] if no file has it.
struct NumberedIndex<'a> {
    numbers: &'a NameNumbers,
    by_number: Vec<Name>,
}

/// The names of a file in its program.
pub(crate) struct FileNames {
    /// By name number of the code.
    pub(crate) code: Vec<Name>,
    /// By definition.
    pub(crate) definitions: Vec<Name>,
}

impl<'a> NameInterner<'a> {
    /// Returns an interner without names, which knows the numbers of most.
    pub(crate) fn numbered(numbers: &'a NameNumbers) -> NameInterner<'a> {
        let by_number = vec![Name::NONE; numbers.texts.len()];
        NameInterner { numbered: Some(NumberedIndex { numbers, by_number }), ..NameInterner::default() }
    }

    /// Adds the names of a file.
    pub(crate) fn intern_file(&mut self, facts: &'a FileFacts) -> FileNames {
        let code = facts.code.names.iter().map(|name| self.intern(name)).collect();
        import_names(facts).for_each(|name| _ = self.intern(name));
        let definitions = facts.definitions.iter().map(|definition| self.intern(&definition.name)).collect();
        FileNames { code, definitions }
    }

    /// Adds the names of a file whose numbers are known. The result is that of [`NameInterner::intern_file`].
    pub(crate) fn intern_numbered(&mut self, names: &NumberedNames) -> FileNames {
        let code = names.code.iter().map(|number| self.intern_number(*number)).collect();
        names.imports.iter().for_each(|number| _ = self.intern_number(*number));
        let definitions = names.definitions.iter().map(|number| self.intern_number(*number)).collect();
        FileNames { code, definitions }
    }

    /// Returns the number of names.
    pub(crate) fn n_names(&self) -> usize {
        self.texts.len()
    }

    /// Returns the number of a name, if it was added.
    pub(crate) fn find(&self, text: &str) -> Option<Name> {
        let numbered = self.numbered.as_ref().and_then(|numbered| {
            let number = *numbered.numbers.by_text.get(text)?;
            numbered.by_number.get(number as usize).copied().filter(|name| *name != Name::NONE)
        });
        numbered.or_else(|| self.by_text.get(text).copied())
    }

    pub(crate) fn text(&self, name: Name) -> &'a str {
        self.texts.get(name.0 as usize).copied().unwrap_or_default()
    }

    /// Returns the number of a name, which is added if it is new.
    fn intern(&mut self, text: &'a str) -> Name {
        let number = self.numbered.as_ref().and_then(|numbered| numbered.numbers.by_text.get(text).copied());
        if let Some(number) = number {
            return self.intern_number(number);
        }
        *self.by_text.entry(text).or_insert_with(|| {
            self.texts.push(text);
            Name(self.texts.len() as u32 - 1)
        })
    }

    fn intern_number(&mut self, number: u32) -> Name {
        let Some(NumberedIndex { numbers, by_number }) = &mut self.numbered else { return Name::NONE };
        let numbers: &'a NameNumbers = numbers;
        let (Some(name), Some(text)) = (by_number.get_mut(number as usize), numbers.texts.get(number as usize)) else {
            return Name::NONE;
        };
        if *name == Name::NONE {
            *name = Name(self.texts.len() as u32);
            self.texts.push(text);
        }
        *name
    }
}

#[cfg(test)]
mod tests {
    use model::Language;

    use super::*;

    fn facts(text: &str) -> FileFacts {
        syntax::extract(Language::Python, text.as_bytes())
    }

    #[test]
    fn numbered_names_are_those_of_a_program_from_nothing() {
        let before = [facts("import os.path as p\n\ndef gone(): pass\n"), facts("def f():\n    return g\n")];
        let mut numbers = NameNumbers::default();
        let known = [0, 1].map(|file: usize| numbers.number(&before[file]));
        let edited = facts("import json\n\ndef added(): f()\n");
        let edited_names = numbers.number(&edited);
        // The file that was edited comes first, so that all names of the other one have other numbers in the program.
        let mut plain = NameInterner::default();
        let expected = [plain.intern_file(&edited), plain.intern_file(&before[1])];
        let mut numbered = NameInterner::numbered(&numbers);
        let found = [numbered.intern_numbered(&edited_names), numbered.intern_numbered(&known[1])];
        for (expected, found) in expected.iter().zip(&found) {
            assert_eq!((&expected.code, &expected.definitions), (&found.code, &found.definitions));
        }
        assert_eq!(plain.texts, numbered.texts);
        for text in ["json", "added", "f", "g", "gone", "os", "p", "unknown"] {
            assert_eq!(plain.find(text), numbered.find(text), "{text}");
        }
        // A file without numbers may follow.
        assert_eq!(plain.intern_file(&before[0]).definitions, numbered.intern_file(&before[0]).definitions);
        assert_eq!(plain.texts, numbered.texts);
        assert!(numbered.find("gone").is_some());
    }

    #[test]
    fn names_without_numbers_follow_those_with_numbers() {
        let numbers = NameNumbers::default();
        let mut interner = NameInterner::numbered(&numbers);
        let facts = facts("def f(): pass\n");
        let names = interner.intern_file(&facts);
        assert_eq!(interner.find("f"), names.definitions.first().copied());
        assert_eq!(interner.find("g"), None);
    }
}
