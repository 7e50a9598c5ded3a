//! Destinations of events and spans. Events go to standard error only, since standard output belongs to answers and to
//! MCP. Spans go to a collector if one is configured.

mod export;
mod json;
mod log_queue;

use std::{
    backtrace::{Backtrace, BacktraceStatus},
    io::{IsTerminal as _, Write as _},
    panic,
    sync::OnceLock,
    thread,
    time::Duration,
};

use log_queue::{LineKind, LogQueue, LostLines, UnlockedStderr};

use opentelemetry::trace::TracerProvider as _;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing_subscriber::{
    EnvFilter, Layer, Registry, filter::LevelFilter, filter::Targets, fmt, fmt::format::JsonFields,
    fmt::writer::BoxMakeWriter, layer::SubscriberExt, util::SubscriberInitExt,
};

use crate::trace;

/// Environment variable with the filter of logged events, in the syntax of `tracing_subscriber::EnvFilter`.
pub const LOG_VARIABLE: &str = "CAUSEWAY_LOG";

/// Environment variable with the log format: `text` or `json`.
pub const LOG_FORMAT_VARIABLE: &str = "CAUSEWAY_LOG_FORMAT";

/// Libraries that log errors which they also return, or details for their authors, such as each response that a client did not wait for.
/// A separate directive (`CAUSEWAY_LOG=sled=debug`) enables them.
const QUIET_LIBRARIES: &str = "sled=off,rmcp::service=off";

/// Targets whose spans are exported. Spans of libraries are numerous and would include those of the exporter itself.
const OWN_TARGETS: [&str; 7] = ["causeway", "federation", "gateway", "provider", "runtime", "tools", "worker"];

/// Deadline of the last export when the process ends, and of the last lines of the log.
const FLUSH_DEADLINE: Duration = Duration::from_secs(2);

/// Target of audit events: who requested what of which repositories.
pub const AUDIT_TARGET: &str = "causeway::audit";

/// Audit events are always logged unless `causeway::audit=off`.
const AUDIT_DIRECTIVE: &str = "causeway::audit=info";

/// Format of log lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// Human-readable lines.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

impl LogFormat {
    /// Returns the format that the environment requests. Fails for an unknown name.
    pub fn from_environment() -> anyhow::Result<LogFormat> {
        std::env::var(LOG_FORMAT_VARIABLE).ok().as_deref().map_or(Ok(LogFormat::Text), LogFormat::parse)
    }

    fn parse(text: &str) -> anyhow::Result<LogFormat> {
        match text {
            "" | "text" => Ok(LogFormat::Text),
            "json" => Ok(LogFormat::Json),
            other => anyhow::bail!("{LOG_FORMAT_VARIABLE} is `{other}`: set it to `text` or to `json`"),
        }
    }

    /// Returns the line that tells how many lines of the log are lost.
    fn notice_of_loss(self, lost: LostLines) -> String {
        let LostLines { n_lines, n_audit } = lost;
        let message = format!(
            "the log could not be written fast enough: {n_lines} lines are lost here, {n_audit} of them audit events"
        );
        match self {
            LogFormat::Text => format!("WARN {message}\n"),
            LogFormat::Json => format!("{}\n", json::line_of("WARN", &message)),
        }
    }
}

/// Handle for flushing spans when the process ends.
#[must_use = "without a flush the last spans are lost"]
pub struct Telemetry {
    spans: Option<SdkTracerProvider>,
}

impl Telemetry {
    /// Exports the remaining spans, within a deadline. The tokio runtime must still be running.
    pub fn flush(self) {
        if let Some(Err(error)) = self.spans.map(|spans| spans.shutdown_with_timeout(FLUSH_DEADLINE)) {
            tracing::warn!(%error, "the last spans were not exported");
        }
    }
}

/// Log format of the process, for `tell`.
static LOG_FORMAT: OnceLock<LogFormat> = OnceLock::new();

/// The queue to standard error; `None` if its thread could not be started.
static STDERR: OnceLock<Option<LogQueue>> = OnceLock::new();

fn stderr_queue() -> Option<&'static LogQueue> {
    let start = || LogQueue::start(UnlockedStderr, |lost| log_format().notice_of_loss(lost)).ok();
    STDERR.get_or_init(start).as_ref()
}

/// Flushes the log when it is dropped, within a deadline.
#[must_use = "without a flush the last lines are lost"]
pub struct LogGuard(());

impl LogGuard {
    /// Has panics logged like other lines, and returns the guard of the log.
    pub fn open() -> LogGuard {
        // The default hook would block its thread if nobody reads the log.
        panic::set_hook(Box::new(|panicked| {
            let thread = thread::current();
            print_to_stderr(&format!("thread `{}` {panicked}", thread.name().unwrap_or_default()));
            let backtrace = Backtrace::capture();
            if backtrace.status() == BacktraceStatus::Captured {
                print_to_stderr(&backtrace.to_string());
            }
        }));
        LogGuard(())
    }
}

impl Drop for LogGuard {
    fn drop(&mut self) {
        flush_log(FLUSH_DEADLINE);
    }
}

/// Waits until the lines so far are written to standard error, up to a deadline.
pub fn flush_log(deadline: Duration) {
    if let Some(queue) = stderr_queue() {
        queue.flush(deadline);
    }
}

