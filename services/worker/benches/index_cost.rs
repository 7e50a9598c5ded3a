//! The cost of an index relative to its lower bound: CPU seconds of a full index, divided by CPU seconds of parsing the same
//! files with the same grammars and nothing else, in one process.
//!
//! Usage: `cargo bench -p causeway-worker --bench index_cost -- [PATH...]`; without a path, this repository. The cost of the full
//! index is also printed by step. Then one file of the largest repository is changed and committed in a clone, and the
//! incremental run is compared with the full one. Last, a generation with many symbols is opened.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use cpu_time::ProcessTime;
use index::{RepositoryDir, Snapshot};
use model::{FileClass, Language};
use rayon::prelude::*;
use source::{BlobSource, Checkout};
use worker::indexing::{FactsCache, IndexingRun, MemoryBudget, RunStep, run};

/// Runs of each measurement. Medians are printed, since machines are shared.
const N_RUNS: usize = 3;

fn main() -> Result<()> {
    let mut roots: Vec<PathBuf> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).map(PathBuf::from).collect();
    if roots.is_empty() {
        roots.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    }
    let checkouts = source::discover(&roots, source::AliasRegistry::default()).checkouts;
    ensure!(!checkouts.is_empty(), "no repository below the given paths");
    let scratch = tempfile::tempdir()?;

    let sources: Vec<(Language, Vec<u8>)> =
        checkouts.iter().map(sources).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
    let parsed = sources.iter().filter(|(language, bytes)| syntax::parse_only(*language, bytes));
    let (n_files, n_bytes) = parsed.fold((0, 0), |(files, total), (_, bytes)| (files + 1, total + bytes.len()));
    println!("{} repositories, {n_files} files with a grammar, {:.1} MB", checkouts.len(), n_bytes as f64 / 1e6);
    let parse = median(|_| {
        parse_all(&sources);
        Ok(())
    })?;
    let steps = StepCosts::default();
    let full = median(|run_idx| index_all(&checkouts, &scratch.path().join(format!("full-{run_idx}")), &steps))?;
    println!("parse nothing else {:>8.2} CPU s", parse.cpu.as_secs_f64());
    println!("full index         {:>8.2} CPU s, {:.2} s wall", full.cpu.as_secs_f64(), full.wall.as_secs_f64());
    println!("full index / parse {:>8.2}", full.cpu.as_secs_f64() / parse.cpu.as_secs_f64());
    println!("per MB of source   {:>8.3} CPU s", full.cpu.as_secs_f64() / (n_bytes as f64 / 1e6));

    steps.print(N_RUNS);

    let largest = checkouts.iter().max_by_key(|checkout| tree_len(checkout)).context("no repository")?;
    reindex(largest, scratch.path())?;
    open_many_symbols(scratch.path())
}

/// CPU time by step, summed over all runs. There is one run at a time, so that the time of the process is that of the step.
#[derive(Default)]
struct StepCosts(Mutex<Vec<(RunStep, Duration)>>);

impl StepCosts {
    fn add(&self, step: RunStep, cpu: Duration) {
        let mut sums = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match sums.iter_mut().find(|(of, _)| *of == step) {
            Some((_, sum)) => *sum += cpu,
            None => sums.push((step, cpu)),
        }
    }

    fn print(&self, n_runs: usize) {
        for (step, cpu) in self.0.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            println!("  {:<16} {:>8.3} CPU s", format!("{step:?}").to_lowercase(), cpu.as_secs_f64() / n_runs as f64);
        }
    }
}

struct Cost {
    cpu: Duration,
    wall: Duration,
}

fn median(mut measure: impl FnMut(usize) -> Result<()>) -> Result<Cost> {
    let mut costs = Vec::new();
    for run_idx in 0..N_RUNS {
        costs.push(cost(|| measure(run_idx))?);
    }
    costs.sort_by_key(|cost| cost.cpu);
    Ok(costs.swap_remove(N_RUNS / 2))
}

fn cost(work: impl FnOnce() -> Result<()>) -> Result<Cost> {
    let (cpu, wall) = (ProcessTime::now(), Instant::now());
    work()?;
    Ok(Cost { cpu: cpu.elapsed(), wall: wall.elapsed() })
}

fn tree_len(checkout: &Checkout) -> usize {
    source::resolve(checkout).and_then(|head| source::list(checkout, &head)).map_or(0, |tree| tree.files.len())
}

/// Returns the files of a repository with their content and the language of their grammar. A header of C++ is recognised by its
/// content.
fn sources(checkout: &Checkout) -> Result<Vec<(Language, Vec<u8>)>> {
    let head = source::resolve(checkout)?;
    let tree = source::list(checkout, &head)?;
    let reader = BlobSource::open(checkout)?.reader();
    let readable = tree.files.iter().filter(|file| file.is_readable() && file.class != FileClass::Binary);
    let source = |file: &source::TreeFile| {
        let bytes = reader.read(file).ok()?;
        Some((syntax::extract(Language::of_path(&file.path), &bytes).language, bytes))
    };
    Ok(readable.filter_map(source).collect())
}

fn parse_all(sources: &[(Language, Vec<u8>)]) {
    sources.par_iter().for_each(|(language, bytes)| {
        std::hint::black_box(syntax::parse_only(*language, bytes));
    });
}

