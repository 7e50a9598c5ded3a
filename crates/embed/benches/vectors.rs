//! Cost of vectors: CPU milliseconds of one thread to load the built-in model, to embed rows, and to scan.
//!
//! Usage: `cargo bench -p causeway-embed`

use std::hint::black_box;

use cpu_time::ThreadTime;
use embed::{StaticModel, WordCache, dot, scan};

/// Number of rows of a large repository, and words per row.
const N_ROWS: usize = 60_000;
const N_WORDS: usize = 100;

/// Number of vectors of a large shard.
const N_VECTORS: usize = 200_000;

/// Number of runs; the fastest counts, since other processes share the machine.
const N_RUNS: usize = 20;

/// Words of code with their frequencies.
const COUNTS: &str = include_str!("../distil/words.tsv");

/// Number of words drawn by frequency; more than the L1 cache holds.
const N_DRAWN: usize = 1_000_000;

fn main() {
    let started = ThreadTime::now();
    let model = StaticModel::built_in();
    println!("load the built-in model `{}`: {:.1} ms", model.id(), milliseconds(started));

    let mut next = random();
    let words = common_words(&mut next);
    let started = ThreadTime::now();
    let mut cache = WordCache::new(model);
    for row_idx in 0..N_ROWS {
        let mut sum = cache.start();
        for word in words.chunks(N_WORDS).nth(row_idx % (N_DRAWN / N_WORDS)).into_iter().flatten() {
            sum.add(word, 1.0);
        }
        black_box(sum.finish());
    }
    println!("{N_ROWS} rows of {N_WORDS} words: {:.0} ms", milliseconds(started));

    let n_dims = model.n_dims();
    let codes: Vec<i8> = (0..N_VECTORS * n_dims).map(|_| (next() >> 56) as i8).collect();
    let query = cache.embed("where is a request retried");
    let scan_millis = fastest(|| {
        let mut largest = 0;
        scan(&codes, query.codes(), |_, product| largest = largest.max(product));
        largest
    });
    println!("scan of {N_VECTORS} x {n_dims}: {scan_millis:.2} ms");
    let portable_millis =
        fastest(|| codes.chunks_exact(n_dims).map(|row| dot(row, query.codes())).max().unwrap_or_default());
    println!("the same with portable instructions: {portable_millis:.2} ms");
}

/// Returns words with their natural frequencies, in random order.
fn common_words(next: &mut impl FnMut() -> u64) -> Vec<&'static str> {
    let mut n_before = 0;
    let counted: Vec<(u64, &str)> = COUNTS
        .lines()
        .filter_map(|line| {
            let (word, count) = line.split_once('\t')?;
            n_before += count.parse::<u64>().ok()?;
            Some((n_before, word))
        })
        .collect();
    let mut draw = || {
        let position = (next() >> 16) % n_before;
        counted[counted.partition_point(|(end, _)| *end <= position)].1
    };
    (0..N_DRAWN).map(|_| draw()).collect()
}

fn milliseconds(started: ThreadTime) -> f64 {
    started.elapsed().as_secs_f64() * 1e3
}

fn fastest(mut run: impl FnMut() -> i32) -> f64 {
    let mut time = || {
        let started = ThreadTime::now();
        black_box(run());
        milliseconds(started)
    };
    (0..N_RUNS).map(|_| time()).fold(f64::INFINITY, f64::min)
}

/// Returns a deterministic pseudo-random number generator.
fn random() -> impl FnMut() -> u64 {
    let mut state = 1_u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state
    }
}
