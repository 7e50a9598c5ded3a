//! The next step of a flow: the definition that a function calls and that has most of what is asked.

use federation::{answer::Answer, fetch::SourceRequest};
use model::LineSpan;

use super::super::{asked_terms::AskedTerms, passage_lines::shown_lines, passages};
use super::{
    IntentContext,
    cited_text::CitedText,
    dependencies::{callees, callees_in_order, calls_sentence},
    source_lines::{SourceLine, read},
    subject::SubjectNode,
};
use crate::get_context::item::lines_of;

/// Maximum number of callees whose bodies are compared, and of lines of one.
const MAX_COMPARED: usize = 10;
const MAX_LINES: u32 = 200;

/// Minimum share of what is asked in a step that is told.
const MIN_SHARE: f32 = 0.35;

/// Returns sentences about the calls of a function in order, and about the called definition that has most of what is asked.
pub(super) async fn steps(context: IntentContext<'_, '_>, node: &SubjectNode) -> Answer<Vec<CitedText>> {
    let called = callees(context, node).await;
    let mut sentences: Vec<CitedText> = calls_sentence(context, node, &called.value).into_iter().collect();
    let is_step = |one: &SubjectNode| {
        let is_accessor = one.card.symbol.as_ref().is_some_and(passages::is_accessor);
        one.is_callable() && one.at != node.at && !is_accessor
    };
    let steps: Vec<SubjectNode> =
        called.value.into_iter().map(|(_, callee)| callee).filter(is_step).take(MAX_COMPARED).collect();
    let body = |step: &SubjectNode| {
        let lines = lines_of(&step.card);
        let lines = LineSpan { start: lines.start, end: lines.end.min(lines.start.saturating_add(MAX_LINES)) };
        SourceRequest { repo_idx: step.at.repo_idx, path: step.path().to_owned(), lines }
    };
    let found = read(context, steps.iter().map(body).collect(), |_| true).await.after(called.shortfalls);
    let mut shortfalls = found.shortfalls;
    let mut asked = AskedTerms::of(&context.evidence.terms, &[], &aliases(context));
    let mut best: Option<(f32, usize, &SourceLine)> = None;
    for (place, step) in steps.iter().enumerate() {
        let own = lines_of(&step.card);
        let is_own = |line: &&SourceLine| {
            line.repo_idx == step.at.repo_idx && line.path == step.path() && (own.start..=own.end).contains(&line.line)
        };
        let lines: Vec<&SourceLine> = found.value.iter().filter(is_own).collect();
        if let Some((share, line)) = most_telling(&mut asked, &lines)
            && share >= MIN_SHARE
            && best.is_none_or(|(known, _, _)| share > known)
        {
            best = Some((share, place, line));
        }
    }
    if let Some((_, place, line)) = best {
        let step = &steps[place];
        let cited = step.cited(context.plan);
        let said = format!("The step with most of what is asked is {}:", cited.text);
        sentences.push(CitedText { text: said, citations: cited.citations });
        sentences.push(CitedText::plain(shown_lines(&[line.text.as_str()], line.line)));
        let next = callees_in_order(context, step).await;
        shortfalls.extend(next.shortfalls);
        sentences.extend(next.value);
    }
    Answer { value: sentences, shortfalls }
}

fn aliases(context: IntentContext<'_, '_>) -> Vec<String> {
    context.plan.asked.iter().flat_map(|one| ranking::analyser::terms(context.plan.alias(*one))).collect()
}

/// Returns the share of what is asked in the lines of a definition, and the line behind its head that has most of it.
fn most_telling<'l>(asked: &mut AskedTerms, lines: &[&'l SourceLine]) -> Option<(f32, &'l SourceLine)> {
    let bits: Vec<u64> = lines.iter().map(|line| asked.bits(&line.text)).collect();
    let share = asked.share(bits.iter().fold(0, |all, bits| all | bits));
    let weight = |at: &usize| asked.weight(bits[*at]);
    // The first line names the definition.
    let at = (1..lines.len()).reduce(|best, next| if weight(&next) > weight(&best) { next } else { best })?;
    (bits[at] != 0).then(|| (share, lines[at]))
}

#[cfg(test)]
mod tests {
    use super::{super::source_lines::lines_of_text, *};

    #[test]
    fn the_line_with_most_of_what_is_asked_is_told() {
        let terms: Vec<(String, f32)> = ["send", "ship", "harbour"].map(|term| (term.to_owned(), 1.0)).into();
        let mut asked = AskedTerms::of(&terms, &[], &[]);
        for (source, expected) in [
            ("def send(a):\n  open(a)\n  info(\"sending the ship\")\n  close(a)", Some((true, 3))),
            ("def send(a):\n  open(a)", None),
            ("def close(a):\n  ship(a)", Some((false, 2))),
        ] {
            let lines = lines_of_text(source);
            let lines: Vec<&SourceLine> = lines.iter().collect();
            let found = most_telling(&mut asked, &lines);
            let found = found.map(|(share, line)| (share >= MIN_SHARE, line.line));
            assert_eq!(found, expected, "{source}");
        }
    }
}
