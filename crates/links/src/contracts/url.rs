//! URLs that code puts together: the address of a service, and the path of the request.

use super::{
    path_template::segment_template,
    text_value::{TextPart, TextValue, with_slash},
};
use crate::services::{AddressPart, AddressTemplate};

/// Maximum length of the path of a request.
const MAX_PATH_BYTES: usize = 300;

/// A URL as far as the code tells it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RequestUrl {
    /// The address; without alternatives if the URL is relative.
    pub(super) address: AddressTemplate,
    /// The path with `{}` for computed segments.
    pub(super) path: String,
    /// True if a part before the path may contain more of it: an unknown base.
    pub(super) has_unknown_base: bool,
    /// True if the code writes the path, even if it is only a slash.
    pub(super) has_written_path: bool,
}

impl RequestUrl {
    /// Splits a text; `None` if it is no URL.
    pub(super) fn of(text: &TextValue) -> Option<RequestUrl> {
        let split: Vec<SplitUrl> = text.alternatives.iter().filter_map(|parts| SplitUrl::of(parts)).collect();
        // A helper that adds a scheme or a slash has alternatives that end before the path.
        let has_path = |one: &&SplitUrl| super::path_template::n_constant(&one.path) > 0;
        let first = split.iter().find(has_path).or(split.first())?;
        let (path, has_written_path) = (first.path.clone(), first.has_written_path);
        let has_unknown_base = first.address == [AddressPart::Computed] || first.is_of_parameter;
        let mut alternatives: Vec<Vec<AddressPart>> = Vec::new();
        for one in split {
            // A base with a path of its own keeps it: `http://cart/v1` before `/items`.
            let base = if one.has_written_path { one.path.strip_suffix(path.trim_end_matches('/')) } else { Some("") };
            let Some(base) = base else { continue };
            let mut address = one.address;
            if !base.is_empty() && base != "/" {
                address.push(AddressPart::Text(base.to_owned()));
            }
            if !address.is_empty() && !alternatives.contains(&address) {
                alternatives.push(address);
            }
        }
        Some(RequestUrl { address: AddressTemplate { alternatives }, path, has_unknown_base, has_written_path })
    }

    /// Returns the path as the key of a request writes it: an unknown base is `{}`.
    pub(super) fn key_path(&self) -> String {
        if self.has_unknown_base { format!("{{}}{}", self.path) } else { self.path.clone() }
    }

    /// Returns the number of constant segments of the path.
    pub(super) fn n_constant(&self) -> usize {
        super::path_template::n_constant(&self.path)
    }
}

/// Returns the alternatives of a URL by their paths, in order: `/items/{}` and `/items` of `"/items" + (id ? "/" + id : "")`.
pub(super) fn by_path(text: &TextValue) -> Vec<TextValue> {
    let mut found: Vec<(String, TextValue)> = Vec::new();
    for parts in &text.alternatives {
        let Some(split) = SplitUrl::of(parts) else { continue };
        match found.iter_mut().find(|(path, _)| *path == split.path) {
            Some((_, same)) => same.alternatives.push(parts.clone()),
            None => found.push((split.path, TextValue::of_parts(parts.clone()))),
        }
    }
    found.into_iter().map(|(_, text)| text).collect()
}

/// Returns the alternatives of a URL by the services that they ask: those of `order ? "http://order/x" : "http://cart/y"`. A URL whose
/// alternatives are the values of one address is returned whole.
pub(super) fn by_service(text: &TextValue) -> Vec<TextValue> {
    let whole = || vec![text.clone()];
    let each = by_path(text);
    if each.len() < 2 {
        return whole();
    }
    let Some(urls) = each.iter().map(RequestUrl::of).collect::<Option<Vec<RequestUrl>>>() else { return whole() };
    // The default of a variable is no other service, and neither is the same path behind a base.
    let hosts = |url: &RequestUrl| url.address.hosts().find(|host| !host.starts_with("localhost"));
    let variable = |url: &RequestUrl| url.address.host_variables().next().map(str::to_owned);
    let has_path = urls.iter().all(|url| url.n_constant() > 0);
    let are_apart = |of: &dyn Fn(&RequestUrl) -> Option<String>| {
        let mut named: Vec<Option<String>> = urls.iter().map(of).collect();
        named.sort();
        named.dedup();
        named.len() == urls.len() && named.iter().all(Option::is_some)
    };
    let has_variables = urls.iter().any(|url| variable(url).is_some());
    let is_split = has_path && if has_variables { are_apart(&variable) } else { are_apart(&hosts) };
    if is_split || has_path && are_other_paths(&urls) { each } else { whole() }
}

