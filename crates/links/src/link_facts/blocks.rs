//! Blocks of facts: consecutive files that are encoded together. The blocks of unchanged files are copied from the previous generation.
//!
//! A block ends at a path with a certain hash. Hence a file that is added or removed changes one block only, and the blocks depend on
//! nothing but the files.

use std::collections::HashMap;

use graph::InterfaceHash;
use model::FileFacts;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{
    LENGTH_BYTES, LinkFactsError, LinkFactsFile,
    file_uses::{self, StoredUses},
    read_section, section, split_section,
};

/// Mean number of files of a block. Larger blocks compress better, and are encoded again for each change of a file in them.
const MEAN_FILES: u8 = 32;

/// Maximum number of files of a block.
const MAX_FILES: usize = 4 * MEAN_FILES as usize;

/// A file to encode.
pub(super) struct BlockFile<'a> {
    pub(super) place: FilePlace,
    pub(super) facts: &'a FileFacts,
    /// True if the previous generation holds the file with these facts.
    pub(super) is_unchanged: bool,
}

/// The path of a file, and its numbers in a generation. The numbers change when another file changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FilePlace {
    pub(super) path: String,
    pub(super) file_idx: u32,
    pub(super) first_symbol: u32,
    pub(super) is_vendored: bool,
    pub(super) interface: InterfaceHash,
}

/// The entry of a block in the directory of blocks.
#[derive(Debug, Serialize, Deserialize)]
struct BlockEntry {
    files: Vec<FilePlace>,
    lengths: BlockLengths,
}

/// The numbers of bytes of the two sections of a block, definitions and uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct BlockLengths {
    definitions: u64,
    uses: u64,
}

/// The encoded sections of a block.
#[derive(Debug, Clone, Copy)]
struct BlockSections<'a> {
    definitions: &'a [u8],
    uses: &'a [u8],
}

/// The encoded blocks of a generation, by the path of their first file.
#[derive(Default)]
pub(super) struct PreviousBlocks<'a>(HashMap<String, PreviousBlock<'a>>);

struct PreviousBlock<'a> {
    files: Vec<FilePlace>,
    sections: BlockSections<'a>,
}

