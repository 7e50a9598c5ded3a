//! Optional hooks of Claude Code, in its `settings.json`: commands that add context before an edit and after a search.

use serde_json::{Value, json};

use super::{file_edit::EditError, json_file};
use crate::program;

/// File of the hooks, for all projects of the user.
pub(crate) const HOOKS_FILE: &str = "~/.claude/settings.json";

/// Seconds after which Claude Code ends a hook.
const HOOK_TIMEOUT_SECONDS: u64 = 5;

/// Event of the client, its tools, and the name of the event in `causeway hook`.
const HOOKS: [(&str, &str, &str); 2] =
    [("PreToolUse", "Edit|MultiEdit|Write", "before-edit"), ("PostToolUse", "Grep", "after-search")];

/// The command that starts the program of the hooks, and its options.
#[derive(Debug, Clone)]
pub(crate) struct HookCommand {
    pub(crate) program: Vec<String>,
    /// The data folder, the configuration and the address, if setup was told them.
    pub(crate) options: Vec<String>,
}

impl HookCommand {
    /// Returns the command line of an event.
    fn line(&self, event: &str) -> String {
        let program = self.program.iter().map(String::as_str);
        let words = program.chain(["hook", event]).chain(self.options.iter().map(String::as_str));
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
    // The element may also have commands of the user.
    let is_set = |(event, element): &(&str, Value)| {
        let own = own_elements(&present[*event]);
        own.len() == 1 && own[0] == *element
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

/// Returns the text without the hooks. Other commands of the same elements stay.
pub(super) fn remove(text: &str) -> Result<String, EditError> {
    let text = HOOKS.iter().try_fold(text.to_owned(), |text, (event, ..)| {
        json_file::remove_nested_elements(&text, &["hooks", event], "hooks", is_ours)
    })?;
    let is_empty = json_file::get(&text, &["hooks"])?.is_some_and(|hooks| hooks == json!({}));
    if is_empty { json_file::remove(&text, &["hooks"]) } else { Ok(text) }
}

/// Returns the text with the hooks of this program that `original` has in place of its own.
pub(super) fn restore(text: &str, original: &str) -> Result<String, EditError> {
    let own = own_hooks(original)?;
    let mut elements = HOOKS
        .iter()
        .flat_map(|(event, ..)| own[*event].as_array().into_iter().flatten().map(move |element| (*event, element)));
    elements.try_fold(remove(text)?, |text, (event, element)| json_file::append(&text, &["hooks", event], element))
}

/// Returns true if the text has a hook of this program.
pub(super) fn are_present(text: &str) -> Result<bool, EditError> {
    Ok(!own_hooks(text)?.is_null())
}

/// Returns the elements with hooks of this program, by event; null if there are none.
pub(super) fn own_hooks(text: &str) -> Result<Value, EditError> {
    let hooks = json_file::get(text, &["hooks"])?.unwrap_or_default();
    let of_event = |event: &str| (event.to_owned(), Value::Array(own_elements(&hooks[event])));
    let own: serde_json::Map<String, Value> = HOOKS
        .iter()
        .map(|(event, ..)| of_event(event))
        .filter(|(_, elements)| elements.as_array().is_some_and(|elements| !elements.is_empty()))
        .collect();
    Ok(if own.is_empty() { Value::Null } else { Value::Object(own) })
}

/// Returns the elements of an event that have a hook of this program, without their other hooks.
fn own_elements(elements: &Value) -> Vec<Value> {
    let own = |element: &Value| {
        let hooks = element["hooks"].as_array()?.iter().filter(|hook| is_ours(hook)).cloned().collect::<Vec<_>>();
        if hooks.is_empty() {
            return None;
        }
        let mut own = element.clone();
        own["hooks"] = Value::Array(hooks);
        Some(own)
    };
    elements.as_array().into_iter().flatten().filter_map(own).collect()
}

/// Returns true for a hook that `add` writes: its command starts this program, and nothing else.
fn is_ours(hook: &Value) -> bool {
    let Some(words) = hook["command"].as_str().and_then(command_words) else { return false };
    let is_event = |pair: &[String]| pair[0] == "hook" && HOOKS.iter().any(|(.., name)| pair[1] == *name);
    match words.windows(2).position(is_event) {
        Some(n_words) if n_words > 0 => program::is_command(&words[..n_words]),
        _ => false,
    }
}

/// Splits a command line into its words; `None` if it has more than one command, or a redirection.
fn command_words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(end), letter) if letter == end => quote = None,
            (Some(_), letter) => word.get_or_insert_default().push(letter),
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, '\\') if !cfg!(windows) => word.get_or_insert_default().push(letters.next()?),
            (None, ' ' | '\t') => words.extend(word.take()),
            (None, '|' | '&' | ';' | '<' | '>' | '(' | ')' | '`' | '\n' | '#') => return None,
            (None, letter) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(program: &str, options: &[&str]) -> HookCommand {
        HookCommand {
            program: vec![program.to_owned()],
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

    #[test]
    fn commands_of_the_user_in_the_same_element_survive() {
        let own = "/opt/causeway hook before-edit";
        let other = ["prettier --write", "causeway hook before-edit | tee log", "echo causeway hook before-edit"];
        for other in other {
            let text = json!({ "hooks": { "PreToolUse": [{ "matcher": "Edit|MultiEdit|Write", "hooks": [
                { "type": "command", "command": other },
                { "type": "command", "command": own, "timeout": 5 },
            ] }] } });
            let changed = add(&text.to_string(), &command("/usr/bin/causeway", &[])).unwrap();
            let hooks = json_file::get(&changed, &["hooks"]).unwrap().unwrap().to_string();
            assert!(hooks.contains(other) && !hooks.contains(own), "{changed}");
            assert!(hooks.contains("/usr/bin/causeway hook before-edit"), "{changed}");
            let removed = remove(&changed).unwrap();
            assert!(removed.contains(other) && !are_present(&removed).unwrap(), "{removed}");
        }
    }

    #[test]
    fn own_hooks_of_a_backup_are_restored() {
        let original = "{\"hooks\": {\"PostToolUse\": [{\"matcher\": \"Grep\", \"hooks\": [\
            {\"type\": \"command\", \"command\": \"uvx causeway-mcp hook after-search\"}]}]}}";
        let changed = add(original, &command("/opt/causeway", &[])).unwrap();
        let restored = restore(&changed, original).unwrap();
        assert_eq!(own_hooks(&restored).unwrap(), own_hooks(original).unwrap(), "{restored}");
    }

    #[test]
    fn only_single_commands_of_the_program_are_own() {
        for (line, expected) in [
            ("causeway hook before-edit", true),
            ("'/opt/my tools/causeway' hook after-search --data '/my data'", true),
            ("uvx --from causeway-mcp causeway hook before-edit", true),
            ("npx -y @causeway-mcp/causeway hook before-edit", true),
            ("causeway hook other", false),
            ("hook before-edit", false),
            ("/opt/mytool hook before-edit", false),
            ("causeway hook before-edit && prettier", false),
            ("'causeway hook before-edit", false),
        ] {
            assert_eq!(is_ours(&json!({ "command": line })), expected, "{line}");
        }
    }
}
