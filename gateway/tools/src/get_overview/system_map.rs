//! The system map: several repositories and the links between them.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use model::Language;
use proto::v1;
use serde::Serialize;

use super::{
    OverviewOptions,
    dangling::{dangling, unlinked_uses},
    entry::{self, NamedCounts, NeighbourEntry, OverviewEntry, OverviewRepositoryEntry, SymbolEntry},
    layout::{self, OverviewHead, UncutOverview},
    links::{CrossRepoDefinition, Links},
    repository::{percent, shown, signature, symbol},
    sections::{OverviewSection, OverviewSections},
    versions,
};
use crate::{
    get_context::item::ContextItem,
    meta::stale_warning,
    render::{self, RenderedAnswer},
};
use federation::{
    answer::Answer, call::CallContext, co_change::RepositoryCoChange, commit_id::short_commit, directory::Availability,
    nodes::NodeRef, overlay::Overlay, plan::Plan, refusal::Refusal, repo_idx::RepoIdx,
};

/// Number of items per list to request from every repository.
const ITEMS_EACH: u32 = 3;

/// Maximum number of described definitions: more than any budget holds.
const MAX_DEFINITIONS: usize = 200;

/// Maximum number of listed users of one definition.
const MAX_USERS: usize = 5;

/// The head of the map.
#[derive(Debug, Clone, Serialize)]
struct SystemMapHead {
    /// Number of repositories, including those that are not shown.
    n_repositories: usize,
    /// Number of those that are linked with others.
    n_connected: usize,
    /// By language: the number of calls that may mean a definition of these repositories, and could not be resolved.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    unlinked_calls: BTreeMap<&'static str, usize>,
    /// By kind and reason, then by language: the number of requests, rpc calls, topics and tables without a link.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    unlinked: BTreeMap<String, BTreeMap<&'static str, usize>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

pub(super) async fn answer(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    mut options: OverviewOptions,
) -> Result<RenderedAnswer, Refusal> {
    let link_shortfalls = overlay.shortfalls(|repo_idx| plan.asked.contains(&repo_idx));
    let overviews = call.overviews(&plan.without(&link_shortfalls), ITEMS_EACH).await.after(link_shortfalls);
    let remaining = plan.without(&overviews.shortfalls);
    let (overviews, shortfalls) = (overviews.value, overviews.shortfalls);
    let requested: BTreeSet<RepoIdx> = plan.asked.iter().copied().collect();
    let inner = match plan.asked[..] {
        [one, other] => Links::between(call, overlay, one, other),
        _ => Links::new(call, overlay, |user, provider| requested.contains(&user) && requested.contains(&provider)),
    };
    let outer = Links::new(call, overlay, |user, provider| requested.contains(&user) != requested.contains(&provider));
    if inner.n_uncertain > 0 {
        options.notes.push(format!("uncertain links, not listed: {}", inner.n_uncertain));
    }
    let weights = inner.weights();
    let (connected, isolated): (Vec<RepoIdx>, Vec<RepoIdx>) =
        order(plan, &weights).into_iter().partition(|repo_idx| weights.contains_key(repo_idx));
    let map = SystemMapHead {
        n_repositories: plan.asked.len(),
        n_connected: connected.len(),
        unlinked_calls: unlinked_calls(overlay, &requested),
        unlinked: unlinked_uses(call, overlay, &requested),
        note: note(&remaining),
    };
    let repository =
        |repo_idx: &RepoIdx| OverviewEntry::Repository(repository(plan, *repo_idx, overviews.get(repo_idx)));
    let brief_entry =
        |repo_idx: &RepoIdx| OverviewEntry::Repository(brief_entry(plan, *repo_idx, overviews.get(repo_idx)));
    let connected = connected.iter().map(repository).collect();
    let unconnected = isolated.iter().map(if weights.is_empty() {
        &repository as &dyn Fn(&RepoIdx) -> OverviewEntry
    } else {
        &brief_entry
    });
    let unconnected = unconnected.collect();
    let links = inner.lines(plan, options.token_budget).into_iter().map(OverviewEntry::Link).collect();
    let most_used = most_used(plan, &overviews);
    let neighbours = neighbours(plan, &outer, &requested);
    let co_changes =
        call.repository_co_changes(&remaining).await.into_iter().map(|pair| co_change_entry(plan, pair)).collect();
    let depended_on = depended_on(call, &remaining, &inner).await.after(shortfalls);
    let answered = plan.without(&depended_on.shortfalls);
    let depended_on = depended_on.value;
    let sections = vec![
        OverviewSection { beyond: "list_repos", ..OverviewSection::whole("repositories", 6, connected) },
        OverviewSection::whole("links", 8, links),
        OverviewSection::whole("dangling", 4, dangling(call, plan, overlay, &requested)),
        OverviewSection::whole("package_versions", 3, versions::package_versions(call, plan, overlay, &requested)),
        OverviewSection::whole("breaks_on_upgrade", 3, versions::breaks_on_upgrade(call, plan, overlay, &requested)),
        OverviewSection {
            beyond: "get_impact for the users of a definition",
            ..OverviewSection::whole("depended_on", 4, depended_on)
        },
        OverviewSection {
            beyond: "get_overview of one repository",
            ..OverviewSection::whole("most_used", 2, most_used)
        },
        OverviewSection { beyond: "list_repos", ..OverviewSection::whole("unconnected", 4, unconnected) },
        OverviewSection::whole("neighbours", 3, neighbours),
        OverviewSection::whole("changed_together", 3, co_changes),
    ];
    let hint = plan.asked.first().map(|_| "get_overview repo=ALIAS describes one of them".to_owned());
    let whole = UncutOverview { head: map, sections: OverviewSections(sections), quoted: Vec::new(), hint };
    Ok(layout::render(&answered, whole, options))
}

impl OverviewHead for SystemMapHead {
    fn lines(&self) -> String {
        let SystemMapHead { n_repositories, n_connected, unlinked_calls, unlinked, note } = self;
        let mut lines = format!("# {n_repositories} repositories, {n_connected} of them connected\n");
        if !unlinked_calls.is_empty() {
            let counts: Vec<String> =
                unlinked_calls.iter().map(|(language, n_calls)| format!("{language} {n_calls}")).collect();
            lines += &format!("unlinked calls: {}\n", counts.join(", "));
        }
        for (what, by_language) in unlinked {
            let counts: Vec<String> =
                by_language.iter().map(|(language, n_uses)| format!("{language} {n_uses}")).collect();
            lines += &format!("{what}: {}\n", counts.join(", "));
        }
        lines.extend(note.iter().map(|note| format!("{note}\n")));
        lines
    }

