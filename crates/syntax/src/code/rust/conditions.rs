//! Conditions of attributes: what is compiled for tests, and what only for other platforms than
//! Linux on its most usual processor.

/// How deep conditions may stand in conditions.
const MAX_NESTING: u32 = 16;

/// Says whether an attribute keeps what follows for tests.
pub(super) fn is_of_test(attribute: &str) -> bool {
    attribute.ends_with("test]") || attribute.contains("cfg(test)") || attribute.contains("cfg(all(test")
}

/// Says whether an attribute keeps what follows from being compiled for Linux, whatever else holds.
pub(super) fn is_elsewhere(attribute: &str) -> bool {
    let condition = attribute.strip_prefix("#[cfg(").and_then(|rest| rest.trim_end().strip_suffix(")]"));
    condition.is_some_and(|condition| holds(condition, 0) == Some(false))
}

/// Says whether a condition holds on Linux; nothing where that depends on more.
fn holds(condition: &str, depth: u32) -> Option<bool> {
    let condition = condition.trim();
    if depth > MAX_NESTING {
        return None;
    }
    if let Some((operator, rest)) = condition.split_once('(')
        && let Some(inside) = rest.strip_suffix(')')
    {
        let parts: Vec<Option<bool>> = parts(inside).into_iter().map(|part| holds(part, depth + 1)).collect();
        let decisive = match operator.trim() {
            "all" => Some(false),
            "any" => Some(true),
            "not" => return parts.first().copied().flatten().map(|holds| !holds),
            _ => return None,
        };
        return match () {
            () if parts.contains(&decisive) => decisive,
            () if parts.contains(&None) => None,
            () => decisive.map(|holds| !holds),
        };
    }
    match condition.split_once('=').map(|(key, value)| (key.trim(), value.trim().trim_matches('"'))) {
        None => match condition {
            "unix" => Some(true),
            "windows" => Some(false),
            _ => None,
        },
        Some(("target_os", os)) => Some(os == "linux"),
        Some(("target_family", family)) => Some(family == "unix"),
        Some(("target_vendor", "apple")) => Some(false),
        // Of the processors the most usual one is taken.
        Some(("target_arch", processor)) => Some(processor == "x86_64"),
        Some(_) => None,
    }
}

/// Splits at the commas that stand in no parentheses.
fn parts(text: &str) -> Vec<&str> {
    let (mut depth, mut start) = (0i32, 0);
    let mut parts = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_linux_does_not_compile_is_elsewhere() {
        for (attribute, expected) in [
            ("#[cfg(windows)]", true),
            ("#[cfg(unix)]", false),
            ("#[cfg(not(unix))]", true),
            ("#[cfg(any(windows, target_os = \"macos\"))]", true),
            ("#[cfg(all(unix, not(target_os = \"linux\"),))]", true),
            ("#[cfg(any(windows, feature = \"a,b\"))]", false),
            ("#[cfg(not(feature = \"a\"))]", false),
            ("#[cfg(target_arch = \"wasm32\")]", true),
            ("#[cfg(not(any(target_arch = \"x86_64\", target_arch = \"aarch64\")))]", true),
            ("#[derive(Debug)]", false),
            ("#[cfg(", false),
        ] {
            assert_eq!(is_elsewhere(attribute), expected, "{attribute}");
        }
    }
}
