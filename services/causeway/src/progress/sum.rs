//! What an indexing came to.

use crate::output::{count, seconds};

/// The sum of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) repositories: u64,
    /// Indexed just now.
    pub(crate) indexed: u64,
    pub(crate) failed: u64,
    pub(crate) files: u64,
    pub(crate) symbols: u64,
    pub(crate) milliseconds: u64,
}

impl Sum {
    /// Returns the sum as a line: what was indexed just now, of what there is.
    pub(crate) fn line(&self) -> String {
        let repositories = |number| count(number, "repository", "repositories");
        let held = format!("{}, {}", count(self.files, "file", "files"), count(self.symbols, "symbol", "symbols"));
        let time = seconds(self.milliseconds);
        let failed = match self.failed {
            0 => String::new(),
            failed => format!(" ({failed} not indexed)"),
        };
        match self.indexed {
            0 if self.failed == self.repositories => format!("nothing is indexed{failed}"),
            0 => format!("{} up to date: {held}{failed}", repositories(self.repositories.saturating_sub(self.failed))),
            all if all == self.repositories => format!("indexed {}, {held} in {time}{failed}", repositories(all)),
            some => format!("indexed {some} of {} in {time}; all hold {held}{failed}", repositories(self.repositories)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_says_what_was_done() {
        let held = Sum { repositories: 12, indexed: 0, failed: 0, files: 5_300, symbols: 66_000, milliseconds: 8_100 };
        let sum = |indexed| Sum { indexed, ..held }.line();
        assert_eq!(sum(12), "indexed 12 repositories, 5,300 files, 66,000 symbols in 8.1 s");
        assert_eq!(sum(2), "indexed 2 of 12 repositories in 8.1 s; all hold 5,300 files, 66,000 symbols");
        assert_eq!(sum(0), "12 repositories up to date: 5,300 files, 66,000 symbols");
        let expected = "10 repositories up to date: 5,300 files, 66,000 symbols (2 not indexed)";
        assert_eq!(Sum { failed: 2, ..held }.line(), expected);
    }
}
