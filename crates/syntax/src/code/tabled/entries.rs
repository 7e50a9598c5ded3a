//! Entries of argument lists, lists, maps and objects.

use model::code::{Expression, ExpressionId, NameId, ScopeId};

use super::expressions::bare_word;
use super::table::LoweringRule;
use super::{OPAQUE, TabledLowering};
use crate::node::SyntaxNode;

/// Maximum length in bytes of a key that is kept.
const MAX_KEY_BYTES: usize = 100;

/// The entries of a list.
#[derive(Default)]
pub(super) struct LoweredEntries {
    /// Values without a name.
    pub(super) items: Vec<ExpressionId>,
    /// Values with a name.
    pub(super) members: Vec<(NameId, ExpressionId)>,
}

impl TabledLowering<'_, '_> {
    /// Lowers the entries of a list.
    pub(super) fn lower_entries(&mut self, list: SyntaxNode<'_>, scope: ScopeId) -> LoweredEntries {
        let mut entries = LoweredEntries::default();
        let mut cursor = list.walk();
        for child in list.named_children(&mut cursor).filter(|child| !child.is_extra()) {
            if matches!(self.rule(child), Some(LoweringRule::Skip)) {
                continue;
            }
            if self.table.entry_groups.contains(&child.kind()) {
                if self.out.descend() {
                    let inner = self.lower_entries(child, scope);
                    self.out.ascend();
                    entries.items.extend(inner.items);
                    entries.members.extend(inner.members);
                }
                continue;
            }
            let rule = self.table.entries.iter().find(|entry| entry.kind == child.kind());
            let Some(rule) = rule else {
                entries.items.push(self.visit(child, scope));
                continue;
            };
            let value = rule.value.of(child);
            let name = rule.name.of(child).filter(|name| Some(*name) != value);
            match (name, value) {
                (Some(name), Some(value)) => {
                    let value = self.visit(value, scope);
                    entries.members.push((self.key_name(name), value));
                }
                (Some(name), None) => {
                    // `{ name: }` is the variable of this name.
                    let value = self.lower_name(name, scope);
                    entries.members.push((self.key_name(name), value));
                }
                // A node of the kind of an entry may also be a value of its own.
                (None, _) if self.rule(child).is_some() => entries.items.push(self.visit(child, scope)),
                (None, Some(value)) => entries.items.push(self.visit(value, scope)),
                (None, None) => entries.items.push(OPAQUE),
            }
        }
        entries
    }

    /// Lowers a list, a map or an object.
    pub(super) fn lower_collection(&mut self, node: SyntaxNode<'_>, scope: ScopeId) -> ExpressionId {
        let LoweredEntries { items, members } = self.lower_entries(node, scope);
        match members.is_empty() {
            true => self.out.add_expression(Expression::List(items.into())),
            false => self.out.add_expression(Expression::Object(members.into())),
        }
    }

    /// Interns the text of a key.
    pub(super) fn key_name(&mut self, key: SyntaxNode<'_>) -> NameId {
        let text = bare_word(self.out.text(key));
        self.out.intern(if text.len() <= MAX_KEY_BYTES { text } else { "" })
    }
}
