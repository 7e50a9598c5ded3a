//! `_meta`: what stands behind an answer, and how to get more. The same facts as one line close a compact answer.

use std::time::Duration;

use proto::v1;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::{call::Call, instant::rfc3339, plan::Plan, render::Rendered};

/// What stands for how long an answer took, and for its trace id, until it is laid out: no real one takes more tokens.
/// So what is packed into a budget does not depend on either.
const ANY_TIMING_MS: f64 = 99_999.99;
pub(crate) const ANY_TOOK_MS: u64 = 99_999;
const ANY_TRACE_ID: &str = "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1";

/// More shortfalls than this are counted, not listed.
const MAX_LISTED_SHORTFALLS: usize = 20;

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Meta {
    pub(crate) timing_ms: f64,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) trace_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
    /// The answer was given before, and all that it cites is unchanged.
    #[serde(skip_serializing_if = "is_false")]
    pub(crate) cached: bool,
    pub(crate) coverage: CoverageReport,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) repositories: Vec<Provenance>,
    #[serde(flatten)]
    pub(crate) extent: Extent,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) ignored_arguments: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
}

/// How much of what there is an answer holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Extent {
    pub(crate) truncated: bool,
    #[serde(rename = "totalItems")]
    pub(crate) total_items: u64,
    #[serde(rename = "returnedItems")]
    pub(crate) returned_items: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) more: Option<String>,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct CoverageReport {
    pub(crate) asked: usize,
    pub(crate) answered: usize,
    pub(crate) pruned: usize,
    pub(crate) complete: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) shortfalls: Vec<ShortfallReport>,
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) more_shortfalls: usize,
}

#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct ShortfallReport {
    pub(crate) repo: String,
    pub(crate) state: &'static str,
    pub(crate) reason: String,
    pub(crate) retryable: bool,
}

/// What a repository that an answer quotes was read at.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Provenance {
    pub(crate) repo: String,
    pub(crate) indexed_commit: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) live_head: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stale_warning: Option<String>,
}

/// What a tool has to say beside its answer.
#[derive(Debug, Default)]
pub(crate) struct Remarks {
    pub(crate) hint: Option<String>,
    pub(crate) extent: Extent,
    pub(crate) ignored_arguments: Vec<String>,
    pub(crate) notes: Vec<String>,
}

impl Meta {
    /// Describes an answer that quotes the repositories at `quoted`.
    pub(crate) fn new(_: &Call<'_>, plan: &Plan, quoted: impl IntoIterator<Item = usize>, remarks: Remarks) -> Meta {
        let mut meta = Meta {
            timing_ms: ANY_TIMING_MS,
            trace_id: ANY_TRACE_ID.to_owned(),
            hint: remarks.hint,
            cached: false,
            coverage: coverage(plan),
            repositories: Vec::new(),
            extent: remarks.extent,
            ignored_arguments: remarks.ignored_arguments,
            notes: remarks.notes,
        };
        meta.quote(plan, quoted);
        meta
    }

    /// Says that the answer quotes the repositories at `quoted`, and no others.
    pub(crate) fn quote(&mut self, plan: &Plan, quoted: impl IntoIterator<Item = usize>) {
        let mut quoted: Vec<usize> = quoted.into_iter().collect();
        quoted.sort_unstable();
        quoted.dedup();
        self.repositories = quoted.into_iter().map(|position| provenance(plan, position)).collect();
    }

    /// Leaves what an answer must not be without, for budgets that hold little more.
    pub(crate) fn shorten(&mut self) {
        self.trace_id.clear();
        self.hint = None;
        self.repositories.clear();
        self.ignored_arguments.clear();
        self.notes.clear();
    }

