//! Admits the connections of a listener to a pool.

use std::{net::SocketAddr, time::Duration};

use futures::{Stream, stream};
use tokio::{
    net::{TcpListener, TcpStream},
    time::{Instant, Interval, MissedTickBehavior},
};

use super::{ConnectionPool, TrackedIo};

/// Interval of the search for overdue connections.
const SWEEP_INTERVAL: Duration = Duration::from_secs(1);

/// Pause after a failed accept, mostly for lack of file descriptors. A connection that is closed frees one meanwhile.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// Returns the connections that the pool admits, and closes overdue ones as long as it is polled. `on_refusal` is called for
/// each connection that is not admitted.
pub fn accept(
    listener: TcpListener,
    pool: ConnectionPool,
    on_refusal: impl Fn() + Send,
) -> impl Stream<Item = (TrackedIo<TcpStream>, SocketAddr)> + Send {
    let mut sweep = tokio::time::interval(SWEEP_INTERVAL);
    sweep.set_missed_tick_behavior(MissedTickBehavior::Delay);
    stream::unfold(Acceptor { listener, pool, sweep, on_refusal }, |mut acceptor| async move {
        let admitted = acceptor.next().await;
        Some((admitted, acceptor))
    })
}

struct Acceptor<F> {
    listener: TcpListener,
    pool: ConnectionPool,
    sweep: Interval,
    on_refusal: F,
}

impl<F: Fn()> Acceptor<F> {
    async fn next(&mut self) -> (TrackedIo<TcpStream>, SocketAddr) {
        loop {
            let accepted = tokio::select! {
                _ = self.sweep.tick() => {
                    self.pool.close_overdue(Instant::now());
                    continue;
                }
                accepted = self.listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, peer)) => {
                    // Small messages are not to wait for larger ones.
                    if let Err(error) = stream.set_nodelay(true) {
                        tracing::debug!(%peer, %error, "a connection ended before it was admitted");
                        continue;
                    }
                    match self.pool.admit(Some(peer.ip()), Instant::now()) {
                        Some(connection) => return (TrackedIo::new(stream, connection), peer),
                        None => (self.on_refusal)(),
                    }
                }
                Err(error) => {
                    if !self.pool.close_one() {
                        tracing::warn!(%error, "cannot accept a connection");
                    }
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }
}
