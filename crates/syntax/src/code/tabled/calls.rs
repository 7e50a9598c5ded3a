//! Calls, object creations and their arguments.

use model::code::{Expression, ExpressionId, ScopeId, TypeId};

use super::selectors::ChildSelector;
use super::{OPAQUE, TabledLowering, UNKNOWN_TYPE};
use crate::node::SyntaxNode;

impl TabledLowering<'_, '_> {
    /// Lowers `callee(arguments)`.
    pub(super) fn lower_call(
        &mut self,
        node: SyntaxNode<'_>,
        callee: ChildSelector,
        arguments: &[ChildSelector],
        scope: ScopeId,
    ) -> ExpressionId {
        let Some(callee_node) = callee.of(node) else { return OPAQUE };
        let type_arguments = self.lower_type_arguments(node, callee_node, scope);
        let callee = self.visit(callee_node, scope);
        let arguments = self.lower_arguments(node, arguments, scope);
        let line = line_of_end(callee_node);
        self.add_call(callee, type_arguments, arguments, line, scope)
    }

    /// Lowers `of.name(arguments)`, or `name(arguments)`. A call without a list of arguments is a read of a member; it is a site
    /// if the member is that of a type.
    pub(super) fn lower_method_call(
        &mut self,
        node: SyntaxNode<'_>,
        of: Option<SyntaxNode<'_>>,
        name: Option<SyntaxNode<'_>>,
        arguments: &[ChildSelector],
        scope: ScopeId,
    ) -> ExpressionId {
        let Some(name) = name else { return of.map_or(OPAQUE, |of| self.visit(of, scope)) };
        let is_constructor = !self.table.constructor.is_empty() && self.out.text(name) == self.table.constructor;
        if let Some(made) = of.filter(|of| is_constructor && is_type_path(self.out.text(*of))) {
            return self.lower_make(node, Some(made), arguments, scope);
        }
        let callee = match of {
            Some(of) => {
                let of = self.visit(of, scope);
                self.add_member(of, Some(name))
            }
            None => self.visit_callee(name, scope),
        };
        let line = name.start_position().row as u32 + 1;
        if arguments.iter().all(|list| list.of(node).is_none()) {
            // Reads of members of values are too many, and hardly ever calls of another service.
            if of.is_some_and(|of| is_type_path(self.out.text(of))) {
                self.add_site(callee, line, scope);
            }
            return callee;
        }
        let arguments = self.lower_arguments(node, arguments, scope);
        self.add_call(callee, [].into(), arguments, line, scope)
    }

    /// Lowers the name of a called function.
    fn visit_callee(&mut self, name: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        match self.visit(name, scope) {
            OPAQUE => self.lower_name(name, scope),
            callee => callee,
        }
    }

    /// Adds a call with its site.
    pub(super) fn add_call(
        &mut self,
        callee: ExpressionId,
        type_arguments: Box<[TypeId]>,
        arguments: Vec<ExpressionId>,
        line: u32,
        scope: ScopeId,
    ) -> ExpressionId {
        let arguments = arguments.into();
        let call = self.out.add_expression(Expression::Call { callee, type_arguments, arguments });
        self.add_site(call, line, scope);
        call
    }

    /// Lowers `new made(arguments)`.
    pub(super) fn lower_make(
        &mut self,
        node: SyntaxNode<'_>,
        made: Option<SyntaxNode<'_>>,
        arguments: &[ChildSelector],
        scope: ScopeId,
    ) -> ExpressionId {
        let line = made.map_or_else(|| line_of_end(node), line_of_end);
        let made = made.map_or(UNKNOWN_TYPE, |made| self.lower_type(made, scope));
        let arguments = self.lower_arguments(node, arguments, scope);
        self.add_make(made, arguments, line, scope)
    }

    /// Adds an object creation with its site.
    pub(super) fn add_make(
        &mut self,
        made: TypeId,
        arguments: Vec<ExpressionId>,
        line: u32,
        scope: ScopeId,
    ) -> ExpressionId {
        let make = self.out.add_expression(Expression::Make { made, arguments: arguments.into() });
        self.add_site(make, line, scope);
        make
    }

    fn add_site(&mut self, expression: ExpressionId, line: u32, scope: ScopeId) {
        if expression != OPAQUE {
            self.out.code.sites.push(model::code::Site { expression, scope, line });
        }
    }

    /// Lowers lists of arguments, and blocks behind them: positional arguments, keyword arguments as one dereferenced object,
    /// then blocks.
    pub(super) fn lower_arguments(
        &mut self,
        node: SyntaxNode<'_>,
        lists: &[ChildSelector],
        scope: ScopeId,
    ) -> Vec<ExpressionId> {
        let mut arguments = Vec::new();
        let mut blocks = Vec::new();
        for list in lists.iter().filter_map(|list| list.of(node)) {
            if self.table.argument_lists.contains(&list.kind()) {
                arguments.extend(self.lower_argument_list(list, scope));
            } else {
                blocks.push(self.visit(list, scope));
            }
        }
        arguments.extend(blocks.into_iter().filter(|block| *block != OPAQUE));
        arguments
    }

    /// Lowers one list of arguments.
    pub(super) fn lower_argument_list(&mut self, list: SyntaxNode<'_>, scope: ScopeId) -> Vec<ExpressionId> {
        let entries = self.lower_entries(list, scope);
        let mut arguments = entries.items;
        if !entries.members.is_empty() {
            let of = self.out.add_expression(Expression::Object(entries.members.into()));
            arguments.push(self.out.add_expression(Expression::Dereferenced { of }));
        }
        arguments
    }

    /// Returns the type arguments of a call: those of the call, of its callee, or of the last name of the callee.
    pub(super) fn lower_type_arguments(
        &mut self,
        node: SyntaxNode<'_>,
        callee: SyntaxNode<'_>,
        scope: ScopeId,
    ) -> Box<[TypeId]> {
        // They are at the end of the callee, or right behind it.
        let end = callee.end_byte();
        let around = self.out.source.get(end.saturating_sub(1)..=end).unwrap_or_default();
        if self.table.type_arguments.is_empty() || !matches!(around, [b'>' | b']', _] | [_, b'<' | b'[']) {
            return [].into();
        }
        let last = ChildSelector::Last.of(callee);
        let places = [Some(node), Some(callee), last, last.and_then(|last| ChildSelector::Last.of(last))];
        let mut lists = places
            .into_iter()
            .flatten()
            .filter_map(|place| self.table.type_arguments.iter().find_map(|kind| place.named_child_of_kind(kind)));
        let Some(list) = lists.next() else { return [].into() };
        let mut cursor = list.walk();
        let mut types = Vec::new();
        for child in list.named_children(&mut cursor) {
            types.push(self.lower_type(child, scope));
        }
        types.into()
    }
}

/// Returns the line of the end of a node: that of the called name, behind its object.
fn line_of_end(node: SyntaxNode<'_>) -> u32 {
    node.end_position().row as u32 + 1
}

/// Returns true if a path names a type: all of its parts begin with capital letters.
fn is_type_path(text: &str) -> bool {
    let mut parts = text.split("::").filter(|part| !part.is_empty());
    let is_path = text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':');
    is_path && parts.all(|part| part.starts_with(|first: char| first.is_uppercase()))
}
