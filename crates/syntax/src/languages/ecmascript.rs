//! JavaScript and TypeScript, with JSX: one table for three grammars.

use model::{ReferenceKind, SymbolKind};

use crate::define::Subject;
use crate::languages::ecmascript_imports as imports;
use crate::node::Node;
use crate::rules::{LanguageRules, NameRule, Next, Rule};
use crate::scope::ScopeKind;
use crate::walk::Walk;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("function_declaration", Rule::Define(SymbolKind::Function)),
        ("generator_function_declaration", Rule::Define(SymbolKind::Function)),
        ("function_signature", Rule::Visit(overload)),
        ("function_expression", Rule::Visit(function_value)),
        ("generator_function", Rule::Visit(function_value)),
        ("arrow_function", Rule::Visit(function_value)),
        ("class_declaration", Rule::Define(SymbolKind::Class)),
        ("abstract_class_declaration", Rule::Define(SymbolKind::Class)),
        ("class", Rule::Visit(class_value)),
        ("method_definition", Rule::Visit(method)),
        ("method_signature", Rule::Visit(method_signature)),
        ("abstract_method_signature", Rule::Define(SymbolKind::Method)),
        ("public_field_definition", Rule::Visit(field)),
        ("field_definition", Rule::Visit(field)),
        ("required_parameter", Rule::Visit(parameter_property)),
        ("interface_declaration", Rule::Define(SymbolKind::Interface)),
        ("property_signature", Rule::Visit(property)),
        ("type_alias_declaration", Rule::Define(SymbolKind::TypeAlias)),
        ("enum_declaration", Rule::Define(SymbolKind::Enum)),
        ("enum_body", Rule::Visit(variants)),
        ("enum_assignment", Rule::Define(SymbolKind::Variant)),
        ("internal_module", Rule::Visit(module)),
        ("module", Rule::Visit(module)),
        ("export_statement", Rule::Visit(imports::export)),
        ("ambient_declaration", Rule::Wrapper),
        ("lexical_declaration", Rule::WrapperOfOne),
        ("variable_declaration", Rule::WrapperOfOne),
        ("variable_declarator", Rule::Visit(variable)),
        ("expression_statement", Rule::Wrapper),
        ("assignment_expression", Rule::Visit(assignment)),
        ("pair", Rule::Visit(pair)),
        ("decorator", Rule::Attribute),
        ("comment", Rule::Comment),
        ("import_statement", Rule::Visit(imports::import)),
        ("import_alias", Rule::Visit(imports::alias)),
        ("call_expression", Rule::Visit(call)),
        ("new_expression", Rule::Construct("constructor")),
        ("extends_clause", Rule::Visit(extended)),
        ("class_heritage", Rule::Bases(ReferenceKind::Extend)),
        ("implements_clause", Rule::Bases(ReferenceKind::Implement)),
        ("extends_type_clause", Rule::Bases(ReferenceKind::Extend)),
        ("type_identifier", Rule::Type),
        ("nested_type_identifier", Rule::Type),
        ("type_query", Rule::Skip),
        ("jsx_opening_element", Rule::Visit(element)),
        ("jsx_self_closing_element", Rule::Visit(element)),
    ],
    names: &[
        ("identifier", NameRule::Leaf),
        ("type_identifier", NameRule::Leaf),
        ("property_identifier", NameRule::Leaf),
        ("private_property_identifier", NameRule::Leaf),
        ("super", NameRule::Leaf),
        ("member_expression", NameRule::Member { object: "object", name: "property" }),
        ("nested_type_identifier", NameRule::Member { object: "module", name: "name" }),
        ("generic_type", NameRule::Inside("name")),
        ("non_null_expression", NameRule::First),
        ("instantiation_expression", NameRule::First),
        ("parenthesized_expression", NameRule::First),
        ("call_expression", NameRule::Inside("function")),
        ("decorator", NameRule::First),
    ],
    constructors: &["constructor"],
    ..LanguageRules::NONE
};

/// A signature without a body gives way to the function of its name; `declare function` has none to give way to.
fn overload<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if let Some(name) = node.child_by_field_name("name") {
        walk.define(Subject { is_prototype: true, ..Subject::new(SymbolKind::Function, node, name, walk) });
    }
    Next::Into
}

/// A signature in a class gives way to its method, one in an interface is the definition.
fn method_signature<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let Some(name) = node.child_by_field_name("name") else { return Next::Into };
    let is_prototype = walk.is_in("class_body");
    let subject = Subject { is_prototype, ..Subject::new(SymbolKind::Method, node, name, walk) };
    walk.define(Subject { name: property_name(walk, name), ..subject });
    Next::Into
}

fn method<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let Some(name) = node.child_by_field_name("name") else { return Next::Into };
    let subject = Subject::new(SymbolKind::Method, node, name, walk);
    walk.define(Subject { name: property_name(walk, name), ..subject });
    Next::Into
}

fn property<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let Some(name) = node.child_by_field_name("name") else { return Next::Into };
    if walk.in_type() {
        let subject = Subject::new(SymbolKind::Property, node, name, walk);
        walk.define(Subject { name: property_name(walk, name), ..subject });
    }
    Next::Into
}

