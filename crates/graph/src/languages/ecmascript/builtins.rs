//! What is known of the library: types that values of other types pass through.
//!
//! A method of the library is a type of its own (`Array.map`) with the arguments of its object, so that its call can be
//! answered when its arguments are known.

use std::rc::Rc;

use crate::{infer::Member, ty::Ty};

/// What a call of a method of the library gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gives {
    /// The object that it was asked of.
    Own,
    /// The first argument of the object's type, or the one at another place.
    Part(usize),
    /// A list of such parts.
    ListOf(usize),
    /// A list of pairs of the first two.
    Pairs,
    /// A list of what the first function gives, or of the items of that.
    ListOfResult,
    ListOfItems,
    /// What the first function gives, or what the second argument is.
    Folded,
    /// A promise of what the functions give, or of what it was of as well.
    Then,
    Otherwise,
    Text,
    ListOfTexts,
    Number,
    Boolean,
    Nothing,
}

use Gives::*;

/// Methods of the library: of which type, its name, its full name, and what it gives.
const METHODS: [(&str, &str, &str, Gives); 85] = [
    ("Array", "map", "Array.map", ListOfResult),
    ("Array", "flatMap", "Array.flatMap", ListOfItems),
    ("Array", "filter", "Array.filter", Own),
    ("Array", "slice", "Array.slice", Own),
    ("Array", "concat", "Array.concat", Own),
    ("Array", "reverse", "Array.reverse", Own),
    ("Array", "sort", "Array.sort", Own),
    ("Array", "toSorted", "Array.toSorted", Own),
    ("Array", "toReversed", "Array.toReversed", Own),
    ("Array", "splice", "Array.splice", Own),
    ("Array", "fill", "Array.fill", Own),
    ("Array", "flat", "Array.flat", ListOf(0)),
    ("Array", "pop", "Array.pop", Part(0)),
    ("Array", "shift", "Array.shift", Part(0)),
    ("Array", "at", "Array.at", Part(0)),
    ("Array", "find", "Array.find", Part(0)),
    ("Array", "findLast", "Array.findLast", Part(0)),
    ("Array", "reduce", "Array.reduce", Folded),
    ("Array", "reduceRight", "Array.reduceRight", Folded),
    ("Array", "forEach", "Array.forEach", Nothing),
    ("Array", "some", "Array.some", Boolean),
    ("Array", "every", "Array.every", Boolean),
    ("Array", "includes", "Array.includes", Boolean),
    ("Array", "has", "Array.has", Boolean),
    ("Array", "add", "Array.add", Own),
    ("Array", "delete", "Array.delete", Boolean),
    ("Array", "join", "Array.join", Text),
    ("Array", "push", "Array.push", Number),
    ("Array", "unshift", "Array.unshift", Number),
    ("Array", "indexOf", "Array.indexOf", Number),
    ("Array", "findIndex", "Array.findIndex", Number),
    ("Array", "values", "Array.values", Own),
    ("Array", "keys", "Array.keys", ListOf(9)),
    ("Array", "entries", "Array.entries", Pairs),
    ("Generator", "next", "Generator.next", Nothing),
    ("Map", "get", "Map.get", Part(1)),
    ("Map", "set", "Map.set", Own),
    ("Map", "has", "Map.has", Boolean),
    ("Map", "delete", "Map.delete", Boolean),
    ("Map", "clear", "Map.clear", Nothing),
    ("Map", "forEach", "Map.forEach", Nothing),
    ("Map", "values", "Map.values", ListOf(1)),
    ("Map", "keys", "Map.keys", ListOf(0)),
    ("Map", "entries", "Map.entries", Pairs),
    ("Promise", "then", "Promise.then", Then),
    ("Promise", "catch", "Promise.catch", Otherwise),
    ("Promise", "finally", "Promise.finally", Own),
    ("string", "split", "string.split", ListOfTexts),
    ("string", "match", "string.match", ListOfTexts),
    ("string", "matchAll", "string.matchAll", Nothing),
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
    ("Object class", "keys", "Object.keys", ListOfTexts),
    ("Object class", "values", "Object.values", Nothing),
    ("Object class", "entries", "Object.entries", Nothing),
    ("Object class", "assign", "Object.assign", Nothing),
    ("Object class", "freeze", "Object.freeze", Nothing),
    ("Object class", "create", "Object.create", Nothing),
    ("Array class", "isArray", "Array.isArray", Boolean),
    ("Array class", "from", "Array.from", Nothing),
    ("Array class", "of", "Array.of", Nothing),
    ("Promise class", "all", "Promise.all", Nothing),
    ("Promise class", "resolve", "Promise.resolve", Nothing),
    ("Promise class", "race", "Promise.race", Nothing),
];

/// Returns a list of items.
pub(super) fn array(item: Ty) -> Ty {
    Ty::builtin("Array", [item])
}

/// Returns what a name of the library means as a value; nothing for a name that the library does not have.
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

/// Names that the language or its usual surroundings have, of whose types nothing is worth knowing.
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

