//! A federation in a simulated network. A seed chooses when links are cut or held and when workers crash.
//!
//! The gateway, its merge, HTTP/2 and gRPC are real; workers, time and the network are simulated. Seeds run in order,
//! and a failure names its seed: `CAUSEWAY_SEEDS=17..18 cargo test -p causeway-gateway simulation` runs one again, and
//! `0..20000` more than the tests do.

mod moves;

use std::{
    collections::BTreeSet,
    ops::Range,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
    time::Duration,
};

use hyper_util::rt::TokioIo;
use proto::v1::shard_service_server::ShardServiceServer;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::Instant,
};
use tonic::transport::{Endpoint, Server, Uri, server::Connected};
use turmoil::Sim;

use super::{
    fake::{FakeRepository, FakeWorker, WorkerBehaviour, endpoint::introducing},
    json_of, states,
};
use crate::Gateway;
use federation::discovery::with_keep_alive;
use federation::{discovery::WorkerEndpoint, fan_out::HARD_DEADLINE, fan_out::SOFT_DEADLINE};

/// Seeds of a normal test run.
const SEEDS: Range<u64> = 0..200;

const WORKERS: [&str; 4] = ["w0", "w1", "w2", "w3"];

/// Each repository is held by this many workers.
const N_REPLICAS: usize = 2;

const N_REPOSITORIES: u8 = 8;

const ALIASES: [&str; N_REPOSITORIES as usize] = ["r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7"];

const PORT: u16 = 7475;

/// Time at which all faults end.
const HEALED: Duration = Duration::from_secs(8);

/// Maximum recovery time after the faults: the longest reconnect back-off, the longest attempt, and one more attempt
/// for lost packets.
const RECOVERY: Duration = Duration::from_secs(5);

/// A fault of the network.
#[derive(Debug, Clone, Copy)]
enum Fault {
    /// Drops all packets between the gateway and the worker.
    Cut(usize),
    /// Delays all packets.
    Hold(usize),
    Crash(usize),
    /// Ends all faults.
    Heal,
}

/// A pseudorandom number generator for tests: SplitMix64 (Steele, Lea and Flood, 2014).
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }
}

/// Returns the faults with their times.
fn schedule(draw: &mut Draw) -> Vec<(Duration, Fault)> {
    let n_faults = 1 + draw.below(5);
    let mut faults: Vec<(Duration, Fault)> = Vec::new();
    for _ in 0..n_faults {
        let at = Duration::from_millis(1_000 + draw.below(6_000));
        let worker = draw.below(WORKERS.len() as u64) as usize;
        faults.push((at, [Fault::Cut(worker), Fault::Hold(worker), Fault::Crash(worker)][draw.below(3) as usize]));
    }
    faults.sort_by_key(|(at, _)| *at);
    faults.push((HEALED, Fault::Heal));
    faults
}

/// Returns the repositories that a worker holds.
fn repositories_of_worker(worker_idx: usize) -> Vec<FakeRepository> {
    let is_held = |id: &u8| (0..N_REPLICAS).any(|replica| (*id as usize + replica) % WORKERS.len() == worker_idx);
    (0..N_REPOSITORIES).filter(is_held).map(repository).collect()
}

fn repository(id: u8) -> FakeRepository {
    const FILE: &str = "def retry(call):\n    # Calls again after a pause.\n    return call()\n";
    let alias = ALIASES[id as usize];
    // Distinct content, so that no file is a duplicate of another.
    let text: &'static str = Box::leak(format!("# {alias}\n{FILE}").into_boxed_str());
    FakeRepository { alias, id, generation: 1, files: vec![("src/retry.py", text)], ..Default::default() }
}

/// Runs one seed, and returns a line for each answer with its time.
fn simulate(seed: u64) -> Vec<String> {
    let mut draw = Draw(seed);
    let slowest = Duration::from_millis(2 + draw.below(30));
    let mut sim = network(seed, slowest);
    let trace = Arc::new(Mutex::new(Vec::new()));
    sim.client("gateway", run_client(Arc::clone(&trace)));
    run(&mut sim, seed, schedule(&mut draw));
    let trace = trace.lock().unwrap();
    trace.clone()
}

/// Returns a network of workers with a message latency of up to `slowest`.
fn network(seed: u64, slowest: Duration) -> Sim<'static> {
    let mut sim = empty_network(seed, slowest);
    for (worker_idx, name) in WORKERS.into_iter().enumerate() {
        sim.host(name, move || {
            serve(FakeWorker::new(name, repositories_of_worker(worker_idx), WorkerBehaviour::Healthy))
        });
    }
    sim
}

fn empty_network(seed: u64, slowest: Duration) -> Sim<'static> {
    let mut builder = turmoil::Builder::new();
    builder.rng_seed(seed).min_message_latency(Duration::from_millis(1)).max_message_latency(slowest);
    builder.tick_duration(Duration::from_millis(2)).simulation_duration(Duration::from_secs(120)).build()
}

