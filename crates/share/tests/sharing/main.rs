//! Sharing end to end: a loaded generation equals the exported one, damage and incomplete uploads are never published, and a
//! failing store costs at most its deadlines.

mod generation;
mod store;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use generation::{CHANGED, FILES, KEY, bytes_of, write};
use index::RepositoryDir;
use object_store::{
    ObjectStore, ObjectStoreExt, PutPayload,
    memory::InMemory,
    path::Path,
    throttle::{ThrottleConfig, ThrottledStore},
};
use share::{ExportOutcome, GenerationStore, ShareError, StoreAddress, TransferLimits};
use store::{Fault, FaultyStore, objects};
use tempfile::TempDir;

/// Changes the bytes of an object; `None` removes it.
type Damage = dyn Fn(&[u8]) -> Option<Vec<u8>>;

/// Short deadlines. Transfers in memory take milliseconds.
const SHORT: TransferLimits = TransferLimits {
    request: Duration::from_millis(200),
    stall: Duration::from_millis(200),
    whole: Duration::from_secs(60),
};

fn shared(store: &Arc<InMemory>) -> GenerationStore {
    GenerationStore::with_store(store.clone(), SHORT)
}

/// Returns a folder without generations.
fn empty_dir() -> (TempDir, RepositoryDir) {
    let folder = tempfile::tempdir().unwrap();
    let repository = RepositoryDir::new(folder.path(), KEY.repo);
    (folder, repository)
}

/// Returns true if nothing was published, and no file remains.
fn is_still_empty((folder, repository): &(TempDir, RepositoryDir)) -> bool {
    // The folder of a repository is made with its first generation.
    let left = std::fs::read_dir(folder.path().join(KEY.repo.to_string())).map_or(0, Iterator::count);
    repository.current().unwrap().is_none() && left == 0
}

#[tokio::test]
async fn a_loaded_generation_equals_the_exported_one() {
    let (from, to) = (tempfile::tempdir().unwrap(), empty_dir());
    let written = write(from.path(), &FILES, 1, None);
    let store = Arc::new(InMemory::new());
    let exported = shared(&store).export(written.export().unwrap(), false).await.unwrap();
    assert!(matches!(exported, ExportOutcome::Written { bytes } if bytes > 0));
    assert_eq!(shared(&store).export(written.export().unwrap(), false).await.unwrap(), ExportOutcome::AlreadyStored);
    let loaded = shared(&store).load(&KEY, &to.1).await.unwrap().unwrap();
    assert_eq!(loaded.snapshot.manifest(), written.manifest());
    assert_eq!(bytes_of(&loaded.snapshot), bytes_of(&written));
    assert!(loaded.bytes > 0);
    let opened = to.1.current().unwrap().unwrap();
    assert_eq!(opened.manifest(), written.manifest());

    // The loaded generation can be extended.
    let extended = write(to.0.path(), &CHANGED, 2, Some(Arc::new(opened)));
    let anew = write(tempfile::tempdir().unwrap().path(), &CHANGED, 2, None);
    assert_eq!(extended.manifest().rows, anew.manifest().rows);
    assert_eq!(extended.manifest().generation, anew.manifest().generation);
    assert!(extended.manifest().next_slot > anew.manifest().next_slot, "it was extended");
    for (path, _) in extended.files() {
        assert_eq!(extended.source(path, None).unwrap(), anew.source(path, None).unwrap(), "{path}");
    }
}

#[tokio::test]
async fn a_generation_that_was_swept_meanwhile_is_exported() {
    let from = tempfile::tempdir().unwrap();
    let written = write(from.path(), &FILES, 1, None);
    let export = written.export().unwrap();
    from.close().unwrap();
    let store = Arc::new(InMemory::new());
    shared(&store).export(export, false).await.unwrap();
    assert!(shared(&store).load(&KEY, &empty_dir().1).await.unwrap().is_some());
}

