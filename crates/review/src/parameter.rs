//! Parameters, as a declaration writes them.

use model::Language;

use crate::nested_text::{find_outside, split_outside, without_spaces};

/// A parameter of a declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredParameter {
    /// The name by which a caller passes it; empty if it has none.
    pub name: String,
    /// The type as written, without white space; empty if it has none.
    pub type_text: String,
    /// The default value as written, without white space.
    pub default: Option<String>,
    /// True if a call may omit the argument.
    pub is_optional: bool,
    /// The way in which an argument is passed.
    pub kind: ParameterKind,
}

/// The way in which an argument is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// By position, or by name in languages with named arguments.
    Plain,
    /// By position alone.
    PositionalOnly,
    /// By name alone.
    NamedOnly,
    /// Takes the remaining arguments.
    Variadic,
    /// Takes the remaining named arguments.
    NamedVariadic,
}

/// Words before a parameter that say nothing about its type.
const QUALIFIERS: [&str; 23] = [
    "private",
    "protected",
    "public",
    "internal",
    "readonly",
    "override",
    "val",
    "var",
    "mut",
    "vararg",
    "implicit",
    "using",
    "crossinline",
    "noinline",
    "final",
    "required",
    "covariant",
    "this",
    "params",
    "in",
    "out",
    "ref",
    "late",
];

/// The parameters of a declaration, and its receiver (`self`, `&mut self`) if it is written as a parameter.
pub(crate) struct ParameterList {
    pub(crate) receiver: String,
    pub(crate) parameters: Vec<DeclaredParameter>,
}

/// Reads the text between the parentheses.
pub(crate) fn read(language: Language, is_member: bool, text: &str) -> ParameterList {
    let mut list = ParameterList { receiver: String::new(), parameters: Vec::new() };
    let mut is_named_only = false;
    let parts: Vec<&str> = split_outside(text, ',').into_iter().filter(|part| !part.is_empty()).collect();
    if language == Language::Go {
        list.parameters = go_parameters(&parts);
        return list;
    }
    for (at, part) in parts.into_iter().enumerate() {
        if at == 0 && is_receiver(language, is_member, part) {
            list.receiver = without_spaces(part);
            continue;
        }
        match (language, part) {
            (Language::Python, "*") => is_named_only = true,
            (Language::Python, "/") => {
                list.parameters.iter_mut().for_each(|parameter| parameter.kind = ParameterKind::PositionalOnly);
            }
            (Language::C | Language::Cpp, "void") => {}
            (Language::Dart, _) if part.starts_with(['{', '[']) => list.parameters.extend(dart_group(part)),
            _ => {
                let parameter = parameter(language, part);
                let parameter = match (is_named_only, parameter.kind) {
                    (true, ParameterKind::Plain) => DeclaredParameter { kind: ParameterKind::NamedOnly, ..parameter },
                    _ => parameter,
                };
                is_named_only |= language == Language::Python && parameter.kind == ParameterKind::Variadic;
                list.parameters.push(parameter);
            }
        }
    }
    list
}

/// Reads the types of a tuple, as variants and structs of Rust have them.
pub(crate) fn read_tuple(text: &str) -> ParameterList {
    let of_type = |part: &str| DeclaredParameter {
        name: String::new(),
        type_text: without_spaces(part.strip_prefix("pub ").unwrap_or(part)),
        default: None,
        is_optional: false,
        kind: ParameterKind::Plain,
    };
    let parts = split_outside(text, ',').into_iter().filter(|part| !part.is_empty());
    ParameterList { receiver: String::new(), parameters: parts.map(of_type).collect() }
}

fn is_receiver(language: Language, is_member: bool, part: &str) -> bool {
    let name = part.split(':').next().unwrap_or_default();
    match language {
        Language::Python => is_member && matches!(name.trim(), "self" | "cls"),
        Language::Rust => name.split_whitespace().last().is_some_and(|word| word.trim_start_matches('&') == "self"),
        Language::TypeScript | Language::Tsx => name.trim() == "this",
        _ => false,
    }
}

fn parameter(language: Language, part: &str) -> DeclaredParameter {
    let (declared, default) = at_default(part);
    let mut declared = without_annotations(declared);
    // `this: T` and `in: T` are names.
    let qualified =
        |declared: &str| declared.split_once(char::is_whitespace).is_some_and(|(word, _)| QUALIFIERS.contains(&word));
    while qualified(declared) {
        declared = declared.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim_start());
    }
    let is_vararg = part.split_whitespace().any(|word| matches!(word, "vararg" | "params"));
    let (stars, unstarred) = stars(language, declared);
    let (name, type_text) = match writes_type_first(language) {
        true => type_first(language, unstarred),
        false => name_first(language, unstarred),
    };
    let is_marked_optional = name.ends_with('?');
    let name = name.trim_end_matches(['?', '!']).trim_start_matches('$').to_owned();
    let is_variadic = is_vararg || stars == 1 || type_text.contains("...") && writes_type_first(language);
    let is_named = language == Language::Ruby && part.contains(':') && !part.starts_with(['*', '&']);
    let kind = match (stars, is_variadic, is_named) {
        (2, ..) => ParameterKind::NamedVariadic,
        (_, true, _) => ParameterKind::Variadic,
        (.., true) => ParameterKind::NamedOnly,
        _ => ParameterKind::Plain,
    };
    let has_ruby_default = is_named && !part.ends_with(':');
    let is_block = language == Language::Ruby && part.starts_with('&');
    let is_optional = default.is_some()
        || is_marked_optional
        || has_ruby_default
        || is_block
        || matches!(kind, ParameterKind::Variadic | ParameterKind::NamedVariadic);
    let default = default.map(without_spaces);
    DeclaredParameter { name, type_text: without_spaces(type_text), default, is_optional, kind }
}

