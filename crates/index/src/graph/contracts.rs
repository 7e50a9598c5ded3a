//! The contracts of a repository: offers to other repositories, and uses of theirs.

use links::ContractKind;
use rkyv::rend::u32_le;

use crate::{
    records::graph::{ArchivedOfferRecord, ArchivedUseRecord},
    snapshot::Snapshot,
};

/// A contract that other repositories can use: a package, a route, an RPC, ...
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferView {
    /// Kind of the contract.
    pub kind: ContractKind,
    /// The name that offer and use share.
    pub key: String,
    /// The workload of a host, the image of a workload, the folder of an image, or the name of a package member.
    pub member: String,
    /// The offering node.
    pub node: u32,
    /// Path of the file of that node.
    pub path: String,
    /// Line of the declaration.
    pub line: u32,
}

/// A use of a contract that another repository may offer.
#[derive(Debug, Clone, PartialEq)]
pub struct UseView {
    /// Kind of the contract.
    pub kind: ContractKind,
    /// The name that offer and use share.
    pub key: String,
    /// The used member of a package; empty for other kinds.
    pub member: String,
    /// The using node.
    pub node: u32,
    /// Path of the using file.
    pub path: String,
    /// Line of the first use site.
    pub line: u32,
    /// From 0 to 1.
    pub confidence: f32,
    /// Number of use sites.
    pub n_sites: u32,
    /// True if the node implements the offered contract rather than calls it.
    pub serves: bool,
}

/// Maximum number of constants of topics of a repository. They are many, and other offers count more.
const MAX_CONSTANTS: usize = 10_000;

/// Maximum nesting of a used member below an offered one: `module::Type.CONSTANT.method`.
const MAX_ENCLOSING_MEMBERS: usize = 3;

/// Returns the qualified name without its last part.
fn enclosing_member(member: &str) -> Option<&str> {
    let end = member.rfind(['.', ':'])?;
    Some(member[..end].trim_end_matches(':')).filter(|rest| !rest.is_empty())
}

impl Snapshot {
    /// Returns the offers of this repository but members of packages, which `find_package_member` looks up, and the constants beyond the
    /// maximum.
    pub fn offers(&self) -> impl Iterator<Item = OfferView> {
        let is_package_member = |kind: u8| ContractKind::from_index(kind) == Some(ContractKind::PackageSymbol);
        let offers = self.graph().offers.iter().filter(move |offer| !is_package_member(offer.kind));
        let mut n_constants = 0;
        let is_kept = move |offer: &OfferView| {
            let is_constant = offer.kind.is_constant(&offer.key);
            n_constants += usize::from(is_constant);
            !is_constant || n_constants <= MAX_CONSTANTS
        };
        offers.map(|offer| self.offer_view(offer)).filter(is_kept)
    }

    /// Returns the uses of contracts of other repositories.
    pub fn uses(&self) -> impl Iterator<Item = UseView> {
        self.graph().uses.iter().map(|one| self.use_view(one))
    }

    /// Finds a member of a package of this repository. If it has no definition, as a method from a macro, a variant or an
    /// attribute of a value, returns the enclosing definition.
    pub fn find_package_member(&self, package: &str, member: &str) -> Option<OfferView> {
        let enclosing = std::iter::successors(enclosing_member(member), |member| enclosing_member(member));
        // A type that is re-exported from another repository is offered by the re-exporting file. A module is no type.
        let is_definition = |offer: &&ArchivedOfferRecord| {
            let last = self.graph().name(offer.member).rsplit(['.', ':']).next().unwrap_or_default();
            offer.node.to_native() < self.graph().n_symbols.to_native() || last.starts_with(char::is_uppercase)
        };
        let mut enclosing_offers = enclosing
            .take(MAX_ENCLOSING_MEMBERS)
            .filter_map(|member| self.find_offer(package, member).filter(is_definition));
        self.find_offer(package, member).or_else(|| enclosing_offers.next()).map(|offer| self.offer_view(offer))
    }

    fn find_offer(&self, package: &str, member: &str) -> Option<&ArchivedOfferRecord> {
        let graph = self.graph();
        let name =
            |name: &str| graph.names.binary_search_by(|other| other.as_str().cmp(name)).ok().map(|idx| idx as u32);
        let (key, member) = (name(package)?, name(member)?);
        let name_of = |offer: &ArchivedOfferRecord| (offer.key.to_native(), offer.member.to_native());
        let offer = |index: &u32_le| &graph.offers[index.to_native() as usize];
        let at = graph.members.partition_point(|index| name_of(offer(index)) < (key, member));
        graph.members.get(at).map(offer).filter(|offer| name_of(offer) == (key, member))
    }

    fn offer_view(&self, offer: &ArchivedOfferRecord) -> OfferView {
        OfferView {
            kind: ContractKind::from_index(offer.kind).unwrap_or(ContractKind::Package),
            key: self.graph().name(offer.key).to_owned(),
            member: self.graph().name(offer.member).to_owned(),
            node: offer.node.to_native(),
            // The file that re-exports a name may differ from the file that defines it.
            path: self.file_of_node(offer.node.to_native()).map_or_else(String::new, |file| self.path_of(file as u32)),
            line: offer.line.to_native(),
        }
    }

    fn use_view(&self, one: &ArchivedUseRecord) -> UseView {
        let node = one.node.to_native();
        // A service may be registered in another file than that of the method that serves its rpc.
        let definition = self.tables().symbols.get(node as usize);
        let file = definition.map_or(one.file, |symbol| symbol.file).to_native();
        UseView {
            kind: ContractKind::from_index(one.kind).unwrap_or(ContractKind::Package),
            key: self.graph().name(one.key).to_owned(),
            member: self.graph().name(one.member).to_owned(),
            node,
            path: self.path_of(file),
            line: one.line.to_native(),
            confidence: one.confidence.to_native(),
            n_sites: one.n_sites.to_native(),
            serves: one.serves,
        }
    }

    fn path_of(&self, file_idx: u32) -> String {
        self.tables().files.get(file_idx as usize).map_or_else(String::new, |file| file.path.as_str().to_owned())
    }
}
