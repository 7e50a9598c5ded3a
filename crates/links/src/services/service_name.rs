//! Names of services: as a host, a variable and a repository write them.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

/// Words of names that do not tell the service.
const COMMON_WORDS: [&str; 45] = [
    "service",
    "services",
    "svc",
    "srv",
    "ms",
    "microservice",
    "server",
    "backend",
    "app",
    "application",
    "api",
    "apis",
    "rest",
    "grpc",
    "client",
    "clients",
    "quarkus",
    "http",
    "https",
    "url",
    "urls",
    "uri",
    "uris",
    "endpoint",
    "endpoints",
    "addr",
    "address",
    "host",
    "hosts",
    "hostname",
    "dns",
    "dnsname",
    "fqdn",
    "baseurl",
    "base",
    "root",
    "domain",
    "port",
    "env",
    "react",
    "vite",
    "next",
    "public",
    "vue",
    "nuxt",
];

/// Words that follow the name of a service.
const SERVICE_WORDS: [&str; 5] = ["service", "services", "svc", "srv", "microservice"];

/// Sections of settings with the addresses of services of other systems: the word belongs to the name.
const FOREIGN: [&str; 17] = [
    "external",
    "thirdparty",
    "third-party",
    "third_party",
    "partner",
    "partners",
    "legacy",
    "vendor",
    "vendors",
    "google",
    "aws",
    "amazon",
    "azure",
    "github",
    "stripe",
    "paypal",
    "twilio",
];

/// Sections of settings with the addresses of several services, by their names. The first one is also read below other sections.
const SECTIONS: [&str; 6] = ["services", "clients", "urls", "endpoints", "apis", "hosts"];

/// Minimum length of the name of a service that is written together with such a word.
const MIN_JOINED: usize = 4;

/// Minimum number of repositories with a word that tells none of them: `acme` of `acme-cart`.
const MIN_SHARING: usize = 3;

/// A word tells none of the repositories if at least one of this many has it.
const SHARING_PART: usize = 2;

/// The telling words of the names of repositories.
pub(super) struct ServiceNames {
    /// By repository: all words, and those from the first to the last that few other repositories have in their names.
    words: Vec<(Vec<String>, Vec<String>)>,
}

/// A host, a variable or a segment of a path, in words.
pub(super) struct WrittenName(Vec<String>);

impl WrittenName {
    pub(super) fn of(written: &str) -> WrittenName {
        WrittenName(telling_words(written))
    }

    /// Reads the name of a variable or a setting. The sections before one of services name the system: `acme.services.cart`.
    pub(super) fn of_variable(variable: &str) -> WrittenName {
        let sections: Vec<&str> = variable.split(['.', ':']).collect();
        let is_one_of = |section: &str, names: &[&str]| names.iter().any(|name| section.eq_ignore_ascii_case(name));
        // Below another section, only `services` tells that the names are those of services.
        let of_services = sections.iter().enumerate().position(|(at, section)| match at {
            0 => is_one_of(section, &SECTIONS),
            _ => is_one_of(section, &SECTIONS[..1]),
        });
        let of_services = of_services.filter(|at| !sections[..*at].iter().any(|section| is_one_of(section, &FOREIGN)));
        let start = of_services.map_or(0, |at| at + 1);
        let name = sections[start..].join(".");
        let words = telling_words(&name);
        if words.is_empty() { WrittenName::of(variable) } else { WrittenName(words) }
    }
}

