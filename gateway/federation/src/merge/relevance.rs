//! The relevance of a file, from 0 to 10: comparable between queries and repositories, and independent of its rank.

use proto::v1;

use super::RankedFile;

/// Cosine up to which a match is noise: the nearest of 57,000 rows to questions about no code had a median of .31 and never
/// exceeded this.
const COSINE_FLOOR: f32 = 0.44;

/// Cosine that counts as a full match: the median between descriptive names and the code that they name.
const COSINE_CEILING: f32 = 0.86;

/// Minimum relevance of hits that only the vector ranker found.
const MEANING_FLOOR: f32 = 1.0;

/// Returns the relevance of a hit: that of its best match.
pub(super) fn relevance(hit: &v1::FileHit, total_weight: f32) -> f32 {
    let by_text = if hit.best_row > 0.0 { ranking::relevance(hit.best_row, total_weight) } else { 0.0 };
    let by_name = hit.name.as_ref().map_or(0.0, name_relevance);
    // A path score is above 1 if the last components match, and 2 if the whole path does.
    let by_path = hit.path.min(2.0) * 3.0;
    by_text.max(by_name).max(by_path).max(meaning_relevance(hit.cosine)).clamp(0.0, 10.0)
}

/// Returns the relevance of a name match, on the scale of a row that contains a corresponding share of the query.
pub(super) fn name_relevance(name: &v1::NameMatch) -> f32 {
    match name.tier() {
        v1::NameTier::Exact => 6.0,
        v1::NameTier::Folded => 5.0,
        v1::NameTier::Prefix => 3.0,
        v1::NameTier::SubWord => 2.0,
        v1::NameTier::Fuzzy => 1.0,
        v1::NameTier::Unspecified => 0.0,
    }
}

/// Returns the relevance of a cosine.
pub(super) fn meaning_relevance(cosine: f32) -> f32 {
    10.0 * ((cosine - COSINE_FLOOR) / (COSINE_CEILING - COSINE_FLOOR)).clamp(0.0, 1.0)
}

pub(super) fn is_relevant(ranked: &RankedFile) -> bool {
    let hit = &ranked.found.hit;
    let floor = if hit.lexical > 0.0 { ranking::RELEVANCE_FLOOR } else { MEANING_FLOOR };
    ranked.relevance >= floor || hit.name.is_some() || hit.path > 0.0
}
