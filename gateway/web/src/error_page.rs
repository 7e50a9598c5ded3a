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

/// Words of requests that agents make, and people do not.
const AGENT_WORDS: [&str; 12] = [
    "get_",
    "search_",
    "list_repos",
    "mode",
    "argument",
    "arguments",
    "token_budget",
    "cursor",
    "repo",
    "aliases",
    "format",
    "on_partial",
];

/// Returns the error of a tool or of the server for people: without the advice to agents, the name of an argument and the marks of
/// code.
pub fn for_people(message: &str) -> String {
    let message = message.trim();
    let rejected = ["Failed to deserialize query string: ", "Failed to deserialize form body: "];
    if let Some(reason) = rejected.iter().find_map(|prefix| message.strip_prefix(prefix)) {
        return format!("The address or the form has a value that cannot be read ({}).", plain(reason));
    }
    // Facts and advice are separated by semicolons.
    let is_advice = |part: &&str| part.split(|one: char| !(one.is_alphanumeric() || one == '_')).any(is_agent_word);
    let (first, rest) = message.split_once("; ").unwrap_or((message, ""));
    let rest = rest.split("; ").filter(|part| !part.is_empty() && !is_advice(part));
    let told = [without_argument(first)].into_iter().chain(rest).map(plain).collect::<Vec<_>>().join("; ");
    let told = told.trim_end_matches(['.', ':']);
    let mut letters = told.chars();
    match letters.next() {
        Some(first) => format!("{}{}.", first.to_uppercase(), letters.as_str()),
        None => "It could not be shown.".to_owned(),
    }
}

fn is_agent_word(word: &str) -> bool {
    AGENT_WORDS.iter().any(|one| if one.ends_with('_') { word.starts_with(one) } else { word == *one })
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
            ("the worker did not answer in time.", "The worker did not answer in time."),
            ("`Store: a` is no name", "Store: a is no name."),
            (
                "Failed to deserialize query string: at: invalid digit found in string",
                "The address or the form has a value that cannot be read (at: invalid digit found in string).",
            ),
            ("", "It could not be shown."),
        ] {
            assert_eq!(for_people(message), expected, "{message}");
        }
    }
}
