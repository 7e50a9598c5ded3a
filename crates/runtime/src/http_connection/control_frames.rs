//! Counts the HTTP/2 frames of a client that carry neither a request nor a body, such as PING, SETTINGS, WINDOW_UPDATE and PRIORITY.
//!
//! The server handles and answers each of them, so a client could keep it busy for ever without a request. Clients need a few for
//! each request, and some for what they receive. So a client may send some in advance and some per second, and its requests and
//! the bytes that it receives pay for more. It may use these later, since it may read a response from its buffers.

use std::time::Duration;

use tokio::time::Instant;

/// Time that pays for a control frame: 100 frames per second.
const FRAME_TIME: Duration = Duration::from_millis(10);

/// Time that a client may be ahead of its frames: 1,000 frames at once. Opening a connection costs as much.
const MAX_AHEAD: Duration = Duration::from_secs(10);

/// Maximum time that requests and received bytes pay in advance: two frames for each KiB of a response of 16 MiB, which buffers may hold.
/// After a download, a client may send so many frames at once, and no more.
const MAX_CREDIT: Duration = FRAME_TIME.saturating_mul(2 * (16 << 10));

/// Number of control frames that a request pays for: its window, its priority, a reset, and a ping that measures the bandwidth.
const N_FRAMES_OF_REQUEST: u32 = 8;

/// Number of received bytes that pay for a control frame. Some clients send two WINDOW_UPDATE frames for each part of a response,
/// and the parts of a stream of events have some 120 bytes. The answer to a PING has 17, so a PING does not pay for the next one.
const N_BYTES_OF_FRAME: u32 = 64;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Number of bytes of the head of a frame: three of its length, its type, its flags, and four of its stream.
const N_HEAD_BYTES: usize = 9;

/// The control frames of a client, and the time that pays for them.
#[derive(Debug)]
pub(super) struct ControlFrames {
    position: FramePosition,
    /// Time of the last control frame.
    at: Instant,
    /// Time that the client was ahead of its frames then. It passes.
    ahead: Duration,
    /// Time that requests and received bytes paid in advance. It does not grow as time passes.
    credit: Duration,
}

/// The next byte of a connection.
#[derive(Debug, Clone, Copy)]
enum FramePosition {
    /// In the preface of HTTP/2, with the number of bytes that were read.
    Preface(usize),
    /// In the head of a frame, with the number of bytes that were read.
    Head([u8; N_HEAD_BYTES], usize),
    /// In the payload of a frame, with the number of bytes that are left.
    Payload(usize),
    /// In another protocol than HTTP/2.
    Other,
}

/// Numbers of frames.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct FrameCounts {
    n_requests: u32,
    n_control: u32,
}

impl ControlFrames {
    pub(super) fn new(now: Instant) -> ControlFrames {
        ControlFrames { position: FramePosition::Preface(0), at: now, ahead: Duration::ZERO, credit: Duration::ZERO }
    }

    /// Counts the frames in the next bytes of the client. Returns false if too many of them are control frames.
    pub(super) fn receive(&mut self, bytes: &[u8], now: impl Fn() -> Instant) -> bool {
        let FrameCounts { n_requests, n_control } = self.count(bytes);
        self.pay(FRAME_TIME * N_FRAMES_OF_REQUEST.saturating_mul(n_requests));
        if n_control == 0 {
            return true;
        }
        let now = now();
        let cost = FRAME_TIME * n_control;
        let ahead = self.ahead.saturating_sub(now.saturating_duration_since(self.at));
        self.ahead = ahead + cost.saturating_sub(self.credit);
        self.credit = self.credit.saturating_sub(cost);
        self.at = now;
        self.ahead <= MAX_AHEAD
    }

    /// Notes that the client took bytes.
    pub(super) fn send(&mut self, n_bytes: usize) {
        self.pay(FRAME_TIME / N_BYTES_OF_FRAME * u32::try_from(n_bytes).unwrap_or(u32::MAX));
    }

