//! Thousands of call sites of one method in several repositories are read page by page.

use std::{collections::BTreeSet, fmt::Write as _, fs, path::Path};

use causeway_tests::{
    answer::{is_complete, text},
    federation::{Federation, InProcessWorker},
};
use serde_json::{Value, json};

const N_IMPORTERS: usize = 3;
const N_FUNCTIONS: usize = 40;
const N_CALLS: usize = 20;

/// Number of calls in one more function of each importer: more lines than one entry has.
const N_CALLS_OF_LONGEST: usize = 400;

fn write(root: &Path, path: &str, content: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder for the test");
    fs::write(path, content).expect("a file of the test");
}

/// Returns a file in which each function calls a method of the logger once a line.
fn calls() -> String {
    let mut content = "import { Logger } from 'logger';\n".to_owned();
    let numbers = (0..N_FUNCTIONS).map(|_| N_CALLS).chain([N_CALLS_OF_LONGEST]);
    for (function, n_calls) in numbers.enumerate() {
        writeln!(content, "export function f{function}(log: Logger) {{").expect("text can be written");
        content += &"    log.info('a');\n".repeat(n_calls);
        content += "}\n";
    }
    content
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_site_of_a_logger_is_on_one_page() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let code = folder.path().join("code");
    write(&code, "logger/package.json", r#"{"name": "logger", "main": "index.ts"}"#);
    write(&code, "logger/index.ts", "export class Logger {\n    info(text: string) {}\n}\n");
    let mut roots = vec![code.join("logger")];
    for importer in 0..N_IMPORTERS {
        let manifest = format!(r#"{{"name": "app{importer}", "dependencies": {{"logger": "1"}}}}"#);
        write(&code, &format!("app{importer}/package.json"), &manifest);
        write(&code, &format!("app{importer}/main.ts"), &calls());
        roots.push(code.join(format!("app{importer}")));
    }
    let federation = Federation::of(vec![InProcessWorker::indexed(&folder.path().join("w"), &roots).await]).await;
    let mut sites: BTreeSet<(String, u64)> = BTreeSet::new();
    let (mut n_sites, mut n_pages, mut cursor) = (0, 0, None::<String>);
    loop {
        let mut arguments = json!({"target": "Logger.info", "repo": "logger", "depth": 1, "token_budget": 4_000});
        if let Some(cursor) = &cursor {
            arguments["cursor"] = json!(cursor);
        }
        let page = federation.ask("get_impact", arguments).await;
        assert!(is_complete(&page), "{page}");
        n_pages += 1;
        for user in page["direct"].as_array().into_iter().flatten() {
            let link = &user["link"];
            let lines = link["lines"].as_array().cloned().unwrap_or_else(|| vec![link["line"].clone()]);
            n_sites += lines.len();
            sites.extend(lines.iter().filter_map(Value::as_u64).map(|line| (text(&user["id"]).to_owned(), line)));
        }
        cursor = page["_meta"]["more"].as_str().and_then(|more| more.split('"').nth(1)).map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    let expected = N_IMPORTERS * (N_FUNCTIONS * N_CALLS + N_CALLS_OF_LONGEST);
    assert_eq!((n_sites, sites.len()), (expected, expected), "{n_pages} pages");
    assert!(n_pages > 3, "{n_pages} pages");
    federation.stop().await;
}
