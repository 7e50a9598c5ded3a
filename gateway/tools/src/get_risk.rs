//! `get_risk`: the risk of changing single targets, and of a change set as a whole.
//!
//! `resolve -> query_facts -> assess -> render`. `assess` and `change` compute figures and reasons, `score` the score.

mod answer;
mod assess;
mod change;
mod contracts;
mod facts;
mod render;
mod review;
mod reviewers;
mod score;

use std::collections::BTreeSet;

use futures::{FutureExt as _, future::join_all};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Tool, get_context::context::base_plan};
use crate::{
    arguments,
    limits::token_budget,
    may_miss::MayMiss,
    meta::{AnswerExtent, Meta, Remarks},
    render::RenderedAnswer,
    schema,
};
use answer::{ChangeRisk, Lists, RiskAnswer, TargetRisk};
use federation::{
    answer::{Answer, Shortfalls},
    call::CallContext,
    coverage::Coverage,
    entity,
    nodes::NodeRef,
    refusal::{Refusal, echo, quoted},
    repo_idx::RepoIdx,
    scope::GraphScope,
};

const NAME: &str = "get_risk";

/// Maximum number of files of a reviewed change whose history and users are assessed, too.
const MAX_ASSESSED_FILES: usize = 40;

#[derive(Debug, Deserialize, JsonSchema)]
struct GetRiskArguments {
    /// Files or symbols; `alias:` selects a repository.
    targets: Option<Vec<String>>,
    /// Paths of a change.
    changed_files: Option<Vec<String>>,
    /// working_tree, staged, A..B or a diff.
    changes: Option<String>,
    /// Default all.
    repo: Option<String>,
    /// At least 100. Default 4000.
    token_budget: Option<i64>,
}

pub(crate) fn tool() -> Tool {
    Tool {
        name: NAME,
        title: "Assess the risk of a change",
        description: "Scores files and symbols 0-10: hotspot, owners, dependents, co-changes, reviewers, untested code, \
                      security signals. Reviews a change: uses it breaks, tests to run, files missing.",
        input: schema::of_arguments::<GetRiskArguments>(),
        output: None,
        run: |call, arguments| answer(&call.context, arguments).boxed(),
    }
}

