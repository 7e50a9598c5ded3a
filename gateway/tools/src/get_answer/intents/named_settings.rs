//! Settings that a question names by words of their names: "the maximum pool size" is `DEFAULT_POOL_SIZE`.

use std::collections::BTreeSet;

use model::FileClass;

use super::super::{confidence::Confidence, evidence::EvidencePlace};
use super::{
    IntentAnswer, IntentContext,
    assignments::{assigned, score},
    cited_text::{CitedText, citation},
    described_settings::{is_local, is_start},
    events::terms,
    quantity_words,
    source_lines::{SourceLine, files_of_settings, matching},
    weighted_terms::{asked_share, asked_terms},
};
use federation::{outline, repo_idx::RepoIdx};

/// Maximum number of settings in an answer.
const MAX_SHOWN: usize = 3;

/// Minimum share of the asked information in the name of a setting.
const MIN_SHARE: f32 = 0.5;

/// Terms of questions for settings that names need not have.
pub(super) const QUESTION_TERMS: [&str; 16] = [
    "default", "valu", "set", "maximum", "max", "minimum", "min", "limit", "configur", "option", "flag", "initi",
    "standard", "number", "use", "can",
];

/// Answers with the assignments whose names have most of the asked words; `None` if no name has enough.
pub(super) async fn answer(
    context: IntentContext<'_, '_>,
    words: &[String],
    named: &BTreeSet<RepoIdx>,
    question: &str,
) -> Option<IntentAnswer> {
    let described = words.join(" ");
    let is_telling = |(term, _): &(String, f32)| !QUESTION_TERMS.contains(&term.as_str());
    let asked: Vec<(String, f32)> =
        asked_terms(context, &described, &BTreeSet::new()).into_iter().filter(is_telling).collect();
    let files = files_of_settings(context, named);
    let found = matching(context, &files, |line| assigned(line).is_some()).await;
    let asks_default = quantity_words::asks_for_default(question);
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let quality = |line: &SourceLine| score(&line.text, &lower, asks_default);
    let scored = found.value.iter().enumerate().filter_map(|(at, line)| {
        let setting = setting(line)?;
        let name: BTreeSet<String> = terms(setting.0).into_iter().collect();
        Some((share(&asked, &name)?, quality(line), at, setting))
    });
    let mut scored: Vec<(f32, i32, usize, (&str, &str))> = scored.collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)).then(a.2.cmp(&b.2)));
    let Some((best, best_quality)) = scored.first().map(|(share, quality, _, _)| (*share, *quality)) else {
        return computed(context, &asked, named).map(|answer| answer.with_shortfalls(found.shortfalls));
    };
    scored.retain(|(share, quality, _, _)| *share >= best && *quality >= best_quality);
    let mut names: BTreeSet<(&str, &str)> = BTreeSet::new();
    scored.retain(|(_, _, _, setting)| names.insert(*setting));
    let item = |(_, _, at, (name, value)): &(f32, i32, usize, (&str, &str))| {
        let line = &found.value[*at];
        CitedText::cited(format!("{} is set to {}", text::quote(name), text::quote(value)), line.place(context))
    };
    let items: Vec<CitedText> = scored.iter().map(item).collect();
    let lead = format!("By the words of their names, these settings match {}: ", text::quote(&described));
    let lead = if items.len() == 1 { String::new() } else { lead };
    let note =
        "the answer is of the files that match the question; search_codebase with kind=\"config\" finds more settings";
    let sentences = vec![CitedText::listed(&lead, items, MAX_SHOWN, ".")];
    Some(IntentAnswer::new(sentences, Confidence::Medium, note).with_shortfalls(found.shortfalls))
}

/// Returns the function that computes a default: its name says so, and its name and comment have the asked words.
fn computed(
    context: IntentContext<'_, '_>,
    asked: &[(String, f32)],
    named: &BTreeSet<RepoIdx>,
) -> Option<IntentAnswer> {
    // A function of a test, or one in documentation, computes no default of the product.
    let is_product = |class: FileClass| !matches!(class, FileClass::Test | FileClass::Docs);
    let hits = context.evidence.hits_in(named).filter(|hit| is_product(FileClass::from(hit.file.class())));
    let places = hits.flat_map(|hit| hit.places.iter().map(move |place| (hit, place)));
    let scored = places.filter_map(|(hit, place)| {
        let symbol = place.symbol.as_ref().filter(|symbol| {
            let is_callable = matches!(symbol.kind.as_str(), "function" | "method");
            is_callable && terms(&symbol.name).iter().any(|term| term == "default")
        })?;
        let said: BTreeSet<String> = terms(&format!("{} {}", symbol.name, symbol.doc)).into_iter().collect();
        Some((share(asked, &said)?, hit, place))
    });
    let (_, hit, place) = scored.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    let at = citation(context.plan, hit.repo_idx, &hit.file.path, (place.lines.start, place.lines.end));
    let name = place.name()?;
    let sentence = CitedText::cited(format!("{} computes it", text::quote(&name)), at).then(&definition_summary(place));
    Some(IntentAnswer::new(vec![sentence], Confidence::Medium, "get_symbol returns its source"))
}

