//! The overview of one repository.

use std::collections::BTreeMap;

use proto::v1;
use serde::Serialize;

use super::{
    OverviewOptions,
    entry::{
        CommunityEntry, HotspotEntry, InfraEntry, ModuleEntry, NamedCounts, OverviewEntry, OverviewLanguage,
        PackageEntry, PersonEntry, RouteEntry, StartEntry, SymbolEntry, counted,
    },
    layout::{self, OverviewHead, UncutOverview},
    links::{Links, publishers},
    sections::{OverviewSection, OverviewSections},
};
use crate::{arguments::suggested, render::RenderedAnswer};
use federation::{
    call::CallContext, coverage::Coverage, instant::rfc3339, outline, overlay::Overlay, plan::Plan, refusal::Refusal,
    repo_idx::RepoIdx,
};

/// Maximum number of requested items per list: more than any budget holds.
const MAX_ITEMS: u32 = 200;

/// Divisor of the budget: the maximum share of the purpose.
const PURPOSE_SHARE: usize = 6;

/// Characters per token, to cut the purpose before its tokens are counted.
const CHARS_PER_TOKEN: usize = 4;

/// Maximum number of other modules that one module lists.
const MAX_LINKED_MODULES: usize = 4;

/// The head of a repository, before its lists.
#[derive(Debug, Clone, Default, Serialize)]
struct RepositoryHead {
    repo: String,
    /// Its name in its manifest.
    #[serde(skip_serializing_if = "String::is_empty")]
    name: String,
    /// Its own description, with the source.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    purpose: Vec<PurposeSource>,
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    committed_at: Option<String>,
    files: u64,
    symbols: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<RepositoryHistory>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Debug, Clone, Serialize)]
struct PurposeSource {
    text: String,
    from: String,
}

#[derive(Debug, Clone, Serialize)]
struct RepositoryHistory {
    /// The known part of the history.
    known: &'static str,
    /// Commits in the 13 weeks before the newest.
    recent_commits: u32,
    /// True if there may be more of them.
    #[serde(skip_serializing_if = "is_false")]
    at_least: bool,
    /// Number of people who together own more than half of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    bus_factor: Option<u32>,
}

pub(super) async fn answer(
    call: &CallContext<'_>,
    plan: &Plan,
    overlay: &Overlay,
    repo_idx: RepoIdx,
    mut options: OverviewOptions,
) -> Result<RenderedAnswer, Refusal> {
    let link_shortfalls = overlay.shortfalls(|repo_idx| plan.asked.contains(&repo_idx));
    let mut overviews = call.overviews(&plan.without(&link_shortfalls), MAX_ITEMS).await.after(link_shortfalls);
    let answered = plan.without(&overviews.shortfalls);
    let overview = overviews.value.remove(&repo_idx);
    let links = Links::new(call, overlay, |user, provider| user == repo_idx || provider == repo_idx);
    if links.n_uncertain > 0 {
        options.notes.push(format!("uncertain links to other repositories, not listed: {}", links.n_uncertain));
    }
    let mut head = head(plan, repo_idx);
    let mut sections = Vec::new();
    match &overview {
        Some(overview) => {
            head.describe(overview, options.token_budget);
            sections = lists(plan, overview, &publishers(call, overlay, repo_idx));
        }
        None => head.note = Coverage::of(&answered).unknown_note(),
    }
    let link = OverviewSection::whole(
        "links",
        4,
        links.lines(plan, options.token_budget).into_iter().map(OverviewEntry::Link).collect(),
    );
    // Links follow the description and precede the people.
    sections.insert(sections.len().min(LINKS_IDX), link);
    let alias = plan.alias(repo_idx);
    let hint = overview.is_some().then(|| format!("search_codebase {} searches its code", suggested("repo", alias)));
    let whole = UncutOverview { head, sections: OverviewSections(sections), quoted: vec![repo_idx], hint };
    Ok(layout::render(&answered, whole, options))
}

