//! How well the name of a symbol matches a name that somebody typed.

use std::cmp::Reverse;

use model::{FileClass, SymbolKind};

use crate::{
    aggregate::Kept,
    analyser::{fold, words},
};

/// How a name matched, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NameTier {
    /// The same letters in the same case.
    Exact,
    /// The same letters and digits, in any notation.
    Folded,
    Prefix,
    /// Its words are among the words of the name.
    SubWord,
    /// A few letters differ.
    Fuzzy,
}

/// What matches of names are ordered by: the least comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NameOrder {
    tier: NameTier,
    /// Definitions of that name in all repositories: a rare name tells more.
    count: u64,
    kind: u8,
    is_demoted: bool,
    /// What is called and takes one line is mostly a declaration; the definition is elsewhere.
    is_declaration: bool,
    /// A bare name is all that a function is called by, and only the last part of what calls a method.
    is_method: bool,
}

impl NameOrder {
    /// Returns the order of a match of a symbol of this kind and so many lines, in a file of this class.
    pub fn new(
        tier: NameTier,
        count: u64,
        symbol: Option<(SymbolKind, u32)>,
        class: FileClass,
        kept: Kept,
    ) -> NameOrder {
        let kind = kind_order(symbol.map(|(kind, _)| kind));
        let is_declaration = symbol.is_some_and(|(_, n_lines)| n_lines <= 1) && kind == CALLED;
        let is_method = matches!(symbol, Some((SymbolKind::Method | SymbolKind::Constructor, _)));
        NameOrder { tier, count, kind, is_demoted: !kept.admits(class), is_declaration, is_method }
    }

    /// Says whether it is code of its own that has exactly this name, in any notation.
    pub fn is_it(&self) -> bool {
        matches!(self.tier, NameTier::Exact | NameTier::Folded) && !self.is_demoted
    }

    /// Says whether it is in a test, an example or the like.
    pub fn is_demoted(&self) -> bool {
        self.is_demoted
    }
}

/// What symbols that were looked up by name are ordered by, before alias, path and line: the least comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SymbolOrder {
    tier: NameTier,
    distance: u32,
    is_demoted: bool,
    /// A count, unlike PageRank, means the same in every repository.
    used_by: Reverse<u32>,
    kind: u8,
}

impl SymbolOrder {
    /// Returns the order of a symbol of this kind, in a file of this class, that so many others use and that matched so.
    pub fn new(tier: NameTier, distance: u32, class: FileClass, used_by: u32, kind: Option<SymbolKind>) -> SymbolOrder {
        let used_by = Reverse(used_by);
        SymbolOrder { tier, distance, is_demoted: class != FileClass::Source, used_by, kind: kind_order(kind) }
    }
}

/// The order of what is called.
const CALLED: u8 = 1;

/// Orders kinds by how likely somebody who types a bare name means one: types, what is called, values, parts.
pub fn kind_order(kind: Option<SymbolKind>) -> u8 {
    use SymbolKind::*;
    match kind {
        Some(kind) if kind.is_type() => 0,
        Some(Table | View | Resource) => 0,
        Some(Function | Method | Constructor | Macro | Rpc) => CALLED,
        Some(Constant | Variable | Module) => 2,
        _ => 3,
    }
}

/// A name that somebody typed, made ready to be compared with many.
#[derive(Debug, Clone)]
pub struct NamePattern {
    /// The last part as it was typed.
    pub name: String,
    /// The last part folded.
    pub folded: String,
    /// The parts before it, folded, outermost first: types around it, and modules around those.
    containers: Vec<String>,
    words: Vec<String>,
    max_distance: u32,
}

impl NamePattern {
    /// Reads `name`, `Type.name`, `module::Type::name`, `Type#name` or several words.
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

    /// Says whether there is anything to look for.
    pub fn is_empty(&self) -> bool {
        self.folded.is_empty()
    }

    /// Compares the definitions around a symbol, joined by dots, with the parts that were typed before its name, from the
    /// inside. Returns the innermost part that is left where no definition stands around any more, which may be a module;
    /// nothing if they differ.
    pub fn beyond_container(&self, container: &str) -> Option<&str> {
        let mut around = container.rsplit('.').filter(|name| !name.is_empty());
        for wanted in self.containers.iter().rev() {
            match around.next() {
                Some(name) if fold(name) == *wanted => {}
                Some(_) => return None,
                None => return Some(wanted),
            }
        }
        Some("")
    }