fn definition_summary(place: &EvidencePlace) -> String {
    let signature = place.symbol.as_ref().map(|symbol| outline::signature(&symbol.signature)).unwrap_or_default();
    match text::first_sentence(&place.doc()) {
        doc if doc.is_empty() => format!(": {}.", text::quote(&signature)),
        doc => format!(": {}", text::quote(&doc)),
    }
}

/// Returns the name and the value that a line gives a setting; `None` for a local variable and for a value that says nothing.
pub(super) fn setting(line: &SourceLine) -> Option<(&str, &str)> {
    // An assignment within a text is an example.
    let is_code = |target: &str| ['"', '\'', '`'].iter().all(|mark| target.matches(*mark).count() % 2 == 0);
    let is_setting = |target: &str, value: &str| !is_local(line) && is_code(target) && !is_start(target, value);
    let (target, value) = assigned(&line.text).filter(|(target, value)| is_setting(target, value))?;
    // The type of a parameter or constant stands between its name and its value.
    let (target, value) = match value.split_once(" = ") {
        Some((_, value)) if !value.is_empty() => (target, value),
        _ => (target, value),
    };
    let value = value.trim_end_matches([',', ';', ' ']);
    if is_prose(value) {
        return None;
    }
    let is_name = |word: &&str| {
        word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.')) && !word.starts_with('-')
    };
    let name = target.trim().trim_matches(['"', '\'']).split(' ').rfind(|word| !word.is_empty()).filter(is_name)?;
    let has_digit = value.chars().any(|c| c.is_ascii_digit());
    let is_text = value.starts_with(['"', '\'', '`', '\\']) && value.len() > 2;
    let is_word = matches!(value.to_lowercase().as_str(), "true" | "false" | "none" | "null" | "nil");
    let is_upper = value.len() > 2 && value.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    (has_digit || is_text || is_word || is_upper).then_some((name.rsplit('.').next().unwrap_or(name), value))
}

/// Returns true for a value that goes on as a sentence: the setting is mentioned in a text.
fn is_prose(value: &str) -> bool {
    const MIN_WORDS: usize = 3;
    let is_quoted = value.starts_with(['"', '\'', '`']);
    let bare = value.split([',', ';', '#']).next().unwrap_or(value).split("//").next().unwrap_or(value);
    let is_word = |word: &&str| word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase());
    !is_quoted && bare.split(' ').filter(is_word).count() >= MIN_WORDS
}

/// Returns the share of the asked information in the terms of a name; `None` if it is too little.
fn share(asked: &[(String, f32)], name: &BTreeSet<String>) -> Option<f32> {
    let (share, n_common) = asked_share(asked, name);
    (n_common > 0 && n_common >= asked.len().min(2) && share >= MIN_SHARE).then_some(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_with_their_values() {
        for (text, indent, expected) in [
            ("private static final int DEFAULT_POOL_SIZE = 10;", 3, Some(("DEFAULT_POOL_SIZE", "10"))),
            (
                "static final long LEASE_TIMEOUT = SECONDS.toMillis(30);",
                3,
                Some(("LEASE_TIMEOUT", "SECONDS.toMillis(30)")),
            ),
            ("max_leases: int = 20,", 8, Some(("max_leases", "20"))),
            ("concurrency: 5,", 6, Some(("concurrency", "5"))),
            ("level: 'info',", 2, Some(("level", "'info'"))),
            ("let size = 4", 4, None),
            ("\"Opens docks (use --leases=1 for one at a time). \\", 4, None),
            ("size = compute()", 4, None),
            ("self.n_leases = 0", 4, None),
            ("return size", 4, None),
            ("max_leases=1 this means the dock cannot", 8, None),
            ("max_leases: 4, // that many of them at once", 8, Some(("max_leases", "4, // that many of them at once"))),
        ] {
            let line =
                SourceLine { repo_idx: RepoIdx(0), path: "a".to_owned(), line: 1, indent, text: text.to_owned() };
            assert_eq!(setting(&line), expected, "{text}");
        }
    }

    #[test]
    fn a_name_must_have_enough_of_what_is_asked() {
        let asked: Vec<(String, f32)> =
            [("pool", 1.0), ("size", 1.0), ("leas", 1.0)].map(|(term, weight)| (term.to_owned(), weight)).into();
        let name = |text: &str| terms(text).into_iter().collect::<BTreeSet<String>>();
        assert!(share(&asked, &name("DEFAULT_POOL_SIZE")).is_some());
        assert_eq!(share(&asked, &name("DEFAULT_SIZE")), None);
        assert_eq!(share(&[], &name("DEFAULT_SIZE")), None);
    }
}
