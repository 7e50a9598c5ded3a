//! Imports in the midst of code.

use model::code::Expression;

use super::{Place, Walk, fields::FIELDS};
use crate::node::Node;

impl Walk<'_, '_> {
    /// Binds what is imported within a function.
    pub(super) fn import(&mut self, node: Node<'_>, place: Place) {
        let module = node.child_by_field_id(FIELDS.module_name);
        let module = module.map(|module| {
            let text: String = self.out.text(module).split_whitespace().collect();
            self.out.name(&text)
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
                    let name = self.out.name_of(name);
                    (Expression::Import { module, name: Some(name) }, name)
                }
                // `import a.b` binds `a`; `import a.b as c` binds the module.
                None if alias.is_none() => {
                    let first = name.named_child(0).unwrap_or(name);
                    let first = self.out.name_of(first);
                    (Expression::Import { module: first, name: None }, first)
                }
                None => {
                    let module = self.out.name_of(name);
                    (Expression::Import { module, name: None }, module)
                }
            };
            let bound = alias.map_or(bound, |alias| self.out.name_of(alias));
            let value = self.out.expression(imported);
            self.assign(place.scope, bound, None, Some(value));
        }
    }
}
