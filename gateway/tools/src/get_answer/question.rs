//! Analysis of a question: the names in it, and the two sides of a question about a relation.

use ranking::query::{content_words, is_identifier, is_report, is_stop_word};

/// Maximum number of names to look up: each is a query to every worker.
const MAX_NAMES: usize = 4;

/// Phrases between two sides; the longest match counts, so that `talks to` is not `to`.
const RELATION_PHRASES: [&str; 47] = [
    "talk to",
    "talks to",
    "talking to",
    "speak to",
    "speaks to",
    "speak with",
    "communicate with",
    "communicates with",
    "interact with",
    "interacts with",
    "connect to",
    "connects to",
    "depend on",
    "depends on",
    "rely on",
    "relies on",
    "relate to",
    "relates to",
    "related to",
    "integrate with",
    "integrates with",
    "work with",
    "works with",
    "go through",
    "goes through",
    "get data from",
    "gets data from",
    "send data to",
    "sends data to",
    "call into",
    "calls into",
    "call",
    "calls",
    "use",
    "uses",
    "invoke",
    "invokes",
    "reach",
    "reaches",
    "import",
    "imports",
    "consume",
    "used by",
    "used in",
    "called by",
    "called from",
    "imported by",
];

/// Verbs after two sides.
const MUTUAL_VERBS: [&str; 9] = [
    "interact",
    "communicate",
    "relate",
    "fit together",
    "work together",
    "play together",
    "talk to each other",
    "interact with each other",
    "depend on each other",
];

/// First words of questions and requests.
#[rustfmt::skip]
const QUESTION_WORDS: [&str; 34] = [
    "how", "what", "where", "why", "when", "who", "whose", "which", "whether", "does", "do", "did", "is", "are", "was", "were", "has",
    "have", "can", "could", "may", "must", "should", "will", "would", "if", "explain", "describe", "show", "tell", "list", "find", "give",
    "name",
];

/// An analysed question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) text: String,
    /// Names of code in it, as written.
    pub(super) names: Vec<String>,
    /// Capitalised words, which are names if a definition has exactly that name.
    pub(super) maybe_names: Vec<String>,
    /// The two sides that it relates.
    pub(super) sides: Option<[String; 2]>,
}

impl Question {
    pub(super) fn read(text: &str) -> Question {
        let (names, maybe_names) = names(text);
        Question { text: text.to_owned(), names, maybe_names, sides: sides(text) }
    }

    /// Returns true if it only names a subject, as `request routing and middleware` does.
    pub(super) fn is_topic(&self) -> bool {
        let bare = self.text.trim();
        let first = bare.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
        !bare.ends_with('?') && !bare.contains('\n') && !QUESTION_WORDS.contains(&first.as_str())
    }

    /// Returns true if it has a searchable word.
    pub(super) fn has_content_word(&self) -> bool {
        content_words(&self.text).iter().any(|word| !is_stop_word(word) && word.chars().any(char::is_alphanumeric))
    }
}

/// Returns the normal form of a question, which the cache uses. For a report, the end of its first line and a following
/// empty line matter.
pub(super) fn normalised(text: &str) -> String {
    match text.trim().split_once('\n').filter(|_| is_report(text)) {
        Some((first, rest)) => {
            let is_set_off = rest.lines().next().is_some_and(|second| second.trim().is_empty());
            format!("{}{}{}", on_one_line(first), if is_set_off { "\n\n" } else { "\n" }, on_one_line(rest))
        }
        None => on_one_line(text),
    }
}

fn on_one_line(text: &str) -> String {
    let words = text.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
    let bare = words.trim_end_matches(['?', '!', '.', ' ']);
    // A possible name keeps its case.
    bare.split(' ')
        .map(|word| if is_identifier(bare_name(word)) { word.to_owned() } else { word.to_lowercase() })
        .collect::<Vec<_>>()
        .join(" ")
}

fn names(text: &str) -> (Vec<String>, Vec<String>) {
    let (mut sure, mut maybe): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for (piece, is_quoted) in text.split('`').zip([false, true].into_iter().cycle()) {
        let mut is_sentence_start = true;
        for word in piece.split_whitespace() {
            let name = bare_name(word);
            let is_path = name.contains('/');
            // `Kafka` and `S3`, but no `I` and no `A`.
            let is_capital = name.starts_with(char::is_uppercase) && name.chars().count() > 1;
            let is_called = word.contains("()") && !name.is_empty();
            // The option of a command is no definition.
            let is_abbreviation = matches!(name, "i.e" | "e.g");
            if name.is_empty()
                || is_path
                || is_option(word)
                || is_abbreviation
                || !name.chars().any(char::is_alphabetic)
            {
            } else if is_quoted || is_called || is_identifier(name) {
                push(&mut sure, name);
            } else if is_capital && !is_sentence_start && !is_stop_word(name) {
                push(&mut maybe, name);
            }
            is_sentence_start = word.ends_with(['.', '?', '!', ':']);
        }
    }
    maybe.retain(|name| !sure.contains(name));
    (sure, maybe)
}

