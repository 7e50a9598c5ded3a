//! How near the words of rows come to those of a query.

use std::collections::BTreeMap;

use index::{IndexError, QueryWords, RowComparer};
use proto::v1;
use tonic::Status;

use super::{
    pool::{self, Wanted},
    targets::{self, Asked, Target},
};

/// Words of a query that are compared at most, and files that are compared with them.
const MAX_WORDS: usize = 256;
const MAX_FILES: usize = 1_000;

/// Files of a repository that are compared by one thread, which remembers the words that it met.
const FILES_AT_ONCE: usize = 8;

/// Longer words are data.
const MAX_WORD_BYTES: usize = 256;

/// Returns the words of a request if all of it can be asked.
pub(super) fn checked(request: &v1::CompareRequest) -> Result<QueryWords, Status> {
    let n_files: usize = request.rows.iter().map(|set| set.files.len()).sum();
    if request.words.len() > MAX_WORDS || n_files > MAX_FILES {
        let message = format!("at most {MAX_WORDS} words can be compared with {MAX_FILES} files");
        return Err(Status::invalid_argument(message));
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
    let own = |set: &'_ v1::RowSet| set.target.as_ref().map_or(String::new(), |target| target.repository.clone());
    let files: BTreeMap<String, &[v1::FileRows]> =
        request.rows.iter().map(|set| (own(set), set.files.as_slice())).collect();
    let (replies, outcomes) = targets::ask(targets, wanted, |asked| {
        let of_repository = files.get(asked.repository).copied().unwrap_or_default();
        let parts: Vec<&[v1::FileRows]> = of_repository.chunks(FILES_AT_ONCE).collect();
        let compared = pool::map(&parts, |files| compare_files(asked, files, words));
        Ok(compared.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
    });
    v1::CompareResponse { nearness: replies.into_iter().flat_map(|(_, nearness)| nearness).collect(), outcomes }
}

fn compare_files(
    asked: &Asked<'_>,
    files: &[v1::FileRows],
    words: &QueryWords,
) -> Result<Vec<v1::Nearness>, IndexError> {
    let mut comparer = RowComparer::new(words);
    let mut nearness = Vec::new();
    for file in files {
        let near = comparer.nearness(asked.snapshot, &file.path, &file.numbers)?;
        nearness.extend(near.map(|nearness| v1::Nearness {
            repository: asked.repository.to_owned(),
            path: file.path.clone(),
            nearness,
        }));
    }
    Ok(nearness)
}
