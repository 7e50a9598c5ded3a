//! How near the words of rows come to those of a query.

use std::collections::{BTreeMap, BTreeSet};

use index::{IndexError, QueryWords, RowComparer};
use proto::v1;
use tonic::Status;

use super::{
    pool::{self, Wanted},
    targets::{self, Asked, Target},
};

/// Words of a query that are compared at most, and files and rows that are compared with them.
const MAX_WORDS: usize = 64;
const MAX_FILES: usize = 100;
const MAX_ROWS: usize = 400;

/// Files of a repository that are compared by one thread, which remembers the words that it met.
const FILES_AT_ONCE: usize = 8;

/// Longer words are data.
const MAX_WORD_BYTES: usize = 256;

/// Returns the words of a request if all of it can be asked.
pub(super) fn checked(request: &v1::CompareRequest) -> Result<QueryWords, Status> {
    let files = || request.rows.iter().flat_map(|set| &set.files);
    let n_rows: usize = files().map(|file| file.numbers.len()).sum();
    if request.words.len() > MAX_WORDS || files().count() > MAX_FILES || n_rows > MAX_ROWS {
        let message = format!("at most {MAX_WORDS} words can be compared with {MAX_ROWS} rows of {MAX_FILES} files");
        return Err(Status::invalid_argument(message));
    }
    let repositories: BTreeSet<&str> = request.rows.iter().map(repository).collect();
    if repositories.len() < request.rows.len() {
        return Err(Status::invalid_argument("the rows of a repository come in one set"));
    }
    let is_sound = |word: &v1::Term| word.weight.is_finite() && word.weight >= 0.0 && word.text.len() <= MAX_WORD_BYTES;
    if !request.words.iter().all(is_sound) {
        return Err(Status::invalid_argument("a word is too long, or has a weight that cannot be"));
    }
    Ok(QueryWords::new(request.words.iter().map(|word| (word.text.clone(), word.weight))))
}

/// Compares the words of a query with those of the rows asked for.
pub(super) fn compare(
    request: &v1::CompareRequest,
    words: &QueryWords,
    targets: &[Target],
    wanted: &Wanted,
) -> v1::CompareResponse {
    let files: BTreeMap<&str, &[v1::FileRows]> =
        request.rows.iter().map(|set| (repository(set), set.files.as_slice())).collect();
    let (replies, outcomes) = targets::ask(targets, wanted, |asked| {
        let of_repository = files.get(asked.repository).copied().unwrap_or_default();
        let parts: Vec<&[v1::FileRows]> = of_repository.chunks(FILES_AT_ONCE).collect();
        let compared = pool::map(&parts, |files| compare_files(asked, files, words, wanted));
        Ok(compared.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
    });
    v1::CompareResponse { nearness: replies.into_iter().flat_map(|(_, nearness)| nearness).collect(), outcomes }
}

/// Compares files as long as anybody waits; those that are left out then are missing in the reply.
fn compare_files(
    asked: &Asked<'_>,
    files: &[v1::FileRows],
    words: &QueryWords,
    wanted: &Wanted,
) -> Result<Vec<v1::Nearness>, IndexError> {
    let mut comparer = RowComparer::new(words);
    let mut nearness = Vec::new();
    for file in files {
        if wanted.is_over() {
            break;
        }
        let near = comparer.nearness(asked.snapshot, &file.path, &file.numbers)?;
        nearness.extend(near.map(|nearness| v1::Nearness {
            repository: asked.repository.to_owned(),
            path: file.path.clone(),
            nearness,
        }));
    }
    Ok(nearness)
}

fn repository(set: &v1::RowSet) -> &str {
    set.target.as_ref().map_or("", |target| target.repository.as_str())
}
