//! Templates of addresses: how a client names the service that it calls.
//!
//! Notation: text with `{env:NAME}` for a variable of the environment and `{}` for a computed part. Alternatives are separated by
//! `|`: `{env:CART_ADDR}|http://cart:7070`.

use super::service_name;

/// An address as code puts it together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressTemplate {
    /// The alternatives, in order: the value of a variable, and its default.
    pub alternatives: Vec<Vec<AddressPart>>,
}

/// A part of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddressPart {
    /// Text as written.
    Text(String),
    /// The value of a variable of the environment, or of a setting of the application (`server.cart.url`).
    Variable(String),
    /// A part that only the running client knows.
    Computed,
}

impl AddressTemplate {
    /// Parses the notation. A bracket without its end is text.
    pub fn parse(notation: &str) -> AddressTemplate {
        let alternatives = notation.split('|').filter(|one| !one.is_empty());
        AddressTemplate { alternatives: alternatives.map(parts).collect() }
    }

    /// Returns the notation, which [`parse`](Self::parse) reads.
    pub fn notation(&self) -> String {
        let part = |part: &AddressPart| match part {
            AddressPart::Text(text) => text.replace(['{', '}', '|'], ""),
            AddressPart::Variable(name) => format!("{{env:{name}}}"),
            AddressPart::Computed => "{}".to_owned(),
        };
        let alternatives = self.alternatives.iter().map(|parts| parts.iter().map(part).collect::<String>());
        alternatives.collect::<Vec<_>>().join("|")
    }

    /// Returns the names of the variables, in order.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.alternatives.iter().flatten().filter_map(|part| match part {
            AddressPart::Variable(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// Returns the names of the variables that may tell the host: a variable behind a written host is its port or a part of its path.
    pub(crate) fn host_variables(&self) -> impl Iterator<Item = &str> {
        self.alternatives.iter().flat_map(|parts| {
            let may_precede = |part: &&AddressPart| match part {
                AddressPart::Text(text) => text.ends_with("://") || text.ends_with('@'),
                AddressPart::Variable(_) | AddressPart::Computed => true,
            };
            parts.iter().take_while(may_precede).filter_map(|part| match part {
                AddressPart::Variable(name) => Some(name.as_str()),
                _ => None,
            })
        })
    }

    /// Returns the names in the network that are written out, in order; see [`network_name`].
    pub(super) fn network_names(&self) -> impl Iterator<Item = String> {
        self.alternatives.iter().filter_map(|parts| match parts.as_slice() {
            // A domain follows the name of the service: `http://cart.{env:DOMAIN}`.
            [AddressPart::Text(text), AddressPart::Variable(_) | AddressPart::Computed, ..] if text.ends_with('.') => {
                // `https://api.{env:PARTNER}` is a part of another domain.
                network_name(text.trim_end_matches('.')).filter(|name| !service_name::is_common(name))
            }
            [AddressPart::Text(text), ..] => network_name(text),
            _ => None,
        })
    }

    /// Returns the paths of the alternatives that are written out whole, in order: `/api` of `http://localhost:80/api`, and of the default
    /// `/api` without a host.
    pub(super) fn base_paths(&self) -> impl Iterator<Item = String> {
        self.alternatives.iter().filter_map(|parts| match parts.as_slice() {
            [AddressPart::Text(text)] => {
                let is_path = text.starts_with('/') && !text.starts_with("//");
                let path = if is_path { text.trim_end_matches('/') } else { base_path(text) };
                Some(path.to_owned()).filter(|path| !path.is_empty())
            }
            _ => None,
        })
    }

    /// Returns the paths behind variables and computed parts that are the whole of their alternative otherwise: `/api` of
    /// `{env:GATEWAY_URL}/api`.
    pub(super) fn bases_of_variables(&self) -> impl Iterator<Item = &str> {
        self.alternatives.iter().filter_map(|parts| match parts.as_slice() {
            [AddressPart::Variable(_) | AddressPart::Computed, AddressPart::Text(base)] if base.starts_with('/') => {
                Some(base.trim_end_matches('/')).filter(|base| !base.is_empty())
            }
            _ => None,
        })
    }

    /// Returns the hosts that are written out, in order.
    pub fn hosts(&self) -> impl Iterator<Item = String> {
        self.alternatives.iter().filter_map(|parts| match parts.first() {
            Some(AddressPart::Text(text)) => host(text),
            _ => None,
        })
    }
}

fn parts(notation: &str) -> Vec<AddressPart> {
    let mut parts = Vec::new();
    let mut rest = notation;
    while let Some(start) = rest.find('{') {
        let Some(end) = rest[start..].find('}').map(|len| start + len) else { break };
        if start > 0 {
            parts.push(AddressPart::Text(rest[..start].to_owned()));
        }
        parts.push(match rest[start + 1..end].strip_prefix("env:") {
            Some(name) => AddressPart::Variable(name.to_owned()),
            None => AddressPart::Computed,
        });
        rest = &rest[end + 1..];
    }
    if !rest.is_empty() {
        parts.push(AddressPart::Text(rest.to_owned()));
    }
    parts
}

/// Returns the host of an address: `cart` of `http://cart:7070/x`, `cart:7070`, `tcp://user@cart`, `cart`.
pub(super) fn host(address: &str) -> Option<String> {
    let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
    // `dns:///cart:7070` has an empty authority.
    let rest = if scheme.starts_with("dns") { rest.trim_start_matches('/') } else { rest };
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?.split(':').next()?;
    let is_host = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphanumeric())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_'))
    };
    is_host(host).then(|| host.to_ascii_lowercase())
}

