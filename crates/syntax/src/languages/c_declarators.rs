//! Declarators of C and C++: the name that a declaration declares, under pointers, arrays, parameters and qualifiers.

use model::SymbolKind;

use crate::node::SyntaxNode;
use crate::walk::TreeWalk;
use crate::walk::definitions::DefinitionSpec;
use crate::walk::rules::WalkAction;

/// The name of a declarator, and whether it declares a function.
pub(crate) struct DeclaratorName<'t> {
    pub(crate) name: SyntaxNode<'t>,
    pub(crate) is_function: bool,
    /// Scope names before the name: `A.B` for `A::B::f`.
    pub(crate) path: Vec<String>,
}

/// Maximum number of steps from a declarator to its name.
const MAX_STEPS: usize = 48;

/// Finds the name under a declarator.
pub(crate) fn find_name<'t>(walk: &TreeWalk<'t>, declarator: SyntaxNode<'t>) -> Option<DeclaratorName<'t>> {
    let mut is_function = false;
    let mut path = Vec::new();
    let mut at = declarator;
    for _ in 0..MAX_STEPS {
        at = match at.kind() {
            "identifier" | "field_identifier" | "type_identifier" | "primitive_type" | "destructor_name"
            | "operator_name" => return Some(DeclaratorName { name: at, is_function, path }),
            "operator_cast" => return Some(DeclaratorName { name: at, is_function: true, path }),
            "function_declarator" => {
                // `int (*f)(void)` declares a variable.
                let inner = at.child_by_field_name("declarator")?;
                let is_pointed_at = inner.kind() == "parenthesized_declarator"
                    && inner.named_child(0).is_some_and(|child| child.kind() == "pointer_declarator");
                is_function = !is_pointed_at;
                inner
            }
            "qualified_identifier" => {
                if let Some(scope) = at.child_by_field_name("scope") {
                    path.push(plain_type_name(walk, scope));
                }
                at.child_by_field_name("name")?
            }
            "template_function" | "template_method" | "template_type" => at.child_by_field_name("name")?,
            "dependent_name"
            | "parenthesized_declarator"
            | "reference_declarator"
            | "attributed_declarator"
            | "variadic_declarator"
            | "ms_call_modifier" => {
                let mut cursor = at.walk();
                at.named_children(&mut cursor).filter(|child| child.kind() != "ms_call_modifier").last()?
            }
            "init_declarator"
            | "pointer_declarator"
            | "array_declarator"
            | "pointer_type_declarator"
            | "array_type_declarator"
            | "function_type_declarator"
            | "bitfield_clause" => at.child_by_field_name("declarator")?,
            _ => return None,
        };
    }
    None
}

/// Returns the name of a type without its arguments.
pub(crate) fn plain_type_name(walk: &TreeWalk<'_>, node: SyntaxNode<'_>) -> String {
    let name = node.child_by_field_name("name").unwrap_or(node);
    let text = crate::names::collapse_white_space(&walk.source[name.byte_range()]);
    text.split('<').next().unwrap_or_default().trim().to_owned()
}

/// Records the function that a definition or prototype declares. Its name may be qualified.
pub(crate) fn define_function<'t>(
    walk: &mut TreeWalk<'t>,
    node: SyntaxNode<'t>,
    declared: DeclaratorName<'t>,
    is_prototype: bool,
) {
    let qualifier = qualifier_of(walk, &declared.path);
    let mut name = crate::names::collapse_white_space(&walk.source[declared.name.byte_range()]);
    if declared.name.kind() == "operator_cast" {
        // `operator bool() const` is named `operator bool`.
        name.truncate(name.find('(').unwrap_or(name.len()));
    }
    let of = if qualifier.is_empty() { walk.type_name().to_owned() } else { qualifier.clone() };
    let is_constructor = !of.is_empty() && of.rsplit('.').next() == Some(name.as_str());
    let kind = match (is_constructor, of.is_empty()) {
        (true, _) => SymbolKind::Constructor,
        (false, false) => SymbolKind::Method,
        (false, true) => SymbolKind::Function,
    };
    let body = node.child_by_field_name("body");
    let initializers = node.named_child_of_kind("field_initializer_list");
    let spec = DefinitionSpec::new(kind, node, declared.name, walk);
    walk.define(DefinitionSpec { name, qualifier, is_prototype, body: initializers.or(body), ..spec });
}

/// Joins the scope names before a function, without the leading namespaces that the file has opened.
fn qualifier_of(walk: &TreeWalk<'_>, path: &[String]) -> String {
    let n_known = path.iter().take_while(|part| walk.has_namespace(part)).count();
    path[n_known..].iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join(".")
}

/// Records the prototypes, variables and fields of a declaration outside of functions.
pub(crate) fn visit_declaration<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if walk.is_in_function() {
        return WalkAction::Descend;
    }
    let mut cursor = node.walk();
    let mut specifiers = None;
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        let Some(declared) = find_name(walk, declarator) else { continue };
        let specifiers = *specifiers.get_or_insert((node.start_byte(), declarator.start_byte()));
        if declared.is_function {
            // A pure virtual function has no separate definition that would replace it.
            let is_pure = node.child_by_field_name("default_value").is_some();
            define_function(walk, node, declared, !is_pure);
        } else {
            define_variable(walk, node, declared, specifiers);
        }
    }
    WalkAction::Descend
}

