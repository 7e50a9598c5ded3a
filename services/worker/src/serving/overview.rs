//! Overviews of repositories.

use index::{
    Overview,
    overview::{
        BoundedList, DefinitionSummary, EntryPoint, EntryPointKind, FileLine, HistorySummary, HotspotFile,
        ModuleOverview, OwnerShare, PackageOverview, QuotedText,
    },
};
use model::Extent;
use proto::v1;

use super::{
    history::wire_extent,
    query_pool::QueryContext,
    targets::{self, QueryTarget},
};

/// Returns the overview of each target; no list is longer than `limit`.
pub(super) fn overviews(targets: &[QueryTarget], limit: usize, context: &QueryContext) -> v1::OverviewResponse {
    let (replies, outcomes) = targets::query_all(targets, context, |shard| {
        Ok(to_wire(shard.repository, shard.snapshot.overview(limit)?, shard.snapshot.history_extent()))
    });
    v1::OverviewResponse { overviews: replies.into_iter().map(|(_, overview)| overview).collect(), outcomes }
}

fn to_wire(repository: &str, overview: Overview, extent: Extent) -> v1::RepositoryOverview {
    let (languages, all_languages) = list(overview.languages, |language| v1::LanguageShare {
        language: language.name,
        files: language.n_files,
        lines: language.n_lines,
    });
    let (modules, all_modules) = list(overview.modules, module);
    let (makes, all_makes) = list(overview.makes, package);
    let (requires, all_requires) = list(overview.requires, package);
    let (starts, all_starts) = list(overview.starts, start);
    let (routes, all_routes) = list(overview.routes, |route| v1::AnsweredRoute {
        method: route.method,
        path: route.path,
        at: Some(location(route.at)),
        handler: route.handler,
    });
    let (services, all_services) = list(overview.services, named);
    let (most_used, all_most_used) = list(overview.most_used, named);
    let (hotspots, all_hotspots) = list(overview.hotspots, hotspot);
    let (communities, all_communities) = list(overview.communities, |group| v1::FileGroup {
        label: group.label,
        files: group.n_files,
        cohesion: group.cohesion,
        members: group.members,
    });
    let (infra, all_infra) =
        list(overview.infra, |file| v1::InfraFile { path: file.path, kind: file.kind, says: file.says });
    v1::RepositoryOverview {
        repository: repository.to_owned(),
        name: overview.name,
        purposes: overview.purposes.into_iter().map(quotation).collect(),
        languages,
        all_languages,
        code_lines: overview.n_code_lines,
        modules,
        all_modules,
        makes,
        all_makes,
        requires,
        all_requires,
        starts,
        all_starts,
        routes,
        all_routes,
        services,
        all_services,
        most_used,
        all_most_used,
        hotspots,
        all_hotspots,
        communities,
        all_communities,
        infra,
        all_infra,
        past: Some(past(overview.past, extent)),
    }
}

fn list<T, W>(listed: BoundedList<T>, to_wire: impl Fn(T) -> W) -> (Vec<W>, u32) {
    (listed.first.into_iter().map(to_wire).collect(), listed.n_all)
}

fn quotation(quoted: QuotedText) -> v1::SaidBy {
    v1::SaidBy { text: quoted.text, path: quoted.path }
}

fn location(at: FileLine) -> v1::Spot {
    v1::Spot { path: at.path, line: at.line }
}

fn person(person: OwnerShare) -> v1::Owner {
    v1::Owner { name: person.name, share: person.share }
}

fn module(module: ModuleOverview) -> v1::Module {
    let related_module = |(path, sites): (String, u32)| v1::ModuleTie { path, sites };
    let (uses, all_uses) = list(module.uses, related_module);
    let (used_by, all_used_by) = list(module.used_by, related_module);
    v1::Module {
        path: module.path,
        package: module.package,
        purpose: Some(quotation(module.purpose)).filter(|quoted| !quoted.text.is_empty()),
        files: module.n_files,
        symbols: module.n_symbols,
        owner: module.owner.map(person),
        uses,
        all_uses,
        used_by,
        all_used_by,
    }
}

fn package(package: PackageOverview) -> v1::DeclaredPackage {
    v1::DeclaredPackage {
        key: package.key,
        at: Some(location(package.at)),
        manifests: package.n_manifests,
        sites: package.n_sites,
    }
}

fn start(start: EntryPoint) -> v1::Start {
    let kind = match start.kind {
        EntryPointKind::Command => v1::StartKind::Command,
        EntryPointKind::Export => v1::StartKind::Export,
        EntryPointKind::Main => v1::StartKind::Main,
    };
    v1::Start { kind: kind.into(), name: start.name, target: start.target, at: Some(location(start.at)) }
}

fn named(named: DefinitionSummary) -> v1::NamedSymbol {
    v1::NamedSymbol {
        id: named.id,
        kind: named.kind,
        signature: named.signature,
        at: Some(location(named.at)),
        used_by: named.used_by,
    }
}

fn hotspot(hotspot: HotspotFile) -> v1::HotFile {
    v1::HotFile {
        score: hotspot.score,
        path: hotspot.path,
        lines: hotspot.n_lines,
        recent: hotspot.n_recent,
        fixes: hotspot.n_fixes,
        owner: hotspot.owner.map(person),
    }
}

fn past(past: HistorySummary, extent: Extent) -> v1::WholePast {
    let (owners, all_owners) = list(past.owners, person);
    v1::WholePast {
        extent: wire_extent(extent).into(),
        recent: past.n_recent,
        recent_is_at_least: past.is_at_least,
        owners,
        all_owners,
        bus_factor: past.bus_factor,
    }
}
