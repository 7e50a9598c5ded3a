//! Repositories that two workers hold: one stands in for the other, and nothing counts twice.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{api, fake::*, fork, json_of, paths, sound, states, still, web};
use crate::{HARD_DEADLINE, SOFT_DEADLINE};

/// Returns what a search finds when two workers hold everything, one of them in this manner; and how long that took.
async fn search_beside(manner: Manner) -> (Value, Duration) {
    let all = || vec![api(), web(), fork()];
    let gateway = gateway(vec![FakeWorker::endpoint("w1", all(), manner), sound("w2", all())]).await;
    let began = Instant::now();
    let answer = json_of(&gateway, "search_codebase", json!({"query": "retry"})).await;
    (answer, began.elapsed())
}

#[tokio::test(start_paused = true)]
async fn whatever_one_does_the_other_stands_in() {
    let (sound, _) = search_beside(Manner::Sound).await;
    assert_eq!(states(&sound), Vec::<String>::new());
    for manner in [
        Manner::Silent,
        Manner::Dead,
        Manner::Failing,
        Manner::Forgets(1),
        Manner::Garbage(1),
        Manner::Shuffled,
        Manner::Stranger,
    ] {
        let (answer, took) = search_beside(manner).await;
        assert_eq!(still(&answer.to_string()), still(&sound.to_string()), "{manner:?}");
        assert!(took < SOFT_DEADLINE, "{manner:?}: {took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_worker_whose_clock_is_off_costs_nothing_where_there_is_a_replica() {
    let off = FakeWorker::endpoint("w1", vec![api(), web()], Manner::ClockOff);
    let gateway = gateway(vec![off, sound("w2", vec![api(), fork()])]).await;
    let answer = json_of(&gateway, "search_codebase", json!({"query": "retry"})).await;
    assert_eq!(states(&answer), ["web failed"]);
    assert!(paths(&answer).contains(&"api:src/retry.py".to_owned()), "{answer}");
    let reason = answer["_meta"]["coverage"]["shortfalls"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("clocks of gateway and worker"), "{reason}");
}

#[tokio::test(start_paused = true)]
async fn what_nobody_else_holds_falls_short_and_nothing_else() {
    let failing = FakeWorker::endpoint("w1", vec![api(), web()], Manner::Failing);
    let gateway = gateway(vec![failing, sound("w2", vec![api(), fork()])]).await;
    let answer = json_of(&gateway, "search_codebase", json!({"query": "retry"})).await;
    assert_eq!(states(&answer), ["web unreachable"]);
    assert_eq!(paths(&answer), ["api:src/retry.py"], "its copy in the fork is the same file");
}

#[tokio::test(start_paused = true)]
async fn the_late_are_helped_as_far_as_there_is_something_to_spare() {
    let all = || vec![api(), web()];
    let silent = FakeWorker::endpoint("w1", all(), Manner::Silent);
    let gateway = gateway(vec![silent, FakeWorker::endpoint("w2", all(), Manner::Silent)]).await;
    let began = Instant::now();
    let answer = json_of(&gateway, "search_codebase", json!({"query": "retry"})).await;
    assert!(began.elapsed() < HARD_DEADLINE + Duration::from_millis(100), "{:?}", began.elapsed());
    assert_eq!(states(&answer), ["api timed_out", "web timed_out"]);
    let spare = &gateway.core.federation.known().connections.spare;
    assert!(spare.n_hedges() <= 2 && spare.n_retries() == 0, "nobody is asked again for what was late");
}

#[tokio::test(start_paused = true)]
async fn a_part_can_be_refused() {
    let gateway = gateway(vec![FakeWorker::endpoint("w", vec![api()], Manner::Failing)]).await;
    let ask = |on_partial: &str| json!({"query": "retry", "on_partial": on_partial});
    assert_eq!(states(&json_of(&gateway, "search_codebase", ask("return")).await), ["api unreachable"]);
    let failed = super::call(&gateway, "search_codebase", ask("fail")).await;
    assert!(failed.is_error && failed.text.contains("incomplete") && failed.text.contains("unreachable"), "{failed:?}");
}
