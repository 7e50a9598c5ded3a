//! Standard library types and functions that pass types through.
//!
//! A library method is a built-in type of its own (`Array.map`) with the type arguments of its receiver. Its call is
//! evaluated when the argument types are known.

use std::rc::Rc;

use crate::{infer::ResolvedMember, ty::Ty};

/// The result type of a library method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MethodResult {
    /// The receiver.
    Receiver,
    /// A type argument of the receiver.
    TypeArgument(usize),
    /// An array of a type argument.
    ArrayOf(usize),
    /// An array of key and value pairs.
    ArrayOfPairs,
    /// An array of the callback's result.
    ArrayOfResult,
    FlattenedResult,
    /// The callback's result, or the type of the initial value.
    Accumulator,
    /// A promise of the callbacks' results.
    Then,
    Catch,
    Text,
    ArrayOfText,
    Number,
    Boolean,
    Unmodelled,
}

use MethodResult::*;

/// Modelled methods: receiver type, method name, qualified name, result.
const METHODS: [(&str, &str, &str, MethodResult); 85] = [
    ("Array", "map", "Array.map", ArrayOfResult),
    ("Array", "flatMap", "Array.flatMap", FlattenedResult),
    ("Array", "filter", "Array.filter", Receiver),
    ("Array", "slice", "Array.slice", Receiver),
    ("Array", "concat", "Array.concat", Receiver),
    ("Array", "reverse", "Array.reverse", Receiver),
    ("Array", "sort", "Array.sort", Receiver),
    ("Array", "toSorted", "Array.toSorted", Receiver),
    ("Array", "toReversed", "Array.toReversed", Receiver),
    ("Array", "splice", "Array.splice", Receiver),
    ("Array", "fill", "Array.fill", Receiver),
    ("Array", "flat", "Array.flat", ArrayOf(0)),
    ("Array", "pop", "Array.pop", TypeArgument(0)),
    ("Array", "shift", "Array.shift", TypeArgument(0)),
    ("Array", "at", "Array.at", TypeArgument(0)),
    ("Array", "find", "Array.find", TypeArgument(0)),
    ("Array", "findLast", "Array.findLast", TypeArgument(0)),
    ("Array", "reduce", "Array.reduce", Accumulator),
    ("Array", "reduceRight", "Array.reduceRight", Accumulator),
    ("Array", "forEach", "Array.forEach", Unmodelled),
    ("Array", "some", "Array.some", Boolean),
    ("Array", "every", "Array.every", Boolean),
    ("Array", "includes", "Array.includes", Boolean),
    ("Array", "has", "Array.has", Boolean),
    ("Array", "add", "Array.add", Receiver),
    ("Array", "delete", "Array.delete", Boolean),
    ("Array", "join", "Array.join", Text),
    ("Array", "push", "Array.push", Number),
    ("Array", "unshift", "Array.unshift", Number),
    ("Array", "indexOf", "Array.indexOf", Number),
    ("Array", "findIndex", "Array.findIndex", Number),
    ("Array", "values", "Array.values", Receiver),
    ("Array", "keys", "Array.keys", ArrayOf(9)),
    ("Array", "entries", "Array.entries", ArrayOfPairs),
    ("Generator", "next", "Generator.next", Unmodelled),
    ("Map", "get", "Map.get", TypeArgument(1)),
    ("Map", "set", "Map.set", Receiver),
    ("Map", "has", "Map.has", Boolean),
    ("Map", "delete", "Map.delete", Boolean),
    ("Map", "clear", "Map.clear", Unmodelled),
    ("Map", "forEach", "Map.forEach", Unmodelled),
    ("Map", "values", "Map.values", ArrayOf(1)),
    ("Map", "keys", "Map.keys", ArrayOf(0)),
    ("Map", "entries", "Map.entries", ArrayOfPairs),
    ("Promise", "then", "Promise.then", Then),
    ("Promise", "catch", "Promise.catch", Catch),
    ("Promise", "finally", "Promise.finally", Receiver),
    ("string", "split", "string.split", ArrayOfText),
    ("string", "match", "string.match", ArrayOfText),
    ("string", "matchAll", "string.matchAll", Unmodelled),
    ("string", "replace", "string.replace", Text),
    ("string", "replaceAll", "string.replaceAll", Text),
    ("string", "slice", "string.slice", Text),
    ("string", "substring", "string.substring", Text),
    ("string", "substr", "string.substr", Text),
    ("string", "trim", "string.trim", Text),
    ("string", "trimStart", "string.trimStart", Text),
    ("string", "trimEnd", "string.trimEnd", Text),
    ("string", "toLowerCase", "string.toLowerCase", Text),
    ("string", "toUpperCase", "string.toUpperCase", Text),
    ("string", "padStart", "string.padStart", Text),
    ("string", "padEnd", "string.padEnd", Text),
    ("string", "repeat", "string.repeat", Text),
    ("string", "concat", "string.concat", Text),
    ("string", "normalize", "string.normalize", Text),
    ("string", "charAt", "string.charAt", Text),
    ("string", "toString", "string.toString", Text),
    ("string", "indexOf", "string.indexOf", Number),
    ("string", "startsWith", "string.startsWith", Boolean),
    ("string", "endsWith", "string.endsWith", Boolean),
    ("string", "includes", "string.includes", Boolean),
    ("number", "toString", "number.toString", Text),
    ("number", "toFixed", "number.toFixed", Text),
    ("Object class", "keys", "Object.keys", ArrayOfText),
    ("Object class", "values", "Object.values", Unmodelled),
    ("Object class", "entries", "Object.entries", Unmodelled),
    ("Object class", "assign", "Object.assign", Unmodelled),
    ("Object class", "freeze", "Object.freeze", Unmodelled),
    ("Object class", "create", "Object.create", Unmodelled),
    ("Array class", "isArray", "Array.isArray", Boolean),
    ("Array class", "from", "Array.from", Unmodelled),
    ("Array class", "of", "Array.of", Unmodelled),
    ("Promise class", "all", "Promise.all", Unmodelled),
    ("Promise class", "resolve", "Promise.resolve", Unmodelled),
    ("Promise class", "race", "Promise.race", Unmodelled),
];

