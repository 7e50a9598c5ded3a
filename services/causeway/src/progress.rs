//! What people see of indexing: bars on a terminal, lines elsewhere, and the sum at the end.

use std::{
    collections::BTreeMap,
    io::IsTerminal as _,
    time::{Duration, Instant},
};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use proto::v1::{IndexingStep, RepositoryStatus, StatusRequest, StatusResponse};

use crate::{
    laptop::Laptop,
    output::{count, grouped, seconds},
};

/// How often a line tells how far a repository is.
const LINE_INTERVAL: Duration = Duration::from_secs(2);

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

/// One bar for all repositories, and one for each that is being indexed.
#[derive(Default)]
pub(crate) struct Bars {
    screen: MultiProgress,
    all: Option<ProgressBar>,
    running: BTreeMap<String, ProgressBar>,
}

impl Bars {
    fn show(&mut self, status: &StatusResponse) {
        let n_repositories = status.repositories.len() as u64;
        let is_idle = |repository: &&RepositoryStatus| repository.step() == IndexingStep::Idle;
        let all = self.all.get_or_insert_with(|| {
            let bar = ProgressBar::new(n_repositories).with_style(style("{msg:20} {wide_bar} {pos}/{len}"));
            self.screen.add(bar.with_message("repositories"))
        });
        all.set_length(n_repositories);
        all.set_position(status.repositories.iter().filter(is_idle).count() as u64);
        for repository in &status.repositories {
            if !is_running(repository.step()) {
                if let Some(bar) = self.running.remove(&repository.alias) {
                    bar.finish_and_clear();
                }
                continue;
            }
            let bar = self.running.entry(repository.alias.clone()).or_insert_with(|| {
                let bar = ProgressBar::new(0).with_style(style("{prefix:20} {wide_bar} {msg}"));
                self.screen.add(bar.with_prefix(repository.alias.clone()))
            });
            let (step, done, total) = (step_name(repository.step()), repository.files_done, repository.files_total);
            // A bar of nothing would look full.
            bar.set_length(total.max(1));
            bar.set_position(done);
            bar.set_message(if total > 0 { format!("{step} {done}/{total}") } else { step.to_owned() });
        }
    }

    fn close(&mut self) {
        let bars = std::mem::take(&mut self.running).into_values().chain(self.all.take());
        bars.for_each(|bar| bar.finish_and_clear());
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the templates are constants").progress_chars("=> ")
}

/// What has been told already, so that it is told once.
#[derive(Default)]
pub(crate) struct Lines {
    told: BTreeMap<String, Told>,
}

#[derive(Default)]
struct Told {
    generation: String,
    error: String,
    at: Option<Instant>,
}

impl Lines {
    /// Returns what is new.
    fn show(&mut self, status: &StatusResponse) -> Vec<String> {
        let now = Instant::now();
        status.repositories.iter().filter_map(|repository| self.line(repository, now)).collect()
    }

    fn line(&mut self, repository: &RepositoryStatus, now: Instant) -> Option<String> {
        let alias = &repository.alias;
        let told = self.told.entry(alias.clone()).or_default();
        if repository.error != told.error {
            told.error.clone_from(&repository.error);
            if !told.error.is_empty() {
                return Some(format!("{alias}: not indexed: {}", told.error));
            }
        }
        if let Some(run) = repository.last_run.as_ref().filter(|run| run.generation != told.generation) {
            told.generation.clone_from(&run.generation);
            let (files, symbols) = (count(run.files, "file", "files"), count(run.symbols, "symbol", "symbols"));
            let read = grouped(run.files_extracted);
            return Some(format!("{alias}: {files} ({read} read), {symbols} in {}", seconds(run.milliseconds)));
        }
        if !is_running(repository.step()) {
            told.at = None;
            return None;
        }
        let since = told.at.get_or_insert(now);
        if now.duration_since(*since) < LINE_INTERVAL {
            return None;
        }
        *since = now;
        let (step, done, total) = (step_name(repository.step()), repository.files_done, repository.files_total);
        Some(format!("{alias}: {step}, {} of {}", grouped(done), count(total, "file", "files")))
    }
}

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

fn is_running(step: IndexingStep) -> bool {
    !matches!(step, IndexingStep::Unspecified | IndexingStep::Idle | IndexingStep::Queued)
}

fn step_name(step: IndexingStep) -> &'static str {
    match step {
        IndexingStep::Unspecified | IndexingStep::Idle => "idle",
        IndexingStep::Queued => "waiting",
        IndexingStep::Resolve => "reading HEAD",
        IndexingStep::Diff => "comparing",
        IndexingStep::Extract => "extracting",
        IndexingStep::Write => "writing",
        IndexingStep::Publish => "publishing",
    }
}

#[cfg(test)]
mod tests {
    use proto::v1::RunFigures;

    use super::*;

    fn status(error: &str, generation: &str) -> StatusResponse {
        let run = RunFigures {
            generation: generation.to_owned(),
            files: 1_200,
            files_extracted: 3,
            symbols: 1,
            milliseconds: 80,
            incremental: true,
        };
        let repository = RepositoryStatus {
            alias: "api".to_owned(),
            step: IndexingStep::Idle.into(),
            error: error.to_owned(),
            last_run: (!generation.is_empty()).then_some(run),
            ..Default::default()
        };
        StatusResponse { repositories: vec![repository], idle: true }
    }

    #[test]
    fn a_line_is_told_once() {
        let mut lines = Lines::default();
        for (error, generation, expected) in [
            ("", "", None),
            ("", "g1", Some("api: 1,200 files (3 read), 1 symbol in 0.08 s")),
            ("", "g1", None),
            ("no commits", "g1", Some("api: not indexed: no commits")),
            ("no commits", "g1", None),
            ("", "g2", Some("api: 1,200 files (3 read), 1 symbol in 0.08 s")),
        ] {
            assert_eq!(lines.show(&status(error, generation)), Vec::from_iter(expected), "{error} {generation}");
        }
    }

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
