//! Benchmark of a cluster on one machine: four workers, two gateways, two replicas of each repository. Measures
//! start-up, queries, overload, the loss of a worker, and a rolling restart.
//!
//! Usage: `cargo bench -p causeway-tests --bench cluster -- [COUNT] [FOLDER]...` for COUNT repositories (200): each
//! folder directly below a FOLDER is one, the others are generated. The processes share the machine with the callers,
//! so figures are those of the whole.

mod load;
mod processes;

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use causeway_tests::{
    cluster::signal,
    measure::{client::Client, corpus, questions},
};
use serde_json::json;

use load::{LoadMeasurements, LoadProfile};
use processes::ProcessCluster;

const DEFAULT_COUNT: usize = 200;

/// Number of rounds per question after the warm-up.
const ROUNDS: usize = 3;

/// Limit of the 99th percentile for the highest rate.
const MAX_TAIL: Duration = Duration::from_millis(200);

/// Duration of each load step.
const STEP: Duration = Duration::from_secs(6);

/// Overload factor relative to the highest rate.
const OVERLOAD: f64 = 10.0;

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let count = arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(DEFAULT_COUNT);
    let folders: Vec<PathBuf> =
        arguments.iter().filter(|argument| argument.parse::<usize>().is_err()).map(PathBuf::from).collect();
    let scratch = tempfile::tempdir().expect("a temporary folder can be made");
    let mut roots = corpus::below(&folders, count);
    let n_real = roots.len();
    roots.extend(corpus::make(&scratch.path().join("repositories"), count - n_real));
    println!("{n_real} real repositories, {} made-up ones", count - n_real);
    let began = Instant::now();
    let mut cluster = ProcessCluster::start(scratch.path(), &roots).await;
    println!("{count} repositories, each by two of four workers: indexed in {:.1} s", began.elapsed().as_secs_f64());
    let began = Instant::now();
    cluster.restart().await;
    println!("started from what is indexed: {:.1} s until every gateway has everything", began.elapsed().as_secs_f64());
    println!("memory at rest: {}", cluster.memory());

    let questions_by_kind = questions::of(&roots);
    for (kind, questions) in &questions_by_kind {
        let mut took = Vec::new();
        let mut client = Client::connect(cluster.gateways[0].1).await;
        for round in 0..=ROUNDS {
            for question in questions {
                let began = Instant::now();
                client.call("search_codebase", json!({"query": question, "repo": "all"})).await;
                took.extend((round > 0).then(|| began.elapsed()));
            }
        }
        println!("{kind:8} one at a time: {}", LoadMeasurements::spread(&mut took));
    }

    let questions: Vec<String> = questions_by_kind.into_iter().flat_map(|(_, questions)| questions).collect();
    let service = cluster.service.clone();
    let mut best = 0.0;
    for callers in [1, 2, 4, 8, 16, 32, 64] {
        let mut measurements = load::run(&service, &questions, LoadProfile::Callers(callers), STEP).await;
        println!("{callers:3} callers: {measurements}");
        if measurements.tail() < MAX_TAIL {
            best = measurements.rate().max(best);
        }
    }
    println!(
        "highest rate with p99 under {} ms: {best:.0} calls/s; memory: {}",
        MAX_TAIL.as_millis(),
        cluster.memory()
    );

    let measurements = load::run(&service, &questions, LoadProfile::PerSecond(best * OVERLOAD), STEP * 2).await;
    println!("{OVERLOAD} times that: {measurements}; memory: {}", cluster.memory());
    let measurements =
        load::run(&service, &questions, LoadProfile::PerSecond(best / 4.0), Duration::from_secs(2)).await;
    println!("right after, a quarter of it: {measurements}");

    let half = LoadProfile::PerSecond(best / 2.0);
    let kill = async {
        tokio::time::sleep(STEP / 3).await;
        cluster.workers[1].0.kill();
        tokio::time::sleep(STEP * 2 / 3).await;
    };
    println!("kill -9 of a worker at half the rate: {}", load::run_while(&service, &questions, half, kill).await);
    cluster.restart().await;
    let stall = async {
        tokio::time::sleep(STEP / 3).await;
        signal(&cluster.workers[1].0, "STOP");
        tokio::time::sleep(STEP * 2 / 3).await;
    };
    println!("SIGSTOP of a worker at half the rate: {}", load::run_while(&service, &questions, half, stall).await);
    let measurements = load::run(&service, &questions, half, STEP / 2).await;
    println!("while it is stopped: {measurements}");
    signal(&cluster.workers[1].0, "CONT");
    let measurements = load::run_while(&service, &questions, half, cluster.roll()).await;
    println!("rolling restart of all workers and gateways at half the rate: {measurements}");
}
