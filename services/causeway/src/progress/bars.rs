//! Progress bars for terminals.

use std::collections::BTreeMap;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use proto::v1::{IndexingStep, RepositoryStatus, StatusResponse};

use super::{is_running, step_name};

/// One bar for all repositories, and one for each that is being indexed.
#[derive(Default)]
pub(crate) struct ProgressBars {
    screen: MultiProgress,
    all: Option<ProgressBar>,
    running: BTreeMap<String, ProgressBar>,
}

impl ProgressBars {
    pub(super) fn show(&mut self, status: &StatusResponse) {
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
            // A bar of length 0 would look full.
            bar.set_length(total.max(1));
            bar.set_position(done);
            bar.set_message(if total > 0 { format!("{step} {done}/{total}") } else { step.to_owned() });
        }
    }

    pub(super) fn close(&mut self) {
        let bars = std::mem::take(&mut self.running).into_values().chain(self.all.take());
        bars.for_each(|bar| bar.finish_and_clear());
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("the templates are constants").progress_chars("=> ")
}