/// Returns true for an option of a command, such as `--pier`.
fn is_option(word: &str) -> bool {
    let rest = word.trim_start_matches(['(', '"', '\'']).strip_prefix("--");
    rest.is_some_and(|rest| rest.starts_with(char::is_alphabetic))
}

fn bare_name(word: &str) -> &str {
    let word = word.split('(').next().unwrap_or(word);
    word.trim_matches(|c: char| !(c.is_alphanumeric() || c == '_'))
}

fn push(names: &mut Vec<String>, name: &str) {
    if names.len() < MAX_NAMES && !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

/// Returns the two sides of a question about a relation: `between X and Y`, `how does X talk to Y`.
fn sides(text: &str) -> Option<[String; 2]> {
    let lower = text.to_lowercase();
    // Offsets refer to the lower-case text, which has the same length except for a few languages.
    if lower.len() != text.len() {
        return None;
    }
    let trimmed = |side: &str| {
        let is_edge = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '`' | '/'));
        side.trim_matches(is_edge).to_owned()
    };
    let both_sides = |left: &str, right: &str| {
        let sides = [trimmed(left), trimmed(right)];
        let has_content = |side: &String| {
            let words = content_words(side);
            words.iter().any(|word| !is_stop_word(word) && word.chars().any(char::is_alphanumeric))
        };
        sides.iter().all(has_content).then_some(sides)
    };
    if let Some(between) = find_words(&lower, "between")
        && let Some(and) = find_words(&lower[between..], " and ").map(|at| between + at)
        && let Some(sides) = both_sides(&text[between + "between".len()..and], &text[and + " and ".len()..])
    {
        return Some(sides);
    }
    let mutual_verb =
        MUTUAL_VERBS.iter().find_map(|verb| Some((lower.trim_end_matches(['?', '.', ' ']).strip_suffix(verb)?, verb)));
    if let Some((before, _)) = mutual_verb.filter(|(before, _)| before.ends_with(' '))
        && let Some(and) = find_words(before, " and ")
        && let Some(sides) = both_sides(without_question(&text[..and]), &text[and + " and ".len()..before.len()])
    {
        return Some(sides);
    }
    let asks_how = ["how ", "where ", "when ", "what ", "why ", "does ", "do ", "which "];
    if !asks_how.iter().any(|start| lower.trim_start().starts_with(start)) {
        return None;
    }
    let mut phrases: Vec<(usize, &str)> = RELATION_PHRASES
        .iter()
        .filter_map(|phrase| Some((find_words(&lower, &format!(" {phrase} "))?, *phrase)))
        .collect();
    phrases.sort_by_key(|(_, phrase)| std::cmp::Reverse(phrase.len()));
    phrases
        .into_iter()
        .find_map(|(at, phrase)| both_sides(without_question(&text[..at]), &text[at + phrase.len() + 2..]))
}

/// Removes leading question words from a side, so that `how does` is not a side.
fn without_question(side: &str) -> &str {
    let mut rest = side.trim();
    while let Some((_, after)) = rest.split_once(' ').filter(|(word, _)| is_stop_word(word)) {
        rest = after;
    }
    if is_stop_word(rest) { "" } else { rest }
}

/// Returns true for function words in German, French, Spanish, Portuguese and Italian. Their absence from the code says
/// nothing about the question.
pub(super) fn is_function_word(word: &str) -> bool {
    FUNCTION_WORDS.binary_search(&word.to_lowercase().as_str()).is_ok()
}

