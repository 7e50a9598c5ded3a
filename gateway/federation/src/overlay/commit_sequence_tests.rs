//! Any sequence of commits: an overlay that is updated equals one that is made from nothing. Pairs by key, inferred links and services
//! of seven repositories take part.

mod states;

use std::{collections::BTreeMap, fmt::Write as _, sync::Arc};

use graph::{ManifestFile, is_manifest};
use links::{
    ContractKind,
    compiler_facts::CompilerFacts,
    join::{ContractSite, ContractSurface, IndexedSurface, PackageMember, SurfaceOffer, SurfaceUse},
    link_facts::{FileToEncode, encode},
    rules::LinkRules,
};
use model::{FileClass, GenerationId, Language, RepoId};
use proptest::prelude::*;
use proto::v1;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    Overlay, OverlayPair,
    importers::JointLinks,
    link_store::LinkStore,
    pair_index::PairIndex,
    parts::{OverlayParts, OverlaySources, RepositoryKey, generation_ref, key},
    refresh::fingerprint,
};
use states::{REPOSITORIES, States};

use crate::{
    directory::{Directory, Reachability, WorkerView},
    repo_idx::RepoIdx,
};

/// A state of a repository, as a worker answers for it.
#[derive(Default)]
struct RepositoryState {
    surface: ContractSurface,
    located: BTreeMap<PackageMember, ContractSite>,
    facts: Vec<u8>,
}

fn state(text: &str) -> RepositoryState {
    let mut state = RepositoryState::default();
    let (contracts, files) = text.split_at(text.find("//- ").unwrap_or(text.len()));
    for line in contracts.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (words, place) = line.rsplit_once('@').expect("a place");
        let (node, line) = place.split_once(':').expect("a node and a line");
        let node: u32 = node.parse().expect("a node");
        let site = ContractSite { node, path: format!("f{node}").into(), line: line.parse().expect("a line") };
        let mut words = words.split(' ');
        let mut word = || words.next().unwrap_or_default().replace('~', " ");
        let side = word();
        if side == "!" {
            let member = PackageMember { package: word().into(), member: word().into() };
            state.located.insert(member, site);
            continue;
        }
        let (kind, key, member) = (kind_of(&word()), word().into(), word().into());
        match side.as_str() {
            "+" => state.surface.offers.push(SurfaceOffer { kind, key, member, site }),
            side => state.surface.uses.push(SurfaceUse {
                kind,
                key,
                member,
                site,
                confidence: 0.9,
                n_sites: 1,
                serves: side == "*",
            }),
        }
    }
    state.facts = facts(files);
    state
}

fn kind_of(name: &str) -> ContractKind {
    match name {
        "package" => ContractKind::Package,
        "symbol" => ContractKind::PackageSymbol,
        "grpc" => ContractKind::Grpc,
        "http" => ContractKind::Http,
        "topic" => ContractKind::Topic,
        "table" => ContractKind::Table,
        "config" => ContractKind::Config,
        "host" => ContractKind::Host,
        "workload" => ContractKind::Workload,
        "image" => ContractKind::Image,
        other => panic!("no kind {other}"),
    }
}

fn facts(files: &str) -> Vec<u8> {
    let files = files.split("//- ").skip(1).filter_map(|file| file.split_once('\n'));
    let files: Vec<(&str, &str, _)> =
        files.map(|(path, text)| (path, text, syntax::extract(Language::of_path(path), text.as_bytes()))).collect();
    let manifests = files.iter().filter(|(path, ..)| is_manifest(path));
    let manifests: Vec<ManifestFile<'_>> = manifests.map(|(path, text, _)| ManifestFile { path, text }).collect();
    let class = |path: &str| if path.starts_with("tests/") { FileClass::Test } else { FileClass::Source };
    let files = files.iter().map(|(path, _, facts)| FileToEncode {
        path,
        class: class(path),
        facts,
        interface: graph::interface_hash(facts),
        is_unchanged: false,
    });
    encode(files, &manifests, &CompilerFacts::default(), &[], None).expect("few bytes")
}

/// The inputs of overlays that outlive a commit.
struct Cache {
    parts: OverlayParts,
    joint: JointLinks,
    rules: Arc<LinkRules>,
}

