//! The risk score of a target: points for what makes a change likely to fail, and for its impact.
//!
//! Each part is a share from 0 to 1 times its maximum points. All points add up to 10, so the score is from 0 to 10,
//! and no part lowers it. An unknown figure adds no points.

/// Maximum points of each part. Change and use have the most weight: defects are in files that change a lot (Nagappan
/// and Ball, 2005), and they cost most where much depends on them.
const HOTSPOT: f64 = 1.5;
const FIXES: f64 = 1.0;
const RISING: f64 = 0.5;
const DEPENDENTS: f64 = 1.5;
const REACH: f64 = 0.5;
const OTHER_REPOSITORIES: f64 = 1.0;
const UNTESTED: f64 = 1.5;
const ONE_OWNER: f64 = 0.5;
const SECURITY: f64 = 2.0;

/// Figures at which a part reaches half of its points.
const HALF_CHURN: f64 = 5.0;
const HALF_FIXES: f64 = 5.0;
const HALF_DEPENDENTS: f64 = 10.0;
const HALF_REACH: f64 = 30.0;
const HALF_REPOSITORIES: f64 = 1.0;
/// Already one is too many.
const HALF_SIGNALS: f64 = 0.5;

/// Factor of the points for untested code if tests import it: they may reach it in an unknown way.
const IMPORTED_BY_TESTS: f64 = 0.5;

/// Minimum number of commits for a statement about ownership.
const MIN_COMMITS: u32 = 5;

/// Minimum points of a part that is listed.
const MIN_LISTED_POINTS: f64 = 0.05;

/// Factor by which each further file of a change counts less than the one before, the riskiest first.
const FURTHER_FILES: f64 = 0.5;

/// Maximum share, of the distance to 10, that missing files add, and the number that gives half of it.
const MISSING: f64 = 0.2;
const HALF_MISSING: f64 = 2.0;

/// The figures of a target.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Figures {
    /// From 0 to 10.
    pub(super) hotspot: Option<f64>,
    pub(super) churn: f64,
    pub(super) commits: u32,
    pub(super) fixes: u32,
    pub(super) is_rising: bool,
    pub(super) bus_factor: u32,
    pub(super) dependents: usize,
    /// Indirect dependents.
    pub(super) reach: usize,
    pub(super) other_repositories: usize,
    /// Share of testable code that no test reaches; none if there is nothing to test.
    pub(super) untested: Option<f64>,
    /// Tests that relate to it, even if they only import it.
    pub(super) tests: usize,
    /// True if the history is that of the file around the target.
    pub(super) is_part: bool,
    pub(super) signals: usize,
}

/// Returns the score and its parts, the largest first.
pub(super) fn score(figures: &Figures) -> (f64, Vec<String>) {
    let mut parts = parts(figures);
    let score: f64 = parts.iter().map(|(points, _)| points).sum();
    parts.retain(|(points, _)| *points >= MIN_LISTED_POINTS);
    parts.sort_by(|a, b| b.0.total_cmp(&a.0));
    (tenth(score), parts.into_iter().map(|(points, why)| format!("{why} (+{points:.1})")).collect())
}

/// Returns the score of a change set from the scores of its files and the number of files that seem to be missing.
pub(super) fn change_score(scores: &[f64], n_missing: usize) -> f64 {
    let mut sorted = scores.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let mut left = 1.0;
    let mut weight = 1.0;
    for score in sorted {
        left *= 1.0 - weight * (score / 10.0).clamp(0.0, 1.0);
        weight *= FURTHER_FILES;
    }
    left *= 1.0 - MISSING * saturating_share(n_missing as f64, HALF_MISSING);
    tenth(10.0 * (1.0 - left))
}

fn parts(figures: &Figures) -> Vec<(f64, String)> {
    let Figures { hotspot, churn, commits, fixes, is_rising, bus_factor, dependents, reach, .. } = figures;
    let of_file = if figures.is_part { " of its file" } else { "" };
    let changes = match hotspot {
        Some(hotspot) => {
            (HOTSPOT * (hotspot / 10.0).clamp(0.0, 1.0), format!("hotspot score{of_file}: {hotspot:.1} of 10"))
        }
        None => (
            HOTSPOT * saturating_share(*churn, HALF_CHURN),
            format!("{}{of_file}", counted(*commits as usize, "commit")),
        ),
    };
    let has_one_owner = *bus_factor == 1 && *commits >= MIN_COMMITS;
    let n_other_repositories = figures.other_repositories;
    let untested = figures.untested.unwrap_or(0.0).clamp(0.0, 1.0);
    let is_imported = untested >= 1.0 && figures.tests > 0;
    let untested_weight = if is_imported { IMPORTED_BY_TESTS } else { 1.0 };
    let untested_why = match untested {
        _ if is_imported => format!("{} import it, but none is known to call it", counted(figures.tests, "test")),
        share if share >= 1.0 => "no known test reaches it".to_owned(),
        share => format!("no known test reaches {:.0} % of its public functions", share * 100.0),
    };
    vec![
        changes,
        (
            FIXES * saturating_share(f64::from(*fixes), HALF_FIXES),
            format!("fixes: {fixes} of {}{of_file}", counted(*commits as usize, "commit")),
        ),
        (
            if *is_rising { RISING } else { 0.0 },
            format!("{}changes more often than before", if figures.is_part { "its file " } else { "" }),
        ),
        (DEPENDENTS * saturating_share(*dependents as f64, HALF_DEPENDENTS), counted(*dependents, "direct dependent")),
        (REACH * saturating_share(*reach as f64, HALF_REACH), counted(*reach, "indirect dependent")),
        (
            OTHER_REPOSITORIES * saturating_share(n_other_repositories as f64, HALF_REPOSITORIES),
            format!("used in {}", counted(n_other_repositories, "other repository")),
        ),
        (UNTESTED * untested * untested_weight, untested_why),
        (
            if has_one_owner { ONE_OWNER } else { 0.0 },
            format!("one person owns most of {}", if figures.is_part { "its file" } else { "it" }),
        ),
        (
            SECURITY * saturating_share(figures.signals as f64, HALF_SIGNALS),
            counted(figures.signals, "security signal"),
        ),
    ]
}

