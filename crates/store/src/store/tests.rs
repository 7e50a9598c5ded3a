use std::{fs, path::Path};

use tempfile::TempDir;

use super::*;
use crate::{QuarantinedGeneration, generation::path_of};

const CAP: u64 = 64 * 1024 * 1024;

fn sandbox() -> (TempDir, PathBuf) {
    let sandbox = tempfile::tempdir().unwrap();
    let dir = sandbox.path().join("cache");
    (sandbox, dir)
}

fn open(dir: &Path) -> (Store, OpenReport) {
    Store::open(dir, CAP).unwrap()
}

fn put(store: &Store, space: &str, key: &str, value: &[u8]) {
    store.put_batch(space, [(key.as_bytes(), value)]).unwrap();
}

/// Returns a distinct value for a key. It is small for every other key.
fn value_of(key: usize) -> Vec<u8> {
    format!("value of {key} ").repeat(if key.is_multiple_of(2) { 20 } else { 80 }).into_bytes()
}

fn fill(store: &Store, keys: std::ops::Range<usize>) {
    let entries: Vec<_> = keys.map(|key| (key.to_be_bytes(), value_of(key))).collect();
    store.put_batch("s", entries.iter().map(|(key, value)| (&key[..], &value[..]))).unwrap();
}

/// Counts the keys with a value, and asserts that each value is the stored one.
fn count_hits(store: &Store, keys: std::ops::Range<usize>) -> usize {
    let found = keys.filter_map(|key| store.get("s", &key.to_be_bytes()).map(|value| (key, value)));
    found.inspect(|(key, value)| assert!(*value == value_of(*key), "wrong value of {key}")).count()
}

#[test]
fn a_removed_store_is_made_again() {
    let (_sandbox, dir) = sandbox();
    let (store, _) = open(&dir);
    fill(&store, 0..100);
    assert!(!store.restore().unwrap(), "nothing is removed");
    fs::remove_dir_all(&dir).unwrap();
    assert!(store.restore().unwrap() && !store.restore().unwrap());
    assert_eq!(count_hits(&store, 0..100), 0);
    fill(&store, 0..100);
    store.flush().unwrap();
    drop(store);
    let (store, report) = open(&dir);
    assert_eq!((count_hits(&store, 0..100), report), (100, OpenReport::default()));
}

#[test]
fn values_survive_reopening() {
    let (_sandbox, dir) = sandbox();
    let (store, report) = open(&dir);
    assert_eq!(report, OpenReport { is_new: true, set_aside: Vec::new() });
    put(&store, "facts", "k", b"one");
    put(&store, "facts", "k", b"two");
    put(&store, "vectors", "k", b"");
    store.flush().unwrap();
    drop(store);
    let (store, report) = open(&dir);
    assert_eq!(report, OpenReport::default());
    assert_eq!(store.get("facts", b"k").as_deref(), Some(&b"two"[..]));
    assert_eq!(store.get("vectors", b"k").as_deref(), Some(&b""[..]));
    assert_eq!(store.get("other", b"k"), None);
    assert_eq!(store.len(), 2);
}

#[test]
fn a_flush_after_many_entries_keeps_them() {
    let (_sandbox, dir) = sandbox();
    let (store, _) = open(&dir);
    let n_keys = usize::try_from(MAX_WRITTEN).expect("a small number") + 1;
    fill(&store, 0..n_keys);
    assert!(store.read().young.n_written() > MAX_WRITTEN);
    store.flush().expect("it can be written");
    assert_eq!(store.read().young.n_written(), 0);
    assert_eq!(count_hits(&store, 0..n_keys), n_keys);
    // A folder that was removed meanwhile is not made by the way.
    fill(&store, 0..n_keys);
    fs::remove_dir_all(&dir).expect("it can be removed");
    let _ = store.flush();
    assert!(store.restore().expect("it can be made again"));
    fill(&store, 0..3);
    assert_eq!(count_hits(&store, 0..3), 3);
}

#[test]
fn a_store_has_one_owner() {
    let (_sandbox, dir) = sandbox();
    let (_store, _) = open(&dir);
    assert!(matches!(Store::open(&dir, CAP), Err(StoreError::Locked { .. })));
}

#[test]
fn a_value_that_is_too_large_removes_the_previous_one() {
    let (_sandbox, dir) = sandbox();
    let (store, _) = open(&dir);
    put(&store, "s", "k", b"small");
    put(&store, "s", "k", &vec![0; MAX_VALUE_BYTES + 1]);
    assert_eq!(store.get("s", b"k"), None);
    put(&store, "s", "k", &vec![7; MAX_VALUE_BYTES]);
    assert_eq!(store.get("s", b"k").map(|value| value.len()), Some(MAX_VALUE_BYTES));
}

