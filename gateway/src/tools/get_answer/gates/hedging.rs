//! Hedging: a draft that says itself that it does not know is not sure, whatever else it says.

/// How drafts say that what they were given does not tell: in lower case, apostrophes straight.
const PHRASES: [&str; 42] = [
    "not enough information",
    "insufficient information",
    "insufficient context",
    "insufficient evidence",
    "not enough context",
    "i don't know",
    "i do not know",
    "i'm not sure",
    "i am not sure",
    "cannot determine",
    "can't determine",
    "cannot be determined",
    "unable to determine",
    "could not determine",
    "not possible to determine",
    "do not show",
    "don't show",
    "does not show",
    "doesn't show",
    "not shown in",
    "do not contain",
    "does not contain enough",
    "does not provide",
    "do not provide",
    "not explicitly stated",
    "it is unclear",
    "it's unclear",
    "not clear from",
    "cannot answer",
    "can't answer",
    "no information about",
    "no information on",
    "lack details",
    "lacks details",
    "not specified",
    "not mentioned in",
    "not described in",
    "not included in",
    "probably",
    "presumably",
    "it might be",
    "is unclear",
];

/// Returns the phrase by which a draft says that it does not know, if it does.
pub(in super::super) fn hedging(draft: &str) -> Option<&'static str> {
    let plain = draft.to_lowercase().replace('’', "'");
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    PHRASES.into_iter().find(|phrase| plain.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn admissions_are_recognised_and_code_is_not() {
        for (draft, hedges) in [
            ("The provided excerpts do not show where it is set.", true),
            ("I’m not\n sure, but it may be in `app`.", true),
            ("It cannot be determined from this.", true),
            ("There is not enough information.", true),
            ("`is_unsure` returns whether the parser is unsure.", false),
            ("The cache does not contain expired keys.", false),
            ("It raises an error when the key is unknown.", false),
        ] {
            assert_eq!(hedging(draft).is_some(), hedges, "{draft}");
        }
    }
}
