//! Indexing progress: bars on a terminal, lines elsewhere, and a summary.

use std::io::IsTerminal as _;

use proto::v1::{IndexingStep, RepositoryStatus, StatusRequest, StatusResponse};
use runtime::telemetry::print_to_stderr;

use crate::laptop::Laptop;

mod bars;
mod lines;
mod summary;

use bars::ProgressBars;
use lines::ProgressLines;
pub(crate) use summary::IndexSummary;

/// Display of progress on standard error.
pub(crate) enum Display {
    ProgressBars(ProgressBars),
    ProgressLines(ProgressLines),
    /// No output, for JSON and for MCP clients.
    Silent,
}

impl Display {
    /// Returns bars for a terminal, otherwise lines.
    pub(crate) fn for_stderr() -> Display {
        if std::io::stderr().is_terminal() {
            Display::ProgressBars(ProgressBars::default())
        } else {
            Display::ProgressLines(ProgressLines::default())
        }
    }

    fn show(&mut self, status: &StatusResponse) {
        match self {
            Display::ProgressBars(bars) => bars.show(status),
            Display::ProgressLines(lines) => lines.show(status).iter().for_each(|line| print_to_stderr(line)),
            Display::Silent => {}
        }
    }

    /// Removes the bars, and prints failures that were not printed before.
    fn close(&mut self, status: &StatusResponse) {
        match self {
            Display::ProgressBars(bars) => bars.close(),
            Display::ProgressLines(_) => return,
            Display::Silent => {}
        }
        for repository in status.repositories.iter().filter(|repository| !repository.error.is_empty()) {
            print_to_stderr(&format!("{}: not indexed: {}", repository.alias, repository.error));
        }
        let is_empty =
            |repository: &&RepositoryStatus| repository.last_run.as_ref().is_some_and(|run| run.without_commits);
        for repository in status.repositories.iter().filter(is_empty) {
            print_to_stderr(&format!("{}: it has no commits yet; nothing is indexed", repository.alias));
        }
        for repository in status.repositories.iter().filter(|repository| !repository.without_vectors.is_empty()) {
            print_to_stderr(&format!("{}: searched by text alone: {}", repository.alias, repository.without_vectors));
        }
    }
}

/// Waits until indexing has finished and displays its progress. Returns the final status.
pub(crate) async fn until_indexed(laptop: &Laptop, display: &mut Display) -> anyhow::Result<StatusResponse> {
    let mut statuses = laptop.indexing().status(StatusRequest { follow: false }).await?.into_inner();
    let mut last = StatusResponse::default();
    while let Some(status) = statuses.message().await? {
        display.show(&status);
        last = status;
    }
    display.close(&last);
    Ok(last)
}

/// Prints every repository that is re-indexed, or fails, after `known`. Ends with the worker.
pub(crate) async fn print_changes(laptop: &Laptop, known: &StatusResponse) -> anyhow::Result<()> {
    let mut statuses = laptop.indexing().status(StatusRequest { follow: true }).await?.into_inner();
    let mut lines = ProgressLines::default();
    lines.show(known);
    while let Some(status) = statuses.message().await? {
        lines.show(&status).iter().for_each(|line| print_to_stderr(line));
    }
    Ok(())
}

fn is_running(step: IndexingStep) -> bool {
    !matches!(step, IndexingStep::Unspecified | IndexingStep::Idle | IndexingStep::Queued)
}

fn step_name(step: IndexingStep) -> &'static str {
    match step {
        IndexingStep::Unspecified | IndexingStep::Idle => "idle",
        IndexingStep::Queued => "waiting",
        IndexingStep::Resolve => "reading HEAD",
        IndexingStep::Load => "checking the object store",
        IndexingStep::Diff => "comparing",
        IndexingStep::Embed => "requesting vectors, files",
        IndexingStep::Extract => "extracting",
        IndexingStep::Write => "writing",
        IndexingStep::Link => "linking",
        IndexingStep::History => "reading commits",
        IndexingStep::Publish => "publishing",
    }
}
