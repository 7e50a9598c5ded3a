//! Which of the known names somebody may have meant.

/// Returns at most `limit` of `known`, the most similar to `typed` first, equally similar ones in the order given.
pub(crate) fn first<'a>(typed: &str, known: &[&'a str], limit: usize) -> Vec<&'a str> {
    let typed = typed.to_lowercase();
    let mut by_distance: Vec<(usize, &str)> =
        known.iter().map(|name| (distance(&typed, &name.to_lowercase()), *name)).collect();
    by_distance.sort_by_key(|(distance, _)| *distance);
    by_distance.into_iter().take(limit).map(|(_, name)| name).collect()
}

/// Returns the edits between two names; containing one another counts as one.
fn distance(typed: &str, name: &str) -> usize {
    if typed == name {
        return 0;
    }
    if !typed.is_empty() && (name.contains(typed) || typed.contains(name)) {
        return 1;
    }
    edits(typed, name)
}

/// Returns the Levenshtein distance, by the usual table kept to one row.
fn edits(a: &str, b: &str) -> usize {
    /// Names are compared by no more than this; longer ones differ enough by then.
    const MAX_CHARS: usize = 64;
    let b: Vec<char> = b.chars().take(MAX_CHARS).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, a_char) in a.chars().take(MAX_CHARS).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b_char) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(a_char != *b_char);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_come_first() {
        assert_eq!(first("Flsk", &["click", "flask", "web"], 2), ["flask", "click"]);
        assert_eq!(first("api", &["web", "billing-api"], 1), ["billing-api"]);
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("", "ab"), 2);
    }
}
