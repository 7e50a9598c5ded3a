//! The walk over a syntax tree: one pass in text order, without recursion.
//!
//! Each open ancestor has a frame, and each open definition a scope. The rules of a language (`rules`) read and change the
//! walk through the methods in the child modules: `name_path` finds a name, `scopes`, `definitions` and `references` record
//! facts in `collected`, and `leading_trivia` keeps comments and attributes.

pub(crate) mod collected;
pub(crate) mod definitions;
mod leading_trivia;
mod name_path;
mod references;
pub(crate) mod rules;
pub(crate) mod scopes;
pub(crate) mod source_point;

use model::ReferenceKind;

use crate::node::SyntaxNode;

use collected::CollectedFacts;
use leading_trivia::{LeadingTrivia, WrapperSpan};
use rules::{NodeRule, RuleTable, WalkAction};
use scopes::{ScopeKind, ScopeStack};

/// The state of one walk, which the rules of a language read and change.
pub(crate) struct TreeWalk<'t> {
    pub(crate) source: &'t [u8],
    rules: &'static RuleTable,
    collected: CollectedFacts,
    scopes: ScopeStack,
    frames: Vec<AncestorFrame<'t>>,
    /// The wrapper span that the current node passes to the frame of its children.
    next_wrapper: Option<WrapperSpan>,
    /// The scope that the current node opens for its children.
    next_scope: Option<(ScopeKind, String)>,
    /// The id of the function or class node that is the value of the latest definition.
    claimed_value: Option<usize>,
    /// True if the current node has no rule.
    is_transparent: bool,
}

/// An open ancestor.
struct AncestorFrame<'t> {
    node: Option<SyntaxNode<'t>>,
    /// Comments and attributes directly before the current child.
    trivia: LeadingTrivia,
    /// True if the current child is itself a comment or an attribute.
    is_at_trivia: bool,
    /// The wrapper span that the children inherit.
    wrapper: Option<WrapperSpan>,
    has_scope: bool,
    /// Number of children after the current one. Asking the cursor for a child past the last one would make it climb.
    n_left: u32,
}

/// Walks over a tree and returns the facts that it collects.
pub(crate) fn collect(root: SyntaxNode<'_>, source: &[u8], rules: &'static RuleTable) -> CollectedFacts {
    let trivia = LeadingTrivia::default();
    let root_frame =
        AncestorFrame { node: None, trivia, is_at_trivia: false, wrapper: None, has_scope: false, n_left: 0 };
    let mut walk = TreeWalk {
        source,
        rules,
        collected: CollectedFacts::default(),
        scopes: ScopeStack::default(),
        frames: vec![root_frame],
        next_wrapper: None,
        next_scope: None,
        claimed_value: None,
        is_transparent: false,
    };
    let type_fields = rules.language.type_fields;
    let mut cursor = root.walk();
    loop {
        let node = root.at(&cursor);
        let descends = walk.enter(node) == WalkAction::Descend;
        if !type_fields.is_empty() && cursor.field_name().is_some_and(|field| type_fields.contains(&field)) {
            walk.add_reference(ReferenceKind::Type, node);
        }
        let n_children = if descends { node.child_count() } else { 0 };
        if n_children > 0 && cursor.goto_first_child() {
            walk.open(node, n_children);
            continue;
        }
        walk.next_wrapper = None;
        walk.next_scope = None;
        loop {
            walk.leave();
            if walk.has_next() && cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                return walk.collected;
            }
            walk.close();
        }
    }
}

impl<'t> TreeWalk<'t> {
    /// Returns the ancestor `n_above` levels above the parent of the current node. Asking the tree would start at its
    /// root.
    pub(crate) fn ancestor(&self, n_above: usize) -> Option<SyntaxNode<'t>> {
        self.frames.iter().rev().nth(n_above).and_then(|frame| frame.node)
    }

    /// Returns true if the parent of the current node is of this kind.
    pub(crate) fn is_child_of(&self, kind: &str) -> bool {
        self.ancestor(0).is_some_and(|parent| parent.kind() == kind)
    }

    fn frame(&self) -> &AncestorFrame<'t> {
        self.frames.last().expect("the root frame is never popped")
    }

    fn frame_mut(&mut self) -> &mut AncestorFrame<'t> {
        self.frames.last_mut().expect("the root frame is never popped")
    }

    fn enter(&mut self, node: SyntaxNode<'t>) -> WalkAction {
        let rule = self.rules.rule(node);
        self.is_transparent = rule.is_none();
        match rule {
            None | Some(NodeRule::Modifiers) => {}
            Some(NodeRule::Define(kind)) => return self.define_named(kind, node),
            Some(NodeRule::Anonymous) => self.open_scope(ScopeKind::Function, ""),
            Some(NodeRule::Comment) => {
                self.add_leading_comment(node);
                return WalkAction::Skip;
            }
            Some(NodeRule::Attribute) => {
                self.add_reference(ReferenceKind::Decorate, node);
                self.add_leading_attribute(node);
            }
            Some(NodeRule::Attributes(visit)) => {
                let next = visit(self, node);
                self.add_leading_attribute(node);
                return next;
            }
            Some(NodeRule::Wrapper) => self.wrap(node),
            Some(NodeRule::SingleWrapper) => self.wrap_single(node),
            Some(NodeRule::Call(field)) => self.add_field_reference(ReferenceKind::Call, node, field),
            Some(NodeRule::Construct(field)) => self.add_field_reference(ReferenceKind::Construct, node, field),
            Some(NodeRule::Type) => self.add_reference(ReferenceKind::Type, node),
            Some(NodeRule::Bases(kind)) => self.add_child_references(kind, node),
            Some(NodeRule::Skip) => return WalkAction::Skip,
            Some(NodeRule::Visit(visit)) => {
                let next = visit(self, node);
                if next == WalkAction::SkipAttribute {
                    self.add_leading_attribute(node);
                }
                return next;
            }
        }
        WalkAction::Descend
    }

    /// Moves down to the children of a node.
    fn open(&mut self, node: SyntaxNode<'t>, n_children: u32) {
        let has_scope = self.next_scope.take().map(|(kind, name)| self.scopes.open(kind, name)).is_some();
        // A node without a rule passes its trivia on to its first child.
        let trivia =
            if self.is_transparent { std::mem::take(&mut self.frame_mut().trivia) } else { LeadingTrivia::default() };
        let wrapper = self.next_wrapper.take();
        let n_left = n_children - 1;
        self.frames.push(AncestorFrame { node: Some(node), trivia, is_at_trivia: false, wrapper, has_scope, n_left });
    }

    /// Moves up from the children of a node.
    fn close(&mut self) {
        let frame = self.frames.pop().expect("one frame for each open ancestor");
        if frame.has_scope {
            self.scopes.close();
        }
    }

    /// Returns true if the current node has a next sibling, and makes that sibling the current node.
    fn has_next(&mut self) -> bool {
        let frame = self.frame_mut();
        let has_next = frame.n_left > 0;
        frame.n_left -= u32::from(has_next);
        has_next
    }

    /// Leaves a node: trivia before it does not belong to its sibling.
    fn leave(&mut self) {
        let frame = self.frame_mut();
        if !std::mem::take(&mut frame.is_at_trivia) {
            frame.trivia = LeadingTrivia::default();
        }
    }
}
