//! Selection of the folders that have a page.

use std::collections::BTreeMap;

use ::pages::{DocSource, doc_source};
use links::ContractKind;
use model::{FileClass, Language};

use super::file_relations::{class, folder, without_ecosystem};
use crate::{
    records::tables::{FileRecord, Tables},
    writer::graph::NewGraph,
};

/// Minimum number of code files of a folder with a page. A smaller folder has one only if it has a description.
const MIN_FILES: usize = 2;

/// A package or another folder of code.
pub(super) struct ModuleFiles<'a> {
    pub(super) path: &'a str,
    /// Name of the package, if it is one.
    pub(super) package: Option<&'a str>,
    /// Its code files, ascending.
    pub(super) members: Vec<u32>,
    /// Files that describe it, in order of preference.
    pub(super) doc_sources: Vec<(DocSource, u32)>,
}

impl<'a> ModuleFiles<'a> {
    /// Returns a copy without the files that describe it.
    pub(super) fn without_doc_sources(&self) -> ModuleFiles<'a> {
        ModuleFiles { path: self.path, package: self.package, members: self.members.clone(), doc_sources: Vec::new() }
    }
}

/// Returns the modules of a repository, sorted by path. Its root is not a module, since it has the page of the repository.
pub(super) fn modules<'a>(tables: &'a Tables, graph: &NewGraph<'a>) -> Vec<ModuleFiles<'a>> {
    let files = &tables.files;
    let packages = packages(files, graph);
    let mut modules: BTreeMap<&str, ModuleFiles<'_>> = BTreeMap::new();
    let module = |path| ModuleFiles { path, package: None, members: Vec::new(), doc_sources: Vec::new() };
    for (file_idx, file) in (0..).zip(files).filter(|(_, file)| is_code(file)) {
        let own = folder(&file.path);
        modules.entry(own).or_insert_with(|| module(own)).members.push(file_idx);
        if let Some(package) = enclosing_folder(own, &packages).filter(|package| *package != own) {
            modules.entry(package).or_insert_with(|| module(package)).members.push(file_idx);
        }
    }
    for (file_idx, file) in (0..).zip(files) {
        let Some(doc_source) = doc_source_of(file) else { continue };
        let own = folder(&file.path);
        if let Some(module) = modules.get_mut(own) {
            module.doc_sources.push((doc_source, file_idx));
        }
        // The code of a package may lie in a folder below it. The description of that folder describes the package, too.
        let inner =
            enclosing_folder(own, &packages).filter(|package| doc_source == DocSource::Module && *package != own);
        if let Some(module) = inner.and_then(|package| modules.get_mut(package)) {
            module.doc_sources.push((doc_source, file_idx));
        }
    }
    let package_members: Vec<(String, Vec<u32>)> = packages
        .keys()
        .filter_map(|package| modules.get(package).map(|module| ((*package).to_owned(), module.members.clone())))
        .collect();
    let is_equal_to_package = |module: &ModuleFiles<'_>| {
        let mut same =
            package_members.iter().filter(|(path, members)| path != module.path && *members == module.members);
        same.any(|(path, _)| path.is_empty() || module.path.starts_with(&format!("{path}/")))
    };
    let mut selected: Vec<ModuleFiles<'_>> = modules.into_values().collect();
    selected.retain(|module| {
        let is_package = packages.contains_key(module.path);
        let has_content = is_package || module.members.len() >= MIN_FILES || !module.doc_sources.is_empty();
        !module.path.is_empty() && has_content && (is_package || !is_equal_to_package(module))
    });
    for module in &mut selected {
        module.package = packages.get(module.path).copied().flatten();
        module.doc_sources.sort();
    }
    selected
}

/// Returns true for source code of the product.
pub(super) fn is_code(file: &FileRecord) -> bool {
    let language = Language::ALL.get(file.language as usize).copied().unwrap_or(Language::Text);
    class(file) == FileClass::Source && !matches!(language, Language::Text | Language::Markdown)
}

/// Returns the kind of description that a file has for its folder, if it has one.
pub(super) fn doc_source_of(file: &FileRecord) -> Option<DocSource> {
    let is_read = !matches!(class(file), FileClass::Test | FileClass::Vendored | FileClass::Binary);
    // In Go, the package comment `Package x …` may be in any file.
    let has_package_comment = file.path.ends_with(".go") && file.doc.starts_with("Package ");
    doc_source(&file.path)
        .or(has_package_comment.then_some(DocSource::Module))
        .filter(|_| is_read && file.source.n_raw > 0)
}

/// Returns the folders of packages, with the name of each package that has one.
fn packages<'a>(files: &'a [FileRecord], graph: &NewGraph<'a>) -> BTreeMap<&'a str, Option<&'a str>> {
    let mut packages = BTreeMap::new();
    for (file_idx, file) in files.iter().enumerate() {
        if doc_source_of(file) != Some(DocSource::Manifest) || class(file) != FileClass::Config {
            continue;
        }
        let offers = graph.files.get(file_idx).into_iter().flat_map(|file| &file.contracts.offers);
        let name =
            offers.filter(|offer| offer.kind == ContractKind::Package).map(|offer| without_ecosystem(&offer.key));
        let known = packages.entry(folder(&file.path)).or_insert(None);
        *known = known.or(name.into_iter().next());
    }
    packages
}

/// Returns the innermost of the given folders that contains a path, or equals it.
fn enclosing_folder<'a>(path: &'a str, folders: &BTreeMap<&'a str, Option<&'a str>>) -> Option<&'a str> {
    let mut current = path;
    loop {
        if let Some((found, _)) = folders.get_key_value(current) {
            return Some(found);
        }
        if current.is_empty() {
            return None;
        }
        current = folder(current);
    }
}
