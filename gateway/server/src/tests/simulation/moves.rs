//! Placement moves repositories between the workers of a simulated network during calls.

use std::{collections::BTreeSet, time::Duration};

use model::placement;
use tokio::sync::watch;

use super::{
    ALIASES, Draw, FakeRepository, FakeWorker, N_REPLICAS, WORKERS, empty_network, gateway, places, repository, run,
    search, seeds, serve,
};

/// Number of placement changes in one run.
const N_CHANGES: usize = 4;

/// Repositories of each worker, by worker index.
type Holdings = Vec<watch::Sender<Vec<FakeRepository>>>;

/// Pairs of repository index and worker index.
type Pairs = BTreeSet<(usize, usize)>;

#[test]
fn moved_repositories_are_never_missing() {
    for seed in seeds() {
        println!("seed {seed}");
        let mut draw = Draw(seed);
        let mut sim = empty_network(seed, Duration::from_millis(2 + draw.below(20)));
        let holdings: Holdings = WORKERS.iter().map(|_| watch::Sender::new(Vec::new())).collect();
        let all = owned(&WORKERS);
        all.iter().for_each(|(repo, worker)| set(&holdings, *repo, *worker, false));
        for (name, held) in WORKERS.into_iter().zip(&holdings) {
            let held = held.clone();
            sim.host(name, move || serve(FakeWorker::with_repositories(name, held.clone())));
        }
        sim.client("gateway", async move {
            let gateway = gateway().await;
            let whole = search(&gateway).await;
            assert_eq!(places(&whole).len(), ALIASES.len());
            let mut pauses = Draw(seed + 1);
            let moving = tokio::spawn(keep_moving(draw, all, holdings));
            while !moving.is_finished() {
                let answer = search(&gateway).await;
                assert_eq!(answer["_meta"]["coverage"]["complete"], true, "{answer}");
                assert_eq!(answer["results"], whole["results"]);
                tokio::time::sleep(Duration::from_millis(pauses.below(30))).await;
            }
            gateway.shutdown().await;
            Ok(())
        });
        run(&mut sim, seed, Vec::new());
    }
}

/// Changes the owners of the repositories several times. New owners take their repositories first. The previous owners
/// release them after the new ones have had time to announce theirs.
async fn keep_moving(mut draw: Draw, mut current_owners: Pairs, holdings: Holdings) {
    for _ in 0..N_CHANGES {
        let n_workers = N_REPLICAS + draw.below((WORKERS.len() - N_REPLICAS + 1) as u64) as usize;
        let mut workers = WORKERS.to_vec();
        while workers.len() > n_workers {
            workers.remove(draw.below(workers.len() as u64) as usize);
        }
        let target_owners = owned(&workers);
        for (repo, worker) in target_owners.difference(&current_owners) {
            tokio::time::sleep(Duration::from_millis(draw.below(80))).await;
            set(&holdings, *repo, *worker, false);
        }
        tokio::time::sleep(Duration::from_millis(50 + draw.below(200))).await;
        for (repo, worker) in current_owners.difference(&target_owners) {
            tokio::time::sleep(Duration::from_millis(draw.below(20))).await;
            set(&holdings, *repo, *worker, true);
        }
        current_owners = target_owners;
    }
}

/// Adds a repository to a worker, or marks it as released.
fn set(holdings: &Holdings, repo: usize, worker: usize, is_given_away: bool) {
    holdings[worker].send_modify(|held| {
        held.retain(|repository| repository.alias != ALIASES[repo]);
        held.push(FakeRepository { is_given_away, ..repository(repo as u8) });
    });
}

/// Returns the owners of each repository if these workers share all of them.
fn owned(workers: &[&str]) -> Pairs {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
    let owners = placement::owners(&names(&ALIASES), &names(workers), N_REPLICAS);
    let place = |name: &str, among: &[&str]| among.iter().position(|other| *other == name).expect("it is one of them");
    let pairs = owners
        .iter()
        .flat_map(|(repo, workers)| workers.iter().map(|worker| (place(repo, &ALIASES), place(worker, &WORKERS))));
    pairs.collect()
}
