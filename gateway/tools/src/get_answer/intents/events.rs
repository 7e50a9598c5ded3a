//! The commit that made a change: when something was added, removed or renamed, by whom, and in its own words.

use std::collections::{BTreeMap, BTreeSet};

use model::{ContentKind, FileClass};
use proto::v1;
use ranking::{analyser, query::content_words};

use super::super::confidence::Confidence;
use super::{
    IntentAnswer, IntentContext,
    cited_text::{CitedText, citation, counted},
    clauses,
    history::{change_text, file_subjects, is_named_by, terms_of_name},
    module,
    subject::Subject,
};
use crate::arguments::suggested;
use federation::{repo_idx::RepoIdx, repo_mentions};

/// A kind of change: the stems of its verbs in questions, and further ones in subjects of commits.
type EventKind = (&'static [&'static str], &'static [&'static str]);

const KINDS: [EventKind; 5] = [
    (&["add", "introduc", "creat", "support", "implement"], &["new", "feat", "start", "allow", "provid"]),
    (&["remov", "drop", "delet", "lose"], &["rid", "retir", "unus", "without"]),
    (&["renam", "move", "replac", "migrat", "switch"], &["instead"]),
    (&["revert", "disabl", "enabl", "deprec"], &[]),
    // Another verb says more than these.
    (
        &[
            "get", "gets", "got", "gain", "receiv", "acquir", "arriv", "land", "appear", "ship", "learn", "bring",
            "brought", "came", "come",
        ],
        &["add", "introduc", "creat", "support", "implement", "new", "feat", "start", "allow", "provid"],
    ),
];

/// Kinds after which something is there that was not before.
const ADDITIONS: [EventKind; 2] = [KINDS[0], KINDS[4]];

/// Beginnings of questions for a commit.
const BEGINNINGS: [&str; 6] = ["when", "why", "since", "who", "which", "in"];

/// Those of them that ask for nothing but an event.
const N_SURE_BEGINNINGS: usize = 3;

/// Further beginnings that ask for nothing but an event.
const SURE_STARTS: [&str; 6] =
    ["in which commit", "in which version", "in which release", "which commit", "which version", "which release"];

/// Files whose last changes are read.
const MAX_FILES: usize = 12;

/// Files of a module that are read in addition.
const MAX_OF_MODULE: usize = 60;

/// Maximum number of commits in an answer.
const MAX_SHOWN: usize = 2;

/// Minimum share of the words of a question in the subject of a commit.
const MIN_SHARE: f32 = 0.6;

