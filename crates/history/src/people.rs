//! Detects author names that identify one person.

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

#[cfg(test)]
mod tests {
    use super::*;

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
