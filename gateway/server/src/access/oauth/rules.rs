//! Rules that map the claims of a token to readable repositories.

use serde::Deserialize;
use serde_json::{Map, Value};

use federation::principal::matches_pattern;

/// One `[[access.oauth.rule]]`: grants repositories to callers whose claim has this value. Rules add up.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleSettings {
    /// Name of the claim. A dot selects a field of an object, as in `realm_access.roles`.
    pub claim: String,
    /// Pattern for the claim or one of its items; `*` matches any characters.
    pub value: String,
    /// Patterns of `alias` or `alias@worker`; `*` matches any characters.
    pub repositories: Vec<String>,
}

/// A validated rule.
#[derive(Debug)]
pub(super) struct ClaimRule {
    claim: String,
    value: String,
    repositories: Vec<String>,
}

impl From<&RuleSettings> for ClaimRule {
    fn from(settings: &RuleSettings) -> ClaimRule {
        let RuleSettings { claim, value, repositories } = settings.clone();
        ClaimRule { claim, value, repositories }
    }
}

impl ClaimRule {
    pub(super) fn applies(&self, claims: &Map<String, Value>) -> bool {
        values(claims, &self.claim).iter().any(|value| matches_pattern(&self.value, value))
    }

    pub(super) fn repositories(&self) -> impl Iterator<Item = &String> {
        self.repositories.iter()
    }
}

/// Returns the strings of a claim: the string itself, the strings of a list, or the words of a scope. Other JSON types
/// give none.
pub(super) fn values<'a>(claims: &'a Map<String, Value>, name: &str) -> Vec<&'a str> {
    let mut found = claims.get(name);
    if found.is_none() {
        let (first, rest) = name.split_once('.').unwrap_or((name, ""));
        let steps = rest.split('.').filter(|step| !step.is_empty());
        found = steps.fold(claims.get(first), |value, step| value?.as_object()?.get(step));
        if rest.is_empty() {
            found = None;
        }
    }
    match found {
        Some(Value::String(text)) if matches!(name, "scope" | "scp") => text.split(' ').collect(),
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn claim_values_are_read_from_strings_lists_scopes_and_paths() {
        let claims = json!({
            "team": "platform", "groups": ["a", 7, "b c"], "scope": "code:read profile", "n": 3,
            "realm_access": {"roles": ["admin"]}, "https://example.com/groups": ["x"], "a.b": "flat", "a": {"b": "deep"}
        });
        let claims = claims.as_object().unwrap();
        for (name, expected) in [
            ("team", vec!["platform"]),
            ("groups", vec!["a", "b c"]),
            ("scope", vec!["code:read", "profile"]),
            ("realm_access.roles", vec!["admin"]),
            ("realm_access", vec![]),
            ("realm_access.none", vec![]),
            ("team.x", vec![]),
            ("https://example.com/groups", vec!["x"]),
            ("a.b", vec!["flat"]),
            ("n", vec![]),
            ("none", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(values(claims, name), expected, "{name}");
        }
    }

    #[test]
    fn rule_applies_to_values_that_match_its_pattern() {
        let claims = json!({"groups": ["platform-eng", "all"]});
        for (value, expected) in [("platform-*", true), ("all", true), ("platform", false), ("*-ops", false)] {
            let settings =
                RuleSettings { claim: "groups".to_owned(), value: value.to_owned(), repositories: Vec::new() };
            assert_eq!(ClaimRule::from(&settings).applies(claims.as_object().unwrap()), expected, "{value}");
        }
    }
}
