//! Finds the names of secrets in a text, such as `DB_PASSWORD`, `clientSecret` and `x-api-key`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// Maximum number of characters of an identifier before and after the word that tells a secret.
const MAX_BEFORE: usize = 64;
const MAX_AFTER: usize = 24;

/// The words of names of secrets. The last line has short words, which occur within other words.
pub(super) const TELLING_WORDS: &str = "(?i-u:(?:user|db|root|admin|smtp|ftp|ssh|mail|login|sql|sudo)?pass(?:word|wort|wd|phrase|code)|pwd|secret|token|credential|authorization\
    |(?:api|access|private|priv|decryption|validation|functions?|auth|oauth|signing|enc|encryption|cipher|account|master|jwt|session|cookie|crypto|aes|rsa|hmac|fernet\
    |tls|ssl|ssh|gpg|deploy|vault|root|admin|license|shared|client|app|application|consumer|service|storage|security\
    |subscription|webhook|nonce|logged[_. -]?in)[_. -]?key\
    |(?:auth|nonce|logged[_. -]?in|cookie|session|cache[_. -]?key)[_. -]?salt\
    |conn(?:ection)?[_. -]?str(?:ing)?|identified[ ]+(?:with[ ]+[a-z0-9_]+[ ]+)?(?:by|as)\
    |(?:user|db|root|admin|smtp|ftp|ssh|mail|login|sql|sudo|require|store|key)pass|bindpw|masterauth|senha|kennwort|wachtwoord|passord|contrase(?:n|ñ|Ñ)a|mot[_. -]?de[_. -]?passe|l(?:o|ö|Ö)senord|salasana|adgangskode|(?:php|j)sessionid|phpsessid|authtok(?-u:\\b)\
    |(?:gh|github|gitlab|docker|dockerhub|devops_ext)_pat(?-u:\\b)|(?-i:[A-Z]_PAT|[A-Z0-9]_KEY)(?-u:\\b)\
    |erlang[_. -]?cookie|creds|pass|pw|psk|auth)";

/// The words that a name must end with, and that must be delimited.
const SHORT_WORDS: [&str; 6] = ["pass", "pw", "psk", "auth", "creds", "authorization"];

/// Length of a match of `[A-Z0-9]_KEY`: one character and `_KEY`.
const SERVICE_KEY_BYTES: usize = 5;

/// Words before `KEY` in the names of keys that are no secrets.
const OTHER_KEYS: &str = "PUBLIC PUB PUBLISHABLE ANON PRIMARY FOREIGN PARTITION SORT SHARD CACHE HASH HOST ROW ORDER GROUP INDEX LOOKUP MAP \
    OBJECT ROUTING IDEMPOTENCY UNIQUE REGISTRY CONFIG SETTINGS FEATURE FLAG STATE EVENT I18N SITE";

/// Ends of names that have one of the words, and name something else, such as `token_url` and `passwordField`.
const OTHER_VALUES: &str = "name file filename path dir folder url uri endpoint type field header label title text hint message \
    izer izers ize ized arn ref refs env encoding encoder decoder pattern regex prefix suffix version algorithm sha commit \
    revision checksum digest class kind format length len size count limit expiry ttl policy provider store manager \
    factory exception error request response issuer audience scope scopes role mode status state method amount balance supply price decimals _at -at edat resat time timestamp expires module handler selector template column table";

/// The name of a secret.
pub(super) struct TellingName {
    /// The whole identifier.
    pub(super) range: Range<usize>,
    pub(super) kind: NameKind,
    /// True if the word that tells a secret ends the name, but for a number.
    pub(super) is_told_last: bool,
    /// True if the name may be a verb or a part of the name of a library.
    pub(super) is_ambiguous: bool,
}

/// The forms that the value of a name may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameKind {
    /// A person may have chosen the value, so it may be a word.
    Password,
    /// A program made the value.
    Key,
    /// A program made the value, of letters, digits, `_` and `-`. Patterns have the same names.
    AccessToken,
    /// The name is that of a variable such as `OPENAI_KEY`. Other things have such names, so that the value must be a long random one.
    ServiceKey,
    /// The value may be the name of a source of credentials, such as `include`.
    Credential,
}

