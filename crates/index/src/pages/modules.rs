//! Which folders have a page of their own, and what lies in them.

use std::collections::BTreeMap;

use ::graph::ContractKind;
use ::pages::{Speaker, speaker};
use model::{FileClass, Language};

use super::ground::{class, folder, without_ecosystem};
use crate::{
    NewGraph,
    table::{FileRecord, Tables},
};

/// A folder with fewer files of code is told by the pages of those, unless it says something itself.
const MIN_FILES: usize = 2;

/// A folder of code, or a package.
pub(super) struct Module<'a> {
    pub(super) path: &'a str,
    /// The name of the package, where it is one.
    pub(super) package: Option<&'a str>,
    /// Its files of code, in order.
    pub(super) members: Vec<u32>,
    /// Files that speak for it, the first of them with the first word.
    pub(super) speakers: Vec<(Speaker, u32)>,
}

impl<'a> Module<'a> {
    /// Returns the same without those who speak for it.
    pub(super) fn again(&self) -> Module<'a> {
        Module { path: self.path, package: self.package, members: self.members.clone(), speakers: Vec::new() }
    }
}

/// Returns the modules of a repository in the order of their paths. Its root is none of them: that is the repository.
pub(super) fn modules<'a>(tables: &'a Tables, graph: &NewGraph<'a>) -> Vec<Module<'a>> {
    let files = &tables.files;
    let packages = packages(files, graph);
    let mut modules: BTreeMap<&str, Module<'_>> = BTreeMap::new();
    let module = |path| Module { path, package: None, members: Vec::new(), speakers: Vec::new() };
    for (file_idx, file) in (0..).zip(files).filter(|(_, file)| is_code(file)) {
        let own = folder(&file.path);
        modules.entry(own).or_insert_with(|| module(own)).members.push(file_idx);
        if let Some(package) = above(own, &packages).filter(|package| *package != own) {
            modules.entry(package).or_insert_with(|| module(package)).members.push(file_idx);
        }
    }
    for (file_idx, file) in (0..).zip(files) {
        let Some(speaker) = speaker_of(file) else { continue };
        let own = folder(&file.path);
        if let Some(module) = modules.get_mut(own) {
            module.speakers.push((speaker, file_idx));
        }
        // The sources of a package may lie one folder below it; what speaks for them speaks for it.
        let inner = above(own, &packages).filter(|package| speaker == Speaker::Module && *package != own);
        if let Some(module) = inner.and_then(|package| modules.get_mut(package)) {
            module.speakers.push((speaker, file_idx));
        }
    }
    let whole: Vec<(String, Vec<u32>)> = packages
        .keys()
        .filter_map(|package| modules.get(package).map(|module| ((*package).to_owned(), module.members.clone())))
        .collect();
    let is_package_over_again = |module: &Module<'_>| {
        let mut same = whole.iter().filter(|(path, members)| path != module.path && *members == module.members);
        same.any(|(path, _)| path.is_empty() || module.path.starts_with(&format!("{path}/")))
    };
    let mut kept: Vec<Module<'_>> = modules.into_values().collect();
    kept.retain(|module| {
        let is_package = packages.contains_key(module.path);
        let is_worth_it = is_package || module.members.len() >= MIN_FILES || !module.speakers.is_empty();
        !module.path.is_empty() && is_worth_it && (is_package || !is_package_over_again(module))
    });
    for module in &mut kept {
        module.package = packages.get(module.path).copied().flatten();
        module.speakers.sort();
    }
    kept
}

/// Says whether a file is code of the product.
pub(super) fn is_code(file: &FileRecord) -> bool {
    let language = Language::ALL.get(file.language as usize).copied().unwrap_or(Language::Text);
    class(file) == FileClass::Source && !matches!(language, Language::Text | Language::Markdown)
}

/// Returns what a file can say for its folder.
pub(super) fn speaker_of(file: &FileRecord) -> Option<Speaker> {
    let is_read = !matches!(class(file), FileClass::Test | FileClass::Vendored | FileClass::Binary);
    // Go has no file for it: any may say `Package x is …`.
    let says_package = file.path.ends_with(".go") && file.doc.starts_with("Package ");
    speaker(&file.path).or(says_package.then_some(Speaker::Module)).filter(|_| is_read && file.stored.n_raw > 0)
}

/// Returns the folders that packages lie in, with the names of those that have one.
fn packages<'a>(files: &'a [FileRecord], graph: &NewGraph<'a>) -> BTreeMap<&'a str, Option<&'a str>> {
    let mut packages = BTreeMap::new();
    for (file_idx, file) in files.iter().enumerate() {
        if speaker_of(file) != Some(Speaker::Manifest) || class(file) != FileClass::Config {
            continue;
        }
        let offers = graph.resolved.get(file_idx).into_iter().flat_map(|resolved| &resolved.contracts.offers);
        let name =
            offers.filter(|offer| offer.kind == ContractKind::Package).map(|offer| without_ecosystem(&offer.key));
        let known = packages.entry(folder(&file.path)).or_insert(None);
        *known = known.or(name.into_iter().next());
    }
    packages
}

/// Returns the nearest of some folders that a folder lies in, or is.
fn above<'a>(path: &'a str, folders: &BTreeMap<&'a str, Option<&'a str>>) -> Option<&'a str> {
    let mut at = path;
    loop {
        if let Some((found, _)) = folders.get_key_value(at) {
            return Some(found);
        }
        if at.is_empty() {
            return None;
        }
        at = folder(at);
    }
}
