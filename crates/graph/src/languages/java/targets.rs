//! Method candidates and call targets.

use crate::{program::SymbolIdx, ty::Ty};

/// A method and the type that it is a member of.
pub(super) type MethodCandidate = (SymbolIdx, Ty);

/// The result of overload resolution.
pub(super) enum OverloadChoice {
    One(MethodCandidate),
    /// Any of these.
    Several(Vec<MethodCandidate>),
    None,
}

/// The target of a call.
pub(super) enum CallTarget {
    One(MethodCandidate),
    /// One of several overloads, undecided.
    Several(Vec<SymbolIdx>),
    /// A standard library method of this receiver.
    Standard(Ty),
    /// A definition outside of the repository.
    Outside,
    Unknown,
}
