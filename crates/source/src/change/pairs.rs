//! Renames in a change: a deleted file and a new one with similar contents.

use super::ChangedSource;
use crate::commits::renames::{LineHashes, MIN_SIMILARITY};

/// Maximum number of deleted and of new files that are compared with each other.
const MAX_COMPARED: usize = 100;

/// Joins deleted and new files to renamed ones, the most similar first. Returns all files in the order of paths.
pub(super) fn pair_renames(files: Vec<ChangedSource>) -> Vec<ChangedSource> {
    let hashes =
        |content: &Option<Vec<u8>>| content.as_ref().filter(|text| !text.is_empty()).map(|text| LineHashes::new(text));
    let deleted: Vec<(usize, LineHashes)> = one_sided(&files, |file| file.new_path.is_none())
        .filter_map(|at| Some((at, hashes(&files[at].old)?)))
        .collect();
    let added: Vec<(usize, LineHashes)> = one_sided(&files, |file| file.old_path.is_none())
        .filter_map(|at| Some((at, hashes(&files[at].new)?)))
        .collect();
    let mut scored: Vec<(f32, usize, usize)> = Vec::new();
    for (from, before) in &deleted {
        for (to, after) in &added {
            if before.can_be_similar(after) {
                scored.push((before.similarity(after), *from, *to));
            }
        }
    }
    scored.retain(|(similarity, ..)| *similarity >= MIN_SIMILARITY);
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut files: Vec<Option<ChangedSource>> = files.into_iter().map(Some).collect();
    let mut paired = Vec::new();
    for (_, from, to) in scored {
        if files[from].is_none() || files[to].is_none() {
            continue;
        }
        let (Some(gone), Some(new)) = (files[from].take(), files[to].take()) else { continue };
        paired.push(ChangedSource { old_path: gone.old_path, old: gone.old, ..new });
    }
    paired.extend(files.into_iter().flatten());
    paired.sort_by(|a, b| path(a).cmp(path(b)));
    paired
}

fn one_sided(files: &[ChangedSource], is_it: impl Fn(&ChangedSource) -> bool) -> impl Iterator<Item = usize> {
    (0..files.len()).filter(move |at| is_it(&files[*at])).take(MAX_COMPARED)
}

fn path(file: &ChangedSource) -> &str {
    file.new_path.as_ref().or(file.old_path.as_ref()).map_or("", String::as_str)
}
