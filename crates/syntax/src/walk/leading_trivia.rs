//! Leading trivia: comments, attributes and wrappers that belong to the definition after or inside them.

use std::borrow::Cow;

use crate::node::SyntaxNode;

use super::TreeWalk;
use super::rules::NodeRule;
use super::source_point::SourcePoint;

/// Comments and attributes directly before a node.
#[derive(Default, Clone)]
pub(crate) struct LeadingTrivia {
    /// The byte range of comments without an empty line between them.
    pub(crate) comment: Option<(usize, usize)>,
    /// Start of the first attribute.
    pub(crate) attribute: Option<SourcePoint>,
    /// Documentation in a form other than a comment.
    pub(crate) doc: Option<String>,
}

/// The span of a wrapper around a definition.
#[derive(Clone, Copy)]
pub(crate) struct WrapperSpan {
    pub(crate) start: SourcePoint,
    pub(crate) end: SourcePoint,
    pub(crate) signature_start: usize,
    pub(crate) comment: Option<(usize, usize)>,
}

impl<'t> TreeWalk<'t> {
    /// Makes the current node a wrapper of the definition that is its child.
    pub(crate) fn wrap(&mut self, node: SyntaxNode<'t>) {
        let frame = self.frame();
        let own_start = frame.trivia.attribute.unwrap_or_else(|| SourcePoint::start_of(node));
        let wrapper = frame.wrapper.unwrap_or_else(|| WrapperSpan {
            start: own_start,
            end: SourcePoint::end_of(node),
            signature_start: self.signature_start(node),
            comment: self.adjacent_comment(frame.trivia.comment, own_start),
        });
        self.next_wrapper = Some(wrapper);
    }

    /// Makes the current node a wrapper if it has one child. The children of a list keep their own spans.
    pub(crate) fn wrap_single(&mut self, node: SyntaxNode<'t>) {
        let mut cursor = node.walk();
        let n_children = node.named_children(&mut cursor).filter(|child| !child.is_extra()).take(2).count();
        if n_children == 1 {
            self.wrap(node);
        }
    }

    /// Sets documentation of the next definition that is not a comment.
    pub(crate) fn set_next_doc(&mut self, doc: String) {
        self.frame_mut().trivia.doc = Some(doc);
    }

    pub(crate) fn add_leading_attribute(&mut self, node: SyntaxNode<'t>) {
        let frame = self.frame_mut();
        frame.is_at_trivia = true;
        frame.trivia.attribute.get_or_insert_with(|| SourcePoint::start_of(node));
    }

    /// Returns the text of the attributes before the current node, with the comments between them.
    pub(crate) fn leading_attributes(&self, node: SyntaxNode<'t>) -> Cow<'t, str> {
        let end = node.start_byte();
        self.text_between(self.frame().trivia.attribute.map_or(end, |first| first.byte), end)
    }

    /// Keeps a comment that has no code before it on its line. Adjacent line comments are merged.
    pub(crate) fn add_leading_comment(&mut self, node: SyntaxNode<'t>) {
        let (source, start, end) = (self.source, node.start_byte(), node.end_byte());
        let frame = self.frame_mut();
        frame.is_at_trivia = true;
        if !starts_its_line(source, start) {
            return;
        }
        let is_block = |at: usize| source[at..].starts_with(b"/*");
        let continued = frame.trivia.comment.filter(|&(first, previous_end)| {
            !is_block(start) && !is_block(first) && n_line_breaks(source, previous_end, start) <= 1
        });
        frame.trivia.comment = Some((continued.map_or(start, |(first, _)| first), end));
    }

    /// Returns the comment if there is no empty line between it and `start`.
    pub(crate) fn adjacent_comment(
        &self,
        comment: Option<(usize, usize)>,
        start: SourcePoint,
    ) -> Option<(usize, usize)> {
        comment.filter(|&(_, end)| end <= start.byte && n_line_breaks(self.source, end, start.byte) <= 1)
    }

    /// Returns the start byte of the signature, after attributes and decorators.
    pub(crate) fn signature_start(&self, node: SyntaxNode<'t>) -> usize {
        let mut cursor = node.walk();
        let first = node.children(&mut cursor).find_map(|child| match self.rules.rule(child) {
            Some(NodeRule::Attribute | NodeRule::Attributes(_) | NodeRule::Comment) => None,
            Some(NodeRule::Modifiers) => self.first_plain_modifier(child),
            _ => Some(child.start_byte()),
        });
        first.unwrap_or_else(|| node.start_byte())
    }

    fn first_plain_modifier(&self, modifiers: SyntaxNode<'t>) -> Option<usize> {
        let mut cursor = modifiers.walk();
        let is_plain = |child: &SyntaxNode| {
            !matches!(self.rules.rule(*child), Some(NodeRule::Attribute | NodeRule::Attributes(_) | NodeRule::Comment))
        };
        modifiers.children(&mut cursor).find(is_plain).map(|child| child.start_byte())
    }
}

/// Returns true if only white space precedes `start` on its line.
fn starts_its_line(source: &[u8], start: usize) -> bool {
    source[..start].iter().rev().take_while(|&&byte| byte != b'\n').all(u8::is_ascii_whitespace)
}

/// Counts the line breaks between a comment and the code after it. A line comment may include its own line break.
fn n_line_breaks(source: &[u8], comment_end: usize, next_start: usize) -> usize {
    let n_between = source[comment_end..next_start].iter().filter(|&&byte| byte == b'\n').count();
    n_between + usize::from(source[..comment_end].ends_with(b"\n"))
}
