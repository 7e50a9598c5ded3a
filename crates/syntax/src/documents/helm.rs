//! Templates of Helm, made readable for a parser of YAML: control lines are blanked, and other actions are placeholders.

/// Begins a placeholder: a character for private use, which no document has.
const OPEN: char = '\u{E000}';
const CLOSE: char = '\u{E001}';

/// Maximum length of an action that is kept.
const MAX_ACTION_BYTES: usize = 200;

/// A template with placeholders. It has the lines of the original.
pub(super) struct Template {
    pub(super) text: String,
    actions: Vec<String>,
}

impl Template {
    /// Returns a text with the actions in place of their placeholders.
    pub(super) fn restored(&self, text: &str) -> String {
        if self.actions.is_empty() {
            return text.to_owned();
        }
        let mut restored = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(OPEN) {
            let (number, next) = after.split_once(CLOSE).unwrap_or((after, ""));
            let action = number.parse().ok().and_then(|number: usize| self.actions.get(number));
            restored.push_str(before);
            restored.push_str(&format!("{{{{ {} }}}}", action.map_or("", String::as_str)));
            rest = next;
        }
        restored + rest
    }
}

/// Replaces the actions of a template.
pub(super) fn with_placeholders(source: &str) -> Template {
    if !source.contains("{{") {
        return Template { text: source.to_owned(), actions: Vec::new() };
    }
    let mut template = Template { text: String::with_capacity(source.len()), actions: Vec::new() };
    let mut rest = source;
    while let Some(start) = rest.find("{{") {
        let end = rest[start..].find("}}").map_or(rest.len(), |length| start + length + 2);
        let (before, action) = (&rest[..start], &rest[start..end]);
        template.text.push_str(before);
        let line_start = template.text.rfind('\n').map_or(0, |at| at + 1);
        let is_first = template.text[line_start..].trim().is_empty();
        let after = rest[end..].split('\n').next().unwrap_or_default();
        let inner = action.trim_start_matches("{{").trim_end_matches("}}").trim_matches('-').trim();
        let is_alone = is_first && (after.trim().is_empty() || after.trim_start().starts_with("{{"));
        let breaks = "\n".repeat(action.matches('\n').count());
        if is_alone || is_control(inner) {
            template.text.push_str(&breaks);
        } else {
            let kept = if inner.len() > MAX_ACTION_BYTES { "" } else { inner };
            template.text.push_str(&format!("{OPEN}{}{CLOSE}{breaks}", template.actions.len()));
            template.actions.push(kept.to_owned());
        }
        rest = &rest[end..];
    }
    template.text.push_str(rest);
    template
}

/// Returns a template behind the comments at its start, such as a licence: `{{- /* … */}}`.
pub(super) fn behind_comments(source: &str) -> &str {
    let mut rest = source.trim_start();
    while let Some(action) = rest.strip_prefix("{{") {
        let is_comment = action.trim_start_matches(['-', ' ']).starts_with("/*");
        let Some((_, after)) = action.split_once("*/").filter(|_| is_comment) else { break };
        let Some((_, after)) = after.split_once("}}") else { break };
        rest = after.trim_start();
    }
    rest
}

fn is_control(action: &str) -> bool {
    let word = action.split_whitespace().next().unwrap_or_default();
    matches!(word, "if" | "else" | "end" | "with" | "range" | "define" | "block" | "break" | "continue" | "template")
        || action.starts_with("/*")
        || action.starts_with('$') && action.contains(":=")
}
