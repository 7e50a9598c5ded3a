//! The questions within a text, each with its intent and the things that it names.

use super::{
    QuestionIntent,
    pattern::{ClauseWords, MAX_WORDS, captures},
    phrasings::{LEADS, PHRASINGS, TAILS},
};

/// Maximum number of questions in one text that are answered one after the other.
pub(super) const MAX_CLAUSES: usize = 4;

/// Words that begin a question after `and` or a comma.
pub(super) const STARTS: &[&str] =
    &["who", "what", "which", "where", "when", "how", "is", "are", "does", "do", "list", "show"];

/// Pronouns for the subject of the question before.
const PRONOUNS: &[&str] = &["it", "its", "this", "that", "them", "they", "their", "these", "those", "one"];

/// Maximum number of words of a subject; a longer one is a description.
const MAX_SUBJECT_WORDS: usize = 14;

/// A question with a known intent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct RoutedQuestion {
    pub(in super::super) intent: QuestionIntent,
    /// The things that it names, as written: one, or two for a link.
    pub(super) subjects: Vec<String>,
    /// The clause as written.
    pub(super) text: String,
}

impl RoutedQuestion {
    /// Returns true if the answer to the other question is the same. The raisers and the handlers of an error are two answers, and so are the
    /// start of a program and its exports.
    pub(super) fn asks_the_same(&self, other: &RoutedQuestion) -> bool {
        let is_alike = (self.intent, &self.subjects) == (other.intent, &other.subjects);
        let is_other_side = self.intent == QuestionIntent::Errors
            && has_verb_of_catching(&self.text) != has_verb_of_catching(&other.text);
        is_alike && !is_other_side && self.intent != QuestionIntent::EntryPoints
    }

    /// Returns the text that is searched for it: the clause, with its subject if that is in another clause.
    pub(super) fn searched_text(&self) -> String {
        with_subject_of(&self.text, self.subjects.first().map(String::as_str))
    }
}

/// Returns the number of words of a clause that are not of the grammar.
fn n_content(clause: &str) -> usize {
    let words = ranking::query::content_words(clause);
    words.into_iter().filter(|word| !ranking::query::is_stop_word(word)).count()
}

fn has_verb_of_catching(clause: &str) -> bool {
    const VERBS: [&str; 12] = [
        "catch",
        "catches",
        "caught",
        "handle",
        "handles",
        "handled",
        "rescue",
        "rescues",
        "rescued",
        "swallowed",
        "trapped",
        "dealt",
    ];
    ClauseWords::of(clause).lower().iter().any(|word| VERBS.contains(&word.as_str()))
}

/// Returns a clause with the subject for which its pronoun stands, or with the subject behind it if it has neither.
pub(super) fn with_subject_of(clause: &str, subject: Option<&str>) -> String {
    const STANDING: [&str; 2] = ["it", "its"];
    let Some(subject) = subject.filter(|subject| !subject.is_empty() && !clause.contains(subject)) else {
        return clause.to_owned();
    };
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let is_known = |word: &str| subject.split(' ').any(|part| bare(part) == bare(word));
    let mut words: Vec<&str> = clause.split(' ').collect();
    match words.iter().position(|word| STANDING.contains(&bare(word).as_str())) {
        Some(at) => {
            let end = words[at].trim_start_matches(char::is_alphanumeric);
            let stated = format!("{subject}{end}");
            words[at] = &stated;
            words.join(" ")
        }
        // The subject of a rule is made of words of its clause, and a clause with words of its own needs no other one.
        None if words.iter().any(|word| is_known(word)) || n_content(clause) > 1 => clause.to_owned(),
        None => format!("{clause} {subject}"),
    }
}

/// Returns the questions of a text in order; none if one of them has no known intent.
pub(in super::super) fn read(text: &str) -> Vec<RoutedQuestion> {
    let sentences = sentences(text);
    let mut questions: Vec<RoutedQuestion> = Vec::new();
    for sentence in &sentences {
        let found = of_sentence(sentence, questions.last());
        if found.is_empty() || questions.len() + found.len() > MAX_CLAUSES {
            return Vec::new();
        }
        for one in found {
            let is_known = questions.iter().any(|known| known.asks_the_same(&one));
            questions.extend((!is_known).then_some(one));
        }
    }
    questions
}

