//! Refusals: errors for requests that cannot be answered.

/// Why a request cannot be answered as it is, and what to ask instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(String);

/// Maximum length of a message: it takes space in the caller's context.
const MAX_MESSAGE_CHARS: usize = 4_000;

impl Refusal {
    /// Returns a refusal with this message, truncated to the maximum length.
    pub fn new(message: impl Into<String>) -> Refusal {
        let mut message = message.into();
        if let Some((end, _)) = message.char_indices().nth(MAX_MESSAGE_CHARS) {
            message.truncate(end);
            message.push('…');
        }
        Refusal(message)
    }
}

/// Maximum length of a repeated argument: the caller knows it, and it may be as long as a request.
const MAX_ECHO_CHARS: usize = 120;

/// Returns an argument of the caller as a message repeats it: sanitised, truncated and in a code span.
pub fn quoted(written: &str) -> String {
    text::quote(&echo(written))
}

/// Returns an argument of the caller as a field of an answer repeats it: sanitised and truncated.
pub fn echo(written: &str) -> String {
    let mut chars = written.chars();
    let mut start: String = chars.by_ref().take(MAX_ECHO_CHARS).collect();
    if chars.next().is_some() {
        start.push('…');
    }
    text::sanitise_name(&start).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_bounded() {
        assert_eq!(Refusal::new("é".repeat(MAX_MESSAGE_CHARS)).to_string(), "é".repeat(MAX_MESSAGE_CHARS));
        assert_eq!(Refusal::new("é".repeat(1 << 20)).to_string().chars().count(), MAX_MESSAGE_CHARS + 1);
    }

    #[test]
    fn quoted_arguments_are_bounded() {
        assert_eq!(echo("src/a b.rs"), "src/a b.rs");
        assert_eq!(echo("a\u{202e}b\n"), "ab");
        assert_eq!(echo(&"é".repeat(100_000)).chars().count(), MAX_ECHO_CHARS + 1);
        assert_eq!(quoted("a b"), "`a b`");
        assert_eq!(quoted("a` b"), "``a` b``");
    }
}
