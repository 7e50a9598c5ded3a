//! Derives per-file signals from the commits of a repository: churn, ownership, co-change and messages.
//!
//! Reading order: a [`History`] is the state. It takes commits one by one in the order of a walk, and stores for each
//! existing file the commits that touched it. A rename moves that list, and a deletion drops it. A history can be saved and
//! loaded as bytes; continuing it with new commits gives the same bytes as starting over. [`Signals`] are computed from it:
//! churn, ownership and co-change of one file, messages of its commits, and recent activity. [`cross_repo_co_change`] derives
//! co-change across repositories from the days on which the same people were active in them.
//!
//! All functions are total and pure. The crate knows no repository and no clock: ages are relative to the newest commit. It
//! does not know the use of its signals.
//!
//! ```
//! use history::{History, Signals};
//! use model::{Change, ChangeKind, Commit, CommitId, Extent, Person};
//!
//! let mut history = History::new(Extent::Whole);
//! history.extend(Commit {
//!     id: CommitId([1; 20]),
//!     author: Person { name: "Ada".into(), email: "ada@example.org".into() },
//!     authored_at: 1_700_000_000,
//!     committed_at: 1_700_000_000,
//!     subject: "Fix the parser".into(),
//!     body: String::new(),
//!     is_merge: false,
//!     changes: vec![Change { path: "src/parser.rs".into(), kind: ChangeKind::Added }],
//! });
//! let signals = Signals::new(&history, |path| path.ends_with(".rs"));
//! let file = signals.file("src/parser.rs").expect("the file exists");
//! assert_eq!((file.n_commits, file.n_fixes), (1, 1));
//! assert_eq!(file.owners[0].author, "Ada");
//! ```

#![warn(missing_docs)]

mod fixes;
mod message;
mod moved_paths;
mod robots;
mod serialization;
mod state;

mod activity;
mod co_change;
mod decay;
mod people;
mod signals;

pub mod cross_repo_co_change;
#[cfg(test)]
mod testing;

pub use activity::{ACTIVITY_SECONDS, MAX_ACTIVE_COMMITS, MAX_FILES_OF_ACTIVE_COMMIT};
pub use co_change::{MAX_CO_CHANGES, MIN_SUPPORT};
pub use decay::HALF_LIFE_SECONDS;
pub use message::{MAX_BODY_BYTES, MAX_MESSAGES_OF_FILE, MAX_SUBJECT_BYTES};
pub use people::is_one_person;
pub use serialization::{LoadError, VERSION};
pub use signals::{MAX_CHANGES, MAX_OWNERS, Signals};
pub use state::{History, MAX_FILES_OF_INFORMATIVE_COMMIT};
