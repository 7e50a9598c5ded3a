//! Tests of the data folder.

use std::{os::unix::fs::PermissionsExt as _, process::Command};

use super::*;

#[test]
fn a_folder_has_one_owner_and_keeps_its_worker() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("data");
    let first = DataDir::open(&path).unwrap();
    let second = DataDir::open(&path).unwrap_err();
    assert!(matches!(&second, DataDirError::InUse { owner, .. } if *owner == std::process::id().to_string()));
    let worker = first.worker().to_owned();
    let state = DataDirState::read(&path);
    assert_eq!(state.owner, Some(std::process::id().to_string()));
    assert_eq!(state.version, Some(DATA_VERSION.to_string()));
    first.release();
    assert_eq!(DataDirState::read(&path).owner, None);
    assert_eq!(DataDir::open(&path).unwrap().worker(), worker);
}

#[test]
fn a_copy_of_the_lock_in_a_forked_process_does_not_hold_the_folder() {
    let root = tempfile::tempdir().unwrap();
    let data = DataDir::open(root.path()).unwrap();
    let inherited = match &*data.claim() {
        Claim::Owned(lock) => lock.file().try_clone().unwrap(),
        other => panic!("{other:?}"),
    };
    drop(data);
    DataDir::open(root.path()).unwrap();
    drop(inherited);
}

#[test]
fn other_folders_are_refused() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("thesis.txt"), "keep me").unwrap();
    assert!(matches!(DataDir::open(root.path()), Err(DataDirError::Foreign { .. })));
    // A folder of another program may have the name of one of ours.
    for name in OWN_NAMES.iter().filter(|name| ![VERSION_FILE, LOCK_FILE].contains(name)) {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join(name)).unwrap();
        assert!(matches!(DataDir::open(root.path()), Err(DataDirError::Foreign { .. })), "{name}");
    }
}

#[test]
fn anything_in_the_place_of_the_version_is_reported() {
    let root = tempfile::tempdir().unwrap();
    drop(DataDir::open(root.path()).unwrap());
    let version = root.path().join(VERSION_FILE);
    for (bytes, expected) in [
        (&b"0\n"[..], "has version 0,"),
        (b"\xc3\x28", "`VERSION` is not read: it is not UTF-8 text;"),
        (&[b'1'; 1 << 20], "`VERSION` is not read: it has more than 1024 bytes;"),
        (b"latest release of all", "has version latest release of al,"),
    ] {
        fs::write(&version, bytes).unwrap();
        let error = DataDir::open(root.path()).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains("--data"), "{error}");
        assert_eq!(fs::read(&version).unwrap(), bytes, "it is left as it is");
    }
    fs::remove_file(&version).unwrap();
    fs::create_dir(&version).unwrap();
    let error = DataDir::open(root.path()).unwrap_err().to_string();
    assert!(error.contains("`VERSION` is not read: it is a folder, not a regular file;"), "{error}");
    assert_eq!(
        DataDirState::read(root.path()).version.as_deref(),
        Some("unknown (`VERSION`: it is a folder, not a regular file)")
    );
    fs::remove_dir(&version).unwrap();
    // Without a version, or with an empty one, it is written again.
    for text in [None, Some(""), Some(" \n")] {
        _ = fs::remove_file(&version);
        text.into_iter().for_each(|text| fs::write(&version, text).unwrap());
        drop(DataDir::open(root.path()).unwrap());
        assert_eq!(fs::read_to_string(&version).unwrap(), "1\n", "{text:?}");
    }
}

#[test]
fn a_pipe_in_the_place_of_a_file_does_not_block_the_start() {
    let root = tempfile::tempdir().unwrap();
    let data = DataDir::open(root.path()).unwrap();
    let worker = data.worker().to_owned();
    drop(data);
    let replace_with_pipe = |name: &str| {
        _ = fs::remove_file(root.path().join(name));
        assert!(Command::new("mkfifo").arg(root.path().join(name)).status().unwrap().success());
    };
    ["WORKER_ID.tmp", PROBE_FILE].iter().for_each(|name| replace_with_pipe(name));
    assert_eq!(DataDir::open(root.path()).unwrap().worker(), worker);
    replace_with_pipe(ID_FILE);
    let data = DataDir::open(root.path()).unwrap();
    assert_eq!(small_file::read(&root.path().join(ID_FILE)).unwrap(), data.worker(), "a new id replaces the pipe");
    drop(data);
    for name in [LOCK_FILE, VERSION_FILE] {
        replace_with_pipe(name);
        let error = DataDir::open(root.path()).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("it is a pipe, not a regular file"), "{error}");
        assert_eq!(DataDirState::read(root.path()).owner, None);
        fs::remove_file(root.path().join(name)).unwrap();
    }
}

