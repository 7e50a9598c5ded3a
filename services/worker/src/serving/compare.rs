//! The comparison of rows with a query, word by word.

use std::collections::{BTreeMap, BTreeSet};

use index::{IndexError, QueryWords, RowComparer};
use proto::v1;
use tonic::Status;

use super::{
    query_pool::{self, QueryContext},
    targets::{self, QueryTarget, TargetSnapshot},
};

/// Maximum number of words of a query, and of files and rows that are compared with them.
const MAX_WORDS: usize = 64;
const MAX_FILES: usize = 100;
const MAX_ROWS: usize = 400;

/// Number of files that one thread compares with one word cache.
const FILES_PER_TASK: usize = 8;

/// Maximum length of a word.
const MAX_WORD_BYTES: usize = 256;

/// Checks a request, and returns its words.
pub(super) fn check_words(request: &v1::CompareRequest) -> Result<QueryWords, Status> {
    let files = || request.rows.iter().flat_map(|set| &set.files);
    let n_rows: usize = files().map(|file| file.numbers.len()).sum();
    if request.words.len() > MAX_WORDS || files().count() > MAX_FILES || n_rows > MAX_ROWS {
        let message = format!("at most {MAX_WORDS} words can be compared with {MAX_ROWS} rows of {MAX_FILES} files");
        return Err(Status::invalid_argument(message));
    }
    let repositories: BTreeSet<&str> = request.rows.iter().map(repository).collect();
    if repositories.len() < request.rows.len() {
        return Err(Status::invalid_argument("the rows of a repository must be in one set"));
    }
    let is_valid = |word: &v1::Term| word.weight.is_finite() && word.weight >= 0.0 && word.text.len() <= MAX_WORD_BYTES;
    if !request.words.iter().all(is_valid) {
        return Err(Status::invalid_argument("a word is too long, or has an invalid weight"));
    }
    Ok(QueryWords::new(request.words.iter().map(|word| (word.text.clone(), word.weight))))
}

/// Computes the coverage of a query by the words of the requested rows.
pub(super) fn compare(
    request: &v1::CompareRequest,
    words: &QueryWords,
    targets: &[QueryTarget],
    context: &QueryContext,
) -> v1::CompareResponse {
    let files: BTreeMap<&str, &[v1::FileRows]> =
        request.rows.iter().map(|set| (repository(set), set.files.as_slice())).collect();
    let (replies, outcomes) = targets::query_all(targets, context, |shard| {
        let of_repository = files.get(shard.repository).copied().unwrap_or_default();
        let parts: Vec<&[v1::FileRows]> = of_repository.chunks(FILES_PER_TASK).collect();
        let compared = query_pool::map(&parts, |files| compare_files(shard, files, words, context));
        Ok(compared.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
    });
    v1::CompareResponse { nearness: replies.into_iter().flat_map(|(_, nearness)| nearness).collect(), outcomes }
}

/// Compares files until the deadline. The reply lacks the remaining files.
fn compare_files(
    shard: &TargetSnapshot<'_>,
    files: &[v1::FileRows],
    words: &QueryWords,
    context: &QueryContext,
) -> Result<Vec<v1::Nearness>, IndexError> {
    let mut comparer = RowComparer::new(words);
    let mut nearness = Vec::new();
    for file in files {
        if context.is_over() {
            break;
        }
        let compared = comparer.nearness(shard.snapshot, &file.path, &file.numbers)?;
        nearness.extend(compared.map(|nearness| v1::Nearness {
            repository: shard.repository.to_owned(),
            path: file.path.clone(),
            nearness,
        }));
    }
    Ok(nearness)
}

fn repository(set: &v1::RowSet) -> &str {
    set.target.as_ref().map_or("", |target| target.repository.as_str())
}
