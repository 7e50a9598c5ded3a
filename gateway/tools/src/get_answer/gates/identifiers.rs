//! Identifier gate: an answer about a name rests on evidence with that name, and mentions no unknown names.

use ranking::query::is_identifier;

/// Returns the names that do not occur in the retrieved text. Of a qualified name the last part must occur.
pub(in super::super) fn absent<'n>(names: &'n [String], retrieved: &str) -> Vec<&'n str> {
    names.iter().map(String::as_str).filter(|name| !contains_word(retrieved, last_part(name))).collect()
}

/// Returns the distinct code names of a draft that do not occur in the retrieved text: those in backticks, and words
/// written like names.
pub(in super::super) fn unfounded_names(draft: &str, retrieved: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (piece, is_quoted) in draft.split('`').zip([false, true].into_iter().cycle()) {
        for word in piece.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | ',' | ';' | '"')) {
            let name = word.trim_matches(|c: char| !(c.is_alphanumeric() || c == '_'));
            let is_name = !name.contains('/') && (is_quoted || is_identifier(name));
            let is_word = name.chars().any(char::is_alphabetic) && name.len() > 2;
            if is_name
                && is_word
                && !contains_word(retrieved, last_part(name))
                && !found.iter().any(|known| known == name)
            {
                found.push(name.to_owned());
            }
        }
    }
    found
}

fn last_part(name: &str) -> &str {
    name.rsplit(['.', ':', '>', '#']).find(|part| !part.is_empty()).unwrap_or(name)
}

/// Returns true if a text contains a name as a whole word.
pub(super) fn contains_word(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back().is_some_and(is_part);
        let after = text[at + name.len()..].chars().next().is_some_and(is_part);
        !before && !after
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_of_a_draft_are_found() {
        let retrieved = "impl Router { fn add_route(&self) } // see Tree.insert";
        for (draft, expected) in [
            ("`Router.add_route()` inserts it into the `Tree` [1].", &[][..]),
            ("It calls add_path and `Forest` [1].", &["add_path", "Forest"]),
            ("The HTTP server in src/app.rs is plain prose.", &[]),
        ] {
            assert_eq!(unfounded_names(draft, retrieved), expected, "{draft}");
        }
    }

    #[test]
    fn names_match_as_whole_words() {
        let retrieved = "impl Router { fn add_route(&self) } // see Tree.insert";
        for (name, is_there) in [
            ("Router", true),
            ("Router.add_route", true),
            ("app::Router::add_route", true),
            ("Tree.insert", true),
            ("route", false),
            ("Route", false),
            ("add_router", false),
        ] {
            assert_eq!(absent(&[name.to_owned()], retrieved).is_empty(), is_there, "{name}");
        }
    }
}
