//! Rpcs: the callers and the servers of an rpc are linked to its definition.
//!
//! An rpc is known by its full name, `package.Service/Method`. Code writes the full name or an end of it (`Service/Method`). Copies
//! of a definition are one definition, whose home is one of the repositories.

use std::collections::{BTreeMap, BTreeSet};

use super::{CANDIDATE, CONFIRMED, ServiceLink, ServiceRepository, link, uses_of};
use crate::{
    contract::ContractKind,
    join::{ContractSite, SurfaceOffer, SurfaceUse},
};

/// Maximum number of definitions with one end of their names; a name with more says nothing.
const MAX_ALIKE: usize = 8;

/// Returns the links of rpcs, services and messages between repositories.
pub(super) fn links(repositories: &[ServiceRepository<'_>]) -> Vec<ServiceLink> {
    let definitions = Definitions::new(repositories);
    let mut links = definitions.copies();
    let mut undefined: BTreeMap<&str, [Vec<(usize, &SurfaceUse)>; 2]> = BTreeMap::new();
    for (user, used) in uses_of(repositories, ContractKind::Grpc) {
        let meant = definitions.meant(user, &used.key);
        let confidence = if meant.len() == 1 { CONFIRMED } else { CANDIDATE / meant.len().max(1) as f32 };
        for name in &meant {
            let home = &definitions.homes[name];
            if home.repository != user {
                let found = link(used, name, &home.site, confidence, Vec::new());
                links.push(ServiceLink { user, provider: home.repository, link: found });
            }
        }
        if meant.is_empty() {
            undefined.entry(&used.key).or_default()[usize::from(used.serves)].push((user, used));
        }
    }
    // Without a definition in any repository, a caller is linked to the server.
    for (key, [callers, servers]) in &undefined {
        let n_repositories = servers.iter().map(|(provider, _)| provider).collect::<BTreeSet<_>>().len();
        let confidence = if n_repositories == 1 { CONFIRMED } else { CANDIDATE / n_repositories.max(1) as f32 };
        for (user, caller) in callers.iter().filter(|_| (1..=MAX_ALIKE).contains(&n_repositories)) {
            for (provider, server) in servers.iter().filter(|(provider, _)| provider != user) {
                let found = link(caller, key, &server.site, confidence, Vec::new());
                links.push(ServiceLink { user: *user, provider: *provider, link: found });
            }
        }
    }
    links
}

/// The calls of rpcs that no repository answers: the repository, site and name.
type UnansweredCalls = BTreeSet<(usize, ContractSite, String)>;

/// Returns a link from each caller of an rpc to the method that answers it in another repository, and the calls that nobody answers.
pub(super) fn calls(repositories: &[ServiceRepository<'_>]) -> (Vec<ServiceLink>, UnansweredCalls) {
    let definitions = Definitions::new(repositories);
    let mut servers: BTreeMap<&str, Vec<(usize, &SurfaceUse)>> = BTreeMap::new();
    for (provider, server) in uses_of(repositories, ContractKind::Grpc).filter(|(_, used)| used.serves) {
        for name in definitions.meant(provider, &server.key).into_iter().filter(|name| name.contains('/')) {
            servers.entry(name).or_default().push((provider, server));
        }
    }
    let (mut links, mut unanswered) = (Vec::new(), BTreeSet::new());
    for (user, caller) in uses_of(repositories, ContractKind::Grpc).filter(|(_, used)| !used.serves) {
        let meant = definitions.meant(user, &caller.key);
        for name in meant.iter().filter(|name| name.contains('/')) {
            let all = servers.get(name).map_or(&[][..], Vec::as_slice);
            let n_repositories = all.iter().map(|(provider, _)| provider).collect::<BTreeSet<_>>().len();
            let is_certain = meant.len() == 1 && n_repositories == 1;
            let confidence =
                if is_certain { CONFIRMED } else { CANDIDATE / (meant.len() * n_repositories.max(1)) as f32 };
            for (provider, server) in all.iter().filter(|(provider, _)| *provider != user) {
                let found = link(caller, name, &server.site, confidence, Vec::new());
                links.push(ServiceLink { user, provider: *provider, link: found });
            }
            if all.is_empty() {
                unanswered.insert((user, caller.site.clone(), (*name).to_owned()));
            }
        }
    }
    (links, unanswered)
}

/// A definition in a repository.
#[derive(Debug, Clone)]
struct Definition {
    repository: usize,
    site: ContractSite,
}

/// The services, rpcs and messages of all repositories.
struct Definitions<'a> {
    /// By full name: the definition in the repository that the others depend on.
    homes: BTreeMap<&'a str, Definition>,
    /// By full name: the copies in other repositories.
    copies: Vec<(&'a str, usize, &'a SurfaceOffer)>,
    /// By the end of the full name without its package, `Service/Method`: the full names.
    by_end: BTreeMap<&'a str, BTreeSet<&'a str>>,
    /// Full names by repository that defines them.
    defined_in: BTreeMap<&'a str, BTreeSet<usize>>,
}

impl<'a> Definitions<'a> {
    fn new(repositories: &'a [ServiceRepository<'a>]) -> Definitions<'a> {
        let mut offers: BTreeMap<&str, Vec<(usize, &SurfaceOffer)>> = BTreeMap::new();
        for (repository, one) in repositories.iter().enumerate() {
            for offer in one.surface.offers.iter().filter(|offer| offer.kind == ContractKind::Grpc) {
                offers.entry(&offer.key).or_default().push((repository, offer));
            }
        }
        let standing = Standing::of(repositories);
        let mut definitions = Definitions {
            homes: BTreeMap::new(),
            copies: Vec::new(),
            by_end: BTreeMap::new(),
            defined_in: BTreeMap::new(),
        };
        for (name, of_name) in offers {
            let home = of_name.iter().min_by_key(|(repository, offer)| {
                (standing.rank(*repository, service(name)), *repository, &offer.site)
            });
            let Some((repository, offer)) = home.copied() else { continue };
            definitions.homes.insert(name, Definition { repository, site: offer.site.clone() });
            definitions.by_end.entry(end(name)).or_default().insert(name);
            definitions.defined_in.insert(name, of_name.iter().map(|(repository, _)| *repository).collect());
            let others = of_name.into_iter().filter(|(other, _)| *other != repository);
            definitions.copies.extend(others.map(|(other, offer)| (name, other, offer)));
        }
        definitions
    }

    /// Returns the full names that code in a repository may mean: those of its own definitions, if it has any.
    fn meant(&self, user: usize, written: &str) -> Vec<&'a str> {
        let alike = self.by_end.get(end(written)).into_iter().flatten();
        let is_meant =
            |name: &&&str| **name == written || name.strip_suffix(written).is_some_and(|before| before.ends_with('.'));
        let alike: Vec<&str> = alike.filter(is_meant).copied().collect();
        let own: Vec<&str> = alike.iter().copied().filter(|name| self.defined_in[name].contains(&user)).collect();
        let meant = if own.is_empty() { alike } else { own };
        if meant.len() > MAX_ALIKE { Vec::new() } else { meant }
    }

    /// Returns a link from each copy to the definition at home.
    fn copies(&self) -> Vec<ServiceLink> {
        let link_of = |(name, user, offer): &(&str, usize, &SurfaceOffer)| {
            let home = &self.homes[name];
            let copy = SurfaceUse {
                kind: ContractKind::Grpc,
                key: (*name).to_owned(),
                member: String::new(),
                site: offer.site.clone(),
                confidence: 1.0,
                n_sites: 1,
                serves: false,
            };
            ServiceLink {
                user: *user,
                provider: home.repository,
                link: link(&copy, name, &home.site, CONFIRMED, Vec::new()),
            }
        };
        self.copies.iter().map(link_of).collect()
    }
}