/// Answers with the commits whose subjects say what a question asks for; `None` if it asks for no event, or none is known.
pub(super) async fn answer(context: IntentContext<'_, '_>, subject: &Subject, question: &str) -> Option<IntentAnswer> {
    let question = clauses::without_its_author(question);
    let named = repo_mentions::named(context.plan, question);
    let aliases: Vec<&str> = named.iter().map(|repo_idx| context.plan.alias(*repo_idx)).collect();
    let wanted = WantedEvent { weights: context.evidence.terms.clone(), ..WantedEvent::of(question, &aliases)? };
    let is_in = |repo_idx: &RepoIdx| named.is_empty() || named.contains(repo_idx);
    let of_nodes = match subject {
        Subject::Nodes(nodes) => nodes.as_slice(),
        Subject::Repositories(_) | Subject::Module(_) | Subject::Description(_) => &[],
    };
    let of_nodes = of_nodes.iter().map(|node| (node.at.repo_idx, node.path().to_owned()));
    let (of_module, mut is_whole): (BTreeSet<String>, bool) = match subject {
        Subject::Module(found) => {
            let found = module::files(context, found, ContentKind::Implementation).await.value;
            (found.paths, !found.is_partial)
        }
        _ => (BTreeSet::new(), true),
    };
    is_whole &= of_module.len() <= MAX_OF_MODULE;
    let max_files = MAX_FILES + of_module.len().min(MAX_OF_MODULE);
    let of_module = of_module.into_iter().take(MAX_OF_MODULE).filter_map(|path| match subject {
        Subject::Module(found) => Some((found.repo_idx, path)),
        _ => None,
    });
    let of_hits = context.evidence.hits.iter().map(|hit| (hit.repo_idx, hit.file.path.clone()));
    let mut files: Vec<(RepoIdx, String)> = Vec::new();
    for file in of_nodes.chain(of_module).chain(of_hits).filter(|(repo_idx, _)| is_in(repo_idx)) {
        if !files.contains(&file) && files.len() < max_files {
            files.push(file);
        }
    }
    let keys: BTreeSet<(RepoIdx, String)> = files.iter().cloned().collect();
    let repo_idxs: BTreeSet<RepoIdx> = files.iter().map(|(repo_idx, _)| *repo_idx).collect();
    let plan = context.call.visible.plan_for(repo_idxs.into_iter().collect(), false);
    let histories = context.call.history(&plan, &keys).await;
    let mut changes: BTreeMap<&str, FoundChange<'_>> = BTreeMap::new();
    for file in &files {
        let history = histories.value.get(file);
        let listed = history.map(|history| history.changes.as_slice()).unwrap_or_default();
        for change in listed {
            let Some(score) = wanted.score(&change.subject, "") else { continue };
            changes.entry(change.commit.as_str()).or_insert(FoundChange { score, file, change });
        }
        // The first commit of a file adds what the file is named after.
        if let Some(change) = history.and_then(|history| history.first_change.as_ref())
            && let Some(score) = wanted.score(&change.subject, &file.1)
        {
            changes.entry(change.commit.as_str()).or_insert(FoundChange { score, file, change });
        }
    }
    let Some(best) = changes.values().map(|found| found.score).max_by_key(|(share, has_verb)| (*has_verb, *share))
    else {
        let named: Vec<&(RepoIdx, String)> = files.iter().filter(|(_, path)| is_named_after(subject, path)).collect();
        let histories_of = named.iter().filter_map(|file| Some((*file, histories.value.get(*file)?)));
        let histories_of: Vec<_> = histories_of.collect();
        // The oldest of some files is not the oldest of all.
        let is_known = is_whole && histories_of.len() >= named.len() && !wanted.is_of_part(subject, question);
        let created = if is_known { creation(context, subject, &wanted, histories_of) } else { None };
        let answer = match created.or_else(|| named_file(context, &wanted, &files, &histories.value)) {
            Some(answer) => answer,
            None if is_sure_event(question) => nearest(context, (subject, question), &histories.value)?,
            None => return None,
        };
        return Some(answer.with_shortfalls(histories.shortfalls));
    };
    let is_addition = ADDITIONS.contains(&wanted.kind);
    // A later commit about a thing that was added says as many of its words, so of the commits that add it the first one counts.
    let is_best = |found: &&FoundChange<'_>| match is_addition && best.1 {
        true => found.score.1 && found.score.0 + SIMILAR_SHARE >= best.0,
        false => found.score == best,
    };
    let mut shown: Vec<&FoundChange<'_>> = changes.values().filter(is_best).collect();
    let age = |found: &FoundChange<'_>| if is_addition { found.change.at } else { -found.change.at };
    shown.sort_by_key(|found| (age(found), found.change.commit.as_str()));
    shown.truncate(if best.1 { MAX_SHOWN } else { 1 });
    let sentence = |(place, found): (usize, &&FoundChange<'_>)| {
        let (repo_idx, path) = found.file;
        // Without the verb, a commit is about the thing and may have done something else.
        let lead = match (place, best.1) {
            (0, true) => "This was done on",
            (0, false) => {
                "None of the commits that were read says that this was done; the nearest one about it was made on"
            }
            _ => "Another commit that says so was made on",
        };
        let said = format!("{lead} {}", change_text(found.change));
        CitedText::cited(said, citation(context.plan, *repo_idx, path, (1, 1))).then(".")
    };
    let sentences: Vec<CitedText> = shown.iter().enumerate().map(sentence).collect();
    let (repo_idx, path) = shown.first()?.file;
    let target = format!("{}:{}", context.plan.alias(*repo_idx), text::sanitise_name(path));
    let note = format!(
        "the answer is of the last commits of the files that match; get_context {} with mode=\"intent\" and intent=\"debug\" \
         lists them",
        suggested("target", &target)
    );
    let confidence = match (best.1, shown.len()) {
        (true, 1) => Confidence::High,
        (true, _) => Confidence::Medium,
        (false, _) => Confidence::Low,
    };
    Some(IntentAnswer::new(sentences, confidence, note).with_shortfalls(histories.shortfalls))
}