    fn pay(&mut self, time: Duration) {
        let credit = self.credit.saturating_add(time);
        self.credit = credit.min(MAX_CREDIT);
        self.ahead = self.ahead.saturating_sub(credit.saturating_sub(MAX_CREDIT));
    }

    /// Moves over the bytes, and counts the frames whose heads end in them.
    fn count(&mut self, mut bytes: &[u8]) -> FrameCounts {
        let mut counts = FrameCounts::default();
        while !bytes.is_empty() {
            let n_read;
            (self.position, n_read) = match self.position {
                FramePosition::Preface(n_before) => after_preface(n_before, bytes),
                FramePosition::Head(mut head, n_before) => {
                    let n_read = bytes.len().min(N_HEAD_BYTES - n_before);
                    head[n_before..n_before + n_read].copy_from_slice(&bytes[..n_read]);
                    if n_before + n_read < N_HEAD_BYTES {
                        (FramePosition::Head(head, n_before + n_read), n_read)
                    } else {
                        counts.add(head);
                        (at_payload(payload_len(head)), n_read)
                    }
                }
                FramePosition::Payload(n_left) => {
                    let n_read = bytes.len().min(n_left);
                    (at_payload(n_left - n_read), n_read)
                }
                FramePosition::Other => (FramePosition::Other, bytes.len()),
            };
            bytes = &bytes[n_read..];
        }
        counts
    }
}

impl FrameCounts {
    fn add(&mut self, head: [u8; N_HEAD_BYTES]) {
        const DATA: u8 = 0;
        const HEADERS: u8 = 1;
        const PADDED: u8 = 8;
        /// Padding and its length.
        const MAX_PADDING: usize = 256;
        let n_ignored = if head[4] & PADDED == 0 { 0 } else { MAX_PADDING };
        match head[3] {
            HEADERS => self.n_requests += 1,
            // Limits of bodies bound these.
            DATA if payload_len(head) > n_ignored => {}
            _ => self.n_control += 1,
        }
    }
}

/// Returns the position behind the bytes that continue the preface, and their number.
fn after_preface(n_before: usize, bytes: &[u8]) -> (FramePosition, usize) {
    let expected = &PREFACE[n_before..];
    let n_read = bytes.len().min(expected.len());
    let position = match () {
        () if bytes[..n_read] != expected[..n_read] => FramePosition::Other,
        () if n_read < expected.len() => FramePosition::Preface(n_before + n_read),
        () => at_payload(0),
    };
    (position, n_read)
}

/// Returns the position in a payload, or behind it.
fn at_payload(n_left: usize) -> FramePosition {
    if n_left == 0 { FramePosition::Head([0; N_HEAD_BYTES], 0) } else { FramePosition::Payload(n_left) }
}

