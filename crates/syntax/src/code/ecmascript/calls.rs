//! Calls: of functions, of constructors and of tags of templates.

use model::code::{Expression, ExpressionId, TypeExpression};

use super::{Ecmascript, Place};
use crate::node::Node;

impl Ecmascript<'_, '_> {
    pub(super) fn call(&mut self, node: Node<'_>, at: Place) -> ExpressionId {
        let Some(function) = node.child_by_field_name("function") else { return ExpressionId(0) };
        if let Some(import) = self.imported(node, function) {
            return import;
        }
        let callee = match function.kind() {
            "super" => {
                // The nearest constructor, which may be that of a base of the base.
                let of = self.lowering.expression(Expression::Super { scope: at.this });
                let name = self.lowering.name("constructor");
                self.lowering.expression(Expression::Member { of, name })
            }
            _ => self.expression(uncast(function), at),
        };
        let type_arguments = self.type_arguments(node, at);
        let arguments = match node.child_by_field_name("arguments") {
            Some(template) if template.kind() == "template_string" => {
                Box::new([self.template(template, at)]) as Box<[ExpressionId]>
            }
            Some(list) => self.arguments(list, at),
            None => Box::default(),
        };
        let call = self.lowering.expression(Expression::Call { callee, type_arguments, arguments });
        self.lowering.site(call, at.block, called_name(function));
        call
    }

    /// `new A<B>(c)`, `new (d())()`.
    pub(super) fn make(&mut self, node: Node<'_>, at: Place) -> ExpressionId {
        let Some(constructor) = node.child_by_field_name("constructor") else { return ExpressionId(0) };
        let arguments_of_type = self.type_arguments(node, at);
        let path = if arguments_of_type.is_empty() { None } else { self.path_of(constructor) };
        let made = match path {
            Some(path) => TypeExpression::Named { path, arguments: arguments_of_type, scope: at.block },
            None => TypeExpression::Of(self.expression(constructor, at)),
        };
        let made = self.lowering.written(made);
        let arguments = node.child_by_field_name("arguments").map(|list| self.arguments(list, at)).unwrap_or_default();
        let make = self.lowering.expression(Expression::Make { made, arguments });
        self.lowering.site(make, at.block, called_name(constructor));
        make
    }

    fn arguments(&mut self, list: Node<'_>, at: Place) -> Box<[ExpressionId]> {
        let mut arguments = Vec::new();
        let mut cursor = list.walk();
        for argument in list.named_children(&mut cursor) {
            match argument.kind() {
                "comment" => {}
                "spread_element" => {
                    let of = argument.named_child(0).map_or(ExpressionId(0), |inner| self.expression(inner, at));
                    arguments.push(self.lowering.expression(Expression::Item { of }));
                }
                _ => arguments.push(self.expression(argument, at)),
            }
        }
        arguments.into_boxed_slice()
    }

    /// `require('a')` and `import('a')` are imports and no calls.
    fn imported(&mut self, node: Node<'_>, function: Node<'_>) -> Option<ExpressionId> {
        let is_import = function.kind() == "import";
        if !is_import && (function.kind() != "identifier" || self.lowering.text(function) != "require") {
            return None;
        }
        let module = node.child_by_field_name("arguments")?.named_child(0).filter(|first| first.kind() == "string")?;
        let module = self.lowering.text(module).trim_matches(['"', '\'']);
        let module = self.lowering.name(module);
        let import = self.lowering.expression(Expression::Import { module, name: None });
        Some(import)
    }
}

/// Returns what is called under another type (`(a.b as any)()`): a cast does not change which function it is.
fn uncast(callee: Node<'_>) -> Node<'_> {
    let mut at = callee;
    for _ in 0..8 {
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

/// Returns the node of the name that is called, or all of what is called.
fn called_name(callee: Node<'_>) -> Node<'_> {
    let mut at = callee;
    for _ in 0..8 {
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
