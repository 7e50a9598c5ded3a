//! The definition of a thing, with its signature and the first sentence of its comment.

use super::super::confidence::Confidence;
use super::{
    IntentAnswer, IntentContext,
    cited_text::{CitedText, citation},
    purpose::signature_and_doc,
    subject::{Subject, SubjectNode},
};
use crate::{arguments::suggested, get_context::item::lines_of};

pub(super) fn answer(context: IntentContext<'_, '_>, subject: &Subject) -> Option<IntentAnswer> {
    let Subject::Nodes(nodes) = subject else { return None };
    let sentences: Vec<CitedText> = nodes.iter().map(|node| location(context, node)).collect();
    let note = format!("get_symbol {} returns its source", suggested("symbol_id", &nodes[0].id(context.plan)));
    let confidence = if nodes.len() == 1 { Confidence::High } else { Confidence::Medium };
    Some(IntentAnswer::new(sentences, confidence, note))
}

fn location(context: IntentContext<'_, '_>, node: &SubjectNode) -> CitedText {
    let lines = lines_of(&node.card);
    let place = citation(context.plan, node.at.repo_idx, node.path(), (lines.start, lines.end));
    let alias = text::quote(context.plan.alias(node.at.repo_idx));
    if node.is_file() {
        return CitedText::cited(format!("{} is a file of {alias}", text::quote(&node.name())), place).then(".");
    }
    let path = text::quote(&place.path);
    let said = signature_and_doc(node);
    CitedText::cited(
        format!("{} is a {} in {path} of {alias}, line {}", text::quote(&node.name()), node.kind(), lines.start),
        place,
    )
    .then(&format!(": {said}"))
}
