//! A cluster of real processes with two replicas of each repository: the failure of one worker has no effect on
//! answers.

use std::{path::PathBuf, time::Duration};

use causeway_tests::{
    PATIENCE, answer,
    cluster::{call, gateway, http, signal, under_load, worker},
    organisation,
    process::Running,
};
use serde_json::{Value, json};

const QUERY: &str = "checkDigit";

/// Maximum wait for slow workers after the first answer.
const SOFT_DEADLINE: Duration = federation::fan_out::SOFT_DEADLINE;

/// Maximum duration of a call that waits for no failed worker: far more than it takes, and less than the soft deadline.
const UNDISTURBED: Duration = Duration::from_secs(1);

/// Two workers with the same repositories, and two gateways.
struct Cluster {
    folder: tempfile::TempDir,
    workers: Vec<(Running, String)>,
    _gateways: Vec<Running>,
    addresses: Vec<String>,
}

impl Cluster {
    fn start() -> Cluster {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let org = folder.path().join("org");
        organisation::materialise(&org);
        let mut cluster = Cluster { folder, workers: Vec::new(), _gateways: Vec::new(), addresses: Vec::new() };
        for name in ["first", "second"] {
            let started = worker(&cluster.folder.path().join(name), "127.0.0.1:0", &cluster.roots());
            cluster.workers.push(started);
        }
        let addresses: Vec<&str> = cluster.workers.iter().map(|(_, address)| address.as_str()).collect();
        for _ in 0..2 {
            let (process, address) = gateway(&addresses);
            cluster._gateways.push(process);
            cluster.addresses.push(address);
        }
        for address in &cluster.addresses {
            until(address, |readiness| readiness["workers_reachable"] == 2);
        }
        cluster
    }

    fn roots(&self) -> [PathBuf; 1] {
        [self.folder.path().join("org")]
    }

    fn gateways(&self) -> Vec<&str> {
        self.addresses.iter().map(String::as_str).collect()
    }

    /// Restarts a worker at its address.
    fn start_again(&mut self, worker_idx: usize) {
        let name = ["first", "second"][worker_idx];
        let address = self.workers[worker_idx].1.strip_prefix("http://").expect("an address").to_owned();
        self.workers[worker_idx] = worker(&self.folder.path().join(name), &address, &self.roots());
    }
}

/// Requests the readiness of a gateway until it meets a condition.
fn until(gateway: &str, holds: impl Fn(&Value) -> bool) {
    let began = std::time::Instant::now();
    loop {
        let (_, body) = http(gateway, "GET /readyz", "");
        let readiness: Value = serde_json::from_str(&body).unwrap_or_default();
        if holds(&readiness) {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "the condition was never met: {body}");
        std::thread::yield_now();
    }
}

fn results(gateway: &str) -> Value {
    let answer = call(gateway, "search_codebase", json!({"query": QUERY}));
    assert!(answer::is_complete(&answer), "{answer}");
    answer["results"].clone()
}

#[test]
fn killed_worker_costs_no_answer() {
    let mut cluster = Cluster::start();
    let before = results(&cluster.addresses[0]);
    let (mut killed, _) = cluster.workers.remove(1);
    let load = under_load(&cluster.gateways(), QUERY, |wait_for| {
        wait_for(20);
        killed.kill();
        wait_for(40);
    });
    assert!(load.partial.is_empty(), "{:?}", load.partial[0]);
    assert!(load.slowest() < SOFT_DEADLINE, "{:?}", load.slowest());
    for gateway in cluster.gateways() {
        until(gateway, |readiness| readiness["workers_reachable"] == 1);
        assert_eq!(results(gateway), before, "replicas answer the same");
    }
}

#[test]
fn stalled_worker_is_avoided_until_it_recovers() {
    let cluster = Cluster::start();
    let before = results(&cluster.addresses[0]);
    let load = under_load(&cluster.gateways(), QUERY, |wait_for| {
        wait_for(20);
        signal(&cluster.workers[1].0, "STOP");
        wait_for(40);
        cluster.gateways().into_iter().for_each(|gateway| until(gateway, |known| known["workers_reachable"] == 1));
        wait_for(20);
    });
    assert!(load.partial.is_empty(), "{:?}", load.partial[0]);
    assert!(load.slowest() < SOFT_DEADLINE + Duration::from_millis(500), "{:?}", load.slowest());
    for gateway in cluster.gateways().into_iter().cycle().take(20) {
        let began = std::time::Instant::now();
        assert_eq!(results(gateway), before);
        assert!(
            began.elapsed() < UNDISTURBED,
            "the call waited for a worker that is known to be silent: {:?}",
            began.elapsed()
        );
    }
    signal(&cluster.workers[1].0, "CONT");
    for gateway in cluster.gateways() {
        until(gateway, |readiness| readiness["workers_reachable"] == 2);
        assert_eq!(results(gateway), before);
    }
}

#[test]
fn rolling_restart_costs_no_answer() {
    let mut cluster = Cluster::start();
    let before = results(&cluster.addresses[0]);
    let addresses = cluster.addresses.clone();
    let gateways: Vec<&str> = addresses.iter().map(String::as_str).collect();
    let load = under_load(&gateways, QUERY, |wait_for| {
        for worker_idx in 0..2 {
            wait_for(10);
            signal(&cluster.workers[worker_idx].0, "TERM");
            let ended = cluster.workers[worker_idx].0.wait();
            assert_eq!(ended, Some(0), "it ends by itself");
            wait_for(10);
            cluster.start_again(worker_idx);
            gateways.iter().for_each(|gateway| until(gateway, |known| known["workers_reachable"] == 2));
        }
        wait_for(10);
    });
    assert!(load.partial.is_empty(), "{:?}", load.partial[0]);
    assert_eq!(results(gateways[1]), before);
}
