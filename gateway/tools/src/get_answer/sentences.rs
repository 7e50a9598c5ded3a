//! Splits prose of comments and pages into sentences without markup.

/// Word count of a sentence: fewer are a heading or a directive, more are a list without bullets.
const WORDS: std::ops::RangeInclusive<usize> = 3..=60;

/// Minimum number of words outside code; a sentence with fewer is an example.
const MIN_WORDS_OF_PROSE: usize = 2;

/// Maximum number of sentences of one text: its beginning names its subject.
const MAX_SENTENCES: usize = 12;

/// Returns the sentences of prose in order, without code, tables, doc-comment fields and markup.
pub(super) fn sentences(prose: &str) -> Vec<String> {
    let mut found = Vec::new();
    for paragraph in with_lists(paragraphs(prose)) {
        for sentence in text::sentences(&paragraph) {
            if WORDS.contains(&n_words(sentence)) && n_words(&without_code(sentence)) >= MIN_WORDS_OF_PROSE {
                found.push(sentence.to_owned());
            }
            if found.len() == MAX_SENTENCES {
                return found;
            }
        }
    }
    found
}

fn n_words(text: &str) -> usize {
    text.split(' ').filter(|word| word.chars().any(char::is_alphanumeric)).count()
}

/// Returns the text outside backticks.
fn without_code(sentence: &str) -> String {
    sentence.split('`').step_by(2).collect()
}

/// Lines with this indentation are code examples, in comments as in Markdown.
const CODE_INDENT: usize = 4;

/// Text on one line: a paragraph, or an item of a list.
struct ProsePart {
    text: String,
    is_item: bool,
}

/// Returns the texts of paragraphs; one that ends in a colon has the items of the list behind it, if both are not too long together.
fn with_lists(parts: Vec<ProsePart>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut rest = parts.as_slice();
    while let Some((first, behind)) = rest.split_first() {
        let n_items = if first.text.ends_with(':') { behind.iter().take_while(|part| part.is_item).count() } else { 0 };
        let items: Vec<&str> =
            behind[..n_items].iter().map(|item| item.text.trim_end_matches(['.', ';', ','])).collect();
        // The end of a sentence within an item would cut the list.
        let is_whole = items.iter().all(|item| text::sentences(item).count() < 2);
        let joined = format!("{} {}.", first.text, items.join("; "));
        rest = behind;
        if n_items > 1 && is_whole && WORDS.contains(&n_words(&joined)) {
            found.push(joined);
            rest = &behind[n_items..];
        } else {
            found.push(first.text.clone());
        }
    }
    found
}

/// Returns the text of an item of a list: `- text`, `2. text`.
fn item(line: &str) -> Option<&str> {
    let numbered = || {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.strip_prefix(". ").or(rest.strip_prefix(") ")).filter(|_| rest.len() < line.len())
    };
    ["- ", "* ", "+ "].iter().find_map(|bullet| line.strip_prefix(bullet)).or_else(numbered)
}

/// Returns paragraphs, each on one line; an item of a list is a separate one.
fn paragraphs(prose: &str) -> Vec<ProsePart> {
    let mut found: Vec<ProsePart> = Vec::new();
    let (mut current, mut is_code, mut is_field) = (String::new(), false, false);
    // Indentation of the items of an open list.
    let mut list: Option<usize> = None;
    let close = |found: &mut Vec<ProsePart>, current: &mut String, is_item: bool| {
        let text = strip_markup(&std::mem::take(current));
        if !text.is_empty() {
            found.push(ProsePart { text, is_item });
        }
    };
    for line in prose.lines() {
        let (trimmed, indent) = (line.trim(), line.len() - line.trim_start().len());
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            is_code = !is_code;
            close(&mut found, &mut current, list.take().is_some());
            continue;
        }
        let (is_prose, trimmed) = match without_tag(trimmed) {
            Some(prose) => (true, prose),
            None => (false, trimmed),
        };
        // A field ends at the next one, or at an empty line.
        is_field = !is_prose && (is_field_start(trimmed) || (is_field && !trimmed.is_empty()));
        if is_prose {
            close(&mut found, &mut current, list.is_some());
        }
        let of_item = item(trimmed);
        let is_announced = || current.ends_with(':') || found.last().is_some_and(|part| part.text.ends_with(':'));
        // An indented line is of a list that the text announces, or else an example.
        let is_of_list = match (of_item, list) {
            (Some(_), Some(_)) => true,
            (Some(_), None) => is_announced(),
            (None, Some(of_items)) => !current.is_empty() && indent < of_items + CODE_INDENT,
            (None, None) => false,
        };
        let is_example = (indent >= CODE_INDENT || line.starts_with('\t')) && !is_of_list;
        if is_code || is_field || is_example || is_not_prose(trimmed) {
            close(&mut found, &mut current, list.take().is_some());
            continue;
        }
        if trimmed.is_empty() || of_item.is_some() || (list.is_some() && !is_of_list) {
            close(&mut found, &mut current, list.is_some());
        }
        if !trimmed.is_empty() {
            list = if of_item.is_some() { Some(list.unwrap_or(indent)) } else { list.filter(|_| is_of_list) };
        }
        if !current.is_empty() {
            current.push(' ');
        }
        current.push_str(of_item.unwrap_or(trimmed));
    }
    close(&mut found, &mut current, list.is_some());
    found
}

