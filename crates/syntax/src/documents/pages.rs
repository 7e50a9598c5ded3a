//! Requests that a web page or its template sends: `<form method="post" action="{{ base }}/cart">`, `<button hx-get="/cart">`.

use model::DocumentFormat;

use super::builder::DraftDocument;

/// Maximum number of requests of one page.
const MAX_REQUESTS: usize = 200;

/// Maximum length in bytes of a tag. Longer ones hold scripts or images.
const MAX_TAG_BYTES: usize = 4_000;

/// Attributes that name the path of a request, with its method.
const ATTRIBUTES: [(&str, &str); 5] =
    [("hx-get", "GET"), ("hx-post", "POST"), ("hx-put", "PUT"), ("hx-patch", "PATCH"), ("hx-delete", "DELETE")];

/// Delimiters of the tags of templates.
const TEMPLATE_TAGS: [(&str, &str); 5] = [("{{", "}}"), ("{%", "%}"), ("<%", "%>"), ("${", "}"), ("@{", "}")];

/// Returns true for a page with forms or attributes that send requests.
pub(super) fn is_page(text: &str) -> bool {
    text.contains("</") && (text.contains("<form") || ATTRIBUTES.iter().any(|(name, _)| text.contains(name)))
}

/// Reads the requests of a page.
pub(super) fn read(text: &str) -> DraftDocument {
    let mut document = DraftDocument::new(DocumentFormat::Commands);
    let mut line = 1;
    let mut rest = text;
    let mut n_requests = 0;
    while let Some(at) = rest.find('<') {
        line += n_lines(&rest[..at]);
        let tag = tag(&rest[at..]);
        for request in requests(tag).into_iter().take(MAX_REQUESTS - n_requests) {
            document.add(None, "request", &request, line);
            n_requests += 1;
        }
        line += n_lines(tag);
        rest = &rest[at + tag.len()..];
    }
    document
}

fn n_lines(text: &str) -> u32 {
    text.matches('\n').count() as u32
}

/// Returns a tag with its brackets. Brackets in quotes and in tags of templates are part of it.
fn tag(text: &str) -> &str {
    let mut at = 1;
    let mut quote = None;
    while at < text.len().min(MAX_TAG_BYTES) {
        let rest = &text[at..];
        if let Some(length) = template_tag(rest) {
            at += length;
            continue;
        }
        let c = rest.chars().next().unwrap_or_default();
        at += c.len_utf8();
        match (quote, c) {
            (None, '>') => return &text[..at],
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
    }
    &text[..1]
}

/// Returns the length of the tag of a template that a text begins with.
fn template_tag(text: &str) -> Option<usize> {
    let (open, close) = TEMPLATE_TAGS.iter().find(|(open, _)| text.starts_with(open))?;
    Some(text[open.len()..].find(close)? + open.len() + close.len())
}

/// Returns the requests of a tag, each as `METHOD URL`. A tag of a template in the URL is `${}`.
fn requests(tag: &str) -> Vec<String> {
    let is_form = tag.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("<form"));
    let method = attribute(tag, "method").map_or("GET".to_owned(), |method| method.to_ascii_uppercase());
    let of_form = attribute(tag, "action").filter(|_| is_form && matches!(method.as_str(), "GET" | "POST"));
    let of_form = of_form.and_then(url).map(|url| format!("{method} {url}"));
    let of_attributes = ATTRIBUTES.iter().filter_map(|(name, method)| {
        let url = attribute(tag, name).and_then(url)?;
        Some(format!("{method} {url}"))
    });
    of_form.into_iter().chain(of_attributes).collect()
}

/// Returns the value of an attribute, in quotes. A prefix `data-` or `th:` is accepted.
fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let mut from = 0;
    while let Some(found) = tag[from..].find(name) {
        let at = from + found;
        from = at + name.len();
        let is_start = tag[..at].ends_with([' ', '\n', '\t', ':']) || tag[..at].ends_with("data-");
        let Some(value) = tag[from..].trim_start().strip_prefix('=').map(str::trim_start).filter(|_| is_start) else {
            continue;
        };
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let mut end = 1;
        while end < value.len() {
            let rest = &value[end..];
            match template_tag(rest) {
                Some(length) => end += length,
                None if rest.starts_with(quote) => return Some(&value[1..end]),
                None => end += rest.chars().next().map_or(1, char::len_utf8),
            }
        }
        return None;
    }
    None
}

/// Returns a path or URL with `${}` for each tag of a template; `None` for a path that is relative to the page.
fn url(value: &str) -> Option<String> {
    let mut url = String::new();
    let mut rest = value.trim();
    // `@{/cart}` of Thymeleaf is a path.
    if let Some(path) = rest.strip_prefix("@{").and_then(|inner| inner.strip_suffix('}')) {
        rest = path;
    }
    while let Some(c) = rest.chars().next() {
        match template_tag(rest) {
            Some(length) => {
                url.push_str("${}");
                rest = &rest[length..];
            }
            None => {
                url.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    let path = url.strip_prefix("${}").unwrap_or(&url);
    let is_path = path.starts_with('/') && path.len() > 1 && !path.starts_with("//");
    let is_url = url.starts_with("http://") || url.starts_with("https://");
    (is_path || is_url).then_some(url).filter(|url| !url.contains(char::is_whitespace))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_and_attributes_send_requests() {
        for (page, expected) in [
            ("<form method=\"post\" action=\"/cart\"></form>", &["POST /cart"][..]),
            ("<form class=x\n action='{{ $.baseUrl }}/cart/{{ .Id }}'>", &["GET ${}/cart/${}"]),
            ("<form action=\"{{ url(\"cart\") }}/items\" method='POST'>", &["POST ${}/items"]),
            ("<form th:action=\"@{/owners/new}\" method=\"post\">", &["POST /owners/new"]),
            ("<button hx-delete=\"/cart/<%= id %>\" data-hx-get=\"/cart\">", &["GET /cart", "DELETE /cart/${}"]),
            ("<form action=\"https://shop.example/cart\">", &["GET https://shop.example/cart"]),
            // A path relative to the page, the page itself, a dialog, and a tag that is not a form.
            ("<form action=\"cart\"><form action=\"\"><form action=\"/\">", &[]),
            ("<form method=\"dialog\" action=\"/cart\">", &[]),
            ("<div action=\"/cart\"><a href=\"/cart\">", &[]),
            ("<form action=\"/cart", &[]),
        ] {
            let found: Vec<String> = tags(page).into_iter().flat_map(requests).collect();
            assert_eq!(found, expected, "{page}");
        }
    }

    fn tags(page: &str) -> Vec<&str> {
        page.match_indices('<').map(|(at, _)| tag(&page[at..])).collect()
    }

    #[test]
    fn lines_are_those_of_the_tags() {
        let document = read("<html>\n<p>a < b</p>\n\n<form\n action=\"/a\">\n</form>\n<i hx-get=\"/b\"></i>\n");
        let entries = document.disclosed().expect("no secret").entries;
        let lines: Vec<u32> = entries.iter().map(|entry| entry.line).collect();
        assert_eq!(lines, [4, 7]);
    }
}
