//! Invocations of macros at positions of items, with the modules and types around them.

use std::ops::Range;
use std::rc::Rc;

use crate::node::SyntaxNode;

/// An invocation that is not expanded yet.
pub(super) struct MacroInvocation {
    /// First byte in the buffer.
    pub(super) start: usize,
    pub(super) name: String,
    /// The tokens of the arguments with their brackets, in the buffer.
    pub(super) arguments: Range<usize>,
    pub(super) context: InvocationContext,
}

/// The place of an invocation, which its expansions inherit.
#[derive(Clone)]
pub(super) struct InvocationContext {
    /// Bytes of the outermost invocation in the file.
    pub(super) outermost: Range<usize>,
    /// Names of the modules and types around it.
    pub(super) container: Rc<[String]>,
    pub(super) is_in_type: bool,
    pub(super) is_in_trait_impl: bool,
    pub(super) depth: u32,
}

/// Returns the invocations at positions of items, in text order. `around` is the context of an expansion.
pub(super) fn invocations(
    root: SyntaxNode<'_>,
    source: &[u8],
    around: Option<&InvocationContext>,
) -> Vec<MacroInvocation> {
    let context = around.map_or_else(
        || InvocationContext {
            outermost: 0..0,
            container: Rc::default(),
            is_in_type: false,
            is_in_trait_impl: false,
            depth: 0,
        },
        |context| InvocationContext { depth: context.depth + 1, ..context.clone() },
    );
    let mut found = Vec::new();
    let mut open = vec![(root, context)];
    while let Some((block, context)) = open.pop() {
        let mut cursor = block.walk();
        for child in block.named_children(&mut cursor) {
            let name = |field: &str| {
                let named = child.child_by_field_name(field)?;
                let named = named.child_by_field_name("type").unwrap_or(named);
                let named = named.child_by_field_name("name").unwrap_or(named);
                Some(String::from_utf8_lossy(&source[named.byte_range()]).into_owned())
            };
            let inner = |name: Option<String>, is_in_type: bool, is_in_trait_impl: bool| {
                let container = context.container.iter().cloned().chain(name).collect();
                InvocationContext { container, is_in_type, is_in_trait_impl, ..context.clone() }
            };
            let body = child.child_by_field_name("body");
            match (child.kind(), body) {
                ("mod_item", Some(body)) => open.push((body, inner(name("name"), false, false))),
                ("trait_item", Some(body)) => open.push((body, inner(name("name"), true, false))),
                ("impl_item", Some(body)) => {
                    let is_of_trait = child.child_by_field_name("trait").is_some();
                    open.push((body, inner(name("type"), true, is_of_trait)));
                }
                ("macro_invocation", _) => found.extend(invocation(child, source, &context, around.is_none())),
                ("expression_statement", _) => {
                    let only = child.named_child(0).filter(|only| only.kind() == "macro_invocation");
                    found.extend(only.and_then(|only| invocation(only, source, &context, around.is_none())));
                }
                _ => {}
            }
        }
    }
    found.sort_by_key(|invocation| invocation.start);
    found
}

fn invocation(
    node: SyntaxNode<'_>,
    source: &[u8],
    context: &InvocationContext,
    is_outermost: bool,
) -> Option<MacroInvocation> {
    let name = node.child_by_field_name("macro")?;
    let arguments = node.child_of_kind("token_tree")?;
    let mut context = context.clone();
    if is_outermost {
        context.outermost = node.byte_range();
    }
    Some(MacroInvocation {
        start: node.start_byte(),
        name: String::from_utf8_lossy(&source[name.byte_range()]).into_owned(),
        arguments: arguments.byte_range(),
        context,
    })
}
