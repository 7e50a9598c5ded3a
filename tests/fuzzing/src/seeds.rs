//! Initial inputs: hand-written ones, those that fuzzing found, and fixtures of the repository.

use std::{
    fs,
    path::{Path, PathBuf},
};

use model::Language;

use crate::{Target, extract::LANGUAGES, manifest::PATHS};

/// Folders with fixtures, for the targets that have an entry for their type.
const FIXTURES: &[&str] = &["crates/syntax/tests/snippets", "tests/fixtures/organisation", "deploy"];

/// Returns the initial inputs of a target with their names, ordered by name.
pub fn seeds(target: &Target) -> Vec<(String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut seeds = Vec::new();
    for folder in ["fuzz/seeds", "fuzz/found"] {
        for path in files_below(&root.join(folder).join(target.name)) {
            seeds.push((name_of(&path, &root), read(&path)));
        }
    }
    for path in FIXTURES.iter().flat_map(|folder| files_below(&root.join(folder))) {
        let choices = choices(target, &path);
        seeds.extend(choices.into_iter().map(|choice| (name_of(&path, &root), [choice, read(&path)].concat())));
    }
    seeds.retain(|(_, input)| input.len() <= target.max_bytes);
    seeds.sort();
    seeds
}

/// Returns the bytes that precede a fixture in an input of the target; `None` if the target cannot use it.
fn choices(target: &Target, path: &Path) -> Option<Vec<u8>> {
    let path = path.to_string_lossy();
    let language = Language::of_path(&path);
    let of_language = LANGUAGES.iter().position(|known| *known == language);
    let of_manifest = PATHS.iter().position(|known| path.ends_with(&format!("/{known}")));
    let byte = |choice: usize| crate::FIRST_CHOICE + choice as u8;
    match target.name {
        "extract" | "resolve" => of_language.map(|choice| vec![byte(choice)]),
        "text" => of_language.map(|choice| vec![byte(choice), TEXT_BUDGET]),
        "manifest" => of_manifest.map(|choice| vec![byte(choice)]),
        _ => None,
    }
}

/// The second byte of inputs for `text`.
const TEXT_BUDGET: u8 = b'@';

fn name_of(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{} can be read: {error}", path.display()))
}

/// Returns all files below a folder, ordered by path; empty if it does not exist.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths.into_iter().flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}
