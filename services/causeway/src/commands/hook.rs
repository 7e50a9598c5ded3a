//! `causeway hook`: a hook of Claude Code. Reads an event from standard input, and prints context for the model, or nothing.

use std::{
    io::Read as _,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    backend,
    client::{ServerClient, ToolCallResult},
    data,
    exit::Exit,
    options::{GlobalOptions, ServerOptions},
    output::print,
};

const EXAMPLE: &str = "\
Example:
  causeway setup claude-code --hooks      lets Claude Code run this command
  echo '{\"tool_input\": {\"file_path\": \"/code/api/routes.go\"}}' | causeway hook before-edit

Prints nothing, and does not fail, if no server runs, or if the server does not know the file or the name. The data folder of
this machine names the repository of a file, also with --url: before-edit prints nothing about a repository that is not in it.";

/// Maximum size of an event. It has the text of the edit.
const MAX_EVENT_BYTES: u64 = 4 << 20;

/// Time for the name of the repository and the answer of the server. A hook delays the agent.
const DEADLINE: Duration = Duration::from_secs(3);

/// Time to wait for each read of the repository of a file.
const PATIENCE: Duration = Duration::from_millis(500);

/// Budget of the added context of a name, in tokens.
const TOKEN_BUDGET: u32 = 600;

/// Budget of the answer that users are read from. The added context has one line per user.
const USERS_BUDGET: u32 = 12_000;

/// Maximum numbers of listed users and tests.
const MAX_USERS: usize = 20;
const MAX_TESTS: usize = 5;

#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct HookArgs {
    event: HookEvent,
    #[command(flatten)]
    server: ServerOptions,
}

/// Event of the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum HookEvent {
    /// Prints the users of the file
    BeforeEdit,
    /// Prints the definition of the name that was searched
    AfterSearch,
}

pub(crate) async fn run(args: HookArgs, global: &GlobalOptions) -> anyhow::Result<Exit> {
    let mut text = String::new();
    std::io::stdin().take(MAX_EVENT_BYTES).read_to_string(&mut text)?;
    let event: Value = serde_json::from_str(&text).unwrap_or_default();
    let data = data::folder(global)?;
    let Some(server) = backend::running_server(&args.server, global)? else { return Ok(Exit::Done) };
    if let Ok(Some(context)) = tokio::time::timeout(DEADLINE, ask(args.event, event, data, &server)).await {
        let output = json!({ "hookEventName": args.event.name(), "additionalContext": context });
        print(&json!({ "hookSpecificOutput": output }).to_string())?;
    }
    Ok(Exit::Done)
}

/// Returns the context of an event from the server; `None` if there is nothing to say.
async fn ask(kind: HookEvent, event: Value, data: PathBuf, server: &ServerClient) -> Option<String> {
    let named = tokio::task::spawn_blocking(move || {
        call(kind, &event, |root| worker::import::alias_of_folder(&data, root, PATIENCE))
    });
    let (tool, arguments) = named.await.ok()??;
    let target = arguments["target"].as_str().unwrap_or_default().to_owned();
    let answered = server.call(tool, arguments).await.ok()?;
    if answered.is_error { None } else { context(kind, answered, &target) }
}

impl HookEvent {
    /// Returns the name of the event in Claude Code.
    fn name(self) -> &'static str {
        match self {
            HookEvent::BeforeEdit => "PreToolUse",
            HookEvent::AfterSearch => "PostToolUse",
        }
    }
}

/// Returns the tool and its arguments for an event; `None` if the event has no name, or no file of a repository with an alias.
fn call(event: HookEvent, input: &Value, alias_of: impl Fn(&Path) -> Option<String>) -> Option<(&'static str, Value)> {
    let input = &input["tool_input"];
    match event {
        HookEvent::BeforeEdit => {
            let (root, path) = split_at_repository(Path::new(input["file_path"].as_str()?))?;
            // A path alone may be that of a file in another repository.
            let target = format!("{}:{path}", alias_of(root)?);
            Some(("get_impact", json!({ "target": target, "token_budget": USERS_BUDGET })))
        }
        HookEvent::AfterSearch => {
            let name = input["pattern"].as_str().filter(|pattern| is_identifier(pattern))?;
            let arguments = json!({ "entity": name, "detail_level": "neighbors", "token_budget": TOKEN_BUDGET });
            Some(("get_context", arguments))
        }
    }
}

/// Returns the root of the repository that has a file, and the path of the file below it.
fn split_at_repository(file: &Path) -> Option<(&Path, &str)> {
    let root = file.ancestors().skip(1).find(|folder| folder.join(".git").exists())?;
    Some((root, file.strip_prefix(root).ok()?.to_str()?))
}

/// Returns the context that an answer gives; `None` if there is nothing to say.
fn context(event: HookEvent, answered: ToolCallResult, target: &str) -> Option<String> {
    match event {
        HookEvent::AfterSearch => Some(answered.text),
        HookEvent::BeforeEdit => {
            let answer = answered.structured.or_else(|| serde_json::from_str(&answered.text).ok())?;
            users(&answer, target)
        }
    }
}

