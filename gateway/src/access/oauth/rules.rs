//! From what a token claims to what its holder may read.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::access::matches_pattern;

/// One `[[access.oauth.rule]]`: holders whose claim has this value may read these repositories, too.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleSettings {
    /// The claim's name; a dot leads into an object, as in `realm_access.roles`.
    pub claim: String,
    /// What the claim, or one item of it, is; `*` stands for any characters.
    pub value: String,
    /// Aliases, alone or as `alias@worker`, `*` standing for any characters.
    pub repositories: Vec<String>,
}

#[derive(Debug)]
pub(super) struct Rule {
    claim: String,
    value: String,
    repositories: Vec<String>,
}

impl From<&RuleSettings> for Rule {
    fn from(settings: &RuleSettings) -> Rule {
        let RuleSettings { claim, value, repositories } = settings.clone();
        Rule { claim, value, repositories }
    }
}

impl Rule {
    pub(super) fn applies(&self, claims: &Map<String, Value>) -> bool {
        values(claims, &self.claim).iter().any(|value| matches_pattern(&self.value, value))
    }

    pub(super) fn repositories(&self) -> impl Iterator<Item = &String> {
        self.repositories.iter()
    }
}

/// Returns what a claim says: a text, each text of a list, each word of a scope. Numbers and the like say nothing.
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
    fn claims_are_read_in_any_of_their_shapes() {
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
    fn a_rule_applies_by_its_pattern() {
        let claims = json!({"groups": ["platform-eng", "all"]});
        for (value, expected) in [("platform-*", true), ("all", true), ("platform", false), ("*-ops", false)] {
            let settings =
                RuleSettings { claim: "groups".to_owned(), value: value.to_owned(), repositories: Vec::new() };
            assert_eq!(Rule::from(&settings).applies(claims.as_object().unwrap()), expected, "{value}");
        }
    }
}
