//! Hedging gate: a draft that admits not to know has low confidence.

use super::identifiers::contains_word;

/// Phrases that admit missing knowledge, in lower case with straight apostrophes. English first, by meaning and then
/// alphabetically.
const PHRASES: &[&str] = &[
    // Too little information.
    "insufficient context",
    "insufficient evidence",
    "insufficient information",
    "no information about",
    "no information on",
    "not enough context",
    "not enough information",
    // The excerpts do not contain it.
    "do not contain",
    "do not provide",
    "do not show",
    "does not contain enough",
    "does not provide",
    "does not show",
    "doesn't show",
    "don't show",
    "lack details",
    "lacks details",
    "not covered by",
    "not described in",
    "not explicitly stated",
    "not included in",
    "not mentioned in",
    "not shown in",
    "not specified",
    "nothing in the excerpts",
    "say nothing about",
    "says nothing about",
    // The writer does not know.
    "can't answer",
    "can't determine",
    "cannot answer",
    "cannot be determined",
    "cannot determine",
    "could not determine",
    "could not find",
    "couldn't find",
    "i am not sure",
    "i do not know",
    "i don't know",
    "i'm not sure",
    "no idea",
    "not possible to determine",
    "unable to determine",
    // It is a guess.
    "is unclear",
    "it is unclear",
    "it might be",
    "it's unclear",
    "not clear from",
    "presumably",
    "probably",
    "unclear from",
    // German.
    "die auszüge zeigen nicht",
    "ich weiß nicht",
    "vielleicht",
    "wahrscheinlich",
    // French.
    "je ne sais pas",
    "les extraits ne montrent pas",
    "peut-être",
    "probablement",
    // Spanish.
    "los extractos no muestran",
    "no sé",
    "probablemente",
    "quizá",
    "quizás",
    // Portuguese.
    "não sei",
    "os trechos não mostram",
    "provavelmente",
    "talvez",
];

/// Returns the phrase by which a draft admits that it does not know, if any. Only whole words match: `no ideal` is not
/// `no idea`.
pub(in super::super) fn hedging(draft: &str) -> Option<&'static str> {
    let plain = draft.to_lowercase().replace('’', "'");
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    PHRASES.iter().copied().find(|phrase| contains_word(&plain, phrase))
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
            ("The excerpts say nothing about it.", true),
            ("The first excerpt says nothing about it.", true),
            ("I have no idea.", true),
            ("I could not find where it is set.", true),
            ("I couldn’t find where it is set.", true),
            ("Nothing in the excerpts sets it.", true),
            ("It is not shown in [1].", true),
            ("This is not covered by the code.", true),
            ("Where it is set is left unclear from [1].", true),
            ("Die Auszüge zeigen nicht, wo es steht.", true),
            ("Vielleicht in `app`; ich weiß nicht.", true),
            ("Je ne sais pas.", true),
            ("C'est peut-être dans `app`.", true),
            ("No sé dónde está.", true),
            ("Quizás en `app`.", true),
            ("Não sei.", true),
            ("Talvez em `app`.", true),
            ("There is no ideal order; no século passado.", false),
            ("`is_unsure` returns whether the parser is unsure.", false),
            ("The cache does not contain expired keys.", false),
            ("It raises an error when the key is unknown.", false),
        ] {
            assert_eq!(hedging(draft).is_some(), hedges, "{draft}");
        }
    }
}