/// Returns true if URLs ask the same address for different things: both branches of `all ? "/items" : "/items/" + id`. A path that ends
/// with another one may be the same behind a prefix.
fn are_other_paths(urls: &[RequestUrl]) -> bool {
    let is_same_address = urls.windows(2).all(|pair| pair[0].address == pair[1].address);
    let is_behind = |a: &RequestUrl, b: &RequestUrl| a.path.ends_with(&b.path) || b.path.ends_with(&a.path);
    is_same_address
        && urls.iter().enumerate().all(|(idx, url)| urls[idx + 1..].iter().all(|other| !is_behind(url, other)))
}

/// Returns a relative URL behind the base of its client; an absolute one as it is.
pub(super) fn with_base(base: Option<&TextValue>, url: &TextValue) -> TextValue {
    let is_relative = url.alternatives.iter().all(|parts| match parts.first() {
        Some(TextPart::Text(text)) => !text.contains("://") && !text.starts_with("//"),
        _ => false,
    });
    match base {
        Some(base) if is_relative => with_slash(base, url),
        _ => url.clone(),
    }
}

/// One alternative of a URL.
struct SplitUrl {
    address: Vec<AddressPart>,
    path: String,
    is_of_parameter: bool,
    has_written_path: bool,
}

impl SplitUrl {
    fn of(parts: &[TextPart]) -> Option<SplitUrl> {
        let (address, path) = split(parts);
        let is_of_parameter = address.contains(&TextPart::Parameter);
        let address = address.into_iter().map(|part| match part {
            TextPart::Text(text) => AddressPart::Text(text),
            TextPart::Variable(name) => AddressPart::Variable(name),
            TextPart::Parameter | TextPart::Computed => AddressPart::Computed,
        });
        Some(SplitUrl {
            address: address.collect(),
            path: path_of(&path)?,
            is_of_parameter,
            has_written_path: !path.is_empty(),
        })
    }
}

/// Splits parts before the path: behind the scheme and the host, or before the first slash that follows a computed beginning.
fn split(parts: &[TextPart]) -> (Vec<TextPart>, Vec<TextPart>) {
    let mut address: Vec<TextPart> = Vec::new();
    for (idx, part) in parts.iter().enumerate() {
        let TextPart::Text(text) = part else {
            address.push(part.clone());
            continue;
        };
        let after_scheme = match (idx, text.find("://"), text.starts_with("//")) {
            (_, Some(at), _) => at + 3,
            (0, None, true) => 2,
            (0, None, false) if !is_host_like(text) => {
                // A path without an address.
                return (Vec::new(), parts.to_vec());
            }
            _ => 0,
        };
        // A base that ends with a slash: `${BASE}api/items`.
        let is_path = idx == 1
            && !matches!(address[..], [TextPart::Text(_)])
            && after_scheme == 0
            && text.starts_with(|c: char| c.is_ascii_alphanumeric())
            && !is_host_like(text);
        if is_path {
            let rest = std::iter::once(TextPart::Text(format!("/{text}")));
            return (address, rest.chain(parts[idx + 1..].iter().cloned()).collect());
        }
        match text[after_scheme..].find(['/', '?', '#']).map(|at| after_scheme + at) {
            Some(at) => {
                if at > 0 {
                    address.push(TextPart::Text(text[..at].to_owned()));
                }
                let rest = std::iter::once(TextPart::Text(text[at..].to_owned()));
                return (address, rest.chain(parts[idx + 1..].iter().cloned()).collect());
            }
            None => address.push(part.clone()),
        }
    }
    (address, Vec::new())
}

/// Returns true if a text without a scheme begins with a host: `cart:8080/x`, `api.example.com/x`, `localhost/x`.
fn is_host_like(text: &str) -> bool {
    let first = text.split(['/', '?']).next().unwrap_or_default();
    let (host, port) = first.split_once(':').unwrap_or((first, ""));
    let has_port = !port.is_empty() && port.chars().all(|c| c.is_ascii_digit());
    !host.is_empty() && (has_port || host == "localhost")
}

