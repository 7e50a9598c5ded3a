//! Tokens of a file with their classes, for display. The classes come from the kinds of nodes alone, so that every grammar has them.

use std::ops::RangeInclusive;

use model::Language;
use tree_sitter::TreeCursor;

use crate::{
    extract::plain_source,
    grammar,
    node::SyntaxNode,
    parsable_prefix::ParsablePrefix,
    parse::{self, ParsedPrefix},
};

/// Maximum number of tokens of one file.
pub const MAX_TOKENS: usize = 50_000;

/// The class of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TokenClass {
    /// A word of the language.
    Keyword,
    /// A string or character, or a part of one.
    String,
    /// A comment.
    Comment,
    /// A number.
    Number,
    /// The name of a type.
    Type,
    /// A name before an argument list.
    Function,
    /// Another name.
    Identifier,
}

/// A token within one line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceToken {
    /// The line, from 1.
    pub line: u32,
    /// The first byte in the line.
    pub start: u32,
    /// The byte after the last one in the line.
    pub end: u32,
    /// The class.
    pub class: TokenClass,
}

/// Returns the tokens in some lines of a file, in order. A file without a grammar has none, and punctuation is no token.
pub fn tokens(language: Language, bytes: &[u8], lines: RangeInclusive<u32>) -> Vec<SourceToken> {
    let language = crate::dialect::detect(language, bytes);
    let parsable = &bytes[..ParsablePrefix::of(bytes).n_bytes];
    let Some(grammar) = grammar::for_language(language).filter(|_| !parsable.is_empty()) else { return Vec::new() };
    let plain = plain_source(language, grammar, parsable);
    let Some(ParsedPrefix { tree, .. }) = parse::parse_prefix(grammar, &plain) else { return Vec::new() };
    let root = SyntaxNode::root(&tree, &grammar.names);
    let mut tokens = Vec::new();
    let mut cursor = root.walk();
    loop {
        let node = root.at(&cursor);
        let is_after = node.start_position().row as u32 + 1 > *lines.end();
        if is_after || tokens.len() >= MAX_TOKENS {
            break;
        }
        let is_before = (node.end_position().row as u32) + 1 < *lines.start();
        let class =
            if is_before { None } else { class_of_whole(node).or_else(|| class_of_leaf(node, &cursor, root, bytes)) };
        if let Some(class) = class {
            tokens.extend(of_lines(node, class, bytes).filter(|token| lines.contains(&token.line)));
        }
        let descends = !is_before && class.is_none();
        let is_inside = descends && cursor.goto_first_child();
        if !is_inside && !next_node(&mut cursor) {
            break;
        }
    }
    tokens.truncate(MAX_TOKENS);
    tokens
}

/// Moves to the next node that is no descendant. Returns false at the end of the tree.
fn next_node(cursor: &mut TreeCursor<'_>) -> bool {
    while !cursor.goto_next_sibling() {
        if !cursor.goto_parent() {
            return false;
        }
    }
    true
}

/// Returns the class of a node that has one with all its children.
fn class_of_whole(node: SyntaxNode<'_>) -> Option<TokenClass> {
    let kind = node.kind();
    if node.is_named() && kind.contains("comment") {
        return Some(TokenClass::Comment);
    }
    None
}