    fn shortened(&self, step: usize) -> SystemMapHead {
        let unlinked_calls = if step < 2 { self.unlinked_calls.clone() } else { BTreeMap::new() };
        let unlinked = if step < 2 { self.unlinked.clone() } else { BTreeMap::new() };
        SystemMapHead { note: self.note.clone().filter(|_| step < 2), unlinked_calls, unlinked, ..*self }
    }
}

/// Counts the calls in some repositories that could not be resolved, by language.
fn unlinked_calls(overlay: &Overlay, requested: &BTreeSet<RepoIdx>) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for (_, site) in overlay.all_unresolved_calls().filter(|(repo_idx, _)| requested.contains(repo_idx)) {
        *counts.entry(Language::of_path(&site.path).name()).or_default() += 1;
    }
    counts
}

fn note(plan: &Plan) -> Option<String> {
    plan.asked.is_empty().then(|| "no repository is available yet".to_owned())
}

/// Returns the requested repositories: those with the most linked repositories first, then the largest.
fn order(plan: &Plan, weights: &BTreeMap<RepoIdx, (usize, usize)>) -> Vec<RepoIdx> {
    let mut order = plan.asked.clone();
    let symbols = |repo_idx: RepoIdx| plan.repository(repo_idx).advertised.symbols;
    order.sort_by_key(|repo_idx| (Reverse(weights.get(repo_idx).copied()), Reverse(symbols(*repo_idx)), *repo_idx));
    order
}

fn repository(plan: &Plan, repo_idx: RepoIdx, overview: Option<&v1::RepositoryOverview>) -> OverviewRepositoryEntry {
    let repository = plan.repository(repo_idx);
    let advertised = &repository.advertised;
    OverviewRepositoryEntry {
        indexed_commit: short_commit(&shown(&advertised.commit)).to_owned(),
        stale_warning: stale_warning(advertised),
        ..brief_entry(plan, repo_idx, overview)
    }
}

/// Returns a repository without the details of a single overview.
fn brief_entry(plan: &Plan, repo_idx: RepoIdx, overview: Option<&v1::RepositoryOverview>) -> OverviewRepositoryEntry {
    let repository = plan.repository(repo_idx);
    let is_serving = matches!(repository.availability, Availability::Serving(_));
    let languages = overview.map(|overview| NamedCounts {
        first: overview
            .languages
            .iter()
            .map(|share| (shown(&share.language), percent(share.lines as f32 / overview.code_lines.max(1) as f32)))
            .filter(|(_, percent)| *percent > 0)
            .map(|(language, percent)| (language, u64::from(percent)))
            .collect(),
        n_more: 0,
    });
    let purpose = overview.and_then(|overview| overview.purposes.first());
    OverviewRepositoryEntry {
        repo: plan.alias(repo_idx).to_owned(),
        state: (!is_serving).then(|| repository.availability.name()),
        purpose: purpose.map(|purpose_source| text::first_sentence(&purpose_source.text)).unwrap_or_default(),
        languages: languages.unwrap_or_default(),
        files: repository.advertised.files,
        symbols: repository.advertised.symbols,
        indexed_commit: String::new(),
        stale_warning: None,
    }
}