/// Answers with the first commit of the file that is named after a thing that was added, one of the product before one of tests; `None` for
/// other events, and if no file has the name.
fn named_file(
    context: IntentContext<'_, '_>,
    wanted: &WantedEvent,
    files: &[(RepoIdx, String)],
    histories: &BTreeMap<(RepoIdx, String), v1::FileHistory>,
) -> Option<IntentAnswer> {
    if !ADDITIONS.contains(&wanted.kind) {
        return None;
    }
    let hit_class = |file: &&(RepoIdx, String)| {
        let hits = &context.evidence.hits;
        let hit = hits.iter().find(|hit| hit.repo_idx == file.0 && hit.file.path == file.1);
        hit.map(|hit| FileClass::from(hit.file.class()))
    };
    let is_named = |file: &&(RepoIdx, String)| is_named_for(&file.1, &wanted.things);
    let named: Vec<&(RepoIdx, String)> = files.iter().filter(is_named).collect();
    let of_class = |class: FileClass| named.iter().find(|file| hit_class(file) == Some(class));
    let file = of_class(FileClass::Source).or_else(|| of_class(FileClass::Test))?;
    let history = histories.get(*file).filter(|history| history.extent() == v1::HistoryExtent::Whole)?;
    let change = history.first_change.as_ref()?;
    let (repo_idx, path) = file;
    let said =
        format!("{}, which is named so, was added on {}", text::quote(&text::sanitise_name(path)), change_text(change));
    let sentence = CitedText::cited(said, citation(context.plan, *repo_idx, path, (1, 1))).then(".");
    let target = format!("{}:{}", context.plan.alias(*repo_idx), text::sanitise_name(path));
    let note = format!(
        "by the name of the file; get_context {} with mode=\"intent\" and intent=\"debug\" lists later changes",
        suggested("target", &target)
    );
    Some(IntentAnswer::new(vec![sentence], Confidence::Medium, note))
}

/// Returns true if the name of a file has all things that are asked for and nothing else: the first commit of `client.rs` did not add
/// retries to it.
fn is_named_for(path: &str, things: &BTreeSet<String>) -> bool {
    let named = terms_of_name(path);
    is_named_by(path, things) && without_kinds(things).iter().all(|thing| named.contains(thing))
}

/// Returns asked terms without those that tell the kind of a thing; all of them if nothing else is asked.
pub(super) fn without_kinds(asked: &BTreeSet<String>) -> BTreeSet<String> {
    let kinds: BTreeSet<String> = KIND_WORDS.iter().flat_map(|word| terms(word)).collect();
    let telling: BTreeSet<String> = asked.difference(&kinds).cloned().collect();
    if telling.is_empty() { asked.clone() } else { telling }
}

/// Percentage by which a commit may say less of the things than the best one.
const SIMILAR_SHARE: u32 = 25;

/// Answers that no known commit says what is asked, with the first and the last commit of the best match; `None` if it has no history.
fn nearest(
    context: IntentContext<'_, '_>,
    (subject, question): (&Subject, &str),
    histories: &BTreeMap<(RepoIdx, String), v1::FileHistory>,
) -> Option<IntentAnswer> {
    let file = file_subjects(context, subject)?.into_iter().next()?;
    let history = histories.get(&(file.repo_idx, file.path.clone()))?;
    let (first, last) = (history.first_change.as_ref()?, history.last_change.as_ref()?);
    let place = citation(context.plan, file.repo_idx, &file.path, file.lines);
    let text = format!(
        "No subject of a known commit says so; known are the first and the last {} of each file that matches",
        counted(history.changes.len().max(1), "commit")
    );
    let name = file.shown_name();
    let dates = format!(
        "The nearest is {}: its file was added on {}, and changed last on {}",
        name.trim_end_matches(','),
        change_text(first),
        change_text(last)
    );
    let (text, dates) = (CitedText::plain(format!("{text}.")), CitedText::cited(dates, place).then("."));
    // The first commit of a file that is named after the thing may be what is asked for.
    let sentences =
        if is_own_start(&file.path, &first.subject, question) { vec![dates, text] } else { vec![text, dates] };
    let note = format!(
        "not answered: a commit between these may have done it; get_context {} with mode=\"intent\" and intent=\"debug\" lists changes",
        suggested("target", &file.id(context.plan))
    );
    Some(IntentAnswer::new(sentences, Confidence::Low, note))
}

