//! `_meta`: the metadata of an answer, and how to get more. A compact answer ends with the same facts on one line.

use std::time::Duration;

use proto::v1;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::{may_miss::MayMiss, render::RenderedAnswer};
use federation::{
    commit_id::short_commit,
    coverage::{Coverage, CoverageGap},
    instant::rfc3339,
    plan::Plan,
    repo_idx::RepoIdx,
};

/// Placeholders for the duration and the trace id until an answer is sent. No real value takes more tokens, so packing
/// does not depend on them.
const ANY_TIMING_MS: f64 = 99_999.99;
pub(crate) const ANY_TOOK_MS: u64 = 99_999;
const ANY_TRACE_ID: &str = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1";

/// Maximum number of named paths of a work tree.
const MAX_NAMED_PATHS: usize = 5;

/// Maximum number of repositories that are listed only since they have changed.
const MAX_OUTDATED: usize = 3;

/// Maximum number of listed shortfalls; the others are counted.
const MAX_LISTED_SHORTFALLS: usize = 20;

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Meta {
    pub timing_ms: f64,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub trace_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// True if the answer comes from the cache and everything that it cites is unchanged.
    #[serde(skip_serializing_if = "is_false")]
    pub cached: bool,
    pub coverage: CoverageReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub may_miss: Option<MayMiss>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repositories: Vec<Provenance>,
    #[serde(flatten)]
    pub extent: AnswerExtent,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored_arguments: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The number of results, and whether the answer shows only a part of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct AnswerExtent {
    pub truncated: bool,
    #[serde(rename = "totalItems")]
    pub total_items: u64,
    #[serde(rename = "returnedItems")]
    pub returned_items: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct CoverageReport {
    pub asked: usize,
    pub answered: usize,
    pub pruned: usize,
    pub complete: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shortfalls: Vec<ShortfallReport>,
    #[serde(skip_serializing_if = "is_zero")]
    pub more_shortfalls: usize,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct ShortfallReport {
    pub repo: String,
    pub state: &'static str,
    pub reason: String,
    pub retryable: bool,
}

/// The commit at which a quoted repository was read.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Provenance {
    pub repo: String,
    pub indexed_commit: String,
    /// The differences of its work tree to that commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dirty: Option<DirtyFiles>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live_head: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale_warning: Option<String>,
}

/// The files of a work tree that differ from its commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct DirtyFiles {
    /// Number of added, changed and deleted files.
    pub files: u64,
    /// The first few paths.
    pub paths: Vec<String>,
}

impl DirtyFiles {
    pub(crate) fn of(advertised: &v1::Repository) -> Option<DirtyFiles> {
        let paths = advertised.changed_paths.iter().take(MAX_NAMED_PATHS);
        let paths = paths.map(|path| text::sanitise_name(path).into_owned()).collect();
        (advertised.changed_files > 0).then_some(DirtyFiles { files: advertised.changed_files, paths })
    }
}

/// Remarks that a tool adds to its answer.
#[derive(Debug, Default)]
pub(crate) struct Remarks {
    pub hint: Option<String>,
    pub extent: AnswerExtent,
    pub ignored_arguments: Vec<String>,
    pub notes: Vec<String>,
    /// The users of the entity in question that may be missing. The answer is then not complete.
    pub may_miss: Option<MayMiss>,
    /// Repositories that were not searched because they provably could not change the answer.
    pub n_pruned: usize,
}

impl Meta {
    /// Returns the metadata of an answer that quotes the repositories at `quoted`.
    pub(crate) fn new(plan: &Plan, quoted: impl IntoIterator<Item = RepoIdx>, remarks: Remarks) -> Meta {
        let mut meta = Meta {
            timing_ms: ANY_TIMING_MS,
            trace_id: ANY_TRACE_ID.to_owned(),
            hint: remarks.hint,
            cached: false,
            coverage: coverage_report(Coverage::of(plan), remarks.n_pruned, remarks.may_miss.is_none()),
            may_miss: remarks.may_miss,
            repositories: Vec::new(),
            extent: remarks.extent,
            ignored_arguments: remarks.ignored_arguments,
            notes: remarks.notes,
        };
        meta.quote(plan, quoted);
        meta
    }

    /// Replaces the quoted repositories. The first ones that have changed since they were read are among them, since they may have more.
    pub(crate) fn quote(&mut self, plan: &Plan, quoted: impl IntoIterator<Item = RepoIdx>) {
        let mut quoted: Vec<RepoIdx> = quoted.into_iter().chain(plan.outdated().take(MAX_OUTDATED)).collect();
        quoted.sort_unstable();
        quoted.dedup();
        self.repositories = quoted.into_iter().map(|repo_idx| provenance(plan, repo_idx)).collect();
    }

    /// Drops everything optional, for very small budgets.
    pub(crate) fn shorten(&mut self) {
        self.trace_id.clear();
        self.hint = None;
        self.may_miss = None;
        self.repositories.clear();
        self.ignored_arguments.clear();
        self.notes.clear();
    }

    /// Returns the metadata on one line.
    pub(crate) fn footer(&self) -> String {
        let CoverageReport { asked, answered, .. } = self.coverage;
        let mut parts = vec![format!("{answered} of {asked} repositories answered")];
        if !self.coverage.shortfalls.is_empty() {
            let named =
                |shortfall: &ShortfallReport| format!("{} {}", text::quote_name(&shortfall.repo), shortfall.state);
            parts.push(format!(
                "incomplete: {}",
                self.coverage.shortfalls.iter().map(named).collect::<Vec<_>>().join(", ")
            ));
        }
        parts.extend(self.may_miss.as_ref().map(MayMiss::footer));
        for repository in &self.repositories {
            let stale = if repository.live_head.is_some() { " (HEAD has moved on)" } else { "" };
            let stale = if stale.is_empty() && repository.stale_warning.is_some() { " (being edited)" } else { stale };
            let commit = format!("{}@{}", repository.repo, short_commit(&repository.indexed_commit));
            let dirty = repository.dirty.as_ref().map(|dirty| format!(" + {} changed files", dirty.files));
            parts.push(format!("{}{}{stale}", text::quote_name(&commit), dirty.unwrap_or_default()));
        }
        if self.extent.truncated {
            parts.push(format!("{} of {} shown", self.extent.returned_items, self.extent.total_items));
            parts.extend(self.extent.more.as_ref().map(|more| format!("more: {more}")));
        }
        parts.extend(self.ignored_arguments.iter().map(|ignored| format!("ignored: {ignored}")));
        parts.extend(self.notes.iter().cloned());
        parts.extend(self.hint.as_ref().map(|hint| format!("next: {hint}")));
        parts.push(format!("{} ms", self.timing_ms));
        format!("-- {}", parts.join(" | "))
    }
}

/// Replaces the placeholders of a rendered answer by its duration and trace id.
pub(crate) fn fill_placeholders(mut rendered: RenderedAnswer, elapsed: Duration, trace_id: &str) -> RenderedAnswer {
    let timing_ms = (elapsed.as_secs_f64() * 1e5).round() / 1e2;
    let Some(structured) = &mut rendered.structured else {
        let len_before_timing = rendered.text.strip_suffix(&format!("{ANY_TIMING_MS} ms")).map(str::len);
        if let Some(end) = len_before_timing {
            rendered.text.replace_range(end.., &format!("{timing_ms} ms"));
        }
        return rendered;
    };
    let took_ms = timing_ms.round().min(ANY_TOOK_MS as f64) as u64;
    for (part, name, placeholder, actual) in [
        ("_meta", "timing_ms", json!(ANY_TIMING_MS), json!(timing_ms)),
        ("_meta", "trace_id", json!(ANY_TRACE_ID), json!(trace_id)),
        ("searchMetrics", "tookMs", json!(ANY_TOOK_MS), json!(took_ms)),
    ] {
        // Quotes are escaped within JSON strings, so quoted text cannot match this pattern.
        let at = structured.get_mut(part).and_then(|part| part.get_mut(name));
        let field = format!("\"{name}\":{placeholder}");
        if let (Some(start), Some(value)) = (rendered.text.rfind(&field), at) {
            rendered.text.replace_range(start..start + field.len(), &format!("\"{name}\":{actual}"));
            *value = actual;
        }
    }
    rendered
}

fn coverage_report(coverage: Coverage, n_pruned: usize, is_understood: bool) -> CoverageReport {
    let shortfall = |gap: &CoverageGap| ShortfallReport {
        repo: gap.name.clone(),
        state: gap.state.name(),
        reason: gap.reason.clone(),
        retryable: gap.state.is_retryable(),
    };
    CoverageReport {
        asked: coverage.n_asked,
        answered: coverage.n_answered,
        pruned: n_pruned,
        complete: coverage.is_complete() && is_understood,
        shortfalls: coverage.gaps.iter().take(MAX_LISTED_SHORTFALLS).map(shortfall).collect(),
        more_shortfalls: coverage.gaps.len().saturating_sub(MAX_LISTED_SHORTFALLS),
    }
}

fn provenance(plan: &Plan, repo_idx: RepoIdx) -> Provenance {
    let repository = plan.repository(repo_idx);
    let advertised = &repository.advertised;
    let live_head = (!advertised.live_head.is_empty() && advertised.live_head != advertised.commit)
        .then(|| advertised.live_head.clone());
    Provenance {
        repo: plan.alias(repo_idx).to_owned(),
        indexed_commit: advertised.commit.clone(),
        dirty: DirtyFiles::of(advertised),
        stale_warning: stale_warning(advertised),
        live_head,
    }
}

/// Returns a warning if the index is behind its repository, or may be.
pub(crate) fn stale_warning(advertised: &v1::Repository) -> Option<String> {
    let v1::Repository { commit, live_head, unfollowed_since, .. } = advertised;
    let read = format!("read at {}", short_commit(commit));
    let draft = advertised.draft.as_ref().filter(|draft| draft.generation == advertised.generation);
    let newer = Some(&advertised.newer_paths).filter(|paths| !paths.is_empty()).map(|paths| newer_than_index(paths));
    let older = draft.map(|draft| newer_than_graph(&draft.edited_paths));
    let edits: Vec<String> = newer.into_iter().chain(older).collect();
    let warning = if !edits.is_empty() {
        edits.join("; ")
    } else if !live_head.is_empty() && live_head != commit {
        format!("{read}, while HEAD is at {}", short_commit(live_head))
    } else if !commit.is_empty() && *unfollowed_since > 0 {
        let since = rfc3339(*unfollowed_since).unwrap_or_default();
        format!("{read}, and the remote cannot be fetched since {since}: it may have moved on")
    } else {
        return None;
    };
    Some(text::sanitise_name(&warning).into_owned())
}

/// Returns the note about a draft: the text of edited files is current, and the rest of the index is not.
fn newer_than_graph(paths: &[String]) -> String {
    let named: Vec<&str> = named_paths(paths);
    let more = if named.len() < paths.len() { " and further files" } else { "" };
    format!("uses, history and pages are as before {}{more} changed; they are being indexed", named.join(", "))
}

/// Returns the first paths of a list, without the mark of further ones.
fn named_paths(paths: &[String]) -> Vec<&str> {
    let is_named = |path: &&String| path.as_str() != "...";
    paths.iter().filter(is_named).take(MAX_NAMED_PATHS).map(String::as_str).collect()
}

/// Returns the warning about files that were saved after the index was made.
fn newer_than_index(paths: &[String]) -> String {
    let named = named_paths(paths);
    match (named.is_empty(), named.len() < paths.len()) {
        (true, _) => "the work tree may have changed since it was read; it is being indexed".to_owned(),
        (false, true) => format!("read before {} and further files changed; they are being indexed", named.join(", ")),
        (false, false) => format!("read before {} changed; it is being indexed", named.join(", ")),
    }
}

fn is_false(truth: &bool) -> bool {
    !truth
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saved_files_are_named() {
        let paths = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        for (newer_paths, expected) in [
            (paths(&["src/a.rs"]), "read before src/a.rs changed; it is being indexed"),
            (paths(&["a", "b", "..."]), "read before a, b and further files changed; they are being indexed"),
            (paths(&["..."]), "the work tree may have changed since it was read; it is being indexed"),
        ] {
            let advertised = v1::Repository { newer_paths, ..Default::default() };
            assert_eq!(stale_warning(&advertised).as_deref(), Some(expected));
        }
        let changed_paths = (0..9).map(|idx| format!("f{idx}")).collect();
        let advertised = v1::Repository { changed_files: 9, changed_paths, ..Default::default() };
        let dirty = DirtyFiles::of(&advertised).unwrap();
        assert_eq!((dirty.files, dirty.paths.len()), (9, MAX_NAMED_PATHS));
        assert_eq!(DirtyFiles::of(&v1::Repository::default()), None);
    }

    #[test]
    fn answers_of_drafts_say_what_is_older() {
        let draft = |edited: &[&str]| v1::RepositoryDraft {
            generation: "d".to_owned(),
            edited_paths: edited.iter().map(|path| (*path).to_owned()).collect(),
            ..Default::default()
        };
        let of = |generation: &str, edited: &[&str]| v1::Repository {
            generation: generation.to_owned(),
            draft: Some(draft(edited)),
            ..Default::default()
        };
        let expected = "uses, history and pages are as before a.rs changed; they are being indexed";
        assert_eq!(stale_warning(&of("d", &["a.rs"])).as_deref(), Some(expected));
        let many = stale_warning(&of("d", &["a", "b", "c", "d", "e", "f"])).unwrap();
        assert!(many.contains("a, b, c, d, e and further files changed"), "{many}");
        // The generation itself was asked.
        assert_eq!(stale_warning(&of("g", &["a.rs"])), None);
        let newer = v1::Repository { newer_paths: vec!["b.rs".to_owned()], ..of("d", &["a.rs"]) };
        let both = format!("read before b.rs changed; it is being indexed; {expected}");
        assert_eq!(stale_warning(&newer), Some(both));
    }

    #[test]
    fn a_stale_index_has_a_warning() {
        for (live_head, unfollowed_since, expected) in [
            ("", 0, None),
            ("aaaa", 0, None),
            ("bbbb", 0, Some("read at aaaa, while HEAD is at bbbb")),
            ("bbbb", 1, Some("read at aaaa, while HEAD is at bbbb")),
            (
                "",
                1,
                Some("read at aaaa, and the remote cannot be fetched since 1970-01-01T00:00:01Z: it may have moved on"),
            ),
        ] {
            let (commit, live_head) = ("aaaa".to_owned(), live_head.to_owned());
            let advertised = v1::Repository { commit, live_head, unfollowed_since, ..Default::default() };
            assert_eq!(stale_warning(&advertised).as_deref(), expected);
        }
    }
}
