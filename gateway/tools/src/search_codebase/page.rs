//! The part of a ranking that one answer shows.

use model::LineSpan;
use ranking::confidence::{HitEvidence, confidences};

use federation::{
    fetch::SourceRequest,
    merge::{FileRanking, RankedFile, RankedPassage, ResultItem},
    repo_idx::RepoIdx,
};

/// Minimum number of candidate files in addition to the results.
const MIN_CANDIDATES: usize = 10;

/// Maximum number of lines to read of one result; the snippet is chosen from them.
const MAX_READ_LINES: u32 = 2_000;

/// The part of a ranking that one answer shows.
pub(super) struct ResultPage<'a> {
    pub(super) files: &'a [RankedFile],
    pub(super) items: &'a [ResultItem<'a>],
    pub(super) shown: &'a [ResultItem<'a>],
    /// The confidence of each shown result, from 0 to 1.
    pub(super) confidences: Vec<f32>,
    pub(super) candidates: &'a [RankedFile],
    /// The offset of the next page, if there is one.
    pub(super) next: Option<usize>,
    /// True if there may be more results than were ranked.
    pub(super) is_capped: bool,
}

impl<'a> ResultPage<'a> {
    pub(super) fn of(
        ranking: &'a FileRanking,
        items: &'a [ResultItem<'a>],
        offset: usize,
        limit: usize,
    ) -> ResultPage<'a> {
        let shown = &items[offset.min(items.len())..];
        let candidates = &ranking.files[offset.min(ranking.files.len())..];
        let next = offset + limit;
        let evidence: Vec<HitEvidence<(RepoIdx, &str)>> =
            items.iter().map(|item| evidence(&ranking.files, item)).collect();
        let confidences = confidences(&evidence);
        ResultPage {
            confidences: confidences.into_iter().skip(offset).collect(),
            files: &ranking.files,
            items,
            shown: &shown[..limit.min(shown.len())],
            candidates: &candidates[..limit.max(MIN_CANDIDATES).min(candidates.len())],
            next: (next < items.len()).then_some(next),
            is_capped: ranking.is_capped,
        }
    }

    /// Returns the repository index of every result.
    pub(super) fn repo_idxs(&self) -> impl Iterator<Item = RepoIdx> {
        self.items.iter().map(|item| match item {
            ResultItem::Passage(ranked_passage) => self.file_of(ranked_passage).found.repo_idx,
            ResultItem::Page(found, _) => found.repo_idx,
        })
    }

    /// Returns the file of a span.
    pub(super) fn file_of(&self, ranked_passage: &RankedPassage<'_>) -> &'a RankedFile {
        &self.files[ranked_passage.file_idx]
    }

    /// Returns the source to read for a span.
    pub(super) fn source_request(&self, ranked_passage: &RankedPassage<'_>) -> SourceRequest {
        let ranked = self.file_of(ranked_passage);
        let lines = ranked_passage.passage.lines;
        let lines = LineSpan { end: lines.end.min(lines.start.saturating_add(MAX_READ_LINES - 1)), ..lines };
        SourceRequest { repo_idx: ranked.found.repo_idx, path: path_of(ranked).to_owned(), lines }
    }
}

fn evidence<'a>(files: &'a [RankedFile], item: &ResultItem<'a>) -> HitEvidence<(RepoIdx, &'a str)> {
    let file = match *item {
        ResultItem::Passage(ranked_passage) => {
            let ranked = &files[ranked_passage.file_idx];
            (ranked.found.repo_idx, path_of(ranked))
        }
        ResultItem::Page(found, _) => (found.repo_idx, found.hit.path.as_str()),
    };
    HitEvidence { file, relevance: item.relevance() }
}

pub(super) fn path_of(ranked: &RankedFile) -> &str {
    ranked.found.hit.file.as_ref().map_or("", |file| file.path.as_str())
}
