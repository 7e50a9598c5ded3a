//! What a file says of itself: its module doc, or the comment it begins with.

use tree_sitter::Tree;

use crate::docs;
use crate::drafts::Drafts;
use crate::grammar::Grammar;
use crate::node::Node;
use crate::rules::Rule;

/// How many nodes at the head of a file are looked at.
const MAX_HEAD_NODES: usize = 64;

/// Finds the doc of a file: the first comment that is no license and not the doc of the first definition.
pub(crate) fn of(tree: &Tree, grammar: &'static Grammar, source: &[u8], drafts: &Drafts) -> String {
    let root = Node::root(tree, grammar);
    let mut cursor = root.walk();
    let mut block: Option<(usize, usize)> = None;
    let is_taken =
        |(_, end): (usize, usize)| drafts.definitions.iter().any(|draft| draft.comment.is_some_and(|c| c.1 == end));
    let read = |block: (usize, usize)| {
        let doc = docs::plain(&source[block.0..block.1]);
        (!doc.is_empty() && !docs::is_license(&doc) && !is_taken(block)).then_some(doc)
    };
    for node in root.children(&mut cursor).take(MAX_HEAD_NODES) {
        if !matches!(grammar.rule(node.kind_id()), Some(Rule::Comment)) {
            if is_preamble(node) {
                continue;
            }
            let string = head_string(node).map(|string| docs::dedent(&string_text(source, string)));
            return string.or_else(|| block.and_then(read)).unwrap_or_default();
        }
        let continues = block.is_some_and(|(_, end)| {
            let gap = source[end..node.start_byte()].iter().filter(|&&byte| byte == b'\n').count();
            gap + usize::from(source[..end].ends_with(b"\n")) <= 1 && !source[node.start_byte()..].starts_with(b"/*")
        });
        match block {
            Some(open) if continues => block = Some((open.0, node.end_byte())),
            Some(open) => {
                if let Some(doc) = read(open) {
                    return doc;
                }
                block = Some((node.start_byte(), node.end_byte()));
            }
            None => block = Some((node.start_byte(), node.end_byte())),
        }
    }
    block.and_then(read).unwrap_or_default()
}

/// What may stand before the doc of a file.
fn is_preamble(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "php_tag" | "hash_bang_line" | "shebang" | "inner_attribute_item" | "text_interpolation" | "text" | "syntax"
    )
}

/// Returns the string that a file of Python begins with.
fn head_string(node: Node<'_>) -> Option<Node<'_>> {
    let inner = node.named_child(0).filter(|_| node.kind() == "expression_statement")?;
    let has_content = inner.kind() == "string" && inner.child(1).is_some_and(|child| child.kind() == "string_content");
    has_content.then_some(inner)
}

/// Returns what is between the quotes of a string.
pub(crate) fn string_text(source: &[u8], string: Node<'_>) -> String {
    let text = String::from_utf8_lossy(&source[string.byte_range()]);
    let quoted = text.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let quotes = if quoted.starts_with("\"\"\"") || quoted.starts_with("'''") { 3 } else { 1 };
    quoted.get(quotes..quoted.len().saturating_sub(quotes)).unwrap_or_default().to_owned()
}
