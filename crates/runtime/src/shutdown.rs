//! Shutdown signals.

use tokio::signal::unix::{SignalKind, signal};

/// Waits for SIGTERM or SIGINT. If a handler cannot be installed, logs an error and never returns for that signal.
pub async fn requested() {
    let wait = |kind: SignalKind| async move {
        match signal(kind) {
            Ok(mut signals) => {
                signals.recv().await;
            }
            Err(error) => {
                tracing::error!(%error, "cannot listen for the signal to stop");
                std::future::pending::<()>().await;
            }
        }
    };
    tokio::select! {
        () = wait(SignalKind::terminate()) => {}
        () = wait(SignalKind::interrupt()) => {}
    }
}
