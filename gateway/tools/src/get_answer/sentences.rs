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
    for paragraph in paragraphs(prose) {
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

/// Returns paragraphs, each on one line; a bullet is a separate paragraph.
fn paragraphs(prose: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let (mut current, mut is_code, mut is_field) = (String::new(), false, false);
    let mut close = |current: &mut String| {
        let text = strip_markup(&std::mem::take(current));
        if !text.is_empty() {
            found.push(text);
        }
    };
    for line in prose.lines() {
        let (trimmed, indent) = (line.trim(), line.len() - line.trim_start().len());
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            is_code = !is_code;
            close(&mut current);
            continue;
        }
        let (is_prose, trimmed) = match without_tag(trimmed) {
            Some(prose) => (true, prose),
            None => (false, trimmed),
        };
        // A field ends at the next one, or at an empty line.
        is_field = !is_prose && (is_field_start(trimmed) || (is_field && !trimmed.is_empty()));
        if is_prose {
            close(&mut current);
        }
        let is_example = indent >= CODE_INDENT || line.starts_with('\t');
        if is_code || is_field || is_example || is_not_prose(trimmed) {
            close(&mut current);
            continue;
        }
        let item = ["- ", "* ", "+ "].iter().find_map(|bullet| trimmed.strip_prefix(bullet));
        if trimmed.is_empty() || item.is_some() {
            close(&mut current);
        }
        if !current.is_empty() {
            current.push(' ');
        }
        current.push_str(item.unwrap_or(trimmed));
    }
    close(&mut current);
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
    while let Some(at) = rest.find(['[', '{', ':', '*']) {
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
                "- one thing that is done\n- another thing that is done",
                &["one thing that is done", "another thing that is done"],
            ),
            (
                "Opens it for you.\n\n    open(1)\n    and more of the code here\n\nIt is closed later.",
                &["Opens it for you.", "It is closed later."],
            ),
            ("Too short.", &[]),
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
