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
    let copied = CopiedFolders::new(importer, providers);
    let is_copy = |file: &LinkFactsFile| may_be_copy(file) && copied.has(file);
    let files: Vec<LinkFactsFile> = importer.files.iter().filter(|file| !is_copy(file)).cloned().collect();
    Cow::Owned(LinkFacts {
        n_symbols: importer.n_symbols,
        files,
        manifests: importer.manifests.clone(),
        compiler: importer.compiler.clone(),
        version_tags: importer.version_tags.clone(),
    })
}

/// The folders of an importer that have vendored files of providers.
struct CopiedFolders<'a>(BTreeSet<&'a str>);

impl<'a> CopiedFolders<'a> {
    /// A folder has copies if one of its files has the name and a definition of a provider's file, and at least half of its
    /// definitions are the provider's. Other versions of a package move definitions between its files.
    fn new(importer: &'a LinkFacts, providers: &[&LinkFacts]) -> CopiedFolders<'a> {
        let mut folders: BTreeMap<&str, Vec<&LinkFactsFile>> = BTreeMap::new();
        for file in importer.files.iter().filter(|file| may_be_copy(file)) {
            folders.entry(folder(&file.path)).or_default().push(file);
        }
        let originals: Vec<OriginalFiles<'_>> = providers.iter().map(|one| OriginalFiles::new(one)).collect();
        let is_copy = |files: &[&LinkFactsFile]| originals.iter().any(|original| original.has_copies(files));
        CopiedFolders(folders.into_iter().filter(|(_, files)| is_copy(files)).map(|(folder, _)| folder).collect())
    }

    fn has(&self, file: &LinkFactsFile) -> bool {
        self.0.contains(folder(&file.path))
    }
}

/// The definitions of a provider.
struct OriginalFiles<'a> {
    all: BTreeSet<&'a str>,
    /// By name of the file.
    by_file: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> OriginalFiles<'a> {
    fn new(provider: &'a LinkFacts) -> OriginalFiles<'a> {
        let mut by_file: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for file in provider.files.iter().filter(|file| has_named_imports(file)) {
            by_file.entry(file_name(&file.path)).or_default().extend(names(file));
        }
        OriginalFiles { all: by_file.values().flatten().copied().collect(), by_file }
    }

    fn has_copies(&self, files: &[&LinkFactsFile]) -> bool {
        let own: BTreeSet<&str> = files.iter().flat_map(|file| names(file)).collect();
        let is_same_file = |file: &&LinkFactsFile| {
            let original = self.by_file.get(file_name(&file.path));
            original.is_some_and(|original| names(file).iter().any(|name| original.contains(name)))
        };
        let n_common = own.iter().filter(|name| self.all.contains(*name)).count();
        n_common * 2 >= own.len() && files.iter().any(is_same_file)
    }
}

fn may_be_copy(file: &LinkFactsFile) -> bool {
    file.is_vendored && has_named_imports(file)
}

fn has_named_imports(file: &LinkFactsFile) -> bool {
    matches!(Family::of(file.facts.language), Family::C | Family::Go | Family::Java)
}

fn names(file: &LinkFactsFile) -> BTreeSet<&str> {
    file.facts.definitions.iter().map(|definition| definition.name.as_str()).collect()
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
