//! Changes of a thing: the last commits of a file or repository, how often it changes, and what changes along with it.

use std::collections::{BTreeMap, BTreeSet};

use model::FileClass;
use proto::v1;

use super::super::{confidence::Confidence, evidence::EvidenceHit};
use super::{
    IntentAnswer, IntentContext,
    cited_text::{CitedText, citation, counted},
    events::{self, terms},
    ownership::owners_text,
    subject::{Description, Subject, SubjectNode},
    subject_doubt::{self, TellingWords},
};
use crate::{
    arguments::suggested,
    get_context::item::{commit, lines_of},
};
use federation::{answer::Answer, instant::rfc3339, repo_idx::RepoIdx};

/// Maximum number of commits in an answer.
const MAX_CHANGES: usize = 3;

/// Maximum number of files in an answer about what changes together.
const MAX_CO_CHANGES: usize = 6;

/// Maximum number of files of one name.
const MAX_FILES: usize = 2;

/// Files of a repository whose history is read for its last changes.
const MAX_BUSY_FILES: u32 = 12;

/// Words that ask for files that change together, and for the frequency of changes.
const CO_CHANGE_WORDS: [&str; 5] = ["together", "along", "co-change", "cochange", "changes with"];
const FREQUENCY_WORDS: [&str; 8] =
    ["how often", "how many", "how frequently", "hotspot", "stable", "volatile", "active", "often changed"];

/// A file, and the definition in it that a question is about.
pub(super) struct FileSubject {
    pub(super) repo_idx: RepoIdx,
    pub(super) path: String,
    pub(super) lines: (u32, u32),
    /// The name of the definition; empty for the file itself.
    name: String,
    /// The words that the file is the best match for; empty if the question names it.
    best_match_for: String,
    /// True if the file has little of what is described.
    is_guess: bool,
}

impl FileSubject {
    pub(super) fn id(&self, plan: &federation::plan::Plan) -> String {
        format!("{}:{}", plan.alias(self.repo_idx), text::sanitise_name(&self.path))
    }

    /// Returns `file`, or `name in file`.
    pub(super) fn shown_name(&self) -> String {
        let path = text::quote(&text::sanitise_name(&self.path));
        if !self.best_match_for.is_empty() {
            return format!("{path}, the best match for {},", text::quote(&self.best_match_for));
        }
        if self.name.is_empty() { path } else { format!("{path}, which defines {},", text::quote(&self.name)) }
    }
}

/// Returns the files of a subject; of a description, the file of the best hit.
pub(super) fn file_subjects(context: IntentContext<'_, '_>, subject: &Subject) -> Option<Vec<FileSubject>> {
    match subject {
        Subject::Repositories(_) | Subject::Module(_) => None,
        Subject::Nodes(nodes) => {
            let mut files: Vec<FileSubject> = Vec::new();
            for node in nodes {
                if files.iter().all(|file| (file.repo_idx, file.path.as_str()) != (node.at.repo_idx, node.path())) {
                    files.push(of_node(node));
                }
            }
            files.truncate(MAX_FILES);
            Some(files)
        }
        Subject::Description(description) => Some(vec![of_best_hit(context, description)?]),
    }
}

fn of_node(node: &SubjectNode) -> FileSubject {
    let lines = lines_of(&node.card);
    let name = if node.is_file() { String::new() } else { node.name() };
    let (repo_idx, path, best_match_for) = (node.at.repo_idx, node.path().to_owned(), String::new());
    FileSubject { repo_idx, path, lines: (lines.start, lines.end), name, best_match_for, is_guess: false }
}

/// Minimum relevance of a hit that stands for a description.
const MIN_RELEVANCE: f32 = 1.0;

/// Minimum relevance of a hit that an answer trusts.
const SURE_RELEVANCE: f32 = 3.0;

