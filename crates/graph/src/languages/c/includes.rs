//! Include graph: a file sees the files that it includes, transitively.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::{
    family::Family,
    languages::c::public_headers::{included_path, own_folder},
    paths::{folder, join},
    program::{FileIdx, Program},
};

/// Maximum size of the transitive closure of one file. Large real translation units include a few thousand files.
const MAX_CLOSURE: usize = 20_000;

/// The include graph of a program.
pub(super) struct Includes {
    /// The direct includes of each file, by index of the import.
    direct: Vec<Vec<Option<FileIdx>>>,
    /// The sorted transitive closure of each file, including itself; computed lazily.
    closures: Vec<OnceLock<Vec<FileIdx>>>,
    /// The first file of each repository that the closure of a file reaches, ascending; computed lazily.
    repositories: Vec<OnceLock<Box<[FileIdx]>>>,
}

impl Includes {
    /// Resolves each include to the nearest file of its repository whose path ends with the included path, otherwise to a public header
    /// of another one.
    pub(super) fn of(program: &Program<'_>) -> Includes {
        let mut by_name: FxHashMap<&str, Vec<FileIdx>> = FxHashMap::default();
        let files = || program.file_indices().filter(|file| Family::of(program.language(*file)) == Family::C);
        for file in files() {
            by_name.entry(base_name(program.path(file))).or_default().push(file);
        }
        let mut direct = vec![Vec::new(); program.n_files()];
        for file in files() {
            let imports = program.facts(file).imports.iter();
            let found = imports.map(|import| match import.name.is_empty() {
                true => resolve_include(program, &by_name, file, &import.module),
                false => None,
            });
            direct[file.0 as usize] = found.collect();
        }
        let closures = (0..program.n_files()).map(|_| OnceLock::new()).collect();
        let repositories = (0..program.n_files()).map(|_| OnceLock::new()).collect();
        Includes { direct, closures, repositories }
    }

    /// Returns the file that an include resolves to.
    pub(super) fn target(&self, file: FileIdx, import: usize) -> Option<FileIdx> {
        *self.direct.get(file.0 as usize)?.get(import)?
    }

    /// Returns true if the definitions of one file are visible in another.
    pub(super) fn is_visible(&self, file: FileIdx, other: FileIdx) -> bool {
        file == other || self.closure(file).binary_search(&other).is_ok()
    }

    /// Returns true if a file is in the repository of another one, or in one of which that file includes a header.
    pub(super) fn reaches_repository_of(&self, program: &Program<'_>, file: FileIdx, other: FileIdx) -> bool {
        let root = program.root_of_file(other);
        if root == program.root_of_file(file) {
            return true;
        }
        let firsts = self.repositories[file.0 as usize].get_or_init(|| {
            let mut firsts = self.closure(file).to_vec();
            // The files of a repository follow each other.
            firsts.dedup_by_key(|one| program.root_of_file(*one));
            firsts.into()
        });
        firsts.iter().any(|first| program.root_of_file(*first) == root)
    }

    /// Returns the transitive closure of the includes of a file.
    pub(super) fn closure(&self, file: FileIdx) -> &[FileIdx] {
        self.closures[file.0 as usize].get_or_init(|| {
            let mut seen = rustc_hash::FxHashSet::default();
            let mut pending = vec![file];
            while let Some(one) = pending.pop() {
                if seen.len() < MAX_CLOSURE && seen.insert(one) {
                    pending.extend(self.direct[one.0 as usize].iter().flatten());
                }
            }
            let mut closure: Vec<FileIdx> = seen.into_iter().collect();
            closure.sort_unstable();
            closure
        })
    }
}

/// Resolves an include directive to a file.
fn resolve_include(
    program: &Program<'_>,
    by_name: &FxHashMap<&str, Vec<FileIdx>>,
    from: FileIdx,
    written: &str,
) -> Option<FileIdx> {
    let from_path = program.path(from);
    if let Some(file) = program.relative_path(from, written).and_then(|path| program.file_at(&path)) {
        return Some(file);
    }
    let tail = written.trim_start_matches(['.', '/']);
    let same_name = by_name.get(base_name(tail))?;
    let root = program.root_of_file(from);
    let is_own = |file: &FileIdx| program.root_of_file(*file) == root;
    let ends_alike = same_name.iter().copied().filter(is_own).filter(|file| {
        let path = program.path(*file);
        path.strip_suffix(tail).is_some_and(|before| before.is_empty() || before.ends_with('/'))
    });
    // Prefers the longest shared folder path, then the shallowest path, then the first file.
    let own = ends_alike.max_by_key(|file| {
        let path = program.path(*file);
        (n_shared(from_path, path), std::cmp::Reverse(path.matches('/').count()), std::cmp::Reverse(*file))
    });
    own.or_else(|| public_header(program, same_name.iter().copied().filter(|file| !is_own(file)), tail))
}

/// Returns the public header of another repository that an include names; `None` if several repositories have it.
fn public_header(program: &Program<'_>, same_name: impl Iterator<Item = FileIdx>, written: &str) -> Option<FileIdx> {
    let same_name: Vec<FileIdx> = same_name.collect();
    let filter = |is_meant: &dyn Fn(FileIdx) -> bool| -> Vec<FileIdx> {
        same_name.iter().copied().filter(|file| is_meant(*file)).collect()
    };
    let by_path = filter(&|file| included_path(path_in_repository(program, file)) == Some(written));
    let named = match by_path.is_empty() {
        true => filter(&|file| is_in_own_folder(program, file, written)),
        false => by_path,
    };
    let nearest = named.iter().copied().min_by_key(|file| (program.path(*file).matches('/').count(), *file))?;
    let has_rival = named.iter().any(|file| program.root_of_file(*file) != program.root_of_file(nearest));
    (!has_rival).then_some(nearest)
}

/// Returns true if an include names a header below a folder that has the name of a header where public paths begin.
fn is_in_own_folder(program: &Program<'_>, file: FileIdx, written: &str) -> bool {
    let included = included_path(path_in_repository(program, file));
    let Some((lead, name)) = written.split_once('/').filter(|(_, name)| included == Some(*name)) else { return false };
    let above = program.path(file).strip_suffix(name).unwrap_or_default();
    let beside = |extension: &str| join(above, &format!("{lead}.{extension}"));
    own_folder(name).is_some_and(|stem| stem.eq_ignore_ascii_case(lead))
        || ["h", "hpp"].into_iter().filter_map(beside).any(|path| program.file_at(&path).is_some())
}

fn path_in_repository<'p>(program: &'p Program<'_>, file: FileIdx) -> &'p str {
    &program.path(file)[program.root_of_file(file).len()..]
}

fn base_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Returns the number of leading folders that two paths share.
pub(super) fn n_shared(a: &str, b: &str) -> usize {
    folder(a).split('/').zip(folder(b).split('/')).take_while(|(a, b)| a == b && !a.is_empty()).count()
}
