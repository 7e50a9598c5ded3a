//! Overloads: signatures before a function or method with a body. Callers see their results, and not that of the body.

use model::code::{DefinitionId, NameId, ScopeId, TypeExpression, TypeId};

use super::{EcmascriptLowering, LexicalContext, functions::function_context, jsdoc::JsdocTypes};
use crate::node::SyntaxNode;

/// A signature whose function or method with a body follows.
pub(super) struct OverloadSignature {
    scope: ScopeId,
    result: Option<TypeId>,
}

/// Overloads by the block that they are in, and their name.
pub(super) type OverloadTable = std::collections::HashMap<(ScopeId, NameId), Vec<OverloadSignature>>;

impl EcmascriptLowering<'_, '_> {
    /// Lowers a signature that is no definition, since there is one with a body.
    pub(super) fn lower_overload(&mut self, node: SyntaxNode<'_>, context: LexicalContext) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let name = self.property_name(name);
        let scope = self.out.open_scope(context.block, None);
        let inner = function_context(node, None, scope, context);
        self.lower_type_parameters(node, inner);
        self.lower_parameters(node, &JsdocTypes::default(), None, None, inner);
        let annotation = node.child_by_field_name("return_type");
        let result = annotation.and_then(|annotation| self.lower_annotation(annotation, inner));
        self.overloads.entry((context.block, name)).or_default().push(OverloadSignature { scope, result });
    }

    /// Returns the result that the signatures before a function or method with a body declare: one of theirs.
    ///
    /// Type parameters in them are those of the function, by name.
    pub(super) fn overload_result(
        &mut self,
        node: SyntaxNode<'_>,
        definition: DefinitionId,
        context: LexicalContext,
    ) -> Option<TypeId> {
        let name = self.property_name(node.child_by_field_name("name")?);
        let signatures = self.overloads.remove(&(context.block, name))?;
        for signature in &signatures {
            self.out.code.scopes[signature.scope.index()].definition = Some(definition);
        }
        let results: Vec<TypeId> = signatures.iter().filter_map(|signature| signature.result).collect();
        match results[..] {
            [] => None,
            [only] => Some(only),
            _ => Some(self.out.add_type(TypeExpression::Union(results.into_boxed_slice()))),
        }
    }
}
