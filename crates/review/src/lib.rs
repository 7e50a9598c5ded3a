//! The review of a change: the semantic difference between two contents of some files, and the effect on call sites.
//!
//! [`differences`] pairs the definitions of both contents. A [`DefinitionChange`] is an addition, a removal, a rename, a move, a new
//! body or a new signature. A [`DeclaredSignature`] has the parameters, modifiers and types of a declaration, as written, and
//! [`signature_changes`] compares two of them. [`judge`] compares the arguments of a call site with the new declarations.
//! [`UnifiedDiff`] reads a patch and applies it.
//!
//! ```
//! use model::{Language, SymbolKind};
//! use review::{DeclaredSignature, PassedArguments, SiteVerdict, judge, signature_changes};
//!
//! let signature = |text| DeclaredSignature::of(Language::Python, SymbolKind::Function, "", "fetch", text);
//! let (old, new) = (signature("def fetch(url)"), signature("def fetch(url, timeout)"));
//! let changes = signature_changes(&old, &new);
//! assert_eq!(changes[0].to_string(), "new required parameter `timeout`");
//! let call = PassedArguments { n_positional: 1, ..PassedArguments::default() };
//! let verdict = judge(&old, &[new], &changes, &call);
//! assert_eq!(verdict, SiteVerdict::Broken("no argument for the required parameter `timeout`".to_owned()));
//! ```
//!
//! The crate knows no file, no repository and no type inference: other crates extract the facts and find the call sites.

#![warn(missing_docs)]

// A declaration: its text in parts, and the comparison of two.
mod long_declaration;
mod nested_text;
mod parameter;
mod signature;
mod signature_change;
mod type_spelling;

// The change of files and definitions.
mod difference;
mod pairing;
mod protobuf;
mod renamed_types;

// The effect on a call site.
mod import_failure;
mod inheritance;
mod lost_base;
mod made_names;
mod new_field;
mod overriding;
mod property_access;
mod standard_traits;
mod type_fit;
mod verdict;

// Patches.
mod unified_diff;

pub use difference::{
    ChangedContent, DefinitionChange, DefinitionChangeKind, DefinitionSide, FileContent, differences,
};
pub use import_failure::ImportFailure;
pub use inheritance::{DeclaredType, provider_of_member};
pub use lost_base::judge_lost_base;
pub use made_names::providers_of_missing_names;
pub use new_field::{judge_literal, may_break_literals};
pub use overriding::{OverridingMethod, judge_overriding, may_concern_overrides};
pub use parameter::{DeclaredParameter, ParameterKind};
pub use property_access::{PropertyAccess, judge_property};
pub use signature::{DeclaredSignature, Visibility};
pub use signature_change::{SignatureChange, keeps_every_call, signature_changes};
pub use unified_diff::{DiffError, FileDiff, MAX_DIFF_BYTES, MAX_DIFF_FILES, UnifiedDiff};
pub use verdict::{PassedArguments, SiteVerdict, judge, judge_hidden};
