//! The parts of lists and maps that a loop goes through, as the text has them.

use super::{is_part, split};

/// Maximum number of items of a list.
const MAX_ITEMS: usize = 64;

/// The part of an item that a variable holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemPart {
    Whole,
    Key,
    Value,
    /// A key and its value.
    Pair,
    /// The index of an item, and the item.
    Indexed,
    /// The part at a position of a tuple.
    At(usize),
}

/// A list or a map, and the part of its items that a loop takes.
pub(super) struct Collection<'t> {
    /// The list or map as written, or its name.
    pub(super) written: &'t str,
    pub(super) part: ItemPart,
    /// True for an object of JavaScript, whose bare keys are texts.
    pub(super) is_object: bool,
}

impl<'t> Collection<'t> {
    /// Reads what a loop goes through: `handlers.items()`, `Object.keys(handlers)`, `enumerate(topics)`.
    pub(super) fn of(list: &'t str) -> Collection<'t> {
        const METHODS: [(&str, ItemPart); 7] = [
            (".items()", ItemPart::Pair),
            (".entries()", ItemPart::Pair),
            (".entrySet()", ItemPart::Whole),
            (".keys()", ItemPart::Key),
            (".keySet()", ItemPart::Key),
            (".Keys", ItemPart::Key),
            (".values()", ItemPart::Value),
        ];
        const FUNCTIONS: [(&str, ItemPart); 4] = [
            ("Object.entries(", ItemPart::Pair),
            ("Object.keys(", ItemPart::Key),
            ("Object.values(", ItemPart::Value),
            ("enumerate(", ItemPart::Indexed),
        ];
        let list = list.trim();
        let of_method = METHODS.iter().find_map(|(end, part)| Some((list.strip_suffix(end)?, *part)));
        let of_function =
            || FUNCTIONS.iter().find_map(|(start, part)| Some((list.strip_prefix(start)?.strip_suffix(')')?, *part)));
        let of_object = of_function();
        let is_object = of_object.is_some() && of_method.is_none() && !list.starts_with("enumerate(");
        let (written, part) = of_method.or(of_object).unwrap_or((list, ItemPart::Whole));
        Collection { written: written.trim(), part, is_object }
    }
}

/// Returns true for the text of a map: its items have keys.
pub(super) fn is_map(text: &str) -> bool {
    let is_written = text.starts_with('{') || text.starts_with("map[") || text.starts_with('[');
    is_written && items(text).first().is_some_and(|first| key_and_value(first).is_some())
}

/// Returns a list of a part of each item of a list or map: `['a', 'b']` of the keys of `{'a': f, 'b': g}`. The bare keys of an object of
/// JavaScript are texts.
pub(super) fn parts(text: &str, part: ItemPart, is_object: bool) -> Option<String> {
    let of_item = |item: &str| -> Option<String> {
        let found = match part {
            ItemPart::Key => {
                let (key, _) = key_and_value(item)?;
                let is_bare = is_object && item.trim().starts_with(is_part);
                return Some(if is_bare { format!("'{key}'") } else { key.trim().to_owned() });
            }
            ItemPart::Value => key_and_value(item)?.1,
            ItemPart::At(position) => {
                let inner = item.trim().strip_prefix(['(', '[', '{'])?;
                return split(inner.trim_end_matches([')', ']', '}'])).get(position).map(|one| one.trim().to_owned());
            }
            ItemPart::Whole | ItemPart::Pair | ItemPart::Indexed => return None,
        };
        Some(found.trim().to_owned())
    };
    let found: Vec<String> = items(text).into_iter().take(MAX_ITEMS).filter_map(of_item).collect();
    (!found.is_empty()).then(|| format!("[{}]", found.join(", ")))
}

/// Returns the items between the brackets of a list or map.
fn items(text: &str) -> Vec<&str> {
    let text = text.trim();
    // The bracket of the type is that of the keys: `map[string]Handler{`.
    let opened = match text.strip_prefix("map[") {
        Some(rest) => rest.split_once('{').map(|(_, rest)| rest),
        None => text.strip_prefix(['{', '[', '(']),
    };
    let Some(opened) = opened else { return Vec::new() };
    let inner = opened.trim_end().strip_suffix(['}', ']', ')']).unwrap_or(opened);
    split(inner).into_iter().filter(|item| !item.trim().is_empty()).collect()
}

/// Returns the key and the value of an item of a map: `'a': f`, `'a' => f`.
fn key_and_value(item: &str) -> Option<(&str, &str)> {
    let item = item.trim();
    let quote = item.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    let end = match quote {
        Some(quote) => item[1..].find(quote)? + 2,
        None => item.find(|c: char| !is_part(c) && !matches!(c, '.' | '[' | ']'))?,
    };
    let (key, rest) = item.split_at(end);
    let rest = rest.trim_start();
    let value = rest.strip_prefix("=>").or_else(|| rest.strip_prefix(':').filter(|rest| !rest.starts_with(':')))?;
    // A computed key of JavaScript: `[ORDERS]: f`.
    Some((key.trim_matches(['[', ']']), value))
}

/// Returns the expression that a text ends with: `['a', 'b']` of `await Promise.all(['a', 'b']`.
pub(super) fn last_expression(text: &str) -> &str {
    let mut n_open = 0_usize;
    let mut start = text.len();
    for (at, c) in text.char_indices().rev() {
        match c {
            ')' | ']' | '}' => n_open += 1,
            '(' | '[' | '{' if n_open == 0 => break,
            '(' | '[' | '{' => n_open -= 1,
            _ if n_open > 0 || is_part(c) || c == '.' => {}
            _ => break,
        }
        start = at;
    }
    text[start..].trim()
}

/// Returns the expression that a text begins with: `Object.keys(handlers)` of `Object.keys(handlers) })`.
pub(super) fn first_expression(text: &str) -> &str {
    let text = text.trim_start();
    let mut n_open = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => n_open += 1,
            ')' | ']' | '}' if n_open == 0 => return &text[..at],
            ')' | ']' | '}' => n_open -= 1,
            _ if n_open > 0 || is_part(c) || c == '.' => {}
            _ => return &text[..at],
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_expression_of_a_text() {
        for (text, expected) in [
            ("await Promise.all(['a', 'b']", "['a', 'b']"),
            ("  Object.keys(handlers)", "Object.keys(handlers)"),
            ("return this.topics", "this.topics"),
            ("x = (", ""),
        ] {
            assert_eq!(last_expression(text), expected, "{text}");
        }
    }

    #[test]
    fn items_of_maps_have_keys() {
        for (item, expected) in [
            ("'a.b': on_a", Some(("'a.b'", " on_a"))),
            ("[ORDERS]: onOrder", Some(("ORDERS", " onOrder"))),
            ("Topics.ORDERS: on_order", Some(("Topics.ORDERS", " on_order"))),
            ("'a' => $f", Some(("'a'", " $f"))),
            ("'a'", None),
            ("a::b", None),
        ] {
            assert_eq!(key_and_value(item), expected, "{item}");
        }
    }
}
