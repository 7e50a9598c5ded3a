//! Where events and spans go. They go to standard error alone: standard output belongs to answers and to MCP.

use std::io::IsTerminal as _;

use tracing_subscriber::{EnvFilter, fmt, layer::SubscriberExt, util::SubscriberInitExt};

/// The environment variable that says which events are shown, in the syntax of tracing's `EnvFilter`.
pub const LOG_VARIABLE: &str = "CAUSEWAY_LOG";

/// Libraries that log what they also return as errors, or what only their authors read. A directive of their own
/// (`CAUSEWAY_LOG=sled=debug`) shows them.
const QUIET: &str = "sled=off";

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
    let asked = std::env::var(LOG_VARIABLE).ok().and_then(|asked| filter(&asked).ok());
    let registry = tracing_subscriber::registry().with(asked.map_or_else(|| filter(default_filter), Ok)?);
    match format {
        LogFormat::Text => {
            let has_colours = has_colours(std::io::stderr().is_terminal(), std::env::var("NO_COLOR").ok().as_deref());
            let lines = fmt::layer().with_writer(std::io::stderr).with_target(false).with_ansi(has_colours);
            registry.with(lines).try_init()?;
        }
        LogFormat::Json => registry.with(fmt::layer().json().with_writer(std::io::stderr)).try_init()?,
    }
    Ok(())
}

/// A later directive for the same target takes the place of an earlier one.
fn filter(directives: &str) -> anyhow::Result<EnvFilter> {
    Ok(EnvFilter::try_new(format!("{QUIET},{directives}"))?)
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
        for (directives, expected) in
            [("error", "sled=off,error"), ("debug,h2=info", "sled=off,h2=info,debug"), ("sled=debug", "sled=debug")]
        {
            assert_eq!(filter(directives).unwrap().to_string(), expected);
        }
        assert!(filter("sled=loud").is_err());
    }
}
