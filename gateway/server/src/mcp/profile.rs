//! Profiles: the selection of tools that a client is offered.

use federation::refusal::{Refusal, quoted};
use serde_json::Value;
use tools::{ALL, Tool, schema::JsonObject};

/// The tools of the lean profile, with the arguments that it lists. The other arguments are accepted too.
const LEAN: [(&str, &[&str]); 5] = [
    ("get_answer", &["question", "repo", "token_budget", "seen"]),
    ("get_context", &["entity", "mode", "target", "intent", "from", "to", "token_budget", "repo"]),
    ("get_impact", &["target", "depth", "token_budget", "repo", "cursor"]),
    ("list_repos", &["repo"]),
    ("search_codebase", &["query", "limit", "kind", "scope", "language", "repo", "cursor", "seen"]),
];

/// A selection of tools. It limits the list of tools, whose tokens every conversation pays for, and not the calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// All tools.
    #[default]
    Full,
    /// Five tools.
    Lean,
}

impl Profile {
    /// Returns the profile with this name.
    pub fn parse(name: &str) -> Result<Profile, Refusal> {
        match name {
            "full" => Ok(Profile::Full),
            "lean" => Ok(Profile::Lean),
            other => Err(Refusal::new(format!("no profile {}; known profiles: full, lean", quoted(other)))),
        }
    }

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Full => "full",
            Profile::Lean => "lean",
        }
    }

    /// Returns the tools, in the order of names.
    pub(crate) fn tools(self) -> impl Iterator<Item = &'static Tool> {
        ALL.iter().filter(move |tool| self == Profile::Full || LEAN.iter().any(|(name, _)| *name == tool.name))
    }

    /// Returns the listed schema of a tool's arguments.
    pub(crate) fn input(self, tool: &Tool) -> JsonObject {
        let mut input = tool.input.clone();
        let listed = LEAN.iter().find(|(name, _)| self == Profile::Lean && *name == tool.name);
        if let (Some((_, listed)), Some(properties)) =
            (listed, input.get_mut("properties").and_then(Value::as_object_mut))
        {
            properties.retain(|name, _| listed.contains(&name.as_str()));
        }
        input
    }

    /// Returns the listed schema of a tool's answers.
    pub(crate) fn output(self, tool: &Tool) -> Option<JsonObject> {
        tool.output.clone().filter(|_| self == Profile::Full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_have_names_and_tools() {
        for (name, n_tools) in [("full", ALL.len()), ("lean", LEAN.len())] {
            let profile = Profile::parse(name).unwrap();
            assert_eq!((profile.name(), profile.tools().count()), (name, n_tools));
        }
        let refusal = Profile::parse("tiny").unwrap_err().to_string();
        assert_eq!(refusal, "no profile `tiny`; known profiles: full, lean");
    }
}