/// Returns the normal form of a path; `None` if the parts are no path.
fn path_of(parts: &[TextPart]) -> Option<String> {
    // A marker that no path contains stands for computed parts, since they may be within a segment.
    let text: String = parts
        .iter()
        .map(|part| match part {
            TextPart::Text(text) => text.as_str(),
            _ => "{}",
        })
        .collect();
    let text = text.split(['?', '#']).next().unwrap_or_default();
    if text.len() > MAX_PATH_BYTES || text.contains(|c: char| c.is_whitespace() || c == '\\') {
        return None;
    }
    let segments = text.split('/').filter(|segment| !segment.is_empty() && *segment != ".");
    let mut segments: Vec<&str> = segments.collect();
    // A computed end of a longer segment is a query: `/items${query}`.
    if let Some(last) = segments.last_mut() {
        *last = last.strip_suffix("{}").filter(|name| is_long_name(name)).unwrap_or(last);
    }
    let segments: Vec<&str> = segments.into_iter().map(segment_template).collect();
    Some(format!("/{}", segments.join("/")))
}

fn is_long_name(name: &str) -> bool {
    name.len() > 3 && name.chars().all(|c| c.is_ascii_alphabetic() || matches!(c, '-' | '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses parts: `$X` is a variable, `{}` computed, `@` a parameter, each separated by `~`; alternatives by `|`.
    fn text(written: &str) -> TextValue {
        let part = |part: &str| match part {
            "{}" => TextPart::Computed,
            "@" => TextPart::Parameter,
            part => match part.strip_prefix('$') {
                Some(name) => TextPart::Variable(name.to_owned()),
                None => TextPart::Text(part.to_owned()),
            },
        };
        TextValue { alternatives: written.split('|').map(|one| one.split('~').map(part).collect()).collect() }
    }

    #[test]
    fn urls_are_split_into_address_and_path() {
        for (written, address, path) in [
            ("http://cart:80/items/~{}", "http://cart:80", "/items/{}"),
            ("http://~$CART~/items", "http://{env:CART}", "/items"),
            ("http://~$CART", "http://{env:CART}", "/"),
            ("$CART~/items?x=1", "{env:CART}", "/items"),
            ("$CART~/items|http://cart/v1/items", "{env:CART}|http://cart/v1", "/items"),
            // The first alternative ends before the path.
            ("$CART|http://~$CART~/items/~{}", "{env:CART}|http://{env:CART}", "/items/{}"),
            ("/api/items/", "", "/api/items"),
            ("/api/items~{}", "", "/api/items"),
            ("/api/v~{}~/items", "", "/api/{}/items"),
            ("items/~{}~/x", "", "/items/{}/x"),
            ("{}~/items", "{}", "{}/items"),
            ("@~/items", "{}", "{}/items"),
            ("{}~api/items", "{}", "{}/api/items"),
            ("$CART~items/~{}", "{env:CART}", "/items/{}"),
            ("$CART~:80/items", "{env:CART}:80", "/items"),
            ("$CART~.svc/items", "{env:CART}.svc", "/items"),
            ("http://~$CART~api/items", "http://{env:CART}api", "/items"),
            ("cart:8080/x", "cart:8080", "/x"),
            ("https://api.example.com/v1/~{}", "https://api.example.com", "/v1/{}"),
            ("//cdn.example.com/a.js", "//cdn.example.com", "/a.js"),
        ] {
            let url = RequestUrl::of(&text(written)).expect(written);
            assert_eq!((url.address.notation().as_str(), url.key_path().as_str()), (address, path), "{written}");
        }
        assert_eq!(RequestUrl::of(&text("/two words")), None);
    }

    #[test]
    fn alternatives_of_different_services_are_different_requests() {
        for (written, n) in [
            ("http://order/a/~{}|http://cart/b/~{}", 2),
            ("$ORDER~/a|$CART~/b", 2),
            // One host, and paths that differ; near misses: one address with its default, a base with a path, paths behind a prefix.
            ("$CART~/a|http://localhost:80/v1/a", 1),
            ("$CART~/a|http://cart/v1/a", 1),
            ("http://cart/a|http://cart/b", 2),
            ("/a|/b", 2),
            ("$CART~/a|$CART~/a/~{}", 2),
            ("/a|/v1/a", 1),
            ("/{}|/b", 1),
            ("@~/a|@~/b", 2),
            ("/a|$CART~/b", 1),
            ("http://order|http://cart/b", 1),
            ("http://order/a|http://cart/a", 1),
        ] {
            assert_eq!(by_service(&text(written)).len(), n, "{written}");
        }
    }

    #[test]
    fn relative_urls_follow_the_base_of_their_client() {
        for (base, url, expected) in [
            ("http://cart/v1/", "/items", "http://cart/v1/items"),
            ("$CART", "items", "{env:CART}/items"),
            ("$CART", "http://pay/x", "http://pay/x"),
        ] {
            let whole = RequestUrl::of(&with_base(Some(&text(base)), &text(url))).expect(url);
            assert_eq!(whole.address.notation() + &whole.path, expected, "{url}");
        }
    }
}
