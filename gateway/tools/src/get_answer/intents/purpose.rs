//! Purpose of a thing: the description of a repository, or the comment of a definition and the calls that it makes in order.

use std::collections::BTreeSet;

use proto::v1;

use super::super::{confidence::Confidence, sentences::sentences};
use super::{
    IntentAnswer, IntentContext,
    cited_text::{CitedText, citation},
    dependencies::{callees_in_order, repository_links},
    entry_points::rpcs,
    file_purpose, readme_definition,
    subject::{Subject, SubjectNode},
    users,
};
use crate::{arguments::suggested, get_context::item::lines_of};
use federation::{answer::Answer, outline, repo_idx::RepoIdx, walk::CERTAIN};

/// Maximum number of sentences of a description.
const MAX_SENTENCES: usize = 3;

/// Entries of each list of an overview to read.
const MAX_READ: u32 = 6;

/// Minimum length of a description; a shorter one is a title.
const MIN_CHARS: usize = 20;

/// Maximum length of a signature.
const MAX_SIGNATURE_CHARS: usize = 200;

pub(super) async fn answer(context: IntentContext<'_, '_>, subject: &Subject) -> Option<IntentAnswer> {
    match subject {
        Subject::Repositories(named) => of_repositories(context, named).await,
        Subject::Nodes(nodes) => of_nodes(context, nodes).await,
        Subject::Module(_) | Subject::Description(_) => None,
    }
}

async fn of_repositories(context: IntentContext<'_, '_>, named: &BTreeSet<RepoIdx>) -> Option<IntentAnswer> {
    let plan = context.call.visible.plan_for(named.iter().copied().collect(), false);
    let Answer { value: overviews, mut shortfalls } = context.call.overviews(&plan, MAX_READ).await;
    let mut all: Vec<CitedText> = Vec::new();
    for (repo_idx, overview) in &overviews {
        let defined = readme_definition::defining_sentences(context, *repo_idx, overview).await;
        shortfalls.extend(defined.shortfalls);
        let described = match defined.value.is_empty() {
            true => description(context, *repo_idx, overview),
            false => defined.value,
        };
        let is_described = !described.is_empty();
        all.extend(described);
        all.extend(facts(context, *repo_idx, overview));
        if !is_described {
            let rpcs = rpcs(context, *repo_idx).await;
            shortfalls.extend(rpcs.shortfalls);
            all.extend(rpcs.value);
            all.extend(repository_links(context, *repo_idx).into_iter().take(2));
            all.extend(dependents(context, *repo_idx));
        }
    }
    let first = named.first().map(|repo_idx| suggested("repo", context.plan.alias(*repo_idx)))?;
    let note = format!("get_overview {first} has its modules and entry points");
    (!all.is_empty()).then(|| IntentAnswer::new(all, Confidence::High, note).with_shortfalls(shortfalls))
}

/// Returns the first sentences of the first description that has some.
fn description(context: IntentContext<'_, '_>, repo_idx: RepoIdx, overview: &v1::RepositoryOverview) -> Vec<CitedText> {
    for purpose in overview.purposes.iter().filter(|purpose| !purpose.path.is_empty()) {
        let cleaned = text::clean(&purpose.text);
        let mut found = sentences(&cleaned);
        if found.is_empty() && cleaned.trim().len() >= MIN_CHARS && !cleaned.trim().contains('\n') {
            found.push(cleaned.trim().to_owned());
        }
        let place = || citation(context.plan, repo_idx, &purpose.path, (1, 1));
        let cite = |sentence: String| CitedText::cited(text::quote(&sentence), place());
        let whole = found.iter().filter_map(|sentence| without_open_end(sentence));
        let cited: Vec<CitedText> = whole.take(MAX_SENTENCES).map(cite).collect();
        if !cited.is_empty() {
            return cited;
        }
    }
    Vec::new()
}

/// Returns a title or sentence with an end; `None` for a stub. A colon at its end announces a list, which is not quoted.
fn without_open_end(title: &str) -> Option<String> {
    let bare = title.trim_end_matches([':', ' ', '…']);
    let is_open = bare.len() < title.len();
    (bare.len() >= MIN_CHARS).then(|| if is_open { format!("{bare}.") } else { bare.to_owned() })
}

