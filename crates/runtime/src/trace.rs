//! One trace from the first request to the last shard. Which trace that is travels as the W3C header `traceparent`, in
//! HTTP and in gRPC metadata alike, whether or not anybody records spans of it.

use std::{
    collections::hash_map::RandomState,
    fmt,
    hash::{BuildHasher as _, Hasher as _},
};

use opentelemetry::{
    Context,
    trace::{SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceId, TraceState},
};
use tonic::metadata::MetadataMap;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// The header, and the key of metadata, that names trace and parent.
pub const HEADER: &str = "traceparent";

/// The target of the first span of a request in a process. A log of JSON lines has it made even where nothing else is
/// shown, since lines are found by their trace.
pub const ROOT: &str = "causeway::trace";

/// Target of spans that are many and tell a trace alone: no line of a log needs them, so that they cost nothing where none is
/// exported.
pub const DETAIL: &str = "worker::detail";

/// Which trace something belongs to, and which span of it is the parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceContext {
    trace_id: u128,
    span_id: u64,
    /// Whether whoever began the trace records it.
    is_sampled: bool,
}

impl TraceContext {
    /// Reads a `traceparent`; what the standard does not allow is none.
    pub fn parse(text: &str) -> Option<TraceContext> {
        let mut parts = text.trim().split('-');
        let mut hex = |n_digits: usize| {
            let part = parts.next()?;
            let is_sound = part.len() == n_digits && part.bytes().all(|byte| byte.is_ascii_hexdigit());
            if is_sound { u128::from_str_radix(part, 16).ok() } else { None }
        };
        let (version, trace_id, span_id, flags) = (hex(2)?, hex(32)?, hex(16)?, hex(2)?);
        let is_known = version == 0 && parts.next().is_none();
        // A later version may append to what is known.
        let is_later = (1..0xff).contains(&version);
        let span_id = u64::try_from(span_id).ok()?;
        ((is_known || is_later) && trace_id != 0 && span_id != 0).then_some(TraceContext {
            trace_id,
            span_id,
            is_sampled: flags & 1 == 1,
        })
    }

    /// Begins a trace that nobody records.
    pub fn begin() -> TraceContext {
        // Every `RandomState` is keyed anew. Zero would mean none.
        let random = || RandomState::new().build_hasher().finish().max(1);
        TraceContext {
            trace_id: u128::from(random()) << 64 | u128::from(random()),
            span_id: random(),
            is_sampled: false,
        }
    }

    /// Returns the id of the trace, 32 hexadecimal digits.
    pub fn trace_id(&self) -> String {
        format!("{:032x}", self.trace_id)
    }

    fn as_parent(self) -> Context {
        let flags = if self.is_sampled { TraceFlags::SAMPLED } else { TraceFlags::default() };
        let (trace_id, span_id) =
            (TraceId::from_bytes(self.trace_id.to_be_bytes()), SpanId::from_bytes(self.span_id.to_be_bytes()));
        let parent = SpanContext::new(trace_id, span_id, flags, true, TraceState::default());
        Context::new().with_remote_span_context(parent)
    }

    /// Returns the context of a span that is recorded for a collector.
    fn of(span: &Span) -> Option<TraceContext> {
        let context = span.context();
        let active = context.span();
        let known = active.span_context();
        known.is_valid().then(|| TraceContext {
            trace_id: u128::from_be_bytes(known.trace_id().to_bytes()),
            span_id: u64::from_be_bytes(known.span_id().to_bytes()),
            is_sampled: known.is_sampled(),
        })
    }
}

/// Writes it as a `traceparent`.
impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{:032x}-{:016x}-{:02x}", self.trace_id, self.span_id, u8::from(self.is_sampled))
    }
}

tokio::task_local! {
    /// The trace that is being worked for, where no span is recorded that would know it.
    static CURRENT: TraceContext;
}

/// Makes `span`, which nobody has entered yet, the first one of this process in the trace of `parent`, or in a new one,
/// and notes it in the span's field `trace_id`. Returns what follows from it.
pub fn join(span: &Span, parent: Option<TraceContext>) -> TraceContext {
    if let Some(parent) = parent {
        // A span that is not recorded needs no parent.
        let _ = span.set_parent(parent.as_parent());
    }
    let joined = TraceContext::of(span).or(parent).unwrap_or_else(TraceContext::begin);
    if !span.is_disabled() {
        span.record("trace_id", joined.trace_id());
    }
    joined
}

/// Lets `inject` know, within `work`, which trace is worked for.
pub async fn scope<F: Future>(context: TraceContext, work: F) -> F::Output {
    CURRENT.scope(context, work).await
}

/// Puts the trace that is worked for into the metadata of a call, with `span` as the parent where it is recorded.
pub fn inject(span: &Span, metadata: &mut MetadataMap) {
    let context = TraceContext::of(span).or_else(|| CURRENT.try_with(|context| *context).ok());
    let value = context.and_then(|context| context.to_string().parse().ok());
    if let Some(value) = value {
        metadata.insert(HEADER, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn what_the_standard_allows_is_read() {
        assert_eq!(TraceContext::parse(PARENT).unwrap().to_string(), PARENT);
        let upper = "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-00";
        assert_eq!(TraceContext::parse(upper).unwrap().trace_id(), "0af7651916cd43dd8448eb211c80319c");
        assert!(TraceContext::parse("cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more").is_some());
        for wrong in [
            "",
            "00",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0af7651916cd43dd8448eb211c80319-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c8031+c-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
        ] {
            assert_eq!(TraceContext::parse(wrong), None, "{wrong}");
        }
    }

    #[tokio::test]
    async fn a_trace_travels_without_any_span() {
        let injected = || {
            let mut metadata = MetadataMap::new();
            inject(&Span::none(), &mut metadata);
            metadata.get(HEADER).map(|value| value.to_str().unwrap().to_owned())
        };
        assert_eq!(injected(), None);
        let context = join(&Span::none(), TraceContext::parse(PARENT));
        assert_eq!(scope(context, async { injected() }).await.as_deref(), Some(PARENT));
        let begun = join(&Span::none(), None);
        assert_eq!(begun.trace_id().len(), 32);
        assert_ne!(begun, join(&Span::none(), None));
    }
}
