//! How many files this process may have open: each connection is one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit as far as this process may do that by itself, and returns it. Services begin with a low one for programs
/// that cannot count any further (`select`), of which this is none.
pub(super) fn raise_limit() -> usize {
    let before = getrlimit(Resource::Nofile);
    if before.current != before.maximum {
        let raised = Rlimit { current: before.maximum, ..before };
        if let Err(error) = setrlimit(Resource::Nofile, raised) {
            tracing::warn!(%error, "the limit of open files stays where it is: there may be fewer connections");
        }
    }
    // None at all is told as nothing.
    let now = getrlimit(Resource::Nofile).current;
    now.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_raised_as_far_as_it_goes() {
        let limit = raise_limit();
        let maximum = getrlimit(Resource::Nofile).maximum;
        assert_eq!(maximum.map_or(usize::MAX, |maximum| maximum as usize), limit);
    }
}
