//! Names of services, rpcs, messages and fields, as definitions and code write them.
//!
//! A definition has its full name: `pkg.Service`, `pkg.Service/Method`, `pkg.Message.field`. Code writes the full name, an end of it
//! (`Service/Method`), or an end with a hint of the package before it: `~com.acme.shop.Service/Method`. A hint is a namespace, the
//! path of an import or the name of a module, and it only chooses among definitions of several packages. Generators change the case
//! of methods, so code has `get_cart`, `getCart` or `GetCartAsync` for `GetCart`.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

/// First character of a name whose package is a hint.
pub(crate) const HINT: char = '~';

/// Maximum number of definitions with one end of their names; a name with more carries no information.
pub(crate) const MAX_ALIKE: usize = 8;

/// Full names by the ends that code writes.
#[derive(Debug, Default)]
pub(crate) struct RpcNames<'a> {
    by_end: FxHashMap<String, BTreeSet<&'a str>>,
}

impl<'a> FromIterator<&'a str> for RpcNames<'a> {
    fn from_iter<T: IntoIterator<Item = &'a str>>(full_names: T) -> RpcNames<'a> {
        let mut names = RpcNames::default();
        for full in full_names {
            names.by_end.entry(normal_end(full)).or_default().insert(full);
        }
        names
    }
}

impl<'a> RpcNames<'a> {
    /// Returns the full names that code may mean by a name, in order; none if there are more than [`MAX_ALIKE`].
    pub(crate) fn candidate_names(&self, written: &str) -> Vec<&'a str> {
        let ends = possible_ends(&normal_end(written));
        let Some(alike) = ends.iter().find_map(|end| self.by_end.get(end)) else { return Vec::new() };
        let of_package: Vec<&str> = match package_of(written) {
            Package::Unknown => alike.iter().copied().collect(),
            Package::Exact(package) => alike.iter().copied().filter(|full| package_part(full) == package).collect(),
            Package::Hint(hint) => nearest(alike, hint),
        };
        let exact: Vec<&str> = of_package.iter().copied().filter(|full| end(full) == end(written)).collect();
        let meant = if exact.is_empty() { of_package } else { exact };
        if meant.len() > MAX_ALIKE { Vec::new() } else { meant }
    }
}

/// Returns true if two names with equal ends may be of one rpc: known packages are equal, and no version excludes the other.
pub(crate) fn may_be_same(one: &str, other: &str) -> bool {
    match (package_of(one), package_of(other)) {
        (Package::Unknown, _) | (_, Package::Unknown) => true,
        (Package::Exact(one), Package::Exact(other)) => one == other,
        (Package::Exact(package) | Package::Hint(package), Package::Hint(hint) | Package::Exact(hint)) => {
            let (parts, hint) = (hint_parts(package), hint_parts(hint));
            let versions = |parts: &BTreeSet<String>| -> BTreeSet<String> {
                parts.iter().filter(|part| is_version(part)).cloned().collect()
            };
            let (one, other) = (versions(&parts), versions(&hint));
            one.is_empty() || other.is_empty() || one.intersection(&other).next().is_some()
        }
    }
}

/// The package of a name in code.
enum Package<'a> {
    Unknown,
    Exact(&'a str),
    Hint(&'a str),
}

fn package_of(written: &str) -> Package<'_> {
    match (written.strip_prefix(HINT), package_part(written)) {
        (None, "") => Package::Unknown,
        (None, package) => Package::Exact(package),
        (Some(_), hint) => Package::Hint(hint),
    }
}

/// Returns a name without its package: `Cart/Get` of `shop.v1.Cart/Get`, `Cart.items` of `shop.Cart.items`.
///
/// Packages are in lower case, services and messages begin with a capital. A name all in lower case is that of its last part.
pub(crate) fn end(name: &str) -> &str {
    let name = name.strip_prefix(HINT).unwrap_or(name);
    &name[package_len(name)..]
}

/// Returns the service or message of a name: `shop.Cart` of `shop.Cart/Get`.
pub(crate) fn service(name: &str) -> &str {
    name.split('/').next().unwrap_or(name)
}

fn package_part(name: &str) -> &str {
    let name = name.strip_prefix(HINT).unwrap_or(name);
    name[..package_len(name)].trim_end_matches('.')
}

/// Returns the length of the package with the dot behind it.
///
/// A hint may have capitals too, as namespaces have. It ends before the service of an rpc.
fn package_len(name: &str) -> usize {
    let service = service(name);
    let last = service.rfind('.').map_or(0, |at| at + 1);
    if service.len() < name.len() {
        return last;
    }
    let mut at = 0;
    for part in service.split('.') {
        if part.starts_with(|c: char| c.is_uppercase()) {
            return at;
        }
        at += part.len() + 1;
    }
    last
}

/// Returns the end of a name without case and underscores; `Outer_Inner` is `outer.inner`.
pub(crate) fn normal_end(name: &str) -> String {
    let (service, method) =
        end(name).split_once('/').map_or((end(name), None), |(service, method)| (service, Some(method)));
    let mut normal = String::with_capacity(name.len());
    let mut chars = service.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '_' if chars.peek().is_some_and(|next| next.is_uppercase()) => normal.push('.'),
            '_' => {}
            c => normal.extend(c.to_lowercase()),
        }
    }
    if let Some(method) = method {
        normal.push('/');
        normal.extend(method.chars().filter(|c| *c != '_').flat_map(char::to_lowercase));
    }
    normal
}

