//! The flow of a named function: where it hands on to, then what is called there in the order of its lines, each call with its condition and
//! the first sentence of the called definition.

use federation::{answer::Answer, fetch::SourceRequest};
use model::LineSpan;

use super::super::{gates::is_instruction, passages, shortened::shortened};
use super::{
    IntentContext,
    cited_text::{CitedText, citation, counted},
    dependencies::{callees, calls_sentence},
    events::terms,
    raises::condition_around,
    source_lines::{SourceLine, read},
    subject::SubjectNode,
};
use crate::get_context::item::lines_of;

/// Maximum number of functions that only hand on to the next one.
const MAX_DELEGATIONS: usize = 3;

/// Maximum number of lines of a function that only hands on.
const MAX_DELEGATING_LINES: u32 = 8;

/// Maximum number of steps, and of lines of a body that are read for their conditions.
const MAX_STEPS: usize = 8;
const MAX_LINES: u32 = 400;

/// Maximum length of the sentence about a step, and maximum number of tokens of all steps; above it, they have no such sentences.
const MAX_DOC_CHARS: usize = 90;
const MAX_TOKENS: usize = 170;

/// A call of a function, with the line of it.
type Step = (u32, SubjectNode);

/// Returns the flow of a function as sentences and lines; nothing if it calls no known definition.
pub(super) async fn outline(context: IntentContext<'_, '_>, node: &SubjectNode) -> Answer<Vec<CitedText>> {
    let mut sentences: Vec<CitedText> = Vec::new();
    let mut seen = vec![node.at];
    let mut at = node.clone();
    let Answer { value: mut steps, mut shortfalls } = steps_of(context, &at).await;
    while let Some((line, next)) = delegate(&at, &steps).filter(|_| seen.len() <= MAX_DELEGATIONS)
        && !seen.contains(&next.at)
    {
        let place = citation(context.plan, at.at.repo_idx, at.path(), (line, line));
        let said = format!("{} hands on to {}", text::quote(&at.name()), text::quote(&next.name()));
        sentences.push(CitedText::cited(said, place).then("."));
        seen.push(next.at);
        let further = steps_of(context, &next).await;
        shortfalls.extend(further.shortfalls);
        (at, steps) = (next, further.value);
    }
    if steps.is_empty() {
        return Answer { value: sentences, shortfalls };
    }
    let body = body(context, &at).await;
    shortfalls.extend(body.shortfalls);
    sentences.extend(listed_steps(context, &at, &steps, &body.value));
    if let Some(next) = main_step(node, &at, &steps) {
        let further = steps_of(context, next).await;
        shortfalls.extend(further.shortfalls);
        sentences.extend(calls_sentence(context, next, &further.value).filter(|_| further.value.len() > 1));
    }
    Answer { value: sentences, shortfalls }
}

/// Returns the calls of a function in order; without those that read or set a value, if they are too many to be shown.
async fn steps_of(context: IntentContext<'_, '_>, node: &SubjectNode) -> Answer<Vec<Step>> {
    let is_accessor = |(_, callee): &Step| callee.card.symbol.as_ref().is_some_and(passages::is_accessor);
    let is_step = |(_, callee): &Step| callee.is_callable() && callee.at != node.at;
    callees(context, node).await.map(|called| {
        let steps: Vec<Step> = called.into_iter().filter(is_step).collect();
        if steps.len() <= MAX_STEPS { steps } else { steps.into_iter().filter(|step| !is_accessor(step)).collect() }
    })
}

/// Returns the only function that a short one calls.
fn delegate(node: &SubjectNode, steps: &[Step]) -> Option<Step> {
    let lines = lines_of(&node.card);
    let is_short = lines.end.saturating_sub(lines.start) < MAX_DELEGATING_LINES;
    match steps {
        [only] if is_short && only.1.at.repo_idx == node.at.repo_idx => Some(only.clone()),
        _ => None,
    }
}

/// Returns the lines of a function.
async fn body(context: IntentContext<'_, '_>, node: &SubjectNode) -> Answer<Vec<SourceLine>> {
    let lines = lines_of(&node.card);
    let lines = LineSpan { start: lines.start, end: lines.end.min(lines.start.saturating_add(MAX_LINES)) };
    let request = SourceRequest { repo_idx: node.at.repo_idx, path: node.path().to_owned(), lines };
    read(context, vec![request], |_| true).await
}

