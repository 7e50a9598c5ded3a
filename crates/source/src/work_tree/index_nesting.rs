//! Bounds the nesting of git's index before the library for git reads it.
//!
//! The library reads the cached trees and the cache of untracked files with one call within the other for each level.
//! A file of some hundred kilobytes has enough levels for the stack to overflow, which ends the process.
//!
//! The places of extensions follow from the entries, or from an extension at the end. So that they are the same as those of the
//! library in every case, each place is checked that could begin an extension.

use std::io;

use gix::bstr::ByteSlice;

/// Maximum number of levels. A path of common systems has a few dozen.
const MAX_LEVELS: usize = 512;

/// Maximum number of bytes that are read for each byte of the file: names that look like extensions cause repeated reads.
const MAX_READS_PER_BYTE: usize = 4;

/// Number of bytes of an object id.
const ID_BYTES: usize = 20;

/// Number of bytes of the cache of untracked files between its identification and the name of the files with rules.
const UNTRACKED_HEADER_BYTES: usize = 36 + 36 + 4 + 2 * ID_BYTES;

/// The kinds of a folder in an extension.
#[derive(Debug, Clone, Copy)]
enum FolderFormat {
    /// `name\0entries subfolders\nid`, without the id if the number of entries is negative.
    CachedTree,
    /// Two numbers, the name, and the names of the untracked entries.
    Untracked,
}

/// Returns an error if the bytes of an index are nested deeper than the library can read.
pub(super) fn check(bytes: &[u8]) -> io::Result<()> {
    let mut n_reads = bytes.len().saturating_mul(MAX_READS_PER_BYTE);
    for content in extensions(bytes, b"TREE") {
        check_levels(FolderFormat::CachedTree, content, &mut n_reads)?;
    }
    for content in extensions(bytes, b"UNTR") {
        check_levels(FolderFormat::Untracked, content, &mut n_reads)?;
    }
    Ok(())
}

/// Returns the contents at all places that may be an extension with this signature.
fn extensions<'a>(bytes: &'a [u8], signature: &'static [u8; 4]) -> impl Iterator<Item = &'a [u8]> {
    bytes.find_iter(signature).filter_map(move |at| {
        let (length, rest) = bytes[at + signature.len()..].split_first_chunk::<4>()?;
        rest.get(..u32::from_be_bytes(*length) as usize)
    })
}

/// Visits the folders of an extension, each before its subfolders. It ends without an error at bytes that are no folder.
fn check_levels(format: FolderFormat, mut content: &[u8], n_reads: &mut usize) -> io::Result<()> {
    let mut spend = |n_bytes: usize| {
        *n_reads = n_reads
            .checked_sub(n_bytes)
            .ok_or_else(|| files::refused("it has too many places that look like folders".to_owned()))?;
        io::Result::Ok(())
    };
    let n_bytes = content.len();
    let has_folders = match format {
        FolderFormat::CachedTree => true,
        FolderFormat::Untracked => take_untracked_header(&mut content).is_some(),
    };
    spend(n_bytes - content.len())?;
    // The number of folders that follow on each level.
    let mut pending: Vec<usize> = vec![usize::from(has_folders)];
    while let Some(n_pending) = pending.last_mut() {
        if *n_pending == 0 {
            pending.pop();
            continue;
        }
        *n_pending -= 1;
        let n_bytes = content.len();
        let n_subfolders = match format {
            FolderFormat::CachedTree => take_cached_tree(&mut content),
            FolderFormat::Untracked => take_untracked_folder(&mut content),
        };
        spend(n_bytes - content.len())?;
        let Some(n_subfolders) = n_subfolders else { return Ok(()) };
        pending.push(n_subfolders);
        if pending.len() > MAX_LEVELS {
            return Err(files::refused(format!("its folders have more than {MAX_LEVELS} levels")));
        }
    }
    Ok(())
}

/// Takes a cached tree, and returns the number of its subfolders.
fn take_cached_tree(content: &mut &[u8]) -> Option<usize> {
    take_until(content, 0)?;
    let n_entries: i32 = take_until(content, b' ')?.to_str().ok()?.parse().ok()?;
    let n_subfolders: usize = take_until(content, b'\n')?.to_str().ok()?.parse().ok()?;
    if n_entries >= 0 {
        take(content, ID_BYTES)?;
    }
    Some(n_subfolders)
}

/// Takes a folder with untracked files, and returns the number of its subfolders.
fn take_untracked_folder(content: &mut &[u8]) -> Option<usize> {
    let n_files = take_number(content)?;
    let n_subfolders = take_number(content)?;
    take_until(content, 0)?;
    (0..n_files).try_for_each(|_| take_until(content, 0).map(drop))?;
    Some(n_subfolders)
}