/// Returns an array type.
pub(super) fn array(item: Ty) -> Ty {
    Ty::builtin("Array", [item])
}

/// Returns the value of a global name, or `Unknown` if the library does not define it.
pub(super) fn global(name: &str) -> Ty {
    match name {
        "Array" => Ty::builtin("Array class", []),
        "Object" => Ty::builtin("Object class", []),
        "Promise" => Ty::builtin("Promise class", []),
        "Map" | "WeakMap" => Ty::builtin("Map class", []),
        "Set" | "WeakSet" => Ty::builtin("Set class", []),
        "structuredClone" => Ty::builtin("Object.freeze", []),
        "String" => Ty::builtin("String class", []),
        _ if GLOBALS.contains(&name) => Ty::External,
        _ => Ty::Unknown,
    }
}

/// Global names without a modelled type.
const GLOBALS: [&str; 54] = [
    "console",
    "JSON",
    "Math",
    "Number",
    "Boolean",
    "Symbol",
    "BigInt",
    "Date",
    "RegExp",
    "Error",
    "TypeError",
    "RangeError",
    "SyntaxError",
    "Reflect",
    "Proxy",
    "Intl",
    "URL",
    "URLSearchParams",
    "Headers",
    "Request",
    "Response",
    "FormData",
    "Blob",
    "File",
    "Buffer",
    "process",
    "globalThis",
    "window",
    "document",
    "navigator",
    "location",
    "setTimeout",
    "setInterval",
    "clearTimeout",
    "clearInterval",
    "setImmediate",
    "queueMicrotask",
    "fetch",
    "parseInt",
    "parseFloat",
    "isNaN",
    "isFinite",
    "encodeURIComponent",
    "decodeURIComponent",
    "Uint8Array",
    "ArrayBuffer",
    "TextEncoder",
    "TextDecoder",
    "AbortController",
    "AbortSignal",
    "ReadableStream",
    "crypto",
    "performance",
    "Function",
];

