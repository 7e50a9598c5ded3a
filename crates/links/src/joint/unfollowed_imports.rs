//! Imports that could not be followed, and the definitions whose uses they may hide.

use std::collections::{BTreeMap, BTreeSet};

use model::FileFacts;
use serde::{Deserialize, Serialize};

use super::{
    ImportedName,
    mentions::{Mentions, name_hash},
};
use crate::manifests::DeclaredPackages;

/// The imports of packages of other repositories that could not be followed, in one importer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnfollowedImports {
    /// The imports.
    pub imports: Vec<ImportedName>,
    /// By key of their packages: the indices of the providers that the package may lead to, ascending. These are its makers, and the
    /// makers of the packages that these require.
    providers: BTreeMap<String, Vec<u32>>,
    /// The names in the importer that these providers define.
    mentioned: Mentions,
}

impl UnfollowedImports {
    /// Returns the imports with the definitions that they may lead to, given the files of the importer. `has_name` returns true if a
    /// provider, given its index, defines a name.
    pub(super) fn new<'f>(
        imports: Vec<ImportedName>,
        providers: &[&DeclaredPackages],
        own_files: impl Iterator<Item = &'f FileFacts>,
        has_name: &dyn Fn(usize, &str) -> bool,
    ) -> UnfollowedImports {
        if imports.is_empty() {
            return UnfollowedImports::default();
        }
        let packages: BTreeSet<&str> = imports.iter().map(|import| import.package.as_str()).collect();
        let behind = |package: &str| (package.to_owned(), providers_behind(package, providers));
        let by_package: BTreeMap<String, Vec<u32>> = packages.into_iter().map(behind).collect();
        let reached: BTreeSet<u32> = by_package.values().flatten().copied().collect();
        let is_defined = |name: &str| reached.iter().any(|provider| has_name(*provider as usize, name));
        let mentioned = Mentions::of_uses(own_files, is_defined);
        UnfollowedImports { imports, providers: by_package, mentioned }
    }

    /// Returns the imports that may lead to a provider, given its index.
    pub fn of_provider(&self, provider: u32) -> impl Iterator<Item = &ImportedName> {
        let leads_there = move |import: &&ImportedName| {
            let providers = self.providers.get(&import.package);
            providers.is_some_and(|providers| providers.binary_search(&provider).is_ok())
        };
        self.imports.iter().filter(leads_there)
    }

    /// Returns true if an import of a provider may lead to uses of a definition of it: the import binds the definition, or the importer
    /// mentions the name of the definition and the import may bind something around it.
    ///
    /// Inference knows nothing of the value of such an import and of values that are made of it. Other files of the importer may get
    /// them. So any import may lead to members of any type.
    pub fn may_lead_to(&self, import: &ImportedName, path: &str, container: &str, name: &str) -> bool {
        let imported = import.name.as_str();
        let is_around = || !container.is_empty() || UnfollowedImports::is_around(import, path, container, name);
        imported == name || is_around() && self.mentioned.has(name_hash(name))
    }

    /// Returns true if an import that may lead to uses of a definition is expected to: it binds the definition, or a type or module
    /// around it. A value of another name is of the type of the definition in few cases.
    pub fn is_around(import: &ImportedName, path: &str, container: &str, name: &str) -> bool {
        let imported = import.name.as_str();
        let is_stem = |part: &str| part.split('.').next() == Some(imported);
        let is_named = imported == name || container.split('.').any(|part| part == imported);
        is_named || is_module(imported) || path.split('/').any(is_stem)
    }

    /// Keeps the imports that are not followed in another round, too, with the definitions that they may lead to in either.
    pub(super) fn retain_common(&mut self, other: UnfollowedImports) {
        let UnfollowedImports { imports, providers, mentioned } = other;
        let others: BTreeSet<&ImportedName> = imports.iter().collect();
        self.imports.retain(|import| others.contains(import));
        if self.imports.is_empty() {
            *self = UnfollowedImports::default();
            return;
        }
        for (package, of_package) in providers {
            let known = self.providers.entry(package).or_default();
            let all: BTreeSet<u32> = known.drain(..).chain(of_package).collect();
            known.extend(all);
        }
        self.mentioned = std::mem::take(&mut self.mentioned).and(mentioned);
    }
}

/// Returns true for the imported name of a whole module or package.
fn is_module(imported: &str) -> bool {
    matches!(imported, "" | "*" | "self" | "default")
}

