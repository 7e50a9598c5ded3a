//! Progress lines for logs, and for changes after the first indexing.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use proto::v1::{RepositoryStatus, StatusResponse};

use super::{is_running, step_name};
use crate::output::{count, grouped, seconds};

/// Minimum interval between two progress lines of a repository.
const LINE_INTERVAL: Duration = Duration::from_secs(2);

/// The reported state of each repository, so that nothing is printed twice.
#[derive(Default)]
pub(crate) struct ProgressLines {
    reported: BTreeMap<String, ReportedState>,
}

#[derive(Default)]
struct ReportedState {
    generation: String,
    error: String,
    without_vectors: String,
    awaits: String,
    at: Option<Instant>,
}

impl ProgressLines {
    /// Returns the lines for changes since the last call.
    pub(super) fn show(&mut self, status: &StatusResponse) -> Vec<String> {
        let now = Instant::now();
        status.repositories.iter().filter_map(|repository| self.line(repository, now)).collect()
    }

    fn line(&mut self, repository: &RepositoryStatus, now: Instant) -> Option<String> {
        let alias = &repository.alias;
        let reported = self.reported.entry(alias.clone()).or_default();
        if repository.error != reported.error {
            reported.error.clone_from(&repository.error);
            if !reported.error.is_empty() {
                return Some(format!("{alias}: not indexed: {}", reported.error));
            }
        }
        if repository.without_vectors != reported.without_vectors {
            reported.without_vectors.clone_from(&repository.without_vectors);
            if !reported.without_vectors.is_empty() {
                return Some(format!("{alias}: searched by text alone: {}", reported.without_vectors));
            }
        }
        if repository.awaits != reported.awaits {
            reported.awaits.clone_from(&repository.awaits);
            if !reported.awaits.is_empty() {
                return Some(format!("{alias}: {}", reported.awaits));
            }
        }
        if let Some(run) = repository.last_run.as_ref().filter(|run| run.generation != reported.generation) {
            reported.generation.clone_from(&run.generation);
            if run.without_commits {
                return Some(format!("{alias}: it has no commits yet; nothing is indexed"));
            }
            let (files, symbols) = (count(run.files, "file", "files"), count(run.symbols, "symbol", "symbols"));
            let how = match run.loaded {
                true => "loaded".to_owned(),
                false => format!("{} read", grouped(run.files_extracted)),
            };
            return Some(format!("{alias}: {files} ({how}), {symbols} in {}", seconds(run.milliseconds)));
        }
        if !is_running(repository.step()) {
            reported.at = None;
            return None;
        }
        let since = reported.at.get_or_insert(now);
        if now.duration_since(*since) < LINE_INTERVAL {
            return None;
        }
        *since = now;
        let (step, done, total) = (step_name(repository.step()), repository.files_done, repository.files_total);
        Some(format!("{alias}: {step}, {} of {}", grouped(done), count(total, "file", "files")))
    }
}

#[cfg(test)]
mod tests {
    use proto::v1::{IndexingStep, RunFigures};

    use super::*;

    fn status(error: &str, generation: &str) -> StatusResponse {
        let run = RunFigures {
            generation: generation.to_owned(),
            files: 1_200,
            files_extracted: 3,
            symbols: 1,
            milliseconds: 80,
            incremental: true,
            loaded: generation == "g3",
            without_commits: generation == "g4",
            ..Default::default()
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
    fn changes_are_reported_once() {
        let mut lines = ProgressLines::default();
        for (error, generation, expected) in [
            ("", "", None),
            ("", "g1", Some("api: 1,200 files (3 read), 1 symbol in 0.08 s")),
            ("", "g1", None),
            ("no commits", "g1", Some("api: not indexed: no commits")),
            ("no commits", "g1", None),
            ("", "g2", Some("api: 1,200 files (3 read), 1 symbol in 0.08 s")),
            ("", "g3", Some("api: 1,200 files (loaded), 1 symbol in 0.08 s")),
            ("", "g4", Some("api: it has no commits yet; nothing is indexed")),
        ] {
            assert_eq!(lines.show(&status(error, generation)), Vec::from_iter(expected), "{error} {generation}");
        }
    }
}
