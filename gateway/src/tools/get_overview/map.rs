//! The system map: several repositories, and how they hang together.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use proto::v1;
use serde::Serialize;

use super::{
    Options,
    entry::{self, Counts, Entry, Neighbour, Repository, Symbol},
    layout::{self, Head, Whole},
    links::{Depended, Links},
    note_missing_links,
    one::{percent, shown, signature, symbol},
    sections::{Section, Sections},
};
use crate::{
    call::Call,
    directory::Standing,
    meta::{short_commit, stale_warning},
    metrics::state_name,
    nodes::At,
    overlay::Overlay,
    plan::Plan,
    refusal::Refusal,
    render::{self, Rendered},
    together::Together,
    tools::get_context::item::Item,
};

/// Items of each list that are asked of every repository.
const ITEMS_EACH: u32 = 3;

/// Definitions that are described at most: more than fit into any budget.
const MAX_DEFINITIONS: usize = 200;

/// Repositories that one definition names as its users.
const MAX_USERS: usize = 5;

/// What is said of all before the lists.
#[derive(Debug, Clone, Serialize)]
struct Map {
    /// How many repositories there are, those included that are not shown.
    n_repositories: usize,
    /// Those among them that have to do with others.
    n_connected: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

pub(super) async fn answer(
    call: &Call<'_>,
    plan: &mut Plan,
    overlay: &Overlay,
    mut options: Options,
) -> Result<Rendered, Refusal> {
    note_missing_links(plan, overlay);
    let overviews = call.overviews(plan, ITEMS_EACH).await;
    let asked: BTreeSet<usize> = plan.asked.iter().copied().collect();
    let inner = Links::new(call, overlay, |user, provider| asked.contains(&user) && asked.contains(&provider));
    let outer = Links::new(call, overlay, |user, provider| asked.contains(&user) != asked.contains(&provider));
    if inner.n_unsure > 0 {
        options.notes.push(format!("{} links that are not sure are left out", inner.n_unsure));
    }
    let weights = inner.weights();
    let (connected, alone): (Vec<usize>, Vec<usize>) =
        order(plan, &weights).into_iter().partition(|position| weights.contains_key(position));
    let map = Map { n_repositories: plan.asked.len(), n_connected: connected.len(), note: note(plan) };
    let repository = |position: &usize| Entry::Repository(repository(plan, *position, overviews.get(position)));
    let briefly = |position: &usize| Entry::Repository(briefly(plan, *position, overviews.get(position)));
    let connected = connected.iter().map(repository).collect();
    let unconnected =
        alone.iter().map(if weights.is_empty() { &repository as &dyn Fn(&usize) -> Entry } else { &briefly });
    let unconnected = unconnected.collect();
    let links = inner.lines(plan, options.token_budget).into_iter().map(Entry::Link).collect();
    let most_used = most_used(plan, &overviews);
    let neighbours = neighbours(plan, &outer, &asked);
    let together = call.works_together(plan).await.into_iter().map(|pair| together(plan, pair)).collect();
    let depended_on = depended_on(call, plan, &inner).await;
    let sections = vec![
        Section { beyond: "list_repos", ..Section::whole("repositories", 6, connected) },
        Section::whole("links", 8, links),
        Section { beyond: "get_impact for who uses a definition", ..Section::whole("depended_on", 4, depended_on) },
        Section { beyond: "get_overview of one repository", ..Section::whole("most_used", 2, most_used) },
        Section { beyond: "list_repos", ..Section::whole("unconnected", 4, unconnected) },
        Section::whole("neighbours", 3, neighbours),
        Section::whole("changed_together", 3, together),
    ];
    let hint = plan.asked.first().map(|_| "get_overview repo=ALIAS explains one of them".to_owned());
    let whole = Whole { head: map, sections: Sections(sections), quoted: Vec::new(), hint };
    Ok(layout::render(call, plan, whole, options))
}

impl Head for Map {
    fn lines(&self) -> String {
        let Map { n_repositories, n_connected, note } = self;
        let mut lines = format!("# {n_repositories} repositories, {n_connected} of them connected\n");
        lines.extend(note.iter().map(|note| format!("{note}\n")));
        lines
    }

