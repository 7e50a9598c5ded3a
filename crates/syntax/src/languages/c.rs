//! C.

use model::SymbolKind;

use crate::languages::declarators;
use crate::rules::{LanguageRules, NameRule, Rule};

pub(crate) static RULES: LanguageRules = LanguageRules {
    nodes: &[
        ("function_definition", Rule::Visit(declarators::function)),
        ("declaration", Rule::Visit(declarators::declaration)),
        ("field_declaration", Rule::Visit(declarators::field)),
        ("struct_specifier", Rule::Visit(declarators::structure)),
        ("union_specifier", Rule::Visit(declarators::union)),
        ("enum_specifier", Rule::Visit(declarators::enumeration)),
        ("enumerator", Rule::Define(SymbolKind::Variant)),
        ("type_definition", Rule::Visit(declarators::type_definition)),
        ("preproc_def", Rule::Visit(declarators::macro_constant)),
        ("preproc_function_def", Rule::Visit(declarators::macro_function)),
        ("preproc_include", Rule::Visit(declarators::include)),
        ("comment", Rule::Comment),
        ("call_expression", Rule::Call("function")),
        ("compound_literal_expression", Rule::Construct("type")),
        ("type_identifier", Rule::Type),
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
    ..LanguageRules::NONE
};
