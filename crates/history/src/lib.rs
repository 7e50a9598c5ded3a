//! Makes of the commits of a repository what the past of each file says about it.
//!
//! Reading order: a [`History`] is the state. It takes commits one by one in the order of a walk and holds, of every file
//! that is still there, the commits that touched it; so a rename moves one list, and a deletion drops one. It is saved
//! and loaded as bytes, and to go on with new commits gives the same bytes as to begin anew. [`Signals`] are computed from
//! it: churn, ownership, co-change and the like of one file, the messages of its commits, and who was active when. What
//! several repositories say together, `together` tells from the days on which the same people were active in them.
//!
//! Everything here is a total function of its arguments. The crate deliberately knows no repository, no clock (ages count
//! from the newest commit), and not what signals are good for.

mod activity;
mod co_change;
mod decay;
mod fixes;
mod message;
mod people;
mod robots;
mod saved;
mod signals;
mod state;
#[cfg(test)]
mod testing;
pub mod together;
mod traces;

pub use activity::{ACTIVITY_SECONDS, MAX_ACTIVE_COMMITS, MAX_FILES_OF_ACTIVE_COMMIT};
pub use co_change::{MAX_CO_CHANGES, MIN_SUPPORT};
pub use decay::HALF_LIFE_SECONDS;
pub use message::{MAX_BODY_BYTES, MAX_MESSAGES_OF_FILE, MAX_SUBJECT_BYTES};
pub use people::is_one_person;
pub use saved::{LoadError, VERSION};
pub use signals::{MAX_CHANGES, MAX_OWNERS, Signals};
pub use state::{History, MAX_FILES_OF_A_TELLING_COMMIT};