/// Splits a text at the ends of its sentences. A supposition is of the question behind it: `Suppose I rename X. What breaks?`.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    const SUPPOSING: [&str; 5] = ["suppose ", "assume ", "assuming ", "imagine ", "let's say "];
    /// Number of characters that contain the longest of these words.
    const SUPPOSING_CHARS: usize = 16;
    let is_end = |window: &str| ["? ", "?\n", "! ", ". ", ";", "\n"].iter().any(|end| window.starts_with(end));
    let (mut found, mut start, mut is_quoted) = (Vec::new(), 0, false);
    // Both are of the sentence that begins at `start`. A long text makes it costly to read the sentence again at each of its points.
    let (mut supposes, mut has_question) = (None, false);
    for (at, c) in text.char_indices() {
        is_quoted ^= matches!(c, '"' | '`');
        has_question |= c == '?';
        let begins_supposition = |sentence: &str| {
            let first: String = sentence.trim_start().chars().take(SUPPOSING_CHARS).collect();
            SUPPOSING.iter().any(|words| first.to_lowercase().starts_with(words))
        };
        let is_abbreviated = || ["i.e", "e.g"].iter().any(|end| text[start..at].ends_with(end));
        if is_quoted || !is_end(&text[at..]) || is_abbreviated() {
            continue;
        }
        let is_supposed =
            c == '.' && !has_question && *supposes.get_or_insert_with(|| begins_supposition(&text[start..at]));
        if !is_supposed {
            found.push(&text[start..at]);
            (start, supposes, has_question) = (at + 1, None, false);
        }
    }
    found.push(&text[start..]);
    found.retain(|sentence| sentence.chars().any(char::is_alphanumeric));
    found
}

/// Returns the question of a sentence, or both if two are joined by `and`.
fn of_sentence(sentence: &str, before: Option<&RoutedQuestion>) -> Vec<RoutedQuestion> {
    let lower = sentence.to_ascii_lowercase();
    for joint in [", and ", " and ", ", "] {
        for (at, _) in lower.match_indices(joint) {
            let rest = &lower[at + joint.len()..];
            if !STARTS.contains(&rest.split(' ').next().unwrap_or_default()) {
                continue;
            }
            let Some(first) = of_clause(&sentence[..at], before) else { continue };
            let others = of_sentence(&sentence[at + joint.len()..], Some(&first));
            if !others.is_empty() {
                return std::iter::once(first).chain(others).collect();
            }
        }
    }
    let compared = of_comparison(sentence);
    if compared.is_empty() { of_clause(sentence, before).into_iter().flat_map(of_each).collect() } else { compared }
}

/// Returns a question for each of two things that are joined by `and`, if both are written like names of code: `minSize and
/// maxSize in the cache` are two settings, and `retry and back-off` may be one thing.
fn of_each(question: RoutedQuestion) -> Vec<RoutedQuestion> {
    const PREPOSITIONS: [&str; 5] = ["in ", "of ", "for ", "from ", "by "];
    let of_pair = |subject: &str| {
        let (one, rest) = subject.split_once(" and ")?;
        let (other, place) = rest.split_once(' ').map_or((rest, ""), |(other, place)| (other, place));
        let is_place = place.is_empty() || PREPOSITIONS.iter().any(|start| place.starts_with(start));
        let is_named = ranking::query::is_identifier(one) && ranking::query::is_identifier(other);
        let is_pair = !one.contains(' ') && is_place && is_named;
        is_pair.then(|| [one, other].map(|thing| format!("{thing} {place}").trim_end().to_owned()))
    };
    let pair = match question.subjects.as_slice() {
        [subject] => of_pair(subject),
        _ => None,
    };
    let Some(pair) = pair else { return vec![question] };
    pair.into_iter().map(|subject| RoutedQuestion { subjects: vec![subject], ..question.clone() }).collect()
}

/// Phrasings that compare two things. What each is tells the difference.
const COMPARISONS: [&str; 8] = [
    "what [is] [the] [main] difference|differences between|of {} and|to|vs {}",
    "what [are] [the] [main] difference|differences between|of {} and|to|vs {}",
    "how do|does {} and {} differ",
    "how do|does {} differ from {}",
    "how is|are {} different from|to|than {}",
    "compare {} and|with|to {}",
    "difference|differences between {} and {}",
    "{} vs|versus {}",
];

