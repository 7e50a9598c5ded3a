//! The page of the links of one repository to another: each with both sites, their code, and the reasons.

use std::collections::BTreeSet;

use maud::{Markup, html};
use serde_json::Value;

use crate::{
    address,
    answer::{CodePlace, counted, decimal, list, number, text, texts},
    code::{LineLinks, SourceView, code},
    coverage_notice::coverage_notice,
    error_page::readable_message,
    frame::{Frame, PageShell, Section},
    map::kind_label,
};

/// The code at a site of a link.
#[derive(Debug, Clone, Default)]
pub struct SiteCode {
    /// The place as the answer writes it, such as `alias:src/main.rs:10`.
    pub place: String,
    /// The lines around it; none if they could not be read.
    pub source: Option<SourceView>,
}

/// Maximum number of links whose code a page shows: about 4 kB each, and the page has less than 150 kB with its style.
const MAX_WITH_CODE: usize = 12;

/// Returns the places of the evidence that is shown with code, so that it can be read.
pub fn places<'a>(overview: &'a Value, user: &str, provider: &str, kind: &str) -> Vec<&'a str> {
    let links: Vec<&Value> = selected(overview, user, provider, kind).collect();
    let shown = with_code(&links);
    let evidence = links.iter().enumerate().flat_map(|(kind_idx, link)| {
        list(link, "evidence").iter().enumerate().map(move |(sides_idx, sides)| ((kind_idx, sides_idx), sides))
    });
    evidence
        .filter(|(place, _)| shown.contains(place))
        .flat_map(|(_, sides)| [text(sides, "user"), text(sides, "offer")])
        .collect()
}

fn selected<'a>(overview: &'a Value, user: &str, provider: &str, kind: &str) -> impl Iterator<Item = &'a Value> {
    let is_selected = move |link: &&Value| {
        let has_kind = kind.is_empty() || text(link, "kind").starts_with(kind);
        text(link, "user") == user && text(link, "provider") == provider && has_kind
    };
    list(overview, "links").iter().filter(is_selected)
}

/// Returns the kinds and ranks of the evidence that is shown with code: the most certain of each kind first.
fn with_code(links: &[&Value]) -> BTreeSet<(usize, usize)> {
    let mut by_rank: Vec<(usize, usize)> = links
        .iter()
        .enumerate()
        .flat_map(|(kind_idx, link)| (0..list(link, "evidence").len()).map(move |sides_idx| (sides_idx, kind_idx)))
        .collect();
    by_rank.sort_unstable();
    by_rank.into_iter().take(MAX_WITH_CODE).map(|(sides_idx, kind_idx)| (kind_idx, sides_idx)).collect()
}

/// Returns the frame of the page.
pub fn shell(frame: &Frame, user: &str, provider: &str) -> PageShell {
    frame.shell(Section::Map, &format!("{user} → {provider}"))
}

/// Renders the reason for which no links are shown.
pub fn failed_content(message: &str) -> String {
    html! { div.notice.error role="alert" { p { (readable_message(message)) } } }.into_string()
}

/// Renders the links.
pub fn content(overview: &Value, user: &str, provider: &str, kind: &str, sites: &[SiteCode]) -> String {
    let links: Vec<&Value> = selected(overview, user, provider, kind).collect();
    let n_links: u64 = links.iter().map(|link| number(link, "links")).sum();
    let shown = with_code(&links);
    let content = html! {
        nav.crumbs aria-label="Breadcrumb" { a href="/" { "Map" } span { "Links" } }
        h1 { a href=(address::repository(user)) { (user) } " → " a href=(address::repository(provider)) { (provider) } }
        p.lead { (counted(n_links, "link")) ", by which " (user) " uses " (provider) ". Of each, the use comes first, and then the definition that it leads to." }
        (coverage_notice(overview))
        @if links.is_empty() {
            div.empty { h2 { "No such link" } p { "No link of this kind is known between repositories that you may read." } }
        }
        @for (kind_idx, link) in links.iter().enumerate() {
            (kind_section(link, sites, |sides_idx| shown.contains(&(kind_idx, sides_idx))))
        }
    };
    content.into_string()
}

