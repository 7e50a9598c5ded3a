//! The sections of an answer that a task adds to the neighbourhood: history, coupling and risks, changes of callees,
//! the skeleton.

use std::collections::BTreeSet;

use proto::v1;
use text::OutlineRow;

use super::{
    answer::ContextAnswer,
    assembly::Assembly,
    coupling::{Coupling, risks},
    file_history::{FileHistoryView, change},
    item::path_of,
    surroundings::EntitySurroundings,
};
use federation::{
    answer::Answer,
    call::CallContext,
    plan::Plan,
    repo_idx::RepoIdx,
    walk::{sections::WalkSection, weights::Intent},
};

/// Maximum number of callee files whose last change is shown.
const MAX_BELOW: usize = 5;

/// Divisor of the budget: the maximum share of a skeleton.
const SKELETON_SHARE: usize = 6;

/// The sections that an intent asks for; empty without one.
#[derive(Default)]
pub(super) struct TaskSections {
    intent: Option<Intent>,
    history: Option<v1::FileHistory>,
    changed_below: Vec<String>,
    skeleton: String,
}

/// Reads the data for the sections of the intent.
pub(super) async fn task_sections(
    call: &CallContext<'_>,
    plan: &Plan,
    surroundings: &EntitySurroundings<'_>,
    assembly: Assembly,
    token_budget: usize,
) -> Answer<TaskSections> {
    let Some(intent) = assembly.intent else { return Answer::complete(TaskSections::default()) };
    let own_file = (surroundings.entity.at.repo_idx, path_of(surroundings.root).to_owned());
    let callee_files = if intent == Intent::Debug { files_of_callees(surroundings, &own_file) } else { Vec::new() };
    let files: BTreeSet<(RepoIdx, String)> = callee_files.iter().chain([&own_file]).cloned().collect();
    let Answer { value: mut histories, shortfalls } = call.history(plan, &files).await;
    let mut changes: Vec<(i64, String)> = Vec::new();
    for file in &callee_files {
        let Some(last) = histories.get(file).and_then(|history| history.last_change.as_ref()) else { continue };
        let location = format!("{}:{}", plan.alias(file.0), file.1);
        changes.push((last.at, format!("{} {}", text::quote_name(&location), change(last))));
    }
    changes.sort_by(|a, b| b.cmp(a));
    let is_file = surroundings.root.symbol.is_none();
    let skeleton = if intent == Intent::Understand && !is_file {
        let rows: Vec<OutlineRow<'_>> =
            surroundings.outline.iter().map(|row| OutlineRow { line: row.line, signature: &row.signature }).collect();
        text::skeleton(&rows, token_budget / SKELETON_SHARE).text
    } else {
        String::new()
    };
    let sections = TaskSections {
        intent: Some(intent),
        history: histories.remove(&own_file),
        changed_below: changes.into_iter().map(|(_, change)| change).collect(),
        skeleton,
    };
    Answer { value: sections, shortfalls }
}

/// Returns the files of the callees, the most relevant first.
fn files_of_callees(surroundings: &EntitySurroundings<'_>, own_file: &(RepoIdx, String)) -> Vec<(RepoIdx, String)> {
    let mut files: Vec<(RepoIdx, String)> = Vec::new();
    for placed in surroundings.placed.iter().filter(|placed| placed.section == WalkSection::Callees) {
        let Some(card) = surroundings.cards.get(&placed.ranked.at) else { continue };
        let file = (placed.ranked.at.repo_idx, path_of(card).to_owned());
        if file != *own_file && !files.contains(&file) {
            files.push(file);
        }
        if files.len() == MAX_BELOW {
            break;
        }
    }
    files
}

impl TaskSections {
    /// Returns the answer with these sections.
    pub(super) fn into_answer(self, bare: ContextAnswer, surroundings: &EntitySurroundings<'_>) -> ContextAnswer {
        let Some(intent) = self.intent else { return bare };
        let mut answer = bare;
        if let Some(used_by) = answer.used_by.as_ref().filter(|_| intent == Intent::Review) {
            answer.coupling = Some(Coupling::of(surroundings, used_by));
            answer.risks = risks(surroundings.root, used_by, self.history.as_ref());
        }
        answer.past = self.history.as_ref().map(|history| FileHistoryView::of(history, intent));
        answer.changed_below = self.changed_below;
        answer.skeleton = self.skeleton;
        answer
    }
}