/// Returns a sentence about the language and the parts of a repository.
fn facts(context: IntentContext<'_, '_>, repo_idx: RepoIdx, overview: &v1::RepositoryOverview) -> Option<CitedText> {
    let alias = text::quote(context.plan.alias(repo_idx));
    let language = overview.languages.first()?;
    let mut text = format!("{alias} is written in {}", text::quote_name(&language.language));
    let services: Vec<String> =
        overview.services.iter().take(2).map(|service| text::quote(&last_name(&service.id))).collect();
    if !services.is_empty() {
        text += &format!(" and defines {} for gRPC", services.join(" and "));
    }
    let modules: Vec<String> = overview
        .modules
        .iter()
        .filter(|module| !module.path.is_empty())
        .take(3)
        .map(|module| text::quote(&text::sanitise_name(&module.path)))
        .collect();
    if modules.len() > 1 {
        text += &format!("; its largest modules are {}", modules.join(", "));
    }
    Some(CitedText::plain(format!("{text}.")))
}

/// Returns a sentence about the repositories that use one.
fn dependents(context: IntentContext<'_, '_>, repo_idx: RepoIdx) -> Option<CitedText> {
    let facts = super::super::links::facts(context.call, context.overlay);
    let users = facts
        .iter()
        .filter(|fact| fact.provider == repo_idx && fact.dependent() != repo_idx && fact.confidence >= CERTAIN);
    let users: BTreeSet<RepoIdx> = users.map(|fact| fact.dependent()).collect();
    let items = users.iter().map(|user| CitedText::plain(text::quote(context.plan.alias(*user)))).collect();
    let lead = format!("{} is used by ", text::quote(context.plan.alias(repo_idx)));
    (!users.is_empty()).then(|| CitedText::listed(&lead, items, MAX_READ as usize, "."))
}

fn last_name(id: &str) -> String {
    text::sanitise_name(id.rsplit("::").next().unwrap_or(id)).into_owned()
}

async fn of_nodes(context: IntentContext<'_, '_>, nodes: &[SubjectNode]) -> Option<IntentAnswer> {
    if nodes.iter().all(SubjectNode::is_file) {
        return file_purpose::answer(context, nodes).await;
    }
    let mut all: Vec<CitedText> = Vec::new();
    let mut shortfalls = federation::answer::Shortfalls::default();
    let mut shown_docs: BTreeSet<String> = BTreeSet::new();
    // A constructor says less than its type.
    let has_type = nodes.iter().any(|node| matches!(node.kind(), "class" | "struct" | "interface" | "enum" | "trait"));
    let is_told = |node: &&SubjectNode| !(has_type && node.kind() == "constructor");
    for node in nodes.iter().filter(is_told) {
        let said = signature_and_doc(node);
        if !shown_docs.insert(said.clone()) {
            continue;
        }
        let lines = lines_of(&node.card);
        let place = citation(context.plan, node.at.repo_idx, node.path(), (lines.start, lines.end));
        all.push(
            CitedText::cited(format!("{} is a {}", text::quote(&node.name()), node.kind()), place)
                .then(&format!(": {said}")),
        );
        if !node.is_callable() && node.card.symbol.as_ref().is_some_and(|symbol| symbol.doc.trim().is_empty()) {
            let members = members(context, node).await;
            shortfalls.extend(members.shortfalls);
            all.extend(members.value);
        }
        if node.is_callable() {
            let callees = callees_in_order(context, node).await;
            shortfalls.extend(callees.shortfalls);
            all.extend(callees.value);
            // Without a comment, the callers tell the purpose.
            if node.card.symbol.as_ref().is_some_and(|symbol| symbol.doc.trim().is_empty()) {
                let users = users::of_nodes(context, std::slice::from_ref(node), 1).await;
                shortfalls.extend(users.shortfalls);
                all.extend(
                    users::direct_sentences(context.plan, std::slice::from_ref(node), &users.value).into_iter().take(1),
                );
            }
        }
    }
    let note = format!("get_symbol {} returns its source", suggested("symbol_id", &nodes[0].id(context.plan)));
    // Without a comment, the purpose is a guess of the reader.
    let has_comment =
        |node: &SubjectNode| node.card.symbol.as_ref().is_some_and(|symbol| !symbol.doc.trim().is_empty());
    let is_sure = nodes.iter().filter(is_told).count() == 1 && nodes.iter().any(has_comment);
    let confidence = if is_sure { Confidence::High } else { Confidence::Medium };
    Some(IntentAnswer::new(all, confidence, note).with_shortfalls(shortfalls))
}

