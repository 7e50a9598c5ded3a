//! What a generation offers to other repositories and takes from them.

use ::graph::ContractKind;
use rkyv::rend::u32_le;

use super::records::{ArchivedOfferRecord, ArchivedUseRecord};
use crate::Snapshot;

/// Something that others may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferView {
    pub kind: ContractKind,
    pub key: String,
    pub node: u32,
    pub path: String,
    pub line: u32,
}

/// Something that is used and not defined here.
#[derive(Debug, Clone, PartialEq)]
pub struct UseView {
    pub kind: ContractKind,
    pub key: String,
    pub member: String,
    pub node: u32,
    pub path: String,
    pub line: u32,
    pub confidence: f32,
    pub n_sites: u32,
    /// It answers what is offered, rather than uses it.
    pub serves: bool,
}

/// How many names deep a use may lie in what is offered: `module::Type.CONSTANT.method`.
const MAX_HOLDERS: usize = 3;

/// Returns the name without its last part.
fn holder(member: &str) -> Option<&str> {
    let end = member.rfind(['.', ':'])?;
    Some(member[..end].trim_end_matches(':')).filter(|rest| !rest.is_empty())
}

impl Snapshot {
    /// Returns what this repository offers, names of packages aside: those are found with `locate`.
    pub fn offers(&self) -> impl Iterator<Item = OfferView> {
        let is_found_by_asking = |kind: u8| ContractKind::from_index(kind) == Some(ContractKind::PackageSymbol);
        let offers = self.graph().offers.iter().filter(move |offer| !is_found_by_asking(offer.kind));
        offers.map(|offer| self.offer_view(offer))
    }

    /// Returns what this repository takes from others.
    pub fn uses(&self) -> impl Iterator<Item = UseView> {
        self.graph().uses.iter().map(|one| self.use_view(one))
    }

    /// Finds a name of a package of this repository: the definition, else that of what it is a part of (a method that a
    /// macro writes, a variant, an attribute of a value), else nothing.
    pub fn locate(&self, package: &str, member: &str) -> Option<OfferView> {
        let holders = std::iter::successors(holder(member), |member| holder(member)).take(MAX_HOLDERS);
        // A type that is passed on from another repository is offered by the file that does so; a module holds no uses.
        let holds = |offer: &&ArchivedOfferRecord| {
            let last = self.graph().name(offer.member).rsplit(['.', ':']).next().unwrap_or_default();
            offer.node.to_native() < self.graph().n_symbols.to_native() || last.starts_with(char::is_uppercase)
        };
        let mut of_holders = holders.filter_map(|holder| self.offered(package, holder).filter(holds));
        self.offered(package, member).or_else(|| of_holders.next()).map(|offer| self.offer_view(offer))
    }

    fn offered(&self, package: &str, member: &str) -> Option<&ArchivedOfferRecord> {
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
            node: offer.node.to_native(),
            // A name may be passed on by another file than the one that defines it.
            path: self.file_of_node(offer.node.to_native()).map_or_else(String::new, |file| self.path_of(file as u32)),
            line: offer.line.to_native(),
        }
    }

    fn use_view(&self, one: &ArchivedUseRecord) -> UseView {
        UseView {
            kind: ContractKind::from_index(one.kind).unwrap_or(ContractKind::Package),
            key: self.graph().name(one.key).to_owned(),
            member: self.graph().name(one.member).to_owned(),
            node: one.node.to_native(),
            path: self.path_of(one.file.to_native()),
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
