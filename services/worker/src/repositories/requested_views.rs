//! Views of branches, tags and commits, which callers have requested. They are few, and the one that was not used for the longest
//! time gives way.

use std::{
    fs,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use model::RepoId;
use source::{Checkout, HeadSignature, ReferenceLookup, UnreadReason};

use super::{Repositories, catalog_entry::CatalogEntry};

/// Maximum number of requested views of a worker.
const MAX_VIEWS: usize = 8;

/// Maximum number of bytes of their generations together. The view that was requested last may exceed it alone.
const MAX_BYTES: u64 = 8 << 30;

/// Time after the last request for which a view is kept.
const KEEP_UNUSED: Duration = Duration::from_secs(3_600);

/// The requested views of a worker, the last used one last.
#[derive(Default)]
pub(crate) struct RequestedViews(Mutex<Vec<HeldView>>);

/// A view that was requested.
#[derive(Clone)]
struct HeldView {
    checkout: Checkout,
    /// The repository that it is a view of.
    repository: RepoId,
    name: String,
    full_name: String,
    used_at: Instant,
}

/// The result of a request for a view.
pub(crate) enum ViewLookup {
    /// The view is held, or is being made.
    Held { alias: String },
    /// There is no such branch, tag or commit. The names that there are.
    UnknownReference(Vec<String>),
    /// The view cannot be made, for this reason.
    Unreadable(String),
}

impl RequestedViews {
    fn views(&self) -> MutexGuard<'_, Vec<HeldView>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the requested views of these repositories, which may have moved.
    pub(super) fn checkouts(&self, repositories: &[Checkout]) -> Vec<Checkout> {
        let views = self.views();
        let checkout = |view: &HeldView| {
            let repository = repositories.iter().find(|repository| repository.repo == view.repository)?;
            Some(repository.at_reference(&view.name, &view.full_name))
        };
        views.iter().filter_map(checkout).collect()
    }

    /// Notes that a view is used; `None` if it was not requested.
    fn touch(&self, repository: RepoId, name: &str) -> Option<String> {
        let mut views = self.views();
        let at = views.iter().position(|view| view.repository == repository && view.name == name)?;
        let view = HeldView { used_at: Instant::now(), ..views.remove(at) };
        views.push(view.clone());
        Some(view.checkout.alias)
    }

    fn push(&self, view: HeldView) {
        let mut views = self.views();
        views.retain(|other| other.checkout.repo != view.checkout.repo);
        views.push(view);
    }

    /// Removes the views that have to give way. `bytes_of` returns the size of the generation of a view.
    fn evict(&self, now: Instant, bytes_of: impl Fn(RepoId) -> u64) -> Vec<RepoId> {
        let mut views = self.views();
        let mut n_bytes = 0;
        let mut evicted = Vec::new();
        let mut kept = Vec::new();
        for view in views.drain(..).rev() {
            n_bytes += bytes_of(view.checkout.repo);
            let is_unused = now.duration_since(view.used_at) >= KEEP_UNUSED;
            let is_over = !kept.is_empty() && (kept.len() >= MAX_VIEWS || n_bytes > MAX_BYTES);
            if is_unused || is_over { evicted.push(view.checkout.repo) } else { kept.push(view) }
        }
        kept.reverse();
        *views = kept;
        evicted
    }
}

impl Repositories {
    /// Makes a view of a repository at a branch, tag or commit, unless it is held. Blocking.
    pub(crate) fn ensure_view(&self, repository: RepoId, name: &str) -> ViewLookup {
        if let Some(alias) = self.requested_views.touch(repository, name) {
            return ViewLookup::Held { alias };
        }
        let checkout = self.catalog.entries().get(&repository).map(|entry| entry.checkout.clone());
        let checkout = checkout.ok_or_else(|| NOT_HELD.to_owned());
        let checkout = match checkout.and_then(|checkout| viewable(checkout, |checkout| self.is_cloned(checkout))) {
            Ok(checkout) => checkout,
            Err(reason) => return ViewLookup::Unreadable(reason),
        };
        let full_name = match source::find_reference(&checkout, name) {
            Ok(ReferenceLookup::Found(full_name)) => full_name,
            Ok(ReferenceLookup::Unknown(known)) => return ViewLookup::UnknownReference(known),
            Err(error) => {
                tracing::warn!(alias = %checkout.alias, %error, "a view cannot be made");
                return ViewLookup::Unreadable(error.to_string());
            }
        };
        let checkout = checkout.at_reference(name, &full_name);
        let (repo, alias) = (checkout.repo, checkout.alias.clone());
        let (name, used_at) = (name.to_owned(), Instant::now());
        self.requested_views.push(HeldView { checkout: checkout.clone(), repository, name, full_name, used_at });
        let signature: HeadSignature = source::head_signature(&checkout);
        let entry = self.open_entry(checkout, Some(signature));
        self.catalog.entries().entry(repo).or_insert(entry);
        self.evict_views();
        self.catalog.inventory_changed();
        self.catalog.queue_changed();
        ViewLookup::Held { alias }
    }

    /// Removes the requested views that have to give way, with their generations. Blocking.
    pub(crate) fn evict_views(&self) {
        let bytes_of = |repo: RepoId| {
            let served = self.catalog.entries().get(&repo).and_then(|entry| entry.served.clone());
            served.map_or(0, |served| served.manifest().checksums.values().map(|file| file.bytes).sum())
        };
        let evicted = self.requested_views.evict(Instant::now(), bytes_of);
        if evicted.is_empty() {
            return;
        }
        let removed: Vec<CatalogEntry> = {
            let mut entries = self.catalog.entries();
            evicted.iter().filter_map(|repo| entries.remove(repo)).collect()
        };
        self.catalog.retire(removed);
        for repo in evicted.into_iter().filter(|repo| !self.catalog.is_indexing(*repo)) {
            // Snapshots that are open stay readable. What remains is swept with the indexes of unknown repositories.
            _ = fs::remove_dir_all(self.directory(repo).path());
        }
        self.catalog.inventory_changed();
    }
}

/// The reason why a worker makes no view of a repository that it was asked for and does not hold any more.
const NOT_HELD: &str = "its worker does not hold the repository any more: try again later";

/// Returns a checkout if views of it can be made, and otherwise the reason why not.
fn viewable(checkout: Checkout, is_cloned: impl Fn(&Checkout) -> bool) -> Result<Checkout, String> {
    let reason = match &checkout.unread {
        Some(UnreadReason::Refused(reason)) => Some(reason.clone()),
        Some(UnreadReason::Reading) => Some("the repository is still being read: try again later".to_owned()),
        None if checkout.view_of.is_some() => {
            Some("it would be a view of a view: name the repository before `@`".to_owned())
        }
        None if !is_cloned(&checkout) => Some("the repository is not cloned yet: try again later".to_owned()),
        None => None,
    };
    reason.map_or(Ok(checkout), Err)
}

#[cfg(test)]
mod tests {
    use super::{super::catalog_entry::tests::entry_of_mirror, *};

    #[test]
    fn a_view_that_cannot_be_made_has_a_reason() {
        let checkout = entry_of_mirror().checkout;
        let reason = |checkout: &Checkout, is_cloned: bool| viewable(checkout.clone(), |_| is_cloned).err();
        assert_eq!(reason(&checkout, true), None);
        assert!(reason(&checkout, false).is_some_and(|reason| reason.contains("not cloned yet")));
        let view = checkout.at_reference("v1", "refs/tags/v1");
        assert!(reason(&view, true).is_some_and(|reason| reason.contains("a view of a view")));
        let with_reason = |unread: UnreadReason| {
            let mut checkout = checkout.clone();
            checkout.unread = Some(unread);
            reason(&checkout, true).unwrap_or_default()
        };
        let refused = "the reference `x` is a device";
        assert_eq!(with_reason(UnreadReason::Refused(refused.to_owned())), refused);
        assert!(with_reason(UnreadReason::Reading).contains("still being read"));
    }

    #[test]
    fn the_views_that_were_not_used_for_long_give_way() {
        let checkout = entry_of_mirror().checkout;
        let views = RequestedViews::default();
        let now = Instant::now();
        let view = |idx: usize| {
            let name = format!("v{idx}");
            let full_name = format!("refs/tags/{name}");
            let view = checkout.at_reference(&name, &full_name);
            HeldView { checkout: view, repository: checkout.repo, name, full_name, used_at: now }
        };
        (0..MAX_VIEWS + 2).for_each(|idx| views.push(view(idx)));
        assert_eq!(views.touch(checkout.repo, "v0").as_deref(), Some("api@v0"));
        assert_eq!(views.touch(checkout.repo, "other"), None);
        let evicted = views.evict(now, |_| 0);
        assert_eq!(evicted, [view(2).checkout.repo, view(1).checkout.repo]);
        // Two views fit, and the one that was used last stays in any case.
        assert_eq!(views.evict(now, |_| MAX_BYTES / 2).len(), MAX_VIEWS - 2);
        assert_eq!(views.evict(now, |_| MAX_BYTES + 1).len(), 1);
        assert_eq!(views.checkouts(std::slice::from_ref(&checkout)).len(), 1);
        assert_eq!(views.checkouts(&[]).len(), 0);
        assert_eq!(views.evict(now + KEEP_UNUSED * 2, |_| 0).len(), 1);
    }
}