/// Maximum number of listed members.
const MAX_MEMBERS: usize = 6;

/// Returns a sentence with the functions of a type, which tell what it is for if it has no comment.
async fn members(context: IntentContext<'_, '_>, node: &SubjectNode) -> Answer<Option<CitedText>> {
    let plan = context.call.visible.plan_for(vec![node.at.repo_idx], false);
    let Answer { value: replies, shortfalls } = context.call.outline(&plan, node.path(), 1).await;
    let files = outline::files(&plan, replies);
    let own = node.card.symbol.as_ref().map(|symbol| model::symbol::qualify(&symbol.container, &symbol.name));
    let is_member = |symbol: &&v1::Symbol| {
        Some(&symbol.container) == own.as_ref() && matches!(symbol.kind.as_str(), "method" | "function")
    };
    let file = files.iter().find(|file| file.path == node.path());
    let members = file.iter().flat_map(|file| file.outline.symbols.iter().filter(is_member));
    let item = |symbol: &v1::Symbol| {
        let lines = outline::span(symbol.lines.unwrap_or_default());
        let place = citation(context.plan, node.at.repo_idx, node.path(), (lines.start, lines.end));
        let name = CitedText::cited(text::quote(&text::sanitise_name(&symbol.name)), place);
        match text::first_sentence(&symbol.doc) {
            doc if doc.is_empty() => name,
            doc => name.then(&format!(": {}", text::quote(&doc))),
        }
    };
    let items: Vec<CitedText> = members.map(item).collect();
    let lead = format!("{} has the functions ", text::quote(&node.name()));
    let said = (!items.is_empty()).then(|| CitedText::listed(&lead, items, MAX_MEMBERS, "."));
    Answer { value: said, shortfalls }
}

/// Returns the comment of a definition as complete sentences, and its signature.
pub(super) fn signature_and_doc(node: &SubjectNode) -> String {
    let Some(symbol) = &node.card.symbol else { return String::new() };
    let signature = outline::signature(&symbol.signature);
    let is_short = signature.chars().count() <= MAX_SIGNATURE_CHARS && !signature.is_empty();
    let signature = if is_short { text::quote(&signature) } else { String::new() };
    let doc = without_examples(sentences(&text::clean(&symbol.doc))).join(" ");
    let doc = if doc.is_empty() { String::new() } else { text::quote(&doc) };
    let doc_end = if doc.trim_end_matches('`').ends_with('.') { "" } else { "." };
    match (doc.is_empty(), signature.is_empty()) {
        (true, true) => "it has no comment.".to_owned(),
        (true, false) => format!("{signature}; it has no comment."),
        (false, true) => format!("{doc}{doc_end}"),
        (false, false) => format!("{doc}{doc_end} Its signature is {signature}."),
    }
}

/// Returns the first sentences of a comment up to an example: without its code, it says nothing.
fn without_examples(sentences: Vec<String>) -> Vec<String> {
    let is_of_example = |sentence: &String| {
        let lower = sentence.to_lowercase();
        sentence.ends_with(':') || ["for example", "e.g.", "example"].iter().any(|start| lower.starts_with(start))
    };
    let n_before = sentences.iter().position(is_of_example).unwrap_or(sentences.len());
    sentences.into_iter().take(n_before.clamp(1, MAX_SENTENCES)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_is_quoted_up_to_its_example() {
        for (doc, expected) in [
            (&["Moors a ship.", "For example, at night.", "It waits."][..], 1),
            (&["Moors a ship.", "It waits.", "Call it like this:"], 2),
            (&["Example of a ship.", "It waits."], 1),
            (&["a.", "b.", "c.", "d."], 3),
        ] {
            let doc: Vec<String> = doc.iter().map(|sentence| (*sentence).to_owned()).collect();
            assert_eq!(without_examples(doc.clone()).len(), expected, "{doc:?}");
        }
    }

    #[test]
    fn a_title_that_announces_a_list_ends_as_a_sentence() {
        for (title, expected) in [
            ("Middleware of sessions with many stores:", Some("Middleware of sessions with many stores.")),
            ("Middleware of sessions with many stores", Some("Middleware of sessions with many stores")),
            ("Supported stores:", None),
        ] {
            assert_eq!(without_open_end(title).as_deref(), expected, "{title}");
        }
    }
}