/// Returns true if the name of a file, the subject of its first commit and a question have a word in common.
fn is_own_start(path: &str, subject: &str, question: &str) -> bool {
    let (said, asked): (BTreeSet<String>, BTreeSet<String>) =
        (terms(subject).into_iter().collect(), terms(question).into_iter().collect());
    terms_of_name(path).iter().any(|term| said.contains(term) && asked.contains(term))
}

/// Returns true if a file is the subject, lies in it, or has its name.
fn is_named_after(subject: &Subject, path: &str) -> bool {
    let stem = path.rsplit('/').next().unwrap_or(path).split('.').next().unwrap_or_default();
    match subject {
        Subject::Module(module) => module.contains(module.repo_idx, path),
        Subject::Nodes(nodes) => nodes.iter().any(|node| {
            let name = node.card.symbol.as_ref().map_or(stem, |symbol| &symbol.name);
            node.path() == path && (node.is_file() || analyser::fold(name) == analyser::fold(stem))
        }),
        Subject::Repositories(_) | Subject::Description(_) => false,
    }
}

/// Answers when a file or module was added, by the oldest commit of its files; `None` for other events, and if older commits are not known.
fn creation(
    context: IntentContext<'_, '_>,
    subject: &Subject,
    wanted: &WantedEvent,
    histories: Vec<(&(RepoIdx, String), &v1::FileHistory)>,
) -> Option<IntentAnswer> {
    let is_whole = |history: &v1::FileHistory| history.extent() == v1::HistoryExtent::Whole;
    if !ADDITIONS.contains(&wanted.kind) || !histories.iter().all(|(_, history)| is_whole(history)) {
        return None;
    }
    let dated = histories.into_iter().filter_map(|(file, history)| Some((history.first_change.as_ref()?, file)));
    let (change, (repo_idx, path)) = dated.min_by_key(|(change, file)| (change.at, *file))?;
    let what = match subject {
        Subject::Module(module) => format!("The oldest file of {}", module.name()),
        _ => text::quote(&text::sanitise_name(path)),
    };
    let place = citation(context.plan, *repo_idx, path, (1, 1));
    let said = CitedText::cited(format!("{what} was added on {}", change_text(change)), place).then(".");
    let target = format!("{}:{}", context.plan.alias(*repo_idx), text::sanitise_name(path));
    let note = format!(
        "get_context {} with mode=\"intent\" and intent=\"debug\" lists later changes",
        suggested("target", &target)
    );
    Some(IntentAnswer::new(vec![said], Confidence::Medium, note))
}

/// Returns true if nothing but a commit answers a question: last changes are no answer to it.
pub(super) fn is_sure_event(question: &str) -> bool {
    let lower = question.trim_start().to_lowercase();
    let begins = lower.split(' ').next().is_some_and(|first| BEGINNINGS[..N_SURE_BEGINNINGS].contains(&first));
    let asks_commit = SURE_STARTS.iter().any(|start| lower.starts_with(start));
    (begins || asks_commit) && WantedEvent::of(question, &[]).is_some()
}

/// Returns true if a question asks for a person or a time of the past: no comment and no code answers it.
pub(in super::super) fn asks_for_past(question: &str) -> bool {
    const STARTS: [&str; 14] = [
        "who ",
        "whom ",
        "whose ",
        "when did ",
        "when was ",
        "when were ",
        "since ",
        "in which commit",
        "in which version",
        "in which release",
        "which commit",
        "which release",
        "which version",
        "how long has ",
    ];
    let lower = question.trim_start().to_lowercase();
    // The code says who calls what.
    let words =
        ["call", "use", "invoke", "import", "consume", "raise", "throw", "emit", "set", "read", "write", "create"];
    let is_of_code = lower.starts_with("who ")
        && lower.split(' ').nth(1).is_some_and(|verb| words.iter().any(|word| verb.trim_end_matches('s') == *word));
    STARTS.iter().any(|start| lower.starts_with(start)) && !is_of_code
}

/// A commit with its score and a file that it changed.
struct FoundChange<'a> {
    score: (u32, bool),
    file: &'a (RepoIdx, String),
    change: &'a v1::Change,
}

/// The words of a question for an event.
#[derive(Debug)]
struct WantedEvent {
    /// Terms of the things.
    things: BTreeSet<String>,
    /// Its verb.
    kind: EventKind,
    /// Weights of the terms; a term without one counts 1.
    weights: Vec<(String, f32)>,
}

