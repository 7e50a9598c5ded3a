//! Uses of definitions between the repositories of a data folder.

use std::path::Path;

use graph::{EdgeKind, Resolution};
use index::Snapshot;
use links::{
    join::{ContractSite, ContractSurface, IndexedSurface, SurfaceOffer, SurfaceUse},
    joint::{ImporterLinks, SymbolLink, link_importer, provider_closures},
    link_facts::{LinkFacts, decode_importer, decode_provider},
};
use model::SymbolKind;

use super::{ExportError, open};
use crate::repositories::{NamesFile, names_path};

/// A use of a definition of one repository in another.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossRepoUse {
    /// Alias of the using repository.
    pub from_repo: String,
    /// Path of the using file.
    pub from_file: String,
    /// Line of the use.
    pub from_line: u32,
    /// Qualified name of the innermost definition around the use; `None` for code outside of definitions.
    pub from_symbol: Option<String>,
    /// Alias of the used repository.
    pub to_repo: String,
    /// Path of the used file.
    pub to_file: String,
    /// Line of the name of the used definition.
    pub to_line: u32,
    /// Qualified name of the used definition.
    pub to_symbol: String,
    /// Kind of the used definition.
    pub to_kind: SymbolKind,
    /// The relation.
    pub kind: EdgeKind,
    /// Method of resolution.
    pub resolution: Resolution,
    /// In (0, 1]. Repositories that make a package of one name share it.
    pub confidence: f32,
}

impl CrossRepoUse {
    /// Returns true for a call. Other uses name a definition, inherit from it or import it.
    pub fn is_call(&self) -> bool {
        self.kind == EdgeKind::Calls
    }
}

/// A repository of the data folder.
struct Exported {
    alias: String,
    snapshot: Snapshot,
    surface: IndexedSurface,
}

/// Returns the uses of definitions between the repositories with these aliases, or between all if there are none, in the order
/// of users. Each use has at least a confidence from 0 to 1.
pub fn cross_repo_edges(
    data: &Path,
    aliases: &[String],
    min_confidence: f32,
) -> Result<Vec<CrossRepoUse>, ExportError> {
    let repositories = exported(data, aliases)?;
    let surfaces: Vec<&IndexedSurface> = repositories.iter().map(|one| &one.surface).collect();
    let mut edges = Vec::new();
    for (importer, providers) in repositories.iter().zip(provider_closures(&surfaces)) {
        let makers: Vec<&Exported> = providers.iter().map(|provider| &repositories[provider.repository]).collect();
        let found = links_of(importer, &makers)?;
        for link in found.links {
            let provider = link.provider as usize;
            let confidence = link.confidence(providers[provider].n_makers);
            if confidence >= min_confidence {
                edges.extend(rows(&importer.alias, &makers[provider].alias, &link, confidence));
            }
        }
    }
    edges.sort_by(|a, b| order(a).cmp(&order(b)));
    Ok(edges)
}

/// Returns the surfaces of the repositories with these aliases, or of all if there are none, by alias.
pub(super) fn surfaces(data: &Path, aliases: &[String]) -> Result<Vec<(String, ContractSurface)>, ExportError> {
    let repositories = exported(data, aliases)?.into_iter();
    Ok(repositories
        .map(|one| {
            let surface = surface_of(&one.snapshot);
            (one.alias, surface)
        })
        .collect())
}

fn order(edge: &CrossRepoUse) -> (&str, &str, u32, &str, &str, u32, &str, EdgeKind) {
    let (from, to) = ((&edge.from_repo, &edge.from_file, edge.from_line), (&edge.to_repo, &edge.to_file, edge.to_line));
    (from.0, from.1, from.2, to.0, to.1, to.2, &edge.to_symbol, edge.kind)
}

fn exported(data: &Path, aliases: &[String]) -> Result<Vec<Exported>, ExportError> {
    let names = NamesFile::new(names_path(data)).read("");
    let mut repositories = Vec::new();
    for (alias, repo) in names.assigned() {
        let is_selected = aliases.is_empty() || aliases.iter().any(|selected| selected == alias);
        if let Some(snapshot) = is_selected.then(|| open(data, repo)).transpose()?.flatten() {
            let surface = IndexedSurface::new(surface_of(&snapshot));
            repositories.push(Exported { alias: alias.to_owned(), snapshot, surface });
        }
    }
    if repositories.is_empty() {
        return Err(ExportError::Nothing { path: data.display().to_string() });
    }
    repositories.sort_by(|a, b| a.alias.cmp(&b.alias));
    Ok(repositories)
}

fn surface_of(snapshot: &Snapshot) -> ContractSurface {
    let site = |node: u32, path: String, line: u32| ContractSite { node, path, line };
    let offers = snapshot.offers().map(|offer| SurfaceOffer {
        kind: offer.kind,
        key: offer.key,
        member: offer.member,
        site: site(offer.node, offer.path, offer.line),
    });
    let uses = snapshot.uses().map(|used| SurfaceUse {
        kind: used.kind,
        key: used.key,
        member: used.member,
        site: site(used.node, used.path, used.line),
        confidence: used.confidence,
        n_sites: used.n_sites,
        serves: used.serves,
    });
    ContractSurface { offers: offers.collect(), uses: uses.collect() }
}

fn links_of(importer: &Exported, providers: &[&Exported]) -> Result<ImporterLinks, ExportError> {
    let Some(importer) = read(importer, decode_importer)?.filter(|_| !providers.is_empty()) else {
        return Ok(ImporterLinks::default());
    };
    let packages =
        providers.iter().flat_map(|provider| provider.surface.offered_packages()).map(str::to_owned).collect();
    let providers = providers.iter().map(|provider| Ok(read(provider, decode_provider)?.unwrap_or_default()));
    let providers: Vec<LinkFacts> = providers.collect::<Result<_, ExportError>>()?;
    Ok(link_importer(&importer, &providers, &packages))
}

fn read(
    repository: &Exported,
    decode: fn(&[u8]) -> Result<LinkFacts, links::link_facts::LinkFactsError>,
) -> Result<Option<LinkFacts>, ExportError> {
    let Some(bytes) = repository.snapshot.link_facts()? else { return Ok(None) };
    let facts = decode(&bytes).map_err(|error| ExportError::LinkFacts { alias: repository.alias.clone(), error })?;
    Ok(Some(facts))
}

/// Returns one edge for each line of a link; none for a link to a file.
fn rows<'a>(
    from_repo: &'a str,
    to_repo: &'a str,
    link: &'a SymbolLink,
    confidence: f32,
) -> impl Iterator<Item = CrossRepoUse> + 'a {
    let target = link.target_name.as_ref().zip(link.target_kind);
    target.into_iter().flat_map(move |(to_symbol, to_kind)| {
        link.lines.iter().map(move |line| CrossRepoUse {
            from_repo: from_repo.to_owned(),
            from_file: link.user.path.clone(),
            from_line: *line,
            from_symbol: link.user_name.clone(),
            to_repo: to_repo.to_owned(),
            to_file: link.target.path.clone(),
            to_line: link.target.line,
            to_symbol: to_symbol.clone(),
            to_kind,
            kind: link.kind,
            resolution: link.resolution,
            confidence,
        })
    })
}
