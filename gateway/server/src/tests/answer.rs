//! `get_answer` without a model, over workers of a few lines.

use serde_json::{Value, json};

use super::{
    FakeRepository, FakeWorker, SESSION, WorkerBehaviour, api, call, fake::gateway, fork, healthy_worker, json_of,
    still, web,
};

const TOOL: &str = "get_answer";

fn cited(answer: &Value) -> Vec<String> {
    let place =
        |citation: &Value| format!("{}:{}", citation["repo"].as_str().unwrap(), citation["path"].as_str().unwrap());
    answer["citations"].as_array().unwrap().iter().map(place).collect()
}

#[tokio::test(start_paused = true)]
async fn answer_matches_its_snapshot() {
    let gateway = gateway(vec![healthy_worker("w1", vec![api(), fork()]), healthy_worker("w2", vec![web()])]).await;
    let result = call(&gateway, TOOL, json!({"question": "How are calls retried after a pause?"})).await;
    assert!(!result.is_error, "{}", result.text);
    insta::assert_snapshot!(TOOL, still(&result.text));
}

#[tokio::test(start_paused = true)]
async fn repeated_question_is_answered_from_the_cache() {
    let gateway = gateway(vec![healthy_worker("w", vec![api(), web()])]).await;
    let first = json_of(&gateway, TOOL, json!({"question": "Calls retried after a pause"})).await;
    assert_eq!(first["_meta"]["cached"], Value::Null);
    let again = json_of(&gateway, TOOL, json!({"question": "calls  retried after a pause?"})).await;
    assert_eq!(again["_meta"]["cached"], true);
    assert_eq!((&again["answer"], &again["candidates"]), (&first["answer"], &first["candidates"]));
    for other in [json!({"scope": "src"}), json!({"repo": "api"}), json!({"token_budget": 900})] {
        let mut arguments = json!({"question": "Calls retried after a pause"});
        arguments.as_object_mut().unwrap().extend(other.as_object().unwrap().clone());
        let answer = json_of(&gateway, TOOL, arguments).await;
        assert_eq!(answer["_meta"]["cached"], Value::Null, "{other}");
    }
}

#[tokio::test(start_paused = true)]
async fn cached_answer_is_only_for_callers_that_can_read_its_sources() {
    let with = gateway(vec![healthy_worker("w", vec![api(), web()])]).await;
    let without = gateway(vec![healthy_worker("w", vec![web()])]).await;
    let limited = crate::Principal::limited("ci", ["web".to_owned()]);
    let question = json!({"question": "Calls retried after a pause"});
    let everything = json_of(&with, TOOL, question.clone()).await;
    assert!(cited(&everything).contains(&"api:src/retry.py".to_owned()), "{everything}");
    let seen = with.call(&limited, TOOL, question.clone()).await;
    let expected = without.call(&limited, TOOL, question).await;
    assert_eq!(still(&seen.text), still(&expected.text));
}

