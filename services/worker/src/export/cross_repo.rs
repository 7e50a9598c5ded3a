//! Uses of definitions between the repositories of a data folder.

use std::{collections::BTreeMap, path::Path, rc::Rc};

use graph::{EdgeKind, Resolution};
use index::Snapshot;
use links::{
    SharedTexts,
    join::{ContractSite, ContractSurface, IndexedSurface, SurfaceOffer, SurfaceUse},
    joint::{ImporterLinks, PackageDependency, SurfaceOfRepository, SymbolLink, link_importer, provider_closures},
    link_facts::{LinkFacts, decode_importer, decode_provider, provider_size},
    rules::LinkRules,
};
use model::SymbolKind;

use super::{
    ExportError,
    dispatch::{DeclaredCall, DispatchSource, ExportedNode, Implementation, dispatched},
    open,
};
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
    /// The version of the package that the manifest of the user requires.
    pub declared_version: Option<String>,
    /// The version that the manifest of the used repository gives.
    pub indexed_version: Option<String>,
    /// The indexed commit of the used repository.
    pub indexed_commit: String,
}

impl CrossRepoUse {
    /// Returns true for a call, and for one that may run the target by dispatch. Other uses name a definition, inherit from it or
    /// import it.
    pub fn is_call(&self) -> bool {
        matches!(self.kind, EdgeKind::Calls | EdgeKind::Dispatch)
    }
}

/// A repository of the data folder.
pub(super) struct Exported {
    pub(super) alias: String,
    pub(super) snapshot: Snapshot,
    pub(super) surface: IndexedSurface,
}

impl Exported {
    /// Returns the repository as closures need it.
    pub(super) fn surface_of(&self) -> SurfaceOfRepository<'_> {
        SurfaceOfRepository { alias: &self.alias, surface: &self.surface }
    }

    /// Returns the id of the indexed commit. A folder without history has one of its contents.
    pub(super) fn commit(&self) -> String {
        self.snapshot.manifest().commit.to_string()
    }
}

/// The uses to export.
#[derive(Debug, Clone, Copy)]
pub struct ExportedUses<'a> {
    /// The repositories; empty for all.
    pub aliases: &'a [String],
    /// Minimum confidence of a use, from 0 to 1. For a call of a method that others implement, that of the call.
    pub min_confidence: f32,
    /// True to add the methods that implement a called method, each as an edge from the call.
    pub has_dispatch: bool,
    /// The rules of the user about links.
    pub rules: &'a LinkRules,
}

/// Returns the uses of definitions between repositories, in the order of users.
pub fn cross_repo_edges(data: &Path, wanted: ExportedUses<'_>) -> Result<Vec<CrossRepoUse>, ExportError> {
    let ExportedUses { aliases, min_confidence, has_dispatch, rules } = wanted;
    let repositories = exported(data, aliases)?;
    let surfaces: Vec<SurfaceOfRepository<'_>> = repositories.iter().map(Exported::surface_of).collect();
    let mut decoded = DecodedProviders::default();
    let mut edges = Vec::new();
    let (mut calls, mut implementations) = (Vec::new(), Vec::new());
    for ((from_repo, importer), providers) in repositories.iter().enumerate().zip(provider_closures(&surfaces, rules)) {
        let makers: Vec<&Exported> = providers.iter().map(|provider| &repositories[provider.repository]).collect();
        let found = resolve_links(importer, &makers, rules, &mut decoded)?;
        for link in found.links {
            let provider = link.provider as usize;
            let confidence = link.confidence(providers[provider].n_makers);
            let declaration = (providers[provider].repository, link.target.node);
            if link.kind == EdgeKind::Dispatch {
                implementations.extend(implementation(from_repo, declaration, &link));
            } else if confidence >= min_confidence {
                let dependency = link.dependency.map(|number| &found.dependencies[number as usize]);
                let of_link: Vec<CrossRepoUse> =
                    rows(importer, makers[provider], &link, dependency, confidence).collect();
                if has_dispatch && link.kind == EdgeKind::Calls {
                    let declared = |row: &CrossRepoUse| DeclaredCall { row: row.clone(), from_repo, declaration };
                    calls.extend(of_link.iter().map(declared));
                }
                edges.extend(of_link);
            }
        }
    }
    if has_dispatch {
        let sources: Vec<DispatchSource<'_>> =
            repositories.iter().map(|one| DispatchSource { alias: &one.alias, snapshot: &one.snapshot }).collect();
        edges.extend(dispatched(&sources, calls, implementations, min_confidence)?);
    }
    edges.sort_by(|a, b| order(a).cmp(&order(b)));
    Ok(edges)
}

