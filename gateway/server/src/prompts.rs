//! MCP prompts: templates that a user selects, and that make a model call the right tools in order. The templates are
//! files; arguments are inserted as JSON.

use serde_json::{Map, Value, json};

use federation::{
    plan::Visible,
    refusal::{Refusal, quoted},
};
use tools::{arguments, schema::JsonObject};

/// A prompt with placeholders for its arguments.
pub(crate) struct PromptTemplate {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: &'static str,
    pub(crate) arguments: &'static [TemplateArgument],
    text: &'static str,
}

/// An argument of a prompt.
pub(crate) struct TemplateArgument {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) is_required: bool,
    is_list: bool,
}

const REPO: TemplateArgument = TemplateArgument {
    name: "repo",
    description: "An alias, several aliases separated by commas, or all. Default all.",
    is_required: false,
    is_list: false,
};

/// All prompts, sorted by name.
pub(crate) const ALL: [PromptTemplate; 3] = [
    PromptTemplate {
        name: "orient",
        title: "Get to know a repository",
        description: "Explains a repository, or the whole system, to a newcomer.",
        arguments: &[REPO],
        text: include_str!("../prompts/orient.md"),
    },
    PromptTemplate {
        name: "review",
        title: "Review this change",
        description: "Finds what a change breaks, omits or leaves untested, in all repositories.",
        arguments: &[
            TemplateArgument {
                name: "changed_files",
                description: "Paths of the changed files, separated by commas or line feeds.",
                is_required: true,
                is_list: true,
            },
            REPO,
        ],
        text: include_str!("../prompts/review.md"),
    },
    PromptTemplate {
        name: "what-breaks-if",
        title: "What breaks if this changes",
        description: "Lists the users that break if a definition, file, rpc or route changes, and how.",
        arguments: &[
            TemplateArgument {
                name: "target",
                description: "A name, symbol id, path, rpc or route (GET /x).",
                is_required: true,
                is_list: false,
            },
            REPO,
        ],
        text: include_str!("../prompts/what-breaks-if.md"),
    },
];

/// Returns the prompt with this name, or an error that lists the known names.
pub(crate) fn find(name: &str) -> Result<&'static PromptTemplate, Refusal> {
    static PROMPTS: [PromptTemplate; 3] = ALL;
    PROMPTS.iter().find(|prompt| prompt.name == name).ok_or_else(|| {
        let known: Vec<&str> = PROMPTS.iter().map(|prompt| prompt.name).collect();
        Refusal::new(format!("no prompt {}; known prompts: {}", quoted(name), known.join(", ")))
    })
}

impl PromptTemplate {
    /// Renders the prompt for a caller with these visible repositories.
    pub(crate) fn fill(&self, passed: JsonObject, visible: &Visible) -> Result<String, Refusal> {
        // Items may be separated by line feeds as well as commas.
        let passed = passed.into_iter().map(|(name, value)| match value {
            Value::String(text) if self.takes_list(&name) => (name, json!(text.replace(['\n', '\r'], ","))),
            value => (name, value),
        });
        let parsed = arguments::read_strictly::<JsonObject>(&self.schema(), Value::Object(passed.collect()))?;
        if let Some(unknown) = parsed.ignored.first() {
            return Err(Refusal::new(unknown.clone()));
        }
        let mut filled = parsed.arguments;
        for argument in self.arguments.iter().filter(|argument| argument.is_required) {
            if is_empty(&filled[argument.name]) {
                return Err(Refusal::new(format!("`{}` is empty: {}", argument.name, argument.description)));
            }
        }
        filled.retain(|_, value| !is_empty(value));
        let repo = filled.get("repo").and_then(Value::as_str).map(str::to_owned);
        let is_everything = visible.plan(repo.as_deref()).map(|_| repo.as_deref().is_none_or(|repo| repo == "all"))?;
        Ok(self
            .text
            .split_inclusive('\n')
            .map(|line| fill_line(line, &filled, repo.as_deref(), is_everything))
            .collect())
    }

    fn takes_list(&self, name: &str) -> bool {
        self.arguments.iter().any(|argument| argument.is_list && argument.name == name)
    }

    fn schema(&self) -> JsonObject {
        let property = |argument: &TemplateArgument| {
            let kind = if argument.is_list { "array" } else { "string" };
            let property = json!({"type": kind, "items": {"type": "string"}, "description": argument.description});
            (argument.name.to_owned(), property)
        };
        let properties: Map<String, Value> = self.arguments.iter().map(property).collect();
        let required = self.arguments.iter().filter(|argument| argument.is_required).map(|argument| argument.name);
        let mut schema = JsonObject::new();
        schema.insert("properties".to_owned(), Value::Object(properties));
        schema.insert("required".to_owned(), required.collect());
        schema
    }
}

