//! `causeway hook`: a hook of Claude Code. Reads an event from standard input, and prints context for the model, or nothing.

use std::{io::Read as _, path::Path, time::Duration};

use serde_json::{Value, json};

use crate::{
    backend,
    exit::Exit,
    options::{GlobalOptions, ServerOptions},
    output::print,
};

const EXAMPLE: &str = "\
Example:
  causeway setup claude-code --hooks      lets Claude Code run this command
  echo '{\"tool_input\": {\"file_path\": \"/code/api/routes.go\"}}' | causeway hook before-edit

Prints nothing, and does not fail, if no server runs or it does not know the file or the name.";

/// Maximum size of an event. It has the text of the edit.
const MAX_EVENT_BYTES: u64 = 4 << 20;

/// Time for the answer of the server. A hook delays the agent.
const DEADLINE: Duration = Duration::from_secs(3);

/// Budget of the added context, in tokens.
const TOKEN_BUDGET: u32 = 600;

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
    let Some((tool, arguments)) = call(args.event, &event) else { return Ok(Exit::Done) };
    let Some(server) = backend::running_server(&args.server, global)? else { return Ok(Exit::Done) };
    if let Ok(Ok(answered)) = tokio::time::timeout(DEADLINE, server.call(tool, arguments)).await
        && !answered.is_error
    {
        let output = json!({ "hookEventName": args.event.name(), "additionalContext": answered.text });
        print(&json!({ "hookSpecificOutput": output }).to_string())?;
    }
    Ok(Exit::Done)
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

/// Returns the tool and its arguments for an event; `None` if the event has no file or no name.
fn call(event: HookEvent, input: &Value) -> Option<(&'static str, Value)> {
    let input = &input["tool_input"];
    match event {
        HookEvent::BeforeEdit => {
            let target = path_in_repository(Path::new(input["file_path"].as_str()?))?;
            Some(("get_impact", json!({ "target": target, "token_budget": TOKEN_BUDGET })))
        }
        HookEvent::AfterSearch => {
            let name = input["pattern"].as_str().filter(|pattern| is_identifier(pattern))?;
            let arguments = json!({ "entity": name, "detail_level": "neighbors", "token_budget": TOKEN_BUDGET });
            Some(("get_context", arguments))
        }
    }
}

/// Returns the path of a file from the root of its repository.
fn path_in_repository(file: &Path) -> Option<String> {
    let root = file.ancestors().skip(1).find(|folder| folder.join(".git").exists())?;
    Some(file.strip_prefix(root).ok()?.to_str()?.to_owned())
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

    #[test]
    fn events_become_calls() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(".git")).unwrap();
        let edit = |file: &Path| json!({ "tool_input": { "file_path": file } });
        let (tool, arguments) = call(HookEvent::BeforeEdit, &edit(&folder.path().join("src/a.rs"))).unwrap();
        assert_eq!((tool, &arguments["target"]), ("get_impact", &json!("src/a.rs")));
        assert!(call(HookEvent::BeforeEdit, &json!({})).is_none());

        let search = |pattern: &str| call(HookEvent::AfterSearch, &json!({ "tool_input": { "pattern": pattern } }));
        assert_eq!(search("Store.Find").unwrap().1["entity"], "Store.Find");
        for pattern in ["a|b", "log.*Error", "x", "", "two words"] {
            assert!(search(pattern).is_none(), "{pattern}");
        }
    }
}
