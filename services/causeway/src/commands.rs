//! The subcommands, one file each: its arguments, and what it does.

pub(crate) mod call;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod gateway;
pub(crate) mod index;
pub(crate) mod mcp;
pub(crate) mod mcp_config;
mod operators;
pub(crate) mod search;
pub(crate) mod status;
pub(crate) mod up;
pub(crate) mod worker;
