//! Lists references of a remote without fetching.

use std::{ffi::OsStr, time::Duration};

use super::{MirrorError, git_command::GitCommand, remote_address::RemoteAddress};

/// The commit of a head, and the branch that names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BranchHead {
    /// Such as `refs/heads/main`; `None` if `HEAD` is detached.
    pub(super) reference: Option<String>,
    pub(super) commit: String,
}

/// Returns the commit of a branch or of `HEAD` on the remote; `None` if it does not exist.
pub(super) fn ls_remote(
    git: &GitCommand<'_>,
    address: &RemoteAddress,
    branch: Option<&str>,
    deadline: Duration,
) -> Result<Option<BranchHead>, MirrorError> {
    let name = branch.map_or_else(|| "HEAD".to_owned(), |branch| format!("refs/heads/{branch}"));
    let options = ["ls-remote", "--symref"].into_iter();
    let arguments: Vec<&OsStr> = options.chain(address.arguments()).chain([name.as_str()]).map(OsStr::new).collect();
    Ok(parse(&git.run("list the branches of the remote", &arguments, deadline)?, &name))
}

/// Returns true if the remote has any branch.
pub(super) fn has_branches(
    git: &GitCommand<'_>,
    address: &RemoteAddress,
    deadline: Duration,
) -> Result<bool, MirrorError> {
    let arguments: Vec<&OsStr> =
        ["ls-remote", "--heads"].into_iter().chain(address.arguments()).map(OsStr::new).collect();
    Ok(!git.run("list the branches of the remote", &arguments, deadline)?.is_empty())
}

/// Parses the lines about exactly `name`. The remote also returns references of which `name` is only a suffix.
fn parse(lines: &str, name: &str) -> Option<BranchHead> {
    let value_of_name = |line: &str| {
        let (value, of) = line.split_once('\t')?;
        (of == name).then(|| value.to_owned())
    };
    let values: Vec<String> = lines.lines().filter_map(value_of_name).collect();
    let commit = values.iter().find(|value| !value.starts_with("ref: "))?.clone();
    let symbolic = values.iter().find_map(|value| value.strip_prefix("ref: ")).map(str::to_owned);
    let own = name.starts_with("refs/heads/").then(|| name.to_owned());
    Some(BranchHead { reference: own.or(symbolic.filter(|name| name.starts_with("refs/heads/"))), commit })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_of_the_exact_name_are_parsed() {
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
