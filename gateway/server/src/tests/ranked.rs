//! `get_ranked_context`, and typos in queries.

use serde_json::{Value, json};

use super::{FakeRepository, RETRY, SESSION, api, call, fake::gateway, fork, healthy_worker, json_of, still, web};

const TOOL: &str = "get_ranked_context";

fn names(answer: &Value) -> Vec<&str> {
    answer["results"].as_array().unwrap().iter().map(|result| result["name"].as_str().unwrap()).collect()
}

/// A repository in which `handle` calls a function about cookies.
fn shop() -> FakeRepository {
    FakeRepository {
        alias: "shop",
        id: 7,
        generation: 1,
        files: vec![
            ("src/cookies.py", "def sign_cookie(cookie):\n    return cookie\n\ndef digest(value):\n    return value\n"),
            ("src/serve.py", "def handle(request):\n    return request\n\ndef unrelated():\n    pass\n"),
        ],
        graph: vec!["handle -calls-> sign_cookie", "sign_cookie -calls 0.9-> digest"],
        ..Default::default()
    }
}

#[tokio::test(start_paused = true)]
async fn ranked_context_matches_its_snapshot() {
    let gateway = gateway(vec![healthy_worker("w1", vec![api(), fork()]), healthy_worker("w2", vec![web()])]).await;
    let result = call(&gateway, TOOL, json!({"query": "retry after a paused", "tokenBudget": 900})).await;
    assert!(!result.is_error, "{}", result.text);
    insta::assert_snapshot!(TOOL, still(&result.text));
}

#[tokio::test(start_paused = true)]
async fn ranked_context_is_independent_of_placement() {
    let splits = [
        vec![healthy_worker("w", vec![api(), shop(), web()])],
        vec![healthy_worker("w1", vec![web()]), healthy_worker("w2", vec![shop(), api()])],
    ];
    let mut answers: Vec<Vec<String>> = Vec::new();
    for workers in splits {
        let gateway = gateway(workers).await;
        let mut of_split = Vec::new();
        for strategy in ["combined", "dependency", "importance"] {
            for query in ["sign the cookie", "retry cokie session", "cookeis"] {
                let arguments = json!({"query": query, "strategy": strategy});
                of_split.push(still(&call(&gateway, TOOL, arguments).await.text));
            }
        }
        answers.push(of_split);
    }
    assert_eq!(answers[0], answers[1]);
}

#[tokio::test(start_paused = true)]
async fn dependency_expansion_adds_callees_and_callers() {
    let gateway = gateway(vec![healthy_worker("w", vec![shop()])]).await;
    let ask =
        async |strategy: &str| json_of(&gateway, TOOL, json!({"query": "sign cookie", "strategy": strategy})).await;
    assert_eq!(names(&ask("combined").await), ["sign_cookie"]);
    let with_neighbours = ask("dependency").await;
    let mut found = names(&with_neighbours);
    found.sort_unstable();
    assert_eq!(found, ["digest", "handle", "sign_cookie"]);
    let legacy = ask("importance").await;
    assert_eq!((names(&legacy), &legacy["searchMetrics"]["tier"]), (vec!["sign_cookie"], &json!("legacy")));
}

#[tokio::test(start_paused = true)]
async fn typos_are_corrected_and_reported() {
    let gateway = gateway(vec![healthy_worker("w1", vec![api()]), healthy_worker("w2", vec![web()])]).await;
    let answer = json_of(&gateway, TOOL, json!({"query": "open a sesion"})).await;
    assert_eq!(answer["fuzzyCorrection"], json!({"from": "sesion", "to": "session"}));
    assert_eq!(names(&answer)[0], "open_session");
    let answer = json_of(&gateway, "search_codebase", json!({"query": "open a sesion"})).await;
    let note = "searched for `session` instead of `sesion`, which occurs in no file";
    assert_eq!(answer["_meta"]["notes"], json!([note]));
    for (query, fuzzy) in [("open a session", true), ("open a sesion", false)] {
        let answer = json_of(&gateway, TOOL, json!({"query": query, "fuzzy": fuzzy})).await;
        assert_eq!(answer.get("fuzzyCorrection"), None, "{query}");
    }
}

#[tokio::test(start_paused = true)]
async fn corrected_word_is_less_relevant_than_an_exact_match() {
    let gateway = gateway(vec![healthy_worker("w", vec![web()])]).await;
    let best = async |query: &str| {
        let answer = json_of(&gateway, "search_codebase", json!({"query": query, "mode": "concept"})).await;
        answer["results"][0]["relevance_score"].as_f64().unwrap_or(0.0)
    };
    let (guessed, written) = (best("cookies verfy").await, best("cookies verify").await);
    assert!(0.0 < guessed && guessed < written, "{guessed} {written}");
}

#[tokio::test(start_paused = true)]
async fn all_token_budgets_are_respected() {
    let body: String = (0..60).map(|n| format!("    cookie_{n} = \"{n}\"\n")).collect();
    let large: &'static str = format!("def sign(cookie):\n{body}").leak();
    let files = vec![("src/large.py", large), ("src/s.py", SESSION), ("src/r.py", RETRY)];
    let repository = FakeRepository { alias: "big", id: 9, generation: 1, files, ..Default::default() };
    let gateway = gateway(vec![healthy_worker("w", vec![repository, shop()])]).await;
    for budget in (100..1_200).step_by(11) {
        for format in ["json", "compact"] {
            let arguments = json!({"query": "sign a cookie", "tokenBudget": budget, "format": format});
            let result = call(&gateway, TOOL, arguments).await;
            let n_tokens = text::estimate_tokens(&result.text);
            assert!(!result.is_error && n_tokens <= budget, "{n_tokens} of {budget}: {}", result.text);
        }
    }
    let result = call(&gateway, TOOL, json!({"query": "sign", "tokenBudget": 99})).await;
    assert!(result.is_error && result.text.contains("`tokenBudget` must be at least 100"), "{}", result.text);
}

#[tokio::test(start_paused = true)]
async fn nonsense_query_has_no_results() {
    let gateway = gateway(vec![healthy_worker("w", vec![web()])]).await;
    let answer = json_of(&gateway, TOOL, json!({"query": "purple bicycle quantum"})).await;
    assert_eq!((&answer["results"], answer["note"].is_string()), (&json!([]), true));
    let result = call(&gateway, TOOL, json!({"query": "?!"})).await;
    assert!(result.is_error && result.text.contains("nothing to search for"), "{}", result.text);
}
