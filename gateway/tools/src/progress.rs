//! Progress reports of a long call, for callers that asked for them.

use tokio::sync::watch;

/// The sending end. A newer value replaces an unread one, so a slow reader never blocks the call.
#[derive(Clone, Default)]
pub struct Progress(Option<watch::Sender<usize>>);

impl Progress {
    /// Returns a progress and its receiver, which holds the number of characters written so far.
    pub fn told() -> (Progress, watch::Receiver<usize>) {
        let (sender, receiver) = watch::channel(0);
        (Progress(Some(sender)), receiver)
    }

    /// Reports that `n_chars` more characters were written.
    pub fn wrote(&self, n_chars: usize) {
        if let Some(sender) = &self.0 {
            sender.send_modify(|written| *written += n_chars);
        }
    }
}
