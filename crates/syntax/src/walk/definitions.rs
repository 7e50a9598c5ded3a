//! Definitions, as the rules of a language describe them.

use model::SymbolKind;

use crate::names;
use crate::node::SyntaxNode;
use crate::signature;

use super::TreeWalk;
use super::collected::DefinitionDraft;
use super::rules::WalkAction;
use super::scopes::{ScopeKind, join_names};
use super::source_point::SourcePoint;

/// Maximum number of scopes around a definition. Hand-written code stays below 20. The text of a definition excludes that of
/// the definitions inside it, so n nested ones would take time quadratic in n.
pub(crate) const MAX_SCOPES: usize = 100;

/// A definition as a rule describes it.
pub(crate) struct DefinitionSpec<'t> {
    pub(crate) kind: SymbolKind,
    pub(crate) node: SyntaxNode<'t>,
    pub(crate) name: String,
    pub(crate) name_node: SyntaxNode<'t>,
    /// Names between the container and the name: the receiver in Go, the path of an out-of-line method in C++.
    pub(crate) qualifier: String,
    /// The signature ends before this node.
    pub(crate) body: Option<SyntaxNode<'t>>,
    /// A declaration that is dropped if the same file has a definition of the same name.
    pub(crate) is_prototype: bool,
    /// The kind of scope that the definition opens.
    pub(crate) scope: Option<ScopeKind>,
}

impl<'t> DefinitionSpec<'t> {
    /// Describes the definition at `node` with its name at `name_node`.
    pub(crate) fn new(
        kind: SymbolKind,
        node: SyntaxNode<'t>,
        name_node: SyntaxNode<'t>,
        walk: &TreeWalk<'t>,
    ) -> DefinitionSpec<'t> {
        DefinitionSpec { body: find_body(walk, node), ..DefinitionSpec::without_body(kind, node, name_node, walk) }
    }

    /// Describes one of several definitions that share `node`. They have no bodies: looking up a body for each would
    /// cost time quadratic in their number.
    pub(crate) fn without_body(
        kind: SymbolKind,
        node: SyntaxNode<'t>,
        name_node: SyntaxNode<'t>,
        walk: &TreeWalk<'t>,
    ) -> DefinitionSpec<'t> {
        DefinitionSpec {
            kind,
            node,
            name: names::collapse_white_space(&walk.source[name_node.byte_range()]),
            name_node,
            qualifier: String::new(),
            body: None,
            is_prototype: false,
            scope: scope_kind(kind),
        }
    }
}

impl<'t> TreeWalk<'t> {
    /// Records the definition at `node`, named by its field `name`.
    pub(crate) fn define_named(&mut self, kind: SymbolKind, node: SyntaxNode<'t>) -> WalkAction {
        if let Some(name_node) = node.child_by_field_name("name") {
            self.define(DefinitionSpec::new(kind, node, name_node, self));
        }
        WalkAction::Descend
    }

    /// Records a definition. Everything inside its node belongs to its scope.
    pub(crate) fn define(&mut self, spec: DefinitionSpec<'t>) {
        let container = self.scopes.container(&spec.qualifier);
        self.define_in(container, spec);
    }

    /// Records a definition in the scope around the innermost one, such as a parameter that declares a property.
    pub(crate) fn define_in_outer_scope(&mut self, spec: DefinitionSpec<'t>) {
        let container = self.scopes.outer_container().to_owned();
        self.define_in(container, spec);
    }

    fn define_in(&mut self, mut container: String, mut spec: DefinitionSpec<'t>) {
        // Only a name that is a string or contains a parse error can hold a carriage return, which would break lines
        // wherever it is shown.
        for text in [&mut container, &mut spec.qualifier, &mut spec.name] {
            if text.contains('\r') {
                *text = text.replace('\r', " ");
            }
        }
        if spec.name.is_empty() || spec.name.len() > names::MAX_NAME_BYTES {
            return;
        }
        if self.scopes.n_open() >= MAX_SCOPES {
            self.collected.n_definitions_too_deep += 1;
            return;
        }
        if let Some(scope) = spec.scope {
            self.open_scope(scope, &join_names(&spec.qualifier, &spec.name));
        }
        let draft = self.draft(container, spec);
        self.collected.add_definition(draft);
    }

