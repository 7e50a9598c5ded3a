//! Tracked members: `self.x` and `a[0]`, which are bound like variables after they were assigned or tested.

use model::code::{Expression, ExpressionId, NameId, ScopeId, TypeExpression, TypeId};

use super::{PythonLowering, StatementContext, TrackedMember, fields::FIELDS};
use crate::node::SyntaxNode;

/// Maximum number of tracked members of one function.
const MAX_TRACKED_MEMBERS: usize = 64;

/// Maximum length in bytes of a tracked member in the source.
const MAX_MEMBER_BYTES: usize = 80;

/// Maximum number of members that lead to a tracked member.
const MAX_PATH_MEMBERS: usize = 4;

impl PythonLowering<'_, '_> {
    /// Returns the name of a member that was assigned or tested in this function.
    pub(super) fn tracked_member(&mut self, node: SyntaxNode<'_>) -> Option<NameId> {
        if self.functions.last()?.tracked_members.is_empty() {
            return None;
        }
        let member = self.out.interned(self.member_text(node)?)?;
        self.functions.last()?.tracked_members.iter().any(|known| known.name == member).then_some(member)
    }

    fn member_text(&self, node: SyntaxNode<'_>) -> Option<&str> {
        (node.byte_range().len() <= MAX_MEMBER_BYTES).then(|| self.out.text(node))
    }

    /// Tracks a member from here to the end of the function. Returns its name, and the type that the object declares
    /// for it.
    pub(super) fn track_member(&mut self, node: SyntaxNode<'_>, context: StatementContext) -> Option<(NameId, TypeId)> {
        let function = self.functions.last().filter(|_| context.is_function)?;
        let (body, n_tracked) = (function.body, function.tracked_members.len());
        self.member_text(node)?;
        let name = self.out.intern_node(node);
        let known = self.functions.last()?.tracked_members.iter().find(|known| known.name == name).cloned();
        let member = match known {
            Some(member) => member,
            None if n_tracked >= MAX_TRACKED_MEMBERS => return None,
            None => {
                let (path, index) = self.member_path(node)?;
                let member = TrackedMember { name, path: path.into(), index };
                let plain = self.lower_untracked(&member, context.scope);
                self.out.bind(body, name, None, Some(plain));
                self.functions.last_mut()?.tracked_members.push(member.clone());
                member
            }
        };
        let plain = self.lower_untracked(&member, context.scope);
        Some((name, self.out.add_type(TypeExpression::Of(plain))))
    }

    /// Returns the names of `a.b.c`, or those of `a.b` with the index of `a.b[0]`.
    fn member_path(&mut self, node: SyntaxNode<'_>) -> Option<(Vec<NameId>, Option<ExpressionId>)> {
        let (mut at, mut index) = (node, None);
        if node.kind() == "subscript" {
            let mut cursor = node.walk();
            let mut indices = node.children_by_field_name("subscript", &mut cursor);
            let only = indices.next().filter(|index| matches!(index.kind(), "integer" | "string"))?;
            if indices.next().is_some() {
                return None;
            }
            let literal =
                if only.kind() == "integer" { model::code::Literal::Integer } else { model::code::Literal::Text(None) };
            index = Some(self.add_literal(literal));
            at = node.child_by_field_id(FIELDS.value)?;
        }
        let mut path = Vec::new();
        while at.kind() == "attribute" && path.len() < MAX_PATH_MEMBERS {
            path.push(self.out.intern_node(at.child_by_field_id(FIELDS.attribute)?));
            at = at.child_by_field_id(FIELDS.object)?;
        }
        if at.kind() != "identifier" {
            return None;
        }
        path.push(self.out.intern_node(at));
        path.reverse();
        Some((path, index))
    }

    /// Records an access to a tracked member at a node.
    pub(super) fn access_tracked(&mut self, name: NameId, node: SyntaxNode<'_>, scope: ScopeId) {
        let tracked = self.functions.last().map_or(&[][..], |function| &function.tracked_members);
        let Some(member) = tracked.iter().find(|known| known.name == name && known.index.is_none()).cloned() else {
            return;
        };
        let plain = self.lower_untracked(&member, scope);
        self.out.add_access(plain, scope, node.child_by_field_id(FIELDS.attribute).unwrap_or(node));
    }

    /// Lowers a tracked member without its tracked value.
    fn lower_untracked(&mut self, member: &TrackedMember, scope: ScopeId) -> ExpressionId {
        let mut value = self.out.use_name(member.path[0], scope);
        for name in &member.path[1..] {
            value = self.out.add_expression(Expression::Member { of: value, name: *name });
        }
        match member.index {
            Some(index) => self.out.add_expression(Expression::Element { of: value, index: Some(index) }),
            None => value,
        }
    }

    /// Resets the tracked members of a variable that is reassigned.
    pub(super) fn reset_members(&mut self, scope: ScopeId, name: NameId) {
        let Some(function) = self.functions.last() else { return };
        let is_of = |member: &&TrackedMember| member.name != name && member.path[0] == name;
        let members: Vec<TrackedMember> = function.tracked_members.iter().filter(is_of).cloned().collect();
        for member in members {
            let plain = self.lower_untracked(&member, scope);
            self.rebind(scope, member.name, plain);
        }
    }
}
