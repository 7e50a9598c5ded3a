//! Contracts: what a repository offers to others, and what it takes from them.

use crate::{infer::Inference, program::FileIdx, resolve::Node};

/// What kind of border a contract crosses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContractKind {
    /// A package as a whole.
    Package,
    /// A name of a package.
    PackageSymbol,
    /// A service, rpc or message of protobuf.
    Grpc,
    /// An HTTP route and those who call it.
    Http,
}

impl ContractKind {
    /// Returns the kind with this number, in the order of declaration, which is also the number on disk.
    pub fn from_index(index: u8) -> Option<ContractKind> {
        use ContractKind::*;
        [Package, PackageSymbol, Grpc, Http].get(index as usize).copied()
    }
}

/// What one file says of contracts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Contracts {
    pub offers: Vec<Offer>,
    pub uses: Vec<Use>,
    pub routes: Vec<Route>,
}

/// Something that others may use.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Offer {
    pub kind: ContractKind,
    /// What both sides call it; of a package symbol the key of the package.
    pub key: String,
    /// Of a package symbol: its name within the package, `module.path::Name`; empty otherwise.
    pub member: String,
    pub node: Node,
    pub line: u32,
}

/// Something that is used and not defined in the repository.
#[derive(Debug, Clone, PartialEq)]
pub struct Use {
    pub kind: ContractKind,
    pub key: String,
    pub member: String,
    /// The innermost definition around the use.
    pub node: Node,
    pub line: u32,
    /// How sure it is that this is meant, in (0, 1].
    pub confidence: f32,
    pub n_sites: u32,
    /// Of an rpc or a service: this definition answers it, rather than calls it.
    pub serves: bool,
}

/// An HTTP route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// `GET` and the like; `*` where any is answered.
    pub method: String,
    /// With `{name}` for what varies.
    pub path: String,
    pub line: u32,
    pub handler: Option<Node>,
}

/// Reads the contracts of one file.
pub(crate) fn contracts(_cx: &mut Inference<'_>, _file: FileIdx) -> Contracts {
    Contracts::default()
}
