//! Module resolution: from dotted names to files, relative to import roots.

use model::Language;
use rustc_hash::FxHashMap;

use super::standard_modules::STANDARD_MODULES;
use crate::{
    family::Family,
    paths,
    program::{FileIdx, Program},
    ty::ModuleIdx,
};

/// Maximum number of segments of a module path.
const MAX_SEGMENTS: usize = 40;

/// Folders of a repository that customarily hold its source.
const CUSTOMARY_ROOTS: [&str; 3] = ["src", "lib", "python"];

/// The modules of a program.
#[derive(Default)]
pub(super) struct PythonModules {
    all: Vec<PythonModule>,
    /// Module indices by path without file extension, including package folders.
    by_path: FxHashMap<String, u32>,
    /// The import root of each file: the folder above its topmost package.
    roots: FxHashMap<FileIdx, String>,
    /// The import roots that contain a top-level module of a name, sorted.
    roots_by_name: FxHashMap<String, Vec<String>>,
}

/// A module file or a package folder.
struct PythonModule {
    path: String,
    /// None for a folder without `__init__.py`.
    file: Option<FileIdx>,
    is_package: bool,
}

/// Returns the Python files of a program.
pub(super) fn files(program: &Program<'_>) -> impl Iterator<Item = FileIdx> {
    program.file_indices().filter(|file| program.language(*file) == Language::Python)
}

impl PythonModules {
    pub(super) fn lay_out(program: &Program<'_>) -> PythonModules {
        let mut modules = PythonModules::default();
        // Stubs come last, so that sources have priority.
        let (sources, stubs): (Vec<FileIdx>, Vec<FileIdx>) =
            files(program).partition(|file| !program.path(*file).ends_with(".pyi"));
        for file in sources.into_iter().chain(stubs) {
            modules.add(program.path(file), file);
        }
        modules.index_roots(program);
        modules
    }

    /// Adds the module of a file and its enclosing folders.
    fn add(&mut self, path: &str, file: FileIdx) {
        let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        let (stem, is_package) = match stem.rsplit_once('/') {
            Some((folder, "__init__")) => (folder, true),
            None if stem == "__init__" => ("", true),
            _ => (stem, false),
        };
        let module = self.intern(stem);
        // A package has priority over a module beside it, and a source over a stub.
        let known = &mut self.all[module as usize];
        if known.file.is_none() || (is_package && !known.is_package) {
            known.file = Some(file);
            known.is_package |= is_package;
        }
        let mut folder = stem;
        while let Some((enclosing, _)) = folder.rsplit_once('/') {
            if self.by_path.contains_key(enclosing) {
                break;
            }
            self.intern(enclosing);
            folder = enclosing;
        }
    }

    fn intern(&mut self, path: &str) -> u32 {
        if let Some(known) = self.by_path.get(path) {
            return *known;
        }
        let index = self.all.len() as u32;
        self.all.push(PythonModule { path: path.to_owned(), file: None, is_package: false });
        self.by_path.insert(path.to_owned(), index);
        index
    }

    /// Computes the import roots: the folder above the topmost package of each file.
    fn index_roots(&mut self, program: &Program<'_>) {
        for file in files(program) {
            let mut root = paths::folder(program.path(file));
            for _ in 0..MAX_SEGMENTS {
                let is_package = self.index_of(root).is_some_and(|module| self.all[module as usize].is_package);
                if !is_package || root.is_empty() {
                    break;
                }
                root = paths::folder(root);
            }
            self.roots.insert(file, root.to_owned());
            let path = program.path(file);
            let within = path.strip_prefix(root).unwrap_or(path).trim_start_matches('/');
            let first = within.split(['/', '.']).next().unwrap_or_default().to_owned();
            let known = self.roots_by_name.entry(first).or_default();
            if let Err(place) = known.binary_search_by(|other| other.as_str().cmp(root)) {
                known.insert(place, root.to_owned());
            }
        }
    }

    fn index_of(&self, path: &str) -> Option<u32> {
        self.by_path.get(path).copied()
    }

