//! Indexing runs over real little repositories: what they link, what they know of the past, and that a run that goes on
//! from an older generation comes to the same as one from nothing.

mod history;
mod linking;
mod project;
mod secrets;
mod sources;
