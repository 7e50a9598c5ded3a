//! The limit of open files of this process.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the soft limit to the hard limit and returns it. The default soft limit is low for programs that use
/// `select`, which this one does not.
pub fn raise_limit() -> usize {
    let before = getrlimit(Resource::Nofile);
    if before.current != before.maximum {
        let raised = Rlimit { current: before.maximum, ..before };
        if let Err(error) = setrlimit(Resource::Nofile, raised) {
            tracing::warn!(%error, "cannot raise the limit of open files: fewer connections are possible");
        }
    }
    // `None` means unlimited.
    let now = getrlimit(Resource::Nofile).current;
    now.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn soft_limit_is_raised_to_the_hard_limit() {
        let limit = raise_limit();
        let maximum = getrlimit(Resource::Nofile).maximum;
        assert_eq!(maximum.map_or(usize::MAX, |maximum| maximum as usize), limit);
    }
}
