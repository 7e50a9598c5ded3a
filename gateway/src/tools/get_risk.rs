//! `get_risk`: what makes a change risky, of single targets, and of a change of several files as a whole.
//!
//! `resolve -> gather -> assess -> render`. Figures and words are made in `assess` and `change`, the score in `score`.

mod assess;
mod change;
mod gather;
mod render;
mod reviewers;
mod score;
mod view;

use std::collections::BTreeSet;

use futures::{FutureExt as _, future::join_all};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{Tool, get_context::context::base_plan};
use crate::{
    arguments,
    call::Call,
    entity,
    limits::token_budget,
    meta::{Extent, Meta, Remarks},
    nodes::At,
    refusal::{Refusal, quoted},
    render::Rendered,
    schema,
    scope::Scope,
};
use view::{Answer, Risk};

const NAME: &str = "get_risk";

#[derive(Debug, Deserialize, JsonSchema)]
struct Arguments {
    /// Files or symbols; `alias:` before one names its repository.
    targets: Option<Vec<String>>,
    /// Paths of a change, which is then judged as a whole.
    changed_files: Option<Vec<String>>,
    /// Default all.
    repo: Option<String>,
    /// At least 100. Default 4000.
    token_budget: Option<i64>,
}

pub(crate) fn tool() -> Tool {
    Tool {
        name: NAME,
        title: "Tell how risky a change is",
        description: "Scores files and symbols 0-10: hotspot, owners, dependents, co-changes, reviewers, untested code, \
                      security signals. With changed_files reviews a change: what may break, tests to run, files missing.",
        input: schema::of_arguments::<Arguments>(),
        output: None,
        run: |call, arguments| answer(call, arguments).boxed(),
    }
}

async fn answer(call: &Call<'_>, arguments: Value) -> Result<Rendered, Refusal> {
    let understood = arguments::read::<Arguments>(super::schema_of(NAME), arguments)?;
    let (arguments, mut notes) = (understood.arguments, Vec::new());
    let token_budget = token_budget(arguments.token_budget, &mut notes)?;
    let (targets, changed_files) = (distinct(arguments.targets), distinct(arguments.changed_files));
    if targets.is_empty() && changed_files.is_empty() {
        return Err(Refusal::new(
            "`targets` and `changed_files` are both missing: give files or symbols as `targets`, such as \
             [\"src/main.rs\", \"Store.find\"], or the paths of a change as `changed_files`",
        ));
    }
    let scope = Scope::new(&call.visible, arguments.repo.as_deref(), None)?;
    let overlay = call.overlay().await;
    let resolving = targets.iter().map(|target| entity::resolve(call, &scope, &overlay, "targets", target, None));
    let finding = changed_files.iter().map(|path| change::find(call, &scope, path));
    let (resolved, found) =
        tokio::join!(join_all(resolving.collect::<Vec<_>>()), join_all(finding.collect::<Vec<_>>()));

    let mut lookups = Vec::new();
    let mut asked: Vec<Result<entity::Entity, String>> = Vec::new();
    for outcome in resolved {
        asked.push(match outcome {
            Ok((entity, lookup)) => {
                lookups.push(lookup);
                Ok(entity)
            }
            Err(refusal) => Err(refusal.to_string()),
        });
    }
    let mut changed: Vec<change::Found> = Vec::new();
    for (one, lookup) in found {
        lookups.extend(lookup);
        // A file may be written in several ways.
        if one.at().is_none_or(|at| changed.iter().all(|known| known.at() != Some(at))) {
            changed.push(one);
        }
    }
    let single = asked.iter().flatten().map(|entity| entity.at);
    let of_change = changed.iter().filter_map(change::Found::at);
    let roots: BTreeSet<At> = single.chain(of_change).collect();
    let positions: Vec<usize> = roots.iter().map(|at| at.position).collect();
    // Who breaks is asked everywhere, wherever the targets lie.
    let everywhere = scope.entering_all(&call.visible);
    let (mut plan, enter) = base_plan(call, &everywhere, &overlay, &positions, lookups);
    let gathered = gather::gather(call, &mut plan, &overlay, &enter, &roots).await;

    let mut risks: Vec<Risk> = Vec::new();
    for (target, outcome) in targets.iter().zip(asked) {
        let target = quoted(target);
        risks.push(match outcome {
            Ok(entity) => match assess::assess(&plan, &gathered, entity.at) {
                Some(risk) => {
                    if let Some(other) = entity.others.first() {
                        notes.push(format!("`{target}`: {} others are called so, such as {other}", entity.n_others));
                    }
                    notes.extend(entity.note);
                    Risk { target, ..risk }
                }
                None => Risk { target, error: Some(assess::UNTOLD.to_owned()), ..Risk::default() },
            },
            Err(error) => Risk { target, error: Some(error), ..Risk::default() },
        });
    }
    let change = match changed_files.is_empty() {
        true => None,
        false => Some(change::judge(&plan, &gathered, &changed, &call.works_together(&plan).await)),
    };
    let remarks = Remarks { hint: None, extent: Extent::default(), ignored_arguments: understood.ignored, notes };
    let _meta = Meta::new(call, &plan, positions, remarks);
    Ok(render::render(&plan, Answer { targets: risks, change, _meta }, token_budget))
}

/// Returns what was named, each once, however the path of a file begins.
fn distinct(named: Option<Vec<String>>) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    let bare = |name: String| {
        let mut rest = name.trim();
        while let Some(shorter) = rest.strip_prefix("./").or_else(|| rest.strip_prefix('/')) {
            rest = shorter;
        }
        rest.to_owned()
    };
    for name in named.into_iter().flatten().map(bare) {
        if !name.is_empty() && !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    distinct
}
