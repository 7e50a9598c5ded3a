//! Pages of errors: each says which thing is missing and what the reader can do.

use maud::html;

use crate::{
    address,
    frame::{Frame, Section},
    symbol_page::plain,
};

/// A refused or failed request.
pub struct ErrorPage<'a> {
    /// The heading.
    pub title: &'a str,
    /// The message of the tool or of the server.
    pub message: &'a str,
    /// The next step of the reader.
    pub advice: &'a str,
}

impl ErrorPage<'_> {
    /// A page that does not exist.
    pub const NOT_FOUND: ErrorPage<'static> = ErrorPage {
        title: "There is no such page",
        message: "The address leads to nothing that you may read.",
        advice: "Search for it, or go to the map.",
    };

    /// Renders the page.
    pub fn render(&self, frame: &Frame) -> String {
        let body = html! {
            div.empty {
                h1 { (self.title) }
                p { (self.message) }
                @if !self.advice.is_empty() { p.hint { (self.advice) } }
                p.actions { a.button.primary href="/" { "To the map" } a.button href="/search" { "Search" } a.button href="/health" { "State of repositories" } }
            }
        };
        frame.page(Section::None, self.title, body)
    }

    /// Renders the page of a failed sign-in, which leads back to the sign-in page. `next` is the page to go to afterwards.
    pub fn render_sign_in(&self, frame: &Frame, next: &str) -> String {
        let body = html! {
            div.empty {
                h1 { (self.title) }
                p role="alert" { (self.message) }
                @if !self.advice.is_empty() { p.hint { (self.advice) } }
                p.actions { a.button.primary href=(address::with_query("/signin", &[("next", next)])) { "Try again" } }
            }
        };
        frame.page(Section::None, self.title, body)
    }
}

/// Tools that the advice to agents begins with.
const TOOLS: [&str; 11] = [
    "get_answer",
    "get_context",
    "get_file_context",
    "get_impact",
    "get_overview",
    "get_ranked_context",
    "get_risk",
    "get_symbol",
    "list_repos",
    "search_codebase",
    "search_symbols",
];

/// Beginnings of other advice to agents.
const AGENT_ADVICE: [&str; 6] = [
    "try get_symbol",
    "or `all`",
    "omit it for the default",
    "see `_meta.coverage`",
    "give a name or a path, or call search_codebase",
    "resources/list lists",
];

/// Words about the fields of an answer, and those for people.
const FIELD_WORDS: [(&str, &str); 1] =
    [("`depends_on` and `used_by` may be incomplete", "more may appear when the page is loaded again")];

/// Returns the error of a tool or of the server for people: without the advice to agents, the name of an argument and the marks of
/// code. Code and names keep their letters.
pub fn readable_message(message: &str) -> String {
    let message = message.trim();
    let rejected = ["Failed to deserialize query string: ", "Failed to deserialize form body: "];
    if let Some(reason) = rejected.iter().find_map(|prefix| message.strip_prefix(prefix)) {
        return format!("The address or the form has a value that cannot be read ({}).", plain(reason));
    }
    let named_fields =
        FIELD_WORDS.iter().fold(message.to_owned(), |written, (fields, words)| written.replace(fields, words));
    let message = without_argument(named_fields.trim_end_matches(['.', ':']));
    if message.is_empty() {
        return "It could not be shown.".to_owned();
    }
    // The first part is the problem itself.
    let is_fact = |(idx, part): &(usize, &str)| *idx == 0 || !is_advice(part);
    let facts = parts(message).into_iter().enumerate().filter(is_fact).map(|(_, part)| part);
    let text = plain(&facts.collect::<Vec<_>>().join("; "));
    if starts_with_word(message) {
        let (initial, rest) = text.split_at(1);
        return format!("{}{rest}.", initial.to_ascii_uppercase());
    }
    format!("{text}.")
}

/// Splits a message into its facts and advice, which are separated by semicolons outside of code.
fn parts(message: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut is_code = false;
    for (offset, letter) in message.char_indices() {
        is_code ^= letter == '`';
        if !is_code && message[offset..].starts_with("; ") {
            parts.push(&message[start..offset]);
            start = offset + 2;
        }
    }
    parts.push(&message[start..]);
    parts
}

/// Returns true for advice to agents. The names of definitions are code, so that a part cannot begin with one like a tool.
fn is_advice(part: &str) -> bool {
    let first_word = part.split([' ', ',']).next().unwrap_or_default();
    TOOLS.contains(&first_word) || AGENT_ADVICE.iter().any(|advice| part.starts_with(advice))
}

/// Returns true if a text begins with a word and not with a name or a path.
fn starts_with_word(text: &str) -> bool {
    let first = text.split(' ').next().unwrap_or_default().trim_end_matches(',');
    !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'\'')
}

/// Takes the name of an argument off the beginning: "`target`: nothing is called x".
fn without_argument(message: &str) -> &str {
    let rest = message.strip_prefix('`').and_then(|rest| rest.split_once("`: "));
    rest.filter(|(name, _)| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'))
        .map_or(message, |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_speak_to_people() {
        for (message, expected) in [
            (
                "`target`: nothing is called `x/y.go`; search_symbols finds names, search_codebase finds code by what it does",
                "Nothing is called x/y.go.",
            ),
            (
                "nothing is called `find`; nearest are: Store.find, find_all; search_symbols finds names",
                "Nothing is called find; nearest are: Store.find, find_all.",
            ),
            ("there is no repository `web`; list_repos lists them", "There is no repository web."),
            (
                "the links of some repositories are not known yet: `depends_on` and `used_by` may be incomplete",
                "The links of some repositories are not known yet: more may appear when the page is loaded again.",
            ),
            ("the worker did not answer in time.", "The worker did not answer in time."),
            ("`Store: a` is no name", "Store: a is no name."),
            (
                "Failed to deserialize query string: at: invalid digit found in string",
                "The address or the form has a value that cannot be read (at: invalid digit found in string).",
            ),
            (
                "nothing is called `get_users`; nearest are: `get_user`",
                "Nothing is called get_users; nearest are: get_user.",
            ),
            ("`a; get_symbol b` is no name; try get_symbol", "a; get_symbol b is no name."),
            ("no repository `web`; known are: `mode`, `repo`; or `all`", "No repository web; known are: mode, repo."),
            (
                "the format of the cursor is unknown; it has changed",
                "The format of the cursor is unknown; it has changed.",
            ),
            ("api:src/a.rs has no line 7, or could not be read", "api:src/a.rs has no line 7, or could not be read."),
            ("`api` is not indexed", "api is not indexed."),
            ("get_user is not known", "get_user is not known."),
            ("nothing is called `a.`", "Nothing is called a.."),
            ("it's empty: no file", "It's empty: no file."),
            ("ärger", "ärger."),
            ("get_answer has no model; list_repos lists them", "get_answer has no model."),
            ("api: not ready", "api: not ready."),
            ("", "It could not be shown."),
        ] {
            assert_eq!(readable_message(message), expected, "{message}");
        }
    }
}
