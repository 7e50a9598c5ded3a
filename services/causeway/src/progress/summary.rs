//! Summary of an indexing run.

use std::time::Instant;

use proto::v1::StatusResponse;

use crate::{
    laptop::Laptop,
    output::{count, seconds},
};

/// Totals of an indexing run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IndexSummary {
    pub(crate) repositories: u64,
    /// Indexed in this run.
    pub(crate) indexed: u64,
    pub(crate) failed: u64,
    pub(crate) files: u64,
    pub(crate) symbols: u64,
    pub(crate) milliseconds: u64,
}

impl IndexSummary {
    /// Returns the summary of a run that began at `started` and ended with `status`.
    pub(crate) async fn of(laptop: &Laptop, status: &StatusResponse, started: Instant) -> anyhow::Result<IndexSummary> {
        let inventory = laptop.inventory().await?;
        Ok(IndexSummary {
            repositories: inventory.repositories.len() as u64,
            indexed: status.repositories.iter().filter(|repository| repository.last_run.is_some()).count() as u64,
            failed: status.repositories.iter().filter(|repository| !repository.error.is_empty()).count() as u64,
            files: inventory.repositories.iter().map(|repository| repository.files).sum(),
            symbols: inventory.repositories.iter().map(|repository| repository.symbols).sum(),
            milliseconds: started.elapsed().as_millis() as u64,
        })
    }

    /// Returns the summary as one line.
    pub(crate) fn line(&self) -> String {
        let repositories = |number| count(number, "repository", "repositories");
        let contents = format!("{}, {}", count(self.files, "file", "files"), count(self.symbols, "symbol", "symbols"));
        let time = seconds(self.milliseconds);
        let failed = match self.failed {
            0 => String::new(),
            failed => format!(" ({failed} not indexed)"),
        };
        match self.indexed {
            0 if self.failed == self.repositories => format!("nothing is indexed{failed}"),
            0 => format!(
                "{} up to date: {contents}{failed}",
                repositories(self.repositories.saturating_sub(self.failed))
            ),
            all if all == self.repositories => format!("indexed {}, {contents} in {time}{failed}", repositories(all)),
            some => {
                format!("indexed {some} of {} in {time}; all hold {contents}{failed}", repositories(self.repositories))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_line_depends_on_the_outcome() {
        let contents = IndexSummary {
            repositories: 12,
            indexed: 0,
            failed: 0,
            files: 5_300,
            symbols: 66_000,
            milliseconds: 8_100,
        };
        let line = |indexed| IndexSummary { indexed, ..contents }.line();
        assert_eq!(line(12), "indexed 12 repositories, 5,300 files, 66,000 symbols in 8.1 s");
        assert_eq!(line(2), "indexed 2 of 12 repositories in 8.1 s; all hold 5,300 files, 66,000 symbols");
        assert_eq!(line(0), "12 repositories up to date: 5,300 files, 66,000 symbols");
        let expected = "10 repositories up to date: 5,300 files, 66,000 symbols (2 not indexed)";
        assert_eq!(IndexSummary { failed: 2, ..contents }.line(), expected);
    }
}
