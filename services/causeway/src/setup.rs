//! Set-up of MCP clients: their configuration files, instructions for agents, hooks, and a service that runs the server.
//!
//! Modules in reading order: the table of clients (`client`, `user_folders`), the entry of the server in each notation (`entry`), edits
//! of files that keep everything else (`file_edit`, with `json_file`, `toml_file`, `yaml_file` and `managed_block`), their execution with
//! backups (`change`), and the other files (`instructions`, `hooks`, `service`).

pub(crate) mod change;
pub(crate) mod client;
pub(crate) mod entry;
pub(crate) mod file_edit;
pub(crate) mod hooks;
pub(crate) mod instructions;
mod json_file;
mod managed_block;
#[cfg(test)]
mod round_trip_tests;
pub(crate) mod service;
mod toml_file;
pub(crate) mod user_folders;
mod yaml_file;

/// Name of the server in the configuration of clients.
pub(crate) const SERVER_NAME: &str = "causeway";
