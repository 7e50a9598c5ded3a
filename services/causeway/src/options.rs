//! Options that several subcommands share.

use std::path::PathBuf;

use clap::Args;
use gateway::ServedViews;

/// Options of all subcommands.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct GlobalOptions {
    /// Folder of the index [default: causeway in $XDG_DATA_HOME, or in ~/.local/share]
    #[arg(long, global = true, env = "CAUSEWAY_DATA", hide_env_values = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Configuration file of servers and indexing; docs/operating describes its keys
    #[arg(long, global = true, env = "CAUSEWAY_CONFIG", hide_env_values = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Log more to standard error; twice for even more (or set CAUSEWAY_LOG)
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// Selects the contents that are served of repositories with a work tree.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ViewsOption {
    /// Serve work trees with uncommitted and untracked files, or commits [default: work-tree]
    #[arg(long, value_name = "VIEW")]
    views: Option<ViewName>,
}

/// The value of `--views`.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum ViewName {
    WorkTree,
    Commit,
}

impl ViewsOption {
    /// Returns the contents to serve, if the option is given.
    pub(crate) fn chosen(&self) -> Option<ServedViews> {
        self.views.map(|view| match view {
            ViewName::WorkTree => ServedViews::WorkTree,
            ViewName::Commit => ServedViews::Commit,
        })
    }
}

/// Selects the running server.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ServerOptions {
    /// URL of the server [default: that of the server on the data folder]
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Token for the server
    #[arg(long, env = "CAUSEWAY_TOKEN", hide_env_values = true, value_name = "TOKEN")]
    pub(crate) token: Option<String>,
}

/// Returns the folders, or the current folder if there are none.
pub(crate) fn or_current_folder(paths: Vec<PathBuf>) -> Vec<PathBuf> {
    if paths.is_empty() { vec![PathBuf::from(".")] } else { paths }
}
