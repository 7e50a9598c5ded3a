//! Packing of snippets and lists into a token budget.

use text::{BudgetRequest, ExcerptLimits, ExcerptSource, Interest, estimate_tokens};

use federation::fetch::FetchedSource;

/// Maximum number of head lines that are protected; further ones are cut like the body.
const MAX_HEAD_LINES: usize = 6;

/// A definition, or another range of lines, from which a snippet is cut.
pub(crate) struct Passage<'a> {
    pub fetched: &'a FetchedSource,
    /// The line of the name, which ends the head.
    pub name_line: u32,
}

/// Returns a snippet for each passage, best first. All together have at most `budget` tokens, each at most `max_lines`.
/// A passage that does not fit has an empty snippet.
pub(crate) fn snippets(
    passages: &[Option<Passage<'_>>],
    terms: &[&str],
    budget: usize,
    max_lines: usize,
) -> Vec<String> {
    let wants: Vec<BudgetRequest> = passages
        .iter()
        .map(|passage| match passage {
            Some(passage) => BudgetRequest {
                min: estimate_tokens(&first_lines(&passage.fetched.text, n_head_lines(passage))),
                max: estimate_tokens(&first_lines(&passage.fetched.text, max_lines)),
                weight: 1,
            },
            None => BudgetRequest { min: 0, max: 0, weight: 1 },
        })
        .collect();
    let shares = text::share_budget(budget, &wants);
    passages
        .iter()
        .zip(shares)
        .map(|(passage, share)| match passage {
            Some(passage) if share > 0 => excerpt(passage, terms, ExcerptLimits { tokens: share, lines: max_lines }),
            _ => String::new(),
        })
        .collect()
}

fn excerpt(passage: &Passage<'_>, terms: &[&str], limits: ExcerptLimits) -> String {
    let FetchedSource { text, lines, .. } = passage.fetched;
    let source = ExcerptSource { text, first_line: lines.start, n_head_lines: n_head_lines(passage) };
    text::excerpt(source, Interest { terms, lines: &[] }, limits).text
}

fn n_head_lines(passage: &Passage<'_>) -> usize {
    let before_name = passage.name_line.saturating_sub(passage.fetched.lines.start) as usize;
    if before_name < MAX_HEAD_LINES { before_name + 1 } else { 1 }
}

fn first_lines(text: &str, n_lines: usize) -> String {
    match text.match_indices('\n').nth(n_lines.saturating_sub(1)) {
        Some((end, _)) => text[..end].to_owned(),
        None => text.to_owned(),
    }
}

/// Returns the number of tokens left for the variable part of an answer, so that the whole fits the budget.
///
/// The cost of that part depends on its quoting, so it is known only after rendering.
pub(crate) fn largest_fitting_room(budget: usize, lay_out: impl Fn(usize) -> String) -> usize {
    let mut room = budget;
    while room > 0 {
        let excess = estimate_tokens(&lay_out(room)).saturating_sub(budget);
        if excess == 0 {
            break;
        }
        room = room.saturating_sub(excess);
    }
    room
}

/// Returns the largest number of items, up to `n_items`, with which the rendered text fits the budget.
pub(crate) fn count_that_fits(budget: usize, n_items: usize, lay_out: impl Fn(usize) -> String) -> usize {
    let fits = |n_shown: usize| estimate_tokens(&lay_out(n_shown)) <= budget;
    if fits(n_items) {
        return n_items;
    }
    let (mut fitting, mut exceeding) = (0, n_items);
    while exceeding - fitting > 1 {
        let middle = fitting + (exceeding - fitting) / 2;
        if fits(middle) { fitting = middle } else { exceeding = middle }
    }
    fitting
}

#[cfg(test)]
mod tests {
    use model::LineSpan;

    use super::*;

    fn fetched(n_lines: u32) -> FetchedSource {
        let lines: Vec<String> = (1..=n_lines).map(|line| format!("let value_{line} = compute({line});")).collect();
        FetchedSource { text: lines.join("\n"), lines: LineSpan { start: 1, end: n_lines }, file_lines: n_lines }
    }

    #[test]
    fn snippets_share_one_budget() {
        let (long, short) = (fetched(300), fetched(2));
        let passage = |fetched| Some(Passage { fetched, name_line: 1 });
        let passages = [passage(&long), None, passage(&short), passage(&long)];
        let snippets = snippets(&passages, &["value_200"], 400, 40);
        assert!(snippets.iter().map(|snippet| estimate_tokens(snippet)).sum::<usize>() <= 400);
        assert!(snippets[0].contains("value_200") && snippets[0].starts_with("let value_1 "), "{}", snippets[0]);
        assert_eq!((snippets[1].as_str(), snippets[2].as_str()), ("", short.text.as_str()));
        assert!(snippets.iter().all(|snippet| snippet.lines().count() <= 40));
    }

    #[test]
    fn a_snippet_of_few_lines_shows_a_word_at_the_end_of_a_long_passage() {
        let long = fetched(300);
        for (max_lines, n_expected) in [(3, 3), (40, 40), (300, 300), (1_000, 300)] {
            let snippets =
                snippets(&[Some(Passage { fetched: &long, name_line: 1 })], &["value_300"], 9_000, max_lines);
            assert!(snippets[0].contains("value_300 "), "{max_lines}: {}", snippets[0]);
            assert_eq!(snippets[0].lines().count(), n_expected, "{}", snippets[0]);
        }
    }

    #[test]
    fn the_budget_counts_all_that_is_sent() {
        let escaped = |room: usize| format!("{{\"source\":\"{}\"}}", "\\n\\\"x\\\"".repeat(room / 3));
        for budget in [20, 100, 1_000] {
            let room = largest_fitting_room(budget, escaped);
            assert!(room > 0 && estimate_tokens(&escaped(room)) <= budget, "{room}");
        }
    }

    #[test]
    fn items_are_dropped_until_the_rest_fits() {
        let list = |n_shown: usize| "an entry of the list\n".repeat(n_shown);
        let n_shown = count_that_fits(100, 1_000, list);
        assert!(n_shown > 0 && estimate_tokens(&list(n_shown)) <= 100 && estimate_tokens(&list(n_shown + 1)) > 100);
        assert_eq!(count_that_fits(100, 2, list), 2);
        assert_eq!(count_that_fits(0, 5, list), 0);
    }
}
