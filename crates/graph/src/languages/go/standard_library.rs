//! Predeclared names and standard library functions and types that pass types through.

use std::rc::Rc;

use crate::ty::Ty;

/// Standard library packages with modelled functions.
const PACKAGES: [&str; 4] = ["cmp", "maps", "slices", "sync"];

/// The result type of a library function in terms of its first argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LibraryResult {
    /// The type of the first argument.
    FirstArgument,
    /// The element type of the first argument.
    Element,
    /// A list of the elements of an iterator.
    ElementList,
    /// An iterator over the keys, the values, or both.
    Keys,
    Values,
    KeysAndValues,
    /// The function type of the first argument.
    Function,
}

/// The modelled functions, by qualified name.
const FUNCTIONS: [(&str, LibraryResult); 34] = [
    ("append", LibraryResult::FirstArgument),
    ("max", LibraryResult::FirstArgument),
    ("min", LibraryResult::FirstArgument),
    ("cmp.Or", LibraryResult::FirstArgument),
    ("maps.All", LibraryResult::KeysAndValues),
    ("maps.Clone", LibraryResult::FirstArgument),
    ("maps.Keys", LibraryResult::Keys),
    ("maps.Values", LibraryResult::Values),
    ("slices.All", LibraryResult::KeysAndValues),
    ("slices.AppendSeq", LibraryResult::FirstArgument),
    ("slices.Backward", LibraryResult::KeysAndValues),
    ("slices.Clip", LibraryResult::FirstArgument),
    ("slices.Clone", LibraryResult::FirstArgument),
    ("slices.Collect", LibraryResult::ElementList),
    ("slices.Compact", LibraryResult::FirstArgument),
    ("slices.CompactFunc", LibraryResult::FirstArgument),
    ("slices.Concat", LibraryResult::FirstArgument),
    ("slices.Delete", LibraryResult::FirstArgument),
    ("slices.DeleteFunc", LibraryResult::FirstArgument),
    ("slices.Grow", LibraryResult::FirstArgument),
    ("slices.Insert", LibraryResult::FirstArgument),
    ("slices.Max", LibraryResult::Element),
    ("slices.MaxFunc", LibraryResult::Element),
    ("slices.Min", LibraryResult::Element),
    ("slices.MinFunc", LibraryResult::Element),
    ("slices.Repeat", LibraryResult::FirstArgument),
    ("slices.Replace", LibraryResult::FirstArgument),
    ("slices.Sorted", LibraryResult::ElementList),
    ("slices.SortedFunc", LibraryResult::ElementList),
    ("slices.SortedStableFunc", LibraryResult::ElementList),
    ("slices.Values", LibraryResult::Values),
    ("sync.OnceFunc", LibraryResult::Function),
    ("sync.OnceValue", LibraryResult::Function),
    ("sync.OnceValues", LibraryResult::Function),
];

/// Returns the modelled standard library package of an import path.
pub(super) fn package(import: &str) -> Option<&'static str> {
    PACKAGES.iter().find(|known| **known == import).copied()
}

/// Returns a member of a standard library package.
pub(super) fn member(package: &str, name: &str) -> Ty {
    builtin_function(&format!("{package}.{name}")).unwrap_or(Ty::External)
}

/// Returns the value of a predeclared identifier.
pub(super) fn predeclared(name: &str) -> Option<Ty> {
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
    if is_known { Some(Ty::External) } else { builtin_function(name) }
}

/// Returns the result rule of a modelled function.
pub(super) fn result_of(function: &str) -> Option<LibraryResult> {
    FUNCTIONS.iter().find(|(known, _)| *known == function).map(|(_, result)| *result)
}

/// Returns an object of a library type by its qualified name.
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

/// Returns a method of a library object.
pub(super) fn method(of: &str, arguments: &[Ty], name: &str) -> Ty {
    match (of, arguments, name) {
        ("atomic.Pointer", [of], "Load" | "Swap") => {
            Ty::FunctionType { parameters: Rc::new([]), result: Rc::new(of.clone()) }
        }
        _ => Ty::External,
    }
}

/// Returns the type of an iterator function over these values.
pub(super) fn sequence(parts: &[Ty]) -> Ty {
    object(&["iter", "Seq"], parts)
}

fn builtin_function(name: &str) -> Option<Ty> {
    FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(known, _)| Ty::builtin(known, []))
}
