//! Spelling suggestions: the known names with the smallest edit distance to an unknown one.

use rapidfuzz::distance::levenshtein;

/// Returns at most `limit` names of `known`, sorted by distance to `typed`; ties keep their input order.
pub fn first<'a>(typed: &str, known: &[&'a str], limit: usize) -> Vec<&'a str> {
    let typed = typed.to_lowercase();
    let mut by_distance: Vec<(usize, &str)> =
        known.iter().map(|name| (distance(&typed, &name.to_lowercase()), *name)).collect();
    by_distance.sort_by_key(|(distance, _)| *distance);
    by_distance.into_iter().take(limit).map(|(_, name)| name).collect()
}

/// Returns at most `limit` names of `known` that differ from `typed` by a few edits, sorted by distance; ties keep their input order.
pub fn close<'a>(typed: &str, known: &[&'a str], limit: usize) -> Vec<&'a str> {
    /// Number of characters for each of which one may differ.
    const CHARS_PER_EDIT: usize = 4;
    let (typed, max_edits) = (typed.to_lowercase(), typed.chars().count() / CHARS_PER_EDIT);
    let by_distance = known.iter().map(|name| (edit_distance(&typed, &name.to_lowercase()), *name));
    let mut close: Vec<(usize, &str)> = by_distance.filter(|(distance, _)| *distance <= max_edits).collect();
    close.sort_by_key(|(distance, _)| *distance);
    close.into_iter().take(limit).map(|(_, name)| name).collect()
}

/// Returns the edit distance of two names; 1 if one contains the other.
fn distance(typed: &str, name: &str) -> usize {
    if typed == name {
        return 0;
    }
    if !typed.is_empty() && (name.contains(typed) || typed.contains(name)) {
        return 1;
    }
    edit_distance(typed, name)
}

/// Returns the Levenshtein distance of the first characters of two names.
fn edit_distance(a: &str, b: &str) -> usize {
    /// Longer names differ enough in this prefix.
    const MAX_CHARS: usize = 64;
    let prefix = |name: &str| -> Vec<char> { name.chars().take(MAX_CHARS).collect() };
    levenshtein::distance(prefix(a), prefix(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_names_rank_by_edit_distance() {
        assert_eq!(first("Flsk", &["click", "flask", "web"], 2), ["flask", "click"]);
        assert_eq!(first("api", &["web", "billing-api"], 1), ["billing-api"]);
        assert_eq!(close("CART_ADRESS", &["cart", "CART_ADDRESS", "PORT", "WEB_ADDRESS"], 3), ["CART_ADDRESS"]);
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("", "ab"), 2);
    }
}
