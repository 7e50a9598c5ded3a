//! `match`: what each case knows of its subject.

use model::code::{ExpressionId, NameId};

use super::{OPAQUE, Place, Walk, fields::FIELDS, flow::Flow};
use crate::node::Node;

impl Walk<'_, '_> {
    /// Writes a `match`: each case is a branch.
    pub(super) fn matched(&mut self, node: Node<'_>, place: Place) -> Flow {
        let subject_node = node.child_by_field_id(FIELDS.subject);
        let subject = subject_node.map_or(OPAQUE, |subject| self.expression(subject, place));
        let name: Option<NameId> =
            subject_node.filter(|node| node.kind() == "identifier").map(|node| self.out.name_of(node));
        let mark = self.mark();
        let mut branches = vec![(place.scope, Flow::On)];
        let Some(body) = node.child_by_field_id(FIELDS.body) else { return Flow::On };
        let mut cursor = body.walk();
        for case in body.named_children(&mut cursor).filter(|child| child.kind() == "case_clause") {
            let inner = self.branch(place);
            let mut cursor = case.walk();
            let patterns: Vec<Node> = case.named_children(&mut cursor).filter(|n| n.kind() == "case_pattern").collect();
            for pattern in &patterns {
                let whole = if patterns.len() == 1 { subject } else { OPAQUE };
                let name = name.filter(|_| patterns.len() == 1);
                self.pattern(*pattern, whole, name, inner);
            }
            if let Some(guard) = case.child_by_field_id(FIELDS.guard) {
                self.all(guard, inner);
            }
            let flow = case.child_by_field_id(FIELDS.consequence).map_or(Flow::On, |body| self.block(body, inner));
            branches.push((inner.scope, flow));
        }
        self.join(place.scope, &branches, &[], mark)
    }

    /// Binds what a pattern captures of a subject, which may have a name.
    fn pattern(&mut self, node: Node<'_>, subject: ExpressionId, name: Option<NameId>, place: Place) {
        if !self.out.descend() {
            return;
        }
        match node.kind() {
            "case_pattern" => {
                if let Some(inner) = node.named_child(0) {
                    self.pattern(inner, subject, name, place);
                }
            }
            "class_pattern" => {
                let mut cursor = node.walk();
                for part in node.named_children(&mut cursor) {
                    if part.kind() != "dotted_name" {
                        self.pattern(part, OPAQUE, None, place);
                    } else if let Some(name) = name {
                        let declared = self.written(part, place.scope);
                        self.refine(place.scope, name, declared);
                    }
                }
            }
            "as_pattern" => {
                let pattern = node.named_child(0);
                let alias = node.child_by_field_id(FIELDS.alias).or_else(|| {
                    node.named_child((node.named_child_count() as u32).saturating_sub(1))
                        .filter(|last| last.kind() == "identifier")
                });
                let alias = alias.map(|alias| self.out.name_of(alias));
                if let Some(alias) = alias {
                    self.assign(place.scope, alias, None, Some(subject));
                }
                if let Some(pattern) = pattern {
                    self.pattern(pattern, subject, alias, place);
                }
            }
            "dotted_name" if node.named_child_count() == 1 => {
                let capture = self.out.name_of(node);
                if name != Some(capture) {
                    self.assign(place.scope, capture, None, Some(subject));
                }
            }
            "identifier" => {
                let capture = self.out.name_of(node);
                self.assign(place.scope, capture, None, Some(OPAQUE));
            }
            "keyword_pattern" => {
                let mut cursor = node.walk();
                for part in node.named_children(&mut cursor).skip(1) {
                    self.pattern(part, OPAQUE, None, place);
                }
            }
            _ => {
                let mut cursor = node.walk();
                for part in node.named_children(&mut cursor) {
                    self.pattern(part, OPAQUE, None, place);
                }
            }
        }
        self.out.ascend();
    }
}
