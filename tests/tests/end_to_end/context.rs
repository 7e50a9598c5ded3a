//! `get_context` over all repositories of the example organisation: walks, chains, impact, and the effect of each
//! argument.

use std::collections::BTreeSet;

use causeway_tests::{
    answer::{self, text},
    federation::Federation,
    organisation,
    repository::Repository,
};
use serde_json::{Value, json};
use tempfile::TempDir;

const MESSAGE: &str = "tracking-service//proto/tracking/v1/tracking.proto::Parcel";
const ROUTE: &str = "GET /api/v1/parcels/{id}";
const FUNCTION: &str = "parcel-kit//src/code.ts::parseParcelCode";

/// A budget for everything around any entity of the organisation.
const AMPLE: u64 = 25_000;

async fn organisation() -> (TempDir, Vec<Repository>, Federation) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let repositories = organisation::materialise(&folder.path().join("org"));
    let federation = Federation::over(&folder.path().join("data"), &folder.path().join("org")).await;
    (folder, repositories, federation)
}

/// Requests the context of an entity as JSON, with additional arguments.
async fn context(federation: &Federation, entity: &str, more: Value) -> Value {
    let mut arguments = json!({"entity": entity, "format": "json", "token_budget": AMPLE, "detail_level": "neighbors"});
    for (name, value) in more.as_object().expect("arguments are an object") {
        arguments[name] = value.clone();
    }
    federation.ask("get_context", arguments).await
}

/// Returns all listed items around the entity.
fn items(answer: &Value) -> Vec<&Value> {
    ["callers", "callees", "related"].iter().filter_map(|section| answer[section].as_array()).flatten().collect()
}

fn ids(answer: &Value) -> BTreeSet<&str> {
    items(answer).into_iter().map(|item| text(&item["id"])).collect()
}

fn figure(item: &Value, name: &str) -> f64 {
    item["standing"][name].as_f64().unwrap_or_else(|| panic!("{name} of {item}"))
}

// --- walks

