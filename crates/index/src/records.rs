//! The on-disk layout of a generation: the names of its files, and the records of each archive.
//!
//! An archive is written by rkyv in one piece, mapped into memory and read in place. Order and types of fields are the
//! format; changing them requires a new `FORMAT_VERSION`. Names of types and fields are not stored.

pub(crate) mod graph;
pub(crate) mod history;
pub(crate) mod messages;
pub(crate) mod page_tables;
pub(crate) mod symbol_texts;
pub(crate) mod tables;
pub(crate) mod term_bags;
pub(crate) mod vectors;

pub(crate) const TABLES_FILE: &str = "tables.rkyv";
pub(crate) const OVERVIEW_FILE: &str = "overview.rkyv";
pub(crate) const PAGE_TABLES_FILE: &str = "page_tables.rkyv";
pub(crate) const PAGES_FILE: &str = "pages.zst";
pub(crate) const SOURCE_FILE: &str = "source.zst";
/// Texts of files that changed since the generation whose source file is linked.
pub(crate) const SOURCE_CHANGES_FILE: &str = "source_changes.zst";
pub(crate) const GRAPH_FILE: &str = "graph.rkyv";
pub(crate) const HISTORY_FILE: &str = "history.rkyv";
pub(crate) const HISTORY_STATE_FILE: &str = "history.zst";
pub(crate) const LINK_FACTS_FILE: &str = "link_facts.zst";
pub(crate) const MESSAGES_FILE: &str = "messages.rkyv";
pub(crate) const TERMS_FILE: &str = "terms.fst";
/// Counts that changed since the generation whose term counts are linked.
pub(crate) const TERMS_CHANGES_FILE: &str = "terms_changes.fst";
pub(crate) const VECTORS_FILE: &str = "vectors.rkyv";
/// Vectors of files that changed since the generation whose vectors are linked.
pub(crate) const VECTORS_CHANGES_FILE: &str = "vectors_changes.rkyv";
/// Terms of commit messages, by file.
pub(crate) const MESSAGE_WORDS_FILE: &str = "message_words.rkyv";
/// Terms of pages, by page.
pub(crate) const PAGE_WORDS_FILE: &str = "page_words.rkyv";
pub(crate) const TEXT_DIR: &str = "text";
