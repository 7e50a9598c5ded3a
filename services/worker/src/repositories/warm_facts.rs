//! The facts and links of a work tree that is being edited, in memory: decoding those of all files takes longer than the rest of a run
//! after one edit. So does the search for the version tags that its commit contains.

use std::{
    cmp::Reverse,
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use graph::{NameNumbers, NumberedNames};
use links::PreviousLinkedFile;
use model::{BlobId, CommitId, FileFacts, GenerationId, Language};
use source::VersionTags;

/// The facts of the files of one work tree, as linking needs them: without texts; and the version tags that its commit contains.
#[derive(Debug, Default)]
pub struct WarmFacts {
    facts: Mutex<KeptFacts>,
    version_tags: Mutex<Option<ContainedTags>>,
}

#[derive(Debug, Default)]
struct KeptFacts {
    by_blob: HashMap<(BlobId, Language), Arc<FileFacts>>,
    /// The texts of package manifests, whose facts are kept, too.
    manifests: HashMap<(BlobId, Language), Arc<str>>,
    /// The links of the generation that was written last.
    links: Option<(GenerationId, Vec<PreviousLinkedFile>)>,
    /// The numbers of the names of the files.
    names: Option<WarmNames>,
    /// Number of bytes of the files.
    n_bytes: u64,
    used_at: Option<Instant>,
}

/// The numbers of the names of the files of a tree.
#[derive(Debug, Default)]
pub(crate) struct WarmNames {
    numbers: NameNumbers,
    /// In the order of the files. The numbers of names are found by the facts that they are of.
    files: Vec<(Arc<FileFacts>, NumberedNames)>,
    /// The number of texts when the numbering began.
    n_first: usize,
}

impl WarmNames {
    /// Numbers begin anew when there are this many times as many texts as at first: files of past edits had most of them.
    const MAX_GROWTH: usize = 2;

    /// Numbers the names of files, but for facts that were numbered before.
    pub(crate) fn number<'f>(self, files: impl Iterator<Item = &'f Arc<FileFacts>>) -> WarmNames {
        let WarmNames { mut numbers, files: mut before, n_first } = self;
        if numbers.n_texts() > n_first.saturating_mul(WarmNames::MAX_GROWTH) {
            (numbers, before) = (NameNumbers::default(), Vec::new());
        }
        let is_first = before.is_empty();
        let mut before: HashMap<*const FileFacts, (Arc<FileFacts>, NumberedNames)> =
            before.into_iter().map(|file| (Arc::as_ptr(&file.0), file)).collect();
        let mut of_file = |facts: &Arc<FileFacts>| {
            let known = before.remove(&Arc::as_ptr(facts));
            known.unwrap_or_else(|| (facts.clone(), numbers.number(facts)))
        };
        let files = files.map(&mut of_file).collect();
        let n_first = if is_first { numbers.n_texts() } else { n_first };
        WarmNames { numbers, files, n_first }
    }

    pub(crate) fn numbers(&self) -> &NameNumbers {
        &self.numbers
    }

    /// Returns the names of each file, in the order of the files.
    pub(crate) fn of_files(&self) -> impl Iterator<Item = &NumberedNames> {
        self.files.iter().map(|(_, names)| names)
    }
}

/// The version tags that a commit contains, of all tags that its repository had.
#[derive(Debug)]
struct ContainedTags {
    commit: CommitId,
    all: VersionTags,
    contained: Vec<String>,
}

impl WarmFacts {
    /// Time after the last run for which facts are kept.
    pub(crate) const KEEP: Duration = Duration::from_secs(600);

    /// Returns the version tags that a commit contains, if they were noted and the repository has the same tags.
    pub(crate) fn version_tags(&self, commit: CommitId, all: &VersionTags) -> Option<Vec<String>> {
        let noted = self.version_tags.lock().unwrap_or_else(PoisonError::into_inner);
        let noted = noted.as_ref().filter(|noted| noted.commit == commit && noted.all == *all);
        noted.map(|noted| noted.contained.clone())
    }

    /// Notes the version tags that a commit contains.
    pub(crate) fn note_version_tags(&self, commit: CommitId, all: VersionTags, contained: Vec<String>) {
        *self.version_tags.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(ContainedTags { commit, all, contained });
    }

    pub(crate) fn get(&self, blob: BlobId, language: Language) -> Option<Arc<FileFacts>> {
        self.kept().by_blob.get(&(blob, language)).cloned()
    }

    /// Returns the facts and the text of a package manifest.
    pub(crate) fn manifest(&self, blob: BlobId, language: Language) -> Option<(Arc<FileFacts>, Arc<str>)> {
        let kept = self.kept();
        Some((kept.by_blob.get(&(blob, language)).cloned()?, kept.manifests.get(&(blob, language)).cloned()?))
    }

    /// Keeps the texts of package manifests, whose facts are kept.
    pub(crate) fn keep_manifests(&self, manifests: impl Iterator<Item = (BlobId, Language, Arc<str>)>) {
        let manifests = manifests.map(|(blob, language, text)| ((blob, language), text));
        self.kept().manifests = manifests.collect();
    }

    /// Replaces the facts by those of all files of a tree, which have `n_bytes` together. A tree of more than `max_bytes` keeps none.
    /// Returns the names that were kept with the facts before; `None` if none are kept from now on.
    pub(crate) fn replace(
        &self,
        n_bytes: u64,
        max_bytes: u64,
        facts: impl Iterator<Item = (BlobId, Language, Arc<FileFacts>)>,
    ) -> Option<WarmNames> {
        let is_small = n_bytes <= max_bytes;
        let kept = facts.filter(|_| is_small);
        let by_blob = kept.map(|(blob, language, facts)| ((blob, language), facts)).collect();
        let new = KeptFacts { by_blob, n_bytes, used_at: Some(Instant::now()), ..KeptFacts::default() };
        let before = std::mem::replace(&mut *self.kept(), new);
        is_small.then(|| before.names.unwrap_or_default())
    }

