//! Settings: the value of a constant or key, the places that set and read a variable, and the variables that a repository reads.

use std::collections::BTreeSet;

use model::LineSpan;
use ranking::query::content_words;

use super::super::{
    confidence::Confidence,
    side_folders::{self, is_in_side_folder},
};
use super::{
    IntentAnswer, IntentContext,
    assignments::{assigned, is_given, is_number, score},
    cited_text::CitedText,
    code_limits,
    described_settings::is_start,
    environment_variables, named_settings, quantities, quantity_words, registration,
    source_lines::{SourceLine, has_values, matching, read, retrieved_files},
    subject::{Subject, SubjectNode},
    value_lists,
    values::{self, WantedForm},
};
use crate::{arguments::suggested, get_context::item::lines_of};
use federation::{fetch::SourceRequest, repo_idx::RepoIdx};

/// Maximum number of quoted assignments.
const MAX_QUOTED: usize = 3;

/// Maximum number of lines of the definition of a constant.
const MAX_LINES: u32 = 3;

pub(super) async fn answer(context: IntentContext<'_, '_>, subject: &Subject, question: &str) -> Option<IntentAnswer> {
    let asks_list = value_lists::asks_for_list(question);
    let named = repositories_of(subject);
    if asks_list && let Some((_, found)) = values::answer(context, &named, (question, question), WantedForm::List).await
    {
        return Some(found);
    }
    let asks_quantity = quantity_words::asks(question) || quantity_words::asks_for_bound(question);
    let described = if asks_quantity { quantities::answer(context, subject, question).await } else { None };
    // A single value is no list.
    let asks_value = asks_quantity || (quantity_words::asks_for_default(question) && !asks_list);
    let by_name =
        if asks_value { values::answer(context, &named, (question, question), WantedForm::Any).await } else { None };
    match (described, by_name) {
        (Some((share, described)), Some((other, by_name))) => {
            Some(if share + DESCRIPTION_BONUS >= other { described } else { by_name })
        }
        (Some((share, described)), None) if share > 0.0 => Some(described),
        (None, Some((_, by_name))) if asks_quantity => Some(by_name),
        (described, by_name) => {
            let of_setting = of_setting(context, subject, question).await;
            // A value that is no quantity answers no question for one.
            let needs_number = quantity_words::asks(question);
            let of_setting = of_setting.filter(|found| !needs_number || has_quantity(found));
            if let Some(found) = of_setting.or_else(|| by_name.map(|(_, found)| found)) {
                return Some(found);
            }
            let of_code = if asks_quantity { code_limits::answer(context, &named, question).await } else { None };
            let described = described.map(|(_, found)| IntentAnswer { confidence: Confidence::Low, ..found });
            of_code.or(described)
        }
    }
}

/// Gain of a setting that is described, against a value by its name: the score of a name has more than the share of its words.
const DESCRIPTION_BONUS: f32 = 0.15;

fn repositories_of(subject: &Subject) -> BTreeSet<RepoIdx> {
    match subject {
        Subject::Repositories(named) => named.clone(),
        Subject::Module(module) => BTreeSet::from([module.repo_idx]),
        Subject::Nodes(nodes) => nodes.iter().map(|node| node.at.repo_idx).collect(),
        Subject::Description(description) => description.named.clone(),
    }
}

/// Returns true if an answer has a number outside of its citations, or names what computes one.
pub(super) fn has_quantity(answer: &IntentAnswer) -> bool {
    answer.sentences.iter().any(|sentence| {
        let mut bare = sentence.text.clone();
        for citation in &sentence.citations {
            bare = bare.replace(&citation.mark(), "");
        }
        bare.contains(" computes it") || bare.chars().any(|c| c.is_ascii_digit())
    })
}

/// Answers about one setting by its name or the words of its name.
pub(super) async fn of_setting(
    context: IntentContext<'_, '_>,
    subject: &Subject,
    question: &str,
) -> Option<IntentAnswer> {
    match subject {
        _ if quantity_words::asks(question) && !matches!(subject, Subject::Description(_)) => None,
        Subject::Repositories(named) => environment_variables::of_repositories(context, named).await,
        Subject::Module(_) => None,
        Subject::Nodes(nodes) => {
            let named = nodes.iter().map(|node| node.at.repo_idx).collect();
            let name = nodes.first()?.card.symbol.as_ref().map(|symbol| symbol.name.clone());
            let of_product: Vec<SubjectNode> =
                nodes.iter().filter(|node| is_setting_of_product(node, question)).cloned().collect();
            match name.filter(|_| of_product.is_empty()) {
                Some(name) => of_words(context, &[name.to_lowercase()], &named, question).await,
                None => of_nodes(context, &of_product, question).await,
            }
        }
        Subject::Description(description) => of_words(context, &description.words, &description.named, question).await,
    }
}

