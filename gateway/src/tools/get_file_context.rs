//! Stub.
use crate::tools::{Refusal, Tool};
use futures::FutureExt as _;
pub(crate) fn tool() -> Tool {
    Tool {
        name: "get_file_context",
        title: "get_file_context",
        description: "get_file_context",
        input: serde_json::json!({"type": "object", "properties": {}}).as_object().cloned().unwrap_or_default(),
        output: None,
        run: |_, _| async { Err(Refusal::new("not yet")) }.boxed(),
    }
}
