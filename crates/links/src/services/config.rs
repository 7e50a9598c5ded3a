//! Settings of deployments: a variable tells a workload where another service is.

use super::{CONFIRMED, ServiceLink, ServiceRepository, link, network::Network};
use crate::join::ContractSite;

/// Returns a link from each setting to the repository behind its value.
pub(super) fn links(repositories: &[ServiceRepository<'_>], network: &Network<'_>) -> Vec<ServiceLink> {
    let mut links = Vec::new();
    for setting in network.settings() {
        for to in network.of_value(&setting.used.member) {
            let consumers = network.of_workload(setting.repository, setting.workload);
            let is_own = consumers.iter().any(|consumer| consumer.repository == to.repository);
            if to.repository == setting.repository || is_own {
                continue;
            }
            let offer = destination_site(&repositories[to.repository], &to.evidence);
            let mut evidence = to.evidence;
            evidence.extend(consumers.into_iter().flat_map(|consumer| consumer.evidence));
            let found = link(setting.used, setting.variable, &offer, CONFIRMED, evidence);
            links.push(ServiceLink { user: setting.repository, provider: to.repository, link: found });
        }
    }
    links
}

/// Returns the place in a repository that stands for its service: the last step of the evidence, which is in it.
fn destination_site(repository: &ServiceRepository<'_>, evidence: &[super::EvidenceStep]) -> ContractSite {
    let path = evidence.last().map(|step| step.path.as_str());
    let offers = &repository.surface.offers;
    let built = offers.iter().find(|offer| Some(offer.site.path.as_str()) == path);
    built
        .or(offers.first())
        .map_or_else(|| ContractSite { node: 0, path: String::new(), line: 1 }, |offer| offer.site.clone())
}
