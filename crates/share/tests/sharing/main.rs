//! What sharing promises: what arrives is what left, damage and half uploads are never published, a store costs its deadlines.

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
use share::{Exported, Limits, Share, ShareError};
use store::{Fault, Faulty, objects};
use tempfile::TempDir;

/// What becomes of the bytes of an object; nothing, if it is gone.
type Damage = dyn Fn(&[u8]) -> Option<Vec<u8>>;

/// No test waits for longer; what is under way in memory takes milliseconds.
const SHORT: Limits =
    Limits { ask: Duration::from_millis(200), stall: Duration::from_millis(200), whole: Duration::from_secs(60) };

fn share(store: &Arc<InMemory>) -> Share {
    Share::over(store.clone(), SHORT)
}

/// A folder that has no generation yet.
fn nothing_yet() -> (TempDir, RepositoryDir) {
    let folder = tempfile::tempdir().unwrap();
    let repository = RepositoryDir::open(folder.path(), KEY.repo).unwrap();
    (folder, repository)
}

/// Says that nothing was published, and that nothing is left behind.
fn is_untouched((folder, repository): &(TempDir, RepositoryDir)) -> bool {
    let left = std::fs::read_dir(folder.path().join(KEY.repo.to_string())).unwrap().count();
    repository.current().unwrap().is_none() && left == 0
}

#[tokio::test]
async fn what_arrives_is_what_left() {
    let (from, to) = (tempfile::tempdir().unwrap(), nothing_yet());
    let written = write(from.path(), &FILES, 1, None);
    let store = Arc::new(InMemory::new());
    let exported = share(&store).export(written.export().unwrap(), false).await.unwrap();
    assert!(matches!(exported, Exported::Written { bytes } if bytes > 0));
    assert_eq!(share(&store).export(written.export().unwrap(), false).await.unwrap(), Exported::AlreadyThere);
    let loaded = share(&store).load(&KEY, &to.1).await.unwrap().unwrap();
    assert_eq!(loaded.snapshot.manifest(), written.manifest());
    assert_eq!(bytes_of(&loaded.snapshot), bytes_of(&written));
    assert!(loaded.bytes > 0);
    let opened = to.1.current().unwrap().unwrap();
    assert_eq!(opened.manifest(), written.manifest());

    // It is gone on with like any other.
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
async fn what_is_swept_here_is_exported_all_the_same() {
    let from = tempfile::tempdir().unwrap();
    let written = write(from.path(), &FILES, 1, None);
    let export = written.export().unwrap();
    from.close().unwrap();
    let store = Arc::new(InMemory::new());
    share(&store).export(export, false).await.unwrap();
    assert!(share(&store).load(&KEY, &nothing_yet().1).await.unwrap().is_some());
}

#[tokio::test]
async fn every_damage_is_noticed_and_nothing_is_published() {
    let from = tempfile::tempdir().unwrap();
    let written = write(from.path(), &FILES, 1, None);
    let store = Arc::new(InMemory::new());
    share(&store).export(written.export().unwrap(), false).await.unwrap();
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
        let sound = store.get(path).await.unwrap().bytes().await.unwrap();
        for (what, damage) in damages {
            match damage(&sound) {
                Some(bytes) => drop(store.put(path, bytes.into()).await.unwrap()),
                None => store.delete(path).await.unwrap(),
            }
            let to = nothing_yet();
            let loaded = share(&store).load(&KEY, &to.1).await;
            match (path.filename(), what) {
                (Some("manifest"), "missing") => assert!(loaded.unwrap().is_none()),
                _ => assert!(matches!(loaded, Err(ShareError::Damaged(_))), "{path} {what}: {:?}", loaded.map(drop)),
            }
            assert!(is_untouched(&to), "{path} {what}");
        }
        store.put(path, PutPayload::from(sound)).await.unwrap();
    }
    // What nobody names is not looked at.
    let folder =
        names[0].prefix_match(&Path::default()).unwrap().take(4).fold(Path::default(), |path, part| path.join(part));
    store.put(&folder.join("stray"), "x".into()).await.unwrap();
    assert!(share(&store).load(&KEY, &nothing_yet().1).await.unwrap().is_some());

    // Stored anew, it is sound again.
    store.put(&names[0], "x".into()).await.unwrap();
    assert!(share(&store).load(&KEY, &nothing_yet().1).await.is_err());
    share(&store).export(written.export().unwrap(), true).await.unwrap();
    assert!(share(&store).load(&KEY, &nothing_yet().1).await.unwrap().is_some());
}

#[tokio::test]
async fn a_generation_of_another_place_is_refused() {
    let from = tempfile::tempdir().unwrap();
    let written = write(from.path(), &FILES, 1, None);
    let store = Arc::new(InMemory::new());
    share(&store).export(written.export().unwrap(), false).await.unwrap();
    let other = index::GenerationKey { commit: model::CommitId([9; 20]), ..*KEY };
    for path in objects(&*store).await {
        let moved = path.as_ref().replace(&KEY.commit.to_string(), &other.commit.to_string());
        store.copy(&path, &Path::from(moved)).await.unwrap();
    }
    let to = nothing_yet();
    let refused = share(&store).load(&other, &to.1).await;
    assert!(matches!(refused, Err(ShareError::Damaged(_))), "{:?}", refused.map(drop));
    assert!(is_untouched(&to));
}

