//! Bounds of numeric arguments.

use std::ops::RangeInclusive;

use federation::refusal::Refusal;

/// Clamps a number to its bounds, and adds a note if that changed it.
pub(crate) fn clamp(
    name: &str,
    given: Option<i64>,
    default: usize,
    bounds: RangeInclusive<usize>,
    notes: &mut Vec<String>,
) -> usize {
    let Some(given) = given else { return default };
    let (least, most) = (*bounds.start(), *bounds.end());
    let clamped = usize::try_from(given).unwrap_or(least).clamp(least, most);
    if i64::try_from(clamped) != Ok(given) {
        notes.push(format!("`{name}` must be from {least} to {most}: {clamped} was used instead of {given}"));
    }
    clamped
}

/// Minimum token budget: an answer with its metadata fits in it.
pub(crate) const MIN_TOKEN_BUDGET: usize = 100;

/// Default token budget: enough for a long function, a sixth of the limit of common clients.
pub(crate) const DEFAULT_TOKEN_BUDGET: usize = 4_000;

/// Maximum token budget: the limit of common clients.
pub(crate) const MAX_TOKEN_BUDGET: usize = 25_000;

/// Returns a token budget. Refuses a budget below the minimum.
pub(crate) fn token_budget(given: Option<i64>, notes: &mut Vec<String>) -> Result<usize, Refusal> {
    named_token_budget("token_budget", given, notes)
}

/// Does the same for an argument with another name.
pub(crate) fn named_token_budget(name: &str, given: Option<i64>, notes: &mut Vec<String>) -> Result<usize, Refusal> {
    if given.is_some_and(|given| given < MIN_TOKEN_BUDGET as i64) {
        return Err(Refusal::new(format!(
            "`{name}` must be at least {MIN_TOKEN_BUDGET}; omit it for the default of {DEFAULT_TOKEN_BUDGET}"
        )));
    }
    Ok(clamp(name, given, DEFAULT_TOKEN_BUDGET, MIN_TOKEN_BUDGET..=MAX_TOKEN_BUDGET, notes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_clamped_with_a_note() {
        for (given, expected, n_notes) in
            [(None, 5, 0), (Some(7), 7, 0), (Some(0), 1, 1), (Some(-3), 1, 1), (Some(10_000), 100, 1)]
        {
            let mut notes = Vec::new();
            assert_eq!(clamp("limit", given, 5, 1..=100, &mut notes), expected);
            assert_eq!(notes.len(), n_notes, "{given:?} {notes:?}");
        }
    }
}
