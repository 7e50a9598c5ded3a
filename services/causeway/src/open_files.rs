//! The limit of open files (`ulimit -n`): the minimum of this program, and the remedy if it is too low.

use std::thread::available_parallelism;

use crate::exit::{CommandError, Exit};

/// Open files of any command: standard streams, the runtime, a connection.
const OF_COMMAND: usize = 12;

/// Open files of a process that serves and indexes: standard streams, listeners, stores, and the files of a generation that is being
/// written.
const OF_PROCESS: usize = 32;

/// Open files of one thread that indexes.
const OF_THREAD: usize = 4;

/// The message of the operating system for a process with too many open files.
const TOO_MANY: &str = "Too many open files";

/// Raises the limit as far as possible. Fails if it is too low for any command.
pub(crate) fn raise_limit() -> Result<(), CommandError> {
    check(runtime::file_limit::raise_limit(), OF_COMMAND)
}

/// Fails if the limit is too low to serve and to index.
pub(crate) fn require_limit_of_server() -> Result<(), CommandError> {
    check(runtime::file_limit::raise_limit(), minimum())
}

fn check(limit: usize, minimum: usize) -> Result<(), CommandError> {
    if limit >= minimum {
        return Ok(());
    }
    let message = format!("the process may open {limit} files, and needs {minimum} or more{}", remedy());
    Err(CommandError::new(Exit::Usage, message))
}

/// Appends the remedy to an error, if too many open files are its cause.
pub(crate) fn with_remedy(message: String) -> String {
    if message.contains(TOO_MANY) && !message.contains("ulimit") { message + &remedy() } else { message }
}

fn remedy() -> String {
    format!(
        ": raise the limit before starting it, for example by `ulimit -n {}`",
        minimum().next_power_of_two().max(1_024)
    )
}

fn minimum() -> usize {
    OF_PROCESS + OF_THREAD * available_parallelism().map_or(1, std::num::NonZero::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_limits_have_a_remedy() {
        assert!(check(48, 48).is_ok());
        let error = check(47, 48).unwrap_err();
        assert!(
            error.exit == Exit::Usage
                && error.message.contains("may open 47 files")
                && error.message.contains("ulimit -n")
        );
        let message = with_remedy("cannot listen: Too many open files (os error 24)".to_owned());
        assert!(message.contains("(os error 24): raise the limit"), "{message}");
        assert_eq!(with_remedy("no commits".to_owned()), "no commits");
    }
}
