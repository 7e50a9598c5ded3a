//! Results of name resolution.

use super::lookup::ItemSet;
use crate::{names::Name, ty::Ty};

/// Namespace of a name: one name may denote both a value and a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RustNamespace {
    Values,
    Types,
}

/// The result of resolving a name or path.
#[derive(Debug, Clone)]
pub(super) enum NameResolution {
    Unresolved,
    /// Items, with the type through which they were accessed.
    Items(ItemSet, Option<Ty>),
    /// A type that is not an item: a parameter or a library type.
    Type(Ty),
    /// A local variable, with its type.
    Local(Ty),
    /// An item of another repository, by name.
    Foreign(Name),
}

/// Returns true if a name is written in the case of types.
pub(super) fn is_type_name(text: &str) -> bool {
    text.starts_with(char::is_uppercase)
}
