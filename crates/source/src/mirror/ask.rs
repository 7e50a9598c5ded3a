//! What a remote is at, without fetching anything.

use std::time::Duration;

use super::{MirrorError, RemoteUrl, program::Program};

/// A commit, and the branch that names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct At {
    /// Such as `refs/heads/main`; none where `HEAD` is detached.
    pub(super) reference: Option<String>,
    pub(super) commit: String,
}

/// Asks where a branch is, or the `HEAD`; none if it is not there.
pub(super) fn ask(
    program: &Program<'_>,
    url: &RemoteUrl,
    branch: Option<&str>,
    deadline: Duration,
) -> Result<Option<At>, MirrorError> {
    let name = branch.map_or_else(|| "HEAD".to_owned(), |branch| format!("refs/heads/{branch}"));
    let arguments = ["ls-remote", "--symref", "--", url.as_str(), &name].map(AsRef::as_ref);
    Ok(parse(&program.run("ask the remote", &arguments, deadline)?, &name))
}

/// Says whether there is any branch.
pub(super) fn has_branches(program: &Program<'_>, url: &RemoteUrl, deadline: Duration) -> Result<bool, MirrorError> {
    let arguments = ["ls-remote", "--heads", "--", url.as_str()].map(AsRef::as_ref);
    Ok(!program.run("ask the remote", &arguments, deadline)?.is_empty())
}

/// Reads the lines about `name`; what ends with it may be something else's name as well.
fn parse(lines: &str, name: &str) -> Option<At> {
    let said = |line: &str| {
        let (value, of) = line.split_once('\t')?;
        (of == name).then(|| value.to_owned())
    };
    let values: Vec<String> = lines.lines().filter_map(said).collect();
    let commit = values.iter().find(|value| !value.starts_with("ref: "))?.clone();
    let symbolic = values.iter().find_map(|value| value.strip_prefix("ref: ")).map(str::to_owned);
    let own = name.starts_with("refs/heads/").then(|| name.to_owned());
    Some(At { reference: own.or(symbolic.filter(|name| name.starts_with("refs/heads/"))), commit })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_the_name_count() {
        for (lines, name, expected) in [
            ("ref: refs/heads/main\tHEAD\n12\tHEAD\n", "HEAD", Some((Some("refs/heads/main"), "12"))),
            ("12\tHEAD\n34\trefs/heads/x/HEAD\n", "HEAD", Some((None, "12"))),
            ("34\trefs/heads/x/HEAD\n", "HEAD", None),
            ("12\trefs/heads/a\n", "refs/heads/a", Some((Some("refs/heads/a"), "12"))),
            ("12\trefs/heads/refs/heads/a\n", "refs/heads/a", None),
            ("", "HEAD", None),
        ] {
            let at = parse(lines, name);
            let found = at.as_ref().map(|at| (at.reference.as_deref(), at.commit.as_str()));
            assert_eq!(found, expected, "{lines}");
        }
    }
}
