//! Generated git repositories, deterministic on every machine: isolated from git's configuration, with fixed authors
//! and dates.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::atomic::{AtomicU64, Ordering},
};

/// Time of the first commit of every repository in seconds since the epoch; each later commit is a minute later.
const FIRST_COMMIT_AT: u64 = 1_750_000_000;

/// Configuration of each call, since no configuration file is read.
const CONFIG: [&str; 6] = [
    "init.defaultBranch=main",
    "commit.gpgsign=false",
    "core.autocrlf=false",
    "core.quotePath=false",
    "gc.auto=0",
    "protocol.file.allow=always",
];

/// A repository with its work tree.
#[derive(Debug)]
pub struct Repository {
    pub path: PathBuf,
    n_commits: AtomicU64,
}

impl Repository {
    /// Creates an empty repository, and its folder if necessary. Existing files are kept.
    pub fn init(path: impl Into<PathBuf>) -> Repository {
        let path = path.into();
        fs::create_dir_all(&path).expect("the folder of a repository can be made");
        let repository = Repository { path, n_commits: AtomicU64::new(0) };
        repository.git(["init", "--quiet"]);
        repository
    }

    /// Creates a repository with one commit of these files.
    pub fn with_files<'a>(path: impl Into<PathBuf>, files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Repository {
        let repository = Repository::init(path);
        for (file, text) in files {
            repository.write(file, text);
        }
        repository.commit("first");
        repository
    }

    /// Writes a file of the work tree, with its folders.
    pub fn write(&self, file: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> &Self {
        write(&self.path.join(file), bytes);
        self
    }

    /// Commits the work tree, and returns the commit.
    pub fn commit(&self, message: &str) -> String {
        self.git(["add", "--all"]);
        self.git(["commit", "--quiet", "--allow-empty", "--message", message]);
        self.git(["rev-parse", "HEAD"])
    }

    /// Advances the date of later commits by so many days.
    pub fn pass_days(&self, n_days: u64) {
        const MINUTES_OF_DAY: u64 = 24 * 60;
        self.n_commits.fetch_add(n_days * MINUTES_OF_DAY, Ordering::Relaxed);
    }

    /// Runs git in the repository, and returns its output.
    pub fn git<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> String {
        let at = FIRST_COMMIT_AT + 60 * self.n_commits.fetch_add(1, Ordering::Relaxed);
        git(&self.path, at, arguments)
    }
}

/// Writes a file, with its folders.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) {
    let folder = path.parent().expect("a file has a folder");
    fs::create_dir_all(folder).and_then(|()| fs::write(path, bytes)).expect("files of fixtures can be written");
}

fn git<S: AsRef<OsStr>>(folder: &Path, at: u64, arguments: impl IntoIterator<Item = S>) -> String {
    let mut command = Command::new("git");
    // A git hook sets variables that would redirect git to another repository.
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("GIT_")) {
        command.env_remove(name);
    }
    let date = format!("{at} +0000");
    command
        .current_dir(folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_TERMINAL_PROMPT", "0")
        .envs(["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"].map(|name| (name, "Ada Byron")))
        .envs(["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"].map(|name| (name, "ada@harbour.example")))
        .envs(["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"].map(|name| (name, &date)))
        .args(CONFIG.iter().flat_map(|setting| ["-c", setting]))
        .args(arguments);
    let Output { status, stdout, stderr } = command.output().expect("git is installed");
    assert!(status.success(), "{command:?}: {}", String::from_utf8_lossy(&stderr));
    String::from_utf8_lossy(&stdout).trim_end().to_owned()
}
