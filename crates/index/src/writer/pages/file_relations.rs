//! Uses between files, counted for the pages of a generation.

use ::graph::{CERTAIN, EdgeKind};
use links::{ContractKind, ContractUse};
use model::FileClass;

use crate::{
    records::tables::{FileRecord, Tables},
    writer::graph::NewGraph,
};

/// A number of relations between a file and another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FileRelation {
    pub(super) file: u32,
    pub(super) other: u32,
    pub(super) count: u32,
}

/// Use counts of symbols, and relations between files.
pub(super) struct FileRelations<'a> {
    /// By symbol: number of definitions and files that use it, in other files.
    pub(super) uses: Vec<u32>,
    /// By symbol: number of definitions and files that use it, in other folders.
    pub(super) cross_folder_uses: Vec<u32>,
    /// Files with the files that they use, sorted by file.
    pub(super) depends_on: Vec<FileRelation>,
    /// Files with the files that use them, sorted by file.
    pub(super) used_by: Vec<FileRelation>,
    /// Files with the documents that mention their definitions, sorted by file.
    pub(super) documented_in: Vec<FileRelation>,
    /// By file: external packages with their number of use sites, sorted by name.
    pub(super) packages: Vec<Vec<(&'a str, u32)>>,
}

impl<'a> FileRelations<'a> {
    pub(super) fn new(tables: &'a Tables, graph: &NewGraph<'a>) -> FileRelations<'a> {
        let structure = graph.structure;
        let file_of = |node: u32| match tables.symbols.get(node as usize) {
            Some(symbol) => Some(symbol.file),
            None => Some(node - structure.n_symbols).filter(|file| *file < structure.n_files),
        };
        let folders = folder_numbers(&tables.files);
        let mut relations = FileRelations {
            uses: vec![0; tables.symbols.len()],
            cross_folder_uses: vec![0; tables.symbols.len()],
            depends_on: Vec::new(),
            used_by: Vec::new(),
            documented_in: Vec::new(),
            packages: graph.files.iter().map(|file| packages(&file.contracts.uses)).collect(),
        };
        for edge in structure.edges.iter().filter(|edge| edge.resolution.confidence() >= CERTAIN) {
            let (Some(from), Some(to)) = (file_of(edge.from.0), file_of(edge.to.0)) else { continue };
            if from == to
                || matches!(edge.kind, EdgeKind::Defines | EdgeKind::Tests | EdgeKind::Handles | EdgeKind::Dispatch)
            {
                continue;
            }
            if edge.kind == EdgeKind::Documents {
                relations.documented_in.push(FileRelation { file: to, other: from, count: edge.n_sites });
                continue;
            }
            if let Some(uses) = relations.uses.get_mut(edge.to.0 as usize) {
                *uses += 1;
                relations.cross_folder_uses[edge.to.0 as usize] +=
                    u32::from(folders[from as usize] != folders[to as usize]);
            }
            relations.depends_on.push(FileRelation { file: from, other: to, count: edge.n_sites });
        }
        relations.depends_on = sum_by_files(relations.depends_on);
        relations.documented_in = sum_by_files(relations.documented_in);
        let reversed = |pair: &FileRelation| FileRelation { file: pair.other, other: pair.file, count: pair.count };
        relations.used_by = relations.depends_on.iter().map(reversed).collect();
        relations.used_by.sort_unstable();
        relations
    }
}

/// Returns the relations of a file, given all relations sorted by file.
pub(super) fn of_file(pairs: &[FileRelation], file: u32) -> &[FileRelation] {
    let start = pairs.partition_point(|pair| pair.file < file);
    let n_pairs = pairs[start..].partition_point(|pair| pair.file == file);
    &pairs[start..start + n_pairs]
}

/// Merges relations of equal files, and sorts them.
fn sum_by_files(mut pairs: Vec<FileRelation>) -> Vec<FileRelation> {
    pairs.sort_unstable();
    pairs.dedup_by(|next, first| {
        let is_same = (next.file, next.other) == (first.file, first.other);
        first.count += if is_same { next.count } else { 0 };
        is_same
    });
    pairs
}

/// Returns a number for each file that is equal within a folder.
fn folder_numbers(files: &[FileRecord]) -> Vec<u32> {
    let mut numbers = Vec::with_capacity(files.len());
    let mut seen = rustc_hash::FxHashMap::default();
    for file in files {
        let next = seen.len() as u32;
        numbers.push(*seen.entry(folder(&file.path)).or_insert(next));
    }
    numbers
}

/// Returns the used packages, without ecosystem, with their number of use sites.
fn packages(uses: &[ContractUse]) -> Vec<(&str, u32)> {
    let of_packages = uses.iter().filter(|one| matches!(one.kind, ContractKind::Package | ContractKind::PackageSymbol));
    let mut packages: Vec<(&str, u32)> = of_packages.map(|one| (without_ecosystem(&one.key), one.n_sites)).collect();
    // A template variable of the build is not a package name.
    packages.retain(|(name, _)| !name.contains("${"));
    packages.sort_unstable();
    packages.dedup_by(|next, first| {
        let is_same = next.0 == first.0;
        first.1 += if is_same { next.1 } else { 0 };
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

/// Returns the class of a file.
pub(super) fn class(file: &FileRecord) -> FileClass {
    FileClass::from_index(file.class).unwrap_or(FileClass::Source)
}
