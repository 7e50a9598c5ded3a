//! `get_risk`: the risk of changing single targets, and of a change set as a whole.
//!
//! `resolve -> query_facts -> assess -> render`. `assess` and `change` compute figures and reasons, `score` the score.

mod answer;
mod assess;
mod change;
mod contracts;
mod facts;
mod render;
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
use answer::{RiskAnswer, TargetRisk};
use federation::{
    answer::Answer,
    call::CallContext,
    entity,
    nodes::NodeRef,
    refusal::{Refusal, echo, quoted},
    repo_idx::RepoIdx,
    scope::GraphScope,
};

const NAME: &str = "get_risk";

#[derive(Debug, Deserialize, JsonSchema)]
struct GetRiskArguments {
    /// Files or symbols; the prefix `alias:` selects a repository.
    targets: Option<Vec<String>>,
    /// Paths of a change to assess as a whole.
    changed_files: Option<Vec<String>>,
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
                      security signals. With changed_files reviews a change: what may break, tests to run, files missing.",
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
    if targets.is_empty() && changed_files.is_empty() {
        return Err(Refusal::new(
            "`targets` and `changed_files` are both missing: give files or symbols as `targets`, such as \
             [\"src/main.rs\", \"Store.find\"], or the paths of a change as `changed_files`",
        ));
    }
    let scope = GraphScope::new(&call.visible, arguments.repo.as_deref(), None)?;
    let overlay = call.overlay().await;
    let target_lookups = targets.iter().map(|target| entity::resolve(call, &scope, &overlay, "targets", target, None));
    let path_lookups = changed_files.iter().map(|path| change::find(call, &scope, path));
    let (resolved, found) =
        tokio::join!(join_all(target_lookups.collect::<Vec<_>>()), join_all(path_lookups.collect::<Vec<_>>()));

    let mut lookups = Vec::new();
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
    let change = match changed_files.is_empty() {
        true => None,
        false => Some(change::assess_change(&answered, &facts, &changed, &call.repository_co_changes(&answered).await)),
    };
    let assessed = roots.iter().filter_map(|at| Some((*at, facts.cards.get(at)?)));
    let remarks = Remarks {
        may_miss: MayMiss::of_all(&answered, &overlay, assessed),
        hint: None,
        extent: AnswerExtent::default(),
        ignored_arguments: parsed.ignored,
        notes,
        ..Remarks::default()
    };
    let _meta = Meta::new(&answered, repo_idxs, remarks);
    Ok(render::render(&answered, RiskAnswer { targets: risks, change, _meta }, token_budget))
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
