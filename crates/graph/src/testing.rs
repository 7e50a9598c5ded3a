//! Fixtures of several files in one text, and edges as text.

use model::{FileFacts, Language};

use crate::{EdgeKind, Manifest, Node, Program, SourceFile, SymbolIdx, resolve};

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
    let files = files(fixture);
    let facts: Vec<(&str, FileFacts)> = files
        .iter()
        .filter(|(path, _)| Language::of_path(path) != Language::Text)
        .map(|(path, text)| (path.as_str(), syntax::extract(Language::of_path(path), text.as_bytes())))
        .collect();
    let manifests: Vec<Manifest<'_>> = files.iter().map(|(path, text)| Manifest { path, text }).collect();
    let program = Program::new(facts.iter().map(|(path, facts)| SourceFile { path, facts }), &manifests);
    let mut lines = Vec::new();
    for file in program.file_indices() {
        for edge in resolve(&program, file).edges.iter().filter(|edge| edge.kind == kind) {
            let doubt = match edge.resolution.confidence() {
                confidence if confidence < crate::CERTAIN => format!(" ({})", edge.resolution.name()),
                _ => String::new(),
            };
            lines.push(format!("{} -{}-> {}{doubt}", show(&program, edge.from), kind.name(), show(&program, edge.to)));
        }
    }
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
