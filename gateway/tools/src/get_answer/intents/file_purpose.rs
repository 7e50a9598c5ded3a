//! Purpose of a file: its summary, and the types and functions that it defines.

use proto::v1;

use super::super::confidence::Confidence;
use super::{
    IntentAnswer, IntentContext,
    cited_text::{CitedText, citation},
    subject::SubjectNode,
};
use crate::arguments::suggested;
use federation::{
    answer::{Answer, Shortfalls},
    outline,
};

/// Maximum number of listed definitions.
const MAX_LISTED: usize = 5;

/// Answers with the summary of each file and its main definitions; `None` if a file has neither.
pub(super) async fn answer(context: IntentContext<'_, '_>, files: &[SubjectNode]) -> Option<IntentAnswer> {
    let mut all: Vec<CitedText> = Vec::new();
    let mut shortfalls = Shortfalls::default();
    let mut has_summary = true;
    for node in files {
        let hits = context.evidence.hits.iter();
        let mut own = hits.filter(|hit| hit.repo_idx == node.at.repo_idx && hit.file.path == node.path());
        let summary = own.next().map(|hit| text::first_sentence(&hit.purpose)).filter(|summary| !summary.is_empty());
        has_summary &= summary.is_some();
        let path = text::quote(&text::sanitise_name(node.path()));
        let lines = crate::get_context::item::lines_of(&node.card);
        let place = citation(context.plan, node.at.repo_idx, node.path(), (lines.start, lines.end));
        all.extend(
            summary.map(|summary| CitedText::cited(format!("{path} begins with: {}", text::quote(&summary)), place)),
        );
        let defined = definitions(context, node, &path).await;
        shortfalls.extend(defined.shortfalls);
        all.extend(defined.value);
    }
    let first = files.first()?;
    let note = format!("get_file_context {} lists all its definitions", suggested("file", &first.id(context.plan)));
    let confidence = if has_summary { Confidence::High } else { Confidence::Medium };
    (!all.is_empty()).then(|| IntentAnswer::new(all, confidence, note).with_shortfalls(shortfalls))
}

/// Returns a sentence with the documented definitions of a file, types first; nothing if it has none.
async fn definitions(context: IntentContext<'_, '_>, node: &SubjectNode, path: &str) -> Answer<Option<CitedText>> {
    let plan = context.call.visible.plan_for(vec![node.at.repo_idx], false);
    let Answer { value: replies, shortfalls } = context.call.outline(&plan, node.path(), 1).await;
    let files = outline::files(&plan, replies);
    let symbols: Vec<v1::Symbol> =
        files.into_iter().find(|file| file.path == node.path()).map(|file| file.outline.symbols).unwrap_or_default();
    let item = |symbol: &v1::Symbol| {
        let lines = outline::span(symbol.lines.unwrap_or_default());
        let place = citation(context.plan, node.at.repo_idx, node.path(), (lines.start, lines.end));
        let name = text::quote(&text::sanitise_name(&symbol.name));
        let doc = text::first_sentence(&symbol.doc);
        CitedText::cited(name, place).then(&format!(": {}", text::quote(doc.trim_end_matches('.'))))
    };
    let items: Vec<CitedText> = main_definitions(&symbols).into_iter().map(item).collect();
    let said = (!items.is_empty()).then(|| CitedText::listed(&format!("{path} defines "), items, MAX_LISTED, "."));
    Answer { value: said, shortfalls }
}

/// Returns the documented types and functions that are in no other definition, types first.
fn main_definitions(symbols: &[v1::Symbol]) -> Vec<&v1::Symbol> {
    let is_type = |symbol: &&v1::Symbol| {
        matches!(symbol.kind.as_str(), "class" | "struct" | "interface" | "trait" | "enum" | "type")
    };
    let is_main = |symbol: &&v1::Symbol| {
        let is_hidden = symbol.name.starts_with('_');
        symbol.container.is_empty() && !is_hidden && !text::first_sentence(&symbol.doc).is_empty()
    };
    let main = symbols.iter().filter(is_main);
    let (types, others): (Vec<&v1::Symbol>, Vec<&v1::Symbol>) = main.partition(is_type);
    types.into_iter().chain(others.into_iter().filter(|symbol| symbol.kind == "function")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_a_file_come_before_its_functions() {
        let symbol = |kind: &str, name: &str, container: &str, doc: &str| v1::Symbol {
            kind: kind.to_owned(),
            name: name.to_owned(),
            container: container.to_owned(),
            doc: doc.to_owned(),
            ..Default::default()
        };
        let symbols = [
            symbol("function", "moor", "", "Moors a ship."),
            symbol("class", "Dock", "", "A dock."),
            symbol("method", "open", "Dock", "Opens it."),
            symbol("class", "_Hidden", "", "Hidden."),
            symbol("class", "Bare", "", ""),
            symbol("constant", "BERTHS", "", "Number of berths."),
        ];
        let names: Vec<&str> = main_definitions(&symbols).into_iter().map(|symbol| symbol.name.as_str()).collect();
        assert_eq!(names, ["Dock", "moor"]);
    }
}
