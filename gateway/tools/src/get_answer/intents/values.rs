//! Values that a question describes by words of their names, of the keys around them and of their comments, wherever in a repository they are:
//! "how many retries does it make" is `limit: 2` in `retry`.

use std::collections::BTreeSet;

use model::{FileClass, Filter, SymbolKind};
use proto::v1;

use super::super::{confidence::Confidence, side_folders::is_in_side_folder};
use super::{
    IntentAnswer, IntentContext,
    cited_text::CitedText,
    events::terms,
    named_settings,
    named_values::{NamedValue, named_values},
    quantity_words::{self, AskedBound},
    source_lines::{files_of_settings, non_empty_lines},
    value_lists,
    weighted_terms::{Compounds, asked_terms},
};
use federation::{
    answer::{Answer, Shortfalls},
    repo_idx::RepoIdx,
    symbol_matches::rank,
};

/// Kinds of definitions that have values.
const KINDS: [SymbolKind; 2] = [SymbolKind::Constant, SymbolKind::Variable];

/// Maximum number of terms that definitions are looked up by, of definitions for them, and of their files.
const MAX_TERMS: usize = 4;
const MAX_ASKED: u32 = 60;
const MAX_FILES: usize = 10;

/// Minimum length of a term that definitions are looked up by.
const MIN_TERM_CHARS: usize = 4;

/// Shares of a term's weight in the key around a value, in its comment and in the path of its file; its name counts whole.
const IN_PARENT: f32 = 0.7;
const IN_COMMENT: f32 = 0.6;
const IN_PATH: f32 = 0.3;

/// Gain of a name that says the kind of quantity, and of one that says that the value is the default.
const OF_KIND: f32 = 0.15;
const OF_DEFAULT: f32 = 0.1;

/// Minimum share of what is asked in the name and the key around it, and minimum score with the comment.
const MIN_NAME_SHARE: f32 = 0.2;
const MIN_SCORE: f32 = 0.5;

/// Minimum score of a list, which few values are.
const MIN_SCORE_OF_LIST: f32 = 0.4;

/// Minimum score of another value, relative to the best one, and maximum number of values.
const MIN_RELATIVE_SCORE: f32 = 0.93;
const MAX_SHOWN: usize = 3;

/// The form of the values that a question asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WantedForm {
    Any,
    List,
}

/// Answers with the values whose names have most of what is asked, and with the share that they have; `None` if none has enough.
///
/// `described` are the words for the value in a question, or the whole question.
pub(super) async fn answer(
    context: IntentContext<'_, '_>,
    named: &BTreeSet<RepoIdx>,
    (described, question): (&str, &str),
    form: WantedForm,
) -> Option<(f32, IntentAnswer)> {
    let is_telling = |(term, _): &(String, f32)| !named_settings::QUESTION_TERMS.contains(&term.as_str());
    let asked: Vec<(String, f32)> = asked_terms(context, &quantity_words::without_idioms(described), &BTreeSet::new())
        .into_iter()
        .filter(is_telling)
        .collect();
    if asked.is_empty() {
        return None;
    }
    let wanted = WantedValue::of(question);
    let Answer { value: mut files, shortfalls } = files_of_values(context, named, (&asked, &wanted.compounds)).await;
    // Values of examples are no defaults.
    files.retain(|(_, path)| !is_in_side_folder(path));
    for file in files_of_settings(context, named) {
        if !files.contains(&file) && !is_in_side_folder(&file.1) {
            files.push(file);
        }
    }
    let found = non_empty_lines(context, &files).await.after(shortfalls);
    let values = named_values(&found.value);
    let mut scored: Vec<(f32, &NamedValue)> = values
        .iter()
        .filter(|value| (!wanted.is_quantity || is_quantity(value)) && (form == WantedForm::Any || value.is_list))
        .filter_map(|value| {
            let path = found.value[value.line_idx].path.to_lowercase();
            Some((score((value, &path), &asked, &wanted)?, value))
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.line_idx.cmp(&b.1.line_idx)));
    let best = scored.first()?.0;
    let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
    let mut shown: Vec<&NamedValue> = Vec::new();
    // Beside a default, other values of the name are those of examples.
    let is_default = |value: &NamedValue| format!("{} {}", value.name, value.parent).to_lowercase().contains("default");
    let has_default = wanted.is_default && is_default(scored[0].1);
    let is_close = |(score, value): &&(f32, &NamedValue)| {
        *score >= MIN_RELATIVE_SCORE * best && (!has_default || is_default(value))
    };
    for (_, value) in scored.iter().filter(is_close) {
        if seen.insert((value.name.as_str(), value.value.as_str())) && shown.len() < MAX_SHOWN {
            shown.push(value);
        }
    }
    let mut sentences: Vec<CitedText> = Vec::new();
    for value in shown {
        let line = &found.value[value.line_idx];
        let of = if value.parent.is_empty() { String::new() } else { format!(" of {}", text::quote(&value.parent)) };
        let verb = if value.is_list && value.value.ends_with(value_lists::CUT) { "begins with" } else { "is" };
        let said = format!("{}{of} {verb} {}", text::quote(&value.name), text::quote(&value.value));
        let said = CitedText::cited(said, line.place(context));
        sentences.push(match value.comment.is_empty() {
            true => said.then("."),
            false => said.then(&format!(": {}", text::quote(&value.comment))),
        });
    }
    let note =
        "the answer is of values by the words of their names; search_codebase with kind=\"config\" finds more settings";
    Some((best, IntentAnswer::new(sentences, Confidence::Medium, note).with_shortfalls(found.shortfalls)))
}

