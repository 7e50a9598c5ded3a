//! `kill -9` at any step of an indexing run leaves the old generation or the new one, never a mix.
//!
//! A step is a system call that modifies the folder of the repository. A small preloaded library counts the steps and
//! kills the process at one of them. A kill cannot simulate reordered disk writes, so every state of publishing is also
//! constructed by hand.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use causeway_tests::{
    generations,
    organisation::copy,
    process::{Finished, causeway, finish},
    repository::Repository,
};
use index::Snapshot;
use tempfile::TempDir;

/// Number of the last steps, which publish the generation and remove the old one. A run is killed at each of them.
const LAST_STEPS: u32 = 20;

/// Number of kills that are spread over the earlier steps.
const SPREAD_KILLS: u32 = 25;

const N_FILES: usize = 40;

/// A repository at its second commit, and the data folder of its first one.
struct Scene {
    folder: TempDir,
    repository: Repository,
    /// The two commits, each with the texts of all files.
    commits: BTreeMap<String, BTreeMap<String, String>>,
    old: String,
    new: String,
}

impl Scene {
    fn set() -> Scene {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let repository = Repository::init(folder.path().join("repo"));
        let old_files = write_all(&repository, "old", N_FILES);
        let old = repository.commit("old");
        let finished = finish(index(&folder.path().join("before"), &repository.path));
        assert_eq!(finished.code, Some(0), "{finished:?}");
        fs::remove_dir_all(repository.path.join("src")).expect("files can be removed");
        let new_files = write_all(&repository, "new", N_FILES + 5);
        let new = repository.commit("new");
        let commits = BTreeMap::from([(old.clone(), old_files), (new.clone(), new_files)]);
        Scene { folder, repository, commits, old, new }
    }

    /// Returns a new copy of the data folder of the first commit.
    fn data(&self, name: &str) -> PathBuf {
        let data = self.folder.path().join(name);
        copy(&self.folder.path().join("before"), &data);
        data
    }

    /// Checks that a data folder has one of the two commits completely, and returns it.
    fn check_whole(&self, data: &Path, when: &str) -> String {
        let snapshots = generations::open_all(data);
        let [snapshot] = snapshots.as_slice() else { panic!("{when}: one generation, not {}", snapshots.len()) };
        let commit = snapshot.manifest().commit.to_string();
        let expected = self.commits.get(&commit).unwrap_or_else(|| panic!("{when}: of {commit}, which is neither"));
        check_files(snapshot, expected, when);
        commit
    }

    /// Checks that a data folder is complete, and that the next run succeeds and publishes the new commit.
    fn check_recovers(&self, data: &Path, when: &str) -> String {
        let left = self.check_whole(data, when);
        let finished = finish(index(data, &self.repository.path));
        assert_eq!(finished.code, Some(0), "{when}: {finished:?}");
        assert_eq!(self.check_whole(data, when), self.new, "{when}");
        let names = names(&only_folder(&data.join("repositories")));
        assert_eq!(names.len(), 2, "{when}: the current generation and CURRENT: {names:?}");
        left
    }
}

fn write_all(repository: &Repository, word: &str, n_files: usize) -> BTreeMap<String, String> {
    let file = |file_idx: usize| {
        let path = format!("src/file{file_idx:02}.rs");
        let text = format!("/// The {word} one.\npub fn {word}_{file_idx}() {{\n    {word}::call({file_idx});\n}}");
        repository.write(&path, format!("{text}\n"));
        (path, text)
    };
    (0..n_files).map(file).collect()
}

fn check_files(snapshot: &Snapshot, expected: &BTreeMap<String, String>, when: &str) {
    let paths: Vec<&str> = snapshot.files().map(|(path, _)| path).collect();
    assert!(paths.iter().eq(expected.keys()), "{when}: {paths:?}");
    for (path, text) in expected {
        let source = snapshot.source(path, None).expect("source can be read").expect("the file is there");
        assert_eq!(&source.text, text, "{when}: {path}");
    }
    let terms = ranking::analyser::terms("old new");
    let counts = snapshot.statistics(&terms, &[]).document_frequencies;
    let is_old = expected.values().next().is_some_and(|text| text.contains("old"));
    let counted = |term_idx: usize| counts[term_idx] > 0;
    assert_eq!((counted(0), counted(1)), (is_old, !is_old), "{when}: the terms of one commit: {terms:?} {counts:?}");
}

