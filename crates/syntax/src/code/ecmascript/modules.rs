//! What a file offers to others.

use model::code::{Export, Expression, Flags};

use super::super::lowering::FILE_SCOPE;
use super::{Ecmascript, Place};
use crate::node::Node;

impl Ecmascript<'_, '_> {
    /// `export const a`, `export default b`, `export { c as d }`, `export = e`. What comes from other modules is an import.
    pub(super) fn export(&mut self, node: Node<'_>, at: Place) {
        if node.child_by_field_name("source").is_some() {
            return;
        }
        let mut is_default = false;
        let mut is_whole = false;
        let mut decorators = Vec::new();
        let mut cursor = node.walk();
        for child in node.children(&mut cursor) {
            match child.kind() {
                "default" => is_default = true,
                "=" => is_whole = true,
                "export" | "comment" | ";" | "as" | "namespace" | "type" => {}
                "decorator" => decorators.push(child),
                "export_clause" => self.export_clause(child),
                _ if !child.is_named() => {}
                kind if is_declaration(kind) => {
                    for decorator in decorators.drain(..) {
                        let name = child.child_by_field_name("name");
                        let definition = name.and_then(|name| self.lowering.definition_named(name));
                        self.decoration(decorator, definition, at);
                    }
                    self.statement(child, at);
                    self.mark(child, is_default);
                }
                _ => {
                    let definition = self.lowering.definition_named(child);
                    let value = self.value(child, definition, None, at);
                    if let Some(definition) = definition.filter(|_| child.kind() == "arrow_function") {
                        self.lowering.shape(definition).flags |= Flags::UNNAMED;
                    }
                    match (is_default, is_whole) {
                        (true, _) => self.offer("default", value),
                        (_, true) => self.offer("=", value),
                        _ => {}
                    }
                }
            }
        }
    }

    /// `declare global { … }`: what is declared in it is offered to every file.
    pub(super) fn global_declarations(&mut self, node: Node<'_>, at: Place) {
        let mut outer = node.walk();
        for block in node.named_children(&mut outer) {
            let mut cursor = block.walk();
            for declaration in block.named_children(&mut cursor) {
                self.statement(declaration, at);
                let names = declared_names(declaration);
                for name in names {
                    let Some(definition) = self.lowering.definition_named(name) else { continue };
                    let value = self.lowering.expression(Expression::Definition(definition));
                    self.offer("#global", value);
                }
            }
        }
    }

    fn export_clause(&mut self, clause: Node<'_>) {
        let mut cursor = clause.walk();
        for specifier in clause.named_children(&mut cursor) {
            let Some(name) = specifier.child_by_field_name("name") else { continue };
            let offered = specifier.child_by_field_name("alias").unwrap_or(name);
            let (name, offered) = (self.property_name(name), self.property_name(offered));
            let value = self.lowering.use_name(name, FILE_SCOPE);
            self.lowering.code.exports.push(Export { name: offered, value });
        }
    }

    /// Says of the definitions of a declaration that they are offered to others.
    fn mark(&mut self, declaration: Node<'_>, is_default: bool) {
        for name in declared_names(declaration) {
            let Some(definition) = self.lowering.definition_named(name) else { continue };
            self.lowering.shape(definition).flags |= Flags::EXPORTED;
            if is_default {
                self.lowering.shape(definition).flags |= Flags::DEFAULT;
                let value = self.lowering.expression(Expression::Definition(definition));
                self.offer("default", value);
            }
        }
    }
}

/// Returns the names that a declaration declares.
fn declared_names(declaration: Node<'_>) -> Vec<Node<'_>> {
    if let Some(name) = declaration.child_by_field_name("name") {
        return vec![name];
    }
    let mut cursor = declaration.walk();
    declaration.named_children(&mut cursor).filter_map(|child| child.child_by_field_name("name")).collect()
}

fn is_declaration(kind: &str) -> bool {
    kind.ends_with("_declaration")
        || matches!(kind, "internal_module" | "module" | "function_signature" | "import_alias")
}
