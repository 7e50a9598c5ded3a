//! Watches of the folders of work trees. Ignored folders are not watched, and neither are those of git but the one with the index.
//!
//! A work tree that cannot be watched is polled: if the system has no watches left, or its file system reports no changes.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    ffi::OsStr,
    ops::Bound,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use model::RepoId;
use notify::{
    ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher,
    event::{ModifyKind, RenameMode},
};
use source::WorkTree;
use tokio::sync::Notify;

use crate::repositories::ChangedPaths;

/// Maximum number of folders that are watched together. A watch takes about a kilobyte of the kernel.
const MAX_FOLDERS: usize = 100_000;

/// Maximum number of ignored files of a work tree whose events are left out.
const MAX_IGNORED: usize = 10_000;

/// The watches of all work trees.
pub(crate) struct WorkTreeWatch {
    /// `None` if the system provides none.
    watcher: Mutex<Option<RecommendedWatcher>>,
    /// Maximum number of folders that are watched together.
    max_folders: usize,
    events: Arc<WatchEvents>,
}

/// The watched folders, and what has happened in them.
#[derive(Default)]
struct WatchEvents {
    state: Mutex<WatchState>,
    wake: Notify,
}

#[derive(Default)]
struct WatchState {
    /// The repository of each watched folder.
    folders: HashMap<PathBuf, RepoId>,
    work_trees: BTreeMap<RepoId, WatchedWorkTree>,
    polling: PollingNotice,
}

/// The notice that work trees are polled. The first reason is reported, and no later one.
#[derive(Default)]
enum PollingNotice {
    #[default]
    Unneeded,
    Pending(String),
    Reported,
}

#[derive(Default)]
struct WatchedWorkTree {
    root: PathBuf,
    git_dir: PathBuf,
    /// The folders whose watches have not ended.
    folders: BTreeSet<PathBuf>,
    /// True if watches may have ended without an event.
    has_lost_watches: bool,
    changed: HashSet<PathBuf>,
    /// True if paths changed that are not in `changed`.
    has_unnamed: bool,
    /// True if a nested repository may have begun or ended, which the next listing finds.
    has_nested_change: bool,
    /// Files whose events led to no difference: git ignores them.
    ignored: HashSet<PathBuf>,
    /// The paths that changed before the last listing began.
    listed: HashSet<PathBuf>,
}

/// The changes of a work tree since they were taken the last time.
pub(super) struct TakenChanges {
    pub(super) repo: RepoId,
    /// The paths for callers.
    pub(super) named: ChangedPaths,
    /// The paths for the next listing, relative to the root.
    pub(super) paths: Vec<PathBuf>,
    /// True if other paths may have changed.
    pub(super) has_unnamed: bool,
}

/// Maximum number of changed paths that are remembered of a work tree between two listings.
const MAX_CHANGED: usize = 1_000;

impl WorkTreeWatch {
    /// Starts without any folder.
    pub(crate) fn start() -> WorkTreeWatch {
        let events = Arc::new(WatchEvents::default());
        let handler = events.clone();
        let watcher = notify::recommended_watcher(move |event| handler.note(event));
        if let Err(error) = &watcher {
            events.note_polling(&format!("no folder can be watched: {error}"));
        }
        WorkTreeWatch { watcher: Mutex::new(watcher.ok()), max_folders: MAX_FOLDERS, events }
    }

    /// Takes the notice that work trees are polled, in one line. It is returned once.
    pub(super) fn take_polling_notice(&self) -> Option<String> {
        let polling = &mut self.events.state().polling;
        let PollingNotice::Pending(notice) = polling else { return None };
        let notice = std::mem::take(notice);
        *polling = PollingNotice::Reported;
        Some(notice)
    }

    /// Watches the folders of a work tree that was listed. Returns true if a folder is new, so that its files may have changed
    /// between the listing and now.
    pub(super) fn watch(&self, repo: RepoId, work_tree: &WorkTree) -> bool {
        let mut watcher = self.watcher.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(watcher) = watcher.as_mut() else { return false };
        let WorkTree { root, git_dir, folders, .. } = work_tree;
        let folders: BTreeSet<PathBuf> = folders.iter().chain([git_dir]).cloned().collect();
        let (before, n_others) = {
            let mut state = self.events.state();
            let known = state.work_trees.get_mut(&repo);
            if known.is_some_and(|known| known.learn_ignored(work_tree)) {
                self.events.wake.notify_one();
            }
            let before = state.work_trees.get(&repo).map(|known| known.folders.clone()).unwrap_or_default();
            let n_others = state.folders.len().saturating_sub(before.len());
            (before, n_others)
        };
        let refusal = match () {
            () if n_others + folders.len() > self.max_folders => Some("there are too many folders"),
            () if !source::has_change_events(root) => Some("its file system reports no changes"),
            () => None,
        };
        if let Some(reason) = refusal {
            self.events.report_polling(root, reason);
            self.forget(watcher, repo);
            return false;
        }
        let has_lost_watches = {
            let mut state = self.events.state();
            let known = state.work_trees.entry(repo).or_default();
            (known.root, known.git_dir) = (root.clone(), git_dir.clone());
            std::mem::take(&mut known.has_lost_watches)
        };
        for folder in before.difference(&folders) {
            _ = watcher.unwatch(folder);
            self.events.state().remove_folder(repo, folder);
        }
        let watched = if has_lost_watches { BTreeSet::new() } else { before };
        let mut has_new = false;
        for folder in folders.difference(&watched) {
            // It is known before its watch begins, so that the event which ends the watch removes it.
            self.events.state().add_folder(repo, folder);
            match watcher.watch(folder, RecursiveMode::NonRecursive) {
                Ok(()) => has_new = true,
                // It was removed since it was listed, which is another event.
                Err(_) if !folder.is_dir() => self.events.state().remove_folder(repo, folder),
                Err(error) => {
                    self.events.report_polling(root, &reason_of(&error));
                    self.forget(watcher, repo);
                    return false;
                }
            }
        }
        has_new
    }