/// Returns a question for the purpose of each of two things that a sentence compares; none for other sentences.
fn of_comparison(sentence: &str) -> Vec<RoutedQuestion> {
    let words = ClauseWords::of(sentence);
    if words.len() == 0 || words.len() > MAX_WORDS {
        return Vec::new();
    }
    let words = without_tails(without_leads(words));
    let compared = COMPARISONS.iter().find_map(|pattern| captures(pattern, &words)).unwrap_or_default();
    let question = |subject: String| RoutedQuestion {
        intent: QuestionIntent::Purpose,
        subjects: vec![without_article(&subject)],
        text: sentence.trim().to_owned(),
    };
    compared.into_iter().map(question).collect()
}

/// Returns a single question; `before` is the one before it, whose subject a pronoun stands for.
pub(super) fn of_clause(clause: &str, before: Option<&RoutedQuestion>) -> Option<RoutedQuestion> {
    let words = ClauseWords::of(clause);
    if words.len() == 0 || words.len() > MAX_WORDS {
        return None;
    }
    let words = without_tails(without_leads(words));
    let (intent, subjects) = PHRASINGS
        .iter()
        .flat_map(|(intent, patterns)| patterns.iter().map(|pattern| (*intent, *pattern)))
        .find_map(|(intent, pattern)| Some((intent, captures(pattern, &words)?)))
        .filter(|(_, subjects)| subjects.iter().all(|subject| subject.split(' ').count() <= MAX_SUBJECT_WORDS))?;
    if intent == QuestionIntent::Impact && (is_fate(words.lower()) || is_use(words.lower())) {
        return None;
    }
    let subjects: Vec<String> = subjects.iter().map(|subject| without_article(subject)).collect();
    if subjects.iter().any(|subject| is_nothing(subject)) || is_of_a_run(intent, words.lower()) {
        return None;
    }
    let subjects = subjects.into_iter();
    // Without a question before it, `it` is what all questions are about.
    let asks_variables = || words.lower().iter().any(|word| matches!(word.as_str(), "environment" | "env"));
    let is_of_whole = match intent {
        QuestionIntent::EntryPoints | QuestionIntent::Dependencies => true,
        QuestionIntent::Configuration => asks_variables(),
        _ => false,
    };
    // A pronoun without a question before it names nothing beside the other subject.
    let resolved = subjects.map(|subject| match resolve_pronoun(subject, before) {
        None if is_of_whole => Some(String::new()),
        known => known,
    });
    let mut subjects: Vec<String> = resolved.collect::<Option<_>>()?;
    if subjects.iter().any(|subject| !subject.is_empty()) {
        subjects.retain(|subject| !subject.is_empty());
    } else {
        subjects.truncate(1);
    }
    // Only links and errors are about two things; otherwise the second one is the place of the first.
    let subjects = match intent {
        QuestionIntent::Links | QuestionIntent::Errors => subjects,
        _ => vec![subjects.join(" in ")],
    };
    Some(RoutedQuestion { intent, subjects, text: clause.trim().to_owned() })
}

/// Returns true for a question for what happens to a thing while the code runs: an error that it raises is no change of the code.
pub(super) fn is_fate(words: &[String]) -> bool {
    const EVENTS: [&str; 11] =
        ["raises", "throws", "gets", "loses", "accepts", "rejects", "ignores", "has", "lacks", "contains", "exceeds"];
    let is_any = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let begins = words.first().is_some_and(|word| word == "what") && words.get(1).is_some_and(|word| word == "happens");
    begins && is_any(&EVENTS) && !tells_change(words)
}

/// Returns true if words tell a change of the code. Something that the code handles changes as well, but in the third person of a verb:
/// `if a client deletes a message`.
fn tells_change(words: &[String]) -> bool {
    const CHANGES: [&str; 9] = ["suddenly", "now", "also", "instead", "breaks", "new", "another", "extra", "different"];
    const STEMS: [&str; 8] = ["renam", "remov", "delet", "chang", "add", "modif", "replac", "deprecat"];
    const FORMS: [&str; 7] = ["", "e", "ed", "ing", "y", "ied", "ying"];
    const OF_PERSONS: [&str; 2] = ["drop", "move"];
    let is_form = |word: &str| STEMS.iter().any(|stem| word.strip_prefix(stem).is_some_and(|end| FORMS.contains(&end)));
    let is_by_person = |pair: &[String]| PERSONS.contains(&pair[0].as_str()) && OF_PERSONS.contains(&pair[1].as_str());
    words.iter().any(|word| CHANGES.contains(&word.as_str()) || is_form(word)) || words.windows(2).any(is_by_person)
}