    /// Resolves a module as a file writes it (`a.b`, `..c`).
    pub(super) fn resolve(&self, program: &Program<'_>, from: FileIdx, module: &str) -> Option<ModuleIdx> {
        let n_dots = module.bytes().take_while(|byte| *byte == b'.').count();
        let rest = module[n_dots..].replace('.', "/");
        if rest.split('/').count() > MAX_SEGMENTS || n_dots > MAX_SEGMENTS {
            return None;
        }
        if n_dots > 0 {
            let mut folder = paths::folder(program.path(from));
            for _ in 1..n_dots {
                folder = paths::folder(folder);
            }
            return self.index_of(&join(folder, &rest)).map(module_idx);
        }
        let first = rest.split('/').next().unwrap_or_default();
        let own = self.roots.get(&from).map(String::as_str);
        let enclosing = own.into_iter().flat_map(|own| std::iter::successors(Some(own), |root| parent_of(root)));
        // Several roots with the same name are ambiguous, unless one encloses the file or is a customary source folder.
        let repository = program.root_of_file(from);
        let customary = CUSTOMARY_ROOTS.map(|root| format!("{repository}{root}"));
        // A script in a package sees the modules beside it.
        let sibling_folder =
            Some(paths::folder(program.path(from))).filter(|_| STANDARD_MODULES.binary_search(&first).is_err());
        let roots: Vec<&str> = enclosing
            .take(MAX_SEGMENTS)
            .chain(customary.iter().map(String::as_str))
            .chain(sibling_folder)
            .chain(self.only_root(program, repository, first))
            .collect();
        let found: Vec<u32> = roots.into_iter().filter_map(|root| self.index_of(&join(root, &rest))).collect();
        // A folder without `__init__.py` is a module only if no other candidate has a file.
        let file = found.iter().find(|module| self.all[**module as usize].file.is_some());
        file.or(found.first()).copied().map(module_idx)
    }

    /// Returns the only import root that contains a top-level module of a name: of the repository, else of the others. Another
    /// repository that has several is meant by its customary source folder.
    fn only_root(&self, program: &Program<'_>, repository: &str, name: &str) -> Option<&str> {
        let roots = self.roots_by_name.get(name)?;
        let (own, others): (Vec<&str>, Vec<&str>) =
            roots.iter().map(String::as_str).partition(|root| program.root_of(root) == repository);
        match (own.as_slice(), others.as_slice()) {
            ([only], _) | ([], [only]) => Some(only),
            ([], _) => {
                let is_customary = |root: &&&str| {
                    let within = root.strip_prefix(program.root_of(root).trim_end_matches('/'));
                    let within = within.unwrap_or(root).trim_start_matches('/');
                    within.is_empty() || CUSTOMARY_ROOTS.contains(&within)
                };
                let mut customary = others.iter().filter(is_customary);
                customary.next().copied().filter(|_| customary.next().is_none())
            }
            _ => None,
        }
    }

    /// Returns the file of a module; `None` for a folder without `__init__.py`.
    pub(super) fn file(&self, module: ModuleIdx) -> Option<FileIdx> {
        self.all.get(module.index as usize)?.file
    }

    /// Returns the submodule of a package.
    pub(super) fn submodule(&self, module: ModuleIdx, name: &str) -> Option<ModuleIdx> {
        let enclosing = self.all.get(module.index as usize)?;
        if enclosing.file.is_some() && !enclosing.is_package {
            return None;
        }
        self.index_of(&join(&enclosing.path, name)).map(module_idx)
    }
}

fn module_idx(index: u32) -> ModuleIdx {
    ModuleIdx { family: Family::Python, index }
}

fn join(folder: &str, rest: &str) -> String {
    match (folder, rest) {
        ("", rest) => rest.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, rest) => format!("{folder}/{rest}"),
    }
}

/// Returns the enclosing folder, or none for the outermost.
fn parent_of<'a>(folder: &&'a str) -> Option<&'a str> {
    (!folder.is_empty()).then(|| paths::folder(folder))
}