/// Returns a count with its noun in singular or plural.
pub(super) fn counted(count: usize, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    match noun.strip_suffix('y').filter(|_| count != 1) {
        Some(stem) => format!("{count} {stem}ies"),
        None => format!("{count} {noun}{ending}"),
    }
}

/// Returns a share that grows with a figure, is one half at `half`, and never reaches 1.
fn saturating_share(figure: f64, half: f64) -> f64 {
    let figure = if figure.is_finite() { figure.max(0.0) } else { 0.0 };
    figure / (figure + half)
}

fn tenth(score: f64) -> f64 {
    (score.clamp(0.0, 10.0) * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn all_points_are_ten() {
        let all = [HOTSPOT, FIXES, RISING, DEPENDENTS, REACH, OTHER_REPOSITORIES, UNTESTED, ONE_OWNER, SECURITY];
        assert_eq!(all.iter().sum::<f64>(), 10.0);
        assert_eq!(score(&Figures::default()), (0.0, Vec::new()));
        let figures = Figures { dependents: 10, untested: Some(1.0), ..Figures::default() };
        let expected = ["no known test reaches it (+1.5)", "10 direct dependents (+0.8)"];
        assert_eq!(score(&figures), (2.3, expected.map(str::to_owned).to_vec()));
    }

    #[test]
    fn reasons_mark_figures_of_the_whole_file() {
        let of_file =
            Figures { commits: 9, fixes: 5, tests: 3, untested: Some(1.0), is_part: true, ..Figures::default() };
        let expected =
            ["3 tests import it, but none is known to call it (+0.8)", "fixes: 5 of 9 commits of its file (+0.5)"];
        assert_eq!(score(&of_file).1, expected);
    }

    fn figures() -> impl Strategy<Value = Figures> {
        let past = (prop::option::of(0.0..10.0_f64), 0.0..100.0_f64, 0..100_u32, 0..50_u32, any::<bool>(), 0..5_u32);
        let uses = (0..500_usize, 0..500_usize, 0..9_usize, prop::option::of(0.0..1.0_f64), 0..9_usize);
        (past, uses).prop_map(|((hotspot, churn, commits, fixes, is_rising, bus_factor), uses)| {
            let (dependents, reach, other_repositories, untested, signals) = uses;
            let known =
                Figures { hotspot, churn, commits, fixes, is_rising, bus_factor, dependents, ..Figures::default() };
            Figures { reach, other_repositories, untested, signals, ..known }
        })
    }

    proptest! {
        #[test]
        fn larger_figures_never_lower_the_score(figures in figures(), more in 1..50_u32) {
            let (before, _) = score(&figures);
            prop_assert!((0.0..=10.0).contains(&before));
            let n = more as usize;
            let worse: [fn(&mut Figures, usize); 8] = [
                |figures, n| figures.hotspot = figures.hotspot.map(|hotspot| (hotspot + n as f64).min(10.0)),
                |figures, n| figures.churn += n as f64,
                |figures, n| figures.fixes += n as u32,
                |figures, n| figures.dependents += n,
                |figures, n| figures.reach += n,
                |figures, n| figures.other_repositories += n,
                |figures, _| figures.untested = Some(1.0),
                |figures, n| figures.signals += n,
            ];
            for make in worse {
                let mut worse = figures.clone();
                make(&mut worse, n);
                prop_assert!(score(&worse).0 >= before, "{worse:?}");
            }
        }

        #[test]
        fn a_change_is_as_risky_as_its_riskiest_file(scores in prop::collection::vec(0.0..10.0_f64, 0..9), n_missing in 0..9_usize) {
            let whole = change_score(&scores, n_missing);
            prop_assert!((0.0..=10.0).contains(&whole));
            prop_assert!(scores.iter().all(|score| whole + 0.051 >= *score));
            prop_assert!(change_score(&scores, n_missing + 1) >= whole);
        }
    }
}
