//! The names that an importer and the files that it depends on mention.
//!
//! Inference looks definitions up by names of the code that it reads. A definition of a provider with another name has no effect on the
//! links of the importer. Lookups of Rust pass through files that do not count as read: `pub use log::make as build` in one of them is
//! the only place that connects both names.

use std::collections::BTreeSet;

use graph::passage_imports;
use model::{FileFacts, Import, Language};
use serde::{Deserialize, Serialize};

/// Maximum number of names. Beyond it, any name counts as mentioned.
const MAX_NAMES: usize = 200_000;

/// Hashes of names, ascending; `None` if any name may be mentioned. Equal hashes of different names have no effect but a needless
/// resolution, or a use that may be missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mentions(Option<Box<[u32]>>);

impl Default for Mentions {
    fn default() -> Mentions {
        Mentions(Some(Box::default()))
    }
}

impl Mentions {
    /// Returns the mentions of code that a compiler resolved: its symbols need not have the names of the code.
    pub(super) fn any() -> Mentions {
        Mentions(None)
    }

    /// Reads the names in some files.
    pub(super) fn of<'f>(files: impl Iterator<Item = &'f FileFacts>) -> Mentions {
        let mut names: Vec<u32> = Vec::new();
        for facts in files {
            names.extend(facts.code.names.iter().map(|name| name_hash(name)));
            names.extend(facts.imports.iter().flat_map(names_of_import));
            for definition in &facts.definitions {
                names.extend([name_hash(&definition.name), name_hash(innermost(&definition.container))]);
            }
            for reference in &facts.references {
                let parts = reference.receiver.split(['.', '/', ':']).chain([reference.name.as_str()]);
                names.extend(parts.map(name_hash));
            }
        }
        Mentions::of_hashes(names)
    }

    /// Reads those names in the code, the imports and the references of some files for which `is_meant` returns true.
    pub(super) fn of_uses<'f>(files: impl Iterator<Item = &'f FileFacts>, is_meant: impl Fn(&str) -> bool) -> Mentions {
        let mut names: BTreeSet<u32> = BTreeSet::new();
        for facts in files {
            let of_code = facts.code.names.iter().map(String::as_str);
            let of_imports = facts.imports.iter().map(|import| import.name.as_str());
            let of_references = facts.references.iter().map(|reference| reference.name.as_str());
            let used = of_code.chain(of_imports).chain(of_references);
            names.extend(used.filter(|name| is_meant(name)).map(name_hash));
        }
        Mentions::of_hashes(names.into_iter().collect())
    }

    /// Reads the names in those imports of some files through which lookups of Rust pass.
    pub(super) fn of_passages<'f>(files: impl Iterator<Item = &'f FileFacts>) -> Mentions {
        let of_rust = files.filter(|facts| facts.language == Language::Rust);
        Mentions::of_hashes(of_rust.flat_map(passage_imports).flat_map(names_of_import).collect())
    }

    fn of_hashes(mut names: Vec<u32>) -> Mentions {
        names.sort_unstable();
        names.dedup();
        // Every definition at the top level has an empty container.
        let empty = name_hash("");
        names.retain(|name| *name != empty);
        Mentions((names.len() <= MAX_NAMES).then(|| names.into()))
    }

    /// Returns the names of both.
    pub(super) fn and(self, other: Mentions) -> Mentions {
        if other == Mentions::default() {
            return self;
        }
        let all = self.0.zip(other.0).map(|(one, other)| -> BTreeSet<u32> { one.into_iter().chain(other).collect() });
        Mentions(all.filter(|all| all.len() <= MAX_NAMES).map(|all| all.into_iter().collect()))
    }

    /// Returns true if the name with this hash may be mentioned.
    pub(super) fn has(&self, name: u32) -> bool {
        self.0.as_ref().is_none_or(|names| names.binary_search(&name).is_ok())
    }
}

/// Returns the hashes of the names in an import.
fn names_of_import(import: &Import) -> impl Iterator<Item = u32> {
    let parts = import.module.split(['.', '/', ':']).chain([import.name.as_str(), import.alias.as_str()]);
    parts.map(name_hash)
}

/// Returns the innermost name of a container.
pub(super) fn innermost(container: &str) -> &str {
    container.rsplit('.').next().unwrap_or_default()
}

/// Returns the hash of a name (FNV-1a). It is stored, so that it must not change.
pub(super) fn name_hash(name: &str) -> u32 {
    /// Start and factor of the hash with 32 bits.
    const BASIS: u32 = 0x811c_9dc5;
    const PRIME: u32 = 0x0100_0193;
    name.bytes().fold(BASIS, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_code_imports_and_definitions_are_mentioned() {
        let text = "import { open as enter } from 'kit/door';\nexport class Own { m(a: Page) { enter().shut(); } }\n";
        let facts = syntax::extract(Language::TypeScript, text.as_bytes());
        let mentions = Mentions::of([&facts].into_iter());
        let has = |name: &str| mentions.has(name_hash(name));
        for name in ["open", "enter", "door", "Own", "m", "Page", "shut"] {
            assert!(has(name), "{name}");
        }
        assert!(!has("close") && !has("") && Mentions::any().has(name_hash("close")));
        let both = Mentions::default().and(mentions.clone());
        assert_eq!(both, mentions);
        assert_eq!(mentions.and(Mentions::any()), Mentions::any());
    }

    #[test]
    fn names_of_uses_are_those_of_code_and_imports() {
        let text = "import { open } from 'kit';\nexport { Page } from 'kit';\nopen().shut();\nopen().send();\n";
        let facts = syntax::extract(Language::TypeScript, text.as_bytes());
        let used = Mentions::of_uses([&facts].into_iter(), |name| name != "shut");
        let has = ["open", "Page", "send", "shut", "close"].map(|name| used.has(name_hash(name)));
        assert_eq!(has, [true, true, true, false, false]);
    }

    #[test]
    fn any_name_counts_as_mentioned_beyond_the_limit() {
        let mentions = |n_names: usize| {
            let mut facts = FileFacts::empty(Language::Rust, 1);
            facts.code.names = (0..n_names).map(|nth| format!("name{nth}")).collect();
            Mentions::of_uses([&facts].into_iter(), |_| true)
        };
        assert!(!mentions(9).has(name_hash("close")));
        // Some of the hashes are equal.
        assert_eq!(mentions(MAX_NAMES + MAX_NAMES / 10), Mentions::any());
    }

    #[test]
    fn names_of_reexports_of_rust_are_mentioned() {
        let has = |language: Language, text: &str, name: &str| {
            let facts = syntax::extract(language, text.as_bytes());
            Mentions::of_passages([&facts].into_iter()).has(name_hash(name))
        };
        let rust = |text: &str| ["log", "make", "build"].map(|name| has(Language::Rust, text, name));
        assert_eq!(rust("pub use log::make as build;\n"), [true; 3]);
        // The modules of a file see its imports; no other file does.
        assert_eq!(rust("mod inner;\nuse log::make as build;\n"), [true; 3]);
        assert_eq!(rust("use log::make as build;\nfn build() {}\n"), [false; 3]);
        assert!(!has(Language::TypeScript, "export { make as build } from 'log';\n", "make"));
    }
}
