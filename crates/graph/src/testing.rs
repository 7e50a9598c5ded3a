//! Fixtures of several files in one text, and edges as text.

use model::{FileFacts, Language};

use crate::{
    Codebase, ContractEdges, Edge, EdgeKind, ManifestFile, Node, NodeEdge, Program, Resolution, SourceFile, SymbolIdx,
    is_manifest, resolve, structure,
};

/// Splits `//- /path` fixtures into files.
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

/// Returns every edge of a kind as `path::Container.name -calls-> path::name`, with ` (resolution)` where it is no certain one, in order.
pub(crate) fn edges(fixture: &str, kind: EdgeKind) -> Vec<String> {
    edges_between(&[], fixture, kind)
}

/// Returns, in the same form, every edge of a kind, of a fixture whose repositories are in these folders.
fn edges_between(roots: &[&str], fixture: &str, kind: EdgeKind) -> Vec<String> {
    with_repositories(roots, fixture, |codebase| {
        let program = codebase.program();
        let resolved = program.file_indices().map(|file| resolve(codebase, file));
        let edges: Vec<Edge> = resolved.flat_map(|resolved| resolved.edges).filter(|edge| edge.kind == kind).collect();
        let lines =
            edges.iter().map(|edge| line(&show(program, edge.from), kind, &show(program, edge.to), edge.resolution));
        sorted(lines)
    })
}

/// Returns, in the same form, every edge of a kind between definitions that follows from the whole program alone.
pub(crate) fn derived_edges(fixture: &str, kind: EdgeKind) -> Vec<String> {
    with_codebase(fixture, |codebase| {
        let program = codebase.program();
        let resolved: Vec<_> = program.file_indices().map(|file| resolve(codebase, file)).collect();
        let structure = structure(codebase, &resolved, &ContractEdges::default(), &[]);
        let n_symbols = structure.n_symbols;
        let is_asked = |edge: &&NodeEdge| edge.kind == kind && edge.is_derived && edge.from.0 < n_symbols;
        let lines = structure.edges.iter().filter(is_asked).filter(|edge| edge.to.0 < n_symbols).map(|edge| {
            let (from, to) = (SymbolIdx(edge.from.0), SymbolIdx(edge.to.0));
            line(&show_symbol(program, from), kind, &show_symbol(program, to), edge.resolution)
        });
        sorted(lines)
    })
}

/// Calls a function with the codebase of a fixture.
pub(crate) fn with_codebase<T>(fixture: &str, ask: impl FnOnce(&Codebase<'_>) -> T) -> T {
    with_repositories(&[], fixture, ask)
}

/// Calls a function with the codebase of a fixture whose repositories are in these folders, each with `/` behind it.
fn with_repositories<T>(roots: &[&str], fixture: &str, ask: impl FnOnce(&Codebase<'_>) -> T) -> T {
    let files = files(fixture);
    let facts: Vec<(&str, FileFacts)> = files
        .iter()
        .filter(|(path, _)| Language::of_path(path) != Language::Text || is_manifest(path))
        .map(|(path, text)| (path.as_str(), syntax::extract(Language::of_path(path), text.as_bytes())))
        .collect();
    let manifests: Vec<ManifestFile<'_>> = files.iter().map(|(path, text)| ManifestFile { path, text }).collect();
    let sources = facts.iter().map(|(path, facts)| SourceFile { path, facts });
    ask(&Codebase::side_by_side(roots.to_vec(), sources, &manifests))
}

fn line(from: &str, kind: EdgeKind, to: &str, resolution: Resolution) -> String {
    let doubt = match resolution.confidence() {
        confidence if confidence < crate::CERTAIN => format!(" ({})", resolution.name()),
        _ => String::new(),
    };
    format!("{from} -{}-> {to}{doubt}", kind.name())
}

fn sorted(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut lines: Vec<String> = lines.collect();
    lines.sort();
    lines
}

fn show(program: &Program<'_>, node: Node) -> String {
    match node {
        Node::File(file) => program.path(file).to_owned(),
        Node::Symbol(symbol) => show_symbol(program, symbol),
    }
}

fn show_symbol(program: &Program<'_>, symbol: SymbolIdx) -> String {
    let definition = program.definition(symbol);
    let qualified = model::symbol::qualify(&definition.container, &definition.name);
    format!("{}::{qualified}", program.path(program.file_of(symbol)))
}

/// Checks that the calls of a fixture are exactly these, in any order.
#[track_caller]
pub(crate) fn check_calls(fixture: &str, expected: &[&str]) {
    let mut expected: Vec<String> = expected.iter().map(|line| (*line).to_owned()).collect();
    expected.sort();
    assert_eq!(edges(fixture, EdgeKind::Calls), expected, "{fixture}");
}

/// Checks that the calls of a fixture whose repositories are in these folders are exactly these, in order.
#[track_caller]
pub(crate) fn check_calls_between(roots: &[&str], fixture: &str, expected: &[&str]) {
    assert_eq!(edges_between(roots, fixture, EdgeKind::Calls), expected, "{fixture}");
}