/// The demands of a question on a value beside its name.
struct WantedValue {
    is_quantity: bool,
    is_default: bool,
    /// Terms of values of the asked kind, and of other kinds.
    kinds: &'static [&'static str],
    other_kinds: &'static [&'static str],
    /// The bound that is asked for.
    bound: Option<AskedBound>,
    compounds: Compounds,
}

impl WantedValue {
    fn of(question: &str) -> WantedValue {
        let bound = AskedBound::of(question);
        let [kinds, other_kinds] = quantity_words::kind_terms(question);
        let is_default = quantity_words::asks_for_default(question);
        let is_quantity = quantity_words::asks(question) || quantity_words::asks_for_bound(question);
        let compounds = Compounds::of(question);
        WantedValue { is_quantity, is_default, kinds, other_kinds, bound, compounds }
    }
}

/// Returns true for a number, a duration or a list of them. The beginning and the step of a counter are none.
fn is_quantity(value: &NamedValue) -> bool {
    let bare = value.value.as_str();
    let is_step = ["this.", "self.", "+ 1", "- 1", "+= ", "++"].iter().any(|part| bare.contains(part));
    let is_counter =
        bare == "0" && terms(&value.name).iter().any(|term| matches!(term.as_str(), "count" | "counter" | "attempt"));
    // The name of a type may have a digit.
    let is_name = bare.starts_with(char::is_alphabetic) && bare.chars().all(|c| c.is_alphanumeric() || c == '_');
    bare.chars().any(|c| c.is_ascii_digit()) && !is_name && !is_step && !is_counter
}

/// Returns the files of the product with constants and variables whose names have asked terms.
async fn files_of_values(
    context: IntentContext<'_, '_>,
    named: &BTreeSet<RepoIdx>,
    (asked, compounds): (&[(String, f32)], &Compounds),
) -> Answer<Vec<(RepoIdx, String)>> {
    let mut telling: Vec<&(String, f32)> = asked
        .iter()
        .filter(|(term, _)| term.len() >= MIN_TERM_CHARS && term.chars().all(char::is_alphanumeric))
        .collect();
    telling.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    // The stem of a word that ends in `y` ends in `i`.
    let stems: Vec<&str> = telling.iter().take(MAX_TERMS).map(|(term, _)| term.trim_end_matches('i')).collect();
    if stems.is_empty() {
        return Answer::complete(Vec::new());
    }
    let asked_repositories =
        if named.is_empty() { context.plan.asked.clone() } else { named.iter().copied().collect() };
    let plan = context.call.visible.plan_for(asked_repositories, false);
    let mut shortfalls = Shortfalls::default();
    let mut weighed: Vec<(f32, RepoIdx, String)> = Vec::new();
    for kind in KINDS {
        let filter = Filter { symbol_kind: Some(kind), ..Filter::default() };
        let query = Some(v1::symbols_request::Query::Regex(format!("(?i)({})", stems.join("|"))));
        let request =
            v1::SymbolsRequest { query, filter: Some((&filter).into()), limit: MAX_ASKED, ..Default::default() };
        let replies = context.call.symbols(&plan.without(&shortfalls), &request).await;
        shortfalls.extend(replies.shortfalls);
        for found in rank(&plan, replies.value).into_iter().filter(|found| found.class == FileClass::Source) {
            let said = compounds.completed(terms(&found.symbol.name).into_iter().collect());
            let weight: f32 = asked.iter().filter(|(term, _)| said.contains(term)).map(|(_, weight)| weight).sum();
            weighed.push((weight, found.repo_idx, found.path));
        }
    }
    weighed.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1, &a.2).cmp(&(b.1, &b.2))));
    let mut files: Vec<(RepoIdx, String)> = Vec::new();
    for (_, repo_idx, path) in weighed {
        if files.len() < MAX_FILES && !files.contains(&(repo_idx, path.clone())) {
            files.push((repo_idx, path));
        }
    }
    Answer { value: files, shortfalls }
}

