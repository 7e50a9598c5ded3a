//! Match tiers and order between a typed name and the names of symbols.

use std::cmp::Reverse;

use model::{FileClass, SymbolKind};

use crate::{
    aggregate::RequestedClasses,
    analyser::{fold, words},
    edit_distance::{allowed_distance, edit_distance},
};

/// Match tier of a name, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NameTier {
    /// Identical, including case.
    Exact,
    /// Same letters and digits, in any notation.
    Folded,
    /// The typed name is a prefix.
    Prefix,
    /// The typed words are words of the name.
    SubWord,
    /// Within a small edit distance.
    Fuzzy,
}

/// Sort key of name matches, smallest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NameOrder {
    tier: NameTier,
    /// True in a test, an example or a similar file, unless the query asks for such files.
    is_demoted: bool,
    /// Number of definitions with this name over all repositories; a rare name is more specific.
    count: u64,
    kind: u8,
    /// A callable of one line is mostly a declaration; its definition is elsewhere.
    is_declaration: bool,
    /// A bare name is the whole call expression of a function, but only the last part of a method call.
    is_method: bool,
}

impl NameOrder {
    /// Returns the key for a match of a symbol of this kind and number of lines, in a file of this class.
    pub fn new(
        tier: NameTier,
        count: u64,
        symbol: Option<(SymbolKind, u32)>,
        class: FileClass,
        requested: RequestedClasses,
    ) -> NameOrder {
        let kind = kind_order(symbol.map(|(kind, _)| kind));
        let is_declaration = symbol.is_some_and(|(_, n_lines)| n_lines <= 1) && kind == CALLABLE;
        let is_method = matches!(symbol, Some((SymbolKind::Method | SymbolKind::Constructor, _)));
        NameOrder { tier, is_demoted: !requested.admits(class), count, kind, is_declaration, is_method }
    }
}

/// Sort key of symbol look-ups by name, before alias, path and line; smallest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SymbolOrder {
    tier: NameTier,
    distance: u32,
    is_demoted: bool,
    /// A count, unlike PageRank, is comparable between repositories.
    used_by: Reverse<u32>,
    kind: u8,
}

impl SymbolOrder {
    /// Returns the key for a symbol of this kind and file class, with this match and this number of users.
    pub fn new(tier: NameTier, distance: u32, class: FileClass, used_by: u32, kind: Option<SymbolKind>) -> SymbolOrder {
        let used_by = Reverse(used_by);
        SymbolOrder { tier, distance, is_demoted: class != FileClass::Source, used_by, kind: kind_order(kind) }
    }
}

/// Kind order of callables.
const CALLABLE: u8 = 1;

/// Returns the likelihood order of a symbol kind for a bare name: types, callables, values, parts.
pub fn kind_order(kind: Option<SymbolKind>) -> u8 {
    use SymbolKind::*;
    match kind {
        Some(kind) if kind.is_type() => 0,
        Some(Table | View | Resource) => 0,
        Some(Function | Method | Constructor | Macro | Rpc) => CALLABLE,
        Some(Constant | Variable | Module) => 2,
        _ => 3,
    }
}

/// A typed name, parsed once for comparison with many names.
#[derive(Debug, Clone)]
pub struct NamePattern {
    /// Last part as typed.
    pub name: String,
    /// Last part, folded.
    pub folded: String,
    /// Preceding parts, folded, outermost first: enclosing types and modules.
    containers: Vec<String>,
    words: Vec<String>,
    max_distance: u32,
}

impl NamePattern {
    /// Parses `name`, `Type.name`, `module::Type::name`, `Type#name` or several words.
    pub fn parse(typed: &str) -> NamePattern {
        let trimmed = typed.trim().trim_matches('`').trim_end_matches("()");
        let mut parts: Vec<&str> = trimmed
            .split(['.', ':', '#', '/'])
            .flat_map(|part| part.split("->"))
            .filter(|part| !part.is_empty())
            .collect();
        let name = parts.pop().unwrap_or_default();
        let folded = fold(name);
        NamePattern {
            name: name.to_owned(),
            max_distance: allowed_distance(folded.chars().count()),
            folded,
            containers: parts.iter().map(|part| fold(part)).collect(),
            words: words(name),
        }
    }

    /// Returns true if there is no name to look for.
    pub fn is_empty(&self) -> bool {
        self.folded.is_empty()
    }

