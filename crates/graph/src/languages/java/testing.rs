//! Calls of one file as text, for tests.

use crate::{EdgeKind, testing};

/// Returns the calls of one file, in order, as `A.m -> B.f`.
pub(super) fn calls(source: &str) -> Vec<String> {
    let edges = testing::edges(&format!("//- /E.java\n{source}\n"), EdgeKind::Calls);
    edges.iter().map(|edge| edge.replace("E.java::", "").replace(" -calls-> ", " -> ")).collect()
}

/// Checks that the calls of a file are exactly these, in order.
#[track_caller]
pub(super) fn check(source: &str, expected: &[&str]) {
    assert_eq!(calls(source), expected, "{source}");
}
