//! Questions that no phrasing and no cue matches, routed by examples: how often do their words, and their pairs of words, stand in questions of
//! each intent?
//!
//! People ask the same thing in more ways than rules have. Examples of each intent, and of questions that are answered from text, are counted
//! once, and Bayes' rule gives the probability of each. An example costs a line, and a rule costs a reader.

use std::{
    collections::{BTreeSet, HashMap},
    sync::LazyLock,
};

use super::{
    QuestionIntent,
    clauses::RoutedQuestion,
    cues::kept_words,
    pattern::{ClauseWords, MAX_WORDS},
};

/// Examples by intent: a heading for each, then questions, with their subject behind an arrow where a test compares that.
const EXAMPLES: [&str; 2] = [include_str!("examples/phrasings.txt"), include_str!("examples/frames.txt")];

/// Heading of the questions that are answered from text.
const OF_TEXT: &str = "Text";

/// Minimum probability of an intent. In ten-fold cross-validation, 93 % of the examples above it have the right intent, and 7 % of the
/// questions for text have one. A wrong route costs more than none, since text answers most questions in part.
const MIN_PROBABILITY: f64 = 0.95;

/// Examples that each intent has of words that it was not seen with, as a share of what all have, and the weight of that share.
const SMOOTHING: f64 = 0.2;
const N_ASSUMED: f64 = 20.0;

/// Exponent of the likelihood: the pairs of words repeat what the words say.
const OF_REPEATED: f64 = 0.5;

/// Minimum number of examples with a word or pair.
const MIN_EXAMPLES: usize = 2;

/// Factor by which a word is more frequent in questions of an intent than in others, above which it is a word of the question and not of its
/// subject.
const MIN_CUE_RATIO: f64 = 4.0;
const MIN_CUE_EXAMPLES: usize = 3;

/// Number of classes: the intents, and questions that are answered from text.
const N_CLASSES: usize = QuestionIntent::ALL.len() + 1;

/// The counted examples.
struct CountedExamples {
    /// Number of examples of each class.
    n_examples: [usize; N_CLASSES],
    /// Number of examples of each class with a word or pair.
    by_feature: HashMap<String, [usize; N_CLASSES]>,
}

static COUNTED: LazyLock<CountedExamples> = LazyLock::new(CountedExamples::read);

/// Returns the question of a clause by the examples; `None` if no intent is probable enough.
pub(super) fn of_clause(clause: &str, before: Option<&RoutedQuestion>) -> Option<RoutedQuestion> {
    let words = ClauseWords::of(clause);
    if words.len() == 0 || words.len() > MAX_WORDS {
        return None;
    }
    let (intent, probability) = COUNTED.classify(&words);
    // A link has two ends, which only phrasings tell apart.
    let intent = intent.filter(|intent| *intent != QuestionIntent::Links && probability >= MIN_PROBABILITY)?;
    let subject = kept_words(&words, |at| COUNTED.is_cue(&words, at, intent));
    let is_of_repository = matches!(intent, QuestionIntent::EntryPoints | QuestionIntent::Dependencies);
    let subject = match before {
        Some(before) if subject.is_empty() => before.subjects.first()?.clone(),
        _ => subject,
    };
    (is_of_repository || !subject.is_empty()).then(|| RoutedQuestion {
        intent,
        subjects: vec![subject],
        text: clause.trim().to_owned(),
    })
}

impl CountedExamples {
    fn read() -> CountedExamples {
        let mut counted = CountedExamples { n_examples: [0; N_CLASSES], by_feature: HashMap::new() };
        let mut class = N_CLASSES - 1;
        for line in EXAMPLES.iter().flat_map(|examples| examples.lines()).map(str::trim) {
            if let Some(heading) = line.strip_prefix("# ") {
                class = class_of(heading);
            } else if !line.is_empty() {
                let question = line.split(" => ").next().unwrap_or(line);
                counted.n_examples[class] += 1;
                for feature in features(&ClauseWords::of(question)) {
                    counted.by_feature.entry(feature).or_insert([0; N_CLASSES])[class] += 1;
                }
            }
        }
        counted
    }

