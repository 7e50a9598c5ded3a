//! Placement on three real workers: one joins, one leaves, and no repository is ever unserved.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    net::TcpListener,
    path::Path,
};

use causeway_tests::{
    PATIENCE,
    process::{Running, causeway},
    repository::Repository,
};
use proto::v1::{InventoryRequest, InventoryResponse, shard_service_client::ShardServiceClient};
use tokio::sync::mpsc;
use tonic::transport::Channel;

const N_REPOSITORIES: usize = 12;

/// The workers that serve each repository.
type Held = BTreeMap<String, BTreeSet<String>>;

/// The view of a gateway: the latest inventory of each worker.
struct Watched {
    serving: BTreeMap<String, BTreeSet<String>>,
    inventories: mpsc::UnboundedReceiver<(String, InventoryResponse)>,
}

impl Watched {
    /// Subscribes to the inventories of workers.
    fn follow(addresses: &[String]) -> Watched {
        let (sender, inventories) = mpsc::unbounded_channel();
        for address in addresses {
            let (address, sender) = (address.clone(), sender.clone());
            tokio::spawn(async move {
                let channel = Channel::from_shared(address.clone()).expect("an address").connect_lazy();
                let mut client = ShardServiceClient::new(channel);
                let mut stream = client.inventory(InventoryRequest {}).await.expect("it answers").into_inner();
                while let Ok(Some(inventory)) = stream.message().await {
                    let Ok(()) = sender.send((address.clone(), inventory)) else { return };
                }
            });
        }
        Watched { serving: BTreeMap::new(), inventories }
    }

    /// Receives the next inventory, and returns its list of expected aliases.
    async fn next(&mut self) -> Vec<String> {
        let received = tokio::time::timeout(PATIENCE, self.inventories.recv()).await;
        let (worker, inventory) = received
            .unwrap_or_else(|_| panic!("no inventory has changed: {:#?}", self.held()))
            .expect("the streams stay open");
        let served = inventory.repositories.into_iter().filter(|repository| !repository.generation.is_empty());
        self.serving.insert(worker, served.map(|repository| repository.alias).collect());
        inventory.expected
    }

    /// Returns the workers of each repository.
    fn held(&self) -> Held {
        let mut held = Held::new();
        for (worker, aliases) in &self.serving {
            aliases.iter().for_each(|alias| _ = held.entry(alias.clone()).or_default().insert(worker.clone()));
        }
        held
    }

    /// Waits until placement has converged. If it was complete before, it must stay complete.
    async fn settles(&mut self, names: &[String], workers: &[String], replicas: usize, is_held: bool) {
        let owners = model::placement::owners(names, workers, replicas);
        let owners: Held = owners.into_iter().map(|(name, owners)| (name, owners.into_iter().collect())).collect();
        while self.held() != owners {
            let mut expected = self.next().await;
            expected.sort();
            assert_eq!(expected, names, "every worker knows of all");
            let held = self.held();
            let missing: Vec<&String> = names.iter().filter(|name| !held.contains_key(*name)).collect();
            assert!(missing.is_empty() || !is_held, "no worker holds {missing:?}: {held:#?}");
        }
    }
}

/// Returns ports that were free a moment ago: workers need each other's address before they start.
fn free_addresses() -> Vec<String> {
    let listeners: Vec<TcpListener> = (0..3).map(|_| TcpListener::bind("127.0.0.1:0").expect("a port")).collect();
    listeners.iter().map(|listener| format!("http://{}", listener.local_addr().expect("it is bound"))).collect()
}

fn listing(folder: &Path, names: &[String], workers: &[String], replicas: usize) {
    let url = |name: &String| folder.join("srv").join(name).display().to_string();
    let entry = |name: &String| format!("[[repository]]\nname = '{name}'\nurl = '{}'\n", url(name));
    let entries: String = names.iter().map(entry).collect();
    let text = format!("{entries}[placement]\nworkers = {workers:?}\nreplicas = {replicas}\n");
    let (new, path) = (folder.join("new"), folder.join("listing.toml"));
    fs::write(&new, text).and_then(|()| fs::rename(&new, path)).expect("the listing can be written");
}

#[tokio::test]
async fn repositories_move_without_an_outage() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let names: Vec<String> = (10..10 + N_REPOSITORIES).map(|idx| format!("repo-{idx}")).collect();
    for name in &names {
        Repository::with_files(folder.path().join("srv").join(name), [("README.md", format!("# {name}\n").as_str())]);
    }
    let addresses = free_addresses();
    listing(folder.path(), &names, &addresses[..2], 1);
    let (config, listed) = (folder.path().join("worker.toml"), folder.path().join("listing.toml"));
    let text = format!(
        "[repositories]\nlisting = '{}'\npoll_seconds = 2\n[placement]\nworkers = {addresses:?}\n",
        listed.display()
    );
    fs::write(&config, text).expect("the configuration can be written");
    let start = |address: &String| {
        let data = folder.path().join(address.replace("http://", "").replace(':', "-"));
        let (data, config) = (data.display().to_string(), config.display().to_string());
        let listen = address.trim_start_matches("http://");
        let mut worker = Running::start(causeway([
            "--data", &data, "--config", &config, "worker", "--listen", listen, "--self", address,
        ]));
        worker.wait_for_address();
        worker
    };
    let _processes: Vec<Running> = addresses.iter().map(start).collect();
    let mut watched = Watched::follow(&addresses);
    watched.settles(&names, &addresses[..2], 1, false).await;
    for (workers, replicas) in [(3, 1), (2, 1), (3, 2), (2, 1)] {
        listing(folder.path(), &names, &addresses[..workers], replicas);
        watched.settles(&names, &addresses[..workers], replicas, true).await;
    }
}
