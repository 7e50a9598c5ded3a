//! What stands directly before a definition, or around it, and belongs to it: comments, attributes, wrappers.

use crate::node::Node;
use crate::rules::Rule;
use crate::walk::Walk;

/// Comments and attributes directly before a node.
#[derive(Default, Clone)]
pub(crate) struct Leading {
    /// The bytes of comments without an empty line between them.
    pub(crate) comment: Option<(usize, usize)>,
    /// Where the first attribute starts.
    pub(crate) attribute: Option<Spot>,
    /// Doc that the language says in another way than by comments.
    pub(crate) doc: Option<String>,
}

/// What a wrapper gives to the definition in it.
#[derive(Clone, Copy)]
pub(crate) struct Outer {
    pub(crate) start: Spot,
    pub(crate) end: Spot,
    pub(crate) signature_start: usize,
    pub(crate) comment: Option<(usize, usize)>,
}

/// A place in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) byte: usize,
    pub(crate) row: usize,
}

impl<'t> Walk<'t> {
    /// Says that the node belongs to the definition that is its child.
    pub(crate) fn wrap(&mut self, node: Node<'t>) {
        let frame = self.frame();
        let own_start = frame.leading.attribute.unwrap_or_else(|| Spot::start_of(node));
        let outer = frame.lent.unwrap_or_else(|| Outer {
            start: own_start,
            end: Spot::end_of(node),
            signature_start: self.signature_start(node),
            comment: self.adjacent(frame.leading.comment, own_start),
        });
        self.lent = Some(outer);
    }

    /// The same, if there is one child; of a list, each is for itself.
    pub(crate) fn wrap_one(&mut self, node: Node<'t>) {
        let mut cursor = node.walk();
        let n_children = node.named_children(&mut cursor).filter(|child| !child.is_extra()).take(2).count();
        if n_children == 1 {
            self.wrap(node);
        }
    }

    /// Gives the next definition a doc that is not a comment.
    pub(crate) fn document_next(&mut self, doc: String) {
        self.frame_mut().leading.doc = Some(doc);
    }

    pub(crate) fn lead_attribute(&mut self, node: Node<'t>) {
        let frame = self.frame_mut();
        frame.at_leading = true;
        frame.leading.attribute.get_or_insert_with(|| Spot::start_of(node));
    }

    /// Keeps a comment that has its line for itself; line comments below each other are one.
    pub(crate) fn lead_comment(&mut self, node: Node<'t>) {
        let (source, start, end) = (self.source, node.start_byte(), node.end_byte());
        let frame = self.frame_mut();
        frame.at_leading = true;
        if !starts_its_line(source, start) {
            return;
        }
        let is_block = |at: usize| source[at..].starts_with(b"/*");
        let continued = frame.leading.comment.filter(|&(first, previous_end)| {
            !is_block(start) && !is_block(first) && n_line_breaks(source, previous_end, start) <= 1
        });
        frame.leading.comment = Some((continued.map_or(start, |(first, _)| first), end));
    }

    /// Returns the comment if no empty line is between it and what starts at `start`.
    pub(crate) fn adjacent(&self, comment: Option<(usize, usize)>, start: Spot) -> Option<(usize, usize)> {
        comment.filter(|&(_, end)| end <= start.byte && n_line_breaks(self.source, end, start.byte) <= 1)
    }

    /// Returns where the signature starts: behind attributes and decorators.
    pub(crate) fn signature_start(&self, node: Node<'t>) -> usize {
        let mut cursor = node.walk();
        let first = node.children(&mut cursor).find_map(|child| match self.grammar.rule(child.kind_id()) {
            Some(Rule::Attribute | Rule::Attributes(_) | Rule::Comment) => None,
            Some(Rule::Modifiers) => self.first_plain_modifier(child),
            _ => Some(child.start_byte()),
        });
        first.unwrap_or_else(|| node.start_byte())
    }

    fn first_plain_modifier(&self, modifiers: Node<'t>) -> Option<usize> {
        let mut cursor = modifiers.walk();
        let is_plain = |child: &Node| {
            !matches!(self.grammar.rule(child.kind_id()), Some(Rule::Attribute | Rule::Attributes(_) | Rule::Comment))
        };
        modifiers.children(&mut cursor).find(is_plain).map(|child| child.start_byte())
    }
}

impl Spot {
    pub(crate) fn start_of(node: Node<'_>) -> Spot {
        Spot { byte: node.start_byte(), row: node.start_position().row }
    }

    pub(crate) fn end_of(node: Node<'_>) -> Spot {
        Spot { byte: node.end_byte(), row: node.end_position().row }
    }

    /// Moves an end back over white space, since some grammars count the line break as a part of the node.
    pub(crate) fn trimmed(self, source: &[u8], start: Spot) -> Spot {
        let text = &source[start.byte.min(self.byte)..self.byte];
        let kept = text.trim_ascii_end();
        let n_rows = text[kept.len()..].iter().filter(|&&byte| byte == b'\n').count();
        Spot { byte: self.byte - (text.len() - kept.len()), row: self.row.saturating_sub(n_rows).max(start.row) }
    }
}

/// Says whether only white space is before `start` on its line.
fn starts_its_line(source: &[u8], start: usize) -> bool {
    source[..start].iter().rev().take_while(|&&byte| byte != b'\n').all(u8::is_ascii_whitespace)
}

/// Counts the line breaks between a comment and what follows it; a line comment may have taken its own along.
fn n_line_breaks(source: &[u8], comment_end: usize, next_start: usize) -> usize {
    let n_between = source[comment_end..next_start].iter().filter(|&&byte| byte == b'\n').count();
    n_between + usize::from(source[..comment_end].ends_with(b"\n"))
}
