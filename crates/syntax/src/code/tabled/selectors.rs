//! Selectors: the child of a node that has a part of its meaning.

use crate::node::SyntaxNode;

/// A child of a node.
#[derive(Clone, Copy)]
pub(super) enum ChildSelector {
    /// No child.
    Absent,
    /// The node itself.
    Itself,
    /// The child in a field.
    Field(&'static str),
    /// The first named child of a kind.
    Kind(&'static str),
    /// The first named child of one of some kinds.
    OneOf(&'static [&'static str]),
    /// The first child that is this token.
    Token(&'static str),
    /// The named child at an index, without comments.
    Nth(usize),
    /// The last named child.
    Last,
    /// The first named child behind a token.
    After(&'static str),
    /// The last named child before a token, if there is the token.
    Before(&'static str),
}

impl ChildSelector {
    /// Returns the selected child.
    pub(super) fn of<'n>(self, node: SyntaxNode<'n>) -> Option<SyntaxNode<'n>> {
        let mut cursor = node.walk();
        let is_content = |child: &SyntaxNode<'n>| child.is_named() && !child.is_extra();
        match self {
            ChildSelector::Absent => None,
            ChildSelector::Itself => Some(node),
            ChildSelector::Field(field) => node.child_by_field_name(field),
            ChildSelector::Kind(kind) => node.named_child_of_kind(kind),
            ChildSelector::OneOf(kinds) => node.named_children(&mut cursor).find(|child| kinds.contains(&child.kind())),
            ChildSelector::Token(token) => node.child_of_kind(token),
            ChildSelector::Nth(index) => node.children(&mut cursor).filter(is_content).nth(index),
            ChildSelector::Last => node.children(&mut cursor).filter(is_content).last(),
            ChildSelector::After(token) => {
                node.children(&mut cursor).skip_while(|child| child.kind() != token).skip(1).find(is_content)
            }
            ChildSelector::Before(token) => {
                let mut before = None;
                for child in node.children(&mut cursor) {
                    if child.kind() == token {
                        return before;
                    }
                    before = Some(child).filter(is_content).or(before);
                }
                None
            }
        }
    }
}
