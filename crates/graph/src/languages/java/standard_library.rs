//! Types of the standard library and of two common libraries, as far as other types pass through them or they affect
//! overload resolution.
//!
//! Grammar of `standard_library.txt`: `package a.b` opens a package. A line at the margin is a type with its
//! supertypes. An indented line is a method with its result type. Parameters are listed only where argument types
//! matter; among overloads the first with a matching number of parameters is used. A single letter that is no parameter
//! of the type is a type parameter of the method. `!` marks the method of a functional interface, `=` a constant.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::{program::SymbolIdx, ty::Ty};

use super::types::{ARRAY, WILDCARD, array, is_wildcard, primitive, simple_type};

/// Owner of the type parameters of library methods.
pub(super) const METHOD: SymbolIdx = SymbolIdx(u32::MAX);

/// Maximum number of type parameters of a library method: one for each letter.
pub(super) const MAX_METHOD_PARAMETERS: usize = 26;

/// A type of the standard library.
pub(super) struct LibraryType {
    pub(super) name: &'static str,
    pub(super) package: &'static str,
    pub(super) n_parameters: usize,
    bases: Vec<LibraryTypeExpression>,
    methods: Vec<LibraryMethod>,
}

/// A method or constant of a library type.
struct LibraryMethod {
    name: &'static str,
    /// None if the parameter types do not matter.
    parameters: Option<Vec<LibraryTypeExpression>>,
    result: LibraryTypeExpression,
    is_functional: bool,
    /// True for a constant.
    is_field: bool,
}

/// A type as written in the table.
enum LibraryTypeExpression {
    Parameter(usize),
    MethodParameter(u32),
    Named(&'static str, Vec<LibraryTypeExpression>),
    Array(Box<LibraryTypeExpression>),
    Unknown,
}

/// The parameter and result types of a method, with the type arguments of its object applied.
pub(super) struct MethodSignature {
    pub(super) parameters: Vec<Ty>,
    pub(super) result: Ty,
}

/// Returns the library type of a simple name.
pub(super) fn find_type(name: &str) -> Option<&'static LibraryType> {
    LIBRARY.types.get(name)
}

/// Returns the library type of a name in a package, or in an enclosing type by its qualified name.
pub(super) fn find_in_package(package: &str, name: &str) -> Option<&'static LibraryType> {
    find_type(name).filter(|standard| standard.package == package)
}

impl LibraryType {
    /// Returns the type applied to type arguments.
    pub(super) fn applied(&self, arguments: &[Ty]) -> Ty {
        Ty::builtin(self.name, arguments.iter().take(self.n_parameters).cloned().collect::<Vec<_>>())
    }

    /// Returns the direct supertypes, with type arguments applied.
    pub(super) fn bases(&self, arguments: &[Ty]) -> Vec<Ty> {
        self.bases.iter().map(|base| base.to_type(arguments)).collect()
    }

    /// Returns true if the type has a method of a name.
    pub(super) fn has_method(&self, name: &str) -> bool {
        self.methods.iter().any(|method| method.name == name && !method.is_field)
    }

    /// Returns the method of a name that accepts this number of arguments.
    pub(super) fn method(&self, name: &str, n_arguments: usize, arguments: &[Ty]) -> Option<MethodSignature> {
        let accepts = |method: &&LibraryMethod| match &method.parameters {
            Some(parameters) => {
                let is_variadic = matches!(parameters.last(), Some(LibraryTypeExpression::Array(_)));
                parameters.len() == n_arguments || is_variadic && n_arguments + 1 >= parameters.len()
            }
            None => true,
        };
        let method = self.methods.iter().filter(|method| method.name == name && !method.is_field).find(accepts)?;
        Some(method.signature(arguments))
    }

    /// Returns the type of a constant.
    pub(super) fn field(&self, name: &str) -> Option<Ty> {
        match self.methods.iter().find(|field| field.is_field && field.name == name) {
            Some(field) => Some(field.result.to_type(&[])),
            // The constants of an enum have its type.
            None => {
                let is_enum = self.bases.iter().any(|base| matches!(base, LibraryTypeExpression::Named("Enum", _)));
                is_enum.then(|| self.applied(&[]))
            }
        }
    }

    /// Returns true if a lambda can implement the type.
    pub(super) fn is_functional(&self) -> bool {
        self.package == "java.util.function" || self.methods.iter().any(|method| method.is_functional)
    }

    /// Returns the method that a lambda implements.
    pub(super) fn function_signature(&self, arguments: &[Ty]) -> Option<MethodSignature> {
        Some(self.methods.iter().find(|method| method.is_functional)?.signature(arguments))
    }
}

impl LibraryMethod {
    fn signature(&self, arguments: &[Ty]) -> MethodSignature {
        let parameters = self.parameters.iter().flatten().map(|written| written.to_type(arguments)).collect();
        MethodSignature { parameters, result: self.result.to_type(arguments) }
    }
}

