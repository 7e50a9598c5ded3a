//! The page of the links of one repository to another: each with both sites, their code, and the reasons.

use maud::{Markup, html};
use serde_json::Value;

use crate::{
    address,
    answer::{CodePlace, counted, decimal, list, number, text, texts},
    code::{LineLinks, SourceView, code},
    coverage_notice::coverage_notice,
    frame::{Frame, Section},
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

/// Returns the places of all evidence in the answer of `get_overview`, so that their code can be read.
pub fn places<'a>(overview: &'a Value, user: &str, provider: &str, kind: &str) -> Vec<&'a str> {
    let links = selected(overview, user, provider, kind);
    links
        .flat_map(|link| list(link, "evidence"))
        .flat_map(|sides| [text(sides, "user"), text(sides, "offer")])
        .collect()
}

fn selected<'a>(overview: &'a Value, user: &str, provider: &str, kind: &str) -> impl Iterator<Item = &'a Value> {
    let is_selected = move |link: &&Value| {
        let has_kind = kind.is_empty() || text(link, "kind").starts_with(kind);
        text(link, "user") == user && text(link, "provider") == provider && has_kind
    };
    list(overview, "links").iter().filter(is_selected)
}

/// Renders the links.
pub fn render(frame: &Frame, overview: &Value, user: &str, provider: &str, kind: &str, sites: &[SiteCode]) -> String {
    let links: Vec<&Value> = selected(overview, user, provider, kind).collect();
    let n_links: u64 = links.iter().map(|link| number(link, "links")).sum();
    let title = format!("{user} → {provider}");
    let body = html! {
        nav.crumbs aria-label="Breadcrumb" { a href="/" { "Map" } span { "Links" } }
        h1 { a href=(address::repository(user)) { (user) } " → " a href=(address::repository(provider)) { (provider) } }
        p.lead { (counted(n_links, "link")) ", by which " (user) " uses " (provider) ". Of each, the use comes first, and then the definition that it leads to." }
        (coverage_notice(overview))
        @if links.is_empty() {
            div.empty { h2 { "No such link" } p { "No link of this kind is known between repositories that you may read." } }
        }
        @for link in links { (kind_section(link, sites)) }
    };
    frame.page(Section::Map, &title, body)
}

fn kind_section(link: &Value, sites: &[SiteCode]) -> Markup {
    let evidence = list(link, "evidence");
    html! {
        section.kind {
            h2 {
                (kind_label(text(link, "kind"))) span.badge { (counted(number(link, "links"), "link")) }
                span.confidence title="From 0, a guess, to 1, certain" { "confidence of the most certain: " (format!("{:.2}", decimal(link, "confidence"))) }
            }
            @for sides in evidence {
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
            @if number(link, "links") > evidence.len() as u64 {
                p.hint { "The most certain are shown: " (evidence.len()) " of " (counted(number(link, "links"), "link")) "." }
            }
        }
    }
}

fn side(role: &str, written: &str, sites: &[SiteCode]) -> Markup {
    let source = sites.iter().find(|site| site.place == written).and_then(|site| site.source.as_ref());
    let place = CodePlace::parse(written);
    html! {
        div.side {
            p.place {
                span.role { (role) } " "
                @if let Some(CodePlace { repo, path, line }) = &place { a href=(address::file(repo, path, *line)) { (repo) ":" (path) ":" (line) } } @else { (written) }
            }
            @match (source, &place) {
                (Some(source), Some(place)) => (code(source, LineLinks::File(source), place.line, &[])),
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
            let shown = kind_section(&json!({"kind": kind, "links": 3, "confidence": 0.9}), &[]).into_string();
            assert!(shown.contains(&format!("<h2>{expected}<span class=\"badge\">3 links</span>")), "{kind}: {shown}");
            assert!(shown.contains("confidence of the most certain: 0.90"), "{shown}");
            assert!(shown.contains("The most certain are shown: 0 of 3 links."), "{shown}");
        }
    }
}