/// Returns the steps as lines below a sentence that cites their function.
fn listed_steps(
    context: IntentContext<'_, '_>,
    node: &SubjectNode,
    steps: &[Step],
    body: &[SourceLine],
) -> Vec<CitedText> {
    let lines = lines_of(&node.card);
    let place = citation(context.plan, node.at.repo_idx, node.path(), (lines.start, lines.end));
    let count = counted(steps.len(), "definition");
    let order = if steps.len() > 1 { " in this order" } else { "" };
    let lead = CitedText::cited(format!("{} calls {count}{order}", text::quote(&node.name())), place).then(":");
    let condition = |line: u32| {
        let own = body.iter().find(|one| one.line == line);
        own.map(|own| condition_around(own, body)).unwrap_or_default()
    };
    let shown: Vec<(u32, String, &SubjectNode)> =
        steps.iter().take(MAX_STEPS).map(|(line, callee)| (*line, condition(*line), callee)).collect();
    let line_of = |with_docs: bool| {
        let of_step = move |(line, condition, callee): &(u32, String, &SubjectNode)| {
            let doc = if with_docs { first_sentence(callee) } else { String::new() };
            format!("{line}: {}{condition}{doc}", text::quote(&callee.name()))
        };
        shown.iter().map(of_step).collect::<Vec<String>>().join("\n")
    };
    let documented = line_of(true);
    let list = if text::estimate_tokens(&documented) > MAX_TOKENS { line_of(false) } else { documented };
    let n_more = steps.len().saturating_sub(MAX_STEPS);
    let more =
        (n_more > 0).then(|| CitedText::plain(format!("It calls {} after these.", counted(n_more, "definition"))));
    [lead, CitedText::plain(list)].into_iter().chain(more).collect()
}

/// Returns the first sentence of the comment of a step, behind a colon; nothing if it has none.
fn first_sentence(callee: &SubjectNode) -> String {
    let doc = callee.card.symbol.as_ref().map(|symbol| text::first_sentence(&text::clean(&symbol.doc)));
    let doc = doc.filter(|doc| !doc.is_empty() && !is_instruction(doc));
    doc.map(|doc| format!(": {}", text::quote(&shortened(&doc, MAX_DOC_CHARS)))).unwrap_or_default()
}

/// Returns the last step of the same file whose name has a word of the name of the function: the one that does the work.
fn main_step<'s>(node: &SubjectNode, at: &SubjectNode, steps: &'s [Step]) -> Option<&'s SubjectNode> {
    let name = |node: &SubjectNode| node.card.symbol.as_ref().map(|symbol| symbol.name.clone()).unwrap_or_default();
    let own: Vec<String> = terms(&name(node)).into_iter().chain(terms(&name(at))).collect();
    let is_main = |(_, callee): &&Step| {
        callee.path() == at.path() && terms(&name(callee)).iter().any(|term| term.len() > 3 && own.contains(term))
    };
    steps.iter().rev().find(is_main).map(|(_, callee)| callee)
}

#[cfg(test)]
mod tests {
    use super::*;
    use federation::{nodes::NodeRef, repo_idx::RepoIdx};
    use proto::v1;

    fn node(name: &str, path: &str, lines: (u32, u32)) -> SubjectNode {
        let symbol = v1::Symbol {
            name: name.to_owned(),
            kind: "function".to_owned(),
            lines: Some(v1::Lines { start: lines.0, end: lines.1 }),
            ..Default::default()
        };
        let file = Some(v1::File { path: path.to_owned(), ..Default::default() });
        let at = NodeRef { repo_idx: RepoIdx(0), node: lines.0 };
        SubjectNode { at, card: v1::NodeCard { file, symbol: Some(symbol), ..Default::default() } }
    }

    #[test]
    fn only_a_short_function_with_one_call_hands_on() {
        let moor = || (3, node("moor", "pier.rs", (10, 40)));
        for (end, steps, expected) in [
            (4, vec![moor()], true),
            (30, vec![moor()], false),
            (4, vec![moor(), (4, node("log", "log.rs", (1, 3)))], false),
            (4, vec![], false),
        ] {
            assert_eq!(delegate(&node("open", "pier.rs", (1, end)), &steps).is_some(), expected, "{end}");
        }
    }

    #[test]
    fn the_step_with_a_word_of_the_name_does_the_work() {
        let open = node("moorAll", "pier.rs", (1, 30));
        let step = |name: &str, path: &str| (3, node(name, path, (50, 60)));
        for (steps, expected) in [
            (
                vec![step("check", "pier.rs"), step("runMoorings", "pier.rs"), step("close", "pier.rs")],
                Some("runMoorings"),
            ),
            (vec![step("moorLine", "other.rs")], None),
            (vec![step("check", "pier.rs")], None),
        ] {
            let found = main_step(&open, &open, &steps).map(SubjectNode::name);
            assert_eq!(found.as_deref(), expected);
        }
    }
}
