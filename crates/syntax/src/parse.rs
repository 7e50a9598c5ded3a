//! Parsing: bytes to a tree, with bounded work.
//!
//! An attempt to parse a whole file ends after a number of parser steps, after a CPU time that no code needs, or as soon as the
//! parser recovers from errors all the time: it would compare all combinations of these recoveries at the end, where it cannot be
//! stopped. Then longer and longer prefixes of the file are parsed, each twice as long as the one before, and the last one that
//! was parsed in reasonable time is kept.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tree_sitter::{ParseOptions, ParseState, Parser, Range, Tree};

use crate::grammar::Grammar;

/// Parser steps, in hundreds, that every input may take.
const BASE_STEPS: usize = 1_000;

/// Parser steps, in hundreds, that an input may take for each KiB.
///
/// Real code takes 5 on average and 28 at most. Some grammars loop on some broken files. A count, unlike a clock, gives
/// the same facts on every machine.
const STEPS_PER_KIB: usize = 60;

/// CPU time that every input may take before it looks slow.
const BASE_CPU_TIME: Duration = Duration::from_millis(100);

/// CPU time that input may take for each KiB before it looks slow. Code takes a twentieth of it.
const CPU_TIME_PER_KIB: Duration = Duration::from_millis(4);

/// Checks between two readings of the clock, which cost more than a check.
const CHECKS_PER_CLOCK_READING: usize = 8;

/// Number of checks between two samples of the parser's log, which makes its steps several times slower.
const CHECKS_PER_SAMPLE: usize = 64;

/// Checks before the first sample. A shorter file cannot have enough recoveries to be slow.
const FIRST_SAMPLE: usize = 16;

/// Number of recoveries in the samples from which a file looks broken. Code has none in most files.
const MAX_SAMPLED_RECOVERIES: usize = 5;

/// Start of the parser's message about a recovery from an error.
const RECOVERY: &str = "recover_to_previous";

/// Length in bytes of the first prefix.
const FIRST_PREFIX_BYTES: usize = 256;

/// CPU time up to which a longer prefix is tried, however much more time this one took than the one before.
const CHEAP_PREFIX: Duration = Duration::from_millis(50);

/// Factor by which the CPU time of a prefix may exceed that of the prefix before, which is half as long.
const MAX_GROWTH: u32 = 3;

/// CPU time that all prefixes of a file may take together. A file whose time grows with its length only, but at a high rate, would
/// take more for each KiB than code may.
const PREFIXES_CPU_TIME: Duration = Duration::from_secs(1);

thread_local! {
    /// One parser per thread, since creating one costs more than parsing a small file.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// The tree of a prefix of a file.
pub(crate) struct ParsedPrefix {
    pub(crate) tree: Tree,
    /// Length of the prefix. It ends after a line, or is the whole file.
    pub(crate) n_bytes: usize,
}

/// Parses a file. Returns `None` if the parser gives up before its end.
pub(crate) fn parse(grammar: &Grammar, bytes: &[u8]) -> Option<Tree> {
    parse_ranges(grammar, bytes, &[], WorkLimit::code()).tree
}

/// Parses a file, or its longest prefix that takes a reasonable time. Returns `None` if there is none.
pub(crate) fn parse_prefix(grammar: &Grammar, bytes: &[u8]) -> Option<ParsedPrefix> {
    let whole = parse_ranges(grammar, bytes, &[], WorkLimit::code());
    match whole.tree {
        Some(tree) => Some(ParsedPrefix { tree, n_bytes: bytes.len() }),
        None => parse_growing_prefixes(grammar, bytes),
    }
}

/// Parses a part of a file as if it were the whole file. Positions are those in the file.
pub(crate) fn parse_part(grammar: &Grammar, bytes: &[u8], part: Range) -> Option<Tree> {
    parse_ranges(grammar, bytes, &[part], WorkLimit::code()).tree
}

fn parse_growing_prefixes(grammar: &Grammar, bytes: &[u8]) -> Option<ParsedPrefix> {
    let mut longest = None;
    let mut cpu_time = CHEAP_PREFIX;
    let mut left = PREFIXES_CPU_TIME;
    for n_bytes in prefix_lengths(bytes) {
        let attempt = parse_ranges(grammar, &bytes[..n_bytes], &[], WorkLimit::after_prefix(cpu_time, left));
        let Some(tree) = attempt.tree else { break };
        longest = Some(ParsedPrefix { tree, n_bytes });
        left = left.saturating_sub(attempt.cpu_time);
        if attempt.cpu_time > CHEAP_PREFIX.max(cpu_time * MAX_GROWTH) {
            break;
        }
        cpu_time = attempt.cpu_time;
    }
    longest
}

/// Returns the lengths of the prefixes of a file, each about twice the one before. A prefix ends after a line.
fn prefix_lengths(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let doubled = std::iter::successors(Some(FIRST_PREFIX_BYTES), |length| length.checked_mul(2));
    let partial = doubled.take_while(|length| *length < bytes.len()).filter_map(|length| {
        let end = bytes[..length].iter().rposition(|byte| *byte == b'\n')? + 1;
        // With a long line, two prefixes would be the same.
        (end > length / 2).then_some(end)
    });
    partial.chain([bytes.len()])
}

/// The work that one attempt may do.
struct WorkLimit {
    /// True if the attempt ends as soon as the parser recovers from errors all the time.
    is_for_code: bool,
    base_cpu_time: Duration,
    cpu_time_per_kib: Duration,
}

impl WorkLimit {
    /// The limit for code.
    fn code() -> WorkLimit {
        WorkLimit { is_for_code: true, base_cpu_time: BASE_CPU_TIME, cpu_time_per_kib: CPU_TIME_PER_KIB }
    }

    /// The limit for a prefix, after one of half its length that took `cpu_time`. `left` is the time for all prefixes.
    fn after_prefix(cpu_time: Duration, left: Duration) -> WorkLimit {
        let base_cpu_time = left.min(BASE_CPU_TIME + cpu_time * MAX_GROWTH);
        WorkLimit { is_for_code: false, base_cpu_time, cpu_time_per_kib: Duration::ZERO }
    }
}

/// The result of one attempt.
struct ParseAttempt {
    /// `None` if the attempt reached its limit.
    tree: Option<Tree>,
    cpu_time: Duration,
}

/// Parses these ranges of a file, or the whole file if there are none.
fn parse_ranges(grammar: &Grammar, bytes: &[u8], ranges: &[Range], limit: WorkLimit) -> ParseAttempt {
    let began = thread_cpu_time();
    let tree = PARSER.with_borrow_mut(|parser| {
        parser.set_language(&grammar.parser_language).ok()?;
        parser.set_included_ranges(ranges).ok()?;
        let tree = Work::new(bytes, ranges, limit, began).run(parser);
        // Without a reset, a parser that gave up would resume the old file at the next call.
        parser.reset();
        tree
    });
    ParseAttempt { tree, cpu_time: thread_cpu_time().saturating_sub(began) }
}

/// The work of one attempt so far.
struct Work<'b> {
    bytes: &'b [u8],
    limit: WorkLimit,
    began: Duration,
    max_checks: usize,
    n_checks: Cell<usize>,
    /// The result of the latest reading of the clock.
    is_slow: Cell<bool>,
    /// Recoveries from errors that the samples of the log contain.
    n_recoveries: Arc<AtomicUsize>,
}

