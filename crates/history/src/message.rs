//! Extracts the stored parts of commit messages.

/// Maximum length of a subject in bytes: two lines of a terminal.
pub const MAX_SUBJECT_BYTES: usize = 160;

/// Maximum length of a body in bytes. Its first paragraph gives the reason, and the rest gives details.
pub const MAX_BODY_BYTES: usize = 400;

/// Maximum number of stored messages of one file; the newest are stored. Most files have fewer commits, and for the others
/// the newest messages describe the current purpose of the file.
pub const MAX_MESSAGES_OF_FILE: usize = 48;

/// Returns at most `max_bytes` of a text, cut at a character boundary.
pub(crate) fn bounded(text: &str, max_bytes: usize) -> &str {
    let end = (0..=max_bytes.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

/// Returns the first paragraph of a body in one line. Trailers and separator lines are skipped.
pub(crate) fn first_paragraph(body: &str) -> String {
    let lines = body.lines().map(str::trim).skip_while(|line| !has_text(line)).take_while(|line| !line.is_empty());
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

fn has_text(line: &str) -> bool {
    line.chars().any(char::is_alphanumeric)
}

/// Returns true if a line is a trailer about a person, such as `Signed-off-by:`.
fn is_trailer(line: &str) -> bool {
    let key = line.split(':').next().unwrap_or_default();
    key.len() < line.len() && (key.ends_with("-by") || key.ends_with("-By")) && !key.contains(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_paragraph_of_a_body_is_kept() {
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
    fn text_is_cut_at_character_boundaries() {
        for (text, max_bytes, expected) in
            [("abc", 5, "abc"), ("abc", 2, "ab"), ("aé", 2, "a"), ("é", 1, ""), ("", 0, "")]
        {
            assert_eq!(bounded(text, max_bytes), expected);
        }
    }
}
