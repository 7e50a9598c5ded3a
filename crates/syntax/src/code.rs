//! Lowering: turns the syntax tree of a file into its code, in the common language of [`model::code`].
//!
//! Each language walks its tree top down (`code/`), and writes scopes, bindings, expressions and types through a
//! [`CodeBuilder`]. No name is resolved.

mod builder;
mod c;
mod ecmascript;
mod field_ids;
mod go;
mod java;
mod protobuf;
mod python;
mod rust;
mod tabled;
#[cfg(test)]
pub(crate) mod testing;

use model::{Code, Language};

pub(crate) use builder::CodeBuilder;

use crate::{nesting::DefinitionIndex, node::SyntaxNode, rust_macros::MacroExpansions};

/// Returns the code of a file; empty for a language without a lowering.
pub(crate) fn lower(
    language: Language,
    root: SyntaxNode<'_>,
    source: &[u8],
    definitions: &DefinitionIndex,
    expansions: &MacroExpansions,
) -> Code {
    let lower: fn(&mut CodeBuilder, SyntaxNode) = match language {
        Language::TypeScript | Language::Tsx | Language::JavaScript => ecmascript::lower,
        Language::Python => python::lower,
        Language::Go => go::lower,
        Language::Java => java::lower,
        Language::Rust => rust::lower,
        Language::C => c::lower,
        Language::Cpp => c::lower_cpp,
        Language::Protobuf => protobuf::lower,
        _ => return tabled::lower(language, root, source, definitions).unwrap_or_default(),
    };
    let mut builder = CodeBuilder::new(source, definitions).with_expansions(expansions);
    lower(&mut builder, root);
    builder.finish()
}