impl<'b> Work<'b> {
    fn new(bytes: &'b [u8], ranges: &[Range], limit: WorkLimit, began: Duration) -> Work<'b> {
        let n_bytes = ranges.iter().map(|range| range.end_byte.saturating_sub(range.start_byte)).sum::<usize>();
        let n_bytes = if ranges.is_empty() { bytes.len() } else { n_bytes };
        Work {
            bytes,
            limit,
            began,
            max_checks: BASE_STEPS + n_bytes / 1024 * STEPS_PER_KIB,
            n_checks: Cell::new(0),
            is_slow: Cell::new(false),
            n_recoveries: Arc::default(),
        }
    }

    /// Runs the parser to the end of the file or of the limit. It is paused before and after each sample of its log.
    fn run(&self, parser: &mut Parser) -> Option<Tree> {
        let mut pause = if self.limit.is_for_code { FIRST_SAMPLE } else { usize::MAX };
        loop {
            let resumed = self.resume(parser, pause).or_else(|| self.is_paused(pause).then(|| self.sample(parser))?);
            if resumed.is_some() || !self.is_paused(pause) {
                return resumed;
            }
            pause = (pause / CHECKS_PER_SAMPLE + 1) * CHECKS_PER_SAMPLE;
        }
    }

    /// Resumes the parser with its log for one check, and counts the recoveries.
    fn sample(&self, parser: &mut Parser) -> Option<Tree> {
        let n_recoveries = Arc::clone(&self.n_recoveries);
        parser.set_logger(Some(Box::new(move |_, message| {
            n_recoveries.fetch_add(usize::from(message.starts_with(RECOVERY)), Ordering::Relaxed);
        })));
        let tree = self.resume(parser, self.n_checks.get() + 1);
        parser.set_logger(None);
        tree
    }

    /// Returns true if the parser stopped for a pause only.
    fn is_paused(&self, pause: usize) -> bool {
        self.n_checks.get() >= pause && !self.is_spent()
    }

    /// Resumes the parser up to a number of checks. Returns the tree if it reaches the end.
    fn resume(&self, parser: &mut Parser, pause: usize) -> Option<Tree> {
        let mut stop = |state: &ParseState| {
            let n_checks = self.n_checks.get() + 1;
            self.n_checks.set(n_checks);
            if n_checks.is_multiple_of(CHECKS_PER_CLOCK_READING) {
                self.is_slow.set(self.is_too_slow(state.current_byte_offset()));
            }
            if n_checks >= pause || self.is_spent() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut stop);
        let mut read = |byte: usize, _| self.bytes.get(byte..).unwrap_or_default();
        parser.parse_with_options(&mut read, None, Some(options))
    }

    /// Returns true if the attempt has reached its limit.
    fn is_spent(&self) -> bool {
        self.is_slow.get()
            || self.n_checks.get() > self.max_checks
            || self.limit.is_for_code && self.n_recoveries.load(Ordering::Relaxed) > MAX_SAMPLED_RECOVERIES
    }

    fn is_too_slow(&self, at: usize) -> bool {
        let limit = self.limit.base_cpu_time + self.limit.cpu_time_per_kib * (at / 1024) as u32;
        thread_cpu_time().saturating_sub(self.began) > limit
    }
}

/// Returns the CPU time of this thread.
fn thread_cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}
