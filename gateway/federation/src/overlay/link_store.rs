//! The joint links of earlier runs on disk, by the generation of the importer and its providers.

use std::{path::Path, sync::Arc};

use links::{joint::TracedLinks, rules::LinkRules};
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
    pub(super) fn get(&self, key: &ImporterKey, rules: &LinkRules) -> Option<TracedLinks> {
        TracedLinks::decode(&self.0.as_ref()?.get(SPACE, &hash(key, rules))?).ok()
    }

    /// Stores the links of a repository, unless they are too long for an entry. Blocks on the disk.
    pub(super) fn put(&self, key: &ImporterKey, rules: &LinkRules, links: &TracedLinks) {
        let Some((store, bytes)) = self.0.as_ref().zip(links.encode()) else { return };
        if bytes.len() > store::MAX_VALUE_BYTES {
            return;
        }
        let stored = store.put_batch(SPACE, [(&hash(key, rules)[..], bytes.as_slice())]).and_then(|()| store.flush());
        if let Err(error) = stored {
            tracing::warn!(%error, "links are not stored: they are made again after a restart");
        }
    }
}

/// Returns the key of an entry. The id of a generation is a hash of everything that its facts and their resolution depend on. The
/// generations of the providers are part of the value: links outlive a commit that does not change what they depend on.
pub(super) fn hash(key: &ImporterKey, rules: &LinkRules) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&[links::joint::FORMAT]);
    hasher.update(&rules.identity());
    let ((importer, _), generation) = &key.importer;
    hasher.update(&importer.0);
    hasher.update(generation.as_bytes());
    for ((repo, alias), _) in &key.providers {
        hasher.update(b"\0");
        hasher.update(&repo.0);
        hasher.update(alias.as_bytes());
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use graph::{CalleeForm, GivenArguments};
    use links::joint::{ImporterLinks, ProviderView, UnresolvedCallSite, UnresolvedName, UnresolvedSite};
    use model::RepoId;

    use super::*;

    #[test]
    fn links_are_found_after_a_restart_with_the_generations_that_they_were_made_of() {
        let folder = tempfile::tempdir().unwrap();
        let generation = |repo: u8, generation: &str| ((RepoId([repo; 16]), "alias".to_owned()), generation.to_owned());
        let key = |importer: &str, provider: &str| ImporterKey {
            importer: generation(1, importer),
            providers: vec![generation(2, provider)],
        };
        let site = UnresolvedSite { path: "a.rs".to_owned(), line: 3 };
        let arguments =
            GivenArguments { n_positional: 1, is_open: false, keywords: vec!["a".to_owned()], functions: vec![0] };
        let form = CalleeForm::Member;
        let call =
            UnresolvedCallSite { site, form, arguments, candidates: Some(vec![4]), reached: vec![0, 1], near: vec![4] };
        let of_name = UnresolvedName { sites: vec![call], ..UnresolvedName::default() };
        let links = ImporterLinks {
            unresolved: BTreeMap::from([("f".to_owned(), of_name)]),
            consulted: vec![Vec::new()],
            ..ImporterLinks::default()
        };
        let store = LinkStore::open(Some(folder.path()));
        let links = TracedLinks::new(links, &[&ProviderView::default()], vec!["b".to_owned()]);
        store.put(&key("a", "b"), &LinkRules::default(), &links);
        drop(store);
        let (store, rules) = (LinkStore::open(Some(folder.path())), LinkRules::default());
        let found = store.get(&key("a", "c"), &rules);
        assert_eq!(found.as_ref().and_then(|found| found.changed(&["b"])), Some(Vec::new()));
        assert_eq!(found.as_ref().and_then(|found| found.changed(&["c"])), Some(vec![0]));
        assert_eq!(found, Some(links));
        assert_eq!(store.get(&key("b", "b"), &rules), None);
        assert_eq!(LinkStore::open(None).get(&key("a", "b"), &rules), None);
    }
}
