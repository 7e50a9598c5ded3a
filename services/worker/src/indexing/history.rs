//! The past of a tree: what the commits since the generation that is served add to what it knew, or all of them.

use std::sync::Arc;

use ::history::{History, Signals};
use index::{NewHistory, Snapshot};
use model::{ActiveCommit, Commit, FileHistory, Message};
use source::{Head, Tree, WalkBounds};

use super::{EXTRACTOR_VERSION, NO_COMMITS, Run, RunError};

/// The past of a tree, as far as it is known.
#[derive(Default)]
pub(super) struct Past {
    history: History,
    state: Vec<u8>,
    diagnostics: Vec<String>,
}

impl Past {
    /// Prepares the signals of the files of a tree, which are in the order of their paths.
    pub(super) fn signals(&self, tree: &Tree) -> Signals<'_> {
        Signals::of(&self.history, |path| tree.files.binary_search_by(|file| file.path.as_str().cmp(path)).is_ok())
    }

    /// Returns the past as a generation takes it.
    pub(super) fn as_new<'a>(
        &'a self,
        of_file: &'a dyn Fn(&str) -> Option<FileHistory>,
        messages_of_file: &'a dyn Fn(&str) -> Vec<Message<'a>>,
        activity: Vec<ActiveCommit>,
    ) -> NewHistory<'a> {
        let diagnostics = self.diagnostics.clone();
        let (extent, state) = (self.history.extent(), self.state.as_slice());
        NewHistory { extent, state, of_file, messages_of_file, activity, diagnostics }
    }
}

/// Follows the commits to `head`. Where they cannot be read, no past is known, which costs a diagnostic and not the run.
pub(super) fn follow(run: &Run<'_>, head: &Head) -> Result<Past, RunError> {
    if *head == NO_COMMITS {
        return Ok(Past::default());
    }
    match walk(run, head) {
        Err(RunError::Source(error)) => {
            let diagnostics = vec![format!("the past of the files is not known: {error}")];
            Ok(Past { diagnostics, ..Past::default() })
        }
        followed => followed,
    }
}

fn walk(run: &Run<'_>, head: &Head) -> Result<Past, RunError> {
    let saved = saved(run);
    let mut walk = source::commits(run.checkout, head, saved.walked_to(), WalkBounds::default())?;
    let mut history = if walk.is_continued { saved } else { History::new(walk.extent) };
    for commit in walk.by_ref() {
        if (run.stopped)() {
            return Err(RunError::Stopped);
        }
        history.extend(without_secrets(commit));
    }
    history.end_walk(walk.to);
    let state = history.to_bytes();
    Ok(Past { history, state, diagnostics: Vec::new() })
}

/// Masks the secrets in what a commit says.
fn without_secrets(commit: Commit) -> Commit {
    let masked = |said: &str| text::without_secrets(said).into_owned();
    Commit { subject: masked(&commit.subject), body: masked(&commit.body), ..commit }
}

/// Returns what the served generation knew. What cannot be read, or was made by another version, is walked anew: that one
/// may have masked less.
fn saved(run: &Run<'_>) -> History {
    let is_ours = |served: &&Arc<Snapshot>| served.manifest().extractor == EXTRACTOR_VERSION && !run.force;
    let served = run.served.as_ref().filter(is_ours);
    let state = served.and_then(|served| served.history_state().ok()).filter(|state| !state.is_empty());
    let loaded = state.and_then(|state| {
        let loaded = History::from_bytes(&state);
        loaded.inspect_err(|error| tracing::debug!(alias = %run.checkout.alias, %error, "commits are walked anew")).ok()
    });
    loaded.unwrap_or_default()
}