#[tokio::test(start_paused = true)]
async fn cached_answer_is_only_for_the_caller_that_asked() {
    let (worker, mut searches) = FakeWorker::observed_endpoint("w", vec![api(), web()], WorkerBehaviour::Healthy);
    let gateway = gateway(vec![worker]).await;
    let question = json!({"question": "Calls retried after a pause"});
    let mut first_answer = None;
    // The same repositories, but two names.
    for caller in ["one", "two"].map(|name| crate::Principal::limited(name, ["*".to_owned()])) {
        for is_repeated in [false, true] {
            searches.mark_unchanged();
            let answer = gateway.call(&caller, TOOL, question.clone()).await;
            let cached = answer.structured.as_ref().map(|answer| answer["_meta"]["cached"].clone());
            assert_eq!(cached, Some(if is_repeated { json!(true) } else { Value::Null }), "{}", caller.name());
            // The cache saves time only for the caller whose answer it holds.
            assert_eq!(searches.has_changed().unwrap(), !is_repeated, "{}", caller.name());
            if !is_repeated {
                let text = still(&answer.text);
                assert_eq!(*first_answer.get_or_insert(text.clone()), text);
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn unknown_names_are_reported() {
    let gateway = gateway(vec![healthy_worker("w", vec![api(), web()])]).await;
    for (question, expected) in [
        ("What does `open_wormhole` do?", "`open_wormhole` is neither defined nor mentioned"),
        ("What does `api_retri()` do?", "`api_retri` is neither defined nor mentioned"),
        ("quantum blockchain of bananas", "answers this: quantum, blockchain, bananas stand in no file"),
        ("How does the Kafka consumer retry a call?", "`Kafka` stands in no file of the 2 repositories"),
        ("How does the billing engine use the session?", "`billing engine` stands in no file"),
        ("what does the frobnicate session do", "answers this: frobnicate stands in no file"),
        ("Wie funktioniert das hier?", "answers this: "),
        ("这个系统如何处理错误", "answers this: "),
        ("what is this?", "names nothing that can be looked for"),
    ] {
        let answer = json_of(&gateway, TOOL, json!({"question": question})).await;
        assert!(answer["answer"].as_str().unwrap().contains(expected), "{question}: {answer}");
        assert_eq!((&answer["confidence"], &answer["citations"]), (&json!("low"), &json!([])), "{question}");
    }
}

#[tokio::test(start_paused = true)]
async fn ambiguous_name_lists_its_definitions() {
    let repository = |alias, id| FakeRepository { alias, id, files: vec![("app/session.py", SESSION)], ..web() };
    let repositories = vec![repository("one", 11), repository("three", 13), repository("two", 12)];
    let gateway = gateway(vec![healthy_worker("w", repositories)]).await;
    let answer = json_of(&gateway, TOOL, json!({"question": "How does `open_session` verify a cookie?"})).await;
    let said = answer["answer"].as_str().unwrap();
    assert!(said.starts_with("`open_session` is defined in 3 files: "), "{answer}");
    let of_two = json_of(&gateway, TOOL, json!({"question": "How does `open_session` work in two?"})).await;
    assert!(of_two["answer"].as_str().unwrap().contains("[two:app/session.py:"), "{of_two}");
    assert!(!of_two["answer"].as_str().unwrap().contains("is defined in"), "{of_two}");
    for alias in ["one", "two", "three"] {
        assert!(said.contains(&format!("{alias}//app/session.py::open_session")), "{said}");
    }
}

#[tokio::test(start_paused = true)]
async fn answer_is_independent_of_placement() {
    let splits = [
        vec![healthy_worker("w", vec![api(), fork(), web()])],
        vec![healthy_worker("w1", vec![web()]), healthy_worker("w2", vec![fork(), api()])],
    ];
    let mut answers: Vec<Vec<String>> = Vec::new();
    for workers in splits {
        let gateway = gateway(workers).await;
        let mut of_split = Vec::new();
        for question in ["how does the session use retry", "how are calls retried", "open a signed cookie"] {
            of_split.push(still(&call(&gateway, TOOL, json!({"question": question})).await.text));
        }
        answers.push(of_split);
    }
    assert_eq!(answers[0], answers[1]);
}

#[tokio::test(start_paused = true)]
async fn answers_fit_their_token_budget() {
    let gateway = gateway(vec![healthy_worker("w", vec![api(), web()])]).await;
    for budget in [100, 200, 400, 800, 1_600] {
        let arguments = json!({"question": "How are calls retried after a pause?", "token_budget": budget});
        let result = call(&gateway, TOOL, arguments).await;
        let n_tokens = text::estimate_tokens(&result.text);
        assert!(n_tokens <= budget, "{budget}: {n_tokens}: {}", result.text);
    }
}

#[tokio::test(start_paused = true)]
async fn invalid_arguments_are_explained() {
    let gateway = gateway(vec![healthy_worker("w", vec![api()])]).await;
    for (arguments, expected) in [
        (json!({}), "`question` is missing"),
        (json!({"question": "?!"}), "`question` has no words"),
        (json!({"question": "a b", "repo": "nope"}), "no repository `nope`; known are: api"),
        (json!({"question": "a b", "token_budget": 10}), "`token_budget` must be at least 100"),
    ] {
        let result = call(&gateway, TOOL, arguments.clone()).await;
        assert!(result.is_error && result.text.contains(expected), "{arguments}: {}", result.text);
    }
}