/// Applies the faults at their times until the client ends.
fn run(sim: &mut Sim<'_>, seed: u64, faults: Vec<(Duration, Fault)>) {
    let mut faults = faults.into_iter().peekable();
    let mut is_up = [true; WORKERS.len()];
    loop {
        while let Some((_, fault)) = faults.next_if(|(at, _)| *at <= sim.elapsed()) {
            apply(sim, &mut is_up, fault);
        }
        match sim.step() {
            Ok(true) => return,
            Ok(false) => {}
            Err(error) => panic!("seed {seed}: {error}"),
        }
    }
}

fn apply(sim: &mut Sim<'_>, is_up: &mut [bool; WORKERS.len()], fault: Fault) {
    match fault {
        Fault::Cut(worker) => sim.partition("gateway", WORKERS[worker]),
        Fault::Hold(worker) => sim.hold("gateway", WORKERS[worker]),
        Fault::Crash(worker) => {
            if std::mem::replace(&mut is_up[worker], false) {
                sim.crash(WORKERS[worker]);
            }
        }
        Fault::Heal => {
            for (worker_idx, name) in WORKERS.into_iter().enumerate() {
                sim.repair("gateway", name);
                sim.release("gateway", name);
                if !std::mem::replace(&mut is_up[worker_idx], true) {
                    sim.bounce(name);
                }
            }
        }
    }
}

/// Serves a worker.
async fn serve(worker: FakeWorker) -> turmoil::Result {
    let listener = turmoil::net::TcpListener::bind(("0.0.0.0", PORT)).await?;
    let incoming = futures::stream::unfold(listener, |listener| async move {
        let accepted = listener.accept().await.map(|(stream, _)| Wire(stream));
        Some((accepted, listener))
    });
    let (health, health_service) = tonic_health::server::health_reporter();
    for service in [proto::READINESS_SERVICE, proto::LIVENESS_SERVICE] {
        health.set_service_status(service, tonic_health::ServingStatus::Serving).await;
    }
    let server = Server::builder().layer(introducing(worker.name())).add_service(health_service);
    let server = server.add_service(ShardServiceServer::new(worker));
    server.serve_with_incoming(incoming).await?;
    Ok(())
}

/// Starts a gateway that knows all workers.
async fn gateway() -> Gateway {
    let endpoint = |name: &&'static str| {
        let name = *name;
        WorkerEndpoint::new(name, move || {
            let connector = tower::service_fn(move |_: Uri| async move {
                turmoil::net::TcpStream::connect((name, PORT)).await.map(TokioIo::new)
            });
            with_keep_alive(Endpoint::from_static("http://simulated")).connect_with_connector_lazy(connector)
        })
    };
    let gateway = Gateway::start(crate::GatewayConfig::laptop(), WORKERS.iter().map(endpoint).collect());
    assert!(gateway.wait_for_workers(Duration::from_secs(1)).await, "no fault has begun");
    gateway
}

async fn search(gateway: &Gateway) -> Value {
    json_of(gateway, "search_codebase", json!({"query": "retry", "limit": 50})).await
}

/// The client: it searches until all faults are over and the answer is complete.
async fn run_client(trace: Arc<Mutex<Vec<String>>>) -> turmoil::Result {
    let gateway = gateway().await;
    let whole = search(&gateway).await;
    assert_eq!(places(&whole).len(), N_REPOSITORIES as usize);
    let mut is_whole = false;
    while !is_whole || turmoil::elapsed() < HEALED {
        let (began, began_at) = (Instant::now(), turmoil::elapsed());
        let answer = search(&gateway).await;
        check(&answer, &whole, began.elapsed());
        is_whole = answer["_meta"]["coverage"]["complete"] == true;
        let line = format!("{} {} {:?}", turmoil::elapsed().as_millis(), places(&answer).len(), states(&answer));
        trace.lock().unwrap().push(line);
        assert!(is_whole || began_at < HEALED + RECOVERY, "no complete answer after the faults: {answer}");
        tokio::time::sleep(Duration::from_millis(150)).await;
    }
    gateway.shutdown().await;
    Ok(())
}

/// Checks the invariants of every answer.
fn check(answer: &Value, whole: &Value, took: Duration) {
    assert!(took <= HARD_DEADLINE + HARD_DEADLINE / 10, "{took:?}");
    let found = places(answer);
    let distinct: BTreeSet<&String> = found.iter().collect();
    assert_eq!(distinct.len(), found.len(), "a result is listed twice: {answer}");
    if answer["_meta"]["coverage"]["complete"] == true {
        assert_eq!(answer["results"], whole["results"], "a complete answer has all results");
        return;
    }
    let short = states(answer);
    assert!(!short.is_empty(), "an incomplete answer lists its shortfalls: {answer}");
    for number in 0..N_REPOSITORIES {
        let is_short = short.iter().any(|line| line.starts_with(&format!("r{number} ")));
        let is_found = found.iter().any(|place| place.starts_with(&format!("r{number}:")));
        assert!(is_short || is_found, "r{number} is neither found nor missing: {answer}");
    }
}