#[tokio::test(flavor = "multi_thread")]
async fn walk_reaches_repositories_that_use_a_shared_package() {
    let (_folder, _repositories, federation) = organisation().await;
    for (entity, expected) in [
        (MESSAGE, "notify-worker//src/notify_worker/tracking_client.py::TrackingClient.get_parcel"),
        (
            "tracking.v1.TrackingService/GetParcel",
            "notify-worker//src/notify_worker/tracking_client.py::TrackingClient.get_parcel",
        ),
        (ROUTE, "customer-portal//src/api/client.ts::TrackingClient.getParcel"),
        ("POST /api/v1/parcels", "customer-portal//src/api/client.ts::TrackingClient.registerParcel"),
        (FUNCTION, "customer-portal//src/api/client.ts::TrackingClient.getParcel"),
    ] {
        for mode in [json!({}), json!({"mode": "intent", "intent": "modify", "target": entity})] {
            let answer = context(&federation, entity, mode).await;
            assert!(ids(&answer).contains(expected), "{entity}: {answer}");
            let (alias, _) = expected.split_once("//").expect("ids name their repository");
            let projects = answer["projects"].as_array().expect("a list");
            let of = |alias: &str| projects.iter().find(|project| project["repo"] == alias);
            assert_eq!(of(alias).map(|project| &project["status"]), Some(&json!("answered")), "{answer}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn relevance_decays_at_domain_boundaries_only() {
    let (_folder, _repositories, federation) = organisation().await;
    for entity in [MESSAGE, ROUTE, FUNCTION] {
        let full = context(&federation, entity, json!({"cross_domain_decay": 1, "depth": 3})).await;
        for decay in [1.0, 0.5, 0.25] {
            let decayed = context(&federation, entity, json!({"cross_domain_decay": decay, "depth": 3})).await;
            assert_eq!(ids(&decayed), ids(&full), "a decay changes the order alone");
            let mut crossed = BTreeSet::new();
            for item in items(&decayed) {
                let whole = items(&full).into_iter().find(|other| other["id"] == item["id"]).expect("it is in both");
                let boundaries = figure(item, "boundaries");
                assert_eq!(figure(whole, "boundaries"), boundaries);
                let expected = figure(whole, "relevance") * f64::powf(decay, boundaries);
                assert!((figure(item, "relevance") - expected).abs() < 1e-9, "{entity} {decay} {item} {whole}");
                if item["repo"] != decayed["entity"]["repo"] {
                    crossed.insert(boundaries as u32);
                }
            }
            assert!(crossed.contains(&1) && !crossed.contains(&0), "another repository is another domain: {crossed:?}");
        }
        let by_default = context(&federation, entity, json!({"depth": 3})).await;
        let halved = context(&federation, entity, json!({"cross_domain_decay": 0.5, "depth": 3})).await;
        assert_eq!(items(&by_default), items(&halved));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn depth_limits_the_walk() {
    let (_folder, _repositories, federation) = organisation().await;
    let mut reached = Vec::new();
    for (depth, most) in [(0, 0), (1, 1), (3, 3), (50, 50), (51, 50), (-1, 0)] {
        let answer = context(&federation, FUNCTION, json!({"depth": depth})).await;
        assert!(items(&answer).iter().all(|item| figure(item, "hops") <= f64::from(most)), "{answer}");
        let is_noted = answer["_meta"]["notes"].to_string().contains("`depth` must be from 0 to 50");
        assert_eq!(is_noted, !(0..=50).contains(&depth), "{depth}: {answer}");
        reached.push(answer["_meta"]["totalItems"].as_u64().expect("a number"));
    }
    assert_eq!((reached[0], reached[5]), (0, 0));
    assert!(0 < reached[1] && reached[1] < reached[2] && reached[2] <= reached[3], "{reached:?}");
    assert_eq!(reached[3], reached[4]);
}

#[tokio::test(flavor = "multi_thread")]
async fn users_of_a_message_field_are_found_across_grpc() {
    let (_folder, _repositories, federation) = organisation().await;
    for target in ["Parcel.status", "tracking.proto::Parcel.status"] {
        let arguments = match target {
            "Parcel.status" => json!({"target": format!("{MESSAGE}.status")}),
            _ => json!({"target": "proto/tracking/v1/tracking.proto::Parcel.status"}),
        };
        let answer = federation.ask("get_impact", arguments).await;
        assert_eq!(answer["target"]["kind"], "field", "{answer}");
        let tiers = ["direct", "indirect", "peripheral"].iter().filter_map(|tier| answer[tier].as_array()).flatten();
        let caller = "notify-worker//src/notify_worker/tracking_client.py::TrackingClient.get_parcel";
        let hit = tiers.into_iter().find(|hit| hit["id"] == caller).unwrap_or_else(|| panic!("{answer}"));
        assert_eq!(hit["link"]["relation"], "grpc", "{hit}");
        assert!(answer["by_repo"].to_string().contains("notify-worker"), "{answer}");
    }
}

// --- chains

#[tokio::test(flavor = "multi_thread")]
async fn chain_leads_from_client_to_handler_with_call_sites() {
    let (_folder, _repositories, federation) = organisation().await;
    let http = "customer-portal:src/api/client.ts:37";
    for (from, to, sites) in [
        ("customer-portal//src/api/client.ts::TrackingClient.getParcel", "api.getParcel", vec![http]),
        ("customer-portal//src/api/client.ts::TrackingClient", ROUTE, vec![http]),
        (
            "TrackPage.lookUp",
            "Store.Find",
            vec!["customer-portal:src/pages/TrackPage.tsx:16", http, "tracking-service:internal/httpapi/routes.go:47"],
        ),
        (
            "notify-worker//src/notify_worker/__main__.py::run",
            "tracking-service//internal/rpc/server.go::Server.GetParcel",
            vec![
                "notify-worker:src/notify_worker/__main__.py:29",
                "notify-worker:src/notify_worker/tracking_client.py:47",
                "tracking-service:proto/tracking/v1/tracking.proto:12",
            ],
        ),
    ] {
        let arguments = json!({"mode": "path", "from": from, "to": to, "format": "json"});
        let answer = federation.ask("get_context", arguments.clone()).await;
        assert_eq!((&answer["found"], &answer["length"]), (&json!(true), &json!(sites.len())), "{from} {to}: {answer}");
        let chain = answer["chain"].as_array().expect("a list");
        let found: Vec<&str> = chain.iter().filter_map(|step| step["site"].as_str()).collect();
        assert_eq!(found, sites, "{answer}");
        for step in &chain[..sites.len()] {
            let (file, line) = text(&step["site"]).rsplit_once(':').expect("a site has a line");
            let file = std::fs::read_to_string(organisation::sources().join(file.replace(':', "/"))).expect("a file");
            let line: usize = line.parse().expect("a number");
            let line_text = file.lines().nth(line - 1).expect("the line is there").trim();
            assert!(line_text.starts_with(text(&step["code"])), "{step}");
        }
        let compact = federation.call("get_context", json!({"mode": "path", "from": from, "to": to})).await.text;
        assert!(sites.iter().all(|site| compact.contains(site)), "{compact}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_chain_reports_the_closest_nodes() {
    let (_folder, _repositories, federation) = organisation().await;
    let arguments = json!({"mode": "path", "from": "api.getParcel", "to": "TrackPage.lookUp", "format": "json"});
    let answer = federation.ask("get_context", arguments).await;
    assert_eq!((&answer["found"], &answer["chain"]), (&json!(false), &json!([])), "{answer}");
    for (end, repo) in [("from_start", "tracking-service"), ("to_end", "customer-portal")] {
        let reached = &answer["closest"][end];
        assert_eq!(reached["entity"]["repo"], repo, "{answer}");
        assert!(reached["reached"].as_u64().is_some_and(|reached| reached > 0), "{answer}");
    }
    assert!(text(&answer["note"]).contains("no chain of calls"), "{answer}");
}

// --- arguments

#[tokio::test(flavor = "multi_thread")]
async fn answer_respects_its_budget() {
    let (_folder, _repositories, federation) = organisation().await;
    for entity in [MESSAGE, ROUTE, FUNCTION] {
        for format in ["json", "compact"] {
            for budget in [100, 150, 250, 500, 1_000, 2_000, 4_000, 10_000_000] {
                let arguments = json!({"entity": entity, "format": format, "token_budget": budget, "depth": 3});
                let answer = federation.call("get_context", arguments).await;
                assert!(!answer.is_error, "{}", answer.text);
                assert!(::text::estimate_tokens(&answer.text) <= budget, "{entity} {budget}: {}", answer.text);
                if budget > AMPLE as usize {
                    assert!(answer.text.contains("25000 was used"), "{}", answer.text);
                }
            }
        }
    }
    for budget in [1, 0, -5, 99] {
        for (tool, argument) in [("get_context", "entity"), ("get_impact", "target"), ("get_file_context", "file")] {
            let refusal = federation.refusal(tool, json!({argument: FUNCTION, "token_budget": budget})).await;
            assert!(refusal.contains("at least 100"), "{refusal}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_value_error_lists_the_valid_ones() {
    let (_folder, _repositories, federation) = organisation().await;
    let aliases = organisation::REPOSITORIES.to_vec();
    let intents = vec!["modify", "understand", "review", "debug", "add", "plan"];
    let range = vec!["cross_domain_decay", "over 0 and at most 1"];
    for (argument, value, valid_values) in [
        ("mode", json!("sideways"), vec!["context", "path", "intent"]),
        ("intent", json!("juggle"), intents.clone()),
        ("format", json!("yaml"), vec!["json", "compact"]),
        ("detail_level", json!("some"), vec!["summary", "neighbors", "full"]),
        ("repo", json!("parcel-kitt"), aliases.clone()),
        ("projects", json!("parcel-kitt"), aliases.clone()),
        ("projects", json!("parcel-kit,nowhere"), aliases.clone()),
        ("entity", json!("parcel-kitt//src/code.ts::parseParcelCode"), aliases),
        ("cross_domain_decay", json!(0), range.clone()),
        ("cross_domain_decay", json!(1.5), range.clone()),
        ("cross_domain_decay", json!(-0.5), range.clone()),
        ("cross_domain_decay", json!("x"), range),
        ("depth", json!("x"), vec!["`depth`", "integer"]),
        ("entity", json!(""), vec!["`entity`"]),
        ("entity", Value::Null, vec!["`entity`"]),
    ] {
        let mut arguments = json!({"entity": FUNCTION});
        arguments[argument] = value.clone();
        let refusal = federation.refusal("get_context", arguments).await;
        assert!(valid_values.iter().all(|valid| refusal.contains(valid)), "{argument} {value}: {refusal}");
    }
    let refusal = federation.refusal("get_context", json!({"mode": "intent", "target": FUNCTION})).await;
    assert!(intents.iter().all(|intent| refusal.contains(intent)), "{refusal}");
    let refusal = federation.refusal("get_context", json!({"mode": "path", "from": FUNCTION})).await;
    assert!(refusal.contains("`to` is missing"), "{refusal}");
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_name_error_suggests_the_nearest() {
    let (_folder, _repositories, federation) = organisation().await;
    for (written, nearest) in [
        ("parseParcelCodes", FUNCTION),
        ("parseParcelCod", FUNCTION),
        ("prseParcelCode", FUNCTION),
        ("TrackingCliemt", "customer-portal//src/api/client.ts::TrackingClient"),
        ("Store.Fimd", "tracking-service//internal/parcel/store.go::Store.Find"),
        ("GET /api/v1/parcel/{id}", "/api/v1/parcels/{}"),
        ("tracking.v1.TrackingService/GetParcels", "tracking.v1.TrackingService/GetParcel"),
    ] {
        for (tool, argument) in [("get_context", "entity"), ("get_impact", "target")] {
            let refusal = federation.refusal(tool, json!({argument: written})).await;
            assert!(refusal.contains(nearest), "{tool} {written}: {refusal}");
        }
    }
    let refusal = federation.refusal("get_context", json!({"entity": "quantumZebraPhotosynthesis"})).await;
    assert!(refusal.contains("nothing is called") && refusal.contains("search_symbols"), "{refusal}");
}

#[tokio::test(flavor = "multi_thread")]
async fn ambiguous_name_lists_the_other_candidates() {
    let (_folder, _repositories, federation) = organisation().await;
    let answer = context(&federation, "TrackingClient", json!({})).await;
    let others = answer["also_called_so"].as_array().expect("a list");
    let named: BTreeSet<&str> = others.iter().map(text).chain([text(&answer["entity"]["id"])]).collect();
    let both = [
        ("customer-portal", "customer-portal//src/api/client.ts::TrackingClient"),
        ("notify-worker", "notify-worker//src/notify_worker/tracking_client.py::TrackingClient"),
    ];
    assert_eq!(named, both.iter().map(|(_, id)| *id).collect());
    assert!(text(&answer["_meta"]["hint"]).contains(text(&others[0])), "{answer}");
    for (alias, id) in both {
        for more in
            [json!({"entity": id}), json!({"repo": alias}), json!({"entity": format!("{alias}:TrackingClient")})]
        {
            let one = context(&federation, "TrackingClient", more).await;
            assert_eq!((&one["entity"]["id"], &one["also_called_so"]), (&json!(id), &Value::Null), "{one}");
        }
    }
    let by_file = context(&federation, "TrackingClient", json!({"file": "notify_worker/tracking_client.py"})).await;
    assert_eq!(by_file["entity"]["id"], both[1].1);
}

#[tokio::test(flavor = "multi_thread")]
async fn entity_is_found_in_repositories_open_to_the_walk() {
    let (_folder, _repositories, federation) = organisation().await;
    for projects in ["*", "parcel-kit"] {
        let more = json!({"repo": "notify-worker", "projects": projects});
        let answer = context(&federation, "parseParcelCode", more).await;
        assert_eq!(answer["entity"]["id"], FUNCTION);
        assert!(answer["_meta"]["notes"].to_string().contains("is in parcel-kit alone"), "{answer}");
    }
    let arguments = json!({"entity": "parseParcelCode", "repo": "notify-worker"});
    federation.refusal("get_context", arguments).await;
}

// --- bytes and hashes

#[tokio::test(flavor = "multi_thread")]
async fn equal_requests_give_identical_bytes() {
    let (folder, _repositories, federation) = organisation().await;
    let mut requests = Vec::new();
    for entity in [MESSAGE, ROUTE, FUNCTION, "TrackingClient", "README.md"] {
        for budget in [200, 700, 2_000, AMPLE] {
            for format in ["json", "compact"] {
                let arguments = json!({"entity": entity, "format": format, "token_budget": budget, "depth": 3});
                requests.push(("get_context", arguments));
            }
            requests.push(("get_impact", json!({"target": entity, "token_budget": budget})));
        }
    }
    requests.push(("get_context", json!({"mode": "path", "from": "TrackPage.lookUp", "to": "Store.Find"})));
    requests.push(("get_context", json!({"mode": "intent", "intent": "review", "target": FUNCTION})));
    requests.push(("get_context", json!({"targets": [MESSAGE, ROUTE, FUNCTION]})));
    let steady = async |federation: &Federation, tool: &str, arguments: &Value| {
        let text = federation.call(tool, arguments.clone()).await.text;
        // A compact answer ends with its duration.
        let end = if text.starts_with('{') { text.len() } else { text.rfind(" | ").expect("a footer") };
        answer::steady(&text[..end])
    };
    let mut first = Vec::new();
    for (tool, arguments) in &requests {
        first.push(steady(&federation, tool, arguments).await);
    }
    for ((tool, arguments), expected) in requests.iter().zip(&first) {
        assert_eq!(&steady(&federation, tool, arguments).await, expected, "{tool} {arguments}");
    }
    federation.stop().await;
    // Once more, after a restart from the files.
    let again = Federation::over(&folder.path().join("data"), &folder.path().join("org")).await;
    for ((tool, arguments), expected) in requests.iter().zip(&first) {
        assert_eq!(&steady(&again, tool, arguments).await, expected, "{tool} {arguments}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn context_hash_covers_bodies_of_entity_and_neighbours() {
    let (_folder, repositories, federation) = organisation().await;
    let [portal, _, kit, _] = &repositories[..] else { panic!("there are four repositories") };
    let hash = async |detail: &str| {
        let answer = context(&federation, FUNCTION, json!({"detail_level": detail})).await;
        text(&answer["hash"]).to_owned()
    };
    let edit = async |repository: &Repository, file: &str, from: &str, to: &str| {
        let path = repository.path.join(file);
        let code = std::fs::read_to_string(&path).expect("it can be read");
        assert!(code.contains(from), "{file}: {from}");
        repository.write(file, code.replacen(from, to, 1));
        let commit = tokio::task::block_in_place(|| repository.commit("edit"));
        let alias = repository.path.file_name().expect("it has a name").to_string_lossy().into_owned();
        federation.serves(&alias, &commit).await;
    };
    let first = hash("full").await;
    for detail in ["summary", "neighbors"] {
        assert_eq!(hash(detail).await, first, "the same at every level of detail");
    }
    let unchanged = context(&federation, FUNCTION, json!({"known_hash": first})).await;
    assert_eq!((&unchanged["unchanged"], items(&unchanged).len()), (&json!(true), 0), "{unchanged}");

    edit(kit, "src/size.ts", "return {", "const spare = 1;\n  return {").await;
    edit(portal, "src/api/retry.ts", "for (const delayMs", "/* once more */\n  for (const delayMs").await;
    assert_eq!(hash("full").await, first, "the unrelated repository");

    let mut last = first;
    for (repository, file, from, to) in [
        (kit, "src/code.ts", "return (10 - (sum % 10)) % 10;", "return (20 - (sum % 10)) % 10;"),
        (kit, "src/code.ts", "return code;", "return code.trim();"),
        (portal, "src/api/client.ts", "{ method: \"GET\" }", "{ method: \"GET\", keepalive: true }"),
    ] {
        edit(repository, file, from, to).await;
        let changed = context(&federation, FUNCTION, json!({"known_hash": last})).await;
        assert_eq!(changed["unchanged"], false, "{file} {to}: {changed}");
        last = text(&changed["hash"]).to_owned();
    }
}
