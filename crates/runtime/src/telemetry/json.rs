//! Events as JSON lines: time, level, target, message, all fields by name, and the trace id of the event.

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

/// Field of a span with its trace id.
const TRACE_ID: &str = "trace_id";

/// Formats each event as one JSON line.
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
        let mut line = standard_fields(event.metadata().level().as_str());
        line.insert("target".to_owned(), event.metadata().target().into());
        let mut fields = String::new();
        JsonFields::new().format_fields(Writer::new(&mut fields), event)?;
        for (name, value) in parse_fields(&fields) {
            // Fields of the event take precedence over the standard ones.
            line.insert(name, value);
        }
        if !line.contains_key(TRACE_ID) {
            let span_trace_id = context.event_scope().into_iter().flatten().find_map(|span| {
                let extensions = span.extensions();
                parse_fields(&extensions.get::<FormattedFields<JsonFields>>()?.fields).remove(TRACE_ID)
            });
            line.extend(span_trace_id.map(|trace_id| (TRACE_ID.to_owned(), trace_id)));
        }
        writeln!(writer, "{}", Value::Object(line))
    }
}

/// Returns a line with a message only.
pub(super) fn line_of(level: &str, message: &str) -> String {
    let mut line = standard_fields(level);
    line.insert("message".to_owned(), message.into());
    Value::Object(line).to_string()
}

fn standard_fields(level: &str) -> Map<String, Value> {
    let mut time = String::new();
    // If the clock cannot be read, the time stays empty.
    let _ = SystemTime.format_time(&mut Writer::new(&mut time));
    Map::from_iter([("timestamp".to_owned(), time.into()), ("level".to_owned(), level.into())])
}

fn parse_fields(fields: &str) -> Map<String, Value> {
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

    /// Collects the output.
    #[derive(Clone, Default)]
    struct OutputBuffer(Arc<Mutex<Vec<u8>>>);

    impl io::Write for OutputBuffer {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl<'a> MakeWriter<'a> for OutputBuffer {
        type Writer = OutputBuffer;

        fn make_writer(&'a self) -> OutputBuffer {
            self.clone()
        }
    }

    #[test]
    fn line_has_the_trace_id_of_its_span() {
        let output = OutputBuffer::default();
        let layer = tracing_subscriber::fmt::layer()
            .with_writer(output.clone())
            .fmt_fields(JsonFields::new())
            .event_format(JsonLines);
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
            let root = tracing::info_span!("call", trace_id = tracing::field::Empty);
            root.record(TRACE_ID, "4bf92f3577b34da6a3ce929d0e0e4736");
            let _entered = (root.clone().entered(), tracing::info_span!("step", shard = 3).entered());
            tracing::warn!(alias = "parcel-kit", n = 2, "query failed");
            tracing::info!(parent: None, "alone");
        });
        let written = String::from_utf8(output.0.lock().unwrap().clone()).unwrap();
        let lines: Vec<Value> = written.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines[0][TRACE_ID], "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!((&lines[0]["level"], &lines[0]["message"]), (&"WARN".into(), &"query failed".into()));
        assert_eq!((&lines[0]["alias"], &lines[0]["n"]), (&"parcel-kit".into(), &2.into()));
        assert!(lines[0]["timestamp"].as_str().unwrap().ends_with('Z'), "{written}");
        assert!(lines[1].get(TRACE_ID).is_none(), "{written}");
    }
}
