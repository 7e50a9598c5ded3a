//! Trace propagation from the first request to the last shard: the W3C header `traceparent`, in HTTP and in gRPC
//! metadata, whether or not spans are recorded.

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

/// The HTTP header and gRPC metadata key.
pub const HEADER: &str = "traceparent";

/// Target of the root span of a request in a process. JSON logs always enable it, since lines are found by their trace
/// id.
pub const ROOT: &str = "causeway::trace";

/// Target of numerous spans that only a trace needs. They are disabled unless they are exported.
pub const DETAIL: &str = "worker::detail";

/// Trace id and parent span id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceContext {
    trace_id: u128,
    span_id: u64,
    /// True if the caller records the trace.
    is_sampled: bool,
}

impl TraceContext {
    /// Parses a `traceparent`; `None` if it violates the standard.
    pub fn parse(text: &str) -> Option<TraceContext> {
        let mut parts = text.trim().split('-');
        let mut hex = |n_digits: usize| {
            let part = parts.next()?;
            let is_valid = part.len() == n_digits && part.bytes().all(|byte| byte.is_ascii_hexdigit());
            if is_valid { u128::from_str_radix(part, 16).ok() } else { None }
        };
        let (version, trace_id, span_id, flags) = (hex(2)?, hex(32)?, hex(16)?, hex(2)?);
        let is_known = version == 0 && parts.next().is_none();
        // Later versions may append fields.
        let is_later = (1..0xff).contains(&version);
        let span_id = u64::try_from(span_id).ok()?;
        ((is_known || is_later) && trace_id != 0 && span_id != 0).then_some(TraceContext {
            trace_id,
            span_id,
            is_sampled: flags & 1 == 1,
        })
    }

    /// Starts a trace that is not recorded.
    pub fn begin() -> TraceContext {
        // Every `RandomState` has new keys. Zero is an invalid id.
        let random = || RandomState::new().build_hasher().finish().max(1);
        TraceContext {
            trace_id: u128::from(random()) << 64 | u128::from(random()),
            span_id: random(),
            is_sampled: false,
        }
    }

    /// Returns the trace id as 32 hexadecimal digits.
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

    /// Returns the context of a recorded span.
    fn of(span: &Span) -> Option<TraceContext> {
        let context = span.context();
        let active = context.span();
        let span_context = active.span_context();
        span_context.is_valid().then(|| TraceContext {
            trace_id: u128::from_be_bytes(span_context.trace_id().to_bytes()),
            span_id: u64::from_be_bytes(span_context.span_id().to_bytes()),
            is_sampled: span_context.is_sampled(),
        })
    }
}

/// Formats it as a `traceparent`.
impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{:032x}-{:016x}-{:02x}", self.trace_id, self.span_id, u8::from(self.is_sampled))
    }
}

tokio::task_local! {
    /// Trace of the current task, for the case that no span is recorded.
    static CURRENT: TraceContext;
}

/// Makes `span`, not yet entered, the root span of this process in the trace of `parent`, or in a new trace. Records
/// the span's field `trace_id`, and returns the context for [`scope`].
pub fn join(span: &Span, parent: Option<TraceContext>) -> TraceContext {
    if let Some(parent) = parent {
        // Fails only for a disabled span, which needs no parent.
        let _ = span.set_parent(parent.as_parent());
    }
    let joined = TraceContext::of(span).or(parent).unwrap_or_else(TraceContext::begin);
    if !span.is_disabled() {
        span.record("trace_id", joined.trace_id());
    }
    joined
}

/// Runs `work` with `context` as the trace that [`inject`] propagates.
pub async fn scope<F: Future>(context: TraceContext, work: F) -> F::Output {
    CURRENT.scope(context, work).await
}

/// Adds the current trace to the metadata of a call, with `span` as the parent if it is recorded.
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
    fn valid_headers_are_parsed() {
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
    async fn trace_propagates_without_spans() {
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
