//! The `on_partial` argument: what a caller gets if some repositories did not answer.
//!
//! Every tool takes `on_partial`. It is for programs that would mistake a partial answer for a complete one. The
//! schemas do not list it, since agents pay tokens for them; the instructions of the server name it.

use serde_json::Value;

use crate::render::RenderedAnswer;
use federation::refusal::{Refusal, quoted};

const NAME: &str = "on_partial";

/// The handling of an incomplete answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnPartial {
    Return,
    Fail,
}

impl OnPartial {
    /// Removes the argument from those of a call, and reads it.
    pub(crate) fn take(arguments: &mut Value) -> Result<OnPartial, Refusal> {
        let value = arguments.as_object_mut().and_then(|object| object.remove(NAME));
        match value.as_ref().map(Value::as_str) {
            None | Some(Some("return")) => Ok(OnPartial::Return),
            Some(Some("fail")) => Ok(OnPartial::Fail),
            Some(_) if value == Some(Value::Null) => Ok(OnPartial::Return),
            Some(other) => {
                let other = other.map_or_else(|| "a value of another type".to_owned(), quoted);
                Err(Refusal::new(format!("`{NAME}` must be `return` or `fail`, not {other}")))
            }
        }
    }

    /// Returns the answer, or the error that the caller wants instead.
    pub(crate) fn apply(self, rendered: RenderedAnswer) -> Result<RenderedAnswer, Refusal> {
        if self == OnPartial::Return || rendered.is_complete {
            return Ok(rendered);
        }
        let mut states: Vec<&str> = rendered.shortfalls.iter().map(|state| state.name()).collect();
        states.sort_unstable();
        states.dedup();
        let of = if states.is_empty() { String::new() } else { format!(" ({})", states.join(", ")) };
        Err(Refusal::new(format!(
            "incomplete: some of the requested repositories did not answer in full{of}, and `{NAME}` is `fail`; try again, \
             or set `{NAME}` to `return` for a partial answer, whose `_meta.coverage` lists them"
        )))
    }
}

#[cfg(test)]
mod tests {
    use model::ShardState;
    use serde_json::json;

    use super::*;

    fn rendered(shortfalls: Vec<ShardState>) -> RenderedAnswer {
        RenderedAnswer {
            text: "found".to_owned(),
            structured: None,
            is_complete: shortfalls.is_empty(),
            shortfalls,
            has_lost_draft: false,
            queried: crate::queried_repos::QueriedRepos::All,
        }
    }

    #[test]
    fn on_partial_is_removed_from_the_arguments() {
        for (value, expected) in [
            (json!({"query": "a"}), Ok(OnPartial::Return)),
            (json!({"query": "a", "on_partial": "return"}), Ok(OnPartial::Return)),
            (json!({"query": "a", "on_partial": null}), Ok(OnPartial::Return)),
            (json!({"query": "a", "on_partial": "fail"}), Ok(OnPartial::Fail)),
            (json!({"query": "a", "on_partial": "maybe"}), Err("not `maybe`")),
            (json!({"query": "a", "on_partial": 1}), Err("not a value of another type")),
        ] {
            let mut arguments = value.clone();
            match (OnPartial::take(&mut arguments), expected) {
                (Ok(taken), Ok(expected)) => assert_eq!((taken, arguments), (expected, json!({"query": "a"}))),
                (Err(refusal), Err(expected)) => assert!(refusal.to_string().contains(expected), "{refusal}"),
                (taken, _) => panic!("{value}: {taken:?}"),
            }
        }
        assert_eq!(OnPartial::take(&mut json!([1])).unwrap(), OnPartial::Return);
    }

    #[test]
    fn a_partial_answer_is_an_error_with_on_partial_fail() {
        assert!(OnPartial::Fail.apply(rendered(Vec::new())).is_ok());
        let short = || rendered(vec![ShardState::TimedOut, ShardState::Unreachable, ShardState::TimedOut]);
        assert!(OnPartial::Return.apply(short()).is_ok());
        let refusal = OnPartial::Fail.apply(short()).unwrap_err().to_string();
        assert!(refusal.contains("(timed_out, unreachable)"), "{refusal}");
    }
}
