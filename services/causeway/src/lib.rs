//! The `causeway` binary: every subcommand, and the laptop mode that joins both tiers in one process. It is a library
//! so that cargo can build a binary for the end-to-end tests with them.
//!
//! Modules in reading order: the command line (`options`, `cli`), exit codes (`exit`), the data folder (`data`), the limit of
//! open files (`open_files`), the memory allocator (`allocator`), configuration (`config`), laptop mode (`laptop`, `progress`),
//! running servers (`server_file`, `client`), tool calls to either of them (`backend`, `bridge`), the set-up of clients (`setup`), the
//! commands, and tests of the documentation (`documentation_tests`).
//! Standard output carries answers only, and MCP only in `causeway mcp`; everything else goes to standard error.

use std::{process::ExitCode, time::Duration};

use clap::Parser as _;
use runtime::telemetry::{self, LogFormat, LogGuard};
use tokio::runtime::Runtime;

mod allocator;
mod backend;
mod bridge;
mod cli;
mod client;
mod commands;
mod config;
mod data;
#[cfg(test)]
mod documentation_tests;
mod exit;
mod laptop;
mod open_files;
mod options;
mod output;
mod program;
mod progress;
mod server_file;
mod setup;

use cli::{Cli, Command};
use exit::{CommandError, Exit};

/// Maximum wait for blocked threads, such as readers of standard input, at the end of the process.
const THREAD_SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// Runs the subcommand of this process's arguments.
pub fn main() -> ExitCode {
    let _log = LogGuard::open();
    runtime::file_mode::create_private_files();
    let cli = Cli::parse();
    let exit = run(cli).unwrap_or_else(|error| {
        telemetry::print_to_stderr(&format!("causeway: {}", exit::message(&error)));
        exit::of(&error)
    });
    exit.into()
}

fn run(cli: Cli) -> anyhow::Result<Exit> {
    let format = LogFormat::from_environment().map_err(|error| CommandError::new(Exit::Usage, error.to_string()))?;
    open_files::raise_limit()?;
    runtime::truncated_files::survive()?;
    let runtime = BoundedRuntime(Some(tokio::runtime::Builder::new_multi_thread().enable_all().build()?));
    let telemetry = {
        let _entered = runtime.get().enter();
        telemetry::init(service_name(&cli.command), format, cli.log_filter())?
    };
    let exit = runtime.get().block_on(dispatch(cli));
    telemetry.flush();
    exit
}

/// A runtime that waits for blocked threads for a limited time when it is dropped, also after a panic. By default, a dropped
/// runtime waits for them indefinitely. It is `Some` until it is dropped.
struct BoundedRuntime(Option<Runtime>);

impl BoundedRuntime {
    fn get(&self) -> &Runtime {
        self.0.as_ref().expect("it is `Some` until it is dropped")
    }
}

impl Drop for BoundedRuntime {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_timeout(THREAD_SHUTDOWN_TIMEOUT);
        }
    }
}

/// Returns the service name of the process's spans.
fn service_name(command: &Command) -> &'static str {
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
        Command::Review(args) => commands::review::run(args, &global).await,
        Command::Export(args) => commands::export::run(args, &global).await,
        Command::Import(args) => commands::import::run(args, &global).await,
        Command::ExplainLink(args) => commands::explain_link::run(args, &global).await,
        Command::Mcp(args) => commands::mcp::run(args, &global).await,
        Command::Status(args) => commands::status::run(args, &global).await,
        Command::Doctor(args) => commands::doctor::run(args, &global).await,
        Command::Setup(args) => commands::setup::run(&args, &global),
        Command::Hook(args) => commands::hook::run(args, &global).await,
        Command::Completions(args) => commands::completions::completions(&args),
        Command::Man(args) => commands::completions::man(&args),
        Command::Worker(args) => commands::worker::run(args, &global).await,
        Command::Gateway(args) => commands::gateway::run(args, &global).await,
    }
}
