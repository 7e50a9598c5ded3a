//! Rust items inside the brackets of a macro (`cfg_net! { pub mod tcp; }`, `pin_project! { pub struct S { … } }`, `cfg_digit!(type A = u8;);`).
//!
//! Libraries use macros that pass their items through to write a condition shared by many items. If everything in the
//! braces parses as items, the macro name and the braces are replaced by the same number of spaces before the file is
//! parsed, so that all offsets stay valid. Anything else is the macro's own language and stays as it is.

use std::borrow::Cow;

use tree_sitter::{Node, Range, Tree};

use crate::grammar::Grammar;
use crate::node::SyntaxNode;
use crate::parse;
use crate::rust_macros::MacroTable;

/// Maximum depth of nested macros that are opened. Libraries nest up to three conditions.
const MAX_ROUNDS: usize = 4;

/// Returns the source with item macros opened.
///
/// A macro of the file that writes items itself is not opened if it can be expanded: opened, the items that it writes would be lost.
pub(crate) fn open<'b>(grammar: &'static Grammar, bytes: &'b [u8]) -> Cow<'b, [u8]> {
    let mut plain = Cow::Borrowed(bytes);
    for _ in 0..MAX_ROUNDS {
        if !has_macro(&plain) {
            return plain;
        }
        let Some(tree) = parse::parse(grammar, &plain) else { return plain };
        let own = MacroTable::find(SyntaxNode::root(&tree, &grammar.names), &plain);
        let is_opened =
            |candidate: &ItemMacro| candidate.holds_items(grammar, &plain) && !candidate.is_expanded(&own, &plain);
        let macros: Vec<ItemMacro> = item_macros(&tree).into_iter().filter(is_opened).collect();
        if macros.is_empty() {
            return plain;
        }
        macros.iter().for_each(|item_macro| item_macro.blank(plain.to_mut()));
    }
    plain
}

/// Words at the start of an item. Only with one of them, parentheses may contain items.
const ITEM_WORDS: [&str; 13] =
    ["#[", "const ", "enum ", "extern ", "fn ", "impl", "mod ", "pub", "static ", "struct ", "trait ", "type ", "use "];

/// Returns true if a line starts like a macro with items. Most files have none and need no second parse.
fn has_macro(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1);
        let (line, after) = rest.split_at(end);
        let text = line.trim_ascii();
        let word = text.iter().position(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'_' | b':'));
        let of_macro = word.filter(|end| *end > 0).and_then(|end| text[end..].trim_ascii().strip_prefix(b"!"));
        if let Some(opening) = of_macro.map(<[u8]>::trim_ascii_start) {
            let inside = opening.strip_prefix(b"(").map(|inside| if inside.is_empty() { after } else { inside });
            let is_item = |inside: &[u8]| {
                let inside = inside.trim_ascii_start();
                ITEM_WORDS.iter().any(|word| inside.starts_with(word.as_bytes()))
            };
            if opening.is_empty() || opening.starts_with(b"{") || inside.is_some_and(is_item) {
                return true;
            }
        }
        rest = after;
    }
    false
}

/// A macro at item position: its start byte, its name, and the range inside its brackets.
struct ItemMacro {
    start: usize,
    name: std::ops::Range<usize>,
    inner: Range,
}

/// Returns the macros with braces or parentheses at item positions.
fn item_macros(tree: &Tree) -> Vec<ItemMacro> {
    let mut found = Vec::new();
    let mut open = vec![tree.root_node()];
    while let Some(holder) = open.pop() {
        let mut cursor = holder.walk();
        for child in holder.named_children(&mut cursor) {
            match child.kind() {
                "mod_item" => open.extend(child.child_by_field_name("body")),
                "macro_invocation" => found.extend(item_macro(child)),
                "expression_statement" => {
                    let inner = child.named_child(0).filter(|inner| inner.kind() == "macro_invocation");
                    found.extend(inner.and_then(item_macro));
                }
                _ => {}
            }
        }
    }
    found
}

fn item_macro(invocation: Node<'_>) -> Option<ItemMacro> {
    let name = invocation.child_by_field_name("macro")?.byte_range();
    let tokens = invocation.named_child((invocation.named_child_count() as u32).checked_sub(1)?)?;
    let (first, last) = (tokens.child(0)?, tokens.child(tokens.child_count().checked_sub(1)?)?);
    let is_list = matches!((first.kind(), last.kind()), ("{", "}") | ("(", ")"));
    (tokens.kind() == "token_tree" && is_list).then(|| ItemMacro {
        start: invocation.start_byte(),
        name,
        inner: Range {
            start_byte: first.end_byte(),
            end_byte: last.start_byte(),
            start_point: first.end_position(),
            end_point: last.start_position(),
        },
    })
}

impl ItemMacro {
    fn holds_items(&self, grammar: &Grammar, bytes: &[u8]) -> bool {
        let Some(tree) = parse::parse_part(grammar, bytes, self.inner) else { return false };
        let root = tree.root_node();
        let mut cursor = root.walk();
        let children: Vec<&str> = root.named_children(&mut cursor).map(|child| child.kind()).collect();
        !root.has_error()
            && children.iter().all(|kind| is_item(kind) || is_ignorable(kind))
            && children.iter().any(|kind| is_item(kind))
    }

