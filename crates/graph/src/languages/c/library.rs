//! Types of the language and its standard library that other types pass through, as far as calls need them.

use std::rc::Rc;

use model::code::Literal;

use crate::ty::Ty;

/// A pointer, or an array.
pub(super) const POINTER: &str = "pointer";

/// What owns an object and gives it by `->` and `*`; also what may hold one.
const SMART: &str = "smart pointer";

/// What holds any number of one kind.
const SEQUENCE: &str = "sequence";

/// What finds values by keys.
const MAP: &str = "map";

/// Two values, `first` and `second`.
const PAIR: &str = "pair";

/// What goes over a sequence or map.
const ITERATOR: &str = "iterator";

/// Text.
const STRING: &str = "string";

/// Text that another owns.
const VIEW: &str = "string view";

/// What will give a value.
const FUTURE: &str = "future";

/// Streams, by what can be done with them.
const STREAMS: [(&str, &str); 10] = [
    ("istream", "istream"),
    ("ifstream", "istream"),
    ("istringstream", "istream"),
    ("ostream", "ostream"),
    ("ofstream", "ostream"),
    ("ostringstream", "ostream"),
    ("iostream", "iostream"),
    ("fstream", "iostream"),
    ("stringstream", "iostream"),
    ("wostream", "wide ostream"),
];

/// Names of the standard library, and what they are here.
const KNOWN: [(&str, &str); 42] = [
    ("unique_ptr", SMART),
    ("shared_ptr", SMART),
    ("weak_ptr", SMART),
    ("optional", SMART),
    ("reference_wrapper", SMART),
    ("auto_ptr", SMART),
    ("scoped_ptr", SMART),
    ("vector", SEQUENCE),
    ("deque", SEQUENCE),
    ("list", SEQUENCE),
    ("forward_list", SEQUENCE),
    ("array", SEQUENCE),
    ("set", SEQUENCE),
    ("multiset", SEQUENCE),
    ("unordered_set", SEQUENCE),
    ("unordered_multiset", SEQUENCE),
    ("initializer_list", SEQUENCE),
    ("span", SEQUENCE),
    ("queue", SEQUENCE),
    ("stack", SEQUENCE),
    ("priority_queue", SEQUENCE),
    ("map", MAP),
    ("multimap", MAP),
    ("unordered_map", MAP),
    ("unordered_multimap", MAP),
    ("pair", PAIR),
    ("string", STRING),
    ("wstring", "wide string"),
    ("string_view", VIEW),
    ("wstring_view", "wide string"),
    ("basic_string", STRING),
    ("basic_string_view", VIEW),
    ("future", FUTURE),
    ("shared_future", FUTURE),
    ("promise", FUTURE),
    ("nullptr_t", "null"),
    ("atomic", "atomic"),
    ("size_t", "unsigned long"),
    ("ssize_t", "long"),
    ("ptrdiff_t", "long"),
    ("intptr_t", "long"),
    ("uintptr_t", "unsigned long"),
];

/// Numbers by the names that they are written with, and the one that each is on the machines of today.
const NUMBERS: [(&str, &str); 22] = [
    ("bool", "bool"),
    ("char", "char"),
    ("signed char", "signed char"),
    ("unsigned char", "unsigned char"),
    ("wchar_t", "wchar_t"),
    ("short", "short"),
    ("unsigned short", "unsigned short"),
    ("int", "int"),
    ("unsigned int", "unsigned int"),
    ("long", "long"),
    ("unsigned long", "unsigned long"),
    ("long long", "long long"),
    ("unsigned long long", "unsigned long long"),
    ("float", "float"),
    ("double", "double"),
    ("long double", "long double"),
    ("int8_t", "signed char"),
    ("uint8_t", "unsigned char"),
    ("int16_t", "short"),
    ("uint16_t", "unsigned short"),
    ("int32_t", "int"),
    ("uint32_t", "unsigned int"),
];

/// Numbers that become an `int` before anything is done with them.
const SMALL: [&str; 6] = ["bool", "char", "signed char", "unsigned char", "short", "unsigned short"];

/// How well one type of the language fits another.
pub(super) enum Fit {
    Exact,
    Promoted,
    Converted,
    Made,
    Never,
}

