//! The side of a raise that a question about a type asks for: the errors that it raises, or the code that raises it.

/// The side of a raise that a question about a type asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RaiseSide {
    /// The errors that it raises.
    Raised,
    /// The code that raises it.
    Raisers,
    Unknown,
}

impl RaiseSide {
    pub(super) fn of(question: &str, name: &str) -> RaiseSide {
        const VERBS: [&str; 8] = ["raise", "throw", "return", "panic", "fail", "emit", "reject", "produce"];
        const PARTICIPLES: [&str; 5] = ["raised", "thrown", "returned", "emitted", "produced"];
        const AUXILIARIES: [&str; 8] = ["does", "do", "can", "could", "may", "might", "will", "would"];
        let (lower, name) = (question.to_lowercase(), name.to_lowercase());
        let words: Vec<&str> =
            lower.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()).collect();
        let place = |list: &[&str]| words.iter().position(|word| list.contains(word));
        let at = words.iter().position(|word| *word == name);
        let participle = place(&PARTICIPLES);
        if participle.is_some_and(|participle| matches!(words.get(participle + 1), Some(&("by" | "from" | "in")))) {
            // Passive: what is raised by the type, or where the type is raised.
            return if at < participle && at.is_some() { RaiseSide::Raisers } else { RaiseSide::Raised };
        }
        let auxiliary = place(&AUXILIARIES);
        let verb = place(&VERBS);
        let is_before = |other: Option<usize>| at.is_some() && other.is_some() && other < at;
        if let (Some(auxiliary), Some(verb)) = (auxiliary, verb)
            && auxiliary + 1 < verb
            && !is_before(Some(verb))
        {
            return RaiseSide::Raised;
        }
        let inflected = words.iter().position(|word| word.strip_suffix('s').is_some_and(|stem| VERBS.contains(&stem)));
        let is_passive = at.is_some() && participle > at;
        if is_before(verb) || is_before(inflected) || is_passive { RaiseSide::Raisers } else { RaiseSide::Unknown }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_asks_for_one_side_of_a_raise() {
        for (question, name, expected) in [
            ("What does Dock raise?", "Dock", RaiseSide::Raised),
            ("Which errors can the dock throw when it closes?", "Dock", RaiseSide::Raised),
            ("Which errors are raised by Dock?", "Dock", RaiseSide::Raised),
            ("What raises NotFound?", "NotFound", RaiseSide::Raisers),
            ("When does the dock throw NotFound?", "NotFound", RaiseSide::Raisers),
            ("Where is NotFound raised in the dock?", "NotFound", RaiseSide::Raisers),
            ("What can raise NotFound?", "NotFound", RaiseSide::Raisers),
            ("Which error is in Dock?", "Dock", RaiseSide::Unknown),
        ] {
            assert_eq!(RaiseSide::of(question, name), expected, "{question}");
        }
    }
}
