//! Lists of values: a name with its items, on one line or on several, and the questions for them.
//!
//! A list is stated as the whole of it. So one with an item that is not understood is none, and one that is not shown to its end says so.

use super::{super::shortened::shortened, assignments::assigned, source_lines::SourceLine};

/// Maximum number of lines and of characters of a list.
const MAX_LINES: usize = 60;
const MAX_CHARS: usize = 240;

/// Stands for the items of a list that are not shown.
pub(super) const CUT: &str = "…";

/// Types and functions that make a collection of their arguments.
const COLLECTIONS: [&str; 20] = [
    "set",
    "frozenset",
    "tuple",
    "list",
    "Set",
    "Set.of",
    "List.of",
    "ImmutableSet.of",
    "ImmutableList.of",
    "Arrays.asList",
    "asList",
    "listOf",
    "setOf",
    "arrayOf",
    "intArrayOf",
    "HashSet::from",
    "BTreeSet::from",
    "Vec::from",
    "Object.freeze",
    "Array",
];

/// Calls behind a list that leave it as it is.
const NEUTRAL_ENDS: [&str; 4] = ["", ".freeze", "as const", ".to_vec"];

/// Returns true if a question asks for the members of a list of values: the word for them is the noun that it asks for.
pub(super) fn asks_for_list(question: &str) -> bool {
    #[rustfmt::skip]
    const LISTS: [&str; 15] = [
        "codes", "methods", "extensions", "formats", "levels", "schemes", "algorithms", "statuses", "intervals", "steps", "headers",
        "prefixes", "suffixes", "characters", "modes",
    ];
    // With such a word behind it, the list word tells the kind of a quantity.
    #[rustfmt::skip]
    const QUANTITIES: [&str; 14] = [
        "limit", "limits", "count", "number", "size", "length", "timeout", "maximum", "minimum", "default", "delay", "interval", "rate", "ratio",
    ];
    // The noun phrase ends before such a word.
    #[rustfmt::skip]
    const OTHERS: [&str; 30] = [
        "of", "in", "on", "for", "to", "by", "with", "from", "at", "per", "as", "the", "a", "an", "is", "are", "was", "were", "does", "do", "did",
        "can", "may", "must", "will", "should", "has", "have", "uses", "maximum",
    ];
    let lower = question.trim_start().to_lowercase();
    if lower.starts_with("in which order") || lower.starts_with("in what order") {
        return true;
    }
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let Some((_, words)) = words.split_first().filter(|(first, _)| matches!(**first, "which" | "what")) else {
        return false;
    };
    let n_lead = words.iter().take_while(|word| matches!(**word, "are" | "were" | "the" | "all")).count();
    let phrase = &words[n_lead..];
    let Some(at) = phrase.iter().position(|word| LISTS.contains(word)) else { return false };
    let is_noun = !phrase[..at].iter().any(|word| OTHERS.contains(word));
    is_noun && phrase.get(at + 1).is_none_or(|next| !QUANTITIES.contains(next))
}

/// Returns the name of a list that begins on a line, and its items on one line; the items end in `…` if there are more.
pub(super) fn list(lines: &[SourceLine], at: usize) -> Option<(String, String)> {
    let line = &lines[at];
    let (target, value) = assigned(without_comment(&line.text))?;
    // The type of a constant stands between its name and its value.
    let value = match value.split_once(" = ") {
        Some((of_type, value)) if !of_type.contains(['"', '`']) => value.trim_start(),
        _ => value,
    };
    let name = target.trim().trim_end_matches(':').split([' ', ':']).rfind(|word| !word.is_empty())?;
    let name = name.trim_matches(['"', '\'']);
    if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let first = behind_opening(value)?;
    let of_file = lines[at + 1..].iter().take_while(|one| (one.repo_idx, &one.path) == (line.repo_idx, &line.path));
    let below: Vec<&str> = of_file.take(MAX_LINES + 1).map(|one| without_comment(&one.text)).collect();
    let (items, is_whole) = items(first, &below)?;
    let is_list = items.len() > 1 && items.iter().all(|item| is_value(item));
    is_list.then(|| (name.to_owned(), joined(&items, is_whole)))
}

