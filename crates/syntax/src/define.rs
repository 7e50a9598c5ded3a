//! Definitions, as rules describe them.

use model::SymbolKind;

use crate::drafts::Draft;
use crate::leading::Spot;
use crate::names;
use crate::node::Node;
use crate::rules::{Next, Rule};
use crate::scope::{ScopeKind, join};
use crate::signature;
use crate::walk::Walk;

/// How many comments between a declaration and its body are looked for.
const MAX_COMMENTS_BEFORE_BODY: usize = 16;

/// A definition as a rule describes it.
pub(crate) struct Subject<'t> {
    pub(crate) kind: SymbolKind,
    pub(crate) node: Node<'t>,
    pub(crate) name: String,
    pub(crate) name_node: Node<'t>,
    /// Names between the container and the name: the receiver of Go, the path of an out-of-line method.
    pub(crate) qualifier: String,
    /// What the signature ends before.
    pub(crate) body: Option<Node<'t>>,
    /// A declaration that gives way to a definition of the same name in the same file.
    pub(crate) is_prototype: bool,
    /// What the definition is to those in it.
    pub(crate) scope: Option<ScopeKind>,
}

impl<'t> Subject<'t> {
    /// Describes the definition that `node` is, with the name that `name_node` is.
    pub(crate) fn new(kind: SymbolKind, node: Node<'t>, name_node: Node<'t>, walk: &Walk<'t>) -> Subject<'t> {
        Subject { body: body_of(walk, node), ..Subject::one_of_many(kind, node, name_node, walk) }
    }

    /// Describes one of the definitions that `node` holds side by side. They have no bodies: looking for one in each
    /// would cost as much as there are definitions, squared.
    pub(crate) fn one_of_many(kind: SymbolKind, node: Node<'t>, name_node: Node<'t>, walk: &Walk<'t>) -> Subject<'t> {
        Subject {
            kind,
            node,
            name: names::fold(&walk.source[name_node.byte_range()]),
            name_node,
            qualifier: String::new(),
            body: None,
            is_prototype: false,
            scope: scope_of(kind),
        }
    }
}

impl<'t> Walk<'t> {
    /// Records the definition that `node` is, named by its field `name`.
    pub(crate) fn define_named(&mut self, kind: SymbolKind, node: Node<'t>) -> Next {
        if let Some(name_node) = node.child_by_field_name("name") {
            self.define(Subject::new(kind, node, name_node, self));
        }
        Next::Into
    }

    /// Records a definition; what is in its node stands in its scope.
    pub(crate) fn define(&mut self, subject: Subject<'t>) {
        let container = self.scopes.container(&subject.qualifier);
        self.define_in(container, subject);
    }

    /// Records a definition that belongs to what is around the innermost scope, such as a property that is a parameter.
    pub(crate) fn define_outside(&mut self, subject: Subject<'t>) {
        let container = self.scopes.outer_container().to_owned();
        self.define_in(container, subject);
    }

    fn define_in(&mut self, mut container: String, mut subject: Subject<'t>) {
        // Only names that are text, or torn by an error, can hold one; it would break lines wherever they are shown.
        for text in [&mut container, &mut subject.qualifier, &mut subject.name] {
            if text.contains('\r') {
                *text = text.replace('\r', " ");
            }
        }
        if subject.name.is_empty() || subject.name.len() > names::MAX_NAME_BYTES {
            return;
        }
        if let Some(scope) = subject.scope {
            self.open_scope(scope, &join(&subject.qualifier, &subject.name));
        }
        let draft = self.draft(container, subject);
        self.drafts.define(draft);
    }

    fn draft(&self, container: String, subject: Subject<'t>) -> Draft {
        let frame = self.frame();
        let own_start = frame.leading.attribute.unwrap_or_else(|| Spot::start_of(subject.node));
        let own_comment = self.adjacent(frame.leading.comment, own_start);
        let (start, end, signature_start, comment) = match frame.lent {
            Some(outer) => (outer.start, outer.end, outer.signature_start, own_comment.or(outer.comment)),
            None => (own_start, Spot::end_of(subject.node), self.signature_start(subject.node), own_comment),
        };
        let end = end.trimmed(self.source, start);
        let signature_end = subject.body.map_or(end.byte, |body| self.end_before(body));
        let inner_doc = self.grammar.rules.inner_doc.and_then(|find| find(self, subject.node));
        Draft {
            kind: self.refined(&subject),
            container,
            signature: signature::of(&self.source[signature_start.min(signature_end)..signature_end]),
            doc: inner_doc.or_else(|| frame.leading.doc.clone()),
            comment,
            start,
            end,
            name_start: subject.name_node.start_byte(),
            name_row: subject.name_node.start_position().row,
            is_prototype: subject.is_prototype,
            name: subject.name,
        }
    }

    /// Says that this function or class is the value of a definition already recorded, and no definition itself.
    pub(crate) fn claim(&mut self, node: Node<'t>) {
        self.claimed = Some(node.id());
    }

    /// Says whether a definition was recorded for this node.
    pub(crate) fn is_claimed(&self, node: Node<'t>) -> bool {
        self.claimed == Some(node.id())
    }

    /// Makes a function in a type a method, and a method of a constructor's name a constructor.
    fn refined(&self, subject: &Subject<'t>) -> SymbolKind {
        let kind = match subject.kind {
            SymbolKind::Function if self.in_type() => SymbolKind::Method,
            kind => kind,
        };
        let constructs = self.grammar.rules.constructors.contains(&subject.name.as_str());
        if kind == SymbolKind::Method && constructs { SymbolKind::Constructor } else { kind }
    }

    /// Returns where a declaration ends before its body: comments between them are no part of it.
    fn end_before(&self, body: Node<'t>) -> usize {
        let is_comment = |node: &Node| matches!(self.grammar.rule(node.kind_id()), Some(Rule::Comment));
        let before = std::iter::successors(Some(body), |node| node.prev_sibling().filter(is_comment));
        before.take(MAX_COMMENTS_BEFORE_BODY).last().unwrap_or(body).start_byte()
    }
}

fn body_of<'t>(walk: &Walk<'t>, node: Node<'t>) -> Option<Node<'t>> {
    let bodies = walk.grammar.rules.bodies;
    let body = node.child_by_field_name("body");
    if bodies.is_empty() {
        return body;
    }
    let mut cursor = node.walk();
    let listed = node.children(&mut cursor).find(|child| bodies.contains(&child.kind()));
    [body, listed].into_iter().flatten().min_by_key(Node::start_byte)
}

fn scope_of(kind: SymbolKind) -> Option<ScopeKind> {
    match kind {
        SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor => Some(ScopeKind::Function),
        SymbolKind::Module => Some(ScopeKind::Module),
        SymbolKind::Variant => Some(ScopeKind::Type),
        kind if kind.is_type() => Some(ScopeKind::Type),
        _ => None,
    }
}
