//! The page where callers sign in: at the authorisation server if there is one, or with a token.

use maud::{Markup, html};

use crate::{
    address,
    frame::{Frame, Refresh, Section},
};

/// Renders the sign-in page. `next` is the page to go to; `failure` explains a failed attempt; `issuer` is the name of the
/// authorisation server, if callers can sign in there.
pub fn render(frame: &Frame, next: &str, failure: Option<&str>, issuer: Option<&str>) -> String {
    let body = html! {
        div.sign-in {
            h1 { "Sign in" }
            @if issuer.is_none() {
                p { "This server answers only callers with a token. Ask its operator for one, or use the one of your MCP client." }
            }
            @if let Some(failure) = failure { p.notice.error role="alert" { (failure) } }
            @if let Some(issuer) = issuer {
                a.button.primary.wide href=(address::with_query("/signin/oauth", &[("next", next)])) { "Sign in with " (issuer) }
                details { summary { "Use a token instead" } (token_form(frame, next)) }
            } @else {
                (token_form(frame, next))
            }
            p.hint { "The token stays in a cookie of this browser that no script can read, until you sign out or close the browser." }
        }
    };
    frame.page(Section::None, "Sign in", body)
}

fn token_form(frame: &Frame, next: &str) -> Markup {
    html! {
        form method="post" action="/signin" {
            input type="hidden" name="csrf" value=(frame.csrf);
            input type="hidden" name="next" value=(next);
            label for="token" { "Token" }
            input #token type="password" name="token" autocomplete="current-password" required maxlength="8192" autofocus;
            button.primary type="submit" { "Sign in" }
        }
    }
}

/// Renders the page after a sign-in at the authorisation server, from which the browser goes to `next` by itself.
pub fn render_forward(frame: &Frame, next: &str) -> String {
    let body = html! {
        div.sign-in {
            h1 { "You are signed in" }
            p { a.button.primary.wide href=(next) { "Continue" } }
        }
    };
    frame.refreshed_page(Section::None, "Signed in", Refresh::Forward(next), body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_offers_what_is_configured() {
        let frame = Frame { has_sign_in: true, csrf: "c5".to_owned(), ..Frame::default() };
        let with = render(&frame, "/search?q=a&b", None, Some("id.example.com"));
        assert!(with.contains("Sign in with id.example.com") && with.contains("name=\"csrf\" value=\"c5\""), "{with}");
        assert!(with.contains("/signin/oauth?next=/search%3Fq%3Da%26b"), "{with}");
        assert!(!render(&frame, "/", None, None).contains("/signin/oauth"));
        let forward = render_forward(&frame, "/search?q=\"a\"");
        assert!(forward.contains("content=\"0;url=/search?q=&quot;a&quot;\""), "{forward}");
    }
}
