//! Pages of errors: each says which thing is missing and what the reader can do.

use maud::html;

use crate::{
    address,
    frame::{Frame, Section},
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