/// Returns the users of a file as text, one per line; `None` if the answer is about something else, or there are none.
fn users(answer: &Value, target: &str) -> Option<String> {
    let count = |field: &str| answer["counts"][field].as_u64().unwrap_or_default();
    let (n_direct, n_tests) = (count("direct"), count("tests"));
    if answer["target"]["id"] != target || n_direct + n_tests == 0 {
        return None;
    }
    let mut lines = vec![format!(
        "{target} has {n_direct} direct and {} indirect users; tests that reach it: {n_tests}.",
        count("indirect") + count("peripheral")
    )];
    let mut list = |title: &str, field: &str, n_all: u64, max: usize| {
        // A user with many lines has several entries.
        let rows = answer[field].as_array().into_iter().flatten().filter(|row| row["continued"] != true);
        let rows: Vec<String> = rows.take(max).map(user).collect();
        if rows.is_empty() {
            return;
        }
        let n_more = n_all.saturating_sub(rows.len() as u64);
        lines.push(title.to_owned());
        lines.extend(rows);
        if n_more > 0 {
            lines.push(format!("- {n_more} more: get_impact with target `{target}` lists them"));
        }
    };
    list("Direct users:", "direct", n_direct, MAX_USERS);
    list("Tests to run:", "tests_to_run", n_tests, MAX_TESTS);
    if answer["_meta"]["coverage"]["complete"] == false {
        lines.push("Some repositories did not answer: there may be more users.".to_owned());
    }
    Some(lines.join("\n"))
}

/// Returns one line about a user: its place, name and relation.
fn user(row: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (path, name, relation) = (text(&row["path"]), text(&row["name"]), text(&row["link"]["relation"]));
    let line = row["link"]["line"].as_u64().or_else(|| row["lines"][0].as_u64()).filter(|line| *line > 0);
    let line = line.map(|line| format!(":{line}")).unwrap_or_default();
    let name = if name.is_empty() || name == path { String::new() } else { format!(" {name}") };
    let relation = if relation.is_empty() { String::new() } else { format!(" ({relation})") };
    format!("- {}:{path}{line}{name}{relation}", text(&row["repo"]))
}

/// Returns true for a single name, since other patterns have no definition.
fn is_identifier(pattern: &str) -> bool {
    let is_part = |part: &str| {
        part.starts_with(|first: char| first.is_alphabetic() || first == '_')
            && part.chars().all(|one| one.is_alphanumeric() || one == '_')
    };
    (3..=100).contains(&pattern.len()) && pattern.split(['.', ':']).filter(|part| !part.is_empty()).all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(pattern: &str) -> Option<(&'static str, Value)> {
        call(HookEvent::AfterSearch, &json!({ "tool_input": { "pattern": pattern } }), |_| None)
    }

    #[test]
    fn a_file_is_named_with_the_alias_of_its_repository() {
        let folder = tempfile::tempdir().unwrap();
        for repository in ["api", "api/vendored", "unknown"] {
            std::fs::create_dir_all(folder.path().join(repository).join(".git")).unwrap();
        }
        let alias_of = |root: &Path| {
            let root = root.strip_prefix(folder.path()).ok()?.to_str()?;
            ["api", "api/vendored"].contains(&root).then(|| root.replace('/', "-"))
        };
        for (file, expected) in [
            ("api/main.go", Some("api:main.go")),
            ("api/src/a.rs", Some("api:src/a.rs")),
            ("api/vendored/src/a.rs", Some("api-vendored:src/a.rs")),
            // Another repository has a file with this path.
            ("unknown/main.go", None),
            ("main.go", None),
        ] {
            let input = json!({ "tool_input": { "file_path": folder.path().join(file) } });
            let target = call(HookEvent::BeforeEdit, &input, alias_of).map(|(tool, arguments)| {
                assert_eq!(tool, "get_impact");
                arguments["target"].as_str().unwrap().to_owned()
            });
            assert_eq!(target.as_deref(), expected, "{file}");
        }
        assert!(call(HookEvent::BeforeEdit, &json!({}), alias_of).is_none());
    }

    #[test]
    fn names_become_calls() {
        assert_eq!(search("Store.Find").unwrap().1["entity"], "Store.Find");
        for pattern in ["a|b", "log.*Error", "x", "", "two words"] {
            assert!(search(pattern).is_none(), "{pattern}");
        }
    }

    #[test]
    fn users_are_lines() {
        let answer = json!({
            "target": { "id": "kit:src/code.ts" },
            "counts": { "direct": 4, "indirect": 2, "tests": 1 },
            "direct": [
                { "repo": "web", "path": "src/api.ts", "name": "Client.get", "link": { "relation": "calls", "line": 36 } },
                { "repo": "web", "path": "src/api.ts", "name": "Client.get", "continued": true, "lines": [90] },
                { "repo": "web", "path": "src/page.ts", "name": "src/page.ts", "link": { "relation": "imports", "line": 2 } },
                { "repo": "web", "path": "src/short.ts", "lines": [7] },
            ],
            "tests_to_run": [{ "repo": "kit", "path": "code.test.ts", "name": "parses", "link": { "relation": "calls", "line": 5 } }],
            "_meta": { "trace_id": "0", "coverage": { "complete": false } },
        });
        let expected = "kit:src/code.ts has 4 direct and 2 indirect users; tests that reach it: 1.
Direct users:
- web:src/api.ts:36 Client.get (calls)
- web:src/page.ts:2 (imports)
- web:src/short.ts:7
- 1 more: get_impact with target `kit:src/code.ts` lists them
Tests to run:
- kit:code.test.ts:5 parses (calls)
Some repositories did not answer: there may be more users.";
        assert_eq!(users(&answer, "kit:src/code.ts").as_deref(), Some(expected));
        assert_eq!(users(&answer, "web:src/code.ts"), None, "the answer is about another file");
        let unused = json!({ "target": { "id": "kit:a.ts" }, "counts": { "direct": 0 }, "direct": [] });
        assert_eq!(users(&unused, "kit:a.ts"), None);
    }
}
