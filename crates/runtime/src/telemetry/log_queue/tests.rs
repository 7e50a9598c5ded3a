use std::{
    io::{BufRead as _, BufReader, Read as _},
    os::unix::net::UnixStream,
    sync::mpsc,
};

use super::*;

/// Longer than any test.
const LONG: Duration = Duration::from_secs(60);

fn start(output: impl Write + Send + 'static) -> LogQueue {
    LogQueue::start(output, |lost| format!("lost {} {}\n", lost.n_lines, lost.n_audit)).unwrap()
}

fn push(queue: &LogQueue, text: &str, kind: LineKind) {
    queue.push(format!("{text}\n").into_bytes(), kind);
}

#[test]
fn a_log_that_nobody_reads_blocks_nobody_and_reports_lost_lines_in_order() {
    let (output, reader) = UnixStream::pair().unwrap();
    let queue = start(output);
    let n_lines = 100_000;
    (0..n_lines).for_each(|number| push(&queue, &number.to_string(), LineKind::Ordinary));
    push(&queue, "last", LineKind::Audit);
    let n_lost = queue.n_lost();
    assert!(n_lost > n_lines / 2, "{n_lost}");
    let (mut next, mut n_told) = (0, 0);
    let lines = BufReader::new(reader).lines().map_while(Result::ok);
    for line in lines.take_while(|line| line != "last") {
        match line.strip_prefix("lost ").and_then(|lost| lost.strip_suffix(" 0")) {
            Some(lost) => {
                let n_lost: u64 = lost.parse().unwrap();
                (next, n_told) = (next + n_lost, n_told + n_lost);
            }
            None => {
                assert_eq!(line, next.to_string());
                next += 1;
            }
        }
    }
    assert_eq!((next, n_told), (n_lines, n_lost));
}

/// Writes nothing until the sender of `opened` is dropped.
struct Gate {
    opened: mpsc::Receiver<()>,
    written: Arc<Mutex<Vec<u8>>>,
}

impl Write for Gate {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.opened.recv();
        self.written.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn ordinary_lines_leave_room_for_audit_events() {
    let (open, opened) = mpsc::channel();
    let written = Arc::new(Mutex::default());
    let queue = start(Gate { opened, written: Arc::clone(&written) });
    let fill = |text: &str, kind| {
        let n_lost = queue.n_lost();
        while queue.n_lost() == n_lost {
            push(&queue, text, kind);
        }
    };
    push(&queue, "first", LineKind::Ordinary);
    while !queue.queue().is_writing {
        thread::yield_now();
    }
    fill("ordinary", LineKind::Ordinary);
    let n_queued = queue.queue().lines.len();
    fill("audit", LineKind::Audit);
    assert_eq!(queue.n_lost(), 2);
    assert!(queue.queue().lines.len() > 3 * n_queued / 2, "half of the queue is reserved");
    drop(open);
    queue.flush(LONG);
    let written = String::from_utf8(written.lock().unwrap().clone()).unwrap();
    let notices: Vec<&str> = written.lines().filter(|line| line.starts_with("lost")).collect();
    assert_eq!(notices, ["lost 1 0", "lost 1 1"]);
    assert!(written.ends_with("audit\nlost 1 1\n"), "without a further line");
}

#[test]
fn flushing_has_a_deadline() {
    let (output, mut reader) = UnixStream::pair().unwrap();
    let queue = start(output);
    push(&queue, &"x".repeat(MAX_QUEUED_BYTES / 4), LineKind::Ordinary);
    push(&queue, "last", LineKind::Ordinary);
    queue.flush(Duration::from_millis(1));
    let reading = thread::spawn(move || {
        let mut read = vec![0; MAX_QUEUED_BYTES / 4 + "\nlast\n".len()];
        reader.read_exact(&mut read).unwrap();
        read.ends_with(b"last\n")
    });
    queue.flush(LONG);
    assert!(reading.join().unwrap());
    assert!(!queue.queue().is_writing && queue.queue().lines.is_empty());
}

/// Fails to write until it has failed a number of times.
struct FullDisk {
    n_failures: usize,
    written: Arc<Mutex<Vec<u8>>>,
}

impl Write for FullDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.n_failures > 0 {
            self.n_failures -= 1;
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.written.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn lines_that_a_full_disk_refuses_are_reported_once_it_has_room() {
    let written = Arc::new(Mutex::default());
    // The first line, the notice before the second, and the notice before the third fail.
    let queue = start(FullDisk { n_failures: 3, written: Arc::clone(&written) });
    for (text, kind) in
        [("a", LineKind::Audit), ("b", LineKind::Ordinary), ("c", LineKind::Ordinary), ("d", LineKind::Ordinary)]
    {
        push(&queue, text, kind);
        queue.flush(LONG);
    }
    assert_eq!(String::from_utf8(written.lock().unwrap().clone()).unwrap(), "lost 3 1\nd\n");
    assert_eq!(queue.n_lost(), 3);
}
