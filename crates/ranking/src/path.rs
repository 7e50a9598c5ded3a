//! Match score between a path that the user typed and the path of a file.

/// Returns the match score: 2 for the whole path, above 1 for a suffix of whole components, 0 for no match.
///
/// `app.py` and `flask/app.py` match `src/flask/app.py`, the second one with a higher score. A last component without
/// its extension scores a little lower.
pub fn path_score(typed: &str, path: &str) -> f32 {
    let typed = typed.trim().trim_start_matches("./").trim_matches('/');
    if typed.is_empty() {
        return 0.0;
    }
    let n_components = path.split('/').count() as f32;
    let covered = |n_matched: usize| n_matched as f32 / n_components;
    if path == typed {
        return 2.0;
    }
    if has_path_suffix(path, typed) {
        return 1.0 + 0.9 * covered(typed.split('/').count());
    }
    let without_extension = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    if has_path_suffix(without_extension, typed) {
        return 0.9 * covered(typed.split('/').count()).max(0.1);
    }
    let inside = format!("/{path}").to_lowercase().contains(&format!("/{}/", typed.to_lowercase()));
    if inside { 0.05 } else { 0.0 }
}

fn has_path_suffix(path: &str, end: &str) -> bool {
    path.len() >= end.len()
        && path.is_char_boundary(path.len() - end.len())
        && path[path.len() - end.len()..].eq_ignore_ascii_case(end)
        && (path.len() == end.len() || path.as_bytes()[path.len() - end.len() - 1] == b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_suffixes_score_higher() {
        let path = "src/flask/app.py";
        let scores: Vec<f32> =
            ["src/flask/app.py", "flask/app.py", "App.py", "flask/app", "app", "flask", "lask/app.py", "", "é"]
                .iter()
                .map(|typed| path_score(typed, path))
                .collect();
        assert!(scores[..6].windows(2).all(|pair| pair[0] > pair[1]), "{scores:?}");
        assert!(scores[5] > 0.0);
        assert_eq!(scores[6..], [0.0, 0.0, 0.0]);
    }
}
