//! The arguments of get_context, and their validated form.

use schemars::JsonSchema;
use serde::Deserialize;

use super::card_facts::Include;
use crate::{
    ToolCall,
    limits::{clamp, token_budget},
    render::Format,
    seen::SeenCode,
};
use federation::{refusal::Refusal, walk::weights::Intent};

/// Maximum depth: a deeper walk reaches nothing new, since its number of nodes is bounded.
const MAX_DEPTH: usize = 50;

/// Default factor of relevance at each boundary.
const DEFAULT_DECAY: f64 = 0.5;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GetContextArguments {
    /// Default context.
    pub(super) mode: Option<ContextMode>,
    /// For context: a name, Type.method, symbol id, path or route; `alias:` selects a repository.
    pub(super) entity: Option<String>,
    /// For intent: an entity, a path, or words.
    pub(super) target: Option<String>,
    /// Several entities, one card each.
    pub(super) targets: Option<Vec<String>>,
    /// Topics of the cards.
    pub(super) include: Option<Vec<Include>>,
    /// Path suffix of the entity's file.
    pub(super) file: Option<String>,
    /// For path: start of the chain.
    pub(super) from: Option<String>,
    /// For path: its end.
    pub(super) to: Option<String>,
    /// Edges from the entity, 0 to 50. Default 2.
    pub(super) depth: Option<i64>,
    /// At least 100. Default 4000.
    pub(super) token_budget: Option<i64>,
    /// summary: only the entity; neighbors: their signatures too; full (default): code too.
    pub(super) detail_level: Option<Detail>,
    /// Default compact.
    pub(super) format: Option<Format>,
    /// The task, for intent.
    pub(super) intent: Option<IntentArgument>,
    /// false: only certain edges.
    pub(super) include_inferred: Option<bool>,
    /// Factor per boundary of repository or content, over 0 and at most 1. Default 0.5.
    pub(super) cross_domain_decay: Option<f64>,
    /// `hash` of an earlier answer; says if unchanged.
    pub(super) known_hash: Option<String>,
    /// Earlier entities of the task rank higher.
    pub(super) task_id: Option<String>,
    /// Your name; lists others that requested the entity.
    pub(super) agent_id: Option<String>,
    /// Feedback of the agent on the entity.
    pub(super) helpful: Option<bool>,
    /// Lists or clears feedback.
    pub(super) feedback: Option<Feedback>,
    /// Aliases for the lookup. Default all.
    pub(super) repo: Option<String>,
    /// Further aliases to walk into, or *.
    pub(super) projects: Option<String>,
    pub(super) seen: Option<Vec<String>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Feedback {
    List,
    Clear,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum ContextMode {
    Context,
    Path,
    Intent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Detail {
    Summary,
    Neighbors,
    Full,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum IntentArgument {
    Modify,
    Understand,
    Review,
    Debug,
    Add,
    Plan,
}

impl From<IntentArgument> for Intent {
    fn from(argument: IntentArgument) -> Intent {
        match argument {
            IntentArgument::Modify => Intent::Modify,
            IntentArgument::Understand => Intent::Understand,
            IntentArgument::Review => Intent::Review,
            IntentArgument::Debug => Intent::Debug,
            IntentArgument::Add => Intent::Add,
            IntentArgument::Plan => Intent::Plan,
        }
    }
}

/// The options that all modes share.
pub(super) struct ContextOptions {
    pub(super) depth: usize,
    pub(super) token_budget: usize,
    pub(super) format: Format,
    pub(super) intent: Option<Intent>,
    pub(super) include_inferred: bool,
    pub(super) decay: f64,
    pub(super) known_hash: Option<String>,
    pub(super) seen: SeenCode,
    pub(super) ignored: Vec<String>,
    pub(super) notes: Vec<String>,
}

impl ContextOptions {
    pub(super) fn new(
        call: &ToolCall<'_>,
        arguments: &GetContextArguments,
        ignored: Vec<String>,
    ) -> Result<ContextOptions, Refusal> {
        let mut notes = Vec::new();
        let default_depth = usize::from(call.toolbox.context_depth).min(MAX_DEPTH);
        Ok(ContextOptions {
            depth: clamp("depth", arguments.depth, default_depth, 0..=MAX_DEPTH, &mut notes),
            token_budget: token_budget(arguments.token_budget, &mut notes)?,
            format: arguments.format.unwrap_or(Format::Compact),
            intent: arguments.intent.map(Intent::from),
            include_inferred: arguments.include_inferred.unwrap_or(true),
            decay: decay(arguments.cross_domain_decay)?,
            known_hash: arguments.known_hash.clone().filter(|hash| !hash.trim().is_empty()),
            seen: SeenCode::new(arguments.seen.clone()),
            ignored,
            notes,
        })
    }
}

fn decay(given: Option<f64>) -> Result<f64, Refusal> {
    let decay = given.unwrap_or(DEFAULT_DECAY);
    if decay > 0.0 && decay <= 1.0 {
        return Ok(decay);
    }
    Err(Refusal::new(format!(
        "`cross_domain_decay` must be over 0 and at most 1, not {decay}: 1 disables it, the default is {DEFAULT_DECAY}"
    )))
}

/// Returns an argument that the mode requires, or an error that names it.
pub(super) fn required_argument<'a>(mode: &str, name: &str, given: &'a Option<String>) -> Result<&'a str, Refusal> {
    let given = given.as_deref().map(str::trim).filter(|given| !given.is_empty());
    given.ok_or_else(|| Refusal::new(format!("`{name}` is missing: mode={mode} needs it")))
}