impl ServiceNames {
    /// Reads the names of repositories. `systems` has the repositories that belong together: a word that most of a system have tells none
    /// of them.
    pub(super) fn new<'a>(aliases: impl Iterator<Item = &'a str>, systems: &[Vec<usize>]) -> ServiceNames {
        let of_alias = |alias: &str| telling_words(alias.rsplit('/').next().unwrap_or(alias));
        let whole: Vec<Vec<String>> = aliases.map(of_alias).collect();
        let mut shared: Vec<BTreeSet<&str>> = vec![BTreeSet::new(); whole.len()];
        for system in systems.iter().filter(|system| system.len() >= MIN_SHARING) {
            let words_of = |repository: usize| whole[repository].iter().map(String::as_str).collect::<BTreeSet<&str>>();
            let mut n_sharing: FxHashMap<&str, usize> = FxHashMap::default();
            for word in system.iter().flat_map(|repository| words_of(*repository)) {
                *n_sharing.entry(word).or_default() += 1;
            }
            n_sharing.retain(|_, n| *n >= MIN_SHARING && *n * SHARING_PART >= system.len());
            for repository in system {
                let words = words_of(*repository).into_iter();
                shared[*repository].extend(words.filter(|word| n_sharing.contains_key(word)));
            }
        }
        let own = whole.iter().zip(shared).map(|(words, shared)| {
            let is_own = |word: &String| !shared.contains(word.as_str());
            let first = words.iter().position(is_own).unwrap_or(0);
            let last = words.iter().rposition(is_own).map_or(words.len(), |last| last + 1);
            words[first..last].to_vec()
        });
        let own: Vec<Vec<String>> = own.collect();
        ServiceNames { words: whole.into_iter().zip(own).collect() }
    }

    /// Returns true if a host or a variable has the name of a repository: `CATALOG_API_URL` and `http://catalog` of
    /// `shop/catalog-service`.
    pub(super) fn is_name_of(&self, WrittenName(written): &WrittenName, repository: usize) -> bool {
        let Some((whole, own)) = self.words.get(repository).filter(|_| !written.is_empty()) else { return false };
        // Shared words alone are no name.
        own.iter().any(|word| written.contains(word)) && (whole.ends_with(written) || own.ends_with(written))
    }
}

/// Returns the words of a name in small letters, without those that every service may have.
fn telling_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut was_small = false;
    for c in name.chars() {
        // `usersAPI` is two words.
        if !c.is_ascii_alphanumeric() || c.is_ascii_uppercase() && was_small {
            words.push(String::new());
        }
        was_small = c.is_ascii_lowercase();
        if let Some(word) = words.last_mut().filter(|_| c.is_ascii_alphanumeric()) {
            word.push(c.to_ascii_lowercase());
        }
    }
    words.retain(|word| word.len() > 1);
    // `authservice` is two words without a mark between them.
    for word in &mut words {
        let joined =
            SERVICE_WORDS.iter().find_map(|end| word.strip_suffix(end)).filter(|start| start.len() >= MIN_JOINED);
        if let Some(start) = joined.filter(|start| !COMMON_WORDS.contains(start)).map(str::to_owned) {
            *word = start;
        }
    }
    let is_telling = |word: &&String| !COMMON_WORDS.contains(&word.as_str());
    let telling: Vec<String> = words.iter().filter(is_telling).map(|word| singular(word).to_owned()).collect();
    if !telling.is_empty() {
        return telling;
    }
    // `client-service` has no other name than the word before.
    let at = words.iter().position(|word| SERVICE_WORDS.contains(&word.as_str()));
    let before = at.and_then(|at| words[..at].last()).map(|word| singular(word).to_owned());
    before.into_iter().collect()
}

/// Returns true for a name that does not tell a service: `api`.
pub(super) fn is_common(name: &str) -> bool {
    telling_words(name).is_empty()
}