fn index(data: &Path, root: &Path) -> Command {
    causeway([OsStr::new("--data"), data.as_os_str(), OsStr::new("index"), root.as_os_str()])
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("it can be listed");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn only_folder(folder: &Path) -> PathBuf {
    let names = names(folder);
    assert_eq!(names.len(), 1, "{names:?}");
    folder.join(&names[0])
}

/// Builds the library that counts steps.
fn step_counter(folder: &Path) -> PathBuf {
    let library = folder.join("kill_at_step.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/kill_at_step.c");
    let mut compile = Command::new("cc");
    compile.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(source).arg("-ldl");
    let finished = finish(compile);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    library
}

#[cfg(target_os = "linux")]
#[test]
fn killed_run_leaves_one_complete_commit() {
    let scene = Scene::set();
    let library = step_counter(scene.folder.path());
    let count = scene.folder.path().join("count");
    let run = |data: &Path, kill_at: u32| {
        let mut run = index(data, &scene.repository.path);
        run.env("LD_PRELOAD", &library).env("STEPS_BELOW", "/repositories/").env("STEPS_COUNT", &count);
        finish_with(run, kill_at)
    };
    let undisturbed = scene.data("undisturbed");
    assert_eq!(run(&undisturbed, 0).code, Some(0));
    assert_eq!(scene.check_whole(&undisturbed, "undisturbed"), scene.new);
    let n_steps: u32 = fs::read_to_string(&count).expect("steps were counted").trim().parse().expect("a number");
    assert!(n_steps > 2 * LAST_STEPS, "{n_steps} steps");

    let spread = (0..SPREAD_KILLS).map(|kill| 1 + kill * (n_steps - LAST_STEPS) / SPREAD_KILLS);
    let mut left: Vec<(u32, bool)> = Vec::new();
    for step in spread.chain(n_steps - LAST_STEPS + 1..=n_steps) {
        let data = scene.data("killed");
        let when = format!("killed at step {step} of {n_steps}");
        assert_eq!(run(&data, step).code, None, "{when}");
        let is_new = scene.check_whole(&data, &when) == scene.new;
        if step % 2 == 0 {
            scene.check_recovers(&data, &when);
        }
        left.push((step, is_new));
        fs::remove_dir_all(data).expect("it can be removed");
    }
    let n_new = left.iter().filter(|(_, is_new)| *is_new).count();
    assert!(n_new > 0 && n_new < left.len(), "kills before and after the swap: {left:?}");
    assert!(left.is_sorted_by_key(|(_, is_new)| *is_new), "there is one swap: {left:?}");
}

fn finish_with(mut run: Command, kill_at: u32) -> Finished {
    if kill_at > 0 {
        run.env("STEPS_KILL_AT", kill_at.to_string());
    }
    finish(run)
}

/// Returns the files below a folder, ordered by path.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let (mut files, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = open.pop() {
        for name in names(&next) {
            let path = next.join(name);
            if path.is_dir() { open.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

#[test]
fn every_publishing_state_is_one_complete_commit() {
    let scene = Scene::set();
    let after = scene.data("after");
    let finished = finish(index(&after, &scene.repository.path));
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let published = only_folder(&after.join("repositories"));
    let name = fs::read_to_string(published.join("CURRENT")).expect("it is published");
    let sealed = published.join(name.trim());
    let files = files_below(&sealed);
    assert!(files.len() > 4, "{files:?}");

    let mut n_states = 0;
    let mut check = |step: &str, expected: &str, make: &dyn Fn(&Path)| {
        n_states += 1;
        let data = scene.data(&format!("state-{n_states}"));
        make(&only_folder(&data.join("repositories")));
        assert_eq!(scene.check_recovers(&data, step), expected, "{step}");
        fs::remove_dir_all(data).expect("it can be removed");
    };
    // Staging: each file in turn is half written; later files do not exist yet.
    for n_whole in 0..files.len() {
        check(&format!("staging has {n_whole} files, and half of the next"), &scene.old, &|repository| {
            let staging = repository.join("staging");
            let place = |file: &Path| staging.join(file.strip_prefix(&sealed).expect("it is below"));
            for file in &files[..n_whole] {
                put(&place(file), &fs::read(file).expect("it is there"));
            }
            let bytes = fs::read(&files[n_whole]).expect("it is there");
            put(&place(&files[n_whole]), &bytes[..bytes.len() / 2]);
        });
    }
    check("staging is sealed", &scene.old, &|repository| copy(&sealed, &repository.join("staging")));
    let beside = |repository: &Path| copy(&sealed, &repository.join(name.trim()));
    check("the generation has its name", &scene.old, &beside);
    for half in ["", &name[..name.len() / 2], &name] {
        check("the new pointer is being written", &scene.old, &|repository| {
            beside(repository);
            put(&repository.join("CURRENT.tmp"), half.as_bytes());
        });
    }
    check("the pointer is replaced", &scene.new, &|repository| {
        beside(repository);
        put(&repository.join("CURRENT"), name.as_bytes());
    });
    check("the old generation is half removed", &scene.new, &|repository| {
        let old = fs::read_to_string(repository.join("CURRENT")).expect("it is there");
        beside(repository);
        put(&repository.join("CURRENT"), name.as_bytes());
        fs::remove_file(repository.join(old.trim()).join("manifest.json")).expect("it is there");
    });
}

fn put(path: &Path, bytes: &[u8]) {
    causeway_tests::repository::write(path, bytes);
}

#[test]
fn damaged_generation_is_rebuilt() {
    let scene = Scene::set();
    let data = scene.data("damaged");
    let repository = only_folder(&data.join("repositories"));
    let current = fs::read_to_string(repository.join("CURRENT")).expect("it is there");
    let manifest = repository.join(current.trim()).join("manifest.json");
    let text = fs::read_to_string(&manifest).expect("it is there");
    fs::write(&manifest, &text[..text.len() / 2]).expect("it can be damaged");
    let finished = finish(index(&data, &scene.repository.path));
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert_eq!(scene.check_whole(&data, "rebuilt"), scene.new);
}
