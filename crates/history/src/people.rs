//! Detects author names that identify one person, and names of the same person.

/// Shared and placeholder names, in lower case.
const SHARED_NAMES: &[&str] = &[
    "(no author)",
    "admin",
    "administrator",
    "anonymous",
    "author",
    "build",
    "builder",
    "ci",
    "deploy",
    "dev",
    "developer",
    "developers",
    "ec2-user",
    "git",
    "github",
    "gitlab",
    "guest",
    "localhost",
    "maintainer",
    "maintainers",
    "no author",
    "no-reply",
    "nobody",
    "noreply",
    "release",
    "root",
    "runner",
    "system",
    "team",
    "test",
    "tester",
    "ubuntu",
    "unknown",
    "user",
    "username",
    "vagrant",
    "you",
    "your name",
];

/// Returns true if an author name identifies one person. An address does not: it stands for an author without a name.
pub fn is_one_person(name: &str) -> bool {
    let name = name.trim().to_lowercase();
    let has_letter = name.chars().any(char::is_alphabetic);
    has_letter && !name.contains('@') && SHARED_NAMES.binary_search(&name.as_str()).is_err()
}

/// Returns the key that the spellings of one person's name share: the name in lower case, without middle initials.
pub(crate) fn person_key(name: &str) -> String {
    let lower = name.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let is_initial = |word: &str| word.trim_end_matches('.').chars().count() == 1;
    let is_middle = |place: usize| place > 0 && place + 1 < words.len();
    let key: Vec<&str> = words
        .iter()
        .enumerate()
        .filter(|(place, word)| !is_middle(*place) || !is_initial(word))
        .map(|(_, word)| *word)
        .collect();
    key.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name_have_one_key() {
        for (name, expected) in [
            ("Ada Byron", "ada byron"),
            ("ada  M. byron", "ada byron"),
            ("Ada M Byron", "ada byron"),
            ("Ada Maria Byron", "ada maria byron"),
            ("A. Byron", "a. byron"),
            ("Ada B.", "ada b."),
            ("", ""),
        ] {
            assert_eq!(person_key(name), expected, "{name}");
        }
    }

    #[test]
    fn shared_names_identify_nobody() {
        assert!(SHARED_NAMES.is_sorted());
        for (name, expected) in [
            ("Ada Byron", true),
            ("ada", true),
            ("李雷", true),
            ("Root", false),
            (" unknown ", false),
            ("noreply", false),
            ("ada@harbour.example", false),
            ("", false),
            ("1234", false),
            ("...", false),
        ] {
            assert_eq!(is_one_person(name), expected, "{name}");
        }
    }
}
