//! How a command ends: numbers that scripts tell apart, and which failure gets which.

use std::process::ExitCode;

use gateway::ConfigError;
use worker::StartError;

/// The exit codes, as the README lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Done = 0,
    Failed = 1,
    /// The same as clap's for arguments that it cannot read.
    Usage = 2,
    TokenRefused = 3,
    Unreachable = 4,
    /// The tool was called, and its answer is an error.
    ToolError = 5,
    NothingToIndex = 6,
    DataFolder = 7,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

/// A failure with an exit code of its own.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Failure {
        Failure { exit, message: message.into() }
    }
}

/// Returns the exit code of an error.
pub(crate) fn of(error: &anyhow::Error) -> Exit {
    if let Some(failure) = error.downcast_ref::<Failure>() {
        return failure.exit;
    }
    match error.downcast_ref::<StartError>() {
        Some(StartError::DataDir(_)) => return Exit::DataFolder,
        Some(StartError::Model(_) | StartError::Repositories(_)) => return Exit::Usage,
        _ => {}
    }
    if error.downcast_ref::<ConfigError>().is_some() {
        return Exit::Usage;
    }
    Exit::Failed
}

/// Returns an error with its causes. Many errors tell their cause themselves: none is told twice.
pub(crate) fn told(error: &anyhow::Error) -> String {
    let mut told = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !told.contains(&cause) {
            told = format!("{told}: {cause}");
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use worker::DataDirError;

    use super::*;

    #[test]
    fn failures_keep_their_code_below_a_context() {
        let in_use = DataDirError::InUse { path: "d".to_owned(), owner: "7".to_owned() };
        let error = anyhow::Error::new(StartError::from(in_use)).context("cannot start");
        assert_eq!(of(&error), Exit::DataFolder);
        assert_eq!(of(&Failure::new(Exit::Unreachable, "gone").into()), Exit::Unreachable);
        assert_eq!(of(&anyhow::anyhow!("else")), Exit::Failed);
    }

    #[test]
    fn causes_are_told_once() {
        let exists = || std::io::Error::other("file exists");
        let action = "cannot create";
        let data_dir = DataDirError::Io { action, path: "d".to_owned(), source: exists() };
        let error = anyhow::Error::new(StartError::from(data_dir)).context("cannot start");
        assert_eq!(told(&error), "cannot start: cannot create `d`: file exists");
        let error = anyhow::Error::new(exists()).context("cannot write");
        assert_eq!(told(&error), "cannot write: file exists");
    }
}