/// Returns what a value has of the asked information; `None` if it is too little.
fn score((value, path): (&NamedValue, &str), asked: &[(String, f32)], wanted: &WantedValue) -> Option<f32> {
    let set = |text: &str| wanted.compounds.completed(terms(text).into_iter().collect());
    let (name, parent, comment) = (set(&value.name), set(&value.parent), set(&value.comment));
    let total: f32 = asked.iter().map(|(_, weight)| weight).sum();
    let share = |share_of: &dyn Fn(&String) -> f32| {
        asked.iter().map(|(term, weight)| weight * share_of(term)).sum::<f32>() / total.max(f32::MIN_POSITIVE)
    };
    let in_name = |term: &String| match (name.contains(term), parent.contains(term)) {
        (true, _) => 1.0,
        (false, true) => IN_PARENT,
        (false, false) => 0.0,
    };
    let in_all = |term: &String| match in_name(term) {
        0.0 if comment.contains(term) => IN_COMMENT,
        0.0 if term.len() >= MIN_TERM_CHARS && path.contains(term.as_str()) => IN_PATH,
        of_name => of_name,
    };
    let is_of = |kinds: &[&str]| kinds.iter().any(|kind| name.contains(*kind));
    let of_kind = match (is_of(wanted.kinds), is_of(wanted.other_kinds)) {
        (true, _) => OF_KIND,
        // The number of seconds is no number of times.
        (false, true) => -2.0 * OF_KIND,
        (false, false) => 0.0,
    };
    let is_default = wanted.is_default && [&name, &parent].iter().any(|said| said.contains("default"));
    // The other bound is no answer, however many words it has.
    if wanted.bound.is_some_and(|bound| bound.is_contradicted(name.iter().map(String::as_str))) {
        return None;
    }
    let has_bound = wanted.bound.is_some_and(|bound| bound.is_said(name.iter().map(String::as_str)));
    let of_bound = if has_bound { OF_DEFAULT } else { 0.0 };
    let score = share(&in_all) + of_kind + of_bound + if is_default { OF_DEFAULT } else { 0.0 };
    let least = if value.is_list { MIN_SCORE_OF_LIST } else { MIN_SCORE };
    (share(&in_name) >= MIN_NAME_SHARE && score >= least).then_some(score)
}

#[cfg(test)]
mod tests {
    use super::{super::source_lines::lines_of_text as lines, *};

    #[test]
    fn a_counter_is_no_quantity() {
        for (source, expected) in
            [("maxShips = 4", true), ("shipCount = 0", false), ("ships = 0", true), ("ships: u32,", false)]
        {
            let values = named_values(&lines(source));
            assert_eq!(values.iter().any(is_quantity), expected, "{source}");
        }
    }

    #[test]
    fn a_value_needs_what_is_asked_in_its_name_or_key() {
        let asked: Vec<(String, f32)> = ["berth", "ship"].map(|term| (term.to_owned(), 1.0)).into();
        let value = |name: &str, parent: &str, comment: &str| NamedValue {
            name: name.to_owned(),
            parent: parent.to_owned(),
            value: "2".to_owned(),
            comment: comment.to_owned(),
            is_list: false,
            line_idx: 0,
        };
        let wanted = WantedValue::of("how many berths of ships are there by default?");
        let of = |value: NamedValue| score((&value, "pier.rs"), &asked, &wanted);
        let near = |path: &str| score((&value("berths", "", ""), path), &asked, &wanted);
        assert!(near("ships/pier.rs") > near("pier.rs"));
        assert!(of(value("shipBerths", "", "")) > of(value("shipBerthSeconds", "", "")));
        assert_eq!(of(value("limit", "", "Berths of ships.")), None);
        assert!(
            of(value("maxBerths", "", "")).is_some() && of(value("berths", "", "")).is_some_and(|score| score < 0.6)
        );
        assert!(of(value("berths", "ships", "")) > of(value("berths", "", "ships")));
        let most = WantedValue::of("how many berths of ships are there at most?");
        assert_eq!(score((&value("minShipBerths", "", ""), "pier.rs"), &asked, &most), None);
        assert!(score((&value("shipBerths", "", ""), "pier.rs"), &asked, &most).is_some());
    }
}
