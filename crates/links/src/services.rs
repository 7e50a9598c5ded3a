//! Links between services: rpcs, requests, topics, tables and the settings of deployments.
//!
//! All repositories that a caller may read are joined at once, since the evidence for a link may be in a third one: a deployment
//! says which repository is behind the address that a variable gives to a client. Evidence decides: a link has a confidence of at
//! least [`CONFIRMED`] with evidence and of at most [`CANDIDATE`] without, and nothing is between them.

mod address;
mod config;
mod grpc;
mod http;
mod images;
mod named_contracts;
mod network;
mod service_name;
mod systems;
mod tables;
#[cfg(test)]
mod tests;
mod topics;
mod unlinked;

use std::collections::BTreeSet;

use crate::{
    contract::ContractKind,
    join::{ContractLink, ContractSite, ContractSurface, SurfaceUse},
    rules::LinkRules,
    shared_text::SharedText,
};

pub use address::{AddressPart, AddressTemplate};
pub use named_contracts::{ContractNames, NamedContract, named_contract};
pub use network::NetworkIndex;
pub use unlinked::{UnlinkedContract, UnlinkedReason, missing_evidence};

use network::Network;

/// Confidence of a link with evidence.
pub const CONFIRMED: f32 = 0.9;

/// Maximum confidence of a link without evidence.
pub const CANDIDATE: f32 = 0.4;

/// The end of the path that a proxy asks of a service if the rest of that of the request does not follow: `/health$`.
pub(crate) const END_OF_PATH: &str = "$";

/// Maximum number of links of all repositories; no reader or walk gets through more.
const MAX_LINKS: usize = 500_000;

/// Indices of uses from here on are of links between services. Their confidence is not shared with other links of the same use.
const FIRST_USE_IDX: u32 = 1 << 30;

/// A repository to join.
#[derive(Debug, Clone, Copy)]
pub struct ServiceRepository<'a> {
    /// The alias. Images and hosts have the names of repositories.
    pub alias: &'a str,
    /// Its offers and uses.
    pub surface: &'a ContractSurface,
}

/// A link between two repositories, by their indices.
#[derive(Debug, Clone, PartialEq)]
pub struct ServiceLink {
    /// The repository of the user.
    pub user: usize,
    /// The repository of the offer.
    pub provider: usize,
    /// The link. Its confidence takes all repositories into account.
    pub link: ContractLink,
}

/// A place that a link was concluded from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct EvidenceStep {
    /// The index of the repository.
    pub repository: usize,
    /// The path of the file.
    pub path: SharedText,
    /// The line, from 1.
    pub line: u32,
    /// The content in a few words: `CART_ADDR = cart:7070`, `image acme/cart`.
    pub content: String,
}

/// The services of all repositories, joined.
#[derive(Debug, Default)]
pub struct JoinedServices {
    /// The links between repositories, in the order of users.
    pub links: Vec<ServiceLink>,
    /// The links of topics and tables within a repository.
    pub internal_links: Vec<ServiceLink>,
    /// A link from each call of a defined rpc straight to the function of another repository that implements it.
    pub calls: Vec<ServiceLink>,
    /// The names of variables, hosts, topics and tables, and of the requests and rpcs that code uses.
    pub names: ContractNames,
    /// Contracts without their other side, and uses without a link.
    pub unlinked: Vec<UnlinkedContract>,
    /// The network of the repositories, for look-ups of single contracts.
    pub network: NetworkIndex,
}

