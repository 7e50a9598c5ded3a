//! The cost of history: CPU seconds and memory to read all commits and save the state, and to continue a saved state with the
//! ten newest commits of the line of first parents.
//!
//! Usage: `cargo bench -p causeway-worker --bench history_cost -- PATH...`

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use cpu_time::ProcessTime;
use history::{History, Signals};
use source::{Checkout, Head, WalkBounds};

/// New commits of the second measurement.
const N_NEW: usize = 10;

/// Commits between two measurements of memory.
const MEMORY_EVERY: u64 = 1_000;

fn main() -> Result<()> {
    let paths = std::env::args().skip(1).filter(|arg| !arg.starts_with("--"));
    for path in paths {
        let discovery = source::discover(&[PathBuf::from(&path)], source::AliasRegistry::default());
        let checkout = discovery.checkouts.first().with_context(|| format!("no repository at {path}"))?;
        measure(checkout)?;
    }
    Ok(())
}

fn measure(checkout: &Checkout) -> Result<()> {
    let head = source::resolve(checkout)?;
    println!("{}", checkout.alias);
    let mut n_commits = 0;
    let (whole, cpu) = cost(|| follow(checkout, &head, &[], &mut n_commits))?;
    println!(
        "  {n_commits} commits first: {} CPU s, {} MB at most with the packs it maps",
        seconds(cpu),
        memory_mb("VmHWM")?
    );
    println!("  state: {} bytes", whole.len());
    let history = History::from_bytes(&whole)?;
    check_paths(checkout, &head, &history)?;
    let (n_pairs, cpu) = cost(|| {
        let signals = Signals::new(&history, |_| true);
        Ok(signals.paths().filter_map(|path| signals.file(path)).map(|file| file.co_changes.len()).sum::<usize>())
    })?;
    println!("  signals of all files: {} CPU s, {n_pairs} pairs that change together", seconds(cpu));

    let before = Head { commit: ancestor(&checkout.path)?.parse()?, ..head.clone() };
    let saved = follow(checkout, &before, &[], &mut n_commits)?;
    let mut n_new = 0;
    let (continued, cpu) = cost(|| follow(checkout, &head, &saved, &mut n_new))?;
    println!("  {n_new} new commits: {} CPU s; the same bytes: {}", seconds(cpu), continued == whole);
    Ok(())
}

/// Continues a saved state, or begins a new one, and returns the state to save.
fn follow(checkout: &Checkout, head: &Head, saved: &[u8], n_commits: &mut usize) -> Result<Vec<u8>> {
    let saved = History::from_bytes(saved).unwrap_or_default();
    let mut walk = source::commits(checkout, head, saved.walked_to(), WalkBounds::default())?;
    let mut history = if walk.is_continued { saved } else { History::new(walk.extent) };
    *n_commits = walk.n_left();
    let mut most = 0;
    for (commit, number) in walk.by_ref().zip(0_u64..) {
        history.extend(commit);
        if number % MEMORY_EVERY == 0 {
            most = most.max(memory_mb("RssAnon")?);
        }
    }
    println!("  {most} MB of its own at most");
    history.end_walk(walk.to);
    Ok(history.to_bytes())
}

/// Compares the files of the state with those of the commit.
fn check_paths(checkout: &Checkout, head: &Head, history: &History) -> Result<()> {
    let tree = source::list(checkout, head)?;
    let listed: BTreeSet<&str> = tree.files.iter().map(|file| file.path.as_str()).collect();
    let known: BTreeSet<&str> = history.paths().collect();
    let (n_unknown, n_gone) = (listed.difference(&known).count(), known.difference(&listed).count());
    println!("  {} files; {n_unknown} more have no history, {n_gone} of the history are no files", listed.len());
    Ok(())
}

fn ancestor(repository: &Path) -> Result<String> {
    let range = ["rev-list", "--first-parent", "--max-count=1", &format!("--skip={N_NEW}"), "HEAD"];
    let output = Command::new("git").args(range).current_dir(repository).output()?;
    ensure!(output.status.success(), "git rev-list failed");
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

fn cost<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, Duration)> {
    let start = ProcessTime::now();
    let value = work()?;
    Ok((value, start.elapsed()))
}

fn seconds(cpu: Duration) -> String {
    format!("{:.2}", cpu.as_secs_f64())
}

/// Returns a figure of the process's memory.
fn memory_mb(figure: &str) -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(figure)).context("no such figure in the status")?;
    let kilobytes: u64 = line.trim_start_matches(':').trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes / 1024)
}