    /// Returns the same on one line.
    pub(crate) fn footer(&self) -> String {
        let CoverageReport { asked, answered, complete, .. } = self.coverage;
        let mut parts = vec![format!("{answered} of {asked} repositories answered")];
        if !complete {
            let named = |shortfall: &ShortfallReport| format!("{} {}", shortfall.repo, shortfall.state);
            parts.push(format!(
                "incomplete: {}",
                self.coverage.shortfalls.iter().map(named).collect::<Vec<_>>().join(", ")
            ));
        }
        for repository in &self.repositories {
            let stale = if repository.live_head.is_some() { " (HEAD has moved on)" } else { "" };
            parts.push(format!("{}@{}{stale}", repository.repo, short_commit(&repository.indexed_commit)));
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

/// Puts into an answer that is laid out how long it took, and its trace id.
pub(crate) fn stamp(rendered: &mut Rendered, elapsed: Duration, trace_id: &str) {
    let timing_ms = (elapsed.as_secs_f64() * 1e5).round() / 1e2;
    let Some(structured) = &mut rendered.structured else {
        let before = rendered.text.strip_suffix(&format!("{ANY_TIMING_MS} ms")).map(str::len);
        if let Some(end) = before {
            rendered.text.replace_range(end.., &format!("{timing_ms} ms"));
        }
        return;
    };
    let took_ms = timing_ms.round().min(ANY_TOOK_MS as f64) as u64;
    for (part, name, any, real) in [
        ("_meta", "timing_ms", json!(ANY_TIMING_MS), json!(timing_ms)),
        ("_meta", "trace_id", json!(ANY_TRACE_ID), json!(trace_id)),
        ("searchMetrics", "tookMs", json!(ANY_TOOK_MS), json!(took_ms)),
    ] {
        // Within strings of an answer quotes are escaped, so that nothing that is quoted looks like this.
        let at = structured.get_mut(part).and_then(|part| part.get_mut(name));
        let field = format!("\"{name}\":{any}");
        if let (Some(start), Some(value)) = (rendered.text.rfind(&field), at) {
            rendered.text.replace_range(start..start + field.len(), &format!("\"{name}\":{real}"));
            *value = real;
        }
    }
}

/// Returns the first twelve digits of a commit.
pub(crate) fn short_commit(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}

/// Returns what to say of an answer without hits: nothing found, or nothing known.
pub(crate) fn nothing_found(plan: &Plan) -> Option<String> {
    let unanswered = plan.shortfalls.len() + plan.unknown_workers.len();
    (unanswered > 0).then(|| {
        format!("unknown, not absent: {unanswered} of the repositories or workers asked did not answer; see coverage")
    })
}

fn coverage(plan: &Plan) -> CoverageReport {
    let of_repository = |(position, state, reason): (usize, model::ShardState, &str)| ShortfallReport {
        repo: plan.alias(position).to_owned(),
        state: state.name(),
        reason: reason.to_owned(),
        retryable: state.is_retryable(),
    };
    let of_worker = |worker_idx: &usize| {
        let worker = &plan.directory.workers[*worker_idx].name;
        ShortfallReport {
            repo: format!("*@{worker}"),
            state: model::ShardState::Unreachable.name(),
            reason: plan.unknown_since(*worker_idx),
            retryable: true,
        }
    };
    let mut shortfalls: Vec<ShortfallReport> = plan.unknown_workers.iter().map(of_worker).collect();
    shortfalls.extend(plan.shortfalls.iter().map(of_repository));
    let more_shortfalls = shortfalls.len().saturating_sub(MAX_LISTED_SHORTFALLS);
    shortfalls.truncate(MAX_LISTED_SHORTFALLS);
    CoverageReport {
        asked: plan.asked.len(),
        answered: plan.asked.len() - plan.shortfalls.len(),
        pruned: plan.n_pruned,
        complete: plan.is_complete(),
        shortfalls,
        more_shortfalls,
    }
}

fn provenance(plan: &Plan, position: usize) -> Provenance {
    let repository = plan.repository(position);
    let advertised = &repository.advertised;
    let live_head = (!advertised.live_head.is_empty() && advertised.live_head != advertised.commit)
        .then(|| advertised.live_head.clone());
    Provenance {
        repo: plan.alias(position).to_owned(),
        indexed_commit: advertised.commit.clone(),
        stale_warning: stale_warning(advertised),
        live_head,
    }
}

/// Returns what a reader should know of an index that is behind its repository, or may be.
pub(crate) fn stale_warning(advertised: &v1::Repository) -> Option<String> {
    let v1::Repository { commit, live_head, unfollowed_since, .. } = advertised;
    let read = format!("read at {}", short_commit(commit));
    let warning = if !live_head.is_empty() && live_head != commit {
        format!("{read}, while HEAD is at {}", short_commit(live_head))
    } else if !commit.is_empty() && *unfollowed_since > 0 {
        let since = rfc3339(*unfollowed_since).unwrap_or_default();
        format!("{read}, and the remote cannot be fetched since {since}: it may have moved on")
    } else {
        return None;
    };
    Some(text::sanitise_name(&warning).into_owned())
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
    fn what_may_be_out_of_date_says_so() {
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
