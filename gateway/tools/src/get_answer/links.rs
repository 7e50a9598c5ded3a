//! Links between repositories as evidence of an answer: the same that the system map and walks show.

use std::collections::BTreeSet;

use ::links::{ContractKind, join::ContractLink};
use serde::{Deserialize, Serialize};

use super::evidence::EvidenceHit;
use crate::{
    get_context::item::{MAX_STEPS, place},
    render,
};
use federation::{
    call::CallContext,
    overlay::{Overlay, kind_name},
    plan::Plan,
    repo_idx::RepoIdx,
};

/// Maximum number of links beside an answer from text.
const MAX_LINKS: usize = 3;

/// A link between two repositories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct AnswerLink {
    /// The kind of contract: package, package_symbol, grpc, http, topic, table, config, image.
    pub(super) kind: String,
    /// The contract, as the provider writes it.
    pub(super) key: String,
    pub(super) user: LinkEnd,
    pub(super) provider: LinkEnd,
    pub(super) confidence: f64,
    /// The places that a link between services was concluded from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) because: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LinkEnd {
    pub(super) repo: String,
    pub(super) path: String,
    pub(super) line: u32,
}

/// A link of the overlay, or a call of an rpc with the function that serves it.
#[derive(Debug, Clone, Copy)]
pub(super) struct LinkFact<'a> {
    pub(super) user: RepoIdx,
    pub(super) provider: RepoIdx,
    /// Of a setting of a deployment: the repository that is told the address.
    pub(super) consumer: Option<RepoIdx>,
    pub(super) link: &'a ContractLink,
    pub(super) confidence: f32,
}

impl<'a> LinkFact<'a> {
    pub(super) fn new(user: RepoIdx, provider: RepoIdx, link: &'a ContractLink, confidence: f32) -> LinkFact<'a> {
        let is_config = link.kind == ContractKind::Config;
        // A setting is of a workload, whose image the consumer builds, and the consumer reads the variable.
        let of_consumer = link.evidence.iter().filter(|step| {
            let is_step = ["builds the image", "reads "].iter().any(|start| step.content.starts_with(start));
            is_step && RepoIdx(step.repository) != provider
        });
        let consumers: BTreeSet<RepoIdx> = of_consumer.map(|step| RepoIdx(step.repository)).collect();
        let is_third = is_config && !consumers.contains(&user);
        LinkFact { user, provider, consumer: consumers.first().copied().filter(|_| is_third), link, confidence }
    }

    /// Returns the repository that depends on the provider.
    pub(super) fn dependent(&self) -> RepoIdx {
        self.consumer.unwrap_or(self.user)
    }

    pub(super) fn answer_link(&self, plan: &Plan) -> AnswerLink {
        let end = |repo_idx: RepoIdx, site: &::links::join::ContractSite| LinkEnd {
            repo: plan.alias(repo_idx).to_owned(),
            path: text::sanitise_name(&site.path).into_owned(),
            line: site.line,
        };
        let because = self.link.evidence.iter().take(MAX_STEPS).map(|step| {
            let at = place(plan, RepoIdx(step.repository), &step.path, step.line);
            format!("{at} {}", text::sanitise_name(&step.content))
        });
        AnswerLink {
            kind: kind_name(self.link.kind).to_owned(),
            key: shown_key(self.link),
            user: end(self.user, &self.link.user),
            provider: end(self.provider, &self.link.offer),
            confidence: render::rounded(self.confidence),
            because: because.collect(),
        }
    }
}

/// Returns the key of a link as answers show it.
pub(super) fn shown_key(link: &ContractLink) -> String {
    let key = if link.member.is_empty() { link.key.to_string() } else { format!("{} {}", link.key, link.member) };
    text::sanitise_name(&key).into_owned()
}

/// Returns the key of a link as a sentence names it: of a package, the name that code writes, without the ecosystem. A type and
/// its constructor have one name.
pub(super) fn spoken_key(link: &ContractLink) -> String {
    let package = || link.key.split_once(':').map_or(&*link.key, |(_, name)| name);
    let name = match link.kind {
        ContractKind::PackageSymbol if !link.member.is_empty() => {
            let constructors = [".__init__", ".constructor", "::new"];
            constructors.iter().find_map(|suffix| link.member.strip_suffix(suffix)).unwrap_or(&link.member)
        }
        ContractKind::PackageSymbol | ContractKind::Package => package(),
        _ => return shown_key(link),
    };
    text::sanitise_name(name).into_owned()
}

/// Returns the links between repositories, the surest first. A call of an rpc leads to the function that serves it, and to the
/// definition of the rpc.
pub(super) fn facts<'a>(call: &'a CallContext<'_>, overlay: &'a Overlay) -> Vec<LinkFact<'a>> {
    let calls = overlay.rpc_calls(&call.visible);
    let calls = calls.map(|(user, provider, link)| LinkFact::new(user, provider, link, link.confidence));
    let links = overlay.all(&call.visible).filter(|edge| edge.is_counted());
    let links = links.map(|edge| LinkFact::new(edge.user, edge.provider, edge.link, edge.confidence));
    let mut facts: Vec<LinkFact<'_>> = calls.chain(links).collect();
    let place = |fact: &LinkFact<'a>| (fact.user, fact.provider, &fact.link.user, &fact.link.key, &fact.link.offer);
    facts.sort_by(|a, b| b.confidence.total_cmp(&a.confidence).then_with(|| place(a).cmp(&place(b))));
    // A definition that is at home with its server adds nothing to the call.
    let mut seen = BTreeSet::new();
    facts.retain(|fact| seen.insert((fact.user, fact.provider, &fact.link.user, &fact.link.key, fact.link.serves)));
    facts
}

/// Returns the links between the repositories of the two sides, the most certain first; links whose ends are in
/// retrieved files come first.
pub(super) fn between_sides(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    sides: &[BTreeSet<RepoIdx>; 2],
    hits: &[EvidenceHit],
) -> Vec<AnswerLink> {
    let is_found =
        |repo_idx: RepoIdx, path: &str| hits.iter().any(|hit| hit.repo_idx == repo_idx && hit.file.path == path);
    let mut found: Vec<LinkFact<'_>> =
        facts(call, overlay).into_iter().filter(|fact| is_between(fact, &sides[0], &sides[1])).collect();
    found.sort_by_key(|fact| {
        let ends = [(fact.user, &fact.link.user.path), (fact.provider, &fact.link.offer.path)];
        ends.into_iter().filter(|(repo_idx, path)| !is_found(*repo_idx, path)).count()
    });
    found.iter().take(MAX_LINKS).map(|fact| fact.answer_link(plan)).collect()
}

/// Returns true for a link between two sets of repositories, in either direction.
pub(super) fn is_between(fact: &LinkFact<'_>, one: &BTreeSet<RepoIdx>, other: &BTreeSet<RepoIdx>) -> bool {
    let joins = |a: &BTreeSet<RepoIdx>, b: &BTreeSet<RepoIdx>| {
        a.contains(&fact.dependent()) && b.contains(&fact.provider) && fact.dependent() != fact.provider
    };
    joins(one, other) || joins(other, one)
}

impl AnswerLink {
    /// Returns the link as a sentence, without its locations.
    pub(super) fn sentence(&self) -> String {
        let AnswerLink { kind, key, user, provider, .. } = self;
        let how = kind.replace('_', " ");
        let [user, key, provider] = [&user.repo, key, &provider.repo].map(|name| text::quote(name));
        format!("{user} uses {key} of {provider} ({how}).")
    }
}