/// Removes the prose tag from the beginning of a doc-comment line.
fn without_tag(line: &str) -> Option<&str> {
    const TAGS: [&str; 4] = ["brief ", "details ", "note ", "summary "];
    let tag = line.strip_prefix(['@', '\\'])?;
    TAGS.iter().find_map(|prose| tag.strip_prefix(prose)).map(str::trim)
}

/// Returns true if a line begins a structured field of a doc comment: `@param`, `:param x:`, `Args:`.
fn is_field_start(line: &str) -> bool {
    const SECTIONS: [&str; 8] =
        ["Args:", "Arguments:", "Parameters:", "Raises:", "Example:", "Examples:", "Attributes:", "See also:"];
    let is_role = line.starts_with(':') && line[1..].split_once(':').is_some_and(|(name, _)| !name.contains('`'));
    (line.starts_with('@') && !line.starts_with("@{"))
        || line.starts_with("\\param")
        || line.starts_with(".. ")
        || is_role
        || SECTIONS.contains(&line)
}

/// Returns true if a line is not prose: a heading, a rule, a table row, HTML, or a shell or prompt example.
fn is_not_prose(line: &str) -> bool {
    let is_rule = line.len() >= 3 && line.bytes().all(|byte| byte.is_ascii_punctuation() && byte == line.as_bytes()[0]);
    let starts = ["#", "|", "<", "$ ", ">>> ", "... ", "![", "[!["];
    is_rule || starts.iter().any(|start| line.starts_with(start))
}

/// Removes markup from a paragraph: links keep their text, roles their name, code its backticks.
fn strip_markup(paragraph: &str) -> String {
    let mut text = String::with_capacity(paragraph.len());
    let mut rest = paragraph;
    while let Some(at) = rest.find(['[', '{', ':', '*', '<']) {
        text.push_str(&rest[..at]);
        let (mark, after) = rest[at..].split_at(1);
        rest = match mark {
            "[" => match link(after) {
                Some((shown, after)) => {
                    text.push_str(shown);
                    after
                }
                None => push_mark(&mut text, mark, after),
            },
            "{" => match after.strip_prefix('@').and_then(until_closed) {
                Some((tag, after)) => {
                    let shown = tag.split_once(' ').map_or("", |(_, shown)| shown.trim());
                    text.push_str(&format!("`{shown}`"));
                    after
                }
                None => push_mark(&mut text, mark, after),
            },
            ":" => match role(after) {
                Some(after) => after,
                None => push_mark(&mut text, mark, after),
            },
            "<" => match html_tag(&text, after) {
                Some((shown, after)) => {
                    text.push_str(shown);
                    after
                }
                None => push_mark(&mut text, mark, after),
            },
            _ => after.strip_prefix('*').unwrap_or(after),
        };
    }
    text.push_str(rest);
    text.replace("``", "`").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn push_mark<'a>(text: &mut String, mark: &str, after: &'a str) -> &'a str {
    text.push_str(mark);
    after
}

