//! What the nodes of each grammar mean.

pub(crate) mod c;
pub(crate) mod cpp;
pub(crate) mod declarators;
pub(crate) mod ecmascript;
pub(crate) mod ecmascript_imports;
pub(crate) mod go;
pub(crate) mod java;
pub(crate) mod python;
pub(crate) mod rust;
