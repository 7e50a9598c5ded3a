//! The effect of a smaller visibility on the uses outside of it.

use model::Language;
use review::{SignatureChange, Visibility};

use super::{BothSides, Evidence};
use crate::get_risk::review::uses::DefinitionUse;

impl Evidence<'_> {
    /// Returns true if the definition is visible in fewer places now, and a use is outside of them.
    pub(super) fn is_no_longer_visible(&self, sides: &BothSides<'_>, one: &DefinitionUse) -> bool {
        let is_restricted = sides
            .changes
            .iter()
            .any(|change| matches!(change, SignatureChange::Visibility { to: Visibility::Restricted, .. }));
        let declaration = sides.change.new.as_ref().and_then(|new| new.symbol.as_ref());
        let is_inherited = declaration.is_none_or(|symbol| symbol.signature.contains("protected"));
        if !is_restricted || is_inherited {
            return false;
        }
        let is_other_repository = one.file.0 != self.repo_idx;
        let old_path = sides.change.old.as_ref().map_or("", |old| old.path.as_str());
        match sides.old.language {
            Language::Java => is_other_repository || java_package(old_path) != java_package(&one.file.1),
            Language::Rust | Language::CSharp | Language::Kotlin | Language::Swift => is_other_repository,
            _ => false,
        }
    }
}

/// Returns the folder of a file below the root of its sources, which main code and tests have one each of.
pub(super) fn java_package(path: &str) -> &str {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    folder.split_once("/java/").map_or(folder, |(_, package)| package)
}
