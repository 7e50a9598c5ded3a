//! Notes on the coverage of an answer.

use crate::plan::Plan;

/// Returns the note for an answer without hits if some repositories or workers did not answer.
pub fn nothing_found(plan: &Plan) -> Option<String> {
    let unanswered = plan.shortfalls.len() + plan.unknown_workers.len();
    (unanswered > 0).then(|| {
        format!("unknown, not absent: {unanswered} of the repositories or workers asked did not answer; see coverage")
    })
}
