//! The hits of a search as messages: files, pages, and messages of commits.

use index::{FileHit, IndexError, MessageHit, PageHit};
use proto::v1;
use ranking::votes::N_VOTING;

use super::candidates::ShardCandidates;
use crate::serving::{messages, targets::TargetSnapshot};

pub(super) fn file_hit(target: &TargetSnapshot<'_>, hit: &FileHit) -> Result<v1::FileHit, IndexError> {
    let snapshot = target.snapshot;
    let (name, rows) = snapshot.symbols_of_hit(hit)?;
    Ok(v1::FileHit {
        repository: target.repository.to_owned(),
        file: Some(messages::file(snapshot.hit_file(hit.file_idx))),
        lexical: hit.lexical,
        best_row: hit.best_row,
        name: name.map(messages::name_match),
        path: hit.path,
        rows: rows.into_iter().map(messages::row).collect(),
        cosine: hit.cosine,
        history: hit.history,
        changed_at: snapshot.changed_at(hit.file_idx),
    })
}

/// Returns the best pages of all shards. Ties are broken by alias, and within a shard by its order.
pub(super) fn best_pages(shards: &[ShardCandidates<'_>], limit: usize) -> Vec<v1::PageHit> {
    let mut pages: Vec<(&TargetSnapshot<'_>, &PageHit)> =
        shards.iter().flat_map(|shard| shard.pages.iter().map(move |page| (&shard.target, page))).collect();
    pages.sort_by(|a, b| b.1.score.total_cmp(&a.1.score).then(a.0.alias.cmp(b.0.alias)));
    pages.truncate(limit);
    let hit = |(target, page): (&TargetSnapshot<'_>, &PageHit)| v1::PageHit {
        repository: target.repository.to_owned(),
        page_type: page.page_type.name().to_owned(),
        path: page.path.clone(),
        title: page.title.clone(),
        score: page.score,
    };
    pages.into_iter().map(hit).collect()
}

/// Returns the most similar commit messages of all shards. Ties are broken by alias, and within a shard by its order.
pub(super) fn nearest_messages(shards: &[ShardCandidates<'_>]) -> Vec<v1::MessageHit> {
    let mut nearest: Vec<(&TargetSnapshot<'_>, &MessageHit)> =
        shards.iter().flat_map(|shard| shard.messages.iter().map(move |message| (&shard.target, message))).collect();
    nearest.sort_by(|a, b| b.1.cosine.total_cmp(&a.1.cosine).then(a.0.alias.cmp(b.0.alias)));
    nearest.truncate(N_VOTING);
    let hit = |(target, message): (&TargetSnapshot<'_>, &MessageHit)| v1::MessageHit {
        repository: target.repository.to_owned(),
        cosine: message.cosine,
        files: message.n_files,
        paths: message.files.iter().map(|file_idx| target.snapshot.hit_path(*file_idx).to_owned()).collect(),
    };
    nearest.into_iter().map(hit).collect()
}
