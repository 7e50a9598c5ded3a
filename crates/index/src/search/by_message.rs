//! Commit messages by meaning.

use std::cmp::Ordering;

use embed::packed_products;
use model::Filter;

use super::query::QueryVector;
use crate::snapshot::Snapshot;

/// A commit message similar to a query.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageHit {
    /// Cosine of query and message.
    pub cosine: f32,
    /// Number of files that the commit touched, deleted files included.
    pub n_files: u32,
    /// Indices of the touched files that still exist.
    pub files: Vec<u32>,
}

impl Snapshot {
    /// Returns the messages most similar to a query among those with a file that passes the filter, largest cosine first.
    pub fn rank_messages(&self, query: &QueryVector<'_>, filter: &Filter, limit: usize) -> Vec<MessageHit> {
        let tables = self.message_tables();
        if !tables.is_of(&query.model, query.codes.len()) {
            return Vec::new();
        }
        let is_admitted = |file_idx: usize| {
            let file = &self.tables().files[file_idx];
            filter.admits_file(&file.path, file.class(), file.language())
        };
        // The default filter admits every file, so no file needs to be checked.
        let admitted: Option<Vec<bool>> =
            (*filter != Filter::default()).then(|| (0..self.tables().files.len()).map(is_admitted).collect());
        let has_admitted_file = |message_idx: usize| {
            let is_any =
                |admitted: &Vec<bool>| tables.files_of(message_idx).any(|file_idx| admitted[file_idx as usize]);
            admitted.as_ref().is_none_or(is_any)
        };
        let products = packed_products(&tables.vectors, query.codes).into_iter().enumerate();
        let mut ranked: Vec<(f32, usize)> = products
            .map(|(message_idx, product)| {
                (query.cosine(product, tables.inverse_norms[message_idx].to_native()), message_idx)
            })
            .filter(|(cosine, message_idx)| *cosine > 0.0 && has_admitted_file(*message_idx))
            .collect();
        let best_first = |a: &(f32, usize), b: &(f32, usize)| -> Ordering { b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)) };
        if ranked.len() > limit {
            ranked.select_nth_unstable_by(limit, best_first);
            ranked.truncate(limit);
        }
        ranked.sort_unstable_by(best_first);
        let hit = |(cosine, message_idx): (f32, usize)| {
            let n_files = tables.n_files[message_idx].to_native();
            MessageHit {
                cosine,
                n_files,
                files: tables.files_of(message_idx).filter(|file_idx| !self.is_gone(*file_idx)).collect(),
            }
        };
        ranked.into_iter().map(hit).collect()
    }
}