fn payload_len(head: [u8; N_HEAD_BYTES]) -> usize {
    head[..3].iter().fold(0, |len, byte| len << 8 | usize::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn frame(kind: u8, flags: u8, payload_len: u8) -> Vec<u8> {
        [&[0, 0, payload_len, kind, flags, 0, 0, 0, 0][..], &vec![0; payload_len.into()]].concat()
    }

    fn http2() -> (ControlFrames, Instant) {
        let now = Instant::now();
        let mut frames = ControlFrames::new(now);
        assert!(frames.receive(PREFACE, || now));
        (frames, now)
    }

    /// Returns the number of times that a client may send `bytes` and take `n_taken` bytes, at most 100,000, at the same moment.
    fn n_allowed(bytes: &[u8], n_taken: usize) -> usize {
        let (mut frames, now) = http2();
        let is_allowed = |_: &usize| {
            frames.send(n_taken);
            frames.receive(bytes, || now)
        };
        (0..100_000).take_while(is_allowed).count()
    }

    #[test]
    fn frames_are_counted_across_reads() {
        let sent = [
            PREFACE,
            &frame(4, 0, 6),
            &frame(1, 5, 30),
            &frame(0, 0, 200),
            &frame(0, 1, 0),
            &frame(0, 8, 200),
            &frame(6, 0, 8),
            &frame(1, 4, 12),
        ]
        .concat();
        for n_bytes in [1, 2, 7, 9, 10, 24, 1_000] {
            let mut frames = ControlFrames::new(Instant::now());
            let counts: Vec<FrameCounts> = sent.chunks(n_bytes).map(|bytes| frames.count(bytes)).collect();
            let n_requests: u32 = counts.iter().map(|counts| counts.n_requests).sum();
            let n_control: u32 = counts.iter().map(|counts| counts.n_control).sum();
            assert_eq!((n_requests, n_control), (2, 4), "{n_bytes}: settings, two without data, and a ping");
        }
    }

    #[test]
    fn control_frames_alone_are_bounded() {
        for (kind, payload_len, n_answered) in
            [(6, 8, 17), (4, 6, 9), (8, 4, 0), (2, 5, 0), (3, 4, 0), (0, 0, 0), (99, 200, 0)]
        {
            let n = n_allowed(&frame(kind, 0, payload_len), n_answered);
            assert!((1_000..1_500).contains(&n), "{kind}: {n}");
        }
        assert!(n_allowed(&[frame(1, 5, 30), frame(6, 0, 8).repeat(20)].concat(), 100) < 100, "20 for each request");
        assert!(n_allowed(&frame(8, 0, 4), 10) < 1_500, "each for a byte of a response");
    }

    #[test]
    fn clients_that_make_progress_are_not_bounded() {
        for (name, bytes, n_taken) in [
            ("requests that are reset", [frame(1, 5, 30), frame(3, 0, 4)].concat(), 0),
            (
                "requests with windows and pings",
                [frame(1, 5, 30), frame(8, 0, 4).repeat(3), frame(6, 0, 8)].concat(),
                17,
            ),
            ("bodies of small parts", frame(0, 0, 1), 0),
            ("windows of each part of a stream", frame(8, 0, 4).repeat(2), 128),
            ("windows of a download", frame(8, 0, 4).repeat(2), 1 << 10),
        ] {
            assert_eq!(n_allowed(&bytes, n_taken), 100_000, "{name}");
        }
    }

    #[test]
    fn frames_over_time_are_paid_for() {
        let (mut frames, start) = http2();
        for n_seconds in 0..86_400 {
            let now = start + SECOND * n_seconds;
            assert!(frames.receive(&frame(6, 0, 8).repeat(90), || now), "90 pings per second for a day");
        }
        let now = start + SECOND * 86_400;
        assert!(frames.receive(&frame(6, 0, 8).repeat(900), || now), "a pause allows no more than the start");
        assert!(!frames.receive(&frame(6, 0, 8).repeat(200), || now));
    }

    #[test]
    fn a_response_in_buffers_pays_for_later_frames_up_to_a_bound() {
        for (name, n_bytes, n_seconds, expected) in [
            ("nothing", 0, 3_600, 1_000),
            ("a few bytes, and an hour without frames", 64, 3_600, 1_001),
            ("a response of 2 MB", 2_000_000, 60, 1_000 + 31_250),
            ("a response of 16 MiB", 16 << 20, 60, 1_000 + 32_768),
            ("a large download", 10 << 30, 60, 1_000 + 32_768),
        ] {
            let (mut frames, start) = http2();
            frames.send(n_bytes);
            // A ping follows at once, and all windows later.
            assert!(frames.receive(&frame(6, 0, 8), || start), "{name}");
            let later = start + SECOND * n_seconds;
            let n = (0..100_000).take_while(|_| frames.receive(&frame(8, 0, 4), || later)).count();
            assert!((expected - 1..=expected).contains(&n), "{name}: {n}");
        }
    }

    #[test]
    fn other_protocols_have_no_frames() {
        let now = Instant::now();
        for start in ["GET / HTTP/1.1\r\n", "PRI * HTTP/1.1\r\n", "P"] {
            let mut frames = ControlFrames::new(now);
            assert!(frames.receive(start.as_bytes(), || now));
            assert!((0..100_000).all(|_| frames.receive(&frame(6, 0, 8), || now)), "{start}");
        }
    }
}
