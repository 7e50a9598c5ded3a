//! What is known of types of the standard library through which values of other types pass.
//!
//! The table is text: the name of a type with its parameters, what it dereferences to, and its functions, one a line: those
//! with `::` are called by the type's name. `|A| B` is a closure, `#U` what iteration over `U` gives, `_` a type that has
//! nothing to do with the repository, `!` one that depends on where the value goes. A capital that is no parameter of the
//! type is one of the function. A line `= A B` gives the type of the first name further names.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// A type as the table writes it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Note {
    /// It has nothing to do with the repository.
    External,
    /// It depends on where the value goes.
    Open,
    Own,
    Letter(u8),
    /// What iteration over a letter's type gives.
    ItemOf(u8),
    Builtin(&'static str, Vec<Note>),
    Tuple(Vec<Note>),
    Function(Vec<Note>, Box<Note>),
}

/// A function of a type.
#[derive(Debug)]
pub(super) struct StandardFunction {
    pub(super) is_static: bool,
    pub(super) parameters: Vec<Note>,
    pub(super) result: Note,
}

/// A type.
#[derive(Debug, Default)]
pub(super) struct StandardType {
    pub(super) letters: Vec<u8>,
    pub(super) dereferences_to: Option<Note>,
    functions: FxHashMap<&'static str, StandardFunction>,
}

impl StandardType {
    pub(super) fn function(&self, name: &str) -> Option<&StandardFunction> {
        self.functions.get(name)
    }
}

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("standard.txt")));

#[derive(Default)]
struct Table {
    types: FxHashMap<&'static str, StandardType>,
    other_names: FxHashMap<&'static str, &'static str>,
}

/// Returns the name under which the table has a type.
pub(super) fn canonical(name: &str) -> Option<&'static str> {
    let other = TABLE.other_names.get(name).copied();
    other.or_else(|| TABLE.types.get_key_value(name).map(|(name, _)| *name))
}

/// Returns a type by the name that [`canonical`] gives.
pub(super) fn standard(name: &str) -> Option<&'static StandardType> {
    TABLE.types.get(name)
}

impl Table {
    fn read(text: &'static str) -> Table {
        let mut table = Table::default();
        let mut at = "";
        for line in text.lines().filter(|line| !line.is_empty()) {
            if let Some(names) = line.strip_prefix("= ") {
                let mut names = names.split(' ');
                let first = names.next().unwrap_or_default();
                table.other_names.extend(names.map(|name| (name, first)));
            } else if let Some(function) = line.strip_prefix("  ") {
                let (name, function) = function_of(function);
                table.types.entry(at).or_default().functions.insert(name, function);
            } else {
                let mut reader = Reader { rest: line };
                let Note::Builtin(name, parameters) = reader.named() else { continue };
                let letters = parameters.iter().filter_map(|note| match note {
                    Note::Letter(letter) => Some(*letter),
                    _ => None,
                });
                let letters = letters.collect();
                let dereferences_to = reader.takes(" : ").then(|| reader.note());
                table.types.insert(name, StandardType { letters, dereferences_to, functions: FxHashMap::default() });
                at = name;
            }
        }
        table
    }
}

fn function_of(line: &'static str) -> (&'static str, StandardFunction) {
    let mut reader = Reader { rest: line };
    let is_static = reader.takes("::");
    let name = reader.word();
    let mut parameters = Vec::new();
    if reader.takes("(") {
        while !reader.takes(")") && !reader.rest.is_empty() {
            parameters.push(reader.note());
            reader.takes(", ");
        }
    }
    reader.takes(" ");
    (name, StandardFunction { is_static, parameters, result: reader.note() })
}

struct Reader {
    rest: &'static str,
}

impl Reader {
    fn takes(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn word(&mut self) -> &'static str {
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn note(&mut self) -> Note {
        if self.takes("||") {
            self.takes(" ");
            return Note::Function(Vec::new(), Box::new(self.note()));
        }
        if self.takes("|") {
            let parameters = self.list("|");
            self.takes(" ");
            return Note::Function(parameters, Box::new(self.note()));
        }
        if self.takes("(") {
            return Note::Tuple(self.list(")"));
        }
        if self.takes("!") {
            return Note::Open;
        }
        if self.takes("#") {
            return Note::ItemOf(self.word().as_bytes().first().copied().unwrap_or_default());
        }
        self.named()
    }

    fn list(&mut self, end: &str) -> Vec<Note> {
        let mut notes = Vec::new();
        while !self.takes(end) && !self.rest.is_empty() {
            notes.push(self.note());
            self.takes(", ");
        }
        notes
    }

    fn named(&mut self) -> Note {
        match self.word() {
            "_" | "" | "usize" | "u8" | "char" => Note::External,
            "Self" => Note::Own,
            word if word.len() == 1 => Note::Letter(word.as_bytes()[0]),
            word if self.takes("<") => Note::Builtin(word, self.list(">")),
            word => Note::Builtin(word, Vec::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read() {
        let option = standard("Option").expect("a type of the table");
        assert_eq!(option.letters, b"T");
        let map = option.function("map").expect("a function of the table");
        let (t, u) = (Note::Letter(b'T'), Note::Letter(b'U'));
        assert_eq!(map.parameters, [Note::Function(vec![t.clone()], Box::new(u.clone()))]);
        assert_eq!(map.result, Note::Builtin("Option", vec![u]));
        assert_eq!(canonical("Arc"), Some("Rc"));
        assert_eq!(standard("Box").and_then(|of| of.dereferences_to.clone()), Some(t));
        for of in TABLE.types.values().flat_map(|of| of.functions.values()) {
            if let Note::Builtin(name, _) = &of.result {
                assert!(canonical(name).is_some(), "{name}");
            }
        }
    }
}
