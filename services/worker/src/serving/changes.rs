//! The change of a repository: both contents of its files, and the semantic difference between them.

mod inherited;

use std::collections::BTreeSet;

use graph::{Codebase, SourceFile};
use index::Snapshot;
use links::{ContractKind, RepositoryManifests, link_file};
use model::{CommitId, FileFacts, Language};
use proto::v1;
use rayon::prelude::*;
use review::{
    ChangedContent, DefinitionChange, DefinitionChangeKind, DefinitionSide, FileContent, UnifiedDiff, differences,
    may_break_literals, providers_of_missing_names,
};
use source::{ChangeSides, ChangedSource, Checkout, SourceChange, line_hunks, read_base, read_change};

use super::{
    query_pool::QueryContext,
    sites,
    targets::{self, QueryTarget},
};
use crate::{indexing::mask_secrets, truncation::TruncationGuard};
use inherited::inherited_from;

/// Maximum number of changed definitions of a reply.
const MAX_DEFINITIONS: usize = 5_000;

/// Maximum number of lines of one file that have one changed name.
const MAX_LINES: usize = 200;

/// Reads and compares a change.
pub(super) fn changes(
    change: &str,
    checkout: Option<&Checkout>,
    targets: &[QueryTarget],
    context: &QueryContext,
) -> v1::ChangesResponse {
    let (mut replies, mut outcomes) = targets::query_all(targets, context, |shard| {
        let commit = shard.snapshot.manifest().commit;
        let read = checkout.ok_or_else(|| "the repository is no longer here".to_owned());
        let response = read
            .and_then(|checkout| read_sides(checkout, commit, change))
            .map(|change| compare(change, shard.snapshot));
        // The error may name branches.
        let failed = |error: String| v1::ChangesResponse {
            error: text::mask_secrets(&error).into_owned(),
            ..Default::default()
        };
        Ok(response.unwrap_or_else(failed))
    });
    let response = replies.pop().map(|(_, response)| response).unwrap_or_default();
    v1::ChangesResponse { outcome: outcomes.pop(), ..response }
}

/// Reads both sides of a change. A diff applies to the served commit.
fn read_sides(checkout: &Checkout, served: CommitId, change: &str) -> Result<SourceChange, String> {
    let guard = TruncationGuard::begin(checkout);
    let read = read_unguarded(checkout, served, change);
    // The error of a truncated file would tell of a missing object.
    guard.check().map_err(|error| error.to_string())?;
    read
}

fn read_unguarded(checkout: &Checkout, served: CommitId, change: &str) -> Result<SourceChange, String> {
    match ChangeSides::parse(change.trim()) {
        Some(sides) => read_change(checkout, &sides).map_err(|error| error.to_string()),
        None => {
            let diff = UnifiedDiff::parse(change).map_err(|error| {
                format!("`changes` is working_tree, staged, BASE..HEAD, BASE...HEAD or a unified diff; {error}")
            })?;
            apply(checkout, served, &diff)
        }
    }
}

/// Applies a diff to the files of a commit.
fn apply(checkout: &Checkout, base: CommitId, diff: &UnifiedDiff) -> Result<SourceChange, String> {
    let old_paths: Vec<&str> = diff.files.iter().filter_map(|file| file.old_path.as_deref()).collect();
    let contents = read_base(checkout, base, &old_paths).map_err(|error| error.to_string())?;
    let mut files = Vec::new();
    for file in diff.files.iter().filter(|file| !file.is_empty()) {
        let old = match &file.old_path {
            None => None,
            Some(path) => {
                let missing =
                    || format!("the diff does not apply: the indexed commit {base} has no text file `{path}`");
                Some(contents.get(path).ok_or_else(missing)?)
            }
        };
        let text = old.map(|old| String::from_utf8_lossy(old)).unwrap_or_default();
        let new = file.apply(&text).map_err(|error| format!("{error}; the indexed commit is {base}"))?;
        files.push(ChangedSource {
            old_path: file.old_path.clone(),
            new_path: file.new_path.clone(),
            old: old.cloned(),
            new: file.new_path.is_some().then(|| new.into_bytes()),
            unread: String::new(),
        });
    }
    Ok(SourceChange { base, files, n_omitted: 0 })
}

