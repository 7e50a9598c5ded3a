//! Words of questions for a quantity, and of the settings that have one.

/// Beginnings of questions for a quantity.
const BEGINNINGS: [&str; 9] = [
    "how long ",
    "how often ",
    "how many ",
    "how much ",
    "how large ",
    "how big ",
    "how frequently ",
    "how far ",
    "after how ",
];

/// Returns true if a question asks for a quantity.
pub(super) fn asks(question: &str) -> bool {
    let lower = format!(" {}", question.trim_start().to_lowercase());
    let is_way = [" how can ", " how do ", " how to "].iter().any(|start| lower.starts_with(start));
    let bare = ["for ", "in ", "and "].iter().find_map(|lead| lower.trim_start().strip_prefix(lead));
    let bare = bare.unwrap_or(lower.trim_start());
    let asked = |start: &str| {
        bare.starts_with(start)
            || lower.trim_start().starts_with(start)
            || (is_way && lower.contains(&format!(" {start}")))
    };
    BEGINNINGS.into_iter().any(asked)
}

/// Kinds of quantities: words of a question, and terms of settings that are of this kind.
pub(super) const QUANTITY_KINDS: [(&[&str], &[&str]); 2] = [
    (
        &["how many ", "how much ", "how large ", "how big "],
        &["max", "maximum", "number", "limit", "count", "time", "attempt", "size", "most"],
    ),
    (
        &["how long ", "how often ", "how frequently "],
        &[
            "second",
            "millisecond",
            "ms",
            "minut",
            "timeout",
            "interv",
            "ttl",
            "delay",
            "durat",
            "period",
            "expiri",
            "backoff",
            "age",
        ],
    ),
];

/// Words of questions for an upper bound, and for a lower one.
const UPPER: [&str; 14] = [
    "maximum",
    "max",
    "at most",
    "upper",
    "longest",
    "largest",
    "highest",
    "biggest",
    "greatest",
    "no more than",
    "up to",
    "gives up",
    "give up",
    "giving up",
];
const LOWER: [&str; 10] = [
    "minimum",
    "min",
    "at least",
    "lower",
    "shortest",
    "smallest",
    "lowest",
    "fewest",
    "no less than",
    "no fewer than",
];

/// A bound of a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AskedBound {
    Upper,
    Lower,
}

impl AskedBound {
    /// Returns the bound that a question asks for; `None` if it asks for none or for both.
    pub(super) fn of(question: &str) -> Option<AskedBound> {
        let lower = question.to_lowercase();
        // `lower` stands within `follower`.
        let spaced = format!(" {} ", lower.split(|c: char| !c.is_alphanumeric()).collect::<Vec<_>>().join(" "));
        let has = |words: &[&str]| words.iter().any(|word| spaced.contains(&format!(" {word} ")));
        match (has(&UPPER), has(&LOWER)) {
            (true, false) => Some(AskedBound::Upper),
            (false, true) => Some(AskedBound::Lower),
            _ => None,
        }
    }

    /// Returns the shortest terms of a name with this bound, and of one with the other.
    fn terms(self) -> [&'static str; 2] {
        match self {
            AskedBound::Upper => ["max", "min"],
            AskedBound::Lower => ["min", "max"],
        }
    }

    /// Returns true if some terms have this bound.
    pub(super) fn is_said<'t>(self, mut terms: impl Iterator<Item = &'t str>) -> bool {
        terms.any(|term| is_bound(term, self.terms()[0]))
    }

    /// Returns true if the terms of a name have only the other bound.
    pub(super) fn is_contradicted<'t>(self, name: impl Iterator<Item = &'t str> + Clone) -> bool {
        let other = self.terms()[1];
        name.clone().any(|term| is_bound(term, other)) && !self.is_said(name)
    }
}

/// Returns true for a term that is a bound, such as `max`, `maximum` and the stem of `maximal`. A minute is no minimum.
fn is_bound(term: &str, bound: &str) -> bool {
    term.strip_prefix(bound).is_some_and(|rest| matches!(rest, "" | "imum" | "im"))
}

/// Returns the terms that a setting of the asked kind has one of, and those of other kinds.
pub(super) fn kind_terms(question: &str) -> [&'static [&'static str]; 2] {
    let lower = question.to_lowercase();
    let is_asked = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let [(counts, of_count), (times, of_time)] = QUANTITY_KINDS;
    // `How often at most` is a number of times, and no time between two.
    let is_number_of_times = lower.contains("how often ") && AskedBound::of(question).is_some();
    match (is_asked(counts) || is_number_of_times, is_asked(times)) {
        (true, _) => [of_count, of_time],
        (false, true) => [of_time, &[]],
        (false, false) => [&[], &[]],
    }
}

/// Returns true if a question asks for the value that holds if nobody gives one.
pub(super) fn asks_for_default(question: &str) -> bool {
    #[rustfmt::skip]
    const PHRASES: [&str; 26] = [
        "default", "defaults", "defaulting", "out of the box", "if i don't set", "if i do not set", "if we don't set", "if you don't set", "if nobody sets",
        "if none is", "if nothing is", "if it is not set", "if it isn't set", "if not set", "if unset", "when unset", "when not set",
        "when none is", "when nothing is", "unless told otherwise", "unless configured", "unless i set", "if i leave", "if omitted",
        "unless i say", "unless you say",
    ];
    let lower = question.to_lowercase().replace('’', "'");
    // A part of a name, such as `DefaultDock` and `dock.default`, is no word.
    let words = lower.split_whitespace().map(|word| word.trim_matches(['?', '!', '.', ',', ';', ':', '(', ')', '"']));
    let spaced = format!(" {} ", words.collect::<Vec<&str>>().join(" "));
    PHRASES.iter().any(|phrase| spaced.contains(&format!(" {phrase} ")))
}