/// Returns a word without the ending of the plural: `order` of `orders`, `hero` of `heroes`.
fn singular(word: &str) -> &str {
    let without = word.strip_suffix("oes").map(|stem| &word[..=stem.len()]);
    let without = without.or_else(|| word.strip_suffix('s').filter(|stem| stem.len() > 2 && !stem.ends_with('s')));
    without.unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_of_services_have_the_names_of_services() {
        for (variable, alias, expected) in [
            ("acme.services.cart", "cart", true),
            ("acme:Services:Cart:Url", "cart", true),
            ("services.order-history.url", "order-history-service", true),
            // A section of another kind is a part of the name.
            ("acme.cart", "cart", false),
            ("acme.services", "acme", true),
            ("acme.services.cart", "acme", false),
            ("urls.cart", "cart", true),
            ("serviceUrls.cart", "cart", true),
            ("app.service-urls.cart-service", "cart", true),
            ("ServiceUrls__Cart", "cart", true),
            ("ApiEndpoints:Cart:Url", "cart", true),
            // The section has the name of one service.
            ("cartUrls.orders", "orders", false),
            // Services of other systems.
            ("google.apis.calendar.url", "calendar", false),
            ("google.services.calendar.url", "calendar", false),
            ("external.services.payment.url", "payment", false),
            ("stripe.clients.invoice", "invoice", false),
            // The endpoints are those of one service.
            ("services.cart.endpoints.items", "items", false),
        ] {
            let names = ServiceNames::new([alias].into_iter(), &[]);
            assert_eq!(names.is_name_of(&WrittenName::of_variable(variable), 0), expected, "{variable} {alias}");
        }
    }

    #[test]
    fn names_of_services_are_compared_by_their_telling_words() {
        for (written, alias, expected) in [
            ("CATALOG_API_URL", "shop/catalog-service", true),
            ("catalog", "catalog", true),
            ("usersAPI", "users", true),
            ("REACT_APP_ADS_URL", "ads-service", true),
            ("CART_HOST", "acme-cart", true),
            ("order-history", "ftgo-order-history-service", true),
            ("ORDER_URL", "ftgo-order-history-service", false),
            ("ORDER_URL", "orders-service", true),
            ("quarkus.rest-client.hero-client.url", "rest-heroes", true),
            ("trainer-grpc", "trainer", true),
            ("PASS_URL", "passe", false),
            ("CATALOG_URL", "orders", false),
            ("CLIENT_SERVICE_URL", "shop/client-service", true),
            ("CLIENT_URL", "client-service", false),
            ("SERVICE_URL", "client-service", false),
            ("API_URL", "api", false),
            ("BASE_URL", "base", false),
            ("", "cart", false),
        ] {
            let names = ServiceNames::new(std::iter::once(alias), &[vec![0]]);
            assert_eq!(names.is_name_of(&WrittenName::of(written), 0), expected, "{written} {alias}");
        }
    }

    #[test]
    fn words_that_most_repositories_of_a_system_have_tell_none_of_them() {
        let system = ["shop/acme-cart-cna", "shop/acme-order-cna", "shop/acme-user-cna", "shop/acme-order-history"];
        let others = ["a/books", "b/chess", "c/cna", "d/acme-shop", "e/mail", "f/maps", "g/news", "h/radio", "i/tv"];
        for aliases in [system.to_vec(), [&system[..], &others[..]].concat()] {
            // Each of the others is a system of its own.
            let apart = (system.len()..aliases.len()).map(|repository| vec![repository]);
            let systems: Vec<Vec<usize>> = std::iter::once(vec![0, 1, 2, 3]).chain(apart).collect();
            let names = ServiceNames::new(aliases.iter().copied(), &systems);
            for (written, repository, expected) in [
                ("CART_URL", 0, true),
                ("acme-cart-cna", 0, true),
                ("ACME_URL", 0, false),
                ("CNA_URL", 0, false),
                ("ORDER_URL", 1, true),
                ("ORDER_URL", 3, false),
            ] {
                let is_name = names.is_name_of(&WrittenName::of(written), repository);
                assert_eq!(is_name, expected, "{written} {repository} of {}", aliases.len());
            }
        }
        // Two of two repositories are no system with a common name, and three of ten that are one are not most of them.
        let is_name = |aliases: &[&str], written: &str| {
            let names = ServiceNames::new(aliases.iter().copied(), &[(0..aliases.len()).collect()]);
            names.is_name_of(&WrittenName::of(written), 0)
        };
        assert!(!is_name(&["acme-cart", "acme-user"], "ACME_URL") && is_name(&["acme-cart", "acme-user"], "CART_URL"));
        assert!(!is_name(&[&system[..3], &others[..7]].concat(), "CART_URL"));
    }
}