/// Returns what a type of the library means; `External` for one of which nothing is known.
pub(super) fn written(path: &[&str], arguments: &[Ty]) -> Ty {
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

/// Returns what comes out of a promise, and of a promise of one.
pub(super) fn awaited(of: Ty) -> Ty {
    match of {
        Ty::Builtin { name: "Promise", arguments } => arguments.first().cloned().unwrap_or(Ty::Unknown),
        Ty::Union(types) => Ty::one_of(types.iter().cloned().map(awaited)),
        other => other,
    }
}

/// Returns what iteration over a value gives.
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

/// Returns what `new` of a class of the library gives.
pub(super) fn made(class: &str) -> Ty {
    match class {
        "Array class" | "Set class" => array(Ty::Unknown),
        "Map class" => Ty::builtin("Map", [Ty::Unknown, Ty::Unknown]),
        "Promise class" => Ty::builtin("Promise", [Ty::Unknown]),
        _ => Ty::External,
    }
}

/// Returns a member of a type of the library. A type of which only some methods are known has any other as well.
pub(super) fn member(of: &Ty, name: &str) -> Member {
    let Ty::Builtin { name: own, arguments } = of else { return Member::Unknown };
    if *own == "Record" {
        return Member::Value(arguments.get(1).cloned().unwrap_or(Ty::Unknown));
    }
    let receiver = match *own {
        "Generator" if name != "next" => "Array",
        other => other,
    };
    let found = METHODS.iter().find(|(of, method, ..)| *of == receiver && *method == name);
    Member::Value(match found {
        Some((_, _, full, _)) => Ty::builtin(full, Rc::clone(arguments)),
        None if name == "length" || name == "size" => Ty::builtin("number", []),
        None => Ty::External,
    })
}

/// Returns what a call of a value of the library gives: `own` are the arguments of its object's type, `given` the types of
/// the arguments, `results` what those of them give that are functions.
pub(super) fn called(name: &str, own: &[Ty], given: &[Ty], results: &[Ty], typed: Option<Ty>) -> Ty {
    let argument = |index: usize| given.get(index).cloned().unwrap_or(Ty::Unknown);
    let part = |index: usize| own.get(index).cloned().unwrap_or(Ty::Unknown);
    let result = || results.first().cloned().unwrap_or(Ty::Unknown);
    match name {
        "Object.values" => return array(values_of(&argument(0))),
        "Object.entries" => return array(Ty::Tuple([Ty::builtin("string", []), values_of(&argument(0))].into())),
        "Object.freeze" | "Object.create" => return argument(0),
        "Object.assign" => return Ty::Intersection(given.into()),
        "Array.from" => {
            let mapped = results.get(1).filter(|mapped| !mapped.is_unknown()).cloned();
            return array(mapped.unwrap_or_else(|| item(&argument(0))));
        }
        "Array.of" => return array(Ty::one_of(given.iter().cloned())),
        "Promise.resolve" => return Ty::builtin("Promise", [awaited(argument(0))]),
        "Promise.all" | "Promise.race" => {
            let items = match argument(0) {
                Ty::Tuple(parts) => Ty::Tuple(parts.iter().cloned().map(awaited).collect::<Vec<_>>().into()),
                list if name == "Promise.race" => awaited(item(&list)),
                list => array(awaited(item(&list))),
            };
            return Ty::builtin("Promise", [items]);
        }
        "Function.bind" => return part(0),
        "Function.call" => {
            return match part(0) {
                Ty::FunctionType { result, .. } => (*result).clone(),
                _ => Ty::Unknown,
            };
        }
        "String class" => return Ty::builtin("string", []),
        _ => {}
    }
    let Some((receiver, _, _, gives)) = METHODS.iter().find(|(.., full, _)| *full == name) else {
        return Ty::External;
    };
    match gives {
        Own => match *receiver {
            "Map" => Ty::builtin("Map", own.to_vec()),
            "Promise" => Ty::builtin("Promise", own.to_vec()),
            _ => array(part(0)),
        },
        Part(index) => part(*index),
        ListOf(index) if *receiver == "Array" && *index == 0 => match part(0) {
            Ty::Builtin { name: "Array", arguments } => Ty::Builtin { name: "Array", arguments },
            other => array(other),
        },
        ListOf(index) => array(part(*index)),
        Pairs if *receiver == "Map" => array(Ty::Tuple([part(0), part(1)].into())),
        Pairs => array(Ty::Tuple([Ty::builtin("number", []), part(0)].into())),
        ListOfResult => array(typed.unwrap_or_else(result)),
        ListOfItems => array(match item(&result()) {
            Ty::Unknown => result(),
            inner => inner,
        }),
        Folded => {
            let start = given.get(1).cloned().unwrap_or_else(|| part(0));
            typed.unwrap_or(if start.is_unknown() { result() } else { start })
        }
        Then => Ty::builtin("Promise", [Ty::one_of(results.iter().cloned().map(awaited))]),
        Otherwise => Ty::builtin("Promise", [Ty::one_of([part(0), awaited(result())])]),
        Text => Ty::builtin("string", []),
        ListOfTexts => array(Ty::builtin("string", [])),
        Number => Ty::builtin("number", []),
        Boolean => Ty::builtin("boolean", []),
        Nothing => Ty::External,
    }
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

/// Returns the type of a parameter of a function that is given to a method of the library.
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
