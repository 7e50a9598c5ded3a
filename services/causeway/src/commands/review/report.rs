//! The fields of a review that the formats print.

use serde::Deserialize;
use serde_json::Value;

/// A review, as `get_risk` answers it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct ReviewReport {
    pub(super) review: ReportSummary,
    pub(super) score: Option<f64>,
    pub(super) findings: Vec<ReportedUse>,
    pub(super) definitions: Vec<ReportedDefinition>,
    pub(super) tests_to_run: Vec<ReportedEntity>,
    pub(super) missing_co_changes: Vec<ReportedCoChange>,
    pub(super) reviewers: Vec<ReportedReviewer>,
    /// Remarks of the answer as a whole.
    #[serde(skip)]
    pub(super) notes: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct ReportSummary {
    pub(super) repo: String,
    pub(super) base: String,
    pub(super) files: u64,
    pub(super) uses: ReportedCounts,
    pub(super) complete: bool,
    pub(super) incomplete: Vec<String>,
    /// True if the users before the change could not be read.
    pub(super) unknown_users: bool,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default)]
pub(super) struct ReportedCounts {
    pub(super) broken: u64,
    pub(super) maybe: u64,
    pub(super) fine: u64,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct ReportedUse {
    pub(super) verdict: String,
    pub(super) at: String,
    pub(super) user: String,
    pub(super) definition: String,
    pub(super) reason: String,
    pub(super) behind: Vec<String>,
    pub(super) n_behind: usize,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct ReportedDefinition {
    pub(super) change: String,
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) line: u64,
    pub(super) now: Option<String>,
    pub(super) what: Vec<String>,
    pub(super) uses: ReportedCounts,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct ReportedEntity {
    pub(super) id: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct ReportedCoChange {
    pub(super) file: String,
    pub(super) with: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct ReportedReviewer {
    pub(super) name: String,
    pub(super) why: Vec<String>,
}

/// Maximum number of places that one line names.
const MAX_BEHIND: usize = 12;

impl ReportedUse {
    /// Returns the uses that fail with this import, in words: the lines of its own file, and places in other ones.
    pub(super) fn consequences(&self, repo: &str) -> Option<String> {
        let place = |at: &str| at.rsplit_once(':').map(|(path, line)| (path.to_owned(), line.to_owned()));
        let (own, _) = place(&self.at)?;
        let mut lines_by_path: Vec<(String, Vec<String>)> = vec![(own.clone(), Vec::new())];
        for (path, line) in self.behind.iter().take(MAX_BEHIND).filter_map(|at| place(at)) {
            match lines_by_path.iter_mut().find(|(known, _)| *known == path) {
                Some((_, lines)) => lines.push(line),
                None => lines_by_path.push((path, vec![line])),
            }
        }
        let is_alone = lines_by_path.len() == 1;
        lines_by_path.retain(|(_, lines)| !lines.is_empty());
        let places = lines_by_path.iter().map(|(path, lines)| match *path == own {
            true => lines.join(", "),
            false => format!("{}:{}", without_alias(repo, path), lines.join(", ")),
        });
        let places = places.collect::<Vec<_>>().join("; ");
        let more = if self.n_behind > MAX_BEHIND { ", ..." } else { "" };
        let n_uses = crate::output::count(self.n_behind as u64, "use", "uses");
        let whereabouts = if is_alone { "in this file" } else { "behind it" };
        (self.n_behind > 0).then(|| format!("and {n_uses} {whereabouts}: {places}{more}"))
    }
}

impl ReviewReport {
    /// Reads an answer; `None` if it has no review.
    pub(super) fn of(answer: &Value) -> Option<ReviewReport> {
        answer["change"].get("review")?;
        let report: ReviewReport = serde_json::from_value(answer["change"].clone()).ok()?;
        let meta = &answer["_meta"];
        let mut notes = Vec::new();
        // An incomplete review says it itself.
        if meta["coverage"]["complete"] == false && report.review.incomplete.is_empty() {
            notes.push("some repositories did not answer: see `_meta.coverage` of the JSON format".to_owned());
        }
        let repositories = meta["repositories"].as_array().into_iter().flatten();
        notes.extend(repositories.filter_map(|one| {
            let warning = one["stale_warning"].as_str()?;
            Some(format!("{}: {warning}", one["repo"].as_str().unwrap_or_default()))
        }));
        // The uses that are fine are shown nowhere.
        let number = |field: &str| meta[field].as_u64().unwrap_or_default();
        let n_cut = number("totalItems").saturating_sub(number("returnedItems"));
        let n_fine = report.review.uses.fine.saturating_sub(report.with_verdict("fine").count() as u64);
        if meta["truncated"] == true && n_cut > n_fine {
            notes.push("the lists are cut: the review has more entries than one answer holds".to_owned());
        }
        Some(ReviewReport { notes, ..report })
    }

    /// Returns the uses with a verdict.
    pub(super) fn with_verdict(&self, verdict: &str) -> impl Iterator<Item = &ReportedUse> {
        self.findings.iter().filter(move |finding| finding.verdict == verdict)
    }

    /// Returns the uses with a verdict by definition and reason, in the order of the first of each.
    pub(super) fn by_reason(&self, verdict: &str) -> Vec<(&ReportedUse, Vec<&ReportedUse>)> {
        let key = |one: &ReportedUse| (one.definition.clone(), one.reason.clone());
        let all: Vec<&ReportedUse> = self.with_verdict(verdict).collect();
        let is_first = |at: &usize| all[..*at].iter().all(|other| key(other) != key(all[*at]));
        let firsts = (0..all.len()).filter(is_first).map(|at| all[at]);
        firsts.map(|first| (first, all.iter().copied().filter(|one| key(one) == key(first)).collect())).collect()
    }

    /// Returns the first line of every format.
    pub(super) fn headline(&self) -> String {
        let ReportedCounts { broken, maybe, fine } = self.review.uses;
        let n_uses = |count: u64| crate::output::count(count, "use", "uses");
        let unknown = if self.review.unknown_users { "; users before the change are unknown" } else { "" };
        format!(
            "{} against {}: {} changed, {} broken, {maybe} may be, {fine} fine{unknown}",
            self.review.repo,
            self.review.base,
            crate::output::count(self.review.files, "file", "files"),
            n_uses(broken),
        )
    }

    /// Returns the reasons why uses may be missing, and the remarks of the answer.
    pub(super) fn caveats(&self) -> Vec<String> {
        let incomplete = self.review.incomplete.iter().map(|reason| format!("incomplete: {reason}"));
        let unknown = (!self.review.complete && self.review.incomplete.is_empty()).then(|| "incomplete".to_owned());
        incomplete.chain(unknown).chain(self.notes.iter().cloned()).collect()
    }
}

/// Returns the id without its alias: the path and the name.
pub(super) fn without_alias<'a>(repo: &str, id: &'a str) -> &'a str {
    id.strip_prefix(repo).and_then(|rest| rest.strip_prefix("//").or_else(|| rest.strip_prefix(':'))).unwrap_or(id)
}

#[cfg(test)]
pub(super) fn example() -> ReviewReport {
    let answer = serde_json::json!({
        "change": {
            "review": {"repo": "kit", "base": "1234567", "files": 2, "complete": false,
                "uses": {"broken": 2, "maybe": 1, "fine": 3}, "incomplete": ["2 changed files could not be read"]},
            "findings": [
                {"verdict": "broken", "at": "web:src/app.ts:7", "user": "load", "definition": "kit//src/code.ts::parse",
                    "reason": "no argument for the required parameter `strict`"},
                {"verdict": "broken", "at": "kit:src/old.ts:1", "definition": "kit//src/code.ts::drop", "reason": "it is removed",
                    "behind": ["kit:src/old.ts:4", "kit:src/old.ts:9"], "n_behind": 2},
                {"verdict": "maybe", "at": "kit:src/cli.ts:3", "definition": "kit//src/code.ts::parse",
                    "reason": "type: `Code` to `Code|null`"},
            ],
            "definitions": [{"change": "signature", "id": "kit//src/code.ts::parse", "kind": "function", "line": 12,
                "what": ["new required parameter `strict`"], "uses": {"broken": 1, "maybe": 1, "fine": 3}}],
            "tests_to_run": [{"id": "web:tests/app.test.ts"}],
            "missing_co_changes": [{"file": "kit:docs/code.md", "with": "kit:src/code.ts"}],
            "reviewers": [{"name": "Ada", "why": ["owns 60 % of kit:src/code.ts"]}],
        },
        "_meta": {"coverage": {"complete": true}},
    });
    ReviewReport::of(&answer).expect("it is a review")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn notes_are_about_entries_that_are_shown() {
        let cut = "the lists are cut: the review has more entries than one answer holds";
        let silent = "some repositories did not answer: see `_meta.coverage` of the JSON format";
        for (n_listed, n_total, complete, incomplete, expected) in [
            (4, 4, true, json!([]), vec![]),
            // Of ten fine uses, one is listed.
            (4, 13, true, json!([]), vec![]),
            (4, 14, true, json!([]), vec![cut]),
            (4, 4, false, json!([]), vec![silent]),
            (4, 4, false, json!(["a repository did not answer"]), vec!["incomplete: a repository did not answer"]),
        ] {
            let answer = json!({
                "change": {
                    "review": {"repo": "kit", "complete": complete, "incomplete": incomplete, "uses": {"fine": 10}},
                    "findings": [{"verdict": "fine", "at": "kit:a.ts:1"}],
                },
                "_meta": {
                    "coverage": {"complete": complete}, "truncated": n_listed < n_total,
                    "totalItems": n_total, "returnedItems": n_listed,
                },
            });
            let caveats = ReviewReport::of(&answer).unwrap().caveats();
            let caveats: Vec<&str> = caveats.iter().map(String::as_str).filter(|text| *text != "incomplete").collect();
            assert_eq!(caveats, expected, "{answer}");
        }
    }

    #[test]
    fn each_stale_repository_has_a_note() {
        let answer = json!({
            "change": {"review": {"repo": "kit", "complete": true}},
            "_meta": {"repositories": [{"repo": "kit"}, {"repo": "web", "stale_warning": "read at 1234567"}]},
        });
        assert_eq!(ReviewReport::of(&answer).unwrap().caveats(), ["web: read at 1234567"]);
    }

    #[test]
    fn consequences_name_lines_and_other_files() {
        let found = |behind: &[&str], n_behind| ReportedUse {
            at: "kit:a.ts:1".to_owned(),
            behind: behind.iter().map(|place| (*place).to_owned()).collect(),
            n_behind,
            ..ReportedUse::default()
        };
        for (behind, n_behind, expected) in [
            (&["kit:a.ts:4", "kit:a.ts:7"][..], 2, Some("and 2 uses in this file: 4, 7")),
            (&["kit:a.ts:4", "kit:b/c.ts:2", "kit:b/c.ts:5"][..], 3, Some("and 3 uses behind it: 4; b/c.ts:2, 5")),
            (&["kit:b/c.ts:2"][..], 70, Some("and 70 uses behind it: b/c.ts:2, ...")),
            (&[][..], 0, None),
        ] {
            assert_eq!(found(behind, n_behind).consequences("kit").as_deref(), expected, "{behind:?}");
        }
    }
}
