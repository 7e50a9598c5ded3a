//! Uses of definitions of other repositories, resolved by type over real workers.

use std::{fs, path::Path};

use causeway_tests::{
    answer::{is_complete, text},
    federation::{Federation, InProcessWorker},
    repository::Repository,
};
use federation::principal::Principal;
use gateway::{GatewayConfig, GatewaySettings};
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
        "import './main';\n\nexport function loose(x) {\n    x.mystery();\n    x.mystery(1, 2);\n}\nexport function reads(x) {\n    x.limit = 1;\n    return x.limit;\n}\n",
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

fn write(root: &Path, files: &[(&str, &str)]) {
    for (path, content) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder for the test");
        fs::write(path, content).expect("a file of the test");
    }
}

/// Starts a federation of two workers: the application is on one, and the other repositories are on the other.
async fn federation(folder: &TempDir) -> Federation {
    write(&folder.path().join("code"), &FILES);
    let code = |repo: &str| folder.path().join("code").join(repo);
    let workers = vec![
        InProcessWorker::indexed(&folder.path().join("w1"), &[code("app")]).await,
        InProcessWorker::indexed(&folder.path().join("w2"), &[code("client"), code("wire"), code("fork")]).await,
    ];
    Federation::of(workers).await
}

/// Returns the users of a tier that `get_impact` lists, each with its relation and lines, in order.
fn users(answer: &Value, tier: &str) -> Vec<String> {
    let of_tier = answer[tier].as_array();
    let mut users: Vec<String> = of_tier
        .into_iter()
        .flatten()
        .map(|user| {
            let link = &user["link"];
            let lines = link.get("lines").map_or_else(|| link["line"].to_string(), Value::to_string);
            format!("{} {} {lines}", text(&user["id"]), text(&link["relation"]))
        })
        .collect();
    users.sort();
    users
}

#[tokio::test(flavor = "multi_thread")]
async fn methods_of_foreign_types_have_their_users() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let federation = federation(&folder).await;
    let impact = |target: &'static str| federation.ask("get_impact", json!({"target": target, "depth": 1}));
    let opened = impact("client//index.ts::Client.open").await;
    assert_eq!(users(&opened, "direct"), ["app//src/main.ts::limit calls 8", "app//src/main.ts::run calls [4,5]"]);
    assert!(is_complete(&opened), "{opened}");
    let sent = impact("wire//index.ts::Connection.send").await;
    assert_eq!(users(&sent, "direct"), ["app//src/main.ts::run calls 5"], "{sent}");
    let of_fork = impact("fork//index.ts::Connection.send").await;
    assert!(users(&of_fork, "direct").is_empty() && is_complete(&of_fork), "{of_fork}");
    let context = json!({"mode": "path", "from": "run", "to": "Connection.send", "repo": "all"});
    let chain = federation.call("get_context", context).await.text;
    assert!(chain.contains("wire:index.ts"), "{chain}");
    federation.stop().await;
}

