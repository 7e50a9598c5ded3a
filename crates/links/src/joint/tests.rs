mod commit_sequences;
mod copies;
mod inheritance;
mod languages;
mod packages;
mod stale_names;
mod traced_links;
mod unresolved;
mod versions;

use std::collections::{BTreeMap, BTreeSet};

use graph::{ManifestFile, is_manifest};
use model::{FileClass, FileFacts, Language};

use super::*;
use crate::{
    compiler_facts::CompilerFacts,
    link_facts::{FileToEncode, decode_importer, decode_provider, encode},
};

/// Splits a fixture into files by repository. The line `//- repo/path` begins a file.
fn repositories(fixture: &str) -> BTreeMap<String, Vec<(String, String)>> {
    let mut files: Vec<(String, String, String)> = Vec::new();
    for line in fixture.lines() {
        match (line.strip_prefix("//- "), files.last_mut()) {
            (Some(place), _) => {
                let (repo, path) = place.split_once('/').expect("a repository and a path");
                files.push((repo.to_owned(), path.to_owned(), String::new()));
            }
            (None, Some((_, _, text))) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => assert!(line.trim().is_empty(), "a fixture starts with `//- repo/path`"),
        }
    }
    let mut by_repo: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for (repo, path, text) in files {
        by_repo.entry(repo).or_default().push((path, text));
    }
    by_repo.values_mut().for_each(|files| files.sort());
    by_repo
}

/// The name of a file of a fixture that lists the tags of its repository.
const TAGS: &str = "TAGS";

fn encoded(files: &[(String, String)]) -> Vec<u8> {
    let facts: Vec<(&str, FileFacts)> = files
        .iter()
        .map(|(path, text)| (path.as_str(), syntax::extract(Language::of_path(path), text.as_bytes())))
        .collect();
    let manifests = files.iter().filter(|(path, _)| is_manifest(path));
    let manifests: Vec<ManifestFile<'_>> = manifests.map(|(path, text)| ManifestFile { path, text }).collect();
    let class = |path: &str| match path.split('/').any(|folder| matches!(folder, "vendor" | "bundled")) {
        true => FileClass::Vendored,
        false => FileClass::Source,
    };
    let classed = facts.iter().map(|(path, facts)| {
        let interface = graph::interface_hash(facts);
        FileToEncode { path, class: class(path), facts, interface, is_unchanged: false }
    });
    let tags = files.iter().filter(|(path, _)| path == TAGS).flat_map(|(_, text)| text.lines());
    let tags: Vec<String> = tags.map(str::to_owned).collect();
    encode(classed, &manifests, &CompilerFacts::default(), &tags, None).expect("few bytes")
}

/// Returns the repository `app`, and the other repositories with their names, in the order of these.
fn decoded(fixture: &str) -> (LinkFacts, Vec<LinkFacts>, Vec<String>) {
    let mut repositories = repositories(fixture);
    let app = repositories.remove("app").expect("the importer is `app`");
    let providers = repositories.values().map(|files| decode_provider(&encoded(files)).unwrap()).collect();
    (decode_importer(&encoded(&app)).unwrap(), providers, repositories.into_keys().collect())
}

/// Returns the links of the repository `app`, and the names of the other repositories in order.
fn links(fixture: &str) -> (ImporterLinks, Vec<String>) {
    let (importer, providers, names) = decoded(fixture);
    let providers: Vec<&LinkFacts> = providers.iter().collect();
    (link_importer(&importer, &providers, &BTreeSet::from(["npm:kit".to_owned(), "cargo:kit".to_owned()])), names)
}

/// Returns the links without the names that they depend on: those of an added definition that nothing mentions come with the next resolution.
fn without_mentions(traced: TracedLinks) -> ImporterLinks {
    ImporterLinks { mentions: Mentions::default(), ..traced.links }
}

/// A link by its ends: the path of the user, the provider, the file and definition of the target.
type LinkEnds = (String, u32, String, u32);

/// Checks that the uses of an export lead to the same definitions as the certain links.
#[track_caller]
fn check_export(fixture: &str, found: &ImporterLinks) {
    let (importer, providers, _) = decoded(fixture);
    let path = |facts: &LinkFacts, file_idx: u32| {
        facts.files.iter().find(|file| file.file_idx == file_idx).expect("a file of the facts").path.clone()
    };
    // A type that implements an interface without naming it has no use of it.
    let uses = importer_uses(&importer, &providers).into_iter();
    let uses = uses.filter(|one| one.repository != 0 && one.kind != EdgeKind::Implements);
    let exported: BTreeSet<LinkEnds> = uses
        .map(|one| {
            let provider = one.repository - 1;
            let target = path(&providers[provider as usize], one.target.file_idx);
            (path(&importer, one.file_idx), provider, target, one.target.definition)
        })
        .collect();
    let is_certain = |link: &&SymbolLink| {
        !matches!(link.kind, EdgeKind::Dispatch | EdgeKind::Implements)
            && link.resolution.confidence() >= graph::CERTAIN
    };
    let certain = found.links.iter().filter(is_certain);
    let ends = |link: &SymbolLink| {
        Some((link.user.path.to_string(), link.provider, link.target.path.to_string(), link.target_definition?))
    };
    let linked: BTreeSet<LinkEnds> = certain.filter_map(ends).collect();
    assert_eq!(exported, linked, "{fixture}");
}

/// Checks the links that are no imports, as `path::user:lines kind repo/path::target`.
#[track_caller]
fn check(fixture: &str, expected: &[&str]) {
    let (found, names) = links(fixture);
    let shown = found.links.iter().filter(|link| link.kind != EdgeKind::Imports).map(|link| {
        let lines: Vec<String> = link.lines.iter().map(u32::to_string).collect();
        format!(
            "{}::{}:{} {} {}/{}::{}",
            link.user.path,
            link.user_name.as_deref().unwrap_or_default(),
            lines.join(","),
            link.kind.name(),
            names[link.provider as usize],
            link.target.path,
            link.target_name.as_deref().unwrap_or_default(),
        )
    });
    let mut shown: Vec<String> = shown.collect();
    shown.sort();
    assert_eq!(shown, expected, "{fixture}");
    check_export(fixture, &found);
}
