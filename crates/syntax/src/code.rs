//! From the tree of a file to its code: scopes, bindings, expressions and types, in the one language of [`model::code`].
//!
//! Each language walks its tree top down (`code/`), and writes what it sees through a [`Lowering`]. Nothing is resolved.

mod c;
mod ecmascript;
mod go;
mod java;
mod lowering;
mod protobuf;
mod python;
mod rust;
#[cfg(test)]
mod testing;

use model::{Code, Language};

pub(crate) use lowering::Lowering;

use crate::{nesting::NamedAt, node::Node};

/// Returns the code of a file; nothing in it where the language is not read this far.
pub(crate) fn lower(language: Language, root: Node<'_>, source: &[u8], named_at: &NamedAt) -> Code {
    let walk: fn(&mut Lowering, Node) = match language {
        Language::TypeScript | Language::Tsx | Language::JavaScript => ecmascript::lower,
        Language::Python => python::lower,
        Language::Go => go::lower,
        Language::Java => java::lower,
        Language::Rust => rust::lower,
        Language::C => c::lower,
        Language::Cpp => c::lower_cpp,
        Language::Protobuf => protobuf::lower,
        _ => return Code::default(),
    };
    let mut lowering = Lowering::new(source, named_at);
    walk(&mut lowering, root);
    lowering.finish()
}
