//! Contracts without their other side: requests that no route answers, rpcs that nobody calls or serves, topics that nobody reads or
//! writes, and uses without a link.

use super::{
    AddressTemplate, EvidenceStep, ServiceRepository, grpc, http,
    network::{Network, NetworkIndex, Route},
    tables, topics,
};
use crate::{
    contract::ContractKind,
    join::{ContractSite, SurfaceUse},
    rules::LinkRules,
};

/// Maximum number of unlinked contracts; no reader gets through more.
const MAX_UNLINKED: usize = 50_000;

/// The side that a contract lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnlinkedReason {
    /// A request to a known repository, which has no such route.
    NoRoute,
    /// An rpc that nobody calls.
    NoCaller,
    /// An rpc that no repository implements.
    NoServer,
    /// A topic that is written, and that nobody reads.
    NoReader,
    /// A topic that is read, and that nobody writes.
    NoWriter,
    /// A use of an rpc or table that no repository defines.
    NoDefinition,
    /// A request whose address leads to no repository.
    NoAddress,
}

/// A contract without its other side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnlinkedContract {
    /// The index of the repository.
    pub repository: usize,
    /// The kind of boundary.
    pub kind: ContractKind,
    /// The key, as in the code.
    pub key: String,
    /// The address of a request or call, as an [`AddressTemplate`].
    pub address: String,
    /// The use or definition.
    pub site: ContractSite,
    /// The missing side.
    pub reason: UnlinkedReason,
    /// The places that say to which repository the request goes.
    pub evidence: Vec<EvidenceStep>,
}

impl UnlinkedReason {
    /// Returns true if the contract dangles: its other side is missing in the repositories, rather than unknown.
    pub fn is_dangling(self) -> bool {
        !matches!(self, UnlinkedReason::NoDefinition | UnlinkedReason::NoAddress)
    }

    /// Returns the name that users read.
    pub fn name(self) -> &'static str {
        match self {
            UnlinkedReason::NoRoute => "no route answers",
            UnlinkedReason::NoCaller => "nobody calls",
            UnlinkedReason::NoServer => "nobody implements",
            UnlinkedReason::NoReader => "nobody reads",
            UnlinkedReason::NoWriter => "nobody writes",
            UnlinkedReason::NoDefinition => "nobody defines",
            UnlinkedReason::NoAddress => "address unknown",
        }
    }
}

impl UnlinkedContract {
    pub(super) fn of_use(repository: usize, used: &SurfaceUse, reason: UnlinkedReason) -> UnlinkedContract {
        UnlinkedContract {
            repository,
            kind: used.kind,
            key: used.key.to_string(),
            address: used.member.to_string(),
            site: used.site.clone(),
            reason,
            evidence: Vec::new(),
        }
    }
}

/// Returns the contracts of all repositories without their other side, by reason, repository and place.
pub(super) fn unlinked(repositories: &[ServiceRepository<'_>], network: &Network<'_>) -> Vec<UnlinkedContract> {
    let mut found = grpc::unlinked(repositories);
    found.extend(http::unlinked(repositories, network));
    found.extend(topics::unlinked(repositories, network));
    found.extend(tables::unlinked(repositories));
    found.sort_by(|a, b| (a.reason, a.repository, &a.site, &a.key).cmp(&(b.reason, b.repository, &b.site, &b.key)));
    found.truncate(MAX_UNLINKED);
    found
}

/// Returns the uses of one repository without a link, each with the evidence that is missing.
pub fn missing_evidence(
    repositories: &[ServiceRepository<'_>],
    index: &NetworkIndex,
    rules: &LinkRules,
    user: usize,
) -> Vec<(UnlinkedContract, String)> {
    let network = Network::new(repositories, index, rules);
    let own = unlinked(repositories, &network).into_iter();
    let own = own.filter(|one| one.repository == user && !matches!(one.reason, UnlinkedReason::NoCaller));
    own.map(|one| {
        let missing = missing(repositories, &network, &one);
        (one, missing)
    })
    .collect()
}

fn missing(repositories: &[ServiceRepository<'_>], network: &Network<'_>, one: &UnlinkedContract) -> String {
    match one.reason {
        UnlinkedReason::NoRoute => {
            let Route::To(destinations) = network.route(one.repository, &one.address) else {
                return one.reason.name().to_owned();
            };
            let aliases: Vec<&str> = destinations.iter().map(|to| repositories[to.repository].alias).collect();
            format!("the address leads to {}, which has no such route", aliases.join(", "))
        }
        UnlinkedReason::NoAddress => missing_address(network, one),
        UnlinkedReason::NoDefinition if one.kind == ContractKind::Table => "no repository defines the table".to_owned(),
        UnlinkedReason::NoDefinition => "no repository defines or implements the rpc".to_owned(),
        reason => reason.name().to_owned(),
    }
}

/// Returns the part of an address that leads to no repository.
fn missing_address(network: &Network<'_>, one: &UnlinkedContract) -> String {
    let template = AddressTemplate::parse(&one.address);
    let variables: Vec<&str> = template.variables().collect();
    let is_set = |variable: &&&str| !network.settings_for(one.repository, variable).is_empty();
    match (variables.iter().find(is_set), variables.first(), template.hosts().next()) {
        (Some(variable), ..) => {
            let setting = network.settings_for(one.repository, variable)[0];
            format!("the value of {variable} is {}, which leads to no repository", setting.used.member)
        }
        (None, Some(variable), _) => {
            let is_computed = variable.contains(|c: char| c.is_ascii_lowercase());
            let note = if is_computed { "; the code may compute it" } else { "" };
            format!("no deployment or settings file gives {variable} an address{note}")
        }
        (None, None, Some(host)) if network.knows_host(&host) => {
            format!("the host {host} is deployed, but no repository builds its image")
        }
        (None, None, Some(host)) => format!("no deployment names the host {host}"),
        (None, None, None) if one.address.is_empty() => "the request has no host".to_owned(),
        (None, None, None) => "the code computes the host".to_owned(),
    }
}
