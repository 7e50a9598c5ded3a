//! The history of a tree: the history of the served generation, continued by the commits since then, or read from the beginning.

use ::history::{History, Signals};
use index::{NewHistory, Snapshot};
use model::{Commit, Person};
use source::{Head, Tree, WalkBounds};

use super::{IndexingRun, RunError, resolve::NO_COMMITS};

/// The history of a tree.
#[derive(Default)]
pub(super) struct TreeHistory {
    history: History,
    /// The bytes from which the next run continues.
    state: Vec<u8>,
    diagnostics: Vec<String>,
}

impl TreeHistory {
    /// Computes the signals of the files of a tree, whose files are in the order of their paths, and has a generation written
    /// from them.
    pub(super) fn with_signals<T>(&self, tree: &Tree, write: impl FnOnce(NewHistory<'_>) -> T) -> T {
        let is_file = |path: &str| tree.file(path).is_some();
        let signals = Signals::new(&self.history, is_file);
        write(NewHistory {
            extent: self.history.extent(),
            state: &self.state,
            of_file: &|path: &str| signals.file(path),
            messages_of_file: &|path: &str| signals.messages(path).collect(),
            activity: signals.activity(),
            diagnostics: self.diagnostics.clone(),
        })
    }
}

/// Reads the commits up to `head`, and continues the history of `base` if it can. Unreadable commits cost a diagnostic, not the
/// run.
pub(super) fn read(run: &IndexingRun<'_>, head: &Head, base: Option<&Snapshot>) -> Result<TreeHistory, RunError> {
    if *head == NO_COMMITS {
        return Ok(TreeHistory::default());
    }
    match walk(run, head, base) {
        Err(RunError::Source(error)) if !source::is_out_of_files(&error) => {
            let diagnostics = vec![format!("the history of the files is unknown: {error}")];
            Ok(TreeHistory { diagnostics, ..TreeHistory::default() })
        }
        walked => walked,
    }
}

fn walk(run: &IndexingRun<'_>, head: &Head, base: Option<&Snapshot>) -> Result<TreeHistory, RunError> {
    let saved = load_saved(run, base);
    let mut walk = source::commits(run.checkout, head, saved.walked_to(), WalkBounds::default())?;
    let mut history = if walk.is_continued { saved } else { History::new(walk.extent) };
    for commit in walk.by_ref() {
        run.check_stopped()?;
        history.extend(without_secrets(commit));
    }
    history.end_walk(walk.to);
    let state = history.to_bytes();
    Ok(TreeHistory { history, state, diagnostics: Vec::new() })
}

/// Masks the secrets in the message of a commit, with its trailers, and in its author.
fn without_secrets(commit: Commit) -> Commit {
    let masked = |written: &str| text::without_secrets(written).into_owned();
    let author = Person { name: masked(&commit.author.name), email: masked(&commit.author.email) };
    Commit { author, subject: masked(&commit.subject), body: masked(&commit.body), ..commit }
}

/// Returns the history of the served generation; an empty one if it cannot be read. `base` is of this version: another one may
/// have masked less.
fn load_saved(run: &IndexingRun<'_>, base: Option<&Snapshot>) -> History {
    let state = base.and_then(|base| base.history_state().ok()).filter(|state| !state.is_empty());
    let loaded = state.and_then(|state| {
        let loaded = History::from_bytes(&state);
        let alias = &run.checkout.alias;
        loaded.inspect_err(|error| tracing::debug!(%alias, %error, "history is read from the beginning")).ok()
    });
    loaded.unwrap_or_default()
}
