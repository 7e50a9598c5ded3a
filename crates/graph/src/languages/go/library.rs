//! What is known of the language's own names and of the standard library: functions and types that other types pass through.

use std::rc::Rc;

use crate::ty::Ty;

/// Packages of which something is known.
const PACKAGES: [&str; 4] = ["cmp", "maps", "slices", "sync"];

/// What a function gives, in terms of its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gives {
    /// A value of the type of its first argument.
    First,
    /// What is in the list that is its first argument.
    Element,
    /// A list of what its first argument ranges over.
    Collected,
    /// What ranges over the keys, the elements, or both, of its first argument.
    Keys,
    Values,
    Both,
    /// A function like its first argument.
    Function,
}

/// What is known by name of functions.
const FUNCTIONS: [(&str, Gives); 34] = [
    ("append", Gives::First),
    ("max", Gives::First),
    ("min", Gives::First),
    ("cmp.Or", Gives::First),
    ("maps.All", Gives::Both),
    ("maps.Clone", Gives::First),
    ("maps.Keys", Gives::Keys),
    ("maps.Values", Gives::Values),
    ("slices.All", Gives::Both),
    ("slices.AppendSeq", Gives::First),
    ("slices.Backward", Gives::Both),
    ("slices.Clip", Gives::First),
    ("slices.Clone", Gives::First),
    ("slices.Collect", Gives::Collected),
    ("slices.Compact", Gives::First),
    ("slices.CompactFunc", Gives::First),
    ("slices.Concat", Gives::First),
    ("slices.Delete", Gives::First),
    ("slices.DeleteFunc", Gives::First),
    ("slices.Grow", Gives::First),
    ("slices.Insert", Gives::First),
    ("slices.Max", Gives::Element),
    ("slices.MaxFunc", Gives::Element),
    ("slices.Min", Gives::Element),
    ("slices.MinFunc", Gives::Element),
    ("slices.Repeat", Gives::First),
    ("slices.Replace", Gives::First),
    ("slices.Sorted", Gives::Collected),
    ("slices.SortedFunc", Gives::Collected),
    ("slices.SortedStableFunc", Gives::Collected),
    ("slices.Values", Gives::Values),
    ("sync.OnceFunc", Gives::Function),
    ("sync.OnceValue", Gives::Function),
    ("sync.OnceValues", Gives::Function),
];

/// Returns the package of the standard library that an import path means, if something is known of it.
pub(super) fn package(import: &str) -> Option<&'static str> {
    PACKAGES.iter().find(|known| **known == import).copied()
}

/// Returns a name of a package of the standard library.
pub(super) fn member(package: &str, name: &str) -> Ty {
    known(&format!("{package}.{name}")).unwrap_or(Ty::External)
}

/// Returns what the language itself has under a name.
pub(super) fn universal(name: &str) -> Option<Ty> {
    let is_known = matches!(
        name,
        "any"
            | "bool"
            | "byte"
            | "comparable"
            | "complex128"
            | "complex64"
            | "error"
            | "float32"
            | "float64"
            | "int"
            | "int16"
            | "int32"
            | "int64"
            | "int8"
            | "rune"
            | "string"
            | "uint"
            | "uint16"
            | "uint32"
            | "uint64"
            | "uint8"
            | "uintptr"
            | "cap"
            | "clear"
            | "close"
            | "complex"
            | "copy"
            | "delete"
            | "imag"
            | "len"
            | "panic"
            | "print"
            | "println"
            | "real"
            | "recover"
    );
    if is_known { Some(Ty::External) } else { known(name) }
}

/// Returns what a function gives, by the name of its builtin.
pub(super) fn gives(function: &str) -> Option<Gives> {
    FUNCTIONS.iter().find(|(known, _)| *known == function).map(|(_, gives)| *gives)
}

/// Returns an object of a type of the library, written with its package.
pub(super) fn object(path: &[&str], arguments: &[Ty]) -> Ty {
    let range = |parts: &[Ty]| {
        let result = Rc::new(Ty::External);
        let yields = Ty::FunctionType { parameters: parts.into(), result: Rc::clone(&result) };
        Ty::FunctionType { parameters: Rc::new([yields]), result }
    };
    match (path, arguments) {
        (["chan"], [of]) => Ty::builtin("chan", [of.clone()]),
        (["iter", "Seq" | "Seq2"], parts) => range(parts),
        (["atomic", "Pointer"], [of]) => Ty::builtin("atomic.Pointer", [of.clone()]),
        _ => Ty::External,
    }
}

/// Returns what a method of such an object gives.
pub(super) fn method(of: &str, arguments: &[Ty], name: &str) -> Ty {
    match (of, arguments, name) {
        ("atomic.Pointer", [of], "Load" | "Swap") => {
            Ty::FunctionType { parameters: Rc::new([]), result: Rc::new(of.clone()) }
        }
        _ => Ty::External,
    }
}

/// Returns what a function gives that ranges over these values.
pub(super) fn sequence(parts: &[Ty]) -> Ty {
    object(&["iter", "Seq"], parts)
}

fn known(name: &str) -> Option<Ty> {
    FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(known, _)| Ty::builtin(known, []))
}
