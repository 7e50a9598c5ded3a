//! Settings of deployments: a variable tells a workload where another service is. And images: a deployment runs what a repository
//! builds.

use super::{
    CANDIDATE, CONFIRMED, ServiceLink, ServiceRepository, images, link,
    network::{DeployedSetting, Network},
};
use crate::{
    contract::ContractKind,
    contracts::{is_database_name, is_of_broker},
    join::{SurfaceOffer, SurfaceUse},
};

/// Maximum number of repositories that a value may lead to; more carry no information.
const MAX_DESTINATIONS: usize = 4;

/// Returns a link from each setting to the repository behind its value, and from each workload to the repository of its image.
pub(super) fn links(repositories: &[ServiceRepository<'_>], network: &Network<'_>) -> Vec<ServiceLink> {
    let settings =
        network.settings().filter(|setting| !is_name_of_broker(setting) && !is_database_name(setting.variable));
    let mut links: Vec<ServiceLink> = settings.flat_map(|setting| setting_links(network, &setting)).collect();
    links.extend(image_links(repositories, network));
    links
}

/// Returns true if a setting names a topic or a queue. The destinations of a proxy are addresses.
fn is_name_of_broker(setting: &DeployedSetting<'_>) -> bool {
    is_of_broker(setting.variable) && !setting.used.member.starts_with("http")
}

/// Returns a link from a setting to each repository behind its value.
pub(super) fn setting_links(network: &Network<'_>, setting: &DeployedSetting<'_>) -> Vec<ServiceLink> {
    let mut destinations = network.of_setting(setting);
    if destinations.is_empty() {
        return Vec::new();
    }
    let consumers = network.of_workload(setting.repository, setting.workload);
    let is_own = |repository: usize| {
        repository == setting.repository || consumers.iter().any(|consumer| consumer.repository == repository)
    };
    destinations.retain(|to| !is_own(to.repository));
    destinations.sort_by_key(|to| to.repository);
    destinations.dedup_by_key(|to| to.repository);
    // Several addresses of one value are several services; several repositories of one address are alternatives.
    let n_alternatives = if setting.used.member.contains(',') { 1 } else { destinations.len() };
    if destinations.len() > MAX_DESTINATIONS {
        return Vec::new();
    }
    let confidence = if n_alternatives == 1 { CONFIRMED } else { CANDIDATE / n_alternatives as f32 };
    let is_own_setting = setting.workload.is_empty();
    let readers =
        consumers.iter().map(|consumer| consumer.repository).chain(is_own_setting.then_some(setting.repository));
    let reads: Vec<_> = readers.filter_map(|reader| network.reader(reader, setting.variable)).collect();
    let found = destinations.into_iter().map(|to| {
        // In the order in which a reader follows them: the setting, the service behind it, and the workload that reads it.
        let mut evidence = vec![network.setting_evidence(setting)];
        evidence.extend(to.evidence);
        evidence.extend(consumers.iter().flat_map(|consumer| consumer.evidence.clone()));
        evidence.extend(reads.clone());
        let found = link(setting.used, setting.variable, &to.site, confidence, evidence);
        ServiceLink { user: setting.repository, provider: to.repository, link: found }
    });
    found.collect()
}

/// Returns a link from each workload to the repository that builds its image.
fn image_links(repositories: &[ServiceRepository<'_>], network: &Network<'_>) -> Vec<ServiceLink> {
    let mut links = Vec::new();
    for (deployment, workload, builders) in network.workload_builders() {
        let is_own = builders.iter().any(|to| to.repository == deployment);
        if is_own || builders.len() > MAX_DESTINATIONS {
            continue;
        }
        let confidence = if builders.len() == 1 { CONFIRMED } else { CANDIDATE / builders.len().max(1) as f32 };
        for to in builders {
            let name = match images::image_name(&workload.member) {
                name if name.is_empty() || name.contains('{') => repositories[to.repository].alias.to_owned(),
                name => name,
            };
            let used = image_use(workload);
            let found = link(&used, &format!("image {name}"), &to.site, confidence, to.evidence);
            links.push(ServiceLink { user: deployment, provider: to.repository, link: found });
        }
    }
    links
}

/// Returns the use of an image by a workload.
fn image_use(workload: &SurfaceOffer) -> SurfaceUse {
    SurfaceUse {
        kind: ContractKind::Image,
        key: workload.key.clone(),
        member: workload.member.clone(),
        site: workload.site.clone(),
        confidence: CONFIRMED,
        n_sites: 1,
        serves: false,
    }
}
