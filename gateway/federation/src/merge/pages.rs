//! Merges pages with passages of code; the two kinds are separate ranked lists.

use model::PageType;
use proto::v1;
use ranking::fusion::{Ranker, fuse};

use super::{RankedFile, RankedPassage, ScoreScale};
use crate::repo_idx::RepoIdx;

/// A matching page.
#[derive(Debug, Clone)]
pub struct FoundPage {
    /// Its repository.
    pub repo_idx: RepoIdx,
    /// Parsed from `hit.page_type`.
    pub page_type: PageType,
    /// The hit as its worker sent it.
    pub hit: v1::PageHit,
}

/// One result.
#[derive(Debug, Clone, Copy)]
pub enum ResultItem<'a> {
    /// Lines of a file, with their relevance.
    Passage(RankedPassage<'a>),
    /// A page, and its relevance from 0 to 10.
    Page(&'a FoundPage, f32),
}

impl ResultItem<'_> {
    /// Returns the relevance, from 0 to 10.
    pub fn relevance(&self) -> f32 {
        match self {
            ResultItem::Passage(passage) => passage.relevance,
            ResultItem::Page(_, relevance) => *relevance,
        }
    }
}

/// Returns the pages of files in the order of their files, each with the relevance of its file: the text of a file page is
/// searched as part of its file.
pub fn file_pages(files: &[RankedFile]) -> Vec<(FoundPage, f32)> {
    let page = |ranked: &RankedFile| {
        let file = ranked.found.hit.file.as_ref()?;
        let page_type = PageType::parse(&file.page_type)?;
        let hit = v1::PageHit {
            repository: ranked.found.hit.repository.clone(),
            page_type: file.page_type.clone(),
            path: file.path.clone(),
            title: file.path.clone(),
            score: ranked.text,
        };
        Some((FoundPage { repo_idx: ranked.found.repo_idx, page_type, hit }, ranked.relevance))
    };
    files.iter().filter_map(page).collect()
}

/// Fuses passages and pages. The list of pages is cut at the depth to which every worker sent its pages.
pub fn items<'a>(
    passages: Vec<RankedPassage<'a>>,
    mut pages: Vec<&'a FoundPage>,
    scale: ScoreScale<'_>,
) -> Vec<ResultItem<'a>> {
    pages.sort_by(|a, b| {
        let by_place = || (a.repo_idx, &a.hit.path, a.page_type).cmp(&(b.repo_idx, &b.hit.path, b.page_type));
        b.hit.score.total_cmp(&a.hit.score).then_with(by_place)
    });
    pages.truncate(scale.depth);
    let relevance =
        |page: &FoundPage| ranking::relevance(ranking::blend::message_share(page.hit.score), scale.total_weight);
    let pages = pages.into_iter().map(|page| (page, relevance(page))).filter(|(_, relevance)| *relevance >= 1.0);
    let n_passages = passages.len();
    let all: Vec<ResultItem<'a>> = passages
        .into_iter()
        .map(ResultItem::Passage)
        .chain(pages.map(|(page, relevance)| ResultItem::Page(page, relevance)))
        .collect();
    let each = |places: std::ops::Range<usize>| places.map(|place| vec![place]).collect();
    let mut fused = fuse(&[(Ranker::Text, each(0..n_passages)), (Ranker::Page, each(n_passages..all.len()))]);
    fused.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    fused.into_iter().map(|(place, _)| all[place]).collect()
}

#[cfg(test)]
mod tests {
    use ranking::RequestedClasses;

    use super::*;

    #[test]
    fn more_workers_send_no_more_pages() {
        let page = |repo_idx: usize, score: f32| FoundPage {
            repo_idx: RepoIdx(repo_idx),
            page_type: PageType::Overview,
            hit: v1::PageHit { score, path: "README.md".to_owned(), ..Default::default() },
        };
        let scale = ScoreScale {
            total_weight: 1.0,
            name_counts: &[],
            kept: RequestedClasses::default(),
            depth: 3,
            newest: 0,
            rows_compare_with_messages: true,
        };
        // Three pages of one worker and two of another: the list is as long as that of one worker with all five.
        let pages: Vec<FoundPage> = (0..5).map(|repo_idx| page(repo_idx, 90.0 - repo_idx as f32)).collect();
        let shown = items(Vec::new(), pages.iter().collect(), scale);
        let repo_idxs = shown.iter().map(|item| match item {
            ResultItem::Page(page, _) => page.repo_idx.0,
            ResultItem::Passage(_) => unreachable!("there are pages alone"),
        });
        assert_eq!(repo_idxs.collect::<Vec<_>>(), [0, 1, 2]);
    }
}
