//! Names of services: as a host, a variable and a repository write them.

/// Words of names that do not tell the service.
const COMMON_WORDS: [&str; 34] = [
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

/// Returns true if a host or a variable has the name of a repository: `CATALOG_API_URL` and `http://catalog` of `shop/catalog-service`.
pub(super) fn names_repository(written: &str, alias: &str) -> bool {
    let name = alias.rsplit('/').next().unwrap_or(alias);
    let (written, of_repository) = (telling_words(written), telling_words(name));
    !written.is_empty() && of_repository.ends_with(&written)
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
    words.into_iter().filter(|word| word.len() > 1 && !COMMON_WORDS.contains(&word.as_str())).collect()
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
            ("CATALOG_URL", "orders", false),
            ("API_URL", "api", false),
            ("BASE_URL", "base", false),
            ("", "cart", false),
        ] {
            assert_eq!(names_repository(written, alias), expected, "{written} {alias}");
        }
    }
}
