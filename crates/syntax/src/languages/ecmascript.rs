//! Rules of JavaScript and TypeScript, with JSX: one table for three grammars.

mod imports;

use model::{ReferenceKind, SymbolKind};

use crate::node::SyntaxNode;
use crate::walk::TreeWalk;
use crate::walk::definitions::DefinitionSpec;
use crate::walk::rules::{LanguageRules, NameRule, NodeRule, WalkAction};
use crate::walk::scopes::ScopeKind;

/// Maximum number of parentheses, type assertions or chained assignments around a value.
const MAX_VALUE_STEPS: usize = 8;

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("function_declaration", NodeRule::Define(SymbolKind::Function)),
        ("generator_function_declaration", NodeRule::Define(SymbolKind::Function)),
        ("function_signature", NodeRule::Visit(visit_function_signature)),
        ("function_expression", NodeRule::Visit(visit_function_value)),
        ("generator_function", NodeRule::Visit(visit_function_value)),
        ("arrow_function", NodeRule::Visit(visit_function_value)),
        ("class_declaration", NodeRule::Define(SymbolKind::Class)),
        ("abstract_class_declaration", NodeRule::Define(SymbolKind::Class)),
        ("class", NodeRule::Visit(visit_class_value)),
        ("method_definition", NodeRule::Visit(visit_method)),
        ("method_signature", NodeRule::Visit(visit_method_signature)),
        ("abstract_method_signature", NodeRule::Define(SymbolKind::Method)),
        ("public_field_definition", NodeRule::Visit(visit_field)),
        ("field_definition", NodeRule::Visit(visit_field)),
        ("required_parameter", NodeRule::Visit(visit_parameter_property)),
        ("interface_declaration", NodeRule::Define(SymbolKind::Interface)),
        ("property_signature", NodeRule::Visit(visit_property)),
        ("type_alias_declaration", NodeRule::Define(SymbolKind::TypeAlias)),
        ("enum_declaration", NodeRule::Define(SymbolKind::Enum)),
        ("enum_body", NodeRule::Visit(visit_variants)),
        ("enum_assignment", NodeRule::Define(SymbolKind::Variant)),
        ("internal_module", NodeRule::Visit(visit_module)),
        ("module", NodeRule::Visit(visit_module)),
        ("export_statement", NodeRule::Visit(imports::visit_export)),
        ("ambient_declaration", NodeRule::Wrapper),
        ("lexical_declaration", NodeRule::SingleWrapper),
        ("variable_declaration", NodeRule::SingleWrapper),
        ("variable_declarator", NodeRule::Visit(visit_variable)),
        ("expression_statement", NodeRule::Wrapper),
        ("assignment_expression", NodeRule::Visit(visit_assignment)),
        ("pair", NodeRule::Visit(visit_pair)),
        ("decorator", NodeRule::Attribute),
        ("comment", NodeRule::Comment),
        ("import_statement", NodeRule::Visit(imports::visit_import)),
        ("import_alias", NodeRule::Visit(imports::visit_alias)),
        ("call_expression", NodeRule::Visit(visit_call)),
        ("new_expression", NodeRule::Construct("constructor")),
        ("extends_clause", NodeRule::Visit(visit_extends)),
        ("class_heritage", NodeRule::Bases(ReferenceKind::Extend)),
        ("implements_clause", NodeRule::Bases(ReferenceKind::Implement)),
        ("extends_type_clause", NodeRule::Bases(ReferenceKind::Extend)),
        ("type_identifier", NodeRule::Type),
        ("nested_type_identifier", NodeRule::Type),
        ("type_query", NodeRule::Skip),
        ("jsx_opening_element", NodeRule::Visit(visit_element)),
        ("jsx_self_closing_element", NodeRule::Visit(visit_element)),
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
    ..LanguageRules::EMPTY
};

/// A signature without a body is replaced by the function of the same name, if the file has one. `declare function` has
/// none.
fn visit_function_signature<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let Some(name) = node.child_by_field_name("name") {
        walk.define(DefinitionSpec {
            is_prototype: true,
            ..DefinitionSpec::new(SymbolKind::Function, node, name, walk)
        });
    }
    WalkAction::Descend
}

/// A signature in a class is replaced by its method. In an interface it is itself the definition.
fn visit_method_signature<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let Some(name) = node.child_by_field_name("name") else { return WalkAction::Descend };
    let is_prototype = walk.is_child_of("class_body");
    let spec = DefinitionSpec { is_prototype, ..DefinitionSpec::new(SymbolKind::Method, node, name, walk) };
    walk.define(DefinitionSpec { name: property_name(walk, name), ..spec });
    WalkAction::Descend
}

fn visit_method<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let Some(name) = node.child_by_field_name("name") else { return WalkAction::Descend };
    let spec = DefinitionSpec::new(SymbolKind::Method, node, name, walk);
    walk.define(DefinitionSpec { name: property_name(walk, name), ..spec });
    WalkAction::Descend
}

