//! A cluster of real processes: two workers and a gateway. One worker is killed and restarted.

use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use causeway_tests::{
    PATIENCE, answer,
    cluster::{call, gateway, http, worker},
    organisation,
};
use serde_json::{Value, json};

/// Searches all repositories.
fn search(gateway: &str) -> Value {
    call(gateway, "search_codebase", json!({"query": "checkDigit", "limit": 10}))
}

/// Searches until the answer meets a condition.
fn search_until(gateway: &str, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let answer = search(gateway);
        if holds(&answer) {
            return answer;
        }
        assert!(began.elapsed() < PATIENCE, "never {what}: {answer}");
    }
}

const IN_PARCEL_KIT: &str = "parcel-kit:src/code.ts";
const IN_TRACKING_SERVICE: &str = "tracking-service:internal/parcel/code.go";

fn finds(answer: &Value, place: &str) -> bool {
    answer::places(answer).iter().any(|found| found == place)
}

#[test]
fn killed_worker_is_reported_until_it_returns() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let org = folder.path().join("org");
    organisation::materialise(&org);
    let half = |names: [&str; 2]| names.map(|name| org.join(name));
    let (front, back) = (half(["customer-portal", "parcel-kit"]), half(["notify-worker", "tracking-service"]));
    let (data_front, data_back) = (folder.path().join("front"), folder.path().join("back"));
    let (_front, front_address) = worker(&data_front, "127.0.0.1:0", &front);
    let (mut back_process, back_address) = worker(&data_back, "127.0.0.1:0", &back);
    let (_gateway, address) = gateway(&[&front_address, &back_address]);

    let whole =
        search_until(&address, "complete", |answer| answer::is_complete(answer) && finds(answer, IN_PARCEL_KIT));
    assert!(finds(&whole, IN_TRACKING_SERVICE), "{whole}");
    assert_eq!(answer::coverage(&whole)["asked"], 4);
    let (status, ready) = http(&address, "GET /readyz", "");
    assert_eq!(status, 200, "{ready}");

    back_process.kill();
    let began = Instant::now();
    let partial = search(&address);
    assert!(began.elapsed().as_secs() < 5, "the call waited for dead workers: {:?}", began.elapsed());
    assert!(finds(&partial, IN_PARCEL_KIT), "the others answer: {partial}");
    assert!(!answer::is_complete(&partial), "{partial}");
    let partial = search_until(&address, "unreachable", |answer| {
        answer::shortfalls(answer) == ["notify-worker unreachable", "tracking-service unreachable"]
    });
    let coverage = answer::coverage(&partial);
    assert_eq!((&coverage["asked"], &coverage["answered"]), (&json!(4), &json!(2)), "{coverage}");
    assert_eq!(coverage["shortfalls"][0]["retryable"], true, "{coverage}");
    let nothing = call(&address, "search_codebase", json!({"query": "zebra"}));
    assert!(
        answer::text(&nothing["note"]).contains("unknown"),
        "an incomplete search must not report absence: {nothing}"
    );

    let port = back_address.strip_prefix("http://").expect("an address");
    let (_back, _) = worker(&data_back, port, &back);
    let again = search_until(&address, "complete again", answer::is_complete);
    assert_eq!(answer::places(&again), answer::places(&whole));
    assert_eq!(again["results"], whole["results"], "the same answer as before");
}

#[test]
fn worker_is_discovered_by_dns_name() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let org = folder.path().join("org");
    organisation::materialise(&org);
    let (_worker, worker_address) = worker(&folder.path().join("data"), "127.0.0.1:0", &[org.join("parcel-kit")]);
    let (_, port) = worker_address.rsplit_once(':').expect("an address");
    let (_gateway, address) = gateway(&[&format!("dns://localhost:{port}")]);
    search_until(&address, "found", |answer| finds(answer, IN_PARCEL_KIT));
}

/// Maximum duration of a walk, even if workers die.
const WALK_DEADLINE: Duration = Duration::from_secs(15);

/// Requests the context of an entity.
fn walk(gateway: &str, entity: &str) -> Value {
    let began = Instant::now();
    let arguments = json!({"entity": entity, "depth": 4, "format": "json", "token_budget": 10_000});
    let answer = call(gateway, "get_context", arguments);
    assert!(began.elapsed() < WALK_DEADLINE, "{:?}", began.elapsed());
    answer
}

/// Returns the entry of a repository among the projects of an answer.
fn project<'a>(answer: &'a Value, alias: &str) -> &'a Value {
    let projects = answer["projects"].as_array().expect("a list");
    projects.iter().find(|project| project["repo"] == alias).unwrap_or(&Value::Null)
}

