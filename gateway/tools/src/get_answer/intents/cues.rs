//! Questions that no phrasing matches as a whole, read by their cues: words that stand in questions of one intent.
//!
//! A cue is weaker than a phrasing. So the answer to such a question has at most medium confidence, and a part of the text that has
//! no cue is named as not answered.

use super::{
    QuestionIntent,
    clauses::{self, RoutedQuestion},
    cue_rules::{CueRule, RULES},
    frames, package_presence,
    pattern::{ClauseWords, MAX_WORDS},
};

/// A clause of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CuedPart {
    /// The clause as written.
    pub(super) text: String,
    /// The question that its phrasing or its cues give.
    pub(super) question: Option<RoutedQuestion>,
    /// True if it begins as a question.
    pub(super) is_question: bool,
    /// The subject of the clause before it, for which its pronoun stands.
    subject_before: Option<String>,
}

impl CuedPart {
    /// Returns the text that is searched for it.
    pub(super) fn searched_text(&self) -> String {
        match &self.question {
            Some(question) => question.searched_text(),
            None => clauses::with_subject_of(&self.text, self.subject_before.as_deref()),
        }
    }
}

/// Words at the beginning of a question, beside those that begin one after `and`.
const BEGINNINGS: [&str; 13] =
    ["why", "can", "could", "will", "would", "has", "have", "did", "was", "were", "whose", "whom", "should"];

/// Words that begin another question behind a joint, beside those of all clauses. `has` and `was` are verbs of the same question as well.
const FURTHER_STARTS: [&str; 8] = ["can", "could", "did", "why", "under", "since", "will", "should"];

/// Reads the clauses of a text by phrasings, by cues where no phrasing matches, and by examples where neither does; none if the text is no
/// question, or none of its clauses has a route. The routes of `tried` have no answer.
pub(super) fn read(text: &str, tried: &[RoutedQuestion]) -> Vec<CuedPart> {
    let mut found: Vec<CuedPart> = Vec::new();
    for sentence in clauses::sentences(text) {
        for clause in split(sentence) {
            let before = found.iter().rev().find_map(|part| part.question.as_ref());
            if clauses::asks_for_its_author(clause, before) {
                continue;
            }
            let by_phrasing = clauses::of_clause(clause, before).filter(|route| !tried.contains(route));
            let words = ClauseWords::of(clause);
            let is_use = clauses::is_use(words.lower()) || clauses::is_fate(words.lower());
            let by_cues = by_phrasing
                .or_else(|| of_clause(clause, before))
                .filter(|route| !is_use || route.intent != QuestionIntent::Impact);
            let by_examples = || frames::of_clause(clause, before).filter(|route| !tried.contains(route));
            // A report has the words of questions: `I renamed it yesterday and now the build is broken`.
            let routed = by_cues.or_else(|| if may_ask(clause) && !is_use { by_examples() } else { None });
            let question = routed.map(|one| with_subject(one, before));
            let subject_before = before.and_then(|before| before.subjects.first().cloned());
            let is_known = |part: &CuedPart| match (&part.question, &question) {
                (Some(known), Some(one)) => known.asks_the_same(one),
                _ => false,
            };
            if !found.iter().any(is_known) {
                let (text, is_question) = (clause.trim().to_owned(), begins_as_question(clause));
                found.push(CuedPart { text, question, is_question, subject_before });
            }
        }
    }
    // A text whose first part is no question is a report.
    let is_question = match found.first() {
        Some(CuedPart { question: Some(first), .. }) => text.trim_start().starts_with(first.text.as_str()),
        Some(_) => found.iter().all(|part| part.is_question) && ClauseWords::of(text).len() <= MAX_WORDS,
        None => false,
    };
    if !is_question || found.len() > clauses::MAX_CLAUSES || found.iter().all(|part| part.question.is_none()) {
        return Vec::new();
    }
    found
}

/// Returns true if a clause begins with a word of questions.
fn begins_as_question(clause: &str) -> bool {
    let words = clauses::without_leads(ClauseWords::of(clause));
    let first = words.lower().first();
    first.is_some_and(|first| clauses::STARTS.contains(&first.as_str()) || BEGINNINGS.contains(&first.as_str()))
}

