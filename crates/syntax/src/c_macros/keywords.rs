//! Keywords of C and C++, grouped by the position of the tokens around them.

/// Compiler-specific keywords, which carry no information about the declaration.
pub(super) const COMPILER_KEYWORDS: [&str; 10] = [
    "__declspec",
    "__attribute__",
    "__stdcall",
    "__cdecl",
    "__fastcall",
    "__vectorcall",
    "__forceinline",
    "__inline",
    "__extension__",
    "__restrict",
];

/// Keywords that precede the name of a type.
pub(super) const TYPE_KEYWORDS: [&str; 4] = ["class", "struct", "union", "enum"];

/// Keywords that may precede a type. The token after them is treated as the start of a declaration.
pub(super) const SPECIFIERS: [&str; 14] = [
    "static",
    "inline",
    "extern",
    "virtual",
    "constexpr",
    "const",
    "friend",
    "explicit",
    "typedef",
    "volatile",
    "mutable",
    "register",
    "thread_local",
    "typename",
];

/// Keywords that cannot follow the type of a declaration, so that a name in capitals before them is not a type.
pub(super) const DECLARATION_STARTS: [&str; 46] = [
    "namespace",
    "class",
    "struct",
    "union",
    "enum",
    "template",
    "typename",
    "static",
    "inline",
    "constexpr",
    "virtual",
    "explicit",
    "friend",
    "using",
    "typedef",
    "extern",
    "void",
    "int",
    "char",
    "bool",
    "short",
    "long",
    "float",
    "double",
    "signed",
    "unsigned",
    "auto",
    "public",
    "private",
    "protected",
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default",
    "return",
    "break",
    "continue",
    "goto",
    "try",
    "throw",
    "delete",
    "size_t",
];

/// Keywords before an expression, so that a name in capitals after them is a value.
pub(super) const VALUE_PREFIXES: [&str; 15] = [
    "return",
    "case",
    "goto",
    "else",
    "do",
    "throw",
    "new",
    "delete",
    "sizeof",
    "operator",
    "using",
    "and",
    "or",
    "not",
    "namespace",
];

/// Keywords whose parentheses are followed by a statement.
pub(super) const STATEMENT_KEYWORDS: [&str; 6] = ["if", "while", "for", "switch", "catch", "return"];
