//! Where events and spans go: events to standard error alone, since standard output belongs to answers and to MCP; spans
//! to a collector, where one is configured.

mod export;
mod json;

use std::{io::IsTerminal as _, sync::OnceLock, time::Duration};

use opentelemetry::trace::TracerProvider as _;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing_subscriber::{
    EnvFilter, Layer, Registry, filter::LevelFilter, filter::Targets, fmt, fmt::format::JsonFields,
    layer::SubscriberExt, util::SubscriberInitExt,
};

use crate::trace;

/// The environment variable that says which events are shown, in the syntax of tracing's `EnvFilter`.
pub const LOG_VARIABLE: &str = "CAUSEWAY_LOG";

/// The environment variable that says how they are written: `text` or `json`.
pub const LOG_FORMAT_VARIABLE: &str = "CAUSEWAY_LOG_FORMAT";

/// Libraries that log what they also return as errors, or what only their authors read. A directive of their own
/// (`CAUSEWAY_LOG=sled=debug`) shows them.
const QUIET: &str = "sled=off";

/// Whose spans are exported. Those of libraries are many, and would include the ones of exporting itself.
const OWN_TARGETS: [&str; 5] = ["causeway", "gateway", "provider", "runtime", "worker"];

/// How long the last spans may take to get out when the process ends.
const FLUSH_DEADLINE: Duration = Duration::from_secs(2);

/// Events that are shown whatever else is: who asked what of which repositories. `causeway::audit=off` turns them off.
const AUDIT: &str = "causeway::audit=info";

/// How events are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

impl LogFormat {
    /// Returns the format that the environment asks for.
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
}

/// What is left to do when the process ends.
#[must_use = "without a flush the last spans are lost"]
pub struct Telemetry {
    spans: Option<SdkTracerProvider>,
}

impl Telemetry {
    /// Sends the spans that are left, and waits no longer than a deadline for that. The runtime has to be alive still.
    pub fn flush(self) {
        if let Some(Err(error)) = self.spans.map(|spans| spans.shutdown_with_timeout(FLUSH_DEADLINE)) {
            tracing::warn!(%error, "the last spans were not exported");
        }
    }
}

/// The format that `tell` writes in.
static FORMAT: OnceLock<LogFormat> = OnceLock::new();

/// Starts writing events, and exporting spans where the environment names a collector. Wants a runtime; `service` is
/// what spans are told apart by, and `default_filter` holds where `CAUSEWAY_LOG` is not set.
pub fn init(service: &'static str, format: LogFormat, default_filter: &str) -> anyhow::Result<Telemetry> {
    FORMAT.get_or_init(|| format);
    let asked = std::env::var(LOG_VARIABLE).ok().and_then(|asked| filter(&asked, format).ok());
    let filter = asked.map_or_else(|| filter(default_filter, format), Ok)?;
    let mut layers = vec![lines(format).with_filter(filter).boxed()];
    let (spans, trouble) = match export::provider(service) {
        None => (None, None),
        Some(Ok(spans)) => (Some(spans), None),
        Some(Err(trouble)) => (None, Some(trouble)),
    };
    if let Some(spans) = &spans {
        let own = OWN_TARGETS.map(|target| (target, LevelFilter::INFO));
        let exported = tracing_opentelemetry::layer()
            .with_tracer(spans.tracer(service))
            .with_location(false)
            .with_threads(false)
            .with_tracked_inactivity(false);
        layers.push(exported.with_filter(Targets::new().with_targets(own)).boxed());
    }
    tracing_subscriber::registry().with(layers).try_init()?;
    if let Some(trouble) = trouble {
        tracing::warn!("spans are not exported: {trouble}");
    }
    Ok(Telemetry { spans })
}

/// Tells on standard error what a person who starts a server wants to know, in the format of the log.
pub fn tell(message: &str) {
    match FORMAT.get().copied().unwrap_or_default() {
        LogFormat::Text => eprintln!("{message}"),
        LogFormat::Json => eprintln!("{}", json::line_of(message)),
    }
}

fn lines(format: LogFormat) -> Box<dyn Layer<Registry> + Send + Sync> {
    match format {
        LogFormat::Text => {
            let has_colours = has_colours(std::io::stderr().is_terminal(), std::env::var("NO_COLOR").ok().as_deref());
            fmt::layer().with_writer(std::io::stderr).with_target(false).with_ansi(has_colours).boxed()
        }
        LogFormat::Json => fmt::layer()
            .with_writer(std::io::stderr)
            .fmt_fields(JsonFields::new())
            .event_format(json::JsonLines)
            .boxed(),
    }
}

/// A later directive for the same target takes the place of an earlier one.
fn filter(directives: &str, format: LogFormat) -> anyhow::Result<EnvFilter> {
    // One span per request, so that a line tells its trace whatever else is shown.
    let roots = match format {
        LogFormat::Text => String::new(),
        LogFormat::Json => format!("{}=info,", trace::ROOT),
    };
    Ok(EnvFilter::try_new(format!("{QUIET},{}=off,{AUDIT},{roots}{directives}", trace::DETAIL))?)
}

/// Codes for colours are noise to all but terminals; `NO_COLOR` (no-color.org) turns them off there, too.
fn has_colours(is_terminal: bool, no_color: Option<&str>) -> bool {
    is_terminal && no_color.is_none_or(str::is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_for_terminals() {
        for (is_terminal, no_color, expected) in
            [(true, None, true), (true, Some(""), true), (true, Some("1"), false), (false, None, false)]
        {
            assert_eq!(has_colours(is_terminal, no_color), expected, "{is_terminal} {no_color:?}");
        }
    }

    #[test]
    fn quiet_libraries_speak_when_asked() {
        for (directives, expected) in [
            ("error", "causeway::audit=info,worker::detail=off,sled=off,error"),
            ("debug,h2=info", "causeway::audit=info,worker::detail=off,sled=off,h2=info,debug"),
            ("sled=debug", "causeway::audit=info,worker::detail=off,sled=debug"),
            ("error,causeway::audit=off", "causeway::audit=off,worker::detail=off,sled=off,error"),
        ] {
            assert_eq!(filter(directives, LogFormat::Text).unwrap().to_string(), expected);
        }
        assert!(filter("sled=loud", LogFormat::Text).is_err());
    }

    #[test]
    fn only_two_formats_are_known() {
        for (text, expected) in [("", Some(LogFormat::Text)), ("json", Some(LogFormat::Json)), ("xml", None)] {
            assert_eq!(LogFormat::parse(text).ok(), expected, "{text}");
        }
    }
}
