//! Declarators of C and C++: what a declaration declares, under pointers, arrays, parameters and qualifiers.

use model::SymbolKind;

use crate::define::Subject;
use crate::node::Node;
use crate::rules::Next;
use crate::walk::Walk;

/// The innermost declarator, and whether it declares a function.
pub(crate) struct Declared<'t> {
    pub(crate) name: Node<'t>,
    pub(crate) is_function: bool,
    /// Names of the scopes before the name: `A.B` of `A::B::f`.
    pub(crate) path: Vec<String>,
}

/// Steps from a declarator to its name.
const MAX_STEPS: usize = 48;

/// Looks for the name under a declarator.
pub(crate) fn declared<'t>(walk: &Walk<'t>, declarator: Node<'t>) -> Option<Declared<'t>> {
    let mut is_function = false;
    let mut path = Vec::new();
    let mut at = declarator;
    for _ in 0..MAX_STEPS {
        at = match at.kind() {
            "identifier" | "field_identifier" | "type_identifier" | "primitive_type" | "destructor_name"
            | "operator_name" => return Some(Declared { name: at, is_function, path }),
            "operator_cast" => return Some(Declared { name: at, is_function: true, path }),
            "function_declarator" => {
                // `int (*f)(void)` is a variable.
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

/// Writes the name of a type without its arguments.
pub(crate) fn plain_type_name(walk: &Walk<'_>, node: Node<'_>) -> String {
    let name = node.child_by_field_name("name").unwrap_or(node);
    let text = crate::names::fold(&walk.source[name.byte_range()]);
    text.split('<').next().unwrap_or_default().trim().to_owned()
}

/// Records the function that a definition or prototype declares; its name may have a path.
pub(crate) fn define_function<'t>(walk: &mut Walk<'t>, node: Node<'t>, declared: Declared<'t>, is_prototype: bool) {
    let qualifier = qualifier(walk, &declared.path);
    let mut name = crate::names::fold(&walk.source[declared.name.byte_range()]);
    if declared.name.kind() == "operator_cast" {
        // `operator bool() const` is `operator bool`.
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
    let mut cursor = node.walk();
    let initialisers = node.named_children(&mut cursor).find(|child| child.kind() == "field_initializer_list");
    let subject = Subject::new(kind, node, declared.name, walk);
    walk.define(Subject { name, qualifier, is_prototype, body: initialisers.or(body), ..subject });
}

/// Drops namespaces that are open here anyway, and those written before a function as if they were types.
fn qualifier(walk: &Walk<'_>, path: &[String]) -> String {
    let n_known = path.iter().take_while(|part| walk.knows_namespace(part)).count();
    path[n_known..].iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join(".")
}

/// Records what a declaration outside of functions declares: prototypes and variables.
pub(crate) fn declaration<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if walk.in_function() {
        return Next::Into;
    }
    let mut cursor = node.walk();
    let mut specifiers = None;
    for declarator in node.children_by_field_name("declarator", &mut cursor) {
        let Some(found) = declared(walk, declarator) else { continue };
        let specifiers = *specifiers.get_or_insert((node.start_byte(), declarator.start_byte()));
        if found.is_function {
            // A pure virtual function has no body to give way to.
            let is_pure = node.child_by_field_name("default_value").is_some();
            define_function(walk, node, found, !is_pure);
        } else {
            define_variable(walk, node, found, specifiers);
        }
    }
    Next::Into
}

fn define_variable<'t>(walk: &mut Walk<'t>, node: Node<'t>, found: Declared<'t>, specifiers: (usize, usize)) {
    let is_in_type = walk.in_type();
    let before_name = walk.text_between(specifiers.0, specifiers.1);
    let mut words = before_name.split_whitespace();
    let is_fixed = words.any(|word| matches!(word, "const" | "constexpr"));
    let kind = match (is_in_type, is_fixed) {
        (_, true) if !is_in_type || before_name.contains("static") => SymbolKind::Constant,
        (true, _) => SymbolKind::Field,
        (false, _) => SymbolKind::Variable,
    };
    let qualifier = qualifier(walk, &found.path);
    let is_prototype = before_name.starts_with("extern ");
    walk.define(Subject { qualifier, is_prototype, ..Subject::one_of_many(kind, node, found.name, walk) });
}

/// Records fields of a type, and the functions that it declares without a body.
pub(crate) fn field<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    declaration(walk, node)
}

/// Records a function with a body.
pub(crate) fn function<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if let Some(found) = node.child_by_field_name("declarator").and_then(|declarator| declared(walk, declarator)) {
        define_function(walk, node, found, false);
    }
    Next::Into
}

