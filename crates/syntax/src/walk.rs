//! The walk over a syntax tree: one pass, in the order of the text, without recursion.
//!
//! Each open ancestor has a frame, and each open definition a scope. What rules of languages may ask and say is in
//! `scope`, `define` and `mention`; where comments and attributes are kept is in `leading`.

use model::ReferenceKind;
use tree_sitter::Tree;

use crate::drafts::Drafts;
use crate::grammar::Grammar;
use crate::leading::{Leading, Outer};
use crate::node::Node;
use crate::rules::{Next, Rule};
use crate::scope::{ScopeKind, Scopes};

/// The state of one walk; what rules of languages work with.
pub(crate) struct Walk<'t> {
    pub(crate) source: &'t [u8],
    pub(crate) grammar: &'static Grammar,
    pub(crate) drafts: Drafts,
    pub(crate) scopes: Scopes,
    frames: Vec<Frame<'t>>,
    /// What the node at hand gives to the frame of its children.
    pub(crate) lent: Option<Outer>,
    pub(crate) opening: Option<(ScopeKind, String)>,
    pub(crate) claimed: Option<usize>,
    /// Whether the node at hand has no rule.
    passes_leading: bool,
}

/// An open ancestor.
pub(crate) struct Frame<'t> {
    node: Option<Node<'t>>,
    /// What stands directly before the child at hand.
    pub(crate) leading: Leading,
    /// Whether the child at hand is a comment or attribute itself.
    pub(crate) at_leading: bool,
    /// What the children inherit from a wrapper around them.
    pub(crate) lent: Option<Outer>,
    opened_scope: bool,
    /// Children behind the one at hand. To ask the cursor for one more than there are would make it climb.
    n_left: u32,
}

/// Walks over a tree and returns what it finds.
pub(crate) fn walk(tree: &Tree, source: &[u8], grammar: &'static Grammar) -> Drafts {
    let leading = Leading::default();
    let root = Frame { node: None, leading, at_leading: false, lent: None, opened_scope: false, n_left: 0 };
    let mut walk = Walk {
        source,
        grammar,
        drafts: Drafts::default(),
        scopes: Scopes::default(),
        frames: vec![root],
        lent: None,
        opening: None,
        claimed: None,
        passes_leading: false,
    };
    let type_fields = grammar.rules.type_fields;
    let mut cursor = tree.walk();
    loop {
        let node = Node::at(&cursor, grammar);
        let descends = walk.enter(node) == Next::Into;
        if !type_fields.is_empty() && cursor.field_name().is_some_and(|field| type_fields.contains(&field)) {
            walk.mention(ReferenceKind::Type, node);
        }
        let n_children = if descends { node.child_count() } else { 0 };
        if n_children > 0 && cursor.goto_first_child() {
            walk.open(node, n_children);
            continue;
        }
        walk.lent = None;
        walk.opening = None;
        loop {
            walk.leave();
            if walk.has_next() && cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return walk.drafts;
            }
            walk.close();
        }
    }
}

impl<'t> Walk<'t> {
    /// Returns the node around the node at hand, or around that one and so on. Asking the tree would start at its root.
    pub(crate) fn ancestor(&self, n_above: usize) -> Option<Node<'t>> {
        self.frames.iter().rev().nth(n_above).and_then(|frame| frame.node)
    }

    /// Says whether the node at hand is directly within a node of this kind.
    pub(crate) fn is_in(&self, kind: &str) -> bool {
        self.ancestor(0).is_some_and(|parent| parent.kind() == kind)
    }

    pub(crate) fn frame(&self) -> &Frame<'t> {
        self.frames.last().expect("the root frame stays")
    }

    pub(crate) fn frame_mut(&mut self) -> &mut Frame<'t> {
        self.frames.last_mut().expect("the root frame stays")
    }

    fn enter(&mut self, node: Node<'t>) -> Next {
        let rule = self.grammar.rule(node.kind_id());
        self.passes_leading = rule.is_none();
        match rule {
            None | Some(Rule::Modifiers) => {}
            Some(Rule::Define(kind)) => return self.define_named(kind, node),
            Some(Rule::Anonymous) => self.open_scope(ScopeKind::Function, ""),
            Some(Rule::Comment) => {
                self.lead_comment(node);
                return Next::Over;
            }
            Some(Rule::Attribute) => {
                self.mention(ReferenceKind::Decorate, node);
                self.lead_attribute(node);
            }
            Some(Rule::Attributes(visit)) => {
                let next = visit(self, node);
                self.lead_attribute(node);
                return next;
            }
            Some(Rule::Wrapper) => self.wrap(node),
            Some(Rule::WrapperOfOne) => self.wrap_one(node),
            Some(Rule::Call(field)) => self.mention_field(ReferenceKind::Call, node, field),
            Some(Rule::Construct(field)) => self.mention_field(ReferenceKind::Construct, node, field),
            Some(Rule::Type) => self.mention(ReferenceKind::Type, node),
            Some(Rule::Bases(kind)) => self.mention_children(kind, node),
            Some(Rule::Skip) => return Next::Over,
            Some(Rule::Visit(visit)) => {
                let next = visit(self, node);
                if next == Next::OverAttribute {
                    self.lead_attribute(node);
                }
                return next;
            }
        }
        Next::Into
    }

    /// Steps into the children of a node.
    fn open(&mut self, node: Node<'t>, n_children: u32) {
        let opened_scope = self.opening.take().map(|(kind, name)| self.scopes.open(kind, name)).is_some();
        // A node without a meaning of its own stands for its first child: what is before it is before the child.
        let passes_leading = self.passes_leading;
        let leading = if passes_leading { std::mem::take(&mut self.frame_mut().leading) } else { Leading::default() };
        let lent = self.lent.take();
        self.frames.push(Frame {
            node: Some(node),
            leading,
            at_leading: false,
            lent,
            opened_scope,
            n_left: n_children - 1,
        });
    }

    /// Steps out of the children of a node.
    fn close(&mut self) {
        let frame = self.frames.pop().expect("one frame for each open ancestor");
        if frame.opened_scope {
            self.scopes.close();
        }
    }

    /// Says whether the node at hand has a sibling behind it, which is the node at hand from then on.
    fn has_next(&mut self) -> bool {
        let frame = self.frame_mut();
        let has_next = frame.n_left > 0;
        frame.n_left -= u32::from(has_next);
        has_next
    }

    /// Leaves a node: what stood before it does not stand before its sibling.
    fn leave(&mut self) {
        let frame = self.frame_mut();
        if !std::mem::take(&mut frame.at_leading) {
            frame.leading = Leading::default();
        }
    }
}