/// A text with its facts. Secrets are masked, as in a generation.
struct ReadSide {
    facts: FileFacts,
    bytes: Vec<u8>,
}

impl ReadSide {
    fn of(path: Option<&str>, content: Option<&[u8]>) -> Option<ReadSide> {
        let bytes = mask_secrets(content?.to_vec());
        Some(ReadSide { facts: syntax::extract(Language::of_path(path?), &bytes), bytes })
    }

    fn content<'a>(&'a self, path: &'a str) -> FileContent<'a> {
        FileContent { path, facts: &self.facts, bytes: &self.bytes }
    }
}

fn changed_content<'a>(
    file: &'a ChangedSource,
    old: &'a Option<ReadSide>,
    new: &'a Option<ReadSide>,
) -> ChangedContent<'a> {
    ChangedContent {
        old: old.as_ref().map(|side| side.content(file.old_path.as_deref().unwrap_or_default())),
        new: new.as_ref().map(|side| side.content(file.new_path.as_deref().unwrap_or_default())),
    }
}

/// Compares both sides of a change.
fn compare(change: SourceChange, snapshot: &Snapshot) -> v1::ChangesResponse {
    let read = |file: &ChangedSource| {
        let old = ReadSide::of(file.old_path.as_deref(), file.old.as_deref());
        (old, ReadSide::of(file.new_path.as_deref(), file.new.as_deref()))
    };
    let sides: Vec<(Option<ReadSide>, Option<ReadSide>)> = change.files.par_iter().map(read).collect();
    let contents: Vec<ChangedContent<'_>> =
        change.files.iter().zip(&sides).map(|(file, (old, new))| changed_content(file, old, new)).collect();
    let mut definitions = differences(&contents);
    let n_dropped = definitions.len().saturating_sub(MAX_DEFINITIONS);
    definitions.truncate(MAX_DEFINITIONS);
    let mut names = changed_names(&definitions);
    names.extend(change.files.iter().filter_map(lost_module));
    let files = change.files.iter().zip(&contents).map(|(file, content)| changed_path(file, content, &names));
    v1::ChangesResponse {
        base: change.base.to_string(),
        files: files.collect(),
        contracts: contract_changes(&contents),
        omitted: u32::try_from(change.n_omitted + n_dropped).unwrap_or(u32::MAX),
        definitions: definitions
            .iter()
            .map(|change| v1::DefinitionChange {
                inherited_from: inherited_from(change, &definitions, &contents, snapshot).unwrap_or_default(),
                ..definition_change(change)
            })
            .collect(),
        ..Default::default()
    }
}

/// Returns the names of definitions whose users a change may concern. A constructor is called by the name of its type, subtypes provide
/// new abstract members, literals new fields, and some functions the names that are gone.
fn changed_names(definitions: &[DefinitionChange]) -> BTreeSet<&str> {
    let is_field = |new: &DefinitionSide| may_break_literals(new.language, new.kind);
    let concerns_users = |change: &&DefinitionChange| match change.kind {
        DefinitionChangeKind::Body => false,
        DefinitionChangeKind::Added => change.new.as_ref().is_some_and(|new| new.is_abstract || is_field(new)),
        _ => true,
    };
    let changed = definitions.iter().filter(concerns_users);
    let changed = changed.filter_map(|change| change.old.as_ref().or(change.new.as_ref()));
    let names = changed.flat_map(|old| {
        let providers = providers_of_missing_names(old.language).iter().copied();
        [old.name.as_str(), old.owner()].into_iter().chain(providers)
    });
    names.filter(|name| !name.is_empty()).collect()
}

/// Returns the name by which code imports a file that no longer has its path: the last one of its module.
fn lost_module(file: &ChangedSource) -> Option<&str> {
    let path = file.old_path.as_deref().filter(|_| file.old_path != file.new_path)?;
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    match stem.strip_suffix(".d").unwrap_or(stem) {
        "mod" | "__init__" | "index" => folder.rsplit('/').next().filter(|folder| !folder.is_empty()),
        stem => stem.rsplit('.').next(),
    }
}

