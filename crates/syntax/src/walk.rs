//! The walk over a syntax tree: one pass, in the order of the text, without recursion.
//!
//! Each open ancestor has a frame. A frame remembers the comments and attributes directly before the child that the walk
//! is at, so that a definition finds its doc without searching; a scope says which definitions are open.

use model::{Import, SymbolKind};
use tree_sitter::{Node, Tree};

use crate::drafts::{Draft, Drafts, Mention};
use crate::grammar::Grammar;
use crate::names;
use crate::rules::{Next, Rule};
use crate::signature;

/// The state of one walk; what rules of languages work with.
pub(crate) struct Walk<'t> {
    pub(crate) source: &'t [u8],
    pub(crate) grammar: &'static Grammar,
    pub(crate) drafts: Drafts,
    frames: Vec<Frame>,
    scopes: Vec<Scope>,
    /// Names of the open scopes, joined by dots.
    container: String,
    /// What the node at hand gives to the frame of its children.
    lent: Option<Outer>,
    opening: Option<(ScopeKind, String)>,
    claimed: Option<usize>,
    /// Every part of the name of every namespace so far.
    namespaces: Vec<String>,
    /// Whether the node at hand has no rule.
    passes_leading: bool,
}

/// What an open scope makes of the definitions in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    /// A module: qualifies the names in it.
    Module,
    /// A namespace: does not qualify the names in it, since one type or function is split over many files by it.
    Namespace,
    /// A type: functions in it are methods.
    Type,
    /// A function: variables in it are its own.
    Function,
}

struct Scope {
    kind: ScopeKind,
    name: String,
    /// Length of the container outside of this scope.
    outer_len: usize,
}

/// A place in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) byte: usize,
    pub(crate) row: usize,
}

/// What stands around a definition and belongs to it.
#[derive(Clone, Copy)]
struct Outer {
    start: Spot,
    end: Spot,
    signature_start: usize,
    comment: Option<(usize, usize)>,
}

#[derive(Default)]
struct Frame {
    leading: Leading,
    /// Whether the child at hand is a comment or attribute itself.
    at_leading: bool,
    lent: Option<Outer>,
    opened_scope: bool,
}

/// Comments and attributes directly before a node.
#[derive(Default, Clone)]
struct Leading {
    comment: Option<(usize, usize)>,
    attribute: Option<Spot>,
    /// Doc that the language says in another way than by comments.
    doc: Option<String>,
}

/// A definition as a rule describes it.
pub(crate) struct Subject<'t> {
    pub(crate) kind: SymbolKind,
    pub(crate) node: Node<'t>,
    pub(crate) name: String,
    pub(crate) name_node: Node<'t>,
    /// Names between the container and the name: the receiver of Go, the path of an out-of-line method.
    pub(crate) qualifier: String,
    pub(crate) body: Option<Node<'t>>,
    /// A declaration that gives way to a definition of the same name in the same file.
    pub(crate) is_prototype: bool,
    pub(crate) scope: Option<ScopeKind>,
}

