//! Rule tables: the meaning of the nodes of each grammar, one file per language.

pub(crate) mod bash;
pub(crate) mod c;
mod c_declarators;
pub(crate) mod cpp;
pub(crate) mod csharp;
pub(crate) mod dart;
pub(crate) mod ecmascript;
pub(crate) mod elixir;
pub(crate) mod go;
pub(crate) mod java;
pub(crate) mod kotlin;
pub(crate) mod lua;
pub(crate) mod php;
pub(crate) mod protobuf;
pub(crate) mod python;
pub(crate) mod ruby;
pub(crate) mod rust;
pub(crate) mod scala;
pub(crate) mod sql;
pub(crate) mod swift;
pub(crate) mod terraform;
pub(crate) mod zig;