/// Returns true if a clause begins as a question, a request or a plan, or asks behind a condition or a preposition.
fn may_ask(clause: &str) -> bool {
    const REQUESTS: [&str; 9] =
        ["find", "give", "tell", "name", "point", "describe", "explain", "summarise", "summarize"];
    const PLANS: [&str; 4] = ["want", "plan", "intend", "would"];
    const PREPOSITIONS: [&str; 9] = ["in", "on", "at", "by", "from", "after", "under", "since", "to"];
    const ASKING: [&str; 8] = ["who", "whom", "what", "which", "where", "when", "how", "why"];
    // `in one sentence, what is it?`
    const MAX_BEFORE: usize = 4;
    let words = ClauseWords::of(clause);
    let lower: Vec<&str> = words.lower().iter().map(String::as_str).collect();
    let asks = |words: &[&str]| words.iter().any(|word| ASKING.contains(word));
    begins_as_question(clause)
        || match lower.as_slice() {
            ["i'd" | "we'd" | "i’d" | "we’d", ..] => true,
            ["i" | "we", second, ..] => PLANS.contains(second),
            ["if" | "suppose" | "assuming", rest @ ..] => asks(rest),
            [first, rest @ ..] if PREPOSITIONS.contains(first) => asks(&rest[..rest.len().min(MAX_BEFORE)]),
            [first, ..] => REQUESTS.contains(first),
            [] => false,
        }
}

/// Returns a question with the subject of the one before it if it has none of its own: `and what is the default?`.
fn with_subject(question: RoutedQuestion, before: Option<&RoutedQuestion>) -> RoutedQuestion {
    let is_empty = |subject: &String| subject.split(' ').all(|word| EDGES.contains(&word));
    match before {
        Some(before) if question.subjects.iter().all(is_empty) => {
            RoutedQuestion { subjects: before.subjects.clone(), ..question }
        }
        _ => question,
    }
}

/// Words before the same question in other words.
const RESTATEMENTS: [&str; 4] = ["i.e. ", "that is, ", "in other words, ", "or rather, "];

/// Splits a sentence where another question begins. A condition at its beginning belongs to the question behind it.
fn split(sentence: &str) -> Vec<&str> {
    const CONDITIONS: [&str; 5] = ["if ", "when ", "suppose ", "assuming ", "after "];
    let lower = sentence.to_ascii_lowercase();
    let is_condition =
        CONDITIONS.iter().any(|start| lower.trim_start().starts_with(start)) && !lower.starts_with("when did");
    let (mut found, mut start) = (Vec::new(), 0);
    for (at, _) in lower.match_indices([',', ':', ' ']) {
        // The joint of the clause before ends at its start.
        if at <= start {
            continue;
        }
        let rest = lower[at..].trim_start_matches([',', ':', ' ']);
        let rest = RESTATEMENTS.iter().find_map(|words| rest.strip_prefix(words)).unwrap_or(rest);
        let joint = &lower[at..lower.len() - rest.len()];
        let (rest, has_joint) = match rest.strip_prefix("and ") {
            Some(rest) => (rest, true),
            None => (
                rest,
                joint.contains(',') || joint.contains(": ") || RESTATEMENTS.iter().any(|words| joint.ends_with(words)),
            ),
        };
        let first = rest.split(' ').next().unwrap_or_default();
        let is_start = has_joint && (clauses::STARTS.contains(&first) || FURTHER_STARTS.contains(&first));
        let is_whole = sentence[start..at].split_whitespace().count() > 1;
        if is_start && is_whole && !(is_condition && found.is_empty() && start == 0) {
            found.push(&sentence[start..at]);
            start = lower.len() - rest.len();
        }
    }
    found.push(&sentence[start..]);
    found
}

/// Returns the question of a clause by its cues; `before` is the one before it, whose subject a pronoun stands for.
fn of_clause(clause: &str, before: Option<&RoutedQuestion>) -> Option<RoutedQuestion> {
    let words = ClauseWords::of(clause);
    if words.len() == 0 || words.len() > MAX_WORDS {
        return None;
    }
    let words = clauses::without_tails(clauses::without_leads(words));
    // A pronoun without a question before it stands for the repository.
    if before.is_none() && package_presence::asks_by_pronoun(clause) {
        let subjects = vec![words.text(words.len() - 1..words.len())];
        return Some(RoutedQuestion { intent: QuestionIntent::Dependencies, subjects, text: clause.trim().to_owned() });
    }
    let Some(rule) = RULES.iter().find(|rule| rule.is_match(&words)) else {
        return of_ellipsis(&words, before?, clause);
    };
    if clauses::is_of_a_run(rule.intent, words.lower()) {
        return None;
    }
    let subject = rule.subject(&words);
    let subject = match before {
        Some(before) if subject.is_empty() => before.subjects.first()?.clone(),
        _ => subject,
    };
    // A question without a subject is about the whole of what is asked.
    let is_of_repository = matches!(rule.intent, QuestionIntent::EntryPoints | QuestionIntent::Dependencies);
    (is_of_repository || !subject.is_empty()).then(|| RoutedQuestion {
        intent: rule.intent,
        subjects: vec![subject],
        text: clause.trim().to_owned(),
    })
}

