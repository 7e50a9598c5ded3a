//! Attributes with a text: `#[get("/parcels")]` registers a function under a path.

use model::{
    ByteSpan,
    code::{Decoration, DefinitionId, Expression, ExpressionId, ScopeId},
};

use super::RustLowering;
use crate::node::SyntaxNode;

impl RustLowering<'_, '_> {
    /// Lowers the attributes of a function that begin with a text, as calls with their texts.
    pub(super) fn lower_attributes(&mut self, attributes: &[SyntaxNode<'_>], item: SyntaxNode<'_>, scope: ScopeId) {
        let name = item.child_by_field_name("name").filter(|_| item.kind() == "function_item");
        // The bytes of a decoration are those of the file.
        let is_expanded = self.out.is_expanded(item);
        let Some(definition) = name.and_then(|name| self.out.definition_at(name)).filter(|_| !is_expanded) else {
            return;
        };
        for attribute in attributes {
            self.lower_attribute(*attribute, definition, scope);
        }
    }

    fn lower_attribute(&mut self, item: SyntaxNode<'_>, definition: DefinitionId, scope: ScopeId) -> Option<()> {
        let attribute = item.child_of_kind("attribute")?;
        let tokens = attribute.child_of_kind("token_tree")?;
        if tokens.named_child(0)?.kind() != "string_literal" {
            return None;
        }
        let path = attribute.named_child(0)?;
        let name = path.child_by_field_name("name").unwrap_or(path);
        let mut cursor = tokens.walk();
        let literals = tokens.named_children(&mut cursor).filter(|token| token.kind() == "string_literal");
        let texts: Vec<&str> = literals.map(|literal| self.out.text(literal).trim_matches('"')).collect();
        let arguments: Vec<ExpressionId> = texts.into_iter().map(|text| self.out.add_text_literal(text)).collect();
        let callee = self.out.intern_node(name);
        let callee = self.out.use_name(callee, scope);
        let call = Expression::Call { callee, type_arguments: [].into(), arguments: arguments.into() };
        let expression = self.out.add_expression(call);
        let bytes = ByteSpan { start: item.start_byte() as u32, end: item.end_byte() as u32 };
        let line = self.out.line(name);
        self.out.code.decorations.push(Decoration { definition, expression, line, bytes });
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use model::Language;

    use crate::code::testing::print_code;

    #[test]
    fn attributes_with_a_text_are_decorations() {
        let code = print_code(
            Language::Rust,
            "#[actix_web::get(\"/x\")]\nfn a() {}\n#[route(\"/y\", method = \"PUT\")]\n#[derive(Debug)]\nfn b() {}\n#[doc(\"s\")]\nstruct S;",
        );
        let decorations: Vec<&String> = code.iter().filter(|line| line.starts_with('@')).collect();
        assert_eq!(decorations, ["@get(\"/x\") a", "@route(\"/y\", \"PUT\") b"]);
    }
}
