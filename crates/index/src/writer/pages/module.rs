//! The content of the page of a module.

use std::cmp::Reverse;

use ::pages::{DocSource, MemberPart, ModulePart, NamePart};
use model::FileClass;

use super::{
    context::PageContext,
    file_relations::{FileRelation, class, folder, of_file},
    modules::ModuleFiles,
    sections::{MAX_NAMES, summed_relations},
};
use crate::{error::IndexError, overview::QuotedText};

/// Maximum number of files that are passed to a page. It exceeds the space of a page.
const MAX_MEMBERS: usize = 24;

impl<'a> PageContext<'a> {
    /// Returns the description of a module, from the first of its files that has one.
    pub(super) fn module_purpose(&self, module: &ModuleFiles<'_>) -> Result<QuotedText, IndexError> {
        for (doc_source, file_idx) in &module.doc_sources {
            let text = match doc_source {
                DocSource::Readme => ::pages::introduction(&self.generation.source_text(*file_idx as usize)?).paragraph,
                DocSource::Module => self.generation.tables.files[*file_idx as usize].doc.clone(),
                DocSource::Manifest => {
                    let text = self.generation.source_text(*file_idx as usize)?;
                    ::pages::description(self.path(*file_idx), &text).unwrap_or_default()
                }
            };
            if !text.is_empty() {
                return Ok(QuotedText { text, path: self.path(*file_idx).to_owned() });
            }
        }
        // The root file of a Rust module may be a sibling of its folder.
        let sibling = format!("{}.rs", module.path);
        let files = &self.generation.tables.files;
        let sibling_idx = files.binary_search_by(|file| file.path.as_str().cmp(&sibling));
        let described = sibling_idx.ok().filter(|file_idx| !files[*file_idx].doc.is_empty());
        Ok(described.map_or_else(QuotedText::default, |file_idx| QuotedText {
            text: files[file_idx].doc.clone(),
            path: files[file_idx].path.clone(),
        }))
    }

    /// Returns the content of the page of a module.
    pub(super) fn module_part<'p>(&self, module: &'p ModuleFiles<'a>, purpose: &'p str) -> ModulePart<'p>
    where
        'a: 'p,
    {
        let is_member = |file: u32| module.members.binary_search(&file).is_ok();
        let class_of = |other: u32| class(&self.generation.tables.files[other as usize]);
        let pairs = |pairs: &'a [FileRelation]| {
            let all = module.members.iter().flat_map(move |file| of_file(pairs, *file));
            all.filter(|pair| !is_member(pair.other))
        };
        // Tests and generated files may lie in the folder of the module, although they are not members.
        let is_in_folder = |pair: &&FileRelation| folder(self.path(pair.other)) == module.path;
        let folder_of = |pair: &FileRelation| (display_folder(folder(self.path(pair.other))), pair.count);
        let used_by = pairs(&self.relations.used_by)
            .filter(|pair| class_of(pair.other) != FileClass::Test && !is_in_folder(pair));
        let tested_by = pairs(&self.relations.used_by).filter(|pair| class_of(pair.other) == FileClass::Test);
        let packages = module.members.iter().flat_map(|file| self.relations.packages[*file as usize].iter().copied());
        ModulePart {
            path: module.path,
            package: module.package,
            purpose,
            members: self.members(module),
            n_members: module.members.len() as u32,
            names: self.names_of_files(&module.members, |symbol| self.relations.cross_folder_uses[symbol]),
            used_by: summed_relations(used_by.map(folder_of)),
            tested_by: summed_relations(tested_by.map(folder_of)),
            depends_on: summed_relations(
                pairs(&self.relations.depends_on).filter(|pair| !is_in_folder(pair)).map(folder_of),
            ),
            packages: summed_relations(packages),
            past: self.history_part(&module.members),
        }
    }

    /// Returns the public symbols of files, the most used first.
    pub(super) fn names_of_files(&self, files: &[u32], uses: impl Fn(usize) -> u32) -> Vec<NamePart<'a>> {
        let symbols = files.iter().flat_map(|file| self.symbols_of(*file));
        let mut symbols: Vec<u32> = symbols.filter(|symbol| self.is_public(*symbol)).collect();
        let key = |symbol: &u32| {
            let symbol = *symbol as usize;
            (Reverse(uses(symbol)), Reverse(self.relations.uses[symbol]), symbol)
        };
        if symbols.len() > MAX_NAMES {
            symbols.select_nth_unstable_by_key(MAX_NAMES, key);
            symbols.truncate(MAX_NAMES);
        }
        symbols.sort_by_key(key);
        symbols.into_iter().map(|symbol| self.name_part(symbol)).collect()
    }

    fn members(&self, module: &ModuleFiles<'a>) -> Vec<MemberPart<'a>> {
        let n_users = |file: u32| of_file(&self.relations.used_by, file).len();
        let mut files = module.members.clone();
        files.sort_by_key(|file| (Reverse(n_users(*file)), *file));
        files.truncate(MAX_MEMBERS);
        let relative = |path: &'a str| path.strip_prefix(module.path).map_or(path, |rest| rest.trim_start_matches('/'));
        let doc = |file: u32| self.generation.tables.files[file as usize].doc.as_str();
        files.into_iter().map(|file| MemberPart { path: relative(self.path(file)), doc: doc(file) }).collect()
    }
}

/// Returns a folder as pages show it: a dot for the root.
fn display_folder(folder: &str) -> &str {
    if folder.is_empty() { "." } else { folder }
}