impl WantedEvent {
    /// Returns the event that a question asks for, without the words of the repositories that it names.
    fn of(question: &str, aliases: &[&str]) -> Option<WantedEvent> {
        let lower = question.trim_start().to_lowercase();
        let begins = lower.split(' ').next().is_some_and(|first| BEGINNINGS.contains(&first));
        let own: BTreeSet<String> = aliases.iter().flat_map(|alias| terms(alias)).collect();
        let words: Vec<String> = content_words(question).into_iter().map(str::to_lowercase).collect();
        // A question for the last change of a thing asks for no event.
        let named = KINDS.into_iter().find(|(asked, _)| words.iter().any(|word| is_of(asked, word)));
        // Since a thing is there, somebody has added it.
        let kind = named.or_else(|| lower.starts_with("since ").then_some(KINDS[0]))?;
        let is_thing = |term: &String| !own.contains(term) && !QUESTION_TERMS.contains(&term.as_str());
        let things = words.iter().filter(|word| !is_of(kind.0, word)).flat_map(|word| terms(word));
        let things: BTreeSet<String> = things.filter(is_thing).collect();
        (begins && !things.is_empty()).then_some(WantedEvent { things, kind, weights: Vec::new() })
    }

    /// Returns true if a question is about a part of a subject: words remain beside the names of the subject.
    fn is_of_part(&self, subject: &Subject, question: &str) -> bool {
        let names: Vec<(String, &str)> = match subject {
            Subject::Module(module) => vec![(module.module.package.clone(), module.module.path.as_str())],
            Subject::Nodes(nodes) => nodes.iter().map(|node| (node.name(), node.path())).collect(),
            Subject::Repositories(_) | Subject::Description(_) => Vec::new(),
        };
        !self.things_outside_subject(question, &names).is_empty()
    }

    /// Returns the things of a question that neither the names nor the written paths of a subject have.
    fn things_outside_subject(&self, question: &str, names: &[(String, &str)]) -> Vec<&String> {
        let mut asked = question.to_lowercase();
        let mut own: BTreeSet<String> = KIND_WORDS.iter().flat_map(|word| terms(word)).collect();
        for (name, path) in names {
            let path = path.to_lowercase();
            let ends = std::iter::once(0).chain(path.match_indices('/').map(|(at, _)| at + 1));
            // The longest end of a path that the question has.
            if let Some(end) = ends.map(|at| &path[at..]).find(|end| !end.is_empty() && asked.contains(end)) {
                asked = asked.replace(end, " ");
            }
            let last = |text: &str| text.rsplit('/').next().unwrap_or(text).to_owned();
            // A question is read in lower case, in which a name has one part.
            for own_name in [last(name), last(name).to_lowercase(), last(&path)] {
                own.extend(terms(&own_name));
            }
        }
        let left: BTreeSet<String> = terms(&asked).into_iter().collect();
        self.things.iter().filter(|thing| left.contains(*thing) && !own.contains(*thing)).collect()
    }

    /// Returns the percentage of the things that a subject names, and whether it has the verb; `None` if it says too little of them.
    ///
    /// `added` is the path of the file that the commit added; empty if it is not known to have added one.
    fn score(&self, subject: &str, added: &str) -> Option<(u32, bool)> {
        let (said, of_path) = (terms(subject), terms(added));
        let weight =
            |thing: &String| self.weights.iter().find(|(term, _)| term == thing).map_or(1.0, |(_, weight)| *weight);
        let known: Vec<&String> =
            self.things.iter().filter(|thing| said.contains(*thing) || of_path.contains(*thing)).collect();
        let n_known = known.len();
        let total: f32 = self.things.iter().map(weight).sum();
        let share = known.into_iter().map(weight).sum::<f32>() / total.max(f32::MIN_POSITIVE);
        let lower = subject.to_lowercase();
        let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let first = words.clone().next().unwrap_or_default();
        let has_verb = words.any(|word| self.is_verb(word));
        let is_about_other =
            REPAIRS.contains(&first) || (ROUTINES.contains(&first) && !self.is_done_by_routine(&lower));
        // A repair of a thing adds another one, unless its first file came with it.
        let adds_other = is_about_other && ADDITIONS.contains(&self.kind);
        if adds_other && added.is_empty() {
            return None;
        }
        let has_verb = has_verb && !adds_other;
        let is_enough = share >= MIN_SHARE && (has_verb || n_known > 1);
        is_enough.then_some(((share * 100.0) as u32, has_verb))
    }