/// Sorted by bytes.
#[rustfmt::skip]
const FUNCTION_WORDS: &[&str] = &[
    "aber", "al", "als", "am", "ao", "aos", "au", "auf", "aus", "aux", "avec", "bei", "bis", "ce", "ces", "cette",
    "che", "chi", "ci", "com", "come", "comment", "como", "con", "cosa", "cuál", "cuándo", "cómo", "da", "dal",
    "dans", "das", "dass", "de", "dei", "del", "dela", "dele", "della", "delle", "dem", "den", "der", "des", "desde",
    "di", "die", "dieser", "do", "donde", "dos", "dove", "du", "durch", "dónde", "e", "ein", "eine", "einem",
    "einen", "einer", "el", "ela", "ele", "ella", "elle", "em", "en", "entre", "es", "essa", "esse", "est", "esta",
    "este", "está", "et", "fait", "foi", "für", "gibt", "gli", "hace", "hacia", "hasta", "hat", "ich", "il", "ils",
    "im", "in", "isso", "ist", "kann", "la", "las", "le", "les", "leur", "lo", "los", "mais", "man", "mas", "mit",
    "muss", "más", "na", "nach", "nas", "ne", "nei", "nel", "nella", "nicht", "no", "non", "nos", "não", "o", "oder",
    "ogni", "on", "onde", "os", "ou", "où", "par", "para", "pas", "pela", "pelo", "per", "perché", "pero", "peut",
    "più", "por", "porque", "pour", "pourquoi", "puede", "qu", "quale", "quand", "quando", "que", "quel", "quelle",
    "quels", "quem", "questo", "qui", "quien", "quién", "qué", "sa", "se", "según", "sem", "ser", "ses", "seu", "si",
    "sich", "sie", "sin", "sind", "sobre", "son", "sono", "sont", "su", "sua", "sul", "sur", "sus", "são", "também",
    "tem", "tra", "um", "uma", "un", "una", "und", "une", "von", "wann", "warum", "was", "welche", "wenn", "wer",
    "werden", "wie", "wir", "wird", "wo", "woher", "y", "zu", "zum", "zur", "à", "é", "être", "über",
];

fn find_words(lower: &str, words: &str) -> Option<usize> {
    lower.find(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_has_no_word_of_a_question() {
        for (text, expected) in [
            ("mooring of ships and their ropes", true),
            ("Harbour configuration", true),
            ("how ships are moored", false),
            ("ships are moored where?", false),
            ("explain the mooring", false),
            ("", true),
        ] {
            assert_eq!(Question::read(text).is_topic(), expected, "{text}");
        }
    }

    #[test]
    fn code_names_are_distinguished_from_prose() {
        for (text, names, maybe) in [
            ("How does `Router` match a path?", &["Router"][..], &[][..]),
            ("what does full_dispatch_request() do", &["full_dispatch_request"], &[]),
            ("How does the Blueprint register on Flask?", &[], &["Blueprint", "Flask"]),
            ("Where is HttpClient.send retried", &["HttpClient.send"], &[]),
            ("what is in src/app.py", &[], &[]),
            ("Why? Because it is. How so", &[], &[]),
            ("what does `--pier` set", &[], &[]),
            ("what does `pier` set", &["pier"], &[]),
            ("what does `pier--` do", &["pier"], &[]),
        ] {
            let question = Question::read(text);
            assert_eq!((question.names, question.maybe_names), (owned(names), owned(maybe)), "{text}");
        }
    }

    #[test]
    fn questions_about_a_relation_have_two_sides() {
        for (text, expected) in [
            ("How does the web client talk to the tracking service?", Some(["web client", "the tracking service"])),
            ("how does Flask use Werkzeug's routing", Some(["Flask", "Werkzeug's routing"])),
            ("difference between sync and async clients", Some(["sync", "async clients"])),
            ("what is the relation between `Parser` and `Lexer`?", Some(["`Parser`", "`Lexer`"])),
            ("how do ripgrep and clap interact?", Some(["ripgrep", "clap"])),
            ("How do the Parser and the Lexer work together", Some(["Parser", "the Lexer"])),
            ("how is clap used in ripgrep?", Some(["clap", "ripgrep"])),
            ("how is charge called from orders", Some(["charge", "orders"])),
            ("how do they interact", None),
            ("how do I use it", None),
            ("where are sessions signed", None),
            ("what calls this", None),
            ("retry with back-off", None),
        ] {
            let sides = Question::read(text).sides;
            assert_eq!(sides, expected.map(|sides| sides.map(str::to_owned)), "{text}");
        }
    }

    #[test]
    fn equivalent_questions_have_one_normal_form() {
        for (text, expected) in [
            ("  How does \t it WORK ??\n", "how does it work"),
            ("It FAILS.\n\nThis is\nwhat I did", "it fails. this is what i did"),
            ("what is HttpClient?", "what is HttpClient"),
            ("what is httpclient", "what is httpclient"),
        ] {
            assert_eq!(normalised(text), expected);
        }
        let steps = "step ".repeat(100);
        let [set_off, below, on_one] = ["\n\n", "\n", " "].map(|gap| normalised(&format!("It fails.{gap}{steps}")));
        assert!(set_off != below && below != on_one);
        assert_eq!(set_off, normalised(&format!(" it FAILS\n \n {steps}\n")));
    }

    #[test]
    fn function_words_are_in_order() {
        assert!(FUNCTION_WORDS.is_sorted() && is_function_word("Wie") && !is_function_word("session"));
    }

    #[test]
    fn a_question_of_stop_words_has_no_content() {
        for (text, has_content) in
            [("what is this?", false), ("?", false), ("what is a session", true), ("是什么", true)]
        {
            assert_eq!(Question::read(text).has_content_word(), has_content, "{text}");
        }
    }

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }
}
