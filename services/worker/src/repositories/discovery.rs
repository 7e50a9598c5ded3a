//! The discovery of repositories: folders below the roots, and mirrors. It brings the catalog up to date with them.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use index::{IndexError, Snapshot};
use model::RepoId;
use rayon::prelude::*;
use source::{Checkout, CheckoutView, Discoverer, Discovery, HeadSignature, KnownRoots, PathDiagnostic, UnreadReason};

use super::{
    Repositories,
    catalog::ClusterView,
    catalog_entry::CatalogEntry,
    mirrors::DiscoveredMirrors,
    names_file::{NamesFile, StoredNames},
    signature_reads::{PolledCheckout, PolledState, SignatureReads},
};

/// Time to wait for one folder or repository. Most take milliseconds. The next poll has the result of one that takes longer.
pub(crate) const READ_PATIENCE: Duration = Duration::from_secs(2);

/// The inputs of a discovery, and the result of the last one.
pub(super) struct DiscoveryState {
    pub(super) discoverer: Discoverer,
    pub(super) names_file: NamesFile,
    pub(super) signatures: SignatureReads,
    /// The last discovery: its aliases stay assigned, and its diagnostics are not logged again.
    pub(super) last: Mutex<Discovery>,
    /// The roots in the file of names.
    pub(super) stored_roots: Mutex<KnownRoots>,
}

impl Repositories {
    /// Finds the repositories, opens the current generations of new ones, and retires those that are gone. Blocking.
    pub(crate) fn discover(&self) -> Discovery {
        let discovery = self.find();
        let requested = self.requested_views.checkouts(&discovery.checkouts);
        let found = discovery.checkouts.iter().cloned().chain(requested);
        let found: BTreeMap<RepoId, Checkout> = found.map(|checkout| (checkout.repo, checkout)).collect();
        let (new, has_changed) = self.update_known(found);
        let polled: Vec<PolledCheckout> = new
            .iter()
            .map(|checkout| PolledCheckout { checkout: checkout.clone(), state: PolledState::Head })
            .collect();
        let signatures = self.head_signatures(&polled);
        let opened: Vec<CatalogEntry> = new
            .into_par_iter()
            .zip(signatures)
            .map(|(checkout, signature)| self.open_entry(checkout, signature))
            .collect();
        let has_changed = has_changed || !opened.is_empty();
        {
            let mut entries = self.catalog.entries();
            entries.extend(opened.into_iter().map(|entry| (entry.checkout.repo, entry)));
            // A first clone may have ended before its entry existed. The next poll queues it.
            for entry in entries.values_mut() {
                if !entry.lifecycle.is_cloned() && self.is_cloned(&entry.checkout) {
                    entry.lifecycle.cloned();
                }
            }
        }
        if has_changed {
            self.catalog.inventory_changed();
            self.catalog.queue_changed();
        }
        discovery
    }

    /// Retires the repositories that are gone, and updates the checkouts of the others. Returns the new ones, and true if
    /// anything has changed.
    fn update_known(&self, mut found: BTreeMap<RepoId, Checkout>) -> (Vec<Checkout>, bool) {
        let mut entries = self.catalog.entries();
        let gone: Vec<RepoId> = entries.keys().filter(|repo| !found.contains_key(repo)).copied().collect();
        let gone: Vec<CatalogEntry> = gone.iter().filter_map(|repo| entries.remove(repo)).collect();
        let paths: BTreeSet<&Path> = found.values().map(|checkout| checkout.path.as_path()).collect();
        for CatalogEntry { checkout, .. } in &gone {
            match paths.contains(checkout.path.as_path()) {
                true => tracing::info!(alias = %checkout.alias, "another repository is in the place of this one"),
                false => tracing::info!(alias = %checkout.alias, "repository is gone"),
            }
        }
        let mut has_changed = !gone.is_empty();
        self.catalog.retire(gone);
        for entry in entries.values_mut() {
            if let Some(checkout) = found.remove(&entry.checkout.repo)
                && checkout != entry.checkout
            {
                entry.lifecycle.set_cloned(self.is_cloned(&checkout));
                entry.lifecycle.note_unread(checkout.unread.clone());
                entry.checkout = checkout;
                has_changed = true;
            }
        }
        (found.into_values().collect(), has_changed)
    }