fn of_best_hit(context: IntentContext<'_, '_>, description: &Description) -> Option<FileSubject> {
    let is_in = |repo_idx: &RepoIdx| description.named.is_empty() || description.named.contains(repo_idx);
    let is_match = |hit: &&EvidenceHit| is_in(&hit.repo_idx) && !hit.is_prose() && hit.relevance >= MIN_RELEVANCE;
    let is_within = |hit: &&EvidenceHit| {
        description.within.as_ref().is_some_and(|module| module.contains(hit.repo_idx, &hit.file.path))
    };
    let hits = &context.evidence.hits;
    let asked: BTreeSet<String> = description.words.iter().flat_map(|word| terms(word)).collect();
    let aliases: BTreeSet<String> = context.plan.asked.iter().flat_map(|one| terms(context.plan.alias(*one))).collect();
    let asked: BTreeSet<String> = asked.difference(&aliases).cloned().collect();
    // The last word says what it is: a connection pool is a pool.
    let head: Vec<String> = description
        .words
        .iter()
        .rev()
        .map(|word| terms(word))
        .find(|head| head.iter().any(|term| asked.contains(term)))
        .unwrap_or_default();
    let by_name = hits
        .iter()
        .filter(is_match)
        .filter(|hit| {
            is_named_by(&hit.file.path, &asked) && terms(&hit.file.path).iter().any(|term| head.contains(term))
        })
        .find(|hit| {
            // Tests and declarations of types are about it, and not it.
            FileClass::from(hit.file.class()) == FileClass::Source && !hit.file.path.ends_with(".d.ts")
        });
    let within = || hits.iter().filter(is_match).find(is_within);
    let hit = within().or(by_name).or_else(|| hits.iter().find(is_match))?;
    let place = hit.places.first();
    let lines = place.map_or((1, hit.file.lines), |place| (place.lines.start, place.lines.end));
    (!description.words.is_empty()).then(|| FileSubject {
        repo_idx: hit.repo_idx,
        path: hit.file.path.clone(),
        lines,
        name: String::new(),
        best_match_for: description.words.join(" "),
        is_guess: hit.relevance < SURE_RELEVANCE || !has_most_words(context, description, hit),
    })
}

/// Returns true if a hit has so many of the telling words of a description that it is what is meant.
fn has_most_words(context: IntentContext<'_, '_>, description: &Description, hit: &EvidenceHit) -> bool {
    let share = TellingWords::of(context, &description.words.join(" ")).share_of_hit(hit);
    share.is_none_or(|share| share >= subject_doubt::SURE_SHARE)
}

/// Returns true if all terms of the name of a file are asked for: `tide_table.rs` for "the tide tables of a dock".
///
/// The main file of a folder has its name, and stands for the whole of it.
pub(super) fn is_named_by(path: &str, asked: &BTreeSet<String>) -> bool {
    let (stem, folder) = stem_and_folder(path);
    let named = terms_of_name(path);
    stem != folder && !named.is_empty() && named.iter().all(|term| asked.contains(term))
}

/// Returns the terms of the name of a file. The file of a module has the name of its folder.
pub(super) fn terms_of_name(path: &str) -> Vec<String> {
    let (stem, folder) = stem_and_folder(path);
    terms(if matches!(stem, "mod" | "index" | "__init__") { folder } else { stem })
}

fn stem_and_folder(path: &str) -> (&str, &str) {
    let mut parts = path.rsplit('/');
    let stem = parts.next().unwrap_or(path).split('.').next().unwrap_or_default();
    (stem, parts.next().unwrap_or_default())
}

/// Returns the histories of files.
pub(super) async fn histories_of(
    context: IntentContext<'_, '_>,
    files: &[FileSubject],
) -> Answer<BTreeMap<(RepoIdx, String), v1::FileHistory>> {
    let keys: BTreeSet<(RepoIdx, String)> = files.iter().map(|file| (file.repo_idx, file.path.clone())).collect();
    let plan = context.call.visible.plan_for(files.iter().map(|file| file.repo_idx).collect(), false);
    context.call.history(&plan, &keys).await
}

/// Returns the statement that a file has no known history.
pub(super) fn without_history(context: IntentContext<'_, '_>, file: &FileSubject) -> CitedText {
    let place = citation(context.plan, file.repo_idx, &file.path, file.lines);
    CitedText::cited(format!("No commit of a person to {} is known", text::quote(&file.path)), place).then(".")
}

pub(super) async fn answer(context: IntentContext<'_, '_>, subject: &Subject, question: &str) -> Option<IntentAnswer> {
    let event = events::answer(context, subject, question).await;
    if event.is_some() || events::is_sure_event(question) {
        return event;
    }
    if let Subject::Repositories(named) = subject {
        return of_repositories(context, named).await;
    }
    let files = file_subjects(context, subject)?;
    let Answer { value: histories, shortfalls } = histories_of(context, &files).await;
    let lower = question.to_lowercase();
    let asks_for = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let mut sentences: Vec<CitedText> = Vec::new();
    for file in &files {
        let Some(history) = histories.get(&(file.repo_idx, file.path.clone())) else {
            sentences.push(without_history(context, file));
            continue;
        };
        if asks_for(&CO_CHANGE_WORDS) {
            sentences.push(co_changes(context, file, history));
        } else if asks_for(&FREQUENCY_WORDS) {
            sentences.push(frequency(context, file, history));
            sentences.extend(last_changes(context, file, history).into_iter().take(1));
        } else {
            sentences.extend(last_changes(context, file, history));
        }
    }
    let note = format!(
        "get_context {} with mode=\"intent\" and intent=\"debug\" lists more changes",
        suggested("target", &files.first()?.id(context.plan))
    );
    let confidence = confidence(&files);
    Some(IntentAnswer::new(sentences, confidence, note).with_shortfalls(shortfalls))
}

