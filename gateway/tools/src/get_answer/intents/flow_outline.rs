//! The flow of a named function: what it hands on to or only calls, then what is called there in the order of its lines, each call with its condition and
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

/// The calls of a function.
struct Steps {
    shown: Vec<Step>,
    /// Number of calls that read or set a value and that are not shown.
    n_accessors: usize,
}

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
        let own = body(context, &at).await;
        shortfalls.extend(own.shortfalls);
        // A function of other statements only calls it.
        let verb = if is_result(line, at.path(), &own.value) { "hands on to" } else { "calls" };
        let said = format!("{} {verb} {}", text::quote(&at.name()), text::quote(&next.name()));
        sentences.push(CitedText::cited(said, place).then("."));
        seen.push(next.at);
        let further = steps_of(context, &next).await;
        shortfalls.extend(further.shortfalls);
        (at, steps) = (next, further.value);
    }
    if steps.shown.is_empty() {
        return Answer { value: sentences, shortfalls };
    }
    let body = body(context, &at).await;
    shortfalls.extend(body.shortfalls);
    sentences.extend(listed_steps(context, &at, &steps, &body.value));
    if let Some(next) = main_step(node, &at, &steps.shown) {
        let further = steps_of(context, next).await;
        shortfalls.extend(further.shortfalls);
        sentences.extend(calls_sentence(context, next, &further.value.shown).filter(|_| further.value.shown.len() > 1));
    }
    Answer { value: sentences, shortfalls }
}

/// Returns the calls of a function in order; without those that read or set a value, if they are too many to be shown.
async fn steps_of(context: IntentContext<'_, '_>, node: &SubjectNode) -> Answer<Steps> {
    let is_accessor = |(_, callee): &Step| callee.card.symbol.as_ref().is_some_and(passages::is_accessor);
    let is_step = |(_, callee): &Step| callee.is_callable() && callee.at != node.at;
    callees(context, node).await.map(|called| {
        let steps: Vec<Step> = called.into_iter().filter(is_step).collect();
        if steps.len() <= MAX_STEPS {
            return Steps { shown: steps, n_accessors: 0 };
        }
        let (accessors, shown): (Vec<Step>, Vec<Step>) = steps.into_iter().partition(is_accessor);
        Steps { shown, n_accessors: accessors.len() }
    })
}

/// Returns the only known function that a short one calls.
fn delegate(node: &SubjectNode, steps: &Steps) -> Option<Step> {
    let lines = lines_of(&node.card);
    let is_short = lines.end.saturating_sub(lines.start) < MAX_DELEGATING_LINES;
    match steps.shown.as_slice() {
        [only] if is_short && steps.n_accessors == 0 && only.1.at.repo_idx == node.at.repo_idx => Some(only.clone()),
        _ => None,
    }
}

/// Returns true if the call on a line of a function is in what the function returns: behind `return` or an arrow, or at the end of a
/// function of Rust or Ruby.
fn is_result(line: u32, path: &str, body: &[SourceLine]) -> bool {
    let Some(own) = body.iter().find(|one| one.line == line) else { return false };
    let written = own.text.trim();
    let is_returned = written.starts_with("return ") || written.contains("=> ") && !written.ends_with('{');
    let is_code = |one: &&SourceLine| !matches!(one.text.trim(), "" | "}" | "end");
    let is_last = body.iter().rev().find(is_code).is_some_and(|last| last.line == line);
    let has_tail = path.ends_with(".rs") || path.ends_with(".rb");
    is_returned || (has_tail && is_last && !written.ends_with([';', ',']))
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
    Steps { shown: steps, n_accessors }: &Steps,
    body: &[SourceLine],
) -> Vec<CitedText> {
    let lines = lines_of(&node.card);
    let place = citation(context.plan, node.at.repo_idx, node.path(), (lines.start, lines.end));
    let count = counted(steps.len(), "definition");
    let order = if steps.len() > 1 { " in this order" } else { "" };
    let besides = match n_accessors {
        0 => String::new(),
        n => format!(", besides {}", counted(*n, "accessor")),
    };
    let lead =
        CitedText::cited(format!("{} calls {count}{order}{besides}", text::quote(&node.name())), place).then(":");
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
    use super::{super::source_lines::lines_of_text, *};
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
            let open = node("open", "pier.rs", (1, end));
            assert_eq!(delegate(&open, &Steps { shown: steps.clone(), n_accessors: 0 }).is_some(), expected, "{end}");
            assert!(delegate(&open, &Steps { shown: steps, n_accessors: 8 }).is_none());
        }
    }

    #[test]
    fn a_function_hands_on_to_what_gives_its_result() {
        for (path, code, line, expected) in [
            ("pier.py", "def open(x):\n    check = 1\n    return moor(x)", 3, true),
            ("pier.ts", "const open = (x) => moor(x);", 1, true),
            ("pier.rs", "fn open(x: u8) -> u8 {\n    moor(x)\n}", 2, true),
            ("pier.rb", "def open(x)\n  moor(x)\nend", 2, true),
            ("pier.rs", "fn close(&mut self) {\n    self.open = false;\n    log(self);\n}", 3, false),
            ("pier.rs", "fn close(&mut self) {\n    log(self)?;\n    self.open = false\n}", 2, false),
            ("pier.py", "def close(self):\n    self.open = False\n    log(self)", 3, false),
            ("pier.go", "func close() {\n\tlog()\n}", 2, false),
            ("pier.py", "def close(self):", 2, false),
        ] {
            assert_eq!(is_result(line, path, &lines_of_text(code)), expected, "{code}");
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