/// Returns a type of the language or its library by its name.
pub(super) fn named(name: &str, arguments: &[Ty]) -> Option<Ty> {
    match name {
        "void" => return Some(Ty::builtin("void", [])),
        "int64_t" => return Some(Ty::builtin("long", [])),
        "uint64_t" => return Some(Ty::builtin("unsigned long", [])),
        "tuple" => return Some(Ty::Tuple(arguments.into())),
        "function" => return arguments.first().cloned(),
        _ => {}
    }
    if let Some((_, number)) = NUMBERS.iter().find(|(written, _)| *written == name) {
        return Some(Ty::builtin(number, []));
    }
    if let Some((_, stream)) = STREAMS.iter().find(|(written, _)| *written == name) {
        return Some(Ty::builtin(stream, []));
    }
    let (_, known) = KNOWN.iter().find(|(written, _)| *written == name)?;
    let n_arguments = match *known {
        SMART | SEQUENCE | FUTURE => 1,
        MAP | PAIR => 2,
        _ => 0,
    };
    let arguments: Rc<[Ty]> =
        (0..n_arguments).map(|index| arguments.get(index).cloned().unwrap_or(Ty::Unknown)).collect();
    Some(Ty::builtin(known, arguments))
}

/// Returns a pointer to a type.
pub(super) fn pointer(to: Ty) -> Ty {
    Ty::builtin(POINTER, [to])
}

/// Returns what is made by functions such as `make_unique<T>`.
pub(super) fn smart(to: Ty) -> Ty {
    Ty::builtin(SMART, [to])
}

/// Returns two values as one.
pub(super) fn pair(first: Ty, second: Ty) -> Ty {
    Ty::builtin(PAIR, [first, second])
}

/// Returns text.
pub(super) fn string() -> Ty {
    Ty::builtin(STRING, [])
}

/// Returns what `*` gives of a type of the language.
pub(super) fn pointed_at(of: &Ty) -> Option<Ty> {
    match of {
        Ty::Builtin { name: POINTER | SMART | ITERATOR, arguments } => arguments.first().cloned(),
        _ => None,
    }
}

/// Returns what a loop over a value gives.
pub(super) fn item(of: &Ty) -> Option<Ty> {
    match of {
        Ty::Builtin { name: POINTER | SEQUENCE, arguments } => arguments.first().cloned(),
        Ty::Builtin { name: MAP, arguments } => Some(Ty::builtin(PAIR, Rc::clone(arguments))),
        Ty::Builtin { name: STRING | VIEW, .. } => Some(Ty::builtin("char", [])),
        _ => None,
    }
}

/// Returns what an index into a value gives.
pub(super) fn element(of: &Ty) -> Option<Ty> {
    match of {
        Ty::Builtin { name: MAP, arguments } => arguments.last().cloned(),
        Ty::Builtin { name: SMART, arguments } => arguments.first().cloned(),
        of => item(of),
    }
}

/// Returns a part of a value that is taken apart.
pub(super) fn part(of: &Ty, index: u32) -> Option<Ty> {
    match of {
        Ty::Tuple(parts) | Ty::Builtin { name: PAIR, arguments: parts } => parts.get(index as usize).cloned(),
        of => item(of),
    }
}

/// Returns a member of a value of the library: a field of a pair, or a function that gives what is in it.
pub(super) fn member(of: &Ty, name: &str) -> Option<Ty> {
    let Ty::Builtin { name: kind, arguments } = of else { return None };
    let first = || arguments.first().cloned().unwrap_or(Ty::Unknown);
    let gives = |result: Ty| Some(Ty::FunctionType { parameters: Rc::new([]), result: Rc::new(result) });
    match (*kind, name) {
        (PAIR, "first") => Some(first()),
        (PAIR, "second") => arguments.get(1).cloned(),
        (SMART, "get" | "release") => gives(pointer(first())),
        (SMART, "value" | "value_or") => gives(first()),
        (SMART, "lock") => gives(of.clone()),
        (FUTURE, "get") => gives(first()),
        (SEQUENCE, "front" | "back" | "at" | "top") => gives(first()),
        (SEQUENCE, "data") => gives(pointer(first())),
        (MAP, "at") => gives(arguments.last().cloned().unwrap_or(Ty::Unknown)),
        (
            SEQUENCE | MAP,
            "begin" | "end" | "cbegin" | "cend" | "rbegin" | "rend" | "find" | "lower_bound" | "upper_bound" | "erase",
        ) => gives(Ty::builtin(ITERATOR, [item(of)?])),
        (MAP, "insert" | "emplace" | "try_emplace") => {
            gives(pair(Ty::builtin(ITERATOR, [item(of)?]), Ty::builtin("bool", [])))
        }
        (SEQUENCE, "emplace_back") => gives(first()),
        (STRING | VIEW, "c_str" | "data") => gives(pointer(Ty::builtin("char", []))),
        (STRING, "substr" | "append" | "assign" | "insert" | "replace") => gives(string()),
        (SEQUENCE | MAP | STRING | VIEW, "size" | "length" | "capacity" | "count") => {
            gives(Ty::builtin("unsigned long", []))
        }
        (SEQUENCE | MAP | STRING | VIEW, "empty") => gives(Ty::builtin("bool", [])),
        (POINTER, _) => None,
        _ => Some(Ty::External),
    }
}

