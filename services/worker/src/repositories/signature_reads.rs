//! The reads of the signatures of checkouts, which may block.
//!
//! The files of git are read apart from heads: a repository with many of them takes long, and its head is polled meanwhile.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use model::RepoId;
use source::{Checkout, HeadSignature, IsolatedReads, StatCache};

/// A checkout whose signature is computed.
#[derive(Clone)]
pub(crate) struct PolledCheckout {
    pub(crate) checkout: Checkout,
    pub(crate) state: PolledState,
}

/// The state of a checkout that counts.
#[derive(Clone)]
pub(crate) enum PolledState {
    Head,
    /// Also the files of its work tree, since nothing watches them.
    WorkTree(Arc<StatCache>),
    /// The files of git, which may be repaired without another head.
    GitFiles,
}

/// The kind of a signature. Those of different kinds are not compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SignatureKind {
    Head,
    WorkTree,
    GitFiles,
}

type FoundSignatures = Vec<((RepoId, SignatureKind), HeadSignature)>;

/// The reads of signatures, and those that have not ended.
#[derive(Default)]
pub(super) struct SignatureReads {
    heads: IsolatedReads<FoundSignatures>,
    git_files: IsolatedReads<FoundSignatures>,
}

impl PolledCheckout {
    pub(super) fn signature(&self) -> HeadSignature {
        match &self.state {
            PolledState::Head => source::head_signature(&self.checkout),
            PolledState::WorkTree(stat_cache) => source::work_tree_signature(&self.checkout, stat_cache),
            PolledState::GitFiles => source::git_files_signature(&self.checkout),
        }
    }

    fn key(&self) -> (RepoId, SignatureKind) {
        let kind = match &self.state {
            PolledState::Head => SignatureKind::Head,
            PolledState::WorkTree(_) => SignatureKind::WorkTree,
            PolledState::GitFiles => SignatureKind::GitFiles,
        };
        (self.checkout.repo, kind)
    }
}

impl SignatureReads {
    /// Reads the signatures of checkouts; `None` for one that takes longer. Blocking.
    pub(super) fn read(
        &self,
        polled: &[&PolledCheckout],
        patience: Duration,
        read: impl Fn(&PolledCheckout) -> HeadSignature + Clone + Send + Sync + 'static,
    ) -> Vec<Option<HeadSignature>> {
        let mut found = BTreeMap::new();
        for (reads, is_of_git) in [(&self.heads, false), (&self.git_files, true)] {
            // A repository and its views at references have one path.
            let mut at_paths: BTreeMap<PathBuf, Vec<PolledCheckout>> = BTreeMap::new();
            for polled in polled.iter().filter(|polled| matches!(polled.state, PolledState::GitFiles) == is_of_git) {
                at_paths.entry(polled.checkout.path.clone()).or_default().push((*polled).clone());
            }
            let (paths, read): (Vec<PathBuf>, _) = (at_paths.keys().cloned().collect(), read.clone());
            let read_path = move |path: &Path| -> FoundSignatures {
                let at_path = at_paths.get(path).into_iter().flatten();
                at_path.map(|polled| (polled.key(), read(polled))).collect()
            };
            found.extend(reads.read_all(&paths, patience, read_path).into_iter().filter_map(Result::ok).flatten());
        }
        // A read that has ended late may be of another kind.
        polled.iter().map(|polled| found.get(&polled.key()).copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{Mutex, mpsc},
        time::Instant,
    };

    use super::{super::catalog_entry::tests::entry_of_mirror, *};

    fn signature_of(polled: &PolledCheckout) -> HeadSignature {
        HeadSignature::At([polled.key().1 as u8; 16])
    }

    #[test]
    fn a_slow_read_is_not_taken_as_one_of_another_kind() {
        let states = || [PolledState::Head, PolledState::WorkTree(Arc::default()), PolledState::GitFiles];
        for slow in states() {
            for other in states() {
                let checkout = entry_of_mirror().checkout;
                let [slow, other] =
                    [slow.clone(), other].map(|state| PolledCheckout { checkout: checkout.clone(), state });
                let reads = SignatureReads::default();
                let (begin, wait) = mpsc::channel::<()>();
                let wait = Arc::new(Mutex::new(wait));
                let blocked = move |polled: &PolledCheckout| {
                    _ = wait.lock().unwrap().recv();
                    signature_of(polled)
                };
                assert_eq!(reads.read(&[&slow], Duration::from_millis(50), blocked), [None]);
                let is_apart =
                    matches!(slow.state, PolledState::GitFiles) != matches!(other.state, PolledState::GitFiles);
                let read_other = || reads.read(&[&other], Duration::from_secs(10), signature_of)[0];
                let expected = Some(signature_of(&other));
                assert_eq!(read_other(), expected.filter(|_| is_apart), "while the other read goes on");
                drop(begin);
                let began = Instant::now();
                while read_other() != expected {
                    assert!(began.elapsed() < Duration::from_secs(10), "{:?} {:?}", slow.key(), other.key());
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
        }
    }
}
