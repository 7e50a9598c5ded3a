//! What a declarator declares: the name under pointers, arrays and parameters, and the type that they make.

use model::code::{Parameter, ScopeId, TypeExpression, TypeId};

use super::{Around, Lowering, UNWRITTEN, each_child, expressions, functions, has_word, types};
use crate::node::Node;

/// Steps from a declarator to its name.
const MAX_STEPS: usize = 48;

/// What is declared.
pub(super) struct Declared<'t> {
    /// Nothing for a parameter without a name, and for several names at once.
    pub(super) name: Option<Node<'t>>,
    /// The name with what stands before it (`A::f`).
    pub(super) qualified: Option<Node<'t>>,
    /// Of a function: what it returns.
    pub(super) declared: TypeId,
    /// The function that is declared, if it is one.
    pub(super) function: Option<Node<'t>>,
    /// The names of `auto [a, b]`.
    pub(super) parts: Option<Node<'t>>,
    /// What it is made of: `= a`, `{a}`, `(a)`.
    pub(super) value: Option<Node<'t>>,
    pub(super) is_variadic: bool,
}

/// Goes from a declarator to its name; `base` is the type before it.
pub(super) fn declared<'t>(
    l: &mut Lowering<'_>,
    around: &mut Around,
    declarator: Node<'t>,
    base: TypeId,
    scope: ScopeId,
) -> Declared<'t> {
    let mut found = Declared {
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
                found.name = Some(node);
                break;
            }
            "qualified_identifier" => {
                found.qualified = found.qualified.or(Some(node));
                node.child_by_field_name("name")
            }
            "template_function" | "template_method" | "template_type" => {
                found.qualified = found.qualified.or(Some(node));
                node.child_by_field_name("name")
            }
            "init_declarator" => {
                found.value = node.child_by_field_name("value");
                inner
            }
            "pointer_declarator" | "pointer_type_declarator" | "abstract_pointer_declarator" => {
                found.declared = pointer(l, found.declared);
                inner
            }
            "array_declarator" | "array_type_declarator" | "abstract_array_declarator" => {
                if let Some(size) = node.child_by_field_name("size") {
                    expressions::expression(l, around, size, scope);
                }
                if found.declared != UNWRITTEN {
                    found.declared = l.written(TypeExpression::List(found.declared));
                }
                inner
            }
            "function_declarator" | "function_type_declarator" | "abstract_function_declarator" => {
                if inner.is_none_or(points_at_function) {
                    found.declared = function_type(l, around, node, found.declared, scope);
                    inner.and_then(behind_pointer)
                } else {
                    found.function = Some(node);
                    found.declared = trailing(l, around, node, scope).unwrap_or(found.declared);
                    inner
                }
            }
            "reference_declarator" | "abstract_reference_declarator" => {
                if has_word(node, "&&") {
                    found.declared = types::marked(l, "&&", found.declared, scope);
                }
                last_child(node)
            }
            "structured_binding_declarator" => {
                found.parts = Some(node);
                break;
            }
            "variadic_declarator" => {
                found.is_variadic = true;
                last_child(node)
            }
            "ms_call_modifier" => None,
            _ => inner.or_else(|| last_child(node)),
        };
    }
    found
}

/// The type that a function declares behind its parameters.
pub(super) fn trailing(
    l: &mut Lowering<'_>,
    around: &mut Around,
    function: Node<'_>,
    scope: ScopeId,
) -> Option<TypeId> {
    let mut cursor = function.walk();
    let trailing = function.named_children(&mut cursor).find(|child| child.kind() == "trailing_return_type")?;
    Some(types::written(l, around, trailing.named_child(0)?, scope))
}

fn pointer(l: &mut Lowering<'_>, of: TypeId) -> TypeId {
    if of == UNWRITTEN { of } else { l.written(TypeExpression::Pointer(of)) }
}

/// Writes the type of a function that is pointed at, or an argument of a template (`function<void(int)>`).
pub(super) fn function_type(
    l: &mut Lowering<'_>,
    around: &mut Around,
    node: Node<'_>,
    result: TypeId,
    scope: ScopeId,
) -> TypeId {
    let parameters = match node.child_by_field_name("parameters") {
        Some(parameters) => functions::parameters(l, around, parameters, scope, false),
        None => Vec::new(),
    };
    let parameters = parameters.iter().map(|parameter: &Parameter| parameter.declared.unwrap_or(UNWRITTEN)).collect();
    l.written(TypeExpression::Function { parameters, result: Some(result) })
}

/// `(*f)` in `int (*f)(void)`, `(A::*f)`, `(^f)`.
fn points_at_function(inner: Node<'_>) -> bool {
    matches!(inner.kind(), "parenthesized_declarator" | "abstract_parenthesized_declarator")
        && last_child(inner).is_some_and(|child| child.kind().contains("pointer") || child.kind().contains("array"))
}

/// Returns what is declared behind the pointer to a function.
fn behind_pointer(parenthesized: Node<'_>) -> Option<Node<'_>> {
    let pointer = last_child(parenthesized)?;
    pointer.child_by_field_name("declarator")
}

fn last_child(node: Node<'_>) -> Option<Node<'_>> {
    let mut last = None;
    each_child(node, |child| {
        if !matches!(child.kind(), "ms_call_modifier" | "type_qualifier" | "attribute_declaration") {
            last = Some(child);
        }
    });
    last
}
