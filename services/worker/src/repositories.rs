//! The repositories of a worker: their discovery, their served generations, and their states.
//!
//! In reading order: the data folder (`data_dir`, `names_file`), the repositories by URL (`settings`,
//! `placement`, `listing`, `mirrors`), the catalog (`run_outcome`, `lifecycle`, `changed_paths`, `warm_facts`, `draft_state`, `catalog_entry`, `catalog`) and its views
//! (`inventory`, `figures`), and the tasks that keep it up to date (`signature_reads`, `discovery`, `requested_views`, `fetcher`, `handover`).
//!
//! Nothing here indexes anything: runs take repositories from the queue of the catalog and report their outcome to it.

mod catalog;
mod catalog_entry;
mod changed_paths;
mod data_dir;
mod discovery;
mod draft_state;
mod fetcher;
mod figures;
mod handover;
mod inventory;
mod lifecycle;
mod listing;
mod mirrors;
mod names_file;
mod placement;
mod pushed_index;
mod requested_views;
mod run_outcome;
mod settings;
mod signature_reads;
mod warm_facts;

use std::{
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use index::RepositoryDir;
use model::{CommitId, RepoId};
use source::{Checkout, Discoverer, Discovery};

pub use data_dir::{DATA_VERSION, DataDirError, DataDirState};
pub use draft_state::WorkTreeDraft;
pub use placement::PlacementSettings;
pub use run_outcome::{
    MissingVectors, PendingLoad, PublishedRun, RunFigures, RunOutcome, RunProgress, RunShortfall, RunStep,
};
pub use settings::{CredentialSettings, RepositoriesSettings};
pub use warm_facts::WarmFacts;

pub(crate) use catalog::{Catalog, QueuedRun, SnapshotLookup};
pub(crate) use catalog_entry::CatalogEntry;
pub(crate) use changed_paths::ChangedPaths;
pub(crate) use data_dir::{DataDir, generations_dir, names_path};
pub(crate) use draft_state::DraftTask;
pub(crate) use fetcher::fetch_mirrors;
pub(crate) use handover::{PeerCredentials, hand_over};
pub(crate) use lifecycle::RunLane;
pub(crate) use listing::ListingState;
pub(crate) use mirrors::Mirrors;
pub(crate) use names_file::{NamesFile, StoredNames};
pub(crate) use pushed_index::PushedIndex;
pub(crate) use run_outcome::NO_COMMIT;
pub(crate) use warm_facts::{WarmNames, drop_unused as drop_unused_facts};

use discovery::DiscoveryState;
pub(crate) use discovery::READ_PATIENCE;
use requested_views::RequestedViews;
pub(crate) use requested_views::ViewLookup;
use signature_reads::SignatureReads;
pub(crate) use signature_reads::{PolledCheckout, PolledState};

/// Returns true if the worker of a data folder keeps what it has found below a root that cannot be searched now: it lists that with
/// the reason, and serves what is indexed. Blocking.
pub fn keeps_lost_root(data: &Path, root: &Path, is_missing: bool) -> bool {
    NamesFile::new(names_path(data)).read("").roots.keeps(root, is_missing)
}

/// Retention of the index and the mirror of a repository that is no longer found.
const KEEP_UNUSED: Duration = Duration::from_secs(30 * 24 * 3600);

/// The repositories of a worker, on disk and in its catalog.
pub(crate) struct Repositories {
    pub(crate) data: Arc<DataDir>,
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) mirrors: Mirrors,
    requested_views: RequestedViews,
    discovery: DiscoveryState,
}

impl Repositories {
    /// Returns the repositories of a data folder, before their first discovery.
    pub(crate) fn new(
        data: Arc<DataDir>,
        discoverer: Discoverer,
        mirrors: Mirrors,
        catalog: Arc<Catalog>,
    ) -> Repositories {
        let names_file = NamesFile::new(data.names());
        let StoredNames { aliases, roots } = names_file.read(data.worker());
        let discovery = DiscoveryState {
            discoverer: discoverer.with_known_roots(roots.clone()),
            names_file,
            signatures: SignatureReads::default(),
            last: Mutex::new(Discovery { aliases, ..Default::default() }),
            stored_roots: Mutex::new(roots),
        };
        let requested_views = RequestedViews::default();
        Repositories { data, catalog, mirrors, requested_views, discovery }
    }

    /// Returns the folder of the generations of a repository.
    pub(crate) fn directory(&self, repo: RepoId) -> RepositoryDir {
        RepositoryDir::new(&self.data.generations(), repo)
    }

    /// Removes the indexes and mirrors of repositories that have been gone for long. Blocking.
    pub(crate) fn sweep(&self) {
        if self.data.write_refusal().is_some() {
            return;
        }
        let known = self.catalog.entries().keys().copied().collect();
        index::sweep_unknown(&self.data.generations(), &known, KEEP_UNUSED);
        self.mirrors.sweep(KEEP_UNUSED);
    }

    /// Returns when the remote of a mirror was first seen at a commit, in milliseconds since the epoch, 0 if unknown; `None`
    /// for a repository without a mirror.
    pub(crate) fn remote_seen_at(&self, checkout: &Checkout, commit: CommitId) -> Option<i64> {
        let is_mirror = self.mirrors.is_mirror(checkout);
        is_mirror.then(|| source::mirror::seen_at(&checkout.path, commit).unwrap_or_default())
    }

    /// Returns true if the repository can be read. A mirror must be cloned first.
    fn is_cloned(&self, checkout: &Checkout) -> bool {
        let repo = checkout.view_of.as_ref().map_or(checkout.repo, |view| view.repo);
        checkout.unread.is_none() && (!self.mirrors.is_mirror(checkout) || self.mirrors.is_cloned(repo))
    }
}
