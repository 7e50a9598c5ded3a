//! Links between the repositories of the example organisation: all true ones are found, and no others.

use std::{collections::BTreeSet, fs};

use causeway_tests::{
    answer::{self, text},
    federation::{Federation, InProcessWorker},
    links::{self, TrueEdge},
    organisation,
    repository::Repository,
};
use federation::principal::Principal;
use serde_json::{Value, json};
use tempfile::TempDir;

/// True edges that are not found, with both sides.
///
/// Asserted so that a change is noticed. An import of a whole proto file has no link; only the uses of its definitions have
/// one.
const MISSED: [(&str, &str); 1] =
    [("notify-worker:src/notify_worker/tracking_client.py:14", "tracking-service:proto/tracking/v1/tracking.proto:3")];

async fn organisation() -> (TempDir, Federation) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    organisation::materialise(&folder.path().join("org"));
    let federation = Federation::over(&folder.path().join("data"), &folder.path().join("org")).await;
    (folder, federation)
}

/// Returns the true edges that code states. A Makefile's path to another work tree names no repository, so
/// `proto-source` edges are excluded.
fn edges() -> Vec<TrueEdge> {
    let mut edges = links::true_edges();
    edges.retain(|edge| edge.kind != "proto-source");
    edges
}

fn is_missed(edge: &TrueEdge) -> bool {
    let (user, offer) = edge.sides();
    MISSED.contains(&(&user, &offer))
}

/// Returns the links that a tool shows around an entity.
async fn shown(federation: &Federation, tool: &str, argument: &str, entity: &str) -> BTreeSet<links::Sides> {
    let mut arguments = json!({argument: entity, "depth": 1, "token_budget": 25_000});
    if tool == "get_context" {
        arguments["format"] = json!("json");
        arguments["detail_level"] = json!("neighbors");
    }
    let answer = federation.ask(tool, arguments).await;
    assert_eq!(answer["_meta"]["truncated"], false, "{tool} {entity}: {answer}");
    links::shown(&answer)
}

