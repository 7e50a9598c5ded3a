//! The effect of a new field on the literals and patterns of its struct, as compilers see it.

use model::{Language, SymbolKind};

use crate::{PassedArguments, SiteVerdict};

/// Returns true if a new definition of this kind is a field that literals of its type may lack. Aggregates of C++ initialise what a literal
/// leaves out.
pub fn may_break_literals(language: Language, kind: SymbolKind) -> bool {
    matches!(language, Language::Rust | Language::Go) && kind == SymbolKind::Field
}

/// Returns the effect of a new field on a literal or a pattern. `is_rewritten` is true if the change itself wrote it.
pub fn judge_literal(language: Language, field: &str, literal: &PassedArguments, is_rewritten: bool) -> SiteVerdict {
    match language {
        Language::Rust if literal.is_open || literal.names.iter().any(|name| name == field) => SiteVerdict::Fine,
        Language::Rust => SiteVerdict::Broken(format!("it has no field `{field}`")),
        // A literal with names, or without any value, leaves the field at zero.
        _ if literal.n_positional == 0 => SiteVerdict::Fine,
        _ if is_rewritten => SiteVerdict::Maybe(format!("it may have no value for the new field `{field}`")),
        _ => SiteVerdict::Broken(format!("it has no value for the new field `{field}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_need_new_fields_as_compilers_say() {
        use Language::{Go, Rust};
        let literal = |n_positional, names: &[&str], is_open| PassedArguments {
            receiver: String::new(),
            n_positional,
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            is_open,
            ..PassedArguments::default()
        };
        let broken = |reason: &str| SiteVerdict::Broken(reason.to_owned());
        for (language, literal, is_rewritten, expected) in [
            (Rust, literal(0, &["a"], false), false, broken("it has no field `b`")),
            (Rust, literal(0, &["a"], false), true, broken("it has no field `b`")),
            (Rust, literal(0, &["a", "b"], false), true, SiteVerdict::Fine),
            (Rust, literal(0, &["a"], true), false, SiteVerdict::Fine),
            (Go, literal(0, &["a"], false), false, SiteVerdict::Fine),
            (Go, literal(0, &[], false), false, SiteVerdict::Fine),
            (Go, literal(2, &[], false), false, broken("it has no value for the new field `b`")),
            (
                Go,
                literal(2, &[], false),
                true,
                SiteVerdict::Maybe("it may have no value for the new field `b`".to_owned()),
            ),
        ] {
            assert_eq!(judge_literal(language, "b", &literal, is_rewritten), expected, "{language:?} {literal:?}");
        }
        assert!(!may_break_literals(Language::Cpp, SymbolKind::Field));
    }
}
