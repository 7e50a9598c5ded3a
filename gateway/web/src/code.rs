//! Source with line numbers, classes and links of identifiers.

use maud::{Markup, html};

/// Lines of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceView {
    /// The alias of the repository.
    pub repo: String,
    /// The path in the repository.
    pub path: String,
    /// Number of lines of the whole file.
    pub n_file_lines: u32,
    /// The shown lines.
    pub lines: Vec<CodeLine>,
}

/// One line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodeLine {
    /// The line number, from 1.
    pub number: u32,
    /// The parts, in order: together they are the text of the line.
    pub pieces: Vec<CodePiece>,
}

/// A part of a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodePiece {
    /// The text.
    pub text: String,
    /// The style class, such as `keyword`; empty for none.
    pub class: &'static str,
    /// The page of the definition that the text names; empty for none.
    pub href: String,
}

/// A line of a snippet that stands for omitted lines.
pub(crate) const OMISSION: &str = "⋯";

impl SourceView {
    /// Returns the lines of a snippet up to the first omission: the numbers of the lines behind it are not known.
    pub fn plain(repo: &str, path: &str, first_line: u32, text: &str) -> SourceView {
        let line = |(number, text): (u32, &str)| CodeLine {
            number,
            pieces: vec![CodePiece { text: text.to_owned(), ..CodePiece::default() }],
        };
        SourceView {
            repo: repo.to_owned(),
            path: path.to_owned(),
            n_file_lines: 0,
            lines: (first_line..).zip(text.lines().take_while(|line| line.trim() != OMISSION)).map(line).collect(),
        }
    }

    /// Returns the first lines.
    pub fn head(mut self, n_lines: usize) -> SourceView {
        self.lines.truncate(n_lines);
        self
    }
}

/// The targets of the links of line numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineLinks<'a> {
    /// To the line itself, on a page with one source.
    Anchors,
    /// To the page of the file.
    File(&'a SourceView),
}

/// Renders source. `emphasised` is a line to stand out; 0 for none. Words in `marked`, in lower case, are marked.
pub(crate) fn code(source: &SourceView, links: LineLinks<'_>, emphasised: u32, marked: &[String]) -> Markup {
    html! {
        div.code tabindex="0" role="group" aria-label={ "Source of " (source.path) } {
            pre {
                @for line in &source.lines {
                    (code_line(line, links, line.number == emphasised, marked))
                }
            }
        }
    }
}

fn code_line(line: &CodeLine, links: LineLinks<'_>, is_emphasised: bool, marked: &[String]) -> Markup {
    let number = line.number;
    let class = is_emphasised.then_some("on");
    let pieces = html! { @for piece in &line.pieces { (code_piece(piece, marked)) } "\n" };
    match links {
        LineLinks::Anchors => html! {
            span id={ "L" (number) } class=[class] { a.n href={ "#L" (number) } tabindex="-1" aria-label={ "Line " (number) } { (number) } (pieces) }
        },
        LineLinks::File(source) => html! {
            span class=[class] { a.n href=(crate::address::file(&source.repo, &source.path, number)) tabindex="-1" aria-label={ "Line " (number) } { (number) } (pieces) }
        },
    }
}

fn code_piece(piece: &CodePiece, marked: &[String]) -> Markup {
    let text = marked_text(&piece.text, marked);
    let class = (!piece.class.is_empty()).then_some(piece.class);
    match (piece.href.as_str(), class) {
        ("", None) => text,
        ("", Some(class)) => html! { i class=(class) { (text) } },
        (href, class) => html! { a class=[class] href=(href) { (text) } },
    }
}

/// Marks words in a text, whatever their case.
pub(crate) fn marked_text(text: &str, marked: &[String]) -> Markup {
    let lower = text.to_ascii_lowercase();
    let next = |from: usize| {
        let found = marked.iter().filter_map(|word| Some((lower[from..].find(word.as_str())? + from, word.len())));
        found.min_by_key(|(at, length)| (*at, std::cmp::Reverse(*length)))
    };
    let mut parts: Vec<(bool, &str)> = Vec::new();
    let mut from = 0;
    while let Some((at, length)) = next(from) {
        parts.push((false, &text[from..at]));
        parts.push((true, &text[at..at + length]));
        from = at + length;
    }
    parts.push((false, &text[from..]));
    html! {
        @for (is_marked, part) in parts {
            @if is_marked { mark { (part) } } @else { (part) }
        }
    }
}

/// Returns the words of a query that are worth marking, in lower case.
pub(crate) fn words_to_mark(query: &str) -> Vec<String> {
    /// Words of questions, which would mark half of a page.
    const COMMON: [&str; 24] = [
        "the", "and", "for", "who", "what", "when", "where", "which", "how", "why", "does", "not", "with", "from",
        "are", "this", "that", "into", "calls", "has", "all", "any", "can", "use",
    ];
    let words = query.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    let mut words: Vec<String> = words
        .filter(|word| word.len() > 2)
        .map(str::to_ascii_lowercase)
        .filter(|word| !COMMON.contains(&word.as_str()))
        .collect();
    words.sort();
    words.dedup();
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_has_numbers_classes_and_links() {
        let piece = |text: &str, class, href: &str| CodePiece { text: text.to_owned(), class, href: href.to_owned() };
        let line = CodeLine {
            number: 7,
            pieces: vec![piece("fn", "k", ""), piece(" <a>", "", ""), piece("f", "f", "/symbol?id=x")],
        };
        let source = SourceView { lines: vec![line], ..SourceView::default() };
        let shown = code(&source, LineLinks::Anchors, 7, &[]).into_string();
        for part in
            ["id=\"L7\" class=\"on\"", "<i class=\"k\">fn</i> &lt;a&gt;<a class=\"f\" href=\"/symbol?id=x\">f</a>"]
        {
            assert!(shown.contains(part), "{part} {shown}");
        }
    }

    #[test]
    fn lines_behind_an_omission_have_no_number() {
        let numbers = |snippet: &str| -> Vec<u32> {
            SourceView::plain("api", "a.rs", 7, snippet).lines.iter().map(|line| line.number).collect()
        };
        assert_eq!(numbers("a\n\n  ⋯\nb"), [7, 8]);
        assert_eq!(numbers("a ⋯\nb"), [7, 8], "a part of a line is omitted");
    }

    #[test]
    fn words_of_the_query_are_marked() {
        assert_eq!(words_to_mark("How does the RetryPolicy work, retry?"), ["retry", "retrypolicy", "work"]);
        let marked = marked_text("a Retry<é>", &["retry".to_owned()]).into_string();
        assert_eq!(marked, "a <mark>Retry</mark>&lt;é&gt;");
    }
}
