//! What any long-running binary of the project needs: telemetry and traces, the signal to stop, files that may not grow any
//! further, a wire without a network, and TLS for one with a network.
//!
//! It knows nothing of repositories, queries or messages.

pub mod file_size_limit;
pub mod in_memory;
pub mod shutdown;
pub mod telemetry;
pub mod tls;
pub mod trace;