/// Index of the links among the lists.
const LINKS_IDX: usize = 5;

fn head(plan: &Plan, repo_idx: RepoIdx) -> RepositoryHead {
    let repository = plan.repository(repo_idx);
    let advertised = &repository.advertised;
    RepositoryHead {
        repo: plan.alias(repo_idx).to_owned(),
        branch: Some(shown(&advertised.branch)).filter(|branch| !branch.is_empty()),
        committed_at: rfc3339(advertised.committed_at),
        files: advertised.files,
        symbols: advertised.symbols,
        ..RepositoryHead::default()
    }
}

impl RepositoryHead {
    fn describe(&mut self, overview: &v1::RepositoryOverview, token_budget: usize) {
        self.name = Some(shown(&overview.name)).filter(|name| *name != self.repo).unwrap_or_default();
        let mut left = token_budget * CHARS_PER_TOKEN / PURPOSE_SHARE;
        for purpose in &overview.purposes {
            let text = first_chars(&prose(&purpose.text), left);
            left -= text.chars().count().min(left);
            if !text.is_empty() {
                self.purpose.push(PurposeSource { text, from: shown(&purpose.path) });
            }
        }
        self.history = overview.past.as_ref().filter(|past| past.extent() != v1::HistoryExtent::Nothing).map(history);
    }
}

impl OverviewHead for RepositoryHead {
    fn lines(&self) -> String {
        let RepositoryHead { repo, name, purpose, branch, committed_at, files, symbols, history, note } = self;
        let name = if name.is_empty() { String::new() } else { format!(" ({})", text::quote_name(name)) };
        let repo = text::quote_name(repo);
        let mut lines =
            format!("# {repo}{name}\n{}, {}", counted(*files as usize, "file"), counted(*symbols as usize, "symbol"));
        lines.extend(branch.iter().map(|branch| format!(", branch {}", text::quote_name(branch))));
        lines.extend(committed_at.iter().map(|at| format!(", last commit {at}")));
        lines.push('\n');
        if let Some(RepositoryHistory { known, recent_commits, at_least, bus_factor }) = history {
            let more = if *at_least { "+" } else { "" };
            lines += &format!("History: {known}; commits in its last 13 weeks: {recent_commits}{more}");
            lines.extend(bus_factor.iter().map(|factor| format!("; bus factor {factor}")));
            lines.push('\n');
        }
        lines.extend(note.iter().map(|note| format!("{note}\n")));
        let quoted = |PurposeSource { text, from }: &PurposeSource| {
            format!("\n{} [{}]\n", text::quote(text), text::quote_name(from))
        };
        lines.extend(purpose.iter().map(quoted));
        lines
    }

    fn shortened(&self, step: usize) -> RepositoryHead {
        let bare = RepositoryHead { repo: self.repo.clone(), note: self.note.clone(), ..RepositoryHead::default() };
        let (files, symbols) = (self.files, self.symbols);
        match step {
            0 => RepositoryHead {
                purpose: self.purpose.iter().take(1).map(PurposeSource::shortened).collect(),
                history: None,
                ..self.clone()
            },
            1 => RepositoryHead { files, symbols, ..bare },
            _ => RepositoryHead { note: None, files, symbols, ..bare },
        }
    }
}

impl PurposeSource {
    fn shortened(&self) -> PurposeSource {
        PurposeSource { text: text::first_sentence(&self.text), from: self.from.clone() }
    }
}

fn history(past: &v1::WholePast) -> RepositoryHistory {
    let known = match past.extent() {
        v1::HistoryExtent::Unspecified | v1::HistoryExtent::Nothing => "none",
        v1::HistoryExtent::Whole => "whole",
        v1::HistoryExtent::Bounded => "newest commits",
        v1::HistoryExtent::Shallow => "as much as the shallow clone holds",
    };
    RepositoryHistory {
        known,
        recent_commits: past.recent,
        at_least: past.recent_is_at_least,
        bus_factor: Some(past.bus_factor).filter(|factor| *factor > 0),
    }
}