/// Phrases of questions for a value that name nothing.
#[rustfmt::skip]
const IDIOMS: [&str; 13] = [
    "out of the box", "by default", "before it gives up", "before giving up", "at most", "at least", "unless told otherwise",
    "unless i say otherwise", "unless i say so", "unless you say otherwise", "if nobody says otherwise", "in the first place",
    "at the same time",
];

/// Returns a question without the phrases that name nothing: the box of `out of the box` is none.
pub(super) fn without_idioms(question: &str) -> String {
    let words: Vec<&str> = question.split_whitespace().collect();
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let lower: Vec<String> = words.iter().map(|word| bare(word)).collect();
    let idioms: Vec<Vec<&str>> = IDIOMS.iter().map(|idiom| idiom.split(' ').collect()).collect();
    let (mut kept, mut at): (Vec<&str>, usize) = (Vec::new(), 0);
    while at < words.len() {
        let is_here = |idiom: &&Vec<&str>| {
            lower[at..].len() >= idiom.len() && lower[at..].iter().zip(*idiom).all(|(word, part)| word == part)
        };
        match idioms.iter().find(is_here) {
            Some(idiom) => at += idiom.len(),
            None => {
                kept.push(words[at]);
                at += 1;
            }
        }
    }
    kept.join(" ")
}

/// Returns true if a question asks for a bound, which is a number: `what is the maximum size of a berth?`.
pub(super) fn asks_for_bound(question: &str) -> bool {
    #[rustfmt::skip]
    const BOUNDS: [&str; 22] = [
        "maximum", "minimum", "max", "min", "limit", "timeout", "interval", "size", "length", "number", "delay", "threshold", "capacity", "ttl",
        "longest", "shortest", "largest", "smallest", "highest", "lowest", "biggest", "greatest",
    ];
    let lower = question.trim_start().to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_what = matches!(words.first(), Some(&("what" | "which")));
    // In `what happens if the size is wrong`, a bound is the subject of something else.
    let rest = words
        .iter()
        .skip(1)
        .skip_while(|word| matches!(**word, "is" | "are" | "s" | "the" | "its" | "default" | "allowed"));
    is_what && rest.take(3).take_while(|word| **word != "of").any(|word| BOUNDS.contains(word))
}

/// Returns true if a question asks for a time.
pub(super) fn asks_for_time(question: &str) -> bool {
    let lower = question.to_lowercase();
    QUANTITY_KINDS[1].0.iter().chain(&["after how ", "timeout", "interval"]).any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_asked_for_in_many_words() {
        use AskedBound::{Lower, Upper};
        for (question, expected) in [
            ("How often is a lease renewed at most?", Some(Upper)),
            ("what is the shortest lease", Some(Lower)),
            ("how many tries before it gives up?", Some(Upper)),
            ("how many berths has a follower?", None),
            ("what are the minimum and the maximum of berths?", None),
        ] {
            assert_eq!(AskedBound::of(question), expected, "{question}");
        }
        for (bound, name, expected) in [
            (Upper, &["min", "berth"][..], true),
            (Upper, &["min", "max"], false),
            (Upper, &["minut"], false),
            (Upper, &["mine", "interv"], false),
            (Upper, &["mint", "limit"], false),
            (Upper, &["minor", "version"], false),
            (Upper, &["minimum", "berth"], true),
            (Upper, &["minim", "berth"], true),
            (Lower, &["maxwel", "berth"], false),
            (Upper, &["berth"], false),
            (Lower, &["maximum", "berth"], true),
        ] {
            assert_eq!(bound.is_contradicted(name.iter().copied()), expected, "{bound:?} {name:?}");
        }
        assert!(Upper.is_said(["maximum", "number"].into_iter()) && !Upper.is_said(["number"].into_iter()));
        assert_eq!(kind_terms("how often is a lease renewed at most")[0], QUANTITY_KINDS[0].1);
        assert_eq!(kind_terms("how often is a lease renewed")[0], QUANTITY_KINDS[1].1);
    }

    #[test]
    fn idioms_name_nothing() {
        for (question, expected) in [
            ("What's the largest berthSize out of the box?", "What's the largest berthSize"),
            ("How long does it wait for a berth, before it gives up?", "How long does it wait for a berth,"),
            ("Which ship is in the box?", "Which ship is in the box?"),
            ("How many cells may there be in a row?", "How many cells may there be in a row?"),
            ("how is by defaulting set", "how is by defaulting set"),
        ] {
            assert_eq!(without_idioms(question), expected, "{question}");
        }
    }

    #[test]
    fn a_bound_is_the_noun_that_is_asked_for() {
        for (question, expected) in [
            ("What is the maximum size of a berth?", true),
            ("what is the default lock timeout?", true),
            ("Which port number does the dock use", true),
            ("what happens if the size of a berth is wrong", false),
            ("what is the purpose of the size", false),
            ("who sets the maximum size", false),
        ] {
            assert_eq!(asks_for_bound(question), expected, "{question}");
        }
        for (question, expected) in [
            ("What is the idle time of a berth if I don't set one?", true),
            ("which port does the dock use unless told otherwise", true),
            ("what is the default berth", true),
            ("What are the defaults?", true),
            ("what does it use (by default)?", true),
            ("How long does DefaultRetryPolicy wait?", false),
            ("what does default_berth do", false),
            ("what is dock.default for", false),
            ("what does it do if omitted_berths is empty", false),
            ("what happens if the berth is not free", false),
        ] {
            assert_eq!(asks_for_default(question), expected, "{question}");
        }
        assert!(asks_for_time("how long does it last") && asks_for_time("after how many seconds does it end"));
        assert!(!asks_for_time("how many berths are there"));
    }
}