#[tokio::test(flavor = "multi_thread")]
async fn every_true_edge_is_found_from_both_sides() {
    let (_folder, federation) = organisation().await;
    let edges = edges();
    for kind in ["package", "import", "calls", "references", "accesses", "http", "grpc"] {
        assert!(edges.iter().any(|edge| edge.kind == kind), "{kind}");
    }
    for edge in &edges {
        let mut ends = vec![("get_impact", "target", edge.to.entity()), ("get_context", "entity", edge.to.entity())];
        // The members that a function reads and writes are shown at the members alone.
        if edge.kind != "accesses" {
            ends.push(("get_context", "entity", edge.from.entity()));
        }
        if let Some(route) = &edge.route {
            ends.extend([("get_impact", "target", route.clone()), ("get_context", "entity", route.clone())]);
        }
        for (tool, argument, entity) in ends {
            let found = shown(&federation, tool, argument, &entity).await;
            assert_eq!(found.contains(&edge.sides()), !is_missed(edge), "{tool} {entity}: {edge:?}: {found:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_false_edge_is_found() {
    let (folder, federation) = organisation().await;
    let mut found = BTreeSet::new();
    for alias in organisation::REPOSITORIES {
        let arguments = json!({"pattern": ".", "mode": "regex", "limit": 500, "repo": alias});
        let definitions = federation.ask("search_symbols", arguments).await;
        let definitions = definitions["symbols"].as_array().expect("a list");
        assert!(definitions.len() > 40, "{alias}: {}", definitions.len());
        let mut entities: BTreeSet<String> =
            definitions.iter().map(|definition| text(&definition["symbol_id"]).to_owned()).collect();
        entities.extend(files(&folder, alias).into_iter().map(|path| format!("{alias}:{path}")));
        for entity in entities {
            found.extend(shown(&federation, "get_context", "entity", &entity).await);
        }
    }
    let expected = edges().into_iter().filter(|edge| !is_missed(edge)).map(|edge| edge.sides());
    assert_eq!(found, expected.collect());
}

/// Returns the paths of all files of a repository.
fn files(folder: &TempDir, alias: &str) -> Vec<String> {
    let root = folder.path().join("org").join(alias);
    let mut folders = vec![root.clone()];
    let mut paths = Vec::new();
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("it can be listed") {
            let path = entry.expect("an entry can be read").path();
            match path.is_dir() {
                true if path.ends_with(".git") => {}
                true => folders.push(path),
                false => paths.push(path.strip_prefix(&root).expect("it is below").to_string_lossy().into_owned()),
            }
        }
    }
    paths
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_names_alone_are_never_linked() {
    let (_folder, federation) = organisation().await;
    for alike in links::look_alikes() {
        let id = |place: &links::Place| format!("{}//{}::{}", place.repo, place.path, alike.name);
        for place in &alike.places {
            let look_alikes: Vec<String> =
                alike.places.iter().filter(|other| other.repo != place.repo).map(id).collect();
            assert!(!look_alikes.is_empty(), "{place:?}");
            let context = json!({"entity": id(place), "depth": 1, "token_budget": 25_000, "format": "json"});
            let impact = json!({"target": id(place), "depth": 50, "token_budget": 25_000});
            for (tool, arguments) in [("get_context", context), ("get_impact", impact)] {
                let answer = federation.ask(tool, arguments).await.to_string();
                let has = |id: &String| answer.contains(&format!("\"id\":\"{id}\""));
                assert!(has(&id(place)), "it is the entity itself: {answer}");
                assert!(!look_alikes.iter().any(has), "{tool} {place:?} {look_alikes:?}: {answer}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn list_repos_has_the_dependencies() {
    let (_folder, federation) = organisation().await;
    let listed = federation.ask("list_repos", json!({})).await;
    let repositories = listed["repositories"].as_array().expect("a list");
    for (alias, depends_on, used_by) in [
        ("customer-portal", vec!["parcel-kit", "tracking-service"], vec![]),
        ("notify-worker", vec!["tracking-service"], vec![]),
        ("parcel-kit", vec![], vec!["customer-portal"]),
        ("tracking-service", vec![], vec!["customer-portal", "notify-worker"]),
    ] {
        let entry = repositories.iter().find(|entry| entry["repo"] == alias).expect("it is listed");
        let empty = Vec::new();
        let own = entry["depends_on"].as_array().unwrap_or(&empty);
        assert_eq!(own.iter().map(|other| text(&other["repo"])).collect::<Vec<_>>(), depends_on, "{entry}");
        let users = entry["used_by"].as_array().unwrap_or(&empty);
        assert_eq!(users.iter().map(text).collect::<Vec<_>>(), used_by, "{entry}");
        for other in own {
            let n_true = |kinds: &[&str]| {
                let is_counted = |edge: &&TrueEdge| {
                    edge.from.repo == alias
                        && edge.to.repo == text(&other["repo"])
                        && kinds.contains(&edge.kind.as_str())
                        && !is_missed(edge)
                };
                edges().iter().filter(is_counted).count()
            };
            let is_grpc = alias == "notify-worker";
            let symbols = ["import", "calls", "references"];
            assert_eq!(other["packages"], n_true(&["package"]), "{entry}");
            assert_eq!(other["http"], n_true(&["http"]), "{entry}");
            assert_eq!(other["package_symbols"], if is_grpc { 0 } else { n_true(&symbols) }, "{entry}");
            assert_eq!(other["grpc"], n_true(if is_grpc { &["grpc", "references"] } else { &["grpc"] }), "{entry}");
        }
    }
}

/// Creates a shop of three repositories: a page that sends requests, a service with a table, and their deployment.
fn shop(folder: &TempDir) {
    let repository = |alias: &str| folder.path().join("shop").join(alias);
    Repository::with_files(
        repository("web"),
        [
            ("Dockerfile", "FROM node\nCOPY . .\n"),
            (
                "src/cart.js",
                "const CART_URL = process.env.CART_URL;\n\nexport async function addToCart(id) {\n  return fetch(`${CART_URL}/cart/items`, \
                 { method: \"POST\" });\n}\n\nexport async function emptyCart() {\n  return fetch(`${CART_URL}/cart/empty`);\n}\n",
            ),
        ],
    );
    Repository::with_files(
        repository("cart"),
        [
            ("Dockerfile", "FROM python\nCOPY . .\n"),
            (
                "server.py",
                "from flask import Flask\n\nfrom store import add_row\n\napp = Flask(__name__)\n\n\n@app.post(\"/cart/items\")\ndef \
                 add_item():\n    return add_row(1)\n",
            ),
            ("store.py", "def add_row(item):\n    db.execute(\"INSERT INTO cart_items (id) VALUES (%s)\", item)\n"),
            ("migrations/001.sql", "CREATE TABLE cart_items (id int);\n"),
        ],
    );
    let deployment = |name: &str, env: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {name}\nspec:\n  template:\n    metadata:\n      labels:\n        app: \
             {name}\n    spec:\n      containers:\n        - name: {name}\n          image: acme/{name}:1\n{env}"
        )
    };
    let service = "apiVersion: v1\nkind: Service\nmetadata:\n  name: cart\nspec:\n  selector:\n    app: cart\n";
    let env = "          env:\n            - name: CART_URL\n              value: http://cart:8080\n";
    let manifest = format!("{service}---\n{}---\n{}", deployment("cart", ""), deployment("web", env));
    Repository::with_files(repository("ops"), [("shop.yaml", manifest.as_str())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tool_shows_the_same_links_between_services() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    shop(&folder);
    let federation = Federation::over(&folder.path().join("data"), &folder.path().join("shop")).await;
    for (target, users) in [
        ("CART_URL", &["ops:shop.yaml", "web//src/cart.js::addToCart"][..]),
        ("host:cart", &["ops:shop.yaml", "web//src/cart.js::addToCart"]),
        ("cart_items", &["cart//store.py::add_row"]),
        ("POST /cart/items", &["web//src/cart.js::addToCart"]),
        ("GET /cart/empty", &["web//src/cart.js::emptyCart"]),
    ] {
        let answer = federation.ask("get_impact", json!({"target": target})).await;
        let direct = answer["direct"].as_array().expect("a list");
        for user in users {
            assert!(direct.iter().any(|hit| hit["id"] == *user), "{target} {user}: {answer}");
        }
    }
    let misspelt = federation.gateway.call(&Principal::local(), "get_impact", json!({"target": "CART_ULR"})).await;
    assert!(misspelt.text.contains("contracts of similar names: CART_URL"), "{}", misspelt.text);
    for (question, expected) in [
        ("who calls the cart service?", "`web` sends HTTP requests to `cart`: `POST /cart/items` [web:src/cart.js:4]"),
        (
            "which deployment file tells web where cart is?",
            "`ops` tells `web` the address of `cart`: `CART_URL` [ops:shop.yaml:",
        ),
        ("who uses the table cart_items?", "`cart` uses the table: `cart_items` [cart:store.py:2]"),
        ("how does the cart talk to the web?", "`web` sends HTTP requests to `cart`"),
    ] {
        let answer = federation.ask("get_answer", json!({"question": question})).await;
        assert!(text(&answer["answer"]).contains(expected), "{question}: {answer}");
        assert_eq!(answer["confidence"], "high", "{question}");
    }
    let map = federation.ask("get_overview", json!({"repo": "all"})).await;
    let dangling = &map["dangling"][0];
    assert_eq!(
        (&dangling["problem"], &dangling["name"]),
        (&json!("no route answers"), &json!("GET /cart/empty")),
        "{map}"
    );
    let path = json!({"mode": "path", "from": "addToCart", "to": "cart_items", "format": "json"});
    let path = federation.ask("get_context", path).await;
    let names: Vec<&str> =
        path["chain"].as_array().expect("a chain").iter().map(|step| text(&step["entity"]["name"])).collect();
    assert_eq!(names, ["addToCart", "add_item", "add_row", "cart_items"], "{path}");
    let risk = federation.ask("get_risk", json!({"changed_files": ["server.py"], "repo": "cart"})).await;
    let contract = &risk["change"]["contracts"][0];
    assert_eq!(
        (&contract["name"], &contract["users"][0]),
        (&json!("POST /cart/items"), &json!("web:src/cart.js:4")),
        "{risk}"
    );
    federation.stop().await;
}

/// Requests whose answers show or count links.
fn questions() -> Vec<(&'static str, Value)> {
    let mut questions = vec![
        ("list_repos", json!({})),
        ("get_context", json!({"entity": "GET /api/v1/parcels/{id}", "format": "json"})),
        ("get_context", json!({"entity": "/api/v1/parcels", "format": "json"})),
        ("get_context", json!({"entity": "tracking.v1.TrackingService/GetParcel", "format": "json"})),
        ("get_context", json!({"entity": "@harbour/parcel-kit", "format": "json"})),
        ("get_context", json!({"mode": "intent", "intent": "modify", "target": "parseParcelCode", "format": "json"})),
        ("get_context", json!({"mode": "path", "from": "lookUp", "to": "api.getParcel", "format": "json"})),
        ("get_context", json!({"mode": "path", "from": "run", "to": "Server.GetParcel", "format": "json"})),
        ("get_context", json!({"targets": ["parseParcelCode", "checkDigit", "Parcel", "retry"], "format": "json"})),
        ("get_file_context", json!({"file": "src/code.ts", "format": "json"})),
        ("get_file_context", json!({"file": "tracking.proto", "format": "json"})),
        ("get_symbol", json!({"symbol_id": "getParcel", "depth": 3})),
    ];
    for entity in ["parseParcelCode", "Parcel.status", "TrackingClient.getParcel", "api.getParcel", "package.json"] {
        questions.push(("get_context", json!({"entity": entity, "format": "json", "depth": 3})));
        questions.push(("get_impact", json!({"target": entity})));
    }
    questions
}

/// Returns an answer without the parts that differ between starts of a worker.
async fn bytes(federation: &Federation, caller: &Principal, tool: &str, arguments: &Value) -> String {
    let result = federation.gateway.call(caller, tool, arguments.clone()).await;
    let text = answer::steady(&result.text);
    let without_instant = |part: &str| part.split_once(',').map_or(part, |(_, rest)| rest).to_owned();
    let mut parts = text.split("\"indexed_at\":");
    let first = parts.next().unwrap_or_default().to_owned();
    first + &parts.map(without_instant).collect::<String>()
}

#[tokio::test(flavor = "multi_thread")]
async fn links_to_unreadable_repositories_are_hidden() {
    let (folder, whole) = organisation().await;
    let [portal, worker, kit, service] = organisation::REPOSITORIES;
    let mut n_answers = 0;
    for readable in [vec![portal], vec![worker], vec![kit], vec![service], vec![portal, kit], vec![worker, service]] {
        let roots = readable.iter().map(|alias| folder.path().join("org").join(alias)).collect::<Vec<_>>();
        let data = folder.path().join(readable.join("+"));
        let alone = Federation::of(vec![InProcessWorker::indexed(&data, &roots).await]).await;
        let caller = Principal::limited("ui", readable.iter().map(|alias| (*alias).to_owned()));
        for (tool, arguments) in questions() {
            let expected = bytes(&alone, &Principal::local(), tool, &arguments).await;
            let limited = bytes(&whole, &caller, tool, &arguments).await;
            assert_eq!(limited, expected, "{readable:?} {tool} {arguments}");
            n_answers += usize::from(limited.starts_with('{'));
        }
        alone.stop().await;
    }
    assert!(n_answers > 50, "most are answered, not refused: {n_answers}");
}