#[tokio::test]
async fn damage_is_detected_and_never_published() {
    let from = tempfile::tempdir().unwrap();
    let written = write(from.path(), &FILES, 1, None);
    let store = Arc::new(InMemory::new());
    shared(&store).export(written.export().unwrap(), false).await.unwrap();
    let names = objects(&*store).await;
    assert!(names.len() > 10, "{names:?}");
    let cut = |bytes: &[u8]| Some(bytes[..bytes.len() / 2].to_vec());
    let cut_by_one = |bytes: &[u8]| Some(bytes[..bytes.len() - 1].to_vec());
    let flipped = |bytes: &[u8]| {
        let mut flipped = bytes.to_vec();
        flipped[bytes.len() / 2] ^= 0x10;
        Some(flipped)
    };
    let longer = |bytes: &[u8]| Some([bytes, b"x"].concat());
    let emptied = |_: &[u8]| Some(Vec::new());
    let missing = |_: &[u8]| None;
    let damages: [(&str, &Damage); 6] = [
        ("cut", &cut),
        ("cut by one", &cut_by_one),
        ("flipped", &flipped),
        ("longer", &longer),
        ("empty", &emptied),
        ("missing", &missing),
    ];
    for path in &names {
        let intact = store.get(path).await.unwrap().bytes().await.unwrap();
        for (name, damage) in damages {
            match damage(&intact) {
                Some(bytes) => drop(store.put(path, bytes.into()).await.unwrap()),
                None => store.delete(path).await.unwrap(),
            }
            let to = empty_dir();
            let loaded = shared(&store).load(&KEY, &to.1).await;
            match (path.filename(), name) {
                (Some("manifest"), "missing") => assert!(loaded.unwrap().is_none()),
                _ => assert!(matches!(loaded, Err(ShareError::Damaged(_))), "{path} {name}: {:?}", loaded.map(drop)),
            }
            assert!(is_still_empty(&to), "{path} {name}");
        }
        store.put(path, PutPayload::from(intact)).await.unwrap();
    }
    // An unknown object is ignored.
    let folder =
        names[0].prefix_match(&Path::default()).unwrap().take(4).fold(Path::default(), |path, part| path.join(part));
    store.put(&folder.join("stray"), "x".into()).await.unwrap();
    assert!(shared(&store).load(&KEY, &empty_dir().1).await.unwrap().is_some());

    // Overwriting repairs a damaged generation.
    store.put(&names[0], "x".into()).await.unwrap();
    assert!(shared(&store).load(&KEY, &empty_dir().1).await.is_err());
    shared(&store).export(written.export().unwrap(), true).await.unwrap();
    assert!(shared(&store).load(&KEY, &empty_dir().1).await.unwrap().is_some());
}

#[tokio::test]
async fn a_manifest_under_another_key_is_an_error() {
    let from = tempfile::tempdir().unwrap();
    let written = write(from.path(), &FILES, 1, None);
    let store = Arc::new(InMemory::new());
    shared(&store).export(written.export().unwrap(), false).await.unwrap();
    let other = index::GenerationKey { commit: model::CommitId([9; 20]), ..*KEY };
    for path in objects(&*store).await {
        let moved = path.as_ref().replace(&KEY.commit.to_string(), &other.commit.to_string());
        store.copy(&path, &Path::from(moved)).await.unwrap();
    }
    let to = empty_dir();
    let refused = shared(&store).load(&other, &to.1).await;
    assert!(matches!(refused, Err(ShareError::Damaged(_))), "{:?}", refused.map(drop));
    assert!(is_still_empty(&to));
}

#[tokio::test]
async fn an_incomplete_upload_is_not_loaded() {
    let from = tempfile::tempdir().unwrap();
    let written = write(from.path(), &FILES, 1, None);
    let n_objects = {
        let store = Arc::new(InMemory::new());
        shared(&store).export(written.export().unwrap(), false).await.unwrap();
        objects(&*store).await.len()
    };
    for n_stored in 0..n_objects {
        let inner = Arc::new(InMemory::new());
        let faulty =
            GenerationStore::with_store(Arc::new(FaultyStore::new(inner.clone(), Fault::PutsAfter(n_stored))), SHORT);
        let interrupted = faulty.export(written.export().unwrap(), false).await;
        assert!(matches!(interrupted, Err(ShareError::Unavailable(_))), "{n_stored}: {interrupted:?}");
        let to = empty_dir();
        assert!(shared(&inner).load(&KEY, &to.1).await.unwrap().is_none(), "{n_stored}");
        assert!(is_still_empty(&to));
        // The next export completes it.
        shared(&inner).export(written.export().unwrap(), false).await.unwrap();
        assert!(shared(&inner).load(&KEY, &to.1).await.unwrap().is_some(), "{n_stored}");
    }
}

