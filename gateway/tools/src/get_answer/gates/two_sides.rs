//! Two-sides gate: an answer about a relation cites both sides.

use std::collections::BTreeSet;

use federation::repo_idx::RepoIdx;

/// Returns a note if a side is not cited: no cited span is in the repositories where it was found. Repositories are
/// identified by index.
pub(in super::super) fn one_sided(
    sides: &[String; 2],
    found_in: &[BTreeSet<RepoIdx>; 2],
    cited: &BTreeSet<RepoIdx>,
) -> Option<String> {
    let missing = sides.iter().zip(found_in).filter(|(_, found)| !found.is_empty() && found.is_disjoint(cited));
    let names: Vec<&str> = missing.map(|(side, _)| side.as_str()).collect();
    (!names.is_empty()).then(|| format!("not cited: {}", text::quote_names(names)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_have_to_be_cited() {
        let sides = ["the portal".to_owned(), "tracking".to_owned()];
        for (first, second, cited, expected) in [
            (&[0][..], &[1][..], &[0, 1][..], None),
            (&[0], &[1], &[0], Some("not cited: tracking")),
            (&[0], &[1], &[1, 2], Some("not cited: `the portal`")),
            (&[0], &[1], &[2], Some("not cited: `the portal`, tracking")),
            (&[0], &[0], &[0], None),
            (&[0, 1], &[1, 2], &[1], None),
            (&[0], &[], &[0], None),
            (&[], &[], &[0], None),
        ] {
            let found_in = [first, second].map(|found: &[usize]| found.iter().copied().map(RepoIdx).collect());
            let noted = one_sided(&sides, &found_in, &cited.iter().copied().map(RepoIdx).collect());
            assert_eq!(noted.as_deref(), expected, "{first:?} {second:?} {cited:?}");
        }
    }
}