/// Takes what is before the folders of a cache of untracked files.
fn take_untracked_header(content: &mut &[u8]) -> Option<()> {
    let n_bytes = take_number(content)?;
    take(content, n_bytes)?;
    take(content, UNTRACKED_HEADER_BYTES)?;
    take_until(content, 0)?;
    take_number(content).map(drop)
}

fn take<'a>(content: &mut &'a [u8], n_bytes: usize) -> Option<&'a [u8]> {
    let (taken, rest) = content.split_at_checked(n_bytes)?;
    *content = rest;
    Some(taken)
}

/// Takes the bytes before a separator, and the separator; without one, takes everything.
fn take_until<'a>(content: &mut &'a [u8], separator: u8) -> Option<&'a [u8]> {
    let searched = *content;
    let Some(at) = searched.find_byte(separator) else {
        *content = &[];
        return None;
    };
    *content = &searched[at + 1..];
    Some(&searched[..at])
}

/// Takes a number of seven bits a byte, each group of which but the last is one less.
fn take_number(content: &mut &[u8]) -> Option<usize> {
    let mut number = 0_usize;
    loop {
        let byte = take(content, 1)?[0];
        number = number.checked_mul(128)?.checked_add(usize::from(byte & 127))?;
        if byte & 128 == 0 {
            return Some(number);
        }
        number = number.checked_add(1)?;
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns an index without entries, with one extension.
    pub(crate) fn index_with(signature: &[u8; 4], content: &[u8]) -> Vec<u8> {
        let length = u32::try_from(content.len()).unwrap().to_be_bytes();
        [&b"DIRC\0\0\0\x02\0\0\0\0"[..], signature, &length, content, &[0; ID_BYTES]].concat()
    }

    /// Returns cached trees of so many levels, each with the next one and with `n_leaves` others.
    pub(crate) fn trees(n_levels: usize, n_leaves: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for level in 1..=n_levels {
            let n_subfolders = if level == n_levels { 0 } else { n_leaves + 1 };
            bytes.extend(format!("a\0-1 {n_subfolders}\n").into_bytes());
            (1..=n_subfolders.saturating_sub(1)).for_each(|leaf| {
                bytes.extend([format!("l{leaf}\x001 0\n").as_bytes(), &[1; ID_BYTES]].concat());
            });
        }
        bytes
    }

    fn untracked(n_levels: usize) -> Vec<u8> {
        let mut bytes = [&[1, b'x'][..], &[0; UNTRACKED_HEADER_BYTES], b".gitignore\0", &[1]].concat();
        (0..n_levels).for_each(|level| bytes.extend([1, u8::from(level + 1 < n_levels), b'a', 0, b'f', 0]));
        bytes
    }

    #[test]
    fn deep_indexes_are_refused() {
        for (bytes, is_accepted) in [
            (index_with(b"TREE", &trees(1, 0)), true),
            (index_with(b"TREE", &trees(MAX_LEVELS - 1, 3)), true),
            (index_with(b"TREE", &trees(MAX_LEVELS + 1, 0)), false),
            (index_with(b"TREE", &trees(MAX_LEVELS + 1, 3)), false),
            (index_with(b"TREE", &trees(20_000, 0)), false),
            (index_with(b"TREE", &trees(2, 20_000)), true),
            // The places of extensions are not trusted.
            ([&index_with(b"REUC", b"")[..], &index_with(b"TREE", &trees(20_000, 0))].concat(), false),
            (index_with(b"UNTR", &untracked(2)), true),
            (index_with(b"UNTR", &untracked(20_000)), false),
            // Neither a name nor a cut extension is one.
            (index_with(b"REUC", b"src/TREE"), true),
            ([&index_with(b"REUC", b"")[..], b"TREE\x7f\xff\xff\xff", &trees(20_000, 0)].concat(), true),
            (index_with(b"TREE", b"a\0-1 x\n"), true),
        ] {
            let checked = check(&bytes);
            assert_eq!(checked.is_ok(), is_accepted, "{} bytes: {checked:?}", bytes.len());
        }
    }

    #[test]
    fn the_bytes_that_are_read_are_bounded() {
        // Extensions may overlap, so that the same folders are read again for each.
        for (n_reads, is_accepted) in [(1_000_000, true), (1_000, false)] {
            let mut left = n_reads;
            let checked = check_levels(FolderFormat::CachedTree, &trees(2, 20_000), &mut left);
            assert_eq!((checked.is_ok(), left < n_reads), (is_accepted, true), "{n_reads}");
        }
    }
}
