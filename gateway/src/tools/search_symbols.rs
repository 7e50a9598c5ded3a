//! Stub.
use crate::tools::{Refusal, Tool};
use futures::FutureExt as _;
pub(crate) fn tool() -> Tool {
    Tool {
        name: "search_symbols",
        title: "search_symbols",
        description: "search_symbols",
        input: serde_json::json!({"type": "object", "properties": {}}).as_object().cloned().unwrap_or_default(),
        output: None,
        run: |_, _| async { Err(Refusal::new("not yet")) }.boxed(),
    }
}
