//! Questions that the links between repositories answer: who uses a service or a contract, what a service uses, how two talk to each
//! other, and where the address of one is set.

/// A question about links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LinkQuestion {
    /// The users of a service or a contract.
    Users(String),
    /// The services that a service uses.
    Uses(String),
    /// The settings by which services are told addresses. The text names the services.
    Wiring(String),
    /// The links between two services.
    Between([String; 2]),
}

/// Verbs of a user and what it uses.
const VERBS: [&str; 34] = [
    "call",
    "calls",
    "use",
    "uses",
    "invoke",
    "invokes",
    "consume",
    "consumes",
    "read",
    "reads",
    "write",
    "writes",
    "publish",
    "publishes",
    "produce",
    "produces",
    "send",
    "sends",
    "query",
    "queries",
    "need",
    "needs",
    "import",
    "imports",
    "access",
    "accesses",
    "depend",
    "depends",
    "rely",
    "relies",
    "talk",
    "talks",
    "request",
    "requests",
];

/// Prepositions after such a verb.
const PREPOSITIONS: [&str; 5] = ["on", "to", "with", "from", "upon"];

/// Words about the place where an address is set.
const WIRING: [&str; 18] = [
    "deployment",
    "deployments",
    "manifest",
    "manifests",
    "address",
    "addresses",
    "url",
    "urls",
    "configured",
    "config",
    "setting",
    "settings",
    "wires",
    "wired",
    "helm",
    "compose",
    "kubernetes",
    "env",
];

/// Words between the name of a thing and its change.
const CHANGES: [&str; 10] = ["change", "changes", "changed", "is", "are", "gets", "was", "were", "goes", "breaks"];

/// Maximum number of words before the verb of a question about users.
const MAX_BEFORE_VERB: usize = 4;

/// Reads a question about links. `sides` are the two sides of a question about a relation.
pub(super) fn read(text: &str, sides: Option<&[String; 2]>) -> Option<LinkQuestion> {
    let words: Vec<&str> = text.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
    let rest = |from: usize, to: usize| words.get(from..to).unwrap_or_default().join(" ");
    let asks_for_place = matches!(lower.first(), Some(&("which" | "where" | "what" | "how" | "who")));
    let is_wiring = asks_for_place && lower.iter().any(|word| WIRING.contains(word));
    if is_wiring && !lower.iter().any(|word| matches!(*word, "break" | "breaks")) {
        return Some(LinkQuestion::Wiring(text.to_owned()));
    }
    if let Some(at) = lower.iter().position(|word| matches!(*word, "if" | "when"))
        && lower[..at].iter().any(|word| matches!(*word, "break" | "breaks" | "affected" | "happens"))
    {
        let end = (at + 1..lower.len()).find(|idx| CHANGES.contains(&lower[*idx])).unwrap_or(lower.len());
        return Some(LinkQuestion::Users(rest(at + 1, end))).filter(is_of_something);
    }
    if let ["what" | "who" | "which", ..] = lower.as_slice() {
        let verb = lower.iter().position(|word| VERBS.contains(word));
        let auxiliary = lower.iter().position(|word| matches!(*word, "does" | "do"));
        let asked = match (verb, auxiliary) {
            (Some(verb), Some(auxiliary)) if auxiliary < verb => LinkQuestion::Uses(rest(auxiliary + 1, verb)),
            (Some(verb), None) if verb <= MAX_BEFORE_VERB => {
                let has_preposition = lower.get(verb + 1).is_some_and(|word| PREPOSITIONS.contains(word));
                LinkQuestion::Users(rest(verb + 1 + usize::from(has_preposition), lower.len()))
            }
            _ => return sides.cloned().map(LinkQuestion::Between),
        };
        return Some(asked).filter(is_of_something);
    }
    if let Some(at) = lower.iter().position(|word| matches!(*word, "callers" | "users" | "consumers" | "dependents"))
        && lower.get(at + 1) == Some(&"of")
    {
        return Some(LinkQuestion::Users(rest(at + 2, lower.len()))).filter(is_of_something);
    }
    sides.cloned().map(LinkQuestion::Between)
}

