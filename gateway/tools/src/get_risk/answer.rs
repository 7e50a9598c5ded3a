//! The fields of an answer.

use proto::v1;
use review::SiteVerdict;
use serde::Serialize;

use super::reviewers::Reviewer;
use crate::{meta::Meta, render::rounded};
use federation::co_change::CommitPair;

#[derive(Debug, Clone, Serialize)]
pub(super) struct RiskAnswer {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) targets: Vec<TargetRisk>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) change: Option<ChangeRisk>,
    pub(super) _meta: Meta,
}

/// One target.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct TargetRisk {
    pub(super) target: String,
    /// The error, if the target was not assessed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
    /// The id that other tools accept.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) id: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) kind: String,
    /// From 0 to 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) score: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) why: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hotspot: Option<HotspotView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) history: Option<HistoryView>,
    /// The reason if the history is unknown or incomplete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) history_note: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) dependents: Option<Dependents>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) blast_radius: Option<BlastRadius>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tests: Option<TestCoverage>,
    #[serde(flatten)]
    pub(super) lists: Lists,
}

/// A change of several files.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct ChangeRisk {
    /// From 0 to 10; none if no path could be assessed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) score: Option<f64>,
    pub(super) why: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) not_found: Vec<NotFound>,
    /// Repositories that the same people usually change on the same days.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) worked_on_together: Vec<CoChangedRepository>,
    /// The review of the change itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) review: Option<ReviewSummary>,
    #[serde(flatten)]
    pub(super) lists: Lists,
}

/// All lists, the most important first; they are cut to the budget.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct Lists {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) findings: Vec<ReviewFinding>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) definitions: Vec<ReviewedDefinition>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) files: Vec<ChangedFile>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) security: Vec<SecurityView>,
    /// Contracts of the file with users in other repositories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) contracts: Vec<ContractRisk>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) may_break: Vec<RiskDependent>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tests_to_run: Vec<RiskDependent>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) missing_co_changes: Vec<CoChangePartner>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) changes_with: Vec<CoChangePartner>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) reviewers: Vec<Reviewer>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) untested: Vec<String>,
}

/// Number of lists.
pub(super) const N_LISTS: usize = 11;

impl Lists {
    /// Returns the length of each list.
    pub(super) fn lengths(&self) -> [usize; N_LISTS] {
        [
            self.findings.len(),
            self.definitions.len(),
            self.files.len(),
            self.security.len(),
            self.contracts.len(),
            self.may_break.len(),
            self.tests_to_run.len(),
            self.missing_co_changes.len(),
            self.changes_with.len(),
            self.reviewers.len(),
            self.untested.len(),
        ]
    }

