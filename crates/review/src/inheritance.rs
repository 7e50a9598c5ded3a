//! Members that a type inherits, found by the names of its base types.

use std::collections::{BTreeSet, VecDeque};

use model::{
    Code, FileFacts, Language, SymbolKind,
    code::{TypeExpression, TypeId},
    symbol::qualify,
};

use crate::standard_traits::lacks_member;

/// Maximum number of base types that are looked at for one member.
const MAX_BASES: usize = 40;

/// Base types without members that code calls by their name.
const BARE_BASES: [&str; 8] =
    ["object", "Object", "ABC", "Generic", "Protocol", "Serializable", "Cloneable", "enable_shared_from_this"];

/// Name of a base type that is written as an expression, and of the target of an alias.
const UNNAMED: &str = "(unnamed)";

/// A type with the names of its own members and of its bases.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeclaredType {
    /// The names of its members.
    pub members: BTreeSet<String>,
    /// The last names of its base types.
    pub bases: Vec<String>,
}

impl DeclaredType {
    /// Returns the types of this name in a file.
    pub fn named(facts: &FileFacts, name: &str) -> Vec<DeclaredType> {
        let is_type = |at: &usize| facts.definitions[*at].kind.is_type();
        let of_name = (0..facts.definitions.len()).filter(|at| facts.definitions[*at].name == name);
        of_name.filter(is_type).map(|at| DeclaredType::of(facts, at)).collect()
    }

    /// Returns the type with these enclosing definitions and this name in a file.
    pub fn qualified(facts: &FileFacts, qualified: &str) -> Option<DeclaredType> {
        let is_it = |at: &usize| {
            let definition = &facts.definitions[*at];
            qualify(&definition.container, &definition.name) == qualified && definition.kind.is_type()
        };
        (0..facts.definitions.len()).find(is_it).map(|at| DeclaredType::of(facts, at))
    }

    fn of(facts: &FileFacts, at: usize) -> DeclaredType {
        let declared = facts.definitions.iter().filter(|member| member.parent == Some(at as u32));
        let assigned = facts.code.fields.iter().filter(|field| field.owner.index() == at);
        let assigned = assigned.map(|field| facts.code.name(field.name).to_owned());
        let bases = facts.code.shapes.get(at).map(|shape| shape.bases.as_ref()).unwrap_or_default();
        let target = (facts.definitions[at].kind == SymbolKind::TypeAlias).then(|| UNNAMED.to_owned());
        DeclaredType {
            members: declared.map(|member| member.name.clone()).chain(assigned).collect(),
            bases: bases.iter().map(|base| last_name(&facts.code, base.base)).chain(target).collect(),
        }
    }
}

fn last_name(code: &Code, written: TypeId) -> String {
    match code.written(written) {
        TypeExpression::Named { path, .. } => path.last().map_or(UNNAMED, |name| code.name(*name)).to_owned(),
        _ => UNNAMED.to_owned(),
    }
}

/// Returns the base type that provides a member which the type itself no longer has, or may provide it: one with the member, or one that
/// is not declared in the repository, unless the name is a private one of Python (`_name`). `declared` returns the types of a name.
pub fn provider_of_member(
    language: Language,
    own: &DeclaredType,
    member: &str,
    mut declared: impl FnMut(&str) -> Vec<DeclaredType>,
) -> Option<String> {
    // By convention the types of other packages of Python do not share such a name. In other languages they do (`_flush` of Node).
    let is_private = language == Language::Python && member.starts_with('_') && !member.starts_with("__");
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut bases: VecDeque<String> = own.bases.iter().cloned().collect();
    while let Some(base) = bases.pop_front() {
        if BARE_BASES.contains(&base.as_str()) || !seen.insert(base.clone()) {
            continue;
        }
        let types = if seen.len() > MAX_BASES { Vec::new() } else { declared(&base) };
        if types.is_empty() && !is_private && !lacks_member(language, &base, member)
            || types.iter().any(|one| one.members.contains(member))
        {
            return Some(base);
        }
        bases.extend(types.into_iter().flat_map(|one| one.bases));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a type that is written as `members : bases`.
    fn declared_type(text: &str) -> DeclaredType {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
        let (members, bases) = text.split_once(':').unwrap_or((text, ""));
        DeclaredType { members: words(members).into_iter().collect(), bases: words(bases) }
    }

    #[test]
    fn members_come_from_bases_that_have_them_or_are_unknown() {
        let declared = |name: &str| match name {
            "Middle" => vec![declared_type("close : Root Middle")],
            "Root" => vec![declared_type("open : object")],
            "Far" => vec![declared_type(": Library")],
            "Private" => vec![declared_type("_read :")],
            _ => Vec::new(),
        };
        for (language, own, member, expected) in [
            (Language::Python, "", "close", None),
            (Language::Python, ": Middle", "close", Some("Middle")),
            (Language::Python, ": Middle", "open", Some("Root")),
            (Language::Python, ": Middle", "read", None),
            (Language::Python, ": object Far", "read", Some("Library")),
            (Language::Python, ": Library", "read", Some("Library")),
            (Language::Python, ": Library", "_read", None),
            (Language::Python, ": Library", "__read__", Some("Library")),
            (Language::Python, ": Private Library", "_read", Some("Private")),
            (Language::JavaScript, ": Library", "_read", Some("Library")),
            (Language::JavaScript, ": Middle", "_read", None),
            (Language::Rust, ": Copy Send", "read", None),
            (Language::Rust, ": Sized Add", "is_zero", None),
            (Language::Rust, ": Sized Add", "add", Some("Add")),
            (Language::Rust, ": Copy Library", "read", Some("Library")),
            (Language::Java, ": Copy", "read", Some("Copy")),
        ] {
            let provider = provider_of_member(language, &declared_type(own), member, declared);
            assert_eq!(provider.as_deref(), expected, "{language:?} {own} {member}");
        }
    }
}
