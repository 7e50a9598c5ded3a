//! From a question in words to files in order: statistics, typos, meaning, one search, one merge. What every tool shares
//! that looks for something.

use model::{Filter, PageType};
use proto::v1;
use ranking::{QueryParts, Statistics, WeightedTerm, WeightedTerms, analyser};

use crate::{
    addressed::addressed,
    call::{Call, Replies},
    meaning::{self, Meaning},
    merge::{Found, FoundPage, Ranking, Said, Scale, Scored, merge},
    plan::Plan,
    typo::{self, Correction},
};

/// Repositories that are named in a note.
const MAX_NAMED: usize = 5;

/// What `search_method` is called.
const BY_BOTH: &str = "vector+full-text";
const BY_TEXT: &str = "full-text";

/// What is looked for.
pub(crate) struct Wish<'a> {
    /// In words, as it was read.
    pub(crate) text: &'a str,
    /// The same, taken apart.
    pub(crate) parts: QueryParts,
    pub(crate) filter: &'a Filter,
    /// Files asked of each ranker.
    pub(crate) depth: usize,
    /// Whether words that stand nowhere are taken for those that were probably meant.
    pub(crate) corrects_typos: bool,
}

/// What was found, over all repositories.
pub(crate) struct Retrieved {
    pub(crate) ranking: Ranking,
    pub(crate) pages: Vec<FoundPage>,
    /// What was looked for in the end.
    pub(crate) parts: QueryParts,
    pub(crate) corrections: Vec<Correction>,
    pub(crate) method: Method,
    statistics: Statistics,
    total_weight: f32,
    depth: usize,
    newest: i64,
}

impl Retrieved {
    /// Returns what the scores of this search are measured by.
    pub(crate) fn scale(&self) -> Scale<'_> {
        Scale {
            total_weight: self.total_weight,
            name_counts: &self.statistics.name_counts,
            kept: self.parts.kept,
            depth: self.depth,
            newest: self.newest,
            rows_compare_with_messages: self.method.meaning.is_of_built_in_table(),
        }
    }

    /// Returns how much each term tells, in the order of the terms.
    pub(crate) fn weights(&self) -> Vec<f32> {
        let mut weights = vec![0.0; self.parts.terms.len()];
        for WeightedTerm { term_idx, weight, .. } in self.statistics.weigh(&self.parts.terms).scored {
            weights[term_idx] = weight;
        }
        weights
    }

    /// Returns in how many rows each term stands, in the order of the terms.
    pub(crate) fn frequencies(&self) -> &[u64] {
        &self.statistics.document_frequencies
    }
}

impl Call<'_> {
    /// Looks for something in every repository of the plan.
    pub(crate) async fn retrieve(&self, plan: &mut Plan, wish: Wish<'_>) -> Retrieved {
        let Wish { text, mut parts, filter, depth, corrects_typos } = wish;
        let mut statistics = self.statistics(plan, &parts).await;
        parts.take_whole_words(&mut statistics);
        let corrections = match corrects_typos {
            true => typo::correct(self, plan, text, &mut parts, &mut statistics).await,
            false => Vec::new(),
        };
        let weighted = statistics.weigh(&parts.terms);
        let addressed = addressed(plan, text, &parts, &statistics, &weighted);
        let text = meaning::without_noise(&typo::corrected(text, &corrections), |word| {
            let places = parts.terms.iter().zip(&statistics.document_frequencies);
            let mut known = places.filter(|(_, n_rows)| **n_rows > 0).map(|(term, _)| term.text.as_str());
            analyser::terms(word).iter().any(|term| known.any(|known| known == term))
        });
        let meaning = self.meaning(&text).await;
        let message = v1::SearchRequest {
            vector: meaning.vector(),
            message_vector: meaning::of_message(&text),
            addressed,
            ..wire(&parts, filter, depth, &statistics, &weighted)
        };
        let replies = self.search(plan, &message).await;
        let Gathered { found, said, pages, without_vectors } = gather(plan, replies);
        let total_weight = parts.total_weight(weighted.total);
        let newest = plan.newest_commit();
        let scale = Scale {
            total_weight,
            name_counts: &statistics.name_counts,
            kept: parts.kept,
            depth,
            newest,
            rows_compare_with_messages: meaning.is_of_built_in_table(),
        };
        let mut scored = Scored::new(found, &said, scale);
        let is_compared = self.compare(plan, &text, &parts, &statistics, &mut scored, scale).await;
        let ranking = merge(scored, scale);
        let method = Method { meaning, without_vectors, is_compared };
        Retrieved { ranking, pages, parts, corrections, method, statistics, total_weight, depth, newest }
    }
}

