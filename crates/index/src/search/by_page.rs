//! Pages of modules and of the repository by their terms, and files by the terms of their commit messages.

use model::PageType;

use super::query::SearchQuery;
use crate::snapshot::Snapshot;

/// A matching page of a module or of the repository.
#[derive(Debug, Clone, PartialEq)]
pub struct PageHit {
    /// The type of the page.
    pub page_type: PageType,
    /// The folder that it describes; empty for the page of the repository.
    pub path: String,
    /// The title.
    pub title: String,
    /// Score of its terms, plus the weight of the name of the repository.
    pub score: f32,
}

impl Snapshot {
    /// Returns the score of the commit messages of a file.
    pub(super) fn history_score(&self, file_idx: usize, terms: &[(String, f32)]) -> f32 {
        let Some((base, file_idx)) = self.base_file(file_idx) else {
            return self.message_words().score(file_idx, terms);
        };
        file_idx.map_or(0.0, |file_idx| base.history_score(file_idx, terms))
    }

    /// Returns the best matching pages of modules and of the repository, best first. The edits of a draft have none: the pages are those of
    /// the generation below it.
    pub fn rank_pages(&self, query: &SearchQuery<'_>) -> Vec<PageHit> {
        let filter = query.filter;
        if filter.content.is_some() || filter.symbol_kind.is_some() || filter.language.is_some() || self.is_edits() {
            return Vec::new();
        }
        let bags = self.page_words();
        let mut ranked: Vec<(f32, usize)> = (self.page_tables().pages.iter().enumerate())
            .filter(|(_, page)| filter.admits_path(&page.path))
            .map(|(page_idx, page)| {
                let score = bags.score(page_idx, query.terms);
                // The name alone matches the page of the repository. The page of a module must match a term as well.
                let has_name = score > 0.0 || PageType::from_index(page.page_type) == Some(PageType::Overview);
                (score + if has_name { query.name_weight } else { 0.0 }, page_idx)
            })
            .filter(|(score, _)| *score > 0.0)
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        ranked.truncate(query.limit);
        let hit = |(score, page_idx): (f32, usize)| {
            let page = &self.page_tables().pages[page_idx];
            let title = if page.title.is_empty() { &page.path } else { &page.title };
            PageHit {
                page_type: PageType::from_index(page.page_type).unwrap_or(PageType::Module),
                path: page.path.as_str().to_owned(),
                title: title.as_str().to_owned(),
                score,
            }
        };
        ranked.into_iter().map(hit).collect()
    }
}
