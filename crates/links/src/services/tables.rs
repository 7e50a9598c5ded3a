//! Tables: SQL in one repository is linked to the repository that defines the table.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    CANDIDATE, CONFIRMED, EvidenceStep, ServiceLink, ServiceRepository, address, link,
    network::{DeployedSetting, Network},
    systems::Systems,
    unlinked::{UnlinkedContract, UnlinkedReason},
    uses_of,
};
use crate::{
    contract::ContractKind,
    contracts::{MODEL, is_database_name},
    join::{SurfaceOffer, SurfaceUse},
};

/// Maximum number of repositories that may define a table; more carry no information.
const MAX_OWNERS: usize = 4;

/// Confidence of a table of which only the schema and the name tell the repository: two services from one template have the same ones.
const WITHOUT_DATABASE: f32 = 0.7;

/// Maximum number of databases of one repository.
const MAX_DATABASES: usize = 20;

/// The repositories that define a table.
#[derive(Default)]
struct TableOwners<'a> {
    /// Those with a migration or a schema, else those with a model; each with its first definition.
    owners: Vec<(usize, &'a SurfaceOffer)>,
    /// Those with a model.
    with_model: Vec<usize>,
}

/// Returns the links from uses of tables to their definitions in other repositories.
///
/// Two services may have tables of the same name. A link is confirmed if both repositories use one database, or if the name has a
/// schema. A repository that has a model of its own uses a table of another one only if they share the database.
pub(super) fn links(repositories: &[ServiceRepository<'_>], network: &Network<'_>) -> Vec<ServiceLink> {
    let owners = owners(repositories);
    let databases = databases(repositories, network);
    let systems = Systems::new(repositories, network);
    let mut links = Vec::new();
    for (user, used) in uses_of(repositories, ContractKind::Table) {
        let Some(table) = owners.get(&*used.key) else { continue };
        if table.owners.iter().any(|(owner, _)| *owner == user) {
            continue;
        }
        links.extend(table_links(user, used, table, &databases, &systems));
    }
    links
}

/// Returns the links from uses of tables to their definitions in the same repository.
pub(super) fn own_links(repositories: &[ServiceRepository<'_>]) -> Vec<ServiceLink> {
    let owners = owners(repositories);
    let own = uses_of(repositories, ContractKind::Table).filter_map(|(user, used)| {
        let (_, offer) = owners.get(&*used.key)?.owners.iter().find(|(owner, _)| *owner == user)?;
        let found = link(used, &used.key, &offer.site, CONFIRMED, Vec::new());
        Some(ServiceLink { user, provider: user, link: found })
    });
    own.collect()
}

/// Returns the uses of tables that no repository defines.
pub(super) fn unlinked(repositories: &[ServiceRepository<'_>]) -> Vec<UnlinkedContract> {
    let owners = owners(repositories);
    let uses = uses_of(repositories, ContractKind::Table).filter(|(_, used)| !owners.contains_key(&*used.key));
    uses.map(|(user, used)| UnlinkedContract::of_use(user, used, UnlinkedReason::NoDefinition)).collect()
}

fn table_links(
    user: usize,
    used: &SurfaceUse,
    table: &TableOwners<'_>,
    databases: &[Databases],
    systems: &Systems<'_>,
) -> Vec<ServiceLink> {
    let defined = &table.owners;
    let shared: Vec<(usize, &SurfaceOffer, Vec<EvidenceStep>)> = defined
        .iter()
        .filter(|(owner, _)| systems.may_be_one(user, *owner))
        .filter_map(|(owner, offer)| Some((*owner, *offer, shared_database(databases, user, *owner)?)))
        .collect();
    let is_qualified = used.key.contains('.');
    let has_model = table.with_model.contains(&user);
    let found: Vec<(usize, &SurfaceOffer, Vec<EvidenceStep>, f32)> = match (shared.len(), defined.as_slice()) {
        (1, _) => shared.into_iter().map(|(owner, offer, steps)| (owner, offer, steps, CONFIRMED)).collect(),
        // A model of a table with a schema is that of the only repository of the system whose migration defines it.
        (_, [(owner, offer)])
            if has_model && is_migrated(offer) && is_qualified && systems.is_likely_one(user, *owner) =>
        {
            vec![(*owner, *offer, Vec::new(), WITHOUT_DATABASE)]
        }
        (_, defined) if has_model || defined.len() > MAX_OWNERS => Vec::new(),
        (_, [(owner, offer)]) if is_qualified && systems.may_be_one(user, *owner) => {
            vec![(*owner, *offer, Vec::new(), CONFIRMED)]
        }
        (_, defined) => {
            let confidence = CANDIDATE / defined.len().max(1) as f32;
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

/// Returns by table the repositories that define it.
fn owners<'a>(repositories: &'a [ServiceRepository<'a>]) -> FxHashMap<&'a str, TableOwners<'a>> {
    let mut tables: FxHashMap<&str, TableOwners<'_>> = FxHashMap::default();
    let all = repositories.iter().enumerate();
    let offers =
        || all.clone().flat_map(|(repository, one)| one.surface.offers.iter().map(move |offer| (repository, offer)));
    let of_tables = || offers().filter(|(_, offer)| offer.kind == ContractKind::Table);
    let is_model = |offer: &SurfaceOffer| !is_migrated(offer);
    for (repository, offer) in of_tables() {
        let table = tables.entry(&offer.key).or_default();
        let known = table.owners.last().is_some_and(|(owner, _)| *owner == repository);
        if is_model(offer) {
            if table.with_model.last() != Some(&repository) {
                table.with_model.push(repository);
            }
        } else if !known {
            table.owners.push((repository, offer));
        }
    }
    let has_migration =
        tables.iter().filter(|(_, table)| !table.owners.is_empty()).map(|(name, _)| *name).collect::<FxHashSet<_>>();
    for (repository, offer) in of_tables().filter(|(_, offer)| is_model(offer) && !has_migration.contains(&*offer.key))
    {
        let table = tables.entry(&offer.key).or_default();
        if table.owners.last().is_none_or(|(owner, _)| *owner != repository) {
            table.owners.push((repository, offer));
        }
    }
    tables
}

/// Returns true for a table that a migration or a schema defines; false for one that a model declares.
fn is_migrated(offer: &SurfaceOffer) -> bool {
    &*offer.member != MODEL
}

/// The databases that the settings of a repository name.
#[derive(Clone, Default)]
struct Databases {
    /// By host and name: the setting.
    by_name: FxHashMap<String, EvidenceStep>,
    /// By repository that builds the image of the database: the setting, and the steps to the image.
    built: FxHashMap<usize, Vec<EvidenceStep>>,
}

/// Returns the databases of each repository.
fn databases(repositories: &[ServiceRepository<'_>], network: &Network<'_>) -> Vec<Databases> {
    let mut databases = vec![Databases::default(); repositories.len()];
    let whole = network.settings().filter_map(|setting| Some((setting, database(&setting.used.member)?)));
    for (setting, database) in whole.chain(named_databases(network)) {
        let host = database.split('/').next().unwrap_or_default();
        let built = network.of_value(setting.repository, host);
        for repository in consumers(network, &setting) {
            let own: &mut Databases = &mut databases[repository];
            if own.by_name.len() < MAX_DATABASES {
                own.by_name.entry(database.clone()).or_insert_with(|| network.setting_evidence(&setting));
                for to in &built {
                    let steps = || [vec![network.setting_evidence(&setting)], to.evidence.clone()].concat();
                    own.built.entry(to.repository).or_insert_with(steps);
                }
            }
        }
    }
    databases
}

/// Returns the databases whose host and name are two settings of one workload: `DB_HOST` and `DB_NAME`.
fn named_databases<'a>(network: &Network<'a>) -> Vec<(DeployedSetting<'a>, String)> {
    let mut hosts: FxHashMap<(usize, &str, String), String> = FxHashMap::default();
    for setting in network.settings() {
        let family = database_family(setting.variable, &["HOST", "HOSTNAME", "ADDR", "ADDRESS", "SERVER"]);
        if let Some((family, host)) =
            family.zip(address::host(&setting.used.member)).filter(|(_, host)| host != "localhost")
        {
            hosts.entry((setting.repository, setting.workload, family)).or_insert(host);
        }
    }
    let named = network.settings().filter(|setting| is_database_name(setting.variable));
    let named = named.filter_map(|setting| {
        let family = database_family(setting.variable, &["NAME", "DATABASE", "DB", "DBNAME", "SCHEMA"])?;
        let host = hosts.get(&(setting.repository, setting.workload, family))?;
        Some((setting, format!("{host}/{}", setting.used.member)))
    });
    named.collect()
}

/// Returns the words of a variable of a database without the last one: `ORDERS` of `ORDERS_DB_HOST` and of `ORDERS_DB_NAME`.
fn database_family(variable: &str, ends: &[&str]) -> Option<String> {
    const DATABASE: [&str; 10] =
        ["DB", "DATABASE", "POSTGRES", "POSTGRESQL", "PG", "MYSQL", "MARIADB", "SQL", "MSSQL", "DATASOURCE"];
    let upper = variable.replace(['.', '-', ':'], "_").to_ascii_uppercase();
    let is_joined = matches!(upper.as_str(), "PGHOST" | "PGDATABASE");
    let upper = if is_joined { upper.replacen("PG", "PG_", 1) } else { upper };
    let words: Vec<&str> = upper.split('_').filter(|word| !word.is_empty()).collect();
    let is_of_database = words.iter().any(|word| DATABASE.contains(word));
    let (last, before) = words.split_last()?;
    let family: Vec<&str> = before.iter().copied().filter(|word| !DATABASE.contains(word)).collect();
    (is_of_database && ends.contains(last)).then(|| family.join("_"))
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

/// Returns the settings by which a repository uses the database of another one: both name it, or the other one builds its image.
fn shared_database(databases: &[Databases], user: usize, owner: usize) -> Option<Vec<EvidenceStep>> {
    let (one, other) = (&databases[user].by_name, &databases[owner].by_name);
    let first = one.keys().filter(|database| other.contains_key(*database)).min();
    let both = first.map(|first| vec![one[first].clone(), other[first].clone()]);
    both.or_else(|| databases[user].built.get(&owner).cloned())
}
