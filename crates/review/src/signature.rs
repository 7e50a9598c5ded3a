//! The signature of a declaration, in parts.

use std::collections::BTreeSet;

use model::{Language, SymbolKind};

use crate::{
    nested_text::{bracketed, find_outside, without_spaces},
    parameter::{self, DeclaredParameter},
};

/// A declaration without its body, in parts as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredSignature {
    /// The language of the declaration.
    pub language: Language,
    /// The name of the type that contains it; empty at the top level.
    pub owner: String,
    /// The declared visibility.
    pub visibility: Visibility,
    /// Modifiers that change the meaning of a call or an override (`static`, `async`, `abstract`).
    pub modifiers: BTreeSet<String>,
    /// The receiver, if it is written as a parameter (`self`, `&mut self`).
    pub receiver: String,
    /// The parameters; `None` if the declaration has no parameter list.
    pub parameters: Option<Vec<DeclaredParameter>>,
    /// The return type of a function, or the type of a field, variable or constant; empty if it is not written.
    pub result: String,
    /// The declared errors.
    pub throws: String,
    /// Everything else: type parameters, base types, attributes of the declaration.
    pub rest: String,
}

/// The declared visibility, from the smallest to the largest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Visibility {
    /// In its file or type.
    Private,
    /// In its package, module or subclasses.
    Restricted,
    /// Everywhere.
    Public,
}

/// Modifiers that are compared.
const MODIFIERS: [&str; 14] = [
    "property",
    "classmethod",
    "static",
    "async",
    "abstract",
    "unsafe",
    "const",
    "readonly",
    "final",
    "override",
    "virtual",
    "suspend",
    "get",
    "set",
];

/// Words of a declaration that say nothing about its use.
const KEYWORDS: [&str; 38] = [
    "def",
    "fn",
    "func",
    "fun",
    "function",
    "class",
    "struct",
    "interface",
    "trait",
    "enum",
    "let",
    "var",
    "val",
    "type",
    "using",
    "typedef",
    "namespace",
    "mod",
    "module",
    "export",
    "declare",
    "default",
    "extern",
    "inline",
    "open",
    "sealed",
    "partial",
    "record",
    "data",
    "public",
    "private",
    "protected",
    "internal",
    "pub",
    "explicit",
    "synchronized",
    "native",
    "case",
];

impl DeclaredSignature {
    /// Reads the declaration of `name` in the type `owner`.
    pub fn of(language: Language, kind: SymbolKind, owner: &str, name: &str, text: &str) -> DeclaredSignature {
        let is_callable = matches!(kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor);
        let (before, after) = around_name(name, text);
        let (type_parameters, behind) = type_parameters(after);
        let has_bases = language == Language::Python && !is_callable;
        let (list, tail) = match callable_list(is_callable, behind).filter(|_| !has_bases) {
            Some((list, tail)) => (Some(list), tail),
            None => (None, behind),
        };
        let is_member = !owner.is_empty();
        let is_tuple = language == Language::Rust && !is_callable;
        let list = list.map(|list| match is_tuple {
            true => parameter::read_tuple(list),
            false => parameter::read(language, is_member, list),
        });
        let Tail { result, throws, rest } = tail_of(language, kind, list.is_some(), tail);
        let (template, before) = template_of(before);
        let (words, leading_type) = head_of(before);
        let is_async_value = list.is_some() && behind.trim_start_matches([' ', '=']).starts_with("async");
        let modifiers = words.iter().filter(|word| MODIFIERS.contains(&word.as_str())).cloned();
        let modifiers = modifiers.chain(is_async_value.then(|| "async".to_owned()));
        let is_written_first = result.is_empty() && !matches!(kind, SymbolKind::Constructor);
        let (result, leading) = match kind {
            // The number of a field belongs to its type.
            SymbolKind::Field if language == Language::Protobuf => ([leading_type, result].concat(), String::new()),
            _ if is_written_first => (leading_type, String::new()),
            _ => (result, leading_type),
        };
        let receiver = list.as_ref().map(|list| list.receiver.clone()).unwrap_or_default();
        DeclaredSignature {
            language,
            owner: owner.to_owned(),
            visibility: visibility(language, name, &words, before),
            modifiers: modifiers.collect(),
            receiver,
            parameters: list.map(|list| list.parameters),
            result,
            throws,
            rest: [leading, without_spaces(template), without_spaces(type_parameters), rest].concat(),
        }
    }
}

/// Returns the text before and after the first whole occurrence of a name.
fn around_name<'a>(name: &str, text: &'a str) -> (&'a str, &'a str) {
    let is_word = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$');
    let is_whole = |(at, _): &(usize, &str)| {
        let (before, after) = (&text[..*at], &text[at + name.len()..]);
        let is_operator = !name.ends_with(is_word);
        !before.ends_with(is_word) && (is_operator || !after.starts_with(is_word))
    };
    let mut found: Vec<(usize, &str)> = text.match_indices(name).filter(is_whole).collect();
    // The return type of a constructor-like function may have its name.
    let is_called =
        |(at, _): &&(usize, &str)| text[at + name.len()..].trim_start().starts_with(['(', '<', '[', ':', '=']);
    match found.iter().find(is_called).copied().or_else(|| found.drain(..).next()) {
        Some((at, _)) if !name.is_empty() => (&text[..at], &text[at + name.len()..]),
        _ => (text, ""),
    }
}

