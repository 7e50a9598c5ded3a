//! Creates repositories for tests with the `git` program in a temporary folder.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use crate::{AliasRegistry, Checkout, Discovery, discover};

/// A temporary folder in which `git` ignores the configuration of the machine.
pub(crate) struct Sandbox {
    dir: TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Sandbox {
        Sandbox { dir: tempfile::tempdir().expect("a temporary folder can be made") }
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.dir.path().canonicalize().expect("the folder exists").join(relative)
    }

    pub(crate) fn write(&self, relative: &str, content: &str) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("folders can be made");
        fs::write(path, content).expect("a file can be written");
    }

    /// Runs a command line, split at spaces, in a folder of the sandbox. Returns its output.
    pub(crate) fn run(&self, folder: &str, line: &str) -> String {
        let mut words = line.split(' ');
        let output = Command::new(words.next().expect("a line has a program"))
            .args(words)
            .current_dir(self.path(folder))
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .envs([("HOME", "/nonexistent"), ("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")])
            .envs([("GIT_AUTHOR_NAME", "a"), ("GIT_AUTHOR_EMAIL", "a@b"), ("GIT_COMMITTER_NAME", "a")])
            .envs([("GIT_COMMITTER_EMAIL", "a@b"), ("GIT_AUTHOR_DATE", "1700000000 +0000")])
            .envs([("GIT_COMMITTER_DATE", "1700000000 +0000")])
            .output()
            .expect("the program can be run");
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Creates a repository whose first commit contains these files.
    pub(crate) fn repository(&self, folder: &str, files: &[(&str, &str)]) {
        fs::create_dir_all(self.path(folder)).expect("folders can be made");
        self.run(folder, "git init -q -b main");
        for (path, content) in files {
            self.write(&format!("{folder}/{path}"), content);
        }
        self.commit(folder);
    }

    /// Commits everything in a work tree.
    pub(crate) fn commit(&self, folder: &str) {
        self.run(folder, "git add -A");
        self.run(folder, "git commit -q --allow-empty -m step");
    }

    /// Gives a loose object the content of another one, so that it may lead to itself. Returns its id.
    pub(crate) fn forge(&self, folder: &str, name: &str, content_of: &str) -> String {
        let ids = [name, content_of].map(|name| self.run(folder, &format!("git rev-parse {name}")));
        let [object, content] =
            ids.each_ref().map(|id| self.path(folder).join(".git/objects").join(&id[..2]).join(&id[2..]));
        let content = fs::read(content).expect("it is a loose object");
        fs::remove_file(&object).expect("it is a loose object");
        fs::write(object, content).expect("a file can be written");
        let [id, _] = ids;
        id
    }

    pub(crate) fn discover(&self, roots: &[&str]) -> Discovery {
        discover(&roots.iter().map(|root| self.path(root)).collect::<Vec<_>>(), AliasRegistry::default())
    }

    /// Discovers the only checkout at a root.
    pub(crate) fn checkout(&self, root: &str) -> Checkout {
        let mut discovery = self.discover(&[root]);
        assert_eq!(discovery.checkouts.len(), 1, "{discovery:?}");
        discovery.checkouts.remove(0)
    }
}

/// Creates a pipe. Opening it would block forever.
pub(crate) fn make_pipe(path: &Path) {
    let status = Command::new("mkfifo").arg(path).status().expect("mkfifo can be run");
    assert!(status.success());
}
