//! The front door: bytes of one file to its facts.

use std::borrow::Cow;

use model::{Diagnostic, FileFacts, Language};

use crate::drafts::{MAX_DEFINITIONS, MAX_IMPORTS, MAX_REFERENCES};
use crate::grammar::{self, Grammar};
use crate::node::Node;
use crate::{chunks, code, dialect, errors, file_doc, macros, markdown, nesting, parse, rust_items, walk};

/// Version of the facts. Facts are cached under the hash of a blob and this, so it goes up whenever any fact changes.
pub const EXTRACTOR_VERSION: u32 = 8;

/// The longest line of a file that is parsed. Hand-written code stays below 1 kB; what is above 20 kB is minified or a
/// data table, where every name is noise and one line is the whole file.
pub const MAX_PARSED_LINE_BYTES: usize = 20_000;

/// The largest file that is parsed. The largest hand-written sources are just under 1 MB (sqlite's amalgamation is an
/// exception, and generated); a tree takes some thirty times the memory of its text.
pub const MAX_PARSED_BYTES: usize = 2 << 20;

/// The most brackets of a parsed file that may be open at once. Hand-written code stays below 100; some grammars take
/// time that grows with the square of the depth, and a file of brackets alone would keep them busy for minutes.
pub const MAX_PARSED_DEPTH: usize = 5_000;

/// Returns the facts of a file. Total: any bytes give facts, and what is wrong with them is among the diagnostics.
pub fn extract(language: Language, bytes: &[u8]) -> FileFacts {
    let spoken = dialect::of(language, bytes);
    let mut facts = FileFacts::empty(spoken, n_lines(bytes));
    if let Some(message) = refusal(bytes) {
        facts.diagnostics.push(Diagnostic { line: 0, message });
    } else if spoken == Language::Markdown {
        facts.definitions = markdown::sections(bytes);
        let n_dropped = facts.definitions.len().saturating_sub(MAX_DEFINITIONS);
        facts.definitions.truncate(MAX_DEFINITIONS);
        facts.references = markdown::mentions(bytes, &facts.definitions);
        facts.diagnostics.extend(drops(n_dropped, "sections", MAX_DEFINITIONS));
    } else if let Some(grammar) = grammar::of(spoken) {
        read(&mut facts, grammar, bytes);
    }
    if facts.definitions.is_empty() {
        facts.chunks = chunks::divide(bytes);
    }
    facts
}

/// Parses a file with the grammar of its language and does nothing else: what extraction is measured against.
///
/// Returns false if the language has no grammar, or the parser gives up.
pub fn parse_only(language: Language, bytes: &[u8]) -> bool {
    grammar::of(language).is_some_and(|grammar| parse::parse(grammar, bytes).is_some())
}

/// Fills in what the tree of a file says.
fn read(facts: &mut FileFacts, grammar: &'static Grammar, bytes: &[u8]) {
    let plain: Cow<[u8]> = match facts.language {
        Language::C | Language::Cpp => macros::blank(bytes),
        Language::Rust => rust_items::opened(grammar, bytes),
        _ => Cow::Borrowed(bytes),
    };
    let Some(tree) = parse::parse(grammar, &plain) else {
        facts
            .diagnostics
            .push(Diagnostic { line: 0, message: "too ambiguous to parse; only its text is indexed".into() });
        return;
    };
    let drafts = walk::walk(&tree, bytes, grammar);
    facts.doc = file_doc::of(&tree, grammar, bytes, &drafts);
    facts.diagnostics.extend(errors::syntax_errors(&tree, facts.n_lines));
    facts.diagnostics.extend(drops(drafts.n_definitions_dropped, "definitions", MAX_DEFINITIONS));
    facts.diagnostics.extend(drops(drafts.n_references_dropped, "references", MAX_REFERENCES));
    facts.diagnostics.extend(drops(drafts.n_imports_dropped, "imports", MAX_IMPORTS));
    let named_at = nesting::settle(facts, drafts, bytes);
    facts.code = code::lower(facts.language, Node::root(&tree, grammar), bytes, &named_at);
}

/// Says why a file is not parsed at all.
fn refusal(bytes: &[u8]) -> Option<String> {
    let longest = bytes.split(|&byte| byte == b'\n').map(<[u8]>::len).max().unwrap_or(0);
    let (what, limit) = if bytes.len() > MAX_PARSED_BYTES {
        (format!("{} bytes", bytes.len()), MAX_PARSED_BYTES)
    } else if longest > MAX_PARSED_LINE_BYTES {
        (format!("a line of {longest} bytes"), MAX_PARSED_LINE_BYTES)
    } else {
        let depth = depth(bytes);
        (depth > MAX_PARSED_DEPTH).then(|| (format!("brackets {depth} deep"), MAX_PARSED_DEPTH))?
    };
    Some(format!("{what}, over {limit}: not parsed, only its text is indexed"))
}

/// Returns how many brackets are open at once, those in strings and comments included.
fn depth(bytes: &[u8]) -> usize {
    let mut depth = 0isize;
    let mut deepest = 0;
    for byte in bytes {
        // Without branches: where brackets stand cannot be foretold.
        let opens = matches!(byte, b'(' | b'[' | b'{');
        let closes = matches!(byte, b')' | b']' | b'}');
        depth = (depth + isize::from(opens) - isize::from(closes)).max(0);
        deepest = deepest.max(depth);
    }
    deepest as usize
}

fn drops(n_dropped: usize, what: &str, limit: usize) -> Option<Diagnostic> {
    (n_dropped > 0)
        .then(|| Diagnostic { line: 0, message: format!("{n_dropped} {what} over the limit of {limit} left out") })
}

/// Counts lines as editors do: a line break at the end opens no new one.
fn n_lines(bytes: &[u8]) -> u32 {
    let n_breaks = bytes.iter().filter(|&&byte| byte == b'\n').count();
    (n_breaks + usize::from(bytes.last().is_some_and(|&last| last != b'\n'))) as u32
}
