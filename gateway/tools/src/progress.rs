//! Progress reports of a long call, for callers that request them.

use tokio::sync::watch;

/// The sending end. A newer value replaces an unread one, so a slow reader never blocks the call.
#[derive(Clone, Default)]
pub struct Progress(Option<watch::Sender<usize>>);

impl Progress {
    /// Returns a progress and its receiving end, which holds the number of characters written so far.
    pub fn channel() -> (Progress, watch::Receiver<usize>) {
        let (sender, receiver) = watch::channel(0);
        (Progress(Some(sender)), receiver)
    }

    /// Adds `n_chars` to the number of characters written.
    pub fn add_written(&self, n_chars: usize) {
        if let Some(sender) = &self.0 {
            sender.send_modify(|written| *written += n_chars);
        }
    }
}
