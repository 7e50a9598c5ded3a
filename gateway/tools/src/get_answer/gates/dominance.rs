//! Dominance gate: a model is queried only if one file stands out; otherwise the reader chooses between excerpts.

/// Minimum ratio between the best and the second relevance: that of the tool that users know.
const RATIO: f32 = 1.2;

/// Relative tolerance of relevances.
const ROUNDING: f32 = 1e-4;

/// Returns the reason why no file stands out, given the relevance of distinct files, the best first; nothing if one
/// does.
pub(in super::super) fn dominance(relevances: &[f32]) -> Option<String> {
    match relevances {
        [] => Some("nothing was found".to_owned()),
        [first, second, ..] if *first < (RATIO - ROUNDING) * second => Some(format!(
            "no file stands out: the best two have a relevance of {first:.2} and {second:.2}, and the model needs a ratio \
             of at least {RATIO}; read the excerpts, or name the file or definition"
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_file_must_dominate() {
        for (relevances, stands_out) in [
            (&[][..], false),
            (&[3.0], true),
            (&[3.6, 3.0], true),
            (&[3.59, 3.0], false),
            (&[3.0, 3.0, 0.1], false),
            (&[6.0, 0.0], true),
        ] {
            assert_eq!(dominance(relevances).is_none(), stands_out, "{relevances:?}");
        }
    }
}
