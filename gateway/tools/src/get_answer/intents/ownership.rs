//! Owners of a thing: the authors of its recent changes, from the history of its file or repository.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use proto::v1;

use super::super::confidence::Confidence;
use super::{
    IntentAnswer, IntentContext,
    cited_text::{CitedText, citation, counted},
    history::{FileSubject, confidence, day, extent_note, file_subjects, histories_of, without_history},
    subject::Subject,
};
use crate::arguments::suggested;
use federation::{answer::Answer, repo_idx::RepoIdx};

/// Maximum number of named owners.
const MAX_OWNERS: usize = 3;

/// Maximum number of owners of a repository that are read.
const MAX_READ: u32 = 5;

/// Minimum share of an owner that is named, unless it is the first.
const MIN_SHARE: f32 = 0.02;

pub(super) async fn answer(context: IntentContext<'_, '_>, subject: &Subject) -> Option<IntentAnswer> {
    if let Subject::Repositories(named) = subject {
        return of_repositories(context, named).await;
    }
    let files = file_subjects(context, subject)?;
    let Answer { value: histories, shortfalls } = histories_of(context, &files).await;
    let mut sentences: Vec<CitedText> = Vec::new();
    for file in &files {
        match histories.get(&(file.repo_idx, file.path.clone())) {
            Some(history) => sentences.extend(of_history(context, file, history)),
            None => sentences.push(without_history(context, file)),
        }
    }
    let note = format!(
        "get_risk targets=[{}] names the reviewers of a change",
        text::quote_name(&files.first()?.id(context.plan))
    );
    Some(IntentAnswer::new(sentences, confidence(&files), note).with_shortfalls(shortfalls))
}

fn of_history(context: IntentContext<'_, '_>, file: &FileSubject, history: &v1::FileHistory) -> Vec<CitedText> {
    let place = citation(context.plan, file.repo_idx, &file.path, file.lines);
    let subject = file.shown_name();
    let owners = owners_text(&history.owners);
    let n_authors = counted(history.authors.max(1) as usize, "author");
    let n_commits = counted(history.commits as usize, "commit");
    let mut sentences =
        vec![CitedText::cited(format!("{subject} is owned by {owners}, by weight of recent changes"), place).then(".")];
    let mut facts = format!("The file has {n_commits} by {n_authors}{}", extent_note(history.extent()));
    if let Some(last) = &history.last_change {
        let author = text::quote_name(&last.author).into_owned();
        facts += &format!("; {author} changed it last, on {}", day(last.at));
    }
    sentences.push(CitedText::plain(format!("{facts}.")));
    sentences.extend(most_commits(history).map(CitedText::plain));
    sentences.extend(few_commits_note(history.commits));
    sentences
}

/// Minimum number of commits whose authors say something about ownership.
const MIN_COMMITS: u32 = 3;

/// Returns the author of most of the last commits of a file, if that is not the first owner. The weight of a change halves with
/// its age, so the author of one new commit may own more than the author of most commits.
fn most_commits(history: &v1::FileHistory) -> Option<String> {
    let mut n_by_author: BTreeMap<&str, u32> = BTreeMap::new();
    history.changes.iter().for_each(|change| *n_by_author.entry(change.author.as_str()).or_default() += 1);
    let n_of_owner = n_by_author.get(history.owners.first()?.name.as_str()).copied().unwrap_or(0);
    let (author, n_commits) = n_by_author.into_iter().max_by_key(|(author, n)| (*n, Reverse(*author)))?;
    let is_more = n_commits >= MIN_COMMITS && n_commits > n_of_owner;
    let author = text::quote_name(author);
    is_more.then(|| format!("Of its last {}, {author} made {n_commits}.", counted(history.changes.len(), "commit")))
}

/// Returns a caveat about a history that is too short to name an owner.
fn few_commits_note(n_commits: u32) -> Option<CitedText> {
    let note = "So few commits say little about who knows the file.";
    (n_commits < MIN_COMMITS).then(|| CitedText::plain(note))
}

