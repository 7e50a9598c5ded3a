//! Prints the calls in a folder as JSON, one edge a line: `edges FOLDER`.

use std::{fs, path::Path};

use graph::{CERTAIN, Codebase, EdgeKind, ManifestFile, Node, SourceFile, resolve};
use model::{FileFacts, Language};
use rayon::prelude::*;

fn main() {
    let root = std::env::args().nth(1).expect("a folder");
    let root = Path::new(&root);
    let mut paths: Vec<String> = ignore::WalkBuilder::new(root)
        .standard_filters(false)
        .filter_entry(|entry| entry.file_name() != ".git")
        .build()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .filter_map(|entry| Some(entry.path().strip_prefix(root).ok()?.to_str()?.to_owned()))
        .collect();
    paths.sort();
    let read = |path: &String| fs::read(root.join(path)).unwrap_or_default();
    let texts: Vec<(String, String)> = paths
        .iter()
        .filter(|path| graph::is_manifest(path))
        .map(|path| (path.clone(), String::from_utf8_lossy(&read(path)).into_owned()))
        .collect();
    let facts: Vec<(String, FileFacts)> = paths
        .par_iter()
        .filter(|path| Language::of_path(path) != Language::Text)
        .map(|path| (path.clone(), syntax::extract(Language::of_path(path), &read(path))))
        .collect();
    let manifests: Vec<ManifestFile<'_>> = texts.iter().map(|(path, text)| ManifestFile { path, text }).collect();
    let codebase = Codebase::new(facts.iter().map(|(path, facts)| SourceFile { path, facts }), &manifests);
    let program = codebase.program();
    let files: Vec<_> = program.file_indices().collect();
    let resolved: Vec<_> = files.par_iter().map(|file| resolve(&codebase, *file)).collect();
    for (file, resolved) in files.iter().zip(&resolved) {
        for edge in &resolved.edges {
            let Node::Symbol(to) = edge.to else { continue };
            if edge.kind != EdgeKind::Calls || edge.resolution.confidence() < CERTAIN {
                continue;
            }
            let path = program.path(*file);
            let caller = match edge.from {
                Node::Symbol(from) => (program.definition(from).name.as_str(), program.definition(from).name_line),
                Node::File(_) => ("<module>", 1),
            };
            let callee = program.definition(to);
            let class = callee.container.rsplit('.').next().unwrap_or_default();
            let line = serde_json::json!({
                "caller": { "file": path, "name": caller.0, "line": caller.1 },
                "callee": { "file": program.path(program.file_of(to)), "name": callee.name, "line": callee.name_line },
                "class": class,
                "site": { "file": path, "line": edge.line },
                "confidence": edge.resolution.confidence(),
                "resolution": edge.resolution.name(),
            });
            println!("{line}");
        }
    }
}