#[tokio::test]
async fn half_an_upload_is_not_seen() {
    let from = tempfile::tempdir().unwrap();
    let written = write(from.path(), &FILES, 1, None);
    let n_objects = {
        let store = Arc::new(InMemory::new());
        share(&store).export(written.export().unwrap(), false).await.unwrap();
        objects(&*store).await.len()
    };
    for n_stored in 0..n_objects {
        let inner = Arc::new(InMemory::new());
        let faulty = Share::over(Arc::new(Faulty::new(inner.clone(), Fault::PutsAfter(n_stored))), SHORT);
        let interrupted = faulty.export(written.export().unwrap(), false).await;
        assert!(matches!(interrupted, Err(ShareError::Unavailable(_))), "{n_stored}: {interrupted:?}");
        let to = nothing_yet();
        assert!(share(&inner).load(&KEY, &to.1).await.unwrap().is_none(), "{n_stored}");
        assert!(is_untouched(&to));
        // The next one goes on as if nothing had been.
        share(&inner).export(written.export().unwrap(), false).await.unwrap();
        assert!(share(&inner).load(&KEY, &to.1).await.unwrap().is_some(), "{n_stored}");
    }
}

#[tokio::test]
async fn two_workers_that_export_the_same_do_no_harm() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    // The same files, extended and from nothing: one generation, other bytes.
    let one = write(folders[0].path(), &FILES, 1, None);
    let before = write(folders[1].path(), &CHANGED, 2, None);
    let two = write(folders[1].path(), &FILES, 1, Some(Arc::new(before)));
    assert_eq!(one.manifest().key(), two.manifest().key());
    assert_ne!(one.manifest().checksums, two.manifest().checksums);
    let inner = Arc::new(InMemory::new());
    let config = ThrottleConfig { wait_put_per_call: Duration::from_millis(1), ..Default::default() };
    let slow = Share::over(Arc::new(ThrottledStore::new(inner.clone() as Arc<dyn ObjectStore>, config)), SHORT);
    let (a, b) = tokio::join!(slow.export(one.export().unwrap(), false), slow.export(two.export().unwrap(), false));
    a.and(b).unwrap();
    let (_kept, into) = nothing_yet();
    let loaded = share(&inner).load(&KEY, &into).await.unwrap().unwrap();
    let expected = [bytes_of(&one), bytes_of(&two)];
    assert!(expected.contains(&bytes_of(&loaded.snapshot)), "one of them, never a mix");
}

#[tokio::test]
async fn a_store_costs_its_deadline() {
    let from = tempfile::tempdir().unwrap();
    let written = write(from.path(), &FILES, 1, None);
    let inner = Arc::new(InMemory::new());
    share(&inner).export(written.export().unwrap(), false).await.unwrap();
    for fault in [Fault::Silent, Fault::Error, Fault::SilentFiles] {
        let faulty = Share::over(Arc::new(Faulty::new(inner.clone(), fault)), SHORT);
        let (began, to) = (Instant::now(), nothing_yet());
        let loaded = faulty.load(&KEY, &to.1).await;
        assert!(matches!(loaded, Err(ShareError::Unavailable(_))), "{fault:?}: {:?}", loaded.map(drop));
        assert!(is_untouched(&to));
        if fault != Fault::SilentFiles {
            assert!(faulty.export(written.export().unwrap(), false).await.is_err());
            assert!(faulty.sweep(&KEY, 1).await.is_err() || fault == Fault::Silent);
        }
        assert!(began.elapsed() < Duration::from_secs(10), "{fault:?}: {:?}", began.elapsed());
    }
    // A slow one is waited for, while it goes on.
    let config = ThrottleConfig { wait_get_per_call: Duration::from_millis(20), ..Default::default() };
    let slow = Share::over(Arc::new(ThrottledStore::new(inner as Arc<dyn ObjectStore>, config)), SHORT);
    assert!(slow.load(&KEY, &nothing_yet().1).await.unwrap().is_some());
}

#[tokio::test]
async fn the_newest_generations_stay() {
    let from = tempfile::tempdir().unwrap();
    let store = Arc::new(InMemory::new());
    let mut keys = Vec::new();
    for commit in 1..=4 {
        let written = write(from.path(), &FILES, commit, None);
        share(&store).export(written.export().unwrap(), false).await.unwrap();
        keys.push(written.manifest().key());
    }
    let swept = share(&store).sweep(&keys[3], 2).await.unwrap();
    assert_eq!(swept.generations, 2);
    for (key, stays) in keys.iter().zip([false, false, true, true]) {
        assert_eq!(share(&store).holds(key).await.unwrap(), stays);
    }
    assert_eq!(share(&store).sweep(&keys[3], 2).await.unwrap().generations, 0);
    let left = objects(&*store).await;
    let is_gone = |key: &index::GenerationKey| left.iter().all(|path| !path.as_ref().contains(&key.commit.to_string()));
    assert!(is_gone(&keys[0]) && is_gone(&keys[1]), "{left:?}");
}

#[tokio::test]
async fn a_folder_is_a_store() {
    let (from, at) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let written = write(from.path(), &FILES, 1, None);
    let place = share::Place::parse(&format!("file://{}/shared", at.path().display())).unwrap();
    let share = Share::open(&place).unwrap();
    let (_kept, into) = nothing_yet();
    assert!(share.load(&KEY, &into).await.unwrap().is_none());
    share.export(written.export().unwrap(), false).await.unwrap();
    let loaded = share.load(&KEY, &into).await.unwrap().unwrap();
    assert_eq!(bytes_of(&loaded.snapshot), bytes_of(&written));
    let next = write(from.path(), &CHANGED, 2, None);
    share.export(next.export().unwrap(), false).await.unwrap();
    assert_eq!(share.sweep(&next.manifest().key(), 1).await.unwrap().generations, 1);
    assert!(!share.holds(&KEY).await.unwrap() && share.holds(&next.manifest().key()).await.unwrap());
}
