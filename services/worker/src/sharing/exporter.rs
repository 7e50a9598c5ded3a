//! The background task that stores published generations, one at a time. Exports that are unfinished when the worker
//! stops are offered again at the next start.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use index::{GenerationKey, IndexError, Snapshot};
use model::CommitId;
use share::ExportOutcome;
use tokio::sync::Notify;

use super::{
    Sharing,
    export_queue::{ExportQueue, NextExport, QueuedExport},
};
use crate::operators::ShareResult;

/// The queue of the task, and its wake-up.
#[derive(Default)]
pub(super) struct Exporter {
    queue: Mutex<ExportQueue>,
    wake: Notify,
}

impl Exporter {
    /// Notes that a generation was removed from the store.
    pub(super) fn note_removed(&self, key: &GenerationKey) {
        self.queue().note_removed(key);
    }

    fn queue(&self) -> MutexGuard<'_, ExportQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sharing {
    /// Queues a generation for the store. A forced one is stored even if the store has it.
    pub(crate) fn offer(&self, alias: &str, snapshot: &Arc<Snapshot>, is_forced: bool) {
        let key = snapshot.manifest().key();
        // A repository without commits has nothing to share, and no other worker has the files of a work tree.
        if !self.role.indexes() || key.commit == CommitId([0; 20]) || snapshot.manifest().changes.is_some() {
            return;
        }
        let is_forced = is_forced || self.is_damaged(key.generation);
        if self.exporter.queue().push(QueuedExport::new(alias, snapshot, is_forced)) {
            self.exporter.wake.notify_one();
        }
    }

    /// Notes that a generation was loaded from the store.
    pub(crate) fn note_loaded(&self, snapshot: &Snapshot) {
        self.exporter.queue().note_stored(&snapshot.manifest().key());
    }

    /// Marks the next stored generation for a recheck.
    pub(crate) fn recheck_next(&self) {
        self.exporter.queue().recheck_next();
    }

    /// Stores queued generations until the worker stops.
    pub(crate) async fn export_queued(self: Arc<Self>) {
        let working = async {
            loop {
                let next = self.exporter.queue().next();
                match next {
                    NextExport::Due(export) => self.export(export).await,
                    NextExport::At(at) => tokio::select! {
                        () = self.exporter.wake.notified() => {}
                        () = tokio::time::sleep_until(at.into()) => {}
                    },
                    NextExport::None => self.exporter.wake.notified().await,
                }
            }
        };
        // An export in progress is given up. Its manifest is written last, so that no worker sees it.
        let _: Option<()> = self.stop.run_until_cancelled(working).await;
    }

    async fn export(&self, queued: QueuedExport) {
        let began = Instant::now();
        let (alias, key) = (queued.alias.clone(), queued.snapshot.manifest().key());
        let snapshot = queued.snapshot.clone();
        let opened = tokio::task::spawn_blocking(move || snapshot.export()).await;
        let export = match opened {
            Ok(Ok(export)) => export,
            // Its files are gone, since a newer generation was published, which is offered too.
            Ok(Err(IndexError::Io { .. })) => return,
            Ok(Err(error)) => {
                tracing::warn!(alias, %error, "a generation is unreadable and not stored");
                return self.exporter.queue().note_unreadable(&key);
            }
            Err(error) => {
                tracing::error!(alias, %error, "opening a generation panicked");
                return self.exporter.queue().note_unreadable(&key);
            }
        };
        match self.share.export(export, queued.is_forced).await {
            Ok(exported) => {
                self.exporter.queue().note_exported(&key, exported);
                self.health().damaged.remove(&key.generation);
                if let ExportOutcome::Written { bytes } = exported {
                    self.metrics.record_share(ShareResult::Stored, bytes);
                    let ms = began.elapsed().as_millis() as u64;
                    tracing::info!(alias, generation = %key.generation, bytes, ms, "stored");
                    self.sweep(&alias, &key).await;
                }
            }
            Err(error) => {
                self.metrics.record_share(ShareResult::Failed, 0);
                self.exporter.queue().note_failed(queued, &error);
            }
        }
    }

    /// Removes old generations of a repository from the store.
    async fn sweep(&self, alias: &str, newest: &GenerationKey) {
        match self.share.sweep(newest, self.keep).await {
            Ok(swept) => {
                self.metrics.record_swept(swept.generations);
                tracing::debug!(alias, generations = swept.generations, bytes = swept.bytes, "swept the object store");
            }
            Err(error) => tracing::warn!(alias, %error, "cannot remove old generations from the object store yet"),
        }
    }
}