/// Returns a library type by its name, or `External` if it is not modelled.
pub(super) fn library_type(path: &[&str], arguments: &[Ty]) -> Ty {
    let part = |index: usize| arguments.get(index).cloned().unwrap_or(Ty::Unknown);
    match path {
        ["any" | "unknown"] => Ty::Unknown,
        ["string"] => Ty::builtin("string", []),
        ["number" | "bigint"] => Ty::builtin("number", []),
        ["boolean"] => Ty::builtin("boolean", []),
        [
            "Array"
            | "ReadonlyArray"
            | "Set"
            | "ReadonlySet"
            | "WeakSet"
            | "Iterable"
            | "Iterator"
            | "IterableIterator"
            | "ArrayLike"
            | "AsyncIterable"
            | "AsyncIterableIterator"
            | "AsyncIterator",
        ] => array(part(0)),
        ["Generator" | "AsyncGenerator"] => Ty::builtin("Generator", [part(0)]),
        ["Promise" | "PromiseLike"] => Ty::builtin("Promise", [awaited(part(0))]),
        ["Map" | "ReadonlyMap" | "WeakMap"] => Ty::builtin("Map", [part(0), part(1)]),
        ["Record"] => Ty::builtin("Record", [part(0), part(1)]),
        [
            "Partial" | "Required" | "Readonly" | "NonNullable" | "Pick" | "Omit" | "Exclude" | "Extract" | "NoInfer"
            | "ThisType" | "OmitThisParameter",
        ] => part(0),
        ["Awaited"] => awaited(part(0)),
        ["is"] => Ty::builtin("is", [part(0)]),
        ["asserts"] => Ty::builtin("asserts", [part(0)]),
        _ => Ty::External,
    }
}

/// Returns the type of an awaited value; nested promises are flattened.
pub(super) fn awaited(of: Ty) -> Ty {
    match of {
        Ty::Builtin { name: "Promise", arguments } => arguments.first().cloned().unwrap_or(Ty::Unknown),
        Ty::Union(types) => Ty::one_of(types.iter().cloned().map(awaited)),
        other => other,
    }
}

/// Returns the element type of iteration.
pub(super) fn item(of: &Ty) -> Ty {
    match of {
        Ty::Builtin { name: "Array" | "Generator", arguments } => arguments.first().cloned().unwrap_or(Ty::Unknown),
        Ty::Builtin { name: "Map", arguments } => Ty::Tuple(Rc::clone(arguments)),
        Ty::Builtin { name: "string", .. } => Ty::builtin("string", []),
        Ty::Tuple(parts) => Ty::one_of(parts.iter().cloned()),
        Ty::Union(types) => Ty::one_of(types.iter().map(item)),
        Ty::External => Ty::External,
        _ => Ty::Unknown,
    }
}

/// Returns the type of `new` for a library class.
pub(super) fn new_instance(class: &str) -> Ty {
    match class {
        "Array class" | "Set class" => array(Ty::Unknown),
        "Map class" => Ty::builtin("Map", [Ty::Unknown, Ty::Unknown]),
        "Promise class" => Ty::builtin("Promise", [Ty::Unknown]),
        _ => Ty::External,
    }
}

/// Returns a member of a library type. Members that are not modelled are `External`.
pub(super) fn member(of: &Ty, name: &str) -> ResolvedMember {
    let Ty::Builtin { name: own, arguments } = of else { return ResolvedMember::Unknown };
    if *own == "Record" {
        return ResolvedMember::Value(arguments.get(1).cloned().unwrap_or(Ty::Unknown));
    }
    let receiver = match *own {
        "Generator" if name != "next" => "Array",
        other => other,
    };
    let found = METHODS.iter().find(|(of, method, ..)| *of == receiver && *method == name);
    ResolvedMember::Value(match found {
        Some((_, _, full, _)) => Ty::builtin(full, Rc::clone(arguments)),
        None if name == "length" || name == "size" => Ty::builtin("number", []),
        None => Ty::External,
    })
}

/// Returns the result type of a library call. `own` are the type arguments of the receiver, `actual` the argument types,
/// `results` the result types of function arguments, `typed` the explicit type argument.
pub(super) fn call_result(name: &str, own: &[Ty], actual: &[Ty], results: &[Ty], typed: Option<Ty>) -> Ty {
    let part = |index: usize| own.get(index).cloned().unwrap_or(Ty::Unknown);
    let result = || results.first().cloned().unwrap_or(Ty::Unknown);
    if let Some(result) = function_result(name, own, actual, results) {
        return result;
    }
    let Some((receiver, _, _, result_rule)) = METHODS.iter().find(|(.., full, _)| *full == name) else {
        return Ty::External;
    };
    match result_rule {
        Receiver => match *receiver {
            "Map" => Ty::builtin("Map", own.to_vec()),
            "Promise" => Ty::builtin("Promise", own.to_vec()),
            _ => array(part(0)),
        },
        TypeArgument(index) => part(*index),
        ArrayOf(index) if *receiver == "Array" && *index == 0 => match part(0) {
            Ty::Builtin { name: "Array", arguments } => Ty::Builtin { name: "Array", arguments },
            other => array(other),
        },
        ArrayOf(index) => array(part(*index)),
        ArrayOfPairs if *receiver == "Map" => array(Ty::Tuple([part(0), part(1)].into())),
        ArrayOfPairs => array(Ty::Tuple([Ty::builtin("number", []), part(0)].into())),
        ArrayOfResult => array(typed.unwrap_or_else(result)),
        FlattenedResult => array(match item(&result()) {
            Ty::Unknown => result(),
            inner => inner,
        }),
        Accumulator => {
            let start = actual.get(1).cloned().unwrap_or_else(|| part(0));
            typed.unwrap_or(if start.is_unknown() { result() } else { start })
        }
        Then => Ty::builtin("Promise", [Ty::one_of(results.iter().cloned().map(awaited))]),
        Catch => Ty::builtin("Promise", [Ty::one_of([part(0), awaited(result())])]),
        Text => Ty::builtin("string", []),
        ArrayOfText => array(Ty::builtin("string", [])),
        Number => Ty::builtin("number", []),
        Boolean => Ty::builtin("boolean", []),
        Unmodelled => Ty::External,
    }
}

