//! The gateway server: MCP and HTTP in front of the tools, with configuration, authentication, metrics and the audit
//! log.
//!
//! A call passes through the modules in one direction: `http` or `mcp` receives it, `access` authenticates the caller,
//! [`tools::invoke`] answers it, and `metrics` and `audit` record it. In reading order: configuration (`config`),
//! callers (`access`), transports (`mcp`, `http`, with `resources`, `prompts` and `webhooks`), and records (`audit`,
//! `metrics`).
//!
//! The crate deliberately knows neither how a question is answered (`tools`) nor the location of a repository
//! (`federation`).
//!
//! ```
//! use federation::{discovery::WorkerSource, principal::Principal};
//! use gateway::{Gateway, GatewayConfig};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let gateway = Gateway::start(GatewayConfig::laptop(), Vec::<WorkerSource>::new());
//! let result = gateway.call(&Principal::local(), "list_repos", json!({})).await;
//! assert!(!result.is_error);
//! gateway.shutdown().await;
//! # }
//! ```

#![warn(missing_docs)]

use std::{any::Any, future::Future, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use caller_places::CallerPlaces;
use discovery::WorkerSource;
use federation::{
    Federation, client_views::ClientViews, discovery, fan_out::SOFT_DEADLINE, overlay::OverlaySettings,
    principal::Principal, refusal::Refusal,
};
use futures::FutureExt as _;
use runtime::trace::{self, TraceContext};
use serde_json::Value;
use state_hashes::StateHashes;
use tokio::{net::TcpListener, time::Instant};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tools::{Invocation, ToolResult, Toolbox, progress::Progress, queried_repos::QueriedRepos, render::RenderedAnswer};
use tracing::{Instrument as _, field};

mod access;
mod audit;
mod caller_places;
mod config;
mod http;
mod mcp;
mod metrics;
mod prompts;
mod resources;
mod state_hashes;
#[cfg(test)]
mod tests;
mod usage;
mod web;
mod webhooks;

pub use access::{
    AccessError, AccessSettings, LimitSettings, OAuthError, OAuthSettings, RuleSettings, SignInSettings, TokenSettings,
};
pub use config::{AnswersSettings, ConfigError, DEFAULT_LISTEN, GatewayConfig, GatewaySettings, ServedViews};
pub use http::Readiness;
pub use mcp::{Profile, StdioError};
pub use webhooks::WebhooksSettings;

/// A running gateway. It watches its workers until shutdown or drop.
pub struct Gateway {
    core: Arc<Core>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

/// State that all calls share.
pub(crate) struct Core {
    pub(crate) config: GatewayConfig,
    pub(crate) toolbox: Toolbox,
    pub(crate) metrics: metrics::Metrics,
    /// Cancelled when every worker has sent its inventory, or its deadline is over.
    pub(crate) has_workers: CancellationToken,
    pub(crate) auth_failures: audit::AuthFailures,
    /// Cancelled when the gateway is about to stop.
    pub(crate) draining: CancellationToken,
    /// The calls since the start, for their page.
    pub(crate) usage: usage::UsageRecorder,
    /// The places of open event streams.
    pub(crate) event_streams: CallerPlaces,
    /// The states that event streams compare.
    pub(crate) state_hashes: StateHashes,
}

impl Gateway {
    /// Starts a gateway that watches `workers`. Must be called within a tokio runtime.
    pub fn start<W: Into<WorkerSource>>(config: GatewayConfig, workers: Vec<W>) -> Gateway {
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        let sources = workers.into_iter().map(Into::into).collect();
        let (grant_keys, embedder) = (config.grant_keys.clone(), Arc::clone(&config.embedder));
        let link_folder = config.state.as_deref().map(|state| state.join("links"));
        let links = OverlaySettings { folder: link_folder, rules: config.link_rules.clone() };
        let federation = Federation::start(sources, grant_keys, embedder, config.vector_deadline, links, &tasks, &stop);
        let workers = Arc::clone(&federation.workers);
        if let Some(oauth) = config.access.oauth() {
            tasks.spawn(stop.clone().run_until_cancelled_owned(oauth.refresh_keys()));
        }
        let has_workers = CancellationToken::new();
        let (watched, has_workers_token) = (Arc::clone(&workers), has_workers.clone());
        tasks.spawn(stop.clone().run_until_cancelled_owned(async move {
            watched.wait_for_inventories(SETTLE_DEADLINE).await;
            has_workers_token.cancel();
        }));
        let warning = access::warn_of_duplicates(config.access.clone(), Arc::clone(&workers));
        tasks.spawn(stop.clone().run_until_cancelled_owned(warning));
        let metrics = metrics::Metrics::new(&workers.known().connections.rpcs);
        let toolbox = Toolbox::new(federation, config.state.as_deref(), config.provider.clone(), config.context_depth);
        let event_streams = web::stream_places(config.access.is_open());
        let core = Core {
            config,
            toolbox,
            metrics,
            has_workers,
            auth_failures: audit::AuthFailures::default(),
            draining: CancellationToken::new(),
            usage: usage::UsageRecorder::default(),
            event_streams,
            state_hashes: StateHashes::default(),
        };
        Gateway { core: Arc::new(core), tasks, stop }
    }

    /// Returns true if tasks and feedback of agents survive a restart.
    pub fn has_persistent_memory(&self) -> bool {
        self.core.toolbox.memory.is_on_disk()
    }

    /// Returns the id of the model that writes answers, such as `openai:gpt-5-mini`; `None` if answers are extractive.
    pub fn answer_model(&self) -> Option<&str> {
        self.core.toolbox.provider.as_ref().map(|provider| provider.id())
    }

    /// Waits until every worker has sent its inventory. Returns false on timeout.
    pub async fn wait_for_workers(&self, timeout: Duration) -> bool {
        self.core.workers().wait_for_inventories(timeout).await
    }

    /// Returns the readiness.
    pub fn readiness(&self) -> Readiness {
        self.core.readiness()
    }

    /// Calls a tool on behalf of `principal`.
    pub async fn call(&self, principal: &Principal, tool: &str, arguments: Value) -> ToolResult {
        let views = ClientViews::default();
        self.core.call(principal, tool, arguments, &views, None, Progress::default()).await
    }

    /// Serves MCP, health and metrics until `shutdown` completes and the requests in flight are answered.
    pub async fn serve_http(
        &self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> std::io::Result<()> {
        http::serve(Arc::clone(&self.core), listener, shutdown).await
    }

    /// Serves health and metrics to operators forever.
    pub async fn serve_operators(&self, listener: TcpListener) {
        http::serve_operators(Arc::clone(&self.core), listener).await;
    }

    /// Serves MCP over standard input and output until the client closes them. The client can read all repositories.
    /// `profile` selects the listed tools.
    pub async fn serve_stdio(&self, profile: Profile) -> Result<(), StdioError> {
        mcp::serve_stdio(Arc::clone(&self.core), profile).await
    }

    /// Stops the background tasks and flushes memory to disk, within a deadline.
    pub async fn shutdown(self) {
        self.stop.cancel();
        self.tasks.close();
        let core = Arc::clone(&self.core);
        let ending = async {
            self.tasks.wait().await;
            tokio::task::spawn_blocking(move || core.toolbox.memory.flush()).await
        };
        match tokio::time::timeout(SHUTDOWN_DEADLINE, ending).await {
            Ok(flushed) => flushed.expect("flushing does not panic, and nothing cancels it"),
            Err(_) => {
                tracing::warn!("background tasks or writes to the state folder did not end in time, and are aborted")
            }
        }
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Core {
    pub(crate) fn workers(&self) -> &Arc<discovery::Workers> {
        &self.toolbox.federation.workers
    }

    /// Calls a tool for a program.
    pub(crate) async fn call(
        &self,
        principal: &Principal,
        tool: &str,
        arguments: Value,
        views: &ClientViews,
        parent: Option<TraceContext>,
        progress: Progress,
    ) -> ToolResult {
        let link_patience = SOFT_DEADLINE;
        self.run(CoreCall { principal, tool, arguments, views, parent, progress, link_patience }).await
    }

    /// Calls a tool for a page: a person sees what is known, with a note, rather than to wait for links.
    pub(crate) async fn call_for_page(&self, principal: &Principal, tool: &str, arguments: Value) -> ToolResult {
        let (views, progress, link_patience) = (ClientViews::default(), Progress::default(), LINK_PATIENCE_OF_PAGES);
        let views = &views;
        self.run(CoreCall { principal, tool, arguments, views, parent: None, progress, link_patience }).await
    }

    /// Calls a tool and records the call. A panic of a tool fails only this call. Dropping the future cancels its calls to workers.
    async fn run(&self, call: CoreCall<'_>) -> ToolResult {
        let CoreCall { principal, tool, arguments, views, parent, progress, link_patience } = call;
        let started = Instant::now();
        let _in_flight = self.metrics.begin_call();
        let span = tracing::info_span!(
            target: trace::ROOT,
            "call",
            otel.kind = "server",
            tool,
            trace_id = field::Empty,
            outcome = field::Empty,
        );
        let context = trace::join(&span, parent);
        let trace_id = context.trace_id();
        let (id, progress) = (trace_id.as_str(), &progress);
        let invocation =
            Invocation { principal, tool, arguments, views, trace_id: id, started, progress, link_patience };
        let invoking = trace::scope(context, tools::invoke(&self.toolbox, invocation)).instrument(span.clone());
        let invoked = AssertUnwindSafe(invoking).catch_unwind().await;
        let span = span.entered();
        let (outcome, queried, result) = match invoked {
            Ok(Ok(invoked)) => {
                self.metrics.record_shortfalls(&invoked.shortfalls);
                let outcome =
                    if invoked.is_complete { metrics::Outcome::Complete } else { metrics::Outcome::Incomplete };
                (outcome, invoked.queried, invoked.answer.map_or_else(to_error, to_result))
            }
            Ok(Err(refusal)) => (metrics::Outcome::Refused, QueriedRepos::Nothing, to_error(refusal)),
            Err(panic) => {
                tracing::error!(tool, trace_id, message = panic_message(&*panic), "a tool panicked");
                let text = format!(
                    "internal error of the gateway, not of the request; report it with the trace id {trace_id}"
                );
                (metrics::Outcome::Defect, QueriedRepos::Nothing, ToolResult::error(text))
            }
        };
        span.record("outcome", field::debug(outcome));
        self.metrics.record(tool, outcome, started.elapsed());
        self.usage.record(principal, tool, outcome, started.elapsed(), &trace_id);
        audit::record(&audit::AuditedCall {
            principal,
            tool,
            queried: &queried,
            outcome,
            trace_id: &trace_id,
            elapsed: started.elapsed(),
        });
        result
    }
}

/// A call of a tool, with what its client is told and waits for.
struct CoreCall<'a> {
    principal: &'a Principal,
    tool: &'a str,
    arguments: Value,
    views: &'a ClientViews,
    parent: Option<TraceContext>,
    progress: Progress,
    link_patience: Duration,
}

/// Maximum wait of a page for links that are being resolved. The links of a few repositories are known by then.
const LINK_PATIENCE_OF_PAGES: Duration = Duration::from_millis(150);

/// Maximum time between start and readiness: somewhat longer than healthy workers need for a connection and their
/// inventory.
const SETTLE_DEADLINE: Duration = Duration::from_secs(3);

/// Maximum time for background tasks to end and for the state folder to be flushed. The store has the same deadline for a flush.
const SHUTDOWN_DEADLINE: Duration = Duration::from_secs(5);

fn to_result(rendered: RenderedAnswer) -> ToolResult {
    ToolResult { text: rendered.text, structured: rendered.structured, is_error: false }
}

fn to_error(refusal: Refusal) -> ToolResult {
    ToolResult::error(refusal.to_string())
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
