//! Rpcs: the callers and the servers of an rpc are linked to its definition.
//!
//! An rpc is known by its full name, `package.Service/Method`. Code writes the full name or an end of it (`Service/Method`). Copies
//! of a definition are one definition, whose home is one of the repositories.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use graph::EdgeKind;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    CANDIDATE, CONFIRMED, EvidenceStep, ServiceLink, ServiceRepository, link,
    network::{Network, Route},
    unlinked::{UnlinkedContract, UnlinkedReason},
    uses_of,
};
use crate::{
    contract::ContractKind,
    join::{ContractLink, ContractSite, SurfaceOffer, SurfaceUse},
    rpc_name::{self, MAX_ALIKE, RpcNames},
    shared_text::SharedText,
};

/// Maximum number of calls of one rpc that are linked with its servers, and of its servers.
const MAX_ENDS: usize = 200;

/// Returns the links of rpcs, services and messages between repositories.
pub(super) fn links(repositories: &[ServiceRepository<'_>], network: &Network<'_>) -> Vec<ServiceLink> {
    let definitions = Definitions::new(repositories);
    let mut links = definitions.copies();
    let mut undefined: BTreeMap<String, RpcEnds<'_>> = BTreeMap::new();
    for (user, used) in uses_of(repositories, ContractKind::Grpc) {
        let meant = definitions.candidate_names(user, &used.key);
        let confidence = if meant.len() == 1 { CONFIRMED } else { CANDIDATE / meant.len().max(1) as f32 };
        for name in &meant {
            let home = &definitions.homes[name];
            if home.repository != user {
                let found = link(used, name, &home.site, confidence, Vec::new());
                links.push(ServiceLink { user, provider: home.repository, link: found });
            }
        }
        if meant.is_empty() {
            undefined.entry(rpc_name::normal_end(&used.key)).or_default().add(user, used);
        }
    }
    // Without a definition in any repository, a caller is linked to the server.
    for ends in undefined.values() {
        links.extend(ends.links(rpc_name::end, network));
    }
    links
}

/// Packages of protocols that clients and servers outside of the system speak.
const PUBLIC_PACKAGES: [&str; 5] = ["google.", "grpc.", "envoy.", "opentelemetry.", "opencensus."];

/// Returns the rpcs that nobody calls or serves, and the calls of rpcs that no repository defines or serves.
pub(super) fn unlinked(repositories: &[ServiceRepository<'_>]) -> Vec<UnlinkedContract> {
    let definitions = Definitions::new(repositories);
    let (mut called, mut served): (FxHashSet<&str>, FxHashSet<&str>) = (FxHashSet::default(), FxHashSet::default());
    let mut undefined: BTreeMap<String, RpcEnds<'_>> = BTreeMap::new();
    for (user, used) in uses_of(repositories, ContractKind::Grpc) {
        let meant = definitions.candidate_names(user, &used.key);
        if meant.is_empty() && used.key.contains('/') {
            undefined.entry(rpc_name::normal_end(&used.key)).or_default().add(user, used);
        }
        if used.serves { &mut served } else { &mut called }.extend(meant);
    }
    let mut found = Vec::new();
    for (name, home) in definitions.homes.iter().filter(|(name, _)| name.contains('/')) {
        if PUBLIC_PACKAGES.iter().any(|package| name.starts_with(package)) {
            continue;
        }
        let of_definition = |reason| UnlinkedContract {
            repository: home.repository,
            kind: ContractKind::Grpc,
            key: (*name).to_owned(),
            address: String::new(),
            site: home.site.clone(),
            reason,
            evidence: Vec::new(),
        };
        if !called.contains(name) {
            found.push(of_definition(UnlinkedReason::NoCaller));
        }
        // A server that is registered serves all rpcs of its service, whether its functions are seen or not.
        if !served.contains(name) && !served.contains(rpc_name::service(name)) {
            found.push(of_definition(UnlinkedReason::NoServer));
        }
    }
    let callers = undefined.values().filter(|ends| ends.servers.is_empty()).flat_map(|ends| &ends.callers);
    found.extend(callers.map(|(user, used)| UnlinkedContract::of_use(*user, used, UnlinkedReason::NoDefinition)));
    found
}

/// Returns a link from each call of a defined rpc to the functions that implement it in other repositories.
pub(super) fn calls(repositories: &[ServiceRepository<'_>], network: &Network<'_>) -> Vec<ServiceLink> {
    let definitions = Definitions::new(repositories);
    let mut rpcs: BTreeMap<&str, RpcEnds<'_>> = BTreeMap::new();
    let mut services: BTreeMap<&str, RpcEnds<'_>> = BTreeMap::new();
    for (user, used) in uses_of(repositories, ContractKind::Grpc) {
        if let [name] = definitions.candidate_names(user, &used.key).as_slice() {
            let ends = if name.contains('/') { &mut rpcs } else { &mut services };
            ends.entry(name).or_default().add(user, used);
        }
    }
    // A repository that registers a service serves its rpcs, whether its functions are seen or not.
    for (name, ends) in rpcs.iter_mut().filter(|(_, ends)| ends.servers.is_empty()) {
        ends.servers = services.get(rpc_name::service(name)).map_or_else(Vec::new, |of| of.one_server_each());
    }
    rpcs.iter().flat_map(|(name, ends)| ends.links(|_| name, network)).collect()
}

/// The callers and the servers of one rpc.
#[derive(Debug, Default)]
struct RpcEnds<'a> {
    callers: Vec<(usize, &'a SurfaceUse)>,
    servers: Vec<(usize, &'a SurfaceUse)>,
}

impl<'a> RpcEnds<'a> {
    fn add(&mut self, repository: usize, used: &'a SurfaceUse) {
        let ends = if used.serves { &mut self.servers } else { &mut self.callers };
        if ends.len() < MAX_ENDS {
            ends.push((repository, used));
        }
    }

    /// Returns one server of each repository that has any.
    fn one_server_each(&self) -> Vec<(usize, &'a SurfaceUse)> {
        let by_repository: BTreeMap<usize, &SurfaceUse> =
            self.servers.iter().rev().map(|(repository, server)| (*repository, *server)).collect();
        by_repository.into_iter().collect()
    }

    /// Links the callers with the servers. `name` returns the name of the rpc from that in the code of a caller.
    ///
    /// The address of a client decides among several servers.
    fn links<'n>(&'n self, name: impl Fn(&'n str) -> &'n str, network: &Network<'_>) -> Vec<ServiceLink> {
        let mut links = Vec::new();
        for (user, caller) in &self.callers {
            let servers = || self.servers.iter().filter(|(_, server)| rpc_name::may_be_same(&caller.key, &server.key));
            let serving: BTreeSet<usize> = servers().map(|(repository, _)| *repository).collect();
            let by_address = match network.route(*user, &caller.member) {
                Route::To(destinations) => {
                    destinations.into_iter().map(|to| (to.repository, to.evidence)).collect::<BTreeMap<_, _>>()
                }
                Route::Unknown => BTreeMap::new(),
                Route::Elsewhere => continue,
            };
            let is_addressed = serving.iter().any(|repository| by_address.contains_key(repository));
            // An address of another repository than the only server may be that of a proxy before it.
            let unaddressed = if serving.len() == 1 && by_address.is_empty() {
                CONFIRMED
            } else if serving.len() <= MAX_ALIKE {
                CANDIDATE / serving.len().max(1) as f32
            } else {
                continue;
            };
            for (provider, server) in servers().filter(|(provider, _)| provider != user) {
                let evidence = by_address.get(provider);
                if is_addressed && evidence.is_none() {
                    continue;
                }
                let confidence = if is_addressed { CONFIRMED } else { unaddressed };
                let evidence: Vec<EvidenceStep> = evidence.cloned().unwrap_or_default();
                let found = link(
                    caller,
                    name(&caller.key),
                    &server.site,
                    confidence.min(server.confidence.max(CANDIDATE)),
                    evidence,
                );
                links.push(ServiceLink { user: *user, provider: *provider, link: found });
            }
        }
        links
    }
}

/// A definition in a repository.
#[derive(Debug, Clone)]
struct HomeDefinition {
    repository: usize,
    site: ContractSite,
}

/// The services, rpcs and messages of all repositories.
struct Definitions<'a> {
    /// By full name: the definition in the repository that the others depend on.
    homes: FxHashMap<&'a str, HomeDefinition>,
    /// By full name: the copies in other repositories.
    copies: Vec<(&'a str, usize, &'a SurfaceOffer)>,
    /// The full names by their ends.
    names: RpcNames<'a>,
    /// Full names with the repositories that define them.
    defined_in: FxHashSet<(&'a str, usize)>,
}

impl<'a> Definitions<'a> {
    fn new(repositories: &'a [ServiceRepository<'a>]) -> Definitions<'a> {
        let mut offers: BTreeMap<&str, Vec<(usize, &SurfaceOffer)>> = BTreeMap::new();
        for (repository, one) in repositories.iter().enumerate() {
            for offer in one.surface.offers.iter().filter(|offer| offer.kind == ContractKind::Grpc) {
                offers.entry(&offer.key).or_default().push((repository, offer));
            }
        }
        let roles = ServiceRoles::of(repositories);
        let mut definitions = Definitions {
            homes: FxHashMap::default(),
            copies: Vec::new(),
            names: offers.keys().copied().collect(),
            defined_in: FxHashSet::default(),
        };
        for (name, of_name) in offers {
            let service = rpc_name::normal_end(rpc_name::service(name));
            let home = of_name
                .iter()
                .min_by_key(|(repository, offer)| (roles.rank(*repository, &service), *repository, &offer.site));
            let Some((repository, offer)) = home.copied() else { continue };
            definitions.homes.insert(name, HomeDefinition { repository, site: offer.site.clone() });
            definitions.defined_in.extend(of_name.iter().map(|(repository, _)| (name, *repository)));
            let others = of_name.into_iter().filter(|(other, _)| *other != repository);
            definitions.copies.extend(others.map(|(other, offer)| (name, other, offer)));
        }
        definitions
    }

    /// Returns the full names that code in a repository may mean: those of its own definitions, if it has any.
    fn candidate_names(&self, user: usize, written: &str) -> Vec<&'a str> {
        let meant = self.names.candidate_names(written);
        let own: Vec<&str> = meant.iter().copied().filter(|name| self.defined_in.contains(&(*name, user))).collect();
        if own.is_empty() { meant } else { own }
    }

    /// Returns a link from each copy to the definition at home.
    fn copies(&self) -> Vec<ServiceLink> {
        let link_of = |(name, user, offer): &(&str, usize, &SurfaceOffer)| {
            let home = &self.homes[name];
            let copy = SurfaceUse {
                kind: ContractKind::Grpc,
                key: (*name).into(),
                member: SharedText::default(),
                site: offer.site.clone(),
                confidence: 1.0,
                n_sites: 1,
                serves: false,
            };
            ServiceLink {
                user: *user,
                provider: home.repository,
                // A copy is changed with the definition, but calls nothing.
                link: ContractLink {
                    use_kind: Some(EdgeKind::References),
                    ..link(&copy, name, &home.site, CONFIRMED, Vec::new())
                },
            }
        };
        self.copies.iter().map(link_of).collect()
    }
}

/// The part of each repository in the services: it decides which copy of a definition is at home.
#[derive(Default)]
struct ServiceRoles {
    /// By service, without its package: the repositories that serve it.
    servers: FxHashMap<String, FxHashSet<usize>>,
    /// The repositories that serve any service.
    serving: FxHashSet<usize>,
    /// The repositories that call any rpc.
    calling: FxHashSet<usize>,
    /// By repository: the number of its definitions.
    n_definitions: Vec<usize>,
}

impl ServiceRoles {
    fn of(repositories: &[ServiceRepository<'_>]) -> ServiceRoles {
        let is_rpc = |offer: &&SurfaceOffer| offer.kind == ContractKind::Grpc;
        let n_definitions = repositories.iter().map(|one| one.surface.offers.iter().filter(is_rpc).count()).collect();
        let mut roles = ServiceRoles { n_definitions, ..ServiceRoles::default() };
        for (repository, used) in uses_of(repositories, ContractKind::Grpc) {
            if used.serves {
                let service = rpc_name::normal_end(rpc_name::service(&used.key));
                roles.servers.entry(service).or_default().insert(repository);
                roles.serving.insert(repository);
            } else {
                roles.calling.insert(repository);
            }
        }
        roles
    }

    /// Returns the rank of a repository as the home of a service, the least being best: a repository of contracts alone, then the one
    /// that serves it, then one that calls nothing. The repository with most definitions comes first.
    fn rank(&self, repository: usize, service: &str) -> (u8, Reverse<usize>) {
        let serves_any = self.serving.contains(&repository);
        let is_server = || self.servers.get(service).is_some_and(|servers| servers.contains(&repository));
        let rank = match (serves_any, self.calling.contains(&repository)) {
            (false, false) => 0,
            _ if is_server() => 1,
            (true, false) => 2,
            _ => 3,
        };
        (rank, Reverse(self.n_definitions[repository]))
    }
}
