//! Memory-mapped files.
#![allow(unsafe_code)]

use std::{marker::PhantomData, path::Path, sync::Arc};

use memmap2::Mmap;
use rkyv::{
    Portable,
    api::high::{HighValidator, access},
    bytecheck::CheckBytes,
    rancor,
};

use crate::error::{IndexError, damaged, io_error};

/// The bytes of a sealed file, shared by all readers.
#[derive(Clone)]
pub(crate) struct MappedBytes(Arc<Mmap>);

impl MappedBytes {
    pub(crate) fn open(path: &Path) -> Result<MappedBytes, IndexError> {
        let file = files::open(path).map_err(io_error("cannot open", path))?;
        // SAFETY: files of a sealed generation are never written again. They are only unlinked, which keeps the mapping.
        let map = unsafe { Mmap::map(&file) }.map_err(io_error("cannot map", path))?;
        Ok(MappedBytes(Arc::new(map)))
    }
}

impl AsRef<[u8]> for MappedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// The writer of an archive, which decides whether its bytes are validated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ArchiveOrigin {
    /// Any process, on any machine.
    Unknown,
    /// This process, a moment ago. Validation would take as long as the rest of a run after an edit.
    ThisProcess,
}

/// An rkyv archive in a mapped file, validated once on opening.
pub(crate) struct MappedArchive<T> {
    bytes: MappedBytes,
    archived: PhantomData<fn() -> T>,
}

impl<T> MappedArchive<T>
where
    T: Portable + for<'a> CheckBytes<HighValidator<'a, rancor::Error>>,
{
    pub(crate) fn open(path: &Path, origin: ArchiveOrigin) -> Result<MappedArchive<T>, IndexError> {
        let bytes = MappedBytes::open(path)?;
        if origin == ArchiveOrigin::Unknown {
            access::<T, rancor::Error>(bytes.as_ref()).map_err(|error| damaged(path, error.to_string()))?;
        }
        Ok(MappedArchive { bytes, archived: PhantomData })
    }

    pub(crate) fn get(&self) -> &T {
        // SAFETY: `open` has validated these bytes, or this process has serialised them, and they never change (see `MappedBytes`).
        unsafe { rkyv::access_unchecked::<T>(self.bytes.as_ref()) }
    }
}
