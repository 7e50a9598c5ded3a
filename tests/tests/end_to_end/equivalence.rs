//! Sharding does not change the ranking: a corpus that is split over repositories and workers ranks exactly like the
//! same corpus in one repository, by gRPC and in-process.
//!
//! The files of shard 7 have the path prefix `s07/` in the unsplit corpus, and the alias of shard 7 is `s07`. So the
//! order by alias and path, which breaks ties between shards, equals the order by path in the unsplit corpus.

use std::{
    collections::BTreeMap,
    ops::Range,
    path::{Path, PathBuf},
};

use causeway_tests::{
    answer,
    federation::{Federation, InProcessWorker},
    repository::write,
};
use index::{NameMatches, RepositoryDir, SearchQuery, Snapshot};
use model::{Filter, RepoId};
use proptest::prelude::*;
use proto::v1;
use ranking::{QueryMode, QueryTerm, RequestedClasses, Statistics};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Number of compared hits.
const TOP: usize = 20;

/// Tolerance of scores.
const TOLERANCE: f32 = 1e-5;

const WHOLE: &str = "whole";

const WORDS: &[&str] = &[
    "open",
    "closeFile",
    "parse_http",
    "retry",
    "cart",
    "order",
    "total",
    "sum",
    "token",
    "HTTPServer",
    "queue",
    "flush",
    "backoff",
    "invoice",
];

/// A corpus, its split, and its queries.
#[derive(Debug, Clone)]
struct Case {
    /// Shard, position in it, and text of each file.
    files: Vec<(usize, Place, String)>,
    n_shards: usize,
    n_workers: usize,
    queries: Vec<String>,
}

#[derive(Debug, Clone, Copy)]
enum Place {
    Source,
    Test,
    Docs,
}

impl Case {
    /// Returns the path of a file, which is equal in its shard and in the unsplit corpus.
    fn path(&self, file_idx: usize) -> String {
        let (shard, place, _) = &self.files[file_idx];
        let shard = alias(shard % self.n_shards);
        match place {
            Place::Source => format!("{shard}/src/file{file_idx:03}.rs"),
            Place::Test => format!("{shard}/tests/file{file_idx:03}.rs"),
            Place::Docs => format!("{shard}/docs/file{file_idx:03}.md"),
        }
    }

    /// Returns the aliases of non-empty shards.
    fn shards(&self) -> Vec<String> {
        let mut shards: Vec<String> = self.files.iter().map(|(shard, ..)| alias(shard % self.n_shards)).collect();
        shards.sort();
        shards.dedup();
        shards
    }
}

fn alias(shard: usize) -> String {
    format!("s{shard:02}")
}

fn word() -> impl Strategy<Value = &'static str> {
    prop::sample::select(WORDS)
}

fn text() -> impl Strategy<Value = String> {
    let line = (0u8..4, prop::collection::vec(word(), 1..6)).prop_map(|(shape, words)| match shape {
        0 => format!("pub fn {}() {{ {}(); }}\n", words[0], words.join("(); ")),
        1 => format!("/// {}\npub struct {};\n", words.join(" "), words[0]),
        _ => format!("// {}\n", words.join(" ")),
    });
    prop::collection::vec(line, 0..6).prop_map(|lines| lines.concat())
}

fn place() -> impl Strategy<Value = Place> {
    prop_oneof![4 => Just(Place::Source), 1 => Just(Place::Test), 1 => Just(Place::Docs)]
}

fn case(n_files: Range<usize>) -> impl Strategy<Value = Case> {
    let files = prop::collection::vec((0_usize..20, place(), text()), n_files);
    let query = prop::collection::vec(word(), 1..4).prop_map(|words| words.join(" "));
    (files, 1_usize..=20, 1_usize..=3, prop::collection::vec(query, 4))
        .prop_map(|(files, n_shards, n_workers, queries)| Case { files, n_shards, n_workers, queries })
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 30, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config(16))]

    #[test]
    fn shards_rank_like_one_index(case in case(1..90)) {
        check(&case);
    }
}

proptest! {
    #![proptest_config(config(3))]

    // With more files than a gateway requests per ranker, every worker truncates its lists.
    #[test]
    fn truncated_shard_lists_rank_like_one_index(case in case(180..260)) {
        check(&case);
    }
}

fn check(case: &Case) {
    let runtime = tokio::runtime::Runtime::new().expect("threads can be started");
    runtime.block_on(async {
        let written = Written::of(case).await;
        for query in &case.queries {
            written.check_merged(query).await;
            written.check_answers(query).await;
            written.check_symbols(query).await;
        }
        written.federation.stop().await;
    });
}

/// A case, indexed twice: unsplit by the first worker, and split over all workers.
struct Written {
    federation: Federation,
    /// By alias: the worker that holds the repository, and its inventory entry.
    held: BTreeMap<String, (usize, v1::Repository)>,
    shards: Vec<String>,
    folder: TempDir,
}

