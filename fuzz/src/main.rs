//! libFuzzer driver for the targets of `causeway-fuzzing`. One program runs all targets, since each would link the same
//! grammars. Environment variables select the target and the folder for its seeds.
#![no_main]

use std::{env, fs, path::Path, sync::LazyLock};

use fuzzing::Target;
use libfuzzer_sys::fuzz_target;

/// Environment variable with the name of the target.
const TARGET: &str = "CAUSEWAY_FUZZ_TARGET";

/// Environment variable with the folder into which seeds are written for libFuzzer.
const SEEDS: &str = "CAUSEWAY_FUZZ_SEEDS";

static CHOSEN: LazyLock<&Target> = LazyLock::new(|| {
    let name = env::var(TARGET).unwrap_or_default();
    fuzzing::target(&name).unwrap_or_else(|| {
        let names: Vec<&str> = fuzzing::TARGETS.iter().map(|target| target.name).collect();
        panic!("{TARGET} is `{name}`; it must be one of {}", names.join(", "))
    })
});

fuzz_target!(
    init: if let Ok(folder) = env::var(SEEDS) { write_seeds(Path::new(&folder)) },
    |input: &[u8]| (CHOSEN.run)(input)
);

fn write_seeds(folder: &Path) {
    fs::create_dir_all(folder).expect("the folder of the seeds can be created");
    for (number, (_, input)) in fuzzing::seeds(&CHOSEN).iter().enumerate() {
        fs::write(folder.join(format!("{number:04}")), input).expect("a seed can be written");
    }
}
