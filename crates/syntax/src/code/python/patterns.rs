//! `match`: the narrowing of the subject in each case.

use model::code::{ExpressionId, NameId};

use super::{OPAQUE, PythonLowering, StatementContext, control_flow::Flow, fields::FIELDS};
use crate::node::SyntaxNode;

impl PythonLowering<'_, '_> {
    /// Lowers a `match`. Each case is a branch.
    pub(super) fn lower_match(&mut self, node: SyntaxNode<'_>, context: StatementContext) -> Flow {
        let subject_node = node.child_by_field_id(FIELDS.subject);
        let subject = subject_node.map_or(OPAQUE, |subject| self.lower_expression(subject, context));
        let name: Option<NameId> =
            subject_node.filter(|node| node.kind() == "identifier").map(|node| self.out.intern_node(node));
        let mark = self.mark();
        let mut branches = vec![(context.scope, Flow::Continues)];
        let Some(body) = node.child_by_field_id(FIELDS.body) else { return Flow::Continues };
        let mut cursor = body.walk();
        for case in body.named_children(&mut cursor).filter(|child| child.kind() == "case_clause") {
            let inner = self.open_branch(context);
            let mut cursor = case.walk();
            let patterns: Vec<SyntaxNode> =
                case.named_children(&mut cursor).filter(|n| n.kind() == "case_pattern").collect();
            for pattern in &patterns {
                let whole = if patterns.len() == 1 { subject } else { OPAQUE };
                let name = name.filter(|_| patterns.len() == 1);
                self.bind_pattern(*pattern, whole, name, inner);
            }
            if let Some(guard) = case.child_by_field_id(FIELDS.guard) {
                self.lower_children(guard, inner);
            }
            let flow = case
                .child_by_field_id(FIELDS.consequence)
                .map_or(Flow::Continues, |body| self.lower_block(body, inner));
            branches.push((inner.scope, flow));
        }
        self.merge_branches(context.scope, &branches, &[], mark)
    }

    /// Binds the captures of a pattern on a subject, which may have a name.
    fn bind_pattern(
        &mut self,
        node: SyntaxNode<'_>,
        subject: ExpressionId,
        name: Option<NameId>,
        context: StatementContext,
    ) {
        if !self.out.descend() {
            return;
        }
        match node.kind() {
            "case_pattern" => {
                if let Some(inner) = node.named_child(0) {
                    self.bind_pattern(inner, subject, name, context);
                }
            }
            "class_pattern" => {
                let mut cursor = node.walk();
                for part in node.named_children(&mut cursor) {
                    if part.kind() != "dotted_name" {
                        self.bind_pattern(part, OPAQUE, None, context);
                    } else if let Some(name) = name {
                        let declared = self.lower_type(part, context.scope);
                        self.bind_narrowed(context.scope, name, declared);
                    }
                }
            }
            "as_pattern" => {
                let pattern = node.named_child(0);
                let alias = node.child_by_field_id(FIELDS.alias).or_else(|| {
                    node.named_child((node.named_child_count() as u32).saturating_sub(1))
                        .filter(|last| last.kind() == "identifier")
                });
                let alias = alias.map(|alias| self.out.intern_node(alias));
                if let Some(alias) = alias {
                    self.assign(context.scope, alias, None, Some(subject));
                }
                if let Some(pattern) = pattern {
                    self.bind_pattern(pattern, subject, alias, context);
                }
            }
            "dotted_name" if node.named_child_count() == 1 => {
                let capture = self.out.intern_node(node);
                if name != Some(capture) {
                    self.assign(context.scope, capture, None, Some(subject));
                }
            }
            "dotted_name" => {
                let mut cursor = node.walk();
                let mut parts = node.named_children(&mut cursor);
                if let Some(first) = parts.next() {
                    let of = self.out.name_at(first, context.scope);
                    parts.fold(of, |of, part| self.out.member_at(of, part, context.scope));
                }
            }
            "identifier" => {
                let capture = self.out.intern_node(node);
                self.assign(context.scope, capture, None, Some(OPAQUE));
            }
            "keyword_pattern" => {
                let mut cursor = node.walk();
                for part in node.named_children(&mut cursor).skip(1) {
                    self.bind_pattern(part, OPAQUE, None, context);
                }
            }
            _ => {
                let mut cursor = node.walk();
                for part in node.named_children(&mut cursor) {
                    self.bind_pattern(part, OPAQUE, None, context);
                }
            }
        }
        self.out.ascend();
    }
}
