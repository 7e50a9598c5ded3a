//! A block of text between two markers in a file of the user.

const BEGIN: &str = "<!-- causeway: begin -->";
const END: &str = "<!-- causeway: end -->";

/// Returns the text with a block, which replaces an earlier one.
pub(super) fn set(text: &str, block: &str) -> String {
    let block = format!("{BEGIN}\n{}\n{END}", block.trim());
    if let Some((before, after)) = split_at_block(text) {
        return format!("{before}{block}{after}");
    }
    match text {
        "" => format!("{block}\n"),
        text if text.ends_with('\n') => format!("{text}\n{block}\n"),
        // Without a last newline, so that `remove` can restore that.
        text => format!("{text}\n\n{block}"),
    }
}

/// Returns the text without the block.
pub(super) fn remove(text: &str) -> String {
    match split_at_block(text) {
        Some((before, "")) => before.strip_suffix("\n\n").unwrap_or(before).to_owned(),
        Some((before, "\n")) => before.strip_suffix('\n').unwrap_or(before).to_owned(),
        Some((before, after)) => format!("{before}{}", after.trim_start_matches(['\r', '\n'])),
        None => text.to_owned(),
    }
}

/// Returns true if the text has a block.
pub(super) fn is_present(text: &str) -> bool {
    split_at_block(text).is_some()
}

fn split_at_block(text: &str) -> Option<(&str, &str)> {
    let start = text.find(BEGIN)?;
    let end = start + text[start..].find(END)? + END.len();
    Some((&text[..start], &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_is_set_replaced_and_removed() {
        for text in ["", "# Rules\n", "# Rules\n\n- one\n", "no newline"] {
            let first = set(text, "one");
            let second = set(&first, "two");
            assert!(first.starts_with(text) && second.contains("two") && !second.contains("\none\n"), "{second}");
            assert_eq!(remove(&second), text);
            let extended = format!("{second}after\n");
            assert!(remove(&extended).ends_with("after\n") && !is_present(&remove(&extended)));
        }
    }
}
