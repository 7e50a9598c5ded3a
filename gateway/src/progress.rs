//! How far a call is that takes long: told to whoever asked to be told, and to nobody else.

use tokio::sync::watch;

/// The end of a call that tells. What nobody has read yet is overtaken by what comes after it, so that a slow reader holds
/// nothing up.
#[derive(Clone, Default)]
pub(crate) struct Progress(Option<watch::Sender<usize>>);

impl Progress {
    /// Returns a progress, and the end where it is read: characters that were written so far.
    pub(crate) fn told() -> (Progress, watch::Receiver<usize>) {
        let (sender, receiver) = watch::channel(0);
        (Progress(Some(sender)), receiver)
    }

    /// Tells that so many more characters were written.
    pub(crate) fn wrote(&self, n_chars: usize) {
        if let Some(sender) = &self.0 {
            sender.send_modify(|written| *written += n_chars);
        }
    }
}
