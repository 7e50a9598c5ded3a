//! Crates: which files are roots of one, and which crates know each other by which names.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::manifests::{self, Dependency, Package};
use crate::program::{FileIdx, Manifest, Program};

/// A crate.
pub(super) struct Crate<'m> {
    pub(super) root: FileIdx,
    /// By the name that code uses: the library that is known by it, if it is one of the repository.
    pub(super) known: FxHashMap<String, Option<usize>>,
    /// The folder of its package.
    folder: &'m str,
    is_library: bool,
}

/// Folders whose files, and whose folders with a `main.rs`, are crates of their own.
const FOLDERS_OF_CRATES: [&str; 4] = ["src/bin/", "tests/", "examples/", "benches/"];

/// Reads the manifests of a program.
pub(super) fn packages(manifests: &[Manifest<'_>]) -> Vec<Package> {
    let is_cargo = |manifest: &&Manifest<'_>| manifest.path.rsplit('/').next() == Some("Cargo.toml");
    manifests.iter().filter(is_cargo).map(|manifest| manifests::read(manifest.path, manifest.text)).collect()
}

/// Returns the crates of a program, libraries first.
pub(super) fn crates<'m>(program: &Program<'_>, packages: &'m [Package]) -> Vec<Crate<'m>> {
    let mut crates: Vec<Crate<'m>> = Vec::new();
    // By folder of the package: its library, and the name of that.
    let mut libraries: FxHashMap<&str, (usize, String)> = FxHashMap::default();
    for package in packages.iter().filter(|package| !package.name.is_empty()) {
        let path = if package.library.path.is_empty() { "src/lib.rs" } else { &package.library.path };
        let Some(root) = program.file_at(&joined(&package.folder, path)) else { continue };
        let name = if package.library.name.is_empty() { &package.name } else { &package.library.name };
        libraries.insert(&package.folder, (crates.len(), code_name(name)));
        crates.push(Crate { root, known: FxHashMap::default(), folder: &package.folder, is_library: true });
    }
    let mut roots: FxHashSet<FileIdx> = crates.iter().map(|library| library.root).collect();
    let layout = Layout::of(program);
    for package in packages.iter().filter(|package| !package.name.is_empty()) {
        let written = package.targets.iter().filter(|target| !target.path.is_empty());
        let mut paths: Vec<String> = written.map(|target| joined(&package.folder, &target.path)).collect();
        paths.extend(["src/main.rs", "build.rs"].map(|path| joined(&package.folder, path)));
        paths.extend(layout.crates_in(&package.folder));
        for root in paths.iter().filter_map(|path| program.file_at(path)) {
            if roots.insert(root) {
                crates.push(Crate { root, known: FxHashMap::default(), folder: &package.folder, is_library: false });
            }
        }
    }
    let workspaces: Vec<&Package> = packages.iter().filter(|one| !one.workspace_dependencies.is_empty()).collect();
    for package in packages {
        let mut known = FxHashMap::default();
        for dependency in &package.dependencies {
            let found = folder_of(dependency, package, &workspaces).and_then(|folder| libraries.get(folder.as_str()));
            known.insert(code_name(&dependency.name), found.map(|(library, _)| *library));
            // A package whose library has another name is known by that, unless it is renamed.
            if let Some((library, name)) = found.filter(|_| dependency.package.is_empty()) {
                known.insert(name.clone(), Some(*library));
            }
        }
        for one in crates.iter_mut().filter(|one| one.folder == package.folder) {
            one.known = known.clone();
            if let Some((library, name)) = libraries.get(package.folder.as_str()).filter(|_| !one.is_library) {
                one.known.insert(name.clone(), Some(*library));
            }
        }
    }
    crates
}

/// Returns the folder of a dependency that lies in the repository.
fn folder_of(dependency: &Dependency, package: &Package, workspaces: &[&Package]) -> Option<String> {
    if let Some(path) = &dependency.path {
        return Some(joined(&package.folder, &format!("{path}/")));
    }
    if !dependency.is_of_workspace {
        return None;
    }
    let around = workspaces.iter().filter(|workspace| package.folder.starts_with(&workspace.folder));
    let workspace = around.max_by_key(|workspace| workspace.folder.len())?;
    let said = workspace.workspace_dependencies.iter().find(|one| one.name == dependency.name)?;
    Some(joined(&workspace.folder, &format!("{}/", said.path.as_ref()?)))
}

/// Returns the name that code has for a package.
pub(super) fn code_name(name: &str) -> String {
    name.replace('-', "_")
}

/// Returns a path behind a folder, without `.` and `..`.
pub(super) fn joined(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let end = if path.ends_with('/') && !parts.is_empty() { "/" } else { "" };
    parts.join("/") + end
}

/// The files of a program by folder.
struct Layout<'p> {
    by_folder: BTreeMap<&'p str, Vec<&'p str>>,
}

impl<'p> Layout<'p> {
    fn of(program: &'p Program<'_>) -> Layout<'p> {
        let mut by_folder: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for file in program.file_indices() {
            let path = program.path(file);
            if path.ends_with(".rs") {
                let folder = path.rfind('/').map_or("", |slash| &path[..=slash]);
                by_folder.entry(folder).or_default().push(path);
            }
        }
        Layout { by_folder }
    }

    /// Returns the crates that a package has by where their files lie.
    fn crates_in(&self, package: &str) -> Vec<String> {
        let mut found = Vec::new();
        for folder in FOLDERS_OF_CRATES {
            let folder = format!("{package}{folder}");
            let below = self.by_folder.range(folder.as_str()..);
            for (inner, paths) in below.take_while(|(inner, _)| inner.starts_with(&folder)) {
                let rest = &inner[folder.len()..];
                match rest.matches('/').count() {
                    0 => found.extend(paths.iter().map(|path| (*path).to_owned())),
                    1 => found.push(format!("{inner}main.rs")),
                    _ => {}
                }
            }
        }
        found
    }
}