#[test]
fn worker_killed_during_walks_affects_only_its_repositories() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let org = folder.path().join("org");
    organisation::materialise(&org);
    let half = |names: [&str; 2]| names.map(|name| org.join(name));
    let (front, back) = (half(["customer-portal", "parcel-kit"]), half(["notify-worker", "tracking-service"]));
    let (_front, front_address) = worker(&folder.path().join("front"), "127.0.0.1:0", &front);
    let data_back = folder.path().join("back");
    let (mut back_process, back_address) = worker(&data_back, "127.0.0.1:0", &back);
    let (_gateway, address) = gateway(&[&front_address, &back_address]);

    // The entity is in the front end; the code that it calls over HTTP is in the back end.
    let entity = "customer-portal//src/api/client.ts::TrackingClient.getParcel";
    search_until(&address, "complete", answer::is_complete);
    let whole = walk(&address, entity);
    assert!(answer::is_complete(&whole), "{whole}");
    assert_eq!(project(&whole, "tracking-service")["status"], "answered", "{whole}");
    let reaches = |answer: &Value, place: &str| answer.to_string().contains(place);
    assert!(reaches(&whole, "routes.go::api.getParcel") && reaches(&whole, "code.ts::parseParcelCode"), "{whole}");

    // Walks continue while the worker dies: each is answered, and reports what is missing.
    let (done, n_walks) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        let walking = || {
            while !done.load(Ordering::Relaxed) {
                let answer = walk(&address, entity);
                assert!(reaches(&answer, "code.ts::parseParcelCode"), "the rest is answered: {answer}");
                let is_whole = reaches(&answer, "routes.go::api.getParcel");
                assert!(is_whole || !answer::is_complete(&answer), "missing repositories are reported: {answer}");
                n_walks.fetch_add(1, Ordering::Relaxed);
            }
        };
        let walkers = [scope.spawn(walking), scope.spawn(walking)];
        let wait_for = |n: usize| {
            let began = Instant::now();
            let goes_on = || walkers.iter().all(|walker| !walker.is_finished()) && began.elapsed() < PATIENCE;
            while n_walks.load(Ordering::Relaxed) < n && goes_on() {
                thread::yield_now();
            }
        };
        wait_for(10);
        back_process.kill();
        wait_for(n_walks.load(Ordering::Relaxed) + 20);
        done.store(true, Ordering::Relaxed);
    });

    search_until(&address, "unreachable", |answer| answer::coverage(answer)["answered"] == 2);
    let partial = walk(&address, entity);
    let shortfalls = answer::shortfalls(&partial);
    assert!(shortfalls.iter().any(|short| short == "tracking-service unreachable"), "{partial}");
    assert!(reaches(&partial, "code.ts::parseParcelCode"), "{partial}");
    assert_eq!(project(&partial, "tracking-service")["status"], "unreachable", "{partial}");
    assert_eq!(project(&partial, "parcel-kit")["status"], "answered", "{partial}");
    let impact = call(&address, "get_impact", json!({"target": "parcel-kit//src/code.ts::parseParcelCode"}));
    assert!(!answer::is_complete(&impact) && reaches(&impact, "client.ts::TrackingClient.getParcel"), "{impact}");

    let port = back_address.strip_prefix("http://").expect("an address");
    let (_back, _) = worker(&data_back, port, &back);
    search_until(&address, "complete again", answer::is_complete);
    let began = Instant::now();
    let again = loop {
        let again = walk(&address, entity);
        if reaches(&again, "routes.go::api.getParcel") {
            break again;
        }
        assert!(began.elapsed() < PATIENCE, "never complete again: {again}");
    };
    for section in ["callers", "callees", "related", "hash"] {
        assert_eq!(again[section], whole[section], "the same answer as before");
    }
}

#[test]
fn gateway_discovers_workers_that_start_later() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let org = folder.path().join("org");
    organisation::materialise(&org);
    let names = organisation::REPOSITORIES.map(|name| org.join(name));
    // A port that was free a moment ago: without a listener there is no other way to know an address.
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let later = format!("http://{free}");
    let (_early, early_address) = worker(&folder.path().join("early"), "127.0.0.1:0", &names[..2]);
    let (_gateway, address) = gateway(&[&early_address, &later]);
    let partial = search_until(&address, "half there", |answer| answer::coverage(answer)["answered"] == 2);
    assert!(!answer::is_complete(&partial), "a worker that never connected is reported: {partial}");
    let (_later, _) = worker(&folder.path().join("later"), &free.to_string(), &names[2..]);
    let whole = search_until(&address, "complete", answer::is_complete);
    assert!(finds(&whole, IN_PARCEL_KIT) && finds(&whole, IN_TRACKING_SERVICE), "{whole}");
}