/// Returns the lists in order: description, entry points, exports and dependencies, people.
fn lists(plan: &Plan, overview: &v1::RepositoryOverview, publishers: &BTreeMap<&str, RepoIdx>) -> Vec<OverviewSection> {
    let list = |name, weight, entries: Vec<OverviewEntry>, n_all: u32, beyond| OverviewSection {
        name,
        weight,
        n_all: (n_all as usize).max(entries.len()),
        entries,
        beyond,
    };
    let package = |package: &v1::DeclaredPackage| {
        let publisher = publishers.get(package.key.as_str()).map(|publisher| plan.alias(*publisher).to_owned());
        OverviewEntry::Package(PackageEntry {
            package: shown(&package.key),
            at: site_text(package.at.as_ref()),
            more_manifests: package.manifests.saturating_sub(1),
            used_in: package.sites,
            repo: publisher,
        })
    };
    // Packages of other repositories come first: they matter more than the usage counts of third-party packages.
    let (in_federation, external): (Vec<_>, Vec<_>) =
        overview.requires.iter().partition(|package| publishers.contains_key(package.key.as_str()));
    let required = in_federation.into_iter().chain(external).map(package).collect();
    let owners = overview.past.iter().flat_map(|past| &past.owners).map(|owner| OverviewEntry::Person(person(owner)));
    let all_owners = overview.past.as_ref().map_or(0, |past| past.all_owners);
    vec![
        list("languages", 2, languages(overview), overview.all_languages, ""),
        list(
            "modules",
            8,
            overview.modules.iter().map(module).collect(),
            overview.all_modules,
            "search_codebase page_type=module_page",
        ),
        list("entry_points", 4, overview.starts.iter().map(start).collect(), overview.all_starts, ""),
        list("routes", 4, overview.routes.iter().map(route).collect(), overview.all_routes, ""),
        list("services", 2, overview.services.iter().map(symbol).collect(), overview.all_services, ""),
        list(
            "most_used",
            5,
            overview.most_used.iter().map(symbol).collect(),
            overview.all_most_used,
            "search_symbols for definitions",
        ),
        list("hotspots", 3, overview.hotspots.iter().map(hotspot).collect(), overview.all_hotspots, ""),
        list("communities", 3, overview.communities.iter().map(community).collect(), overview.all_communities, ""),
        list("makes", 1, overview.makes.iter().map(package).collect(), overview.all_makes, ""),
        list("requires", 3, required, overview.all_requires, ""),
        list(
            "built_and_run_by",
            2,
            overview.infra.iter().map(infra_entry).collect(),
            overview.all_infra,
            "search_codebase page_type=infra_page",
        ),
        list("owners", 1, owners.collect(), all_owners, ""),
    ]
}

fn languages(overview: &v1::RepositoryOverview) -> Vec<OverviewEntry> {
    let entry = |share: &v1::LanguageShare| {
        OverviewEntry::Language(OverviewLanguage {
            language: shown(&share.language),
            files: share.files,
            percent: percent(share.lines as f32 / overview.code_lines.max(1) as f32),
        })
    };
    overview.languages.iter().map(entry).collect()
}

fn module(module: &v1::Module) -> OverviewEntry {
    let module_counts = |modules: &[v1::ModuleTie], all: u32| {
        let first = modules
            .iter()
            .take(MAX_LINKED_MODULES)
            .map(|linked_module| (folder(&linked_module.path), u64::from(linked_module.sites)));
        let first: Vec<(String, u64)> = first.collect();
        NamedCounts { n_more: (all as usize).saturating_sub(first.len()), first }
    };
    OverviewEntry::Module(ModuleEntry {
        path: folder(&module.path),
        package: shown(&module.package),
        purpose: module.purpose.as_ref().map(|purpose| text::first_sentence(&purpose.text)).unwrap_or_default(),
        files: module.files,
        symbols: module.symbols,
        owner: module.owner.as_ref().map(person),
        uses: module_counts(&module.uses, module.all_uses),
        used_by: module_counts(&module.used_by, module.all_used_by),
    })
}