/// Returns the result type of a static function or a function object.
fn function_result(name: &str, own: &[Ty], actual: &[Ty], results: &[Ty]) -> Option<Ty> {
    let argument = |index: usize| actual.get(index).cloned().unwrap_or(Ty::Unknown);
    let bound = || own.first().cloned().unwrap_or(Ty::Unknown);
    Some(match name {
        "Object.values" => array(values_of(&argument(0))),
        "Object.entries" => array(Ty::Tuple([Ty::builtin("string", []), values_of(&argument(0))].into())),
        "Object.freeze" | "Object.create" => argument(0),
        "Object.assign" => Ty::Intersection(actual.into()),
        "Array.from" => {
            let mapped = results.get(1).filter(|mapped| !mapped.is_unknown()).cloned();
            array(mapped.unwrap_or_else(|| item(&argument(0))))
        }
        "Array.of" => array(Ty::one_of(actual.iter().cloned())),
        "Promise.resolve" => Ty::builtin("Promise", [awaited(argument(0))]),
        "Promise.all" | "Promise.race" => {
            let items = match argument(0) {
                Ty::Tuple(parts) => Ty::Tuple(parts.iter().cloned().map(awaited).collect::<Vec<_>>().into()),
                list if name == "Promise.race" => awaited(item(&list)),
                list => array(awaited(item(&list))),
            };
            Ty::builtin("Promise", [items])
        }
        "Function.bind" => bound(),
        "Function.call" => match bound() {
            Ty::FunctionType { result, .. } => (*result).clone(),
            _ => Ty::Unknown,
        },
        "String class" => Ty::builtin("string", []),
        _ => return None,
    })
}

fn values_of(of: &Ty) -> Ty {
    match of {
        Ty::Builtin { name: "Record", arguments } => arguments.get(1).cloned().unwrap_or(Ty::Unknown),
        Ty::Builtin { name: "Array", arguments } => arguments.first().cloned().unwrap_or(Ty::Unknown),
        Ty::Record(fields) => Ty::one_of(fields.iter().map(|(_, ty)| ty.clone())),
        Ty::External => Ty::External,
        _ => Ty::Unknown,
    }
}

/// Returns the parameter type of a callback of a library method.
pub(super) fn closure_parameter(callee: &Ty, n_argument: usize, n_parameter: usize) -> Ty {
    let Ty::Builtin { name, arguments } = callee else { return Ty::Unknown };
    let part = |index: usize| arguments.get(index).cloned().unwrap_or(Ty::Unknown);
    match (*name, n_argument, n_parameter) {
        ("Array.reduce" | "Array.reduceRight", 0, 1) => part(0),
        ("Array.reduce" | "Array.reduceRight", ..) => Ty::Unknown,
        ("Array.sort" | "Array.toSorted", 0, 0 | 1) => part(0),
        ("Map.forEach", 0, 0) => part(1),
        ("Map.forEach", 0, 1) => part(0),
        ("Promise.then", 0, 0) => part(0),
        ("Promise.then" | "Promise.catch", ..) => Ty::Unknown,
        (array_method, 0, 0) if array_method.starts_with("Array.") => part(0),
        (array_method, 0, 1) if array_method.starts_with("Array.") => Ty::builtin("number", []),
        (array_method, 0, 2) if array_method.starts_with("Array.") => array(part(0)),
        _ => Ty::Unknown,
    }
}