/// Words for somebody who works on or with the code.
const PERSONS: [&str; 7] = ["i", "we", "you", "one", "someone", "somebody", "they"];

/// Returns true for a question for what happens if somebody uses a thing, and does not change it: `what happens if I call open twice`.
pub(super) fn is_use(words: &[String]) -> bool {
    const USES: [&str; 14] = [
        "call", "calls", "invoke", "invokes", "run", "runs", "use", "uses", "pass", "passes", "send", "sends",
        "execute", "executes",
    ];
    let is_change = tells_change(words);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let begins = matches!(words.as_slice(), ["what", "happens", ..] | ["what", "will" | "would", "happen", ..]);
    let is_conditional = |three: &[&str]| {
        // Somebody calls, or `a call` is made.
        let is_used = PERSONS.contains(&three[1]) || (three[1] == "a" && !is_change);
        matches!(three[0], "if" | "when" | "once") && is_used && USES.contains(&three[2])
    };
    begins && words.windows(3).any(is_conditional)
}

/// Removes an article, and a word that says how much of a thing is meant: `most of the parser` is the parser.
fn without_article(subject: &str) -> String {
    const ARTICLES: [&str; 6] = ["the", "a", "an", "our", "my", "your"];
    const QUANTITIES: [&str; 5] = ["most", "much", "majority", "all", "some"];
    // These are words of names as well: the REST client, a bulk insert.
    const BEFORE_OF: [&str; 3] = ["half", "rest", "bulk"];
    let first_is = |text: &str, known: &[&str]| {
        text.split_once(' ')
            .filter(|(first, _)| known.contains(&first.to_lowercase().as_str()))
            .map(|(_, rest)| rest.to_owned())
    };
    let bare = first_is(subject, &ARTICLES).unwrap_or_else(|| subject.to_owned());
    let before_of = first_is(&bare, &BEFORE_OF).filter(|rest| rest.starts_with("of "));
    let Some(rest) = before_of.or_else(|| first_is(&bare, &QUANTITIES)) else { return bare };
    let rest = rest.strip_prefix("of ").map(str::to_owned).unwrap_or(rest);
    first_is(&rest, &ARTICLES).unwrap_or(rest)
}

/// Returns true for a subject that is no thing: a word of the grammar or of quantity alone.
fn is_nothing(subject: &str) -> bool {
    const WORDS: [&str; 9] = ["most", "more", "much", "many", "all", "some", "best", "least", "often"];
    WORDS.contains(&subject.to_lowercase().as_str())
}

/// Returns true if a question for people or changes names what code handles while it runs, and no part of the code: `who added the item to
/// the queue`, `who maintains the list of open connections`.
pub(super) fn is_of_a_run(intent: QuestionIntent, words: &[String]) -> bool {
    const HANDLED: [&str; 10] =
        ["request", "message", "item", "event", "packet", "job", "task", "record", "entry", "element"];
    const BEHIND: [&str; 8] = ["to", "from", "into", "in", "on", "arrive", "come", "leave"];
    if !matches!(intent, QuestionIntent::Ownership | QuestionIntent::History) {
        return false;
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["who", _, "the" | "a" | "an", "list" | "set", "of", ..] => true,
        ["who" | "when", _, "the" | "a" | "an", thing, behind @ ..] => {
            HANDLED.contains(thing) && behind.first().is_none_or(|behind| BEHIND.contains(behind))
        }
        _ => false,
    }
}

/// Returns a subject, or that of the question before if it is a pronoun; `None` if nothing is before it.
fn resolve_pronoun(subject: String, before: Option<&RoutedQuestion>) -> Option<String> {
    let is_pronoun = PRONOUNS.contains(&subject.to_lowercase().as_str());
    if is_pronoun { before.and_then(|before| before.subjects.first().cloned()) } else { Some(subject) }
}

pub(super) fn without_leads(mut words: ClauseWords) -> ClauseWords {
    while let Some(n_words) = longest(LEADS, |lead| starts_with(words.lower(), lead)).filter(|n| *n < words.len()) {
        words = words.range(n_words..words.len());
    }
    words
}

pub(super) fn without_tails(mut words: ClauseWords) -> ClauseWords {
    let n_tail = |words: &ClauseWords| {
        let known = longest(TAILS, |tail| ends_with(words.lower(), tail));
        known.or_else(|| follow_up(words.lower())).filter(|n| *n < words.len())
    };
    while let Some(n_words) = n_tail(&words) {
        words = words.range(0..words.len() - n_words);
    }
    words
}

