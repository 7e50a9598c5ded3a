//! What each intent puts together.

use super::{
    packing::{SHARES, Shares},
    request::Detail,
};
use crate::walk::weights::Intent;

/// How an answer is put together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Assembly {
    /// Of the root's code, callers, callees and the rest.
    pub(super) shares: Shares,
    /// Whether bodies are shown.
    pub(super) detail: Detail,
    /// Whose past is told, if any.
    pub(super) intent: Option<Intent>,
}

impl Assembly {
    pub(super) fn plain(detail: Detail) -> Assembly {
        Assembly { shares: SHARES, detail, intent: None }
    }

    pub(super) fn of(intent: Intent, detail: Option<Detail>) -> Assembly {
        let (shares, usual) = match intent {
            // The callers break, and the tests among the rest are run.
            Intent::Modify => ([30, 40, 10, 20], Detail::Full),
            // The definition, what it is made of, and what documents it.
            Intent::Understand => ([40, 10, 25, 25], Detail::Full),
            // What it is coupled with on both sides.
            Intent::Review => ([35, 30, 15, 20], Detail::Full),
            // Where control goes from here.
            Intent::Debug => ([30, 10, 45, 15], Detail::Full),
            // Its siblings, and what it extends, are the patterns to follow.
            Intent::Add => ([25, 10, 15, 50], Detail::Full),
            // Many names rather than any body.
            Intent::Plan => ([5, 25, 25, 45], Detail::Neighbors),
        };
        Assembly { shares, detail: detail.unwrap_or(usual), intent: Some(intent) }
    }
}
