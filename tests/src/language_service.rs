//! A fake of OpenAI's and Anthropic's text services, with scripted misbehaviour.
//!
//! It runs on the test's runtime. Its behaviour is set per request and can be changed while it runs. Behaviour that
//! must last until the test has observed it waits for [`LanguageService::release`].

mod protocol;
mod reply;

use std::{
    collections::VecDeque,
    convert::Infallible,
    fmt,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard},
};

use http_body_util::BodyExt as _;
use hyper::{Request, Response, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tempfile::NamedTempFile;
use tokio::{net::TcpListener, sync::Semaphore, task::JoinSet};
use tokio_util::sync::{CancellationToken, DropGuard};

pub use protocol::{INPUT_TOKENS, Protocol};
use reply::Body;

/// The only valid API key.
pub const KEY: &str = "sk-of-tests-and-of-nobody-else";

/// The name of its model.
pub const MODEL: &str = "writer";

/// Behaviour for one request.
#[derive(Clone)]
pub enum ServiceBehaviour {
    /// Streams the text in small pieces, with a proper end.
    Sound(String),
    /// Streams a text computed from the prompt.
    Answering(Arc<dyn Fn(&ReceivedRequest) -> String + Send + Sync>),
    /// Streams the text, and waits for a release before each piece.
    Gated(String),
    /// Streams the text with a length limit as the stop reason.
    Cut(String),
    /// Streams the text, then refuses.
    Refusing(String),
    /// Streams the first pieces, then closes the connection abnormally.
    Half {
        text: String,
        n_pieces: usize,
    },
    /// Streams the text, then closes the connection normally without an end event.
    Unended(String),
    /// Streams the text and its end, but no usage, and keeps the connection open.
    Lingering(String),
    /// Streams the first pieces, then an error event of this type.
    Faulty {
        text: String,
        n_pieces: usize,
        error: &'static str,
    },
    Status {
        status: u16,
        retry_after: Option<&'static str>,
        message: String,
    },
    /// Sends these bytes as an event stream.
    Raw(&'static str),
    /// Streams the same piece forever.
    Endless(&'static str),
    /// Sends one event of unbounded length.
    EndlessEvent,
    /// Accepts the request, and sends nothing until it is released.
    Silent,
}

/// A received request.
#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    pub protocol: Protocol,
    pub system: String,
    pub user: String,
    pub body: Value,
}

/// A service on this machine, until it is dropped.
pub struct LanguageService {
    address: SocketAddr,
    state: Arc<State>,
    key_file: NamedTempFile,
    _stops: DropGuard,
}

struct State {
    /// Behaviour for the next requests; the last one stays.
    behaviours: Mutex<VecDeque<ServiceBehaviour>>,
    requests: Mutex<Vec<ReceivedRequest>>,
    gate: Semaphore,
    /// Notified when a request arrives.
    arrivals: Semaphore,
}

impl LanguageService {
    /// Starts a service with a behaviour for each of the first requests; the last one stays.
    pub async fn start(behaviours: impl IntoIterator<Item = ServiceBehaviour>) -> LanguageService {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let key_file = NamedTempFile::new().expect("a file for the key");
        std::fs::write(key_file.path(), KEY).expect("the key is written");
        let state = Arc::new(State {
            behaviours: Mutex::new(behaviours.into_iter().collect()),
            requests: Mutex::default(),
            gate: Semaphore::new(0),
            arrivals: Semaphore::new(0),
        });
        let stop = CancellationToken::new();
        tokio::spawn(serve(listener, Arc::clone(&state), stop.clone()));
        LanguageService { address, state, key_file, _stops: stop.drop_guard() }
    }

    /// Sets the behaviour for the next requests; the last one stays.
    pub fn set(&self, behaviours: impl IntoIterator<Item = ServiceBehaviour>) {
        *lock(&self.state.behaviours) = behaviours.into_iter().collect();
    }

    /// Releases `n_pieces` waiting pieces or silent requests.
    pub fn release(&self, n_pieces: usize) {
        self.state.gate.add_permits(n_pieces);
    }

    /// Waits for the arrival of `n_requests` further requests.
    pub async fn arrived(&self, n_requests: u32) {
        self.state.arrivals.acquire_many(n_requests).await.expect("the semaphore is never closed").forget();
    }

    /// Returns and removes the received requests, including those without a valid key.
    pub fn take_requests(&self) -> Vec<ReceivedRequest> {
        std::mem::take(&mut *lock(&self.state.requests))
    }

    /// Returns the table of a gateway configuration for this service, to which keys may be appended.
    pub fn setting(&self, protocol: Protocol) -> String {
        format!("[answers.provider]\n{}", self.provider(protocol))
    }

    /// Returns the keys of that table.
    pub fn provider(&self, protocol: Protocol) -> String {
        let (kind, url, key) = (protocol.name(), self.url(), self.key_file.path().display());
        format!("kind = '{kind}'\nurl = '{url}'\nmodel = '{MODEL}'\nkey_file = '{key}'\n")
    }

    /// Returns the base URL of both protocols.
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }
}

async fn serve(listener: TcpListener, state: Arc<State>, stop: CancellationToken) {
    // Dropped with the listener, so no connection outlives the service.
    let mut connections = JoinSet::new();
    while let Some(Ok((stream, _))) = stop.run_until_cancelled(listener.accept()).await {
        let state = Arc::clone(&state);
        let answer = service_fn(move |request| answer(Arc::clone(&state), request));
        // A client that disconnects is irrelevant to the tests.
        connections
            .spawn(async move { _ = http1::Builder::new().serve_connection(TokioIo::new(stream), answer).await });
    }
}

async fn answer(state: Arc<State>, request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
    let Some(protocol) = Protocol::of_path(request.uri().path()) else {
        return Ok(reply::status(404, None, "no such path"));
    };
    let has_key = protocol.has_key(request.headers(), KEY);
    let body = request.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let Some(received) = protocol.read(&body) else {
        return Ok(reply::status(400, None, "the request was not understood"));
    };
    lock(&state.requests).push(received.clone());
    state.arrivals.add_permits(1);
    if !has_key {
        return Ok(reply::status(401, None, &format!("the key is not {KEY}")));
    }
    let behaviour = {
        let mut behaviours = lock(&state.behaviours);
        if behaviours.len() > 1 { behaviours.pop_front() } else { behaviours.front().cloned() }
    };
    let behaviour = behaviour.expect("a test sets a behaviour");
    Ok(reply::to(&received, behaviour, state).await)
}

impl fmt::Debug for ServiceBehaviour {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServiceBehaviour::Sound(text) => write!(formatter, "Sound({text:?})"),
            ServiceBehaviour::Answering(_) => write!(formatter, "Answering"),
            ServiceBehaviour::Gated(text) => write!(formatter, "Gated({text:?})"),
            ServiceBehaviour::Cut(text) => write!(formatter, "Cut({text:?})"),
            ServiceBehaviour::Refusing(text) => write!(formatter, "Refusing({text:?})"),
            ServiceBehaviour::Half { n_pieces, .. } => write!(formatter, "Half after {n_pieces}"),
            ServiceBehaviour::Unended(text) => write!(formatter, "Unended({text:?})"),
            ServiceBehaviour::Lingering(text) => write!(formatter, "Lingering({text:?})"),
            ServiceBehaviour::Faulty { n_pieces, error, .. } => write!(formatter, "Faulty({error}) after {n_pieces}"),
            ServiceBehaviour::Status { status, retry_after, .. } => {
                write!(formatter, "Status({status}, {retry_after:?})")
            }
            ServiceBehaviour::Raw(raw) => write!(formatter, "Raw({raw:?})"),
            ServiceBehaviour::Endless(piece) => write!(formatter, "Endless({piece:?})"),
            ServiceBehaviour::EndlessEvent => write!(formatter, "EndlessEvent"),
            ServiceBehaviour::Silent => write!(formatter, "Silent"),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no holder of this lock panics")
}
