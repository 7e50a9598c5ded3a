//! Hotspots: source files ranked by churn and complexity.

use model::FileClass;

use crate::records::{history::FileHistoryRecord, page_tables::HotspotRecord, tables::FileRecord};

/// Score of a file with both the highest churn and the highest complexity.
const MAX_SCORE: f64 = 10.0;

/// Returns the hotspot figures of each file; `None` for a file without known history, and for a file that is not source. They are empty if
/// no file has a known history.
pub(crate) fn hotspots(files: &[FileRecord], records: &[Option<FileHistoryRecord>]) -> Vec<Option<HotspotRecord>> {
    let is_source = |file: &FileRecord| FileClass::from_index(file.class) == Some(FileClass::Source);
    let known = files.iter().zip(records).map(|(file, record)| record.as_ref().filter(|_| is_source(file)));
    let figures: Vec<Option<(f32, f32)>> =
        known.zip(files).map(|(record, file)| record.map(|record| (record.churn, file.complexity as f32))).collect();
    let sorted = |figure: fn(&(f32, f32)) -> f32| {
        let mut sorted: Vec<f32> = figures.iter().flatten().map(figure).collect();
        sorted.sort_by(f32::total_cmp);
        sorted
    };
    let (churns, complexities) = (sorted(|(churn, _)| *churn), sorted(|(_, complexity)| *complexity));
    let hotspot = |(churn, complexity): &(f32, f32)| {
        let (churn_share, complexity_share) = (share_below(&churns, *churn), share_below(&complexities, *complexity));
        let score = MAX_SCORE * (churn_share * complexity_share).sqrt();
        HotspotRecord {
            score: score as f32,
            churn_share: churn_share as f32,
            complexity_share: complexity_share as f32,
        }
    };
    figures.iter().map(|figures| figures.as_ref().map(hotspot)).collect()
}

/// Returns the share of the other values that are less than `value`, from 0 to 1; 0 if there are no others.
fn share_below(sorted: &[f32], value: f32) -> f64 {
    let n_below = sorted.partition_point(|other| *other < value);
    let n_others = sorted.len().saturating_sub(1).max(1);
    n_below as f64 / n_others as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_exclude_the_value_itself() {
        for (values, value, expected) in [
            (vec![], 1.0, 0.0),
            (vec![5.0], 5.0, 0.0),
            (vec![1.0, 2.0, 3.0], 3.0, 1.0),
            (vec![1.0, 2.0, 3.0], 2.0, 0.5),
            (vec![1.0, 1.0, 1.0], 1.0, 0.0),
        ] {
            assert_eq!(share_below(&values, value), expected, "{values:?}");
        }
    }
}