fn start(start: &v1::Start) -> OverviewEntry {
    let kind = match start.kind() {
        v1::StartKind::Command => "command",
        v1::StartKind::Export => "export",
        v1::StartKind::Main | v1::StartKind::Unspecified => "main",
    };
    OverviewEntry::Start(StartEntry {
        kind,
        name: shown(&start.name),
        target: shown(&start.target),
        at: site_text(start.at.as_ref()),
    })
}

fn route(route: &v1::AnsweredRoute) -> OverviewEntry {
    OverviewEntry::Route(RouteEntry {
        route: shown(&format!("{} {}", route.method, route.path)),
        handler: shown(&route.handler),
        at: site_text(route.at.as_ref()),
    })
}

pub(super) fn symbol(symbol: &v1::NamedSymbol) -> OverviewEntry {
    OverviewEntry::Symbol(SymbolEntry {
        id: shown(&symbol.id),
        kind: shown(&symbol.kind),
        signature: signature(&symbol.signature),
        line: symbol.at.as_ref().map_or(0, |at| at.line),
        used_by: symbol.used_by,
        used_by_repos: NamedCounts::default(),
    })
}

fn hotspot(hotspot: &v1::HotFile) -> OverviewEntry {
    OverviewEntry::Hotspot(HotspotEntry {
        path: shown(&hotspot.path),
        score: f64::from((hotspot.score * 10.0).round()) / 10.0,
        recent_commits: hotspot.recent,
        lines: hotspot.lines,
        fixes: hotspot.fixes,
        owner: hotspot.owner.as_ref().map(person),
    })
}

fn community(group: &v1::FileGroup) -> OverviewEntry {
    OverviewEntry::Community(CommunityEntry {
        label: shown(&group.label),
        files: group.files,
        cohesion: f64::from((group.cohesion * 100.0).round()) / 100.0,
        members: group.members.iter().map(|path| shown(path)).collect(),
    })
}

fn infra_entry(file: &v1::InfraFile) -> OverviewEntry {
    let says = file.says.iter().map(|item| prose(item)).collect();
    OverviewEntry::Infra(InfraEntry { path: shown(&file.path), kind: shown(&file.kind), says })
}

fn person(owner: &v1::Owner) -> PersonEntry {
    PersonEntry { name: shown(&owner.name), percent: percent(owner.share) }
}

pub(super) fn percent(share: f32) -> u32 {
    (share * 100.0).round() as u32
}

/// Returns a sanitised path, name or id.
pub(super) fn shown(name: &str) -> String {
    text::sanitise_name(name).into_owned()
}

/// Returns sanitised text of a repository on one line.
pub(super) fn prose(markup: &str) -> String {
    text::sanitise_name(&text::clean(markup)).into_owned()
}

/// Returns the path of a folder; the root, which has no name, is a dot.
fn folder(path: &str) -> String {
    if path.is_empty() { ".".to_owned() } else { shown(path) }
}

fn site_text(location: Option<&v1::Spot>) -> String {
    location.map(|location| format!("{}:{}", shown(&location.path), location.line)).unwrap_or_default()
}

fn first_chars(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// Maximum length of a signature: its end holds parameters, which the source shows.
const MAX_SIGNATURE_CHARS: usize = 140;

/// Returns a signature for a list. It removes white space that line breaks left behind.
pub(super) fn signature(signature: &str) -> String {
    let shown = outline::signature(signature).replace("( ", "(").replace(", )", ")");
    first_chars(&shown, MAX_SIGNATURE_CHARS)
}

fn is_false(value: &bool) -> bool {
    !value
}