/// Splits a parameter at its default value.
fn at_default(part: &str) -> (&str, Option<&str>) {
    let is_equals = |at: usize| {
        let (before, after) = (&part[..at], &part[at + 1..]);
        !after.starts_with(['=', '>']) && !before.ends_with(['=', '!', '<', '>'])
    };
    match find_outside(part, |character| character == '=').filter(|at| is_equals(*at)) {
        Some(at) => (part[..at].trim_end(), Some(part[at + 1..].trim())),
        None => (part, None),
    }
}

fn without_annotations(declared: &str) -> &str {
    let mut rest = declared.trim();
    while let Some(annotation) =
        rest.strip_prefix('@').or_else(|| rest.strip_prefix("#[")).or_else(|| rest.strip_prefix("[["))
    {
        let after_name = annotation
            .trim_start_matches(|character: char| character.is_alphanumeric() || matches!(character, '_' | '.' | ']'));
        let after = match after_name.strip_prefix('(') {
            Some(_) => {
                find_outside(&after_name[1..], |character| character == ')').map_or("", |at| &after_name[at + 2..])
            }
            None => after_name,
        };
        rest = after.trim_start();
    }
    rest
}

/// Returns the number of leading stars or dots of a variadic parameter, and the rest.
fn stars(language: Language, declared: &str) -> (usize, &str) {
    if writes_type_first(language) && language != Language::Php {
        return (0, declared);
    }
    if let Some(rest) = declared.strip_prefix("...") {
        return (1, rest.trim_start());
    }
    let rest = declared.trim_start_matches('*');
    ((declared.len() - rest.len()).min(2), rest)
}

/// Returns true for languages that write the type before the name.
fn writes_type_first(language: Language) -> bool {
    use Language::*;
    matches!(language, Java | CSharp | C | Cpp | Dart | Php | Protobuf)
}

fn name_first(language: Language, declared: &str) -> (&str, &str) {
    let (names, type_text) = match find_outside(declared, |character| character == ':') {
        Some(at) => (declared[..at].trim(), declared[at + 1..].trim()),
        None => (declared.trim(), ""),
    };
    // A label of Swift precedes the name inside the function.
    let name = match language {
        Language::Swift => names.split_whitespace().next().map_or("", |label| if label == "_" { "" } else { label }),
        _ => names.split_whitespace().last().unwrap_or_default(),
    };
    (name, type_text)
}

fn type_first(language: Language, declared: &str) -> (&str, &str) {
    let declared = declared.trim();
    let without_array = declared.trim_end_matches(|character: char| {
        matches!(character, '[' | ']') || character.is_ascii_digit() && declared.ends_with(']')
    });
    let is_name = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$');
    let start = without_array
        .rfind(|character: char| !is_name(character))
        .map_or(0, |at| at + without_array[at..].chars().next().map_or(1, char::len_utf8));
    let (type_text, name) = without_array.split_at(start);
    let type_text = type_text.trim();
    let has_type =
        !matches!(type_text, "" | "const" | "unsigned" | "signed" | "struct" | "enum") && !type_text.ends_with("::");
    let is_untyped = matches!(language, Language::Php | Language::Dart);
    match has_type && !name.is_empty() {
        true => (name, type_text),
        false if is_untyped => (name, ""),
        // A prototype may omit the name.
        false => ("", declared),
    }
}

/// Reads `a, b int, opts ...Option`, in which a type belongs to all names before it.
fn go_parameters(parts: &[&str]) -> Vec<DeclaredParameter> {
    let is_named = parts.iter().any(|part| go_name(part).is_some());
    let mut parameters: Vec<DeclaredParameter> = Vec::new();
    let mut later_type = String::new();
    for part in parts.iter().rev() {
        let (name, written) = match (is_named, go_name(part)) {
            (true, Some((name, written))) => (name, without_spaces(written)),
            (true, None) => (*part, later_type.clone()),
            (false, _) => ("", without_spaces(part)),
        };
        let is_variadic = written.starts_with("...");
        let kind = if is_variadic { ParameterKind::Variadic } else { ParameterKind::Plain };
        parameters.push(DeclaredParameter {
            name: name.to_owned(),
            type_text: written.clone(),
            default: None,
            is_optional: is_variadic,
            kind,
        });
        later_type = written;
    }
    parameters.reverse();
    parameters
}

/// Returns the name and the type of a part that has both.
fn go_name(part: &str) -> Option<(&str, &str)> {
    let (name, written) = part.split_once(char::is_whitespace)?;
    let is_name = name.chars().all(|character| character.is_alphanumeric() || character == '_');
    (is_name && !matches!(name, "func" | "chan" | "map" | "struct" | "interface")).then(|| (name, written.trim()))
}

/// Reads the named or the optional parameters of Dart.
fn dart_group(part: &str) -> Vec<DeclaredParameter> {
    let is_named = part.starts_with('{');
    let inside = part.trim_start_matches(['{', '[']).trim_end_matches(['}', ']']);
    let group = split_outside(inside, ',').into_iter().filter(|part| !part.is_empty()).map(|part| {
        let read = parameter(Language::Dart, part);
        let is_required = part.split_whitespace().next() == Some("required");
        let kind = if is_named { ParameterKind::NamedOnly } else { ParameterKind::Plain };
        DeclaredParameter { kind, is_optional: !is_required, ..read }
    });
    group.collect()
}
