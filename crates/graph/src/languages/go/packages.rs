//! Packages: the files of a folder with one package clause, what they define, and what each file imports.

use model::{Language, SymbolKind};
use rustc_hash::FxHashMap;

use super::{conditions, library, modules::Modules};
use crate::{
    names::Name,
    paths,
    program::{FileIdx, Manifest, Program, SymbolIdx},
};

/// The most definitions of one name that are looked at: as many as there are builds of a file, at the very most.
pub(super) const MAX_TWINS: usize = 64;

/// The packages of a program.
#[derive(Default)]
pub(super) struct Packages {
    pub(super) all: Vec<Package>,
    /// By file: its package and how it is built.
    files: FxHashMap<FileIdx, GoFile>,
    /// By file and the name that an import has in it.
    imports: FxHashMap<(FileIdx, Name), Imported>,
    /// By import path and folder of the file: the package.
    by_path: FxHashMap<(String, String), Option<u32>>,
    /// By file: packages whose names are taken as the file's own.
    opened: FxHashMap<FileIdx, Vec<Imported>>,
}

/// A package.
#[derive(Default)]
pub(super) struct Package {
    /// In the order of their paths.
    pub(super) files: Vec<FileIdx>,
    /// What stands in no other definition, methods aside.
    names: FxHashMap<Name, Vec<SymbolIdx>>,
    /// Methods and fields by name, wherever they stand.
    members: FxHashMap<Name, Vec<SymbolIdx>>,
}

/// What is known of a file.
struct GoFile {
    package: u32,
    target: String,
    is_default: bool,
}

/// What an import means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Imported {
    Package(u32),
    /// A package of the standard library of which something is known.
    Library(&'static str),
    External,
}

