//! Errors of a process that has too many open files. They say nothing about the file that could not be opened.

use std::error::Error;

/// The message of the operating system. Libraries wrap the error in various ways, and each shows its message.
const TOO_MANY: &str = "Too many open files";

/// Returns true if a file could not be opened since the process has too many open files.
///
/// Such a file must not be taken for a damaged one: the index would lack it until its next change.
pub fn is_out_of_files(error: &(dyn Error + 'static)) -> bool {
    std::iter::successors(Some(error), |&error| error.source()).any(|error| error.to_string().contains(TOO_MANY))
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::ReadError;

    #[test]
    fn the_cause_of_an_error_counts() {
        let error_of = |code: i32| io::Error::from_raw_os_error(code);
        let unreadable = |source: io::Error| ReadError::Unreadable { path: "a".to_owned(), source: Box::new(source) };
        assert!(is_out_of_files(&error_of(24)) && is_out_of_files(&unreadable(error_of(23))));
        assert!(is_out_of_files(&unreadable(io::Error::other(error_of(24)))));
        assert!(!is_out_of_files(&unreadable(error_of(13))));
    }
}
