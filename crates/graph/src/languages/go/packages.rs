//! Packages: the files of a folder with one package clause, their definitions and their imports.

use model::{Language, SymbolKind};
use rustc_hash::FxHashMap;

use super::{build_constraints, modules::GoModules, standard_library};
use crate::{
    manifest::ManifestFile,
    names::Name,
    paths,
    program::{FileIdx, Program, SymbolIdx},
};

/// Maximum number of definitions of one name to compare: an upper bound of the build variants of a file.
pub(super) const MAX_BUILD_VARIANTS: usize = 64;

/// The packages of a program.
#[derive(Default)]
pub(super) struct GoPackages {
    pub(super) all: Vec<GoPackage>,
    /// The package and build target of each file.
    files: FxHashMap<FileIdx, GoFile>,
    /// The target of each import, by file and local name.
    imports: FxHashMap<(FileIdx, Name), ImportTarget>,
    /// The package of each import path, by path and folder of the importing file.
    by_path: FxHashMap<(String, String), Option<u32>>,
    /// The dot imports of each file.
    dot_imports: FxHashMap<FileIdx, Vec<ImportTarget>>,
}

/// A package.
#[derive(Default)]
pub(super) struct GoPackage {
    /// The files, sorted by path.
    pub(super) files: Vec<FileIdx>,
    /// Top-level definitions except methods.
    names: FxHashMap<Name, Vec<SymbolIdx>>,
    /// Methods and fields of all types, by name.
    members: FxHashMap<Name, Vec<SymbolIdx>>,
}

/// The package and build target of a file.
struct GoFile {
    package: u32,
    target: String,
    is_default: bool,
}

/// The target of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ImportTarget {
    Package(u32),
    /// A modelled package of the standard library.
    Library(&'static str),
    External,
}