#[test]
fn removed_small_files_are_written_again() {
    let root = tempfile::tempdir().unwrap();
    let data = DataDir::open(root.path()).unwrap();
    for name in [VERSION_FILE, ID_FILE, CACHE_TAG_FILE] {
        fs::remove_file(root.path().join(name)).unwrap();
        assert!(!data.restore(), "the folder is not lost");
    }
    let read = |name| small_file::read(&root.path().join(name)).unwrap();
    assert_eq!(read(CACHE_TAG_FILE), CACHE_TAG);
    assert_eq!((read(VERSION_FILE), read(ID_FILE)), (DATA_VERSION.to_string(), data.worker().to_owned()));
}

#[test]
fn a_removed_folder_is_claimed_again_by_its_owner() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("data");
    let data = DataDir::open(&path).unwrap();
    let is_owned = || DataDirState::read(&path).owner == Some(std::process::id().to_string());
    assert!(!data.restore(), "nothing has happened");
    fs::remove_file(path.join(LOCK_FILE)).unwrap();
    assert!(data.restore() && is_owned());
    fs::remove_dir_all(&path).unwrap();
    assert!(data.restore() && is_owned());
    assert!(DataDir::open(&path).unwrap_err().to_string().contains("in use"));

    // A run that still wrote, and the server, have made the folder again before its owner.
    fs::remove_dir_all(&path).unwrap();
    fs::create_dir_all(path.join("repositories/0123")).unwrap();
    fs::write(path.join("server.json"), "{}").unwrap();
    assert!(data.restore() && is_owned() && data.write_refusal().is_none());

    fs::remove_dir_all(&path).unwrap();
    fs::write(&path, "a file").unwrap();
    assert!(!data.restore());
    let refusal = data.write_refusal().unwrap();
    assert!(refusal.contains("cannot be used: cannot create `") && data.read_only_reason().is_none(), "{refusal}");
    fs::remove_file(&path).unwrap();
    assert!(data.restore() && is_owned() && data.write_refusal().is_none());
}

#[test]
fn a_removed_lock_file_does_not_free_the_folder() {
    let root = tempfile::tempdir().unwrap();
    let lock_file = root.path().join(LOCK_FILE);
    let data = DataDir::open(root.path()).unwrap();
    let error = DataDir::open(root.path()).unwrap_err().to_string();
    assert!(error.contains(&format!("in use by process {}", std::process::id())), "{error}");
    for replacement in [None, Some(""), Some("1\n")] {
        fs::remove_file(&lock_file).unwrap();
        if let Some(text) = replacement {
            fs::write(&lock_file, text).unwrap();
        }
        let error = DataDir::open(root.path()).unwrap_err().to_string();
        assert!(error.contains("in use by process with an unknown id"), "{replacement:?}: {error}");
        assert_eq!(DataDirState::read(root.path()).owner.as_deref(), Some("with an unknown id"), "{replacement:?}");
        assert!(data.restore() && data.write_refusal().is_none(), "{replacement:?}");
        assert_eq!(DataDirState::read(root.path()).owner, Some(std::process::id().to_string()));
    }
    drop(data);
    drop(DataDir::open(root.path()).unwrap());

    // A file system without locks of folders has the lock file alone.
    let file_alone = fs::File::open(&lock_file).unwrap();
    file_alone.lock().unwrap();
    assert!(DataDir::open(root.path()).unwrap_err().to_string().contains("in use"));
}

