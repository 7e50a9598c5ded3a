//! Names of services: as a host, a variable and a repository write them.

/// Words of names that do not tell the service.
const COMMON_WORDS: [&str; 38] = [
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
    "uri",
    "endpoint",
    "endpoints",
    "addr",
    "address",
    "host",
    "hostname",
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

/// Minimum number of repositories with a word that tells none of them: `acme` of `acme-cart`.
const MIN_SHARING: usize = 3;

/// A word tells none of the repositories if at least one of this many has it.
const SHARING_PART: usize = 2;

/// The telling words of the names of repositories.
pub(super) struct ServiceNames {
    /// By repository: all words, and those from the first to the last that few other repositories have in their names.
    words: Vec<(Vec<String>, Vec<String>)>,
}

impl ServiceNames {
    pub(super) fn new<'a>(aliases: impl Iterator<Item = &'a str>) -> ServiceNames {
        let of_alias = |alias: &str| telling_words(alias.rsplit('/').next().unwrap_or(alias));
        let whole: Vec<Vec<String>> = aliases.map(of_alias).collect();
        let is_shared = |word: &String| {
            let n_sharing = whole.iter().filter(|words| words.contains(word)).count();
            n_sharing >= MIN_SHARING && n_sharing * SHARING_PART >= whole.len()
        };
        let own = whole.iter().map(|words| {
            let first = words.iter().position(|word| !is_shared(word)).unwrap_or(0);
            let last = words.iter().rposition(|word| !is_shared(word)).map_or(words.len(), |last| last + 1);
            words[first..last].to_vec()
        });
        let own: Vec<Vec<String>> = own.collect();
        ServiceNames { words: whole.into_iter().zip(own).collect() }
    }

    /// Returns true if a host or a variable has the name of a repository: `CATALOG_API_URL` and `http://catalog` of
    /// `shop/catalog-service`.
    pub(super) fn is_name_of(&self, written: &str, repository: usize) -> bool {
        let written = telling_words(written);
        let Some((whole, own)) = self.words.get(repository).filter(|_| !written.is_empty()) else { return false };
        // Shared words alone are no name.
        own.iter().any(|word| written.contains(word)) && (whole.ends_with(&written) || own.ends_with(&written))
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
            let names = ServiceNames::new(std::iter::once(alias));
            assert_eq!(names.is_name_of(written, 0), expected, "{written} {alias}");
        }
    }

    #[test]
    fn words_that_most_repositories_have_tell_none_of_them() {
        let aliases = ["shop/acme-cart-cna", "shop/acme-order-cna", "shop/acme-user-cna", "shop/acme-order-history"];
        let names = ServiceNames::new(aliases.into_iter());
        for (written, repository, expected) in [
            ("CART_URL", 0, true),
            ("acme-cart-cna", 0, true),
            ("ACME_URL", 0, false),
            ("CNA_URL", 0, false),
            ("ORDER_URL", 1, true),
            ("ORDER_URL", 3, false),
        ] {
            assert_eq!(names.is_name_of(written, repository), expected, "{written} {repository}");
        }
        // Two of two repositories are no system with a common name.
        let names = ServiceNames::new(["acme-cart", "acme-user"].into_iter());
        assert!(!names.is_name_of("ACME_URL", 0) && names.is_name_of("CART_URL", 0));
    }
}
