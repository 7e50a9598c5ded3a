//! Optional hooks of Claude Code, in its `settings.json`: commands that add context before an edit and after a search.

use serde_json::{Value, json};

use super::{file_edit::EditError, json_file};

/// File of the hooks, for all projects of the user.
pub(crate) const HOOKS_FILE: &str = "~/.claude/settings.json";

/// Seconds after which Claude Code ends a hook.
const HOOK_TIMEOUT_SECONDS: u64 = 5;

/// Event of the client, its tools, and the name of the event in `causeway hook`.
const HOOKS: [(&str, &str, &str); 2] =
    [("PreToolUse", "Edit|MultiEdit|Write", "before-edit"), ("PostToolUse", "Grep", "after-search")];

/// Returns the text with the hooks.
pub(super) fn add(text: &str, program: &str) -> Result<String, EditError> {
    HOOKS.iter().try_fold(text.to_owned(), |text, (event, matcher, name)| {
        let program = if program.contains(' ') { format!("\"{program}\"") } else { program.to_owned() };
        let command = format!("{program} hook {name}");
        let hook = json!({ "type": "command", "command": command, "timeout": HOOK_TIMEOUT_SECONDS });
        json_file::append(&text, &["hooks", event], &json!({ "matcher": matcher, "hooks": [hook] }))
    })
}

/// Returns the text without the hooks.
pub(super) fn remove(text: &str) -> Result<String, EditError> {
    let text = HOOKS
        .iter()
        .try_fold(text.to_owned(), |text, (event, ..)| json_file::remove_elements(&text, &["hooks", event], is_ours))?;
    let is_empty = json_file::get(&text, &["hooks"])?.is_some_and(|hooks| hooks == json!({}));
    if is_empty { json_file::remove(&text, &["hooks"]) } else { Ok(text) }
}

/// Returns true if the text has a hook of this program.
pub(super) fn are_present(text: &str) -> Result<bool, EditError> {
    let hooks = json_file::get(text, &["hooks"])?.unwrap_or_default();
    let of_event = |event: &str| hooks[event].as_array().is_some_and(|elements| elements.iter().any(is_ours));
    Ok(HOOKS.iter().any(|(event, ..)| of_event(event)))
}

/// Returns true if the commands of an element are those of `add`.
fn is_ours(element: &Value) -> bool {
    let is_ours = |command: &str| {
        command.contains("causeway") && HOOKS.iter().any(|(.., name)| command.ends_with(&format!(" hook {name}")))
    };
    let commands = element["hooks"].as_array().into_iter().flatten();
    commands.filter_map(|hook| hook["command"].as_str()).any(is_ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_hooks_survive() {
        let text = "{\n  // mine\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": []}\n    ]\n  },\n  \"model\": \"m\"\n}\n";
        let added = add(text, "/opt/my tools/causeway").unwrap();
        assert!(are_present(&added).unwrap() && !are_present(text).unwrap());
        assert!(added.contains("\\\"/opt/my tools/causeway\\\" hook before-edit"), "{added}");
        let removed = remove(&added).unwrap();
        assert!(
            removed.contains("Bash") && removed.contains("// mine") && !are_present(&removed).unwrap(),
            "{removed}"
        );
        assert_eq!(remove(&add("{}\n", "causeway").unwrap()).unwrap().trim(), "{}");
    }
}