/// Returns the number of lines that were lost since the log could not be written.
pub fn n_lost_lines() -> u64 {
    stderr_queue().map_or(0, LogQueue::n_lost)
}

/// Starts logging, and exporting spans if the environment names a collector. Requires a tokio runtime. `service` is the
/// service name of spans; `default_filter` applies if `CAUSEWAY_LOG` is not set.
pub fn init(service: &'static str, format: LogFormat, default_filter: &str) -> anyhow::Result<Telemetry> {
    LOG_FORMAT.get_or_init(|| format);
    let requested = std::env::var(LOG_VARIABLE).ok().and_then(|requested| filter(&requested, format).ok());
    let filter = requested.map_or_else(|| filter(default_filter, format), Ok)?;
    let mut layers = vec![log_layer(format).with_filter(filter).boxed()];
    let (spans, reason) = match export::provider(service) {
        None => (None, None),
        Some(Ok(spans)) => (Some(spans), None),
        Some(Err(reason)) => (None, Some(reason)),
    };
    if let Some(spans) = &spans {
        let own_targets = OWN_TARGETS.map(|target| (target, LevelFilter::INFO));
        let exported = tracing_opentelemetry::layer()
            .with_tracer(spans.tracer(service))
            .with_location(false)
            .with_threads(false)
            .with_tracked_inactivity(false);
        layers.push(exported.with_filter(Targets::new().with_targets(own_targets)).boxed());
    }
    tracing_subscriber::registry().with(layers).try_init()?;
    if let Some(reason) = reason {
        tracing::error!("spans are not exported: {reason}");
    }
    Ok(Telemetry { spans })
}

/// Prints a notice for operators to standard error, in the log format.
pub fn tell(message: &str) {
    match log_format() {
        LogFormat::Text => print_to_stderr(message),
        LogFormat::Json => print_to_stderr(&json::line_of("INFO", message)),
    }
}

/// Prints a line to standard error, after the lines before it and without waiting. A line that cannot be written is lost and
/// counted.
pub fn print_to_stderr(line: &str) {
    let line = format!("{line}\n").into_bytes();
    match stderr_queue() {
        Some(queue) => queue.push(line, LineKind::Ordinary),
        // `eprintln!` would panic if standard error is a file on a full disk.
        None => drop(std::io::stderr().write_all(&line)),
    }
}

fn log_format() -> LogFormat {
    LOG_FORMAT.get().copied().unwrap_or_default()
}

/// Returns the layer that logs. It drops an event that it cannot write, since it would report the error by `eprintln!`.
fn log_layer(format: LogFormat) -> Box<dyn Layer<Registry> + Send + Sync> {
    let writer = match stderr_queue() {
        Some(queue) => BoxMakeWriter::new(queue.clone()),
        None => BoxMakeWriter::new(std::io::stderr),
    };
    let layer = fmt::layer().with_writer(writer).log_internal_errors(false);
    match format {
        LogFormat::Text => {
            let has_colours = has_colours(std::io::stderr().is_terminal(), std::env::var("NO_COLOR").ok().as_deref());
            layer.with_target(false).with_ansi(has_colours).boxed()
        }
        LogFormat::Json => layer.fmt_fields(JsonFields::new()).event_format(json::JsonLines).boxed(),
    }
}

/// A later directive for the same target replaces an earlier one.
fn filter(directives: &str, format: LogFormat) -> anyhow::Result<EnvFilter> {
    // JSON lines always have the root span of a request, so that each line has its trace id.
    let roots = match format {
        LogFormat::Text => String::new(),
        LogFormat::Json => format!("{}=info,", trace::ROOT),
    };
    Ok(EnvFilter::try_new(format!("{QUIET_LIBRARIES},{}=off,{AUDIT_DIRECTIVE},{roots}{directives}", trace::DETAIL))?)
}

/// Returns true if colour codes are wanted: on terminals, unless `NO_COLOR` (no-color.org) is set.
fn has_colours(is_terminal: bool, no_color: Option<&str>) -> bool {
    is_terminal && no_color.is_none_or(str::is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_require_a_terminal() {
        for (is_terminal, no_color, expected) in
            [(true, None, true), (true, Some(""), true), (true, Some("1"), false), (false, None, false)]
        {
            assert_eq!(has_colours(is_terminal, no_color), expected, "{is_terminal} {no_color:?}");
        }
    }

    #[test]
    fn directives_override_quiet_libraries() {
        for (directives, expected) in [
            ("error", "causeway::audit=info,worker::detail=off,rmcp::service=off,sled=off,error"),
            ("debug,h2=info", "causeway::audit=info,worker::detail=off,rmcp::service=off,sled=off,h2=info,debug"),
            ("sled=debug", "causeway::audit=info,worker::detail=off,rmcp::service=off,sled=debug"),
            ("error,causeway::audit=off", "causeway::audit=off,worker::detail=off,rmcp::service=off,sled=off,error"),
        ] {
            assert_eq!(filter(directives, LogFormat::Text).unwrap().to_string(), expected);
        }
        assert!(filter("sled=loud", LogFormat::Text).is_err());
    }

    #[test]
    fn unknown_formats_are_rejected() {
        for (text, expected) in [("", Some(LogFormat::Text)), ("json", Some(LogFormat::Json)), ("xml", None)] {
            assert_eq!(LogFormat::parse(text).ok(), expected, "{text}");
        }
    }
}
