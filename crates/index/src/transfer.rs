//! Transfer of generations between machines: export of the files of a snapshot, and import into a staging folder.
//!
//! An imported generation is published like one that was written here: every file is compared with its checksum before
//! `CURRENT` refers to it. This crate does not know how the bytes are transported.

use std::{
    fs::{self, File},
    path::{Component, Path, PathBuf},
};

use ranking::ANALYSER_VERSION;

use crate::{
    durable,
    error::{IndexError, damaged, io_error},
    generation::{GenerationKey, RunInputs, generation_id},
    manifest::{Checksum, GenerationManifest, MANIFEST_FILE, MAX_MANIFEST_BYTES},
    repository_dir::{RepositoryDir, publish},
    snapshot::Snapshot,
};

/// The files of a sealed generation. They are open, so that they stay readable if the generation is swept.
#[derive(Debug)]
pub struct GenerationExport {
    /// The key of the generation.
    pub key: GenerationKey,
    /// The bytes of the manifest, which lists all files.
    pub manifest: Vec<u8>,
    /// All other files.
    pub files: Vec<ExportedFile>,
}

/// One file of a sealed generation.
#[derive(Debug)]
pub struct ExportedFile {
    /// Path within the generation, with slashes.
    pub name: String,
    /// Length and hash.
    pub checksum: Checksum,
    /// The file, opened for reading.
    pub file: File,
}

/// A generation that is being imported. If it is not published, only a staging folder remains, which the next run empties.
#[derive(Debug)]
pub struct GenerationImport {
    repository: RepositoryDir,
    staging: PathBuf,
    manifest: GenerationManifest,
    manifest_json: Vec<u8>,
}

impl Snapshot {
    /// Opens all files of the generation for export.
    pub fn export(&self) -> Result<GenerationExport, IndexError> {
        let manifest_path = self.dir().join(MANIFEST_FILE);
        let manifest =
            files::read(&manifest_path, MAX_MANIFEST_BYTES).map_err(io_error("cannot read", &manifest_path))?;
        let open = |(name, checksum): (&String, &Checksum)| {
            let path = self.dir().join(name);
            let file = files::open(&path).map_err(io_error("cannot open", &path))?;
            Ok(ExportedFile { name: name.clone(), checksum: checksum.clone(), file })
        };
        let files = self.manifest().checksums.iter().map(open).collect::<Result<_, IndexError>>()?;
        Ok(GenerationExport { key: self.manifest().key(), manifest, files })
    }
}

impl RepositoryDir {
    /// Begins the import of a generation into an empty staging folder.
    ///
    /// A manifest of another generation than `key` is an error, and so is a file name that leaves the folder.
    pub fn import(&self, key: GenerationKey, manifest_json: &[u8]) -> Result<GenerationImport, IndexError> {
        let staging = self.create_staging()?;
        let manifest = GenerationManifest::parse(manifest_json, &staging)?;
        check_manifest(&manifest, key).map_err(|reason| damaged(&staging, reason))?;
        Ok(GenerationImport { repository: self.clone(), staging, manifest, manifest_json: manifest_json.to_owned() })
    }
}

impl GenerationImport {
    /// Returns name and checksum of each required file.
    pub fn files(&self) -> impl Iterator<Item = (&str, &Checksum)> {
        self.manifest.checksums.iter().map(|(name, checksum)| (name.as_str(), checksum))
    }

    /// Creates one of the required files, empty.
    pub fn create_file(&self, name: &str) -> Result<File, IndexError> {
        if !self.manifest.checksums.contains_key(name) {
            return Err(damaged(&self.staging, format!("`{name}` is not in the manifest")));
        }
        let path = self.staging.join(name);
        let folder = path.parent().unwrap_or(&self.staging);
        fs::create_dir_all(folder).map_err(io_error("cannot create", folder))?;
        File::create(&path).map_err(io_error("cannot create", &path))
    }

    /// Compares every file with its checksum, publishes the generation, and returns it opened.
    pub fn publish(self) -> Result<Snapshot, IndexError> {
        durable::write_file(&self.staging.join(MANIFEST_FILE), &self.manifest_json)?;
        publish(&self.repository, &self.manifest)
    }
}

/// Returns an error if an imported manifest is of another generation, or has invalid file names.
fn check_manifest(manifest: &GenerationManifest, key: GenerationKey) -> Result<(), String> {
    let GenerationManifest { repo, commit, analyser, extractor, .. } = *manifest;
    let inputs = RunInputs {
        contents: manifest.contents(),
        pushed_index: manifest.pushed_index.as_deref(),
        version_tags: &manifest.version_tags,
    };
    let id = generation_id(repo, commit, manifest.model.as_deref(), analyser, extractor, inputs);
    if manifest.key() != key || id != key.generation || analyser != ANALYSER_VERSION {
        return Err(format!("the manifest is of another generation than {}", key.generation));
    }
    match manifest.checksums.keys().find(|name| !is_inside(name)) {
        Some(name) => Err(format!("`{name}` is an invalid file name in a manifest")),
        None => Ok(()),
    }
}

/// Returns true if a file name stays within its folder, and is not that of the manifest.
fn is_inside(name: &str) -> bool {
    let is_plain = |component: Component<'_>| matches!(component, Component::Normal(_));
    !name.is_empty() && name != MANIFEST_FILE && !name.contains('\\') && Path::new(name).components().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_must_stay_in_their_folder() {
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
