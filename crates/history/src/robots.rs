//! Detects authors that are programs.

use model::Person;

/// Names of program accounts without a suffix of [`BOT_SUFFIXES`], in lower case.
const BOT_ACCOUNTS: &[&str] = &[
    "allcontributors",
    "ansibot",
    "bors",
    "codecov",
    "copybara",
    "copybara-service",
    "crowdin",
    "dependabot",
    "dependabot-preview",
    "github action",
    "github actions",
    "github-actions",
    "gitlab ci",
    "google-oss-prow",
    "greenkeeper",
    "imgbot",
    "jenkins",
    "mergify",
    "openshift-merge-robot",
    "pre-commit-ci",
    "pyup-bot",
    "renovate",
    "semantic-release",
    "snyk",
    "travis ci",
    "web-flow",
    "weblate",
    "whitesource",
];

/// Suffixes of program names. People with such a surname are misclassified; they are far fewer.
const BOT_SUFFIXES: &[&str] = &["[bot]", "-bot", "_bot", " bot", "-robot", " robot"];

/// Returns true if an author is a program, by name or by address.
pub(crate) fn is_robot(author: &Person) -> bool {
    let (name, email) = (author.name.trim().to_lowercase(), author.email.to_lowercase());
    [name.as_str(), account(&email)].into_iter().any(is_robot_name)
}

fn is_robot_name(name: &str) -> bool {
    BOT_ACCOUNTS.binary_search(&name).is_ok() || BOT_SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
}

/// Returns the account of an address. Code hosts put a number before it.
fn account(email: &str) -> &str {
    let local = email.split('@').next().unwrap_or_default();
    local.split_once('+').map_or(local, |(number, account)| if is_number(number) { account } else { local })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_are_sorted() {
        assert!(BOT_ACCOUNTS.is_sorted());
    }

    #[test]
    fn programs_are_distinguished_from_people() {
        for (name, email, expected) in [
            ("dependabot[bot]", "49699333+dependabot[bot]@users.noreply.host.example", true),
            ("Renovate Bot", "bot@renovate.example", true),
            ("renovate", "", true),
            ("GitHub Actions", "ci@team.example", true),
            ("Release", "12+release-bot@users.noreply.host.example", true),
            ("our-ci-robot", "", true),
            ("Ada Byron", "ada@harbour.example", false),
            ("Harbour Bot", "team@harbour.example", true),
            ("Abbot", "abbot@harbour.example", false),
            ("Ada", "ada+bors@harbour.example", false),
            ("", "", false),
        ] {
            let author = Person { name: name.to_owned(), email: email.to_owned() };
            assert_eq!(is_robot(&author), expected, "{name} {email}");
        }
    }
}
