//! Where events and spans go. They go to standard error alone: standard output belongs to answers and to MCP.

use tracing_subscriber::{EnvFilter, fmt, layer::SubscriberExt, util::SubscriberInitExt};

/// The environment variable that says which events are shown, in the syntax of tracing's `EnvFilter`.
pub const LOG_VARIABLE: &str = "CAUSEWAY_LOG";

/// How events are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}

/// Starts writing events. `default_filter` holds where `CAUSEWAY_LOG` is not set.
pub fn init(format: LogFormat, default_filter: &str) -> anyhow::Result<()> {
    let filter = EnvFilter::try_from_env(LOG_VARIABLE).or_else(|_| EnvFilter::try_new(default_filter))?;
    let registry = tracing_subscriber::registry().with(filter);
    match format {
        LogFormat::Text => registry.with(fmt::layer().with_writer(std::io::stderr).with_target(false)).try_init()?,
        LogFormat::Json => registry.with(fmt::layer().json().with_writer(std::io::stderr)).try_init()?,
    }
    Ok(())
}