/// A field with a function as its value is a method.
fn field<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let name = node.child_by_field_name("name").or_else(|| node.child_by_field_name("property"));
    let Some(name) = name else { return Next::Into };
    let function = node.child_by_field_name("value").and_then(function_in);
    let kind = if function.is_some() { SymbolKind::Method } else { SymbolKind::Field };
    define_value(walk, kind, node, name, function, "");
    Next::Into
}

/// `constructor(private a: A)` has a field `a`.
fn parameter_property<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let is_property = node.named_child(0).is_some_and(|first| {
        matches!(first.kind(), "accessibility_modifier" | "override_modifier") || walk.starts_with(node, "readonly ")
    });
    if let Some(name) = node.child_by_field_name("pattern").filter(|name| is_property && name.kind() == "identifier") {
        walk.define_outside(Subject::new(SymbolKind::Field, node, name, walk));
    }
    Next::Into
}

/// Members of an enum that have no value.
fn variants<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let mut cursor = node.walk();
    for name in node.children_by_field_name("name", &mut cursor) {
        let subject = Subject::new(SymbolKind::Variant, name, name, walk);
        walk.define(Subject { scope: None, name: property_name(walk, name), ..subject });
    }
    Next::Into
}

fn module<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let Some(name) = node.child_by_field_name("name") else { return Next::Into };
    if name.kind() == "string" {
        // `declare module "x"` describes another package.
        return Next::Into;
    }
    walk.define_named(SymbolKind::Module, node)
}

/// `const f = () => {}` is a function wherever it stands; other variables are definitions at the level of the module.
fn variable<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let (Some(name), value) = (node.child_by_field_name("name"), node.child_by_field_name("value")) else {
        return Next::Into;
    };
    if imports::require(walk, node, name, value) {
        return Next::Over;
    }
    if name.kind() != "identifier" {
        return Next::Into;
    }
    let function = value.and_then(function_in);
    let kind = match value.map(|value| value.kind()) {
        _ if function.is_some() => SymbolKind::Function,
        Some("class") => SymbolKind::Class,
        _ if walk.in_function() => return Next::Into,
        _ if is_constant(walk) => SymbolKind::Constant,
        _ => SymbolKind::Variable,
    };
    let body = function.or(value.filter(|_| kind == SymbolKind::Class));
    define_value(walk, kind, node, name, body, "");
    if value.is_some_and(is_object) {
        let name = walk.text(name);
        walk.open_scope(ScopeKind::Type, &name);
    }
    Next::Into
}

/// `exports.f = …`, `app.use = …`, `A.prototype.m = …`: functions that become members of something else.
fn assignment<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
        return Next::Into;
    };
    let value = last_assigned(right);
    let (function, is_class) = (function_in(value), value.kind() == "class");
    match left.kind() {
        "identifier" if function.is_some() => {
            define_value(walk, SymbolKind::Function, node, left, function, "");
        }
        "member_expression" if function.is_some() || is_class => {
            let (Some(object), Some(name)) = (left.child_by_field_name("object"), left.child_by_field_name("property"))
            else {
                return Next::Into;
            };
            let owner = owner_of(&walk.text(object));
            let is_module = &walk.source[name.byte_range()] == b"exports" && owner == "module";
            let has_own_name = value.child_by_field_name("name").is_some();
            if is_module && (is_class || has_own_name) {
                return Next::Into;
            }
            let owner = if is_module { String::new() } else { owner };
            let kind = match owner.as_str() {
                _ if is_class => SymbolKind::Class,
                "" => SymbolKind::Function,
                _ => SymbolKind::Method,
            };
            let body = function.or(Some(value));
            define_value(walk, kind, node, name, body, &owner);
        }
        "member_expression" if is_object(value) => {
            let owner = owner_of(&walk.text(left));
            if !owner.is_empty() && owner.len() <= crate::names::MAX_NAME_BYTES {
                walk.open_scope(ScopeKind::Type, &owner);
            }
        }
        _ => {}
    }
    Next::Into
}

/// Drops what only says how a member is passed on: `exports`, `module.exports`, `this`, `.prototype`.
fn owner_of(object: &str) -> String {
    let path: Vec<&str> = object.split('.').map(str::trim).filter(|part| !part.is_empty()).collect();
    let path = match path.as_slice() {
        ["module", "exports", rest @ ..] => rest,
        ["exports" | "this" | "window" | "globalThis", rest @ ..] => rest,
        all => all,
    };
    let path: Vec<&str> = path.iter().copied().filter(|part| *part != "prototype").collect();
    let is_plain = path.iter().all(|part| part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$')));
    if is_plain { path.join(".") } else { String::new() }
}

/// A function in an object literal is a method of what the object is.
fn pair<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let (Some(key), Some(value)) = (node.child_by_field_name("key"), node.child_by_field_name("value")) else {
        return Next::Into;
    };
    if let Some(function) = function_in(value) {
        define_value(walk, SymbolKind::Method, node, key, Some(function), "");
    } else if is_object(value) && walk.in_type() {
        let name = property_name(walk, key);
        walk.open_scope(ScopeKind::Type, &name);
    }
    Next::Into
}

