//! Extras that are files of requirements in a folder of that name: `requirements/extras/redis.txt`, which a `setup.py` reads.

use std::collections::{BTreeMap, BTreeSet};

use model::LineSpan;
use proto::v1;

use super::super::confidence::Confidence;
use super::{
    IntentAnswer, IntentContext,
    cited_text::{CitedText, citation},
    source_lines::{read, without_absent_files},
};
use crate::arguments::suggested;
use federation::{answer::Answer, fetch::SourceRequest, repo_idx::RepoIdx};

/// Required packages of a repository to read.
const MAX_READ: u32 = 400;

/// Maximum number of listed names or requirements, and of lines of a file.
const MAX_LISTED: usize = 40;
const MAX_LINES: u32 = 200;

/// Answers with the requirements of the extra that a question names, or else with the names of all; `None` if no folder has any.
pub(super) async fn answer(
    context: IntentContext<'_, '_>,
    repo_idxs: &[RepoIdx],
    question: &str,
) -> Option<IntentAnswer> {
    let plan = context.call.visible.plan_for(repo_idxs.to_vec(), false);
    let Answer { value: overviews, mut shortfalls } = context.call.overviews(&plan, MAX_READ).await;
    let mut sentences: Vec<CitedText> = Vec::new();
    let words: BTreeSet<String> =
        question.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_'))).map(str::to_lowercase).collect();
    for (repo_idx, overview) in &overviews {
        let files = files_of_extras(overview);
        let alias = text::quote(context.plan.alias(*repo_idx));
        for (name, path) in files_of_words(&files, &words).into_iter().take(MAX_LISTED) {
            let request =
                SourceRequest { repo_idx: *repo_idx, path: path.clone(), lines: LineSpan { start: 1, end: MAX_LINES } };
            let lines = read(context, vec![request], is_requirement).await;
            shortfalls.extend(without_absent_files(lines.shortfalls));
            let Some(last) = lines.value.last().map(|line| line.line) else { continue };
            let items = lines.value.iter().map(|line| CitedText::plain(text::quote(&line.display_text()))).collect();
            let lead = format!("The file of the extra {} of {alias} requires ", text::quote(&name));
            let said = CitedText::listed(&lead, items, MAX_LISTED, "");
            sentences.push(CitedText::cited(said.text, citation(context.plan, *repo_idx, &path, (1, last))).then("."));
        }
        if sentences.is_empty() && !files.is_empty() && question.to_lowercase().contains("extras") {
            let folder = files.values().next().and_then(|path| path.rsplit_once('/')).map_or("", |(folder, _)| folder);
            let items = files.keys().map(|name| CitedText::plain(text::quote(name))).collect();
            let lead =
                format!("{alias} has a file of requirements in {} for each of these extras: ", text::quote(folder));
            sentences.push(CitedText::listed(&lead, items, MAX_LISTED, "."));
        }
    }
    let note =
        format!("get_overview {} lists all packages", suggested("repo", context.plan.alias(*repo_idxs.first()?)));
    (!sentences.is_empty()).then(|| IntentAnswer::new(sentences, Confidence::Medium, note).with_shortfalls(shortfalls))
}

/// Returns the files of the extras that words may name, in the folders of extras: an overview knows each package by one file.
fn files_of_words(files: &BTreeMap<&str, &str>, words: &BTreeSet<String>) -> BTreeMap<String, String> {
    const MIN_CHARS: usize = 2;
    // Each folder with the extension of its files.
    let place = |path: &&str| Some((path.rsplit_once('/')?.0.to_owned(), path.rsplit_once('.')?.1.to_owned()));
    let folders: BTreeSet<(String, String)> = files.values().filter_map(place).collect();
    let is_word = |word: &&String| word.len() >= MIN_CHARS && !ranking::query::is_stop_word(word);
    let named = words.iter().filter(is_word);
    let mut found: BTreeMap<String, String> = named
        .flat_map(|word| {
            let path = |(folder, extension): &(String, String)| format!("{folder}/{word}.{extension}");
            folders.iter().map(path).map(|path| (word.clone(), path)).collect::<Vec<_>>()
        })
        .collect();
    let known = files.iter().filter(|(name, _)| words.contains(&name.to_lowercase()));
    found.extend(known.map(|(name, path)| (name.to_lowercase(), (*path).to_owned())));
    found
}

/// Returns the files that list the requirements of extras, by the names of these.
fn files_of_extras(overview: &v1::RepositoryOverview) -> BTreeMap<&str, &str> {
    let paths = overview.requires.iter().filter_map(|package| Some(package.at.as_ref()?.path.as_str()));
    let named = paths.filter_map(|path| {
        let (folders, file) = path.rsplit_once('/')?;
        let name = file.strip_suffix(".txt").or_else(|| file.strip_suffix(".in"))?;
        let is_of_extras = matches!(folders.rsplit('/').next(), Some("extras" | "extra"));
        is_of_extras.then_some((name, path))
    });
    named.collect()
}

/// Returns true for a line that requires a package or the packages of another file.
fn is_requirement(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with('#') && (!line.starts_with('-') || line.starts_with("-r "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extras_are_files_of_a_folder_of_extras() {
        let package = |path: &str| v1::DeclaredPackage {
            at: Some(v1::Spot { path: path.to_owned(), line: 1 }),
            ..Default::default()
        };
        let paths = [
            "requirements/extras/tides.txt",
            "requirements/default.txt",
            "requirements/extras/tides.toml",
            "extras.txt",
            "extras/crane.in",
        ];
        let overview = v1::RepositoryOverview { requires: paths.map(package).to_vec(), ..Default::default() };
        let names: Vec<&str> = files_of_extras(&overview).into_keys().collect();
        assert_eq!(names, ["crane", "tides"]);
        let words: BTreeSet<String> = ["the", "crane", "gate"].map(str::to_owned).into();
        let paths: Vec<String> = files_of_words(&files_of_extras(&overview), &words).into_values().collect();
        assert_eq!(paths, ["extras/crane.in", "requirements/extras/gate.txt"]);
        let of_folder = files_of_words(&BTreeMap::from([("crane", "extras/crane.in")]), &words);
        assert_eq!(of_folder["gate"], "extras/gate.in");
    }

    #[test]
    fn options_and_comments_require_nothing() {
        for (line, expected) in
            [("kit[tides]>=1", true), ("-r tides.txt", true), ("--index-url x", false), ("# kit", false), ("", false)]
        {
            assert_eq!(is_requirement(line), expected, "{line}");
        }
    }
}
