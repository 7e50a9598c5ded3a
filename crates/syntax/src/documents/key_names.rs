//! Names of keys: which of them have addresses as values, and which secrets.

/// Returns the words of a key: those of `cartServiceUrl`, `CART_SERVICE_URL` and `cart-service.url` are the same.
fn key_words(key: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut is_after_lower = false;
    for c in key.chars() {
        let is_break = !c.is_ascii_alphanumeric() || c.is_ascii_uppercase() && is_after_lower;
        if is_break {
            words.push(String::new());
        }
        if c.is_ascii_alphanumeric()
            && let Some(last) = words.last_mut()
        {
            last.push(c.to_ascii_lowercase());
        }
        is_after_lower = c.is_ascii_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns true if a key names a secret.
pub(super) fn is_secret_name(key: &str) -> bool {
    const SECRETS: [&str; 26] = [
        "password",
        "passwd",
        "pass",
        "pwd",
        "passphrase",
        "secret",
        "secrets",
        "token",
        "tokens",
        "credential",
        "credentials",
        "apikey",
        "accesskey",
        "secretkey",
        "privatekey",
        "signature",
        "salt",
        "cert",
        "certificate",
        "private",
        "auth",
        "basicauth",
        "users",
        "jwt",
        "key",
        "hash",
    ];
    key_words(key).iter().any(|word| SECRETS.contains(&word.as_str()))
        || ["password", "secret", "apikey", "passwd"].iter().any(|part| key.to_ascii_lowercase().contains(part))
}

/// Returns true if the last word of a key names an address: `TOKEN_SERVICE_URL` is the address of a service, `SERVICE_TOKEN` is a secret.
pub(super) fn ends_with_address(key: &str) -> bool {
    const LAST_WORDS: [&str; 16] = [
        "url", "uri", "host", "hostname", "addr", "address", "endpoint", "server", "service", "svc", "topic", "queue",
        "urls", "hosts", "servers", "brokers",
    ];
    key_words(key).last().is_some_and(|last| LAST_WORDS.contains(&last.as_str()))
}

/// Returns true if a key names an address, a name in the network, a topic, an image or a table.
pub(super) fn is_address_name(key: &str) -> bool {
    const ADDRESSES: [&str; 50] = [
        "host",
        "hosts",
        "hostname",
        "addr",
        "address",
        "addresses",
        "url",
        "urls",
        "uri",
        "uris",
        "endpoint",
        "endpoints",
        "server",
        "servers",
        "service",
        "services",
        "svc",
        "broker",
        "brokers",
        "bootstrap",
        "upstream",
        "upstreams",
        "target",
        "targets",
        "backend",
        "backends",
        "peer",
        "proxy",
        "gateway",
        "domain",
        "origin",
        "topic",
        "topics",
        "queue",
        "queues",
        "subject",
        "exchange",
        "channel",
        "stream",
        "group",
        "image",
        "images",
        "table",
        "destination",
        "database",
        "api",
        "cluster",
        "base",
        "binding",
        "route",
    ];
    let words = key_words(key);
    let is_database = matches!(words.last().map(String::as_str), Some("db" | "dbname" | "name" | "pgdatabase"))
        && words.iter().any(|word| matches!(word.as_str(), "db" | "dbname" | "pgdatabase"));
    is_database
        || words.iter().any(|word| ADDRESSES.contains(&word.as_str()))
        || ["url", "uri", "host", "addr", "endpoint"].iter().any(|end| key.to_ascii_lowercase().ends_with(end))
}

/// Returns true if the keys of this mapping are names that count even without content.
pub(super) fn is_list_of_names(parent: &str) -> bool {
    matches!(parent, "services" | "depends_on" | "clusters" | "dependsOn")
}
