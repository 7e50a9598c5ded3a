//! The command line: subcommands and shared options.

use clap::{Parser, Subcommand};

use crate::{commands, options::GlobalOptions};

const EXAMPLES: &str = "\
Examples:
  causeway up ~/code                        index the repositories below ~/code and serve them
  causeway setup                            connect the installed MCP clients
  causeway search \"retry with back-off\"     search all repositories

Exit codes: 0 done, 1 failed, 2 invalid arguments, 3 token rejected, 4 server not reachable,
5 the tool returned an error, 6 nothing to index, 7 data folder not usable,
8 the change breaks a use, 9 no link between the repositories.";

/// One MCP endpoint in front of all your repositories.
#[derive(Debug, Parser)]
#[command(name = "causeway", version, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalOptions,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// Returns the default log filter. Servers show warnings to their operators.
    pub(crate) fn log_filter(&self) -> &'static str {
        match (self.global.verbose, &self.command) {
            (0, Command::Worker(_) | Command::Gateway(_)) => "warn",
            (0, _) => "error",
            (1, _) => "info",
            _ => "debug,h2=info,hyper=info,tower=info,tantivy=info",
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Index the repositories below folders, and serve them to MCP clients
    Up(commands::up::UpArgs),
    /// Index the repositories below folders, then end
    Index(commands::index::IndexArgs),
    /// Search all repositories and print the hits
    Search(commands::search::SearchArgs),
    /// Call a tool of the running server, and print its result
    Call(commands::call::CallArgs),
    /// Review a change of the current repository: what it breaks, in all repositories
    Review(commands::review::ReviewArgs),
    /// Write index data of repositories, as JSON lines or as a SCIP index
    Export(commands::export::ExportArgs),
    /// Store an index that a compiler made, for the next indexing run
    Import(commands::import::ImportArgs),
    /// Explain why two repositories are linked, or what is missing for a link
    ExplainLink(commands::explain_link::ExplainLinkArgs),
    /// Serve MCP over standard input and output
    Mcp(commands::mcp::McpArgs),
    /// Print the state of the running server's repositories
    Status(commands::status::StatusArgs),
    /// Check the installation, and print how to fix each problem
    Doctor(commands::doctor::DoctorArgs),
    /// Connect MCP clients: find them, ask, and write their configuration
    Setup(commands::setup::SetupArgs),
    /// Answer a hook of an MCP client
    #[command(hide = true)]
    Hook(commands::hook::HookArgs),
    /// Print the completions of a shell
    Completions(commands::completions::CompletionsArgs),
    /// Write the pages of the manual
    #[command(hide = true)]
    Man(commands::completions::ManArgs),
    /// Serve repositories to gateways over gRPC (one part of a cluster)
    Worker(commands::worker::WorkerArgs),
    /// Serve MCP in front of workers (one part of a cluster)
    Gateway(commands::gateway::GatewayArgs),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    fn parse(line: &str) -> Result<Cli, String> {
        Cli::try_parse_from(line.split_whitespace()).map_err(|error| error.to_string())
    }

    #[test]
    fn every_command_has_an_example() {
        Cli::command().debug_assert();
        for command in Cli::command().get_subcommands() {
            let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(after.contains(&format!("causeway {}", command.get_name())), "{}: {after}", command.get_name());
        }
    }

    #[test]
    fn shared_options_are_valid_before_and_after_the_command() {
        for line in ["causeway --data d --json --config c up a b", "causeway up a b --json --data d --config c"] {
            let cli = parse(line).unwrap();
            assert!(cli.global.json && cli.global.data == Some("d".into()), "{line}");
            assert_eq!(cli.global.config, Some("c".into()), "{line}");
            assert!(matches!(cli.command, Command::Up(args) if args.paths.len() == 2), "{line}");
        }
    }

    #[test]
    fn servers_log_warnings() {
        for (line, expected) in [
            ("causeway worker", "warn"),
            ("causeway gateway --worker http://w:1", "warn"),
            ("causeway gateway -v", "info"),
            ("causeway up", "error"),
        ] {
            assert_eq!(parse(line).unwrap().log_filter(), expected, "{line}");
        }
    }

    #[test]
    fn invalid_arguments_are_rejected() {
        for (line, expected) in [
            ("causeway", "Usage: causeway"),
            ("causeway upp", "similar subcommand"),
            ("causeway up --listen here", "invalid value 'here'"),
            ("causeway setup emacs", "possible values: claude-code, claude-desktop, cursor, vscode, codex, zed"),
            ("causeway call", "<TOOL>"),
            ("causeway export edges", "--repo <ALIAS>"),
            ("causeway export nodes --repo a", "possible values: edges"),
        ] {
            let error = parse(line).unwrap_err();
            assert!(error.contains(expected), "{line}: {error}");
        }
    }
}
