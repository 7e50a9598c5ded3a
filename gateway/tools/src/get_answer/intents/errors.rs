//! Errors: what raises one, and which errors a function raises.

use std::collections::BTreeSet;

use model::LineSpan;
use proto::v1;

use super::super::{confidence::Confidence, sentences};
use super::{
    IntentAnswer, IntentContext,
    cited_text::CitedText,
    error_messages, errors_by_words,
    events::terms,
    named_raises::{behind_pattern, makes, raises_named},
    raise_side::RaiseSide,
    raises::{self, condition_around, raises},
    source_lines::{SourceLine, read},
    subject::{Subject, SubjectNode},
    users::{self, DefinitionUser},
};
use crate::{arguments::suggested, get_context::item::lines_of};
use federation::{answer::Answer, fetch::SourceRequest, nodes::NodeRef, outline, repo_idx::RepoIdx};

/// Maximum number of quoted lines, and of definitions in a sentence.
const MAX_QUOTED: usize = 6;
const MAX_LISTED: usize = 6;

/// Maximum number of users whose lines are read, and of lines of a function.
const MAX_USERS: usize = 30;
const MAX_LINES: u32 = 600;

/// Lines before a raising line that may open its branch.
const LINES_OF_BRANCH: u32 = 40;

/// Maximum number of callees whose bodies are read, and of quoted lines of each.
const MAX_CALLEES: usize = 6;
const MAX_OF_CALLEE: usize = 3;

/// Maximum number of members of a type whose bodies are read.
const MAX_MEMBERS: usize = 40;

pub(super) async fn answer(
    context: IntentContext<'_, '_>,
    subject: &Subject,
    written: &str,
    question: &str,
) -> Option<IntentAnswer> {
    if let Some(message) = error_messages::quoted(question) {
        return error_messages::answer(context, message, subject).await;
    }
    match subject {
        Subject::Nodes(nodes) if nodes.iter().all(SubjectNode::is_callable) => of_functions(context, nodes).await,
        Subject::Nodes(nodes) if !nodes.iter().any(may_be_error) => {
            match RaiseSide::of(question, &nodes.first()?.card.symbol.as_ref()?.name) {
                RaiseSide::Raised => of_members(context, nodes, question).await,
                RaiseSide::Raisers => of_types(context, nodes, question).await,
                RaiseSide::Unknown => None,
            }
        }
        Subject::Nodes(nodes) => of_types(context, nodes, question).await,
        Subject::Description(description) => {
            let of_message = match description.words.len() {
                0..=2 => None,
                _ => error_messages::answer(context, written, subject).await,
            };
            match of_message {
                Some(found) => Some(found),
                None => errors_by_words::answer(context, description, question).await,
            }
        }
        _ => None,
    }
}

/// Maximum number of functions that make an error whose users are told.
const MAX_MAKERS: usize = 2;

/// Returns the users of functions that only make or return an error: these raise it.
async fn users_of_makers<'u>(
    context: IntentContext<'_, '_>,
    makers: impl Iterator<Item = &'u DefinitionUser>,
) -> Answer<Vec<CitedText>> {
    let makers: Vec<&DefinitionUser> = makers.collect();
    let at: BTreeSet<NodeRef> = makers.iter().map(|maker| maker.at).collect();
    let repo_idxs: BTreeSet<RepoIdx> = at.iter().map(|at| at.repo_idx).collect();
    let plan = context.call.visible.plan_for(repo_idxs.into_iter().collect(), false);
    let Answer { value: mut cards, mut shortfalls } = context.call.describe(&plan, &at).await;
    let mut sentences: Vec<CitedText> = Vec::new();
    for maker in makers {
        let Some(card) = cards.remove(&maker.at) else { continue };
        let node = [SubjectNode { at: maker.at, card }];
        if !node[0].is_callable() {
            continue;
        }
        let users = users::of_nodes(context, &node, 1).await;
        shortfalls.extend(users.shortfalls);
        sentences.extend(users::direct_sentences(context.plan, &node, &users.value).into_iter().take(1));
    }
    Answer { value: sentences, shortfalls }
}

