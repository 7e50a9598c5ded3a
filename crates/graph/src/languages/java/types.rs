//! Primitive, boxed and array types in terms of the inference.

use crate::ty::Ty;

/// The built-in name of array types.
pub(super) const ARRAY: &str = "[]";

/// The built-in name of an unbounded wildcard.
pub(super) const WILDCARD: &str = "?";

/// The type of `null`.
pub(super) const NULL: &str = "null";

/// Primitive types, each before the types that it widens to; `void` is included since it is written like one.
const PRIMITIVES: [&str; 9] = ["byte", "short", "char", "int", "long", "float", "double", "boolean", "void"];

/// Returns the name of a primitive type.
pub(super) fn primitive(name: &str) -> Option<&'static str> {
    PRIMITIVES.iter().find(|primitive| **primitive == name).copied()
}

pub(super) fn array(item: Ty) -> Ty {
    Ty::builtin(ARRAY, [item])
}

/// Returns a library or primitive type without type arguments.
pub(super) fn simple_type(name: &'static str) -> Ty {
    Ty::builtin(name, [])
}

/// Returns true if a type argument is an unbounded wildcard.
pub(super) fn is_wildcard(ty: &Ty) -> bool {
    matches!(ty, Ty::Builtin { name: WILDCARD, .. })
}

/// Returns the element type of an array.
pub(super) fn item_of(ty: &Ty) -> Option<&Ty> {
    match ty {
        Ty::Builtin { name, arguments } if *name == ARRAY => arguments.first(),
        _ => None,
    }
}

/// Returns the name of a type that is primitive.
pub(super) fn as_primitive(ty: &Ty) -> Option<&'static str> {
    match ty {
        Ty::Builtin { name, .. } => primitive(name),
        _ => None,
    }
}

/// Returns the box class of a primitive type; other types are returned unchanged.
pub(super) fn boxed(ty: Ty) -> Ty {
    let name = match as_primitive(&ty) {
        Some("byte") => "Byte",
        Some("short") => "Short",
        Some("char") => "Character",
        Some("int") => "Integer",
        Some("long") => "Long",
        Some("float") => "Float",
        Some("double") => "Double",
        Some("boolean") => "Boolean",
        Some("void") => "Void",
        _ => return ty,
    };
    simple_type(name)
}

/// Returns the primitive type of a box class or primitive type.
pub(super) fn unboxed(ty: &Ty) -> Option<&'static str> {
    let Ty::Builtin { name, .. } = ty else { return None };
    Some(match *name {
        "Byte" => "byte",
        "Short" => "short",
        "Character" => "char",
        "Integer" => "int",
        "Long" => "long",
        "Float" => "float",
        "Double" => "double",
        "Boolean" => "boolean",
        name => return primitive(name),
    })
}

/// Returns the type of binary numeric promotion.
pub(super) fn promoted(left: &Ty, right: &Ty) -> Option<Ty> {
    let (left, right) = (unboxed(left)?, unboxed(right)?);
    if left == right && left == "boolean" {
        return Some(simple_type("boolean"));
    }
    let wider = ["double", "float", "long"].into_iter().find(|wide| [left, right].contains(wide));
    let is_number = |name: &str| !matches!(name, "boolean" | "void");
    (is_number(left) && is_number(right)).then(|| simple_type(wider.unwrap_or("int")))
}