fn kind_section(link: &Value, sites: &[SiteCode], has_code: impl Fn(usize) -> bool) -> Markup {
    let evidence = list(link, "evidence");
    let n_with_code = (0..evidence.len()).filter(|sides_idx| has_code(*sides_idx)).count();
    html! {
        section.kind {
            h2 {
                (kind_label(text(link, "kind"))) span.badge { (counted(number(link, "links"), "link")) }
                span.confidence title="From 0, a guess, to 1, certain" { "confidence of the most certain: " (format!("{:.2}", decimal(link, "confidence"))) }
            }
            @for (sides_idx, sides) in evidence.iter().enumerate() {
                @let sites = has_code(sides_idx).then_some(sites);
                article.evidence {
                    h3 { code { (text(sides, "key")) } }
                    div.sides {
                        (side("uses it", text(sides, "user"), sites))
                        (side("offers it", text(sides, "offer"), sites))
                    }
                    @if !list(sides, "because").is_empty() {
                        p.hint { "The reasons why the request goes there:" }
                        ul.reasons { @for reason in texts(sides, "because") { li { (reason) } } }
                    }
                    @if !text(sides, "versions").is_empty() { p.hint { (text(sides, "versions")) } }
                }
            }
            @if n_with_code < evidence.len() {
                p.hint { "The first " (n_with_code) " are shown with their code. The places of the others lead to it." }
            }
            @if number(link, "links") > evidence.len() as u64 {
                p.hint { "The most certain are shown: " (evidence.len()) " of " (counted(number(link, "links"), "link")) "." }
            }
        }
    }
}

fn side(role: &str, written: &str, sites: Option<&[SiteCode]>) -> Markup {
    let site = sites.map(|sites| sites.iter().find(|site| site.place == written));
    let source = site.map(|site| site.and_then(|site| site.source.as_ref()));
    let place = CodePlace::parse(written);
    html! {
        div.side {
            p.place {
                span.role { (role) } " "
                @if let Some(CodePlace { repo, path, line }) = &place { a href=(address::file(repo, path, *line)) { (repo) ":" (path) ":" (line) } } @else { (written) }
            }
            @match (source, &place) {
                (None, _) => {}
                (Some(Some(source)), Some(place)) => (code(source, LineLinks::File(source), place.line, &[])),
                _ => p.hint { "The code at this place could not be read." },
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn kinds_have_the_labels_of_the_map() {
        for (kind, expected) in [
            ("package_symbol", "Definitions of packages"),
            ("package", "Packages"),
            ("http", "HTTP"),
            ("config", "Settings"),
            ("other_kind", "other kind"),
        ] {
            let shown =
                kind_section(&json!({"kind": kind, "links": 3, "confidence": 0.9}), &[], |_| true).into_string();
            assert!(shown.contains(&format!("<h2>{expected}<span class=\"badge\">3 links</span>")), "{kind}: {shown}");
            assert!(shown.contains("confidence of the most certain: 0.90"), "{shown}");
            assert!(shown.contains("The most certain are shown: 0 of 3 links."), "{shown}");
        }
    }

    fn links(n_evidence: &[usize]) -> Value {
        let link = |(kind_idx, n_evidence): (usize, &usize)| {
            let sides =
                |at: usize| json!({"key": "k", "user": format!("a:u{kind_idx}.rs:{}", at + 1), "offer": "b:o.rs:1"});
            let evidence: Vec<Value> = (0..*n_evidence).map(sides).collect();
            json!({"user": "a", "provider": "b", "kind": format!("kind{kind_idx}"), "links": n_evidence, "evidence": evidence})
        };
        json!({"links": n_evidence.iter().enumerate().map(link).collect::<Vec<Value>>()})
    }

    #[test]
    fn code_is_shown_for_the_most_certain_of_each_kind() {
        for (n_evidence, n_with_code) in [
            (vec![], vec![]),
            (vec![3], vec![3]),
            (vec![25], vec![12]),
            (vec![25, 25], vec![6, 6]),
            (vec![25, 2, 1], vec![9, 2, 1]),
            (vec![1; 14], vec![1; 12]),
        ] {
            let overview = links(&n_evidence);
            let places = places(&overview, "a", "b", "");
            for (kind_idx, expected) in n_with_code.iter().enumerate() {
                let own = format!("a:u{kind_idx}.rs:");
                assert_eq!(places.iter().filter(|place| place.starts_with(&own)).count(), *expected, "{n_evidence:?}");
            }
            assert_eq!(places.len(), 2 * n_with_code.iter().sum::<usize>(), "{n_evidence:?}");
        }
    }

    #[test]
    fn a_place_without_code_has_no_complaint_and_an_unreadable_one_has() {
        let page = content(&links(&[13]), "a", "b", "", &[]);
        assert_eq!(page.matches("could not be read").count(), 24, "{page}");
        assert_eq!(page.matches("class=\"place\"").count(), 26, "{page}");
        assert!(page.contains("The first 12 are shown with their code."), "{page}");
        let whole = content(&links(&[12]), "a", "b", "", &[]);
        assert!(!whole.contains("are shown with their code"), "{whole}");
    }
}
