//! The pages of a generation: rendered when it is sealed, from its tables, its graph and its past; read where they are
//! mapped.
//!
//! `ground` lays out who uses whom between files, `modules` says which folders have a page, `parts` gathers what goes into
//! each page, and `write` keeps what was rendered.

mod ground;
mod modules;
mod parts;
mod read;
mod write;

pub use read::PageView;

pub(crate) use parts::{Sealing, for_each_page, infra_kinds};
pub(crate) use write::{PageWriter, Written};