/// Renders one line. Inserted values are not scanned again, so that braces in them are literal.
fn fill_line(line: &str, filled: &JsonObject, repo: Option<&str>, is_everything: bool) -> String {
    let repo_json = json!(repo.unwrap_or("all")).to_string();
    let placeholder = |name: &str| match name {
        "repo" => Some(repo_json.clone()),
        "and_repo" if is_everything => Some(String::new()),
        "and_repo" => Some(format!(", \"repo\": {repo_json}")),
        "where" if is_everything && filled.is_empty() => Some("these repositories".to_owned()),
        "where" if is_everything => Some(String::new()),
        "where" if filled.len() > 1 => Some(format!(" in {repo_json}")),
        "where" => Some(repo_json.clone()),
        "files" => Some(shown_list(filled.get("changed_files")?)),
        name => filled.get(name).map(Value::to_string),
    };
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let filled = after.split_once('}').and_then(|(name, after)| Some((placeholder(name)?, after)));
        match filled {
            Some((value, after)) => {
                text.push_str(&value);
                rest = after;
            }
            None => {
                text.push('{');
                rest = after;
            }
        }
    }
    text + rest
}

fn shown_list(items: &Value) -> String {
    let items = items.as_array().into_iter().flatten().filter_map(Value::as_str);
    text::quote_names(items)
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.iter().all(is_empty),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proto::v1;

    use super::*;
    use federation::{
        directory::{Directory, Reachability, WorkerView},
        principal::Principal,
    };

    fn visible(aliases: &[&str]) -> Visible {
        let repository = |(n, alias): (usize, &&str)| v1::Repository {
            id: model::RepoId([n as u8; 16]).to_string(),
            alias: (*alias).to_owned(),
            ..Default::default()
        };
        let view = WorkerView {
            name: "w".to_owned(),
            reach: Reachability::Reachable,
            inventory: Some(v1::InventoryResponse {
                analyser_version: ranking::ANALYSER_VERSION,
                repositories: aliases.iter().enumerate().map(repository).collect(),
                ..Default::default()
            }),
        };
        Visible::new(Arc::new(Directory::build(&[view])), &Principal::local())
    }

    fn fill(name: &str, arguments: Value) -> Result<String, String> {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let prompt = find(name).map_err(|refusal| refusal.to_string())?;
        prompt.fill(arguments, &visible(&["api", "web"])).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn prompts_are_rendered_with_their_arguments() {
        for (name, arguments, expected) in [
            (
                "orient",
                json!({}),
                vec!["I do not know these repositories yet.", "`get_overview` with {\"repo\": \"all\"}"],
            ),
            ("orient", json!({"repo": "api"}), vec!["I do not know \"api\" yet.", "{\"repo\": \"api\"}"]),
            (
                "review",
                json!({"changed_files": "src/a.rs, src/b.rs\nc.md", "repo": "api"}),
                vec![
                    "of these files in \"api\": src/a.rs, src/b.rs, c.md",
                    "{\"changed_files\": [\"src/a.rs\",\"src/b.rs\",\"c.md\"], \"repo\": \"api\"}",
                    "{\"target\": \"...\", \"repo\": \"api\"}",
                ],
            ),
            ("review", json!({"changed_files": "a"}), vec!["of these files: a\n", "{\"changed_files\": [\"a\"]}"]),
            (
                "what-breaks-if",
                json!({"target": "GET /x/{id} \"{repo}\""}),
                vec!["`get_impact` with {\"target\": \"GET /x/{id} \\\"{repo}\\\"\"}."],
            ),
            ("what-breaks-if", json!({"target": "f", "repo": "web"}), vec!["{\"target\": \"f\", \"repo\": \"web\"}"]),
        ] {
            let text = fill(name, arguments.clone()).unwrap();
            for part in expected {
                assert!(text.contains(part), "{name} {arguments}: {part}: {text}");
            }
        }
    }

    #[test]
    fn invalid_arguments_are_rejected() {
        for (name, arguments, expected) in [
            ("review", json!({}), "`changed_files` is missing"),
            ("review", json!({"changed_files": " , "}), "`changed_files` is empty"),
            ("review", json!({"changed_files": vec!["a"; 301]}), "at most 300 items"),
            ("what-breaks-if", json!({"target": ""}), "`target` is empty"),
            ("what-breaks-if", json!({"target": "f", "depth": 3}), "`depth`: unknown"),
            ("what-breaks-if", json!({"target": "f".repeat(5_000)}), "at most 4096 bytes"),
            ("orient", json!({"repo": "wob"}), "no repository `wob`; known are: web, api"),
            ("explain", json!({}), "no prompt `explain`; known prompts: orient, review, what-breaks-if"),
        ] {
            let refusal = fill(name, arguments.clone()).unwrap_err();
            assert!(refusal.contains(expected), "{name} {arguments}: {refusal}");
        }
    }

    #[test]
    fn prompts_name_existing_tools() {
        assert!(ALL.is_sorted_by_key(|prompt| prompt.name));
        for prompt in ALL {
            let quoted =
                prompt.text.split('`').skip(1).step_by(2).filter(|word| word.contains('_') && !word.contains('.'));
            let named: Vec<&str> = quoted.collect();
            assert!(!named.is_empty(), "{}", prompt.name);
            for tool in named {
                assert!(tools::find(tool).is_ok(), "{}: {tool}", prompt.name);
            }
            assert!(prompt.name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte)));
        }
    }
}