/// Answers which errors functions raise, from the lines of their bodies and of those of the functions that they call.
async fn of_functions(context: IntentContext<'_, '_>, nodes: &[SubjectNode]) -> Option<IntentAnswer> {
    let body = |node: &SubjectNode| {
        let lines = body_span(lines_of(&node.card));
        SourceRequest { repo_idx: node.at.repo_idx, path: node.path().to_owned(), lines }
    };
    let found = read(context, nodes.iter().map(body).collect(), |_| true).await;
    let name = nodes.first()?.cited(context.plan);
    let items = raised_items(context, &found.value);
    let is_silent = items.is_empty();
    let is_whole = nodes.iter().all(|node| is_read_whole(node, &found.value));
    if is_silent && !is_whole {
        return None;
    }
    let sentence = if is_silent {
        CitedText {
            text: format!("No line of {} that raises an error was recognised; what it calls may raise one.", name.text),
            citations: name.citations,
        }
    } else {
        let n_lines = super::cited_text::counted(items.len(), "line");
        let least = if is_whole { "" } else { "at least " };
        let lead = format!("{} raises errors in {least}{n_lines}: ", text::quote(&nodes[0].name()));
        CitedText::listed(&lead, items, MAX_QUOTED, ".")
    };
    let mut sentences = vec![sentence];
    let callees = super::dependencies::callees(context, &nodes[0]).await.after(found.shortfalls);
    let mut shortfalls = callees.shortfalls;
    let is_function = |node: &&SubjectNode| node.is_callable() && nodes.iter().all(|own| own.at != node.at);
    for callee in callees.value.iter().map(|(_, node)| node).filter(is_function).take(MAX_CALLEES) {
        let lines = read(context, vec![body(callee)], |_| true).await;
        shortfalls.extend(lines.shortfalls);
        let items = raised_items(context, &lines.value);
        let n_lines = super::cited_text::counted(items.len(), "line");
        let least = if is_read_whole(callee, &lines.value) { "" } else { "at least " };
        let lead = format!("It calls {}, which raises errors in {least}{n_lines}: ", text::quote(&callee.name()));
        sentences.extend((!items.is_empty()).then(|| CitedText::listed(&lead, items, MAX_OF_CALLEE, ".")));
    }
    if is_silent && sentences.len() == 1 {
        let through = super::dependencies::callees_in_order(context, &nodes[0]).await;
        sentences.extend(through.value.map(|callees| CitedText {
            text: format!("Errors of its callees may pass through: {}", callees.text),
            ..callees
        }));
    }
    let note = format!("get_symbol {} returns its source", suggested("symbol_id", &nodes[0].id(context.plan)));
    Some(IntentAnswer::new(sentences, Confidence::Medium, note).with_shortfalls(shortfalls))
}

/// Returns true if the lines of a definition were read to its end.
fn is_read_whole(node: &SubjectNode, lines: &[SourceLine]) -> bool {
    let own = lines_of(&node.card);
    lines.iter().any(|line| line.line == own.end && line.repo_idx == node.at.repo_idx && line.path == node.path())
}

/// Returns the lines of a body that raise errors, each with its condition.
fn raised_items(context: IntentContext<'_, '_>, body: &[SourceLine]) -> Vec<CitedText> {
    let item = |line: &SourceLine| {
        let cited = CitedText::cited(text::quote(&raises::statement(line, body)), line.place(context));
        CitedText { text: format!("{}{}", cited.text, condition_around(line, body)), ..cited }
    };
    body.iter().filter(|line| raises(&line.text)).map(item).collect()
}

/// Returns true for a definition that may be an error by its kind and name. A type such as a filter is raised by nothing.
pub(super) fn may_be_error(node: &SubjectNode) -> bool {
    const WORDS: [&str; 8] = ["interrupt", "exit", "abort", "timeout", "stop", "signal", "refused", "rejected"];
    has_error_name(node) || has_word(node, &WORDS) || matches!(node.kind(), "constant" | "variable" | "variant")
}