/// Splits at the closing brace of an already opened one.
fn until_closed(tag: &str) -> Option<(&str, &str)> {
    let mut depth = 1;
    let end = tag.find(|c| {
        depth += match c {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        depth == 0
    })?;
    Some((&tag[..end], &tag[end + 1..]))
}

/// Returns the text of a Markdown link and the rest; `after` begins after the bracket.
fn link(after: &str) -> Option<(&str, &str)> {
    let (shown, rest) = after.split_once(']')?;
    let target = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let reference = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let (_, rest) = target.or(reference).or(shown.starts_with('`').then_some(("", rest)))?;
    Some((shown, rest))
}

/// Returns the mark that stands for an HTML tag within a line, and the rest; `after` begins after its bracket, and `before` is the text before
/// it. A type parameter is no tag.
fn html_tag<'a>(before: &str, after: &'a str) -> Option<(&'static str, &'a str)> {
    const OF_TEXT: [&str; 13] = ["a", "b", "i", "p", "em", "br", "ul", "ol", "li", "sup", "sub", "span", "strong"];
    const OF_CODE: [&str; 4] = ["code", "tt", "kbd", "var"];
    let (inside, rest) = after.split_once('>')?;
    let closing = inside.strip_prefix('/');
    let name = closing.unwrap_or(inside).split([' ', '/']).next()?;
    let is_type_parameter = closing.is_none() && before.ends_with(|c: char| c.is_alphanumeric());
    let mark = match name {
        _ if is_type_parameter => return None,
        _ if OF_TEXT.contains(&name) => "",
        _ if OF_CODE.contains(&name) => "`",
        _ => return None,
    };
    Some((mark, rest))
}

/// Returns the text after the name of a reStructuredText role, its subject; `after` begins after the colon.
fn role(after: &str) -> Option<&str> {
    let (name, rest) = after.split_once(':')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphabetic() || c == ':');
    (is_name && rest.starts_with('`')).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_becomes_sentences() {
        for (prose, expected) in [
            ("", &[][..]),
            (
                "@private used in this file, but\nnot exported from the main package.\n\nIt is closed later.",
                &["It is closed later."],
            ),
            (
                "@brief opens a session\nand a window.\n@param x what to open,\nand how it is done.",
                &["opens a session and a window."],
            ),
            ("Is `{@code X}`.\n\n{@code Map<String> map = new Map<String>() {};}\n", &[]),
            ("Is one of {@code {}}, as all are.", &["Is one of `{}`, as all are."]),
            (
                "Opens a session. It is closed, e.g. by `close`, later.",
                &["Opens a session.", "It is closed, e.g. by `close`, later."],
            ),
            ("Opens\na session\n\nCloses it when it ends.", &["Opens a session", "Closes it when it ends."]),
            ("# Heading of it\n\nText of the page.\n\n```\ncode is no prose at all.\n```\n", &["Text of the page."]),
            ("Returns the user.\n\n@param id the id of the user\n:param x: what it is\n", &["Returns the user."]),
            (
                "Reads it.\n\nArgs:\n    name: what it is called here.\n\nThe end of it.",
                &["Reads it.", "The end of it."],
            ),
            (
                "See [the docs](http://x.example) for :class:`Flask` and {@link Foo} **here**.",
                &["See the docs for `Flask` and `Foo` here."],
            ),
            (
                "Reads <a href=\"http://x.example\">RFC 7</a> values, <em>all</em> of <code>List<b></code>, if a < b.",
                &["Reads RFC 7 values, all of `List<b>`, if a < b."],
            ),
            (
                "- one thing that is done\n- another thing that is done",
                &["one thing that is done", "another thing that is done"],
            ),
            (
                "Opens it for you.\n\n    open(1)\n    and more of the code here\n\nIt is closed later.",
                &["Opens it for you.", "It is closed later."],
            ),
            ("Too short.", &[]),
            (
                "Tries it, in order:\n\n    - The old one, if it\n      is there.\n    - Any new one.\n\n(It may fail at the end.)",
                &["Tries it, in order: The old one, if it is there; Any new one.", "(It may fail at the end.)"],
            ),
            (
                "There are these ways:\n1. by land\n2. by sea\n\nand no other one.",
                &["There are these ways: by land; by sea.", "and no other one."],
            ),
            ("Do it as follows:\n\n    open - close\n\nThen it is done.", &["Do it as follows:", "Then it is done."]),
        ] {
            let expected: Vec<&str> = expected.iter().copied().filter(|one| one.split(' ').count() >= 3).collect();
            let found: Vec<String> = sentences(prose);
            assert_eq!(found, expected, "{prose:?}");
        }
    }

    #[test]
    fn the_number_of_sentences_is_bounded() {
        let long = "A sentence of some words. ".repeat(100);
        assert_eq!(sentences(&long).len(), MAX_SENTENCES);
        assert!(sentences(&"word ".repeat(200)).is_empty());
    }
}
