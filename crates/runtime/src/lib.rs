//! What any long-running binary of the project needs: telemetry, the signal to stop, and a wire without a network.
//!
//! It knows nothing of repositories, queries or messages.

pub mod in_memory;
pub mod shutdown;
pub mod telemetry;
