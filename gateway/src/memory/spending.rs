//! What a day's answers by a model have taken, kept so that a gateway that starts anew does not spend it again.

use std::sync::Arc;

use provider::Provider;

use super::Memory;

/// What the spending of a day is kept under: one entry, written over by the next.
const SPACE: &str = "tokens";
const KEY: &[u8] = b"day";

impl Memory {
    /// Lets a provider go on with what was spent before, and keeps what it spends. Without a folder each start begins with
    /// a whole day.
    pub(crate) fn keep_spending(&self, provider: Provider) -> Provider {
        let kept = self.disk.get(SPACE, KEY);
        let disk = Arc::clone(&self.disk);
        provider.with_spending(kept.as_deref(), move |spending| disk.put(SPACE, KEY, spending))
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use provider::{Failure, Prompt, ProviderSettings};
    use tokio::time::Instant;

    use super::*;

    fn provider(silent: &TcpListener) -> Provider {
        let url = format!("http://{}/v1", silent.local_addr().unwrap());
        let settings: ProviderSettings =
            toml::from_str(&format!("kind = 'openai'\nmodel = 'm'\nurl = '{url}'")).unwrap();
        Provider::open(&settings).unwrap()
    }

    #[tokio::test]
    async fn spending_outlives_the_process_where_there_is_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        // Connections are taken by the system, and answered by nobody.
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let prompt = Prompt { system: "", user: "how?" };
        for (kept_in, expects_more) in [(Some(folder.path()), true), (None, false)] {
            let memory = Memory::open(kept_in);
            let before = memory.keep_spending(provider(&silent));
            // What was set aside counts, since nobody knows what the question took.
            let asked = before.complete(&prompt, Instant::now(), &mut |_| ()).await;
            assert!(matches!(asked, Err(Failure::TimedOut)), "{asked:?}");
            let spent = before.spent_today();
            assert!(spent > 700);
            memory.flush();
            drop((before, memory));
            let after = Memory::open(kept_in).keep_spending(provider(&silent)).spent_today();
            assert_eq!(after, if expects_more { spent } else { 0 });
        }
    }
}