/// Returns the names of secrets in a text, in order.
pub(super) fn telling_names(text: &str) -> impl Iterator<Item = TellingName> + '_ {
    static WORDS: LazyLock<Regex> = LazyLock::new(|| Regex::new(TELLING_WORDS).expect("the words are valid"));
    let mut end = 0;
    WORDS.find_iter(text).filter_map(move |word| {
        if word.start() < end {
            return None;
        }
        let range = identifier_around(text, word.range());
        if range.end > word.end() + MAX_AFTER {
            // A later word may be the end of the name, as in `auth.spring.datasource.password`.
            end = word.end();
            return None;
        }
        end = range.end;
        if text[..range.start].ends_with("://") || names_public_token(&text[range.clone()]) {
            // The user of a URL, or the digest of a public key.
            return None;
        }
        let words = WORDS
            .find_iter(&text[word.start()..end])
            .map(|found| word.start() + found.start()..word.start() + found.end());
        let words: Vec<Range<usize>> =
            words.filter(|found| !is_short(&text[found.clone()]) || stands_last(text, found, end)).collect();
        // In `TOKEN_CRYPT_KEY`, the other word tells more than `T_KEY`.
        let telling = words.iter().rfind(|found| !is_service_key(&text[(*found).clone()]));
        let last_word = telling.or(words.last())?.clone();
        let written = &text[last_word.clone()];
        let is_ambiguous = is_short(written) && (last_word == range || !written.eq_ignore_ascii_case("pass"));
        let is_told_last = is_last(&text[last_word.end..end]);
        Some(TellingName { kind: kind_of(text, last_word, range.clone())?, range, is_told_last, is_ambiguous })
    })
}

/// Returns true for names such as `PublicKeyToken`, which is in the name of each assembly of .NET.
fn names_public_token(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    ["publickeytoken", "public_key_token", "public-key-token"].iter().any(|public| lower.ends_with(public))
}

/// Returns the identifier that contains a word: the name of a variable, a setting, a member or a flag.
fn identifier_around(text: &str, word: Range<usize>) -> Range<usize> {
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'$');
    let n_before = text.as_bytes()[..word.start].iter().rev().take(MAX_BEFORE).take_while(is_part).count();
    let after = text.as_bytes()[word.end..].iter().take(MAX_AFTER + 1).take_while(is_part).count();
    let identifier = &text[word.start - n_before..word.end + after];
    let n_trailing = identifier.len() - identifier.trim_end_matches(['-', '.', '$']).len();
    let range = word.start - n_before..(word.end + after - n_trailing).max(word.end);
    // The default of a shell, as in `${NAME-value}`.
    let default = text[..range.start].ends_with("${").then(|| text[word.end..range.end].find('-')).flatten();
    range.start..default.map_or(range.end, |at| word.end + at)
}

/// Returns the kind of a name, with its last telling word at `word`; `None` if the value is not secret.
fn kind_of(text: &str, word: Range<usize>, name: Range<usize>) -> Option<NameKind> {
    let rest = &text[word.end..name.end];
    if rest.len() > MAX_AFTER || is_other_value(rest) {
        return None;
    }
    let before = &text[name.start..word.end];
    let lower = text[word].to_ascii_lowercase();
    if lower == "credential" || lower == "creds" {
        return Some(NameKind::Credential);
    }
    if lower.ends_with("_pat") {
        return Some(NameKind::AccessToken);
    }
    if is_service_key(&lower) {
        return (rest.is_empty() && !names_public_key(before)).then_some(NameKind::ServiceKey);
    }
    let is_password = [
        "pass",
        "pw",
        "identified",
        "senha",
        "kennwort",
        "wachtwoord",
        "contrase",
        "senord",
        "salasana",
        "adgangskode",
    ]
    .iter()
    .any(|part| lower.contains(part));
    Some(if is_password && is_last(rest) { NameKind::Password } else { NameKind::Key })
}

/// Returns true for the name of a key that is public, or that finds an entry of a table or cache.
fn names_public_key(name: &str) -> bool {
    let mut words = name.rsplit('_').skip(1);
    words.next().is_some_and(|last| OTHER_KEYS.split_whitespace().any(|other| other == last))
}