    /// Keeps the names of the files whose facts are kept.
    pub(crate) fn keep_names(&self, names: WarmNames) {
        let mut kept = self.kept();
        kept.names = Some(names).filter(|_| !kept.by_blob.is_empty());
    }

    /// Takes the links of a generation, if they are kept: those of its files are moved to the next one.
    pub(crate) fn take_links(&self, generation: GenerationId) -> Option<Vec<PreviousLinkedFile>> {
        let (of_generation, links) = self.kept().links.take()?;
        (of_generation == generation).then_some(links)
    }

    /// Keeps the links of a generation with the facts of its files. A tree without kept facts keeps none.
    pub(crate) fn keep_links(&self, generation: GenerationId, links: Option<Vec<PreviousLinkedFile>>) {
        let mut kept = self.kept();
        kept.links = links.filter(|_| !kept.by_blob.is_empty()).map(|links| (generation, links));
    }

    fn drop_all(&self) {
        *self.kept() = KeptFacts::default();
    }

    fn kept(&self) -> MutexGuard<'_, KeptFacts> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Drops the facts that no run has used for a while, and the longest unused ones of trees that have more than `max_bytes` together.
pub(crate) fn drop_unused<'a>(trees: impl Iterator<Item = &'a WarmFacts>, max_bytes: u64, now: Instant) {
    let used = trees.filter_map(|tree| {
        let kept = tree.kept();
        Some((kept.used_at?, kept.n_bytes, tree))
    });
    let mut used: Vec<(Instant, u64, &WarmFacts)> = used.collect();
    used.sort_by_key(|(used_at, ..)| Reverse(*used_at));
    let mut n_bytes = 0_u64;
    for (used_at, n_bytes_of_tree, tree) in used {
        n_bytes = n_bytes.saturating_add(n_bytes_of_tree);
        if n_bytes > max_bytes || now.duration_since(used_at) > WarmFacts::KEEP {
            tree.drop_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX_BYTES: u64 = 1 << 20;

    fn warm(n_bytes: u64) -> WarmFacts {
        let facts = WarmFacts::default();
        facts.replace(
            n_bytes,
            MAX_BYTES,
            [(BlobId([1; 20]), Language::Rust, Arc::new(FileFacts::empty(Language::Rust, 1)))].into_iter(),
        );
        facts
    }

    fn are_warm(trees: &[WarmFacts]) -> Vec<bool> {
        trees.iter().map(|tree| !tree.kept().by_blob.is_empty()).collect()
    }

    #[test]
    fn trees_share_a_limit_and_the_last_edited_ones_are_kept() {
        let trees = [warm(MAX_BYTES / 2), warm(MAX_BYTES / 2), warm(MAX_BYTES / 2)];
        drop_unused(trees.iter(), MAX_BYTES, Instant::now());
        assert_eq!(are_warm(&trees), [false, true, true]);
        drop_unused(trees.iter(), MAX_BYTES, Instant::now() + WarmFacts::KEEP + Duration::from_secs(1));
        assert_eq!(are_warm(&trees), [false; 3]);
    }

    #[test]
    fn links_are_taken_once_and_only_by_the_run_on_their_generation() {
        let (one, other) = (GenerationId([1; 16]), GenerationId([2; 16]));
        let tree = warm(1);
        tree.keep_links(one, Some(Vec::new()));
        assert_eq!(tree.take_links(one), Some(Vec::new()));
        assert_eq!(tree.take_links(one), None);
        tree.keep_links(one, Some(Vec::new()));
        assert_eq!(tree.take_links(other), None);
        // A tree without facts keeps no links.
        let large = warm(MAX_BYTES + 1);
        large.keep_links(one, Some(Vec::new()));
        assert_eq!(large.take_links(one), None);
    }

    #[test]
    fn names_of_facts_are_numbered_once() {
        let facts = |name: &str| {
            let facts = syntax::extract(Language::Python, format!("def {name}(): pass\n").as_bytes());
            Arc::new(facts)
        };
        let [one, two, three] = ["one", "two", "three"].map(facts);
        let first = WarmNames::default().number([&one, &two].into_iter());
        let n_texts = first.numbers().n_texts();
        // An edit replaces the second file.
        let second = first.number([&one, &three].into_iter());
        assert_eq!((second.numbers().n_texts(), second.of_files().count()), (n_texts + 1, 2));
        let same = second.number([&three, &one].into_iter());
        assert_eq!(same.numbers().n_texts(), n_texts + 1);
        // After many edits the numbers begin anew.
        let edits: Vec<Arc<FileFacts>> = (0..20).map(|nth| facts(&format!("edit{nth}"))).collect();
        let many = same.number([&one].into_iter().chain(&edits));
        assert!(many.numbers().n_texts() > 20);
        assert!(many.number([&one].into_iter()).numbers().n_texts() < n_texts);
    }

    #[test]
    fn a_large_tree_keeps_no_names() {
        let facts = || [(BlobId([1; 20]), Language::Rust, Arc::new(FileFacts::empty(Language::Rust, 1)))].into_iter();
        let tree = WarmFacts::default();
        assert!(
            tree.replace(1, MAX_BYTES, facts()).is_some() && tree.replace(MAX_BYTES + 1, MAX_BYTES, facts()).is_none()
        );
        tree.keep_names(WarmNames::default());
        assert!(tree.kept().names.is_none());
    }

    #[test]
    fn a_large_tree_keeps_no_facts() {
        assert_eq!(are_warm(&[warm(MAX_BYTES), warm(MAX_BYTES + 1)]), [true, false]);
    }
}
