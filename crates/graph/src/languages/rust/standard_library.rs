//! Standard library types that pass types through.
//!
//! Grammar of `standard_library.txt`: a line at the margin is a type with its parameters and its dereference target. An
//! indented line is a function; with `::` it is an associated function without receiver. `|A| B` is a closure, `#U` the
//! item type of iteration over `U`, `_` an unrelated type, `!` a type that depends on the context. A capital letter
//! that is no parameter of the type is one of the function. A line `= A B` declares `B` as an alias of `A`.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// A type in the library table.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum TypeTemplate {
    /// A type without relevance to the repository.
    External,
    /// A type that depends on the context of the call.
    FromContext,
    SelfType,
    Letter(u8),
    /// The item type of iteration over a letter.
    ItemOf(u8),
    Builtin(&'static str, Vec<TypeTemplate>),
    Tuple(Vec<TypeTemplate>),
    Function(Vec<TypeTemplate>, Box<TypeTemplate>),
}

/// A function of a library type.
#[derive(Debug)]
pub(super) struct StandardFunction {
    pub(super) is_static: bool,
    pub(super) parameters: Vec<TypeTemplate>,
    pub(super) result: TypeTemplate,
}

/// A library type.
#[derive(Debug, Default)]
pub(super) struct StandardType {
    pub(super) letters: Vec<u8>,
    pub(super) dereferences_to: Option<TypeTemplate>,
    functions: FxHashMap<&'static str, StandardFunction>,
}

impl StandardType {
    pub(super) fn function(&self, name: &str) -> Option<&StandardFunction> {
        self.functions.get(name)
    }
}

static LIBRARY: LazyLock<LibraryTable> = LazyLock::new(|| LibraryTable::parse(include_str!("standard_library.txt")));

/// The parsed table, by type name.
#[derive(Default)]
struct LibraryTable {
    types: FxHashMap<&'static str, StandardType>,
    aliases: FxHashMap<&'static str, &'static str>,
}

/// Returns the canonical name of a library type.
pub(super) fn canonical(name: &str) -> Option<&'static str> {
    let other = LIBRARY.aliases.get(name).copied();
    other.or_else(|| LIBRARY.types.get_key_value(name).map(|(name, _)| *name))
}

/// Returns a library type by its canonical name.
pub(super) fn find_type(name: &str) -> Option<&'static StandardType> {
    LIBRARY.types.get(name)
}

impl LibraryTable {
    fn parse(text: &'static str) -> LibraryTable {
        let mut table = LibraryTable::default();
        let mut at = "";
        for line in text.lines().filter(|line| !line.is_empty()) {
            if let Some(names) = line.strip_prefix("= ") {
                let mut names = names.split(' ');
                let first = names.next().unwrap_or_default();
                table.aliases.extend(names.map(|name| (name, first)));
            } else if let Some(function) = line.strip_prefix("  ") {
                let (name, function) = parse_function(function);
                table.types.entry(at).or_default().functions.insert(name, function);
            } else {
                let mut parser = TableParser { rest: line };
                let TypeTemplate::Builtin(name, parameters) = parser.parse_named() else { continue };
                let letters = parameters.iter().filter_map(|template| match template {
                    TypeTemplate::Letter(letter) => Some(*letter),
                    _ => None,
                });
                let letters = letters.collect();
                let dereferences_to = parser.consume(" : ").then(|| parser.parse_template());
                table.types.insert(name, StandardType { letters, dereferences_to, functions: FxHashMap::default() });
                at = name;
            }
        }
        table
    }
}

fn parse_function(line: &'static str) -> (&'static str, StandardFunction) {
    let mut parser = TableParser { rest: line };
    let is_static = parser.consume("::");
    let name = parser.parse_word();
    let mut parameters = Vec::new();
    if parser.consume("(") {
        while !parser.consume(")") && !parser.rest.is_empty() {
            parameters.push(parser.parse_template());
            parser.consume(", ");
        }
    }
    parser.consume(" ");
    (name, StandardFunction { is_static, parameters, result: parser.parse_template() })
}

/// Recursive-descent parser of one line of the table.
struct TableParser {
    rest: &'static str,
}

impl TableParser {
    fn consume(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn parse_word(&mut self) -> &'static str {
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn parse_template(&mut self) -> TypeTemplate {
        if self.consume("||") {
            self.consume(" ");
            return TypeTemplate::Function(Vec::new(), Box::new(self.parse_template()));
        }
        if self.consume("|") {
            let parameters = self.parse_list("|");
            self.consume(" ");
            return TypeTemplate::Function(parameters, Box::new(self.parse_template()));
        }
        if self.consume("(") {
            return TypeTemplate::Tuple(self.parse_list(")"));
        }
        if self.consume("!") {
            return TypeTemplate::FromContext;
        }
        if self.consume("#") {
            return TypeTemplate::ItemOf(self.parse_word().as_bytes().first().copied().unwrap_or_default());
        }
        self.parse_named()
    }

    fn parse_list(&mut self, end: &str) -> Vec<TypeTemplate> {
        let mut templates = Vec::new();
        while !self.consume(end) && !self.rest.is_empty() {
            templates.push(self.parse_template());
            self.consume(", ");
        }
        templates
    }

    fn parse_named(&mut self) -> TypeTemplate {
        match self.parse_word() {
            "_" | "" | "usize" | "u8" | "char" => TypeTemplate::External,
            "Self" => TypeTemplate::SelfType,
            word if word.len() == 1 => TypeTemplate::Letter(word.as_bytes()[0]),
            word if self.consume("<") => TypeTemplate::Builtin(word, self.parse_list(">")),
            word => TypeTemplate::Builtin(word, Vec::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_parsed() {
        let option = find_type("Option").expect("a type of the table");
        assert_eq!(option.letters, b"T");
        let map = option.function("map").expect("a function of the table");
        let (t, u) = (TypeTemplate::Letter(b'T'), TypeTemplate::Letter(b'U'));
        assert_eq!(map.parameters, [TypeTemplate::Function(vec![t.clone()], Box::new(u.clone()))]);
        assert_eq!(map.result, TypeTemplate::Builtin("Option", vec![u]));
        assert_eq!(canonical("Arc"), Some("Rc"));
        assert_eq!(find_type("Box").and_then(|of| of.dereferences_to.clone()), Some(t));
        for of in LIBRARY.types.values().flat_map(|of| of.functions.values()) {
            if let TypeTemplate::Builtin(name, _) = &of.result {
                assert!(canonical(name).is_some(), "{name}");
            }
        }
    }
}