fn visit_property<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let Some(name) = node.child_by_field_name("name") else { return WalkAction::Descend };
    if walk.is_in_type() {
        let spec = DefinitionSpec::new(SymbolKind::Property, node, name, walk);
        walk.define(DefinitionSpec { name: property_name(walk, name), ..spec });
    }
    WalkAction::Descend
}

/// A field whose value is a function is a method.
fn visit_field<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let name = node.child_by_field_name("name").or_else(|| node.child_by_field_name("property"));
    let Some(name) = name else { return WalkAction::Descend };
    let function = node.child_by_field_name("value").and_then(as_function);
    let kind = if function.is_some() { SymbolKind::Method } else { SymbolKind::Field };
    define_value(walk, kind, node, name, function, "");
    WalkAction::Descend
}

/// `constructor(private a: A)` declares a field `a`.
fn visit_parameter_property<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let is_property = node.named_child(0).is_some_and(|first| {
        matches!(first.kind(), "accessibility_modifier" | "override_modifier") || walk.starts_with(node, "readonly ")
    });
    if let Some(name) = node.child_by_field_name("pattern").filter(|name| is_property && name.kind() == "identifier") {
        walk.define_in_outer_scope(DefinitionSpec::new(SymbolKind::Field, node, name, walk));
    }
    WalkAction::Descend
}

/// Enum members without a value.
fn visit_variants<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let mut cursor = node.walk();
    for name in node.children_by_field_name("name", &mut cursor) {
        let spec = DefinitionSpec::new(SymbolKind::Variant, name, name, walk);
        walk.define(DefinitionSpec { scope: None, name: property_name(walk, name), ..spec });
    }
    WalkAction::Descend
}

fn visit_module<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let Some(name) = node.child_by_field_name("name") else { return WalkAction::Descend };
    if name.kind() == "string" {
        // `declare module "x"` describes another package.
        return WalkAction::Descend;
    }
    walk.define_named(SymbolKind::Module, node)
}

/// `const f = () => {}` is a function at any level. Other variables are definitions only at module level.
fn visit_variable<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let (Some(name), value) = (node.child_by_field_name("name"), node.child_by_field_name("value")) else {
        return WalkAction::Descend;
    };
    if imports::add_require(walk, node, name, value) {
        return WalkAction::Skip;
    }
    if name.kind() != "identifier" {
        return WalkAction::Descend;
    }
    let function = value.and_then(as_function);
    let kind = match value.map(|value| value.kind()) {
        _ if function.is_some() => SymbolKind::Function,
        Some("class") => SymbolKind::Class,
        _ if walk.is_in_function() => return WalkAction::Descend,
        _ if is_constant(walk) => SymbolKind::Constant,
        _ => SymbolKind::Variable,
    };
    let body = function.or(value.filter(|_| kind == SymbolKind::Class));
    define_value(walk, kind, node, name, body, "");
    if value.is_some_and(is_object) {
        let name = walk.text(name);
        walk.open_scope(ScopeKind::Type, &name);
    }
    WalkAction::Descend
}

/// `exports.f = …`, `app.use = …`, `A.prototype.m = …`: functions assigned to members of another object.
fn visit_assignment<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
        return WalkAction::Descend;
    };
    let value = last_value(right);
    let (function, is_class) = (as_function(value), value.kind() == "class");
    match left.kind() {
        "identifier" if function.is_some() => {
            define_value(walk, SymbolKind::Function, node, left, function, "");
        }
        "member_expression" if function.is_some() || is_class => {
            let (Some(object), Some(name)) = (left.child_by_field_name("object"), left.child_by_field_name("property"))
            else {
                return WalkAction::Descend;
            };
            let owner = owner_path(&walk.text(object));
            let is_module = &walk.source[name.byte_range()] == b"exports" && owner == "module";
            let has_own_name = value.child_by_field_name("name").is_some();
            if is_module && (is_class || has_own_name) {
                return WalkAction::Descend;
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
            let owner = owner_path(&walk.text(left));
            if !owner.is_empty() && owner.len() <= crate::names::MAX_NAME_BYTES {
                walk.open_scope(ScopeKind::Type, &owner);
            }
        }
        _ => {}
    }
    WalkAction::Descend
}

/// Drops path parts that only export or attach a member: `exports`, `module.exports`, `this`, `.prototype`.
fn owner_path(object: &str) -> String {
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

/// A function in an object literal is a method of the object's variable.
fn visit_pair<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let (Some(key), Some(value)) = (node.child_by_field_name("key"), node.child_by_field_name("value")) else {
        return WalkAction::Descend;
    };
    if let Some(function) = as_function(value) {
        define_value(walk, SymbolKind::Method, node, key, Some(function), "");
    } else if is_object(value) && walk.is_in_type() {
        let name = property_name(walk, key);
        walk.open_scope(ScopeKind::Type, &name);
    }
    WalkAction::Descend
}

