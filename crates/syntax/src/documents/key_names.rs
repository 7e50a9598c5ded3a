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

/// Returns true if the value of a key is a bare name: of a host, a topic, an image, a table or a database.
///
/// The last word decides, so that `SERVICE_LOGIN` and `API_USER` have none. The value of a URL is no bare name.
pub(super) fn is_of_names(key: &str) -> bool {
    const NAMED: [&str; 44] = [
        "host",
        "hosts",
        "hostname",
        "addr",
        "address",
        "addresses",
        "endpoint",
        "endpoints",
        "server",
        "servers",
        "service",
        "services",
        "svc",
        "broker",
        "brokers",
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
        "dbname",
        "pgdatabase",
        "cluster",
        "route",
    ];
    const SUFFIXES: [&str; 6] = ["name", "names", "arn", "prefix", "internal", "default"];
    let words = key_words(key);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let is_numbered = |word: &&&str| word.chars().all(|c| c.is_ascii_digit());
    let last =
        words.iter().rev().find(|word| !SUFFIXES.contains(word) && !is_numbered(word)).copied().unwrap_or_default();
    let is_database = matches!(words.as_slice(), [.., "db", "name"] | [.., "postgres" | "mysql" | "mariadb", "db"]);
    // The name under which an application registers itself.
    let is_application = matches!(words.as_slice(), [.., "application", "name"]);
    is_database
        || is_application
        || is_of_broker(key)
        || NAMED.contains(&last)
        || ["host", "addr", "topic", "queue"].iter().any(|end| last.ends_with(end))
}

/// Returns true if a key names a topic or a queue. The value of `QUEUE_URL` may be the name of a queue.
pub(super) fn is_of_broker(key: &str) -> bool {
    const WORDS: [&str; 4] = ["topic", "queue", "exchange", "subject"];
    key_words(key).iter().any(|word| WORDS.contains(&word.strip_suffix('s').unwrap_or(word)))
}

/// Returns true if a bare value may be a name that people give: words of letters, with digits only at their ends.
///
/// Keys and passwords mix letters and digits, or begin with the mark of their issuer.
pub(super) fn is_given_name(value: &str) -> bool {
    const ISSUERS: [&str; 9] = ["sk_", "pk_", "rk_", "ghp_", "gho_", "xox", "eyJ", "AKIA", "glpat"];
    const MAX_WORD_CHARS: usize = 30;
    // `k8s` and `s3` are words.
    const MAX_SHORT_CHARS: usize = 3;
    let is_word = |word: &str| {
        let trimmed = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let n_digits = word.len() - trimmed.len();
        let is_mixed = word.len() > MAX_SHORT_CHARS && trimmed.contains(|c: char| c.is_ascii_digit());
        word.len() <= MAX_WORD_CHARS && n_digits <= 6 && !is_mixed
    };
    let words = value.split(|c: char| !c.is_ascii_alphanumeric());
    !ISSUERS.iter().any(|issuer| value.starts_with(issuer)) && words.into_iter().all(is_word)
}

/// Returns true if the keys of this mapping are names that count even without content.
pub(super) fn is_list_of_names(parent: &str) -> bool {
    matches!(parent, "services" | "depends_on" | "clusters" | "dependsOn")
}
