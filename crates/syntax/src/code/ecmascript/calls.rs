//! Calls: of functions, constructors and template tags.

use model::code::{Expression, ExpressionId, TypeExpression};

use super::{EcmascriptLowering, LexicalContext, OPAQUE};
use crate::node::SyntaxNode;

/// Maximum number of casts and parentheses around a callee.
const MAX_CASTS: usize = 8;

impl EcmascriptLowering<'_, '_> {
    pub(super) fn lower_call(&mut self, node: SyntaxNode<'_>, context: LexicalContext) -> ExpressionId {
        let Some(written) = node.child_by_field_name("function") else { return OPAQUE };
        // The grammars read `await f<T>(x)` as a call of `await f`, whose brackets would be written.
        let awaited = awaited_callee(written);
        let function = awaited.unwrap_or(written);
        if let Some(import) = self.lower_import_call(node, function) {
            return import;
        }
        let callee = match function.kind() {
            "super" => {
                // `super()` calls the nearest constructor, which may be that of an indirect base.
                let of = self.out.add_expression(Expression::Super { scope: context.this });
                let name = self.out.intern("constructor");
                self.out.add_expression(Expression::Member { of, name })
            }
            _ => self.lower_expression(without_casts(function), context),
        };
        let type_arguments = self.lower_type_arguments(node, context);
        let arguments = match node.child_by_field_name("arguments") {
            Some(template) if template.kind() == "template_string" => {
                Box::new([self.lower_template(template, context)]) as Box<[ExpressionId]>
            }
            Some(list) => self.lower_arguments(list, context),
            None => Box::default(),
        };
        let call = self.out.add_expression(Expression::Call { callee, type_arguments, arguments });
        self.out.add_call_site(call, context.block, called_name(function));
        if awaited.is_some() { self.out.add_expression(Expression::Awaited { of: call }) } else { call }
    }

    /// `new A<B>(c)`, `new (d())()`.
    pub(super) fn lower_new(&mut self, node: SyntaxNode<'_>, context: LexicalContext) -> ExpressionId {
        let Some(constructor) = node.child_by_field_name("constructor") else { return OPAQUE };
        let arguments_of_type = self.lower_type_arguments(node, context);
        let path = if arguments_of_type.is_empty() { None } else { self.intern_path(constructor) };
        let made = match path {
            Some(path) => TypeExpression::Named { path, arguments: arguments_of_type, scope: context.block },
            None => TypeExpression::Of(self.lower_expression(constructor, context)),
        };
        let made = self.out.add_type(made);
        let arguments =
            node.child_by_field_name("arguments").map(|list| self.lower_arguments(list, context)).unwrap_or_default();
        let make = self.out.add_expression(Expression::Make { made, arguments });
        self.out.add_call_site(make, context.block, called_name(constructor));
        make
    }

    fn lower_arguments(&mut self, list: SyntaxNode<'_>, context: LexicalContext) -> Box<[ExpressionId]> {
        let mut arguments = Vec::new();
        let mut cursor = list.walk();
        for argument in list.named_children(&mut cursor) {
            match argument.kind() {
                "comment" => {}
                "spread_element" => {
                    let of = argument.named_child(0).map_or(OPAQUE, |inner| self.lower_expression(inner, context));
                    arguments.push(self.out.add_expression(Expression::Item { of }));
                }
                _ => arguments.push(self.lower_expression(argument, context)),
            }
        }
        arguments.into_boxed_slice()
    }

    /// `require('a')` and `import('a')` are imports, not calls.
    fn lower_import_call(&mut self, node: SyntaxNode<'_>, function: SyntaxNode<'_>) -> Option<ExpressionId> {
        let is_import = function.kind() == "import";
        if !is_import && (function.kind() != "identifier" || self.out.text(function) != "require") {
            return None;
        }
        let module = node.child_by_field_name("arguments")?.named_child(0).filter(|first| first.kind() == "string")?;
        let module = self.out.text(module).trim_matches(['"', '\'']);
        let module = self.out.intern(module);
        let import = self.out.add_expression(Expression::Import { module, name: None });
        Some(import)
    }
}

/// Returns the function of `await f<T>(x)`, whose node is the callee of a call.
fn awaited_callee(callee: SyntaxNode<'_>) -> Option<SyntaxNode<'_>> {
    callee.named_child(0).filter(|_| callee.kind() == "await_expression")
}

/// Returns the callee without casts (`(a.b as any)()`), which do not change the called function.
fn without_casts(callee: SyntaxNode<'_>) -> SyntaxNode<'_> {
    let mut at = callee;
    for _ in 0..MAX_CASTS {
        match (at.kind(), at.named_child(0)) {
            (
                "parenthesized_expression" | "as_expression" | "satisfies_expression" | "non_null_expression",
                Some(inner),
            ) => {
                at = inner;
            }
            ("identifier" | "member_expression", _) => return at,
            _ => break,
        }
    }
    callee
}

/// Returns the node of the called name, or the whole callee if it has none.
fn called_name(callee: SyntaxNode<'_>) -> SyntaxNode<'_> {
    let mut at = callee;
    for _ in 0..MAX_CASTS {
        let inner = match at.kind() {
            "member_expression" => return at.child_by_field_name("property").unwrap_or(at),
            "non_null_expression" | "instantiation_expression" | "parenthesized_expression" | "as_expression" => {
                at.named_child(0)
            }
            _ => return at,
        };
        match inner {
            Some(inner) => at = inner,
            None => return at,
        }
    }
    callee
}
