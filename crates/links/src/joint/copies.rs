//! Copies of a provider's files inside the importer. A use of a copy is a use of the package: its next update changes both.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use graph::Family;

use crate::link_facts::{LinkFacts, LinkFactsFile};

/// Returns the facts of an importer without the vendored files of which a provider has the original, so that imports lead there.
///
/// Only languages count whose imports name the package wherever its files are. In the others an import names the copy.
pub(super) fn without_copies<'a>(importer: &'a LinkFacts, providers: &[&LinkFacts]) -> Cow<'a, LinkFacts> {
    if !importer.files.iter().any(may_be_copy) {
        return Cow::Borrowed(importer);
    }
    let mut originals: BTreeMap<&str, Vec<BTreeSet<&str>>> = BTreeMap::new();
    for file in providers.iter().flat_map(|provider| &provider.files) {
        originals.entry(file_name(&file.path)).or_default().push(names(file));
    }
    let is_copy = |file: &LinkFactsFile| {
        let own = names(file);
        let same_name = originals.get(file_name(&file.path)).into_iter().flatten();
        let mut n_common = same_name.map(|original| original.intersection(&own).count());
        may_be_copy(file) && n_common.any(|n_common| n_common > 0 && n_common * 2 >= own.len())
    };
    let files: Vec<LinkFactsFile> = importer.files.iter().filter(|file| !is_copy(file)).cloned().collect();
    Cow::Owned(LinkFacts {
        n_symbols: importer.n_symbols,
        files,
        manifests: importer.manifests.clone(),
        compiler: importer.compiler.clone(),
        version_tags: importer.version_tags.clone(),
    })
}

fn may_be_copy(file: &LinkFactsFile) -> bool {
    file.is_vendored && matches!(Family::of(file.facts.language), Family::C | Family::Go | Family::Java)
}

fn names(file: &LinkFactsFile) -> BTreeSet<&str> {
    file.facts.definitions.iter().map(|definition| definition.name.as_str()).collect()
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