impl LibraryTypeExpression {
    /// Returns the type, with the type arguments of the object applied.
    fn to_type(&self, arguments: &[Ty]) -> Ty {
        match self {
            // The upper bound of an unbounded wildcard is `Object`.
            LibraryTypeExpression::Parameter(index) => match arguments.get(*index) {
                Some(argument) if is_wildcard(argument) => simple_type("Object"),
                argument => argument.cloned().unwrap_or(Ty::Unknown),
            },
            LibraryTypeExpression::MethodParameter(index) => Ty::Parameter { of: METHOD, index: *index },
            LibraryTypeExpression::Named(name, inner) => {
                Ty::builtin(name, inner.iter().map(|written| written.to_type(arguments)).collect::<Vec<_>>())
            }
            LibraryTypeExpression::Array(item) => array(item.to_type(arguments)),
            LibraryTypeExpression::Unknown => simple_type(WILDCARD),
        }
    }
}

struct JavaLibrary {
    types: FxHashMap<&'static str, LibraryType>,
}

static LIBRARY: LazyLock<JavaLibrary> = LazyLock::new(|| JavaLibrary::parse(include_str!("standard_library.txt")));

impl JavaLibrary {
    fn parse(text: &'static str) -> JavaLibrary {
        let mut types: FxHashMap<&'static str, LibraryType> = FxHashMap::default();
        let mut package = "";
        let mut at = ("", Vec::new());
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("package ") {
                package = name;
            } else if let Some(method) = line.strip_prefix("  ") {
                let method = parse_method(method, &at.1);
                types.entry(at.0).and_modify(|standard| standard.methods.extend(method));
            } else {
                let (head, bases) = line.split_once(" : ").unwrap_or((line, ""));
                let (name, parameters) = head.split_once('<').unwrap_or((head, ""));
                let parameters: Vec<&'static str> =
                    parameters.trim_end_matches('>').split(',').filter(|name| !name.is_empty()).collect();
                let bases = split(bases).into_iter().map(|base| parse_type(base, &parameters)).collect();
                let n_parameters = parameters.len();
                types.insert(name, LibraryType { name, package, n_parameters, bases, methods: Vec::new() });
                at = (name, parameters);
            }
        }
        JavaLibrary { types }
    }
}

/// Parses `name(A,B)! C`.
fn parse_method(text: &'static str, own: &[&'static str]) -> Option<LibraryMethod> {
    let end = text.find(['(', ' '])?;
    let name = &text[..end];
    let (parameters, rest) = match text[end..].strip_prefix('(') {
        Some(_) => {
            let close = text.rfind(')')?;
            let parameters = split(&text[end + 1..close]).into_iter().map(|part| parse_type(part, own)).collect();
            (Some(parameters), &text[close + 1..])
        }
        None => (None, &text[end..]),
    };
    let is_functional = rest.starts_with('!');
    let is_field = rest.starts_with(" = ");
    let result = parse_type(rest.trim_start_matches(['!', ' ', '=']), own);
    Some(LibraryMethod { name, parameters, result, is_functional, is_field })
}

fn parse_type(text: &'static str, own: &[&'static str]) -> LibraryTypeExpression {
    if let Some(item) = text.strip_suffix("[]") {
        return LibraryTypeExpression::Array(Box::new(parse_type(item, own)));
    }
    if let Some(index) = own.iter().position(|parameter| *parameter == text) {
        return LibraryTypeExpression::Parameter(index);
    }
    match text.split_once('<') {
        _ if text == "?" => LibraryTypeExpression::Unknown,
        Some((name, inner)) => {
            let inner = inner.strip_suffix('>').unwrap_or(inner);
            LibraryTypeExpression::Named(name, split(inner).into_iter().map(|part| parse_type(part, own)).collect())
        }
        None if text.len() == 1 => LibraryTypeExpression::MethodParameter(u32::from(text.as_bytes()[0] - b'A')),
        None => LibraryTypeExpression::Named(primitive(text).unwrap_or(text), Vec::new()),
    }
}

/// Splits at the commas outside of angle brackets.
fn split(text: &'static str) -> Vec<&'static str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// Returns the library type and type arguments of a type, or none for arrays and other types.
pub(super) fn as_library_type(ty: &Ty) -> Option<(&'static LibraryType, &[Ty])> {
    match ty {
        Ty::Builtin { name, arguments } if *name != ARRAY => Some((find_type(name)?, arguments)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_in_the_table_is_defined() {
        fn check(written: &LibraryTypeExpression, at: &str) {
            match written {
                LibraryTypeExpression::Named(name, inner) => {
                    assert!(find_type(name).is_some() || primitive(name).is_some(), "{name} in {at}");
                    inner.iter().for_each(|part| check(part, at));
                }
                LibraryTypeExpression::Array(item) => check(item, at),
                _ => {}
            }
        }
        for standard in LIBRARY.types.values() {
            standard.bases.iter().for_each(|base| check(base, standard.name));
            for method in &standard.methods {
                check(&method.result, standard.name);
                method.parameters.iter().flatten().for_each(|parameter| check(parameter, standard.name));
            }
        }
    }
}
