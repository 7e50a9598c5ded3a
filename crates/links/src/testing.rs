//! Contracts of fixtures as text.

use graph::{Codebase, FileIdx, ManifestFile, Node, Program, SourceFile, is_manifest};
use model::{FileFacts, Language};

use crate::{
    LinkedFile, RepositoryManifests,
    join::{ContractSite, ContractSurface, SurfaceOffer, SurfaceUse},
    link_file,
};

/// The number of the first definition in a surface; files have the numbers below.
const FIRST_DEFINITION: u32 = 1 << 20;

/// Splits a fixture into files. The line `//- /path` begins a file.
fn files(fixture: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in fixture.lines() {
        match (line.trim_start().strip_prefix("//- /"), files.last_mut()) {
            (Some(path), _) => files.push((path.trim().to_owned(), String::new())),
            (None, Some((_, text))) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => assert!(line.trim().is_empty(), "a fixture starts with `//- /path`"),
        }
    }
    files.sort();
    files
}

/// Links the files of a fixture.
fn link_all(fixture: &str, mut each: impl FnMut(&Program<'_>, FileIdx, LinkedFile)) {
    let files = files(fixture);
    let extracted =
        files.iter().map(|(path, text)| (path.as_str(), syntax::extract(Language::of_path(path), text.as_bytes())));
    let is_linked = |path: &str, facts: &FileFacts| {
        facts.language != Language::Text || is_manifest(path) || !facts.documents.is_empty()
    };
    let facts: Vec<(&str, FileFacts)> = extracted.filter(|(path, facts)| is_linked(path, facts)).collect();
    let texts: Vec<ManifestFile<'_>> = files.iter().map(|(path, text)| ManifestFile { path, text }).collect();
    let codebase = Codebase::new(facts.iter().map(|(path, facts)| SourceFile { path, facts }), &texts);
    let manifests = RepositoryManifests::read(&texts);
    let program = codebase.program();
    for file in program.file_indices() {
        each(program, file, link_file(&codebase, &manifests, file));
    }
}

/// Returns the files that the links of a file of a fixture depend on.
pub(crate) fn consulted(fixture: &str, path: &str) -> Vec<String> {
    let mut found = Vec::new();
    link_all(fixture, |program, file, linked| {
        if program.path(file) == path {
            found.extend(linked.resolved.consulted.iter().map(|file| program.path(*file).to_owned()));
        }
    });
    found
}

/// Returns the offers (`+`), uses (`-`) and routes (`/`) of the files of a fixture, each as a line.
pub(crate) fn contracts(fixture: &str) -> Vec<String> {
    let mut lines = Vec::new();
    link_all(fixture, |program, _, linked| {
        let contracts = linked.contracts;
        let member = |member: &str| if member.is_empty() { String::new() } else { format!(" {member}") };
        lines.extend(
            contracts
                .offers
                .iter()
                .map(|offer| format!("+ {}{} = {}", offer.key, member(&offer.member), show(program, offer.node))),
        );
        lines.extend(contracts.uses.iter().map(|used| {
            let serves = if used.serves { " serves" } else { "" };
            let (key, of) = (&used.key, member(&used.member));
            format!("- {key}{of} by {}:{} {}{serves}", show(program, used.node), used.line, used.confidence)
        }));
        lines.extend(contracts.routes.iter().map(|route| {
            let handler = route.handler.map_or_else(String::new, |handler| show(program, handler));
            format!("/ {} {} -> {handler}", route.method, route.path)
        }));
    });
    lines.sort();
    lines
}

/// Returns the contracts of a fixture as other repositories see them.
pub(crate) fn surface(fixture: &str) -> ContractSurface {
    let mut surface = ContractSurface::default();
    link_all(fixture, |program, _, linked| {
        let site = |node: Node, line: u32| {
            let (node, file) = match node {
                Node::File(file) => (file.0, file),
                Node::Symbol(symbol) => (FIRST_DEFINITION + symbol.0, program.file_of(symbol)),
            };
            ContractSite { node, path: program.path(file).into(), line }
        };
        surface.offers.extend(linked.contracts.offers.iter().map(|offer| SurfaceOffer {
            kind: offer.kind,
            key: offer.key.as_str().into(),
            member: offer.member.as_str().into(),
            site: site(offer.node, offer.line),
        }));
        surface.uses.extend(linked.contracts.uses.iter().map(|used| SurfaceUse {
            kind: used.kind,
            key: used.key.as_str().into(),
            member: used.member.as_str().into(),
            site: site(used.node, used.line),
            confidence: used.confidence,
            n_sites: used.n_sites,
            serves: used.serves,
        }));
    });
    surface
}

fn show(program: &Program<'_>, node: Node) -> String {
    match node {
        Node::File(file) => program.path(file).to_owned(),
        Node::Symbol(symbol) => {
            let definition = program.definition(symbol);
            let qualified = model::symbol::qualify(&definition.container, &definition.name);
            format!("{}::{qualified}", program.path(program.file_of(symbol)))
        }
    }
}
