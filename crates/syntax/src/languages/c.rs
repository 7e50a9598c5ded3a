//! Rules of C.

use model::SymbolKind;

use crate::languages::c_declarators;
use crate::walk::rules::{LanguageRules, NameRule, NodeRule};

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("function_definition", NodeRule::Visit(c_declarators::visit_function)),
        ("declaration", NodeRule::Visit(c_declarators::visit_declaration)),
        ("field_declaration", NodeRule::Visit(c_declarators::visit_declaration)),
        ("struct_specifier", NodeRule::Visit(c_declarators::visit_struct)),
        ("union_specifier", NodeRule::Visit(c_declarators::visit_union)),
        ("enum_specifier", NodeRule::Visit(c_declarators::visit_enum)),
        ("enumerator", NodeRule::Define(SymbolKind::Variant)),
        ("type_definition", NodeRule::Visit(c_declarators::visit_type_definition)),
        ("preproc_def", NodeRule::Visit(c_declarators::visit_macro_constant)),
        ("preproc_function_def", NodeRule::Visit(c_declarators::visit_macro_function)),
        ("preproc_include", NodeRule::Visit(c_declarators::visit_include)),
        ("comment", NodeRule::Comment),
        ("call_expression", NodeRule::Call("function")),
        ("compound_literal_expression", NodeRule::Construct("type")),
        ("type_identifier", NodeRule::Type),
    ],
    names: &[
        ("identifier", NameRule::Leaf),
        ("type_identifier", NameRule::Leaf),
        ("field_identifier", NameRule::Leaf),
        ("field_expression", NameRule::Member { object: "argument", name: "field" }),
        ("type_descriptor", NameRule::Inside("type")),
        ("struct_specifier", NameRule::Inside("name")),
        ("union_specifier", NameRule::Inside("name")),
        ("enum_specifier", NameRule::Inside("name")),
    ],
    builtin_types: &[
        "size_t",
        "ssize_t",
        "int8_t",
        "int16_t",
        "int32_t",
        "int64_t",
        "uint8_t",
        "uint16_t",
        "uint32_t",
        "uint64_t",
        "intptr_t",
        "uintptr_t",
        "ptrdiff_t",
        "bool",
    ],
    ..LanguageRules::EMPTY
};