    /// Returns the most probable intent with its probability; `None` for a question that is answered from text.
    fn classify(&self, words: &ClauseWords) -> (Option<QuestionIntent>, f64) {
        let n_all = self.n_examples.iter().sum::<usize>() as f64;
        let known = features(words).into_iter().filter_map(|feature| self.by_feature.get(&feature));
        let known = known.filter(|counts| counts.iter().sum::<usize>() >= MIN_EXAMPLES);
        let mut logarithms = [0.0_f64; N_CLASSES];
        for counts in known {
            let share_of_all = counts.iter().sum::<usize>() as f64 / n_all;
            for (class, logarithm) in logarithms.iter_mut().enumerate() {
                let with_it = counts[class] as f64 + SMOOTHING * N_ASSUMED * share_of_all;
                *logarithm += (with_it / (self.n_examples[class] as f64 + SMOOTHING * N_ASSUMED)).ln();
            }
        }
        let most = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights = logarithms.map(|logarithm| (OF_REPEATED * (logarithm - most)).exp());
        let best = (0..N_CLASSES).reduce(|best, next| if weights[next] > weights[best] { next } else { best });
        let best = best.unwrap_or(N_CLASSES - 1);
        (QuestionIntent::ALL.get(best).copied(), weights[best] / weights.iter().sum::<f64>())
    }

    /// Returns true if a word is one of the questions of an intent, and not of their subjects.
    fn is_cue(&self, words: &ClauseWords, at: usize, intent: QuestionIntent) -> bool {
        let word = &words.lower()[at];
        if FILLERS.contains(&word.as_str()) {
            return true;
        }
        let class = class_of_intent(intent);
        let Some(counts) = self.by_feature.get(&stem(word)) else { return false };
        let (own, all) = (counts[class], counts.iter().sum::<usize>());
        let n_others = self.n_examples.iter().sum::<usize>() - self.n_examples[class];
        let in_others = ((all - own) as f64 + 0.5) / n_others.max(1) as f64;
        let in_own = own as f64 / self.n_examples[class].max(1) as f64;
        own >= MIN_CUE_EXAMPLES && in_own >= MIN_CUE_RATIO * in_others
    }
}

/// Words of questions that name nothing, beside those of the grammar.
#[rustfmt::skip]
const FILLERS: [&str; 47] = [
    "got", "get", "gets", "have", "has", "had", "can", "could", "would", "will", "should", "may", "might", "must", "if", "so", "my",
    "not", "don't", "any", "some", "unless", "gave", "give", "gives", "i'd", "like", "want", "plan", "adapt", "came", "comes", "let",
    "under", "condition", "conditions", "see", "around", "about", "brought", "bring", "brings", "contributed", "contribute", "among",
    "back", "nobody",
];

fn class_of(heading: &str) -> usize {
    let named = |intent: &QuestionIntent| format!("{intent:?}") == heading;
    debug_assert!(heading == OF_TEXT || QuestionIntent::ALL.iter().any(named), "{heading}");
    QuestionIntent::ALL.iter().position(named).unwrap_or(N_CLASSES - 1)
}

fn class_of_intent(intent: QuestionIntent) -> usize {
    QuestionIntent::ALL.iter().position(|one| *one == intent).unwrap_or(N_CLASSES - 1)
}

/// Returns the words of a question and their pairs, next to each other and with one between. Names and quotations count as such.
fn features(words: &ClauseWords) -> BTreeSet<String> {
    let mut shown: Vec<String> = Vec::new();
    for at in 0..words.len() {
        let written = words.text(at..at + 1);
        let is_name = ranking::query::is_identifier(&written) || written.contains(['/', '_', '.']);
        let word = if words.is_quoted(at) {
            "<quoted>".to_owned()
        } else if is_name {
            "<name>".to_owned()
        } else {
            stem(&words.lower()[at])
        };
        let is_repeated = word.starts_with('<') && shown.last() == Some(&word);
        shown.extend((!is_repeated).then_some(word));
    }
    let mut found: BTreeSet<String> = shown.iter().cloned().collect();
    found.extend(shown.first().map(|first| format!("^{first}")));
    found.extend(shown.windows(2).map(|pair| pair.join(" ")));
    found.extend(shown.windows(3).map(|three| format!("{} _ {}", three[0], three[2])));
    found
}

