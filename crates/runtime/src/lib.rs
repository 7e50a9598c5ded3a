//! Services of every long-running binary: connections with the servers of HTTP and gRPC, TLS, the in-memory transport, telemetry, trace
//! propagation, shutdown signals, limits of open files and of their size, priorities of threads, the mode of new files, and files
//! that are truncated while they are read.
//!
//! It knows nothing of repositories, queries or messages.
//!
//! ```
//! let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
//! let context = runtime::trace::TraceContext::parse(parent).expect("a valid `traceparent`");
//! assert_eq!(context.trace_id(), "0af7651916cd43dd8448eb211c80319c");
//! ```

#![warn(missing_docs)]

pub mod connections;
pub mod file_limit;
pub mod file_mode;
pub mod file_size_limit;
pub mod grpc_server;
pub mod http_client;
mod http_connection;
pub mod http_server;
pub mod in_memory;
pub mod shutdown;
pub mod telemetry;
pub mod thread_priority;
pub mod tls;
pub mod trace;
pub mod truncated_files;
