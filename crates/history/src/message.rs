//! What is kept of the messages of commits.

/// Bytes of a subject that are kept: what fits in two lines of a terminal.
pub const MAX_SUBJECT_BYTES: usize = 160;

/// Bytes of a body that are kept: its first paragraph tells why, the rest how.
pub const MAX_BODY_BYTES: usize = 400;

/// Messages that are kept of one file, the newest: most files have fewer commits than these, and of the others the newest
/// say what the file is for now.
pub const MAX_MESSAGES_OF_FILE: usize = 48;

/// Returns no more than so many bytes of a text, cut between characters.
pub(crate) fn bounded(text: &str, max_bytes: usize) -> &str {
    let end = (0..=max_bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

/// Returns the first paragraph of a body, in one line. Signatures, rules and the like are no paragraph.
pub(crate) fn first_paragraph(body: &str) -> String {
    let lines =
        body.lines().map(str::trim).skip_while(|line| !says_something(line)).take_while(|line| !line.is_empty());
    let mut paragraph = String::new();
    for line in lines.take_while(|line| !is_trailer(line)) {
        if paragraph.len() > MAX_BODY_BYTES {
            break;
        }
        if !paragraph.is_empty() {
            paragraph.push(' ');
        }
        paragraph.push_str(line);
    }
    bounded(&paragraph, MAX_BODY_BYTES).to_owned()
}

fn says_something(line: &str) -> bool {
    line.chars().any(char::is_alphanumeric)
}

/// Says whether a line names somebody who took part, as `Signed-off-by:` does.
fn is_trailer(line: &str) -> bool {
    let key = line.split(':').next().unwrap_or_default();
    key.len() < line.len() && (key.ends_with("-by") || key.ends_with("-By")) && !key.contains(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_its_first_paragraph() {
        let long = "é".repeat(MAX_BODY_BYTES);
        for (body, expected) in [
            ("", ""),
            ("\n\nOne\n two.\n\nThree.", "One two."),
            ("-----\n\n***\nOne\n---", "One ---"),
            ("Signed-off-by: Ada <a@b>", ""),
            ("One\nReviewed-by: Ada <a@b>\nTwo", "One"),
            ("Stand by: this is text", "Stand by: this is text"),
            (&long, &long[..MAX_BODY_BYTES]),
        ] {
            assert_eq!(first_paragraph(body), expected);
        }
    }

    #[test]
    fn a_cut_keeps_characters_whole() {
        for (text, max_bytes, expected) in
            [("abc", 5, "abc"), ("abc", 2, "ab"), ("aé", 2, "a"), ("é", 1, ""), ("", 0, "")]
        {
            assert_eq!(bounded(text, max_bytes), expected);
        }
    }
}