/// Joins the services of all repositories.
pub fn join(repositories: &[ServiceRepository<'_>], rules: &LinkRules) -> JoinedServices {
    let index = NetworkIndex::new(repositories);
    let network = Network::new(repositories, &index, rules);
    let may_link = |one: &ServiceLink| may_link(repositories, rules, one);
    let all = links(repositories, &network).into_iter().filter(may_link).chain(tables::own_links(repositories));
    let (internal_links, links) = in_order(all.collect()).into_iter().partition(|one| one.user == one.provider);
    JoinedServices {
        links,
        internal_links,
        calls: grpc::calls(repositories, &network).into_iter().filter(may_link).collect(),
        names: ContractNames::new(repositories, &network),
        unlinked: unlinked::unlinked(repositories, &network),
        network: index,
    }
}

/// Returns true unless a rule of the user forbids a link.
fn may_link(repositories: &[ServiceRepository<'_>], rules: &LinkRules, one: &ServiceLink) -> bool {
    let (user, provider) = (repositories[one.user].alias, repositories[one.provider].alias);
    rules.is_empty()
        || rules.may_link_contract(user, provider, [&one.link.key, &shown_name(one.link.kind, &one.link.key)])
}

/// Returns a key as people write it: an rpc as `Service.Method` without its package, a topic without its broker.
pub fn shown_name(kind: ContractKind, key: &str) -> String {
    match (kind, key.split_once('/')) {
        (ContractKind::Grpc, Some((service, method))) => {
            let service = service.rsplit('.').next().unwrap_or(service);
            format!("{service}.{method}")
        }
        (ContractKind::Topic | ContractKind::Table, _) => key.split_once(':').map_or(key, |(_, name)| name).to_owned(),
        _ => key.to_owned(),
    }
}

/// Returns the links between repositories, and those of topics within one. Rpcs and requests within one are edges of its graph.
fn links(repositories: &[ServiceRepository<'_>], network: &Network<'_>) -> Vec<ServiceLink> {
    let http = http::links(repositories, network);
    let mut links = grpc::links(repositories, network);
    links.extend(http.hops);
    links.extend(http.requests);
    links.extend(others(repositories, network));
    links
}

/// Returns the links that are neither of rpcs nor of requests.
fn others(repositories: &[ServiceRepository<'_>], network: &Network<'_>) -> Vec<ServiceLink> {
    let mut links = topics::links(repositories, network);
    links.extend(tables::links(repositories, network));
    links.extend(config::links(repositories, network));
    links
}

fn in_order(mut links: Vec<ServiceLink>) -> Vec<ServiceLink> {
    links.sort_by(|a, b| order(a).cmp(&order(b)).then(b.link.confidence.total_cmp(&a.link.confidence)));
    links.dedup_by(|b, a| order(a) == order(b));
    links.truncate(MAX_LINKS);
    (FIRST_USE_IDX..).zip(&mut links).for_each(|(idx, one)| one.link.use_idx = idx);
    links
}

/// Joins the services of all repositories, with a link from each caller of an rpc to the function that implements it, and from each
/// request to the route that answers it. A call that nobody answers leads to the definition; messages, servers and proxies are left out.
/// The links are in the order of users.
pub fn answered(repositories: &[ServiceRepository<'_>], index: &NetworkIndex, rules: &LinkRules) -> Vec<ServiceLink> {
    let network = Network::new(repositories, index, rules);
    let calls = grpc::calls(repositories, &network);
    let answered: BTreeSet<(usize, &ContractSite)> = calls.iter().map(|one| (one.user, &one.link.user)).collect();
    let is_unanswered_call = |one: &ServiceLink| {
        let link = &one.link;
        let is_call = link.key.contains('/') && !link.serves && link.use_kind.is_none();
        is_call && !answered.contains(&(one.user, &link.user))
    };
    let mut links: Vec<ServiceLink> =
        grpc::links(repositories, &network).into_iter().filter(is_unanswered_call).collect();
    links.extend(http::links(repositories, &network).requests);
    links.extend(others(repositories, &network));
    links.extend(calls.iter().cloned());
    links.retain(|one| one.user != one.provider && may_link(repositories, rules, one));
    in_order(links)
}

fn order(one: &ServiceLink) -> (usize, &ContractSite, ContractKind, usize, &str, &ContractSite, bool) {
    let link = &one.link;
    (one.user, &link.user, link.kind, one.provider, &link.key, &link.offer, link.serves)
}

/// Returns the uses of one kind in all repositories, with the index of the repository.
fn uses_of<'a>(
    repositories: &'a [ServiceRepository<'a>],
    kind: ContractKind,
) -> impl Iterator<Item = (usize, &'a SurfaceUse)> {
    let all = repositories.iter().enumerate();
    all.flat_map(|(idx, repository)| repository.surface.uses.iter().map(move |used| (idx, used)))
        .filter(move |(_, used)| used.kind == kind)
}

/// Returns the link of a use with an offer.
fn link(
    used: &SurfaceUse,
    key: &str,
    offer: &ContractSite,
    confidence: f32,
    evidence: Vec<EvidenceStep>,
) -> ContractLink {
    ContractLink {
        kind: used.kind,
        key: key.into(),
        member: SharedText::default(),
        use_idx: 0,
        user: used.site.clone(),
        offer: offer.clone(),
        confidence: confidence.min(used.confidence.max(CANDIDATE)),
        n_sites: used.n_sites,
        serves: used.serves,
        is_exact: true,
        use_kind: None,
        lines: Vec::new(),
        evidence,
    }
}