async fn of_repositories(context: IntentContext<'_, '_>, named: &BTreeSet<RepoIdx>) -> Option<IntentAnswer> {
    let plan = context.call.visible.plan_for(named.iter().copied().collect(), false);
    let Answer { value: overviews, shortfalls } = context.call.overviews(&plan, MAX_READ).await;
    let mut sentences: Vec<CitedText> = Vec::new();
    for (repo_idx, overview) in &overviews {
        let alias = text::quote(context.plan.alias(*repo_idx));
        let Some(past) = overview.past.as_ref().filter(|past| !past.owners.is_empty()) else {
            sentences.push(CitedText::plain(format!(
                "No commit of a person to {alias} is known, so its owners are not either."
            )));
            continue;
        };
        let bus_factor = match past.bus_factor {
            0 => String::new(),
            1 => "; one person made more than half of these changes".to_owned(),
            n_people => format!("; {n_people} people made more than half of these changes"),
        };
        let n_owners = counted((past.all_owners as usize).max(past.owners.len()), "author");
        let sentence = format!(
            "{alias} is owned by {}, by weight of recent changes of {n_owners}{bus_factor}{}.",
            owners_text(&past.owners),
            extent_note(past.extent()),
        );
        sentences.push(CitedText::plain(sentence));
        sentences.extend(module_owners(context, *repo_idx, overview));
    }
    let first = named.first().map(|repo_idx| suggested("repo", context.plan.alias(*repo_idx)))?;
    let note = format!("get_overview {first} has the owner of each module");
    (!sentences.is_empty()).then(|| IntentAnswer::new(sentences, Confidence::High, note).with_shortfalls(shortfalls))
}

/// Returns the owners of the largest modules, if they are not all of one person.
fn module_owners(
    context: IntentContext<'_, '_>,
    repo_idx: RepoIdx,
    overview: &v1::RepositoryOverview,
) -> Option<CitedText> {
    let owned = overview.modules.iter().filter(|module| !module.path.is_empty());
    let owned: Vec<(&v1::Module, &v1::Owner)> =
        owned.filter_map(|module| Some((module, module.owner.as_ref()?))).collect();
    let people: BTreeSet<&str> = owned.iter().map(|(_, owner)| owner.name.as_str()).collect();
    if people.len() < 2 {
        return None;
    }
    let item = |(module, owner): &(&v1::Module, &v1::Owner)| {
        let place = citation(context.plan, repo_idx, &module.path, (1, 1));
        CitedText::plain(format!("{} of {}", text::quote(&place.path), text::quote_name(&owner.name)))
    };
    Some(CitedText::listed("Of its modules, ", owned.iter().map(item).collect(), MAX_OWNERS, "."))
}

/// Returns the names of owners with their shares, as `A (60 %), B (20 %) and C (10 %)`.
pub(super) fn owners_text(owners: &[v1::Owner]) -> String {
    let named = owners.iter().enumerate().filter(|(place, owner)| *place == 0 || owner.share >= MIN_SHARE);
    let item = |(_, owner): (usize, &v1::Owner)| {
        CitedText::plain(format!("{} ({:.0} %)", text::quote_name(&owner.name), owner.share * 100.0))
    };
    let items: Vec<CitedText> = named.take(MAX_OWNERS).map(item).collect();
    if items.is_empty() { "unknown authors".to_owned() } else { CitedText::listed("", items, MAX_OWNERS, "").text }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the remark about the author of most commits.
    fn check(owner: &str, authors: &[&str], expected: Option<&str>) {
        let change = |author: &&str| v1::Change { author: (*author).to_owned(), ..Default::default() };
        let history = v1::FileHistory {
            owners: vec![v1::Owner { name: owner.to_owned(), share: 0.9 }],
            changes: authors.iter().map(change).collect(),
            ..Default::default()
        };
        assert_eq!(most_commits(&history).as_deref(), expected, "{owner}: {authors:?}");
    }

    #[test]
    fn the_author_of_most_commits_is_named_beside_the_owner() {
        check("ada", &["ada", "bob", "bob", "bob"], Some("Of its last 4 commits, bob made 3."));
        check("ada", &["ada", "bob", "bob"], None);
        check("ada", &["bob", "bob", "bob", "ada", "ada", "ada"], None);
        check("ada", &["eve", "eve", "eve", "bob", "bob", "bob"], Some("Of its last 6 commits, bob made 3."));
        check("ada", &[], None);
    }
}