    /// Compares the typed qualifiers with the container names of a symbol (joined by dots), innermost first.
    ///
    /// Returns `None` on a mismatch, the innermost qualifier beyond the outermost container (possibly a module), or an
    /// empty string if all qualifiers matched.
    pub fn unmatched_qualifier(&self, container: &str) -> Option<&str> {
        let mut enclosing = container.rsplit('.').filter(|name| !name.is_empty());
        for qualifier in self.containers.iter().rev() {
            match enclosing.next() {
                Some(name) if fold(name) == *qualifier => {}
                Some(_) => return None,
                None => return Some(qualifier),
            }
        }
        Some("")
    }

    /// Returns the match of `name`, whose folded form is `folded`, without edits. The number of edits is always 0.
    pub fn match_tier(&self, name: &str, folded: &str) -> Option<(NameTier, u32)> {
        if self.is_empty() {
            return None;
        }
        if folded.starts_with(&self.folded) {
            let tier = if name == self.name {
                NameTier::Exact
            } else if folded.len() == self.folded.len() {
                NameTier::Folded
            } else {
                NameTier::Prefix
            };
            return Some((tier, 0));
        }
        let may_have_words = self.words.iter().all(|word| folded.contains(word.as_str()));
        (may_have_words && self.has_words(name)).then_some((NameTier::SubWord, 0))
    }

    /// Returns the number of edits to a folded name: at least 1 and within the limit for the pattern's length.
    ///
    /// The first letter must be equal: typos hardly occur there, and `tcp_client` does not match `http_client`.
    pub fn distance(&self, folded: &str) -> Option<u32> {
        if self.folded.chars().next() != folded.chars().next() {
            return None;
        }
        edit_distance(&self.folded, folded, self.max_distance)
    }

    fn has_words(&self, name: &str) -> bool {
        let name_words = words(name);
        !self.words.is_empty()
            && self.words.iter().all(|word| name_words.iter().any(|of_name| of_name.starts_with(word.as_str())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(typed: &str, name: &str, expected: Option<(NameTier, u32)>) {
        let pattern = NamePattern::parse(typed);
        let fuzzy = || pattern.distance(&fold(name)).map(|edits| (NameTier::Fuzzy, edits));
        assert_eq!(pattern.match_tier(name, &fold(name)).or_else(fuzzy), expected, "{typed} {name}");
    }

    #[test]
    fn names_match_by_tier() {
        check("HTTPClient", "HTTPClient", Some((NameTier::Exact, 0)));
        check("http_client", "HTTPClient", Some((NameTier::Folded, 0)));
        check("http client", "HTTPClient", Some((NameTier::Folded, 0)));
        check("http", "HTTPClient", Some((NameTier::Prefix, 0)));
        check("client pool", "HTTPClientPool", Some((NameTier::SubWord, 0)));
        check("pool client", "HTTPClientPool", Some((NameTier::SubWord, 0)));
        check("ient", "HTTPClient", None);
        check("HTTPCleint", "HTTPClient", Some((NameTier::Fuzzy, 1)));
        check("run", "fun", None);
        check("http_client", "tcp_client", None);
        check("", "x", None);
        check("日本", "日本語", Some((NameTier::Prefix, 0)));
    }

    #[test]
    fn qualifiers_match_containers_innermost_first() {
        let pattern = NamePattern::parse("app::Flask.run()");
        assert_eq!(pattern.name, "run");
        assert_eq!(pattern.unmatched_qualifier("src.app.Flask"), Some(""));
        assert_eq!(pattern.unmatched_qualifier("Flask"), Some("app"));
        assert_eq!(pattern.unmatched_qualifier("Flask.Inner"), None);
        assert_eq!(NamePattern::parse("run").unmatched_qualifier("anything"), Some(""));
        assert_eq!(NamePattern::parse("com.google.gson.Gson").unmatched_qualifier(""), Some("gson"));
    }

    #[test]
    fn order_prefers_definitions_and_functions() {
        use FileClass::{Source, Test};
        use SymbolKind::{Constant, Function, Method};
        let order = |kind, n_lines, class| {
            NameOrder::new(NameTier::Exact, 2, Some((kind, n_lines)), class, RequestedClasses::default())
        };
        assert!(order(Function, 12, Source) < order(Function, 1, Source));
        assert!(
            order(Function, 1, Source) < order(Function, 12, Test),
            "a declaration in source precedes a definition in a test"
        );
        assert!(order(Function, 12, Source) < order(Method, 30, Source));
        assert!(order(Method, 12, Source) < order(Function, 1, Source), "a definition precedes a declaration");
        assert!(order(Method, 12, Source) < order(Function, 12, Test));
        assert_eq!(order(Constant, 1, Source), order(Constant, 3, Source));
    }
}
