//! What vectors cost: CPU milliseconds of one thread to load the built-in model, to put rows together, and to scan.
//!
//! Usage: `cargo bench -p causeway-embed`

use std::hint::black_box;

use cpu_time::ThreadTime;
use embed::{StaticModel, WordCache, dot, scan};

/// Rows of a large repository, and words in each.
const N_ROWS: usize = 60_000;
const N_WORDS: usize = 100;

/// Vectors of a large shard.
const N_VECTORS: usize = 200_000;

/// Of so many runs the fastest counts, as others share the machine.
const N_RUNS: usize = 20;

const WORDS: &str = include_str!("../distil/words.tsv");

fn main() {
    let started = ThreadTime::now();
    let model = StaticModel::built_in();
    println!("load the built-in model `{}`: {:.1} ms", model.id(), milliseconds(started));

    let words: Vec<&str> = WORDS.lines().filter_map(|line| line.split('\t').next()).collect();
    let mut next = random();
    let started = ThreadTime::now();
    let mut cache = WordCache::new(model);
    for _ in 0..N_ROWS {
        let mut sum = cache.start();
        for _ in 0..N_WORDS {
            // Squared, as frequent words come first.
            let share = (next() >> 40) as f64 / (1 << 24) as f64;
            sum.add(words[(share * share * words.len() as f64) as usize], 1.0);
        }
        black_box(sum.finish());
    }
    println!("{N_ROWS} rows of {N_WORDS} words: {:.0} ms", milliseconds(started));

    let n_dims = model.n_dims();
    let codes: Vec<i8> = (0..N_VECTORS * n_dims).map(|_| (next() >> 56) as i8).collect();
    let query = model.embed("where is a request retried", &mut cache);
    let here = fastest(|| {
        let mut largest = 0;
        scan(&codes, query.codes(), |_, product| largest = largest.max(product));
        largest
    });
    println!("scan of {N_VECTORS} x {n_dims}: {here:.2} ms");
    let anywhere = fastest(|| codes.chunks_exact(n_dims).map(|row| dot(row, query.codes())).max().unwrap_or_default());
    println!("the same with what every processor offers: {anywhere:.2} ms");
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

/// Returns numbers that look random, the same in every run.
fn random() -> impl FnMut() -> u64 {
    let mut state = 1_u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state
    }
}
