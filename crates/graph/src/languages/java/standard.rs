//! The types of the standard library, and of two libraries that many tests and programs are written with, that values of
//! other types pass through, or that choose among overloads.
//!
//! `standard.txt` lists them: `package a.b` opens a package, a line at the margin is a type with what it builds on, an
//! indented line a method with what it gives. Parameters are written where types of the arguments matter; of several
//! methods of one name the first that takes as many is meant. A letter that is no parameter of the type is one of the
//! method. `!` marks the method that a lambda implements, `=` a constant.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::{program::SymbolIdx, ty::Ty};

use super::types::{ARRAY, WILDCARD, array, is_wildcard, primitive};

/// Stands for the owner of type parameters of methods of the standard library.
pub(super) const METHOD: SymbolIdx = SymbolIdx(u32::MAX);

/// A type of the standard library.
pub(super) struct Standard {
    pub(super) name: &'static str,
    pub(super) package: &'static str,
    pub(super) n_parameters: usize,
    bases: Vec<Written>,
    methods: Vec<Method>,
}

struct Method {
    name: &'static str,
    /// Nothing where they do not matter.
    parameters: Option<Vec<Written>>,
    result: Written,
    is_functional: bool,
    /// A constant, and no method.
    is_field: bool,
}

enum Written {
    Parameter(usize),
    OfMethod(u32),
    Named(&'static str, Vec<Written>),
    Array(Box<Written>),
    Unknown,
}

/// A method in terms of what its object is applied to.
pub(super) struct Signature {
    pub(super) parameters: Vec<Ty>,
    pub(super) result: Ty,
}

/// Returns the type of a name.
pub(super) fn named(name: &str) -> Option<&'static Standard> {
    TABLE.types.get(name)
}

/// Returns the type of a name in a package, or in a type by its qualified name.
pub(super) fn in_package(package: &str, name: &str) -> Option<&'static Standard> {
    named(name).filter(|standard| standard.package == package)
}

impl Standard {
    /// Returns the type applied to arguments.
    pub(super) fn applied(&self, arguments: &[Ty]) -> Ty {
        Ty::builtin(self.name, arguments.iter().take(self.n_parameters).cloned().collect::<Vec<_>>())
    }

    /// Returns the types that this builds on, applied to its arguments.
    pub(super) fn bases(&self, arguments: &[Ty]) -> Vec<Ty> {
        self.bases.iter().map(|base| base.meaning(arguments)).collect()
    }

    /// Says whether there is a method of a name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.methods.iter().any(|method| method.name == name && !method.is_field)
    }

    /// Returns the method of a name that takes as many arguments.
    pub(super) fn method(&self, name: &str, n_arguments: usize, arguments: &[Ty]) -> Option<Signature> {
        let takes = |method: &&Method| match &method.parameters {
            Some(parameters) => {
                let is_variadic = matches!(parameters.last(), Some(Written::Array(_)));
                parameters.len() == n_arguments || is_variadic && n_arguments + 1 >= parameters.len()
            }
            None => true,
        };
        let method = self.methods.iter().filter(|method| method.name == name && !method.is_field).find(takes)?;
        Some(method.signature(arguments))
    }

    /// Returns the type of a constant.
    pub(super) fn field(&self, name: &str) -> Option<Ty> {
        match self.methods.iter().find(|field| field.is_field && field.name == name) {
            Some(field) => Some(field.result.meaning(&[])),
            // What an enum has is of its own type.
            None => {
                let is_enum = self.bases.iter().any(|base| matches!(base, Written::Named("Enum", _)));
                is_enum.then(|| self.applied(&[]))
            }
        }
    }

    /// Says whether a lambda can be one: it has the method, or is one of those that are there for lambdas.
    pub(super) fn is_functional(&self) -> bool {
        self.package == "java.util.function" || self.methods.iter().any(|method| method.is_functional)
    }

    /// Returns the method that a lambda implements.
    pub(super) fn functional(&self, arguments: &[Ty]) -> Option<Signature> {
        Some(self.methods.iter().find(|method| method.is_functional)?.signature(arguments))
    }
}

impl Method {
    fn signature(&self, arguments: &[Ty]) -> Signature {
        let parameters = self.parameters.iter().flatten().map(|written| written.meaning(arguments)).collect();
        Signature { parameters, result: self.result.meaning(arguments) }
    }
}