/// Returns the items behind the opening of a list, and true if the list ends; `None` if a line has no item of its own, or if more than the list
/// makes the value.
fn items(first: &str, below: &[&str]) -> Option<(Vec<String>, bool)> {
    let mut items: Vec<String> = Vec::new();
    let mut item = String::new();
    for (line_idx, part) in std::iter::once(&first).chain(below).enumerate() {
        if line_idx > MAX_LINES {
            return Some((items, false));
        }
        // An expression over several lines is not understood.
        let goes_on = !item.trim().is_empty() && !part.is_empty() && !part.starts_with([']', ')', '}']);
        if goes_on {
            return None;
        }
        let (mut at, mut depth) = (0, 0_usize);
        while let Some(c) = part[at..].chars().next() {
            let end = end_of_quotation(part, at).unwrap_or(at + c.len_utf8());
            match c {
                ']' | ')' | '}' if depth == 0 => {
                    items.extend((!item.trim().is_empty()).then(|| item.trim().to_owned()));
                    let next = below.get(line_idx).copied().unwrap_or_default();
                    return is_end(&part[end..], next).then_some((items, true));
                }
                '[' | '(' | '{' => depth += 1,
                ']' | ')' | '}' => depth -= 1,
                _ => {}
            }
            if c == ',' && depth == 0 {
                items.push(std::mem::take(&mut item).trim().to_owned());
            } else {
                item.push_str(&part[at..end]);
            }
            at = end;
        }
        if depth > 0 {
            return None;
        }
    }
    None
}

/// Returns true if nothing behind the bracket of a list changes it: neither the rest of its line nor the line below.
fn is_end(rest: &str, next: &str) -> bool {
    let bare = rest.trim_matches([')', ']', '}', ';', ',', ' ', '(']);
    NEUTRAL_ENDS.contains(&bare) && !next.starts_with(['.', '+', '|'])
}

/// Returns the text behind the bracket that opens a list at the beginning of a value; `None` for a call and an index.
fn behind_opening(value: &str) -> Option<&str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '!');
    let (mut rest, mut is_array) = (value, false);
    loop {
        let open = rest.find(['[', '(', '{', '"', '\'', '`'])?;
        let (before, bracket) = (&rest[..open], rest[open..].chars().next()?);
        let inner = &rest[open + 1..];
        let head = before.trim_end_matches(is_part);
        let word = &before[head.len()..];
        if !matches!(head.trim_matches([' ', '&', '*']), "" | "new") {
            return None;
        }
        // The number of the items, before their type: `[]int{`, `[2]int{`, `new int[] {`.
        let sized = inner.split_once(']').filter(|(size, after)| {
            let is_size = size.is_empty() || *size == "..." || size.chars().all(|c| c.is_ascii_digit());
            bracket == '['
                && is_size
                && after.trim_start().starts_with(|c: char| c.is_alphabetic() || matches!(c, '*' | '{'))
        });
        if let Some((_, after)) = sized {
            (rest, is_array) = (after, true);
            continue;
        }
        let is_collection = COLLECTIONS.iter().any(|known| {
            let path = word.strip_suffix(*known);
            path.is_some_and(|path| path.is_empty() || path.ends_with(['.', ':']))
        });
        let is_opening = match bracket {
            '[' => word.is_empty() || word == "vec!",
            '{' => word.is_empty() || is_array,
            '(' => word.is_empty() || is_collection,
            _ => false,
        };
        if !is_opening {
            return None;
        }
        match inner.trim_start() {
            nested if bracket == '(' && nested.starts_with(['[', '{']) => rest = nested,
            _ => return Some(inner),
        }
    }
}

/// Returns true for a literal, and for the name of a constant. A key with its value, a type and code are none.
fn is_value(item: &str) -> bool {
    if let Some(end) = end_of_quotation(item, 0) {
        return end == item.len();
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':');
    let is_plain = !item.contains(['{', ';', '=', '"', '\'', '`']) && !item.contains(": ");
    // The digits of `u16` are of its name.
    let is_digit = |(at, _): (usize, &str)| {
        item[..at].chars().next_back().is_none_or(|before| !(before.is_alphanumeric() || before == '_'))
    };
    let has_number = item.match_indices(|c: char| c.is_ascii_digit()).any(is_digit);
    let is_path = item.contains(['.', ':']) && item.chars().all(is_part) && item.contains(char::is_uppercase);
    let is_upper = item.len() > 1 && item.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let is_symbol = item.strip_prefix(':').is_some_and(|name| !name.is_empty() && name.chars().all(is_part));
    is_plain && (has_number || is_path || is_upper || is_symbol)
}

/// Returns items as one text, which ends in `…` if it does not have all of them.
fn joined(items: &[String], is_whole: bool) -> String {
    let mut shown = String::new();
    for (place, item) in items.iter().enumerate() {
        let separator = if place == 0 { "" } else { ", " };
        if place > 0 && shown.chars().count() + separator.len() + item.chars().count() > MAX_CHARS {
            return format!("{shown}, {CUT}");
        }
        shown.push_str(separator);
        shown.push_str(&shortened(item, MAX_CHARS));
    }
    if is_whole { shown } else { format!("{shown}, {CUT}") }
}

