//! Exports of a module.

use model::code::{Export, Expression, Flags};

use super::super::builder::FILE_SCOPE;
use super::{EcmascriptLowering, LexicalContext};
use crate::node::SyntaxNode;

impl EcmascriptLowering<'_, '_> {
    /// `export const a`, `export default b`, `export { c as d }`, `export = e`. A re-export from another module is an
    /// import.
    pub(super) fn lower_export(&mut self, node: SyntaxNode<'_>, context: LexicalContext) {
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
                "export_clause" => self.lower_export_clause(child),
                _ if !child.is_named() => {}
                kind if is_declaration(kind) => {
                    for decorator in decorators.drain(..) {
                        let name = child.child_by_field_name("name");
                        let definition = name.and_then(|name| self.out.definition_at(name));
                        self.lower_decorator(decorator, definition, context);
                    }
                    self.lower_statement(child, context);
                    self.mark_exported(child, is_default);
                }
                _ => {
                    let definition = self.out.definition_at(child);
                    let value = self.lower_value(child, definition, None, context);
                    if let Some(definition) = definition.filter(|_| child.kind() == "arrow_function") {
                        self.out.shape_mut(definition).flags |= Flags::UNNAMED;
                    }
                    match (is_default, is_whole) {
                        (true, _) => self.export_value("default", value),
                        (_, true) => self.export_value("=", value),
                        _ => {}
                    }
                }
            }
        }
    }

    /// `declare global { … }` exports its declarations to every file.
    pub(super) fn lower_global_declarations(&mut self, node: SyntaxNode<'_>, context: LexicalContext) {
        let mut outer = node.walk();
        for block in node.named_children(&mut outer) {
            let mut cursor = block.walk();
            for declaration in block.named_children(&mut cursor) {
                self.lower_statement(declaration, context);
                self.export_declaration("#global", declaration);
            }
        }
    }

    /// `declare module "a" { … }` declares members of another module.
    pub(super) fn export_module_declarations(&mut self, body: SyntaxNode<'_>) {
        let mut cursor = body.walk();
        for declaration in body.named_children(&mut cursor) {
            let exported = declaration.child_by_field_name("declaration");
            self.export_declaration("#module", exported.unwrap_or(declaration));
        }
    }

    fn export_declaration(&mut self, module: &str, declaration: SyntaxNode<'_>) {
        for name in declared_names(declaration) {
            let Some(definition) = self.out.definition_at(name) else { continue };
            let value = self.out.add_expression(Expression::Definition(definition));
            self.export_value(module, value);
        }
    }

    fn lower_export_clause(&mut self, clause: SyntaxNode<'_>) {
        let mut cursor = clause.walk();
        for specifier in clause.named_children(&mut cursor) {
            let Some(name) = specifier.child_by_field_name("name") else { continue };
            let offered = specifier.child_by_field_name("alias").unwrap_or(name);
            let (name, offered) = (self.property_name(name), self.property_name(offered));
            let value = self.out.use_name(name, FILE_SCOPE);
            self.out.code.exports.push(Export { name: offered, value });
        }
    }

    /// Marks the definitions of a declaration as exported.
    fn mark_exported(&mut self, declaration: SyntaxNode<'_>, is_default: bool) {
        for name in declared_names(declaration) {
            let Some(definition) = self.out.definition_at(name) else { continue };
            self.out.shape_mut(definition).flags |= Flags::EXPORTED;
            if is_default {
                self.out.shape_mut(definition).flags |= Flags::DEFAULT;
                let value = self.out.add_expression(Expression::Definition(definition));
                self.export_value("default", value);
            }
        }
    }
}

/// Returns the names that a declaration declares.
fn declared_names(declaration: SyntaxNode<'_>) -> Vec<SyntaxNode<'_>> {
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
