//! Built-in types and standard library types that calls pass through.

use std::rc::Rc;

use model::code::Literal;

use super::conversions::ConversionRank;
use crate::ty::Ty;

/// A pointer or an array.
pub(super) const POINTER: &str = "pointer";

/// A smart pointer or an optional: `->` and `*` return the contained object.
const SMART: &str = "smart pointer";

/// A container of elements of one type.
const SEQUENCE: &str = "sequence";

/// A container of values by key.
const MAP: &str = "map";

/// A pair with the members `first` and `second`.
const PAIR: &str = "pair";

/// An iterator over a sequence or map.
const ITERATOR: &str = "iterator";

/// An owned string.
const STRING: &str = "string";

/// A borrowed string.
const VIEW: &str = "string view";

/// A future or promise of a value.
const FUTURE: &str = "future";

/// Stream classes, grouped by direction.
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

/// Standard library classes and the built-in type that represents each.
const STANDARD_CLASSES: [(&str, &str); 42] = [
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

/// Arithmetic types by their written names, with the representation on common 64-bit platforms.
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

/// Types that integer promotion turns into `int`.
const PROMOTED_TO_INT: [&str; 6] = ["bool", "char", "signed char", "unsigned char", "short", "unsigned short"];

/// Returns the built-in or standard library type of a name.
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
    let (_, known) = STANDARD_CLASSES.iter().find(|(written, _)| *written == name)?;
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

/// Returns the result of a factory such as `make_unique<T>`.
pub(super) fn smart(to: Ty) -> Ty {
    Ty::builtin(SMART, [to])
}

/// Returns a `std::pair` type.
pub(super) fn pair(first: Ty, second: Ty) -> Ty {
    Ty::builtin(PAIR, [first, second])
}

/// Returns the owned string type.
pub(super) fn string() -> Ty {
    Ty::builtin(STRING, [])
}

/// Returns the type that `*` returns for a pointer, smart pointer or iterator.
pub(super) fn dereferenced(of: &Ty) -> Option<Ty> {
    match of {
        Ty::Builtin { name: POINTER | SMART | ITERATOR, arguments } => arguments.first().cloned(),
        _ => None,
    }
}

/// Returns the element type of a `for` loop over a value.
pub(super) fn item(of: &Ty) -> Option<Ty> {
    match of {
        Ty::Builtin { name: POINTER | SEQUENCE, arguments } => arguments.first().cloned(),
        Ty::Builtin { name: MAP, arguments } => Some(Ty::builtin(PAIR, Rc::clone(arguments))),
        Ty::Builtin { name: STRING | VIEW, .. } => Some(Ty::builtin("char", [])),
        _ => None,
    }
}

/// Returns the type of an index expression.
pub(super) fn element(of: &Ty) -> Option<Ty> {
    match of {
        Ty::Builtin { name: MAP, arguments } => arguments.last().cloned(),
        Ty::Builtin { name: SMART, arguments } => arguments.first().cloned(),
        of => item(of),
    }
}

/// Returns the type of one part of a structured binding.
pub(super) fn part(of: &Ty, index: u32) -> Option<Ty> {
    match of {
        Ty::Tuple(parts) | Ty::Builtin { name: PAIR, arguments: parts } => parts.get(index as usize).cloned(),
        of => item(of),
    }
}

/// Returns a member of a standard library object: a field of a pair, or a function that returns the contained value.
pub(super) fn member(of: &Ty, name: &str) -> Option<Ty> {
    let Ty::Builtin { name: kind, arguments } = of else { return None };
    let first = || arguments.first().cloned().unwrap_or(Ty::Unknown);
    let returning = |result: Ty| Some(Ty::FunctionType { parameters: Rc::new([]), result: Rc::new(result) });
    match (*kind, name) {
        (PAIR, "first") => Some(first()),
        (PAIR, "second") => arguments.get(1).cloned(),
        (SMART, "get" | "release") => returning(pointer(first())),
        (SMART, "value" | "value_or") => returning(first()),
        (SMART, "lock") => returning(of.clone()),
        (FUTURE, "get") => returning(first()),
        (SEQUENCE, "front" | "back" | "at" | "top") => returning(first()),
        (SEQUENCE, "data") => returning(pointer(first())),
        (MAP, "at") => returning(arguments.last().cloned().unwrap_or(Ty::Unknown)),
        (
            SEQUENCE | MAP,
            "begin" | "end" | "cbegin" | "cend" | "rbegin" | "rend" | "find" | "lower_bound" | "upper_bound" | "erase",
        ) => returning(Ty::builtin(ITERATOR, [item(of)?])),
        (MAP, "insert" | "emplace" | "try_emplace") => {
            returning(pair(Ty::builtin(ITERATOR, [item(of)?]), Ty::builtin("bool", [])))
        }
        (SEQUENCE, "emplace_back") => returning(first()),
        (STRING | VIEW, "c_str" | "data") => returning(pointer(Ty::builtin("char", []))),
        (STRING, "substr" | "append" | "assign" | "insert" | "replace") => returning(string()),
        (SEQUENCE | MAP | STRING | VIEW, "size" | "length" | "capacity" | "count") => {
            returning(Ty::builtin("unsigned long", []))
        }
        (SEQUENCE | MAP | STRING | VIEW, "empty") => returning(Ty::builtin("bool", [])),
        (POINTER, _) => None,
        _ => Some(Ty::External),
    }
}

/// Returns a member type of a standard library class (`vector<T>::iterator`).
pub(super) fn nested(of: &Ty, name: &str) -> Ty {
    match name {
        "iterator" | "const_iterator" | "reverse_iterator" | "const_reverse_iterator" => {
            item(of).map_or(Ty::External, |item| Ty::builtin(ITERATOR, [item]))
        }
        "value_type" | "reference" | "const_reference" => item(of).unwrap_or(Ty::External),
        _ => Ty::External,
    }
}

/// Returns the type of a literal.
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

/// Returns true if a type is a pointer.
pub(super) fn is_pointer(of: &Ty) -> bool {
    matches!(of, Ty::Builtin { name: POINTER, .. })
}

/// Returns true if a type is that of `nullptr`.
pub(super) fn is_null(of: &Ty) -> bool {
    matches!(of, Ty::Builtin { name: "null", .. })
}

/// Returns true if a type is a number.
pub(super) fn is_number(of: &Ty) -> bool {
    matches!(of, Ty::Builtin { name, .. } if is_number_named(name))
}

fn is_number_named(name: &str) -> bool {
    NUMBERS.iter().any(|(_, number)| *number == name)
}

fn is_stream(name: &str) -> bool {
    STREAMS.iter().any(|(_, stream)| *stream == name)
}

/// Returns the type of an arithmetic operation.
pub(super) fn computed(left: &Ty, right: &Ty) -> Ty {
    match (left, right) {
        (Ty::Builtin { name: POINTER, .. }, _) => left.clone(),
        (Ty::Builtin { name: STRING, .. }, _) | (_, Ty::Builtin { name: STRING, .. }) => string(),
        (Ty::Builtin { name: a, .. }, Ty::Builtin { name: b, .. }) if is_number_named(a) && is_number_named(b) => {
            let rank = |name: &str| NUMBERS.iter().position(|(number, _)| *number == name).unwrap_or(0);
            let larger = if rank(a) >= rank(b) { left } else { right };
            let is_small = matches!(larger, Ty::Builtin { name, .. } if PROMOTED_TO_INT.contains(name));
            if is_small { Ty::builtin("int", []) } else { larger.clone() }
        }
        _ => Ty::Unknown,
    }
}

/// Ranks the conversion between two built-in types, or returns none if it is unknown.
pub(super) fn rank_builtin_conversion(expected: &str, actual: &str) -> Option<ConversionRank> {
    Some(match (expected, actual) {
        (expected, actual) if expected == actual => ConversionRank::Exact,
        ("int", actual) if PROMOTED_TO_INT.contains(&actual) => ConversionRank::Promotion,
        ("double", "float") => ConversionRank::Promotion,
        (expected, actual) if is_number_named(expected) && is_number_named(actual) => ConversionRank::Conversion,
        ("bool", POINTER | "null") => ConversionRank::Conversion,
        (POINTER, "null") => ConversionRank::Conversion,
        (SMART, "null") => ConversionRank::UserDefined,
        (STRING, POINTER) | (VIEW, POINTER | STRING) => ConversionRank::UserDefined,
        (STRING, VIEW) => ConversionRank::Impossible,
        ("bool", SMART) => ConversionRank::UserDefined,
        (SMART, POINTER) => ConversionRank::UserDefined,
        ("istream" | "ostream", "iostream") => ConversionRank::Conversion,
        (SMART, _) => return None,
        (expected, _) if is_stream(expected) => ConversionRank::Impossible,
        (STRING | VIEW, actual) if is_stream(actual) => ConversionRank::Impossible,
        (expected, _) if is_number_named(expected) => ConversionRank::Impossible,
        (POINTER, _) => ConversionRank::Impossible,
        (STRING | VIEW, actual) if is_number_named(actual) || matches!(actual, SEQUENCE | MAP | "wide string") => {
            ConversionRank::Impossible
        }
        ("wide string", STRING) => ConversionRank::Impossible,
        _ => return None,
    })
}
