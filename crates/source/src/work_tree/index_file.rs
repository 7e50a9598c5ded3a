//! Reads the files of git's index. The library decodes the same bytes that were checked: a file that is renamed over the index
//! meanwhile is not read.

use std::{fs::File, io, os::unix::fs::MetadataExt};

use gix::{
    ObjectId,
    index::{
        State,
        decode::Options,
        entry::Flags,
        extension::{Link, link::Bitmaps},
    },
};

use super::index_nesting;
use crate::{Checkout, SourceError, git, git_dirs::named_error};

/// Maximum size in bytes of an index. An entry takes some 100 bytes, and 200,000 are listed at most.
const MAX_INDEX_BYTES: u64 = 256 << 20;

/// An index with the entries that it shares with others.
pub(super) struct IndexFile {
    pub(super) state: State,
    /// The time of its file in seconds and nanoseconds.
    pub(super) written_at: (i64, i64),
}

impl IndexFile {
    /// Reads the index. One that does not exist is empty.
    pub(super) fn read(checkout: &Checkout) -> Result<IndexFile, SourceError> {
        let folder = &checkout.dirs.git_dir;
        let refused = |name: &str, error: &io::Error| git::refused_error(checkout, &named_error(name, error));
        let file = match files::open(&folder.join("index")) {
            Err(error) if files::is_missing(&error) => {
                return Ok(IndexFile { state: State::new(gix::hash::Kind::Sha1), written_at: (0, 0) });
            }
            file => file.map_err(|error| refused("index", &error))?,
        };
        let (bytes, written_at) = read_checked(file).map_err(|error| refused("index", &error))?;
        let split = decode(&bytes, None).map_err(|error| unreadable(checkout, error))?;
        // A null id stands for no shared index.
        let Some(link) = split.link().filter(|link| !link.shared_index_checksum.is_null()).cloned() else {
            return Ok(IndexFile { state: split, written_at });
        };
        let Link { shared_index_checksum: id, bitmaps } = link;
        let name = format!("sharedindex.{id}");
        let file = match files::open(&folder.join(&name)) {
            Err(error) if files::is_missing(&error) => return Err(unreadable(checkout, named_error(&name, &error))),
            file => file.map_err(|error| refused(&name, &error))?,
        };
        let (bytes, _) = read_checked(file).map_err(|error| refused(&name, &error))?;
        let shared = decode(&bytes, Some(id)).map_err(|error| unreadable(checkout, error))?;
        if shared.link().is_some() {
            // Each could lead to the next one, or to itself.
            let error = files::refused("it is a shared index that leads to another one".to_owned());
            return Err(refused(&name, &error));
        }
        let state = merge(&split, bitmaps, shared).ok_or_else(|| {
            unreadable(checkout, io::Error::new(io::ErrorKind::InvalidData, format!("the index does not fit `{name}`")))
        })?;
        Ok(IndexFile { state, written_at })
    }
}

/// Reads an index of a sensible size and depth, with its time.
fn read_checked(file: File) -> io::Result<(Vec<u8>, (i64, i64))> {
    let metadata = file.metadata()?;
    let bytes = files::read_open(file, MAX_INDEX_BYTES)?;
    index_nesting::check(&bytes)?;
    Ok((bytes, (metadata.mtime(), metadata.mtime_nsec())))
}

fn decode(bytes: &[u8], id: Option<ObjectId>) -> Result<State, gix::Error> {
    let limit = usize::try_from(MAX_INDEX_BYTES).ok();
    let options = Options { alloc_limit_bytes: limit, expected_checksum: id, ..Default::default() };
    // The time only passes through the library.
    let time = State::new(gix::hash::Kind::Sha1).timestamp();
    State::from_bytes(bytes, time, gix::hash::Kind::Sha1, options).map(|(state, _)| state)
}

/// Returns a shared index with the changes of an index that leads to it; `None` if they do not fit together. The first entries of the
/// index have no paths and replace shared ones; the others are new.
fn merge(split: &State, bitmaps: Option<Bitmaps>, mut shared: State) -> Option<State> {
    let mut n_replaced = 0;
    if let Some(Bitmaps { delete, replace }) = bitmaps {
        replace.for_each_set_bit(|place| {
            let new = split.entries().get(n_replaced).filter(|new| new.path(split).is_empty())?;
            let old = shared.entries_mut().get_mut(place)?;
            (old.stat, old.id, old.flags, old.mode) = (new.stat, new.id, new.flags, new.mode);
            n_replaced += 1;
            Some(())
        })?;
        delete.for_each_set_bit(|place| {
            shared.entries_mut().get_mut(place)?.flags.insert(Flags::REMOVE);
            Some(())
        })?;
    }
    for new in &split.entries()[n_replaced..] {
        // One without a path replaces nothing, and is no file.
        (!new.path(split).is_empty()).then_some(())?;
        shared.dangerously_push_entry(new.stat, new.id, new.flags, new.mode, new.path(split));
    }
    shared.remove_entries(|_, _, entry| entry.flags.contains(Flags::REMOVE));
    shared.sort_entries();
    Some(shared)
}

fn unreadable(checkout: &Checkout, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> SourceError {
    SourceError::Unreadable { alias: checkout.alias.clone(), source: error.into() }
}
