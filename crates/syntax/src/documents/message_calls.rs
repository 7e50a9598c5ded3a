//! The text of calls: arguments by position and by name.

/// Maximum number of lines of a call.
const MAX_CALL_LINES: usize = 12;

/// Maximum length of a call.
const MAX_CALL_BYTES: usize = 2_000;

/// Arguments that many libraries have before the others.
const CONTEXTS: [&str; 6] =
    ["ctx", "context", "context.Background()", "context.TODO()", "r.Context()", "cancellationToken"];

/// A call as it is written.
pub(super) struct CallText<'t> {
    /// The first type argument; empty if there is none.
    pub(super) type_argument: &'t str,
    /// The text between the brackets; of a builder the calls after it.
    pub(super) arguments: String,
    /// True if the brackets are those of a call, so that arguments have positions.
    pub(super) has_positions: bool,
}

impl<'t> CallText<'t> {
    /// Reads the call whose name ends at a place; `None` if no call begins there.
    pub(super) fn read(lines: &[&'t str], index: usize, end: usize) -> Option<CallText<'t>> {
        let rest = &lines[index][end..];
        let (type_argument, rest) = type_arguments(rest);
        // `subscribe<X>: (` and `send (` are calls too.
        let opening = rest.trim_start().chars().next().unwrap_or(' ');
        let is_open = matches!(opening, '(' | '{');
        if !is_open {
            return (!type_argument.is_empty()).then(|| CallText {
                type_argument,
                arguments: String::new(),
                has_positions: false,
            });
        }
        let start = lines[index].len() - rest.trim_start().len() + 1;
        let arguments = text_within(lines, index, start);
        let is_builder = arguments.trim().is_empty() && opening == '(';
        let arguments = if is_builder { chain(lines, index, start) } else { arguments };
        Some(CallText { type_argument, arguments, has_positions: opening == '(' && !is_builder })
    }

    /// Returns the arguments by position, without those of a context and those with a name.
    pub(super) fn positional(&self) -> Vec<&str> {
        if !self.has_positions {
            return Vec::new();
        }
        let is_context = |argument: &&str| CONTEXTS.contains(argument);
        let all = split(&self.arguments).into_iter().skip_while(is_context);
        all.filter(|argument| !argument.is_empty() && !is_named(argument)).collect()
    }

    /// Returns the value of an argument or field with a name.
    pub(super) fn named(&self, name: &str) -> Option<&str> {
        let call = &self.arguments;
        for (at, _) in call.match_indices(name) {
            let is_start = !call[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
            let rest = call[at + name.len()..].trim_start();
            let is_symbol = name.ends_with([':', '>', '(']);
            let has_operator = rest.starts_with([':', '=']) && !rest.starts_with("==") || is_symbol;
            let rest = rest.trim_start_matches([':', '=', '>']).trim_start();
            if (is_start || name.starts_with('.')) && has_operator {
                return Some(rest);
            }
        }
        None
    }
}

/// Returns the first of the type arguments at the start of a text, and the text after them.
fn type_arguments(text: &str) -> (&str, &str) {
    let Some(inner) = text.strip_prefix("::<").or_else(|| text.strip_prefix('<')) else { return ("", text) };
    let mut depth = 1u32;
    for (at, c) in inner.char_indices().take(300) {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let first = inner[..at].split([',', '<']).next().unwrap_or_default().trim();
            return (first, &inner[at + 1..]);
        }
    }
    ("", text)
}

/// Returns the text from a place up to the bracket that closes it.
fn text_within(lines: &[&str], index: usize, start: usize) -> String {
    let mut text = String::new();
    let mut depth = 1i32;
    let first = &lines[index][start..];
    let rest = lines[index + 1..].iter().take(MAX_CALL_LINES).copied();
    for line in std::iter::once(first).chain(rest) {
        for c in line.chars() {
            match c {
                '(' | '{' | '[' => depth += 1,
                ')' | '}' | ']' => depth -= 1,
                _ => {}
            }
            if depth <= 0 || text.len() > MAX_CALL_BYTES {
                return text;
            }
            text.push(c);
        }
        text.push(' ');
    }
    text
}

/// Returns the calls after a builder, up to the end of the statement.
fn chain(lines: &[&str], index: usize, start: usize) -> String {
    let mut text = String::new();
    let rest = lines[index + 1..].iter().take(MAX_CALL_LINES).copied();
    for line in std::iter::once(&lines[index][start..]).chain(rest) {
        text.push_str(line.trim());
        if line.trim_end().ends_with([';', '{']) || text.len() > MAX_CALL_BYTES {
            break;
        }
    }
    text
}

/// Splits a list at its outer commas.
pub(super) fn split(call: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut depth, mut start) = (0i32, 0);
    let mut quote = None;
    for (at, c) in call.char_indices() {
        match c {
            '"' | '\'' | '`' if quote.is_none() => quote = Some(c),
            c if quote == Some(c) => quote = None,
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth -= 1,
            ',' if depth <= 0 && quote.is_none() => {
                found.push(call[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(call[start..].trim());
    found
}

/// Returns true for `name=value` and `name: value`.
fn is_named(argument: &str) -> bool {
    let end = argument.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(argument.len());
    let rest = argument[end..].trim_start();
    let is_assigned = rest.starts_with('=') && !rest.starts_with("==") && !rest.starts_with("=>");
    end > 0 && (is_assigned || rest.starts_with(':') && !rest.starts_with("::"))
}
