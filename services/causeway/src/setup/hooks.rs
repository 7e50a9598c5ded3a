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

/// The program of the hooks, and its options.
#[derive(Debug, Clone)]
pub(crate) struct HookCommand {
    pub(crate) program: String,
    /// The data folder, the configuration and the address, if setup was told them.
    pub(crate) options: Vec<String>,
}

impl HookCommand {
    /// Returns the command line of an event.
    fn line(&self, event: &str) -> String {
        let words = [&self.program[..], "hook", event].into_iter().chain(self.options.iter().map(String::as_str));
        words.map(shell_word).collect::<Vec<_>>().join(" ")
    }
}

/// Returns the text with the hooks. A text that has them already keeps its bytes.
pub(super) fn add(text: &str, command: &HookCommand) -> Result<String, EditError> {
    let elements = HOOKS.map(|(event, matcher, name)| {
        let hook = json!({ "type": "command", "command": command.line(name), "timeout": HOOK_TIMEOUT_SECONDS });
        (event, json!({ "matcher": matcher, "hooks": [hook] }))
    });
    let present = json_file::get(text, &["hooks"])?.unwrap_or_default();
    let is_set = |(event, element): &(&str, Value)| {
        let own: Vec<&Value> = present[*event].as_array().into_iter().flatten().filter(|one| is_ours(one)).collect();
        own == [element]
    };
    if elements.iter().all(is_set) {
        return Ok(text.to_owned());
    }
    let without = remove(text)?;
    elements.iter().try_fold(without, |text, (event, element)| json_file::append(&text, &["hooks", event], element))
}

/// Returns a word as a shell reads it.
fn shell_word(word: &str) -> String {
    let is_plain = |one: char| one.is_alphanumeric() || "_-./:=@+,".contains(one) || (cfg!(windows) && one == '\\');
    match word {
        word if !word.is_empty() && word.chars().all(is_plain) => word.to_owned(),
        word if cfg!(windows) => format!("\"{word}\""),
        word => format!("'{}'", word.replace('\'', "'\\''")),
    }
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
        command.contains("causeway") && HOOKS.iter().any(|(.., name)| command.contains(&format!(" hook {name}")))
    };
    let commands = element["hooks"].as_array().into_iter().flatten();
    commands.filter_map(|hook| hook["command"].as_str()).any(is_ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(program: &str, options: &[&str]) -> HookCommand {
        HookCommand {
            program: program.to_owned(),
            options: options.iter().map(|option| (*option).to_owned()).collect(),
        }
    }

    #[test]
    fn other_hooks_survive() {
        let text = "{\n  // mine\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": []}\n    ]\n  },\n  \"model\": \"m\"\n}\n";
        let added = add(text, &command("/opt/my tools/causeway", &[])).unwrap();
        assert!(are_present(&added).unwrap() && !are_present(text).unwrap());
        assert!(added.contains("\"'/opt/my tools/causeway' hook before-edit\""), "{added}");
        let removed = remove(&added).unwrap();
        assert!(
            removed.contains("Bash") && removed.contains("// mine") && !are_present(&removed).unwrap(),
            "{removed}"
        );
        assert_eq!(remove(&add("{}\n", &command("causeway", &[])).unwrap()).unwrap().trim(), "{}");
    }

    #[test]
    fn second_run_changes_nothing() {
        let texts = [
            "",
            "{}\n",
            "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[]}]}}",
            "{\n\t\"model\": \"m\",\n}\n",
        ];
        for text in texts {
            let (first, second) = (command("/opt/causeway", &[]), command("/opt/causeway", &["--data", "/my data"]));
            let added = add(text, &first).unwrap();
            assert_eq!(add(&added, &first).unwrap(), added, "{text}");
            let changed = add(&added, &second).unwrap();
            assert!(changed.contains("hook before-edit --data '/my data'"), "{changed}");
            assert_eq!(changed.matches(" hook before-edit").count(), 1, "{changed}");
            assert!(!are_present(&remove(&changed).unwrap()).unwrap(), "{changed}");
        }
    }
}