    fn draft(&self, container: String, spec: DefinitionSpec<'t>) -> DefinitionDraft {
        let frame = self.frame();
        let own_start = frame.trivia.attribute.unwrap_or_else(|| SourcePoint::start_of(spec.node));
        let own_comment = self.adjacent_comment(frame.trivia.comment, own_start);
        let (start, end, signature_start, comment) = match frame.wrapper {
            Some(wrapper) => (wrapper.start, wrapper.end, wrapper.signature_start, own_comment.or(wrapper.comment)),
            None => (own_start, SourcePoint::end_of(spec.node), self.signature_start(spec.node), own_comment),
        };
        let end = end.trimmed(self.source, start);
        let signature_end = spec.body.map_or(end.byte, |body| self.end_before(spec.node, body));
        let inner_doc = self.rules.language.inner_doc.and_then(|find| find(self.source, spec.node));
        DefinitionDraft {
            kind: self.refined_kind(&spec),
            container,
            signature: signature::render(&self.source[signature_start.min(signature_end)..signature_end]),
            doc: inner_doc.or_else(|| frame.trivia.doc.clone()),
            comment,
            start,
            end,
            name_start: spec.name_node.start_byte(),
            name_row: spec.name_node.start_position().row,
            is_prototype: spec.is_prototype,
            name: spec.name,
        }
    }

    /// Marks this function or class as the value of a definition that is already recorded, so that it is not a
    /// definition itself.
    pub(crate) fn claim_value(&mut self, node: SyntaxNode<'t>) {
        self.claimed_value = Some(node.id());
    }

    /// Returns true if this node is the value of a recorded definition.
    pub(crate) fn is_claimed(&self, node: SyntaxNode<'t>) -> bool {
        self.claimed_value == Some(node.id())
    }

    /// Turns a function in a type into a method, and a method with the name of a constructor into a constructor.
    fn refined_kind(&self, spec: &DefinitionSpec<'t>) -> SymbolKind {
        let kind = match spec.kind {
            SymbolKind::Function if self.is_in_type() => SymbolKind::Method,
            kind => kind,
        };
        let constructs = self.rules.language.constructors.contains(&spec.name.as_str());
        if kind == SymbolKind::Method && constructs { SymbolKind::Constructor } else { kind }
    }

    /// Returns the byte where a declaration ends before its body. Comments between the two are not part of it.
    ///
    /// Looks for the body from the definition downwards. A node does not know its siblings: the tree would look for them from
    /// its root.
    fn end_before(&self, definition: SyntaxNode<'t>, body: SyntaxNode<'t>) -> usize {
        let mut holder = definition;
        let mut cursor = holder.walk();
        'down: loop {
            let mut comments = None;
            for child in holder.children(&mut cursor) {
                if child == body {
                    return comments.unwrap_or(body).start_byte();
                }
                if child.start_byte() <= body.start_byte() && body.end_byte() <= child.end_byte() {
                    holder = child;
                    continue 'down;
                }
                comments = self.rules.is_comment(child).then(|| comments.unwrap_or(child));
            }
            return body.start_byte();
        }
    }
}

fn find_body<'t>(walk: &TreeWalk<'t>, node: SyntaxNode<'t>) -> Option<SyntaxNode<'t>> {
    let bodies = walk.rules.language.bodies;
    let body = node.child_by_field_name("body");
    if bodies.is_empty() {
        return body;
    }
    let mut cursor = node.walk();
    let listed = node.children(&mut cursor).find(|child| bodies.contains(&child.kind()));
    [body, listed].into_iter().flatten().min_by_key(SyntaxNode::start_byte)
}

fn scope_kind(kind: SymbolKind) -> Option<ScopeKind> {
    match kind {
        SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor => Some(ScopeKind::Function),
        SymbolKind::Module => Some(ScopeKind::Module),
        SymbolKind::Variant => Some(ScopeKind::Type),
        kind if kind.is_type() => Some(ScopeKind::Type),
        _ => None,
    }
}
