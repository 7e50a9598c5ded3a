//! Indexing runs over small repositories: their code graph, their history, and the equality of an incremental run with a full
//! one.

mod compiler_index;
mod drafts;
mod history;
mod linking;
mod lost_files;
mod project;
mod secrets;
mod sources;
mod version_tags;
mod work_tree;
