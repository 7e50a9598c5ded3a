//! Overview and statistics of a fake repository.

use std::cmp::Reverse;

use proto::v1;

use super::{FakeRepository, Graph};

/// Returns the overview of a repository; it has a module for each folder, and one owner.
pub(super) fn of(repository: &FakeRepository, limit: usize) -> v1::RepositoryOverview {
    let graph = Graph::of(repository);
    let mut folders: Vec<&str> = repository.files.iter().map(|(path, _)| folder(path)).collect();
    folders.sort_unstable();
    folders.dedup();
    let owner = v1::Owner { name: repository.prose_or("Ada"), share: 0.75 };
    let module = |path: &&str| v1::Module {
        path: (*path).to_owned(),
        purpose: Some(v1::SaidBy {
            text: repository.prose_or(&format!("What {path} is for.")),
            path: format!("{path}/README.md"),
        }),
        files: repository.files.iter().filter(|(file, _)| folder(file) == *path).count() as u32,
        owner: Some(owner.clone()),
        uses: vec![v1::ModuleTie { path: "other".to_owned(), sites: 7 }],
        all_uses: 9,
        ..Default::default()
    };
    let mut symbols: Vec<(String, &v1::Symbol)> =
        graph.cards.iter().filter_map(|card| Some((path_of(card), card.symbol.as_ref()?))).collect();
    symbols.sort_by_key(|(_, symbol)| (Reverse(symbol.used_by), symbol.node));
    let named = |(path, symbol): &(String, &v1::Symbol)| v1::NamedSymbol {
        id: format!("{path}::{}", symbol.name),
        kind: symbol.kind.clone(),
        signature: symbol.signature.clone(),
        at: Some(v1::Spot { path: path.clone(), line: symbol.name_line }),
        used_by: symbol.used_by,
    };
    let routes = graph.cards.iter().filter_map(|card| {
        let route = card.route.as_ref()?;
        let at = Some(v1::Spot { path: path_of(card), line: route.line });
        Some(v1::AnsweredRoute { method: route.method.clone(), path: route.path.clone(), at, handler: String::new() })
    });
    let requires = graph.surface.uses.iter().filter(|used| used.kind() == v1::ContractKind::Package);
    let requires: Vec<v1::DeclaredPackage> = requires
        .map(|used| v1::DeclaredPackage {
            key: used.key.clone(),
            at: Some(v1::Spot { path: used.path.clone(), line: used.line }),
            manifests: 1,
            sites: 2,
        })
        .collect();
    let (routes, n_lines): (Vec<_>, usize) =
        (routes.collect(), repository.files.iter().map(|(_, text)| text.lines().count()).sum());
    v1::RepositoryOverview {
        repository: repository.hex(),
        name: repository.prose_or(&repository.alias.to_uppercase()),
        purposes: vec![v1::SaidBy {
            text: repository.prose_or(&format!(
                "It is the {} of the tests. Its password = 'hunter2hunter2' is nobody's.",
                repository.alias
            )),
            path: "README.md".to_owned(),
        }],
        languages: vec![v1::LanguageShare {
            language: "python".to_owned(),
            files: repository.files.len() as u32,
            lines: n_lines as u64,
        }],
        all_languages: 1,
        code_lines: n_lines as u64,
        all_modules: folders.len() as u32,
        modules: folders.iter().take(limit).map(module).collect(),
        all_most_used: symbols.len() as u32,
        most_used: symbols.iter().take(limit).map(named).collect(),
        all_routes: routes.len() as u32,
        routes,
        all_requires: requires.len() as u32,
        requires,
        communities: vec![v1::FileGroup {
            label: repository.prose_or("retry"),
            files: 2,
            cohesion: 0.5,
            members: repository.files.iter().map(|(path, _)| (*path).to_owned()).collect(),
        }],
        all_communities: 1,
        starts: repository.prose.map(|name| start(name, &repository.files[0])).into_iter().collect(),
        hotspots: repository.prose.map(|_| hotspot(&owner, &repository.files[0])).into_iter().collect(),
        infra: repository.prose.map(|line| infra(line, &repository.files[0])).into_iter().collect(),
        past: Some(v1::WholePast {
            extent: v1::HistoryExtent::Whole.into(),
            recent: 3,
            recent_is_at_least: true,
            owners: vec![owner.clone()],
            all_owners: 1,
            bus_factor: 1,
        }),
        ..Default::default()
    }
}

fn start(name: &str, (path, _): &(&str, &str)) -> v1::Start {
    let (name, target) = (name.to_owned(), name.to_owned());
    v1::Start {
        kind: v1::StartKind::Main.into(),
        name,
        target,
        at: Some(v1::Spot { path: (*path).to_owned(), line: 1 }),
    }
}

fn hotspot(owner: &v1::Owner, (path, _): &(&str, &str)) -> v1::HotFile {
    v1::HotFile { path: (*path).to_owned(), score: 9.0, owner: Some(owner.clone()), ..Default::default() }
}

fn infra(line: &str, (path, _): &(&str, &str)) -> v1::InfraFile {
    v1::InfraFile { path: (*path).to_owned(), kind: "Makefile".to_owned(), says: vec![line.to_owned()] }
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn path_of(card: &v1::NodeCard) -> String {
    card.file.as_ref().map(|file| file.path.clone()).unwrap_or_default()
}
