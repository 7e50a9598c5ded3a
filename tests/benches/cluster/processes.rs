//! The processes of the benchmark: four workers and two gateways.

use std::{
    ffi::{OsStr, OsString},
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use causeway_tests::{
    cluster::signal,
    federation,
    measure::client::Client,
    process::{Running, causeway},
};
use tonic::transport::Endpoint;

const N_WORKERS: usize = 4;
const N_GATEWAYS: usize = 2;
const N_REPLICAS: usize = 2;

const ANY_PORT: &str = "127.0.0.1:0";

/// Timeout of any wait.
const TIMEOUT: Duration = Duration::from_secs(1_800);

pub(crate) struct ProcessCluster {
    folder: PathBuf,
    roots: Vec<PathBuf>,
    pub(crate) workers: Vec<(Running, String)>,
    pub(crate) gateways: Vec<(Running, SocketAddr)>,
    /// The gateways that receive calls.
    pub(crate) service: LoadBalancer,
}

impl ProcessCluster {
    /// Starts all processes, and waits until everything is indexed and discovered.
    pub(crate) async fn start(folder: &Path, roots: &[PathBuf]) -> ProcessCluster {
        let mut cluster = ProcessCluster {
            folder: folder.to_owned(),
            roots: roots.to_vec(),
            workers: Vec::new(),
            gateways: Vec::new(),
            service: LoadBalancer::default(),
        };
        cluster.start_all().await;
        cluster
    }

    /// Kills all processes and starts them again.
    pub(crate) async fn restart(&mut self) {
        self.workers.clear();
        self.gateways.clear();
        self.start_all().await;
    }

    async fn start_all(&mut self) {
        self.workers = (0..N_WORKERS).map(|worker_idx| self.worker(worker_idx, ANY_PORT)).collect();
        for (_, address) in &self.workers {
            wait_until_idle(address).await;
        }
        for _ in 0..N_GATEWAYS {
            let gateway = self.gateway();
            self.wait_until_complete(gateway.1).await;
            self.gateways.push(gateway);
        }
        self.service.set(self.gateways.iter().map(|(_, address)| *address).collect());
    }

    /// Restarts all workers, then all gateways, one after the other, as in a rolling update: each waits for the
    /// readiness of the previous one, and only ready gateways receive calls.
    pub(crate) async fn roll(&mut self) {
        for worker_idx in 0..N_WORKERS {
            let (worker, address) = &mut self.workers[worker_idx];
            signal(worker, "TERM");
            wait_for_end(worker).await;
            let listen = address.trim_start_matches("http://").to_owned();
            self.workers[worker_idx] = self.worker(worker_idx, &listen);
            wait_until_idle(&self.workers[worker_idx].1).await;
            for (_, address) in &self.gateways {
                self.wait_until_complete(*address).await;
            }
        }
        for gateway_idx in 0..N_GATEWAYS {
            let others = self.gateways.iter().enumerate().filter(|(other_idx, _)| *other_idx != gateway_idx);
            self.service.set(others.map(|(_, (_, address))| *address).collect());
            let gateway = &mut self.gateways[gateway_idx].0;
            signal(gateway, "TERM");
            wait_for_end(gateway).await;
            self.gateways[gateway_idx] = self.gateway();
            self.wait_until_complete(self.gateways[gateway_idx].1).await;
            self.service.set(self.gateways.iter().map(|(_, address)| *address).collect());
        }
    }

    fn gateway(&self) -> (Running, SocketAddr) {
        let options = ["gateway", "--listen", ANY_PORT];
        let workers = self.workers.iter().flat_map(|(_, address)| ["--worker", address]);
        let mut gateway = Running::start(causeway(options.into_iter().chain(workers)));
        let address = gateway.wait_for_address();
        (gateway, address.trim_start_matches("http://").parse().expect("an address"))
    }

    /// Waits until a gateway reaches all workers and knows all repositories.
    async fn wait_until_complete(&self, gateway: SocketAddr) {
        let mut client = Client::connect(gateway).await;
        let began = Instant::now();
        loop {
            let readiness = client.readiness().await;
            if readiness["workers_reachable"] == N_WORKERS && readiness["repositories_serving"] == self.roots.len() {
                return;
            }
            assert!(began.elapsed() < TIMEOUT, "never all ready: {readiness}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn worker(&self, worker_idx: usize, listen: &str) -> (Running, String) {
        let is_held = |repository_idx: usize| {
            (0..N_REPLICAS).any(|replica| {
                (repository_idx + replica * (1 + repository_idx / N_WORKERS % 3)) % N_WORKERS == worker_idx
            })
        };
        let held = self.roots.iter().enumerate().filter(|(repository_idx, _)| is_held(*repository_idx));
        let data = self.folder.join(format!("worker-{worker_idx}"));
        let mut arguments: Vec<OsString> = vec!["--data".into(), data.into(), "worker".into()];
        arguments.extend(["--listen", listen].map(OsString::from));
        arguments.extend(held.map(|(_, root)| OsStr::new(root).to_owned()));
        let mut worker = Running::start(causeway(arguments));
        let address = worker.wait_for_address();
        (worker, address)
    }

    /// Returns the resident memory of the processes in MB: workers, then gateways.
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

/// Waits until a worker has indexed its repositories.
async fn wait_until_idle(worker: &str) {
    let channel = Endpoint::from_shared(worker.to_owned()).expect("an address").connect().await;
    let statuses = federation::idle_within(TIMEOUT, channel.expect("it listens")).await;
    assert!(statuses.iter().all(|status| status.error.is_empty()), "{statuses:?}");
}

/// Waits for the end of a process.
async fn wait_for_end(process: &mut Running) {
    while process.is_running() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A load balancer in front of the gateways: it knows the ready ones.
#[derive(Clone, Default)]
pub(crate) struct LoadBalancer(Arc<std::sync::RwLock<Vec<SocketAddr>>>);

impl LoadBalancer {
    fn set(&self, gateways: Vec<SocketAddr>) {
        *self.0.write().expect("no holder of this lock panics") = gateways;
    }

    /// Returns the gateway for a caller's next connection.
    pub(crate) fn of(&self, caller: usize) -> SocketAddr {
        let gateways = self.0.read().expect("no holder of this lock panics");
        gateways[caller % gateways.len()]
    }
}
