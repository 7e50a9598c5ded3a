//! Deployments of small repositories.

mod clouds;
mod proxies;
mod workloads;

use crate::testing::contracts;

/// Checks all offers and uses of a fixture, in order.
#[track_caller]
fn check(fixture: &str, expected: &[&str]) {
    assert_eq!(contracts(fixture), expected, "{fixture}");
}
