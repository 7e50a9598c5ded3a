//! Uses of definitions of other repositories, resolved by type over real workers.

use std::{fs, path::Path};

use causeway_tests::{
    answer::{is_complete, text},
    federation::{Federation, InProcessWorker},
};
use federation::principal::Principal;
use serde_json::{Value, json};
use tempfile::TempDir;

/// The application takes a client, whose connection has a type of a third repository.
const FILES: [(&str, &str); 9] = [
    ("app/package.json", r#"{"name": "app", "dependencies": {"client": "1"}}"#),
    (
        "app/src/main.ts",
        "import { Client } from 'client';\n\nexport function run(client: Client) {\n    client.open();\n    client.open().send('a');\n}\nexport function limit(client: Client) {\n    return client.open().limit;\n}\n",
    ),
    (
        "app/src/loose.ts",
        "export function loose(x) {\n    x.mystery();\n}\nexport function reads(x) {\n    x.limit = 1;\n    return x.limit;\n}\n",
    ),
    ("client/package.json", r#"{"name": "client", "main": "index.ts", "dependencies": {"wire": "1"}}"#),
    (
        "client/index.ts",
        "import { Connection } from 'wire';\n\nexport class Client {\n    open(): Connection { return new Connection() }\n    mystery() {}\n    lonely() {}\n}\n",
    ),
    ("wire/package.json", r#"{"name": "wire", "main": "index.ts"}"#),
    (
        "wire/index.ts",
        "export class Connection {\n    send(text: string) {}\n    limit = 1;\n    level = Level.Low;\n}\nexport enum Level { Low }\nexport function reset(it: Connection) { it.limit = 0 }\n",
    ),
    ("fork/package.json", r#"{"name": "unrelated", "main": "index.ts"}"#),
    ("fork/index.ts", "export class Connection {\n    send(text: string) {}\n}\n"),
];

fn write(root: &Path) {
    for (path, content) in FILES {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder for the test");
        fs::write(path, content).expect("a file of the test");
    }
}

/// Starts a federation of two workers: the application is on one, and the other repositories are on the other.
async fn federation(folder: &TempDir) -> Federation {
    write(&folder.path().join("code"));
    let code = |repo: &str| folder.path().join("code").join(repo);
    let workers = vec![
        InProcessWorker::indexed(&folder.path().join("w1"), &[code("app")]).await,
        InProcessWorker::indexed(&folder.path().join("w2"), &[code("client"), code("wire"), code("fork")]).await,
    ];
    Federation::of(workers).await
}

/// Returns the direct users that `get_impact` lists, each with its relation and lines.
fn users(answer: &Value) -> Vec<String> {
    let direct = answer["direct"].as_array().expect("a list");
    direct
        .iter()
        .map(|user| {
            let link = &user["link"];
            let lines = link["evidence"].get("lines").map_or_else(|| link["line"].to_string(), Value::to_string);
            format!("{} {} {lines}", text(&user["id"]), text(&link["relation"]))
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn methods_of_foreign_types_have_their_users() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let federation = federation(&folder).await;
    let impact = |target: &'static str| federation.ask("get_impact", json!({"target": target, "depth": 1}));
    let opened = impact("client//index.ts::Client.open").await;
    assert_eq!(users(&opened), ["app//src/main.ts::run calls [4,5]", "app//src/main.ts::limit calls 8"]);
    assert!(is_complete(&opened), "{opened}");
    let sent = impact("wire//index.ts::Connection.send").await;
    assert_eq!(users(&sent), ["app//src/main.ts::run calls 5"], "{sent}");
    let of_fork = impact("fork//index.ts::Connection.send").await;
    assert!(users(&of_fork).is_empty() && is_complete(&of_fork), "{of_fork}");
    let context = json!({"mode": "path", "from": "run", "to": "Connection.send", "repo": "all"});
    let chain = federation.call("get_context", context).await.text;
    assert!(chain.contains("wire:index.ts"), "{chain}");
    federation.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_knowledge_is_reported() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let federation = federation(&folder).await;
    let impact = |target: &'static str| federation.ask("get_impact", json!({"target": target, "depth": 1}));
    let mystery = impact("client//index.ts::Client.mystery").await;
    assert!(users(&mystery).is_empty() && !is_complete(&mystery), "{mystery}");
    assert_eq!(
        mystery["_meta"]["may_miss"],
        json!({"unresolved_calls": 1, "sites": ["app:src/loose.ts:2"]}),
        "{mystery}"
    );
    let lonely = impact("client//index.ts::Client.lonely").await;
    assert!(users(&lonely).is_empty() && is_complete(&lonely), "{lonely}");
    let field = impact("wire//index.ts::Connection.limit").await;
    let mut users_of_field = users(&field);
    users_of_field.sort();
    assert_eq!(users_of_field, ["app//src/main.ts::limit accesses 8", "wire//index.ts::reset accesses 7"], "{field}");
    assert!(!is_complete(&field), "{field}");
    assert_eq!(
        field["_meta"]["may_miss"],
        json!({"unresolved_accesses": 2, "sites": ["app:src/loose.ts:5", "app:src/loose.ts:6"]}),
        "{field}"
    );
    let member = impact("wire//index.ts::Level.Low").await;
    assert_eq!(users(&member), ["wire:index.ts accesses 4"], "{member}");
    assert!(is_complete(&member), "{member}");
    federation.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_of_types_ends_at_an_unreadable_repository() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let federation = federation(&folder).await;
    let target = json!({"target": "wire//index.ts::Connection.send", "depth": 1});
    let ask = async |patterns: &[&str]| {
        let principal = Principal::limited("ci", patterns.iter().map(|pattern| (*pattern).to_owned()));
        let result = federation.gateway.call(&principal, "get_impact", target.clone()).await;
        result.structured.expect("a JSON answer")
    };
    let limited = ask(&["app", "wire"]).await;
    assert!(users(&limited).is_empty(), "{limited}");
    assert!(!limited.to_string().contains("client//"), "{limited}");
    assert_eq!(users(&ask(&["app", "client", "wire"]).await), ["app//src/main.ts::run calls 5"]);
    // The result of a caller that may read more is not reused.
    assert!(users(&ask(&["app", "wire"]).await).is_empty());
    federation.stop().await;
}
