//! Rerank: workers compare the words of the question with the words of the best rows, and the leading files are scored again.

use std::collections::BTreeMap;

use proto::v1;
use ranking::{QueryParts, Statistics, analyser, query::vector_words, statistics::idf};
use tokio::time::Instant;

use crate::{
    call::CallContext,
    connection::ShardClient,
    fan_out::{SOFT_DEADLINE, fan_out},
    merge::{FoundFile, ScoreScale, ScoredFiles},
    nodes,
    plan::{Group, Plan},
    reply_checks,
    repo_idx::RepoIdx,
};

/// Maximum number of words to compare, by weight. Measured on commit messages without identifiers: MRR@10 .635, and .631 with 16
/// words.
const MAX_WORDS: usize = 24;

/// Maximum length of a word to compare: longer ones are data.
const MAX_WORD_BYTES: usize = 64;

/// Returns the words of a question in lower case with their weights, highest first; ties keep the order of the question.
fn weighted_words(text: &str, parts: &QueryParts, statistics: &Statistics) -> Vec<v1::Term> {
    let mut words: Vec<v1::Term> = Vec::new();
    for text in vector_words(text).into_iter().flat_map(analyser::words) {
        let is_wanted = (2..=MAX_WORD_BYTES).contains(&text.len()) && words.iter().all(|word| word.text != text);
        let stem = analyser::terms(&text).into_iter().next();
        let term_idx = stem.and_then(|stem| parts.terms.iter().position(|term| term.text == stem));
        if let Some(term_idx) = term_idx.filter(|_| is_wanted) {
            let frequency = statistics.document_frequencies.get(term_idx).copied().unwrap_or_default();
            let weight = idf(statistics.rows, frequency) * parts.terms[term_idx].weight;
            words.push(v1::Term { text, weight });
        }
    }
    words.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    words.truncate(MAX_WORDS);
    words
}

/// Files with their scores after the rerank.
pub struct Reranked {
    pub scored: ScoredFiles,
    /// False if a worker did not answer the comparison in time.
    pub is_compared: bool,
}

impl CallContext<'_> {
    /// Compares the leading files with the words of a question, and scores them again.
    ///
    /// The rerank is optional: if a worker is late, the files keep their scores.
    pub async fn rerank(
        &self,
        plan: &Plan,
        text: &str,
        parts: &QueryParts,
        statistics: &Statistics,
        scored: ScoredFiles,
        scale: ScoreScale<'_>,
    ) -> Reranked {
        let (words, finalists) = (weighted_words(text, parts, statistics), scored.finalists());
        // A single word cannot distinguish rows that contain it.
        if words.len() < 2 || finalists.len() < 2 {
            return Reranked { scored, is_compared: true };
        }
        let nearness = self.nearness(plan, &finalists, words).await;
        match scored.rerank(&nearness, scale) {
            Ok(scored) => Reranked { scored, is_compared: true },
            Err(scored) => Reranked { scored, is_compared: false },
        }
    }

    /// Returns the similarity of each file's best rows to the words, by repository and path: one call per worker. Files of late
    /// workers are absent.
    async fn nearness(
        &self,
        plan: &Plan,
        files: &[&FoundFile],
        words: Vec<v1::Term>,
    ) -> BTreeMap<(RepoIdx, String), f32> {
        let mut by_repo_idx: BTreeMap<RepoIdx, Vec<v1::FileRows>> = BTreeMap::new();
        for found in files {
            by_repo_idx.entry(found.repo_idx).or_default().push(best_rows(&found.hit));
        }
        let groups = nodes::groups(plan, by_repo_idx.keys().copied());
        let message = |group: &Group| v1::CompareRequest {
            rows: group.repo_idxs.iter().map(|repo_idx| row_set(plan, *repo_idx, &by_repo_idx[repo_idx])).collect(),
            words: words.clone(),
        };
        let rpc = |mut client: ShardClient, request| async move { client.compare(request).await };
        let deadline = self.hard_deadline().min(Instant::now() + SOFT_DEADLINE);
        let faults = reply_checks::compare_faults;
        let answered = fan_out(plan, &groups, &self.connections, deadline, message, rpc, faults).await;
        let mut found = BTreeMap::new();
        for (group, reply) in answered.value {
            let repo_idxs = plan.by_id(&group);
            for near in reply.nearness {
                let repo_idx = repo_idxs.get(near.repository.as_str()).copied();
                found.extend(repo_idx.map(|repo_idx| ((repo_idx, near.path), near.nearness)));
            }
        }
        found
    }
}

fn row_set(plan: &Plan, repo_idx: RepoIdx, files: &[v1::FileRows]) -> v1::RowSet {
    v1::RowSet { target: Some(plan.target(repo_idx)), files: files.to_vec() }
}

/// Returns the row of a file with the best lexical score, and the row with the best cosine if it is another one.
fn best_rows(hit: &v1::FileHit) -> v1::FileRows {
    // The first row wins a tie.
    let best = |score: fn(&v1::Row) -> f32| {
        hit.rows.iter().rev().max_by(|a, b| score(a).total_cmp(&score(b))).map(|row| row.number)
    };
    let mut numbers: Vec<u32> = best(|row| row.lexical).into_iter().chain(best(|row| row.cosine)).collect();
    numbers.dedup();
    v1::FileRows { path: hit.file.as_ref().map_or_else(String::new, |file| file.path.clone()), numbers }
}

#[cfg(test)]
mod tests {
    use ranking::{QueryMode, query};

    use super::*;

    #[test]
    fn what_tells_most_comes_first_and_once() {
        let text = "Where is the httpClient closed, and the client's pool?";
        let parts = query::parse(text, QueryMode::Auto);
        let frequency = |term: &ranking::QueryTerm| if term.text == "client" { 90 } else { 3 };
        let document_frequencies = parts.terms.iter().map(frequency).collect();
        let statistics = Statistics { rows: 100, document_frequencies, name_counts: Vec::new() };
        let words = weighted_words(text, &parts, &statistics);
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(texts, ["http", "closed", "pool", "client"]);
        assert!(words[2].weight > words[3].weight);
    }

    #[test]
    fn a_file_is_judged_by_its_best_rows() {
        let row = |number, lexical, cosine| v1::Row { number, lexical, cosine, ..Default::default() };
        let numbers = |rows: Vec<v1::Row>| best_rows(&v1::FileHit { rows, ..Default::default() }).numbers;
        assert_eq!(numbers(vec![row(1, 2.0, 0.1), row(4, 1.0, 0.5), row(6, 2.0, 0.5)]), [1, 4]);
        assert_eq!(numbers(vec![row(3, 2.0, 0.1)]), [3]);
        assert!(numbers(Vec::new()).is_empty());
    }
}
