//! Token budgets are respected and used, in contexts of many definitions of a real repository: this project's code.

use std::{collections::BTreeSet, path::Path};

use causeway_tests::{answer::text, federation::Federation, organisation::copy, repository::Repository};
use serde_json::json;

/// Packages with the definitions: some 20,000 lines.
const PACKAGES: [&str; 4] = ["gateway/tools", "crates/graph", "crates/text", "crates/ranking"];

/// Number of definitions.
const N_ENTITIES: usize = 200;

/// Minimum used share of a budget if items were omitted for it.
const LEAST_USE: f64 = 0.8;

/// Minimum budget for that: below it, any further item may exceed the rest.
const ENOUGH_TO_FILL: usize = 1_000;

/// A budget that omits nothing; only the limits of the walk apply.
const AMPLE: usize = 25_000;

/// Deterministic pseudo-random numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    /// Returns a budget, half of them below 1,000.
    fn budget(&mut self) -> usize {
        match self.below(2) {
            0 => 100 + self.below(900),
            _ => 1_000 + self.below(9_000),
        }
    }
}

/// Returns the ids of all definitions that searches by first letter list.
async fn definitions(federation: &Federation) -> Vec<String> {
    let mut ids = BTreeSet::new();
    for letter in 'a'..='z' {
        let arguments = json!({"pattern": format!("^(?i){letter}"), "mode": "regex", "limit": 100});
        let found = federation.ask("search_symbols", arguments).await;
        let symbols = found["symbols"].as_array().expect("a list").iter();
        ids.extend(symbols.map(|symbol| text(&symbol["symbol_id"]).to_owned()));
    }
    ids.into_iter().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn random_budgets_are_respected_and_used() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let root = folder.path().join("org/project");
    for package in PACKAGES {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(package);
        copy(&sources.join("src"), &root.join(package).join("src"));
        std::fs::copy(sources.join("Cargo.toml"), root.join(package).join("Cargo.toml")).expect("it has a manifest");
    }
    Repository::init(&root).commit("The code");
    let federation = Federation::over(&folder.path().join("data"), &folder.path().join("org")).await;
    let ids = definitions(&federation).await;
    assert!(ids.len() > 3 * N_ENTITIES, "{}", ids.len());

    let mut numbers = Numbers(7);
    let (mut n_left_out, mut wasteful) = (0, Vec::new());
    for _ in 0..N_ENTITIES {
        let (entity, budget) = (&ids[numbers.below(ids.len())], numbers.budget());
        let format = ["json", "compact"][numbers.below(2)];
        let ask = async |budget: usize| {
            let arguments = json!({"entity": entity, "format": format, "token_budget": budget});
            let answer = federation.call("get_context", arguments).await;
            assert!(!answer.is_error, "{entity}: {}", answer.text);
            answer.text
        };
        let answer = ask(budget).await;
        let used = ::text::estimate_tokens(&answer);
        assert!(used <= budget, "{entity} {format} {budget}: {used}: {answer}");
        let is_short = ::text::estimate_tokens(&ask(AMPLE).await) > budget;
        if is_short && budget >= ENOUGH_TO_FILL {
            n_left_out += 1;
            if (used as f64) < LEAST_USE * budget as f64 {
                wasteful.push(format!("{used} of {budget} {format} {entity}"));
            }
        }
    }
    assert!(n_left_out > N_ENTITIES / 4, "budgets were short: {n_left_out}");
    assert!(wasteful.is_empty(), "{} of {n_left_out} waste what they have:\n{}", wasteful.len(), wasteful.join("\n"));
}