/// Returns the confidence of an answer about files: one that the question names is meant for sure.
pub(super) fn confidence(files: &[FileSubject]) -> Confidence {
    let is_sure = matches!(files, [one] if one.best_match_for.is_empty());
    if files.iter().any(|file| file.is_guess) {
        Confidence::Low
    } else if is_sure {
        Confidence::High
    } else {
        Confidence::Medium
    }
}

fn last_changes(context: IntentContext<'_, '_>, file: &FileSubject, history: &v1::FileHistory) -> Vec<CitedText> {
    let place = citation(context.plan, file.repo_idx, &file.path, file.lines);
    let changes = if history.changes.is_empty() { history.last_change.as_slice() } else { history.changes.as_slice() };
    let Some((last, before)) = changes.split_first() else { return vec![without_history(context, file)] };
    let first = format!("{} was last changed on {}", file.shown_name(), change_text(last));
    let mut sentences = vec![CitedText::cited(first, place).then(".")];
    let earlier: Vec<CitedText> = before
        .iter()
        .take(MAX_CHANGES - 1)
        .map(|change| CitedText::plain(format!("on {}", change_text(change))))
        .collect();
    if !earlier.is_empty() {
        sentences.push(CitedText::listed("Before that, it was changed ", earlier, MAX_CHANGES, "."));
    }
    if !file.name.is_empty() {
        sentences.push(CitedText::plain("The history is that of the whole file.".to_owned()));
    }
    sentences
}

fn frequency(context: IntentContext<'_, '_>, file: &FileSubject, history: &v1::FileHistory) -> CitedText {
    let place = citation(context.plan, file.repo_idx, &file.path, file.lines);
    let hotspot = history.hotspot.as_ref().map_or_else(String::new, |hotspot| {
        format!(
            "; it changes more often than {:.0} % of the source files of its repository",
            hotspot.churn_share * 100.0
        )
    });
    let sentence = format!(
        "{} has {}, of which {} fix something, and {} in the last 13 weeks of its repository{hotspot}{}; it is owned by {}",
        file.shown_name(),
        counted(history.commits as usize, "commit"),
        history.fixes,
        history.recent,
        extent_note(history.extent()),
        owners_text(&history.owners),
    );
    CitedText::cited(sentence, place).then(".")
}

fn co_changes(context: IntentContext<'_, '_>, file: &FileSubject, history: &v1::FileHistory) -> CitedText {
    let place = citation(context.plan, file.repo_idx, &file.path, file.lines);
    let shown = file.shown_name();
    if history.co_changes.is_empty() {
        return CitedText::cited(
            format!("No file is known that changes together with {}", shown.trim_end_matches(',')),
            place,
        )
        .then(".");
    }
    let item = |other: &v1::CoChange| {
        CitedText::plain(format!(
            "{} ({})",
            text::quote(&text::sanitise_name(&other.path)),
            counted(other.support as usize, "common commit")
        ))
    };
    let items = by_support(&history.co_changes).into_iter().map(item).collect();
    let list = CitedText::listed(&format!("{shown} most often changes together with "), items, MAX_CO_CHANGES, "");
    CitedText::cited(list.text, place).then(".")
}

/// Returns the co-changed files in the order of the figure that is shown.
fn by_support(co_changes: &[v1::CoChange]) -> Vec<&v1::CoChange> {
    let mut sorted: Vec<&v1::CoChange> = co_changes.iter().collect();
    // A stable sort: of equal support, the file with the newer common commits stays first.
    sorted.sort_by_key(|other| std::cmp::Reverse(other.support));
    sorted
}

