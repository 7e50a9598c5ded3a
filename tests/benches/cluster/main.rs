//! A cluster on one machine: four workers, two gateways, every repository held twice. What it costs to start, to ask, to ask
//! too much, to lose a worker, and to be started anew one after the other.
//!
//! Usage: `cargo bench -p causeway-tests --bench cluster -- [COUNT] [FOLDER]...`, for COUNT repositories (200): each folder directly
//! below those named is one, and the rest is made up. Processes share the machine with the callers: figures are those of the whole.

mod load;
mod stand;

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use causeway_tests::{
    cluster::signal,
    measure::{client::Client, corpus, questions},
};
use serde_json::json;

use load::{Figures, Pace};
use stand::Stand;

const DEFAULT_COUNT: usize = 200;

/// How often each question is asked after a first round, which warms up.
const ROUNDS: usize = 3;

/// The tail that the highest rate keeps below.
const TAIL: Duration = Duration::from_millis(200);

/// How long each step of the load takes.
const STEP: Duration = Duration::from_secs(6);

/// How many times the highest rate is offered to see what is turned away.
const OVERLOAD: f64 = 10.0;

#[tokio::main]
async fn main() {
    let given: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let count = given.iter().find_map(|argument| argument.parse().ok()).unwrap_or(DEFAULT_COUNT);
    let folders: Vec<PathBuf> =
        given.iter().filter(|argument| argument.parse::<usize>().is_err()).map(PathBuf::from).collect();
    let scratch = tempfile::tempdir().expect("a temporary folder can be made");
    let mut roots = corpus::below(&folders, count);
    let n_real = roots.len();
    roots.extend(corpus::make(&scratch.path().join("repositories"), count - n_real));
    println!("{n_real} real repositories, {} made-up ones", count - n_real);
    let began = Instant::now();
    let mut stand = Stand::start(scratch.path(), &roots).await;
    println!("{count} repositories, each by two of four workers: indexed in {:.1} s", began.elapsed().as_secs_f64());
    let began = Instant::now();
    stand.restart().await;
    println!("started from what is indexed: {:.1} s until every gateway has everything", began.elapsed().as_secs_f64());
    println!("memory at rest: {}", stand.memory());

    let asked = questions::of(&roots);
    for (kind, questions) in &asked {
        let mut took = Vec::new();
        let mut client = Client::connect(stand.gateways[0].1).await;
        for round in 0..=ROUNDS {
            for question in questions {
                let began = Instant::now();
                client.call("search_codebase", json!({"query": question, "repo": "all"})).await;
                took.extend((round > 0).then(|| began.elapsed()));
            }
        }
        println!("{kind:8} one at a time: {}", Figures::spread(&mut took));
    }

    let questions: Vec<String> = asked.into_iter().flat_map(|(_, questions)| questions).collect();
    let service = stand.service.clone();
    let mut best = 0.0;
    for callers in [1, 2, 4, 8, 16, 32, 64] {
        let mut figures = load::run(&service, &questions, Pace::Callers(callers), STEP).await;
        println!("{callers:3} callers: {figures}");
        if figures.tail() < TAIL {
            best = figures.rate().max(best);
        }
    }
    println!("highest rate with p99 under {} ms: {best:.0} calls/s; memory: {}", TAIL.as_millis(), stand.memory());

    let figures = load::run(&service, &questions, Pace::PerSecond(best * OVERLOAD), STEP * 2).await;
    println!("{OVERLOAD} times that: {figures}; memory: {}", stand.memory());
    let figures = load::run(&service, &questions, Pace::PerSecond(best / 4.0), Duration::from_secs(2)).await;
    println!("right after, a quarter of it: {figures}");

    let half = Pace::PerSecond(best / 2.0);
    let kill = async {
        tokio::time::sleep(STEP / 3).await;
        stand.workers[1].0.kill();
        tokio::time::sleep(STEP * 2 / 3).await;
    };
    println!("kill -9 of a worker at half the rate: {}", load::run_while(&service, &questions, half, kill).await);
    stand.restart().await;
    let stall = async {
        tokio::time::sleep(STEP / 3).await;
        signal(&stand.workers[1].0, "STOP");
        tokio::time::sleep(STEP * 2 / 3).await;
    };
    println!("SIGSTOP of a worker at half the rate: {}", load::run_while(&service, &questions, half, stall).await);
    let figures = load::run(&service, &questions, half, STEP / 2).await;
    println!("while it is stopped: {figures}");
    signal(&stand.workers[1].0, "CONT");
    let figures = load::run_while(&service, &questions, half, stand.roll()).await;
    println!("rolling restart of all workers and gateways at half the rate: {figures}");
}
