//! Events are given by hand, so that no test waits for the system.

use model::CommitId;
use notify::event::{DataChange, Flag, RemoveKind};
use source::{FileMode, Tree, TreeFile};

use super::*;

const APP: RepoId = RepoId([1; 16]);

/// Lists a work tree with these folders and files, relative to its root. The folders are made.
fn work_tree(root: &Path, folders: &[&str], files: &[&str]) -> WorkTree {
    let git_dir = root.join(".git");
    let mut folders: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
    folders.push(root.to_owned());
    for folder in folders.iter().chain([&git_dir]) {
        std::fs::create_dir_all(folder).expect("folders");
    }
    let mut tree = Tree::without_files(CommitId([0; 20]), "test");
    tree.files = files.iter().map(|path| tree_file(path)).collect();
    WorkTree { tree, changes: None, folders, root: root.to_owned(), git_dir }
}

fn tree_file(path: &str) -> TreeFile {
    let (path, class) = (path.to_owned(), source::classify_path(path));
    TreeFile { path, blob: model::BlobId([0; 20]), size: 1, class, mode: FileMode::Regular }
}

fn note(watch: &WorkTreeWatch, kind: EventKind, path: &Path) {
    watch.events.note(Ok(Event::new(kind).add_path(path.to_owned())));
}

const WRITTEN: EventKind = EventKind::Modify(ModifyKind::Data(DataChange::Any));
const REMOVED: EventKind = EventKind::Remove(RemoveKind::Folder);
const MOVED: EventKind = EventKind::Modify(ModifyKind::Name(RenameMode::From));

/// Takes the paths that changed, relative to the root, and whether others may have changed.
fn taken(watch: &WorkTreeWatch) -> (Vec<PathBuf>, bool) {
    let taken = watch.take_changes();
    let has_unnamed = taken.iter().any(|changes| changes.has_unnamed);
    (taken.into_iter().flat_map(|changes| changes.paths).collect(), has_unnamed)
}

#[test]
fn the_first_work_tree_without_watches_is_reported_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let work_tree = |name: &str| work_tree(&folder.path().join(name), &[], &[]);
    let watch = WorkTreeWatch { max_folders: 3, ..WorkTreeWatch::start() };
    let (first, second, third) = (RepoId([1; 16]), RepoId([2; 16]), RepoId([3; 16]));
    assert!(watch.watch(first, &work_tree("first")));
    assert_eq!(watch.take_polling_notice(), None);
    assert!(!watch.watch(second, &work_tree("second")) && !watch.is_watched(second) && watch.is_watched(first));
    let notice = "`second` cannot be watched: there are too many folders; \
                  work trees like it are read every ten seconds, so that edits are visible later";
    assert_eq!(watch.take_polling_notice().as_deref(), Some(notice));
    assert!(!watch.watch(third, &work_tree("third")));
    assert_eq!(watch.take_polling_notice(), None);
}

#[test]
fn the_limit_of_the_system_is_named() {
    let limit = notify::Error::new(ErrorKind::MaxFilesWatch);
    assert!(reason_of(&limit).contains("fs.inotify.max_user_watches"), "{}", reason_of(&limit));
}

#[test]
fn a_folder_that_comes_again_is_watched_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    let listed = work_tree(root, &["gen", "gen/deep", "gen-other", "src"], &[]);
    let watch = WorkTreeWatch::start();
    assert!(watch.watch(APP, &listed) && !watch.watch(APP, &listed));
    for (kind, path) in [(WRITTEN, "gen"), (REMOVED, "src/a.rs"), (MOVED, "gen-other.rs"), (MOVED, "ge")] {
        note(&watch, kind, &root.join(path));
        assert!(!watch.watch(APP, &listed), "{path}");
    }
    for (kind, path, n_gone) in [(REMOVED, "gen", 2), (MOVED, "gen", 2), (REMOVED, "gen/deep", 1), (REMOVED, "src", 1)]
    {
        note(&watch, kind, &root.join(path));
        let n_watched = watch.events.state().folders.len();
        assert_eq!(n_watched, listed.folders.len() + 1 - n_gone, "{path}");
        assert!(watch.watch(APP, &listed), "{path}");
        assert!(!watch.watch(APP, &listed), "{path}");
        assert_eq!(watch.events.state().folders.len(), listed.folders.len() + 1);
    }
}

