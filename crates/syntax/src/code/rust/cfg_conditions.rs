//! Conditional compilation: attributes that restrict code to tests, or to platforms other than Linux on x86-64.

/// Maximum nesting depth of conditions.
const MAX_NESTING: u32 = 16;

/// Returns true if an attribute restricts the next item to tests.
pub(super) fn is_test_only(attribute: &str) -> bool {
    attribute.ends_with("test]") || attribute.contains("cfg(test)") || attribute.contains("cfg(all(test")
}

/// Returns true if an attribute excludes the next item on Linux, whatever the other conditions are.
pub(super) fn is_other_platform(attribute: &str) -> bool {
    let condition = attribute.strip_prefix("#[cfg(").and_then(|rest| rest.trim_end().strip_suffix(")]"));
    condition.is_some_and(|condition| evaluate(condition, 0) == Some(false))
}

/// Evaluates a condition on Linux. Returns `None` if it depends on anything else.
fn evaluate(condition: &str, depth: u32) -> Option<bool> {
    let condition = condition.trim();
    if depth > MAX_NESTING {
        return None;
    }
    if let Some((operator, rest)) = condition.split_once('(')
        && let Some(inside) = rest.strip_suffix(')')
    {
        let split_at_commas: Vec<Option<bool>> =
            split_at_commas(inside).into_iter().map(|part| evaluate(part, depth + 1)).collect();
        let decisive = match operator.trim() {
            "all" => Some(false),
            "any" => Some(true),
            "not" => return split_at_commas.first().copied().flatten().map(|evaluate| !evaluate),
            _ => return None,
        };
        return match () {
            () if split_at_commas.contains(&decisive) => decisive,
            () if split_at_commas.contains(&None) => None,
            () => decisive.map(|evaluate| !evaluate),
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
        // The most common processor is assumed.
        Some(("target_arch", processor)) => Some(processor == "x86_64"),
        Some(_) => None,
    }
}

/// Splits at commas outside of parentheses.
fn split_at_commas(text: &str) -> Vec<&str> {
    let (mut depth, mut start) = (0i32, 0);
    let mut split_at_commas = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            b',' if depth == 0 => {
                split_at_commas.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    split_at_commas.push(&text[start..]);
    split_at_commas.retain(|part| !part.trim().is_empty());
    split_at_commas
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_false_on_linux_are_for_other_platforms() {
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
            assert_eq!(is_other_platform(attribute), expected, "{attribute}");
        }
    }
}