/// A function expression. Its own name defines it unless it is assigned to a variable or member that already does.
fn visit_function_value<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let is_default_export = walk.is_child_of("export_statement");
    match node.child_by_field_name("name") {
        _ if walk.is_claimed(node) => {}
        Some(name) => walk.define(DefinitionSpec::new(SymbolKind::Function, node, name, walk)),
        None if is_default_export => define_default(walk, SymbolKind::Function, node),
        None => walk.open_scope(ScopeKind::Function, ""),
    }
    WalkAction::Descend
}

/// A class expression, named by the same rules as a function expression.
fn visit_class_value<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    let is_default_export = walk.is_child_of("export_statement");
    match node.child_by_field_name("name") {
        _ if walk.is_claimed(node) => {}
        Some(_) => return walk.define_named(SymbolKind::Class, node),
        None if is_default_export => define_default(walk, SymbolKind::Class, node),
        None => walk.open_scope(ScopeKind::Type, ""),
    }
    WalkAction::Descend
}

/// `export default` of a function or class without a name.
fn define_default<'t>(walk: &mut TreeWalk<'t>, kind: SymbolKind, node: SyntaxNode<'t>) {
    let spec = DefinitionSpec::new(kind, node, node, walk);
    walk.define(DefinitionSpec { name: "default".to_owned(), ..spec });
}

fn define_value<'t>(
    walk: &mut TreeWalk<'t>,
    kind: SymbolKind,
    node: SyntaxNode<'t>,
    name: SyntaxNode<'t>,
    value: Option<SyntaxNode<'t>>,
    owner: &str,
) {
    let body = value.and_then(|value| value.child_by_field_name("body"));
    if let Some(value) = value {
        walk.claim_value(value);
    }
    let spec = DefinitionSpec::new(kind, node, name, walk);
    // In `a.b = a.c = function () {}` the definitions inside the function belong to `a.c`.
    let is_chained = node.child_by_field_name("right").is_some_and(|right| right.kind() == "assignment_expression");
    let scope = spec.scope.filter(|_| !is_chained);
    walk.define(DefinitionSpec { name: property_name(walk, name), body, qualifier: owner.to_owned(), scope, ..spec });
}

/// Returns the function that a value is, under parentheses and type assertions.
fn as_function(value: SyntaxNode<'_>) -> Option<SyntaxNode<'_>> {
    let mut at = value;
    for _ in 0..MAX_VALUE_STEPS {
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

fn is_object(value: SyntaxNode<'_>) -> bool {
    match value.kind() {
        "object" => true,
        "as_expression" | "satisfies_expression" | "parenthesized_expression" => {
            value.named_child(0).is_some_and(|inner| inner.kind() == "object")
        }
        _ => false,
    }
}

/// Returns `c` of `a = b = c`.
fn last_value(right: SyntaxNode<'_>) -> SyntaxNode<'_> {
    let mut at = right;
    for _ in 0..MAX_VALUE_STEPS {
        match at.child_by_field_name("right") {
            Some(inner) if at.kind() == "assignment_expression" => at = inner,
            _ => break,
        }
    }
    at
}

fn is_constant(walk: &TreeWalk<'_>) -> bool {
    walk.ancestor(0).is_some_and(|list| walk.starts_with(list, "const"))
}

/// Returns the name of a property without quotes. A computed name keeps its brackets (`[Symbol.iterator]`) unless it is
/// a string.
fn property_name(walk: &TreeWalk<'_>, name: SyntaxNode<'_>) -> String {
    let text = crate::names::collapse_white_space(&walk.source[name.byte_range()]);
    match name.kind() {
        "string" => text.trim_matches(['"', '\'']).to_owned(),
        "computed_property_name" if is_bracketed_string(&text) => {
            text.trim_matches(['"', '\'', '[', ']', '`']).to_owned()
        }
        _ => text,
    }
}

/// `["a"]`.
fn is_bracketed_string(text: &str) -> bool {
    text.get(1..).is_some_and(|inner| inner.starts_with(['"', '\'', '`']))
}

fn visit_extends<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let Some(value) = node.child_by_field_name("value") {
        walk.add_reference(ReferenceKind::Extend, value);
    }
    WalkAction::Descend
}

fn visit_call<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if imports::add_dynamic_import(walk, node) {
        return WalkAction::Skip;
    }
    let function = node.child_by_field_name("function");
    // `await f<T>(x)` is read as a call of `await f`.
    let awaited = function.filter(|one| one.kind() == "await_expression").and_then(|one| one.named_child(0));
    if let Some(function) = awaited.or(function).filter(|f| f.kind() != "call_expression") {
        walk.add_reference(ReferenceKind::Call, function);
    }
    WalkAction::Descend
}

/// `<Foo/>` calls the component `Foo`; `<div>` calls nothing.
fn visit_element<'t>(walk: &mut TreeWalk<'t>, node: SyntaxNode<'t>) -> WalkAction {
    if let Some(name) = node.child_by_field_name("name") {
        let is_component = name.kind() == "member_expression" || walk.source[name.start_byte()].is_ascii_uppercase();
        if is_component {
            walk.add_reference(ReferenceKind::Call, name);
        }
    }
    WalkAction::Descend
}
