//! Any sequence of commits: an overlay that is updated equals one that is made from nothing. Pairs by key, inferred links and services
//! of seven repositories take part.

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
    parts::{OtherLinks, OverlayParts, RepositoryKey, generation_ref, key},
    refresh::fingerprint,
};
use crate::{
    directory::{Directory, Reachability, WorkerView},
    repo_idx::RepoIdx,
};

/// A repository: its alias and its states.
type States = (&'static str, [&'static str; 5]);

/// Each state has contracts and files. `+ kind key [member] @node:line` is an offer, `-` a use, `*` a use that serves, and `! package
/// member @node:line` the location of a member of a package. `~` is a space. `//- path` begins a file.
const REPOSITORIES: [States; 7] = [
    (
        "app",
        [
            "- package go:example.org/kit @0:1
- package go:example.org/log @0:2
- symbol go:example.org/kit Open @1:4
//- go.mod
module example.org/app
require example.org/kit v1.2.0
//- app.go
package main
import \"example.org/kit\"
func run() { kit.Open().Write() }
",
            "- package go:example.org/kit @0:1
- package go:example.org/log @0:2
- symbol go:example.org/kit Open @1:5
- symbol go:example.org/log New @1:5
//- go.mod
module example.org/app
require example.org/kit v1.2.0
//- app.go
package main
import \"example.org/kit\"
import \"example.org/log\"

func run() { kit.Open().Write(); log.New().Write() }
",
            "- package go:example.org/log @0:2
- symbol go:example.org/log New @1:3
//- go.mod
module example.org/app
//- app.go
package main
import \"example.org/log\"
func run() { log.New() }
",
            "- package go:example.org/kit @0:1
- symbol go:example.org/kit Open @1:4
- symbol go:example.org/kit Close @1:4
//- go.mod
module example.org/app
//- app.go
package main
import \"example.org/kit\"
func run() { kit.Open().Write(); kit.Close() }
",
            "//- app.go
package main
",
        ],
    ),
    (
        "kit",
        [
            "+ package go:example.org/kit @0:1
- package go:example.org/log @0:1
! go:example.org/kit Open @1:3
//- go.mod
module example.org/kit
//- kit.go
package kit
import \"example.org/log\"
func Open() *log.Line { return log.New() }
",
            // A body, and lines.
            "+ package go:example.org/kit @0:1
- package go:example.org/log @0:1
! go:example.org/kit Open @1:5
//- go.mod
module example.org/kit
//- kit.go
package kit
import \"example.org/log\"

// Open is one.
func Open() *log.Line {
	println()
	return log.New()
}
",
            // Only a body.
            "+ package go:example.org/kit @0:1
- package go:example.org/log @0:1
! go:example.org/kit Open @1:3
//- go.mod
module example.org/kit
//- kit.go
package kit
import \"example.org/log\"
func Open() *log.Line { return nil }
",
            "+ package go:example.org/kit @0:1
- package go:example.org/log @0:1
! go:example.org/kit Open @2:4
! go:example.org/kit Close @1:3
//- go.mod
module example.org/kit
//- kit.go
package kit
import \"example.org/log\"
func Close() {}
func Open() *log.Line { return log.New() }
",
            "+ package go:example.org/kit/v2 @0:1
//- go.mod
module example.org/kit/v2
//- kit.go
package kit
",
        ],
    ),
    (
        "log",
        [
            "+ package go:example.org/log @0:1
! go:example.org/log New @2:3
//- go.mod
module example.org/log
//- log.go
package log
type Line struct{}
func New() *Line { return nil }
func (l *Line) Write() {}
",
            "+ package go:example.org/log @0:1
! go:example.org/log New @2:3
//- go.mod
module example.org/log
//- log.go
package log
type Line struct{}
func New() *Line { println(); return nil }
func (l *Line) Write() {}
",
            "+ package go:example.org/log @0:1
! go:example.org/log New @1:5
//- go.mod
module example.org/log
//- a.go
package log
func first() {}
//- log.go
package log
type Line struct{}
func New() *Line { return nil }

func (l *Line) Write() {}
",
            "+ package go:example.org/log @0:1
! go:example.org/log New @2:3
//- go.mod
module example.org/log
//- log.go
package log
type Line struct{}
func New() int { return 1 }
func (l *Line) Write() {}
",
            "//- log.go
package log
",
        ],
    ),
    (
        "web",
        [
            "- package npm:ui @0:1
- symbol npm:ui open @1:3
- http GET~/cart/{id} {env:CART_URL} @1:4
- topic kafka:orders.paid @1:5
//- package.json
{\"name\": \"web\", \"dependencies\": {\"ui\": \"1\"}}
//- web.ts
import { open } from 'ui';
export function run(x) { open().draw(); x.draw(1); }
",
            "- package npm:ui @0:1
- symbol npm:ui open @1:4
- http GET~/cart/{id} {env:CART_URL} @1:5
- topic kafka:orders.paid @1:6
//- package.json
{\"name\": \"web\", \"dependencies\": {\"ui\": \"1\"}}
//- web.ts
import { open } from 'ui';

export function run(x) { open().draw(); x.draw(1); }
",
            "- package npm:ui @0:1
- http GET~/cart/{id} {env:CART_URL} @1:4
- grpc Pay/Charge @1:6
//- package.json
{\"name\": \"web\", \"dependencies\": {\"ui\": \"1\"}}
//- web.ts
import { open, shut } from 'ui';
export function run(a) { const b = a ? open() : shut(); b.draw(2); }
",
            "- http POST~/cart {env:OTHER_URL} @1:4
- table carts @1:4
//- package.json
{\"name\": \"web\"}
//- web.ts
export function run() {}
",
            "//- package.json
{\"name\": \"web\"}
",
        ],
    ),
    (
        "ui",
        [
            "+ package npm:ui @0:1
! npm:ui open @2:4
//- package.json
{\"name\": \"ui\", \"main\": \"ui.ts\", \"version\": \"1.2.0\"}
//- ui.ts
export class Page { draw(n) {} }
export class Card { draw(n) {} }
export function open() { return new Page(); }
export function shut() { return new Card(); }
",
            // Results are inferred from bodies.
            "+ package npm:ui @0:1
! npm:ui open @2:4
//- package.json
{\"name\": \"ui\", \"main\": \"ui.ts\", \"version\": \"1.2.0\"}
//- ui.ts
export class Page { draw(n) {} }
export class Card { draw(n) {} }
export function open() { return new Card(); }
export function shut() { return new Card(); }
",
            // Another file moves the numbers of all definitions.
            "+ package npm:ui @0:1
! npm:ui open @3:4
//- a.ts
export function other() {}
//- package.json
{\"name\": \"ui\", \"main\": \"ui.ts\", \"version\": \"1.2.0\"}
//- ui.ts
export class Page { draw(n) {} }
export class Card { draw(n) {} }
export function open() { return new Page(); }
export function shut() { return new Card(); }
",
            // The other file has another definition, and a test is no file of a provider.
            "+ package npm:ui @0:1
! npm:ui open @4:4
//- a.ts
export function other() {}
//- package.json
{\"name\": \"ui\", \"main\": \"ui.ts\", \"version\": \"1.2.0\"}
//- tests/a.test.ts
test('a', () => {});
function helper() {}
//- ui.ts
export class Page { draw(n) {} }
export class Card { draw(n) {} }
export function open() { return new Page(); }
export function shut() { return new Card(); }
",
            "//- ui.ts
export const none = 1;
",
        ],
    ),
    (
        "cart",
        [
            "+ image acme/cart . @0:1
+ http GET~/cart/{id} @1:2
* topic kafka:orders.* @1:3
+ table carts @1:4
",
            "+ image acme/cart . @0:1
+ http GET~/cart/{id} @1:9
* topic kafka:orders.* @1:3
+ table carts @1:4
",
            "+ image acme/cart . @0:1
+ http GET~/cart/{id} @2:2
+ http POST~/cart @1:2
* topic kafka:orders.paid @1:3
- table carts @1:4
",
            "+ http GET~/carts @1:2
* topic kafka:lost @1:3
* grpc shop.v1.Pay/Charge @1:8
",
            "+ image acme/cart . @0:1
+ grpc shop.v1.Pay/Charge @1:8
",
        ],
    ),
    (
        "ops",
        [
            "+ host cart cart @0:1
+ workload cart acme/cart @0:2
- config web/CART_URL http://cart:80 @0:3
",
            "+ host cart cart @0:1
+ workload cart acme/cart @0:2
- config web/CART_URL http://cart:80 @0:4
",
            "+ host cart cart @0:1
+ workload cart acme/cart @0:2
- config web/OTHER_URL http://cart:80 @0:3
+ topic sqs:mail-orders sns:orders @0:8
",
            "+ workload web acme/web @0:2
",
            "",
        ],
    ),
];

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
            let place = REPOSITORIES.iter().position(|(alias, _)| *alias == directory[repo_idx].own_alias);
            let place = place.expect("a repository of the test");
            state(REPOSITORIES[place].1[states[place]])
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
        let other = OtherLinks { importers: &importers, joint: &self.joint, services, rules: &self.rules };
        (self.parts.overlay(&directory, &own, fingerprint(&directory, &own), other), n_renewed)
    }
}

fn directory(states: &[usize; 7]) -> Directory {
    let repository = |(place, (alias, _)): (usize, &States)| v1::Repository {
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