/// Returns a type within a type of the library (`vector<T>::iterator`).
pub(super) fn nested(of: &Ty, name: &str) -> Ty {
    match name {
        "iterator" | "const_iterator" | "reverse_iterator" | "const_reverse_iterator" => {
            item(of).map_or(Ty::External, |item| Ty::builtin(ITERATOR, [item]))
        }
        "value_type" | "reference" | "const_reference" => item(of).unwrap_or(Ty::External),
        _ => Ty::External,
    }
}

/// Returns the type of what is written out.
pub(super) fn literal(literal: Literal) -> Ty {
    match literal {
        Literal::Text(_) => pointer(Ty::builtin("char", [])),
        Literal::Character => Ty::builtin("char", []),
        Literal::Integer => Ty::builtin("int", []),
        Literal::Float => Ty::builtin("double", []),
        Literal::Boolean => Ty::builtin("bool", []),
        Literal::Null => Ty::builtin("null", []),
        _ => Ty::External,
    }
}

/// Says whether a type is a pointer.
pub(super) fn is_pointer(of: &Ty) -> bool {
    matches!(of, Ty::Builtin { name: POINTER, .. })
}

/// Says whether a type is that of a pointer to nothing.
pub(super) fn is_null(of: &Ty) -> bool {
    matches!(of, Ty::Builtin { name: "null", .. })
}

/// Says whether a type is a number.
pub(super) fn is_number(of: &Ty) -> bool {
    matches!(of, Ty::Builtin { name, .. } if is_number_named(name))
}

fn is_number_named(name: &str) -> bool {
    NUMBERS.iter().any(|(_, number)| *number == name)
}

fn is_stream(name: &str) -> bool {
    STREAMS.iter().any(|(_, stream)| *stream == name)
}

/// Returns what arithmetic on two values gives.
pub(super) fn computed(left: &Ty, right: &Ty) -> Ty {
    match (left, right) {
        (Ty::Builtin { name: POINTER, .. }, _) => left.clone(),
        (Ty::Builtin { name: STRING, .. }, _) | (_, Ty::Builtin { name: STRING, .. }) => string(),
        (Ty::Builtin { name: a, .. }, Ty::Builtin { name: b, .. }) if is_number_named(a) && is_number_named(b) => {
            let rank = |name: &str| NUMBERS.iter().position(|(number, _)| *number == name).unwrap_or(0);
            let larger = if rank(a) >= rank(b) { left } else { right };
            let is_small = matches!(larger, Ty::Builtin { name, .. } if SMALL.contains(name));
            if is_small { Ty::builtin("int", []) } else { larger.clone() }
        }
        _ => Ty::Unknown,
    }
}

/// Says how well one type of the language fits another; nothing where that is not known.
pub(super) fn fit_of_builtins(expected: &str, given: &str) -> Option<Fit> {
    Some(match (expected, given) {
        (expected, given) if expected == given => Fit::Exact,
        ("int", given) if SMALL.contains(&given) => Fit::Promoted,
        ("double", "float") => Fit::Promoted,
        (expected, given) if is_number_named(expected) && is_number_named(given) => Fit::Converted,
        ("bool", POINTER | "null") => Fit::Converted,
        (POINTER, "null") => Fit::Converted,
        (SMART, "null") => Fit::Made,
        (STRING, POINTER) | (VIEW, POINTER | STRING) => Fit::Made,
        (STRING, VIEW) => Fit::Never,
        ("bool", SMART) => Fit::Made,
        (SMART, POINTER) => Fit::Made,
        ("istream" | "ostream", "iostream") => Fit::Converted,
        (SMART, _) => return None,
        (expected, _) if is_stream(expected) => Fit::Never,
        (STRING | VIEW, given) if is_stream(given) => Fit::Never,
        (expected, _) if is_number_named(expected) => Fit::Never,
        (POINTER, _) => Fit::Never,
        (STRING | VIEW, given) if is_number_named(given) || matches!(given, SEQUENCE | MAP | "wide string") => {
            Fit::Never
        }
        ("wide string", STRING) => Fit::Never,
        _ => return None,
    })
}
