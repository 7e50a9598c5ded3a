//! Imports that could not be followed, and the definitions whose uses they may hide.

use std::collections::BTreeSet;

use graph::{FileIdx, Program};
use serde::{Deserialize, Serialize};

use super::ImportedName;
use crate::manifests::DeclaredPackages;

/// Maximum number of names that one import may lead to.
const MAX_MENTIONED: usize = 2_000;

/// An import of a package of another repository that could not be followed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UnfollowedImport {
    /// The import.
    pub imported: ImportedName,
    /// The indices of the providers that the package may lead to, ascending: its makers, and the makers of the packages that these require.
    pub providers: Vec<u32>,
    /// The names in the code of its file that these providers define, in order.
    pub mentioned: Vec<String>,
}

impl UnfollowedImport {
    /// Returns true if the import may lead to uses of a definition of a provider: it binds the definition, or it binds a type or module
    /// around it and the code of the file has its name.
    ///
    /// Members of values are not meant: a call or an access whose receiver type is unknown counts for itself.
    pub fn may_lead_to(&self, provider: u32, path: &str, container: &str, name: &str) -> bool {
        if self.providers.binary_search(&provider).is_err() {
            return false;
        }
        let imported = self.imported.name.as_str();
        let is_module = matches!(imported, "" | "*" | "self" | "default");
        let stem = |part: &str| part.split('.').next() == Some(imported);
        let is_around = || is_module || container.split('.').any(|part| part == imported) || path.split('/').any(stem);
        let is_mentioned = || self.mentioned.binary_search_by(|other| other.as_str().cmp(name)).is_ok();
        imported == name || is_around() && is_mentioned()
    }
}

/// Returns the indices of the providers that a package may lead to, ascending; all of them if no manifest makes it.
pub(super) fn providers_behind(package: &str, providers: &[&DeclaredPackages]) -> Vec<u32> {
    let makers = (0..providers.len()).filter(|provider| providers[*provider].makes(package));
    let mut reached: BTreeSet<usize> = makers.collect();
    if reached.is_empty() {
        return (0..providers.len() as u32).collect();
    }
    let mut pending: Vec<usize> = reached.iter().copied().collect();
    while let Some(provider) = pending.pop() {
        let is_required = |other: &usize| providers[*other].made().any(|made| providers[provider].requires(&made.key));
        let required: Vec<usize> = (0..providers.len()).filter(is_required).collect();
        pending.extend(required.into_iter().filter(|other| reached.insert(*other)));
    }
    reached.into_iter().map(|provider| provider as u32).collect()
}

/// Returns the names in the code of a file that some providers define, in order. `has_name` tells whether a provider defines a name.
pub(super) fn mentioned_names(
    program: &Program<'_>,
    file: FileIdx,
    providers: &[u32],
    has_name: &dyn Fn(usize, &str) -> bool,
) -> Vec<String> {
    let is_defined = |name: &&str| providers.iter().any(|provider| has_name(*provider as usize, name));
    let names: BTreeSet<&str> = program.code(file).names.iter().map(|name| &**name).collect();
    names.into_iter().filter(is_defined).take(MAX_MENTIONED).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_import_leads_to_its_name_and_to_mentioned_members() {
        for (imported, path, container, name, expected) in [
            ("Uri", "src/uri/mod.rs", "", "Uri", true),
            ("Uri", "src/uri/mod.rs", "Uri", "host", true),
            ("uri", "src/uri/mod.rs", "", "Uri", true),
            ("widgets", "textual/widgets.py", "Button", "press", true),
            ("*", "src/uri/mod.rs", "", "Uri", true),
            ("", "client/client.go", "Client", "Do", true),
            // The code of the file does not have the name.
            ("Uri", "src/uri/mod.rs", "Uri", "port", false),
            ("*", "src/uri/mod.rs", "", "Parts", false),
            // The receiver of another type may be a value of it, and is counted by its calls.
            ("Made", "src/uri/mod.rs", "Uri", "host", false),
            ("ACCEPT", "src/uri/mod.rs", "", "Uri", false),
            ("Uri", "src/uri.rs", "", "Parts", false),
            ("mod", "src/model/one.rs", "", "Parts", false),
        ] {
            let package = "cargo:a".to_owned();
            let imported_name = ImportedName { path: String::new(), line: 1, package, name: imported.to_owned() };
            let mentioned = ["Do", "Uri", "host", "press"].map(str::to_owned).to_vec();
            let import = UnfollowedImport { imported: imported_name, providers: vec![1, 3], mentioned };
            let leads = |provider: u32| import.may_lead_to(provider, path, container, name);
            assert_eq!((leads(3), leads(2)), (expected, false), "{imported} {path} {container}.{name}");
        }
    }
}