#[tokio::test]
async fn concurrent_exports_of_one_generation_do_not_mix() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    // The same files, extended and rebuilt: equal generation ids, different bytes.
    let one = write(folders[0].path(), &FILES, 1, None);
    let before = write(folders[1].path(), &CHANGED, 2, None);
    let two = write(folders[1].path(), &FILES, 1, Some(Arc::new(before)));
    assert_eq!(one.manifest().key(), two.manifest().key());
    assert_ne!(one.manifest().checksums, two.manifest().checksums);
    let inner = Arc::new(InMemory::new());
    let config = ThrottleConfig { wait_put_per_call: Duration::from_millis(1), ..Default::default() };
    let slow = GenerationStore::with_store(
        Arc::new(ThrottledStore::new(inner.clone() as Arc<dyn ObjectStore>, config)),
        SHORT,
    );
    let (a, b) = tokio::join!(slow.export(one.export().unwrap(), false), slow.export(two.export().unwrap(), false));
    a.and(b).unwrap();
    let (_folder, into) = empty_dir();
    let loaded = shared(&inner).load(&KEY, &into).await.unwrap().unwrap();
    let expected = [bytes_of(&one), bytes_of(&two)];
    assert!(expected.contains(&bytes_of(&loaded.snapshot)), "one of them, never a mix");
}

#[tokio::test]
async fn a_failing_store_costs_at_most_its_deadline() {
    let from = tempfile::tempdir().unwrap();
    let written = write(from.path(), &FILES, 1, None);
    let inner = Arc::new(InMemory::new());
    shared(&inner).export(written.export().unwrap(), false).await.unwrap();
    for fault in [Fault::Silent, Fault::Error, Fault::SilentFiles] {
        let faulty = GenerationStore::with_store(Arc::new(FaultyStore::new(inner.clone(), fault)), SHORT);
        let (began, to) = (Instant::now(), empty_dir());
        let loaded = faulty.load(&KEY, &to.1).await;
        assert!(matches!(loaded, Err(ShareError::Unavailable(_))), "{fault:?}: {:?}", loaded.map(drop));
        assert!(is_still_empty(&to));
        if fault != Fault::SilentFiles {
            assert!(faulty.export(written.export().unwrap(), false).await.is_err());
            assert!(faulty.sweep(&KEY, 1).await.is_err() || fault == Fault::Silent);
        }
        assert!(began.elapsed() < Duration::from_secs(10), "{fault:?}: {:?}", began.elapsed());
    }
    // A slow store is no error while it makes progress.
    let config = ThrottleConfig { wait_get_per_call: Duration::from_millis(20), ..Default::default() };
    let slow = GenerationStore::with_store(Arc::new(ThrottledStore::new(inner as Arc<dyn ObjectStore>, config)), SHORT);
    assert!(slow.load(&KEY, &empty_dir().1).await.unwrap().is_some());
}

#[tokio::test]
async fn the_newest_generations_stay() {
    let from = tempfile::tempdir().unwrap();
    let store = Arc::new(InMemory::new());
    let mut keys = Vec::new();
    for commit in 1..=4 {
        let written = write(from.path(), &FILES, commit, None);
        shared(&store).export(written.export().unwrap(), false).await.unwrap();
        keys.push(written.manifest().key());
    }
    let swept = shared(&store).sweep(&keys[3], 2).await.unwrap();
    assert_eq!(swept.generations, 2);
    for (key, stays) in keys.iter().zip([false, false, true, true]) {
        assert_eq!(shared(&store).has_generation(key).await.unwrap(), stays);
    }
    assert_eq!(shared(&store).sweep(&keys[3], 2).await.unwrap().generations, 0);
    let left = objects(&*store).await;
    let is_gone = |key: &index::GenerationKey| left.iter().all(|path| !path.as_ref().contains(&key.commit.to_string()));
    assert!(is_gone(&keys[0]) && is_gone(&keys[1]), "{left:?}");
}

#[tokio::test]
async fn a_folder_is_a_store() {
    let (from, at) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let written = write(from.path(), &FILES, 1, None);
    let address = StoreAddress::parse(&format!("file://{}/shared", at.path().display())).unwrap();
    let shared = GenerationStore::open(&address).unwrap();
    let (_folder, into) = empty_dir();
    assert!(shared.load(&KEY, &into).await.unwrap().is_none());
    shared.export(written.export().unwrap(), false).await.unwrap();
    let loaded = shared.load(&KEY, &into).await.unwrap().unwrap();
    assert_eq!(bytes_of(&loaded.snapshot), bytes_of(&written));
    let next = write(from.path(), &CHANGED, 2, None);
    shared.export(next.export().unwrap(), false).await.unwrap();
    assert_eq!(shared.sweep(&next.manifest().key(), 1).await.unwrap().generations, 1);
    assert!(
        !shared.has_generation(&KEY).await.unwrap() && shared.has_generation(&next.manifest().key()).await.unwrap()
    );
}