/// Returns the index behind the quotation that begins at an index; `None` if none begins there, or if it does not end.
pub(super) fn end_of_quotation(text: &str, start: usize) -> Option<usize> {
    let mark = text[start..].chars().next().filter(|mark| matches!(mark, '"' | '\'' | '`'))?;
    let mut is_escaped = false;
    for (at, c) in text[start..].char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if c == mark => return Some(start + at + c.len_utf8()),
            _ => {}
        }
    }
    None
}

/// Returns a line without the comment at its end, which begins with `//` or `#` outside of quotations.
fn without_comment(line: &str) -> &str {
    let mut at = 0;
    while let Some(c) = line[at..].chars().next() {
        let begins = line[at..].starts_with("//") || c == '#';
        let before = line[..at].chars().next_back();
        if begins && before.is_none_or(|before| before.is_whitespace() || matches!(before, ',' | '[' | '(' | '{')) {
            return line[..at].trim_end();
        }
        at = end_of_quotation(line, at).unwrap_or(at + c.len_utf8());
    }
    line.trim_end()
}

#[cfg(test)]
mod tests {
    use super::{super::source_lines::lines_of_text as lines, *};

    #[test]
    fn lists_have_all_their_items() {
        for (source, expected) in [
            ("codes = [\n  408,\n  413,\n  500\n]", Some("408, 413, 500")),
            ("codes = [\n408,\n413,\n500\n]", Some("408, 413, 500")),
            ("codes = [\n  408,  # late\n  # soon\n  413, // large\n]", Some("408, 413")),
            ("codes = [\n  408, 413,\n  500,\n]", Some("408, 413, 500")),
            ("codes = [408, 413]", Some("408, 413")),
            ("codes = [408, 413]  # of berths", Some("408, 413")),
            ("const CODES: [u16; 2] = [408, 413];", Some("408, 413")),
            ("codes = frozenset({408, 413})", Some("408, 413")),
            ("codes = []int{408, 413}", Some("408, 413")),
            ("int[] codes = new int[] {408, 413};", Some("408, 413")),
            ("List<String> codes = List.of(\"a, b\", \"c\");", Some("\"a, b\", \"c\"")),
            ("codes = ['http://a', '#b'].freeze", Some("'http://a', '#b'")),
            ("codes = [\n  Code.Late,\n  Code.Large\n]", Some("Code.Late, Code.Large")),
            ("codes = [408, 413] + others", None),
            ("codes = [408, 413]\n  .concat(others)", None),
            ("codes = [\n  408,\n  413", None),
            ("codes = [\n  408,\n  *others,\n]", None),
            ("codes = {\n  408: 1,\n  413: 2\n}", None),
            ("codes = { late, large }", None),
            ("codes = dock(408, 413)", None),
            ("codes = codes[1, 2]", None),
            ("codes: (u8, u16)", None),
            ("codes = [\n  408\n  413,\n  500,\n]", None),
            ("codes = \"[408, 413]\"", None),
        ] {
            let found = list(&lines(source), 0);
            assert_eq!(
                found.as_ref().map(|(name, value)| (name.to_lowercase(), value.as_str())),
                expected.map(|value| ("codes".to_owned(), value)),
                "{source}"
            );
        }
    }

    #[test]
    fn a_list_that_is_cut_says_so() {
        let long: String = (100..300).map(|code| format!("  {code},\n")).collect();
        let (_, shown) = list(&lines(&format!("codes = [\n{long}]\n")), 0).expect("a list");
        assert!(shown.starts_with("100, 101, ") && shown.ends_with(", …"), "{shown}");
        let words: String = (0..40).map(|code| format!("  \"berth-{code}\",\n")).collect();
        let (_, shown) = list(&lines(&format!("codes = [\n{words}]\n")), 0).expect("a list");
        assert!(shown.ends_with("\", …") && shown.chars().count() <= MAX_CHARS + 3, "{shown}");
    }

    #[test]
    fn a_list_is_asked_for_by_its_noun() {
        for (question, expected) in [
            ("Which status codes sink a ship?", true),
            ("What are the allowed berth formats?", true),
            ("In which order are berths tried?", true),
            ("What compression algorithms does the dock support?", true),
            ("which ship sinks", false),
            ("What is the maximum number of characters in a name?", false),
            ("What is the default order timeout?", false),
            ("Which headers limit applies to the dock?", false),
            ("Which ship has the most levels?", false),
            ("Where are the codes?", false),
        ] {
            assert_eq!(asks_for_list(question), expected, "{question}");
        }
    }
}
