//! The retrieval pipeline that all search tools share: statistics, typo correction, embedding, search, rerank and merge.

use model::{Filter, PageType};
use proto::v1;
use ranking::{QueryParts, Statistics, WeightedTerm, WeightedTerms, analyser};

use crate::{
    answer::Answer,
    call::CallContext,
    coverage::Coverage,
    fan_out::Replies,
    merge::{FileRanking, FoundFile, FoundMessage, FoundPage, ScoreScale, ScoredFiles, merge},
    plan::Plan,
    query_vector::{self, QueryEmbedding},
    repo_mentions::mentioned_repositories,
    rerank::Reranked,
    statistics::CountedQuery,
    typo::{self, CorrectedQuery, Correction},
};

/// Maximum number of repositories that a note names.
const MAX_NAMED: usize = 5;

/// Values of `search_method`.
const BY_BOTH: &str = "vector+full-text";
const BY_TEXT: &str = "full-text";

/// A query with its filter and limits.
pub struct RetrievalRequest<'a> {
    /// The text of the query.
    pub text: &'a str,
    /// The parsed query.
    pub parts: QueryParts,
    /// Selects the content to search.
    pub filter: &'a Filter,
    /// Number of files per ranker.
    pub depth: usize,
    /// True to correct words that occur in no repository.
    pub corrects_typos: bool,
}

/// The results over all repositories.
pub struct RetrievalResult {
    /// The ranked files.
    pub ranking: FileRanking,
    /// Matching pages, not ranked yet: `merge::items` does so.
    pub pages: Vec<FoundPage>,
    /// The query after typo correction.
    pub parts: QueryParts,
    /// Empty if no word was corrected.
    pub corrections: Vec<Correction>,
    /// The methods that were used: text, vectors, reranking.
    pub method: SearchMethod,
    /// Number of pruned repositories: searching their text provably could not change the ranking.
    pub n_pruned: usize,
    statistics: Statistics,
    total_weight: f32,
    depth: usize,
    newest: i64,
}

impl RetrievalResult {
    /// Returns the score scale of this search.
    pub fn scale(&self) -> ScoreScale<'_> {
        ScoreScale {
            total_weight: self.total_weight,
            name_counts: &self.statistics.name_counts,
            kept: self.parts.requested,
            depth: self.depth,
            newest: self.newest,
            rows_compare_with_messages: self.method.embedding.is_of_built_in_table(),
        }
    }

    /// Returns the weight of each term, in the order of the terms.
    pub fn weights(&self) -> Vec<f32> {
        let mut weights = vec![0.0; self.parts.terms.len()];
        for WeightedTerm { term_idx, weight, .. } in self.statistics.weigh(&self.parts.terms).scored {
            weights[term_idx] = weight;
        }
        weights
    }

    /// Returns the document frequency of each term, in the order of the terms.
    pub fn frequencies(&self) -> &[u64] {
        &self.statistics.document_frequencies
    }
}

impl CallContext<'_> {
    /// Searches every repository of the plan: `statistics -> typos -> vector -> fan out -> score -> rerank -> merge`.
    pub async fn retrieve(&self, plan: &Plan, wish: RetrievalRequest<'_>) -> Answer<RetrievalResult> {
        let RetrievalRequest { text, parts, filter, depth, corrects_typos } = wish;
        let counted = self.statistics(plan, &parts).await;
        let remaining = plan.without(&counted.shortfalls);
        let query = CountedQuery::new(parts, counted.value);
        let corrected = match corrects_typos {
            true => typo::correct(self, &remaining, text, query).await.after(counted.shortfalls),
            false => Answer { value: CorrectedQuery::unchanged(query), shortfalls: counted.shortfalls },
        };
        let remaining = plan.without(&corrected.shortfalls);
        let CorrectedQuery { query: CountedQuery { parts, statistics }, corrections } = corrected.value;

        let weighted = statistics.weigh(&parts.terms);
        let mentions = mentioned_repositories(&remaining, text, &parts, &statistics, &weighted);
        let text = query_vector::without_noise(&typo::corrected(text, &corrections), |word| {
            let places = parts.terms.iter().zip(&statistics.document_frequencies);
            let mut known = places.filter(|(_, n_rows)| **n_rows > 0).map(|(term, _)| term.text.as_str());
            analyser::terms(word).iter().any(|term| known.any(|known| known == term))
        });
        let embedding = self.embed_query(&text).await;
        let message = v1::SearchRequest {
            vector: embedding.vector(),
            message_vector: query_vector::of_message(&text),
            addressed: mentions,
            ..to_wire(&parts, filter, depth, &statistics, &weighted)
        };
        let searched = self.search(&remaining, &message).await.after(corrected.shortfalls);
        let SearchReplies { found, messages, pages, without_vectors, n_pruned } = gather(&remaining, searched.value);
        let remaining = plan.without(&searched.shortfalls);

        let total_weight = parts.total_weight(weighted.total, &statistics);
        let newest = plan.newest_commit();
        let scale = ScoreScale {
            total_weight,
            name_counts: &statistics.name_counts,
            kept: parts.requested,
            depth,
            newest,
            rows_compare_with_messages: embedding.is_of_built_in_table(),
        };
        let scored = ScoredFiles::new(found, &messages, scale);
        let Reranked { scored, is_compared } = self.rerank(&remaining, &text, &parts, &statistics, scored, scale).await;
        let ranking = merge(scored, scale);
        let method = SearchMethod { embedding, without_vectors, is_compared };
        let retrieved = RetrievalResult {
            ranking,
            pages,
            parts,
            corrections,
            method,
            n_pruned,
            statistics,
            total_weight,
            depth,
            newest,
        };
        Answer { value: retrieved, shortfalls: searched.shortfalls }
    }
}