/// Returns the last changes of the busiest files of repositories.
async fn of_repositories(context: IntentContext<'_, '_>, named: &BTreeSet<RepoIdx>) -> Option<IntentAnswer> {
    let call = context.call;
    let plan = call.visible.plan_for(named.iter().copied().collect(), false);
    let Answer { value: overviews, shortfalls } = call.overviews(&plan, MAX_BUSY_FILES).await;
    let busy = |(repo_idx, overview): (&RepoIdx, &v1::RepositoryOverview)| {
        let hot = overview.hotspots.iter().map(|file| file.path.clone());
        let described = overview.purposes.iter().map(|purpose| purpose.path.clone());
        let made = overview.makes.iter().filter_map(|package| Some(package.at.as_ref()?.path.clone()));
        hot.chain(described)
            .chain(made)
            .filter(|path| !path.is_empty())
            .map(|path| (*repo_idx, path))
            .collect::<Vec<_>>()
    };
    let files: BTreeSet<(RepoIdx, String)> = overviews.iter().flat_map(busy).collect();
    let histories = call.history(&plan.without(&shortfalls), &files).await.after(shortfalls);
    let mut sentences: Vec<CitedText> = Vec::new();
    for (repo_idx, overview) in &overviews {
        let alias = text::quote(context.plan.alias(*repo_idx));
        let Some(past) = overview.past.as_ref().filter(|past| !past.owners.is_empty()) else {
            sentences.push(CitedText::plain(format!("No commit of a person to {alias} is known.")));
            continue;
        };
        let at_least = if past.recent_is_at_least { "at least " } else { "" };
        let n_recent = counted(past.recent as usize, "commit");
        let summary = format!(
            "{alias} has {at_least}{n_recent} in the 13 weeks before its newest one. Over its whole history, by weight of \
             recent changes, its owners are {}.",
            owners_text(&past.owners)
        );
        sentences.push(CitedText::plain(summary));
        let of_repository = histories.value.iter().filter(|((of, _), _)| of == repo_idx);
        let mut changes: Vec<(&v1::Change, &String)> = of_repository
            .flat_map(|((_, path), history)| history.changes.iter().map(move |change| (change, path)))
            .collect();
        changes
            .sort_by(|(a, a_path), (b, b_path)| b.at.cmp(&a.at).then(a.commit.cmp(&b.commit)).then(a_path.cmp(b_path)));
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        changes.retain(|(change, _)| seen.insert(change.commit.as_str()));
        let item = |(change, path): &(&v1::Change, &String)| {
            CitedText::cited(format!("on {}", change_text(change)), citation(context.plan, *repo_idx, path, (1, 1)))
        };
        let items: Vec<CitedText> = changes.iter().take(MAX_CHANGES).map(item).collect();
        if !items.is_empty() {
            sentences.push(CitedText::listed(
                "The last changes to its busiest files were made ",
                items,
                MAX_CHANGES,
                ".",
            ));
        }
        let hot: Vec<CitedText> = overview
            .hotspots
            .iter()
            .filter(|file| file.recent > 0)
            .map(|file| CitedText::plain(text::quote(&text::sanitise_name(&file.path))))
            .collect();
        if !hot.is_empty() {
            sentences.push(CitedText::listed("The files that change most are ", hot, MAX_CHANGES, "."));
        }
    }
    let first = named.first().map(|repo_idx| suggested("repo", context.plan.alias(*repo_idx)))?;
    let note = format!("get_overview {first} has the hotspots");
    (!sentences.is_empty())
        .then(|| IntentAnswer::new(sentences, Confidence::High, note).with_shortfalls(histories.shortfalls))
}

/// Returns a change as `2026-01-31 by A: subject (1a2b3c4d)`.
pub(super) fn change_text(change: &v1::Change) -> String {
    let subject = text::quote(&text::first_sentence(&change.subject));
    format!("{} by {}: {subject} ({})", day(change.at), text::quote_name(&change.author), commit(&change.commit))
}

/// Returns the day of a change.
pub(super) fn day(seconds: i64) -> String {
    rfc3339(seconds)
        .map_or_else(|| "an unknown day".to_owned(), |instant| instant.chars().take_while(|c| *c != 'T').collect())
}

/// Returns a remark about an incomplete history.
pub(super) fn extent_note(extent: v1::HistoryExtent) -> &'static str {
    match extent {
        v1::HistoryExtent::Shallow => " (the clone is shallow: older commits are not known)",
        v1::HistoryExtent::Bounded => " (of the newest commits of the repository)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_words_that_have_its_whole_name() {
        let asked: BTreeSet<String> = terms("the tide tables of the dock").into_iter().collect();
        for (path, expected) in [
            ("src/tide_table.rs", true),
            ("lib/tide.js", true),
            ("src/tide_chart.rs", false),
            ("dock/dock.go", false),
            ("src/tide/mod.rs", true),
        ] {
            assert_eq!(is_named_by(path, &asked), expected, "{path}");
        }
    }

    #[test]
    fn files_that_change_together_are_sorted_by_their_number_of_common_commits() {
        let file = |(path, support): &(&str, u32)| v1::CoChange {
            path: (*path).to_owned(),
            support: *support,
            ..Default::default()
        };
        let co_changes: Vec<v1::CoChange> = [("a", 6), ("b", 12), ("c", 6), ("d", 7)].iter().map(file).collect();
        let paths: Vec<&str> = by_support(&co_changes).into_iter().map(|other| other.path.as_str()).collect();
        assert_eq!(paths, ["b", "d", "a", "c"]);
    }
}
