//! Uses of names and imports, as rules describe them.

use std::borrow::Cow;

use model::{Import, ReferenceKind};

use crate::drafts::Mention;
use crate::names;
use crate::node::Node;
use crate::walk::Walk;

impl<'t> Walk<'t> {
    /// Returns the text of a node.
    pub(crate) fn text(&self, node: Node<'_>) -> Cow<'t, str> {
        String::from_utf8_lossy(&self.source[node.byte_range()])
    }

    /// Returns the text between two bytes.
    pub(crate) fn text_between(&self, start: usize, end: usize) -> Cow<'t, str> {
        String::from_utf8_lossy(&self.source[start.min(end)..end])
    }

    /// Says whether the text of a node starts with this.
    pub(crate) fn starts_with(&self, node: Node<'_>, start: &str) -> bool {
        self.source[node.start_byte()..].starts_with(start.as_bytes())
    }

    /// Records a use of the name in `node`.
    pub(crate) fn mention(&mut self, kind: ReferenceKind, node: Node<'t>) {
        if let Some(path) = names::resolve(self.grammar, node) {
            self.mention_at(kind, path.name, path.receiver);
        }
    }

    /// Records a use of the name in a field of the node; in the node itself where the field has no name.
    pub(crate) fn mention_field(&mut self, kind: ReferenceKind, node: Node<'t>, field: &'static str) {
        let named = if field.is_empty() { Some(node) } else { node.child_by_field_name(field) };
        if let Some(named) = named {
            self.mention(kind, named);
        }
    }

    /// Records a use of the name in each child.
    pub(crate) fn mention_children(&mut self, kind: ReferenceKind, node: Node<'t>) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.mention(kind, child);
        }
    }

    /// Records a use of a name with what stands before it.
    pub(crate) fn mention_at(&mut self, kind: ReferenceKind, name: Node<'t>, receiver: Option<(usize, usize)>) {
        let receiver = receiver.map_or_else(String::new, |(start, end)| names::receiver(&self.source[start..end]));
        self.mention_with(kind, name, receiver);
    }

    /// Records a use of a name with a receiver in words.
    pub(crate) fn mention_with(&mut self, kind: ReferenceKind, name_node: Node<'t>, receiver: String) {
        let name = &self.source[name_node.byte_range()];
        let is_builtin = || self.grammar.rules.builtin_types.iter().any(|builtin| builtin.as_bytes() == name);
        if name.is_empty() || name.len() > names::MAX_NAME_BYTES || kind != ReferenceKind::Call && is_builtin() {
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
        if [module, name, alias].iter().any(|text| text.len() > names::MAX_PATH_BYTES) {
            return;
        }
        let plain = |text: &str| names::fold(text.trim().as_bytes());
        let line = node.start_position().row as u32 + 1;
        let import = Import { module: plain(module), name: plain(name), alias: plain(alias), reexport, line };
        self.drafts.import(node.start_byte(), import);
    }
}
