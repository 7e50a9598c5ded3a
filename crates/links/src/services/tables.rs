//! Tables: SQL in one repository is linked to the repository that defines the table.

use rustc_hash::FxHashMap;

use super::{
    CANDIDATE, CONFIRMED, EvidenceStep, ServiceLink, ServiceRepository, address, link,
    network::{DeployedSetting, Network},
    unlinked::{UnlinkedContract, UnlinkedReason},
    uses_of,
};
use crate::{
    contract::ContractKind,
    join::{SurfaceOffer, SurfaceUse},
};

/// Maximum number of repositories that may define a table; more carry no information.
const MAX_OWNERS: usize = 4;

/// Maximum number of databases of one repository.
const MAX_DATABASES: usize = 20;

/// Returns the links from uses of tables to their definitions in other repositories.
///
/// Two services may have tables of the same name. A link is confirmed if both repositories use one database, or if the name has a
/// schema.
pub(super) fn links(repositories: &[ServiceRepository<'_>], network: &Network<'_>) -> Vec<ServiceLink> {
    let owners = owners(repositories);
    let databases = databases(repositories, network);
    let mut links = Vec::new();
    for (user, used) in uses_of(repositories, ContractKind::Table) {
        let defined = owners.get(used.key.as_str()).map_or(&[][..], Vec::as_slice);
        if defined.iter().any(|(owner, _)| *owner == user) {
            continue;
        }
        links.extend(table_links(user, used, defined, &databases));
    }
    links
}

/// Returns the links from uses of tables to their definitions in the same repository.
pub(super) fn own_links(repositories: &[ServiceRepository<'_>]) -> Vec<ServiceLink> {
    let owners = owners(repositories);
    let own = uses_of(repositories, ContractKind::Table).filter_map(|(user, used)| {
        let (_, offer) = owners.get(used.key.as_str())?.iter().find(|(owner, _)| *owner == user)?;
        let found = link(used, &used.key, &offer.site, CONFIRMED, Vec::new());
        Some(ServiceLink { user, provider: user, link: found })
    });
    own.collect()
}

/// Returns the uses of tables that no repository defines.
pub(super) fn unlinked(repositories: &[ServiceRepository<'_>]) -> Vec<UnlinkedContract> {
    let owners = owners(repositories);
    let uses = uses_of(repositories, ContractKind::Table).filter(|(_, used)| !owners.contains_key(used.key.as_str()));
    uses.map(|(user, used)| UnlinkedContract::of_use(user, used, UnlinkedReason::NoDefinition)).collect()
}

fn table_links(
    user: usize,
    used: &SurfaceUse,
    defined: &[(usize, &SurfaceOffer)],
    databases: &[FxHashMap<String, EvidenceStep>],
) -> Vec<ServiceLink> {
    let shared: Vec<(usize, &SurfaceOffer, Vec<EvidenceStep>)> = defined
        .iter()
        .filter_map(|(owner, offer)| Some((*owner, *offer, shared_database(&databases[user], &databases[*owner])?)))
        .collect();
    let is_confirmed = |n: usize| n == 1;
    let found: Vec<(usize, &SurfaceOffer, Vec<EvidenceStep>, f32)> = match (shared.len(), defined.len()) {
        (n, _) if is_confirmed(n) => {
            shared.into_iter().map(|(owner, offer, steps)| (owner, offer, steps, CONFIRMED)).collect()
        }
        (_, n) if n > MAX_OWNERS => Vec::new(),
        (_, n) => {
            let has_schema = used.key.contains('.');
            let confidence = if has_schema && is_confirmed(n) { CONFIRMED } else { CANDIDATE / n.max(1) as f32 };
            defined.iter().map(|(owner, offer)| (*owner, *offer, Vec::new(), confidence)).collect()
        }
    };
    let links = found.into_iter().map(|(owner, offer, evidence, confidence)| ServiceLink {
        user,
        provider: owner,
        link: link(used, &used.key, &offer.site, confidence, evidence),
    });
    links.collect()
}

/// Returns by table the repositories that define it, each with its first definition.
fn owners<'a>(repositories: &'a [ServiceRepository<'a>]) -> FxHashMap<&'a str, Vec<(usize, &'a SurfaceOffer)>> {
    let mut owners: FxHashMap<&str, Vec<(usize, &SurfaceOffer)>> = FxHashMap::default();
    for (repository, one) in repositories.iter().enumerate() {
        for offer in one.surface.offers.iter().filter(|offer| offer.kind == ContractKind::Table) {
            let defined = owners.entry(&offer.key).or_default();
            if defined.last().is_none_or(|(owner, _)| *owner != repository) {
                defined.push((repository, offer));
            }
        }
    }
    owners
}

/// Returns by repository its databases, each with the setting that names it.
fn databases(repositories: &[ServiceRepository<'_>], network: &Network<'_>) -> Vec<FxHashMap<String, EvidenceStep>> {
    let mut databases = vec![FxHashMap::default(); repositories.len()];
    for setting in network.settings() {
        let Some(database) = database(&setting.used.member) else { continue };
        for repository in consumers(network, setting) {
            let own: &mut FxHashMap<String, EvidenceStep> = &mut databases[repository];
            if own.len() < MAX_DATABASES {
                own.entry(database.clone()).or_insert_with(|| network.setting_evidence(setting));
            }
        }
    }
    databases
}

fn consumers(network: &Network<'_>, setting: &DeployedSetting<'_>) -> Vec<usize> {
    if setting.workload.is_empty() {
        return vec![setting.repository];
    }
    network.of_workload(setting.repository, setting.workload).into_iter().map(|to| to.repository).collect()
}

/// Returns host and name of the database of an address: `db/shop` of `postgres://db:5432/shop`.
fn database(value: &str) -> Option<String> {
    const SCHEMES: [&str; 9] =
        ["postgres", "postgresql", "mysql", "mariadb", "sqlserver", "mongodb", "oracle", "cockroachdb", "mssql"];
    let scheme = value.split("://").next()?.trim_start_matches("jdbc:");
    let scheme = scheme.split('+').next().unwrap_or(scheme);
    let host = address::host(value).filter(|host| SCHEMES.contains(&scheme) && host != "localhost")?;
    let name = address::base_path(value).trim_matches('/');
    (!name.is_empty()).then(|| format!("{host}/{name}"))
}

/// Returns the settings by which two repositories use one database.
fn shared_database(
    one: &FxHashMap<String, EvidenceStep>,
    other: &FxHashMap<String, EvidenceStep>,
) -> Option<Vec<EvidenceStep>> {
    let mut shared: Vec<&String> = one.keys().filter(|database| other.contains_key(*database)).collect();
    shared.sort();
    let first = shared.first()?;
    Some(vec![one[*first].clone(), other[*first].clone()])
}