impl<'a> PreviousBlocks<'a> {
    /// Reads the directory of encoded blocks.
    pub(super) fn read(encoded: &'a [u8]) -> Result<PreviousBlocks<'a>, LinkFactsError> {
        let blocks = split(encoded)?.into_iter().filter_map(|(entry, sections)| {
            let first = entry.files.first()?.path.clone();
            Some((first, PreviousBlock { files: entry.files, sections }))
        });
        Ok(PreviousBlocks(blocks.collect()))
    }

    /// Returns the sections of a block with exactly these files, all of which are unchanged.
    fn find(&self, files: &[BlockFile<'_>]) -> Option<BlockSections<'a>> {
        let block = self.0.get(&files.first()?.place.path)?;
        let is_same = block.files.len() == files.len()
            && files.iter().zip(&block.files).all(|(new, old)| new.is_unchanged && new.place.path == old.path);
        is_same.then_some(block.sections)
    }
}

/// Encodes files in blocks: the length of the directory, the directory, and the blocks. Returns `None` if they are too long.
pub(super) fn encode(files: &[BlockFile<'_>], previous: &PreviousBlocks<'_>) -> Option<Vec<u8>> {
    let blocks: Vec<&[BlockFile<'_>]> = blocks_of(files).collect();
    let encoded: Vec<(Vec<u8>, Vec<u8>)> = blocks
        .par_iter()
        .map(|files| match previous.find(files) {
            Some(BlockSections { definitions, uses }) => Some((definitions.to_vec(), uses.to_vec())),
            None => {
                let split = files.iter().map(|file| file_uses::split(file.facts));
                let (definitions, uses): (Vec<FileFacts>, Vec<StoredUses>) = split.unzip();
                Some((section(&definitions)?, section(&uses)?))
            }
        })
        .collect::<Option<_>>()?;
    let entries = blocks.iter().zip(&encoded).map(|(files, (definitions, uses))| BlockEntry {
        files: files.iter().map(|file| file.place.clone()).collect(),
        lengths: BlockLengths { definitions: definitions.len() as u64, uses: uses.len() as u64 },
    });
    let directory = section(&entries.collect::<Vec<BlockEntry>>())?;
    let length = (directory.len() as u64).to_le_bytes();
    let mut bytes = [&length[..], &directory].concat();
    for (definitions, uses) in encoded {
        bytes.extend(definitions);
        bytes.extend(uses);
    }
    Some(bytes)
}

/// Decodes all files, in their order.
pub(super) fn decode(encoded: &[u8]) -> Result<Vec<LinkFactsFile>, LinkFactsError> {
    let mut files = Vec::new();
    for (entry, BlockSections { definitions, uses }) in split(encoded)? {
        let first = files.len();
        files.extend(placed(entry, read_section(definitions)?)?);
        let uses: Vec<StoredUses> = read_section(uses)?;
        let has_all = uses.len() == files.len() - first;
        if !has_all {
            return Err(LinkFactsError::Damaged("a block has uses of another number of files"));
        }
        files[first..].iter_mut().zip(uses).for_each(|(file, uses)| uses.add_to(&mut file.facts));
    }
    Ok(files)
}

/// Decodes all files without their uses, in their order.
pub(super) fn decode_definitions(encoded: &[u8]) -> Result<Vec<LinkFactsFile>, LinkFactsError> {
    let mut files = Vec::new();
    for (entry, BlockSections { definitions, .. }) in split(encoded)? {
        files.extend(placed(entry, read_section(definitions)?)?);
    }
    Ok(files)
}

fn placed(entry: BlockEntry, facts: Vec<FileFacts>) -> Result<impl Iterator<Item = LinkFactsFile>, LinkFactsError> {
    if facts.len() != entry.files.len() {
        return Err(LinkFactsError::Damaged("a block has another number of files"));
    }
    Ok(entry.files.into_iter().zip(facts).map(|(place, facts)| {
        let FilePlace { path, file_idx, first_symbol, is_vendored, interface } = place;
        LinkFactsFile { path, file_idx, first_symbol, is_vendored, interface, facts }
    }))
}

/// Returns the number of bytes of the definitions in all blocks before compression.
pub(super) fn decompressed_size(encoded: &[u8]) -> Result<usize, LinkFactsError> {
    split(encoded)?.into_iter().map(|(_, sections)| Ok(split_section(sections.definitions)?.0)).sum()
}

/// Divides files into blocks.
fn blocks_of<'f, 'a>(mut files: &'f [BlockFile<'a>]) -> impl Iterator<Item = &'f [BlockFile<'a>]> {
    std::iter::from_fn(move || {
        let last = files.iter().take(MAX_FILES).position(|file| ends_block(&file.place.path));
        let n_files = last.map_or(files.len().min(MAX_FILES), |last| last + 1);
        let (block, rest) = files.split_at(n_files);
        files = rest;
        (!block.is_empty()).then_some(block)
    })
}

fn ends_block(path: &str) -> bool {
    blake3::hash(path.as_bytes()).as_bytes()[0].is_multiple_of(MEAN_FILES)
}

/// Splits encoded blocks into the entries of the directory, each with its sections.
fn split(encoded: &[u8]) -> Result<Vec<(BlockEntry, BlockSections<'_>)>, LinkFactsError> {
    let truncated = || LinkFactsError::Damaged("blocks are truncated");
    let (length, rest) = encoded.split_first_chunk::<LENGTH_BYTES>().ok_or_else(truncated)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| truncated())?;
    let (directory, mut rest) = rest.split_at_checked(length).ok_or_else(truncated)?;
    let entries: Vec<BlockEntry> = read_section(directory)?;
    let mut blocks = Vec::with_capacity(entries.len());
    let mut next = |n_bytes: u64| {
        let n_bytes = usize::try_from(n_bytes).map_err(|_| truncated())?;
        let (bytes, after) = rest.split_at_checked(n_bytes).ok_or_else(truncated)?;
        rest = after;
        Ok(bytes)
    };
    for entry in entries {
        let BlockLengths { definitions, uses } = entry.lengths;
        let sections = BlockSections { definitions: next(definitions)?, uses: next(uses)? };
        blocks.push((entry, sections));
    }
    Ok(blocks)
}

#[cfg(test)]
mod tests {
    use model::{Language, ReferenceKind};

    use super::*;

    fn facts(text: &str) -> FileFacts {
        syntax::extract(Language::Python, text.as_bytes())
    }

    fn files<'a>(paths: &[String], facts: &'a FileFacts, changed: &[&str]) -> Vec<BlockFile<'a>> {
        let place = |(file_idx, path): (usize, &String)| FilePlace {
            path: path.clone(),
            file_idx: file_idx as u32,
            first_symbol: (file_idx * facts.definitions.len()) as u32,
            is_vendored: false,
            interface: [0; 16],
        };
        let is_unchanged = |path: &str| !changed.contains(&path);
        let placed = paths.iter().enumerate().map(place);
        placed.map(|place| BlockFile { is_unchanged: is_unchanged(&place.path), place, facts }).collect()
    }