/// Maximum number of words of a clause that leaves out what is asked.
const MAX_ELLIPSIS: usize = 8;

/// Returns the question of a clause that leaves out what the one before it has: `and which one parses tides?` after a question for a package, or
/// `and what for the tide gauge?`.
fn of_ellipsis(words: &ClauseWords, before: &RoutedQuestion, clause: &str) -> Option<RoutedQuestion> {
    if words.len() < 3 || words.len() > MAX_ELLIPSIS {
        return None;
    }
    let lower: Vec<&str> = words.lower().iter().map(String::as_str).collect();
    let is_of_before = match lower.as_slice() {
        // A state is asked of the packages before, and no package is for it.
        ["which", "one" | "ones", "is" | "are" | "was" | "were" | "has" | "have", ..] => false,
        ["which", "one" | "ones", ..] => before.intent == QuestionIntent::Dependencies,
        // Everything but the subject is that of the question before.
        ["what" | "which", "for", ..] => before.intent != QuestionIntent::Links,
        _ => false,
    };
    let subject = words.text(2..words.len());
    let subject =
        EDGES.iter().find_map(|edge| subject.strip_prefix(&format!("{edge} "))).unwrap_or(&subject).to_owned();
    let known = before.subjects.first().filter(|known| !known.is_empty() && before.text.contains(known.as_str()));
    let text = match (lower[1], known) {
        ("for", Some(known)) => before.text.replace(known.as_str(), &subject),
        _ => clause.trim().to_owned(),
    };
    is_of_before.then(|| RoutedQuestion { intent: before.intent, subjects: vec![subject], text })
}

impl CueRule {
    fn is_match(&self, words: &ClauseWords) -> bool {
        let lower = words.lower();
        // The fate of a thing is a flow, whatever happens before.
        if lower.len() > 2 && lower[..3].iter().map(String::as_str).eq(["what", "happens", "to"]) {
            return false;
        }
        let begins = |start: &&str| {
            let parts: Vec<&str> = start.split(' ').collect();
            lower.len() >= parts.len() && parts.iter().zip(lower).all(|(part, word)| part == word)
        };
        let has =
            |group: &[&str]| (0..lower.len()).any(|at| !words.is_quoted(at) && begins_one_of(&lower[at..], group));
        (self.starts.is_empty() || self.starts.iter().any(begins))
            && self.groups.iter().all(|group| has(group))
            && !has(self.without)
    }

    /// Returns the words of a clause that are of its subject.
    fn subject(&self, words: &ClauseWords) -> String {
        let lower = words.lower();
        kept_words(words, |at| {
            self.groups.iter().any(|group| begins_one_of(&lower[at..], group)) || is_one_of(&lower[at], self.dropped)
        })
    }
}

/// Returns the words of a clause that are of its subject: quoted words, names, and those that are neither cues nor words of the grammar.
pub(super) fn kept_words(words: &ClauseWords, is_cue: impl Fn(usize) -> bool) -> String {
    let lower = words.lower();
    let is_of_question = |at: usize| {
        let word = lower[at].as_str();
        is_cue(at) || PRONOUNS.contains(&word) || QUESTION_WORDS.contains(&word) || ADVERBS.contains(&word)
    };
    // The things to leave out are not the subject.
    let end = lower.iter().position(|word| EXCEPTIONS.contains(&word.as_str())).filter(|at| *at > 0);
    let is_kept = |at: &usize| {
        end.is_none_or(|end| *at < end)
            && (words.is_quoted(*at) || is_name(&words.text(*at..*at + 1)) || !is_of_question(*at))
    };
    let mut kept: Vec<usize> = (0..lower.len()).filter(is_kept).collect();
    let is_edge = |at: &usize| EDGES.contains(&lower[*at].as_str());
    while kept.first().is_some_and(is_edge) {
        kept.remove(0);
    }
    while kept.last().is_some_and(is_edge) {
        kept.pop();
    }
    kept.into_iter().map(|at| words.text(at..at + 1)).collect::<Vec<_>>().join(" ")
}

/// Adverbs of questions. Others are words of subjects: nightly, read-only, assembly.
const ADVERBS: [&str; 9] =
    ["actually", "currently", "exactly", "mostly", "usually", "recently", "originally", "directly", "really"];

