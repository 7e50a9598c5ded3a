//! Services of every long-running binary: telemetry, trace propagation, shutdown signals, the file size limit, the
//! in-memory transport and TLS.
//!
//! It knows nothing of repositories, queries or messages.
//!
//! ```
//! let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
//! let context = runtime::trace::TraceContext::parse(parent).expect("a valid `traceparent`");
//! assert_eq!(context.trace_id(), "0af7651916cd43dd8448eb211c80319c");
//! ```

#![warn(missing_docs)]

pub mod file_size_limit;
pub mod http_client;
pub mod in_memory;
pub mod shutdown;
pub mod telemetry;
pub mod tls;
pub mod trace;
