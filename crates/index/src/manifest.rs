//! The manifest of a generation: provenance, counts, and the checksum of each of its files.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use model::{CommitId, ContentsId, GenerationId, RepoId};
use serde::{Deserialize, Serialize};

use crate::{
    error::{IndexError, damaged, io_error},
    generation::{ChangedFiles, FORMAT_VERSION, GenerationKey},
    mapped::MappedBytes,
    records::TEXT_DIR,
};

pub(crate) const MANIFEST_FILE: &str = "manifest.json";

/// Maximum size of a manifest. It lists some dozens of files.
pub(crate) const MAX_MANIFEST_BYTES: u64 = 64 << 20;

/// The manifest of a sealed generation. It is stored as JSON under these field names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GenerationManifest {
    /// The `FORMAT_VERSION` of the generation.
    pub format: u32,
    /// Version of the text analyser.
    pub analyser: u32,
    /// Version of the fact extractor.
    pub extractor: u32,
    /// Hash of repository, commit, changed contents, model and software versions.
    pub generation: GenerationId,
    /// The indexed repository.
    pub repo: RepoId,
    /// The indexed commit.
    pub commit: CommitId,
    /// The differences of the indexed work tree to the commit; `None` if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<ChangedFiles>,
    /// Short name of the branch of `HEAD`, if there was one.
    pub branch: Option<String>,
    /// Time of the commit, in seconds since the epoch.
    pub committed_at: i64,
    /// Time of the indexing run, in seconds since the epoch.
    pub indexed_at: i64,
    /// Number of files.
    pub files: u64,
    /// Number of symbols.
    pub symbols: u64,
    /// Total length of all files that were read.
    pub source_bytes: u64,
    /// The id of the SCIP index that was pushed to the worker, if one was.
    #[serde(default)]
    pub pushed_index: Option<String>,
    /// The tags of released versions that the commit contains, of each prefix the newest ones.
    #[serde(default)]
    pub version_tags: Vec<String>,
    /// Number of files whose uses a compiler resolved.
    #[serde(default)]
    pub compiler_files: u64,
    /// Number of live rows in the text index.
    pub rows: u64,
    /// The model of the row vectors; `None` for a generation without vectors.
    pub model: Option<String>,
    /// Number of rows in the text index whose files were removed or replaced.
    pub dead_rows: u64,
    /// The slot of the next file that is added to the text index.
    pub next_slot: u64,
    /// Files and symbols by language, most files first.
    pub languages: Vec<LanguageCount>,
    /// The first few diagnostics: those of the repository, then those of files, sorted by path.
    pub diagnostics: Vec<String>,
    /// Checksum of each file, by path within the generation.
    pub checksums: BTreeMap<String, Checksum>,
}

/// Number of files and symbols of one language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LanguageCount {
    /// Name of the language.
    pub language: String,
    /// Number of files.
    pub files: u64,
    /// Number of symbols.
    pub symbols: u64,
}

/// Length and BLAKE3 hash of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checksum {
    /// Length of the file.
    pub bytes: u64,
    /// BLAKE3 hash, in hexadecimal digits.
    pub blake3: String,
}

impl Checksum {
    pub(crate) fn of(bytes: &[u8]) -> Checksum {
        Checksum { bytes: bytes.len() as u64, blake3: blake3::hash(bytes).to_hex().to_string() }
    }
}

/// The files of a new generation that are links to files of another one.
#[derive(Debug, Default)]
pub(crate) struct LinkedFiles<'a> {
    /// The manifest of the other generation.
    pub(crate) from: Option<&'a GenerationManifest>,
    /// The names of files. The name of the folder of the text index stands for its segments.
    pub(crate) names: Vec<&'static str>,
}

impl LinkedFiles<'_> {
    /// Returns the checksum that a file has in the other generation, if it is a link.
    fn checksum(&self, name: &str) -> Option<&Checksum> {
        let of_text = name.starts_with(TEXT_DIR) && !name.ends_with("meta.json");
        let is_linked = self.names.iter().any(|linked| *linked == name || (of_text && *linked == TEXT_DIR));
        self.from.filter(|_| is_linked)?.checksums.get(name)
    }
}

/// A difference between an open generation and its files on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GenerationLoss {
    /// The first difference.
    pub reason: String,
    /// True if the open generation is still readable. A mapped file that was removed is, and one that was truncated is not.
    pub is_readable: bool,
}

impl GenerationManifest {
    /// Returns the contents of the indexed work tree, if they differ from the commit.
    pub fn contents(&self) -> Option<ContentsId> {
        self.changes.as_ref().map(|changes| changes.contents)
    }

    /// Returns the key of the generation.
    pub fn key(&self) -> GenerationKey {
        GenerationKey { repo: self.repo, commit: self.commit, generation: self.generation }
    }

