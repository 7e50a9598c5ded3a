//! Prints the lines of files that masking changes, to examine false positives, and its speed: `masked PATH...`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Maximum size in bytes of a source file; larger files are never shown.
const MAX_BYTES: u64 = 2 << 20;

fn main() {
    let mut n_bytes = 0;
    let mut spent = Duration::ZERO;
    let mut paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    while let Some(path) = paths.pop() {
        if path.is_dir() && !path.is_symlink() {
            paths.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        } else if let Some(source) = read(&path) {
            let start = Instant::now();
            let cleaned = text::clean(&source);
            spent += start.elapsed();
            n_bytes += source.len();
            print_changes(&path, &source, &cleaned);
        }
    }
    eprintln!("{} MB in {spent:.1?}: {:.0} MB/s", n_bytes >> 20, n_bytes as f64 / 1e6 / spent.as_secs_f64());
}

/// Returns the text of a file, unless it is binary or too large.
fn read(path: &Path) -> Option<String> {
    let metadata = fs::symlink_metadata(path).ok()?;
    let is_source = metadata.is_file() && metadata.len() <= MAX_BYTES;
    let bytes = is_source.then(|| fs::read(path).ok()).flatten()?;
    (!bytes.contains(&0)).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

fn print_changes(path: &Path, source: &str, cleaned: &str) {
    for (line_no, (line, shown)) in (1..).zip(source.split('\n').zip(cleaned.split('\n'))) {
        if shown.contains(text::MASK) && !line.contains(text::MASK) {
            println!("{}:{line_no}\n  - {}\n  + {}", path.display(), line.trim(), shown.trim());
        }
    }
}
