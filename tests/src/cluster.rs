//! A cluster of real processes on this machine, and load for it.

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

/// Starts a worker, and waits until it has indexed its repositories.
pub fn worker(data: &Path, listen: &str, roots: &[PathBuf]) -> (Running, String) {
    configured_worker(data, listen, roots, |_| {})
}

/// Starts a worker with additional arguments or environment variables.
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

/// Connects to a worker.
pub async fn connected(address: &str) -> Channel {
    Endpoint::from_shared(address.to_owned()).expect("an address").connect().await.expect("it listens")
}

pub fn gateway(workers: &[&str]) -> (Running, String) {
    configured_gateway(workers, |_| {})
}

/// Starts a gateway with additional arguments or environment variables.
pub fn configured_gateway(workers: &[&str], configure: impl FnOnce(&mut Command)) -> (Running, String) {
    let listen = ["gateway", "--listen", "127.0.0.1:0"];
    let workers = workers.iter().flat_map(|worker| ["--worker", worker]);
    let mut command = causeway(listen.into_iter().chain(workers));
    configure(&mut command);
    let mut gateway = Running::start(command);
    let address = gateway.wait_for_address();
    (gateway, address)
}

/// Sends an HTTP request of an MCP client, and returns status and body.
pub fn http(address: &str, head: &str, body: &str) -> (u16, String) {
    request(address, head, &OF_MCP, body)
}

/// Calls a tool without a session.
pub fn call(gateway: &str, tool: &str, arguments: Value) -> Value {
    call_within(gateway, tool, arguments, &Value::Null)
}

/// Calls a tool with a `_meta`, such as a trace context.
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

/// Searches all repositories until the answer is complete.
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

/// Measurements of calls during an event.
#[derive(Debug, Default)]
pub struct Load {
    /// Latency of each call.
    pub took: Vec<Duration>,
    /// Incomplete answers.
    pub partial: Vec<Value>,
}

impl Load {
    /// Returns the maximum latency.
    pub fn slowest(&self) -> Duration {
        self.took.iter().max().copied().unwrap_or_default()
    }
}

/// Searches continuously through all gateways while `meanwhile` runs. It receives a function that waits until so many
/// more calls were answered. A failed call panics.
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
            let target = n_calls.load(Ordering::Relaxed) + n_more;
            let began = Instant::now();
            let goes_on = || callers.iter().all(|caller| !caller.is_finished()) && began.elapsed() < PATIENCE;
            while n_calls.load(Ordering::Relaxed) < target && goes_on() {
                thread::yield_now();
            }
        };
        meanwhile(&wait_for);
        is_over.store(true, Ordering::Relaxed);
    });
    load.into_inner().expect("no caller panicked with it")
}

/// Sends a signal to a process, by `kill`.
pub fn signal(process: &Running, name: &str) {
    let sent = std::process::Command::new("kill").args([&format!("-{name}"), &process.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()), "{name} can be sent");
}
