//! Files of the previous generation that need not be linked again.

use graph::{FileIdx, InterfaceHash, Node, PreviousFile, Program, Reuse};
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
pub fn reuse(
    program: &Program<'_>,
    interfaces: &[InterfaceHash],
    is_same: &[bool],
    previous: &[PreviousLinkedFile],
) -> Vec<Option<LinkedFile>> {
    let files: Vec<&PreviousFile> = previous.iter().map(|file| &file.file).collect();
    let reuse = Reuse::new(program, interfaces, &files);
    let may_use_rpcs = may_use_rpcs(program);
    let is_first_of_rpcs = may_use_rpcs && !used_rpcs(program, is_same, previous);
    let files: Vec<FileIdx> = program.file_indices().collect();
    let reused = files.into_par_iter().map(|file| {
        let (index, resolved) = reuse.file(file, is_same[file.0 as usize])?;
        let has_stale_rpcs = !may_use_rpcs && has_rpcs(&previous[index].contracts);
        if is_first_of_rpcs || has_stale_rpcs {
            return None;
        }
        let contracts = renumber(&previous[index].contracts, |node| reuse.node(node))?;
        Some(LinkedFile { resolved, contracts })
    });
    reused.collect()
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
fn renumber(before: &FileContracts, number: impl Fn(Node) -> Option<Node>) -> Option<FileContracts> {
    let mut contracts = before.clone();
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