/// Returns a word without the endings of its forms. The stems of the index are no words of the grammar.
fn stem(word: &str) -> String {
    const MIN_CHARS: usize = 3;
    if let Some(bare) = word.strip_suffix("ies").filter(|bare| bare.len() > 1) {
        return format!("{bare}y");
    }
    let is_long = |bare: &&str| bare.len() >= MIN_CHARS && !word.ends_with("ss");
    let bare = ["ing", "ed", "es", "s"].iter().find_map(|ending| word.strip_suffix(ending).filter(is_long));
    let bare = bare.unwrap_or(word);
    bare.strip_suffix('e').filter(is_long).unwrap_or(bare).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routed(question: &str) -> String {
        let found = of_clause(question, None);
        found.map(|one| format!("{:?} {}", one.intent, one.subjects.join(" + "))).unwrap_or_default()
    }

    #[test]
    fn questions_in_other_words_than_the_examples_are_routed() {
        for (question, expected) in [
            ("Which commit gave us the drawbridge matcher?", "History drawbridge matcher"),
            ("Which developers know the drawbridge best?", "Ownership"),
            ("Under which condition would I see \"bridge is up\"?", "Errors bridge is up"),
            ("Is there any test around the drawbridge?", "Tests drawbridge"),
            ("What's the idle timeout of the drawbridge if nobody sets one?", "Configuration"),
            ("Does it use a third-party library for gzip?", "Dependencies gzip"),
            ("What subcommands has the bridge tool got?", "EntryPoints"),
            ("I'd like to rename raiseBridge, what would I have to adapt?", "Impact raiseBridge"),
        ] {
            assert!(routed(question).starts_with(expected), "{question}: {}", routed(question));
        }
    }

    #[test]
    fn questions_for_behaviour_are_answered_from_text() {
        for question in [
            "How does the bridge decide which boat goes first?",
            "What happens to a boat that is too tall?",
            "Why does the bridge wait before it closes?",
            "Does the bridge open at night?",
            "Which class chooses the next boat?",
            "What does raiseBridge return for a boat without a mast?",
            "Where does the bridge look up the height of a boat?",
            "Hello, nice weather today",
            "When did the request arrive?",
            "Who added the item to the queue?",
            "Who maintains the list of open connections?",
            "Under which condition is a lease renewed?",
            "What should I change to make the server listen on another port?",
            "",
            &"Which commit gave us the drawbridge matcher? ".repeat(7),
        ] {
            assert_eq!(routed(question), "", "{question}");
        }
    }

    #[test]
    fn an_example_is_of_its_own_intent() {
        let mut wrong: Vec<String> = Vec::new();
        let mut class = 0;
        let mut n_examples = 0;
        for line in EXAMPLES.iter().flat_map(|examples| examples.lines()).map(str::trim) {
            if let Some(heading) = line.strip_prefix("# ") {
                class = class_of(heading);
            } else if !line.is_empty() {
                n_examples += 1;
                let question = line.split(" => ").next().unwrap_or(line);
                let (intent, probability) = COUNTED.classify(&ClauseWords::of(question));
                if intent != QuestionIntent::ALL.get(class).copied() && probability >= MIN_PROBABILITY {
                    wrong.push(format!("{question}: {intent:?} {probability:.2}"));
                }
            }
        }
        assert!(wrong.len() * 50 <= n_examples, "{} of {n_examples}:\n{}", wrong.len(), wrong.join("\n"));
    }

    #[test]
    fn a_clause_without_a_subject_has_that_of_the_one_before() {
        let before = of_clause("Which commit brought in the drawbridge?", None).expect("a route");
        let found = of_clause("who contributed that", Some(&before)).expect("a route");
        assert_eq!((found.intent, &found.subjects), (QuestionIntent::Ownership, &before.subjects));
        assert_eq!(of_clause("who contributed that", None), None);
    }
}
