//! What a caller wants where not everybody answers: what there is, or nothing.
//!
//! `on_partial` may stand among the arguments of every tool. It is for programs that would take a part for the whole, so the
//! schemas, which agents pay for, do not list it; the server's instructions name it.

use serde_json::Value;

use crate::{
    refusal::{Refusal, quoted},
    render::Rendered,
};

const NAME: &str = "on_partial";

/// What is done with an answer that is not complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnPartial {
    Return,
    Fail,
}

impl OnPartial {
    /// Takes the argument out of those of a call.
    pub(crate) fn take(arguments: &mut Value) -> Result<OnPartial, Refusal> {
        let given = arguments.as_object_mut().and_then(|given| given.remove(NAME));
        match given.as_ref().map(Value::as_str) {
            None | Some(Some("return")) => Ok(OnPartial::Return),
            Some(Some("fail")) => Ok(OnPartial::Fail),
            Some(_) if given == Some(Value::Null) => Ok(OnPartial::Return),
            Some(other) => {
                let other = other.map_or_else(|| "that".to_owned(), quoted);
                Err(Refusal::new(format!("`{NAME}` is `return` or `fail`, not `{other}`")))
            }
        }
    }

    /// Returns the answer, or the error that the caller wants in its place.
    pub(crate) fn apply(self, rendered: Rendered) -> Result<Rendered, Refusal> {
        if self == OnPartial::Return || rendered.is_complete {
            return Ok(rendered);
        }
        let mut states: Vec<&str> = rendered.shortfalls.iter().map(|state| state.name()).collect();
        states.sort_unstable();
        states.dedup();
        let of = if states.is_empty() { String::new() } else { format!(" ({})", states.join(", ")) };
        Err(Refusal::new(format!(
            "incomplete: not all repositories that were asked answered in full{of}, and `{NAME}` is `fail`; try again, \
             or take what there is with `{NAME}: \"return\"`, whose `coverage` names them"
        )))
    }
}

#[cfg(test)]
mod tests {
    use model::ShardState;
    use serde_json::json;

    use super::*;

    fn rendered(shortfalls: Vec<ShardState>) -> Rendered {
        Rendered {
            text: "found".to_owned(),
            structured: None,
            is_complete: shortfalls.is_empty(),
            shortfalls,
            scope: crate::audit::Scope::All,
        }
    }

    #[test]
    fn it_is_taken_out_of_the_arguments() {
        for (given, expected) in [
            (json!({"query": "a"}), Ok(OnPartial::Return)),
            (json!({"query": "a", "on_partial": "return"}), Ok(OnPartial::Return)),
            (json!({"query": "a", "on_partial": null}), Ok(OnPartial::Return)),
            (json!({"query": "a", "on_partial": "fail"}), Ok(OnPartial::Fail)),
            (json!({"query": "a", "on_partial": "maybe"}), Err("not `maybe`")),
            (json!({"query": "a", "on_partial": 1}), Err("not `that`")),
        ] {
            let mut arguments = given.clone();
            match (OnPartial::take(&mut arguments), expected) {
                (Ok(taken), Ok(expected)) => assert_eq!((taken, arguments), (expected, json!({"query": "a"}))),
                (Err(refusal), Err(expected)) => assert!(refusal.to_string().contains(expected), "{refusal}"),
                (taken, _) => panic!("{given}: {taken:?}"),
            }
        }
        assert_eq!(OnPartial::take(&mut json!([1])).unwrap(), OnPartial::Return);
    }

    #[test]
    fn a_part_is_an_error_for_those_who_want_all() {
        assert!(OnPartial::Fail.apply(rendered(Vec::new())).is_ok());
        let short = || rendered(vec![ShardState::TimedOut, ShardState::Unreachable, ShardState::TimedOut]);
        assert!(OnPartial::Return.apply(short()).is_ok());
        let refusal = OnPartial::Fail.apply(short()).unwrap_err().to_string();
        assert!(refusal.contains("(timed_out, unreachable)"), "{refusal}");
    }
}