    /// Truncates each list.
    pub(super) fn truncate(&mut self, counts: [usize; N_LISTS]) {
        let [
            findings,
            definitions,
            files,
            security,
            contracts,
            may_break,
            tests_to_run,
            missing,
            changes_with,
            reviewers,
            untested,
        ] = counts;
        self.findings.truncate(findings);
        self.definitions.truncate(definitions);
        self.files.truncate(files);
        self.security.truncate(security);
        self.contracts.truncate(contracts);
        self.may_break.truncate(may_break);
        self.tests_to_run.truncate(tests_to_run);
        self.missing_co_changes.truncate(missing);
        self.changes_with.truncate(changes_with);
        self.reviewers.truncate(reviewers);
        self.untested.truncate(untested);
    }
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct HotspotView {
    /// From 0 to 10.
    score: f64,
    is: String,
}

impl HotspotView {
    pub(super) fn of(hotspot: &v1::Hotspot) -> HotspotView {
        let percent = |share: f32| (f64::from(share) * 100.0).floor();
        let (churn, complexity) = (percent(hotspot.churn_share), percent(hotspot.complexity_share));
        let is = format!("changed more than {churn} % of the other source files, more complex than {complexity} %");
        HotspotView { score: tenth(hotspot.score), is }
    }
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct HistoryView {
    pub(super) commits: u32,
    pub(super) fixes: u32,
    /// Commits, with a half-life of half a year.
    pub(super) churn: f64,
    pub(super) trend: String,
    pub(super) owners: Vec<String>,
    pub(super) bus_factor: u32,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) recent_owner: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) last_change: String,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Dependents {
    pub(super) direct: usize,
    pub(super) files: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) other_repositories: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct BlastRadius {
    pub(super) direct: usize,
    pub(super) indirect: usize,
    pub(super) peripheral: usize,
    pub(super) repositories: usize,
    /// True if there are more than the walk reached.
    #[serde(skip_serializing_if = "is_false")]
    pub(super) at_least: bool,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct TestCoverage {
    pub(super) reached_by: usize,
    /// Functions that other code may call, and how many of them no test reaches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) offered: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) untested: Option<usize>,
}

/// A contract of a file, such as a route, rpc, topic or table, and its users in other repositories.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ContractRisk {
    pub(super) kind: &'static str,
    pub(super) name: String,
    pub(super) at: String,
    /// The first users.
    pub(super) users: Vec<String>,
    pub(super) n_users: usize,
    pub(super) confidence: f64,
}

/// A dependent of a target, with the kind of use.
#[derive(Debug, Clone, Serialize)]
pub(super) struct RiskDependent {
    pub(super) id: String,
    pub(super) tier: federation::walk::tiers::ImpactTier,
    pub(super) how: String,
    /// Of the whole path.
    pub(super) confidence: f64,
}

/// A co-changed file.
#[derive(Debug, Clone, Serialize)]
pub(super) struct CoChangePartner {
    pub(super) file: String,
    /// The changed file with which it changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) with: Option<String>,
    /// Common commits; for files of two repositories, days on which one person changed both.
    pub(super) support: u32,
    pub(super) confidence: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lift: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) evidence: Vec<CommitPair>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct SecurityView {
    pub(super) at: String,
    pub(super) kind: &'static str,
    pub(super) line: String,
    pub(super) why: &'static str,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct ChangedFile {
    pub(super) file: String,
    pub(super) score: f64,
    pub(super) why: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct CoChangedRepository {
    pub(super) repo: String,
    pub(super) with: String,
    /// Days on which one person changed both.
    pub(super) days: usize,
    pub(super) authors: usize,
    pub(super) lift: f64,
    /// Of the days of the repository with fewer days.
    pub(super) share: f64,
    pub(super) evidence: Vec<CommitPair>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct NotFound {
    pub(super) path: String,
    pub(super) note: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) nearest: Vec<String>,
}

/// The summary of a reviewed change.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct ReviewSummary {
    pub(super) repo: String,
    /// The commit of the old side.
    pub(super) base: String,
    /// True if the users are those of another commit.
    #[serde(skip_serializing_if = "is_false")]
    pub(super) stale_base: bool,
    /// The view with the users before the change, if they are not those that were judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) base_view: Option<String>,
    /// The change as that view names it, if it is between two commits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) base_changes: Option<String>,
    /// Number of changed files.
    pub(super) files: usize,
    /// The uses of changed definitions.
    pub(super) uses: UseCounts,
    /// False if uses may be missing.
    pub(super) complete: bool,
    /// The reasons.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) incomplete: Vec<String>,
}

/// Number of uses by verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(super) struct UseCounts {
    pub(super) broken: usize,
    pub(super) maybe: usize,
    pub(super) fine: usize,
}

impl UseCounts {
    /// Returns the counts with one more use.
    pub(super) fn with(self, verdict: VerdictKind) -> UseCounts {
        match verdict {
            VerdictKind::Broken => UseCounts { broken: self.broken + 1, ..self },
            VerdictKind::Maybe => UseCounts { maybe: self.maybe + 1, ..self },
            VerdictKind::Fine => UseCounts { fine: self.fine + 1, ..self },
        }
    }

    fn is_none(&self) -> bool {
        *self == UseCounts::default()
    }
}

/// The effect of a change on a use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum VerdictKind {
    Broken,
    Maybe,
    Fine,
}

impl VerdictKind {
    /// Returns the kind and the reason of a verdict.
    pub(super) fn of(verdict: SiteVerdict) -> (VerdictKind, String) {
        match verdict {
            SiteVerdict::Broken(reason) => (VerdictKind::Broken, reason),
            SiteVerdict::Maybe(reason) => (VerdictKind::Maybe, reason),
            SiteVerdict::Fine => (VerdictKind::Fine, String::new()),
        }
    }
}

/// A use that a change concerns.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ReviewFinding {
    pub(super) verdict: VerdictKind,
    /// The place, as `alias:path:line`, in the content after the change.
    pub(super) at: String,
    /// The function or type with the use; empty for the file itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) user: String,
    /// The id of the changed definition, or the key of the contract.
    pub(super) definition: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) reason: String,
    /// The first uses that fail with this import, as `alias:path:line`. They are not counted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) behind: Vec<String>,
    /// Number of all of them.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) n_behind: usize,
    #[serde(skip_serializing_if = "is_false")]
    pub(super) is_test: bool,
}

/// A changed definition or contract.
#[derive(Debug, Clone, Serialize)]
pub(super) struct ReviewedDefinition {
    /// `removed`, `renamed`, `moved`, `signature`, `added` or `body`.
    pub(super) change: String,
    pub(super) id: String,
    pub(super) kind: String,
    /// The line of the name on the old side; on the new one for an added definition.
    pub(super) line: u32,
    /// The id after the change, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) now: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) what: Vec<String>,
    #[serde(skip_serializing_if = "UseCounts::is_none")]
    pub(super) uses: UseCounts,
}

pub(super) fn tenth(value: f32) -> f64 {
    (rounded(value) * 10.0).round() / 10.0
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

fn is_false(value: &bool) -> bool {
    !value
}
