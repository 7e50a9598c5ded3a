//! The seal of a generation: what it is of, what it holds, and the checksum of each of its files.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use model::{CommitId, GenerationId, RepoId};
use serde::{Deserialize, Serialize};

use crate::{
    IndexError, durable,
    error::{at, damaged},
    mapped::MappedBytes,
};

/// Version of everything that is on disk in a generation; an older generation is made anew, never converted.
pub const FORMAT_VERSION: u32 = 13;

pub(crate) const MANIFEST_FILE: &str = "manifest.json";

/// What a sealed generation says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    pub analyser: u32,
    pub extractor: u32,
    pub generation: GenerationId,
    pub repo: RepoId,
    pub commit: CommitId,
    /// Short name of the branch that HEAD was on.
    pub branch: Option<String>,
    /// Seconds since the epoch.
    pub committed_at: i64,
    pub indexed_at: i64,
    pub files: u64,
    pub symbols: u64,
    /// Bytes of all files that were read.
    pub source_bytes: u64,
    pub rows: u64,
    /// The model of its vectors; none if it has none.
    pub model: Option<String>,
    /// Rows in the text index that belong to files which are gone or were replaced.
    pub dead_rows: u64,
    /// The next file that is added to the text index gets this slot.
    pub next_slot: u64,
    /// Most files first.
    pub languages: Vec<LanguageCount>,
    /// What had to be left out, in the order of paths; the first few.
    pub diagnostics: Vec<String>,
    /// By path within the generation.
    pub checksums: BTreeMap<String, Checksum>,
}

/// Files and symbols of one language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LanguageCount {
    pub language: String,
    pub files: u64,
    pub symbols: u64,
}

/// Length and BLAKE3 hash of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checksum {
    pub bytes: u64,
    pub blake3: String,
}

impl Manifest {
    /// Reads the manifest of the generation in `dir`, of this format or a clear error.
    pub(crate) fn read(dir: &Path) -> Result<Manifest, IndexError> {
        let path = dir.join(MANIFEST_FILE);
        let json = fs::read(&path).map_err(at("cannot read", &path))?;
        Manifest::parse(&json, dir)
    }

    /// Reads a manifest of this format; `dir` is what errors name.
    pub(crate) fn parse(json: &[u8], dir: &Path) -> Result<Manifest, IndexError> {
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

    /// Writes the manifest into `dir` with the checksums of all files there: the last thing written.
    pub(crate) fn seal(mut self, dir: &Path) -> Result<Manifest, IndexError> {
        self.checksums = checksums(dir)?;
        let json = serde_json::to_vec_pretty(&self).map_err(|error| damaged(dir, error.to_string()))?;
        durable::write_file(&dir.join(MANIFEST_FILE), &json)?;
        Ok(self)
    }

    /// Compares every file in `dir` with its checksum.
    pub(crate) fn verify(&self, dir: &Path) -> Result<(), IndexError> {
        let found = checksums(dir)?;
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

fn checksums(dir: &Path) -> Result<BTreeMap<String, Checksum>, IndexError> {
    let mut sums = BTreeMap::new();
    for path in files_below(dir)? {
        let name = path.strip_prefix(dir).unwrap_or(&path).to_string_lossy().into_owned();
        if name == MANIFEST_FILE || is_scratch(&name) {
            continue;
        }
        let n_bytes = fs::metadata(&path).map_err(at("cannot read", &path))?.len();
        // An empty file cannot be mapped.
        let hash = if n_bytes == 0 { blake3::hash(&[]) } else { blake3::hash(MappedBytes::open(&path)?.as_ref()) };
        sums.insert(name, Checksum { bytes: n_bytes, blake3: hash.to_hex().to_string() });
    }
    Ok(sums)
}

/// Says whether tantivy keeps this file for its own writer alone; a sealed generation has none.
fn is_scratch(name: &str) -> bool {
    name.ends_with(".lock") || name.ends_with(".managed.json")
}

fn files_below(dir: &Path) -> Result<Vec<PathBuf>, IndexError> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).map_err(at("cannot list", dir))? {
        let path = entry.map_err(at("cannot list", dir))?.path();
        if path.is_dir() {
            files.extend(files_below(&path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}
