//! The lines of the log on their way to standard error. One thread writes them, so that a log that nobody reads blocks no other
//! thread.
//!
//! The queue is bounded. Lines that do not fit are lost and counted; audit events have room that other lines cannot take. Once
//! the log can be written again, a line between the others tells how many are lost.

use std::{
    collections::VecDeque,
    io::{self, Write},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use tracing::Metadata;
use tracing_subscriber::fmt::MakeWriter;

use super::AUDIT_TARGET;

/// Maximum size of the queued lines: some 5,000 lines.
const MAX_QUEUED_BYTES: usize = 1 << 20;

/// The part of it for audit events alone.
const AUDIT_RESERVE: usize = MAX_QUEUED_BYTES / 2;

/// Memory of a queued line beside its text.
const LINE_OVERHEAD: usize = size_of::<QueuedLine>();

/// The queue, and the handle of its thread. The thread lives as long as the process.
#[derive(Clone)]
pub(super) struct LogQueue(Arc<Shared>);

struct Shared {
    queue: Mutex<QueuedLines>,
    changed: Condvar,
}

#[derive(Default)]
struct QueuedLines {
    lines: VecDeque<QueuedLine>,
    n_bytes: usize,
    /// Lines that were lost since the last queued one.
    lost: LostLines,
    n_lost: u64,
    is_writing: bool,
}

struct QueuedLine {
    text: Vec<u8>,
    kind: LineKind,
    /// Lines that were lost between the previous line and this one.
    lost_before: LostLines,
}

/// Kind of a line: it decides which part of the queue the line may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    Audit,
    Ordinary,
}

/// Numbers of lost lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LostLines {
    /// All kinds.
    pub(super) n_lines: u64,
    /// Audit events among them.
    pub(super) n_audit: u64,
}

impl LostLines {
    fn add(&mut self, other: LostLines) {
        self.n_lines += other.n_lines;
        self.n_audit += other.n_audit;
    }

    fn is_empty(self) -> bool {
        self.n_lines == 0
    }
}

impl LineKind {
    fn of(metadata: &Metadata<'_>) -> LineKind {
        if metadata.target() == AUDIT_TARGET { LineKind::Audit } else { LineKind::Ordinary }
    }

    fn max_queued_bytes(self) -> usize {
        match self {
            LineKind::Audit => MAX_QUEUED_BYTES,
            LineKind::Ordinary => MAX_QUEUED_BYTES - AUDIT_RESERVE,
        }
    }

    /// Returns the count of one lost line.
    fn one_lost(self) -> LostLines {
        LostLines { n_lines: 1, n_audit: u64::from(self == LineKind::Audit) }
    }
}

impl LogQueue {
    /// Starts the thread that writes lines to `output`. `notice` formats the line that tells how many are lost.
    pub(super) fn start(
        mut output: impl Write + Send + 'static,
        notice: impl Fn(LostLines) -> String + Send + 'static,
    ) -> io::Result<LogQueue> {
        let queue = LogQueue(Arc::new(Shared { queue: Mutex::default(), changed: Condvar::new() }));
        let written = queue.clone();
        let write_lines = move || {
            loop {
                written.write_next(&mut output, &notice);
            }
        };
        thread::Builder::new().name("log".to_owned()).spawn(write_lines)?;
        Ok(queue)
    }

    /// Queues a line, or counts it as lost. Never waits for the log.
    pub(super) fn push(&self, text: Vec<u8>, kind: LineKind) {
        let mut queue = self.queue();
        let n_bytes = text.len() + LINE_OVERHEAD;
        if queue.n_bytes + n_bytes > kind.max_queued_bytes() {
            queue.count_lost(kind.one_lost());
            return;
        }
        queue.n_bytes += n_bytes;
        let lost_before = std::mem::take(&mut queue.lost);
        queue.lines.push_back(QueuedLine { text, kind, lost_before });
        self.0.changed.notify_all();
    }

    /// Waits until every line is written, up to a deadline.
    pub(super) fn flush(&self, deadline: Duration) {
        let is_pending = |queue: &mut QueuedLines| queue.is_writing || !queue.lines.is_empty();
        // A poisoned lock or a missed deadline ends the wait, too.
        let _ = self.0.changed.wait_timeout_while(self.queue(), deadline, is_pending);
    }

    /// Returns the number of lines that were lost since the start.
    pub(super) fn n_lost(&self) -> u64 {
        self.queue().n_lost
    }

    /// Waits for a line, and writes it after a notice of the lines that were lost before it.
    fn write_next(&self, output: &mut impl Write, notice: &impl Fn(LostLines) -> String) {
        let line = self.next_line();
        let lost_before = line.lost_before;
        let told = lost_before.is_empty() || output.write_all(notice(lost_before).as_bytes()).is_ok();
        let written = told && output.write_all(&line.text).is_ok();
        let mut queue = self.queue();
        if !told {
            queue.lost.add(lost_before);
        }
        if !written {
            queue.count_lost(line.kind.one_lost());
        }
        // No further line may come to carry the notice.
        let lost_last =
            if written && queue.lines.is_empty() { std::mem::take(&mut queue.lost) } else { LostLines::default() };
        drop(queue);
        if !lost_last.is_empty() && output.write_all(notice(lost_last).as_bytes()).is_err() {
            self.queue().lost.add(lost_last);
        }
        self.queue().is_writing = false;
        self.0.changed.notify_all();
    }

    fn next_line(&self) -> QueuedLine {
        let mut queue = self.queue();
        loop {
            if let Some(line) = queue.lines.pop_front() {
                queue.n_bytes -= line.text.len() + LINE_OVERHEAD;
                queue.is_writing = true;
                return line;
            }
            queue = self.0.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn queue(&self) -> MutexGuard<'_, QueuedLines> {
        self.0.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueuedLines {
    fn count_lost(&mut self, lost: LostLines) {
        self.lost.add(lost);
        self.n_lost += lost.n_lines;
    }
}

/// Queues what is written as one line.
pub(super) struct LineWriter {
    queue: LogQueue,
    kind: LineKind,
}

impl Write for LineWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.queue.push(bytes.to_owned(), self.kind);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LogQueue {
    type Writer = LineWriter;

    fn make_writer(&'a self) -> LineWriter {
        LineWriter { queue: self.clone(), kind: LineKind::Ordinary }
    }

    fn make_writer_for(&'a self, metadata: &Metadata<'_>) -> LineWriter {
        LineWriter { queue: self.clone(), kind: LineKind::of(metadata) }
    }
}

/// Standard error without the lock of `std`: the log may be blocked in a write, and others must not wait for it.
pub(super) struct UnlockedStderr;

impl Write for UnlockedStderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(io::stderr(), bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