/// Records a struct, union, enum or class where it has a body; elsewhere it is a type in use.
pub(crate) fn define_type<'t>(walk: &mut Walk<'t>, kind: SymbolKind, node: Node<'t>) -> Next {
    if node.child_by_field_name("body").is_none() {
        return Next::Into;
    }
    let Some(name) = node.child_by_field_name("name") else { return Next::Into };
    let mut path = Vec::new();
    let mut at = name;
    while at.kind() == "qualified_identifier" && path.len() < MAX_STEPS {
        path.extend(at.child_by_field_name("scope").map(|scope| plain_type_name(walk, scope)));
        let Some(inner) = at.child_by_field_name("name") else { break };
        at = inner;
    }
    let qualifier = qualifier(walk, &path);
    walk.define(Subject { name: plain_type_name(walk, at), qualifier, ..Subject::new(kind, node, at, walk) });
    Next::Into
}

/// `typedef struct { … } A` names the struct; any other `typedef` is an alias.
pub(crate) fn type_definition<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let of = node.child_by_field_name("type");
    let mut cursor = node.walk();
    for (index, declarator) in node.children_by_field_name("declarator", &mut cursor).enumerate() {
        let Some(found) = declared(walk, declarator) else { continue };
        let unnamed =
            of.filter(|of| of.child_by_field_name("body").is_some() && of.child_by_field_name("name").is_none());
        let kind = match unnamed.filter(|_| index == 0).map(|of| of.kind()) {
            Some("struct_specifier") => SymbolKind::Struct,
            Some("union_specifier") => SymbolKind::Union,
            Some("enum_specifier") => SymbolKind::Enum,
            _ => SymbolKind::TypeAlias,
        };
        // `typedef struct A { … } A` is the struct alone.
        let own_name =
            of.filter(|of| of.child_by_field_name("body").is_some()).and_then(|of| of.child_by_field_name("name"));
        if own_name.is_some_and(|own| walk.text(own) == walk.text(found.name)) {
            walk.wrap(node);
            continue;
        }
        let subject = Subject::new(kind, node, found.name, walk);
        let scope = subject.scope.filter(|_| unnamed.is_some());
        let body = unnamed.and_then(|of| of.child_by_field_name("body"));
        walk.define(Subject { scope, body, ..subject });
    }
    Next::Into
}

/// `#define A 1` is a constant; a guard that has no value is nothing.
pub(crate) fn macro_constant<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if node.child_by_field_name("value").is_some() {
        walk.define_named(SymbolKind::Constant, node);
    }
    Next::Over
}

/// `#define A(x) …` is a macro.
pub(crate) fn macro_function<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if let Some(name) = node.child_by_field_name("name") {
        let body = node.child_by_field_name("value");
        walk.define(Subject { body, ..Subject::new(SymbolKind::Macro, node, name, walk) });
    }
    Next::Over
}

/// `#include <a.h>`, `#include "b.h"`.
pub(crate) fn include<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if let Some(path) = node.child_by_field_name("path") {
        let text = walk.text(path);
        walk.import(node, text.trim_matches(['"', '<', '>']), "", "", false);
    }
    Next::Over
}

pub(crate) fn structure<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    define_type(walk, SymbolKind::Struct, node)
}

pub(crate) fn union<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    define_type(walk, SymbolKind::Union, node)
}

pub(crate) fn enumeration<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    define_type(walk, SymbolKind::Enum, node)
}