/// Returns the class of a node without children.
fn class_of_leaf(
    node: SyntaxNode<'_>,
    cursor: &TreeCursor<'_>,
    root: SyntaxNode<'_>,
    bytes: &[u8],
) -> Option<TokenClass> {
    if node.child_count() > 0 {
        return None;
    }
    let kind = node.kind();
    let text = bytes.get(node.byte_range())?;
    let first = *text.first()?;
    let is_text = |kind: &str| {
        ["string", "char_literal", "character", "rune", "heredoc", "regex", "escape_sequence"]
            .iter()
            .any(|part| kind.contains(part))
    };
    let mut above = cursor.clone();
    let parent = above.goto_parent().then(|| root.at(&above));
    let is_in_text = parent.is_some_and(|parent| is_text(parent.kind()) && !parent.kind().contains("interpolation"));
    if !node.is_named() {
        let is_word = text.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
        return match is_word {
            _ if is_in_text && !matches!(text, b"${" | b"#{" | b"{" | b"}") => Some(TokenClass::String),
            true => Some(TokenClass::Keyword),
            false => None,
        };
    }
    if is_text(kind) || is_in_text && !kind.contains("identifier") {
        return Some(TokenClass::String);
    }
    if first.is_ascii_digit() {
        return Some(TokenClass::Number);
    }
    if matches!(
        kind,
        "true" | "false" | "nil" | "null" | "none" | "self" | "this" | "super" | "boolean" | "mutable_specifier"
    ) {
        return Some(TokenClass::Keyword);
    }
    if kind.contains("type") || kind == "void_type" {
        return Some(TokenClass::Type);
    }
    let is_name = ["identifier", "name", "constant", "word", "variable"].iter().any(|part| kind.contains(part));
    if !is_name {
        return None;
    }
    let is_called = bytes.get(node.end_byte()) == Some(&b'(');
    Some(if is_called { TokenClass::Function } else { TokenClass::Identifier })
}

/// Returns a node as one token per line, without the white space at their ends.
fn of_lines<'a>(node: SyntaxNode<'_>, class: TokenClass, bytes: &'a [u8]) -> impl Iterator<Item = SourceToken> + 'a {
    let (start, range) = (node.start_position(), node.byte_range());
    let text = bytes.get(range).unwrap_or_default();
    text.split(|byte| *byte == b'\n').enumerate().filter_map(move |(nth, part)| {
        let column = if nth == 0 { start.column } else { 0 };
        let kept = part.trim_ascii_end();
        let indent = kept.len() - kept.trim_ascii_start().len();
        let number = |value: usize| u32::try_from(value).ok();
        (kept.len() > indent).then_some(())?;
        Some(SourceToken {
            line: number(start.row + nth + 1)?,
            start: number(column + indent)?,
            end: number(column + kept.len())?,
            class,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the tokens of a source, each as its first letter of the class and its text.
    fn check(language: Language, source: &str, expected: &[&str]) {
        let lines: Vec<&str> = source.lines().collect();
        let shown = |token: &SourceToken| {
            let text = &lines[token.line as usize - 1][token.start as usize..token.end as usize];
            format!("{:?} {text}", token.class)
        };
        let found: Vec<String> = tokens(language, source.as_bytes(), 1..=u32::MAX).iter().map(shown).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn tokens_have_classes() {
        check(
            Language::Go,
            "// A\nfunc f(s string) int {\n\treturn g(s, \"x\", 12)\n}\n",
            &[
                "Comment // A",
                "Keyword func",
                "Function f",
                "Identifier s",
                "Type string",
                "Type int",
                "Keyword return",
                "Function g",
                "Identifier s",
                "String \"",
                "String x",
                "String \"",
                "Number 12",
            ],
        );
        check(
            Language::Python,
            "def é(a):\n    return f'{a} b'\n",
            &[
                "Keyword def",
                "Function é",
                "Identifier a",
                "Keyword return",
                "String f'",
                "Identifier a",
                "String  b",
                "String '",
            ]
            .map(|token| if token == "String  b" { "String b" } else { token }),
        );
        check(Language::Text, "func f()", &[]);
    }

    #[test]
    fn tokens_of_lines_are_those_of_the_file() {
        let source = "fn a() {}\n/* one\n two */\nfn b() -> u8 { 1 }\n";
        let all = tokens(Language::Rust, source.as_bytes(), 1..=u32::MAX);
        for line in 1..=4 {
            let own: Vec<SourceToken> = all.iter().filter(|token| token.line == line).cloned().collect();
            assert_eq!(tokens(Language::Rust, source.as_bytes(), line..=line), own, "{line}");
            assert!(!own.is_empty());
        }
    }
}
