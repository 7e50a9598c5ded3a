//! Crates of a program: their root files and the extern crates that each can name.

use std::{cmp::Reverse, collections::BTreeMap};

use rustc_hash::{FxHashMap, FxHashSet};

use super::manifests::{self, CargoDependency, CargoPackage};
use crate::{
    manifest::ManifestFile,
    program::{FileIdx, Program},
};

/// A crate.
pub(super) struct Crate<'m> {
    pub(super) root: FileIdx,
    /// Extern crates by name in code, with the index of the library crate if it is in the repository.
    pub(super) extern_crates: FxHashMap<String, Option<usize>>,
    /// The folder of the package.
    folder: &'m str,
    is_library: bool,
}

/// Folders whose files, and whose subfolders with a `main.rs`, are crate roots.
const CRATE_ROOT_FOLDERS: [&str; 4] = ["src/bin/", "tests/", "examples/", "benches/"];

/// Reads the `Cargo.toml` manifests of a program.
pub(super) fn packages(manifests: &[ManifestFile<'_>]) -> Vec<CargoPackage> {
    let is_cargo = |manifest: &&ManifestFile<'_>| manifest.path.rsplit('/').next() == Some("Cargo.toml");
    manifests.iter().filter(is_cargo).map(|manifest| manifests::read(manifest.path, manifest.text)).collect()
}

/// Returns the crates of a program, libraries first.
pub(super) fn crates<'m>(program: &Program<'_>, packages: &'m [CargoPackage]) -> Vec<Crate<'m>> {
    let mut crates: Vec<Crate<'m>> = Vec::new();
    // The library crate of each package folder, with its name in code.
    let mut libraries: FxHashMap<&str, (usize, String)> = FxHashMap::default();
    for package in packages.iter().filter(|package| !package.name.is_empty()) {
        let path = if package.library.path.is_empty() { "src/lib.rs" } else { &package.library.path };
        let Some(root) = program.file_at(&join_normalized(&package.folder, path)) else { continue };
        let name = if package.library.name.is_empty() { &package.name } else { &package.library.name };
        libraries.insert(&package.folder, (crates.len(), code_name(name)));
        crates.push(Crate { root, extern_crates: FxHashMap::default(), folder: &package.folder, is_library: true });
    }
    let mut roots: FxHashSet<FileIdx> = crates.iter().map(|library| library.root).collect();
    let layout = CrateLayout::of(program);
    for package in packages.iter().filter(|package| !package.name.is_empty()) {
        let written = package.targets.iter().filter(|target| !target.path.is_empty());
        let mut paths: Vec<String> = written.map(|target| join_normalized(&package.folder, &target.path)).collect();
        paths.extend(["src/main.rs", "build.rs"].map(|path| join_normalized(&package.folder, path)));
        paths.extend(layout.crates_in(&package.folder));
        for root in paths.iter().filter_map(|path| program.file_at(path)) {
            if roots.insert(root) {
                crates.push(Crate {
                    root,
                    extern_crates: FxHashMap::default(),
                    folder: &package.folder,
                    is_library: false,
                });
            }
        }
    }
    let published = PublishedPackages::of(packages, &libraries);
    let workspaces: Vec<&CargoPackage> = packages.iter().filter(|one| !one.workspace_dependencies.is_empty()).collect();
    for package in packages {
        let mut extern_crates = FxHashMap::default();
        for dependency in &package.dependencies {
            let folder = folder_of(dependency, package, &workspaces);
            let folder = folder.as_deref().filter(|folder| libraries.contains_key(folder));
            let folder = folder.or_else(|| published.folder_for(program, package, dependency));
            let found = folder.and_then(|folder| libraries.get(folder));
            extern_crates.insert(code_name(&dependency.name), found.map(|(library, _)| *library));
            // A library with a name other than its package is also known by it, unless the dependency is renamed.
            if let Some((library, name)) = found.filter(|_| dependency.package.is_empty()) {
                extern_crates.insert(name.clone(), Some(*library));
            }
        }
        for one in crates.iter_mut().filter(|one| one.folder == package.folder) {
            one.extern_crates = extern_crates.clone();
            if let Some((library, name)) = libraries.get(package.folder.as_str()).filter(|_| !one.is_library) {
                one.extern_crates.insert(name.clone(), Some(*library));
            }
        }
    }
    crates
}

/// Returns the index of a crate of the innermost package around a file: its library, if it has one.
pub(super) fn crate_around(crates: &[Crate<'_>], path: &str) -> Option<usize> {
    let around = crates.iter().enumerate().filter(|(_, one)| path.starts_with(one.folder));
    let innermost = around.max_by_key(|(index, one)| (one.folder.len(), Reverse(*index)));
    innermost.map(|(index, _)| index)
}

/// The library packages of a program by name, for dependencies on packages of other repositories.
struct PublishedPackages<'m> {
    folders: FxHashMap<&'m str, Vec<&'m str>>,
}

impl<'m> PublishedPackages<'m> {
    fn of(packages: &'m [CargoPackage], libraries: &FxHashMap<&str, (usize, String)>) -> PublishedPackages<'m> {
        let mut folders: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
        for package in packages.iter().filter(|package| libraries.contains_key(package.folder.as_str())) {
            folders.entry(&package.name).or_default().push(&package.folder);
        }
        PublishedPackages { folders }
    }

    /// Returns the folder of a dependency that another repository makes: the outermost one of its name.
    fn folder_for(
        &self,
        program: &Program<'_>,
        package: &CargoPackage,
        dependency: &CargoDependency,
    ) -> Option<&'m str> {
        let name = if dependency.package.is_empty() { &dependency.name } else { &dependency.package };
        let repository = program.root_of(&package.folder);
        let others = self.folders.get(name.as_str())?.iter().filter(|folder| program.root_of(folder) != repository);
        others.min_by_key(|folder| folder.matches('/').count()).copied()
    }
}

/// Returns the folder of a dependency inside the repository.
fn folder_of(dependency: &CargoDependency, package: &CargoPackage, workspaces: &[&CargoPackage]) -> Option<String> {
    if let Some(path) = &dependency.path {
        return Some(join_normalized(&package.folder, &format!("{path}/")));
    }
    if !dependency.is_workspace_inherited {
        return None;
    }
    let enclosing = workspaces.iter().filter(|workspace| package.folder.starts_with(&workspace.folder));
    let workspace = enclosing.max_by_key(|workspace| workspace.folder.len())?;
    let declared = workspace.workspace_dependencies.iter().find(|one| one.name == dependency.name)?;
    Some(join_normalized(&workspace.folder, &format!("{}/", declared.path.as_ref()?)))
}

/// Returns the name of a package in code.
pub(super) fn code_name(name: &str) -> String {
    name.replace('-', "_")
}

/// Joins a folder and a path, and resolves `.` and `..`.
pub(super) fn join_normalized(folder: &str, path: &str) -> String {
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

/// The Rust files of a program by folder.
struct CrateLayout<'p> {
    by_folder: BTreeMap<&'p str, Vec<&'p str>>,
}

impl<'p> CrateLayout<'p> {
    fn of(program: &'p Program<'_>) -> CrateLayout<'p> {
        let mut by_folder: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for file in program.file_indices() {
            let path = program.path(file);
            if path.ends_with(".rs") {
                let folder = path.rfind('/').map_or("", |slash| &path[..=slash]);
                by_folder.entry(folder).or_default().push(path);
            }
        }
        CrateLayout { by_folder }
    }

    /// Returns the crate roots that Cargo discovers by file layout.
    fn crates_in(&self, package: &str) -> Vec<String> {
        let mut found = Vec::new();
        for folder in CRATE_ROOT_FOLDERS {
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