fn places(answer: &Value) -> Vec<String> {
    let results = answer["results"].as_array().cloned().unwrap_or_default();
    results.iter().map(|hit| format!("{}:{}", hit["repo"].as_str().unwrap(), hit["start_line"])).collect()
}

fn seeds() -> Range<u64> {
    let seed_range = std::env::var("CAUSEWAY_SEEDS").ok();
    let range = seed_range.as_deref().and_then(|seed_range| seed_range.split_once(".."));
    range.and_then(|(first, end)| Some(first.parse().ok()?..end.parse().ok()?)).unwrap_or(SEEDS)
}

#[test]
fn invariants_hold_for_every_seed() {
    for seed in seeds() {
        println!("seed {seed}");
        assert!(!simulate(seed).is_empty());
    }
}

#[test]
fn simulation_is_deterministic() {
    for seed in [3, 17, 91] {
        assert_eq!(simulate(seed), simulate(seed), "seed {seed}");
    }
    assert_ne!(simulate(3), simulate(4));
}

#[test]
fn partition_affects_only_repositories_without_a_replica() {
    let mut sim = network(1, Duration::from_millis(5));
    sim.client("gateway", async {
        let gateway = gateway().await;
        let whole = search(&gateway).await;
        for name in &WORKERS[..2] {
            turmoil::partition("gateway", *name);
        }
        while gateway.readiness().workers_reachable > 2 {
            check(&search(&gateway).await, &whole, Duration::ZERO);
        }
        // Of four workers, the first two are the only holders of every fourth repository.
        let began = Instant::now();
        let answer = search(&gateway).await;
        assert_eq!(states(&answer), ["r0 unreachable", "r4 unreachable"]);
        assert_eq!(places(&answer).len(), 6);
        assert!(began.elapsed() < Duration::from_millis(100), "a call does not wait for an unreachable worker");
        for name in &WORKERS[..2] {
            turmoil::repair("gateway", *name);
        }
        let healed = Instant::now();
        while search(&gateway).await["results"] != whole["results"] {
            assert!(healed.elapsed() < RECOVERY, "no complete answer after the faults");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        gateway.shutdown().await;
        Ok(())
    });
    run(&mut sim, 1, Vec::new());
}

#[test]
fn stopped_worker_is_detected_without_a_hedge_budget() {
    let mut sim = network(3, Duration::from_millis(5));
    sim.client("gateway", async {
        let gateway = gateway().await;
        let whole = search(&gateway).await;
        let hedge_budget = Arc::clone(&gateway.core.workers().known().connections.hedge_budget);
        while hedge_budget.hedge(1) {}
        let n_hedges = hedge_budget.n_hedges();
        turmoil::hold("gateway", WORKERS[3]);
        let began = Instant::now();
        let answers = futures::future::join_all((0..6).map(|_| search(&gateway))).await;
        assert!(began.elapsed() < SOFT_DEADLINE, "{:?}", began.elapsed());
        for answer in &answers {
            check(answer, &whole, began.elapsed());
            // Its repositories have another replica, so none may time out.
            assert!(!states(answer).iter().any(|state| state.contains("timed_out")), "{answer}");
        }
        let began = Instant::now();
        search(&gateway).await;
        assert!(began.elapsed() < Duration::from_millis(100), "the next call does not wait for the worker");
        assert_eq!(hedge_budget.n_hedges(), n_hedges);
        gateway.shutdown().await;
        Ok(())
    });
    run(&mut sim, 3, Vec::new());
}

#[test]
fn slow_worker_is_hedged_at_low_cost() {
    const N_SEARCHES: u64 = 150;
    let mut sim = network(2, Duration::from_millis(4));
    sim.client("gateway", async {
        let gateway = gateway().await;
        let whole = search(&gateway).await;
        let mut took = Vec::new();
        for _ in 0..N_SEARCHES {
            let began = Instant::now();
            let answer = search(&gateway).await;
            took.push(began.elapsed());
            assert_eq!(answer["results"], whole["results"]);
        }
        took.sort_unstable();
        assert!(took[took.len() * 95 / 100] < SOFT_DEADLINE, "{took:?}");
        let known = gateway.core.workers().known();
        // Each search calls up to four workers twice; the hedge budget starts with ten calls.
        let (n_calls, n_hedges) = (N_SEARCHES * 8, known.connections.hedge_budget.n_hedges());
        assert!((10..=10 + n_calls / 20).contains(&n_hedges), "{n_hedges} of {n_calls}");
        gateway.shutdown().await;
        Ok(())
    });
    sim.set_link_latency("gateway", WORKERS[1], Duration::from_millis(100));
    run(&mut sim, 2, Vec::new());
}

/// A stream of the simulated network as a server takes it.
struct Wire(turmoil::net::TcpStream);

impl Connected for Wire {
    type ConnectInfo = ();

    fn connect_info(&self) {}
}

impl AsyncRead for Wire {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buf)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
