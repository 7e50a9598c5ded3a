//! Opening the generations of a store. A damaged generation is quarantined.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    error::StoreError,
    generation::{Generation, OpenFailure, numbers_in, path_of, remove_obsolete_layouts},
};

/// Maximum number of damaged generations that are kept for inspection; older ones are deleted.
const MAX_QUARANTINED: usize = 2;

/// The state in which a store was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenReport {
    /// True if there was no store, so that every value must be recomputed.
    pub is_new: bool,
    /// Generations that could not be read and were moved aside. Their entries are lost.
    pub set_aside: Vec<QuarantinedGeneration>,
}

/// A damaged generation that was moved out of the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuarantinedGeneration {
    /// Its new path.
    pub path: PathBuf,
    /// The problem that was found.
    pub reason: String,
}

/// The generations in use.
pub(crate) struct GenerationPair {
    pub(crate) young: Generation,
    pub(crate) old: Option<Generation>,
}

/// Opens the two newest generations in `dir`, and deletes older ones that a crash left behind.
pub(crate) fn open(dir: &Path) -> Result<(GenerationPair, OpenReport), StoreError> {
    let io_error = |source| StoreError::Io { path: dir.to_owned(), source };
    fs::create_dir_all(dir).map_err(io_error)?;
    remove_obsolete_layouts(dir).map_err(io_error)?;
    let mut numbers = numbers_in(dir).map_err(io_error)?;
    let newest = numbers.pop();
    let second = numbers.pop();
    let mut report = OpenReport { is_new: newest.is_none(), set_aside: Vec::new() };
    let young_number = newest.unwrap_or(1);
    let young = match open_or_quarantine(dir, young_number, &mut report)? {
        Some(young) => young,
        None => create(dir, young_number + 1)?,
    };
    let old = match second {
        Some(number) => open_or_quarantine(dir, number, &mut report)?,
        None => None,
    };
    for number in numbers {
        fs::remove_dir_all(path_of(dir, number)).map_err(io_error)?;
    }
    Ok((GenerationPair { young, old }, report))
}

/// Creates an empty generation.
pub(crate) fn create(dir: &Path, number: u64) -> Result<Generation, StoreError> {
    Generation::open(dir, number).map_err(|failure| match failure {
        OpenFailure::Refused(error) => error,
        OpenFailure::Damaged(reason) => StoreError::Io { path: path_of(dir, number), source: io::Error::other(reason) },
    })
}

/// Opens a generation, or quarantines it if it is damaged.
fn open_or_quarantine(dir: &Path, number: u64, report: &mut OpenReport) -> Result<Option<Generation>, StoreError> {
    let reason = match Generation::open(dir, number) {
        Ok(generation) => return Ok(Some(generation)),
        Err(OpenFailure::Refused(error)) => return Err(error),
        Err(OpenFailure::Damaged(reason)) => reason,
    };
    let path =
        quarantine(dir, &path_of(dir, number)).map_err(|source| StoreError::Io { path: dir.to_owned(), source })?;
    tracing::warn!(path = %path.display(), reason, "moved a damaged part of a store aside");
    report.set_aside.push(QuarantinedGeneration { path, reason });
    Ok(None)
}

/// Moves a generation to `<dir>.damaged-<n>`, and deletes the oldest of those beyond the maximum.
fn quarantine(dir: &Path, generation: &Path) -> io::Result<PathBuf> {
    let parent = dir.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let prefix = format!("{}.damaged-", dir.file_name().unwrap_or_default().to_string_lossy());
    let mut numbers: Vec<u64> = Vec::new();
    for entry in fs::read_dir(parent)? {
        let name = entry?.file_name();
        numbers.extend(name.to_string_lossy().strip_prefix(&prefix).and_then(|number| number.parse::<u64>().ok()));
    }
    numbers.sort_unstable();
    let next = numbers.last().map_or(1, |last| last + 1);
    let target = parent.join(format!("{prefix}{next}"));
    fs::rename(generation, &target)?;
    let n_surplus = (numbers.len() + 1).saturating_sub(MAX_QUARANTINED);
    for number in &numbers[..n_surplus] {
        fs::remove_dir_all(parent.join(format!("{prefix}{number}")))?;
    }
    Ok(target)
}
