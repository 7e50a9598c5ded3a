//! What repositories use of each other, one line for each pair and kind.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use graph::overlay::Site;

use super::entry::Link;
use crate::{
    call::Call,
    nodes::At,
    overlay::{Leap, Overlay, kind_name},
    plan::Plan,
    render,
    tools::get_context::item::Sides,
    walk::CERTAIN,
};

/// Links of one pair and kind that are shown as evidence at most.
const MAX_EVIDENCE: usize = 3;

/// Tokens that a line of evidence takes as JSON, about.
const EVIDENCE_TOKENS: usize = 50;

/// The links of the repositories that a caller sees, as far as they are taken for facts.
pub(super) struct Links<'a> {
    /// By user, provider and kind.
    pairs: BTreeMap<(usize, usize, &'static str), Vec<Leap<'a>>>,
    /// Links that are possible, and no more than that.
    pub(super) n_unsure: usize,
}

/// What other repositories use of one.
pub(super) struct Depended {
    pub(super) at: At,
    pub(super) key: String,
    /// Where it is defined.
    pub(super) site: Site,
    /// Links by user.
    pub(super) users: BTreeMap<usize, usize>,
}

impl<'a> Links<'a> {
    /// Returns the links of which `is_wanted` says so, given user and provider.
    pub(super) fn new(call: &'a Call<'_>, overlay: &'a Overlay, is_wanted: impl Fn(usize, usize) -> bool) -> Links<'a> {
        let mut links = Links { pairs: BTreeMap::new(), n_unsure: 0 };
        for leap in overlay.all(&call.visible).filter(|leap| is_wanted(leap.user, leap.provider)) {
            if leap.confidence < CERTAIN {
                links.n_unsure += 1;
                continue;
            }
            let kind = kind_name(leap.link.kind);
            links.pairs.entry((leap.user, leap.provider, kind)).or_default().push(leap);
        }
        links
    }

    /// Returns the pairs of repositories that are joined.
    pub(super) fn joined(&self) -> BTreeSet<(usize, usize)> {
        self.pairs.keys().map(|(user, provider, _)| (*user, *provider)).collect()
    }

    /// Returns how many other repositories each one is joined with, and by how many links.
    pub(super) fn weights(&self) -> BTreeMap<usize, (usize, usize)> {
        let mut neighbours: BTreeMap<usize, (BTreeSet<usize>, usize)> = BTreeMap::new();
        for ((user, provider, _), leaps) in &self.pairs {
            for (one, other) in [(user, provider), (provider, user)] {
                let (others, n_links) = neighbours.entry(*one).or_default();
                others.insert(*other);
                *n_links += leaps.len();
            }
        }
        neighbours.into_iter().map(|(one, (others, n_links))| (one, (others.len(), n_links))).collect()
    }

    /// Returns a line for each pair and kind: pairs with the most links first, the kinds of a pair side by side.
    pub(super) fn lines(&self, plan: &Plan, token_budget: usize) -> Vec<Link> {
        let mut of_pair: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for ((user, provider, _), leaps) in &self.pairs {
            *of_pair.entry((*user, *provider)).or_default() += leaps.len();
        }
        let n_evidence = token_budget / 3 / (EVIDENCE_TOKENS * self.pairs.len().max(1));
        let n_evidence = n_evidence.clamp(1, MAX_EVIDENCE);
        let mut pairs: Vec<_> = self.pairs.iter().collect();
        pairs.sort_by_key(|((user, provider, kind), leaps)| {
            (Reverse(of_pair[&(*user, *provider)]), *user, *provider, Reverse(leaps.len()), *kind)
        });
        let line = |((user, provider, kind), leaps): (&(usize, usize, &'static str), &Vec<Leap<'_>>)| {
            let strongest = strongest(leaps);
            Link {
                user: plan.alias(*user).to_owned(),
                provider: plan.alias(*provider).to_owned(),
                kind,
                links: leaps.len(),
                answered: leaps.iter().filter(|leap| leap.link.serves).count(),
                confidence: strongest.first().map_or(0.0, |leap| render::rounded(leap.confidence)),
                evidence: strongest.into_iter().take(n_evidence).map(|leap| sides(plan, leap)).collect(),
            }
        };
        pairs.into_iter().map(line).collect()
    }

    /// Returns the definitions that other repositories use, those of the most repositories first.
    pub(super) fn depended_on(&self) -> Vec<Depended> {
        let mut found: BTreeMap<At, Depended> = BTreeMap::new();
        let leaps = self.pairs.iter().filter(|((_, _, kind), _)| *kind != "package").flat_map(|(_, leaps)| leaps);
        // A package stands for what was not found in it, and whoever answers an rpc does not depend on itself.
        for leap in leaps.filter(|leap| leap.link.is_exact && !leap.link.serves) {
            let at = At { position: leap.provider, node: leap.link.offer.node };
            let first = || Depended {
                at,
                key: people_key(&leap.link.key).to_owned(),
                site: leap.link.offer.clone(),
                users: BTreeMap::new(),
            };
            *found.entry(at).or_insert_with(first).users.entry(leap.user).or_default() += 1;
        }
        let mut found: Vec<Depended> = found.into_values().collect();
        found.sort_by_key(|one| (Reverse(one.users.len()), Reverse(one.users.values().sum::<usize>()), one.at));
        found
    }

    /// Returns the repositories that make packages which `user` declares, by the key of the package.
    pub(super) fn makers(&self, user: usize) -> BTreeMap<&str, usize> {
        let own = self.pairs.iter().filter(|((of, _, kind), _)| *of == user && *kind == "package");
        own.flat_map(|(_, leaps)| leaps).map(|leap| (leap.link.key.as_str(), leap.provider)).collect()
    }
}

/// Returns links with the surest and most used first; of each key one before others follow.
fn strongest<'l, 'a>(leaps: &'l [Leap<'a>]) -> Vec<&'l Leap<'a>> {
    let mut ordered: Vec<&Leap<'_>> = leaps.iter().collect();
    ordered.sort_by(|a, b| {
        let place = |leap: &Leap<'_>| (leap.link.user.clone(), leap.link.offer.clone());
        let sites = b.link.n_sites.cmp(&a.link.n_sites);
        b.confidence.total_cmp(&a.confidence).then(sites).then_with(|| place(a).cmp(&place(b)))
    });
    let mut seen = BTreeSet::new();
    let (mut first, again): (Vec<_>, Vec<_>) =
        ordered.into_iter().partition(|leap| seen.insert((leap.link.key.as_str(), leap.link.member.as_str())));
    first.extend(again);
    first
}

fn sides(plan: &Plan, leap: &Leap<'_>) -> Sides {
    let site = |position: usize, site: &Site| {
        format!("{}:{}:{}", plan.alias(position), text::sanitise_name(&site.path), site.line)
    };
    let key = match leap.link.member.as_str() {
        "" => people_key(&leap.link.key).to_owned(),
        member => format!("{}::{member}", leap.link.key),
    };
    Sides {
        key: text::sanitise_name(&key).into_owned(),
        user: site(leap.user, &leap.link.user),
        offer: site(leap.provider, &leap.link.offer),
    }
}

/// Returns a key without the mark that generated code is joined with its proto file by.
fn people_key(key: &str) -> &str {
    ["protofile:", "protodir:", "proto:"].iter().find_map(|mark| key.strip_prefix(mark)).unwrap_or(key)
}
