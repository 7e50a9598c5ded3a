//! The rules for secrets: each has a cheap trigger, a pattern, and a predicate on the value.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex, RegexSet, RegexSetBuilder};

use super::assigned_values::ValueForm;
use super::command_options;
use super::pem;
use super::secret_value::{is_not_filler, is_not_placeholder, is_secret, is_token_prefix, is_unlike_words};
use super::telling_names::{NameKind, TELLING_WORDS};

/// Decides by its value whether a match is a secret.
pub(super) type ValuePredicate = fn(&str) -> bool;

/// The trigger, the pattern and the predicate of a rule. The trigger is cheap to search for; the pattern captures the value.
pub(super) type RuleSpec = (String, String, ValuePredicate);

/// A rule that finds one kind of secret.
pub(super) enum MaskRule {
    Pattern(SecretPattern),
    /// Spans lines, and so needs more than a pattern.
    PrivateKeyBlock,
    /// The values of names such as `password`.
    TellingName,
}

pub(super) struct SecretPattern {
    regex: Regex,
    is_secret: fn(&str) -> bool,
}

/// Returns the rules whose trigger occurs in `text`.
pub(super) fn triggered_rules(text: &str) -> impl Iterator<Item = &'static MaskRule> {
    TRIGGERS.with(|triggers| triggers.matches(text)).into_iter().map(|index| &RULES[index])
}

/// Returns the range of a token that is truncated by the end of the text or by a cut there.
pub(super) fn find_cut_token(text: &str) -> Option<Range<usize>> {
    /// Number of bytes examined at the end of the text. Known tokens are shorter.
    const N_BYTES_READ: usize = 400;
    static CUT: LazyLock<Regex> = LazyLock::new(|| {
        let beginnings: Vec<&str> = ISSUED_TOKENS.iter().map(|(trigger, _)| *trigger).collect();
        let pattern = format!(r"(?-u:\b)((?:{})[A-Za-z0-9_./+-]{{6,}})…?[ \t\n]*$", beginnings.join("|"));
        Regex::new(&pattern).expect("the pattern is valid")
    });
    let start = (text.len().saturating_sub(N_BYTES_READ)..).find(|start| text.is_char_boundary(*start))?;
    let token = CUT.captures(&text[start..])?.get(1).filter(|token| is_token_prefix(token.as_str()))?;
    Some(start + token.start()..start + token.end())
}

impl SecretPattern {
    /// Returns the ranges of the values that are secrets.
    pub(super) fn find_in(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut position = 0;
        while let Some(captures) = self.regex.captures_at(text, position) {
            let value = value_of(&captures);
            let is_secret = (self.is_secret)(&text[value.clone()]);
            // A rejected value may contain the name of the next secret: ("password", "token": "...").
            position = if is_secret { value.end } else { value.start.max(position + 1) };
            while !text.is_char_boundary(position) {
                position += 1;
            }
            if is_secret {
                found.push(value);
            }
        }
        found
    }
}

/// Returns the group that matched.
fn value_of(captures: &Captures<'_>) -> Range<usize> {
    let value = captures.iter().skip(1).flatten().next();
    value.expect("each pattern captures its value in one group").range()
}

/// Maximum size of the automaton of the triggers. Below it, the automaton would be built several times within a text.
const MAX_AUTOMATON_BYTES: usize = 4 << 20;

thread_local! {
    /// The triggers with an automaton for this thread. It grows to megabytes, and ends with the thread.
    static TRIGGERS: RegexSet = ALL_TRIGGERS.clone();
}

static ALL_TRIGGERS: LazyLock<RegexSet> = LazyLock::new(|| {
    let triggers = table().into_iter().map(|(trigger, ..)| trigger);
    RegexSetBuilder::new([pem::TRIGGER, TELLING_WORDS].map(str::to_owned).into_iter().chain(triggers))
        .dfa_size_limit(MAX_AUTOMATON_BYTES)
        .build()
        .expect("the triggers are valid")
});