    #[test]
    fn blocks_cover_all_files_and_have_a_mean_size() {
        let facts = facts("");
        let paths: Vec<String> = (0..2_000).map(|number| format!("pkg/{number:04}.py")).collect();
        let files = files(&paths, &facts, &[]);
        let sizes: Vec<usize> = blocks_of(&files).map(<[_]>::len).collect();
        assert_eq!(sizes.iter().sum::<usize>(), 2_000);
        assert!((30..=130).contains(&sizes.len()) && sizes.iter().all(|size| *size <= MAX_FILES), "{sizes:?}");
        assert_eq!(blocks_of(&[]).count(), 0);
    }

    #[test]
    fn an_extension_has_the_bytes_of_an_encoding_from_nothing() {
        let (old, new) = (facts("def f():\n    pass\n"), facts("def f():\n    g()\n"));
        let paths: Vec<String> = (0..300).map(|number| format!("pkg/{number:04}.py")).collect();
        let before = encode(&files(&paths, &old, &[]), &PreviousBlocks::default()).unwrap();
        // One file is changed, one is removed, and one is added.
        let added: Vec<String> =
            paths[..200].iter().chain(&paths[201..]).cloned().chain(["pkg/9999.py".to_owned()]).collect();
        let changed = ["pkg/0007.py", "pkg/9999.py"];
        let with_facts = |of_unchanged: bool| -> Vec<BlockFile<'_>> {
            files(&added, &old, &changed)
                .into_iter()
                .map(|file| match file.is_unchanged {
                    true => BlockFile { is_unchanged: of_unchanged, ..file },
                    false => BlockFile { facts: &new, ..file },
                })
                .collect()
        };
        let previous = PreviousBlocks::read(&before).unwrap();
        let fresh = encode(&with_facts(false), &PreviousBlocks::default()).unwrap();
        assert_eq!(encode(&with_facts(true), &previous).unwrap(), fresh);
        let reused = blocks_of(&with_facts(true)).filter(|files| previous.find(files).is_some()).count();
        let all = blocks_of(&with_facts(true)).count();
        assert!((all - 4..all).contains(&reused), "{reused} of {all}");
        let decoded = decode(&fresh).unwrap();
        assert_eq!(decoded.iter().map(|file| file.path.clone()).collect::<Vec<_>>(), added);
        assert_eq!(decoded[7].facts.references.len(), without_calls(&new));
    }

    fn without_calls(facts: &FileFacts) -> usize {
        facts.references.iter().filter(|one| one.kind != ReferenceKind::Call).count()
    }
}
