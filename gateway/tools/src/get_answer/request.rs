//! The request and its validation.

use model::Filter;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{NAME, question::Question};
use crate::{
    arguments,
    limits::{MAX_TOKEN_BUDGET, MIN_TOKEN_BUDGET, clamp},
    schema_of,
    seen::SeenCode,
};
use federation::{call::CallContext, refusal::Refusal};

/// Default token budget: that of a search plus the code of the answer.
const DEFAULT_TOKEN_BUDGET: usize = 6_000;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct GetAnswerArguments {
    /// In plain words; names of functions or types help.
    question: String,
    /// Only files below this path.
    scope: Option<String>,
    /// Default all.
    repo: Option<String>,
    /// At least 100. Default 6000.
    token_budget: Option<i64>,
    seen: Option<Vec<String>>,
}

/// A validated request.
pub(super) struct AnswerRequest {
    pub(super) question: Question,
    pub(super) filter: Filter,
    pub(super) repo: Option<String>,
    pub(super) token_budget: usize,
    pub(super) seen: SeenCode,
    pub(super) ignored: Vec<String>,
    pub(super) notes: Vec<String>,
}

impl AnswerRequest {
    pub(super) fn read(call: &CallContext<'_>, arguments: Value) -> Result<AnswerRequest, Refusal> {
        let parsed = arguments::read::<GetAnswerArguments>(schema_of(NAME), arguments)?;
        let (arguments, mut notes) = (parsed.arguments, Vec::new());
        if !arguments.question.chars().any(char::is_alphanumeric) {
            return Err(Refusal::new(
                "`question` has no words: ask in words, such as {\"question\": \"how are requests retried\"}",
            ));
        }
        if arguments.token_budget.is_some_and(|given| given < MIN_TOKEN_BUDGET as i64) {
            return Err(Refusal::new(format!(
                "`token_budget` must be at least {MIN_TOKEN_BUDGET}; omit it for the default of {DEFAULT_TOKEN_BUDGET}"
            )));
        }
        let bounds = MIN_TOKEN_BUDGET..=MAX_TOKEN_BUDGET;
        let token_budget = clamp("token_budget", arguments.token_budget, DEFAULT_TOKEN_BUDGET, bounds, &mut notes);
        let (alias, scope) = match arguments.scope.as_deref() {
            Some(scope) => call.visible.split_prefix(scope)?,
            None => (None, ""),
        };
        let filter = Filter { scope: scope.trim_start_matches("./").to_owned(), ..Filter::default() };
        Ok(AnswerRequest {
            question: Question::read(arguments.question.trim()),
            filter,
            repo: alias.map(str::to_owned).or(arguments.repo),
            token_budget,
            seen: SeenCode::new(arguments.seen),
            ignored: parsed.ignored,
            notes,
        })
    }
}
