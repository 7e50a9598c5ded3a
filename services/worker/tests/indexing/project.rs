//! A small repository, and the runs that index it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use index::{RepositoryDir, Snapshot};
use source::{AliasRegistry, Checkout, CheckoutView, Discoverer, OutsideLinks, StatCache};
use tempfile::TempDir;
use worker::indexing::{
    FactsCache, IndexingRun, MemoryBudget, RunError, RunOutcome, WarmFacts, WorkTreeDraft, make_draft, run,
};

/// The time of the first commit, in seconds since the epoch; each commit is a day after the one before.
const FIRST_COMMIT: i64 = 1_600_000_000;

pub(crate) struct Project {
    scratch: TempDir,
    n_commits: i64,
    n_fresh: u32,
    facts: FactsCache,
    view: CheckoutView,
    stat_cache: StatCache,
    warm_facts: WarmFacts,
}

impl Project {
    /// Makes a folder without git.
    pub(crate) fn folder() -> Project {
        let scratch = tempfile::tempdir().unwrap();
        fs::create_dir(scratch.path().join("project")).unwrap();
        let facts = FactsCache::open(&scratch.path().join("facts")).unwrap().0;
        let (view, stat_cache, warm_facts) = Default::default();
        Project { scratch, n_commits: 0, n_fresh: 0, facts, view, stat_cache, warm_facts }
    }

    /// Makes an empty repository.
    pub(crate) fn repository() -> Project {
        let project = Project::folder();
        project.git(&["init", "-q", "-b", "main"]);
        project
    }

    /// Reads the work tree from now on, instead of commits.
    pub(crate) fn read_work_tree(&mut self) {
        self.view = CheckoutView::WorkTree;
    }

    /// Makes a copy whose files are all committed.
    pub(crate) fn committed_copy(&self) -> Project {
        let mut copy = Project::folder();
        copy.n_commits = self.n_commits;
        let copied = Command::new("cp").arg("-a").arg(self.path().join(".")).arg(copy.path()).status();
        assert!(copied.unwrap().success());
        copy.commit("ada", "copy");
        copy
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.scratch.path().join("project")
    }

