//! Why services of two repositories are linked, or which evidence is missing.

use links::{
    ContractKind,
    rules::LinkRules,
    services::{self, EvidenceStep, NetworkIndex, ServiceLink, ServiceRepository, UnlinkedReason, shown_name},
};

use super::cross_repo::Exported;

/// A link between services with its evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainedServiceLink {
    /// The contract: an rpc (`Service.Method`), a route, a topic, a table or a variable.
    pub name: String,
    /// The place of the use, as `alias:path:line`.
    pub user: String,
    /// The place that answers.
    pub provider: String,
    /// In (0, 1].
    pub confidence: f32,
    /// The places that the link was concluded from, each with its content.
    pub evidence: Vec<String>,
}

/// The links between the services of two repositories, and what is missing for others.
pub(super) struct ExplainedServices {
    pub(super) links: Vec<ExplainedServiceLink>,
    pub(super) ignored: Vec<String>,
    pub(super) missing: Vec<String>,
}

/// Explains the links between services from a repository to another one, given their indices. All repositories may give evidence.
pub(super) fn explain_services(
    repositories: &[Exported],
    (user, provider): (usize, usize),
    rules: &LinkRules,
) -> ExplainedServices {
    let all: Vec<ServiceRepository<'_>> = repositories
        .iter()
        .map(|one| ServiceRepository { alias: &one.alias, surface: one.surface.surface() })
        .collect();
    let place = |repository: usize, path: &str, line: u32| format!("{}:{path}:{line}", all[repository].alias);
    let step = |step: &EvidenceStep| format!("{} {}", place(step.repository, &step.path, step.line), step.content);
    // A deployment tells the user where the provider is.
    let is_told = |one: &ServiceLink| {
        one.link.kind == ContractKind::Config && one.link.evidence.iter().any(|step| step.repository == user)
    };
    let is_meant = |one: &ServiceLink| one.provider == provider && (one.user == user || is_told(one));
    let network = NetworkIndex::new(&all);
    let found = services::answered(&all, &network, rules);
    let mut found: Vec<&ServiceLink> = found.iter().filter(|one| is_meant(one)).collect();
    found.sort_by(|a, b| b.link.confidence.total_cmp(&a.link.confidence).then(a.link.kind.cmp(&b.link.kind)));
    let links = found.into_iter().map(|ServiceLink { user, provider, link }| ExplainedServiceLink {
        name: shown_name(link.kind, &link.key),
        user: place(*user, &link.user.path, link.user.line),
        provider: place(*provider, &link.offer.path, link.offer.line),
        confidence: link.confidence,
        evidence: link.evidence.iter().map(step).collect(),
    });
    let is_ignored = |one: &ServiceLink| {
        let name = shown_name(one.link.kind, &one.link.key);
        let (user, provider) = (all[one.user].alias, all[one.provider].alias);
        rules.may_link(user, provider) && !rules.may_link_contract(user, provider, [&one.link.key, &name])
    };
    let without_rules =
        if rules.is_empty() { Vec::new() } else { services::answered(&all, &network, &LinkRules::default()) };
    let ignored = without_rules.iter().filter(|one| is_meant(one) && is_ignored(one));
    let mut ignored: Vec<String> = ignored.map(|one| shown_name(one.link.kind, &one.link.key)).collect();
    ignored.sort();
    ignored.dedup();
    let mut missing = services::missing_evidence(&all, &network, rules, user);
    let leads_there = |evidence: &[EvidenceStep]| evidence.iter().any(|step| step.repository == provider);
    missing.retain(|(one, _)| one.reason != UnlinkedReason::NoRoute || leads_there(&one.evidence));
    let missing = missing.into_iter().map(|(one, missing)| {
        format!("{} at {}:{}: {missing}", shown_name(one.kind, &one.key), one.site.path, one.site.line)
    });
    ExplainedServices { links: links.collect(), ignored, missing: missing.collect() }
}
