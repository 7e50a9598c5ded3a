//! Imports inside functions.

use model::code::Expression;

use super::{PythonLowering, StatementContext, fields::FIELDS};
use crate::node::SyntaxNode;

impl PythonLowering<'_, '_> {
    /// Binds the names that an import inside a function imports.
    pub(super) fn lower_import(&mut self, node: SyntaxNode<'_>, context: StatementContext) {
        let module = node.child_by_field_id(FIELDS.module_name);
        let module = module.map(|module| {
            let text: String = self.out.text(module).split_whitespace().collect();
            self.out.intern(&text)
        });
        let mut cursor = node.walk();
        for entry in node.children_by_field_name("name", &mut cursor) {
            let (name, alias) = match entry.kind() {
                "aliased_import" => (entry.child_by_field_id(FIELDS.name), entry.child_by_field_id(FIELDS.alias)),
                _ => (Some(entry), None),
            };
            let Some(name) = name else { continue };
            let (imported, bound) = match module {
                Some(module) => {
                    let name = self.out.intern_node(name);
                    (Expression::Import { module, name: Some(name) }, name)
                }
                // `import a.b` binds `a`; `import a.b as c` binds the module.
                None if alias.is_none() => {
                    let first = name.named_child(0).unwrap_or(name);
                    let first = self.out.intern_node(first);
                    (Expression::Import { module: first, name: None }, first)
                }
                None => {
                    let module = self.out.intern_node(name);
                    (Expression::Import { module, name: None }, module)
                }
            };
            let bound = alias.map_or(bound, |alias| self.out.intern_node(alias));
            let value = self.out.add_expression(imported);
            self.assign(context.scope, bound, None, Some(value));
        }
    }
}