    /// Writes a file, or removes it.
    pub(crate) fn put(&self, path: &str, text: Option<&str>) {
        let file = self.path().join(path);
        match text {
            Some(text) => {
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, text).unwrap();
            }
            None => _ = fs::remove_file(file),
        }
    }

    /// Commits all files, under the name of `author`.
    pub(crate) fn commit(&mut self, author: &str, subject: &str) {
        let date = format!("{} +0000", FIRST_COMMIT + self.n_commits * 86_400);
        self.n_commits += 1;
        self.git(&["add", "-A"]);
        let (name, email) = (format!("user.name={author}"), format!("user.email={author}@example.com"));
        let status = Command::new("git")
            .args(["-c", &name, "-c", &email, "commit", "-q", "--allow-empty", "-m", subject])
            .envs([("GIT_AUTHOR_DATE", &date), ("GIT_COMMITTER_DATE", &date)])
            .current_dir(self.path())
            .status();
        assert!(status.unwrap().success(), "{subject}");
    }

    pub(crate) fn git(&self, args: &[&str]) {
        let status = Command::new("git").args(args).current_dir(self.path()).status().unwrap();
        assert!(status.success(), "{args:?}");
    }

    /// Runs git; a command that has nothing to do may fail.
    pub(crate) fn git_if_possible(&self, args: &[&str]) {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
        let output = Command::new("git").args(identity).args(args).current_dir(self.path()).output();
        assert!(output.is_ok(), "{args:?}");
    }

    /// Reads commits again.
    pub(crate) fn committed_view(&mut self) -> &mut Project {
        self.view = CheckoutView::Commit;
        self
    }

    /// Indexes on a generation, and returns that if nothing has changed.
    pub(crate) fn index_if_changed(&self, served: Arc<Snapshot>) -> Arc<Snapshot> {
        let published = self.try_index(Some(served.clone())).unwrap().published;
        published.map_or(served, |published| published.snapshot)
    }

    /// Indexes the files, and returns the outcome.
    pub(crate) fn try_index(&self, served: Option<Arc<Snapshot>>) -> Result<RunOutcome, RunError> {
        self.run_in("data", &self.facts, served, &|| false)
    }

    /// Indexes the committed files, incrementally if there is a generation.
    pub(crate) fn index(&self, served: Option<Arc<Snapshot>>) -> Arc<Snapshot> {
        published(self.run_in("data", &self.facts, served, &|| false))
    }

    /// Indexes the committed files in a full run: without a generation and without cached facts.
    pub(crate) fn index_from_scratch(&mut self) -> Arc<Snapshot> {
        self.n_fresh += 1;
        published(self.run_in(&format!("fresh-{}", self.n_fresh), &FactsCache::disabled(), None, &|| false))
    }

    /// Starts a run that `is_stopped` may stop.
    pub(crate) fn index_unless(&self, is_stopped: &(dyn Fn() -> bool + Sync)) -> Result<RunOutcome, RunError> {
        self.run_in("stopped", &self.facts, None, is_stopped)
    }

    /// Reads a file of the newest generation, or of that of the newest full run.
    pub(crate) fn generation_file(&self, is_full: bool, name: &str) -> Vec<u8> {
        fs::read(self.generation_dir(is_full).join(name)).unwrap()
    }

    /// Returns the folder of the newest generation, or of that of the newest full run.
    pub(crate) fn generation_dir(&self, is_full: bool) -> PathBuf {
        let data = if is_full { format!("fresh-{}", self.n_fresh) } else { "data".to_owned() };
        let repository = self.scratch.path().join(data).join(self.checkout().repo.to_string());
        let current = fs::read_to_string(repository.join("CURRENT")).unwrap();
        repository.join(current.trim())
    }

    /// Reads every file that runs have written: generations, and the cache of facts.
    pub(crate) fn written(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut folders: Vec<PathBuf> = ["data", "facts"].map(|name| self.scratch.path().join(name)).into();
        let mut files = Vec::new();
        while let Some(folder) = folders.pop() {
            for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() { folders.push(path) } else { files.push((path.clone(), fs::read(&path).unwrap())) }
            }
        }
        files
    }

    fn checkout(&self) -> Checkout {
        let discoverer = Discoverer::new(vec![self.path()], OutsideLinks::default()).with_view(self.view.clone());
        discoverer.discover(AliasRegistry::new("test")).checkouts.remove(0)
    }

    /// Makes a draft of the work tree on a generation, if it can have one.
    pub(crate) fn draft(&self, served: Arc<Snapshot>) -> Option<WorkTreeDraft> {
        self.with_run("data", &self.facts, Some(served), &|| false, |run| {
            make_draft(run, run.stat_cache.take_turn()).unwrap()
        })
    }

    fn run_in(
        &self,
        data: &str,
        facts: &FactsCache,
        served: Option<Arc<Snapshot>>,
        is_stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<RunOutcome, RunError> {
        self.with_run(data, facts, served, is_stopped, run)
    }

    fn with_run<T>(
        &self,
        data: &str,
        facts: &FactsCache,
        served: Option<Arc<Snapshot>>,
        is_stopped: &(dyn Fn() -> bool + Sync),
        begin: impl FnOnce(&IndexingRun<'_>) -> T,
    ) -> T {
        let checkout = self.checkout();
        let data: &Path = &self.scratch.path().join(data);
        begin(&IndexingRun {
            checkout: &checkout,
            directory: &RepositoryDir::new(data, checkout.repo),
            warm_facts: &self.warm_facts,
            stat_cache: &self.stat_cache,
            served,
            facts,
            memory: &MemoryBudget::of_system(),
            threads: &worker::indexing::threads().unwrap(),
            model: &embed::Embedder::BuiltIn(embed::StaticModel::built_in()),
            sharing: None,
            is_forced: false,
            write_refusal: None,
            on_progress: &|_| {},
            on_head: &|_| {},
            on_work_tree: &|_| {},
            is_stopped,
        })
    }
}

fn published(outcome: Result<RunOutcome, RunError>) -> Arc<Snapshot> {
    outcome.unwrap().published.expect("the run has published a generation").snapshot
}
