//! The terms and names of a question, looked up in the names, comments and lines of many definitions.

use std::collections::HashMap;

use ranking::analyser::{self, Analyser};

/// Maximum number of terms that are looked for; one bit stands for each.
const MAX_TERMS: usize = 48;

/// Minimum length of a name in the question that lines are searched for as it is written.
const MIN_NAME_CHARS: usize = 3;

/// Terms of questions that tell nothing of code.
#[rustfmt::skip]
const QUESTION_TERMS: [&str; 50] = [
    "how", "long", "often", "mani", "much", "larg", "big", "far", "happen", "doe", "can", "get", "let", "make", "befor", "after", "most",
    "take", "place", "thing", "exactli", "actual", "work", "deal", "whether", "which", "what", "when", "where", "who", "why", "tell",
    "decid", "explain", "figur", "becom", "proce", "react", "behav", "real", "realli", "behind", "onc", "unless", "whose", "sure", "out",
    "turn", "treat", "rid",
];

/// Words for one thing in questions and in code, as terms of the index. Code abbreviates, and people do not.
#[rustfmt::skip]
const SYNONYMS: [&[&str]; 60] = [
    &["size", "length", "len"],
    &["check", "valid", "verifi", "assert"],
    &["remov", "delet", "drop", "discard"],
    &["creat", "make", "build", "generat"],
    &["configur", "config", "conf", "cfg"],
    &["directori", "folder", "dir"],
    &["messag", "msg"],
    &["request", "req"],
    &["respons", "resp", "repli"],
    &["function", "fn", "func", "callback"],
    &["maximum", "max", "most"],
    &["minimum", "min", "least"],
    &["number", "count", "num"],
    &["authent", "auth", "login"],
    &["invok", "invoc", "call"],
    &["expir", "expiri", "ttl"],
    &["paramet", "param", "arg", "argument"],
    &["environ", "env"],
    &["temporari", "temp", "tmp"],
    &["databas", "db"],
    &["context", "ctx"],
    &["initi", "init", "setup"],
    &["previous", "prev"],
    &["connect", "conn"],
    &["address", "addr"],
    &["inform", "info"],
    &["refer", "ref"],
    &["execut", "exec"],
    &["repeat", "retri", "again"],
    &["twice", "duplic", "alreadi"],
    &["choos", "chosen", "select", "pick"],
    &["swap", "replac", "exchang"],
    &["load", "read", "fetch"],
    &["error", "err", "except", "fail", "failur"],
    &["pars", "decod", "unmarsh", "deseri"],
    &["encod", "serial", "marshal"],
    &["process", "handl", "handler"],
    &["skip", "ignor", "omit"],
    &["reject", "refus", "deni", "forbid"],
    &["stop", "termin", "halt"],
    &["store", "save", "persist"],
    &["crash", "die", "dead"],
    &["wait", "delay", "sleep"],
    &["finish", "complet", "done"],
    &["prioriti", "prefer", "order"],
    &["emit", "notifi", "publish"],
    &["nest", "recurs", "depth"],
    &["renew", "refresh", "extend"],
    // Forms that endings do not tell.
    &["keep", "kept"],
    &["send", "sent"],
    &["lose", "lost"],
    &["write", "written", "wrote"],
    &["throw", "thrown", "threw", "rais"],
    &["find", "found"],
    &["run", "ran"],
    &["begin", "began", "begun", "start"],
    &["hold", "held"],
    &["bind", "bound"],
    &["break", "broken", "broke"],
    &["hide", "hidden", "hid"],
];

/// Returns the other words for a term.
fn synonyms(term: &str) -> impl Iterator<Item = &'static str> {
    let group = SYNONYMS.into_iter().find(|group| group.contains(&term)).unwrap_or_default();
    let term = term.to_owned();
    group.iter().copied().filter(move |other| *other != term)
}

/// The terms and names of a question, looked up in many texts.
pub(super) struct AskedTerms {
    terms: HashMap<String, u64>,
    names: HashMap<String, u64>,
    pub(super) weights: Vec<f32>,
    /// The bits of the words that were looked up.
    bits_by_word: HashMap<String, u64>,
    analyser: Analyser,
    /// By number of a term in the analyser.
    bits_by_term: Vec<u64>,
}