/// Returns the indices of the providers that a package may lead to, ascending; all of them if no manifest makes it.
fn providers_behind(package: &str, providers: &[&DeclaredPackages]) -> Vec<u32> {
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

#[cfg(test)]
mod tests {
    use model::Language;

    use super::*;

    fn import(name: &str) -> ImportedName {
        ImportedName { path: String::new(), line: 1, package: "cargo:a".to_owned(), name: name.to_owned() }
    }

    /// The facts of a file whose code has these names.
    fn file_with(names: Vec<String>) -> FileFacts {
        let mut facts = FileFacts::empty(Language::Rust, 1);
        facts.code.names = names;
        facts
    }

    fn unfollowed(imports: Vec<ImportedName>, names: Vec<String>, providers: &[u32]) -> UnfollowedImports {
        let facts = file_with(names);
        UnfollowedImports {
            imports,
            providers: BTreeMap::from([("cargo:a".to_owned(), providers.to_vec())]),
            mentioned: Mentions::of_uses([&facts].into_iter(), |_| true),
        }
    }

    #[test]
    fn an_import_leads_to_its_name_and_to_mentioned_members() {
        for (imported, path, container, name, expected) in [
            ("Uri", "src/uri/mod.rs", "", "Uri", true),
            ("Uri", "src/uri/mod.rs", "Uri", "host", true),
            ("uri", "src/uri/mod.rs", "", "Uri", true),
            ("widgets", "textual/widgets.py", "Button", "press", true),
            ("*", "src/uri/mod.rs", "", "Uri", true),
            ("", "client/client.go", "Client", "Do", true),
            // A function may return a value of the type.
            ("Made", "src/uri/mod.rs", "Uri", "host", true),
            // The code of the importer does not have the name.
            ("Uri", "src/uri/mod.rs", "Uri", "port", false),
            ("*", "src/uri/mod.rs", "", "Parts", false),
            // The import binds something else, and nothing around it.
            ("ACCEPT", "src/uri/mod.rs", "", "Uri", false),
            ("Uri", "src/uri.rs", "", "Parts", false),
            ("mod", "src/model/one.rs", "", "Parts", false),
        ] {
            let names = ["Do", "Uri", "host", "press"].map(str::to_owned).to_vec();
            let found = unfollowed(vec![import(imported)], names, &[1, 3]);
            let leads = found.may_lead_to(&found.imports[0], path, container, name);
            assert_eq!(leads, expected, "{imported} {path} {container}.{name}");
            let n_imports = [1, 2, 3].map(|provider| found.of_provider(provider).count());
            assert_eq!(n_imports, [1, 0, 1]);
        }
    }

    #[test]
    fn a_use_is_expected_behind_an_import_around_the_definition() {
        for (imported, path, container, name, expected) in [
            ("host", "src/uri/mod.rs", "Uri", "host", true),
            ("Uri", "src/uri/mod.rs", "Uri", "host", true),
            ("Uri", "src/uri/mod.rs", "Uri.Part", "host", true),
            ("uri", "src/uri.rs", "Uri", "host", true),
            ("*", "src/uri/mod.rs", "", "Parts", true),
            ("Made", "src/uri/mod.rs", "Uri", "host", false),
            ("Ur", "src/uri/mod.rs", "Uri", "host", false),
        ] {
            let found = UnfollowedImports::is_around(&import(imported), path, container, name);
            assert_eq!(found, expected, "{imported} {path} {container}.{name}");
        }
    }

    #[test]
    fn no_mentioned_name_is_left_out() {
        let facts = file_with((0..3_000).map(|nth| format!("name{nth}")).chain(["zero".to_owned()]).collect());
        let (nothing, has_name) = (DeclaredPackages::default(), |_: usize, name: &str| name != "name7");
        let found = UnfollowedImports::new(vec![import("make")], &[&nothing], [&facts].into_iter(), &has_name);
        let leads = |name: &str| found.may_lead_to(&found.imports[0], "src/a.rs", "Client", name);
        assert_eq!(["name2999", "zero", "name7", "send"].map(leads), [true, true, false, false]);
    }

    #[test]
    fn an_import_that_another_round_follows_counts_no_more() {
        let of_round = |imported: &[&str], name: &str, provider: u32| {
            let imports = imported.iter().map(|one| import(one)).collect();
            unfollowed(imports, vec![name.to_owned()], &[provider])
        };
        let mut merged = of_round(&["one", "two"], "send", 0);
        merged.retain_common(of_round(&["two", "three"], "close", 2));
        assert_eq!(merged.imports, [import("two")]);
        let leads = |name: &str| merged.may_lead_to(&merged.imports[0], "src/a.rs", "Client", name);
        assert_eq!(["send", "close", "open"].map(leads), [true, true, false]);
        assert_eq!([0, 1, 2].map(|provider| merged.of_provider(provider).count()), [1, 0, 1]);
        merged.retain_common(of_round(&["four"], "send", 0));
        assert_eq!(merged, UnfollowedImports::default());
    }
}