    /// Returns true if the expansion of a macro of the file gives the items.
    fn is_expanded(&self, own: &MacroTable, bytes: &[u8]) -> bool {
        let name = String::from_utf8_lossy(bytes.get(self.name.clone()).unwrap_or_default());
        let brackets = self.inner.start_byte - 1..self.inner.end_byte + 1;
        own.writes_items(bytes, &name, self.start, &brackets)
    }

    fn blank(&self, bytes: &mut [u8]) {
        let mut erase = |from: usize, to: usize| {
            let outside = bytes.get_mut(from..to).unwrap_or_default().iter_mut();
            outside.filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        };
        erase(self.start, self.inner.start_byte);
        erase(self.inner.end_byte, self.inner.end_byte + 1);
    }
}

fn is_item(kind: &str) -> bool {
    const ITEMS: [&str; 13] = [
        "const_item",
        "enum_item",
        "extern_crate_declaration",
        "function_item",
        "impl_item",
        "macro_definition",
        "macro_invocation",
        "mod_item",
        "static_item",
        "struct_item",
        "trait_item",
        "type_item",
        "use_declaration",
    ];
    ITEMS.contains(&kind)
}

fn is_ignorable(kind: &str) -> bool {
    matches!(kind, "line_comment" | "block_comment" | "attribute_item" | "inner_attribute_item" | "empty_statement")
}

#[cfg(test)]
mod tests {
    use model::Language;

    #[track_caller]
    fn check(source: &str, definitions: &[&str], imports: &[&str]) {
        let facts = crate::extract(Language::Rust, source.as_bytes());
        let found: Vec<String> =
            facts.definitions.iter().map(|one| format!("{}:{}", one.name, one.name_line)).collect();
        assert_eq!(found, definitions, "{source}");
        let found: Vec<String> = facts.imports.iter().map(|one| format!("{}::{}", one.module, one.name)).collect();
        assert_eq!(found, imports, "{source}");
    }

    #[test]
    fn items_in_macros_are_extracted() {
        check("cfg_a! {\n    pub use a::B;\n    pub fn f() {}\n}\nfn g() {}", &["f:3", "g:5"], &["a::B"]);
        check("cfg_a! { cfg_b! { mod c; } }\nmod d { cfg_e! { pub struct S; } }", &["d:2", "S:2"], &["self::c"]);
        check("lazy! { static ref A: u8 = 1; }", &["A:1"], &[]);
        check("digit!(\n    type A = u8;\n    pub fn f() {}\n);\nuse a::B;", &["A:2", "f:3"], &["a::B"]);
        check("project! { /// Doc.\n pub struct S { #[pin] a: u8 } }", &["S:2", "a:2"], &[]);
    }

    #[test]
    fn a_macro_of_the_file_that_writes_items_is_expanded() {
        let ids = "macro_rules! ids { ($($v:vis struct $n:ident;)*) => { $($v struct $n; impl $n { fn of(&self) {} })* }; }\n";
        let through = "macro_rules! through { ($($t:tt)*) => { $($t)* }; }\n";
        for (source, n_blocks) in [
            (format!("{ids}ids!(pub struct A; struct B;);"), 2),
            (format!("{ids}ids! {{ pub struct A; struct B; }}"), 2),
            // The macro writes no items, does not fit, is defined later, or may be another one.
            (format!("{through}through!(pub struct A; struct B;);"), 0),
            (format!("{ids}ids! {{ pub struct A; struct B {{}} }}"), 0),
            (format!("ids!(pub struct A; struct B;);\n{ids}"), 0),
            (format!("{ids}{ids}ids!(pub struct A; struct B;);"), 0),
        ] {
            let facts = crate::extract(Language::Rust, source.as_bytes());
            let is_type = |one: &&model::Definition| one.kind == model::SymbolKind::Struct;
            let found: Vec<&str> = facts.definitions.iter().filter(is_type).map(|one| one.name.as_str()).collect();
            assert_eq!(found, ["A", "B"], "{source}");
            assert_eq!(facts.code.extensions.len(), n_blocks, "{source}");
        }
        // An expansion has no imports.
        let imports = "macro_rules! also { ($($t:tt)*) => { $($t)* struct C; }; }\nalso! { use a::B; }";
        assert_eq!(crate::extract(Language::Rust, imports.as_bytes()).imports.len(), 1);
    }

    #[test]
    fn macros_without_items_are_unchanged() {
        check("flags! { struct F: u32 { const A = 1; } }", &[], &[]);
        check("fn f() { a! { fn g() {} } }", &["f:1"], &[]);
        check("a! { x + 1 }\nb! {}", &[], &[]);
        check("a!(fn, x);\nb!(pub fn f);\nc!();", &[], &[]);
        check("a!(u8, fn f() {});", &[], &[]);
    }

    #[test]
    fn many_macros_are_cheap() {
        let deep = format!("{}{}", "a! {\n".repeat(2_000), "}".repeat(2_000));
        let wide = "a! {\n fn f() {} }\n".repeat(2_000);
        assert_eq!(crate::extract(Language::Rust, deep.as_bytes()).definitions.len(), 0);
        assert_eq!(crate::extract(Language::Rust, wide.as_bytes()).definitions.len(), 2_000);
    }
}