/// The method of a search.
pub struct SearchMethod {
    embedding: QueryEmbedding,
    /// Aliases of the repositories that were searched by text alone.
    without_vectors: Vec<String>,
    /// True if the leading files were reranked, or if there was nothing to compare.
    is_compared: bool,
}

impl SearchMethod {
    /// Returns why the model was unavailable, if it was.
    pub fn unavailable_reason(&self) -> Option<&'static str> {
        if let QueryEmbedding::Unavailable(reason) = self.embedding { Some(reason) } else { None }
    }

    /// Returns the name of the method, and notes on where it could not be used in full.
    pub fn describe(&self, plan: &Plan) -> (&'static str, Vec<String>) {
        let mut notes = Vec::new();
        if !self.is_compared {
            notes.push(
                "the best files were not compared with the question word by word, since a worker did not do so in time"
                    .to_owned(),
            );
        }
        match self.embedding {
            QueryEmbedding::Vector(_) => {}
            QueryEmbedding::Empty => return (BY_TEXT, notes),
            QueryEmbedding::Unavailable(reason) => {
                notes.push(format!("searched by text alone: {reason}"));
                return (BY_TEXT, notes);
            }
        }
        let n_without = self.without_vectors.len();
        if n_without == 0 {
            return (BY_BOTH, notes);
        }
        let n_answered = Coverage::of(plan).n_answered;
        let named = text::quote_names(self.without_vectors.iter().take(MAX_NAMED));
        let more = if n_without > MAX_NAMED { ", ..." } else { "" };
        notes.push(format!(
            "{n_without} of {n_answered} repositories have no vectors of the model in use and were searched by text \
             alone: {named}{more}"
        ));
        (if n_without < n_answered { BY_BOTH } else { BY_TEXT }, notes)
    }
}

struct SearchReplies {
    found: Vec<FoundFile>,
    messages: Vec<FoundMessage>,
    pages: Vec<FoundPage>,
    without_vectors: Vec<String>,
    n_pruned: usize,
}

fn gather(plan: &Plan, replies: Replies<v1::SearchResponse>) -> SearchReplies {
    let mut found: Vec<FoundFile> = Vec::new();
    let (mut messages, mut pages, mut without_vectors, mut n_pruned) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for (group, reply) in replies {
        let repo_idxs = plan.by_id(&group);
        let hits = reply.hits.into_iter();
        found
            .extend(hits.filter_map(|hit| Some(FoundFile { repo_idx: *repo_idxs.get(hit.repository.as_str())?, hit })));
        let message_hits = reply.messages.into_iter();
        messages.extend(
            message_hits
                .filter_map(|hit| Some(FoundMessage { repo_idx: *repo_idxs.get(hit.repository.as_str())?, hit })),
        );
        pages.extend(reply.pages.into_iter().filter_map(|hit| {
            let page_type = PageType::parse(&hit.page_type)?;
            Some(FoundPage { repo_idx: *repo_idxs.get(hit.repository.as_str())?, page_type, hit })
        }));
        let of_another = reply.without_vectors.iter().filter_map(|id| repo_idxs.get(id.as_str()));
        without_vectors.extend(of_another.map(|repo_idx| plan.alias(*repo_idx).to_owned()));
        n_pruned += reply.pruned.iter().filter(|id| repo_idxs.contains_key(id.as_str())).count();
    }
    without_vectors.sort();
    SearchReplies { found, messages, pages, without_vectors, n_pruned }
}

/// Converts a query to the wire message.
fn to_wire(
    parts: &QueryParts,
    filter: &Filter,
    depth: usize,
    statistics: &Statistics,
    weighted: &WeightedTerms,
) -> v1::SearchRequest {
    let term = |term: &WeightedTerm| v1::Term { text: parts.terms[term.term_idx].text.clone(), weight: term.weight };
    let identifiers = parts.identifiers.iter().zip(&statistics.name_counts);
    let kept = parts.requested;
    v1::SearchRequest {
        terms: weighted.scored.iter().map(term).collect(),
        identifiers: identifiers.map(|(name, count)| v1::Identifier { name: name.clone(), count: *count }).collect(),
        paths: parts.paths.clone(),
        filter: Some(filter.into()),
        limit: u32::try_from(depth).unwrap_or(u32::MAX),
        kept: Some(v1::Kept { tests: kept.tests, docs: kept.docs, config: kept.config }),
        ..Default::default()
    }
}
