//! A bounded cache of decoded providers: consecutive importers often have the same ones.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use links::{
    joint::ProviderView,
    link_facts::{LinkFacts, LinkFactsError, decode_provider, provider_size},
    rules::LinkRules,
};

use super::importers::GenerationRef;

/// Maximum total of the sizes of the facts in the cache before compression. Decoded facts take several times as much memory.
const MAX_BYTES: usize = 48 << 20;

/// Maximum total of the sizes of the views in the cache. A view takes about 40 bytes for each definition of its provider.
const MAX_VIEW_BYTES: usize = 128 << 20;

/// A provider with its view.
#[derive(Debug, Clone)]
pub(super) struct DecodedProvider {
    pub(super) facts: Arc<LinkFacts>,
    pub(super) view: Arc<ProviderView>,
    /// The encoded size of the facts.
    pub(super) size: usize,
    /// Their size before compression.
    pub(super) decoded_size: usize,
}

impl DecodedProvider {
    /// Returns the provider without facts: its importer may miss uses of it.
    pub(super) fn without_facts(self) -> DecodedProvider {
        DecodedProvider { facts: Arc::default(), ..self }
    }
}

/// The providers that were decoded last, by generation.
#[derive(Debug, Clone, Default)]
pub(super) struct ProviderCache(Arc<Mutex<CachedProviders>>);

#[derive(Debug)]
struct CachedView {
    view: Arc<ProviderView>,
    n_bytes: usize,
}

#[derive(Debug, Default)]
struct CachedProviders {
    /// With the number of the last use.
    facts: BTreeMap<GenerationRef, (DecodedProvider, u64)>,
    /// With the number of the last use.
    views: BTreeMap<GenerationRef, (CachedView, u64)>,
    n_uses: u64,
}

impl ProviderCache {
    /// Returns a provider, if it is in the cache.
    pub(super) fn get(&self, key: &GenerationRef) -> Option<DecodedProvider> {
        let mut cached = self.lock();
        cached.n_uses += 1;
        let now = cached.n_uses;
        let (provider, last_use) = cached.facts.get_mut(key)?;
        *last_use = now;
        Some(provider.clone())
    }

    /// Returns the view of a provider, if it is in the cache.
    pub(super) fn view(&self, key: &GenerationRef) -> Option<Arc<ProviderView>> {
        let mut cached = self.lock();
        cached.n_uses += 1;
        let now = cached.n_uses;
        let (cached, last_use) = cached.views.get_mut(key)?;
        *last_use = now;
        Some(Arc::clone(&cached.view))
    }

    /// Decodes a provider, and puts it into the cache in the place of those that were not used for the longest time.
    pub(super) fn decode(
        &self,
        key: &GenerationRef,
        bytes: &[u8],
        rules: &LinkRules,
    ) -> Result<DecodedProvider, LinkFactsError> {
        let (facts, decoded_size) = match bytes {
            [] => (LinkFacts::default(), 0),
            bytes => (decode_provider(bytes)?, provider_size(bytes)?),
        };
        let facts = Arc::new(facts.by_rules(&key.0.1, rules));
        let known = self.view(key);
        let view = known.unwrap_or_else(|| Arc::new(ProviderView::new(&facts)));
        let provider = DecodedProvider { facts, view, size: bytes.len(), decoded_size };
        self.lock().put(key, &provider);
        Ok(provider)
    }

    /// Forgets the generations that are no longer served.
    pub(super) fn forget_changed(&self, is_served: impl Fn(&GenerationRef) -> bool) {
        let mut cached = self.lock();
        cached.facts.retain(|key, _| is_served(key));
        cached.views.retain(|key, _| is_served(key));
    }

    /// Forgets all facts. The views stay: they take less memory, and links are renewed with them.
    pub(super) fn forget_facts(&self) {
        self.lock().facts.clear();
    }

    fn lock(&self) -> MutexGuard<'_, CachedProviders> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CachedProviders {
    fn put(&mut self, key: &GenerationRef, provider: &DecodedProvider) {
        self.n_uses += 1;
        let now = self.n_uses;
        self.put_view(key, &provider.view, now);
        if provider.decoded_size > MAX_BYTES {
            return;
        }
        self.facts.insert(key.clone(), (provider.clone(), now));
        while self.facts.values().map(|(provider, _)| provider.decoded_size).sum::<usize>() > MAX_BYTES {
            let oldest = self.facts.iter().min_by_key(|(_, (_, last_use))| *last_use).map(|(key, _)| key.clone());
            let Some(oldest) = oldest else { return };
            self.facts.remove(&oldest);
        }
    }

    fn put_view(&mut self, key: &GenerationRef, view: &Arc<ProviderView>, now: u64) {
        let n_bytes = view.n_bytes();
        if n_bytes > MAX_VIEW_BYTES {
            return;
        }
        self.views.insert(key.clone(), (CachedView { view: Arc::clone(view), n_bytes }, now));
        while self.views.values().map(|(cached, _)| cached.n_bytes).sum::<usize>() > MAX_VIEW_BYTES {
            let oldest = self.views.iter().min_by_key(|(_, (_, last_use))| *last_use).map(|(key, _)| key.clone());
            let Some(oldest) = oldest else { return };
            self.views.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use model::RepoId;

    use super::*;

    #[test]
    fn the_least_recently_used_provider_is_evicted() {
        let key = |repo: u8| ((RepoId([repo; 16]), "alias".to_owned()), "a".to_owned());
        let provider = |decoded_size| DecodedProvider {
            facts: Arc::new(LinkFacts::default()),
            view: Arc::new(ProviderView::default()),
            size: 0,
            decoded_size,
        };
        let mut cached = CachedProviders::default();
        cached.put(&key(1), &provider(MAX_BYTES / 2));
        cached.put(&key(2), &provider(MAX_BYTES / 2));
        let cache = ProviderCache(Arc::new(Mutex::new(cached)));
        assert!(cache.get(&key(1)).is_some());
        cache.lock().put(&key(3), &provider(MAX_BYTES / 2));
        assert!(cache.get(&key(1)).is_some() && cache.get(&key(2)).is_none() && cache.get(&key(3)).is_some());
        assert!(cache.view(&key(2)).is_some());
        cache.lock().put(&key(4), &provider(MAX_BYTES + 1));
        assert!(cache.get(&key(4)).is_none() && cache.get(&key(1)).is_some());
        cache.forget_changed(|one| *one == key(3));
        assert!(cache.get(&key(1)).is_none() && cache.view(&key(2)).is_none() && cache.get(&key(3)).is_some());
        cache.forget_facts();
        assert!(cache.get(&key(3)).is_none() && cache.view(&key(3)).is_some());
    }

    #[test]
    fn views_are_bounded_by_their_size() {
        let key = |repo: u8| ((RepoId([repo; 16]), "alias".to_owned()), "a".to_owned());
        let mut cached = CachedProviders::default();
        let view = Arc::new(ProviderView::default());
        cached.put_view(&key(1), &view, 1);
        // Another view takes the rest of the bound, or more.
        let sized = |n_bytes| CachedView { view: Arc::clone(&view), n_bytes };
        cached.views.insert(key(2), (sized(MAX_VIEW_BYTES / 2), 2));
        cached.put_view(&key(3), &view, 3);
        assert_eq!(cached.views.len(), 3);
        cached.views.insert(key(2), (sized(MAX_VIEW_BYTES - view.n_bytes()), 2));
        cached.put_view(&key(4), &view, 4);
        let kept: Vec<&GenerationRef> = cached.views.keys().collect();
        assert_eq!(kept, [&key(3), &key(4)]);
    }
}