/// The part of each repository in a service: it decides which copy of a definition is at home.
struct Standing {
    /// By service, without its package: the repositories that serve it, and those that call it.
    servers: BTreeSet<(String, usize)>,
    callers: BTreeSet<usize>,
}

impl Standing {
    fn of(repositories: &[ServiceRepository<'_>]) -> Standing {
        let mut standing = Standing { servers: BTreeSet::new(), callers: BTreeSet::new() };
        for (repository, used) in uses_of(repositories, ContractKind::Grpc) {
            if used.serves {
                standing.servers.insert((end(service(&used.key)).to_owned(), repository));
            } else {
                standing.callers.insert(repository);
            }
        }
        standing
    }

    /// Returns the rank of a repository as the home of a service, the least being best: a repository of contracts alone, then the one
    /// that serves it, then one that calls nothing.
    fn rank(&self, repository: usize, service: &str) -> u8 {
        let serves_any = self.servers.iter().any(|(_, server)| *server == repository);
        let calls_any = self.callers.contains(&repository);
        match (serves_any, calls_any) {
            (false, false) => 0,
            _ if self.servers.contains(&(end(service).to_owned(), repository)) => 1,
            (true, false) => 2,
            _ => 3,
        }
    }
}

/// Returns the service or message of a full name: `shop.Cart` of `shop.Cart/Get`.
fn service(name: &str) -> &str {
    name.split('/').next().unwrap_or(name)
}

/// Returns a name without its package: `Cart/Get` of `shop.v1.Cart/Get`.
fn end(name: &str) -> &str {
    let service = service(name);
    service.rfind('.').map_or(name, |at| &name[at + 1..])
}
