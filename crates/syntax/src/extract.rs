//! The front door of the crate: turns the bytes of one file into its facts.

use std::borrow::Cow;

use model::{Diagnostic, FileFacts, Language};

use crate::grammar::{self, Grammar};
use crate::node::SyntaxNode;
use crate::walk::{
    self,
    collected::{MAX_DEFINITIONS, MAX_IMPORTS, MAX_REFERENCES},
};
use crate::{c_macros, chunks, code, dialect, file_doc, markdown, nesting, parse, rust_item_macros, syntax_errors};

/// Version of the facts. The facts cache is keyed by the hash of a blob and this number, so it increases whenever any
/// fact changes.
pub const EXTRACTOR_VERSION: u32 = 8;

/// Maximum length in bytes of a line in a file that is parsed.
///
/// Hand-written code stays below 1 kB. A file with a line over 20 kB is minified or a data table: every name in it is
/// noise, and one line is the whole file.
pub const MAX_PARSED_LINE_BYTES: usize = 20_000;

/// Maximum size in bytes of a file that is parsed.
///
/// The largest hand-written sources are just under 1 MB (the SQLite amalgamation is an exception, and generated). A
/// tree takes about thirty times the memory of its text.
pub const MAX_PARSED_BYTES: usize = 2 << 20;

/// Maximum number of brackets of a parsed file that are open at once.
///
/// Hand-written code stays below 100. Some grammars take time quadratic in the depth, so that a file of brackets alone
/// would keep them busy for minutes.
pub const MAX_PARSED_DEPTH: usize = 5_000;

/// Returns the facts of a file.
///
/// Total: any bytes give facts, and every problem is one of the diagnostics.
pub fn extract(language: Language, bytes: &[u8]) -> FileFacts {
    let dialect = dialect::detect(language, bytes);
    let mut facts = FileFacts::empty(dialect, n_lines(bytes));
    if let Some(message) = skip_reason(bytes) {
        facts.diagnostics.push(Diagnostic { line: 0, message });
    } else if dialect == Language::Markdown {
        facts.definitions = markdown::sections(bytes);
        let n_dropped = facts.definitions.len().saturating_sub(MAX_DEFINITIONS);
        facts.definitions.truncate(MAX_DEFINITIONS);
        facts.references = markdown::references(bytes, &facts.definitions);
        facts.diagnostics.extend(limit_diagnostic(n_dropped, "sections", MAX_DEFINITIONS));
    } else if let Some(grammar) = grammar::for_language(dialect) {
        read_tree(&mut facts, grammar, bytes);
    }
    if facts.definitions.is_empty() {
        facts.chunks = chunks::split(bytes);
    }
    facts
}

/// Parses a file with the grammar of its language and does nothing else. Benchmarks compare extraction with this.
///
/// Returns false if the language has no grammar, or if the parser gives up.
pub fn parse_only(language: Language, bytes: &[u8]) -> bool {
    grammar::for_language(language).is_some_and(|grammar| parse::parse(grammar, bytes).is_some())
}

/// Fills in the facts that come from the syntax tree.
fn read_tree(facts: &mut FileFacts, grammar: &'static Grammar, bytes: &[u8]) {
    let plain: Cow<[u8]> = match facts.language {
        Language::C | Language::Cpp => c_macros::blank(bytes),
        Language::Rust => rust_item_macros::open(grammar, bytes),
        _ => Cow::Borrowed(bytes),
    };
    let Some(tree) = parse::parse(grammar, &plain) else {
        facts
            .diagnostics
            .push(Diagnostic { line: 0, message: "too ambiguous to parse; only its text is indexed".into() });
        return;
    };
    let root = SyntaxNode::root(&tree, &grammar.names);
    let collected = walk::collect(root, bytes, &grammar.rules);
    facts.doc = file_doc::find(root, &grammar.rules, bytes, &collected.definitions);
    facts.diagnostics.extend(syntax_errors::diagnostic(&tree, facts.n_lines));
    facts.diagnostics.extend(limit_diagnostic(collected.n_definitions_dropped, "definitions", MAX_DEFINITIONS));
    facts.diagnostics.extend(limit_diagnostic(collected.n_references_dropped, "references", MAX_REFERENCES));
    facts.diagnostics.extend(limit_diagnostic(collected.n_imports_dropped, "imports", MAX_IMPORTS));
    let nested = nesting::nest(facts.language, collected, bytes);
    facts.code = code::lower(facts.language, root, bytes, &nested.index);
    facts.definitions = nested.definitions;
    facts.references = nested.references;
    facts.imports = nested.imports;
}

/// Returns the reason why a file is not parsed; `None` if it is parsed.
fn skip_reason(bytes: &[u8]) -> Option<String> {
    let longest = bytes.split(|&byte| byte == b'\n').map(<[u8]>::len).max().unwrap_or(0);
    let (what, limit) = if bytes.len() > MAX_PARSED_BYTES {
        (format!("{} bytes", bytes.len()), MAX_PARSED_BYTES)
    } else if longest > MAX_PARSED_LINE_BYTES {
        (format!("a line of {longest} bytes"), MAX_PARSED_LINE_BYTES)
    } else {
        let depth = bracket_depth(bytes);
        (depth > MAX_PARSED_DEPTH).then(|| (format!("brackets {depth} deep"), MAX_PARSED_DEPTH))?
    };
    Some(format!("{what}, over {limit}: not parsed, only its text is indexed"))
}

/// Returns the maximum number of open brackets, including those in strings and comments.
fn bracket_depth(bytes: &[u8]) -> usize {
    let mut depth = 0isize;
    let mut deepest = 0;
    for byte in bytes {
        // Branch-free, since the branch predictor cannot predict brackets.
        let opens = matches!(byte, b'(' | b'[' | b'{');
        let closes = matches!(byte, b')' | b']' | b'}');
        depth = (depth + isize::from(opens) - isize::from(closes)).max(0);
        deepest = deepest.max(depth);
    }
    deepest as usize
}

fn limit_diagnostic(n_dropped: usize, what: &str, limit: usize) -> Option<Diagnostic> {
    (n_dropped > 0)
        .then(|| Diagnostic { line: 0, message: format!("{n_dropped} {what} over the limit of {limit} left out") })
}

/// Counts lines as editors do: a line break at the end of the file starts no new line.
fn n_lines(bytes: &[u8]) -> u32 {
    let n_breaks = bytes.iter().filter(|&&byte| byte == b'\n').count();
    (n_breaks + usize::from(bytes.last().is_some_and(|&last| last != b'\n'))) as u32
}