/// Splits the text before a name at the end of `template <…>`.
fn template_of(before: &str) -> (&str, &str) {
    let list = before.trim_start().strip_prefix("template").map(str::trim_start);
    list.filter(|list| list.starts_with('<')).and_then(bracketed).unwrap_or(("", before))
}

fn type_parameters(after: &str) -> (&str, &str) {
    let trimmed = after.trim_start();
    match bracketed(trimmed).filter(|_| trimmed.starts_with(['<', '['])) {
        Some((inside, rest)) => (inside, rest),
        None => ("", trimmed),
    }
}

/// Returns the parameter list of a declaration, and the text behind it.
fn callable_list(is_callable: bool, behind: &str) -> Option<(&str, &str)> {
    let behind = behind.trim_start();
    if behind.starts_with('(') {
        return bracketed(behind);
    }
    if !is_callable {
        return None;
    }
    // A function as the value of a variable: `name: Type = async <T>(a) => …`.
    let value = behind[find_outside(behind, |character| matches!(character, '=' | ':'))? + 1..].trim_start();
    let value = value.strip_prefix("async").map_or(value, str::trim_start);
    let value = value.strip_prefix("function").map_or(value, str::trim_start);
    let (_, value) = type_parameters(value);
    if value.starts_with('(') {
        return bracketed(value);
    }
    let (parameter, rest) = value.split_once("=>")?;
    let is_one_name = parameter.trim().chars().all(|character| character.is_alphanumeric() || character == '_');
    is_one_name.then_some((parameter.trim(), rest))
}

/// The text behind the parameters, in parts.
struct Tail {
    result: String,
    throws: String,
    rest: String,
}

fn tail_of(language: Language, kind: SymbolKind, has_parameters: bool, tail: &str) -> Tail {
    let mut text = tail.trim().trim_end_matches("=>").trim_end_matches([';', '{', ':']).trim();
    let (mut throws, mut rest) = (String::new(), String::new());
    if !has_parameters {
        if kind.is_type() || matches!(kind, SymbolKind::Module) {
            return Tail { result: String::new(), throws, rest: without_spaces(text) };
        }
        // A field or constant: its value is no part of its interface.
        let end = find_outside(text, |character| character == '=').unwrap_or(text.len());
        let is_of_protobuf = language == Language::Protobuf;
        let declared = if is_of_protobuf { text } else { text[..end].trim_end_matches(':') };
        let mark = if declared.starts_with('?') { "?" } else { "" };
        let result = without_spaces(declared.trim_start_matches([':', '?', '!']));
        return Tail { result, throws, rest: mark.to_owned() };
    }
    let take = |text: &mut &str, word: &str| {
        let at = text.find(word).filter(|at| *at == 0 || text[..*at].ends_with([' ', ')']))?;
        let taken = without_spaces(&text[at + word.len()..]);
        *text = text[..at].trim_end();
        Some(taken)
    };
    match language {
        Language::Java => throws = take(&mut text, "throws ").unwrap_or_default(),
        Language::Rust | Language::CSharp => rest = take(&mut text, "where ").unwrap_or_default(),
        _ => {}
    }
    if matches!(language, Language::C | Language::Cpp) {
        let (qualifiers, result) = text.split_once("->").unwrap_or((text, ""));
        let qualifiers = qualifiers.split_once(" :").map_or(qualifiers, |(qualifiers, _)| qualifiers);
        return Tail { result: without_spaces(result), throws, rest: without_spaces(qualifiers) };
    }
    if language == Language::Swift && text.starts_with("throws") {
        throws = "throws".to_owned();
        text = text["throws".len()..].trim_start();
    }
    let result = text.strip_prefix("->").or_else(|| text.strip_prefix(':')).unwrap_or(text);
    Tail { result: without_spaces(result), throws, rest }
}

/// Returns the words before a name that are no type, and the type before it.
fn head_of(before: &str) -> (Vec<String>, String) {
    let mut words = Vec::new();
    let mut rest = before.trim();
    // Go writes the receiver before the name.
    if let Some((_, behind)) = rest.strip_prefix("func").map(str::trim_start).and_then(bracketed) {
        return (words, without_spaces(behind));
    }
    loop {
        rest = rest.trim_start();
        let end = rest
            .find(|character: char| !(character.is_alphanumeric() || matches!(character, '_' | '@' | '.')))
            .unwrap_or(rest.len());
        let word = &rest[..end];
        let is_known = KEYWORDS.contains(&word) || MODIFIERS.contains(&word) || word.starts_with('@') && word.len() > 1;
        if !is_known {
            break;
        }
        words.push(word.to_owned());
        rest = &rest[end..];
        if let Some((scope, behind)) =
            bracketed(rest).filter(|_| rest.starts_with('(') && (word == "pub" || word.starts_with('@')))
        {
            words.push(format!("({scope})"));
            rest = behind;
        }
    }
    (words, without_spaces(rest))
}

fn visibility(language: Language, name: &str, words: &[String], before: &str) -> Visibility {
    use Language::*;
    let has = |word: &str| words.iter().any(|known| known == word);
    match language {
        Rust if has("pub") && before.contains("pub(") => Visibility::Restricted,
        Rust if has("pub") => Visibility::Public,
        Rust => Visibility::Private,
        Python if name.starts_with('_') && !name.ends_with("__") => Visibility::Private,
        Go if !name.starts_with(char::is_uppercase) => Visibility::Restricted,
        _ if has("private") || before.contains("fileprivate") => Visibility::Private,
        _ if has("protected") || has("internal") => Visibility::Restricted,
        Java if !has("public") => Visibility::Restricted,
        _ => Visibility::Public,
    }
}
