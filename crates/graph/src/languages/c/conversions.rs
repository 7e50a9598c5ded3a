//! Ranks of implicit conversions, as overload resolution compares them.

/// Rank of the conversion of an argument to a parameter, from worst to best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ConversionRank {
    /// No conversion exists.
    Impossible,
    /// The argument is passed through an ellipsis.
    Ellipsis,
    /// A converting constructor or a conversion operator of a class.
    UserDefined,
    /// A number to another number, a class to its base, an array to a pointer to `void`.
    Conversion,
    /// A small number to a larger one.
    Promotion,
    /// The types are equal.
    Exact,
    /// The types are equal, and the parameter also matches the constness or value category of the argument best.
    ExactPreferred,
}
