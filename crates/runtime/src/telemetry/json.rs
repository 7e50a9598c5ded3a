//! Events as one JSON object per line: the time, the level, the target and the message, each field under its own name,
//! and the trace that the event belongs to.

use std::fmt;

use serde_json::{Map, Value};
use tracing::{Event, Subscriber};
use tracing_subscriber::{
    fmt::{
        FmtContext, FormattedFields,
        format::{FormatEvent, FormatFields, JsonFields, Writer},
        time::{FormatTime, SystemTime},
    },
    registry::LookupSpan,
};

/// The field of spans that names their trace.
const TRACE_ID: &str = "trace_id";

/// Writes events line by line.
pub(super) struct JsonLines;

impl<S> FormatEvent<S, JsonFields> for JsonLines
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, JsonFields>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut line = head(event.metadata().level().as_str());
        line.insert("target".to_owned(), event.metadata().target().into());
        let mut fields = String::new();
        JsonFields::new().format_fields(Writer::new(&mut fields), event)?;
        for (name, value) in parsed(&fields) {
            // What an event calls like one of these tells more than they do.
            line.insert(name, value);
        }
        if !line.contains_key(TRACE_ID) {
            let of_span = context.event_scope().into_iter().flatten().find_map(|span| {
                let extensions = span.extensions();
                parsed(&extensions.get::<FormattedFields<JsonFields>>()?.fields).remove(TRACE_ID)
            });
            line.extend(of_span.map(|trace_id| (TRACE_ID.to_owned(), trace_id)));
        }
        writeln!(writer, "{}", Value::Object(line))
    }
}

/// Returns a line that says `message` and nothing else.
pub(super) fn line_of(message: &str) -> String {
    let mut line = head("INFO");
    line.insert("message".to_owned(), message.into());
    Value::Object(line).to_string()
}

fn head(level: &str) -> Map<String, Value> {
    let mut time = String::new();
    // A clock that cannot be read leaves the time empty.
    let _ = SystemTime.format_time(&mut Writer::new(&mut time));
    Map::from_iter([("timestamp".to_owned(), time.into()), ("level".to_owned(), level.into())])
}

fn parsed(fields: &str) -> Map<String, Value> {
    serde_json::from_str(fields).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::{
        io,
        sync::{Arc, Mutex},
    };

    use tracing_subscriber::{fmt::MakeWriter, layer::SubscriberExt as _};

    use super::*;

    /// Keeps what is written.
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl<'a> MakeWriter<'a> for Kept {
        type Writer = Kept;

        fn make_writer(&'a self) -> Kept {
            self.clone()
        }
    }

    #[test]
    fn a_line_carries_the_trace_of_its_span() {
        let kept = Kept::default();
        let layer = tracing_subscriber::fmt::layer()
            .with_writer(kept.clone())
            .fmt_fields(JsonFields::new())
            .event_format(JsonLines);
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
            let root = tracing::info_span!("call", trace_id = tracing::field::Empty);
            root.record(TRACE_ID, "4bf92f3577b34da6a3ce929d0e0e4736");
            let _entered = (root.clone().entered(), tracing::info_span!("step", shard = 3).entered());
            tracing::warn!(alias = "parcel-kit", n = 2, "query failed");
            tracing::info!(parent: None, "alone");
        });
        let written = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
        let lines: Vec<Value> = written.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines[0][TRACE_ID], "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!((&lines[0]["level"], &lines[0]["message"]), (&"WARN".into(), &"query failed".into()));
        assert_eq!((&lines[0]["alias"], &lines[0]["n"]), (&"parcel-kit".into(), &2.into()));
        assert!(lines[0]["timestamp"].as_str().unwrap().ends_with('Z'), "{written}");
        assert!(lines[1].get(TRACE_ID).is_none(), "{written}");
    }
}
