//! HEAD moves while queries run: none fails, none sees two commits, and the new commit is served soon.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use causeway_tests::{
    answer::{self, text},
    federation::Federation,
    repository::Repository,
};
use serde_json::json;

/// Maximum delay between a commit and its index.
const SOON: Duration = Duration::from_secs(10);

const N_FILES: usize = 12;

const N_COMMITS: usize = 3;

/// Rewrites every file. All files of a commit have the same number, so that a mix is visible.
fn write_all(repository: &Repository, number: usize) {
    for file_idx in 0..N_FILES {
        let code = format!(
            "/// Holds the mark of all.\npub fn mark_{file_idx}() -> &'static str {{\n    \"mark number-{number}\"\n}}\n"
        );
        repository.write(format!("src/part{file_idx}.rs"), code);
    }
}

/// Returns the numbers in an answer.
fn numbers(answer: &str) -> BTreeSet<&str> {
    let digits = |rest: &str| rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    answer.split("number-").skip(1).map(|rest| &rest[..digits(rest)]).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn queries_see_one_commit_while_head_moves() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let repository = Repository::init(folder.path().join("org/moving"));
    write_all(&repository, 0);
    let mut commits = vec![repository.commit("number 0")];
    Repository::with_files(folder.path().join("org/still"), [("README.md", "# Still\n\nA mark that stays.\n")]);
    let federation = Federation::over(&folder.path().join("data"), &folder.path().join("org")).await;

    let (done, n_queries) = (AtomicBool::new(false), AtomicUsize::new(0));
    let querying = async {
        let mut seen = BTreeSet::new();
        while !done.load(Ordering::Relaxed) {
            for format in ["json", "compact"] {
                let arguments = json!({"query": "mark of all", "limit": 10, "format": format});
                let result = federation.call("search_codebase", arguments).await;
                assert!(!result.is_error, "{}", result.text);
                let numbers = numbers(&result.text);
                assert_eq!(numbers.len(), 1, "one commit in one answer: {}", result.text);
                seen.extend(numbers.into_iter().map(str::to_owned));
                if let Some(answer) = result.structured {
                    assert!(answer::is_complete(&answer), "{answer}");
                    assert_eq!(answer["results"].as_array().map(Vec::len), Some(10), "{answer}");
                }
            }
            let read = federation.ask("get_symbol", json!({"symbol_id": "moving//src/part3.rs::mark_3"})).await;
            assert_eq!(numbers(text(&read["source"])).len(), 1, "{read}");
            n_queries.fetch_add(3, Ordering::Relaxed);
        }
        seen
    };
    let moving = async {
        for number in 1..=N_COMMITS {
            write_all(&repository, number);
            let commit = tokio::task::block_in_place(|| repository.commit(&format!("number {number}")));
            let began = Instant::now();
            federation.serves("moving", &commit).await;
            assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
            commits.push(commit);
        }
        done.store(true, Ordering::Relaxed);
    };
    let (seen, ()) = tokio::join!(querying, moving);
    assert!(seen.len() > 1, "queries ran before and after a commit: {seen:?}");
    assert!(n_queries.load(Ordering::Relaxed) > 20);

    // The last answer is from the last commit, and says so.
    let answer = federation.ask("search_codebase", json!({"query": "mark of all", "repo": "moving"})).await;
    assert_eq!(answer["_meta"]["repositories"][0]["indexed_commit"], *commits.last().expect("commits were made"));
    federation.stop().await;
}
