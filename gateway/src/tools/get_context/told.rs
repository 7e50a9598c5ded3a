//! What a task is told beside the neighbourhood: the past, coupling and risks, what changed below, the skeleton.

use std::collections::BTreeSet;

use proto::v1;
use text::OutlineRow;

use super::{
    answer::Answer,
    around::Around,
    assembly::Assembly,
    coupling::{Coupling, risks},
    item::path_of,
    past::{Past, change},
};
use crate::{call::Call, plan::Plan, walk::sections::Section, walk::weights::Intent};

/// Files of callees whose last change is told.
const MAX_BELOW: usize = 5;

/// The part of the budget that a skeleton takes at most, as a divisor.
const SKELETON_SHARE: usize = 6;

/// What was learnt for an intent; nothing without one.
#[derive(Default)]
pub(super) struct Told {
    intent: Option<Intent>,
    history: Option<v1::FileHistory>,
    changed_below: Vec<String>,
    skeleton: String,
}

/// Learns what the intent asks for.
pub(super) async fn tell(
    call: &Call<'_>,
    plan: &mut Plan,
    around: &Around<'_>,
    assembly: Assembly,
    token_budget: usize,
) -> Told {
    let Some(intent) = assembly.intent else { return Told::default() };
    let home = (around.entity.at.position, path_of(around.root).to_owned());
    let below = if intent == Intent::Debug { files_below(around, &home) } else { Vec::new() };
    let files: BTreeSet<(usize, String)> = below.iter().chain([&home]).cloned().collect();
    let mut histories = call.history(plan, &files).await;
    let mut changes: Vec<(i64, String)> = Vec::new();
    for file in &below {
        let Some(last) = histories.get(file).and_then(|history| history.last_change.as_ref()) else { continue };
        let (repo, path) = (plan.alias(file.0), text::sanitise_name(&file.1).into_owned());
        changes.push((last.at, format!("{repo}:{path} {}", change(last))));
    }
    changes.sort_by(|a, b| b.cmp(a));
    let is_file = around.root.symbol.is_none();
    let skeleton = if intent == Intent::Understand && !is_file {
        let rows: Vec<OutlineRow<'_>> =
            around.outline.iter().map(|row| OutlineRow { line: row.line, signature: &row.signature }).collect();
        text::skeleton(&rows, token_budget / SKELETON_SHARE).text
    } else {
        String::new()
    };
    Told {
        intent: Some(intent),
        history: histories.remove(&home),
        changed_below: changes.into_iter().map(|(_, change)| change).collect(),
        skeleton,
    }
}

/// Returns the files of what the root calls, the most relevant first.
fn files_below(around: &Around<'_>, home: &(usize, String)) -> Vec<(usize, String)> {
    let mut files: Vec<(usize, String)> = Vec::new();
    for placed in around.placed.iter().filter(|placed| placed.section == Section::Callees) {
        let Some(card) = around.cards.get(&placed.ranked.at) else { continue };
        let file = (placed.ranked.at.position, path_of(card).to_owned());
        if file != *home && !files.contains(&file) {
            files.push(file);
        }
        if files.len() == MAX_BELOW {
            break;
        }
    }
    files
}

impl Told {
    /// Adds it to an answer.
    pub(super) fn into_answer(self, bare: Answer, around: &Around<'_>) -> Answer {
        let Some(intent) = self.intent else { return bare };
        let mut answer = bare;
        if let Some(used_by) = answer.used_by.as_ref().filter(|_| intent == Intent::Review) {
            answer.coupling = Some(Coupling::of(around, used_by));
            answer.risks = risks(around.root, used_by, self.history.as_ref());
        }
        answer.past = self.history.as_ref().map(|history| Past::of(history, intent));
        answer.changed_below = self.changed_below;
        answer.skeleton = self.skeleton;
        answer
    }
}