#[test]
fn a_folder_that_another_process_has_claimed_is_not_written() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("data");
    let data = DataDir::open(&path).unwrap();
    fs::rename(&path, root.path().join("elsewhere")).unwrap();
    let other = DataDir::open(&path).unwrap();
    assert!(!data.restore());
    assert!(data.write_refusal().unwrap().contains("in use by process"));
    drop(other);
    fs::remove_dir_all(&path).unwrap();
    fs::rename(root.path().join("elsewhere"), &path).unwrap();
    assert!(data.restore() && data.write_refusal().is_none(), "its own folder has come back");
}

#[test]
fn a_disk_that_has_room_again_is_noticed_once() {
    let root = tempfile::tempdir().unwrap();
    let data = DataDir::open(root.path()).unwrap();
    assert!(!data.has_room_again(), "it never lacked any");
    // Neither a full disk nor a folder in its place lets the probe be written.
    fs::create_dir(root.path().join(PROBE_FILE)).unwrap();
    assert!(!data.has_room_again() && !data.has_room_again());
    fs::remove_dir(root.path().join(PROBE_FILE)).unwrap();
    assert!(data.has_room_again() && !data.has_room_again());
}

#[test]
fn a_folder_is_private() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("data");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    drop(DataDir::open(&path).unwrap());
    assert_eq!(mode(&path), 0o700);

    let (own, foreign, linked) =
        (path.join("repositories/a/CURRENT"), path.join("notes.txt"), root.path().join("linked"));
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    for file in [&own, &foreign, &linked] {
        fs::write(file, "").unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(0o664)).unwrap();
    }
    std::os::unix::fs::symlink(&linked, path.join("repositories/link")).unwrap();
    for folder in [&path, &path.join("repositories"), &path.join("repositories/a")] {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    }
    drop(DataDir::open(&path).unwrap());
    assert_eq!([mode(&path), mode(own.parent().unwrap()), mode(&own)], [0o700, 0o700, 0o600]);
    assert_eq!([mode(&foreign), mode(&linked)], [0o664; 2], "files of others keep their mode");
}

#[test]
fn errors_of_writing_are_told_from_others() {
    use std::io::ErrorKind::{FileTooLarge, NotADirectory, PermissionDenied, ReadOnlyFilesystem, StorageFull};
    for (kind, expected) in [
        (StorageFull, true),
        (ReadOnlyFilesystem, true),
        (PermissionDenied, true),
        (FileTooLarge, true),
        (NotADirectory, false),
    ] {
        assert_eq!(io_at("cannot write", Path::new("f"))(kind.into()).is_of_writing(), expected, "{kind}");
    }
}

/// Set in the process that can write nothing: the folder.
const UNWRITABLE: &str = "CAUSEWAY_TEST_UNWRITABLE_DATA";

#[tokio::test]
async fn a_folder_without_room_is_opened_for_reading() {
    let Some(root) = std::env::var_os(UNWRITABLE) else {
        let root = tempfile::tempdir().unwrap();
        DataDir::open(&root.path().join("used")).unwrap().release();
        // The limit applies to a whole process, so the test runs itself again in a separate process.
        let this = "repositories::data_dir::tests::a_folder_without_room_is_opened_for_reading";
        let mut limited = Command::new("sh");
        limited.args(["-c", "ulimit -f 0 && exec \"$0\" --exact --nocapture \"$1\""]);
        limited.arg(std::env::current_exe().unwrap()).arg(this).env(UNWRITABLE, root.path());
        let limited = limited.output().unwrap();
        assert!(limited.status.success(), "{limited:?}");
        return;
    };
    runtime::file_size_limit::make_an_error().unwrap();
    let used = Path::new(&root).join("used");
    let data = DataDir::open(&used).unwrap();
    let (reason, refusal) = (data.read_only_reason().unwrap(), data.write_refusal().unwrap());
    assert!(reason.contains("used` is read-only (File too large"), "{reason}");
    assert!(refusal.contains("is read-only (File too large") && refusal.contains("restart"), "{refusal}");
    assert!(DataDir::open(&used).unwrap_err().to_string().contains("in use"), "it is locked nevertheless");
    let error = DataDir::open(&Path::new(&root).join("new")).unwrap_err();
    assert!(matches!(&error, DataDirError::NothingToServe { .. }) && error.to_string().contains("--data"), "{error}");
}