    fn shortened(&self, step: usize) -> Map {
        Map { note: self.note.clone().filter(|_| step < 2), ..*self }
    }
}

fn note(plan: &Plan) -> Option<String> {
    plan.asked.is_empty().then(|| "there is no repository yet".to_owned())
}

/// Returns the repositories asked: those that have to do with the most others first, then the largest.
fn order(plan: &Plan, weights: &BTreeMap<usize, (usize, usize)>) -> Vec<usize> {
    let mut order = plan.asked.clone();
    let symbols = |position: usize| plan.repository(position).advertised.symbols;
    order.sort_by_key(|position| (Reverse(weights.get(position).copied()), Reverse(symbols(*position)), *position));
    order
}

fn repository(plan: &Plan, position: usize, overview: Option<&v1::RepositoryOverview>) -> Repository {
    let repository = plan.repository(position);
    let advertised = &repository.advertised;
    Repository {
        indexed_commit: short_commit(&shown(&advertised.commit)).to_owned(),
        stale_warning: stale_warning(advertised),
        ..briefly(plan, position, overview)
    }
}

/// Returns a repository without what matters only of those that are looked at.
fn briefly(plan: &Plan, position: usize, overview: Option<&v1::RepositoryOverview>) -> Repository {
    let repository = plan.repository(position);
    let is_serving = matches!(repository.standing, Standing::Serving(_));
    let languages = overview.map(|overview| Counts {
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
    Repository {
        repo: plan.alias(position).to_owned(),
        state: (!is_serving).then(|| state_name(&repository.standing)),
        purpose: purpose.map(|said| render::first_sentence(&said.text)).unwrap_or_default(),
        languages: languages.unwrap_or_default(),
        files: repository.advertised.files,
        symbols: repository.advertised.symbols,
        indexed_commit: String::new(),
        stale_warning: None,
    }
}

/// Returns the definitions that other repositories use, described as far as their workers answer.
async fn depended_on(call: &Call<'_>, plan: &mut Plan, links: &Links<'_>) -> Vec<Entry> {
    let mut found = links.depended_on();
    found.truncate(MAX_DEFINITIONS);
    let nodes: BTreeSet<At> = found.iter().map(|one| one.at).collect();
    let cards = call.describe(plan, &nodes).await;
    let entry = |one: Depended| {
        let mut users: Vec<(usize, usize)> = one.users.iter().map(|(user, n_links)| (*user, *n_links)).collect();
        users.sort_by_key(|(user, n_links)| (Reverse(*n_links), *user));
        let first = users.iter().take(MAX_USERS).map(|(user, n_links)| (plan.alias(*user).to_owned(), *n_links as u64));
        let used_by_repos = Counts { first: first.collect(), n_more: users.len().saturating_sub(MAX_USERS) };
        let place = format!("{}:{}:{}", plan.alias(one.at.position), shown(&one.site.path), one.site.line);
        let named = Symbol {
            id: place,
            kind: String::new(),
            signature: shown(&one.key),
            line: 0,
            used_by: 0,
            used_by_repos: used_by_repos.clone(),
        };
        let Some(card) = cards.get(&one.at) else { return Entry::Symbol(named) };
        let Some(symbol) = &card.symbol else {
            let kind = card.node.as_ref().map(|node| shown(&node.kind)).unwrap_or_default();
            return Entry::Symbol(Symbol { kind, ..named });
        };
        let item = Item::of(plan, one.at, card);
        Entry::Symbol(Symbol {
            id: item.id,
            kind: item.kind,
            signature: signature(&symbol.signature),
            line: symbol.name_line,
            used_by: symbol.used_by,
            used_by_repos,
        })
    };
    found.into_iter().map(entry).collect()
}

/// Returns the definitions that are used most within their own repository: the first of each, then the second.
fn most_used(plan: &Plan, overviews: &BTreeMap<usize, v1::RepositoryOverview>) -> Vec<Entry> {
    let mut ranked: Vec<(usize, u32, usize, &v1::NamedSymbol)> = Vec::new();
    for (position, overview) in overviews {
        let own = overview.most_used.iter().enumerate();
        ranked.extend(own.map(|(place, named)| (place, named.used_by, *position, named)));
    }
    ranked.sort_by_key(|(place, used_by, position, _)| (*place, Reverse(*used_by), *position));
    let entry = |(_, _, position, named): (usize, u32, usize, &v1::NamedSymbol)| match symbol(named) {
        Entry::Symbol(own) => {
            let id = format!("{}//{}", plan.alias(position), own.id);
            Entry::Symbol(Symbol { id, signature: String::new(), ..own })
        }
        other => other,
    };
    ranked.into_iter().map(entry).collect()
}

fn together(plan: &Plan, pair: Together) -> Entry {
    Entry::Together(entry::Together {
        repos: [pair.a, pair.b].map(|position| plan.alias(position).to_owned()),
        kind: "co-change",
        people: pair.authors,
        days: pair.days,
        lift: render::rounded(pair.lift as f32),
        evidence: pair.evidence,
    })
}

/// Returns the repositories beyond those asked that have to do with one of them.
fn neighbours(plan: &Plan, links: &Links<'_>, asked: &BTreeSet<usize>) -> Vec<Entry> {
    let mut found: BTreeMap<usize, (BTreeSet<usize>, BTreeSet<usize>)> = BTreeMap::new();
    for (user, provider) in links.joined() {
        if asked.contains(&user) {
            found.entry(provider).or_default().1.insert(user);
        } else {
            found.entry(user).or_default().0.insert(provider);
        }
    }
    let aliases =
        |positions: BTreeSet<usize>| positions.into_iter().map(|other| plan.alias(other).to_owned()).collect();
    let entry = |(position, (uses, used_by)): (usize, (BTreeSet<usize>, BTreeSet<usize>))| {
        let repo = plan.alias(position).to_owned();
        Entry::Neighbour(Neighbour { repo, uses: aliases(uses), used_by: aliases(used_by) })
    };
    found.into_iter().map(entry).collect()
}