impl Cache {
    fn new() -> Cache {
        Cache::with(LinkStore::open(None))
    }

    fn with(store: LinkStore) -> Cache {
        let rules = Arc::new(LinkRules::default());
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        let joint = JointLinks::new(store, Arc::clone(&rules), &tasks, &stop);
        Cache { parts: OverlayParts::default(), joint, rules }
    }

    /// Makes the overlay of the repositories in these states, and returns it with the number of importers whose links were renewed.
    async fn overlay(&mut self, states: &[usize; 7]) -> (Overlay, usize) {
        let directory = directory(states);
        let own: Vec<RepoIdx> = directory.repo_idxs().collect();
        let keys: Vec<RepositoryKey> = own.iter().map(|repo_idx| key(&directory, *repo_idx)).collect();
        let of = |repo_idx: RepoIdx| {
            let place = REPOSITORIES.iter().position(|states| states.alias == directory[repo_idx].own_alias);
            let place = place.expect("a repository of the test");
            state(&REPOSITORIES[place].text(states[place]))
        };
        self.parts.forget_changed(&directory, &own);
        for (repo_idx, key) in own.iter().zip(&keys).filter(|(_, key)| self.parts.is_wanted(key)).collect::<Vec<_>>() {
            let generation = directory[*repo_idx].advertised.generation.clone();
            self.parts.add(key.clone(), generation, Arc::new(IndexedSurface::new(of(*repo_idx).surface)));
        }
        let newest = self.parts.n_surfaces;
        let by_key: BTreeMap<&RepositoryKey, RepoIdx> = keys.iter().zip(own.iter().copied()).collect();
        for (provider, members) in self.parts.members_unknown(&keys) {
            let located = of(by_key[&provider]).located;
            let sites = members.into_iter().map(|member| (member.clone(), located.get(&member).cloned()));
            self.parts.locate(provider.clone(), sites, newest);
        }
        let served: Vec<_> = own.iter().map(|repo_idx| generation_ref(&directory, *repo_idx)).collect();
        self.joint.forget_changed(|generation| served.contains(generation));
        let (importers, wanted) = self.parts.importers(&directory, &own, &self.rules, |key| self.joint.is_wanted(key));
        let mut n_renewed = 0;
        for importer in wanted {
            n_renewed += usize::from(self.joint.link_from(importer, |repo_idx| of(repo_idx).facts).await);
        }
        self.parts.join().await;
        let services = self.parts.services(&directory, &own, &self.rules).await;
        let sources = OverlaySources { importers: &importers, joint: &self.joint, services, rules: &self.rules };
        (self.parts.overlay(&directory, &own, fingerprint(&directory, &own), sources), n_renewed)
    }
}

fn directory(states: &[usize; 7]) -> Directory {
    let repository = |(place, States { alias, .. }): (usize, &States)| v1::Repository {
        id: RepoId([place as u8 + 1; 16]).to_string(),
        alias: (*alias).to_owned(),
        state: v1::RepositoryState::Ready.into(),
        generation: GenerationId([states[place] as u8 + 1; 16]).to_string(),
        ..Default::default()
    };
    let repositories = REPOSITORIES.iter().enumerate().map(repository).collect();
    let inventory =
        v1::InventoryResponse { analyser_version: ranking::ANALYSER_VERSION, repositories, ..Default::default() };
    let view = WorkerView { name: "w".to_owned(), reach: Reachability::Reachable, inventory: Some(inventory) };
    Directory::build(&[view])
}

/// Returns everything in an overlay that answers read.
fn shown(overlay: &Overlay) -> String {
    let mut shown = String::new();
    let mut add = |line: String| writeln!(shown, "{line}").expect("text can be written");
    for pair in &overlay.pairs {
        add(format!("{:?} -> {:?} {} {:?}", pair.user, pair.provider, pair.is_joint, pair.index.links()));
        add(format!("{:?}", pair.index.summary()));
    }
    for (importer, linked) in &overlay.linked {
        let links = &linked.links;
        add(format!("{importer:?} {:?} {:?}", linked.providers, links.dependencies));
        add(format!("{:?} {:?}", links.unresolved, links.unresolved_accesses));
        add(format!("{:?} {:?} {}", links.unfollowed_imports, links.stale_imports, links.may_miss_any));
    }
    add(format!("{:?} {} {:?}", overlay.missing, overlay.is_complete, overlay.declared));
    let services = &overlay.services;
    add(format!("{:?} {:?} {:?}", services.by_name, services.by_path, services.shown()));
    shown
}