impl AskedTerms {
    /// Returns the terms that tell something; `aliases` are those of repositories that the question names.
    pub(super) fn of(terms: &[(String, f32)], names: &[String], aliases: &[String]) -> AskedTerms {
        let is_telling = |(term, weight): &&(String, f32)| {
            *weight > 0.0 && !QUESTION_TERMS.contains(&term.as_str()) && !aliases.contains(term)
        };
        let mut telling: Vec<&(String, f32)> = terms.iter().filter(is_telling).collect();
        telling.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        telling.truncate(MAX_TERMS);
        let most = telling.first().map_or(1.0, |(_, weight)| *weight);
        let mut weights: Vec<f32> = telling.iter().map(|(_, weight)| *weight).collect();
        let bits = |place: usize| 1_u64 << place;
        let mut terms: HashMap<String, u64> =
            telling.iter().enumerate().map(|(place, (term, _))| (term.clone(), bits(place))).collect();
        // A word of the question keeps its own meaning.
        let own: Vec<String> = terms.keys().cloned().collect();
        for (place, (term, _)) in telling.iter().enumerate() {
            for synonym in synonyms(term).filter(|synonym| !own.iter().any(|term| term == synonym)) {
                *terms.entry(synonym.to_owned()).or_default() |= bits(place);
            }
        }
        let mut by_name = HashMap::new();
        for name in names.iter().map(|name| name.rsplit(['.', ':']).next().unwrap_or(name)) {
            if name.len() >= MIN_NAME_CHARS && weights.len() < u64::BITS as usize {
                by_name.entry(name.to_lowercase()).or_insert_with(|| {
                    weights.push(most);
                    bits(weights.len() - 1)
                });
            }
        }
        let (bits_by_word, analyser, bits_by_term) = Default::default();
        AskedTerms { terms, names: by_name, weights, bits_by_word, analyser, bits_by_term }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Returns the bits of the terms and names in a text.
    pub(super) fn bits(&mut self, text: &str) -> u64 {
        let mut found = 0;
        for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()) {
            if let Some(bits) = self.bits_by_word.get(word) {
                found |= bits;
                continue;
            }
            let of_parts = analyser::words(word).iter().fold(0, |all, part| all | self.bits_of_part(part));
            let bits = of_parts | self.names.get(&word.to_lowercase()).copied().unwrap_or(0);
            self.bits_by_word.insert(word.to_owned(), bits);
            found |= bits;
        }
        found
    }

    /// Returns the bits of the terms in a part of an identifier.
    fn bits_of_part(&mut self, part: &str) -> u64 {
        let mut terms = Vec::new();
        self.analyser.analyse(part, &mut terms);
        let new_terms = self.bits_by_term.len() as u32..self.analyser.n_terms() as u32;
        let of_new = new_terms.map(|term| self.terms.get(self.analyser.term(term)).copied().unwrap_or(0));
        self.bits_by_term.extend(of_new);
        terms.into_iter().fold(0, |all, term| all | self.bits_by_term[term as usize])
    }

    /// Returns the bits of the names.
    pub(super) fn names_mask(&self) -> u64 {
        self.names.values().fold(0, |all, bits| all | bits)
    }

    pub(super) fn weight(&self, bits: u64) -> f32 {
        let mut rest = bits;
        let mut weight = 0.0;
        while rest != 0 {
            weight += self.weights[rest.trailing_zeros() as usize];
            rest &= rest - 1;
        }
        weight
    }

    pub(super) fn share(&self, bits: u64) -> f32 {
        self.weight(bits) / self.weights.iter().sum::<f32>().max(f32::MIN_POSITIVE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(asked: &[&str], text: &str) -> u32 {
        let terms: Vec<(String, f32)> = asked.iter().map(|term| ((*term).to_owned(), 1.0)).collect();
        AskedTerms::of(&terms, &[], &[]).bits(text).count_ones()
    }

    #[test]
    fn code_has_other_words_for_a_thing() {
        for (asked, text, expected) in [
            (&["size", "limit"][..], "if contentLength > limit", 2),
            (&["creat", "berth"], "buildBerth()", 2),
            (&["berth"], "lengthOfPier()", 0),
            (&["kept", "berth"], "keepBerth()", 2),
            (&["handler", "error"], "handleFailedBerth()", 2),
            (&["handler"], "shandy()", 0),
            // Each word of a question needs one of its own.
            (&["size", "length"], "berthLength", 1),
        ] {
            assert_eq!(bits(asked, text), expected, "{asked:?} {text}");
        }
    }

    #[test]
    fn synonyms_are_terms_of_the_index() {
        for word in [
            "size",
            "verify",
            "database",
            "response",
            "previous",
            "invocation",
            "duplicate",
            "already",
            "expiry",
            "handle",
            "handler",
            "ignore",
            "refuse",
            "terminate",
            "complete",
            "delay",
            "kept",
            "raise",
            "failure",
            "recursive",
        ] {
            let term = analyser::terms(word).pop().unwrap_or_default();
            assert!(synonyms(&term).next().is_some(), "{word}: {term}");
        }
        assert_eq!(synonyms("berth").next(), None);
    }
}
