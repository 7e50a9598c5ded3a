//! The front door of the crate: turns the bytes of one file into its facts.

use std::borrow::Cow;

use model::{Diagnostic, FileFacts, Language};

use crate::grammar::{self, Grammar};
use crate::node::SyntaxNode;
use crate::parsable_prefix::ParsablePrefix;
use crate::parse::{self, ParsedPrefix};
use crate::walk::{
    self,
    collected::{MAX_DEFINITIONS, MAX_IMPORTS, MAX_REFERENCES},
    definitions::MAX_SCOPES,
};
use crate::{
    c_macros, call_signatures, chunks, code, component_scripts, conflict_markers, dialect, documents,
    ecmascript_wrapper, file_doc, markdown, nesting, rust_item_macros, rust_macros, syntax_errors,
    variadic_annotations,
};

/// Version of the facts. The facts cache is keyed by the hash of a blob and this number, so it increases whenever any
/// fact changes.
pub const EXTRACTOR_VERSION: u32 = 26;

/// The reason why the parser gave up.
const TOO_SLOW: &str = "too slow to parse";

/// Returns the facts of a file.
///
/// Total: any bytes give facts, and every problem is one of the diagnostics.
pub fn extract(language: Language, bytes: &[u8]) -> FileFacts {
    let dialect = dialect::detect(language, bytes);
    let mut facts = FileFacts::empty(dialect, n_lines(bytes));
    let prefix = ParsablePrefix::of(bytes);
    let parsed = &bytes[..prefix.n_bytes];
    facts.diagnostics.extend(prefix.reason.map(|reason| unparsed_diagnostic(&reason, parsed)));
    if parsed.is_empty() {
        // There is only text.
    } else if dialect == Language::Markdown {
        facts.definitions = markdown::sections(parsed);
        let n_dropped = facts.definitions.len().saturating_sub(MAX_DEFINITIONS);
        facts.definitions.truncate(MAX_DEFINITIONS);
        facts.references = markdown::references(parsed, &facts.definitions);
        facts.diagnostics.extend(limit_diagnostic(n_dropped, "sections", MAX_DEFINITIONS));
    } else if let Some(grammar) = grammar::for_language(dialect) {
        read_tree(&mut facts, grammar, parsed);
    }
    facts.documents = documents::read(dialect, bytes);
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

/// Returns the bytes that the parser reads: those of the file, without the text that hides its definitions from its grammar.
pub(crate) fn plain_source<'a>(language: Language, grammar: &'static Grammar, bytes: &'a [u8]) -> Cow<'a, [u8]> {
    match conflict_markers::first_sides(bytes) {
        Cow::Borrowed(bytes) => plain_dialect(language, grammar, bytes),
        Cow::Owned(plain) => Cow::Owned(plain_dialect(language, grammar, &plain).into_owned()),
    }
}

/// Removes the text that the grammar of a language does not know.
fn plain_dialect<'a>(language: Language, grammar: &'static Grammar, bytes: &'a [u8]) -> Cow<'a, [u8]> {
    match language {
        Language::C | Language::Cpp => c_macros::blank(bytes),
        Language::Java => variadic_annotations::blank(bytes),
        Language::Rust => rust_item_macros::open(grammar, bytes),
        Language::TypeScript if component_scripts::is_component(bytes) => {
            call_signatures::separate(Cow::Owned(component_scripts::only_scripts(bytes)))
        }
        Language::TypeScript => call_signatures::separate(ecmascript_wrapper::open(grammar, bytes)),
        Language::Tsx => call_signatures::separate(Cow::Borrowed(bytes)),
        Language::JavaScript => ecmascript_wrapper::open(grammar, bytes),
        _ => Cow::Borrowed(bytes),
    }
}

/// Fills in the facts that come from the syntax tree.
fn read_tree(facts: &mut FileFacts, grammar: &'static Grammar, bytes: &[u8]) {
    let plain = plain_source(facts.language, grammar, bytes);
    let Some(ParsedPrefix { tree, n_bytes }) = parse::parse_prefix(grammar, &plain) else {
        facts.diagnostics.push(unparsed_diagnostic(TOO_SLOW, &[]));
        return;
    };
    if n_bytes < plain.len() {
        facts.diagnostics.push(unparsed_diagnostic(TOO_SLOW, &plain[..n_bytes]));
    }
    let root = SyntaxNode::root(&tree, &grammar.names);
    let mut collected = walk::collect(root, bytes, &grammar.rules);
    let (expansions, expanded_definitions) = match facts.language {
        Language::Rust => rust_macros::expand(grammar, root, bytes),
        _ => Default::default(),
    };
    expanded_definitions.into_iter().for_each(|draft| collected.add_definition(draft));
    facts.doc = file_doc::find(root, &grammar.rules, bytes, &collected.definitions);
    facts.diagnostics.extend(conflict_markers::diagnostic(bytes));
    facts.diagnostics.extend(syntax_errors::diagnostic(&tree, facts.n_lines));
    facts.diagnostics.extend(depth_diagnostic(collected.n_definitions_too_deep));
    facts.diagnostics.extend(limit_diagnostic(collected.n_definitions_dropped, "definitions", MAX_DEFINITIONS));
    facts.diagnostics.extend(limit_diagnostic(collected.n_references_dropped, "references", MAX_REFERENCES));
    facts.diagnostics.extend(limit_diagnostic(collected.n_imports_dropped, "imports", MAX_IMPORTS));
    let nested = nesting::nest(facts.language, collected, bytes);
    facts.code = code::lower(facts.language, root, bytes, &nested.index, &expansions);
    facts.definitions = nested.definitions;
    facts.references = nested.references;
    facts.imports = nested.imports;
}

/// Reports that a file is parsed up to a place, which is the end of a line, or not at all.
fn unparsed_diagnostic(reason: &str, parsed: &[u8]) -> Diagnostic {
    match n_lines(parsed) {
        0 => Diagnostic { line: 0, message: format!("{reason}: not parsed, only its text is indexed") },
        n_parsed => {
            Diagnostic { line: n_parsed, message: format!("{reason}: only the text is indexed after line {n_parsed}") }
        }
    }
}

fn limit_diagnostic(n_dropped: usize, what: &str, limit: usize) -> Option<Diagnostic> {
    (n_dropped > 0)
        .then(|| Diagnostic { line: 0, message: format!("{n_dropped} {what} over the limit of {limit} left out") })
}

fn depth_diagnostic(n_dropped: usize) -> Option<Diagnostic> {
    (n_dropped > 0).then(|| Diagnostic {
        line: 0,
        message: format!("{n_dropped} definitions inside {MAX_SCOPES} or more scopes left out"),
    })
}

/// Counts lines as editors do: a line break at the end of the file starts no new line.
fn n_lines(bytes: &[u8]) -> u32 {
    let n_breaks = bytes.iter().filter(|&&byte| byte == b'\n').count();
    (n_breaks + usize::from(bytes.last().is_some_and(|&last| last != b'\n'))) as u32
}