/// Returns true for a definition whose name, or that of its base, is one of errors.
pub(super) fn has_error_name(node: &SubjectNode) -> bool {
    const WORDS: [&str; 6] = ["error", "err", "exception", "failure", "fault", "panic"];
    const BASES: [&str; 3] = ["Error", "Exception", "Throwable"];
    let signature = node.card.symbol.as_ref().map(|symbol| symbol.signature.as_str()).unwrap_or_default();
    let is_type = !node.is_callable() && !matches!(node.kind(), "constant" | "variable" | "variant");
    has_word(node, &WORDS) || (is_type && BASES.iter().any(|base| signature.contains(base)))
}

fn has_word(node: &SubjectNode, known: &[&str]) -> bool {
    let parts = node.card.symbol.as_ref().map(|symbol| ranking::analyser::words(&symbol.name)).unwrap_or_default();
    parts.iter().any(|part| known.contains(&part.as_str()))
}

/// Returns the lines of a definition that are read.
fn body_span(lines: LineSpan) -> LineSpan {
    LineSpan { start: lines.start, end: lines.end.min(lines.start.saturating_add(MAX_LINES)) }
}

/// Answers which errors the members of a type raise: those that the question has words of, or else all in its file.
async fn of_members(context: IntentContext<'_, '_>, nodes: &[SubjectNode], question: &str) -> Option<IntentAnswer> {
    let node = nodes.first()?;
    let symbol = node.card.symbol.as_ref()?;
    let plan = context.call.visible.plan_for(vec![node.at.repo_idx], false);
    let outlined = context.call.outline(&plan, node.path(), 1).await;
    let shortfalls = outlined.shortfalls;
    let outlined = outline::files(&plan, outlined.value);
    let file = outlined.iter().find(|file| file.path == node.path())?;
    let is_member = |one: &&v1::Symbol| {
        matches!(one.kind.as_str(), "method" | "function" | "constructor")
            && one.container.rsplit('.').next() == Some(symbol.name.as_str())
    };
    let request = |one: &v1::Symbol| SourceRequest {
        repo_idx: node.at.repo_idx,
        path: node.path().to_owned(),
        lines: body_span(outline::span(one.lines.unwrap_or_default())),
    };
    let asked: BTreeSet<String> = terms(question).into_iter().collect();
    let own: BTreeSet<String> = terms(&symbol.name).into_iter().collect();
    let is_asked = |one: &&v1::Symbol| {
        let said = terms(&format!("{} {}", one.name, text::first_sentence(&one.doc)));
        said.iter().any(|term| asked.contains(term) && !own.contains(term))
    };
    let mut all: Vec<&v1::Symbol> = file.outline.symbols.iter().filter(is_member).collect();
    let is_constructor = |one: &&v1::Symbol| is_constructor(one, &symbol.name);
    if asks_for_constructor(question) && all.iter().any(is_constructor) {
        all.retain(is_constructor);
    }
    let (meant, others): (Vec<&v1::Symbol>, Vec<&v1::Symbol>) = all.into_iter().partition(is_asked);
    let members: Vec<&v1::Symbol> = meant.iter().copied().chain(others).collect();
    let n_read = members.len().min(MAX_MEMBERS);
    let requests: Vec<SourceRequest> = members[..n_read].iter().map(|member| request(member)).collect();
    let spans: Vec<LineSpan> = requests.iter().map(|one| one.lines).collect();
    let found = read(context, requests, |_| true).await.after(shortfalls);
    let mut raising: Vec<(usize, CitedText)> = Vec::new();
    for (place, (member, span)) in members.iter().zip(spans).enumerate() {
        let is_own = |line: &&SourceLine| (span.start..=span.end).contains(&line.line);
        let body: Vec<SourceLine> = found.value.iter().filter(is_own).cloned().collect();
        let items = raised_items(context, &body);
        let name = text::quote(&text::sanitise_name(&model::symbol::qualify(&member.container, &member.name)));
        let n_lines = super::cited_text::counted(items.len(), "line");
        let end = outline::span(member.lines.unwrap_or_default()).end;
        let least = if body.iter().any(|line| line.line == end) { "" } else { "at least " };
        let lead = format!("{name} raises errors in {least}{n_lines}: ");
        raising.extend((!items.is_empty()).then(|| (place, CitedText::listed(&lead, items, MAX_QUOTED, "."))));
    }
    if raising.iter().any(|(place, _)| *place < meant.len()) {
        raising.retain(|(place, _)| *place < meant.len());
    }
    let n_raising = raising.len();
    let mut sentences: Vec<CitedText> = raising.into_iter().map(|(_, said)| said).take(MAX_OF_CALLEE).collect();
    if n_raising > sentences.len() && !sentences.is_empty() {
        let further = super::cited_text::counted(n_raising - sentences.len(), "further member");
        sentences.push(CitedText::plain(format!("Errors are raised in {further} as well.")));
    }
    if n_read < members.len() && !sentences.is_empty() {
        let unread = super::cited_text::counted(members.len() - n_read, "member");
        sentences.push(CitedText::plain(format!("Not read: {unread}.")));
    }
    let note = format!("get_symbol {} returns its source", suggested("symbol_id", &node.id(context.plan)));
    (!sentences.is_empty())
        .then(|| IntentAnswer::new(sentences, Confidence::Medium, note).with_shortfalls(found.shortfalls))
}

