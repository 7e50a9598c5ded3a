//! Target: sanitising, excerpts and packing keep text intact and within its budget.

use model::Language;
use text::{BudgetRequest, ExcerptSource, Interest, OutlineRow};

use crate::extract::LANGUAGES;

pub(crate) fn run(input: &[u8]) {
    let Some((language, rest)) = crate::choose(input, LANGUAGES) else { return };
    let Some((budget, bytes)) = rest.split_first() else { return };
    let source = String::from_utf8_lossy(bytes);
    check_cleaning(&source);
    check_cutting(&source, usize::from(*budget) * 4);
    check_sharing(bytes, usize::from(*budget) * 16);
    check_showing(*language, &source);
}

fn check_cleaning(source: &str) {
    let clean = text::clean(source);
    assert_eq!(text::clean(&clean), clean, "cleaning is not idempotent");
    assert!(clean.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t')), "{clean:?}");
    let name = text::sanitise_name(source);
    assert!(name.chars().all(|c| !c.is_control()), "{name:?}");
    let sanitised = text::sanitise(source);
    assert_eq!(sanitised.lines().count(), clean.lines().count(), "line numbers are preserved");
}

fn check_cutting(source: &str, budget: usize) {
    let clean = text::clean(source);
    let terms: Vec<&str> = clean.split_whitespace().take(4).collect();
    let n_lines = clean.lines().count() as u32;
    let whole = ExcerptSource { text: &clean, first_line: 7, n_head_lines: budget % 4 };
    let interest = Interest { terms: &terms, lines: &[0, 7 + n_lines / 2, u32::MAX] };
    let excerpt = text::excerpt(whole, interest, text::ExcerptLimits::of_tokens(budget));
    assert!(text::estimate_tokens(&excerpt.text) <= budget, "{excerpt:?} is more than {budget}");
    let is_inside = |line: u32| (7..7 + n_lines.max(1)).contains(&line);
    assert!(excerpt.shown.iter().all(|lines| is_inside(lines.start) && is_inside(lines.end)), "{:?}", excerpt.shown);
    let rows: Vec<OutlineRow<'_>> =
        clean.lines().zip((1..=64).rev()).map(|(signature, line)| OutlineRow { line, signature }).collect();
    let skeleton = text::skeleton(&rows, budget);
    assert!(text::estimate_tokens(&skeleton.text) <= budget, "{skeleton:?} is more than {budget}");
}

fn check_sharing(bytes: &[u8], budget: usize) {
    let want = |three: &[u8]| BudgetRequest {
        min: usize::from(three[0]),
        max: if three[1] == u8::MAX { usize::MAX } else { usize::from(three[1]) * 8 },
        weight: if three[2] == u8::MAX { u32::MAX } else { u32::from(three[2]) },
    };
    let wants: Vec<BudgetRequest> = bytes.chunks_exact(3).take(200).map(want).collect();
    let shares = text::share_budget(budget, &wants);
    assert_eq!(shares.len(), wants.len());
    assert!(shares.iter().sum::<usize>() <= budget, "{shares:?} is more than {budget}");
    assert!(shares.iter().zip(&wants).all(|(share, want)| *share <= want.max), "{shares:?} of {wants:?}");
}

fn check_showing(language: Language, source: &str) {
    let fenced = text::fence(language, source);
    assert!(fenced.contains(source));
    let n_lines = source.lines().count() as u32;
    let signals = text::risk::find_signals(language, source);
    let lines = signals.iter().map(|signal| signal.line);
    assert!(
        lines.is_sorted() && signals.iter().all(|signal| 1 <= signal.line && signal.line <= n_lines),
        "{signals:?}"
    );
}
