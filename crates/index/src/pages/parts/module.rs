//! What goes into the page of a module.

use std::cmp::Reverse;

use ::pages::{MemberPart, ModulePart, NamePart, Speaker};
use model::FileClass;

use super::{
    Told,
    told::{MAX_NAMES, summed_relations},
};
use crate::{
    IndexError,
    overview::Said,
    pages::{
        ground::{Pair, class, folder, of_file},
        modules::Module,
    },
};

/// Files that are handed to a page: more than it has room for.
const MAX_MEMBERS: usize = 24;

impl<'a> Told<'a> {
    /// Returns what a module says of itself: what the first of those says that speak for it and have something to say.
    pub(super) fn purpose(&self, module: &Module<'_>) -> Result<Said, IndexError> {
        for (speaker, file_idx) in &module.speakers {
            let said = match speaker {
                Speaker::Readme => ::pages::introduction(&self.sealing.text(*file_idx as usize)?).paragraph,
                Speaker::Module => self.sealing.tables.files[*file_idx as usize].doc.clone(),
                Speaker::Manifest => {
                    let text = self.sealing.text(*file_idx as usize)?;
                    ::pages::description(self.path(*file_idx), &text).unwrap_or_default()
                }
            };
            if !said.is_empty() {
                return Ok(Said { text: said, path: self.path(*file_idx).to_owned() });
            }
        }
        // A module of Rust may stand beside its folder.
        let beside = format!("{}.rs", module.path);
        let files = &self.sealing.tables.files;
        let beside = files.binary_search_by(|file| file.path.as_str().cmp(&beside));
        let beside = beside.ok().filter(|file_idx| !files[*file_idx].doc.is_empty());
        Ok(beside.map_or_else(Said::default, |file_idx| Said {
            text: files[file_idx].doc.clone(),
            path: files[file_idx].path.clone(),
        }))
    }

    pub(super) fn module<'p>(&self, module: &'p Module<'a>, purpose: &'p str) -> ModulePart<'p>
    where
        'a: 'p,
    {
        let is_member = |file: u32| module.members.binary_search(&file).is_ok();
        let class_of = |other: u32| class(&self.sealing.tables.files[other as usize]);
        let pairs = |pairs: &'a [Pair]| {
            let all = module.members.iter().flat_map(move |file| of_file(pairs, *file));
            all.filter(|pair| !is_member(pair.other))
        };
        // Tests and generated files may lie beside what they are about.
        let is_beside = |pair: &&Pair| folder(self.path(pair.other)) == module.path;
        let folder_of = |pair: &Pair| (shown(folder(self.path(pair.other))), pair.count);
        let used_by =
            pairs(&self.ground.used_by).filter(|pair| class_of(pair.other) != FileClass::Test && !is_beside(pair));
        let tested_by = pairs(&self.ground.used_by).filter(|pair| class_of(pair.other) == FileClass::Test);
        let packages = module.members.iter().flat_map(|file| self.ground.packages[*file as usize].iter().copied());
        ModulePart {
            path: module.path,
            package: module.package,
            purpose,
            members: self.members(module),
            n_members: module.members.len() as u32,
            names: self.names_of_files(&module.members, |symbol| self.ground.far_uses[symbol]),
            used_by: summed_relations(used_by.map(folder_of)),
            tested_by: summed_relations(tested_by.map(folder_of)),
            depends_on: summed_relations(pairs(&self.ground.depends_on).filter(|pair| !is_beside(pair)).map(folder_of)),
            packages: summed_relations(packages),
            past: self.past(&module.members),
        }
    }

    /// Returns the names that files offer, the most used first.
    pub(super) fn names_of_files(&self, files: &[u32], uses: impl Fn(usize) -> u32) -> Vec<NamePart<'a>> {
        let symbols = files.iter().flat_map(|file| self.symbols_of(*file));
        let mut symbols: Vec<u32> = symbols.filter(|symbol| self.is_public(*symbol)).collect();
        let key = |symbol: &u32| {
            let symbol = *symbol as usize;
            (Reverse(uses(symbol)), Reverse(self.ground.uses[symbol]), symbol)
        };
        if symbols.len() > MAX_NAMES {
            symbols.select_nth_unstable_by_key(MAX_NAMES, key);
            symbols.truncate(MAX_NAMES);
        }
        symbols.sort_by_key(key);
        symbols.into_iter().map(|symbol| self.name(symbol)).collect()
    }

    fn members(&self, module: &Module<'a>) -> Vec<MemberPart<'a>> {
        let n_users = |file: u32| of_file(&self.ground.used_by, file).len();
        let mut files = module.members.clone();
        files.sort_by_key(|file| (Reverse(n_users(*file)), *file));
        files.truncate(MAX_MEMBERS);
        let within = |path: &'a str| path.strip_prefix(module.path).map_or(path, |rest| rest.trim_start_matches('/'));
        let doc = |file: u32| self.sealing.tables.files[file as usize].doc.as_str();
        files.into_iter().map(|file| MemberPart { path: within(self.path(file)), doc: doc(file) }).collect()
    }
}

/// The root has no name; people write a dot.
fn shown(folder: &str) -> &str {
    if folder.is_empty() { "." } else { folder }
}
