//! The whole of the `causeway` binary: every subcommand, and the laptop mode that joins both tiers in one process. It is a
//! library so that the end-to-end tests have a binary of their own, which cargo builds with them.
//!
//! In reading order: what can be typed (`cli`), how a command ends (`exit`), where the index is kept (`data`), how it is
//! configured (`config`), both tiers in one process (`laptop`, `progress`), a server that runs elsewhere (`server_file`, `client`), either of the
//! two (`ask`, `bridge`), the commands, and whether the documentation holds (`documented`). Standard output carries
//! answers, and nothing but MCP in `causeway mcp`; all else goes to standard error.

use std::{process::ExitCode, time::Duration};

use clap::Parser as _;
use runtime::telemetry::{self, LogFormat};

mod ask;
mod bridge;
mod cli;
mod client;
mod commands;
mod config;
mod data;
#[cfg(test)]
mod documented;
mod exit;
mod laptop;
mod output;
mod program;
mod progress;
mod server_file;

use cli::{Cli, Command};
use exit::{Exit, Failure};

/// How long threads that wait for something, such as standard input, may hold up the end of the process.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Runs the command that the arguments of this process name, to its end.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let ended = run(cli).unwrap_or_else(|error| {
        eprintln!("causeway: {}", exit::told(&error));
        exit::of(&error)
    });
    ended.into()
}

fn run(cli: Cli) -> anyhow::Result<Exit> {
    let format = LogFormat::from_environment().map_err(|error| Failure::new(Exit::Usage, error.to_string()))?;
    let threads = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let telemetry = {
        let _entered = threads.enter();
        telemetry::init(service(&cli.command), format, cli.log_filter())?
    };
    let ended = threads.block_on(dispatch(cli));
    telemetry.flush();
    threads.shutdown_timeout(LAST_WORDS);
    ended
}

/// Returns the name that the spans of a process are told apart by.
fn service(command: &Command) -> &'static str {
    match command {
        Command::Worker(_) => "causeway-worker",
        Command::Gateway(_) => "causeway-gateway",
        _ => "causeway",
    }
}

async fn dispatch(cli: Cli) -> anyhow::Result<Exit> {
    runtime::file_size_limit::make_an_error()?;
    let global = cli.global;
    match cli.command {
        Command::Up(args) => commands::up::run(args, &global).await,
        Command::Index(args) => commands::index::run(args, &global).await,
        Command::Search(args) => commands::search::run(args, &global).await,
        Command::Call(args) => commands::call::run(args, &global).await,
        Command::Export(args) => commands::export::run(args, &global).await,
        Command::Mcp(args) => commands::mcp::run(args, &global).await,
        Command::Status(args) => commands::status::run(args, &global).await,
        Command::Doctor(args) => commands::doctor::run(args, &global).await,
        Command::McpConfig(args) => commands::mcp_config::run(&args, &global),
        Command::Worker(args) => commands::worker::run(args, &global).await,
        Command::Gateway(args) => commands::gateway::run(args, &global).await,
    }
}
