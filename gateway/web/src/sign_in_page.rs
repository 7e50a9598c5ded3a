//! The page where callers sign in with a token.

use maud::html;

use crate::frame::{Frame, Section};

/// Renders the sign-in page. `next` is the page to go to; `failure` explains a failed attempt.
pub fn render(frame: &Frame, next: &str, failure: Option<&str>) -> String {
    let body = html! {
        div.sign-in {
            h1 { "Sign in" }
            p { "This server answers only callers with a token. Ask its operator for one, or use the one of your MCP client." }
            @if let Some(failure) = failure { p.notice.error role="alert" { (failure) } }
            form method="post" action="/signin" {
                input type="hidden" name="csrf" value=(frame.csrf);
                input type="hidden" name="next" value=(next);
                label for="token" { "Token" }
                input #token type="password" name="token" autocomplete="current-password" required maxlength="8192" autofocus;
                button.primary type="submit" { "Sign in" }
            }
            p.hint { "The token stays in a cookie of this browser that no script can read, until you sign out or close the browser." }
        }
    };
    frame.page(Section::None, "Sign in", body)
}
