//! The installed command that a question names, with the function that it starts.

use proto::v1;

use super::super::confidence::Confidence;
use super::{
    IntentAnswer, IntentContext,
    cited_text::{CitedText, citation},
};
use federation::answer::Answer;

/// Maximum number of repositories whose commands are compared with the words of a question.
const MAX_REPOSITORIES: usize = 12;

/// Entries of each list of an overview to read.
const MAX_READ: u32 = 30;

/// Answers about the commands that a question names; `None` if it names none that a manifest of the asked repositories installs.
pub(super) async fn answer(context: IntentContext<'_, '_>, question: &str) -> Option<IntentAnswer> {
    let asked = context.plan.asked.iter().copied().take(MAX_REPOSITORIES).collect();
    let plan = context.call.visible.plan_for(asked, false);
    let Answer { value: overviews, shortfalls } = context.call.overviews(&plan, MAX_READ).await;
    let mut all: Vec<CitedText> = Vec::new();
    for (repo_idx, overview) in &overviews {
        for start in overview.starts.iter().filter(|start| is_named(start, question)) {
            let [name, target] = [&start.name, &start.target].map(|one| text::quote(&text::sanitise_name(one)));
            let said = format!("The command {name} of {} is {target}", text::quote(context.plan.alias(*repo_idx)));
            let said = match &start.at {
                Some(at) => CitedText::cited(said, citation(context.plan, *repo_idx, &at.path, (at.line, at.line))),
                None => CitedText::plain(said),
            };
            all.push(said.then("."));
        }
    }
    let note = "get_overview lists all entry points of a repository";
    (!all.is_empty()).then(|| IntentAnswer::new(all, Confidence::Medium, note).with_shortfalls(shortfalls))
}

/// Returns true for a command with a known target whose name is a word of a question.
fn is_named(start: &v1::Start, question: &str) -> bool {
    let is_command = start.kind() == v1::StartKind::Command && !start.target.is_empty();
    const VERBS: [&str; 11] =
        ["type", "types", "run", "runs", "invoke", "invokes", "call", "calls", "enter", "start", "launch"];
    let words = || question.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_')));
    let is_typed = words().any(|word| VERBS.contains(&word.to_lowercase().as_str()));
    is_command && is_typed && words().any(|word| word == start.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_named_by_a_whole_word() {
        let start = |kind: v1::StartKind, target: &str| v1::Start {
            kind: kind.into(),
            name: "dock".to_owned(),
            target: target.to_owned(),
            ..Default::default()
        };
        let command = start(v1::StartKind::Command, "harbour.cli:main");
        for (start, question, expected) in [
            (&command, "what runs when I type `dock`?", true),
            (&command, "what runs when I type `docker`?", false),
            (&command, "what is the entry point of the dock planner?", false),
            (&start(v1::StartKind::Command, ""), "what runs when I type `dock`?", false),
            (&start(v1::StartKind::Export, "harbour.js"), "what runs when I type `dock`?", false),
        ] {
            assert_eq!(is_named(start, question), expected, "{question}");
        }
    }
}
