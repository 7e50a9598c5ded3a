//! Prints the risk signals of files, to examine false positives: `risks PATH...`.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use model::Language;

/// Maximum size in bytes of a source file.
const MAX_BYTES: u64 = 1 << 20;

fn main() {
    let mut paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let (mut spent, mut n_bytes) = (Duration::ZERO, 0);
    while let Some(path) = paths.pop() {
        if path.is_dir() && !path.is_symlink() {
            paths.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
            continue;
        }
        let is_small =
            fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file() && metadata.len() <= MAX_BYTES);
        let Some(source) = is_small.then(|| fs::read_to_string(&path).ok()).flatten() else { continue };
        let language = Language::of_path(&path.to_string_lossy());
        let start = Instant::now();
        let signals = text::risk::find_signals(language, &source);
        spent += start.elapsed();
        n_bytes += source.len();
        for signal in signals {
            println!("{}:{} {}: {}", path.display(), signal.line, signal.kind.name(), signal.shown);
        }
    }
    eprintln!("{} KB in {spent:.1?}", n_bytes >> 10);
}