static RULES: LazyLock<Vec<MaskRule>> = LazyLock::new(|| {
    let patterns = table().into_iter().map(|(_, pattern, is_secret)| {
        MaskRule::Pattern(SecretPattern { regex: Regex::new(&pattern).expect("the patterns are valid"), is_secret })
    });
    [MaskRule::PrivateKeyBlock, MaskRule::TellingName].into_iter().chain(patterns).collect()
});

/// Returns trigger, pattern and predicate of every rule that is a pattern.
fn table() -> Vec<RuleSpec> {
    let shapes = ISSUED_TOKENS.iter().map(|(trigger, shape)| {
        // Letters and digits around a token would belong to it, unless they are an escape within a string.
        let pattern = format!(r"(?-u:\b|_|\\[nrt])({shape})(?-u:\b|_|$)");
        (trigger.to_string(), pattern, is_not_filler as ValuePredicate)
    });
    shapes
        .chain([base64_of_pem(), telegram()])
        .chain(headers_and_urls())
        .chain(connection_strings())
        .chain([command_options::rule()])
        .collect()
}

/// Triggers and patterns of tokens with a known prefix, by issuer.
const ISSUED_TOKENS: &[(&str, &str)] = &[
    ("A[KS]IA|ABIA|ACCA", "(?:A[KS]IA|ABIA|ACCA)[A-Z0-9]{16}"), // AWS access key ids
    ("gh[opsur]_", "gh[opsur]_[A-Za-z0-9]{36,}"),               // GitHub
    ("github_pat_", "github_pat_[A-Za-z0-9_]{22,}"),            // GitHub, fine-grained
    ("gl(?:pat|[drf]t|cbt|ptt|soat|agent|imt)-", "gl(?:pat|[drf]t|cbt|ptt|soat|agent|imt)-[A-Za-z0-9_-]{20,}"), // GitLab
    ("xox[abeoprs]-|xapp-", "(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}"),                                         // Slack
    ("hooks.slack.com", r"hooks\.slack\.com/services/[A-Za-z0-9/]{20,}"), // Slack, web hooks
    ("[rs]k_(?:live|test)_", "[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),     // Stripe
    ("whsec_", "whsec_[A-Za-z0-9+/]{24,}"),                               // Stripe, web hooks
    ("AIza", "AIza[A-Za-z0-9_-]{35}"),                                    // Google API
    ("GOCSPX-", "GOCSPX-[A-Za-z0-9_-]{28}"),                              // Google OAuth client
    (r"ya29\.", r"ya29\.[A-Za-z0-9_-]{20,}"),                             // Google OAuth access
    ("npm_", "npm_[A-Za-z0-9]{36}"),                                      // npm
    ("pypi-", "pypi-[A-Za-z0-9_-]{32,}"),                                 // PyPI
    ("dckr_pat_", "dckr_pat_[A-Za-z0-9_-]{20,}"),                         // Docker Hub
    ("do[opr]_v1_", "do[opr]_v1_[a-f0-9]{64}"),                           // DigitalOcean
    ("shp(?:at|ca|pa|ss)_", "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),        // Shopify
    ("hf_", "hf_[A-Za-z0-9]{34,64}"),                                     // Hugging Face
    ("hv[bsr]\\.", r"hv[bsr]\.[A-Za-z0-9_-]{24,}"),                       // Vault
    (r"SG\.", r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),               // SendGrid
    ("AGE-SECRET-KEY-1", "AGE-SECRET-KEY-1[A-Z0-9]{58}"),                 // age
    ("sk-(?:ant|proj|or|svcacct|admin)-", "sk-(?:ant|proj|or|svcacct|admin)-[A-Za-z0-9_-]{20,}"), // model providers
    ("sk-[A-Za-z0-9]{8}", "sk-[A-Za-z0-9]{32,}"),                         // model providers, older
    ("eyJ", r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"), // JSON web tokens
];

/// Returns the rule for a PEM file encoded as base64, as in Kubernetes secrets: `LS0t` is `---`.
fn base64_of_pem() -> RuleSpec {
    /// `-----BEGIN CERT` and `-----BEGIN PUBL`.
    const PUBLIC: [&str; 2] = ["LS0tLS1CRUdJTiBDRVJU", "LS0tLS1CRUdJTiBQVUJM"];
    let is_private = |value: &str| !PUBLIC.iter().any(|public| value.starts_with(public));
    ("LS0tLS1CRUdJTi".to_owned(), "(LS0tLS1CRUdJTi[A-Za-z0-9+/]{32,}={0,2})".to_owned(), is_private)
}

/// Returns the rule for Telegram bot tokens, which also follow `bot` in URLs.
fn telegram() -> RuleSpec {
    let shape = r"(?-u:\b|bot)([0-9]{8,10}:[A-Za-z0-9_-]{35})(?-u:\b|$)";
    ("[0-9]:[A-Za-z_]".to_owned(), shape.to_owned(), is_unlike_words)
}

/// Returns the rules for credentials at fixed positions of protocols.
fn headers_and_urls() -> Vec<RuleSpec> {
    let host = r"[A-Za-z0-9\[][A-Za-z0-9.:\]-]*";
    vec![
        (
            r"(?i-u:bearer)[ \t]".to_owned(),
            r"(?i-u:bearer)[ \t]+([A-Za-z0-9._~+/-]{16,}={0,2})".to_owned(),
            is_bearer_token,
        ),
        (
            r"(?i-u:basic)[ \t]".to_owned(),
            r#"(?i-u:authorization)["'`]?\s{0,8}[:=,]\s{0,8}["'`]?(?i-u:basic)[ \t]+([A-Za-z0-9+/]{8,}={0,2})"#
                .to_owned(),
            is_not_placeholder,
        ),
        // scheme://user:password@host
        (
            "://[!-~]*@".to_owned(),
            format!(r#"://[^\s/:@"'`<>?#]*:([^\s"'`<>]{{1,100}})@{host}(?:[/?#,;)\\"'`<>\s]|$)"#),
            is_url_password,
        ),
        // scheme://token@host
        ("://[!-~]{16,}@".to_owned(), format!(r#"://([^\s:@"'`<>?#]{{16,200}})@{host}"#), is_url_token),
        // curl -u user:password
        (
            "curl[ \t]".to_owned(),
            r#"(?-u:\b)curl(?:[ \t][^\n]*?)?[ \t](?:-u|--user)[ \t=]?["']?[^\s:"']+:([^\s"']+)"#.to_owned(),
            is_not_placeholder,
        ),
    ]
}

/// Returns the rules for passwords in connection strings that are no URLs.
fn connection_strings() -> [RuleSpec; 2] {
    let field = r"[A-Za-z0-9_.*-]+";
    [
        // user:password@tcp(host:port)
        (
            "@(?:tcp|unix)".to_owned(),
            r#"(?-u:\b)[A-Za-z0-9_.-]+:([^\s"'`(]{1,100})@(?:tcp|unix)\("#.to_owned(),
            is_not_placeholder,
        ),
        // host:port:database:user:password, on a line of its own
        (
            ":(?:5432|[*]):".to_owned(),
            format!(r"(?m)^{field}:(?:5432|[*]):{field}:{field}:(\S+)\r?$"),
            is_pgpass_password,
        ),
    ]
}

/// Returns true if the last field of a line of `.pgpass` is a password.
fn is_pgpass_password(value: &str) -> bool {
    is_secret(value, NameKind::Password, ValueForm::Line)
}

/// Returns true if the value of a `Bearer` header is a secret.
fn is_bearer_token(value: &str) -> bool {
    is_secret(value, NameKind::Key, ValueForm::Inline)
}

/// Returns true if the text between user and host of a URL is a password, and neither a port nor a path.
fn is_url_password(value: &str) -> bool {
    let digits = value.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_port = digits.len() < value.len() && digits.starts_with(['/', '?', '#']);
    is_not_placeholder(value) && (!is_port || is_unlike_words(value)) && !value.contains("://")
}

/// Returns true if the user of a URL is a token.
fn is_url_token(value: &str) -> bool {
    let is_host = value.split_once('/').is_some_and(|(host, _)| host.contains('.'));
    is_secret(value, NameKind::Key, ValueForm::Inline) && !is_host
}
