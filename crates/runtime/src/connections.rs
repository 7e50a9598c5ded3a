//! Connections from clients: how many may be open, and which one is closed when places run out or a client stalls.
//!
//! Anyone who can reach a port can open connections, and on each one begin requests whose responses are never read. So a
//! connection is closed if it stays idle, if it does not take a response that is ready, or to make room for another one. A request
//! of an authenticated client is cut off to make room only if the client does not take the response. The requests of all
//! unauthenticated connections share one budget of memory; beyond it, the connection that takes the most is closed. While many tasks
//! serve them, unauthenticated connections take turns to be read, so that requests are counted before more are read. The requests that
//! one of them pipelines are served in turns with those of others.
//!
//! [`ConnectionPool`] decides, [`accept()`] admits connections to it, a [`TrackedIo`] ends when its connection is closed, and
//! [`TrackRequests`] tells the pool about requests, their memory and responses.

mod accept;
mod open_connections;
mod pool;
mod pool_tasks;
mod state;
mod tracked_body;
mod tracked_io;
mod tracked_upload;

use std::time::Duration;

pub use accept::accept;
pub use pool::{Connection, ConnectionLimits, ConnectionPool};
pub use pool_tasks::PoolTasks;
pub use tracked_body::{TrackRequests, TrackedBody, TrackedRequests};
pub use tracked_io::TrackedIo;
pub use tracked_upload::TrackedUpload;

/// Deadline of the first request of a connection, TLS handshake included.
const FIRST_REQUEST_DEADLINE: Duration = Duration::from_secs(10);

/// Time in which a new client sends its first request, TLS handshake included, if nothing holds it up.
const FIRST_REQUEST_TIME: Duration = Duration::from_secs(3);

/// Idle timeout after the last response: longer than that of load balancers (60 s), so that they close connections first.
const IDLE_DEADLINE: Duration = Duration::from_secs(75);

/// Maximum time without progress of sending a part of a response that is ready. A client that reads at all takes some of it
/// sooner.
const SENDING_DEADLINE: Duration = Duration::from_secs(20);

/// Time after which a client that takes nothing of a ready response gives way to others: longer than a round trip.
const TAKING_TIME: Duration = Duration::from_secs(2);

/// Maximum time to send a part of a response: some 300 KB at 1.5 KB/s.
const PART_DEADLINE: Duration = Duration::from_secs(200);

/// Interval of HTTP/2 keep-alive pings, and the deadline of their answers. They find clients that are gone.
pub const KEEP_ALIVE: Duration = Duration::from_secs(20);

/// Maximum number of concurrent requests of one HTTP/2 connection.
pub const MAX_STREAMS: u32 = 200;

/// Window of unread bytes of one HTTP/2 request: 1 MiB takes four round trips.
pub const STREAM_WINDOW: u32 = 256 << 10;

/// Window of unread bytes of one HTTP/2 connection.
pub const CONNECTION_WINDOW: u32 = 512 << 10;

/// Maximum size of a request head in bytes; most of it is the token, which has at most 16 KiB.
pub const MAX_HEAD_BYTES: u32 = 32 << 10;

/// Estimated memory of a request in flight without its head and its body. Measured: 1.6 KB for HTTP and 3.4 KB for gRPC.
const REQUEST_BYTES: usize = 4 << 10;

/// Estimated memory that the requests of all unauthenticated connections of a port may take: 8,192 requests without bodies.
const UNAUTHENTICATED_BYTES: usize = 32 << 20;

/// Maximum number of tasks for unauthenticated requests: twice the budget. One part is counted and bounded by the budget, the
/// other is not counted yet or ends with its connection.
const MAX_UNAUTHENTICATED_TASKS: usize = 2 * UNAUTHENTICATED_BYTES / REQUEST_BYTES;

/// Number of such tasks up to which each connection is read without limits.
const UNCONTENDED_TASKS: usize = MAX_UNAUTHENTICATED_TASKS / 2;