    /// Returns true for a word of a subject that says that a change of the kind was made.
    fn is_verb(&self, word: &str) -> bool {
        is_of(self.kind.0, word) || is_of(self.kind.1, word)
    }

    /// Returns true if a subject in lower case says directly behind its prefix that the change was made: `ci: add Windows builds`. One for
    /// documents adds a text about a thing, so it counts if a document is asked for.
    fn is_done_by_routine(&self, subject: &str) -> bool {
        let Some((prefix, said)) = subject.split_once([':', ']']) else { return false };
        let is_of_documents = prefix.trim_start_matches('[').starts_with("doc");
        let documents = terms(DOCUMENT_WORDS);
        let verb = said.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty());
        verb.is_some_and(|verb| self.is_verb(verb))
            && (!is_of_documents || self.things.iter().any(|thing| documents.contains(thing)))
    }
}

/// Words about the kind of a file, a folder or its first commit.
#[rustfmt::skip]
const KIND_WORDS: [&str; 17] = [
    "file", "module", "package", "folder", "directory", "crate", "class", "type", "function", "struct", "library", "component", "program",
    "first", "initially", "originally", "repository",
];

/// First words of the subjects of commits that repair what is there.
const REPAIRS: [&str; 6] = ["fix", "fixes", "fixed", "bugfix", "hotfix", "typo"];

/// First words of the subjects of commits that document or maintain what is there, and seldom add a thing.
const ROUTINES: [&str; 7] = ["doc", "docs", "chore", "ci", "style", "bump", "bumps"];

/// Words for documents, which commits for documents add.
const DOCUMENT_WORDS: &str = "documentation docs document guide readme manual tutorial changelog page";

/// Terms that are of the question, and not of the thing.
const QUESTION_TERMS: [&str; 11] = ["when", "why", "who", "commit", "chang", "pr", "sinc", "did", "wa", "whom", "get"];

/// Returns true if a word has one of these stems. The stems of terms are shorter: that of `added` is `ad`, as that of `ads`.
fn is_of(stems: &[&str], word: &str) -> bool {
    // Irregular forms are whole words: a camera did not come, and a getter gets nothing.
    const WHOLE: [&str; 6] = ["get", "gets", "got", "came", "come", "brought"];
    let is_form = |stem: &&str| word.starts_with(*stem) && !WHOLE.contains(stem) && word.len() <= stem.len() + 3;
    stems.iter().any(|stem| word == *stem || is_form(stem))
}

