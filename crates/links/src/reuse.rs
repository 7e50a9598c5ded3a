//! Files of the previous generation that need not be linked again.

use graph::{DefinitionNames, FileIdx, InterfaceHash, Node, PreviousFile, Program, Renumbering, Reuse};
use rayon::prelude::*;

use crate::{
    contract::{ContractKind, FileContracts},
    contracts::{may_use_rpcs, names_rpcs},
    linked_file::LinkedFile,
};

/// A file of the previous generation with its contracts, in the numbers of that generation.
#[derive(Debug, Clone, PartialEq)]
pub struct PreviousLinkedFile {
    /// The file and its edges.
    pub file: PreviousFile,
    /// Its contracts.
    pub contracts: FileContracts,
}

/// Returns for each file its edges and contracts of the previous generation, with the numbers of this program; `None` for a file
/// that must be linked again.
///
/// `interfaces` and `is_same` are by file: its current interface, and true if its bytes equal those of the previous generation.
/// `names_of` returns the definitions that a file of the previous generation had.
pub fn reuse(
    program: &Program<'_>,
    interfaces: &[InterfaceHash],
    is_same: &[bool],
    previous: Vec<PreviousLinkedFile>,
    names_of: &dyn Fn(usize) -> DefinitionNames,
) -> Vec<Option<LinkedFile>> {
    let (indices, renumbering) = reusable(program, interfaces, is_same, &previous, names_of);
    let mut previous: Vec<Option<PreviousLinkedFile>> = previous.into_iter().map(Some).collect();
    let moved: Vec<Option<PreviousLinkedFile>> = indices.into_iter().map(|index| previous[index?].take()).collect();
    let renumbered = moved.into_par_iter().map(|before| {
        let PreviousLinkedFile { file, contracts } = before?;
        let resolved = renumbering.resolved(file.resolved)?;
        Some(LinkedFile { resolved, contracts: renumber(contracts, |node| renumbering.node(node))? })
    });
    renumbered.collect()
}

/// Returns for each file the index of its links in the previous generation, if they are still valid.
fn reusable(
    program: &Program<'_>,
    interfaces: &[InterfaceHash],
    is_same: &[bool],
    previous: &[PreviousLinkedFile],
    names_of: &dyn Fn(usize) -> DefinitionNames,
) -> (Vec<Option<usize>>, Renumbering) {
    let files: Vec<&PreviousFile> = previous.iter().map(|file| &file.file).collect();
    let reuse = Reuse::new(program, interfaces, &files, names_of);
    let may_use_rpcs = may_use_rpcs(program);
    let is_first_of_rpcs = may_use_rpcs && !used_rpcs(program, is_same, previous);
    let files_of_program: Vec<FileIdx> = program.file_indices().collect();
    let indices = files_of_program.into_par_iter().map(|file| {
        let index = reuse.reusable(file, is_same[file.0 as usize])?;
        let has_stale_rpcs = !may_use_rpcs && has_rpcs(&previous[index].contracts);
        (!is_first_of_rpcs && !has_stale_rpcs).then_some(index)
    });
    let indices = indices.collect();
    (indices, reuse.into_renumbering())
}

/// Returns true if the files of the previous generation were searched for rpcs, which no file is before the first one names them.
fn used_rpcs(program: &Program<'_>, is_same: &[bool], previous: &[PreviousLinkedFile]) -> bool {
    previous.iter().any(|file| has_rpcs(&file.contracts))
        || program.file_indices().any(|file| is_same[file.0 as usize] && names_rpcs(program, file))
}

fn has_rpcs(contracts: &FileContracts) -> bool {
    let is_rpc = |kind: ContractKind| kind == ContractKind::Grpc;
    contracts.uses.iter().any(|used| is_rpc(used.kind)) || contracts.offers.iter().any(|offer| is_rpc(offer.kind))
}

/// Returns contracts with new node numbers; `None` if one of their nodes is gone.
fn renumber(mut contracts: FileContracts, number: impl Fn(Node) -> Option<Node>) -> Option<FileContracts> {
    for offer in &mut contracts.offers {
        offer.node = number(offer.node)?;
    }
    for used in &mut contracts.uses {
        used.node = number(used.node)?;
    }
    for route in &mut contracts.routes {
        route.handler = match route.handler {
            Some(handler) => Some(number(handler)?),
            None => None,
        };
    }
    Some(contracts)
}