    /// Returns how `name`, whose folded form is `folded`, matches without any edit; the number is always 0.
    pub fn closeness(&self, name: &str, folded: &str) -> Option<(NameTier, u32)> {
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

    /// Returns by how few edits a folded name differs, if they are few enough for its length and at least one.
    ///
    /// The first letter must be right: hardly a typo is there, and `tcp_client` is no `http_client`.
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

/// Returns how many edits a name of this many letters may be away: short names are all near to one another.
pub fn allowed_distance(n_letters: usize) -> u32 {
    match n_letters {
        0..=3 => 0,
        4..=7 => 1,
        _ => 2,
    }
}

/// Returns the edits (insert, delete, replace, swap of neighbours) between two texts, if they are 1 to `max`.
pub fn edit_distance(left: &str, right: &str, max: u32) -> Option<u32> {
    let n_max = max as usize;
    if max == 0 || left.len().abs_diff(right.len()) > n_max * 4 {
        return None;
    }
    let left: Vec<char> = left.chars().collect();
    let right: Vec<char> = right.chars().collect();
    if left.len().abs_diff(right.len()) > n_max {
        return None;
    }
    let width = right.len() + 1;
    let mut before_previous = vec![0_u32; width];
    let mut previous: Vec<u32> = (0..width as u32).collect();
    let mut current = vec![0_u32; width];
    for row in 1..=left.len() {
        current[0] = row as u32;
        let mut row_min = current[0];
        for column in 1..width {
            let differs = u32::from(left[row - 1] != right[column - 1]);
            let mut best = (previous[column - 1] + differs).min(previous[column] + 1).min(current[column - 1] + 1);
            if row > 1 && column > 1 && left[row - 1] == right[column - 2] && left[row - 2] == right[column - 1] {
                best = best.min(before_previous[column - 2] + 1);
            }
            current[column] = best;
            row_min = row_min.min(best);
        }
        if row_min > max {
            return None;
        }
        std::mem::swap(&mut before_previous, &mut previous);
        std::mem::swap(&mut previous, &mut current);
    }
    (1..=max).contains(&previous[width - 1]).then_some(previous[width - 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(typed: &str, name: &str, expected: Option<(NameTier, u32)>) {
        let pattern = NamePattern::parse(typed);
        let fuzzy = || pattern.distance(&fold(name)).map(|edits| (NameTier::Fuzzy, edits));
        assert_eq!(pattern.closeness(name, &fold(name)).or_else(fuzzy), expected, "{typed} {name}");
    }

    #[test]
    fn names_match_in_tiers() {
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
    fn containers_are_matched_from_the_inside() {
        let pattern = NamePattern::parse("app::Flask.run()");
        assert_eq!(pattern.name, "run");
        assert_eq!(pattern.beyond_container("src.app.Flask"), Some(""));
        assert_eq!(pattern.beyond_container("Flask"), Some("app"));
        assert_eq!(pattern.beyond_container("Flask.Inner"), None);
        assert_eq!(NamePattern::parse("run").beyond_container("anything"), Some(""));
        assert_eq!(NamePattern::parse("com.google.gson.Gson").beyond_container(""), Some("gson"));
    }

    #[test]
    fn a_definition_comes_before_its_declaration_and_a_function_before_a_method() {
        use FileClass::{Source, Test};
        use SymbolKind::{Constant, Function, Method};
        let order =
            |kind, n_lines, class| NameOrder::new(NameTier::Exact, 2, Some((kind, n_lines)), class, Kept::default());
        assert!(order(Function, 12, Source) < order(Function, 1, Source));
        assert!(order(Function, 1, Source) < order(Function, 12, Test), "tests declare nothing");
        assert!(order(Function, 12, Source) < order(Method, 30, Source));
        assert!(order(Method, 12, Source) < order(Function, 1, Source), "a declaration is elsewhere");
        assert!(order(Method, 12, Source) < order(Function, 12, Test));
        assert_eq!(order(Constant, 1, Source), order(Constant, 3, Source));
    }
}
