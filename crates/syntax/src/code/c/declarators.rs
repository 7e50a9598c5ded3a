//! Declarators: the name under pointers, arrays and parameters, and the type that they form.

use model::code::{Parameter, ScopeId, TypeExpression, TypeId};

use super::{CContext, CodeBuilder, UNKNOWN_TYPE, expressions, for_each_child, functions, types};
use crate::node::SyntaxNode;

/// Maximum number of steps from a declarator to its name.
const MAX_STEPS: usize = 48;

/// The name and type of a declarator.
pub(super) struct LoweredDeclarator<'t> {
    /// `None` for an unnamed parameter, and for a structured binding.
    pub(super) name: Option<SyntaxNode<'t>>,
    /// The qualified name (`A::f`).
    pub(super) qualified: Option<SyntaxNode<'t>>,
    /// For a function: its result type.
    pub(super) declared: TypeId,
    /// The function declarator, if it declares a function.
    pub(super) function: Option<SyntaxNode<'t>>,
    /// The names of `auto [a, b]`.
    pub(super) parts: Option<SyntaxNode<'t>>,
    /// The initializer: `= a`, `{a}`, `(a)`.
    pub(super) value: Option<SyntaxNode<'t>>,
    pub(super) is_variadic: bool,
}

/// Walks from a declarator to its name; `base` is the type before it.
pub(super) fn lower_declarator<'t>(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    declarator: SyntaxNode<'t>,
    base: TypeId,
    scope: ScopeId,
) -> LoweredDeclarator<'t> {
    let mut lowered = LoweredDeclarator {
        name: None,
        qualified: None,
        declared: base,
        function: None,
        parts: None,
        value: None,
        is_variadic: false,
    };
    let mut at = Some(declarator);
    for _ in 0..MAX_STEPS {
        let Some(node) = at else { break };
        let inner = node.child_by_field_name("declarator");
        at = match node.kind() {
            "identifier" | "field_identifier" | "type_identifier" | "primitive_type" | "destructor_name"
            | "operator_name" | "operator_cast" => {
                lowered.name = Some(node);
                break;
            }
            "qualified_identifier" => {
                lowered.qualified = lowered.qualified.or(Some(node));
                node.child_by_field_name("name")
            }
            "template_function" | "template_method" | "template_type" => {
                lowered.qualified = lowered.qualified.or(Some(node));
                node.child_by_field_name("name")
            }
            "init_declarator" => {
                lowered.value = node.child_by_field_name("value");
                inner
            }
            "pointer_declarator" | "pointer_type_declarator" | "abstract_pointer_declarator" => {
                lowered.declared = pointer_to(out, lowered.declared);
                inner
            }
            "array_declarator" | "array_type_declarator" | "abstract_array_declarator" => {
                if let Some(size) = node.child_by_field_name("size") {
                    expressions::lower_expression(out, context, size, scope);
                }
                if lowered.declared != UNKNOWN_TYPE {
                    lowered.declared = out.add_type(TypeExpression::List(lowered.declared));
                }
                inner
            }
            "function_declarator" | "function_type_declarator" | "abstract_function_declarator" => {
                if inner.is_none_or(is_function_pointer) {
                    lowered.declared = lower_function_type(out, context, node, lowered.declared, scope);
                    inner.and_then(pointer_target)
                } else {
                    lowered.function = Some(node);
                    lowered.declared =
                        lower_trailing_return_type(out, context, node, scope).unwrap_or(lowered.declared);
                    inner
                }
            }
            "reference_declarator" | "abstract_reference_declarator" => {
                if node.has_child("&&") {
                    lowered.declared = types::add_qualifier(out, "&&", lowered.declared, scope);
                }
                last_child(node)
            }
            "structured_binding_declarator" => {
                lowered.parts = Some(node);
                break;
            }
            "variadic_declarator" => {
                lowered.is_variadic = true;
                last_child(node)
            }
            "ms_call_modifier" => None,
            _ => inner.or_else(|| last_child(node)),
        };
    }
    lowered
}

/// Returns the trailing return type of a function.
pub(super) fn lower_trailing_return_type(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    function: SyntaxNode<'_>,
    scope: ScopeId,
) -> Option<TypeId> {
    let trailing = function.named_child_of_kind("trailing_return_type")?;
    Some(types::lower_type(out, context, trailing.named_child(0)?, scope))
}

fn pointer_to(out: &mut CodeBuilder<'_>, of: TypeId) -> TypeId {
    if of == UNKNOWN_TYPE { of } else { out.add_type(TypeExpression::Pointer(of)) }
}

/// Lowers the type of a function pointer, or a function type as a template argument (`function<void(int)>`).
pub(super) fn lower_function_type(
    out: &mut CodeBuilder<'_>,
    context: &mut CContext,
    node: SyntaxNode<'_>,
    result: TypeId,
    scope: ScopeId,
) -> TypeId {
    let parameters = match node.child_by_field_name("parameters") {
        Some(parameters) => functions::lower_parameters(out, context, parameters, scope, false),
        None => Vec::new(),
    };
    let parameters =
        parameters.iter().map(|parameter: &Parameter| parameter.declared.unwrap_or(UNKNOWN_TYPE)).collect();
    out.add_type(TypeExpression::Function { parameters, result: Some(result) })
}

/// Returns true for `(*f)` in `int (*f)(void)`, `(A::*f)`, `(^f)`.
fn is_function_pointer(inner: SyntaxNode<'_>) -> bool {
    matches!(inner.kind(), "parenthesized_declarator" | "abstract_parenthesized_declarator")
        && last_child(inner).is_some_and(|child| child.kind().contains("pointer") || child.kind().contains("array"))
}

/// Returns the declarator after the pointer to a function.
fn pointer_target(parenthesized: SyntaxNode<'_>) -> Option<SyntaxNode<'_>> {
    let pointer = last_child(parenthesized)?;
    pointer.child_by_field_name("declarator")
}

fn last_child(node: SyntaxNode<'_>) -> Option<SyntaxNode<'_>> {
    let mut last = None;
    for_each_child(node, |child| {
        if !matches!(child.kind(), "ms_call_modifier" | "type_qualifier" | "attribute_declaration") {
            last = Some(child);
        }
    });
    last
}
