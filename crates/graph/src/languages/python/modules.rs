//! Which file a module is: packages are folders, and a program is run with some folders on its path.

use model::Language;
use rustc_hash::FxHashMap;

use super::standard::STANDARD;
use crate::{
    dialect::Family,
    paths,
    program::{FileIdx, Program},
    ty::ModuleIdx,
};

/// The most names of one module's path.
const MAX_PARTS: usize = 40;

/// The modules of a program.
#[derive(Default)]
pub(super) struct Modules {
    all: Vec<Module>,
    /// By path without the file's ending, folders of packages included.
    by_path: FxHashMap<String, u32>,
    /// By file: the folder that the first name of its own module's path lies in.
    roots: FxHashMap<FileIdx, String>,
    /// By first name of a path: the folders that such a module lies in, sorted.
    roots_of: FxHashMap<String, Vec<String>>,
}

/// A file, or a folder of files.
struct Module {
    path: String,
    /// Nothing for a folder without `__init__.py`.
    file: Option<FileIdx>,
    is_package: bool,
}

/// Returns the files of the language.
pub(super) fn files(program: &Program<'_>) -> impl Iterator<Item = FileIdx> {
    program.file_indices().filter(|file| program.language(*file) == Language::Python)
}

impl Modules {
    pub(super) fn lay_out(program: &Program<'_>) -> Modules {
        let mut modules = Modules::default();
        // Stubs come last, so that sources are preferred.
        let (sources, stubs): (Vec<FileIdx>, Vec<FileIdx>) =
            files(program).partition(|file| !program.path(*file).ends_with(".pyi"));
        for file in sources.into_iter().chain(stubs) {
            modules.add(program.path(file), file);
        }
        modules.find_roots(program);
        modules
    }

    fn add(&mut self, path: &str, file: FileIdx) {
        let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        let (stem, is_package) = match stem.rsplit_once('/') {
            Some((folder, "__init__")) => (folder, true),
            None if stem == "__init__" => ("", true),
            _ => (stem, false),
        };
        let module = self.intern(stem);
        // A package is preferred to a module beside it, and a source to a stub.
        let known = &mut self.all[module as usize];
        if known.file.is_none() || (is_package && !known.is_package) {
            known.file = Some(file);
            known.is_package |= is_package;
        }
        let mut folder = stem;
        while let Some((around, _)) = folder.rsplit_once('/') {
            if self.by_path.contains_key(around) {
                break;
            }
            self.intern(around);
            folder = around;
        }
    }

    fn intern(&mut self, path: &str) -> u32 {
        if let Some(known) = self.by_path.get(path) {
            return *known;
        }
        let index = self.all.len() as u32;
        self.all.push(Module { path: path.to_owned(), file: None, is_package: false });
        self.by_path.insert(path.to_owned(), index);
        index
    }

    /// The folder above the topmost package around a file is one that modules are imported from.
    fn find_roots(&mut self, program: &Program<'_>) {
        for file in files(program) {
            let mut root = paths::folder(program.path(file));
            for _ in 0..MAX_PARTS {
                let is_package = self.at(root).is_some_and(|module| self.all[module as usize].is_package);
                if !is_package || root.is_empty() {
                    break;
                }
                root = paths::folder(root);
            }
            self.roots.insert(file, root.to_owned());
            let path = program.path(file);
            let within = path.strip_prefix(root).unwrap_or(path).trim_start_matches('/');
            let first = within.split(['/', '.']).next().unwrap_or_default().to_owned();
            let known = self.roots_of.entry(first).or_default();
            if let Err(place) = known.binary_search_by(|other| other.as_str().cmp(root)) {
                known.insert(place, root.to_owned());
            }
        }
    }

    fn at(&self, path: &str) -> Option<u32> {
        self.by_path.get(path).copied()
    }

    /// Returns the module that a file names, as it writes it (`a.b`, `..c`).
    pub(super) fn find(&self, program: &Program<'_>, from: FileIdx, module: &str) -> Option<ModuleIdx> {
        let n_dots = module.bytes().take_while(|byte| *byte == b'.').count();
        let rest = module[n_dots..].replace('.', "/");
        if rest.split('/').count() > MAX_PARTS || n_dots > MAX_PARTS {
            return None;
        }
        if n_dots > 0 {
            let mut folder = paths::folder(program.path(from));
            for _ in 1..n_dots {
                folder = paths::folder(folder);
            }
            return self.at(&join(folder, &rest)).map(number);
        }
        let first = rest.split('/').next().unwrap_or_default();
        let own = self.roots.get(&from).map(String::as_str);
        let around = own.into_iter().flat_map(|own| std::iter::successors(Some(own), |root| parent_of(root)));
        let others = self.roots_of.get(first).map_or(&[][..], Vec::as_slice);
        // A name that several folders have is none's, unless they are around the file or where sources are by custom.
        let customary = ["src", "lib", "python"].into_iter();
        // A script in a package sees what lies beside it.
        let beside = Some(paths::folder(program.path(from))).filter(|_| STANDARD.binary_search(&first).is_err());
        let only = others.iter().map(String::as_str).filter(|_| others.len() == 1);
        let roots: Vec<&str> = around.take(MAX_PARTS).chain(customary).chain(beside).chain(only).collect();
        let found: Vec<u32> = roots.into_iter().filter_map(|root| self.at(&join(root, &rest))).collect();
        // A folder without `__init__.py` is a module only where there is no other.
        let file = found.iter().find(|module| self.all[**module as usize].file.is_some());
        file.or(found.first()).copied().map(number)
    }

    pub(super) fn file(&self, module: ModuleIdx) -> Option<FileIdx> {
        self.all.get(module.index as usize)?.file
    }

    /// Returns the module of this name within a package.
    pub(super) fn within(&self, module: ModuleIdx, name: &str) -> Option<ModuleIdx> {
        let around = self.all.get(module.index as usize)?;
        if around.file.is_some() && !around.is_package {
            return None;
        }
        self.at(&join(&around.path, name)).map(number)
    }
}

fn number(index: u32) -> ModuleIdx {
    ModuleIdx { family: Family::Python, index }
}

fn join(folder: &str, rest: &str) -> String {
    match (folder, rest) {
        ("", rest) => rest.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, rest) => format!("{folder}/{rest}"),
    }
}

/// Returns the folder around another; nothing for the outermost.
fn parent_of<'a>(folder: &&'a str) -> Option<&'a str> {
    (!folder.is_empty()).then(|| paths::folder(folder))
}
