//! Topics: a producer is linked to each consumer of the same topic.

use std::collections::BTreeMap;

use super::{CONFIRMED, ServiceLink, ServiceRepository, link, uses_of};
use crate::{contract::ContractKind, join::SurfaceUse};

/// Maximum number of producers, and of consumers, of one topic.
const MAX_ENDS: usize = 200;

/// Returns the links from producers to consumers in other repositories.
pub(super) fn links(repositories: &[ServiceRepository<'_>]) -> Vec<ServiceLink> {
    let mut topics: BTreeMap<&str, [Vec<(usize, &SurfaceUse)>; 2]> = BTreeMap::new();
    for (repository, used) in uses_of(repositories, ContractKind::Topic) {
        let ends = &mut topics.entry(&used.key).or_default()[usize::from(used.serves)];
        if ends.len() < MAX_ENDS {
            ends.push((repository, used));
        }
    }
    let mut links = Vec::new();
    for (topic, [producers, consumers]) in &topics {
        for (user, producer) in producers {
            for (provider, consumer) in consumers.iter().filter(|(provider, _)| provider != user) {
                let found = link(producer, topic, &consumer.site, CONFIRMED, Vec::new());
                links.push(ServiceLink { user: *user, provider: *provider, link: found });
            }
        }
    }
    links
}