    /// Reads the manifest of the generation in `dir`. Another format is an error.
    pub(crate) fn read(dir: &Path) -> Result<GenerationManifest, IndexError> {
        let path = dir.join(MANIFEST_FILE);
        let json = files::read(&path, MAX_MANIFEST_BYTES).map_err(io_error("cannot read", &path))?;
        GenerationManifest::parse(&json, dir)
    }

    /// Parses a manifest of this format. Errors name `dir`.
    pub(crate) fn parse(json: &[u8], dir: &Path) -> Result<GenerationManifest, IndexError> {
        #[derive(Deserialize)]
        struct FormatOnly {
            format: u32,
        }
        let format =
            serde_json::from_slice::<FormatOnly>(json).map_err(|error| damaged(dir, error.to_string()))?.format;
        if format != FORMAT_VERSION {
            let path = dir.display().to_string();
            return Err(IndexError::Format { path, found: format, expected: FORMAT_VERSION });
        }
        serde_json::from_slice(json).map_err(|error| damaged(dir, error.to_string()))
    }

    /// Compares the length of every file in `dir` with the manifest, which takes much less time than [`Self::verify`]. Returns the
    /// first difference.
    pub(crate) fn find_loss(&self, dir: &Path) -> Option<GenerationLoss> {
        let files = self.checksums.iter().map(|(name, checksum)| (name.as_str(), Some(checksum.bytes)));
        std::iter::once((MANIFEST_FILE, None)).chain(files).find_map(|(name, expected)| {
            let found = fs::metadata(dir.join(name)).map(|metadata| metadata.len());
            let (reason, is_readable) = match (found, expected) {
                (Ok(found), Some(expected)) if found != expected => {
                    (format!("`{name}` has {found} bytes instead of {expected}"), false)
                }
                (Ok(_), _) => return None,
                (Err(error), _) => (format!("`{name}` cannot be read: {error}"), true),
            };
            Some(GenerationLoss { reason, is_readable })
        })
    }

    /// Writes the manifest into `dir` with the checksums of all files there. It must be the last write.
    ///
    /// Files may be links to those of another generation. They must still have its checksums: otherwise its damage would be sealed as
    /// valid.
    pub(crate) fn seal(mut self, dir: &Path, linked: &LinkedFiles<'_>) -> Result<GenerationManifest, IndexError> {
        // The generation of a changed work tree lives for one edit. Its linked files are those that were verified before.
        let has_known = self.changes.is_some();
        self.checksums = checksums(dir, |name| linked.checksum(name).filter(|_| has_known).cloned())?;
        for (name, found) in &self.checksums {
            if linked.checksum(name).is_some_and(|expected| found != expected) {
                return Err(damaged(dir, format!("checksum mismatch in `{name}` of the previous generation")));
            }
        }
        let json = serde_json::to_vec_pretty(&self).map_err(|error| damaged(dir, error.to_string()))?;
        // Publication syncs all files of a generation that is to outlast a crash.
        let path = dir.join(MANIFEST_FILE);
        fs::write(&path, &json).map_err(io_error("cannot write", &path))?;
        Ok(self)
    }

    /// Compares every file in `dir` with its checksum.
    pub(crate) fn verify(&self, dir: &Path) -> Result<(), IndexError> {
        let found = checksums(dir, |_| None)?;
        for (name, expected) in &self.checksums {
            match found.get(name) {
                Some(checksum) if checksum == expected => {}
                Some(_) => return Err(damaged(dir, format!("checksum mismatch in `{name}`"))),
                None => return Err(damaged(dir, format!("`{name}` is missing"))),
            }
        }
        Ok(())
    }
}

/// Computes the checksum of every file. A file of the same length as one of `known` has that checksum.
fn checksums(dir: &Path, known: impl Fn(&str) -> Option<Checksum>) -> Result<BTreeMap<String, Checksum>, IndexError> {
    let mut sums = BTreeMap::new();
    for path in files_below(dir)? {
        let name = path.strip_prefix(dir).unwrap_or(&path).to_string_lossy().into_owned();
        if name == MANIFEST_FILE || is_writer_state(&name) {
            continue;
        }
        let n_bytes = fs::metadata(&path).map_err(io_error("cannot read", &path))?.len();
        if let Some(known) = known(&name).filter(|known| known.bytes == n_bytes) {
            sums.insert(name, known);
            continue;
        }
        // An empty file cannot be mapped.
        let checksum = if n_bytes == 0 { Checksum::of(&[]) } else { Checksum::of(MappedBytes::open(&path)?.as_ref()) };
        sums.insert(name, checksum);
    }
    Ok(sums)
}

/// Returns true for a file that only the writer of tantivy uses. A sealed generation does without it.
fn is_writer_state(name: &str) -> bool {
    name.ends_with(".lock") || name.ends_with(".managed.json")
}

fn files_below(dir: &Path) -> Result<Vec<PathBuf>, IndexError> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).map_err(io_error("cannot list", dir))? {
        let path = entry.map_err(io_error("cannot list", dir))?.path();
        if path.is_dir() {
            files.extend(files_below(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}