/// The application implements an interface of a library, which calls it.
const DISPATCH_FILES: [(&str, &str); 4] = [
    ("app/package.json", r#"{"name": "app", "dependencies": {"kit": "1"}}"#),
    (
        "app/main.ts",
        "import { Plugin } from 'kit';\n\nexport class Own implements Plugin {\n    start(name: string) { help() }\n}\n\nexport function help() {}\n",
    ),
    ("kit/package.json", r#"{"name": "kit", "main": "index.ts"}"#),
    (
        "kit/index.ts",
        "export interface Plugin {\n    start(name: string): void;\n}\n\nexport function boot(plugin: Plugin) {\n    plugin.start('a');\n    plugin.start('b');\n}\n",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn calls_through_interfaces_reach_methods_of_other_repositories() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    write(&folder.path().join("code"), &DISPATCH_FILES);
    let code = |repo: &str| folder.path().join("code").join(repo);
    let workers = vec![
        InProcessWorker::indexed(&folder.path().join("w1"), &[code("app")]).await,
        InProcessWorker::indexed(&folder.path().join("w2"), &[code("kit")]).await,
    ];
    let federation = Federation::of(workers).await;
    let impact = |target: &'static str| federation.ask("get_impact", json!({"target": target}));
    let declaration = impact("kit//index.ts::Plugin.start").await;
    assert_eq!(
        users(&declaration, "direct"),
        ["app//main.ts::Own.start dispatch 4", "kit//index.ts::boot calls [6,7]"],
        "{declaration}"
    );
    let method = impact("app//main.ts::Own.start").await;
    assert_eq!(users(&method, "indirect"), ["kit//index.ts::boot dispatch [6,7]"], "{method}");
    assert_eq!(method["indirect"][0]["over"], "kit//index.ts::Plugin.start");
    assert_eq!(method["overrides"], json!(["kit//index.ts::Plugin.start"]));
    let path = json!({"mode": "path", "from": "boot", "to": "help", "repo": "all", "format": "json"});
    let path = federation.ask("get_context", path).await;
    let steps: Vec<&str> =
        path["chain"].as_array().expect("a chain").iter().map(|step| text(&step["entity"]["id"])).collect();
    let expected =
        ["kit//index.ts::boot", "kit//index.ts::Plugin.start", "app//main.ts::Own.start", "app//main.ts::help"];
    assert_eq!(steps, expected, "{path}");
    assert_eq!(path["chain"][1]["next"]["relation"], "dispatch");
    federation.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_knowledge_is_reported() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let federation = federation(&folder).await;
    let impact = |target: &'static str| federation.ask("get_impact", json!({"target": target, "depth": 1}));
    let mystery = impact("client//index.ts::Client.mystery").await;
    assert!(users(&mystery, "direct").is_empty() && !is_complete(&mystery), "{mystery}");
    assert_eq!(
        mystery["_meta"]["may_miss"],
        json!({"expected_uses": 1, "unresolved_calls": 1, "sites": ["app:src/loose.ts:4"]}),
        "{mystery}"
    );
    let lonely = impact("client//index.ts::Client.lonely").await;
    assert!(users(&lonely, "direct").is_empty() && is_complete(&lonely), "{lonely}");
    let field = impact("wire//index.ts::Connection.limit").await;
    let mut users_of_field = users(&field, "direct");
    users_of_field.sort();
    assert_eq!(users_of_field, ["app//src/main.ts::limit accesses 8", "wire//index.ts::reset accesses 7"], "{field}");
    assert!(!is_complete(&field), "{field}");
    assert_eq!(
        field["_meta"]["may_miss"],
        json!({"expected_uses": 2, "unresolved_accesses": 2, "sites": ["app:src/loose.ts:8", "app:src/loose.ts:9"]}),
        "{field}"
    );
    let member = impact("wire//index.ts::Level.Low").await;
    assert_eq!(users(&member, "direct"), ["wire:index.ts accesses 4"], "{member}");
    assert!(is_complete(&member), "{member}");
    federation.stop().await;
}

/// The application imports a function from a file that the package does not have.
const UNFOLLOWED_FILES: [(&str, &str); 4] = [
    ("app/package.json", r#"{"name": "app", "dependencies": {"kit": "1"}}"#),
    (
        "app/main.ts",
        "import { createClient } from 'kit/missing';\n\nexport const client = createClient();\nclient.send();\n",
    ),
    ("kit/package.json", r#"{"name": "kit", "main": "index.ts"}"#),
    ("kit/index.ts", "export class Client {\n    send() {}\n    close() {}\n}\n"),
];

#[tokio::test(flavor = "multi_thread")]
async fn values_of_imports_that_lead_nowhere_may_have_any_type() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    write(&folder.path().join("code"), &UNFOLLOWED_FILES);
    let roots = ["app", "kit"].map(|repo| folder.path().join("code").join(repo));
    let worker = InProcessWorker::indexed(&folder.path().join("data"), &roots).await;
    let federation = Federation::of(vec![worker]).await;
    let impact = |target: &'static str| federation.ask("get_impact", json!({"target": target, "depth": 1}));
    let sent = impact("kit//index.ts::Client.send").await;
    assert!(!is_complete(&sent), "{sent}");
    assert_eq!(sent["_meta"]["may_miss"], json!({"unfollowed_imports": 1, "sites": ["app:main.ts:1"]}), "{sent}");
    // The application does not mention the name.
    let closed = impact("kit//index.ts::Client.close").await;
    assert!(is_complete(&closed), "{closed}");
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
    assert!(users(&limited, "direct").is_empty(), "{limited}");
    assert!(!limited.to_string().contains("client//"), "{limited}");
    assert_eq!(users(&ask(&["app", "client", "wire"]).await, "direct"), ["app//src/main.ts::run calls 5"]);
    // The result of a caller that may read more is not reused.
    assert!(users(&ask(&["app", "wire"]).await, "direct").is_empty());
    federation.stop().await;
}

/// An application that requires an old version of a package, and uses a name that it no longer has. Two repositories make the package.
const VERSIONED: [(&str, &str); 6] = [
    ("shop/package.json", r#"{"name": "shop", "dependencies": {"kit": "^1.2.0"}}"#),
    ("shop/main.ts", "import { make, gone } from 'kit';\n\nexport function run() {\n    make();\n    gone();\n}\n"),
    ("kit/package.json", r#"{"name": "kit", "version": "2.0.1", "main": "index.ts"}"#),
    ("kit/index.ts", "export function make() {}\n"),
    ("copy/package.json", r#"{"name": "kit", "version": "1.2.9", "main": "index.ts"}"#),
    ("copy/index.ts", "export function make() {}\n"),
];

async fn versioned(folder: &TempDir, settings: &str) -> Federation {
    for (path, content) in VERSIONED {
        let path = folder.path().join("code").join(path);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder for the test");
        fs::write(path, content).expect("a file of the test");
    }
    let roots = ["shop", "kit", "copy"].map(|repo| folder.path().join("code").join(repo));
    let worker = InProcessWorker::indexed(&folder.path().join("data"), &roots).await;
    let config = GatewayConfig::try_from(GatewaySettings::from_toml(settings).expect("valid settings"))
        .expect("a valid configuration");
    Federation::configured(config.without_drain(), vec![worker]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_choose_the_maker_of_a_package() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let target = |repo: &str| json!({"target": format!("{repo}//index.ts::make"), "depth": 1});
    let federation = versioned(&folder, "").await;
    let shared = federation.ask("get_impact", target("copy")).await;
    assert!(!users(&shared, "direct").is_empty(), "{shared}");
    federation.stop().await;

    let federation = versioned(&folder, "[links]\nmade_by = { 'npm:kit' = 'kit' }").await;
    let of_copy = federation.ask("get_impact", target("copy")).await;
    assert!(users(&of_copy, "direct").is_empty() && is_complete(&of_copy), "{of_copy}");
    let made = federation.ask("get_impact", target("kit")).await;
    assert_eq!(users(&made, "direct"), ["shop//main.ts::run calls 4", "shop:main.ts imports 1"], "{made}");
    let versions = text(&made["direct"][0]["link"]["evidence"]["versions"]);
    assert!(versions.starts_with("declares ^1.2.0, indexed 2.0.1 @"), "{made}");
    let map = federation.ask("get_overview", json!({"repo": "all"})).await;
    let package = &map["package_versions"][0];
    assert_eq!((&package["package"], &package["indexed"]), (&json!("npm:kit"), &json!("2.0.1")), "{map}");
    assert_eq!(package["declared"][0]["indexed_version"], "behind: major", "{map}");
    assert_eq!(map["breaks_on_upgrade"][0]["at"], "shop:main.ts:1", "{map}");
    // A caller that may not read the maker learns nothing of it, and no other repository takes its place.
    let principal = Principal::limited("ci", ["shop", "copy"].map(str::to_owned));
    let result = federation.gateway.call(&principal, "get_overview", json!({"repo": "all"})).await;
    let limited = result.structured.expect("a JSON answer");
    assert!(limited.get("package_versions").is_none() && limited.get("links").is_none(), "{limited}");
    federation.stop().await;

    let federation = versioned(&folder, "[links]\nnever = [['shop', 'kit'], ['shop', 'copy']]").await;
    for repo in ["kit", "copy"] {
        let forbidden = federation.ask("get_impact", target(repo)).await;
        assert!(users(&forbidden, "direct").is_empty(), "{forbidden}");
    }
    federation.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn links_follow_a_commit_of_a_provider() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let provider = |body: &str| format!("package kit\n\n{body}func Open() {{}}\n");
    let app = Repository::with_files(
        folder.path().join("code/app"),
        [
            ("go.mod", "module example.org/app\n\nrequire example.org/kit v1.0.0\n"),
            ("main.go", "package main\n\nimport \"example.org/kit\"\n\nfunc main() {\n\tkit.Open()\n}\n"),
        ],
    );
    let kit = Repository::with_files(
        folder.path().join("code/kit"),
        [("go.mod", "module example.org/kit\n"), ("kit.go", &provider("func first() {}\n\n"))],
    );
    let state = folder.path().join("state");
    let roots = [app.path.clone(), kit.path.clone()];
    let worker = InProcessWorker::indexed(&folder.path().join("data"), &roots).await;
    let federation = Federation::configured(GatewayConfig::laptop().with_default_state(state), vec![worker]).await;
    let offer = async || {
        let impact = federation.ask("get_impact", json!({"target": "kit//kit.go::Open", "depth": 1})).await;
        assert_eq!(users(&impact, "direct"), ["app//main.go::main calls 6"], "{impact}");
        let evidence = &impact["direct"][0]["link"]["evidence"];
        (text(&evidence["offer"]).to_owned(), text(&evidence["versions"]).to_owned())
    };
    let (offered, versions) = offer().await;
    assert_eq!(offered, "kit:kit.go:5");
    assert!(versions.starts_with("declares v1.0.0, indexed @"), "{versions}");
    // The body of another function grows: the links stay, and the line of their target moves.
    kit.write("kit.go", provider("func first() {\n\tprintln(1)\n}\n\n"));
    federation.serves("kit", &kit.commit("A body")).await;
    assert_eq!(offer().await.0, "kit:kit.go:7");
    // A definition comes before it, so that its node number changes.
    kit.write("kit.go", provider("func zeroth() {}\n\nfunc first() {}\n\n"));
    kit.git(["tag", "v1.1.0"]);
    federation.serves("kit", &kit.commit("A definition")).await;
    let (offered, versions) = offer().await;
    assert_eq!(offered, "kit:kit.go:7");
    // The module has no other version than its tag.
    assert!(versions.starts_with("declares v1.0.0, indexed v1.1.0 @"), "{versions}");
    let map = federation.ask("get_overview", json!({"repo": "all"})).await;
    assert_eq!(map["package_versions"][0]["declared"][0]["indexed_version"], "behind: minor", "{map}");
    federation.stop().await;
}