/// Walks over a tree and returns what it finds.
pub(crate) fn walk(tree: &Tree, source: &[u8], grammar: &'static Grammar) -> Drafts {
    let mut walk = Walk {
        source,
        grammar,
        drafts: Drafts::default(),
        frames: vec![Frame::default()],
        scopes: Vec::new(),
        container: String::new(),
        lent: None,
        opening: None,
        claimed: None,
        namespaces: Vec::new(),
        passes_leading: false,
    };
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let descends = walk.enter(node) == Next::Into;
        if !grammar.rules.type_fields.is_empty()
            && cursor.field_name().is_some_and(|name| grammar.rules.type_fields.contains(&name))
        {
            walk.mention(model::ReferenceKind::Type, node);
        }
        if descends && cursor.goto_first_child() {
            walk.open();
            continue;
        }
        walk.lent = None;
        walk.opening = None;
        loop {
            walk.leave();
            if cursor.goto_next_sibling() {
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
    // --- what rules ask

    /// Returns the text of a node.
    pub(crate) fn text(&self, node: Node<'_>) -> std::borrow::Cow<'t, str> {
        String::from_utf8_lossy(&self.source[node.byte_range()])
    }

    /// Says whether the innermost scope is a function, so that a variable here is nobody else's business.
    pub(crate) fn in_function(&self) -> bool {
        self.scopes.last().is_some_and(|scope| scope.kind == ScopeKind::Function)
    }

    /// Says whether the innermost scope is a type.
    pub(crate) fn in_type(&self) -> bool {
        self.scopes.last().is_some_and(|scope| scope.kind == ScopeKind::Type)
    }

    /// Returns the name of the innermost scope if that is a type; empty if not.
    pub(crate) fn type_name(&self) -> &str {
        self.scopes.last().filter(|scope| scope.kind == ScopeKind::Type).map_or("", |scope| scope.name.as_str())
    }

    /// Says whether a namespace of this name was opened before, here or earlier in the file.
    pub(crate) fn knows_namespace(&self, name: &str) -> bool {
        self.namespaces.iter().any(|known| known == name)
    }

    /// Says whether the innermost scope is a module without a name: a list of definitions.
    pub(crate) fn in_unnamed_module(&self) -> bool {
        self.scopes.last().is_some_and(|scope| scope.kind == ScopeKind::Module && scope.name.is_empty())
    }

    /// Returns the text between two bytes.
    pub(crate) fn text_between(&self, start: usize, end: usize) -> std::borrow::Cow<'t, str> {
        String::from_utf8_lossy(&self.source[start.min(end)..end])
    }

    // --- what rules say

    /// Records the definition that `node` is, named by its field `name`.
    pub(crate) fn define_named(&mut self, kind: SymbolKind, node: Node<'t>) -> Next {
        if let Some(name_node) = node.child_by_field_name("name") {
            self.define(Subject::new(kind, node, name_node, self));
        }
        Next::Into
    }

    /// Records a definition; what is in its node stands in its scope.
    pub(crate) fn define(&mut self, subject: Subject<'t>) {
        if subject.name.is_empty() || subject.name.len() > names::MAX_NAME_BYTES {
            return;
        }
        let kind = self.refined(&subject);
        let frame = self.frames.last().expect("the root frame stays");
        let (leading, outer) = (frame.leading.clone(), frame.lent);
        let own_start = leading.attribute.unwrap_or_else(|| Spot::start_of(subject.node));
        let start = outer.map_or(own_start, |outer| outer.start);
        let end = outer.map_or_else(|| Spot::end_of(subject.node), |outer| outer.end).trimmed(self.source, start);
        let comment = self.adjacent(leading.comment, own_start).or(outer.and_then(|outer| outer.comment));
        let inner_doc = self.grammar.rules.inner_doc.and_then(|find| find(self, subject.node));
        let signature_start = match outer {
            Some(outer) => outer.signature_start,
            None => self.signature_start(subject.node),
        };
        let signature_end = subject.body.map_or(end.byte, |body| self.end_before(body));
        self.drafts.define(Draft {
            kind,
            container: join(&self.container, &subject.qualifier),
            signature: signature::of(&self.source[signature_start.min(signature_end)..signature_end]),
            doc: inner_doc.or(leading.doc),
            comment,
            start,
            end,
            name_start: subject.name_node.start_byte(),
            name_row: subject.name_node.start_position().row,
            is_prototype: subject.is_prototype,
            name: subject.name.clone(),
        });
        if let Some(scope) = subject.scope {
            self.open_scope(scope, &join(&subject.qualifier, &subject.name));
        }
    }

    /// Records a definition that belongs to what is around the innermost scope, such as a property that is a parameter.
    pub(crate) fn define_outside(&mut self, subject: Subject<'t>) {
        let outer_len = self.scopes.last().map_or(0, |scope| scope.outer_len);
        let inner = self.container.split_off(outer_len);
        self.define(subject);
        self.container.push_str(&inner);
    }

    /// Opens a scope for what is in the node at hand.
    pub(crate) fn open_scope(&mut self, kind: ScopeKind, name: &str) {
        self.opening = Some((kind, name.to_owned()));
    }

    /// Says that the node belongs to the definition that is its child.
    pub(crate) fn wrap(&mut self, node: Node<'t>) {
        let frame = self.frames.last().expect("the root frame stays");
        let own_start = frame.leading.attribute.unwrap_or_else(|| Spot::start_of(node));
        self.lent = Some(frame.lent.unwrap_or_else(|| Outer {
            start: own_start,
            end: Spot::end_of(node),
            signature_start: self.signature_start(node),
            comment: self.adjacent(frame.leading.comment, own_start),
        }));
    }

    /// Says that this function or class is the value of a definition already recorded, and no definition itself.
    pub(crate) fn claim(&mut self, node: Node<'t>) {
        self.claimed = Some(node.id());
    }

    /// Says whether a definition was recorded for this node.
    pub(crate) fn is_claimed(&self, node: Node<'t>) -> bool {
        self.claimed == Some(node.id())
    }

    /// Records a use of the name in `node`.
    pub(crate) fn mention(&mut self, kind: model::ReferenceKind, node: Node<'t>) {
        if let Some(path) = names::resolve(self.grammar, node) {
            self.mention_at(kind, path.name, path.receiver);
        }
    }

    /// Records a use of a name with what stands before it.
    pub(crate) fn mention_at(
        &mut self,
        kind: model::ReferenceKind,
        name_node: Node<'t>,
        receiver: Option<(usize, usize)>,
    ) {
        let receiver = receiver.map_or_else(String::new, |(start, end)| names::receiver(&self.source[start..end]));
        self.mention_with(kind, name_node, receiver);
    }

    /// Records a use of a name with a receiver in words.
    pub(crate) fn mention_with(&mut self, kind: model::ReferenceKind, name_node: Node<'t>, receiver: String) {
        let name = &self.source[name_node.byte_range()];
        if name.is_empty() || name.len() > names::MAX_NAME_BYTES {
            return;
        }
        if kind != model::ReferenceKind::Call && self.grammar.rules.builtin_types.iter().any(|b| b.as_bytes() == name) {
            return;
        }
        self.drafts.mention(Mention {
            kind,
            name: String::from_utf8_lossy(name).into_owned(),
            receiver,
            byte: name_node.start_byte(),
            row: name_node.start_position().row,
        });
    }

    /// Records an import that stands at `node`.
    pub(crate) fn import(&mut self, node: Node<'_>, module: &str, name: &str, alias: &str, reexport: bool) {
        self.drafts.imports.push((
            node.start_byte(),
            Import {
                module: module.trim().to_owned(),
                name: name.trim().to_owned(),
                alias: alias.trim().to_owned(),
                reexport,
                line: node.start_position().row as u32 + 1,
            },
        ));
    }

    /// Gives the next definition a doc that is not a comment.
    pub(crate) fn document_next(&mut self, doc: String) {
        self.frames.last_mut().expect("the root frame stays").leading.doc = Some(doc);
    }

    // --- the walk itself

    fn enter(&mut self, node: Node<'t>) -> Next {
        self.passes_leading = false;
        let Some(rule) = self.grammar.rule(node.kind_id()) else {
            self.passes_leading = true;
            return Next::Into;
        };
        match rule {
            Rule::Define(kind) => return self.define_named(kind, node),
            Rule::Anonymous => self.open_scope(ScopeKind::Function, ""),
            Rule::Comment => {
                self.lead_comment(node);
                return Next::Over;
            }
            Rule::Attribute => {
                self.mention(model::ReferenceKind::Decorate, node);
                self.lead_attribute(node);
            }
            Rule::Attributes(visit) => {
                let next = visit(self, node);
                self.lead_attribute(node);
                return next;
            }
            Rule::Modifiers => {}
            Rule::Wrapper => self.wrap(node),
            Rule::WrapperOfOne if self.n_definitions_in(node) == 1 => self.wrap(node),
            Rule::WrapperOfOne => {}
            Rule::Call("") => self.mention(model::ReferenceKind::Call, node),
            Rule::Call(field) => self.mention_field(model::ReferenceKind::Call, node, field),
            Rule::Construct("") => self.mention(model::ReferenceKind::Construct, node),
            Rule::Construct(field) => self.mention_field(model::ReferenceKind::Construct, node, field),
            Rule::Type => self.mention(model::ReferenceKind::Type, node),
            Rule::Bases(kind) => {
                let mut cursor = node.walk();
                for base in node.named_children(&mut cursor) {
                    self.mention(kind, base);
                }
            }
            Rule::Skip => return Next::Over,
            Rule::Visit(visit) => {
                let next = visit(self, node);
                if next == Next::OverAttribute {
                    self.lead_attribute(node);
                }
                return next;
            }
        }
        Next::Into
    }

    fn open(&mut self) {
        let mut opened_scope = false;
        if let Some((kind, name)) = self.opening.take() {
            let outer_len = self.container.len();
            if kind == ScopeKind::Namespace {
                self.remember_namespace(&name);
            }
            if kind != ScopeKind::Namespace && !name.is_empty() {
                self.container = join(&self.container, &name);
            }
            self.scopes.push(Scope { kind, name, outer_len });
            opened_scope = true;
        }
        // A node without a meaning of its own stands for its first child: what is before it is before the child.
        let leading = match self.frames.last_mut() {
            Some(parent) if self.passes_leading => std::mem::take(&mut parent.leading),
            _ => Leading::default(),
        };
        self.frames.push(Frame { leading, lent: self.lent.take(), opened_scope, ..Frame::default() });
    }

    fn remember_namespace(&mut self, name: &str) {
        for part in name.split('.') {
            if !self.knows_namespace(part) {
                self.namespaces.push(part.to_owned());
            }
        }
    }

    fn close(&mut self) {
        let frame = self.frames.pop().expect("one frame for each open ancestor");
        if frame.opened_scope {
            let scope = self.scopes.pop().expect("one scope for each frame that opened one");
            self.container.truncate(scope.outer_len);
        }
    }

    fn leave(&mut self) {
        let frame = self.frames.last_mut().expect("the root frame stays");
        if !std::mem::take(&mut frame.at_leading) {
            frame.leading = Leading::default();
        }
    }

    fn mention_field(&mut self, kind: model::ReferenceKind, node: Node<'t>, field: &'static str) {
        if let Some(child) = node.child_by_field_name(field) {
            self.mention(kind, child);
        }
    }

    /// Returns where a declaration ends before its body: comments between them are no part of it.
    fn end_before(&self, body: Node<'t>) -> usize {
        let mut first = body;
        while let Some(previous) = first.prev_sibling() {
            if !matches!(self.grammar.rule(previous.kind_id()), Some(Rule::Comment)) {
                break;
            }
            first = previous;
        }
        first.start_byte()
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

    fn lead_comment(&mut self, node: Node<'t>) {
        let (start, end) = (node.start_byte(), node.end_byte());
        let is_first_on_line = starts_its_line(self.source, start);
        let frame = self.frames.last_mut().expect("the root frame stays");
        frame.at_leading = true;
        if !is_first_on_line {
            return;
        }
        let continued = frame.leading.comment.filter(|&(_, previous_end)| {
            self.source[start..].starts_with(b"/*") == self.source[previous_end.saturating_sub(2)..].starts_with(b"*/")
                && !self.source[start..].starts_with(b"/*")
                && n_line_breaks(&self.source[previous_end..start], self.source[..previous_end].last()) <= 1
        });
        frame.leading.comment = Some((continued.map_or(start, |(first, _)| first), end));
    }

    fn lead_attribute(&mut self, node: Node<'t>) {
        let frame = self.frames.last_mut().expect("the root frame stays");
        frame.at_leading = true;
        frame.leading.attribute.get_or_insert_with(|| Spot::start_of(node));
    }

    fn n_definitions_in(&self, node: Node<'t>) -> usize {
        let mut cursor = node.walk();
        node.named_children(&mut cursor).filter(|child| !child.is_extra()).take(2).count()
    }

    /// Returns the comment if no empty line is between it and what starts at `start`.
    fn adjacent(&self, comment: Option<(usize, usize)>, start: Spot) -> Option<(usize, usize)> {
        comment.filter(|&(_, end)| {
            end <= start.byte && n_line_breaks(&self.source[end..start.byte], self.source[..end].last()) <= 1
        })
    }

    /// Returns where the signature starts: behind attributes and decorators.
    fn signature_start(&self, node: Node<'t>) -> usize {
        let mut cursor = node.walk();
        if !cursor.goto_first_child() {
            return node.start_byte();
        }
        loop {
            match self.grammar.rule(cursor.node().kind_id()) {
                Some(Rule::Attribute | Rule::Attributes(_) | Rule::Comment) => {}
                Some(Rule::Modifiers) => {
                    let modifiers = cursor.node();
                    let mut inner = modifiers.walk();
                    let is_plain = |child: &Node| {
                        !matches!(
                            self.grammar.rule(child.kind_id()),
                            Some(Rule::Attribute | Rule::Attributes(_) | Rule::Comment)
                        )
                    };
                    if let Some(first) = modifiers.children(&mut inner).find(is_plain) {
                        return first.start_byte();
                    }
                }
                _ => return cursor.node().start_byte(),
            }
            if !cursor.goto_next_sibling() {
                return node.start_byte();
            }
        }
    }
}

impl<'t> Subject<'t> {
    /// Describes the definition that `node` is, with the name that `name_node` is.
    pub(crate) fn new(kind: SymbolKind, node: Node<'t>, name_node: Node<'t>, walk: &Walk<'t>) -> Subject<'t> {
        Subject {
            kind,
            node,
            name: names::fold(&walk.source[name_node.byte_range()]),
            name_node,
            qualifier: String::new(),
            body: body_of(walk, node),
            is_prototype: false,
            scope: scope_of(kind),
        }
    }
}

/// Returns the body of a definition: what its signature ends before.
pub(crate) fn body_of<'t>(walk: &Walk<'t>, node: Node<'t>) -> Option<Node<'t>> {
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

impl Spot {
    pub(crate) fn start_of(node: Node<'_>) -> Spot {
        Spot { byte: node.start_byte(), row: node.start_position().row }
    }

    pub(crate) fn end_of(node: Node<'_>) -> Spot {
        Spot { byte: node.end_byte(), row: node.end_position().row }
    }

    /// Moves an end back over white space, since some grammars count the line break as a part of the node.
    fn trimmed(self, source: &[u8], start: Spot) -> Spot {
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
fn n_line_breaks(between: &[u8], last_of_comment: Option<&u8>) -> usize {
    between.iter().filter(|&&byte| byte == b'\n').count() + usize::from(last_of_comment == Some(&b'\n'))
}

fn join(container: &str, name: &str) -> String {
    if name.is_empty() { container.to_owned() } else { model::symbol::qualify(container, name) }
}
