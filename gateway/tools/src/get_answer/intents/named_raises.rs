//! Lines that raise or make an error by its name.

use super::raises::{is_comment, raises};

/// Parts of a line that passes an error on.
const RETURNS: [&str; 4] = ["return ", "Errorf(", "Err(", "=> "];

/// Returns the part of a line in which a name is raised or made: behind the pattern of an arm, which catches it.
pub(super) fn behind_pattern(line: &str) -> &str {
    match line.split_once("=>") {
        Some((pattern, body)) if !["return ", "new ", "raise ", "throw "].iter().any(|verb| pattern.contains(verb)) => {
            body
        }
        _ => line,
    }
}

/// Returns true for a line that raises an error by its name.
pub(super) fn raises_named(line: &str, name: &str) -> bool {
    let body = behind_pattern(line);
    !is_comment(line) && body.contains(name) && raises(body)
}

/// Returns true for a line that passes an error on or makes one by its name: `error = new DockClosed(...)`.
pub(super) fn makes(line: &str, name: &str) -> bool {
    let is_made = |at: usize| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        let is_defined =
            ["class ", "def ", "fn ", "func ", "function ", "struct "].iter().any(|word| before.ends_with(word));
        let is_call = after.starts_with('(') || after.starts_with(".new") || after.starts_with("::new");
        !is_defined && (before.ends_with("new ") || (is_call && !before.ends_with(char::is_alphanumeric)))
    };
    !is_comment(line)
        && behind_pattern(line).contains(name)
        && (RETURNS.iter().any(|part| line.contains(part)) || line.match_indices(name).any(|(at, _)| is_made(at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_may_be_made_without_being_raised() {
        for (line, expected) in [
            ("error = new DockClosed(", true),
            ("return DockClosed(at)", true),
            ("fail(DockClosed.new(at))", true),
            ("self.fail(DockClosed(at))", true),
            ("class DockClosed(Exception):", false),
            ("if error instanceof DockClosed {", false),
            ("isDockClosed(error)", false),
            ("// new DockClosed()", false),
            ("DockError::DockClosed(at) => retry(),", false),
            ("DockError::Busy(at) => DockError::DockClosed(at),", true),
            ("return docks.map(at => new DockClosed(at))", true),
        ] {
            assert_eq!(makes(line, "DockClosed"), expected, "{line}");
        }
    }

    #[test]
    fn the_pattern_of_an_arm_raises_nothing() {
        for (line, expected) in [
            ("Err(DockError::DockClosed) => retry(),", false),
            ("None => return Err(DockError::DockClosed),", true),
            ("Err(DockError::Busy) => Err(DockError::DockClosed),", true),
            ("throw new DockClosed(() => retry());", true),
            ("// x => throw new DockClosed()", false),
        ] {
            assert_eq!(raises_named(line, "DockClosed"), expected, "{line}");
        }
    }
}
