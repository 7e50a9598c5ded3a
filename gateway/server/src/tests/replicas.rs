//! Replicated repositories: failover, hedging and deduplication.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{api, fake::*, fork, healthy_worker, json_of, paths, states, still, web};
use federation::{fan_out::HARD_DEADLINE, fan_out::SOFT_DEADLINE};

/// Returns the answer and the duration of a search over two workers that hold every repository; one has this behaviour.
async fn search_beside(behaviour: WorkerBehaviour) -> (Value, Duration) {
    let all = || vec![api(), web(), fork()];
    let gateway = gateway(vec![FakeWorker::endpoint("w1", all(), behaviour), healthy_worker("w2", all())]).await;
    let began = Instant::now();
    let answer = json_of(&gateway, "search_codebase", json!({"query": "retry"})).await;
    (answer, began.elapsed())
}

#[tokio::test(start_paused = true)]
async fn replica_answers_for_every_kind_of_failure() {
    let (expected, _) = search_beside(WorkerBehaviour::Healthy).await;
    assert_eq!(states(&expected), Vec::<String>::new());
    for behaviour in [
        WorkerBehaviour::Silent,
        WorkerBehaviour::Dead,
        WorkerBehaviour::Failing,
        WorkerBehaviour::Forgets(1),
        WorkerBehaviour::Garbage(1),
        WorkerBehaviour::Shuffled,
        WorkerBehaviour::Stranger,
    ] {
        let (answer, took) = search_beside(behaviour).await;
        assert_eq!(still(&answer.to_string()), still(&expected.to_string()), "{behaviour:?}");
        assert!(took < SOFT_DEADLINE, "{behaviour:?}: {took:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn worker_with_a_wrong_clock_is_replaced_by_its_replica() {
    let off = FakeWorker::endpoint("w1", vec![api(), web()], WorkerBehaviour::ClockOff);
    let gateway = gateway(vec![off, healthy_worker("w2", vec![api(), fork()])]).await;
    let answer = json_of(&gateway, "search_codebase", json!({"query": "retry"})).await;
    assert_eq!(states(&answer), ["web failed"]);
    assert!(paths(&answer).contains(&"api:src/retry.py".to_owned()), "{answer}");
    let reason = answer["_meta"]["coverage"]["shortfalls"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("clocks of gateway and worker"), "{reason}");
}

#[tokio::test(start_paused = true)]
async fn only_repositories_without_a_replica_fall_short() {
    let failing = FakeWorker::endpoint("w1", vec![api(), web()], WorkerBehaviour::Failing);
    let gateway = gateway(vec![failing, healthy_worker("w2", vec![api(), fork()])]).await;
    let answer = json_of(&gateway, "search_codebase", json!({"query": "retry"})).await;
    assert_eq!(states(&answer), ["web unreachable"]);
    assert_eq!(paths(&answer), ["api:src/retry.py"], "the copy in the fork is a duplicate");
}

#[tokio::test(start_paused = true)]
async fn hedged_requests_respect_their_budget() {
    let all = || vec![api(), web()];
    let silent = FakeWorker::endpoint("w1", all(), WorkerBehaviour::Silent);
    let gateway = gateway(vec![silent, FakeWorker::endpoint("w2", all(), WorkerBehaviour::Silent)]).await;
    let began = Instant::now();
    let answer = json_of(&gateway, "search_codebase", json!({"query": "retry"})).await;
    assert!(began.elapsed() < HARD_DEADLINE + Duration::from_millis(100), "{:?}", began.elapsed());
    assert_eq!(states(&answer), ["api timed_out", "web timed_out"]);
    let hedge_budget = &gateway.core.workers().known().connections.hedge_budget;
    assert!(
        hedge_budget.n_hedges() <= 2 && hedge_budget.n_retries() == 0,
        "late requests are not retried beyond the budget"
    );
}

#[tokio::test(start_paused = true)]
async fn rejected_part_is_requested_from_the_replica() {
    let gateway = gateway(vec![FakeWorker::endpoint("w", vec![api()], WorkerBehaviour::Failing)]).await;
    let ask = |on_partial: &str| json!({"query": "retry", "on_partial": on_partial});
    assert_eq!(states(&json_of(&gateway, "search_codebase", ask("return")).await), ["api unreachable"]);
    let failed = super::call(&gateway, "search_codebase", ask("fail")).await;
    assert!(failed.is_error && failed.text.contains("incomplete") && failed.text.contains("unreachable"), "{failed:?}");
}
