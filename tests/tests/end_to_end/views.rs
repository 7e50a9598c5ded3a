//! Views: work trees with uncommitted files, linked work trees, and branches, tags and commits.

use std::{fs, path::PathBuf, time::Instant};

use causeway_tests::{
    PATIENCE,
    answer::{places, text},
    federation::{Federation, InProcessWorker},
    repository::Repository,
};
use serde_json::{Value, json};
use tempfile::TempDir;
use worker::WorkerSettings;

/// A library, an application that uses it, and a linked work tree of the library.
struct Workbench {
    library: Repository,
    federation: Federation,
    folder: TempDir,
}

impl Workbench {
    async fn start() -> Workbench {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let roots = folder.path().join("src");
        let library = Repository::with_files(
            roots.join("lantern"),
            [
                ("package.json", r#"{"name": "lantern", "main": "index.js"}"#),
                ("index.js", "function kindle(wick) {\n  return wick;\n}\nmodule.exports = { kindle };\n"),
                (".gitignore", "build/\n"),
            ],
        );
        library.git(["tag", "v1"]);
        library.git(["branch", "feature/glow"]);
        library.git(["worktree", "add", "--quiet", "../next"]);
        Repository::with_files(
            roots.join("harbour"),
            [
                ("package.json", r#"{"name": "harbour", "dependencies": {"lantern": "1"}}"#),
                ("main.js", "const { kindle } = require('lantern');\nfunction open() {\n  return kindle('a');\n}\n"),
            ],
        );
        let settings = WorkerSettings { work_trees: true, ..WorkerSettings::default() };
        let data: PathBuf = folder.path().join("data");
        let worker = InProcessWorker::configured(&data, &[roots], settings).await.expect("the worker starts");
        worker.idle().await;
        Workbench { library, federation: Federation::of(vec![worker]).await, folder }
    }

    async fn symbols(&self, repo: &str, name: &str) -> Value {
        self.federation.ask("search_symbols", json!({"pattern": name, "repo": repo})).await
    }

    /// Calls a tool until its answer is as expected.
    async fn until(&self, tool: &str, arguments: Value, is_expected: impl Fn(&Value) -> bool) -> Value {
        let began = Instant::now();
        loop {
            let answer = self.federation.ask(tool, arguments.clone()).await;
            if is_expected(&answer) {
                return answer;
            }
            assert!(began.elapsed() < PATIENCE, "{tool} {arguments}: {answer}");
            tokio::task::yield_now().await;
        }
    }

    async fn row(&self, repo: &str) -> Value {
        let listed = self.federation.ask("list_repos", json!({})).await;
        let rows = listed["repositories"].as_array().expect("a list").clone();
        rows.into_iter().find(|row| row["repo"] == repo).unwrap_or_else(|| panic!("{repo} is not listed: {listed}"))
    }
}

fn has_symbol(answer: &Value, name: &str) -> bool {
    answer.to_string().contains(&format!("\"{name}\""))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_is_in_the_answers_before_it_is_committed() {
    let bench = Workbench::start().await;
    assert!(has_symbol(&bench.symbols("lantern", "kindle").await, "kindle"));
    let commit = bench.library.git(["rev-parse", "HEAD"]);
    bench.library.write("index.js", "function ignite(wick) {\n  return wick;\n}\nmodule.exports = { ignite };\n");
    bench.library.write("build/out.js", "function hidden() {}\n");
    let arguments = json!({"pattern": "ignite", "repo": "lantern"});
    let answer = bench.until("search_symbols", arguments, |answer| has_symbol(answer, "ignite")).await;
    let provenance = &answer["_meta"]["repositories"][0];
    assert_eq!(provenance["dirty"], json!({"files": 1, "paths": ["index.js"]}), "{answer}");
    assert_eq!(provenance["indexed_commit"], json!(commit), "{answer}");
    assert!(!has_symbol(&bench.symbols("lantern", "kindle").await, "kindle"), "the old name is gone");
    assert!(!has_symbol(&bench.symbols("lantern", "hidden").await, "hidden"), "an ignored file is not read");
    // A new folder is watched, too.
    bench.library.write("new/deep/spark.js", "function spark() {}\n");
    let arguments = json!({"pattern": "spark", "repo": "lantern"});
    bench.until("search_symbols", arguments.clone(), |answer| has_symbol(answer, "spark")).await;
    bench.library.write("new/deep/spark.js", "function sparkle() {}\n");
    let arguments = json!({"pattern": "sparkle", "repo": "lantern"});
    bench.until("search_symbols", arguments, |answer| has_symbol(answer, "sparkle")).await;
    fs::remove_dir_all(bench.library.path.join("new")).unwrap();
    let committed = bench.library.commit("ignite");
    bench.federation.serves("lantern", &committed).await;
    let row =
        bench.until("list_repos", json!({"repo": "lantern"}), |answer| answer["repositories"][0]["dirty"].is_null());
    assert_eq!(row.await["repositories"][0]["indexed_commit"], json!(committed));
    bench.federation.stop().await;
}

/// In a large repository, a search reads the draft of an edit before the next generation is made.
#[tokio::test(flavor = "multi_thread")]
async fn a_search_finds_an_edit_before_its_generation_is_made() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let paths: Vec<String> = (0..1_000).map(|nth| format!("src/part{nth}.js")).collect();
    let texts: Vec<String> = (0..1_000).map(|nth| format!("function part{nth}() {{ return {nth}; }}\n")).collect();
    let files = paths.iter().map(String::as_str).zip(texts.iter().map(String::as_str));
    let large = Repository::with_files(folder.path().join("src/large"), files);
    let settings = WorkerSettings { work_trees: true, ..WorkerSettings::default() };
    let roots = [folder.path().join("src")];
    let worker = InProcessWorker::configured(&folder.path().join("data"), &roots, settings).await.expect("it starts");
    worker.idle().await;
    let (library, federation) = (large, Federation::of(vec![worker]).await);
    let bench = Workbench { library, federation, folder };
    let is_draft = |answer: &Value| {
        let warning = answer["_meta"]["repositories"][0]["stale_warning"].as_str().unwrap_or_default();
        warning.starts_with("uses, history and pages are as before")
    };
    let began = Instant::now();
    for (nth, path) in paths.iter().enumerate() {
        let name = format!("glimmer{nth}");
        bench.library.write(path, format!("function {name}() {{ return part1(); }}\n"));
        let arguments = json!({"query": name, "repo": "large"});
        let found = bench
            .until("search_codebase", arguments.clone(), |answer| {
                answer.to_string().contains(&format!("function {name}"))
            })
            .await;
        assert_eq!(found["results"][0]["path"], json!(path), "{found}");
        let old = bench.symbols("large", &format!("part{nth}")).await;
        assert!(!has_symbol(&old, &format!("part{nth}")), "the old name is gone: {old}");
        if is_draft(&found) {
            // The whole index follows, with the same definition.
            let is_whole = |answer: &Value| answer["_meta"]["repositories"][0]["stale_warning"].is_null();
            let whole = bench.until("search_codebase", arguments, is_whole).await;
            for part in ["path", "snippet", "start_line", "symbol_id"] {
                assert_eq!(whole["results"][0][part], found["results"][0][part], "{part}: {whole}");
            }
            break;
        }
        assert!(began.elapsed() < PATIENCE, "no edit had a draft");
    }
    bench.federation.stop().await;
}

/// A worker has not watched the files while it did not run. Its first answers have the edits, or say that they are unknown.
#[tokio::test(flavor = "multi_thread")]
async fn an_edit_before_the_start_is_never_absent() {
    let bench = Workbench::start().await;
    let (library, folder) = (bench.library, bench.folder);
    bench.federation.stop().await;
    library.write("index.js", "function ignite(wick) {\n  return wick;\n}\nmodule.exports = { ignite };\n");
    let settings = WorkerSettings { work_trees: true, ..WorkerSettings::default() };
    let roots = [folder.path().join("src")];
    let worker = InProcessWorker::configured(&folder.path().join("data"), &roots, settings).await.expect("it starts");
    let bench = Workbench { library, federation: Federation::of(vec![worker]).await, folder };
    let is_unknown = |answer: &Value| {
        let note = answer["note"].as_str().unwrap_or_default();
        let warning = &answer["_meta"]["repositories"][0]["stale_warning"];
        note.starts_with("unknown, not absent") && warning.is_string()
    };
    // The library is served from the start.
    let first = bench.symbols("lantern", "ignite").await;
    assert!(has_symbol(&first, "ignite") || is_unknown(&first), "{first}");
    let arguments = json!({"pattern": "ignite", "repo": "lantern"});
    bench.until("search_symbols", arguments, |answer| has_symbol(answer, "ignite")).await;
    let absent = bench.symbols("lantern", "zeppelin").await;
    assert!(!is_unknown(&absent), "{absent}");
    bench.federation.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_linked_work_tree_is_a_view_of_its_repository() {
    let bench = Workbench::start().await;
    let view = "lantern@worktree:next";
    fs::write(bench.folder.path().join("src/next/index.js"), "function flicker() {}\nmodule.exports = { flicker };\n")
        .unwrap();
    let arguments = json!({"pattern": "flicker", "repo": view});
    let answer = bench.until("search_symbols", arguments, |answer| has_symbol(answer, "flicker")).await;
    assert_eq!(answer["_meta"]["repositories"][0]["repo"], json!(view), "{answer}");
    // Each agent sees its own work tree, and `all` holds one view of each repository.
    for (repo, name, is_there) in
        [("lantern", "flicker", false), ("all", "flicker", false), ("lantern", "kindle", true), (view, "kindle", false)]
    {
        assert_eq!(has_symbol(&bench.symbols(repo, name).await, name), is_there, "{name} in {repo}");
    }
    let listed = bench.federation.ask("list_repos", json!({})).await;
    assert_eq!(listed["_meta"]["totalItems"], json!(2), "{listed}");
    let row = bench.row("lantern").await;
    assert_eq!((&row["views"][0]["view"], &row["views"][0]["dirty"]["files"]), (&json!(view), &json!(1)), "{row}");
    // Users in other repositories are those of the view.
    fs::write(
        bench.folder.path().join("src/next/index.js"),
        "\nfunction kindle(wick) {}\nmodule.exports = { kindle };\n",
    )
    .unwrap();
    let target = format!("{view}:index.js");
    bench
        .until("search_symbols", json!({"pattern": "kindle", "repo": view}), |answer| has_symbol(answer, "kindle"))
        .await;
    let impact = bench.federation.ask("get_impact", json!({"target": format!("{target}::kindle"), "depth": 1})).await;
    assert!(impact.to_string().contains("main.js"), "{impact}");
    let two =
        bench.federation.ask("search_symbols", json!({"pattern": "kindle", "repo": format!("lantern,{view}")})).await;
    assert_eq!(two["_meta"]["coverage"]["asked"], json!(1), "{two}");
    bench.federation.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn branches_tags_and_commits_are_views_on_request() {
    let bench = Workbench::start().await;
    let first = bench.library.git(["rev-parse", "HEAD"]);
    bench.library.write("index.js", "function blaze() {}\nmodule.exports = { blaze };\n").commit("blaze");
    for repo in ["lantern@v1", "lantern@feature/glow", &format!("lantern@{}", &first[..10])] {
        let answer = bench.symbols(repo, "kindle").await;
        assert!(has_symbol(&answer, "kindle"), "{repo}: {answer}");
        assert_eq!(answer["_meta"]["repositories"][0]["indexed_commit"], json!(first), "{repo}");
    }
    let path = "lantern@feature/glow:index.js";
    let file = bench.federation.call("get_file_context", json!({"file": path})).await.text;
    assert!(file.contains("kindle"), "{file}");
    let unknown =
        bench.federation.refusal("search_symbols", json!({"pattern": "a", "repo": "lantern@feature/glwo"})).await;
    assert!(unknown.contains("no branch, tag or reachable commit") && unknown.contains("feature/glow"), "{unknown}");
    let odd_reference = bench.library.path.join(".git/refs/heads/odd");
    std::os::unix::fs::symlink("/dev/zero", &odd_reference).unwrap();
    let refused = bench.federation.refusal("search_symbols", json!({"pattern": "a", "repo": "lantern@odd"})).await;
    assert!(refused.contains("cannot be made: `lantern` is not read: ") && refused.contains("heads/odd"), "{refused}");
    fs::remove_file(odd_reference).unwrap();
    let row = bench.row("lantern").await;
    let views: Vec<&str> = row["views"].as_array().unwrap().iter().map(|view| text(&view["view"])).collect();
    assert!(views.contains(&"lantern@v1") && views.len() == 4, "{views:?}");
    let all = bench.federation.ask("search_codebase", json!({"query": "kindle", "repo": "all"})).await;
    assert!(places(&all).iter().all(|place| !place.contains('@')), "{all}");
    bench.federation.stop().await;
}
