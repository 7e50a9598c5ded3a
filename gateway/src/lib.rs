//! The gateway: one MCP endpoint in front of every worker.
//!
//! A question runs in a straight line: `plan -> fan_out -> merge -> fetch -> pack -> render`. `plan`, `merge`, `pack`
//! and `render` are pure; what talks to workers is `discovery`, `fan_out` and `fetch`, what talks to clients `mcp`
//! and `http`. A worker or repository that does not answer is a value that travels along, never an error.
//!
//! In reading order: who may ask (`config`, `access`), whom to ask (`discovery`, `connection`, `directory`), the straight line
//! (`call`, `plan`, `fan_out`, `replies`, `statistics`, `typo`, `meaning`, `retrieval`, `merge`, `fetch`, `pack`, `render`, `meta`), the tools, `resources` and `prompts`, and the
//! ways in (`mcp`, `http`, `metrics`, `webhooks`). The gateway deliberately knows nothing of git, of syntax or of an index, and
//! reads no file of a repository.

use std::{any::Any, future::Future, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures::FutureExt as _;
use model::ShardState;
use runtime::trace::{self, TraceContext};
use serde_json::Value;
use tokio::{net::TcpListener, time::Instant};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tracing::{Instrument as _, field};

mod access;
mod addressed;
mod arguments;
mod audit;
mod call;
mod config;
mod connection;
mod cursor;
mod directory;
mod discovery;
mod entity;
mod fan_out;
mod fetch;
mod grants;
mod http;
mod instant;
mod limits;
mod mcp;
mod meaning;
mod memory;
mod merge;
mod meta;
mod metrics;
mod nearest;
mod nearness;
mod nodes;
mod on_partial;
mod overlay;
mod pack;
mod plan;
mod progress;
mod prompts;
mod recent;
mod refusal;
mod render;
mod replies;
mod resources;
mod retrieval;
mod schema;
mod scope;
mod single_flight;
mod statistics;
mod symbol_ref;
#[cfg(test)]
mod tests;
mod together;
mod tools;
mod typo;
mod walk;
mod webhooks;

pub use access::{LimitSettings, OAuthError, OAuthSettings, Principal, RuleSettings, TokenSettings};
pub use config::{AccessSettings, AnswersSettings, Config, ConfigError, DEFAULT_LISTEN, Settings};
pub use discovery::{WorkerEndpoint, WorkerSource};
pub use fan_out::{HARD_DEADLINE, SOFT_DEADLINE};
pub use http::Readiness;
pub use mcp::StdioError;
pub use tools::ToolResult;
pub use webhooks::WebhooksSettings;

use on_partial::OnPartial;
use progress::Progress;
use render::Rendered;

/// A running gateway. It watches its workers until it is shut down or dropped.
pub struct Gateway {
    core: Arc<Core>,
    tasks: TaskTracker,
    stop: CancellationToken,
}

/// What every call shares.
pub(crate) struct Core {
    pub(crate) config: Config,
    pub(crate) federation: Arc<discovery::Federation>,
    pub(crate) statistics: statistics::StatisticsCache,
    pub(crate) model: meaning::QueryModel,
    pub(crate) overlay: overlay::OverlayCache,
    pub(crate) activity: together::ActivityCache,
    pub(crate) memory: memory::Memory,
    /// Answers that are being written.
    pub(crate) answering: single_flight::SingleFlight<tools::get_answer::Kept>,
    /// The model that writes answers, where one is configured.
    pub(crate) provider: Option<Arc<provider::Provider>>,
    pub(crate) metrics: metrics::Metrics,
    /// Cancelled once every worker has said what it holds, or had the time for it.
    pub(crate) settled: CancellationToken,
    pub(crate) refusals: audit::Refusals,
    /// Cancelled when it is about to stop.
    pub(crate) draining: CancellationToken,
}

impl Gateway {
    /// Starts to watch `workers`. Must be called within a tokio runtime.
    pub fn start<W: Into<WorkerSource>>(config: Config, workers: Vec<W>) -> Gateway {
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        let grants = grants::Grants::new(config.grant_keys.clone());
        let sources = workers.into_iter().map(Into::into).collect();
        let federation = discovery::Federation::watch(sources, grants, &tasks, &stop);
        if let Some(oauth) = config.access.oauth() {
            tasks.spawn(stop.clone().run_until_cancelled_owned(oauth.keep_keys()));
        }
        let settled = CancellationToken::new();
        let (settling, of_settled) = (Arc::clone(&federation), settled.clone());
        tasks.spawn(stop.clone().run_until_cancelled_owned(async move {
            settling.settled(TIME_TO_SETTLE).await;
            of_settled.cancel();
        }));
        let warning = access::keep_warning(config.access.clone(), Arc::clone(&federation));
        tasks.spawn(stop.clone().run_until_cancelled_owned(warning));
        let memory = memory::Memory::open(config.state.as_deref());
        let provider = config.provider.clone().map(|provider| Arc::new(memory.keep_spending(provider)));
        let model = meaning::QueryModel::new(Arc::clone(&config.embedder), config.vector_deadline);
        let metrics = metrics::Metrics::of(&federation.known().connections.rpcs);
        let core = Core {
            config,
            federation,
            statistics: statistics::cache(),
            model,
            overlay: overlay::OverlayCache::default(),
            activity: together::ActivityCache::default(),
            memory,
            answering: single_flight::SingleFlight::default(),
            provider,
            metrics,
            settled,
            refusals: audit::Refusals::default(),
            draining: CancellationToken::new(),
        };
        Gateway { core: Arc::new(core), tasks, stop }
    }

    /// Says whether tasks and feedback of agents outlive this process.
    pub fn remembers_on_disk(&self) -> bool {
        self.core.memory.is_on_disk()
    }

    /// Returns the model that writes answers, such as `openai:gpt-5-mini`; none, if they are put together from what is found.
    pub fn answers_by(&self) -> Option<&str> {
        self.core.provider.as_ref().map(|provider| provider.id())
    }

    /// Waits until every worker has said what it holds; says whether that came about within `timeout`.
    pub async fn settled(&self, timeout: Duration) -> bool {
        self.core.federation.settled(timeout).await
    }

    /// Returns whether requests can be answered, and what is missing.
    pub fn readiness(&self) -> Readiness {
        self.core.readiness()
    }

    /// Calls a tool as a client would.
    pub async fn call(&self, principal: &Principal, tool: &str, arguments: Value) -> ToolResult {
        self.core.call(principal, tool, arguments, None, Progress::default()).await
    }

    /// Serves MCP, health and metrics until `shutdown` is done and the requests in flight have been answered.
    pub async fn serve_http(
        &self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()> + Send + 'static,
    ) -> std::io::Result<()> {
        http::serve(Arc::clone(&self.core), listener, shutdown).await
    }

    /// Serves health and metrics to operators, for ever.
    pub async fn serve_operators(&self, listener: TcpListener) {
        http::serve_operators(Arc::clone(&self.core), listener).await;
    }

    /// Serves MCP over standard input and output until the client closes them. Everything exists for the client.
    pub async fn serve_stdio(&self) -> Result<(), StdioError> {
        mcp::serve_stdio(Arc::clone(&self.core)).await
    }

    /// Ends what the gateway runs by itself, and puts on disk what it is to remember.
    pub async fn shutdown(self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        let core = Arc::clone(&self.core);
        let flushed = tokio::task::spawn_blocking(move || core.memory.flush()).await;
        flushed.expect("flushing is total, and nobody cancels it");
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Core {
    /// Calls a tool. A defect in one costs the call, not the process. Dropping the future cancels all it asked for.
    pub(crate) async fn call(
        &self,
        principal: &Principal,
        tool: &str,
        arguments: Value,
        parent: Option<TraceContext>,
        progress: Progress,
    ) -> ToolResult {
        let began = Instant::now();
        let _in_flight = self.metrics.call();
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
        let answering = self.answer(principal, tool, arguments, &trace_id, began, &progress);
        let answering = trace::scope(context, answering).instrument(span.clone());
        let answered = AssertUnwindSafe(answering).catch_unwind().await;
        let span = span.entered();
        let Answered { outcome, scope, result } = answered.unwrap_or_else(|panic| {
            tracing::error!(tool, trace_id, message = panic_message(&*panic), "a tool panicked");
            let text = format!("this is a defect of the gateway, not of the request; its trace id is {trace_id}");
            Answered::without(metrics::Outcome::Defect, text)
        });
        span.record("outcome", field::debug(outcome));
        self.metrics.record(tool, outcome, began.elapsed());
        audit::tell(&audit::Call {
            principal,
            tool,
            scope: &scope,
            outcome,
            trace_id: &trace_id,
            elapsed: began.elapsed(),
        });
        result
    }

    async fn answer(
        &self,
        principal: &Principal,
        tool: &str,
        mut arguments: Value,
        trace_id: &str,
        began: Instant,
        progress: &Progress,
    ) -> Answered {
        let refused = |refusal: refusal::Refusal| Answered::without(metrics::Outcome::Refused, refusal.to_string());
        let tool = match tools::find(tool) {
            Ok(tool) => tool,
            Err(refusal) => return refused(refusal),
        };
        let on_partial = match OnPartial::take(&mut arguments) {
            Ok(on_partial) => on_partial,
            Err(refusal) => return refused(refusal),
        };
        let call = call::Call::new(self, principal, began).telling(progress.clone());
        let mut answered = (tool.run)(&call, arguments.clone()).await;
        // A generation that was published in between takes the place of the one asked for: asked once more, the
        // question meets the new one.
        let is_stale = answered.as_ref().is_ok_and(|rendered| rendered.shortfalls.contains(&ShardState::Stale));
        if is_stale && self.federation.moved_on(&call.visible.directory, PUBLICATION_LAG).await {
            let call = call::Call::new(self, principal, began).telling(progress.clone());
            answered = (tool.run)(&call, arguments).await;
        }
        match answered {
            Ok(mut rendered) => {
                meta::stamp(&mut rendered, began.elapsed(), trace_id);
                self.metrics.record_shortfalls(&rendered.shortfalls);
                let outcome =
                    if rendered.is_complete { metrics::Outcome::Complete } else { metrics::Outcome::Incomplete };
                let scope = std::mem::take(&mut rendered.scope);
                let result = match on_partial.apply(rendered) {
                    Ok(Rendered { text, structured, .. }) => ToolResult { text, structured, is_error: false },
                    Err(refusal) => ToolResult::error(refusal.to_string()),
                };
                Answered { outcome, scope, result }
            }
            Err(refusal) => refused(refusal),
        }
    }
}

/// How long a gateway that has just started waits for workers before it says that it is ready: somewhat longer than sound ones
/// take to be reached and to say what they hold.
const TIME_TO_SETTLE: Duration = Duration::from_secs(3);

/// A call that has been answered, and what was asked for it.
struct Answered {
    outcome: metrics::Outcome,
    scope: audit::Scope,
    result: ToolResult,
}

impl Answered {
    /// Returns an error for which nothing was asked.
    fn without(outcome: metrics::Outcome, text: String) -> Answered {
        Answered { outcome, scope: audit::Scope::Nothing, result: ToolResult::error(text) }
    }
}

/// How long an inventory may lag behind the generation that it announces.
const PUBLICATION_LAG: Duration = Duration::from_millis(100);

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}