/// Returns the host of an address; with its port for the own machine, where the port tells the service.
pub(super) fn network_name(address: &str) -> Option<String> {
    let host = host(address)?;
    if !matches!(host.as_str(), "localhost" | "127.0.0.1" | "0.0.0.0" | "host.docker.internal") {
        return Some(host);
    }
    let (_, rest) = address.split_once("://").unwrap_or(("", address));
    let authority = rest.split(['/', '?', '#']).next()?;
    Some(authority.rsplit_once(':').map_or(host, |(_, port)| format!("localhost:{port}")))
}

/// Returns the path of an address, without a slash at its end: `/api` of `http://cart/api/`.
pub(super) fn base_path(address: &str) -> &str {
    let Some((_, rest)) = address.split_once("://") else { return "" };
    rest.find('/').map_or("", |at| rest[at..].split(['?', '#']).next().unwrap_or_default().trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notations_are_read_and_written() {
        for (notation, variables, hosts) in [
            ("http://cart:7070", &[][..], &["cart"][..]),
            ("{env:CART_ADDR}", &["CART_ADDR"], &[]),
            ("http://{env:CART_ADDR}/v1", &["CART_ADDR"], &[]),
            ("{env:CART_ADDR}|cart:7070", &["CART_ADDR"], &["cart"]),
            ("{}", &[], &[]),
            ("", &[], &[]),
        ] {
            let template = AddressTemplate::parse(notation);
            assert_eq!(template.variables().collect::<Vec<_>>(), variables, "{notation}");
            assert_eq!(template.notation(), notation);
            assert_eq!(template.host_variables().collect::<Vec<_>>(), variables, "{notation}");
            // `http://` before a variable is no host.
            assert_eq!(template.hosts().collect::<Vec<_>>(), hosts, "{notation}");
        }
    }

    #[test]
    fn hosts_of_addresses() {
        let domain = AddressTemplate::parse("http://cart.{env:DOMAIN}:80|http://{env:CART}.{env:DOMAIN}");
        assert_eq!(domain.network_names().collect::<Vec<_>>(), ["cart"]);
        let bases = AddressTemplate::parse("{env:GATEWAY}|{env:GATEWAY}/api/|http://cart/v1|http://{env:CART}/v2");
        assert_eq!(bases.bases_of_variables().collect::<Vec<_>>(), ["/api"]);
        let defaults = AddressTemplate::parse("{env:API_URL}|/api/|http://cart/v1|//cart/v2");
        assert_eq!(defaults.base_paths().collect::<Vec<_>>(), ["/api", "/v1"]);
        let common = AddressTemplate::parse("https://api.{env:PARTNER}");
        assert_eq!(common.network_names().count(), 0);
        let port = AddressTemplate::parse("http://cart:{env:CART_PORT}|{env:CART_URL}/{env:PREFIX}");
        assert_eq!(port.host_variables().collect::<Vec<_>>(), ["CART_URL"]);
        for (address, expected) in [
            ("http://cart:7070/x", Some("cart")),
            ("Cart:7070", Some("cart")),
            ("postgres://u:p@db/x", Some("db")),
            ("dns:///cart:50051", Some("cart")),
            ("cart.default.svc.cluster.local", Some("cart.default.svc.cluster.local")),
            ("http://", None),
            (":8080", None),
            ("two words", None),
        ] {
            assert_eq!(host(address).as_deref(), expected, "{address}");
        }
        assert_eq!(network_name("http://127.0.0.1:80/x").as_deref(), Some("localhost:80"));
        assert_eq!(network_name("cart:80").as_deref(), Some("cart"));
        assert_eq!(base_path("http://cart/api/?x"), "/api");
        assert_eq!(base_path("cart:7070/api"), "");
    }
}