/// Returns the method at the start of a link that implements the method at its end.
fn implementation(repo: usize, declaration: ExportedNode, link: &SymbolLink) -> Option<Implementation> {
    Some(Implementation {
        declaration,
        repo,
        file: link.user.path.to_string(),
        line: link.user.line,
        symbol: link.user_name.clone()?,
        kind: link.target_kind?,
    })
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

/// Opens the repositories with these aliases, or all if there are none, in the order of aliases.
pub(super) fn exported(data: &Path, aliases: &[String]) -> Result<Vec<Exported>, ExportError> {
    let names = NamesFile::new(names_path(data)).read("").aliases;
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
    let texts = SharedTexts::default();
    let site = |node: u32, path: String, line: u32| ContractSite { node, path: texts.share(&path), line };
    let offers = snapshot.offers().map(|offer| SurfaceOffer {
        kind: offer.kind,
        key: texts.share(&offer.key),
        member: texts.share(&offer.member),
        site: site(offer.node, offer.path, offer.line),
    });
    let uses = snapshot.uses().map(|used| SurfaceUse {
        kind: used.kind,
        key: texts.share(&used.key),
        member: texts.share(&used.member),
        site: site(used.node, used.path, used.line),
        confidence: used.confidence,
        n_sites: used.n_sites,
        serves: used.serves,
    });
    ContractSurface { offers: offers.collect(), uses: uses.collect() }
}

/// Resolves the uses of providers in a repository.
pub(super) fn links_of(
    importer: &Exported,
    providers: &[&Exported],
    rules: &LinkRules,
) -> Result<ImporterLinks, ExportError> {
    resolve_links(importer, providers, rules, &mut DecodedProviders::default())
}

/// Resolves the uses of providers in a repository. Providers that are decoded are kept for the next one.
fn resolve_links(
    importer: &Exported,
    providers: &[&Exported],
    rules: &LinkRules,
    decoded: &mut DecodedProviders,
) -> Result<ImporterLinks, ExportError> {
    let Some(importer) = read(importer, decode_importer)?.filter(|_| !providers.is_empty()) else {
        return Ok(ImporterLinks::default());
    };
    let packages = providers.iter().flat_map(|provider| packages_of(provider, rules)).map(str::to_owned).collect();
    let providers: Vec<Rc<LinkFacts>> =
        providers.iter().map(|provider| decoded.get(provider, rules)).collect::<Result<_, ExportError>>()?;
    Ok(link_importer(&importer, &providers.iter().map(|facts| &**facts).collect::<Vec<_>>(), &packages))
}

/// Maximum total size before compression of the providers that stay decoded.
const MAX_DECODED_BYTES: usize = 64 << 20;

/// The first providers that were decoded, by alias: importers have many in common.
#[derive(Default)]
struct DecodedProviders {
    facts: BTreeMap<String, Rc<LinkFacts>>,
    n_bytes: usize,
}

impl DecodedProviders {
    fn get(&mut self, provider: &Exported, rules: &LinkRules) -> Result<Rc<LinkFacts>, ExportError> {
        if let Some(known) = self.facts.get(&provider.alias) {
            return Ok(Rc::clone(known));
        }
        let mut n_bytes = 0;
        let decode = |bytes: &[u8]| {
            n_bytes = provider_size(bytes)?;
            decode_provider(bytes)
        };
        let facts = Rc::new(read(provider, decode)?.unwrap_or_default().by_rules(&provider.alias, rules));
        if self.n_bytes + n_bytes <= MAX_DECODED_BYTES {
            self.n_bytes += n_bytes;
            self.facts.insert(provider.alias.clone(), Rc::clone(&facts));
        }
        Ok(facts)
    }
}

/// Returns the keys of the packages that a repository makes, by its manifests and the rules of the user.
pub(super) fn packages_of<'a>(provider: &'a Exported, rules: &'a LinkRules) -> impl Iterator<Item = &'a str> {
    let alias = provider.alias.as_str();
    let offered = provider.surface.offered_packages().filter(move |package| rules.may_make(package, alias));
    let named = rules.makers().filter(move |(_, maker)| *maker == alias).map(|(package, _)| package);
    offered.chain(named)
}

pub(super) fn read(
    repository: &Exported,
    decode: impl FnOnce(&[u8]) -> Result<LinkFacts, links::link_facts::LinkFactsError>,
) -> Result<Option<LinkFacts>, ExportError> {
    let Some(bytes) = repository.snapshot.link_facts()? else { return Ok(None) };
    let facts = decode(&bytes).map_err(|error| ExportError::LinkFacts { alias: repository.alias.clone(), error })?;
    Ok(Some(facts))
}

/// Returns one edge for each line of a link; none for a link to a file.
fn rows<'a>(
    from: &'a Exported,
    to: &'a Exported,
    link: &'a SymbolLink,
    dependency: Option<&'a PackageDependency>,
    confidence: f32,
) -> impl Iterator<Item = CrossRepoUse> + 'a {
    let version = |of: fn(&PackageDependency) -> &String| dependency.map(of).filter(|one| !one.is_empty()).cloned();
    let (declared_version, indexed_version) = (version(|one| &one.required), version(|one| &one.indexed));
    let indexed_commit = to.commit();
    let target = link.target_name.as_ref().zip(link.target_kind);
    let uses = target
        .into_iter()
        .flat_map(move |(to_symbol, to_kind)| link.lines.iter().map(move |line| (to_symbol, to_kind, *line)));
    uses.map(move |(to_symbol, to_kind, line)| CrossRepoUse {
        from_repo: from.alias.clone(),
        from_file: link.user.path.to_string(),
        from_line: line,
        from_symbol: link.user_name.clone(),
        to_repo: to.alias.clone(),
        to_file: link.target.path.to_string(),
        to_line: link.target.line,
        to_symbol: to_symbol.clone(),
        to_kind,
        kind: link.kind,
        resolution: link.resolution,
        confidence,
        declared_version: declared_version.clone(),
        indexed_version: indexed_version.clone(),
        indexed_commit: indexed_commit.clone(),
    })
}
