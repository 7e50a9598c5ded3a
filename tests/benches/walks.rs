//! Benchmark of `get_context` for random entities: in a generated repository of about 100,000 definitions, or in the
//! repositories below a folder.
//!
//! Usage: `cargo bench -p causeway-tests --bench walks -- [FOLDER]`. Prints the median and the 95th percentile. The
//! entities are drawn deterministically.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use causeway_tests::{federation::Federation, repository::Repository};
use serde_json::{Value, json};

/// Number of files per language and of functions per file: with types and methods about 100,000 definitions.
const N_FILES: usize = 1_050;
const N_FUNCTIONS: usize = 22;

/// Number of files per folder.
const FILES_PER_FOLDER: usize = 50;

/// Number of imports per file, from files of the same language.
const N_IMPORTS: usize = 3;

const N_ENTITIES: usize = 300;

/// Search patterns for the entities.
const PATTERNS: [&str; 10] = ["fn_", "make", "Do", "step", "run", "get", "new", "parse", "write", "read"];

#[tokio::main]
async fn main() {
    let scratch = tempfile::tempdir().expect("a temporary folder can be made");
    let argument = std::env::args().skip(1).find(|arg| !arg.starts_with("--")).map(PathBuf::from);
    let root = argument.unwrap_or_else(|| {
        let root = scratch.path().join("repositories");
        make_repository(&root.join("big"));
        root
    });
    let began = Instant::now();
    let federation = Federation::over(&scratch.path().join("data"), &root).await;
    println!("indexed in {:.1} s", began.elapsed().as_secs_f64());

    let entities = entities(&federation).await;
    for arguments in [json!({}), json!({"detail_level": "neighbors"}), json!({"depth": 3, "token_budget": 8_000})] {
        let mut took = Vec::new();
        for (n, entity) in entities.iter().enumerate() {
            let mut arguments = arguments.clone();
            arguments["entity"] = json!(entity);
            let began = Instant::now();
            let answer = federation.call("get_context", arguments).await;
            assert!(!answer.is_error, "{}", answer.text);
            // The first calls warm up: links between repositories are computed once.
            took.extend((n >= 20).then(|| began.elapsed()));
        }
        took.sort_unstable();
        let at = |part: usize| millis(took[took.len() * part / 100]);
        let n = took.len();
        println!("get_context {arguments}: {n} entities, p50 {:.1} ms, p95 {:.1} ms", at(50), at(95));
    }
    federation.stop().await;
}

fn millis(took: Duration) -> f64 {
    took.as_secs_f64() * 1e3
}

/// Returns ids of definitions, drawn from the matches of the patterns.
async fn entities(federation: &Federation) -> Vec<String> {
    let mut found = Vec::new();
    for pattern in PATTERNS {
        let answer = federation.ask("search_symbols", json!({"pattern": pattern, "limit": 100, "repo": "all"})).await;
        let symbols = answer["symbols"].as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        found.extend(symbols.iter().map(|symbol| format!("{}//{}", text(&symbol["repo"]), text(&symbol["symbol_id"]))));
    }
    let mut random = Random(1);
    let drawn = (0..N_ENTITIES).map(|_| found[random.below(found.len())].clone());
    drawn.collect()
}

/// Deterministic random numbers: a linear congruential generator with Knuth's constants.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % bound as u64) as usize
    }
}

