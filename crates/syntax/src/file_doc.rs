//! The documentation of a file: its module doc, or the comment at its start.

use crate::docs;
use crate::node::SyntaxNode;
use crate::walk::collected::DefinitionDraft;
use crate::walk::rules::RuleTable;

/// Maximum number of nodes at the start of a file that are inspected.
const MAX_HEAD_NODES: usize = 64;

/// Finds the doc of a file: the first comment that is neither a license nor the doc of the first definition.
pub(crate) fn find(root: SyntaxNode<'_>, rules: &RuleTable, source: &[u8], definitions: &[DefinitionDraft]) -> String {
    let mut cursor = root.walk();
    let mut block: Option<(usize, usize)> = None;
    let is_taken = |(_, end): (usize, usize)| definitions.iter().any(|draft| draft.comment.is_some_and(|c| c.1 == end));
    let read = |block: (usize, usize)| {
        let doc = docs::strip_markers(&source[block.0..block.1]);
        (!doc.is_empty() && !docs::is_license(&doc) && !is_taken(block)).then_some(doc)
    };
    for node in root.children(&mut cursor).take(MAX_HEAD_NODES) {
        if !rules.is_comment(node) {
            if is_preamble(node) {
                continue;
            }
            let string = head_string(node).map(|string| docs::dedent(&docs::unquoted(&source[string.byte_range()])));
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

/// Returns true for nodes that may precede the doc of a file.
fn is_preamble(node: SyntaxNode<'_>) -> bool {
    matches!(
        node.kind(),
        "php_tag" | "hash_bang_line" | "shebang" | "inner_attribute_item" | "text_interpolation" | "text" | "syntax"
    )
}

/// Returns the string at the start of a Python file.
fn head_string(node: SyntaxNode<'_>) -> Option<SyntaxNode<'_>> {
    let inner = node.named_child(0).filter(|_| node.kind() == "expression_statement")?;
    let has_content = inner.kind() == "string" && inner.child(1).is_some_and(|child| child.kind() == "string_content");
    has_content.then_some(inner)
}