/// Returns the ends that a written end may stand for, the likeliest first: generators add `Async` to the methods of asynchronous
/// clients.
fn possible_ends(normal: &str) -> Vec<String> {
    let mut ends = vec![normal.to_owned()];
    if let Some((service, method)) = normal.split_once('/') {
        let shorter =
            method.strip_suffix("async").or(method.strip_prefix("prepareasync")).or(method.strip_prefix("async"));
        ends.extend(shorter.filter(|shorter| !shorter.is_empty()).map(|shorter| format!("{service}/{shorter}")));
    }
    ends
}

/// Returns the names whose packages share most parts with a hint. Versions that differ exclude each other.
fn nearest<'a>(alike: &BTreeSet<&'a str>, hint: &str) -> Vec<&'a str> {
    let hint = hint_parts(hint);
    let hinted_versions: Vec<&String> = hint.iter().filter(|part| is_version(part)).collect();
    let score = |full: &str| -> Option<usize> {
        let parts = package_part(full).split('.').map(normal_part).collect::<Vec<_>>();
        let versions: Vec<&String> = parts.iter().filter(|part| is_version(part)).collect();
        let is_other_version = !hinted_versions.is_empty()
            && !versions.is_empty()
            && versions.iter().all(|version| !hinted_versions.contains(version));
        (!is_other_version).then(|| parts.iter().filter(|part| hint.contains(*part)).count())
    };
    let scored: Vec<(usize, &str)> = alike.iter().filter_map(|full| Some((score(full)?, *full))).collect();
    let best = scored.iter().map(|(score, _)| *score).max();
    scored.into_iter().filter(|(score, _)| Some(*score) == best).map(|(_, full)| full).collect()
}

/// Returns the parts of a hint, each also without the endings of generated modules: `cartv1` is `cart` and `v1` too, `cart_pb2` is
/// `cart`.
fn hint_parts(hint: &str) -> BTreeSet<String> {
    const ENDINGS: [&str; 7] = ["pb2grpc", "grpcpb", "pb2", "pb", "grpc", "connect", "proto"];
    let mut parts = BTreeSet::new();
    for part in hint.split(['.', '/', ':', '\\', '-']).map(normal_part).filter(|part| !part.is_empty()) {
        let bare = ENDINGS.iter().find_map(|ending| part.strip_suffix(ending)).unwrap_or(&part).to_owned();
        let version = bare.rfind('v').filter(|at| *at > 0 && is_version(&bare[*at..]));
        if let Some(at) = version {
            parts.extend([bare[..at].to_owned(), bare[at..].to_owned()]);
        }
        parts.extend([part, bare]);
    }
    parts
}

fn normal_part(part: &str) -> String {
    part.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect()
}

/// Returns true for `v1` and `v1beta1`.
fn is_version(part: &str) -> bool {
    part.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_a_package_and_an_end() {
        for (name, package, expected) in [
            ("shop.v1.Cart/Get", "shop.v1", "Cart/Get"),
            ("shop.Cart.Line.count", "shop", "Cart.Line.count"),
            ("Cart/Get", "", "Cart/Get"),
            ("shop.cart/get", "shop", "cart/get"),
            ("~Acme.Shop.Cart/Get", "Acme.Shop", "Cart/Get"),
            ("shop.Cart", "shop", "Cart"),
            ("Cart", "", "Cart"),
            ("", "", ""),
        ] {
            assert_eq!((package_part(name), end(name)), (package, expected), "{name}");
        }
    }

    #[test]
    fn names_without_a_definition_are_compared_by_their_packages() {
        for (one, other, expected) in [
            ("shop.v1.Cart/Get", "shop.v1.Cart/Get", true),
            ("shop.v1.Cart/Get", "pay.v1.Cart/Get", false),
            ("shop.v1.Cart/Get", "~m.org.gen.shop.v1.Cart/get", true),
            ("shop.v1.Cart/Get", "~m.org.gen.shop.v2.Cart/get", false),
            ("~m.org.gen.Cart/Get", "~shop_pb2.Cart/get", true),
            ("Cart/Get", "shop.Cart/Get", true),
        ] {
            assert_eq!(may_be_same(one, other), expected, "{one} {other}");
        }
    }

    #[test]
    fn code_means_definitions_by_the_ends_of_their_names() {
        let defined = [
            "a.v1.Cart/GetCart",
            "a.v1beta1.Cart/GetCart",
            "b.Pay/Charge",
            "b.Pay/ChargeAsync",
            "b.Pay.Line",
            "b.PayLine",
            "c.user_data.Users/Get",
            "d.Users/Get",
        ];
        let names: RpcNames<'_> = defined.into_iter().collect();
        for (written, expected) in [
            ("a.v1.Cart/GetCart", &["a.v1.Cart/GetCart"][..]),
            ("Cart/get_cart", &["a.v1.Cart/GetCart", "a.v1beta1.Cart/GetCart"]),
            ("~gen.cart.v1.Cart/getCart", &["a.v1.Cart/GetCart"]),
            ("~x.cartv1beta1.Cart/getCart", &["a.v1beta1.Cart/GetCart"]),
            ("~x.v2.Cart/getCart", &[]),
            ("x.Cart/GetCart", &[]),
            ("Cart/AsyncGetCart", &["a.v1.Cart/GetCart", "a.v1beta1.Cart/GetCart"]),
            ("Pay/Charge", &["b.Pay/Charge"]),
            ("Pay/ChargeAsync", &["b.Pay/ChargeAsync"]),
            ("~q.Pay/charge", &["b.Pay/Charge"]),
            ("Pay_Line", &["b.Pay.Line"]),
            ("PayLine", &["b.PayLine"]),
            ("~Acme.UserData.Users/Get", &["c.user_data.Users/Get"]),
            ("Cart", &[]),
        ] {
            assert_eq!(names.candidate_names(written), expected, "{written}");
        }
    }
}
