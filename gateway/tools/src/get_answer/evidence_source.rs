//! The text of the evidence: the code of its spans, and the purpose of its files.

use model::{LineSpan, PageType};

use super::{
    comment,
    evidence::{EvidenceHit, EvidencePlace},
};
use federation::{
    answer::Answer,
    call::CallContext,
    fetch::{FetchedSource, PageRequest, SourceRequest},
    plan::Plan,
};

/// Maximum number of files whose pages are read, and whose spans are read.
const MAX_PAGES: usize = 8;
const MAX_READ_HITS: usize = 8;

/// Spans to read of each leading file, and the number of leading files.
const PLACES_OF_FIRST: usize = 3;
const N_FIRST: usize = 2;

/// Lines to read of a span that the question names (as the contract says), of other code, and of prose (a section).
const NAMED_LINES: u32 = 40;
const CODE_LINES: u32 = 30;
const PROSE_LINES: u32 = 80;

/// Reads the code of spans and the pages of files that will be used, and returns the hits with both.
pub(super) async fn read(call: &CallContext<'_>, plan: &Plan, mut hits: Vec<EvidenceHit>) -> Answer<Vec<EvidenceHit>> {
    let page = |hit: &EvidenceHit| PageRequest {
        repo_idx: hit.repo_idx,
        page_type: PageType::parse(&hit.file.page_type).unwrap_or(PageType::File),
        path: hit.file.path.clone(),
    };
    let page_requests: Vec<PageRequest> = hits.iter().take(MAX_PAGES).map(page).collect();
    let pages = call.fetch_pages(plan, &page_requests).await;
    for (hit, page) in hits.iter_mut().zip(pages.value) {
        hit.purpose = page.map(|page| purpose(&page)).unwrap_or_default();
    }
    let mut places: Vec<(usize, usize)> = Vec::new();
    let mut source_requests: Vec<SourceRequest> = Vec::new();
    for (hit_idx, hit) in hits.iter().enumerate().take(MAX_READ_HITS) {
        let n_places = if hit_idx < N_FIRST { PLACES_OF_FIRST } else { 1 };
        for (place_idx, place) in hit.places.iter().enumerate() {
            if (place_idx >= n_places && !place.is_named) || !place.source.is_empty() {
                continue;
            }
            let n_lines = match (place.is_named, hit.is_prose()) {
                (_, true) => PROSE_LINES,
                (true, _) => NAMED_LINES,
                _ => CODE_LINES,
            };
            let LineSpan { start, end } = place.lines;
            let has_comment = place.symbol.as_ref().is_some_and(|symbol| !symbol.doc.is_empty()) && !hit.is_prose();
            let above = if has_comment { comment::MAX_LINES } else { 0 };
            let first = start.saturating_sub(above).max(1);
            let lines = LineSpan { start: first, end: end.min(start.saturating_add(n_lines - 1)) };
            source_requests.push(SourceRequest { repo_idx: hit.repo_idx, path: hit.file.path.clone(), lines });
            places.push((hit_idx, place_idx));
        }
    }
    let fetched = call.fetch(&plan.without(&pages.shortfalls), &source_requests).await.after(pages.shortfalls);
    for ((hit_idx, place_idx), fetched) in places.into_iter().zip(fetched.value) {
        if let Some(fetched) = fetched {
            put_source(&mut hits[hit_idx].places[place_idx], &fetched);
        }
    }
    Answer { value: hits, shortfalls: fetched.shortfalls }
}

/// Stores the text of a span, including the comment above it.
fn put_source(place: &mut EvidencePlace, fetched: &FetchedSource) {
    let lines: Vec<&str> = fetched.text.lines().collect();
    let n_above = place.lines.start.saturating_sub(fetched.lines.start) as usize;
    let above = &lines[..n_above.min(lines.len())];
    let n_comment = comment::n_lines(above);
    place.lines.start = place.lines.start.saturating_sub(n_comment as u32).max(1);
    place.source = lines[above.len() - n_comment..].join("\n");
}

/// Prefixes of the lists on a file page.
const PAGE_LABELS: [&str; 10] = [
    "Sections:",
    "Tests:",
    "API:",
    "Used by:",
    "Depends on:",
    "Packages:",
    "Tested by:",
    "Documented in:",
    "Last change",
    "Changed",
];

/// Returns the purpose of a file according to its page: the paragraph after its heading and its kind line, if it is
/// prose and not a list.
pub(super) fn purpose(page: &str) -> String {
    let mut lines = page.lines().skip_while(|line| !line.is_empty()).skip(1);
    let paragraph = lines.by_ref().take_while(|line| !line.is_empty()).collect::<Vec<&str>>().join(" ");
    let is_list = PAGE_LABELS.iter().any(|label| paragraph.starts_with(label));
    if is_list { String::new() } else { paragraph }
}
