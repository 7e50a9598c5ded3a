//! The example organisation, from sources to answers, through the whole system.

use causeway_tests::{
    answer::{self, text},
    federation::{Federation, InProcessWorker},
    organisation,
};
use federation::principal::Principal;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Indexes the organisation with one worker.
async fn organisation() -> (TempDir, Federation) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    organisation::materialise(&folder.path().join("org"));
    let federation = Federation::over(&folder.path().join("data"), &folder.path().join("org")).await;
    (folder, federation)
}

fn list<'a>(answer: &'a Value, name: &str) -> &'a Vec<Value> {
    answer[name].as_array().unwrap_or_else(|| panic!("`{name}` is a list: {answer}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn every_repository_is_listed_with_its_counts() {
    let (_folder, federation) = organisation().await;
    let answer = federation.ask("list_repos", json!({})).await;
    let repositories = list(&answer, "repositories");
    let names: Vec<&str> = repositories.iter().map(|repository| text(&repository["repo"])).collect();
    assert_eq!(names, organisation::REPOSITORIES);
    for (repository, language) in repositories.iter().zip(["typescript", "python", "typescript", "go"]) {
        assert_eq!(repository["state"], "serving", "{repository}");
        assert_eq!(repository["branch"], "main", "{repository}");
        let languages = list(repository, "languages");
        assert!(languages.iter().any(|count| count["language"] == language && count["symbols"] != 0), "{repository}");
    }
    assert!(answer::is_complete(&answer));
}

#[tokio::test(flavor = "multi_thread")]
async fn search_finds_the_best_over_several_repositories() {
    let (_folder, federation) = organisation().await;
    for (query, expected) in [
        (
            "retry with growing delays",
            vec!["notify-worker:src/notify_worker/retry.py", "customer-portal:src/api/retry.ts"],
        ),
        ("checkDigit", vec!["parcel-kit:src/code.ts", "tracking-service:internal/parcel/code.go"]),
        (
            "register a parcel over HTTP",
            vec!["tracking-service:internal/httpapi/routes.go", "customer-portal:src/api/client.ts"],
        ),
    ] {
        let answer = federation.ask("search_codebase", json!({"query": query, "repo": "all", "limit": 10})).await;
        let places = answer::places(&answer);
        for place in expected {
            assert!(places.iter().any(|found| found == place), "`{query}` finds {place}: {places:?}");
        }
        let coverage = answer::coverage(&answer);
        assert_eq!((&coverage["asked"], &coverage["answered"]), (&json!(4), &json!(4)));
        assert_eq!(coverage["complete"], true);
        let by_repo = list(&answer, "by_repo");
        let n_hits: u64 = by_repo.iter().filter_map(|count| count["hits"].as_u64()).sum();
        assert!(by_repo.len() > 1 && answer["_meta"]["totalItems"] == n_hits, "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn mentioned_repository_ranks_first() {
    let (_folder, federation) = organisation().await;
    for (query, expected) in [
        ("retry with growing delays in the customer portal", "customer-portal:src/api/retry.ts"),
        ("retry with growing delays in notify-worker", "notify-worker:src/notify_worker/retry.py"),
        ("how does parcel_kit compute the check digit", "parcel-kit:src/code.ts"),
        ("how does the tracking service compute the check digit", "tracking-service:internal/parcel/code.go"),
    ] {
        let answer = federation.ask("search_codebase", json!({"query": query})).await;
        assert_eq!(answer::places(&answer)[0], expected, "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn scores_are_comparable_and_low_for_nonsense() {
    let (_folder, federation) = organisation().await;
    let best = async |query: &str| {
        let answer = federation.ask("search_codebase", json!({"query": query, "mode": "concept"})).await;
        let results = list(&answer, "results");
        assert!(results.iter().all(|hit| (0.0..=10.0).contains(&hit["relevance_score"].as_f64().expect("a number"))));
        results.first().map_or(0.0, |hit| hit["relevance_score"].as_f64().expect("a number"))
    };
    let sense = best("mail to the recipient of a parcel").await;
    let nonsense = best("quantum zebra photosynthesis recipient").await;
    assert!(sense > 2.0 * nonsense, "{sense} {nonsense}");
    assert_eq!(best("quantum zebra photosynthesis").await, 0.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn ambiguous_name_is_never_resolved_silently() {
    let (_folder, federation) = organisation().await;
    let answer = federation.ask("get_symbol", json!({"symbol_id": "Parcel"})).await;
    assert_eq!(answer["ambiguous"], true);
    let ids: Vec<&str> = list(&answer, "candidates").iter().map(|candidate| text(&candidate["symbol_id"])).collect();
    for place in ["parcel-kit//src/parcel.ts", "tracking-service//internal/parcel/parcel.go", "notify-worker//src/"] {
        assert!(ids.iter().any(|id| id.starts_with(place)), "{place}: {ids:?}");
    }
    for id in ids {
        let one = federation.ask("get_symbol", json!({"symbol_id": id})).await;
        assert!(one["source"].is_string(), "the id of a candidate is a valid symbol id: {id}: {one}");
    }
    let answer = federation.ask("search_symbols", json!({"pattern": "retry", "limit": 2})).await;
    let mut repositories: Vec<&str> = list(&answer, "symbols").iter().map(|symbol| text(&symbol["repo"])).collect();
    repositories.sort_unstable();
    assert_eq!(repositories, ["customer-portal", "notify-worker"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn definition_is_returned_with_its_lines() {
    let (_folder, federation) = organisation().await;
    let ids = ["parcel-kit//src/code.ts::checkDigit", "parcel-kit:src/code.ts::checkDigit"];
    for id in ids {
        let answer = federation.ask("get_symbol", json!({"symbol_id": id})).await;
        assert_eq!(answer["path"], "src/code.ts");
        assert_eq!(answer["kind"], "function");
        let source = text(&answer["source"]);
        assert!(source.contains("export function checkDigit(serial: string): number {"), "{source}");
        assert!(source.contains("return (10 - (sum % 10)) % 10;"), "{source}");
        assert!(!source.contains("parseParcelCode"), "nothing but the definition: {source}");
        let file = std::fs::read_to_string(organisation::sources().join("parcel-kit/src/code.ts")).expect("a fixture");
        let start = answer["start_line"].as_u64().expect("a line") as usize;
        assert!(file.lines().nth(start - 1).is_some_and(|line| line.contains("function checkDigit")), "{start}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn file_outline_respects_its_budget() {
    let (_folder, federation) = organisation().await;
    let ask = async |budget: u64| {
        let arguments = json!({"file": "parcel-kit:src/code.ts", "token_budget": budget, "format": "json"});
        federation.call("get_file_context", arguments).await
    };
    let whole = ask(4000).await.structured.expect("JSON");
    let names: Vec<&str> = list(&whole, "entities").iter().map(|entity| text(&entity["name"])).collect();
    assert!(names.contains(&"checkDigit") && names.contains(&"ParcelCodeError"), "{names:?}");
    assert_eq!(whole["truncated"], false);
    let full_cost = estimate(&whole.to_string());
    for budget in (300..full_cost).step_by(150) {
        let small = ask(budget).await;
        assert!(estimate(&small.text) <= budget, "{budget}: {}", small.text);
        let small = small.structured.expect("JSON");
        assert_eq!(small["truncated"], true, "{budget}: {small}");
        assert_eq!(small["total_entities"], whole["total_entities"]);
        assert!(small["_meta"]["more"].is_string(), "it describes how to get the rest: {small}");
    }
    let refusal = federation.refusal("get_file_context", json!({"file": "src/code.ts", "token_budget": 99})).await;
    assert!(refusal.contains("at least 100"), "{refusal}");
}

/// Returns a lower bound of any client's token count: four bytes per token.
fn estimate(text: &str) -> u64 {
    text.len() as u64 / 4
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_are_masked_in_all_source() {
    let (_folder, federation) = organisation().await;
    let env = "notify-worker:config/example.env";
    let mut answers = Vec::new();
    for (tool, arguments) in [
        ("search_codebase", json!({"query": "AWS_ACCESS_KEY_ID MAIL_PASSWORD"})),
        ("search_codebase", json!({"query": "AWS_ACCESS_KEY_ID MAIL_PASSWORD", "format": "compact"})),
        ("search_codebase", json!({"query": "AKIAHARB0URFAKEKEY00"})),
        ("get_symbol", json!({"symbol_id": format!("{env}:1-20")})),
        ("get_symbol", json!({"symbol_id": format!("{env}:1-20"), "format": "compact"})),
        ("get_file_context", json!({"file": env})),
    ] {
        answers.push(federation.call(tool, arguments).await.text);
    }
    for answer in &answers {
        for secret in ["N0t-a-Rea1-Passw0rd", "AKIAHARB0URFAKEKEY00"] {
            // Text of the request itself is not masked.
            assert!(!answer.contains(secret), "{answer}");
        }
    }
    let lines = &answers[3];
    assert!(lines.contains("MAIL_PASSWORD=[masked]") && lines.contains("AWS_ACCESS_KEY_ID=[masked]"), "{lines}");
    assert!(lines.contains("MAIL_RELAY=smtp.harbour.internal:587"), "only values that are secret are masked: {lines}");
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_requests_give_identical_bytes() {
    let (folder, federation) = organisation().await;
    let requests = [
        ("list_repos", json!({})),
        ("search_codebase", json!({"query": "parcel status", "limit": 20})),
        ("search_codebase", json!({"query": "Parcel", "limit": 20, "format": "compact"})),
        ("search_symbols", json!({"pattern": "parcel"})),
        ("get_symbol", json!({"symbol_id": "Parcel"})),
        ("get_file_context", json!({"file": "README.md"})),
    ];
    let steady = async |federation: &Federation, tool: &str, arguments: &Value| {
        let text = federation.call(tool, arguments.clone()).await.text;
        // A compact answer ends with its duration.
        let end = if text.starts_with('{') { text.len() } else { text.rfind(" | ").expect("a footer") };
        answer::steady(&text[..end])
    };
    let mut first = Vec::new();
    for (tool, arguments) in &requests {
        first.push(steady(&federation, tool, arguments).await);
        assert_eq!(first.last(), Some(&steady(&federation, tool, arguments).await), "{tool} {arguments}");
    }

    // Repository names in any order, and with duplicates.
    for repo in [
        "customer-portal,notify-worker,parcel-kit,tracking-service",
        "tracking-service, parcel-kit,notify-worker,customer-portal,parcel-kit",
    ] {
        let arguments = json!({"query": "parcel status", "limit": 20, "repo": repo});
        let bytes = steady(&federation, "search_codebase", &arguments).await;
        // Cursors contain the request.
        let without_more = |bytes: &str| bytes.split("\"more\"").next().expect("a beginning").to_owned();
        assert_eq!(without_more(&bytes), without_more(&first[1]), "{repo}");
    }
    federation.stop().await;

    // The same generations on two workers in either order. Only `list_repos` shows the placement.
    let org = folder.path().join("org");
    let roots = |names: &[&str]| names.iter().map(|name| org.join(name)).collect::<Vec<_>>();
    let one = roots(&["tracking-service", "customer-portal"]);
    let other = roots(&["parcel-kit", "notify-worker"]);
    for (place, halves) in [[&one, &other], [&other, &one]].into_iter().enumerate() {
        let mut workers = Vec::new();
        for (half, roots) in halves.into_iter().enumerate() {
            let data = folder.path().join(format!("data-{place}-{half}"));
            workers.push(InProcessWorker::indexed(&data, roots).await);
        }
        let spread = Federation::of(workers).await;
        for ((tool, arguments), expected) in requests.iter().zip(&first).skip(1) {
            assert_eq!(&steady(&spread, tool, arguments).await, expected, "{tool} {arguments}");
        }
        spread.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unreadable_repositories_do_not_exist_for_the_caller() {
    let (_folder, federation) = organisation().await;
    let caller = Principal::limited("ui", ["parcel-*".to_owned()]);
    let call = async |tool: &str, arguments: Value| federation.gateway.call(&caller, tool, arguments).await;
    let search = call("search_codebase", json!({"query": "checkDigit", "limit": 50})).await.structured.expect("JSON");
    assert!(answer::places(&search).iter().all(|place| place.starts_with("parcel-kit:")), "{search}");
    assert_eq!((&answer::coverage(&search)["asked"], answer::is_complete(&search)), (&json!(1), true));
    let symbol = call("get_symbol", json!({"symbol_id": "checkDigit"})).await.structured.expect("JSON");
    assert_eq!(symbol["repo"], "parcel-kit", "no other repository has one: {symbol}");
    let listed = call("list_repos", json!({})).await.structured.expect("JSON");
    assert_eq!(list(&listed, "repositories").len(), 1);

    // Identical bytes, except for the name in the request.
    for (tool, argument, forbidden) in [
        ("search_codebase", "repo", "tracking-service"),
        ("get_symbol", "symbol_id", "tracking-service//internal/parcel/code.go::checkDigit"),
        ("get_file_context", "file", "tracking-service:internal/parcel/code.go"),
    ] {
        let refusal = async |name: &str| {
            let value = forbidden.replace("tracking-service", name);
            let refused = call(tool, json!({"query": "x", argument: value})).await;
            assert!(refused.is_error, "{}", refused.text);
            refused.text.replace(name, "NAME")
        };
        assert_eq!(refusal("tracking-service").await, refusal("no-such-service!").await, "{tool}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pagination_does_not_change_the_ranking() {
    let (_folder, federation) = organisation().await;
    let [mut small, mut large] = [Vec::new(), Vec::new()];
    for (limit, paged) in [(3, &mut small), (10, &mut large)] {
        let mut arguments = json!({"query": "parcel", "limit": limit});
        loop {
            let page = federation.ask("search_codebase", arguments.clone()).await;
            paged.extend(answer::places(&page));
            let Some(more) = page["_meta"]["more"].as_str() else { break };
            // The last page of a truncated ranking says so, and has no cursor.
            let Some(cursor) = more.split("cursor=\"").nth(1).and_then(|rest| rest.split('"').next()) else { break };
            arguments["cursor"] = json!(cursor);
        }
    }
    assert!(small.len() > 60, "{small:?}");
    assert_eq!(small, large);
}

/// Returns the names in an answer, in order.
fn ranked(answer: &Value) -> Vec<&str> {
    list(answer, "results").iter().map(|result| text(&result["name"])).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn strategies_rank_differently() {
    let (_folder, federation) = organisation().await;
    let query = "retry with growing delays";
    let ask = async |strategy: &str| {
        federation.ask("get_ranked_context", json!({"query": query, "strategy": strategy, "tokenBudget": 6_000})).await
    };
    let (combined, dependency, importance) = (ask("combined").await, ask("dependency").await, ask("importance").await);
    let orders = [ranked(&combined), ranked(&dependency), ranked(&importance)];
    assert!(orders.iter().all(|order| !order.is_empty()), "{orders:?}");
    assert!(orders[0] != orders[1] && orders[1] != orders[2] && orders[0] != orders[2], "{orders:?}");
    assert_eq!(importance["searchMetrics"]["tier"], "legacy");
    let files = |answer: &Value| -> Vec<String> {
        list(answer, "results").iter().map(|result| text(&result["file"]).to_owned()).collect()
    };
    for answer in [&combined, &dependency, &importance] {
        assert!(files(answer).iter().any(|file| file.contains("retry")), "every strategy answers: {answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn typo_is_corrected_by_terms_of_all_repositories() {
    let (_folder, federation) = organisation().await;
    let answer = federation.ask("get_ranked_context", json!({"query": "recipent of a parcel"})).await;
    assert_eq!(answer["fuzzyCorrection"], json!({"from": "recipent", "to": "recipient"}), "{answer}");
    let answer = federation.ask("search_codebase", json!({"query": "recipent of a parcel"})).await;
    assert!(answer["_meta"]["notes"].to_string().contains("`recipient` instead of `recipent`"), "{answer}");
    let answer = federation.ask("get_ranked_context", json!({"query": "purple bicycle quantum sandwich"})).await;
    assert_eq!((&answer["results"], answer.get("fuzzyCorrection")), (&json!([]), None), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn ranked_context_respects_a_hundred_budgets() {
    let (_folder, federation) = organisation().await;
    let mut seed = 11_u64;
    for n in 0..100 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let budget = 100 + (seed >> 33) as usize % if n % 2 == 0 { 900 } else { 8_000 };
        let format = ["json", "compact"][n % 2];
        let strategy = ["combined", "dependency", "importance"][n % 3];
        let query = ["register a parcel over HTTP", "parseParcelCode", "mail to the recipint"][n / 2 % 3];
        let arguments = json!({"query": query, "strategy": strategy, "format": format, "tokenBudget": budget});
        let answer = federation.call("get_ranked_context", arguments).await;
        let n_tokens = ::text::estimate_tokens(&answer.text);
        assert!(!answer.is_error && n_tokens <= budget, "{n_tokens} of {budget}: {}", answer.text);
    }
}