fn define_variable<'t>(
    walk: &mut TreeWalk<'t>,
    node: SyntaxNode<'t>,
    declared: DeclaratorName<'t>,
    specifiers: (usize, usize),
) {
    let is_in_type = walk.is_in_type();
    let before_name = walk.text_between(specifiers.0, specifiers.1);
    let mut words = before_name.split_whitespace();
    let is_fixed = words.any(|word| matches!(word, "const" | "constexpr"));
    let kind = match (is_in_type, is_fixed) {
        (_, true) if !is_in_type || before_name.contains("static") => SymbolKind::Constant,
        (true, _) => SymbolKind::Field,
        (false, _) => SymbolKind::Variable,
    };
    let qualifier = qualifier_of(walk, &declared.path);
    let is_prototype = before_name.starts_with("extern ");
    walk.define(DefinitionSpec {
        qualifier,
        is_prototype,
        ..DefinitionSpec::without_body(kind, node, declared.name, walk)
    });
}

/// Records a function with a body.
pub(crate) fn visit_function<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let Some(declared) = node.child_by_field_name("declarator").and_then(|declarator| find_name(walk, declarator)) {
        define_function(walk, node, declared, false);
    }
    WalkAction::Descend
}

/// Records a struct, union, enum or class with a body. Without a body it is a reference to a type.
pub(crate) fn define_type<'t>(walk: &mut TreeWalk<'t>, kind: SymbolKind, node: SyntaxNode<'t>) -> WalkAction {
    if node.child_by_field_name("body").is_none() {
        return WalkAction::Descend;
    }
    let Some(name) = node.child_by_field_name("name") else { return WalkAction::Descend };
    let mut path = Vec::new();
    let mut at = name;
    while at.kind() == "qualified_identifier" && path.len() < MAX_STEPS {
        path.extend(at.child_by_field_name("scope").map(|scope| plain_type_name(walk, scope)));
        let Some(inner) = at.child_by_field_name("name") else { break };
        at = inner;
    }
    let qualifier = qualifier_of(walk, &path);
    walk.define(DefinitionSpec {
        name: plain_type_name(walk, at),
        qualifier,
        ..DefinitionSpec::new(kind, node, at, walk)
    });
    WalkAction::Descend
}

/// `typedef struct { … } A` names the struct; any other `typedef` is an alias.
pub(crate) fn visit_type_definition<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let of = node.child_by_field_name("type");
    let mut cursor = node.walk();
    for (index, declarator) in node.children_by_field_name("declarator", &mut cursor).enumerate() {
        let Some(declared) = find_name(walk, declarator) else { continue };
        let unnamed =
            of.filter(|of| of.child_by_field_name("body").is_some() && of.child_by_field_name("name").is_none());
        let kind = match unnamed.filter(|_| index == 0).map(|of| of.kind()) {
            Some("struct_specifier") => SymbolKind::Struct,
            Some("union_specifier") => SymbolKind::Union,
            Some("enum_specifier") => SymbolKind::Enum,
            _ => SymbolKind::TypeAlias,
        };
        // `typedef struct A { … } A` is recorded once, as the struct.
        let own_name =
            of.filter(|of| of.child_by_field_name("body").is_some()).and_then(|of| of.child_by_field_name("name"));
        if own_name.is_some_and(|own| walk.text(own) == walk.text(declared.name)) {
            walk.wrap(node);
            continue;
        }
        let spec = DefinitionSpec::new(kind, node, declared.name, walk);
        let scope = spec.scope.filter(|_| unnamed.is_some());
        let body = unnamed.and_then(|of| of.child_by_field_name("body"));
        walk.define(DefinitionSpec { scope, body, ..spec });
    }
    WalkAction::Descend
}

/// `#define A 1` is a constant. A definition without a value, such as an include guard, is not recorded.
pub(crate) fn visit_macro_constant<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if node.child_by_field_name("value").is_some() {
        walk.define_named(SymbolKind::Constant, node);
    }
    WalkAction::Skip
}

/// `#define A(x) …` is a macro.
pub(crate) fn visit_macro_function<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let Some(name) = node.child_by_field_name("name") {
        let body = node.child_by_field_name("value");
        walk.define(DefinitionSpec { body, ..DefinitionSpec::new(SymbolKind::Macro, node, name, walk) });
    }
    WalkAction::Skip
}

/// `#include <a.h>`, `#include "b.h"`.
pub(crate) fn visit_include<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let Some(path) = node.child_by_field_name("path") {
        let text = walk.text(path);
        walk.add_import(node, text.trim_matches(['"', '<', '>']), "", "", false);
    }
    WalkAction::Skip
}

pub(crate) fn visit_struct<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    define_type(walk, SymbolKind::Struct, node)
}

pub(crate) fn visit_union<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    define_type(walk, SymbolKind::Union, node)
}

pub(crate) fn visit_enum<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    define_type(walk, SymbolKind::Enum, node)
}