/// Returns true for a definition that may be the setting that a question is for: code beside the product is meant only by exactly its
/// name, or if the question is about such code.
fn is_setting_of_product(node: &SubjectNode, question: &str) -> bool {
    let name = node.card.symbol.as_ref().map(|symbol| symbol.name.as_str()).unwrap_or_default();
    is_setting_of_product_at(node.path(), name, question)
}

fn is_setting_of_product_at(path: &str, name: &str, question: &str) -> bool {
    let is_written = || question.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name);
    !is_in_side_folder(path) || side_folders::is_named(question) || is_written()
}

/// Answers with the definition of a constant or field, and with lines that assign it.
async fn of_nodes(context: IntentContext<'_, '_>, nodes: &[SubjectNode], question: &str) -> Option<IntentAnswer> {
    let values: Vec<&SubjectNode> =
        nodes.iter().filter(|node| matches!(node.kind(), "constant" | "variable" | "variant")).collect();
    let name = nodes.first()?.card.symbol.as_ref()?.name.clone();
    if values.is_empty() {
        let named: BTreeSet<RepoIdx> = nodes.iter().map(|node| node.at.repo_idx).collect();
        let own = nodes.iter().map(|node| (node.at.repo_idx, node.path().to_owned()));
        let mut files: Vec<(RepoIdx, String)> = own.collect();
        files.extend(
            retrieved_files(context, &named).into_iter().filter(|file| !files.contains(file)).collect::<Vec<_>>(),
        );
        let found = quoted(context, &files, std::slice::from_ref(&name), question).await;
        return with_setter(found, setter(context, &[name], &named).await);
    }
    let request = |node: &&SubjectNode| {
        let lines = lines_of(&node.card);
        let lines = LineSpan { start: lines.start, end: lines.end.min(lines.start + MAX_LINES - 1) };
        SourceRequest { repo_idx: node.at.repo_idx, path: node.path().to_owned(), lines }
    };
    let found = read(context, values.iter().map(request).collect(), |line| line.contains(&name)).await;
    let mut sentences: Vec<CitedText> = Vec::new();
    for line in found.value.iter().take(MAX_QUOTED) {
        let shown = format!("{} is set here: {}", text::quote(&name), text::quote(&line.display_text()));
        sentences.push(CitedText::cited(shown, line.place(context)).then("."));
    }
    let doc: Vec<CitedText> = values
        .iter()
        .take(1)
        .filter_map(|node| {
            let doc = text::first_sentence(&node.card.symbol.as_ref()?.doc);
            (!doc.is_empty()).then(|| CitedText::plain(format!("Its comment says: {}", text::quote(&doc))))
        })
        .collect();
    sentences.extend(doc);
    let users = super::users::of_nodes(context, nodes, 1).await.after(found.shortfalls);
    sentences.extend(super::users::direct_sentences(context.plan, nodes, &users.value).into_iter().take(1));
    let note = format!("get_impact {} lists every reader", suggested("target", &nodes[0].id(context.plan)));
    let confidence = if values.len() == 1 { Confidence::High } else { Confidence::Medium };
    (!found.value.is_empty()).then(|| IntentAnswer::new(sentences, confidence, note).with_shortfalls(users.shortfalls))
}

/// Answers with the lines of the retrieved files that assign all words of a description.
async fn of_words(
    context: IntentContext<'_, '_>,
    words: &[String],
    named: &BTreeSet<RepoIdx>,
    question: &str,
) -> Option<IntentAnswer> {
    let content: Vec<String> = words
        .iter()
        .filter(|word| !matches!(word.to_lowercase().as_str(), "default" | "value" | "maximum" | "max"))
        .cloned()
        .collect();
    let is_config = |word: &String| matches!(word.to_lowercase().as_str(), "config" | "configuration" | "defaults");
    let content = match content.iter().all(is_config) {
        true => content,
        false => content.into_iter().filter(|word| !is_config(word)).collect(),
    };
    if content.is_empty() {
        return None;
    }
    let mut files = retrieved_files(context, named);
    files.retain(|(_, path)| has_values(path));
    if let Some(found) = registered(context, &files, &content).await {
        return Some(found);
    }
    if question.to_lowercase().contains("env")
        && let Some(found) = environment_variables::variables_about(context, &files, &content).await
    {
        return Some(found);
    }
    if environment_variables::asks_which(question)
        && let Some(found) = environment_variables::all_variables(context, named).await
    {
        return Some(found);
    }
    let setter = setter(context, &content, named).await;
    // Code beside the product sets a value for itself.
    let is_beside = |(_, path): &(RepoIdx, String)| is_in_side_folder(path) && !side_folders::is_named(question);
    let (side, product): (Vec<_>, Vec<_>) = files.into_iter().partition(is_beside);
    let mut found = quoted(context, &product, &content, question).await;
    if found.is_none() {
        found = named_settings::answer(context, words, named, question).await;
    }
    if found.is_none() && !side.is_empty() {
        let of_side = quoted(context, &side, &content, question).await;
        let lead = CitedText::plain("Only code beside the product is known to set it.");
        found = of_side.map(|found| IntentAnswer { confidence: Confidence::Low, ..found.after_sentence(Some(lead)) });
    }
    with_setter(found, setter)
}