#[test]
fn a_work_tree_within_a_folder_that_is_gone_is_listed_and_watched_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let inner = RepoId([2; 16]);
    let around = work_tree(folder.path(), &["libs"], &[]);
    let within = work_tree(&folder.path().join("libs/one"), &["src"], &[]);
    let watch = WorkTreeWatch::start();
    assert!(watch.watch(APP, &around) && watch.watch(inner, &within));
    note(&watch, MOVED, &folder.path().join("libs"));
    let taken = watch.take_changes();
    let unnamed: Vec<RepoId> = taken.iter().filter(|taken| taken.has_unnamed).map(|taken| taken.repo).collect();
    assert_eq!(unnamed, [inner]);
    assert!(watch.watch(inner, &within) && watch.watch(APP, &around));
    assert!(!watch.watch(inner, &within) && !watch.watch(APP, &around));
}

#[test]
fn a_folder_that_could_not_be_watched_is_tried_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let listed = work_tree(folder.path(), &["gen"], &[]);
    std::fs::remove_dir(folder.path().join("gen")).expect("it is empty");
    let watch = WorkTreeWatch::start();
    assert!(watch.watch(APP, &listed) && !watch.watch(APP, &listed));
    std::fs::create_dir(folder.path().join("gen")).expect("a folder");
    assert!(watch.watch(APP, &listed) && !watch.watch(APP, &listed));
}

#[test]
fn all_folders_are_watched_again_after_lost_events() {
    let folder = tempfile::tempdir().expect("a folder");
    let listed = work_tree(folder.path(), &["src"], &[]);
    let watch = WorkTreeWatch::start();
    assert!(watch.watch(APP, &listed) && !watch.watch(APP, &listed));
    watch.events.note(Ok(Event::new(EventKind::Other).set_flag(Flag::Rescan)));
    assert!(taken(&watch).1);
    assert!(watch.watch(APP, &listed) && !watch.watch(APP, &listed));
}

#[test]
fn a_file_behind_the_walk_of_a_listing_is_not_ignored_for_good() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    for name in ["a.rs", "b.rs", "c.log"] {
        std::fs::write(path(name), "x").expect("a file");
    }
    let [early, late] = [&["a.rs"][..], &["a.rs", "b.rs"]].map(|files| work_tree(folder.path(), &[], files));
    let watch = WorkTreeWatch::start();
    watch.watch(APP, &early);
    let write = |name: &str| note(&watch, WRITTEN, &path(name));
    ["b.rs", "c.log"].into_iter().for_each(write);
    assert_eq!(taken(&watch).0.len(), 2);
    // The listing that runs ends without either.
    watch.watch(APP, &early);
    ["b.rs", "c.log"].into_iter().for_each(write);
    assert_eq!(taken(&watch), (Vec::new(), false));
    // The next one has one of them, whose events are missing.
    watch.watch(APP, &late);
    assert_eq!(taken(&watch), (Vec::new(), true));
    ["b.rs", "c.log"].into_iter().for_each(write);
    assert_eq!(taken(&watch), (vec![PathBuf::from("b.rs")], false));
}

#[test]
fn a_file_that_changed_again_is_not_ignored() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("b.rs");
    std::fs::write(&path, "x").expect("a file");
    let listed = work_tree(folder.path(), &[], &[]);
    let watch = WorkTreeWatch::start();
    watch.watch(APP, &listed);
    note(&watch, WRITTEN, &path);
    taken(&watch);
    note(&watch, WRITTEN, &path);
    watch.watch(APP, &listed);
    for _ in 0..2 {
        assert_eq!(taken(&watch).0, [PathBuf::from("b.rs")]);
        note(&watch, WRITTEN, &path);
    }
    // It does not change while the listing runs.
    taken(&watch);
    watch.watch(APP, &listed);
    note(&watch, WRITTEN, &path);
    assert_eq!(taken(&watch).0, Vec::<PathBuf>::new());
}
