//! Which files see which: a file sees what it includes, and what that includes.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use crate::{
    dialect::Family,
    paths::{folder, join},
    program::{FileIdx, Program},
};

/// The most files that one file is looked up to include. The largest units of the field include a few thousand.
const MAX_CLOSURE: usize = 20_000;

/// The includes of a program.
pub(super) struct Includes {
    /// By file: the files that it includes itself, by number of the import.
    direct: Vec<Vec<Option<FileIdx>>>,
    /// By file: itself and all that it includes, sorted; filled when it is asked for.
    closures: Vec<OnceLock<Vec<FileIdx>>>,
}

impl Includes {
    /// Finds the file that each include means: the one whose path ends like it and that lies nearest.
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
                true => included(program, &by_name, file, &import.module),
                false => None,
            });
            direct[file.0 as usize] = found.collect();
        }
        let closures = (0..program.n_files()).map(|_| OnceLock::new()).collect();
        Includes { direct, closures }
    }

    /// Returns the file that an import of a file means.
    pub(super) fn target(&self, file: FileIdx, import: usize) -> Option<FileIdx> {
        *self.direct.get(file.0 as usize)?.get(import)?
    }

    /// Says whether one file sees what stands in another.
    pub(super) fn sees(&self, file: FileIdx, other: FileIdx) -> bool {
        file == other || self.closure(file).binary_search(&other).is_ok()
    }

    fn closure(&self, file: FileIdx) -> &[FileIdx] {
        self.closures[file.0 as usize].get_or_init(|| {
            let mut seen = rustc_hash::FxHashSet::default();
            let mut open = vec![file];
            while let Some(one) = open.pop() {
                if seen.len() < MAX_CLOSURE && seen.insert(one) {
                    open.extend(self.direct[one.0 as usize].iter().flatten());
                }
            }
            let mut closure: Vec<FileIdx> = seen.into_iter().collect();
            closure.sort_unstable();
            closure
        })
    }
}

/// Returns the file that an include means.
fn included(
    program: &Program<'_>,
    by_name: &FxHashMap<&str, Vec<FileIdx>>,
    from: FileIdx,
    written: &str,
) -> Option<FileIdx> {
    let from_path = program.path(from);
    let beside = join(folder(from_path), written);
    if let Some(file) = beside.as_deref().and_then(|path| program.file_at(path)) {
        return Some(file);
    }
    let tail = written.trim_start_matches(['.', '/']);
    let same_name = by_name.get(base_name(tail))?;
    let ends_alike = same_name.iter().copied().filter(|file| {
        let path = program.path(*file);
        path.strip_suffix(tail).is_some_and(|before| before.is_empty() || before.ends_with('/'))
    });
    // The nearest, then the one that is least deep, then the first.
    ends_alike.max_by_key(|file| {
        let path = program.path(*file);
        (n_shared(from_path, path), std::cmp::Reverse(path.matches('/').count()), std::cmp::Reverse(*file))
    })
}

fn base_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Returns how many folders two paths share from the top.
pub(super) fn n_shared(a: &str, b: &str) -> usize {
    folder(a).split('/').zip(folder(b).split('/')).take_while(|(a, b)| a == b && !a.is_empty()).count()
}