/// Answers with the lines that register a flag or an option by its name, with the default that they give it.
async fn registered(
    context: IntentContext<'_, '_>,
    files: &[(RepoIdx, String)],
    words: &[String],
) -> Option<IntentAnswer> {
    let key = words.iter().find(|word| registration::is_key(word))?;
    let found = matching(context, files, |line| registration::registration_of(line, key).is_some()).await;
    let mut sentences: Vec<CitedText> = Vec::new();
    for line in found.value.iter().take(MAX_QUOTED) {
        let registration = registration::registration_of(&line.text, key)?;
        let shown = match registration.default {
            Some(default) => format!("{} has the default {}", text::quote(key), text::quote(default)),
            None => format!("{} is registered here, without a literal default", text::quote(key)),
        };
        sentences.push(CitedText::cited(shown, line.place(context)).then("."));
        let help = registration.help.map(text::first_sentence).filter(|help| !help.is_empty());
        sentences.extend(help.map(|help| CitedText::plain(format!("Its description says: {}", text::quote(&help)))));
    }
    let note =
        "the answer is of the files that match the question; search_codebase with kind=\"config\" finds more settings";
    (!sentences.is_empty())
        .then(|| IntentAnswer::new(sentences, Confidence::High, note).with_shortfalls(found.shortfalls))
}

/// Adds the sentence about a setter to an answer.
fn with_setter(found: Option<IntentAnswer>, setter: Option<CitedText>) -> Option<IntentAnswer> {
    match (found, setter) {
        (Some(found), Some(setter)) => {
            let sentences = found.sentences.into_iter().chain([setter]).collect();
            Some(IntentAnswer { sentences, ..found })
        }
        (found, None) => found,
        (None, Some(setter)) => Some(IntentAnswer::new(
            vec![setter],
            Confidence::Medium,
            "search_codebase with kind=\"config\" finds more settings",
        )),
    }
}

/// Returns the function that sets a thing by its name, such as `SetMode`.
async fn setter(context: IntentContext<'_, '_>, words: &[String], named: &BTreeSet<RepoIdx>) -> Option<CitedText> {
    let aliases: Vec<&str> = named.iter().map(|repo_idx| context.plan.alias(*repo_idx)).collect();
    let written = format!("set_{} {}", words.join("_"), aliases.join(" "));
    let found = super::subject::resolve(context, written.trim()).await.value;
    let Subject::Nodes(nodes) = found else { return None };
    let node = nodes.iter().find(|node| node.is_callable())?;
    let cited = node.cited(context.plan);
    let said = super::purpose::signature_and_doc(node);
    Some(CitedText { text: format!("{} sets it: {said}", cited.text), citations: cited.citations })
}

async fn quoted(
    context: IntentContext<'_, '_>,
    files: &[(RepoIdx, String)],
    words: &[String],
    question: &str,
) -> Option<IntentAnswer> {
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    let files = &files_of_place(files, &lower, question);
    let has_words = |line: &str| {
        let line = line.to_lowercase();
        lower.iter().all(|word| line.contains(word)) && assigned(&line).is_some()
    };
    let found = matching(context, files, has_words).await;
    let asks_default = quantity_words::asks_for_default(question);
    let mut scored: Vec<(i32, usize, &SourceLine)> = found
        .value
        .iter()
        .enumerate()
        .map(|(place, line)| (score(&line.text, &lower, asks_default), place, line))
        .collect();
    if quantity_words::asks(question) {
        // The beginning of a counter is no quantity that anyone asks for.
        scored.retain(|(_, _, line)| assigned(&line.text).is_some_and(|(name, value)| !is_start(name, value)));
    }
    if quantity_words::asks_for_bound(question) {
        scored.retain(|(_, _, line)| assigned(&line.text).is_some_and(|(_, value)| is_number(value)));
    }
    scored.sort_by_key(|(score, place, _)| (-score, *place));
    let best = scored.first()?.0;
    // A value that is computed elsewhere is no default.
    let is_given = |line: &SourceLine| assigned(&line.text).is_some_and(|(_, value)| is_given(value));
    if best < MIN_SCORE || (asks_default && !scored.iter().any(|(score, _, line)| *score == best && is_given(line))) {
        return None;
    }
    scored.retain(|(score, _, _)| *score == best);
    let lines: Vec<&SourceLine> = scored.iter().take(MAX_QUOTED).map(|(_, _, line)| *line).collect();
    let mut sentences: Vec<CitedText> = Vec::new();
    for line in &lines {
        let within = super::source_lines::definition_at(context, line).await;
        let within = within
            .filter(|name| !line.text.contains(name.as_str()))
            .map(|name| format!("In {}: ", text::quote(&name)))
            .unwrap_or_default();
        let cited = line.cited(context);
        sentences.push(CitedText { text: format!("{within}{}.", cited.text), citations: cited.citations });
    }
    sentences.extend(constant_of(context, files, &lines).await);
    let asked = question
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .find(|word| word.to_lowercase() == lower.join(" "));
    let lead = format!("{} is set as follows. ", text::quote(asked.unwrap_or(&words.join(" "))));
    let sentences = CitedText::join(sentences, " ");
    let whole = CitedText { text: format!("{lead}{}", sentences.text), citations: sentences.citations };
    Some(
        IntentAnswer::new(vec![whole], Confidence::Medium, "search_codebase with kind=\"config\" finds more settings")
            .with_shortfalls(found.shortfalls),
    )
}

