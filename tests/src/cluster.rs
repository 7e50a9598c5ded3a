//! A cluster of real processes on this machine: workers, gateways, and callers that never stop asking.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tonic::transport::{Channel, Endpoint};

use crate::{
    PATIENCE, answer, federation,
    http::{OF_MCP, request},
    process::{Running, causeway},
};

/// Starts a worker at an address of this machine, and waits until it has indexed all that it holds.
pub fn worker(data: &Path, listen: &str, roots: &[PathBuf]) -> (Running, String) {
    configured_worker(data, listen, roots, |_| {})
}

/// Does the same with more on its command line and in its environment.
pub fn configured_worker(
    data: &Path,
    listen: &str,
    roots: &[PathBuf],
    configure: impl FnOnce(&mut Command),
) -> (Running, String) {
    let options =
        [OsStr::new("--data"), data.as_os_str(), OsStr::new("worker"), OsStr::new("--listen"), OsStr::new(listen)];
    let mut command = causeway(options.into_iter().chain(roots.iter().map(|root| root.as_os_str())));
    configure(&mut command);
    let mut worker = Running::start(command);
    let address = worker.wait_for_address();
    let threads = tokio::runtime::Runtime::new().expect("threads can be started");
    let statuses = threads.block_on(async { federation::idle(connected(&address).await).await });
    assert!(statuses.iter().all(|status| status.error.is_empty()), "{statuses:?}");
    (worker, address)
}

/// Returns a connection to a worker.
pub async fn connected(address: &str) -> Channel {
    Endpoint::from_shared(address.to_owned()).expect("an address").connect().await.expect("it listens")
}

pub fn gateway(workers: &[&str]) -> (Running, String) {
    configured_gateway(workers, |_| {})
}

/// Starts a gateway with more on its command line and in its environment.
pub fn configured_gateway(workers: &[&str], configure: impl FnOnce(&mut Command)) -> (Running, String) {
    let listen = ["gateway", "--listen", "127.0.0.1:0"];
    let workers = workers.iter().flat_map(|worker| ["--worker", worker]);
    let mut command = causeway(listen.into_iter().chain(workers));
    configure(&mut command);
    let mut gateway = Running::start(command);
    let address = gateway.wait_for_address();
    (gateway, address)
}

/// Sends one HTTP request as a client of MCP does, and returns the status and the body of what comes back.
pub fn http(address: &str, head: &str, body: &str) -> (u16, String) {
    request(address, head, &OF_MCP, body)
}

/// Calls a tool as a client does, without a session.
pub fn call(gateway: &str, tool: &str, arguments: Value) -> Value {
    call_within(gateway, tool, arguments, &Value::Null)
}

/// Does the same with a `_meta` of the client, such as the trace that it works in.
pub fn call_within(gateway: &str, tool: &str, arguments: Value, meta: &Value) -> Value {
    let mut params = json!({"name": tool, "arguments": arguments});
    if !meta.is_null() {
        params["_meta"] = meta.clone();
    }
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let (status, body) = http(gateway, "POST /mcp", &message.to_string());
    assert_eq!(status, 200, "{body}");
    let reply: Value = serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error}: {body}"));
    let answer = reply["result"]["structuredContent"].clone();
    assert!(answer.is_object(), "{body}");
    answer
}

/// Searches over all repositories until everybody answers.
pub fn search_until_complete(gateway: &str, query: &str) -> Value {
    let began = Instant::now();
    loop {
        let found = call(gateway, "search_codebase", json!({"query": query, "repo": "all", "limit": 10}));
        if answer::is_complete(&found) {
            return found;
        }
        assert!(began.elapsed() < PATIENCE, "never complete: {found}");
    }
}

/// What came of calls that were made while something happened to the cluster.
#[derive(Debug, Default)]
pub struct Load {
    /// How long each call took.
    pub took: Vec<Duration>,
    /// Answers that some repository was missing from.
    pub partial: Vec<Value>,
}

impl Load {
    /// Returns how long the slowest call took.
    pub fn slowest(&self) -> Duration {
        self.took.iter().max().copied().unwrap_or_default()
    }
}

/// Searches through every gateway without a pause while `meanwhile` runs, which is given a way to wait until so many more
/// calls have been answered. A call that fails panics.
pub fn under_load(gateways: &[&str], query: &str, meanwhile: impl FnOnce(&dyn Fn(usize))) -> Load {
    let (load, is_over, n_calls) = (Mutex::new(Load::default()), AtomicBool::new(false), AtomicUsize::new(0));
    let asking = |gateway: &str| {
        while !is_over.load(Ordering::Relaxed) {
            let began = Instant::now();
            let found = call(gateway, "search_codebase", json!({"query": query, "limit": 5}));
            let mut load = load.lock().expect("no caller panics with it");
            load.took.push(began.elapsed());
            if !answer::is_complete(&found) {
                load.partial.push(found);
            }
            n_calls.fetch_add(1, Ordering::Relaxed);
        }
    };
    thread::scope(|scope| {
        let callers: Vec<_> = gateways.iter().map(|gateway| scope.spawn(|| asking(gateway))).collect();
        let wait_for = |n_more: usize| {
            let wanted = n_calls.load(Ordering::Relaxed) + n_more;
            let began = Instant::now();
            let goes_on = || callers.iter().all(|caller| !caller.is_finished()) && began.elapsed() < PATIENCE;
            while n_calls.load(Ordering::Relaxed) < wanted && goes_on() {
                thread::yield_now();
            }
        };
        meanwhile(&wait_for);
        is_over.store(true, Ordering::Relaxed);
    });
    load.into_inner().expect("no caller panicked with it")
}

/// Sends a process a signal, by the program that everybody has for it.
pub fn signal(process: &Running, name: &str) {
    let sent = std::process::Command::new("kill").args([&format!("-{name}"), &process.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()), "{name} can be sent");
}