async fn answer(call: &CallContext<'_>, arguments: Value) -> Result<RenderedAnswer, Refusal> {
    let parsed = arguments::read::<GetRiskArguments>(super::schema_of(NAME), arguments)?;
    let (arguments, mut notes) = (parsed.arguments, Vec::new());
    let token_budget = token_budget(arguments.token_budget, &mut notes)?;
    let (targets, changed_files) = (distinct(arguments.targets), distinct(arguments.changed_files));
    let has_empty_change = arguments.changes.as_ref().is_some_and(|change| change.trim().is_empty());
    let change_argument = arguments.changes.filter(|_| !has_empty_change);
    if targets.is_empty() && changed_files.is_empty() && has_empty_change {
        return Err(Refusal::new(
            "the change is empty: the diff in `changes` has no lines, so that nothing is reviewed; to review the work \
             tree, pass \"working_tree\"",
        ));
    }
    if targets.is_empty() && changed_files.is_empty() && change_argument.is_none() {
        return Err(Refusal::new(
            "`targets`, `changed_files` and `changes` are missing: give files or symbols as `targets`, such as \
             [\"src/main.rs\", \"Store.find\"], the paths of a change as `changed_files`, or a change as `changes`, \
             such as \"working_tree\" or \"main...HEAD\"",
        ));
    }
    let scope = GraphScope::new(&call.visible, arguments.repo.as_deref(), None)?;
    let overlay = call.overlay().await;
    let reviewed = match &change_argument {
        None => None,
        Some(change) => Some(review::review(call, &scope, &overlay, change).await?),
    };
    let (reviewed, review_shortfalls) = reviewed.map(|reviewed| (reviewed.value, reviewed.shortfalls)).unzip();
    let changed_files = with_paths(changed_files, reviewed.as_ref());
    let target_lookups = targets.iter().map(|target| entity::resolve(call, &scope, &overlay, "targets", target, None));
    let path_lookups = changed_files.iter().map(|path| change::find(call, &scope, path));
    let (resolved, found) =
        tokio::join!(join_all(target_lookups.collect::<Vec<_>>()), join_all(path_lookups.collect::<Vec<_>>()));

    let mut lookups: Vec<Shortfalls> = review_shortfalls.into_iter().collect();
    let mut resolved_targets: Vec<Result<entity::ResolvedEntity, String>> = Vec::new();
    for outcome in resolved {
        resolved_targets.push(match outcome {
            Ok(entity) => {
                lookups.push(entity.shortfalls);
                Ok(entity.value)
            }
            Err(refusal) => Err(refusal.to_string()),
        });
    }
    let mut changed: Vec<change::ChangedPath> = Vec::new();
    for Answer { value: changed_path, shortfalls } in found {
        lookups.push(shortfalls);
        // A caller may write one file in several ways.
        if changed_path.at().is_none_or(|at| changed.iter().all(|known| known.at() != Some(at))) {
            changed.push(changed_path);
        }
    }
    let target_nodes = resolved_targets.iter().flatten().map(|entity| entity.at);
    let change_nodes = changed.iter().filter_map(change::ChangedPath::at);
    let roots: BTreeSet<NodeRef> = target_nodes.chain(change_nodes).collect();
    let repo_idxs: Vec<RepoIdx> = roots.iter().map(|at| at.repo_idx).collect();
    // Dependents are searched in every repository, wherever the targets are.
    let whole_scope = scope.entering_all(&call.visible);
    let (plan, enter) = base_plan(call, &whole_scope, &overlay, &repo_idxs, lookups);
    let Answer { value: facts, shortfalls } = facts::query_facts(call, &plan, &overlay, &enter, &roots).await;
    let answered = plan.without(&shortfalls);

    let mut risks: Vec<TargetRisk> = Vec::new();
    for (target, outcome) in targets.iter().zip(resolved_targets) {
        let (shown, target) = (quoted(target), echo(target));
        risks.push(match outcome {
            Ok(entity) => match assess::assess(&plan, &facts, entity.at) {
                Some(risk) => {
                    if let Some(other) = entity.others.first() {
                        let other = text::quote_name(other);
                        notes.push(format!("{shown} is ambiguous, {} more: for example {other}", entity.n_others));
                    }
                    notes.extend(entity.note);
                    TargetRisk { target, ..risk }
                }
                None => TargetRisk { target, error: Some(assess::NOT_DESCRIBED.to_owned()), ..TargetRisk::default() },
            },
            Err(error) => TargetRisk { target, error: Some(error), ..TargetRisk::default() },
        });
    }
    let change = match changed_files.is_empty() && reviewed.is_none() {
        true => None,
        false => Some(change::assess_change(&answered, &facts, &changed, &call.repository_co_changes(&answered).await)),
    };
    let reviewed_cards = reviewed.iter().flat_map(|reviewed| reviewed.cards.clone()).collect::<Vec<_>>();
    let change = match (change, reviewed) {
        (Some(change), Some(reviewed)) => Some(with_review(change, reviewed)),
        (change, _) => change,
    };
    let assessed = roots.iter().filter_map(|at| Some((*at, facts.cards.get(at)?)));
    let assessed = assessed.chain(reviewed_cards.iter().map(|(at, card)| (*at, card)));
    let may_miss = MayMiss::of_all(&answered, &overlay, assessed);
    // A worker without an inventory may have users, too.
    let is_covered = Coverage::of(&answered).is_complete();
    let change = change.map(|change| with_missed_uses(change, may_miss.is_some(), is_covered));
    let remarks = Remarks {
        may_miss,
        hint: None,
        extent: AnswerExtent::default(),
        ignored_arguments: parsed.ignored,
        notes,
        ..Remarks::default()
    };
    let _meta = Meta::new(&answered, repo_idxs, remarks);
    Ok(render::render(&answered, RiskAnswer { targets: risks, change, _meta }, token_budget))
}

/// Returns the changed files with those of a reviewed change.
fn with_paths(mut changed_files: Vec<String>, reviewed: Option<&review::ReviewedChange>) -> Vec<String> {
    let paths = reviewed.map(|reviewed| reviewed.paths.as_slice()).unwrap_or_default();
    let new: Vec<String> = paths.iter().filter(|path| !changed_files.contains(path)).cloned().collect();
    changed_files.extend(new.into_iter().take(MAX_ASSESSED_FILES));
    changed_files
}

/// Adds the review to the assessment of the changed files.
fn with_review(change: ChangeRisk, reviewed: review::ReviewedChange) -> ChangeRisk {
    let lists = Lists { findings: reviewed.findings, definitions: reviewed.definitions, ..change.lists };
    let uses = reviewed.summary.uses;
    let broken =
        (uses.broken > 0).then(|| format!("{} of changed definitions broken", score::counted(uses.broken, "use")));
    let why = broken.into_iter().chain(change.why).collect();
    ChangeRisk { review: Some(reviewed.summary), why, lists, ..change }
}

/// Notes in the review that uses may be missing.
fn with_missed_uses(mut change: ChangeRisk, may_miss: bool, is_covered: bool) -> ChangeRisk {
    if let Some(review) = change.review.as_mut().filter(|_| !is_covered) {
        review.complete = false;
        review.incomplete.push("some repositories did not answer fully: see `_meta.coverage`".to_owned());
    }
    if let Some(review) = change.review.as_mut().filter(|_| may_miss) {
        review.complete = false;
        review.incomplete.push("some uses could not be resolved: see `_meta.may_miss`".to_owned());
    }
    change
}

/// Returns the distinct targets, without the prefixes of their paths.
fn distinct(named: Option<Vec<String>>) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    let without_prefix = |name: String| {
        let mut rest = name.trim();
        while let Some(shorter) = rest.strip_prefix("./").or_else(|| rest.strip_prefix('/')) {
            rest = shorter;
        }
        rest.to_owned()
    };
    for name in named.into_iter().flatten().map(without_prefix) {
        if !name.is_empty() && !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    distinct
}
