//! Exit codes, and the code of each error.

use std::process::ExitCode;

use federation::discovery::InvalidAddress;
use gateway::ConfigError;
use worker::StartError;

use crate::open_files;

/// The exit codes of `docs/commands.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Done = 0,
    Failed = 1,
    /// The same code as clap's for invalid arguments.
    Usage = 2,
    TokenRefused = 3,
    Unreachable = 4,
    /// The tool was called and returned an error.
    ToolError = 5,
    NothingToIndex = 6,
    DataFolder = 7,
    /// `review` found a use that the change breaks.
    BrokenUse = 8,
    /// `explain-link` found no link.
    NoLink = 9,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// An error with a specific exit code.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct CommandError {
    pub(crate) exit: Exit,
    pub(crate) message: String,
}

impl CommandError {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> CommandError {
        CommandError { exit, message: message.into() }
    }
}

/// Returns the exit code of an error.
pub(crate) fn of(error: &anyhow::Error) -> Exit {
    if let Some(failure) = error.downcast_ref::<CommandError>() {
        return failure.exit;
    }
    match error.downcast_ref::<StartError>() {
        Some(StartError::DataDir(_)) => return Exit::DataFolder,
        Some(StartError::Model(_) | StartError::Repositories(_)) => return Exit::Usage,
        _ => {}
    }
    if error.downcast_ref::<ConfigError>().is_some() || error.downcast_ref::<InvalidAddress>().is_some() {
        return Exit::Usage;
    }
    Exit::Failed
}

/// Returns an error with its causes, and a remedy if there is a known one. Many errors include their cause; none is repeated.
pub(crate) fn message(error: &anyhow::Error) -> String {
    let mut message = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !message.contains(&cause) {
            message = format!("{message}: {cause}");
        }
    }
    open_files::with_remedy(message)
}

#[cfg(test)]
mod tests {
    use worker::DataDirError;

    use super::*;

    #[test]
    fn exit_code_survives_context() {
        let in_use = DataDirError::InUse { path: "d".to_owned(), owner: "7".to_owned() };
        let error = anyhow::Error::new(StartError::from(in_use)).context("cannot start");
        assert_eq!(of(&error), Exit::DataFolder);
        assert_eq!(of(&CommandError::new(Exit::Unreachable, "gone").into()), Exit::Unreachable);
        assert_eq!(of(&anyhow::anyhow!("else")), Exit::Failed);
    }

    #[test]
    fn causes_are_not_repeated() {
        let exists = || std::io::Error::other("file exists");
        let action = "cannot create";
        let data_dir = DataDirError::Io { action, path: "d".to_owned(), source: exists() };
        let error = anyhow::Error::new(StartError::from(data_dir)).context("cannot start");
        assert_eq!(message(&error), "cannot start: cannot create `d`: file exists");
        let error = anyhow::Error::new(exists()).context("cannot write");
        assert_eq!(message(&error), "cannot write: file exists");
    }
}
