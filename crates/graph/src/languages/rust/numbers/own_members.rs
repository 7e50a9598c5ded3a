//! The members that numbers have themselves, so that no trait gives them.

use crate::{languages::rust::methods::MethodResolution, program::Program, ty::Ty};

const INTEGERS: [&str; 12] = ["i128", "i16", "i32", "i64", "i8", "isize", "u128", "u16", "u32", "u64", "u8", "usize"];

const FLOATS: [&str; 2] = ["f32", "f64"];

/// Methods of integers that return the type of the integer.
const INTEGER_METHODS: [&str; 38] = [
    "abs",
    "abs_diff",
    "div_ceil",
    "div_euclid",
    "ilog",
    "isqrt",
    "midpoint",
    "next_multiple_of",
    "next_power_of_two",
    "pow",
    "rem_euclid",
    "reverse_bits",
    "rotate_left",
    "rotate_right",
    "saturating_abs",
    "saturating_add",
    "saturating_div",
    "saturating_mul",
    "saturating_neg",
    "saturating_pow",
    "saturating_sub",
    "signum",
    "swap_bytes",
    "to_be",
    "to_le",
    "unsigned_abs",
    "wrapping_abs",
    "wrapping_add",
    "wrapping_div",
    "wrapping_div_euclid",
    "wrapping_mul",
    "wrapping_neg",
    "wrapping_pow",
    "wrapping_rem",
    "wrapping_rem_euclid",
    "wrapping_shl",
    "wrapping_shr",
    "wrapping_sub",
];

/// Beginnings of the names of methods of integers that return an optional integer of the same type.
const CHECKED: &str = "checked_";

/// Beginnings of the names of such methods that return another type.
const CHECKED_OF_OTHER_TYPE: [&str; 2] = ["checked_ilog", "checked_signed_diff"];

/// Beginnings of the names of other methods of integers.
const INTEGER_PREFIXES: [&str; 6] = ["carrying_", CHECKED, "count_", "leading_", "overflowing_", "trailing_"];

/// Other methods of integers.
const OTHER_INTEGER_METHODS: [&str; 13] = [
    "borrowing_sub",
    "cast_signed",
    "cast_unsigned",
    "eq_ignore_ascii_case",
    "ilog10",
    "ilog2",
    "is_negative",
    "is_positive",
    "is_power_of_two",
    "to_be_bytes",
    "to_le_bytes",
    "to_ne_bytes",
    "widening_mul",
];

/// Methods of floats that return the type of the float.
const FLOAT_METHODS: [&str; 50] = [
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "clamp",
    "copysign",
    "cos",
    "cosh",
    "div_euclid",
    "exp",
    "exp2",
    "exp_m1",
    "floor",
    "fract",
    "hypot",
    "ln",
    "ln_1p",
    "log",
    "log10",
    "log2",
    "max",
    "maximum",
    "midpoint",
    "min",
    "minimum",
    "mul_add",
    "next_down",
    "next_up",
    "powf",
    "powi",
    "recip",
    "rem_euclid",
    "round",
    "round_ties_even",
    "signum",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "to_degrees",
    "to_radians",
    "trunc",
    "abs_sub",
];

/// Other methods of floats.
const OTHER_FLOAT_METHODS: [&str; 14] = [
    "classify",
    "is_finite",
    "is_infinite",
    "is_nan",
    "is_normal",
    "is_sign_negative",
    "is_sign_positive",
    "is_subnormal",
    "sin_cos",
    "to_be_bytes",
    "to_bits",
    "to_le_bytes",
    "to_ne_bytes",
    "total_cmp",
];

/// Functions and constants of integers, which are named by path.
const INTEGER_ITEMS: [&str; 11] = [
    "BITS",
    "MAX",
    "MIN",
    "from_be",
    "from_be_bytes",
    "from_le",
    "from_le_bytes",
    "from_ne_bytes",
    "from_str_radix",
    "max_value",
    "min_value",
];

/// Functions and constants of floats, which are named by path.
const FLOAT_ITEMS: [&str; 18] = [
    "DIGITS",
    "EPSILON",
    "INFINITY",
    "MANTISSA_DIGITS",
    "MAX",
    "MAX_10_EXP",
    "MAX_EXP",
    "MIN",
    "MIN_10_EXP",
    "MIN_EXP",
    "MIN_POSITIVE",
    "NAN",
    "NEG_INFINITY",
    "RADIX",
    "from_be_bytes",
    "from_bits",
    "from_le_bytes",
    "from_ne_bytes",
];

/// Methods of the standard traits that are in scope everywhere.
pub(super) const STANDARD_METHODS: [&str; 27] = [
    "as_mut",
    "as_ref",
    "borrow",
    "borrow_mut",
    "clamp",
    "clone",
    "clone_from",
    "cmp",
    "eq",
    "fmt",
    "ge",
    "gt",
    "hash",
    "into",
    "le",
    "lt",
    "max",
    "min",
    "ne",
    "partial_cmp",
    "product",
    "sum",
    "to_owned",
    "to_string",
    "try_into",
    "type_id",
    "parse",
];

/// The set of methods that a number has itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberKind {
    Integer,
    Float,
}

impl NumberKind {
    pub(super) fn of(program: &Program<'_>, ty: &Ty) -> Option<NumberKind> {
        let Ty::Foreign(name) = ty else { return None };
        match program.text(*name) {
            name if INTEGERS.contains(&name) => Some(NumberKind::Integer),
            name if FLOATS.contains(&name) => Some(NumberKind::Float),
            _ => None,
        }
    }

    /// Returns the resolution of a method that numbers of this kind have themselves; `None` if they have none of the name.
    pub(super) fn own_method(self, of: &Ty, name: &str) -> Option<MethodResolution> {
        let (same_type, other) = match self {
            NumberKind::Integer => (&INTEGER_METHODS[..], &OTHER_INTEGER_METHODS[..]),
            NumberKind::Float => (&FLOAT_METHODS[..], &OTHER_FLOAT_METHODS[..]),
        };
        let has_prefix = || INTEGER_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
        if same_type.contains(&name) {
            return Some(MethodResolution::SameType(of.clone()));
        }
        let is_of_other_type = || CHECKED_OF_OTHER_TYPE.iter().any(|prefix| name.starts_with(prefix));
        if self == NumberKind::Integer && name.starts_with(CHECKED) && !is_of_other_type() {
            return Some(MethodResolution::SameType(Ty::builtin("Option", [of.clone()])));
        }
        let is_other = other.contains(&name) || self == NumberKind::Integer && has_prefix();
        is_other.then_some(MethodResolution::External)
    }

    /// Returns true if numbers of this kind have a function or constant of this name themselves.
    pub(super) fn has_own_item(self, name: &str) -> bool {
        match self {
            NumberKind::Integer => INTEGER_ITEMS.contains(&name),
            NumberKind::Float => FLOAT_ITEMS.contains(&name),
        }
    }
}
