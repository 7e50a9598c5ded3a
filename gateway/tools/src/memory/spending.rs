//! The tokens that model answers have spent today, stored so that a restarted gateway does not spend them again.

use std::sync::Arc;

use provider::Provider;

use super::Memory;

/// The store key of the spending: one entry, overwritten every day.
const SPACE: &str = "tokens";
const KEY: &[u8] = b"day";

impl Memory {
    /// Restores the stored spending of a provider, and stores further spending. Without a folder each start has a
    /// full daily budget.
    pub fn persist_spending(&self, provider: Provider) -> Provider {
        let stored = self.disk.get(SPACE, KEY);
        let disk = Arc::clone(&self.disk);
        provider.with_spending(stored.as_deref(), move |spending| disk.put(SPACE, KEY, spending))
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use provider::{CompletionFailure, Prompt, ProviderSettings};
    use tokio::time::Instant;

    use super::*;

    fn provider(silent: &TcpListener) -> Provider {
        let url = format!("http://{}/v1", silent.local_addr().unwrap());
        let settings: ProviderSettings =
            toml::from_str(&format!("kind = 'openai'\nmodel = 'm'\nurl = '{url}'")).unwrap();
        Provider::open(&settings).unwrap()
    }

    #[tokio::test]
    async fn spending_survives_a_restart_with_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        // The operating system accepts connections, and nothing answers them.
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let prompt = Prompt { system: "", user: "how?" };
        for (kept_in, expects_more) in [(Some(folder.path()), true), (None, false)] {
            let memory = Memory::open(kept_in);
            let before = memory.persist_spending(provider(&silent));
            // The reserved tokens count as spent, since the real usage is unknown.
            let asked = before.complete(&prompt, Instant::now(), &mut |_| ()).await;
            assert!(matches!(asked, Err(CompletionFailure::TimedOut)), "{asked:?}");
            let spent = before.spent_today();
            assert!(spent > 700);
            memory.flush();
            drop((before, memory));
            let after = Memory::open(kept_in).persist_spending(provider(&silent)).spent_today();
            assert_eq!(after, if expects_more { spent } else { 0 });
        }
    }
}