/// Returns true for the end of the name of a service with `_KEY`, such as `I_KEY` of `OPENAI_KEY`.
fn is_service_key(word: &str) -> bool {
    word.len() == SERVICE_KEY_BYTES && word.to_ascii_lowercase().ends_with("_key")
}

fn is_short(word: &str) -> bool {
    SHORT_WORDS.iter().any(|short| short.eq_ignore_ascii_case(word))
}

/// Returns true if a word is the last one of a name that ends at `end`.
fn stands_last(text: &str, word: &Range<usize>, end: usize) -> bool {
    is_last(&text[word.end..end]) && is_delimited(text, word)
}

/// Returns true if the rest of a name is at most a number.
fn is_last(rest: &str) -> bool {
    rest.trim_start_matches(['_', '-']).chars().all(|c| c.is_ascii_digit())
}

/// Returns true if a word is not a part of a longer one.
fn is_delimited(text: &str, word: &Range<usize>) -> bool {
    let before = text[..word.start].bytes().next_back().unwrap_or(b' ');
    let is_capital = text.as_bytes()[word.start].is_ascii_uppercase();
    let is_hump = is_capital && before.is_ascii_lowercase();
    let after = text.as_bytes().get(word.end).copied().unwrap_or(b' ');
    (!before.is_ascii_alphanumeric() || is_hump) && !after.is_ascii_alphabetic()
}

/// Returns true if the rest of a name, after the telling word, tells that its value is not a secret.
fn is_other_value(rest: &str) -> bool {
    // A digit before a letter, as in `password4j`, is a part of a word.
    let digits = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    if digits.len() < rest.len() && digits.starts_with(|c: char| c.is_ascii_lowercase()) {
        return true;
    }
    let lower = rest.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_').to_ascii_lowercase();
    !lower.is_empty() && OTHER_VALUES.split_whitespace().any(|ending| lower.ends_with(ending))
}

