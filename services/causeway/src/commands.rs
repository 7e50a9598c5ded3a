//! The subcommands, one file each with its arguments.

pub(crate) mod call;
mod catalog_info;
pub(crate) mod completions;
pub(crate) mod doctor;
pub(crate) mod explain_link;
pub(crate) mod export;
pub(crate) mod gateway;
pub(crate) mod hook;
pub(crate) mod import;
pub(crate) mod index;
pub(crate) mod mcp;
pub(crate) mod review;
pub(crate) mod search;
mod serving;
pub(crate) mod setup;
pub(crate) mod status;
pub(crate) mod up;
pub(crate) mod worker;
