//! The processes: four workers and two gateways.

use std::{
    ffi::{OsStr, OsString},
    net::SocketAddr,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use causeway_tests::{
    federation,
    measure::client::Client,
    process::{Running, causeway},
};
use serde_json::json;
use tonic::transport::Endpoint;

const N_WORKERS: usize = 4;
const N_GATEWAYS: usize = 2;
const N_REPLICAS: usize = 2;

/// How long anything may take to come about.
const PATIENCE: Duration = Duration::from_secs(1_800);

pub(crate) struct Stand {
    folder: PathBuf,
    roots: Vec<PathBuf>,
    pub(crate) workers: Vec<(Running, String)>,
    pub(crate) gateways: Vec<(Running, SocketAddr)>,
}

impl Stand {
    /// Starts everything, and waits until all is indexed and known.
    pub(crate) async fn start(folder: &Path, roots: &[PathBuf]) -> Stand {
        let mut stand =
            Stand { folder: folder.to_owned(), roots: roots.to_vec(), workers: Vec::new(), gateways: Vec::new() };
        stand.up().await;
        stand
    }

    /// Ends all processes as `kill -9` does, and starts them again.
    pub(crate) async fn restart(&mut self) {
        self.workers.clear();
        self.gateways.clear();
        self.up().await;
    }

    async fn up(&mut self) {
        self.workers = (0..N_WORKERS).map(|worker_idx| self.worker(worker_idx)).collect();
        for (_, address) in &self.workers {
            let channel = Endpoint::from_shared(address.clone()).expect("an address").connect().await;
            let statuses = federation::idle_within(PATIENCE, channel.expect("it listens")).await;
            assert!(statuses.iter().all(|status| status.error.is_empty()), "{statuses:?}");
        }
        for _ in 0..N_GATEWAYS {
            let options = ["gateway", "--listen", "127.0.0.1:0"];
            let workers = self.workers.iter().flat_map(|(_, address)| ["--worker", address]);
            let mut gateway = Running::start(causeway(options.into_iter().chain(workers)));
            let address = gateway.wait_for_address();
            let address = address.trim_start_matches("http://").parse().expect("an address");
            self.gateways.push((gateway, address));
            let mut client = Client::connect(address).await;
            let began = Instant::now();
            loop {
                let answer = client.call("list_repos", json!({"limit": 1})).await;
                let coverage = &answer["_meta"]["coverage"];
                if coverage["complete"] == true && coverage["asked"] == self.roots.len() {
                    break;
                }
                assert!(began.elapsed() < PATIENCE, "never all: {coverage}");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }

    fn worker(&self, worker_idx: usize) -> (Running, String) {
        let is_held = |repository_idx: usize| {
            (0..N_REPLICAS).any(|replica| {
                (repository_idx + replica * (1 + repository_idx / N_WORKERS % 3)) % N_WORKERS == worker_idx
            })
        };
        let held = self.roots.iter().enumerate().filter(|(repository_idx, _)| is_held(*repository_idx));
        let data = self.folder.join(format!("worker-{worker_idx}"));
        let mut arguments: Vec<OsString> = vec!["--data".into(), data.into(), "worker".into()];
        arguments.extend(["--listen", "127.0.0.1:0"].map(OsString::from));
        arguments.extend(held.map(|(_, root)| OsStr::new(root).to_owned()));
        let mut worker = Running::start(causeway(arguments));
        let address = worker.wait_for_address();
        (worker, address)
    }

    /// Returns how much memory the processes have, in MB: workers, then gateways.
    pub(crate) fn memory(&self) -> String {
        let of = |process: &Running| {
            let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).unwrap_or_default();
            let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
            line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) / 1024
        };
        let workers: Vec<u64> = self.workers.iter().map(|(process, _)| of(process)).collect();
        let gateways: Vec<u64> = self.gateways.iter().map(|(process, _)| of(process)).collect();
        format!("workers {workers:?} MB, gateways {gateways:?} MB")
    }
}
