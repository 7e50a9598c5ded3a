//! Communities of files with their labels and cohesion.

use std::collections::BTreeMap;

use super::{NodeEdge, NodeNumbers, is_certain, weight};
use crate::{
    communities::{communities, sum_by_pair},
    program::{FileIdx, Program},
};

/// Maximum number of definition names in a label.
const N_LABEL_NAMES: usize = 2;

/// A group of files with more edges between each other than to other files.
#[derive(Debug, Clone, PartialEq)]
pub struct Community {
    /// The folder of most of its files, and its most important definitions.
    pub label: String,
    /// The number of files.
    pub n_files: u32,
    /// The share of edge weight within the community, in [0, 1]; 1 if there are no edges.
    pub cohesion: f32,
}

pub(super) struct Grouping {
    pub(super) community_of: Vec<u32>,
    pub(super) communities: Vec<Community>,
}

/// Groups files by the edges between their definitions.
pub(super) fn group(program: &Program<'_>, numbers: &NodeNumbers, edges: &[NodeEdge], importance: &[f32]) -> Grouping {
    let certain = edges.iter().filter(|edge| is_certain(edge)).filter_map(|edge| {
        let (from, to) = (numbers.file(program, edge.from)?, numbers.file(program, edge.to)?);
        let (_, _, weight) = weight(edge).filter(|_| from != to)?;
        Some((from.0, to.0, f64::from(weight)))
    });
    let between = sum_by_pair(certain);
    let community_of = communities(program.n_files(), &between);
    let n_communities = community_of.iter().max().map_or(0, |last| *last as usize + 1);

    let mut within = vec![0f64; n_communities];
    let mut across = vec![0f64; n_communities];
    for (a, b, weight) in &between {
        let (a, b) = (community_of[*a as usize] as usize, community_of[*b as usize] as usize);
        if a == b {
            within[a] += weight;
        } else {
            across[a] += weight;
            across[b] += weight;
        }
    }
    let mut members: Vec<Vec<FileIdx>> = vec![Vec::new(); n_communities];
    for file in program.file_indices() {
        members[community_of[file.0 as usize] as usize].push(file);
    }
    let communities = members
        .iter()
        .enumerate()
        .map(|(community, files)| {
            let total = within[community] + across[community];
            Community {
                label: label(program, files, importance),
                n_files: files.len() as u32,
                cohesion: if total == 0.0 { 1.0 } else { (within[community] / total) as f32 },
            }
        })
        .collect();
    Grouping { community_of, communities }
}

/// Returns the label of a community: the folder of most of its files, and its most important definitions.
fn label(program: &Program<'_>, files: &[FileIdx], importance: &[f32]) -> String {
    let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
    for file in files {
        let path = program.path(*file);
        *folders.entry(path.rsplit_once('/').map_or("", |(folder, _)| folder)).or_default() += 1;
    }
    let folder = folders.iter().max_by(|a, b| a.1.cmp(b.1).then(b.0.cmp(a.0))).map_or("", |(folder, _)| *folder);
    let mut symbols: Vec<_> = files.iter().flat_map(|file| program.symbols_of(*file)).collect();
    symbols.retain(|symbol| program.definition(*symbol).container.is_empty());
    symbols.sort_by(|a, b| {
        let rank = |symbol: &crate::SymbolIdx| importance.get(symbol.0 as usize).copied().unwrap_or_default();
        rank(b).total_cmp(&rank(a)).then(a.cmp(b))
    });
    let mut names: Vec<&str> = Vec::new();
    for symbol in symbols {
        let name = program.definition(symbol).name.as_str();
        if !names.contains(&name) {
            names.push(name);
        }
        if names.len() == N_LABEL_NAMES {
            break;
        }
    }
    match (folder, names.join(", ")) {
        ("", names) => names,
        (folder, names) if names.is_empty() => folder.to_owned(),
        (folder, names) => format!("{folder}: {names}"),
    }
}
