//! References and imports, as the rules of a language record them.

use std::borrow::Cow;

use model::{Import, ReferenceKind};

use crate::names;
use crate::node::SyntaxNode;

use super::TreeWalk;
use super::collected::ReferenceDraft;

impl<'t> TreeWalk<'t> {
    /// Returns the text of a node.
    pub(crate) fn text(&self, node: SyntaxNode<'_>) -> Cow<'t, str> {
        String::from_utf8_lossy(&self.source[node.byte_range()])
    }

    /// Returns the text between two bytes.
    pub(crate) fn text_between(&self, start: usize, end: usize) -> Cow<'t, str> {
        String::from_utf8_lossy(&self.source[start.min(end)..end])
    }

    /// Returns true if the text of a node starts with `start`.
    pub(crate) fn starts_with(&self, node: SyntaxNode<'_>, start: &str) -> bool {
        self.source[node.start_byte()..].starts_with(start.as_bytes())
    }

    /// Records a reference to the name in `node`.
    pub(crate) fn add_reference(&mut self, kind: ReferenceKind, node: SyntaxNode<'t>) {
        if let Some(path) = self.name_path(node) {
            self.add_reference_at(kind, path.name, path.receiver);
        }
    }

    /// Records a reference to the name in a field of the node, or in the node itself if the field name is empty.
    pub(crate) fn add_field_reference(&mut self, kind: ReferenceKind, node: SyntaxNode<'t>, field: &'static str) {
        let named = if field.is_empty() { Some(node) } else { node.child_by_field_name(field) };
        if let Some(named) = named {
            self.add_reference(kind, named);
        }
    }

    /// Records a reference to the name in each child.
    pub(crate) fn add_child_references(&mut self, kind: ReferenceKind, node: SyntaxNode<'t>) {
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.add_reference(kind, child);
        }
    }

    /// Records a reference to a name with the byte range of its receiver.
    pub(crate) fn add_reference_at(
        &mut self,
        kind: ReferenceKind,
        name: SyntaxNode<'t>,
        receiver: Option<(usize, usize)>,
    ) {
        let receiver =
            receiver.map_or_else(String::new, |(start, end)| names::render_receiver(&self.source[start..end]));
        self.add_reference_with_receiver(kind, name, receiver);
    }

    /// Records a reference to a name with a receiver given as text.
    pub(crate) fn add_reference_with_receiver(
        &mut self,
        kind: ReferenceKind,
        name_node: SyntaxNode<'t>,
        receiver: String,
    ) {
        let name = &self.source[name_node.byte_range()];
        let is_builtin = || self.rules.language.builtin_types.iter().any(|builtin| builtin.as_bytes() == name);
        if name.is_empty() || name.len() > names::MAX_NAME_BYTES || kind != ReferenceKind::Call && is_builtin() {
            return;
        }
        self.collected.add_reference(ReferenceDraft {
            kind,
            name: String::from_utf8_lossy(name).into_owned(),
            receiver,
            byte: name_node.start_byte(),
            row: name_node.start_position().row,
        });
    }

    /// Records an import at `node`.
    pub(crate) fn add_import(&mut self, node: SyntaxNode<'_>, module: &str, name: &str, alias: &str, reexport: bool) {
        if [module, name, alias].iter().any(|text| text.len() > names::MAX_PATH_BYTES) {
            return;
        }
        let plain = |text: &str| names::collapse_white_space(text.trim().as_bytes());
        let line = node.start_position().row as u32 + 1;
        let (module, name, alias) = (plain(module), plain(name), plain(alias));
        let import = Import { module, name, alias, reexport, is_fallback: self.is_in_handler(), line };
        self.collected.add_import(node.start_byte(), import);
    }

    /// Returns true if a handler of exceptions of the module contains the current node.
    fn is_in_handler(&self) -> bool {
        let ancestors = (0..).map_while(|n_above| self.ancestor(n_above));
        let mut within_module = ancestors.take_while(|ancestor| ancestor.kind() != "function_definition");
        within_module.any(|ancestor| matches!(ancestor.kind(), "except_clause" | "except_group_clause"))
    }
}