    /// Returns true if the changes of a work tree are reported, so that it need not be polled.
    pub(super) fn is_watched(&self, repo: RepoId) -> bool {
        self.events.state().work_trees.contains_key(&repo)
    }

    /// Ends the watches of repositories that are not served any more.
    pub(super) fn retain(&self, is_served: impl Fn(&RepoId) -> bool) {
        let watched: Vec<RepoId> = self.events.state().work_trees.keys().copied().collect();
        let gone: Vec<RepoId> = watched.into_iter().filter(|repo| !is_served(repo)).collect();
        if gone.is_empty() {
            return;
        }
        let mut watcher = self.watcher.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(watcher) = watcher.as_mut() else { return };
        gone.into_iter().for_each(|repo| self.forget(watcher, repo));
    }

    /// Waits for the next event.
    pub(super) async fn changed(&self) {
        self.events.wake.notified().await;
    }

    /// Takes the paths that have changed.
    pub(super) fn take_changes(&self) -> Vec<TakenChanges> {
        let mut state = self.events.state();
        state.work_trees.iter_mut().filter_map(|(repo, work_tree)| work_tree.take_changes(*repo)).collect()
    }

    /// Returns true while git rewrites the index of a work tree, as a switch of branches does at its end.
    pub(super) fn is_locked(&self, repo: RepoId) -> bool {
        let git_dir = self.events.state().work_trees.get(&repo).map(|work_tree| work_tree.git_dir.clone());
        git_dir.is_some_and(|git_dir| git_dir.join("index.lock").exists())
    }

    fn forget(&self, watcher: &mut RecommendedWatcher, repo: RepoId) {
        let folders = self.events.state().work_trees.remove(&repo).map(|known| known.folders).unwrap_or_default();
        let mut watched: BTreeSet<PathBuf> = folders;
        watched.extend(
            self.events.state().folders.iter().filter(|(_, of)| **of == repo).map(|(folder, _)| folder.clone()),
        );
        for folder in watched {
            _ = watcher.unwatch(&folder);
            self.events.state().folders.remove(&folder);
        }
    }
}

impl WatchEvents {
    fn state(&self) -> MutexGuard<'_, WatchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn report_polling(&self, root: &Path, reason: &str) {
        let folder = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.note_polling(&format!("`{folder}` cannot be watched: {reason}"));
    }

    fn note_polling(&self, cause: &str) {
        let mut state = self.state();
        if matches!(state.polling, PollingNotice::Unneeded) {
            let notice =
                format!("{cause}; work trees like it are read every ten seconds, so that edits are visible later");
            state.polling = PollingNotice::Pending(notice);
        }
    }

    /// Notes an event of the system.
    fn note(&self, event: notify::Result<Event>) {
        let mut state = self.state();
        match event {
            Ok(event) if event.need_rescan() => state.lose_events(),
            Ok(Event { kind: EventKind::Access(_), .. }) => return,
            Ok(event) => {
                let mut is_noted = false;
                for path in &event.paths {
                    is_noted |= state.note_path(path);
                    is_noted |= ends_watches(&event.kind) && state.end_watches(path);
                }
                if !is_noted {
                    return;
                }
            }
            Err(error) => {
                tracing::debug!(%error, "an event of a work tree was lost");
                state.lose_events();
            }
        }
        drop(state);
        self.wake.notify_one();
    }
}

/// Returns true if an event of a folder ends its watch. A folder that comes again, even with the same files, is not watched.
fn ends_watches(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(RenameMode::From)))
}

/// Returns the reason why a folder cannot be watched. Only the limit of the system is something that its user can change.
fn reason_of(error: &notify::Error) -> String {
    match error.kind {
        ErrorKind::MaxFilesWatch => {
            "the system has no watches left; raise `fs.inotify.max_user_watches`, and restart".to_owned()
        }
        _ => error.to_string(),
    }
}