/// Returns the definitions that other repositories use, described as far as their workers answer.
async fn depended_on(call: &CallContext<'_>, plan: &Plan, links: &Links<'_>) -> Answer<Vec<OverviewEntry>> {
    let mut found = links.cross_repo_definitions();
    found.truncate(MAX_DEFINITIONS);
    let nodes: BTreeSet<NodeRef> = found.iter().map(|one| one.at).collect();
    let Answer { value: cards, shortfalls } = call.describe(plan, &nodes).await;
    let entry = |one: CrossRepoDefinition<'_>| {
        let mut users: Vec<(RepoIdx, usize)> = one.users.iter().map(|(user, n_links)| (*user, *n_links)).collect();
        users.sort_by_key(|(user, n_links)| (Reverse(*n_links), *user));
        let first = users.iter().take(MAX_USERS).map(|(user, n_links)| (plan.alias(*user).to_owned(), *n_links as u64));
        let used_by_repos = NamedCounts { first: first.collect(), n_more: users.len().saturating_sub(MAX_USERS) };
        let location = format!("{}:{}:{}", plan.alias(one.at.repo_idx), shown(&one.site.path), one.site.line);
        let named = SymbolEntry {
            id: location,
            kind: String::new(),
            signature: shown(one.key),
            line: 0,
            used_by: 0,
            used_by_repos: used_by_repos.clone(),
        };
        let Some(card) = cards.get(&one.at) else { return OverviewEntry::Symbol(named) };
        let Some(symbol) = &card.symbol else {
            let kind = card.node.as_ref().map(|node| shown(&node.kind)).unwrap_or_default();
            return OverviewEntry::Symbol(SymbolEntry { kind, ..named });
        };
        let item = ContextItem::of(plan, one.at, card);
        OverviewEntry::Symbol(SymbolEntry {
            id: item.id,
            kind: item.kind,
            signature: signature(&symbol.signature),
            line: symbol.name_line,
            used_by: symbol.used_by,
            used_by_repos,
        })
    };
    Answer { value: found.into_iter().map(entry).collect(), shortfalls }
}

/// Returns the definitions used most within their own repository: the first of each, then the second.
fn most_used(plan: &Plan, overviews: &BTreeMap<RepoIdx, v1::RepositoryOverview>) -> Vec<OverviewEntry> {
    let mut ranked: Vec<(usize, u32, RepoIdx, &v1::NamedSymbol)> = Vec::new();
    for (repo_idx, overview) in overviews {
        let own = overview.most_used.iter().enumerate();
        ranked.extend(own.map(|(rank, named)| (rank, named.used_by, *repo_idx, named)));
    }
    ranked.sort_by_key(|(rank, used_by, repo_idx, _)| (*rank, Reverse(*used_by), *repo_idx));
    let entry = |(_, _, repo_idx, named): (usize, u32, RepoIdx, &v1::NamedSymbol)| match symbol(named) {
        OverviewEntry::Symbol(own) => {
            let id = format!("{}//{}", plan.alias(repo_idx), own.id);
            OverviewEntry::Symbol(SymbolEntry { id, signature: String::new(), ..own })
        }
        other => other,
    };
    ranked.into_iter().map(entry).collect()
}

fn co_change_entry(plan: &Plan, pair: RepositoryCoChange) -> OverviewEntry {
    OverviewEntry::CoChange(entry::CoChangeEntry {
        repos: [pair.a, pair.b].map(|repo_idx| plan.alias(repo_idx).to_owned()),
        kind: "co-change",
        people: pair.authors,
        days: pair.days,
        lift: render::rounded(pair.lift as f32),
        evidence: pair.evidence,
    })
}

/// Returns the repositories outside the request that are linked with a requested one.
fn neighbours(plan: &Plan, links: &Links<'_>, requested: &BTreeSet<RepoIdx>) -> Vec<OverviewEntry> {
    let mut found: BTreeMap<RepoIdx, (BTreeSet<RepoIdx>, BTreeSet<RepoIdx>)> = BTreeMap::new();
    for (user, provider) in links.linked_pairs() {
        if requested.contains(&user) {
            found.entry(provider).or_default().1.insert(user);
        } else {
            found.entry(user).or_default().0.insert(provider);
        }
    }
    let aliases =
        |repo_idxs: BTreeSet<RepoIdx>| repo_idxs.into_iter().map(|other| plan.alias(other).to_owned()).collect();
    let entry = |(repo_idx, (uses, used_by)): (RepoIdx, (BTreeSet<RepoIdx>, BTreeSet<RepoIdx>))| {
        let repo = plan.alias(repo_idx).to_owned();
        OverviewEntry::Neighbour(NeighbourEntry { repo, uses: aliases(uses), used_by: aliases(used_by) })
    };
    found.into_iter().map(entry).collect()
}