/// How a search was done.
pub(crate) struct Method {
    meaning: Meaning,
    /// Aliases of the repositories that were searched by text alone.
    without_vectors: Vec<String>,
    /// Whether the files that lead were compared with the question word by word, where there was anything to compare.
    is_compared: bool,
}

impl Method {
    /// Returns why the model said nothing of the question, where it was asked.
    pub(crate) fn untold(&self) -> Option<&'static str> {
        if let Meaning::Untold(reason) = self.meaning { Some(reason) } else { None }
    }

    /// Returns the name of what was done, and notes where it was not done everywhere.
    pub(crate) fn name(&self, plan: &Plan, notes: &mut Vec<String>) -> &'static str {
        if !self.is_compared {
            notes.push(
                "the best files were not compared with the question word by word, since a worker did not do so in time"
                    .to_owned(),
            );
        }
        match self.meaning {
            Meaning::Vector(_) => {}
            Meaning::Nothing => return BY_TEXT,
            Meaning::Untold(reason) => {
                notes.push(format!("searched by text alone: {reason}"));
                return BY_TEXT;
            }
        }
        let n_without = self.without_vectors.len();
        if n_without == 0 {
            return BY_BOTH;
        }
        let n_answered = plan.asked.len() - plan.shortfalls.len();
        let named: Vec<&str> = self.without_vectors.iter().take(MAX_NAMED).map(String::as_str).collect();
        let more = if n_without > named.len() { ", ..." } else { "" };
        notes.push(format!(
            "{n_without} of {n_answered} repositories have no vectors of the model in use and were searched by text \
             alone: {}{more}",
            named.join(", ")
        ));
        if n_without < n_answered { BY_BOTH } else { BY_TEXT }
    }
}

struct Gathered {
    found: Vec<Found>,
    said: Vec<Said>,
    pages: Vec<FoundPage>,
    without_vectors: Vec<String>,
}

fn gather(plan: &mut Plan, replies: Replies<v1::SearchResponse>) -> Gathered {
    let mut found: Vec<Found> = Vec::new();
    let (mut said, mut pages, mut without_vectors, mut pruned) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for (group, reply) in replies {
        let positions = plan.by_id(&group);
        let hits = reply.hits.into_iter();
        found.extend(hits.filter_map(|hit| Some(Found { position: *positions.get(hit.repository.as_str())?, hit })));
        let messages = reply.messages.into_iter();
        said.extend(messages.filter_map(|hit| Some(Said { position: *positions.get(hit.repository.as_str())?, hit })));
        pages.extend(reply.pages.into_iter().filter_map(|hit| {
            let page_type = PageType::parse(&hit.page_type)?;
            Some(FoundPage { position: *positions.get(hit.repository.as_str())?, page_type, hit })
        }));
        let of_another = reply.without_vectors.iter().filter_map(|id| positions.get(id.as_str()));
        without_vectors.extend(of_another.map(|position| plan.alias(*position).to_owned()));
        let n_pruned = reply.pruned.iter().filter(|id| positions.contains_key(id.as_str())).count();
        pruned += n_pruned;
    }
    // Of several searches that which left out most.
    plan.n_pruned = plan.n_pruned.max(pruned);
    without_vectors.sort();
    Gathered { found, said, pages, without_vectors }
}

/// Returns the message that asks for what a query holds.
fn wire(
    parts: &QueryParts,
    filter: &Filter,
    depth: usize,
    statistics: &Statistics,
    weighted: &WeightedTerms,
) -> v1::SearchRequest {
    let term = |term: &WeightedTerm| v1::Term { text: parts.terms[term.term_idx].text.clone(), weight: term.weight };
    let identifiers = parts.identifiers.iter().zip(&statistics.name_counts);
    let kept = parts.kept;
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