impl Written {
    fn meaning(&self, arguments: &[Ty]) -> Ty {
        match self {
            // A wildcard without a bound is at least an object.
            Written::Parameter(index) => match arguments.get(*index) {
                Some(argument) if is_wildcard(argument) => super::types::plain("Object"),
                argument => argument.cloned().unwrap_or(Ty::Unknown),
            },
            Written::OfMethod(index) => Ty::Parameter { of: METHOD, index: *index },
            Written::Named(name, inner) => {
                Ty::builtin(name, inner.iter().map(|written| written.meaning(arguments)).collect::<Vec<_>>())
            }
            Written::Array(item) => array(item.meaning(arguments)),
            Written::Unknown => super::types::plain(WILDCARD),
        }
    }
}

struct Table {
    types: FxHashMap<&'static str, Standard>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("standard.txt")));

impl Table {
    fn read(text: &'static str) -> Table {
        let mut types: FxHashMap<&'static str, Standard> = FxHashMap::default();
        let mut package = "";
        let mut at = ("", Vec::new());
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("package ") {
                package = name;
            } else if let Some(method) = line.strip_prefix("  ") {
                let method = read_method(method, &at.1);
                types.entry(at.0).and_modify(|standard| standard.methods.extend(method));
            } else {
                let (head, bases) = line.split_once(" : ").unwrap_or((line, ""));
                let (name, parameters) = head.split_once('<').unwrap_or((head, ""));
                let parameters: Vec<&'static str> =
                    parameters.trim_end_matches('>').split(',').filter(|name| !name.is_empty()).collect();
                let bases = split(bases).into_iter().map(|base| read_type(base, &parameters)).collect();
                let n_parameters = parameters.len();
                types.insert(name, Standard { name, package, n_parameters, bases, methods: Vec::new() });
                at = (name, parameters);
            }
        }
        Table { types }
    }
}

/// Reads `name(A,B)! C`.
fn read_method(text: &'static str, own: &[&'static str]) -> Option<Method> {
    let end = text.find(['(', ' '])?;
    let name = &text[..end];
    let (parameters, rest) = match text[end..].strip_prefix('(') {
        Some(_) => {
            let close = text.rfind(')')?;
            let parameters = split(&text[end + 1..close]).into_iter().map(|part| read_type(part, own)).collect();
            (Some(parameters), &text[close + 1..])
        }
        None => (None, &text[end..]),
    };
    let is_functional = rest.starts_with('!');
    let is_field = rest.starts_with(" = ");
    let result = read_type(rest.trim_start_matches(['!', ' ', '=']), own);
    Some(Method { name, parameters, result, is_functional, is_field })
}

fn read_type(text: &'static str, own: &[&'static str]) -> Written {
    if let Some(item) = text.strip_suffix("[]") {
        return Written::Array(Box::new(read_type(item, own)));
    }
    if let Some(index) = own.iter().position(|parameter| *parameter == text) {
        return Written::Parameter(index);
    }
    match text.split_once('<') {
        _ if text == "?" => Written::Unknown,
        Some((name, inner)) => {
            let inner = inner.strip_suffix('>').unwrap_or(inner);
            Written::Named(name, split(inner).into_iter().map(|part| read_type(part, own)).collect())
        }
        None if text.len() == 1 => Written::OfMethod(u32::from(text.as_bytes()[0] - b'A')),
        None => Written::Named(primitive(text).unwrap_or(text), Vec::new()),
    }
}

/// Splits at the commas that stand in no brackets.
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

/// Returns the name and the arguments of a type of the standard library; nothing for arrays and other types.
pub(super) fn of(ty: &Ty) -> Option<(&'static Standard, &[Ty])> {
    match ty {
        Ty::Builtin { name, arguments } if *name != ARRAY => Some((named(name)?, arguments)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_in_the_table_is_known() {
        fn check(written: &Written, at: &str) {
            match written {
                Written::Named(name, inner) => {
                    assert!(named(name).is_some() || primitive(name).is_some(), "{name} in {at}");
                    inner.iter().for_each(|part| check(part, at));
                }
                Written::Array(item) => check(item, at),
                _ => {}
            }
        }
        for standard in TABLE.types.values() {
            standard.bases.iter().for_each(|base| check(base, standard.name));
            for method in &standard.methods {
                check(&method.result, standard.name);
                method.parameters.iter().flatten().for_each(|parameter| check(parameter, standard.name));
            }
        }
    }
}