/// Returns true if a question is about the construction of an object.
fn asks_for_constructor(question: &str) -> bool {
    let lower = question.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    words.any(|word| matches!(word, "constructor" | "constructing" | "construction" | "instantiating" | "instantiated"))
}

/// Returns true for a function that constructs objects of a type.
fn is_constructor(member: &v1::Symbol, type_name: &str) -> bool {
    let is_named = matches!(member.name.as_str(), "constructor" | "__init__" | "__construct" | "initialize" | "new");
    member.kind == "constructor" || is_named || member.name == type_name
}

/// Keeps the raisers in the place that a question names beside the error, if there are any: "what makes the dock raise X". Returns the names
/// of such places.
fn keep_in_place<'q>(raisers: &mut Vec<(String, &SourceLine)>, question: &'q str, names: &[&str]) -> Vec<&'q str> {
    const EXCEPTIONS: [&str; 5] = ["besides", " except ", "other than", "apart from", "outside"];
    let lower = question.to_lowercase();
    if EXCEPTIONS.iter().any(|words| lower.contains(words)) {
        return Vec::new();
    }
    let words = question.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let mut places: Vec<&str> =
        words.filter(|word| ranking::query::is_identifier(word) && !names.contains(word)).collect();
    let is_at = |(user, line): &(String, &SourceLine), place: &str| {
        user.split('.').any(|part| part == place) || line.path.contains(place)
    };
    places.retain(|place| raisers.iter().any(|raiser| is_at(raiser, place)));
    if !places.is_empty() {
        raisers.retain(|raiser| places.iter().any(|place| is_at(raiser, place)));
    }
    places
}

