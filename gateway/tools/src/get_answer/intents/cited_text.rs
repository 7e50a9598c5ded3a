//! Text with the citations that stand in it.

use federation::{plan::Plan, repo_idx::RepoIdx};

use super::super::body::Citation;

/// A part of an answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct CitedText {
    pub(super) text: String,
    pub(super) citations: Vec<Citation>,
}

impl CitedText {
    pub(super) fn plain(text: impl Into<String>) -> CitedText {
        CitedText { text: text.into(), citations: Vec::new() }
    }

    /// Returns a text followed by the mark of its place.
    pub(super) fn cited(text: impl Into<String>, citation: Citation) -> CitedText {
        CitedText { text: format!("{} {}", text.into(), citation.mark()), citations: vec![citation] }
    }

    /// Joins parts; a place that several parts cite is listed once.
    pub(super) fn join(parts: impl IntoIterator<Item = CitedText>, separator: &str) -> CitedText {
        let parts: Vec<CitedText> = parts.into_iter().collect();
        let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
        let text = texts.join(separator);
        let mut citations: Vec<Citation> = Vec::new();
        let all = parts.into_iter().flat_map(|part| part.citations);
        all.for_each(|citation| {
            if !citations.contains(&citation) {
                citations.push(citation)
            }
        });
        CitedText { text, citations }
    }

    /// Returns `before a, b and c after`; with a limit, the number of the others replaces them.
    pub(super) fn listed(before: &str, items: Vec<CitedText>, limit: usize, after: &str) -> CitedText {
        let n_more = items.len().saturating_sub(limit);
        let mut shown: Vec<CitedText> = items.into_iter().take(limit).collect();
        if n_more > 0 {
            shown.push(CitedText::plain(format!("{n_more} more")));
        }
        let last = shown.pop();
        let head = CitedText::join(shown, ", ");
        let list = match last {
            Some(last) if head.text.is_empty() => last,
            Some(last) => CitedText::join([head, last], " and "),
            None => head,
        };
        CitedText { text: format!("{before}{}{after}", list.text), citations: list.citations }
    }

    /// Returns the text with more text after it.
    pub(super) fn then(self, after: &str) -> CitedText {
        CitedText { text: format!("{}{after}", self.text), ..self }
    }
}

/// Returns a citation of lines of a file.
pub(super) fn citation(plan: &Plan, repo_idx: RepoIdx, path: &str, lines: (u32, u32)) -> Citation {
    Citation {
        repo: plan.alias(repo_idx).to_owned(),
        path: text::sanitise_name(path).into_owned(),
        start_line: lines.0.max(1),
        end_line: lines.1.max(lines.0).max(1),
        symbol_id: None,
    }
}

/// Returns a number with its noun: `1 test`, `2 tests`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    match noun.strip_suffix('y') {
        _ if count == 1 => format!("1 {noun}"),
        Some(stem) => format!("{count} {stem}ies"),
        None => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sentences() {
        let items = |n: usize| ["a", "b", "c", "d"][..n].iter().map(|item| CitedText::plain(*item)).collect::<Vec<_>>();
        for (n_items, expected) in
            [(0, "X: ."), (1, "X: a."), (2, "X: a and b."), (3, "X: a, b and c."), (4, "X: a, b, c and 1 more.")]
        {
            assert_eq!(CitedText::listed("X: ", items(n_items), 3, ".").text, expected);
        }
        assert_eq!([counted(1, "test"), counted(2, "test"), counted(2, "entry")], ["1 test", "2 tests", "2 entries"]);
    }
}