/// Maximum number of words of a further question about the same thing.
const MAX_FOLLOW_UP: usize = 7;

/// Returns the number of words of a further question at the end that the answer to the first one has as well: the author of a change
/// (`and who added it`), or the way to set a value (`and can I configure it`).
fn follow_up(words: &[String]) -> Option<usize> {
    // In the present tense, the code does it: `who creates it` asks for callers.
    const AUTHORED: [&str; 9] =
        ["added", "did", "made", "wrote", "introduced", "removed", "committed", "created", "behind"];
    const WORKS: [&str; 6] = ["work", "idea", "change", "commit", "patch", "doing"];
    const SET: [&str; 6] = ["configur", "chang", "set", "adjust", "overrid", "tun"];
    let start = words.iter().rposition(|word| word == "and")?;
    let (asked, rest) = words[start + 1..].split_first()?;
    let has_pronoun = rest.iter().any(|word| matches!(word.as_str(), "it" | "this" | "that"));
    let has = |stems: &[&str]| rest.iter().any(|word| stems.iter().any(|stem| word.starts_with(stem)));
    let is_same = match asked.as_str() {
        "who" | "who's" | "who’s" => {
            let is_authored = rest.iter().any(|word| AUTHORED.contains(&word.as_str()));
            is_authored && matches!((rest.len(), rest[0].as_str()), (2, _) | (3, "is" | "was" | "s"))
        }
        "whose" => {
            matches!(rest, [thing, verb, _] if WORKS.contains(&thing.as_str()) && matches!(verb.as_str(), "is" | "was"))
        }
        "in" => rest.iter().map(String::as_str).eq(["which", "commit"]),
        "can" | "could" | "may" | "is" | "how" | "where" => {
            has(&SET) && rest.iter().all(|word| is_of_setting(word, &SET))
        }
        _ => false,
    };
    let n_words = words.len() - start;
    (is_same && (has_pronoun || asked == "in") && n_words <= MAX_FOLLOW_UP).then_some(n_words)
}

/// Returns true for a clause that asks for the author of what the clause before it is about: the commit that answers one answers both.
pub(super) fn asks_for_its_author(clause: &str, before: Option<&RoutedQuestion>) -> bool {
    let words = ClauseWords::of(clause);
    let joined: Vec<String> = std::iter::once("and".to_owned()).chain(words.lower().iter().cloned()).collect();
    before.is_some_and(|before| before.intent == QuestionIntent::History)
        && matches!(words.lower().first().map(String::as_str), Some("who" | "whose" | "who's" | "who’s"))
        && follow_up(&joined).is_some()
}

/// Returns a question without a further one at its end for the author of what it is about.
pub(super) fn without_its_author(question: &str) -> &str {
    let lower = question.to_ascii_lowercase();
    let Some(at) = lower.rfind(" and ") else { return question };
    let rest = ClauseWords::of(&question[at + 1..]);
    let is_of_person = matches!(rest.lower().get(1).map(String::as_str), Some("who" | "whose" | "who's" | "who’s"));
    if is_of_person && follow_up(rest.lower()).is_some() {
        question[..at].trim_end_matches([',', ' '])
    } else {
        question
    }
}

/// Returns true for a word of a question for the way to set a value that names no further thing.
fn is_of_setting(word: &str, stems: &[&str]) -> bool {
    const GRAMMAR: [&str; 14] =
        ["i", "we", "you", "one", "it", "this", "that", "be", "is", "can", "could", "do", "does", "to"];
    GRAMMAR.contains(&word) || stems.iter().any(|stem| word.starts_with(stem))
}

/// Returns the number of words of the longest phrase that matches.
fn longest(phrases: &[&str], is_match: impl Fn(&[&str]) -> bool) -> Option<usize> {
    let split = phrases.iter().map(|phrase| phrase.split(' ').collect::<Vec<_>>());
    split.filter(|phrase| is_match(phrase)).map(|phrase| phrase.len()).max()
}

fn starts_with(words: &[String], phrase: &[&str]) -> bool {
    words.len() >= phrase.len() && words.iter().zip(phrase).all(|(word, other)| word == other)
}

fn ends_with(words: &[String], phrase: &[&str]) -> bool {
    words.len() >= phrase.len()
        && words[words.len() - phrase.len()..].iter().zip(phrase).all(|(word, other)| word == other)
}

#[cfg(test)]
mod tests;