/// Returns true if a name, such as the key of a map, tells that its value is not a secret.
pub(super) fn names_other_value(name: &str) -> bool {
    const IDS: [&str; 6] = ["id", "kid", "hash", "thumbprint", "fingerprint", "uuid"];
    let last_word = name.rsplit(['_', '-', '.', ' ']).next().unwrap_or(name);
    let is_id = IDS.iter().any(|id| last_word.eq_ignore_ascii_case(id)) || name.ends_with("Id") || name.ends_with("ID");
    is_id || is_other_value(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_found() {
        for (text, expected) in [
            ("DB_PASSWORD=x", "DB_PASSWORD:Password"),
            ("x.dbPass2 = y", "x.dbPass2:Password"),
            ("--secret-key v", "--secret-key:Key"),
            ("the API key is", "API key:Key"),
            ("secretAccessKey", "secretAccessKey:Key"),
            ("password_token: a, token_password: b", "password_token:Key token_password:Password"),
            ("_auth=", "_auth:Key"),
            ("pass", "pass:Password"),
            ("RABBITMQ_ERLANG_COOKIE=x", "RABBITMQ_ERLANG_COOKIE:Key"),
            ("define('NONCE_SALT', x)", "NONCE_SALT:Key"),
            ("define('AUTH_SALT', x)", "AUTH_SALT:Key"),
            ("LOGGED_IN_KEY NONCE_KEY WP_CACHE_KEY_SALT", "LOGGED_IN_KEY:Key NONCE_KEY:Key WP_CACHE_KEY_SALT:Key"),
            ("${API_KEY-x} ${db-password}", "API_KEY:Key db-password:Password"),
            ("u IDENTIFIED BY 'x'", "IDENTIFIED BY:Password"),
            (
                "GH_PAT AZURE_DEVOPS_EXT_PAT github_pat",
                "GH_PAT:AccessToken AZURE_DEVOPS_EXT_PAT:AccessToken github_pat:AccessToken",
            ),
            ("OPENAI_KEY KEY MAILGUN_KEY_ID OPENAI_KEYS openai_key PUBLIC_KEY MY_CACHE_KEY", "OPENAI_KEY:ServiceKey"),
            ("TOKEN_CRYPT_KEY SECRET_HASH_KEY", "TOKEN_CRYPT_KEY:Key SECRET_HASH_KEY:Key"),
            ("PASSWORD_RESET_KEY REFRESH_TOKEN_STATE_KEY", "PASSWORD_RESET_KEY:Key REFRESH_TOKEN_STATE_KEY:Key"),
            ("RECAPTCHA_SITE_KEY AZURE_SEARCH_KEY SITE_SECRET_KEY", "AZURE_SEARCH_KEY:ServiceKey SITE_SECRET_KEY:Key"),
            ("bindpw enc_key cipherKey", "bindpw:Password enc_key:Key cipherKey:Key"),
            ("GH_PATH url_pat _PATTERN github_pat_11", ""),
            ("privkey decryptionKey FUNCTIONS_KEY", "privkey:Key decryptionKey:Key FUNCTIONS_KEY:Key"),
            ("aws_creds credsStore sacreds", "aws_creds:Credential"),
            ("ldap_default_authtok authtoken authTokenizer", "ldap_default_authtok:Key authtoken:Key"),
            ("db_passwort senha PHPSESSID", "db_passwort:Password senha:Password PHPSESSID:Key"),
            ("contraseña db_contrasena", "contraseña:Password db_contrasena:Password"),
            ("CONTRASEÑA LÖSENORD", "CONTRASEÑA:Password LÖSENORD:Password"),
            ("tokenAmount token_supply token_issued_at passwordChangedAt tokenExpiresAt token_time", ""),
            ("secretCat token_timed", "secretCat:Key token_timed:Key"),
            ("mot_de_passe motDePasse lösenord", "mot_de_passe:Password motDePasse:Password lösenord:Password"),
            ("mot de passe", "mot de passe:Password"),
            ("bypass = compass.pwned(author, patch)", ""),
            ("PublicKeyToken public_key_token", ""),
            ("PUBLIC_API_KEY public_key_secret", "PUBLIC_API_KEY:Key public_key_secret:Key"),
            ("tokenizer token_url secretName passwordField2 primary_key", ""),
        ] {
            let found: Vec<String> =
                telling_names(text).map(|name| format!("{}:{:?}", &text[name.range], name.kind)).collect();
            assert_eq!(found.join(" "), expected);
        }
    }

    #[test]
    fn short_nouns_and_keys_of_services_need_a_random_value() {
        for (line, is_masked) in [
            ("gw : PSK \"q8ZtLr2VxN4mWc7K\"", true),
            ("join --psk q8ZtLr2VxN4mWc7K", true),
            ("ldapadd --bind-pw q8ZtLr2VxN4mWc7K", true),
            ("bindpw q8ZtLr2VxN4mWc7KQ", true),
            ("we pass \"q8ZtLr2VxN4mWc7K\" on", false),
            ("gw : PSK \"disabled\"", false),
            ("--auth q8ZtLr2VxN4mWc7K", false),
            ("SENDGRID_KEY=q8ZtLr2VxN4mWc7Kp3Jd", true),
            ("  OPENAI_KEY: q8ZtLr2VxN4mWc7Kp3Jd", true),
            ("ENV DATADOG_KEY 8b4b4d56e1c04a5ebcb2e0a35d1ea6fb", true),
            ("const STRIPE_KEY = \"q8ZtLr2VxN4mWc7Kp3Jd\";", true),
            ("SENDGRID_KEY=q8ZtLr2VxN4mWc7", false),
            ("MY_CACHE_KEY=q8ZtLr2VxN4mWc7Kp3Jd", false),
            ("TOKEN_CRYPT_KEY=Zm9v+Ab/3dEf9QwX2Lr8==", true),
            ("PASSWORD_RESET_KEY=q8ZtLr2VxN4mWc7K", true),
            ("SECRET_HASH_KEY=q8ZtLr2VxN4mWc7Kp3Jd", true),
            ("RECAPTCHA_SITE_KEY=q8ZtLr2VxN4mWc7Kp3Jd", false),
            ("PUBLIC_KEY=q8ZtLr2VxN4mWc7Kp3Jd", false),
            ("STORAGE_VERSION_KEY = \"application.version.2024-11-28\"", false),
            ("LAST_RUN_KEY = \"scheduler-last-run-of-user-1\"", false),
            ("THEME_KEY: 'app.settings.theme.v2.dark_mode'", false),
        ] {
            assert_eq!(crate::mask_secrets(line).contains("[masked]"), is_masked, "{line}");
        }
    }
}