async fn check(commits: &[(usize, usize)]) -> usize {
    let (mut states, mut cache, mut n_renewed) = ([0; 7], Cache::new(), 0);
    cache.overlay(&states).await;
    for (repository, state) in commits {
        states[*repository] = *state;
        let (updated, n_of_commit) = cache.overlay(&states).await;
        n_renewed += n_of_commit;
        let (from_nothing, _) = Cache::new().overlay(&states).await;
        assert!(from_nothing.is_complete, "{:?}", from_nothing.missing);
        assert_eq!(shown(&updated), shown(&from_nothing), "{commits:?} at {states:?}");
    }
    n_renewed
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime").block_on(work)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn an_updated_overlay_equals_one_from_nothing(commits in prop::collection::vec((0_usize..7, 0_usize..5), 1..10)) {
        run(check(&commits));
    }
}

#[test]
fn links_are_renewed_if_only_bodies_lines_and_numbers_change() {
    // A body of `kit`; then lines of it; then a body of `log`, which `kit` and `app` use.
    assert_eq!(run(check(&[(1, 2)])), 1);
    assert_eq!(run(check(&[(1, 1)])), 1);
    assert_eq!(run(check(&[(2, 1)])), 2);
    // The numbers of all definitions of `ui` move, with candidates of an unresolved call among them.
    assert_eq!(run(check(&[(3, 2), (4, 2), (4, 3)])), 1);
    // The result of a function changes.
    assert_eq!(run(check(&[(2, 3)])), 0);
}

#[test]
fn stored_links_are_renewed_after_a_restart() {
    run(async {
        let folder = tempfile::tempdir().expect("a folder");
        let store = LinkStore::open(Some(folder.path()));
        let (mut states, mut n_renewed) = ([0; 7], Vec::new());
        // A body of `log`; then the result of a function; then nothing.
        for state in [0, 1, 3, 3] {
            states[2] = state;
            let (restarted, n_of_start) = Cache::with(store.clone()).overlay(&states).await;
            let (from_nothing, _) = Cache::new().overlay(&states).await;
            assert_eq!(shown(&restarted), shown(&from_nothing), "{state}");
            n_renewed.push(n_of_start);
        }
        assert_eq!(n_renewed, [0, 3, 1, 3]);
    });
}

#[test]
fn a_commit_of_a_body_rejoins_no_pair() {
    run(async {
        let (mut states, mut cache) = ([0; 7], Cache::new());
        let (before, _) = cache.overlay(&states).await;
        // The committed repository itself is linked again.
        let is_own = |pair: &OverlayPair| pair.user == RepoIdx(2);
        let indices = |overlay: &Overlay| -> Vec<Arc<PairIndex>> {
            overlay.pairs.iter().filter(|pair| !is_own(pair)).map(|pair| Arc::clone(&pair.index)).collect()
        };
        assert_eq!(directory(&states)[RepoIdx(2)].own_alias, "kit");
        states[1] = 2;
        let (after, _) = cache.overlay(&states).await;
        let is_shared = |one: &[Arc<PairIndex>], other: &[Arc<PairIndex>]| {
            one.len() == other.len() && one.iter().zip(other).all(|(a, b)| Arc::ptr_eq(a, b))
        };
        let pairs = indices(&before);
        assert!(!pairs.is_empty() && is_shared(&pairs, &indices(&after)));
        assert!(Arc::ptr_eq(&before.services, &after.services));
        // A commit that moves a definition rejoins the pair.
        states[1] = 1;
        let (after, _) = cache.overlay(&states).await;
        let moved = indices(&after);
        assert!(moved.len() == pairs.len() && !is_shared(&pairs, &moved));
    });
}