#[test]
fn an_entry_that_fails_its_checksum_is_a_miss_in_both_generations() {
    let (_sandbox, dir) = sandbox();
    let (store, _) = open(&dir);
    put(&store, "s", "k", b"value");
    let full_key = full_key("s", b"k");
    store.read().young.insert(&full_key, b"12345678value").unwrap();
    assert_eq!(store.get("s", b"k"), None);
    assert_eq!(store.len(), 0);
}

#[test]
fn size_stays_below_the_cap_and_used_entries_stay() {
    // The measured size lacks the write buffers of sled.
    let allowed = 3 * MIN_CAP_BYTES;
    let (_sandbox, dir) = sandbox();
    let (store, _) = Store::open(&dir, 2 * MIN_CAP_BYTES).unwrap();
    put(&store, "s", "used", b"value");
    let noise: Vec<u8> = (0..40_000_u32).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    for round in 0_u32..160 {
        put(&store, "s", &format!("noise {round}"), &noise);
        assert_eq!(store.get("s", b"used").as_deref(), Some(&b"value"[..]), "round {round}");
        assert!(store.size_on_disk() <= allowed, "{} bytes in round {round}", store.size_on_disk());
    }
    assert!(store.read().young.number > 2);
    assert_eq!(store.get("s", b"noise 0"), None);
    // Reading copies entries to the young generation, which must not exceed the cap either.
    for round in 0..160 {
        store.get("s", format!("noise {round}").as_bytes());
        assert!(store.size_on_disk() <= allowed, "{} bytes after reading {round}", store.size_on_disk());
    }
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 2);
}

/// Damages each file of a store at many positions, one after the other: flipped bits, zeroed ranges and truncation.
#[test]
fn damage_loses_entries_but_never_returns_a_wrong_value() {
    let n_keys = 2_000;
    let (sandbox, dir) = sandbox();
    let (store, _) = open(&dir);
    fill(&store, 0..n_keys);
    store.flush().unwrap();
    drop(store);
    let mut n_set_aside = 0;
    for name in ["flip", "zero", "cut"] {
        for place in 0..8 {
            let copy = sandbox.path().join(format!("{name}-{place}"));
            for file in copy_files(&dir, &copy) {
                let mut bytes = fs::read(&file).unwrap();
                if bytes.is_empty() {
                    continue;
                }
                let at = (bytes.len() - 1) * place / 7;
                damage(name, &mut bytes, at);
                fs::write(&file, bytes).unwrap();
            }
            let (store, report) = open(&copy);
            n_set_aside += report.set_aside.len();
            count_hits(&store, 0..n_keys);
            // The next opening always returns a working store.
            drop(store);
            let (store, _) = open(&copy);
            fill(&store, 0..n_keys);
            assert_eq!(count_hits(&store, 0..n_keys), n_keys, "{name} {place}");
        }
    }
    assert!(n_set_aside > 0);
}

fn damage(name: &str, bytes: &mut Vec<u8>, at: usize) {
    match name {
        "flip" => bytes[at] ^= 0x10,
        "zero" => bytes.iter_mut().skip(at).take(4_096).for_each(|byte| *byte = 0),
        _ => bytes.truncate(at),
    }
}

/// Copies a store, and returns the files of the copy.
fn copy_files(from: &Path, to: &Path) -> Vec<PathBuf> {
    fs::create_dir_all(to).unwrap();
    let mut files = Vec::new();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            files.extend(copy_files(&entry.path(), &target));
        } else {
            fs::copy(entry.path(), &target).unwrap();
            files.push(target);
        }
    }
    files
}

#[test]
fn the_last_two_damaged_generations_are_kept() {
    let (sandbox, dir) = sandbox();
    let mut reports = Vec::new();
    for _ in 0..4 {
        let (store, report) = open(&dir);
        put(&store, "s", "k", b"value");
        let generation = path_of(&dir, store.read().young.number);
        drop(store);
        fs::write(generation.join("db"), vec![0xff; 64 * 1024]).unwrap();
        fs::write(generation.join("conf"), b"no configuration at all").unwrap();
        reports.extend(report.set_aside);
    }
    let (_, last) = open(&dir);
    reports.extend(last.set_aside);
    let names: Vec<_> =
        reports.iter().map(|QuarantinedGeneration { path, .. }| path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(names, ["cache.damaged-1", "cache.damaged-2", "cache.damaged-3", "cache.damaged-4"]);
    let mut left: Vec<_> = fs::read_dir(sandbox.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, ["cache", "cache.damaged-3", "cache.damaged-4"]);
}

#[test]
fn a_folder_that_cannot_be_created_is_an_error() {
    let (sandbox, _) = sandbox();
    fs::write(sandbox.path().join("file"), "x").unwrap();
    assert!(matches!(Store::open(&sandbox.path().join("file/cache"), CAP), Err(StoreError::Io { .. })));
}