impl Written {
    async fn of(case: &Case) -> Written {
        let folder = tempfile::tempdir().expect("a folder for the test");
        for (file_idx, (shard, _, text)) in case.files.iter().enumerate() {
            let path = case.path(file_idx);
            write(&folder.path().join(WHOLE).join(&path), text);
            write(&folder.path().join(alias(shard % case.n_shards)).join(&path), text);
        }
        let shards = case.shards();
        let mut roots: Vec<Vec<PathBuf>> = vec![Vec::new(); case.n_workers];
        roots[0].push(folder.path().join(WHOLE));
        for (shard_idx, shard) in shards.iter().enumerate() {
            roots[shard_idx % case.n_workers].push(folder.path().join(shard));
        }
        let mut workers = Vec::new();
        let mut held = BTreeMap::new();
        for (worker_idx, roots) in roots.iter().enumerate() {
            let worker = InProcessWorker::indexed(&data(folder.path(), worker_idx), roots).await;
            let inventory = worker.inventory().await;
            held.extend(inventory.into_iter().map(|repo| (repo.alias.clone(), (worker_idx, repo))));
            workers.push(worker);
        }
        let federation = Federation::of(workers).await;
        Written { federation, held, shards, folder }
    }

    /// Compares unrounded rankings: by gRPC and in-process, split and unsplit.
    async fn check_merged(&self, query: &str) {
        let terms = ranking::query::parse(query, QueryMode::Concept).terms;
        let terms: Vec<String> = terms.into_iter().map(|term| term.text).collect();
        let split = self.by_grpc(&self.shards, &terms).await;
        let whole = self.by_grpc(&[WHOLE.to_owned()], &terms).await;
        assert_same(&split, &whole, query);
        let backwards: Vec<String> = self.shards.iter().rev().cloned().collect();
        assert_eq!(self.by_grpc(&backwards, &terms).await, split, "`{query}`, shards in another order");
        assert_eq!(self.in_process(&self.shards, &terms), split, "`{query}`, in-process and by gRPC");
        assert_eq!(self.in_process(&[WHOLE.to_owned()], &terms), whole, "`{query}`, in-process and by gRPC");
    }

    /// Compares the answers of all modes: locations, lines, code and scores. Pages describe repositories, so a split
    /// corpus has other pages: only definitions and their files are compared.
    async fn check_answers(&self, query: &str) {
        for mode in ["concept", "auto", "symbol"] {
            let ask = async |repo: String| {
                let page_type = "symbol_spotlight";
                let arguments =
                    json!({"query": query, "mode": mode, "limit": TOP, "repo": repo, "page_type": page_type});
                shown(&self.federation.ask("search_codebase", arguments).await)
            };
            let whole = ask(WHOLE.to_owned()).await;
            let split = ask(self.shards.join(",")).await;
            assert_eq!(split, whole, "`{query}`, {mode}");
            let backwards: Vec<&str> = self.shards.iter().rev().map(String::as_str).collect();
            assert_eq!(ask(backwards.join(",")).await, whole, "`{query}`, {mode}, repositories in another order");
        }
    }

    /// Compares definitions found by name and by pattern.
    async fn check_symbols(&self, query: &str) {
        let name = query.split(' ').next().unwrap_or(query);
        for (pattern, mode) in [(name, "fts"), (".", "regex")] {
            let ask = async |repo: String| {
                let arguments = json!({"pattern": pattern, "mode": mode, "limit": TOP, "repo": repo});
                let mut answer = self.federation.ask("search_symbols", arguments).await;
                let ids = answer["symbols"].take();
                let ids = ids.as_array().expect("a list").iter().map(|found| found["symbol_id"].clone());
                (ids.collect::<Vec<_>>(), answer["matched"].take())
            };
            let whole = ask(WHOLE.to_owned()).await;
            assert_eq!(ask(self.shards.join(",")).await, whole, "`{pattern}`, {mode}");
        }
    }

    /// Returns path and scores of the best files of these repositories, by two rounds of gRPC.
    async fn by_grpc(&self, aliases: &[String], terms: &[String]) -> Vec<(String, f32, f32)> {
        let mut statistics = Statistics::zero(terms.len(), 0);
        for alias in aliases {
            let (worker_idx, repository) = &self.held[alias];
            let request = v1::StatisticsRequest {
                targets: vec![target(repository)],
                terms: terms.to_vec(),
                identifiers: Vec::new(),
            };
            let reply = self.federation.workers[*worker_idx].shard().statistics(request).await.expect("it answers");
            let sent = reply.into_inner().statistics.expect("statistics are there");
            statistics.add(&Statistics {
                rows: sent.rows,
                document_frequencies: sent.document_frequencies,
                name_counts: sent.name_counts,
            });
        }
        let mut hits = Vec::new();
        for (worker_idx, worker) in self.federation.workers.iter().enumerate() {
            let of_worker = aliases.iter().filter(|alias| self.held[*alias].0 == worker_idx);
            let request = v1::SearchRequest {
                targets: of_worker.map(|alias| target(&self.held[alias].1)).collect(),
                terms: weighed(&statistics, terms)
                    .into_iter()
                    .map(|(text, weight)| v1::Term { text, weight })
                    .collect(),
                limit: TOP as u32,
                ..Default::default()
            };
            let reply = worker.shard().search(request).await.expect("it answers").into_inner();
            assert!(reply.outcomes.iter().all(|outcome| outcome.state() == v1::TargetState::Ok));
            let hit = |hit: v1::FileHit| (hit.file.expect("hits have files").path, hit.lexical, hit.best_row);
            hits.extend(reply.hits.into_iter().map(hit));
        }
        best(hits)
    }