/// Returns the terms of a text, with those of the parts of compound names.
pub(super) fn terms(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.flat_map(analyser::words).flat_map(|word| analyser::terms(&word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_its_first_commit_and_a_question_name_may_be_the_thing() {
        for (path, subject, question, expected) in [
            ("src/crane.rs", "Add the crane (#4)", "When did the crane come in?", true),
            ("src/pier.rs", "Add the crane (#4)", "When did the crane come in?", false),
            ("src/crane.rs", "Initial import", "When did the crane come in?", false),
        ] {
            assert_eq!(is_own_start(path, subject, question), expected, "{path}: {subject}");
        }
    }

    /// Returns the score of a subject for a question about the repository `kit`.
    fn score(question: &str, subject: &str) -> Option<(u32, bool)> {
        WantedEvent::of(question, &["kit"])?.score(subject, "")
    }

    #[test]
    fn questions_for_the_past_ask_for_persons_or_times() {
        for (question, expected) in [
            ("Who should look at a bug in the berths?", true),
            ("since when can the dock freeze", true),
            ("who calls the dock", false),
            ("when is the dock closed", false),
        ] {
            assert_eq!(asks_for_past(question), expected, "{question}");
        }
    }

    #[test]
    fn the_first_commit_of_a_file_is_not_that_of_a_part_of_it() {
        for (question, name, path, expected) in [
            ("when was server.py added?", "src/net/server.py", "src/net/server.py", vec![]),
            ("when was net/server.py first added?", "src/net/server.py", "src/net/server.py", vec![]),
            ("when was the route table package of kit added", "@acme/route-table", "packages/route-table", vec![]),
            ("when was RouteTable introduced", "RouteTable", "src/route_table.rs", vec![]),
            ("when did server.py get retry support", "src/retry/server.py", "src/retry/server.py", vec!["retri"]),
        ] {
            let wanted = WantedEvent::of(question, &["kit"]).expect(question);
            assert_eq!(wanted.things_outside_subject(question, &[(name.to_owned(), path)]), expected, "{question}");
        }
    }

    #[test]
    fn a_file_is_named_for_all_that_was_added() {
        for (question, path, expected) in [
            ("when was retry added to the client?", "src/client.rs", false),
            ("when was retry added to the client?", "src/client_retry.rs", true),
            ("when was the tide table added?", "src/tide_table.rs", true),
            ("when was the tide table module added?", "src/tide_table/mod.rs", true),
            ("when was the tide table added?", "src/tide.rs", false),
        ] {
            let wanted = WantedEvent::of(question, &["kit"]).expect(question);
            assert_eq!(is_named_for(path, &wanted.things), expected, "{question} {path}");
        }
    }

    #[test]
    fn commits_are_found_by_the_words_of_their_subjects() {
        let asked = "when did kit drop the Memcached cache backend?";
        assert_eq!(score(asked, "refactor: remove Memcached cache backend (#7)"), Some((100, true)));
        assert_eq!(score(asked, "Document the Memcached cache"), Some((66, false)));
        assert_eq!(score(asked, "Add a cache"), None);
        let why = "why was the timeout variant of Gate added and by whom?";
        assert_eq!(score(why, "feat: add a Gate variant with a timeout"), Some((100, true)));
        assert_eq!(score("when did kit get zone hints?", "kit: add zone hints"), Some((100, true)));
        assert_eq!(score("when did zone hints get removed?", "Add zone hints"), Some((100, false)));
        assert_eq!(score("when was retry.go last changed?", "Add retry"), None);
        assert_eq!(score("since when does kit have zone hints?", "Added zone hints"), Some((100, true)));
        assert_eq!(score("the cache was removed", "Remove the cache"), None);
        assert_eq!(score("when did kit get zone hints?", "fix: add zone hints to the log"), None);
        assert_eq!(score("when was the zone limit added?", "[fix] Count empty zones toward the limit"), None);
        assert_eq!(score("when was the zone limit removed?", "[fix] Drop the zone limit"), Some((100, true)));
        for (question, subject, expected) in [
            ("When were Windows builds added?", "ci: add Windows builds", Some((100, true))),
            ("When were Windows builds added?", "[CI] Add Windows builds", Some((100, true))),
            ("when was the dev container added?", "chore(dev): add a dev container", Some((100, true))),
            ("when was the migration guide added?", "docs: add migration guide", Some((100, true))),
            ("when did kit get zone hints?", "docs: add zone hints", None),
            ("When were Windows builds added?", "ci: cache Windows builds for new tools", None),
            ("When were Windows builds added?", "fix(ci): add Windows builds", None),
            ("when were zone hints added?", "Bump zone hints", None),
        ] {
            assert_eq!(score(question, subject), expected, "{question} {subject}");
        }
        for (question, expected) in [
            ("when was the camera zoom changed?", false),
            ("when was the comet table changed?", false),
            ("when was the zone getter changed?", false),
            ("when did the camera zoom come?", true),
            ("when were zone hints brought in?", true),
        ] {
            assert_eq!(WantedEvent::of(question, &[]).is_some(), expected, "{question}");
        }
        assert_eq!(score("when did zone hints come in?", "Add zone hints"), Some((100, true)));
        assert_eq!(score("when did kit get a circuit breaker?", "Circuit breaker added"), Some((100, true)));
        let wanted = WantedEvent::of("when was the zone table added", &[]).expect("an event");
        assert_eq!(wanted.score("feat: the table", "src/zone.rs"), Some((100, true)));
        let weights = [("zone", 3.0), ("tabl", 1.0)].map(|(term, weight)| (term.to_owned(), weight)).into();
        let weighed = WantedEvent { weights, ..wanted };
        assert_eq!(weighed.score("Add zones", ""), Some((75, true)));
        assert_eq!(weighed.score("Add a table", ""), None);
        assert!(is_sure_event(asked) && !is_sure_event("when was retry.go last changed?"));
    }
}