fn changed_path(file: &ChangedSource, content: &ChangedContent<'_>, names: &BTreeSet<&str>) -> v1::ChangedPath {
    let bytes = |side: Option<FileContent<'_>>| side.map(|side| without_indents(side.bytes)).unwrap_or_default();
    let hunks = line_hunks(&bytes(content.old), &bytes(content.new));
    let new = content.new.map(|new| sites::file_sites(new.facts, new.bytes, names)).unwrap_or_default();
    let is_changed = |line: u32| hunks.iter().any(|hunk| hunk.new.contains(&(line - 1)));
    let mentions = content.new.map(|new| mentions(new.bytes, names, is_changed)).unwrap_or_default();
    v1::ChangedPath {
        old_path: file.old_path.clone().unwrap_or_default(),
        new_path: file.new_path.clone().unwrap_or_default(),
        unread: file.unread.clone(),
        hunks: hunks
            .iter()
            .map(|hunk| v1::LineHunk {
                old_start: hunk.old.start + 1,
                old_lines: hunk.old.len() as u32,
                new_start: hunk.new.start + 1,
                new_lines: hunk.new.len() as u32,
            })
            .collect(),
        calls: new.calls,
        mentions,
        imports: new.imports,
        definitions: new.definitions,
    }
}

/// Returns a text whose lines have no white space at their ends: the change did not write a line that it only indents.
fn without_indents(bytes: &[u8]) -> Vec<u8> {
    bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).collect::<Vec<&[u8]>>().join(&b'\n')
}

/// Returns the changed lines that have a name as a whole word.
fn mentions(bytes: &[u8], names: &BTreeSet<&str>, is_changed: impl Fn(u32) -> bool) -> Vec<v1::NameLines> {
    let text = String::from_utf8_lossy(bytes);
    let mut found: Vec<v1::NameLines> = Vec::new();
    for (line, content) in (1..).zip(text.lines()).filter(|(line, _)| is_changed(*line)) {
        let words: BTreeSet<&str> =
            content.split(|character: char| !(character.is_alphanumeric() || matches!(character, '_' | '$'))).collect();
        for name in words.intersection(names) {
            match found.iter_mut().find(|lines| lines.name == **name) {
                Some(lines) if lines.lines.len() < MAX_LINES => lines.lines.push(line),
                Some(_) => {}
                None => found.push(v1::NameLines { name: (*name).to_owned(), lines: vec![line] }),
            }
        }
    }
    found
}

/// A contract that a file offers: its kind, key, path and line.
type OfferedContract<'a> = (ContractKind, String, &'a str, u32);

/// Returns the contracts that only one side offers. Prefixes that unchanged files add to routes are unknown on both sides.
fn contract_changes(contents: &[ChangedContent<'_>]) -> Vec<v1::ContractChange> {
    let old = offers(contents.iter().filter_map(|content| content.old).collect());
    let new = offers(contents.iter().filter_map(|content| content.new).collect());
    let only_in =
        |one: &[OfferedContract<'_>], other: &[OfferedContract<'_>], is_added: bool| -> Vec<v1::ContractChange> {
            let known: BTreeSet<(ContractKind, &str)> =
                other.iter().map(|(kind, key, ..)| (*kind, key.as_str())).collect();
            let only = one.iter().filter(|(kind, key, ..)| !known.contains(&(*kind, key.as_str())));
            let change = |(kind, key, path, line): &OfferedContract<'_>| v1::ContractChange {
                kind: super::graph::contract_kind(*kind).into(),
                key: key.clone(),
                path: (*path).to_owned(),
                line: *line,
                added: is_added,
            };
            only.map(change).collect()
        };
    [only_in(&old, &new, false), only_in(&new, &old, true)].concat()
}