impl WatchState {
    fn add_folder(&mut self, repo: RepoId, folder: &Path) {
        self.folders.insert(folder.to_owned(), repo);
        if let Some(work_tree) = self.work_trees.get_mut(&repo) {
            work_tree.folders.insert(folder.to_owned());
        }
    }

    fn remove_folder(&mut self, repo: RepoId, folder: &Path) {
        self.folders.remove(folder);
        if let Some(work_tree) = self.work_trees.get_mut(&repo) {
            work_tree.folders.remove(folder);
        }
    }

    /// Notes that a path is gone. If it is a folder, its watch and those of the folders below it have ended, also those of other work
    /// trees. Returns true if a work tree or its index went with it.
    fn end_watches(&mut self, path: &Path) -> bool {
        let WatchState { folders, work_trees, .. } = self;
        let Some(owner) = folders.get(path).copied() else { return false };
        let bounds: (Bound<&Path>, Bound<&Path>) = (Bound::Included(path), Bound::Unbounded);
        let mut is_noted = false;
        for (repo, work_tree) in work_trees {
            let is_within = work_tree.root.starts_with(path) || work_tree.git_dir.starts_with(path);
            if *repo != owner && !is_within {
                continue;
            }
            let below = work_tree.folders.range::<Path, _>(bounds).take_while(|folder| folder.starts_with(path));
            for folder in below.cloned().collect::<Vec<PathBuf>>() {
                work_tree.folders.remove(&folder);
                folders.remove(&folder);
            }
            work_tree.has_unnamed |= is_within;
            is_noted |= is_within;
        }
        is_noted
    }

    /// Notes that events were lost, among them perhaps those that end watches.
    fn lose_events(&mut self) {
        for work_tree in self.work_trees.values_mut() {
            (work_tree.has_unnamed, work_tree.has_lost_watches) = (true, true);
        }
    }

    /// Notes that a path has changed. Returns false if that means nothing.
    fn note_path(&mut self, path: &Path) -> bool {
        let parent = path.parent().and_then(|parent| self.folders.get(parent));
        let Some(repo) = parent.or_else(|| self.folders.get(path)) else { return false };
        let Some(work_tree) = self.work_trees.get_mut(repo) else { return false };
        let name = path.file_name().unwrap_or_default();
        if path.starts_with(&work_tree.git_dir) {
            let is_state = [OsStr::new("HEAD"), OsStr::new("index")].contains(&name);
            if is_state {
                // A file that was ignored may be tracked now.
                work_tree.ignored.clear();
                work_tree.has_unnamed = true;
            }
            return is_state;
        }
        work_tree.has_nested_change |= name == ".git";
        if name == ".git" || source::is_temporary_name(name.as_bytes()) || work_tree.ignored.contains(path) {
            return false;
        }
        if name == ".gitignore" {
            work_tree.ignored.clear();
        }
        match work_tree.changed.len() < MAX_CHANGED {
            true => _ = work_tree.changed.insert(path.to_owned()),
            false => work_tree.has_unnamed = true,
        }
        true
    }
}

impl WatchedWorkTree {
    fn take_changes(&mut self, repo: RepoId) -> Option<TakenChanges> {
        if self.changed.is_empty() && !self.has_unnamed {
            return None;
        }
        let mut named = ChangedPaths::default();
        let relative = |path: &PathBuf| path.strip_prefix(&self.root).unwrap_or(path).to_owned();
        let paths: Vec<PathBuf> = self.changed.iter().map(relative).collect();
        paths.iter().for_each(|path| named.add(path.to_string_lossy().into_owned()));
        let has_unnamed = std::mem::take(&mut self.has_unnamed);
        if has_unnamed {
            named.add_unnamed();
        }
        let has_nested_change = std::mem::take(&mut self.has_nested_change);
        self.listed.extend(self.changed.drain().take(MAX_CHANGED));
        Some(TakenChanges { repo, named, paths, has_unnamed: has_unnamed || has_nested_change })
    }

    /// Learns from a listing which of the changed files are no files of the work tree. Returns true if a file is one whose events were left
    /// out: it was written behind the walk of the listing before.
    fn learn_ignored(&mut self, work_tree: &WorkTree) -> bool {
        let n_before = self.ignored.len();
        self.ignored.retain(|path| !work_tree.has_file(path));
        let has_missed = self.ignored.len() < n_before;
        self.has_unnamed |= has_missed;
        let listed = std::mem::take(&mut self.listed).into_iter();
        // The next listing tells about a file that has changed again.
        let is_ignored = |path: &PathBuf| !self.changed.contains(path) && path.is_file() && !work_tree.has_file(path);
        let n_free = MAX_IGNORED.saturating_sub(self.ignored.len());
        self.ignored.extend(listed.filter(is_ignored).take(n_free));
        has_missed
    }
}

#[cfg(test)]
mod tests;