impl Packages {
    /// Lays out the packages of a program.
    pub(super) fn lay_out(program: &Program<'_>, manifests: &[Manifest<'_>]) -> Packages {
        let mut packages = Packages::default();
        let mut by_clause: FxHashMap<(&str, &str), u32> = FxHashMap::default();
        let mut by_folder: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
        let files: Vec<FileIdx> =
            program.file_indices().filter(|file| program.language(*file) == Language::Go).collect();
        for &file in &files {
            let path = program.path(file);
            let folder = paths::folder(path);
            let code = program.code(file);
            let package = *by_clause.entry((folder, &code.package)).or_insert_with(|| {
                packages.all.push(Package::default());
                let package = packages.all.len() as u32 - 1;
                by_folder.entry(folder).or_default().push(package);
                package
            });
            let target = conditions::target(path, &code.condition);
            let is_default = conditions::is_built_by_default(path, &code.condition);
            packages.files.insert(file, GoFile { package, target, is_default });
            packages.all[package as usize].add(program, file);
        }
        let mut modules = Modules::read(manifests);
        let imports = files.iter().flat_map(|file| {
            let folder = paths::folder(program.path(*file));
            program.facts(*file).imports.iter().map(move |import| (import.module.as_str(), folder))
        });
        modules.find_root(imports, |folder| by_folder.contains_key(folder));
        let imported_by_folder: FxHashMap<&str, u32> =
            by_folder.iter().filter_map(|(folder, all)| Some((*folder, packages.offered(program, all)?))).collect();
        for file in files {
            packages.import(program, &modules, &imported_by_folder, file);
        }
        packages
    }

    /// Returns the package of a file.
    pub(super) fn of(&self, file: FileIdx) -> Option<u32> {
        self.files.get(&file).map(|known| known.package)
    }

    /// Returns what a name of an import means in a file.
    pub(super) fn imported(&self, file: FileIdx, name: Name) -> Option<Imported> {
        self.imports.get(&(file, name)).copied()
    }

    /// Returns the package that an import path means in a file.
    pub(super) fn imported_by(&self, program: &Program<'_>, file: FileIdx, import: &str) -> Option<u32> {
        let folder = paths::folder(program.path(file));
        self.by_path.get(&(import.to_owned(), folder.to_owned())).copied().flatten()
    }

    /// Returns the file that stands for a package: the one that documents it, else the first that is no test.
    pub(super) fn face(&self, program: &Program<'_>, package: u32) -> Option<FileIdx> {
        let files = &self.all.get(package as usize)?.files;
        let is_offered = |file: &&FileIdx| !program.path(**file).ends_with("_test.go") && self.is_default(**file);
        let documents = |file: &&FileIdx| !program.facts(**file).doc.is_empty();
        let offered: Vec<&FileIdx> = files.iter().filter(is_offered).collect();
        offered.iter().copied().find(documents).or(offered.first().copied()).copied()
    }

    /// Returns the packages whose names a file takes as its own.
    pub(super) fn opened(&self, file: FileIdx) -> &[Imported] {
        self.opened.get(&file).map_or(&[], Vec::as_slice)
    }

    /// Returns the definitions of a name at the level of a package, of all builds.
    pub(super) fn all_named(&self, package: u32, name: Name) -> &[SymbolIdx] {
        let found = self.all.get(package as usize).and_then(|package| package.names.get(&name));
        let found = found.map_or(&[][..], Vec::as_slice);
        &found[..found.len().min(MAX_TWINS)]
    }

    /// Returns the definitions of a name at the level of a package, as they are seen from a file of it, if any.
    pub(super) fn named(
        &self,
        program: &Program<'_>,
        package: u32,
        name: Name,
        from: Option<FileIdx>,
    ) -> Vec<SymbolIdx> {
        let is_own = |symbol: &&SymbolIdx| program.definition(**symbol).kind != SymbolKind::Method;
        let own = from.filter(|from| self.of(*from) == Some(package)).map_or(&[][..], |from| program.top(from, name));
        let own: Vec<SymbolIdx> = own.iter().filter(is_own).take(MAX_TWINS).copied().collect();
        if !own.is_empty() {
            return own;
        }
        self.built_together(program, self.all_named(package, name), from)
    }

    /// Returns the methods and fields of a name in a package, whatever type they belong to.
    pub(super) fn members(&self, program: &Program<'_>, from: FileIdx, name: Name) -> Vec<SymbolIdx> {
        let package = self.of(from).and_then(|package| self.all.get(package as usize));
        let found = package.and_then(|package| package.members.get(&name));
        self.built_together(program, found.map_or(&[], Vec::as_slice), Some(from))
    }

    /// Returns, of definitions of one name, those that are built together with a file: its own, else those of files for
    /// the same target, else those of the default build, else all.
    pub(super) fn built_together(
        &self,
        program: &Program<'_>,
        symbols: &[SymbolIdx],
        from: Option<FileIdx>,
    ) -> Vec<SymbolIdx> {
        if symbols.len() < 2 {
            return symbols.to_vec();
        }
        let symbols = &symbols[..symbols.len().min(MAX_TWINS)];
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

    /// Returns the package that an import of a folder means: not one of tests; built by default, and of most files.
    fn offered(&self, program: &Program<'_>, packages: &[u32]) -> Option<u32> {
        let weight = |package: &&u32| {
            let files = &self.all[**package as usize].files;
            let is_offered = |file: &&FileIdx| !program.path(**file).ends_with("_test.go");
            let n_default = files.iter().filter(is_offered).filter(|file| self.is_default(**file)).count();
            (n_default, files.iter().filter(is_offered).count(), std::cmp::Reverse(**package))
        };
        packages.iter().max_by_key(weight).copied()
    }

    fn import(&mut self, program: &Program<'_>, modules: &Modules, by_folder: &FxHashMap<&str, u32>, file: FileIdx) {
        let folder = paths::folder(program.path(file));
        for import in &program.facts(file).imports {
            let package = *self.by_path.entry((import.module.clone(), folder.to_owned())).or_insert_with(|| {
                let folders = modules.folders_of(&import.module, folder);
                folders.iter().find_map(|folder| by_folder.get(folder.as_str()).copied())
            });
            let meant = match (package, library::package(&import.module)) {
                (Some(package), _) => Imported::Package(package),
                (None, Some(library)) => Imported::Library(library),
                (None, None) => Imported::External,
            };
            if import.name == "*" {
                self.opened.entry(file).or_default().push(meant);
                continue;
            }
            let texts = match (import.alias.as_str(), meant) {
                ("", Imported::Package(package)) => self.clause(program, package).into_iter().collect(),
                ("", _) => likely_names(&import.module),
                (alias, _) => vec![alias],
            };
            for name in texts.into_iter().filter_map(|text| program.name_named(text)) {
                self.imports.entry((file, name)).or_insert(meant);
            }
        }
    }

    fn clause<'a>(&self, program: &Program<'a>, package: u32) -> Option<&'a str> {
        let first = self.all.get(package as usize)?.files.first()?;
        Some(program.code(*first).package.as_str())
    }
}

impl Package {
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

/// Returns the names that a package elsewhere may have, by its import path.
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