/// Creates a repository in four languages, with calls within and between files.
fn make_repository(path: &Path) {
    let repository = Repository::init(path);
    let mut random = Random(2);
    let modules: String = (0..N_FILES).map(|n| format!("pub mod m{n};\n")).collect();
    write(path, "rs/src/lib.rs", &modules);
    write(path, "rs/Cargo.toml", "[package]\nname = \"big\"\nversion = \"0.1.0\"\n");
    write(path, "go.mod", "module example.com/big\n\ngo 1.22\n");
    for n in 0..N_FILES {
        let folder = n / FILES_PER_FOLDER;
        let imports: Vec<usize> = (0..N_IMPORTS).map(|_| random.below(N_FILES)).collect();
        write(path, &format!("py/pkg{folder}/mod{n}.py"), &python(n, &imports, &mut random));
        write(path, &format!("web/d{folder}/m{n}.ts"), &typescript(n, &imports, &mut random));
        write(path, &format!("go/p{folder}/f{n}.go"), &go(n, folder, &mut random));
        write(path, &format!("rs/src/m{n}.rs"), &rust(n, &imports, &mut random));
    }
    repository.commit("All of it");
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("it is in a folder")).expect("folders can be made");
    fs::write(path, text).expect("files can be written");
}

fn python(n: usize, imports: &[usize], random: &mut Random) -> String {
    let mut text = String::new();
    for other in imports {
        writeln!(text, "from py.pkg{}.mod{other} import fn_{other}_0", other / FILES_PER_FOLDER).expect("in memory");
    }
    for f in 0..N_FUNCTIONS {
        let (other, own) = (imports[f % imports.len()], random.below(f.max(1)));
        write!(text, "\ndef fn_{n}_{f}(value):\n    \"\"\"Adds step {f}.\"\"\"\n    total = fn_{other}_0(value)\n    return total + fn_{n}_{own}(value)\n")
            .expect("in memory");
    }
    write!(text, "\nclass Box{n}:\n    def run(self):\n        return fn_{n}_1(2)\n").expect("in memory");
    text
}

fn typescript(n: usize, imports: &[usize], random: &mut Random) -> String {
    let mut text = String::new();
    for other in imports {
        writeln!(text, "import {{ make{other}x0 }} from '../d{}/m{other}';", other / FILES_PER_FOLDER)
            .expect("in memory");
    }
    for f in 0..N_FUNCTIONS {
        let (other, own) = (imports[f % imports.len()], random.below(f.max(1)));
        write!(text, "\n/** Makes part {f}. */\nexport function make{n}x{f}(n: number): number {{\n  return make{other}x0(n) + make{n}x{own}(n);\n}}\n")
            .expect("in memory");
    }
    write!(text, "\nexport class Part{n} {{\n  run(): number {{ return make{n}x1(1); }}\n}}\n").expect("in memory");
    text
}

fn go(n: usize, folder: usize, random: &mut Random) -> String {
    let mut text = format!("package p{folder}\n");
    let other = (folder > 0).then(|| random.below(folder));
    if let Some(other) = other {
        write!(text, "\nimport \"example.com/big/go/p{other}\"\n").expect("in memory");
    }
    for f in 0..N_FUNCTIONS {
        let own = random.below(f.max(1));
        let elsewhere = other.map(|other| {
            format!(" + p{other}.Do{}F{}(n)", other * FILES_PER_FOLDER + random.below(FILES_PER_FOLDER), f)
        });
        let elsewhere = elsewhere.unwrap_or_default();
        write!(
            text,
            "\n// Do{n}F{f} does step {f}.\nfunc Do{n}F{f}(n int) int {{\n\treturn Do{n}F{own}(n){elsewhere}\n}}\n"
        )
        .expect("in memory");
    }
    text
}

fn rust(n: usize, imports: &[usize], random: &mut Random) -> String {
    let mut text = String::new();
    for f in 0..N_FUNCTIONS {
        let (other, own) = (imports[f % imports.len()], random.below(f.max(1)));
        write!(text, "\n/// Takes step {f}.\npub fn step_{n}_{f}(n: u64) -> u64 {{\n    crate::m{other}::step_{other}_0(n) + step_{n}_{own}(n)\n}}\n")
            .expect("in memory");
    }
    write!(text, "\npub struct S{n} {{\n    pub a: u64,\n}}\n\nimpl S{n} {{\n    pub fn run(&self) -> u64 {{\n        step_{n}_1(self.a)\n    }}\n}}\n")
        .expect("in memory");
    text
}
