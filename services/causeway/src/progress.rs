//! What people see of indexing: bars on a terminal, lines elsewhere, and the sum at the end.

use std::io::IsTerminal as _;

use proto::v1::{IndexingStep, StatusRequest, StatusResponse};

use crate::laptop::Laptop;

mod bars;
mod lines;
mod sum;

use bars::Bars;
use lines::Lines;
pub(crate) use sum::Sum;

/// Where progress is shown. All of it goes to standard error.
pub(crate) enum Display {
    Bars(Bars),
    Lines(Lines),
    /// For those who print JSON, and for MCP clients.
    Silent,
}

impl Display {
    /// Returns bars for a terminal, lines for anything else.
    pub(crate) fn for_stderr() -> Display {
        if std::io::stderr().is_terminal() { Display::Bars(Bars::default()) } else { Display::Lines(Lines::default()) }
    }

    fn show(&mut self, status: &StatusResponse) {
        match self {
            Display::Bars(bars) => bars.show(status),
            Display::Lines(lines) => lines.show(status).iter().for_each(|line| eprintln!("{line}")),
            Display::Silent => {}
        }
    }

    /// Takes the bars away, and tells what failed where that has not been told yet.
    fn close(&mut self, status: &StatusResponse) {
        match self {
            Display::Bars(bars) => bars.close(),
            Display::Lines(_) => return,
            Display::Silent => {}
        }
        for repository in status.repositories.iter().filter(|repository| !repository.error.is_empty()) {
            eprintln!("{}: not indexed: {}", repository.alias, repository.error);
        }
        for repository in status.repositories.iter().filter(|repository| !repository.without_vectors.is_empty()) {
            eprintln!("{}: searched by text alone: {}", repository.alias, repository.without_vectors);
        }
    }
}

/// Waits until nothing is left to index, showing how it goes; returns how every repository stands then.
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

/// Tells of every repository that is indexed again, or fails, after `known`; ends with the worker.
pub(crate) async fn tell_changes(laptop: &Laptop, known: &StatusResponse) -> anyhow::Result<()> {
    let mut statuses = laptop.indexing().status(StatusRequest { follow: true }).await?.into_inner();
    let mut lines = Lines::default();
    lines.show(known);
    while let Some(status) = statuses.message().await? {
        lines.show(&status).iter().for_each(|line| eprintln!("{line}"));
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
        IndexingStep::Load => "asking the object store",
        IndexingStep::Diff => "comparing",
        IndexingStep::Embed => "asking for vectors, files",
        IndexingStep::Extract => "extracting",
        IndexingStep::Write => "writing",
        IndexingStep::Link => "linking",
        IndexingStep::History => "reading commits",
        IndexingStep::Publish => "publishing",
    }
}