/// Returns the routes, rpcs, topics and tables that some files offer.
fn offers(files: Vec<FileContent<'_>>) -> Vec<OfferedContract<'_>> {
    let mut files = files;
    files.sort_by(|a, b| a.path.cmp(b.path));
    let codebase = Codebase::new(files.iter().map(|file| SourceFile { path: file.path, facts: file.facts }), &[]);
    let manifests = RepositoryManifests::read(&[]);
    let mut offers = Vec::new();
    for (file, content) in codebase.program().file_indices().zip(&files) {
        let contracts = link_file(&codebase, &manifests, file).contracts;
        let is_reviewed = |kind: ContractKind| {
            matches!(kind, ContractKind::Http | ContractKind::Topic | ContractKind::Table | ContractKind::Grpc)
        };
        let served = contracts.uses.into_iter().filter(|offered| offered.serves && offered.kind == ContractKind::Topic);
        let served = served.map(|offered| (offered.kind, offered.key, content.path, offered.line));
        let offered = contracts.offers.into_iter().filter(|offer| is_reviewed(offer.kind) && !offer.is_constant());
        offers.extend(offered.map(|offer| (offer.kind, offer.key, content.path, offer.line)).chain(served));
    }
    offers
}

fn definition_change(change: &DefinitionChange) -> v1::DefinitionChange {
    let kind = match change.kind {
        DefinitionChangeKind::Removed => v1::DefinitionChangeKind::Removed,
        DefinitionChangeKind::Renamed => v1::DefinitionChangeKind::Renamed,
        DefinitionChangeKind::Moved => v1::DefinitionChangeKind::Moved,
        DefinitionChangeKind::Signature => v1::DefinitionChangeKind::Signature,
        DefinitionChangeKind::Added => v1::DefinitionChangeKind::Added,
        DefinitionChangeKind::Body => v1::DefinitionChangeKind::Body,
    };
    v1::DefinitionChange {
        kind: kind.into(),
        old: change.old.as_ref().map(definition_side),
        new: change.new.as_ref().map(definition_side),
        overloads: change.overloads.clone(),
        wire_conflict: change.wire_conflict.clone().unwrap_or_default(),
        ..Default::default()
    }
}

fn definition_side(side: &DefinitionSide) -> v1::DefinitionSide {
    v1::DefinitionSide {
        path: side.path.clone(),
        language: side.language.name().to_owned(),
        symbol: Some(v1::Symbol {
            kind: side.kind.name().to_owned(),
            name: side.name.clone(),
            container: side.container.clone(),
            signature: side.signature.clone(),
            name_line: side.line,
            ordinal: side.ordinal,
            ..Default::default()
        }),
        is_abstract: side.is_abstract,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_only_indented_are_not_written() {
        for (old, new, expected) in [
            ("f(a)\nend\n", "if b:\n    f(a)\nend\n", &[(0..0, 0..1)][..]),
            ("f(a)\r\n", "f(a)\n", &[]),
            ("f(a)\n", "    f(a, b)\n", &[(0..1, 0..1)]),
            ("a = 1\n\n", "a = 1\n  \n", &[]),
        ] {
            let hunks = line_hunks(&without_indents(old.as_bytes()), &without_indents(new.as_bytes()));
            let hunks: Vec<_> = hunks.into_iter().map(|hunk| (hunk.old, hunk.new)).collect();
            assert_eq!(hunks, expected, "{new:?}");
        }
    }

    #[test]
    fn lost_modules_are_named_by_their_last_names() {
        for (old_path, new_path, expected) in [
            ("src/attrs.rs", None, Some("attrs")),
            ("src/attrs/mod.rs", None, Some("attrs")),
            ("src/a.d.ts", Some("src/b.d.ts"), Some("a")),
            ("src/user.service.ts", None, Some("service")),
            ("__init__.py", None, None),
            ("src/attrs.rs", Some("src/attrs.rs"), None),
        ] {
            let file = ChangedSource {
                old_path: Some(old_path.to_owned()),
                new_path: new_path.map(str::to_owned),
                old: None,
                new: None,
                unread: String::new(),
            };
            assert_eq!(lost_module(&file), expected, "{old_path}");
        }
    }
}