fn index_all(checkouts: &[Checkout], data: &Path, steps: &StepCosts) -> Result<()> {
    let (facts, _) = FactsCache::open(&data.join("facts"))?;
    for checkout in checkouts {
        index_one(checkout, data, &facts, None, steps)?;
    }
    Ok(())
}

fn index_one(
    checkout: &Checkout,
    data: &Path,
    facts: &FactsCache,
    served: Option<Arc<Snapshot>>,
    steps: &StepCosts,
) -> Result<Arc<Snapshot>> {
    let current = Mutex::new((RunStep::Idle, ProcessTime::now()));
    let enter = |step: RunStep| {
        let mut current = current.lock().unwrap_or_else(PoisonError::into_inner);
        steps.add(current.0, current.1.elapsed());
        *current = (step, ProcessTime::now());
    };
    let outcome = run(&IndexingRun {
        checkout,
        directory: &RepositoryDir::new(&data.join("repositories"), checkout.repo),
        warm_facts: &worker::indexing::WarmFacts::default(),
        stat_cache: &source::StatCache::default(),
        served,
        facts,
        memory: &MemoryBudget::of_system(),
        threads: &worker::indexing::threads()?,
        model: &embed::Embedder::BuiltIn(embed::StaticModel::built_in()),
        sharing: None,
        is_forced: false,
        write_refusal: None,
        on_progress: &|progress| enter(progress.step),
        on_head: &|_| {},
        on_work_tree: &|_| {},
        is_stopped: &|| false,
    })?;
    enter(RunStep::Idle);
    let published = outcome.published.context("nothing was indexed")?;
    Ok(published.snapshot)
}

/// Changes one file in a clone, commits it, and compares the incremental run with the full one.
fn reindex(checkout: &Checkout, scratch: &Path) -> Result<()> {
    let clone = scratch.join("clone");
    git(scratch, &["clone", "-q", "--shared", &checkout.path.to_string_lossy(), &clone.to_string_lossy()])?;
    let cloned = source::discover(std::slice::from_ref(&clone), source::AliasRegistry::default()).checkouts.remove(0);
    let data = scratch.join("reindex");
    let (facts, _) = FactsCache::open(&data.join("facts"))?;
    let mut served = None;
    let full = cost(|| {
        served = Some(index_one(&cloned, &data, &facts, None, &StepCosts::default())?);
        Ok(())
    })?;
    let tree = source::list(&cloned, &source::resolve(&cloned)?)?;
    let changed =
        tree.files.iter().find(|file| file.class == FileClass::Source && file.size > 2_000).context("no source")?;
    let (mut costs, steps) = (Vec::new(), StepCosts::default());
    for run_idx in 0..N_RUNS {
        let path = clone.join(&changed.path);
        let mut text = std::fs::read(&path)?;
        text.extend_from_slice(format!("\n// changed {run_idx}\n").as_bytes());
        std::fs::write(&path, text)?;
        git(
            &clone,
            &["-c", "user.name=bench", "-c", "user.email=bench@localhost", "commit", "-qam", "change one file"],
        )?;
        costs.push(cost(|| {
            served = Some(index_one(&cloned, &data, &facts, served.clone(), &steps)?);
            Ok(())
        })?);
    }
    costs.sort_by_key(|cost| cost.cpu);
    let again = &costs[N_RUNS / 2];
    println!(
        "re-index after a one-file commit in `{}` ({} files): {:.3} CPU s of {:.3}, {:.1} %",
        checkout.alias,
        tree.files.len(),
        again.cpu.as_secs_f64(),
        full.cpu.as_secs_f64(),
        100.0 * again.cpu.as_secs_f64() / full.cpu.as_secs_f64()
    );
    steps.print(N_RUNS);
    Ok(())
}

/// Number of files, and of functions in each file, of the generation that is opened: 100,000 symbols with one call each.
const MANY: (usize, usize) = (1_000, 100);

/// Indexes many symbols, and opens the generation.
fn open_many_symbols(scratch: &Path) -> Result<()> {
    let folder = scratch.join("many");
    std::fs::create_dir(&folder)?;
    for file in 0..MANY.0 {
        let functions = (0..MANY.1).map(|at| {
            let called = (file * 7 + at) % (file * MANY.1 + at + 1) % MANY.1;
            format!("def place_{file}_{at}():\n    return place_{file}_{called}()\n\n\n")
        });
        std::fs::write(folder.join(format!("file_{file}.py")), functions.collect::<String>())?;
    }
    let checkout = source::discover(&[folder], source::AliasRegistry::default()).checkouts.remove(0);
    let data = scratch.join("many-data");
    let (facts, _) = FactsCache::open(&data.join("facts"))?;
    let symbols = index_one(&checkout, &data, &facts, None, &StepCosts::default())?.manifest().symbols;
    let repository = RepositoryDir::new(&data.join("repositories"), checkout.repo);
    let opened = median(|_| repository.current().map(drop).map_err(Into::into))?;
    println!("opening a generation of {symbols} symbols: {:.1} ms", opened.wall.as_secs_f64() * 1e3);
    Ok(())
}

fn git(dir: &Path, args: &[&str]) -> Result<()> {
    let status = Command::new("git").args(args).current_dir(dir).status()?;
    ensure!(status.success(), "git {args:?} failed");
    Ok(())
}