/// Words before the things that an answer is to leave out.
const EXCEPTIONS: [&str; 4] = ["besides", "except", "apart", "excluding"];

/// Words of questions that are of no subject.
const QUESTION_WORDS: [&str; 24] = [
    "who", "whom", "whose", "what", "which", "where", "how", "is", "are", "was", "were", "do", "does", "did", "been",
    "be", "i", "we", "you", "me", "us", "there", "please", "exactly",
];

const PRONOUNS: [&str; 9] = ["it", "its", "this", "that", "them", "they", "these", "those", "ones"];

/// Words that are not the first or the last one of a subject.
const EDGES: [&str; 18] = [
    "the", "a", "an", "of", "in", "on", "for", "to", "with", "by", "from", "at", "and", "or", "our", "then", "into",
    "as",
];

fn is_name(word: &str) -> bool {
    ranking::query::is_identifier(word) || word.contains('/')
}

/// Returns true if a word is in a list; an entry that ends in `*` stands for all words with this beginning.
fn is_one_of(word: &str, list: &[&str]) -> bool {
    list.iter().any(|one| match one.strip_suffix('*') {
        Some(beginning) => word.starts_with(beginning),
        None => word == *one,
    })
}

/// Returns true if words begin with one of a list, whose entries may be phrases of two words.
fn begins_one_of(words: &[String], list: &[&str]) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    let is_phrase = |one: &&str| {
        let parts = one.split_once(' ');
        parts.is_some_and(|(word, next)| word == first && rest.first().is_some_and(|behind| behind == next))
    };
    is_one_of(first, list) || list.iter().any(is_phrase)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Questions with the intents and subjects that their cues give.
    const CUED: &str = include_str!("tests/cued.txt");

    #[test]
    fn questions_are_read_by_their_cues() {
        let mut failures: Vec<String> = Vec::new();
        for line in CUED.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let negative = line.strip_suffix(" =>").map(|question| (question, ""));
            let (question, expected) = negative.or_else(|| line.rsplit_once(" => ")).expect("an expectation");
            let found = read(question, &[]);
            let questions = found.iter().filter_map(|part| part.question.as_ref());
            let shown: Vec<String> =
                questions.map(|one| format!("{:?} {}", one.intent, one.subjects.join(" + "))).collect();
            if shown.join("; ") != expected {
                failures.push(format!("{question} => {}", shown.join("; ")));
            }
        }
        assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    }

    #[test]
    fn a_route_without_an_answer_gives_way_to_cues() {
        let text = "What is the command line entry point of dock?";
        let of = |tried: &[RoutedQuestion]| Some(read(text, tried).first()?.question.as_ref()?.intent);
        let tried = clauses::of_clause(text, None).expect("a phrasing matches");
        assert_eq!((of(&[]), of(&[tried])), (Some(QuestionIntent::Purpose), Some(QuestionIntent::EntryPoints)));
    }

    #[test]
    fn the_same_question_begins_in_other_words() {
        for (sentence, expected) in [
            ("where is it called from: who calls lift_ship", &["where is it called from", "who calls lift_ship"][..]),
            ("who lifts the ship, i.e. who calls lift_ship", &["who lifts the ship", "who calls lift_ship"]),
            ("what opens at 12:30 each day", &["what opens at 12:30 each day"]),
            ("what does dock::which return", &["what does dock::which return"]),
            ("which of them: big ships", &["which of them: big ships"]),
        ] {
            assert_eq!(split(sentence), expected);
        }
    }

    #[test]
    fn a_part_without_a_cue_keeps_its_place() {
        for (text, expected) in [
            ("who maintains the lease table and how pretty is it?", &["Ownership", "-how pretty is lease table?"][..]),
            // Its first part is a question as well.
            (
                "Does dock understand HTTP/9, and which tests cover the lease table?",
                &["-Does dock understand HTTP/9", "Tests"],
            ),
            // A report is no question.
            ("The dock is wet, and which tests cover the lease table?", &[]),
            ("Does dock understand HTTP/9, and does it understand HTTP/8?", &[]),
            ("who maintains the lease table. It is wet.", &["Ownership", "!It is wet."]),
        ] {
            let shown = |part: &CuedPart| match &part.question {
                Some(question) => format!("{:?}", question.intent),
                None if part.is_question => format!("-{}", part.searched_text()),
                None => format!("!{}", part.text),
            };
            assert_eq!(read(text, &[]).iter().map(shown).collect::<Vec<String>>(), expected, "{text}");
        }
    }
}