    /// Finds the repositories, keeps their aliases and their roots, and logs new diagnostics.
    fn find(&self) -> Discovery {
        let DiscoveryState { discoverer, names_file, last, stored_roots, .. } = &self.discovery;
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stored_roots = stored_roots.lock().unwrap_or_else(PoisonError::into_inner);
        let folders = discoverer.discover(last.aliases.clone());
        let roots = discoverer.known_roots();
        let discovery = self.with_mirrors(folders);
        let has_changed = discovery.aliases != last.aliases || roots != *stored_roots;
        if has_changed && self.data.write_refusal().is_none() {
            names_file.write(&StoredNames { aliases: discovery.aliases.clone(), roots: roots.clone() });
            *stored_roots = roots;
        }
        for diagnostic in discovery.diagnostics.iter().filter(|diagnostic| !last.diagnostics.contains(diagnostic)) {
            tracing::warn!(path = %diagnostic.path, "{}", diagnostic.message);
        }
        last.clone_from(&discovery);
        discovery
    }

    /// Writes the file of aliases again if it was removed. Blocking.
    pub(crate) fn restore_names(&self) {
        let DiscoveryState { discoverer, names_file, last, .. } = &self.discovery;
        if !names_file.exists() && self.data.write_refusal().is_none() {
            let aliases = last.lock().unwrap_or_else(PoisonError::into_inner).aliases.clone();
            names_file.write(&StoredNames { aliases, roots: discoverer.known_roots() });
        }
    }

    /// Adds the mirrors to a discovery of folders. A folder with the repository or the alias of a mirror is left out, since
    /// the listing has named the mirror.
    fn with_mirrors(&self, folders: Discovery) -> Discovery {
        let DiscoveredMirrors { checkouts: mirrors, leaving, expected, diagnostics } = self.mirrors.discover();
        self.catalog.set_cluster(ClusterView { expected, leaving, listing: self.mirrors.listing_state() });
        let mut discovery = folders;
        discovery.diagnostics.extend(diagnostics);
        // A root may contain the data folder.
        discovery.checkouts.retain(|found| !self.mirrors.is_mirror(found));
        discovery.checkouts.retain(|found| {
            let listed = mirrors.iter().find(|mirror| mirror.repo == found.repo || mirror.alias == found.alias);
            if let Some(listed) = listed {
                let message = format!("its repository or its name is also listed by URL, as `{}`", listed.alias);
                let path = found.path.to_string_lossy().into_owned();
                discovery.diagnostics.push(PathDiagnostic { path, message });
            }
            listed.is_none()
        });
        discovery.checkouts.extend(mirrors);
        discovery
    }

    /// Makes the entry of a new repository: it serves the current generation, and is queued, since only a run can tell
    /// whether that is up to date.
    pub(super) fn open_entry(&self, checkout: Checkout, signature: Option<HeadSignature>) -> CatalogEntry {
        let is_cloned = self.is_cloned(&checkout);
        let mut entry = CatalogEntry::new(checkout, signature, is_cloned);
        match self.current_snapshot(entry.checkout.repo) {
            Ok(snapshot) => entry.served = snapshot.map(std::sync::Arc::new),
            Err(error) => {
                let alias = &entry.checkout.alias;
                tracing::warn!(%alias, %error, "the current generation is unreadable; the repository is indexed again");
            }
        }
        if let Some(commit) = entry.served.as_ref().map(|served| served.manifest().commit) {
            let seen_at = self.remote_seen_at(&entry.checkout, commit).or_else(|| entry.indexed_at(commit));
            entry.served_since = seen_at.unwrap_or_default();
            if entry.checkout.view == CheckoutView::WorkTree && self.data.write_refusal().is_none() {
                entry.note_unwatched();
            }
        }
        entry
    }

    /// Reads the signatures of heads; `None` for a repository that cannot be read now. Blocking.
    pub(crate) fn head_signatures(&self, polled: &[PolledCheckout]) -> Vec<Option<HeadSignature>> {
        let are_readable: Vec<bool> = polled.iter().map(|polled| self.is_cloned(&polled.checkout)).collect();
        let readable: Vec<&PolledCheckout> = polled
            .iter()
            .zip(&are_readable)
            .filter(|(_, is_readable)| **is_readable)
            .map(|(polled, _)| polled)
            .collect();
        let mut found = self.discovery.signatures.read(&readable, READ_PATIENCE, PolledCheckout::signature).into_iter();
        are_readable.into_iter().map(|is_readable| is_readable.then(|| found.next()).flatten().flatten()).collect()
    }

    /// Returns true if the first read of a repository goes on, so that another discovery is due.
    pub(crate) fn is_reading(&self) -> bool {
        let last = self.discovery.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.checkouts.iter().any(|checkout| checkout.unread == Some(UnreadReason::Reading))
    }

    /// Opens the current generation of a repository, and sweeps its folder. The folder of a repository that is being indexed
    /// is left to that run.
    fn current_snapshot(&self, repo: RepoId) -> Result<Option<Snapshot>, IndexError> {
        let directory = self.directory(repo);
        if !self.catalog.is_indexing(repo) && self.data.write_refusal().is_none() {
            directory.sweep()?;
        }
        directory.current()
    }
}