    /// Computes the same from the workers' files, without workers.
    fn in_process(&self, aliases: &[String], terms: &[String]) -> Vec<(String, f32, f32)> {
        let snapshots: Vec<Snapshot> = aliases.iter().map(|alias| self.snapshot(alias)).collect();
        let mut statistics = Statistics::zero(terms.len(), 0);
        snapshots.iter().for_each(|snapshot| statistics.add(&snapshot.statistics(terms, &[])));
        let query = SearchQuery {
            terms: &weighed(&statistics, terms),
            name_weight: 0.0,
            vector: None,
            identifiers: &[],
            paths: &[],
            filter: &Filter::default(),
            kept: RequestedClasses::default(),
            limit: TOP,
        };
        let of_snapshot = |snapshot: &Snapshot| {
            let files: Vec<u32> =
                snapshot.rank_by_text(&query, 0.0).expect("it can be searched").iter().map(|file| file.1).collect();
            let hits = snapshot.file_hits(&query, &NameMatches::default(), &files).expect("it can be searched");
            let hit = |hit: &index::FileHit| (snapshot.hit_path(hit.file_idx).to_owned(), hit.lexical, hit.best_row);
            hits.iter().map(hit).collect::<Vec<_>>()
        };
        best(snapshots.iter().flat_map(of_snapshot).collect())
    }

    fn snapshot(&self, alias: &str) -> Snapshot {
        let (worker_idx, repository) = &self.held[alias];
        let generations = data(self.folder.path(), *worker_idx).join("repositories");
        let repo: RepoId = repository.id.parse().expect("a worker advertises sound ids");
        let repository = RepositoryDir::new(&generations, repo);
        repository.current().expect("it is sound").expect("it is indexed")
    }
}

fn weighed(statistics: &Statistics, terms: &[String]) -> Vec<(String, f32)> {
    let query: Vec<QueryTerm> =
        terms.iter().map(|text| QueryTerm { text: text.clone(), weight: 1.0, is_joined: false }).collect();
    let scored = statistics.weigh(&query).scored;
    scored.iter().map(|term| (terms[term.term_idx].clone(), term.weight)).collect()
}

fn data(folder: &Path, worker_idx: usize) -> PathBuf {
    folder.join(format!("data-{worker_idx}"))
}

fn target(repository: &v1::Repository) -> v1::Target {
    v1::Target { repository: repository.id.clone(), generation: repository.generation.clone() }
}

/// Truncates hits to the best, with ties by path.
fn best(mut hits: Vec<(String, f32, f32)>) -> Vec<(String, f32, f32)> {
    hits.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    hits.truncate(TOP);
    hits
}

fn assert_same(split: &[(String, f32, f32)], whole: &[(String, f32, f32)], query: &str) {
    let paths = |hits: &[(String, f32, f32)]| hits.iter().map(|(path, ..)| path.clone()).collect::<Vec<_>>();
    assert_eq!(paths(split), paths(whole), "`{query}`");
    for (a, b) in split.iter().zip(whole) {
        assert!((a.1 - b.1).abs() <= TOLERANCE && (a.2 - b.2).abs() <= TOLERANCE, "`{query}`: {a:?} {b:?}");
    }
}

/// Returns the content of an answer without repository names, which differ with the split.
fn shown(answer: &Value) -> Value {
    assert!(answer::is_complete(answer), "{answer}");
    let without_repositories = |hit: &Value| {
        let mut hit = hit.clone();
        let fields = hit.as_object_mut().expect("a hit is an object");
        fields.remove("repo");
        fields.remove("page_id");
        for place in fields.get_mut("also_in").and_then(Value::as_array_mut).into_iter().flatten() {
            place.as_object_mut().expect("a place is an object").remove("repo");
        }
        hit
    };
    let list = |name: &str| answer[name].as_array().expect("a list").iter().map(without_repositories).collect();
    let (results, candidates): (Vec<Value>, Vec<Value>) = (list("results"), list("candidates"));
    assert!(candidates.len() <= TOP);
    json!({"results": results, "candidates": candidates, "total": answer["_meta"]["totalItems"]})
}
