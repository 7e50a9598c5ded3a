//! Literals and patterns of structs, whose fields a compiler compares with those of the type.

use std::collections::BTreeSet;

use model::Language;

use crate::{
    node::SyntaxNode,
    written_calls::{WrittenCall, last_name},
};

/// Name of the implemented type in its methods.
const OWN_TYPE: &str = "Self";

/// Returns the name of the type that a node of Rust implements.
pub(crate) fn implemented_type<'a>(node: SyntaxNode<'_>, bytes: &'a [u8]) -> Option<&'a str> {
    let implemented = (node.kind() == "impl_item").then(|| node.child_by_field_name("type"))??;
    text(implemented, bytes).map(last_name)
}

/// Reads a literal of Rust or Go, or a pattern of Rust, whose type has one of some names. `own_type` is the name of the type that `Self`
/// means.
pub(crate) fn read_literal(
    language: Language,
    node: SyntaxNode<'_>,
    bytes: &[u8],
    names: &BTreeSet<&str>,
    own_type: Option<&str>,
) -> Option<WrittenCall> {
    let (type_field, list) = match (language, node.kind()) {
        (Language::Rust, "struct_expression") => ("name", node.child_by_field_name("body")?),
        (Language::Rust, "struct_pattern") => ("type", node),
        (Language::Go, "composite_literal") => ("type", node.child_by_field_name("body")?),
        _ => return None,
    };
    let written = node.child_by_field_name(type_field)?;
    let is_of_struct =
        !matches!(written.kind(), "slice_type" | "array_type" | "map_type" | "implicit_length_array_type");
    let type_text = text(written, bytes).filter(|_| is_of_struct)?;
    let written_name = last_name(type_text);
    let (name, receiver) = match written_name {
        OWN_TYPE => (own_type?, OWN_TYPE),
        name => (name, ""),
    };
    if !names.contains(name) {
        return None;
    }
    let n_before = bytes[..written.start_byte()].iter().filter(|byte| **byte == b'\n').count();
    // The path of a type may go over lines.
    let n_within = type_text[..type_text.rfind(written_name)?].matches('\n').count();
    let mut cursor = list.walk();
    let elements: Vec<SyntaxNode<'_>> = list.named_children(&mut cursor).filter(|child| !child.is_extra()).collect();
    let of_kind =
        |kinds: &[&str]| elements.iter().copied().filter(|one| kinds.contains(&one.kind())).collect::<Vec<_>>();
    let named = of_kind(&["field_initializer", "shorthand_field_initializer", "field_pattern", "keyed_element"]);
    Some(WrittenCall {
        line: u32::try_from(n_before + n_within + 1).ok()?,
        name: name.to_owned(),
        receiver: receiver.to_owned(),
        n_positional: u32::try_from(of_kind(&["literal_element"]).len()).ok()?,
        names: named.into_iter().filter_map(|element| field_name(element, bytes)).collect(),
        is_open: !of_kind(&["base_field_initializer", "remaining_field_pattern"]).is_empty(),
        is_literal: true,
        ..WrittenCall::default()
    })
}

fn field_name(element: SyntaxNode<'_>, bytes: &[u8]) -> Option<String> {
    let named = element.child_by_field_name("field").or_else(|| element.child_by_field_name("name"));
    let mut cursor = element.walk();
    let first = || element.named_children(&mut cursor).find(|child| !child.kind().contains("attribute"));
    let name = text(named.or_else(first)?, bytes)?;
    Some(name.trim_start_matches("r#").to_owned())
}

fn text<'a>(node: SyntaxNode<'_>, bytes: &'a [u8]) -> Option<&'a str> {
    std::str::from_utf8(bytes.get(node.byte_range())?).ok()
}

/// Returns the type of a literal or function expression, by the same names in all languages; empty for other expressions.
pub(crate) fn literal_type(node: SyntaxNode<'_>, bytes: &[u8]) -> &'static str {
    let text = bytes.get(node.byte_range()).unwrap_or_default();
    let quote = text.iter().position(|byte| matches!(byte, b'"' | b'\'' | b'`')).unwrap_or_default();
    let is_bytes = text[..quote].iter().any(|byte| matches!(byte, b'b' | b'B'));
    match node.kind() {
        // Byte strings of Rust are arrays.
        "string" if is_bytes => "bytes",
        "string_literal" | "raw_string_literal" if is_bytes => "",
        "string" | "template_string" | "string_literal" | "raw_string_literal" | "interpreted_string_literal" => "str",
        "integer" | "float" | "number" | "integer_literal" | "float_literal" | "int_literal" => "int",
        "decimal_integer_literal" | "hex_integer_literal" | "decimal_floating_point_literal" => "int",
        "true" | "false" | "boolean_literal" => "bool",
        "arrow_function" | "function_expression" | "lambda" | "lambda_expression" | "func_literal" => "function",
        "list" | "list_comprehension" => "list",
        "dictionary" | "dictionary_comprehension" => "dict",
        "tuple" => "tuple",
        "set" | "set_comprehension" => "set",
        "none" => "None",
        "array" => "array literal",
        "object" => "object literal",
        "new_expression" if is_promise(node, "constructor", bytes) => "Promise",
        "call_expression" if is_promise(node, "function", bytes) => "Promise",
        _ => "",
    }
}

/// Returns true for `new Promise(…)`, and for `Promise.resolve(…)` and the like.
fn is_promise(node: SyntaxNode<'_>, field: &str, bytes: &[u8]) -> bool {
    let callee = node.child_by_field_name(field).and_then(|callee| text(callee, bytes));
    let makers = ["all", "allSettled", "any", "race", "reject", "resolve"];
    callee.is_some_and(|callee| match callee.strip_prefix("Promise.") {
        Some(maker) => makers.contains(&maker),
        None => callee == "Promise" && field == "constructor",
    })
}

#[cfg(test)]
mod tests {
    use crate::written_calls;

    use super::*;

    fn check(language: Language, text: &str, expected: &str) {
        let found = written_calls(language, text.as_bytes(), &BTreeSet::from(["S"]));
        let describe = |one: &WrittenCall| {
            assert!(one.is_literal, "{text}");
            let dots = if one.is_open { " .." } else { "" };
            let own = if one.receiver == OWN_TYPE { "own " } else { "" };
            format!("{}:{own}{} {}{:?}{dots}", one.line, one.name, one.n_positional, one.names)
        };
        assert_eq!(found.iter().map(describe).collect::<Vec<_>>().join("; "), expected, "{text}");
    }

    #[test]
    fn literals_are_read_with_their_fields() {
        use Language::{Go, Rust};
        check(
            Rust,
            "fn g() { S { a: 1, b }; m::S::<u8> { a, ..c }; T { a }; S {} }",
            "1:S 0[]; 1:S 0[\"a\"] ..; 1:S 0[\"a\", \"b\"]",
        );
        check(
            Rust,
            "fn g(s: S) {\n let m::\n S { a, b: c } = s; if let S { ref a, .. } = s {} }",
            "3:S 0[\"a\"] ..; 3:S 0[\"a\", \"b\"]",
        );
        check(Rust, "impl<T> A for m::S<T> { fn g() { Self { a: T { b: 1 } } } }", "1:own S 0[\"a\"]");
        check(Rust, "impl T { fn g() { Self { a: 1 } } }\nfn g() { Self { a: 1 } }", "");
        check(
            Go,
            "package a\nfunc g() { _ = p.S{1, f(2)}; _ = &S{A: 1, B: 2}; _ = S[int]{}; _ = []S{} }",
            "2:S 0[]; 2:S 0[\"A\", \"B\"]; 2:S 2[]",
        );
    }
}
