//! The tasks that serve the HTTP/2 requests of one pool.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use hyper::rt::Executor;

/// Spawns tasks and counts those that have not ended. A port whose server uses it is not slowed by the tasks of other ports.
#[derive(Debug, Clone, Default)]
pub struct PoolTasks(Arc<AtomicUsize>);

/// A counted task, until it has ended or was dropped.
struct CountedTask(Arc<AtomicUsize>);

impl PoolTasks {
    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl<F: Future<Output: Send> + Send + 'static> Executor<F> for PoolTasks {
    fn execute(&self, future: F) {
        self.0.fetch_add(1, Ordering::Relaxed);
        let counted = CountedTask(Arc::clone(&self.0));
        tokio::spawn(async move {
            let _counted = counted;
            future.await;
        });
    }
}

impl Drop for CountedTask {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
