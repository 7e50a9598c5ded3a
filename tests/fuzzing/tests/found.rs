//! Replays every found input and every seed: without a panic, and within a time limit.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

use fuzzing::{TARGETS, Target, target};

/// Time limit per input: longer than any takes unoptimised on a busy machine, and shorter than a hang.
const PATIENCE: Duration = Duration::from_secs(20);

fn replay(target: &Target) {
    let seeds = fuzzing::seeds(target);
    assert!(!seeds.is_empty(), "there are seeds of `{}`", target.name);
    for (name, input) in seeds {
        let began = Instant::now();
        (target.run)(&input);
        assert!(began.elapsed() < PATIENCE, "`{}` takes {:?} for {name}", target.name, began.elapsed());
    }
    for input in [&b""[..], b"A", b"\xff\xff"] {
        (target.run)(input);
    }
}

macro_rules! replayed {
    ($($name:ident),*) => {
        $(#[test]
        fn $name() {
            replay(target(stringify!($name)).expect("the target is there"));
        })*

        #[test]
        fn every_target_is_replayed() {
            let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            assert_eq!([$(stringify!($name)),*][..], names[..]);
        }
    };
}

replayed!(wire, query, manifest, extract, shapes, resolve, text, scip, generation);

#[test]
fn every_folder_of_inputs_is_that_of_a_target() {
    for folder in ["../../fuzz/seeds", "../../fuzz/found"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for entry in fs::read_dir(folder).into_iter().flatten().flatten().filter(|entry| entry.path().is_dir()) {
            let name = entry.file_name().to_string_lossy().into_owned();
            assert!(target(&name).is_some(), "no target is called `{name}`");
        }
    }
}
