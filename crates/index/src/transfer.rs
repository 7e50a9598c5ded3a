//! A generation on its way between machines: the files that it leaves with, and the folder that it arrives in.
//!
//! What arrives is published by the same steps as what is written here: every file is compared with its checksum before
//! anything points to it. Where the bytes come from is nothing that this crate knows.

use std::{
    fs::{self, File},
    path::{Component, Path, PathBuf},
};

use model::{CommitId, GenerationId, RepoId};
use ranking::ANALYSER_VERSION;

use crate::{
    Checksum, IndexError, Manifest, RepositoryDir, Snapshot, durable,
    error::{at, damaged},
    manifest::MANIFEST_FILE,
    publish,
    writer::generation_id,
};

/// What a generation is known by everywhere: its id says what it is of, the rest is for those who look for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct GenerationKey {
    pub repo: RepoId,
    pub commit: CommitId,
    pub generation: GenerationId,
}

/// What a sealed generation consists of. The files are open, so that they stay readable when it is swept meanwhile.
#[derive(Debug)]
pub struct Export {
    pub key: GenerationKey,
    /// The bytes of the manifest, which names all files.
    pub manifest: Vec<u8>,
    pub files: Vec<ExportedFile>,
}

/// One file of a sealed generation.
#[derive(Debug)]
pub struct ExportedFile {
    /// Its path within the generation, with slashes.
    pub name: String,
    pub checksum: Checksum,
    pub file: File,
}

/// A generation that arrives. What is not published leaves nothing but a staging folder, which the next run empties.
#[derive(Debug)]
pub struct Import {
    repository: RepositoryDir,
    staging: PathBuf,
    manifest: Manifest,
    json: Vec<u8>,
}

impl Manifest {
    /// Returns what the generation is known by.
    pub fn key(&self) -> GenerationKey {
        GenerationKey { repo: self.repo, commit: self.commit, generation: self.generation }
    }
}

impl Snapshot {
    /// Opens all files of the generation for whoever carries them elsewhere.
    pub fn export(&self) -> Result<Export, IndexError> {
        let manifest_path = self.dir().join(MANIFEST_FILE);
        let manifest = fs::read(&manifest_path).map_err(at("cannot read", &manifest_path))?;
        let open = |(name, checksum): (&String, &Checksum)| {
            let path = self.dir().join(name);
            let file = File::open(&path).map_err(at("cannot open", &path))?;
            Ok(ExportedFile { name: name.clone(), checksum: checksum.clone(), file })
        };
        let files = self.manifest().checksums.iter().map(open).collect::<Result<_, IndexError>>()?;
        Ok(Export { key: self.manifest().key(), manifest, files })
    }
}

impl RepositoryDir {
    /// Begins to take in the generation that this manifest is of, into an empty staging folder. A manifest of another
    /// generation than the one asked for is refused, and so is one with names that lead elsewhere.
    pub fn import(&self, wanted: GenerationKey, manifest_json: &[u8]) -> Result<Import, IndexError> {
        let staging = self.staging()?;
        let manifest = Manifest::parse(manifest_json, &staging)?;
        check(&manifest, wanted).map_err(|what| damaged(&staging, what))?;
        Ok(Import { repository: self.clone(), staging, manifest, json: manifest_json.to_owned() })
    }
}

impl Import {
    /// Returns the files that are to be brought, by name.
    pub fn files(&self) -> impl Iterator<Item = (&str, &Checksum)> {
        self.manifest.checksums.iter().map(|(name, checksum)| (name.as_str(), checksum))
    }

    /// Makes one of those files, empty.
    pub fn create(&self, name: &str) -> Result<File, IndexError> {
        if !self.manifest.checksums.contains_key(name) {
            return Err(damaged(&self.staging, format!("`{name}` is not in the manifest")));
        }
        let path = self.staging.join(name);
        let folder = path.parent().unwrap_or(&self.staging);
        fs::create_dir_all(folder).map_err(at("cannot create", folder))?;
        File::create(&path).map_err(at("cannot create", &path))
    }

    /// Compares every file with its checksum, makes the generation the current one, and returns it open.
    pub fn publish(self) -> Result<Snapshot, IndexError> {
        durable::write_file(&self.staging.join(MANIFEST_FILE), &self.json)?;
        publish(&self.repository, &self.manifest)
    }
}

/// Says what is wrong with a manifest that came from elsewhere.
fn check(manifest: &Manifest, wanted: GenerationKey) -> Result<(), String> {
    let Manifest { repo, commit, analyser, extractor, .. } = *manifest;
    let id = generation_id(repo, commit, manifest.model.as_deref(), analyser, extractor);
    if manifest.key() != wanted || id != wanted.generation || analyser != ANALYSER_VERSION {
        return Err(format!("the manifest is of another generation than {}", wanted.generation));
    }
    match manifest.checksums.keys().find(|name| !is_inside(name)) {
        Some(name) => Err(format!("`{name}` is no name of a file of a generation")),
        None => Ok(()),
    }
}

/// Says whether a name stays in the folder that it is looked up in, and is not the manifest's.
fn is_inside(name: &str) -> bool {
    let is_plain = |component: Component<'_>| matches!(component, Component::Normal(_));
    !name.is_empty() && name != MANIFEST_FILE && !name.contains('\\') && Path::new(name).components().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_folder() {
        for (name, expected) in [
            ("graph.rkyv", true),
            ("text/0a1b.term", true),
            ("", false),
            ("manifest.json", false),
            ("../graph.rkyv", false),
            ("text/../../x", false),
            ("/etc/passwd", false),
            ("text\\..\\x", false),
        ] {
            assert_eq!(is_inside(name), expected, "{name}");
        }
    }
}