/// A function as a value: its name, where it has one, is its own unless what it is assigned to has named it.
fn function_value<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let is_default_export = walk.is_in("export_statement");
    match node.child_by_field_name("name") {
        _ if walk.is_claimed(node) => {}
        Some(name) => walk.define(Subject::new(SymbolKind::Function, node, name, walk)),
        None if is_default_export => define_default(walk, SymbolKind::Function, node),
        None => walk.open_scope(ScopeKind::Function, ""),
    }
    Next::Into
}

/// A class as a value: named as functions are.
fn class_value<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    let is_default_export = walk.is_in("export_statement");
    match node.child_by_field_name("name") {
        _ if walk.is_claimed(node) => {}
        Some(_) => return walk.define_named(SymbolKind::Class, node),
        None if is_default_export => define_default(walk, SymbolKind::Class, node),
        None => walk.open_scope(ScopeKind::Type, ""),
    }
    Next::Into
}

/// `export default` of a function without a name.
fn define_default<'t>(walk: &mut Walk<'t>, kind: SymbolKind, node: Node<'t>) {
    let subject = Subject::new(kind, node, node, walk);
    walk.define(Subject { name: "default".to_owned(), ..subject });
}

fn define_value<'t>(
    walk: &mut Walk<'t>,
    kind: SymbolKind,
    node: Node<'t>,
    name: Node<'t>,
    value: Option<Node<'t>>,
    owner: &str,
) {
    let body = value.and_then(|value| value.child_by_field_name("body"));
    if let Some(value) = value {
        walk.claim(value);
    }
    let subject = Subject::new(kind, node, name, walk);
    // In `a.b = a.c = function () {}` what is in the function stands in `a.c`.
    let is_chained = node.child_by_field_name("right").is_some_and(|right| right.kind() == "assignment_expression");
    let scope = subject.scope.filter(|_| !is_chained);
    walk.define(Subject { name: property_name(walk, name), body, qualifier: owner.to_owned(), scope, ..subject });
}

/// Returns the function that a value is, through parentheses and type assertions.
fn function_in(value: Node<'_>) -> Option<Node<'_>> {
    let mut at = value;
    for _ in 0..8 {
        match at.kind() {
            "arrow_function" | "function_expression" | "generator_function" => return Some(at),
            "parenthesized_expression" | "as_expression" | "satisfies_expression" | "non_null_expression" => {
                at = at.named_child(0)?;
            }
            _ => return None,
        }
    }
    None
}

fn is_object(value: Node<'_>) -> bool {
    match value.kind() {
        "object" => true,
        "as_expression" | "satisfies_expression" | "parenthesized_expression" => {
            value.named_child(0).is_some_and(|inner| inner.kind() == "object")
        }
        _ => false,
    }
}

/// Returns `c` of `a = b = c`.
fn last_assigned(right: Node<'_>) -> Node<'_> {
    let mut at = right;
    for _ in 0..8 {
        match at.child_by_field_name("right") {
            Some(inner) if at.kind() == "assignment_expression" => at = inner,
            _ => break,
        }
    }
    at
}

fn is_constant(walk: &Walk<'_>) -> bool {
    walk.ancestor(0).is_some_and(|list| walk.starts_with(list, "const"))
}

/// Writes the name of a property without the quotes that it may be written in; what is computed keeps its brackets
/// (`[Symbol.iterator]`), unless it is a text.
fn property_name(walk: &Walk<'_>, name: Node<'_>) -> String {
    let text = crate::names::fold(&walk.source[name.byte_range()]);
    match name.kind() {
        "string" => text.trim_matches(['"', '\'']).to_owned(),
        "computed_property_name" if is_text_in_brackets(&text) => {
            text.trim_matches(['"', '\'', '[', ']', '`']).to_owned()
        }
        _ => text,
    }
}

/// `["a"]`.
fn is_text_in_brackets(text: &str) -> bool {
    text.get(1..).is_some_and(|inner| inner.starts_with(['"', '\'', '`']))
}

fn extended<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if let Some(value) = node.child_by_field_name("value") {
        walk.mention(ReferenceKind::Extend, value);
    }
    Next::Into
}

fn call<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if imports::call(walk, node) {
        return Next::Over;
    }
    if let Some(function) = node.child_by_field_name("function").filter(|f| f.kind() != "call_expression") {
        walk.mention(ReferenceKind::Call, function);
    }
    Next::Into
}

/// `<Foo/>` calls the component `Foo`; `<div>` calls nothing.
fn element<'t>(walk: &mut Walk<'t>, node: Node<'t>) -> Next {
    if let Some(name) = node.child_by_field_name("name") {
        let is_component = name.kind() == "member_expression" || walk.source[name.start_byte()].is_ascii_uppercase();
        if is_component {
            walk.mention(ReferenceKind::Call, name);
        }
    }
    Next::Into
}