impl GoPackages {
    /// Builds the packages of a program.
    pub(super) fn lay_out(program: &Program<'_>, manifests: &[ManifestFile<'_>]) -> GoPackages {
        let mut packages = GoPackages::default();
        let mut by_clause: FxHashMap<(&str, &str), u32> = FxHashMap::default();
        let mut by_folder: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
        let files: Vec<FileIdx> =
            program.file_indices().filter(|file| program.language(*file) == Language::Go).collect();
        for &file in &files {
            let path = program.path(file);
            let folder = paths::folder(path);
            let code = program.code(file);
            let package = *by_clause.entry((folder, &code.package)).or_insert_with(|| {
                packages.all.push(GoPackage::default());
                let package = packages.all.len() as u32 - 1;
                by_folder.entry(folder).or_default().push(package);
                package
            });
            let target = build_constraints::target(path, &code.condition);
            let is_default = build_constraints::is_built_by_default(path, &code.condition);
            packages.files.insert(file, GoFile { package, target, is_default });
            packages.all[package as usize].add(program, file);
        }
        let mut modules = GoModules::read(manifests);
        let imports = files.iter().flat_map(|file| {
            let folder = paths::folder(program.path(*file));
            program.facts(*file).imports.iter().map(move |import| (import.module.as_str(), folder))
        });
        modules.infer_root_path(imports, |folder| by_folder.contains_key(folder));
        let imported_by_folder: FxHashMap<&str, u32> = by_folder
            .iter()
            .filter_map(|(folder, all)| Some((*folder, packages.importable_package(program, all)?)))
            .collect();
        for file in files {
            packages.import(program, &modules, &imported_by_folder, file);
        }
        packages
    }

    /// Returns the package of a file.
    pub(super) fn of(&self, file: FileIdx) -> Option<u32> {
        self.files.get(&file).map(|known| known.package)
    }

    /// Returns the target of an import by its local name.
    pub(super) fn imported(&self, file: FileIdx, name: Name) -> Option<ImportTarget> {
        self.imports.get(&(file, name)).copied()
    }

    /// Returns the package that an import path resolves to in a file.
    pub(super) fn imported_by(&self, program: &Program<'_>, file: FileIdx, import: &str) -> Option<u32> {
        let folder = paths::folder(program.path(file));
        self.by_path.get(&(import.to_owned(), folder.to_owned())).copied().flatten()
    }

    /// Returns the representative file of a package: the one with the package comment, else the first that is no test.
    pub(super) fn representative_file(&self, program: &Program<'_>, package: u32) -> Option<FileIdx> {
        let files = &self.all.get(package as usize)?.files;
        let is_offered = |file: &&FileIdx| !program.path(**file).ends_with("_test.go") && self.is_default(**file);
        let documents = |file: &&FileIdx| !program.facts(**file).doc.is_empty();
        let offered: Vec<&FileIdx> = files.iter().filter(is_offered).collect();
        offered.iter().copied().find(documents).or(offered.first().copied()).copied()
    }

    /// Returns the dot imports of a file.
    pub(super) fn dot_imports(&self, file: FileIdx) -> &[ImportTarget] {
        self.dot_imports.get(&file).map_or(&[], Vec::as_slice)
    }

    /// Returns the top-level definitions of a name in a package, for all build targets.
    pub(super) fn all_definitions(&self, package: u32, name: Name) -> &[SymbolIdx] {
        let found = self.all.get(package as usize).and_then(|package| package.names.get(&name));
        let found = found.map_or(&[][..], Vec::as_slice);
        &found[..found.len().min(MAX_BUILD_VARIANTS)]
    }

    /// Returns the top-level definitions of a name in a package, as seen from the file `from`.
    pub(super) fn definitions(
        &self,
        program: &Program<'_>,
        package: u32,
        name: Name,
        from: Option<FileIdx>,
    ) -> Vec<SymbolIdx> {
        let is_own = |symbol: &&SymbolIdx| program.definition(**symbol).kind != SymbolKind::Method;
        let own = from.filter(|from| self.of(*from) == Some(package)).map_or(&[][..], |from| program.top(from, name));
        let own: Vec<SymbolIdx> = own.iter().filter(is_own).take(MAX_BUILD_VARIANTS).copied().collect();
        if !own.is_empty() {
            return own;
        }
        self.select_for_build(program, self.all_definitions(package, name), from)
    }

    /// Returns the methods and fields of a name over all types of a package.
    pub(super) fn members(&self, program: &Program<'_>, from: FileIdx, name: Name) -> Vec<SymbolIdx> {
        let package = self.of(from).and_then(|package| self.all.get(package as usize));
        let found = package.and_then(|package| package.members.get(&name));
        self.select_for_build(program, found.map_or(&[], Vec::as_slice), Some(from))
    }

    /// Selects among definitions of one name by build target: prefers the file itself, then files with the same target,
    /// then files of the default build.
    pub(super) fn select_for_build(
        &self,
        program: &Program<'_>,
        symbols: &[SymbolIdx],
        from: Option<FileIdx>,
    ) -> Vec<SymbolIdx> {
        if symbols.len() < 2 {
            return symbols.to_vec();
        }
        let symbols = &symbols[..symbols.len().min(MAX_BUILD_VARIANTS)];
        let target = from.and_then(|from| self.files.get(&from)).map(|known| known.target.as_str());
        let rank = |symbol: &SymbolIdx| {
            let file = program.file_of(*symbol);
            let Some(known) = self.files.get(&file) else { return 3 };
            match known {
                _ if Some(file) == from => 0,
                known if Some(known.target.as_str()) == target && !known.target.is_empty() => 1,
                known if known.is_default => 2,
                _ => 3,
            }
        };
        let best = symbols.iter().map(rank).min();
        symbols.iter().filter(|symbol| Some(rank(symbol)) == best).copied().collect()
    }

    fn is_default(&self, file: FileIdx) -> bool {
        self.files.get(&file).is_some_and(|known| known.is_default)
    }

    /// Returns the package that an import of a folder resolves to. Ignores test files; prefers the default build, then
    /// the number of files.
    fn importable_package(&self, program: &Program<'_>, packages: &[u32]) -> Option<u32> {
        let weight = |package: &&u32| {
            let files = &self.all[**package as usize].files;
            let is_offered = |file: &&FileIdx| !program.path(**file).ends_with("_test.go");
            let n_default = files.iter().filter(is_offered).filter(|file| self.is_default(**file)).count();
            (n_default, files.iter().filter(is_offered).count(), std::cmp::Reverse(**package))
        };
        packages.iter().max_by_key(weight).copied()
    }

    /// Resolves the imports of a file.
    fn import(&mut self, program: &Program<'_>, modules: &GoModules, by_folder: &FxHashMap<&str, u32>, file: FileIdx) {
        let folder = paths::folder(program.path(file));
        for import in &program.facts(file).imports {
            let package = *self.by_path.entry((import.module.clone(), folder.to_owned())).or_insert_with(|| {
                let folders = modules.folders_of(&import.module, folder);
                folders.iter().find_map(|folder| by_folder.get(folder.as_str()).copied())
            });
            let target = match (package, standard_library::package(&import.module)) {
                (Some(package), _) => ImportTarget::Package(package),
                (None, Some(library)) => ImportTarget::Library(library),
                (None, None) => ImportTarget::External,
            };
            if import.name == "*" {
                self.dot_imports.entry(file).or_default().push(target);
                continue;
            }
            let texts = match (import.alias.as_str(), target) {
                ("", ImportTarget::Package(package)) => self.package_clause(program, package).into_iter().collect(),
                ("", _) => likely_names(&import.module),
                (alias, _) => vec![alias],
            };
            for name in texts.into_iter().filter_map(|text| program.name_named(text)) {
                self.imports.entry((file, name)).or_insert(target);
            }
        }
    }

    /// Returns the name in the package clause.
    fn package_clause<'a>(&self, program: &Program<'a>, package: u32) -> Option<&'a str> {
        let first = self.all.get(package as usize)?.files.first()?;
        Some(program.code(*first).package.as_str())
    }
}

impl GoPackage {
    fn add(&mut self, program: &Program<'_>, file: FileIdx) {
        self.files.push(file);
        for symbol in program.symbols_of(file) {
            let definition = program.definition(symbol);
            let name = program.name_of(symbol);
            match definition.kind {
                SymbolKind::Method | SymbolKind::Field => self.members.entry(name).or_default().push(symbol),
                _ if definition.parent.is_none() => self.names.entry(name).or_default().push(symbol),
                _ => {}
            }
        }
    }
}

/// Returns the likely names of an external package by its import path.
fn likely_names(import: &str) -> Vec<&str> {
    let is_version =
        |part: &str| part.len() > 1 && part.starts_with('v') && part[1..].bytes().all(|b| b.is_ascii_digit());
    let mut parts = import.rsplit('/');
    let last = parts.next().unwrap_or_default();
    let last = if is_version(last) { parts.next().unwrap_or(last) } else { last };
    let plain = last.rsplit_once('.').filter(|(_, version)| is_version(version)).map_or(last, |(name, _)| name);
    let short = plain.strip_prefix("go-").or_else(|| plain.strip_suffix("-go")).or_else(|| plain.strip_suffix(".go"));
    let tail = plain.rsplit(['-', '.']).next();
    [Some(plain), short, tail].into_iter().flatten().collect()
}
