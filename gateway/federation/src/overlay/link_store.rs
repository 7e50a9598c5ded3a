//! The joint links of earlier runs on disk, by the generations that they were made of.

use std::{path::Path, sync::Arc};

use links::joint::ImporterLinks;
use store::Store;

use super::importers::ImporterKey;

/// Maximum size on disk. The links of a thousand repositories take less; the least recently used ones are evicted.
const CAP_BYTES: u64 = 256 << 20;

const SPACE: &str = "links";

/// A store of joint links. Without a folder it stores nothing.
#[derive(Clone, Default)]
pub(super) struct LinkStore(Option<Arc<Store>>);

impl LinkStore {
    /// Opens the store in a folder. If that fails, it logs a warning and stores nothing.
    pub(super) fn open(folder: Option<&Path>) -> LinkStore {
        let open = |folder: &Path| match Store::open(folder, CAP_BYTES) {
            Ok((store, _)) => Some(Arc::new(store)),
            Err(error) => {
                let path = folder.display();
                tracing::warn!(folder = %path, %error, "cannot open the store of links: they are made again after a restart");
                None
            }
        };
        LinkStore(folder.and_then(open))
    }

    /// Returns the links of a repository. Blocks on the disk.
    pub(super) fn get(&self, key: &ImporterKey) -> Option<ImporterLinks> {
        ImporterLinks::decode(&self.0.as_ref()?.get(SPACE, &hash(key))?).ok()
    }

    /// Stores the links of a repository, unless they are too long for an entry. Blocks on the disk.
    pub(super) fn put(&self, key: &ImporterKey, links: &ImporterLinks) {
        let Some((store, bytes)) = self.0.as_ref().zip(links.encode()) else { return };
        if bytes.len() > store::MAX_VALUE_BYTES {
            return;
        }
        let stored = store.put_batch(SPACE, [(&hash(key)[..], bytes.as_slice())]).and_then(|()| store.flush());
        if let Err(error) = stored {
            tracing::warn!(%error, "links are not stored: they are made again after a restart");
        }
    }
}

/// Returns the key of an entry. The id of a generation is a hash of everything that its facts and their resolution depend on.
fn hash(key: &ImporterKey) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for ((repo, _), generation) in std::iter::once(&key.importer).chain(&key.providers) {
        hasher.update(&repo.0);
        hasher.update(generation.as_bytes());
        hasher.update(b"\0");
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use links::joint::{UnresolvedCallSite, UnresolvedName, UnresolvedSite};
    use model::RepoId;

    use super::*;

    #[test]
    fn links_are_found_after_a_restart_for_the_same_generations_only() {
        let folder = tempfile::tempdir().unwrap();
        let generation = |repo: u8, generation: &str| ((RepoId([repo; 16]), "alias".to_owned()), generation.to_owned());
        let key =
            |provider: &str| ImporterKey { importer: generation(1, "a"), providers: vec![generation(2, provider)] };
        let site = UnresolvedSite { path: "a.rs".to_owned(), line: 3 };
        let call = UnresolvedCallSite { site, n_arguments: Some(1), is_member: true, reached: vec![0, 1] };
        let of_name = UnresolvedName { sites: vec![call], definitions: Vec::new() };
        let links =
            ImporterLinks { unresolved: BTreeMap::from([("f".to_owned(), of_name)]), ..ImporterLinks::default() };
        let store = LinkStore::open(Some(folder.path()));
        store.put(&key("b"), &links);
        drop(store);
        let store = LinkStore::open(Some(folder.path()));
        assert_eq!(store.get(&key("b")), Some(links));
        assert_eq!(store.get(&key("c")), None);
        assert_eq!(LinkStore::open(None).get(&key("b")), None);
    }
}
