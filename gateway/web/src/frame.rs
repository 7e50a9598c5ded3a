//! The frame around every page: head, skip link, search field, navigation and footer.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::asset::{ICON, SCRIPT, STYLE};

/// The caller and the request, as every page needs them.
#[derive(Debug, Clone, Default)]
pub struct Frame {
    /// The name of the caller; empty before sign-in.
    pub caller: String,
    /// True if callers sign in.
    pub has_sign_in: bool,
    /// The token of forms against cross-site requests.
    pub csrf: String,
    /// The text of the search field.
    pub query: String,
}

/// The entry of the navigation that a page belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// The map.
    Map,
    /// Search, and the pages of code.
    Search,
    /// Review of a change.
    Review,
    /// State of indexing and workers.
    Health,
    /// Calls of tools.
    Usage,
    /// No entry: errors and sign-in.
    None,
}

const NAVIGATION: [(Section, &str, &str); 5] = [
    (Section::Map, "/", "Map"),
    (Section::Search, "/search", "Search"),
    (Section::Review, "/review", "Review"),
    (Section::Health, "/health", "Health"),
    (Section::Usage, "/usage", "Usage"),
];

/// The automatic reload of a page without a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refresh<'a> {
    /// The page does not change.
    Never,
    /// The browser goes to another page of this server.
    Forward(&'a str),
    /// Without a script, the browser reloads the page every few seconds.
    Often,
}

/// A page without its content, so that its head can be sent first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageShell {
    /// All before the content.
    pub head: String,
    /// All after it.
    pub tail: String,
}

impl PageShell {
    /// Returns the page with its content.
    pub fn with_content(self, content: &str) -> String {
        self.head + content + &self.tail
    }
}

/// Stands for the content of a page. Texts of a frame are escaped, so that none of them contains it.
const CONTENT_MARK: &str = "<!--content-->";

impl Frame {
    /// Renders a page without its content.
    pub fn shell(&self, section: Section, title: &str) -> PageShell {
        let page = self.page(section, title, html! { (PreEscaped(CONTENT_MARK)) });
        let (head, tail) = page.split_once(CONTENT_MARK).expect("a page has its content");
        PageShell { head: head.to_owned(), tail: tail.to_owned() }
    }

    /// Renders a page.
    pub fn page(&self, section: Section, title: &str, body: Markup) -> String {
        self.refreshed_page(section, title, Refresh::Never, body)
    }

    /// Renders a page that may be loaded again by itself.
    pub fn refreshed_page(&self, section: Section, title: &str, refresh: Refresh<'_>, body: Markup) -> String {
        let is_signed_in = !self.has_sign_in || !self.caller.is_empty();
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (title) " · Causeway" }
                    link rel="icon" type="image/svg+xml" href=(ICON.path);
                    link rel="stylesheet" href=(STYLE.path);
                    script src=(SCRIPT.path) defer {}
                    @match refresh {
                        Refresh::Never => {}
                        Refresh::Forward(path) => { meta http-equiv="refresh" content={ "0;url=" (path) }; }
                        Refresh::Often => { noscript { meta http-equiv="refresh" content="5"; } }
                    }
                }
                body {
                    a.skip href="#main" { "Skip to content" }
                    header.top {
                        a.brand href="/" aria-label="Causeway, to the map" { (logo()) span { "Causeway" } }
                        @if is_signed_in {
                            form.find action="/search" role="search" {
                                label.hidden for="q" { "Search all repositories" }
                                input #q type="search" name="q" value=(self.query) placeholder="Search code, symbols, paths, or ask a question"
                                    autocomplete="off" spellcheck="false" maxlength="2000";
                                kbd aria-hidden="true" { "/" }
                            }
                            nav.sections aria-label="Sections" {
                                @for (own, href, name) in NAVIGATION {
                                    a href=(href) aria-current=[(own == section).then_some("page")] { (name) }
                                }
                            }
                            @if self.has_sign_in {
                                form.out method="post" action="/signout" {
                                    input type="hidden" name="csrf" value=(self.csrf);
                                    button.quiet type="submit" title={ "Signed in as " (self.caller) } { "Sign out" }
                                }
                            }
                        }
                    }
                    main #main tabindex="-1" { (body) }
                    footer.bottom {
                        span { "Nothing that you look at leaves this server: no telemetry, no third-party content." }
                    }
                }
            }
        };
        page.into_string()
    }
}

fn logo() -> Markup {
    html! {
        svg width="22" height="22" viewBox="0 0 24 24" aria-hidden="true" {
            path.logo-line d="M2 15c3 0 3-6 6.5-6S12 15 15.500 15 19 9 22 9" {}
            circle.logo-dot cx="8.5" cy="9" r="2.600" {}
            circle.logo-dot cx="15.500" cy="15" r="2.600" {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_with_its_content_is_the_page() {
        for query in ["", CONTENT_MARK, "<b>"] {
            let frame = Frame { query: query.to_owned(), ..Frame::default() };
            let shell = frame.shell(Section::Search, query);
            assert!(shell.head.contains("<title>") && shell.head.contains("</nav>"), "{query}: {}", shell.head);
            let page = frame.page(Section::Search, query, html! { p { "text" } });
            assert_eq!(shell.with_content("<p>text</p>"), page, "{query}");
        }
    }
}
