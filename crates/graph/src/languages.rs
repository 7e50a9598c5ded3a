//! One dialect per family of languages.

pub(crate) mod c;
pub(crate) mod ecmascript;
pub(crate) mod fallback;
pub(crate) mod go;
pub(crate) mod java;
pub(crate) mod python;
pub(crate) mod rust;
