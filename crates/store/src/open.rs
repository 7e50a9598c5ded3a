//! Opens the generations of a store, and sets aside the ones that cannot be read.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    StoreError,
    generation::{Generation, OpenFailure, numbers_in, path_of, remove_older_layouts},
};

/// Damaged generations that are kept for somebody to look at; older ones are deleted.
const MAX_SET_ASIDE: usize = 2;

/// What was met while a store was opened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenReport {
    /// Whether there was nothing to open: all is to be made again.
    pub is_new: bool,
    /// What could not be read and was moved out of the way; its entries are lost.
    pub set_aside: Vec<SetAside>,
}

/// A damaged part of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// Where it lies now.
    pub path: PathBuf,
    pub reason: String,
}

/// The generations in use.
pub(crate) struct Pair {
    pub(crate) young: Generation,
    pub(crate) old: Option<Generation>,
}

/// Opens the two newest generations in `dir`, and deletes what a crash left of older ones.
pub(crate) fn open(dir: &Path) -> Result<(Pair, OpenReport), StoreError> {
    let failed = |source| StoreError::Io { path: dir.to_owned(), source };
    fs::create_dir_all(dir).map_err(failed)?;
    remove_older_layouts(dir).map_err(failed)?;
    let mut numbers = numbers_in(dir).map_err(failed)?;
    let newest = numbers.pop();
    let second = numbers.pop();
    let mut report = OpenReport { is_new: newest.is_none(), set_aside: Vec::new() };
    let young_number = newest.unwrap_or(1);
    let young = match open_or_set_aside(dir, young_number, &mut report)? {
        Some(young) => young,
        None => begin(dir, young_number + 1)?,
    };
    let old = match second {
        Some(number) => open_or_set_aside(dir, number, &mut report)?,
        None => None,
    };
    for number in numbers {
        fs::remove_dir_all(path_of(dir, number)).map_err(failed)?;
    }
    Ok((Pair { young, old }, report))
}

/// Begins an empty generation.
pub(crate) fn begin(dir: &Path, number: u64) -> Result<Generation, StoreError> {
    Generation::open(dir, number).map_err(|failure| match failure {
        OpenFailure::Refused(error) => error,
        OpenFailure::Damaged(reason) => StoreError::Io { path: path_of(dir, number), source: io::Error::other(reason) },
    })
}

fn open_or_set_aside(dir: &Path, number: u64, report: &mut OpenReport) -> Result<Option<Generation>, StoreError> {
    let reason = match Generation::open(dir, number) {
        Ok(generation) => return Ok(Some(generation)),
        Err(OpenFailure::Refused(error)) => return Err(error),
        Err(OpenFailure::Damaged(reason)) => reason,
    };
    let path =
        set_aside(dir, &path_of(dir, number)).map_err(|source| StoreError::Io { path: dir.to_owned(), source })?;
    tracing::warn!(path = %path.display(), reason, "a damaged part of a store was set aside");
    report.set_aside.push(SetAside { path, reason });
    Ok(None)
}

/// Moves a generation to `<dir>.damaged-<n>`, and deletes the oldest of those when there are too many.
fn set_aside(dir: &Path, generation: &Path) -> io::Result<PathBuf> {
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
    let n_surplus = (numbers.len() + 1).saturating_sub(MAX_SET_ASIDE);
    for number in &numbers[..n_surplus] {
        fs::remove_dir_all(parent.join(format!("{prefix}{number}")))?;
    }
    Ok(target)
}
