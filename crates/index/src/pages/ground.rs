//! Who uses whom between the files of a repository that is being sealed.

use ::graph::{CERTAIN, ContractKind, EdgeKind};
use model::FileClass;

use crate::{
    NewGraph,
    table::{FileRecord, Tables},
};

/// One file and another, and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pair {
    pub(super) of: u32,
    pub(super) other: u32,
    pub(super) count: u32,
}

/// What is counted once, and told on many pages.
pub(super) struct Ground<'a> {
    /// By symbol: definitions and files that use it, from other files.
    pub(super) uses: Vec<u32>,
    /// By symbol: those of other folders.
    pub(super) far_uses: Vec<u32>,
    /// Files and those that they use, by file.
    pub(super) depends_on: Vec<Pair>,
    /// Files and those that use them, by file.
    pub(super) used_by: Vec<Pair>,
    /// Files and the documents that name what they define, by file.
    pub(super) documented_in: Vec<Pair>,
    /// By file: packages of others that it uses, and how often, by name.
    pub(super) packages: Vec<Vec<(&'a str, u32)>>,
}

impl<'a> Ground<'a> {
    pub(super) fn new(tables: &'a Tables, graph: &NewGraph<'a>) -> Ground<'a> {
        let structure = graph.structure;
        let file_of = |node: u32| match tables.symbols.get(node as usize) {
            Some(symbol) => Some(symbol.file),
            None => Some(node - structure.n_symbols).filter(|file| *file < structure.n_files),
        };
        let folders = folder_numbers(&tables.files);
        let mut ground = Ground {
            uses: vec![0; tables.symbols.len()],
            far_uses: vec![0; tables.symbols.len()],
            depends_on: Vec::new(),
            used_by: Vec::new(),
            documented_in: Vec::new(),
            packages: graph.resolved.iter().map(|resolved| packages(&resolved.contracts.uses)).collect(),
        };
        for edge in structure.edges.iter().filter(|edge| edge.resolution.confidence() >= CERTAIN) {
            let (Some(from), Some(to)) = (file_of(edge.from.0), file_of(edge.to.0)) else { continue };
            if from == to || matches!(edge.kind, EdgeKind::Defines | EdgeKind::Tests | EdgeKind::Handles) {
                continue;
            }
            if edge.kind == EdgeKind::Documents {
                ground.documented_in.push(Pair { of: to, other: from, count: edge.n_sites });
                continue;
            }
            if let Some(uses) = ground.uses.get_mut(edge.to.0 as usize) {
                *uses += 1;
                ground.far_uses[edge.to.0 as usize] += u32::from(folders[from as usize] != folders[to as usize]);
            }
            ground.depends_on.push(Pair { of: from, other: to, count: edge.n_sites });
        }
        ground.depends_on = summed(ground.depends_on);
        ground.documented_in = summed(ground.documented_in);
        let turned = |pair: &Pair| Pair { of: pair.other, other: pair.of, count: pair.count };
        ground.used_by = ground.depends_on.iter().map(turned).collect();
        ground.used_by.sort_unstable();
        ground
    }
}

/// Returns the pairs of a file among pairs that are sorted by it.
pub(super) fn of_file(pairs: &[Pair], file: u32) -> &[Pair] {
    let start = pairs.partition_point(|pair| pair.of < file);
    let n_pairs = pairs[start..].partition_point(|pair| pair.of == file);
    &pairs[start..start + n_pairs]
}

fn summed(mut pairs: Vec<Pair>) -> Vec<Pair> {
    pairs.sort_unstable();
    pairs.dedup_by(|next, kept| {
        let is_same = (next.of, next.other) == (kept.of, kept.other);
        kept.count += if is_same { next.count } else { 0 };
        is_same
    });
    pairs
}

/// Returns by file a number that files of one folder share.
fn folder_numbers(files: &[FileRecord]) -> Vec<u32> {
    let mut numbers = Vec::with_capacity(files.len());
    let mut seen = rustc_hash::FxHashMap::default();
    for file in files {
        let next = seen.len() as u32;
        numbers.push(*seen.entry(folder(&file.path)).or_insert(next));
    }
    numbers
}

/// Returns the packages that uses name, without their ecosystems.
fn packages(uses: &[::graph::Use]) -> Vec<(&str, u32)> {
    let of_packages = uses.iter().filter(|one| matches!(one.kind, ContractKind::Package | ContractKind::PackageSymbol));
    let mut packages: Vec<(&str, u32)> = of_packages.map(|one| (without_ecosystem(&one.key), one.n_sites)).collect();
    // What a build fills in is no name.
    packages.retain(|(name, _)| !name.contains("${"));
    packages.sort_unstable();
    packages.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        kept.1 += if is_same { next.1 } else { 0 };
        is_same
    });
    packages
}

/// Returns the name of a package: `flask` of `pypi:flask`.
pub(super) fn without_ecosystem(key: &str) -> &str {
    key.split_once(':').map_or(key, |(_, name)| name)
}

/// Returns the folder of a path; empty for the root.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

pub(super) fn class(file: &FileRecord) -> FileClass {
    FileClass::from_index(file.class).unwrap_or(FileClass::Source)
}