/// Returns the files whose paths name most of the words that a question has beside a setting, since other files set it for
/// others; all files if no path names one.
fn files_of_place(files: &[(RepoIdx, String)], setting: &[String], question: &str) -> Vec<(RepoIdx, String)> {
    let words: BTreeSet<String> = content_words(question).into_iter().map(str::to_lowercase).collect();
    let n_named = |path: &str| {
        let path = path.to_lowercase();
        let parts: BTreeSet<&str> = path.split(|c: char| !c.is_alphanumeric()).collect();
        words.iter().filter(|word| !setting.contains(word) && parts.contains(word.as_str())).count()
    };
    let most = files.iter().map(|(_, path)| n_named(path)).max().unwrap_or(0);
    let mut found: Vec<(RepoIdx, String)> = Vec::new();
    for file in files.iter().filter(|(_, path)| n_named(path) == most) {
        if !found.contains(file) {
            found.push(file.clone());
        }
    }
    found
}

/// Returns the definition of the constant that a line assigns.
async fn constant_of(
    context: IntentContext<'_, '_>,
    files: &[(RepoIdx, String)],
    lines: &[&SourceLine],
) -> Option<CitedText> {
    let (_, value) = assigned(&lines.first()?.text)?;
    let name = value.trim_end_matches([',', ';', ')']).trim();
    let is_name = name.len() > 2
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && name.chars().any(char::is_alphabetic);
    if !is_name || ["true", "false", "none", "null", "nil"].contains(&name.to_lowercase().as_str()) {
        return None;
    }
    let is_definition = |line: &str| {
        let target =
            assigned(line).map(|(target, _)| target.trim().trim_start_matches("const ").trim_start_matches("let "));
        target.is_some_and(|target| target.split([':', ' ']).next() == Some(name))
    };
    let found = matching(context, files, is_definition).await.value;
    let definition = found.iter().find(|line| !lines.contains(line))?;
    let cited = definition.cited(context);
    Some(CitedText { text: format!("That is {}.", cited.text), citations: cited.citations })
}

/// Minimum score of a line that is quoted.
const MIN_SCORE: i32 = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_of_a_test_is_no_setting_of_the_product() {
        for (path, name, question, expected) in [
            ("t/smoke/a.py", "PIER_BERTHS", "what's the default pier_berths?", false),
            ("t/smoke/a.py", "PIER_BERTHS", "what is PIER_BERTHS set to?", true),
            ("t/smoke/a.py", "PIER_BERTHS", "what is pier_berths in the tests?", true),
            ("dock/a.py", "PIER_BERTHS", "what's the default pier_berths?", true),
        ] {
            assert_eq!(is_setting_of_product_at(path, name, question), expected, "{path}: {question}");
        }
    }

    #[test]
    fn a_setting_is_read_where_the_question_says() {
        let paths = ["app/transport/sqs.py", "app/transport/redis.py", "t/test_redis_transport.py", "app/pool.py"];
        let files: Vec<(RepoIdx, String)> = paths.iter().map(|path| (RepoIdx(0), (*path).to_owned())).collect();
        let of = |question: &str| -> Vec<String> {
            let setting = ["timeout".to_owned()];
            files_of_place(&files, &setting, question).into_iter().map(|(_, path)| path).collect()
        };
        assert_eq!(of("what is the default timeout of the redis transport?"), paths[1..3]);
        assert_eq!(of("what is the default timeout of the pool?"), paths[3..]);
        assert_eq!(of("what is the default timeout?"), paths);
    }
}