fn is_of_something(question: &LinkQuestion) -> bool {
    match question {
        LinkQuestion::Users(of) | LinkQuestion::Uses(of) => !of.is_empty(),
        LinkQuestion::Wiring(_) | LinkQuestion::Between(_) => true,
    }
}

/// Returns a word without punctuation around it and without the ending of a possessive.
fn bare(word: &str) -> &str {
    let bare = word.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '/' | '_' | '{' | '}')));
    bare.strip_suffix("'s").or(bare.strip_suffix("’s")).unwrap_or(bare)
}

/// Returns the words of a subject that may name a contract: without articles and words about the kind.
pub(super) fn contract_names(subject: &str) -> Vec<String> {
    const KINDS: [&str; 26] = [
        "the",
        "a",
        "an",
        "its",
        "our",
        "this",
        "that",
        "topic",
        "queue",
        "table",
        "rpc",
        "method",
        "route",
        "routes",
        "endpoint",
        "endpoints",
        "variable",
        "environment",
        "env",
        "host",
        "service",
        "services",
        "message",
        "api",
        "signature",
        "function",
    ];
    let words = subject.split_whitespace().map(bare);
    let words: Vec<&str> = words.filter(|word| !KINDS.contains(&word.to_lowercase().as_str())).collect();
    match words.as_slice() {
        [] => Vec::new(),
        // `GET /cart` is one name.
        [first, second] if second.starts_with('/') => vec![format!("{first} {second}")],
        words => words.iter().map(|word| (*word).to_owned()).collect(),
    }
}

/// Returns the kind of contract that a subject says its name is of, as a prefix of the name.
pub(super) fn kind_prefix(subject: &str) -> Option<&'static str> {
    let of_word = |word: &str| match bare(word).to_lowercase().as_str() {
        "topic" | "queue" => Some("topic"),
        "table" => Some("table"),
        "variable" | "env" => Some("variable"),
        "host" => Some("host"),
        "route" | "endpoint" => Some("route"),
        "rpc" => Some("rpc"),
        _ => None,
    };
    subject.split_whitespace().find_map(of_word)
}

/// Returns true if a subject asks about routes.
pub(super) fn is_about_routes(subject: &str) -> bool {
    let is_route =
        |word: &str| matches!(bare(word).to_lowercase().as_str(), "route" | "routes" | "endpoint" | "endpoints");
    subject.split_whitespace().any(is_route)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_about_links_are_read() {
        let users = |of: &str| Some(LinkQuestion::Users(of.to_owned()));
        let uses = |of: &str| Some(LinkQuestion::Uses(of.to_owned()));
        for (text, expected) in [
            ("who calls the cart's routes?", users("the cart routes")),
            ("What depends on the currency service?", users("the currency service")),
            ("which services call PaymentService/Charge", users("PaymentService/Charge")),
            ("who reads the topic orders.created", users("the topic orders.created")),
            ("what breaks if `Charge` changes its signature", users("Charge")),
            ("who is affected when GET /cart/{id} is removed", users("GET /cart/{id}")),
            ("list the callers of checkout", users("checkout")),
            ("what does checkout depend on", uses("checkout")),
            ("which services does the cart call?", uses("the cart")),
            ("how are sessions signed", None),
            ("who calls", None),
            ("what is this", None),
        ] {
            assert_eq!(read(text, None), expected, "{text}");
        }
        let wiring = "which deployment file tells checkout where payment is?";
        assert_eq!(read(wiring, None), Some(LinkQuestion::Wiring(wiring.to_owned())));
        let sides = ["checkout".to_owned(), "payment".to_owned()];
        let between = Some(LinkQuestion::Between(sides.clone()));
        assert_eq!(read("how does checkout talk to payment?", Some(&sides)), between);
    }

    #[test]
    fn names_of_contracts_are_apart_from_words_about_them() {
        for (subject, expected) in [
            ("the topic orders.created", &["orders.created"][..]),
            ("GET /cart", &["GET /cart"]),
            ("the cart routes", &["cart"]),
            ("CART_ADDR variable", &["CART_ADDR"]),
        ] {
            assert_eq!(contract_names(subject), expected, "{subject}");
        }
        assert_eq!((kind_prefix("the table orders"), kind_prefix("orders")), (Some("table"), None));
        assert!(is_about_routes("the cart's routes") && !is_about_routes("router"));
    }
}
