//! Repositories of fake workers: files that are sequences of definitions.

use std::collections::{BTreeMap, HashMap};

use model::{BlobId, CommitId, GenerationId, RepoId};
use proto::v1;

/// A repository whose files are sequences of definitions.
#[derive(Debug, Clone, Default)]
pub(in crate::tests) struct FakeRepository {
    pub(in crate::tests) alias: &'static str,
    pub(in crate::tests) id: u8,
    pub(in crate::tests) generation: u8,
    pub(in crate::tests) files: Vec<(&'static str, &'static str)>,
    /// Lines of its code graph.
    pub(in crate::tests) graph: Vec<&'static str>,
    /// Text that stands in its README, its commits, its branch and wherever else people write prose.
    pub(in crate::tests) prose: Option<&'static str>,
    /// True if the worker no longer advertises it. Its calls are still answered, since some may be in flight.
    pub(in crate::tests) is_given_away: bool,
    /// Paths that were saved since the generation was made.
    pub(in crate::tests) newer_paths: Vec<&'static str>,
}

impl FakeRepository {
    pub(in crate::tests) fn hex(&self) -> String {
        RepoId([self.id; 16]).to_string()
    }

    /// Returns the prose of the repository, or `otherwise`.
    pub(super) fn prose_or(&self, otherwise: &str) -> String {
        self.prose.unwrap_or(otherwise).to_owned()
    }

    /// Lists a folder; an empty path is the root.
    pub(super) fn folder(&self, path: &str) -> v1::FolderListing {
        let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for rest in self.files.iter().filter_map(|(own, _)| own.strip_prefix(prefix.as_str())) {
            let (name, n_files) = rest.split_once('/').map_or((rest, 0), |(name, _)| (name, 1));
            *counts.entry(name).or_default() += n_files;
        }
        let entries =
            counts.into_iter().map(|(name, files)| v1::FolderEntry { name: name.to_owned(), files }).collect();
        v1::FolderListing { repository: self.hex(), entries, more: 0 }
    }

    pub(super) fn generation(&self) -> String {
        GenerationId([self.generation; 16]).to_string()
    }

    pub(super) fn advertise(&self) -> v1::Repository {
        v1::Repository {
            id: self.hex(),
            alias: self.alias.to_owned(),
            state: v1::RepositoryState::Ready.into(),
            generation: self.generation(),
            commit: CommitId([self.generation; 20]).to_string(),
            branch: self.prose_or("main"),
            committed_at: 1_700_000_000,
            indexed_at: 1_700_000_100,
            files: self.files.len() as u64,
            symbols: self.files.iter().map(|(_, text)| symbols(text).len() as u64).sum(),
            source_bytes: self.files.iter().map(|(_, text)| text.len() as u64).sum(),
            languages: vec![v1::LanguageCount { language: "python".to_owned(), files: 1, symbols: 1 }],
            diagnostics: self.prose.map(str::to_owned).into_iter().collect(),
            newer_paths: self.newer_paths.iter().map(|path| (*path).to_owned()).collect(),
            ..Default::default()
        }
    }
}

pub(super) fn file(path: &str, text: &str) -> v1::File {
    let hash = blake3::hash(text.as_bytes());
    let mut blob = [0; 20];
    blob.copy_from_slice(&hash.as_bytes()[..20]);
    v1::File {
        path: path.to_owned(),
        blob: BlobId(blob).to_string(),
        class: match path {
            _ if path.contains("test") => v1::FileClass::Test,
            _ if path.ends_with(".png") => v1::FileClass::Binary,
            _ => v1::FileClass::Source,
        }
        .into(),
        language: "python".to_owned(),
        lines: text.lines().count() as u32,
        bytes: text.len() as u64,
        ..Default::default()
    }
}

/// Returns a symbol for each line that begins with `def `; it ends where the next begins. `\n` in a comment is a line feed.
pub(super) fn symbols(text: &str) -> Vec<v1::Symbol> {
    let lines: Vec<&str> = text.lines().collect();
    let starts: Vec<usize> = (0..lines.len()).filter(|idx| lines[*idx].starts_with("def ")).collect();
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    let mut found: Vec<v1::Symbol> = Vec::new();
    let mut ordinals: HashMap<String, u32> = HashMap::new();
    for (start, end) in starts.iter().copied().zip(ends) {
        let name = lines[start]["def ".len()..].split('(').next().unwrap_or_default().to_owned();
        let ordinal = ordinals.entry(name.clone()).or_default();
        *ordinal += 1;
        let doc = lines.get(start + 1).and_then(|line| line.trim().strip_prefix("# ")).unwrap_or_default();
        found.push(v1::Symbol {
            kind: "function".to_owned(),
            name,
            signature: lines[start].to_owned(),
            doc: doc.replace("\\n", "\n"),
            lines: Some(v1::Lines { start: start as u32 + 1, end: end as u32 }),
            name_line: start as u32 + 1,
            ordinal: *ordinal,
            ..Default::default()
        });
    }
    found
}

pub(super) fn text_of(symbol: &v1::Symbol, text: &str) -> String {
    let v1::Lines { start, end } = symbol.lines.unwrap_or_default();
    text.lines().skip(start as usize - 1).take((end + 1 - start) as usize).collect::<Vec<_>>().join("\n")
}

pub(super) fn rows(repository: &FakeRepository) -> Vec<(&'static str, &'static str, v1::Symbol)> {
    let of_file = |(path, text): &(&'static str, &'static str)| {
        symbols(text).into_iter().map(|symbol| (*path, *text, symbol)).collect::<Vec<_>>()
    };
    repository.files.iter().flat_map(of_file).collect()
}

pub(super) fn contains_term(term: &str, row: &(&str, &str, v1::Symbol)) -> bool {
    ranking::analyser::terms(&text_of(&row.2, row.1)).iter().any(|own| own == term)
}

pub(super) fn name_tier(typed: &str, name: &str) -> Option<v1::NameTier> {
    match () {
        () if typed == name => Some(v1::NameTier::Exact),
        () if typed.eq_ignore_ascii_case(name) => Some(v1::NameTier::Folded),
        () if name.starts_with(typed) => Some(v1::NameTier::Prefix),
        () if name.chars().next() == typed.chars().next() => Some(v1::NameTier::Fuzzy),
        () => None,
    }
}
