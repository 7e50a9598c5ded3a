//! A file of a work tree whose content may not be in the database of objects.

use std::{
    ffi::OsStr,
    fs::Metadata,
    io,
    os::unix::{ffi::OsStrExt, fs::PermissionsExt},
    path::{Path, PathBuf},
    sync::Arc,
};

use gix::objs::tree::EntryKind;
use model::BlobId;

use super::stat_cache::{FileVersion, Scan};
use crate::{MAX_FILE_BYTES, folder, git};

/// A file on disk.
#[derive(Debug, Clone)]
pub(super) struct DiskFile {
    pub(super) blob: BlobId,
    /// The blob id of its content with the ends of lines that git stores, if they are others.
    pub(super) text: Option<BlobId>,
    pub(super) size: u64,
    /// Its content, if it was read and fits into memory with those of the others.
    pub(super) content: Option<Arc<[u8]>>,
}

impl DiskFile {
    /// Hashes a file, unless that is cached. A file over the size limit is hashed by its size and time instead.
    pub(super) fn read(root: &Path, path: &[u8], metadata: &Metadata, scan: &Scan) -> io::Result<DiskFile> {
        let size = metadata.len();
        if size > MAX_FILE_BYTES {
            return Ok(DiskFile { blob: folder::hash_of_large(metadata), text: None, size, content: None });
        }
        let version = FileVersion::of(metadata);
        if let Some((blob, text)) = scan.get(path, version) {
            return Ok(DiskFile { blob, text, size, content: None });
        }
        let content = folder::read_regular(root, &to_path(path), MAX_FILE_BYTES)?;
        let size = content.len() as u64;
        let blob = git::hash_blob(&content).ok_or_else(|| io::Error::other("cannot be hashed"))?;
        let text = hash_text(&content);
        scan.note(path, version, (blob, text));
        Ok(DiskFile { blob, text, size, content: scan.can_hold(size).then(|| content.into()) })
    }

    /// Returns true if the file has the content of a blob with other ends of lines, as git converts them.
    pub(super) fn has_text_of(&self, blob: BlobId) -> bool {
        self.text == Some(blob)
    }
}

/// Hashes a content with the ends of lines that git stores; `None` if it has them.
fn hash_text(content: &[u8]) -> Option<BlobId> {
    if !content.windows(2).any(|pair| pair == b"\r\n") {
        return None;
    }
    let is_kept = |at: &usize| content[*at] != b'\r' || content.get(at + 1) != Some(&b'\n');
    let converted: Vec<u8> = (0..content.len()).filter(is_kept).map(|at| content[at]).collect();
    git::hash_blob(&converted)
}

/// Returns the kind that git gives to a regular file. The permission to execute means nothing on some file systems, where the kind
/// that is committed stays.
pub(super) fn kind_of(metadata: &Metadata, committed: EntryKind, trusts_mode: bool) -> EntryKind {
    match committed {
        EntryKind::Blob | EntryKind::BlobExecutable if !trusts_mode => committed,
        _ if trusts_mode && metadata.permissions().mode() & 0o100 != 0 => EntryKind::BlobExecutable,
        _ => EntryKind::Blob,
    }
}

pub(super) fn to_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}