/// Answers what raises an error: the users of its type whose line raises or returns it.
pub(super) async fn of_types(
    context: IntentContext<'_, '_>,
    nodes: &[SubjectNode],
    question: &str,
) -> Option<IntentAnswer> {
    let Answer { value: users, shortfalls } = users::of_nodes(context, nodes, 1).await;
    let lines_of_user = |user: &DefinitionUser| {
        let request = |line: &u32| SourceRequest {
            repo_idx: user.at.repo_idx,
            path: user.path.clone(),
            lines: LineSpan { start: *line, end: *line },
        };
        user.lines.iter().take(MAX_QUOTED).map(request).collect::<Vec<_>>()
    };
    let read_users: Vec<&DefinitionUser> = users.direct.iter().take(MAX_USERS).collect();
    let requests: Vec<SourceRequest> = read_users.iter().flat_map(|user| lines_of_user(user)).collect();
    let names: Vec<&str> = nodes.iter().filter_map(|node| Some(node.card.symbol.as_ref()?.name.as_str())).collect();
    let found = read(context, requests, |line| names.iter().any(|name| raises_named(line, name) || makes(line, name)));
    let found = found.await.after(shortfalls);
    let mut shortfalls = found.shortfalls.clone();
    let mut raisers: Vec<(String, &SourceLine)> = Vec::new();
    let user_of = |line: &SourceLine| {
        let is_of = |user: &&&DefinitionUser| {
            user.at.repo_idx == line.repo_idx && user.path == line.path && user.lines.contains(&line.line)
        };
        read_users.iter().find(is_of).map(|user| user.name.clone()).unwrap_or_default()
    };
    for line in &found.value {
        let user = user_of(line);
        if raisers.iter().all(|(name, other)| *name != user || other.path != line.path) {
            raisers.push((user, line));
        }
    }
    let places = keep_in_place(&mut raisers, question, &names);
    // A file that raises nothing but passes the name on is no answer.
    let sure: Vec<&(String, &SourceLine)> =
        raisers.iter().filter(|(_, line)| raises(behind_pattern(&line.text))).collect();
    let is_sure = !sure.is_empty();
    let shown: Vec<&(String, &SourceLine)> = if sure.is_empty() { raisers.iter().collect() } else { sure };
    let item = |(name, line): &&(String, &SourceLine)| CitedText::cited(text::quote(name), line.place(context));
    let items: Vec<CitedText> = shown.iter().map(item).collect();
    let name = text::quote(&nodes[0].name());
    let mut sentences: Vec<CitedText> = Vec::new();
    if items.is_empty() {
        let direct = users::direct_sentences(context.plan, nodes, &users);
        if direct.is_empty() {
            sentences.push(users::no_user(context, nodes, &users));
        } else {
            sentences.push(CitedText::plain(format!("No line that raises {name} was found among its known uses.")));
            sentences.extend(direct);
        }
    } else {
        let verb = if is_sure { "raised" } else { "returned or made" };
        let quoted: Vec<String> = places.iter().map(|place| text::quote(place)).collect();
        let within = if quoted.is_empty() { String::new() } else { format!(" in {}", quoted.join(" and ")) };
        sentences.push(CitedText::listed(&format!("{name} is {verb}{within} by "), items, MAX_LISTED, "."));
        let mut quoted: BTreeSet<String> = BTreeSet::new();
        let lines: Vec<&SourceLine> = match shown.as_slice() {
            // The only raiser may do it on several lines, each with a condition of its own.
            [only] => {
                let is_own = |line: &&SourceLine| {
                    user_of(line) == only.0
                        && line.path == only.1.path
                        && (!is_sure || raises(behind_pattern(&line.text)))
                };
                found.value.iter().filter(is_own).take(MAX_QUOTED).collect()
            }
            _ => {
                let lines = shown.iter().filter(|(_, line)| quoted.insert(line.display_text()));
                lines.take(2).map(|(_, line)| *line).collect()
            }
        };
        let around = |line: &&SourceLine| SourceRequest {
            repo_idx: line.repo_idx,
            path: line.path.clone(),
            lines: LineSpan { start: line.line.saturating_sub(LINES_OF_BRANCH).max(1), end: line.line },
        };
        let around = read(context, lines.iter().map(around).collect(), |_| true).await.value;
        let is_alone = shown.len() == 1;
        let place = |line: &SourceLine| {
            if is_alone && lines.len() > 1 { format!(" (line {})", line.line) } else { String::new() }
        };
        let quote = |line: &&SourceLine| {
            let shown = text::quote(&line.display_text());
            CitedText::plain(format!("{shown}{}{}", place(line), condition_around(line, &around)))
        };
        let quoted: Vec<CitedText> = lines.iter().map(quote).collect();
        let lead = match (is_alone, lines.len()) {
            (true, 1) => "The line is ",
            (true, _) => "It does so with ",
            (false, _) => "They do it with ",
        };
        sentences.push(CitedText::listed(lead, quoted, MAX_QUOTED, "."));
        if !is_sure {
            let makers = read_users.iter().filter(|user| shown.iter().any(|(name, _)| *name == user.name));
            let thrown = users_of_makers(context, makers.take(MAX_MAKERS).copied()).await;
            shortfalls.extend(thrown.shortfalls);
            sentences.extend(thrown.value);
        }
    }
    let doc = nodes[0]
        .card
        .symbol
        .as_ref()
        .and_then(|symbol| sentences::sentences(&text::clean(&symbol.doc)).into_iter().next());
    let defined = nodes[0].cited(context.plan);
    sentences.extend(doc.map(|doc| CitedText {
        text: format!("{} means: {}", defined.text, text::quote(&doc)),
        citations: defined.citations,
    }));
    sentences.extend(users::missed_sentence(&users));
    let note = format!("get_impact {} lists every use", suggested("target", &nodes[0].id(context.plan)));
    let confidence = if found.value.is_empty() { Confidence::Low } else { users::confidence(nodes, &users) };
    Some(IntentAnswer::new(sentences, confidence, note).with_shortfalls(shortfalls))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_may_name_the_place_of_its_raisers() {
        let lines = super::super::source_lines::lines_of_text("raise DockClosed\nraise DockClosed\n");
        for (question, expected) in [
            ("what makes BerthPool raise DockClosed?", "BerthPool.take in BerthPool"),
            ("what makes BerthPool raise the exception DockClosed", "BerthPool.take in BerthPool"),
            ("what raises DockClosed", "BerthPool.take Crane.lift in "),
            ("what makes ShipYard raise DockClosed", "BerthPool.take Crane.lift in "),
            ("What raises DockClosed besides BerthPool?", "BerthPool.take Crane.lift in "),
            ("what other than BerthPool raises DockClosed", "BerthPool.take Crane.lift in "),
        ] {
            let mut raisers = vec![("BerthPool.take".to_owned(), &lines[0]), ("Crane.lift".to_owned(), &lines[1])];
            let places = keep_in_place(&mut raisers, question, &["DockClosed"]);
            let users: Vec<&str> = raisers.iter().map(|(user, _)| user.as_str()).collect();
            assert_eq!(format!("{} in {}", users.join(" "), places.join(" ")), expected, "{question}");
        }
    }

    #[test]
    fn a_constructor_is_meant_by_its_word() {
        for (question, expected) in [
            ("Under which conditions does the Dock constructor throw?", true),
            ("what is raised while instantiating Dock", true),
            ("what does Dock throw when it is constructive", false),
        ] {
            assert_eq!(asks_for_constructor(question), expected, "{question}");
        }
        for (kind, name, expected) in [
            ("method", "__init__", true),
            ("method", "Dock", true),
            ("constructor", "make", true),
            ("method", "renew", false),
        ] {
            let member = v1::Symbol { kind: kind.to_owned(), name: name.to_owned(), ..Default::default() };
            assert_eq!(is_constructor(&member, "Dock"), expected, "{name}");
        }
    }

    #[test]
    fn only_errors_are_raised() {
        for (kind, name, signature, expected) in [
            ("class", "DockError", "class DockError", (true, true)),
            ("class", "DockClosed", "class DockClosed(Exception)", (true, true)),
            ("variable", "closed", "var closed", (true, false)),
            ("variable", "ErrClosed", "var ErrClosed", (true, true)),
            ("class", "DockTimeout", "class DockTimeout", (true, false)),
            ("struct", "BerthFilter", "struct BerthFilter", (false, false)),
            ("class", "Terror", "class Terror", (false, false)),
        ] {
            let (kind, name, signature) = (kind.to_owned(), name.to_owned(), signature.to_owned());
            let symbol = Some(v1::Symbol { kind, name, signature, ..Default::default() });
            let at = federation::nodes::NodeRef { repo_idx: RepoIdx(0), node: 0 };
            let node = SubjectNode { at, card: v1::NodeCard { symbol, ..Default::default() } };
            assert_eq!((may_be_error(&node), has_error_name(&node)), expected, "{}", node.name());
        }
    }
}
