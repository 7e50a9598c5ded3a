//! The modules of the overview, with the uses between them.

use std::collections::BTreeMap;

use crate::{
    overview::{BoundedList, ModuleOverview, QuotedText},
    writer::pages::{
        context::PageContext,
        file_relations::{FileRelation, folder, of_file},
        modules::{ModuleFiles, is_code},
    },
};

/// Maximum number of used and using modules per module.
const MAX_RELATED_MODULES: usize = 12;

/// By file: the indices of its innermost module and of its innermost package.
struct InnermostModules {
    module: Vec<Option<u32>>,
    package: Vec<Option<u32>>,
}

impl<'a> PageContext<'a> {
    /// Returns the modules of the product and the folders of code outside of modules: packages first, then the most used.
    pub(super) fn module_overviews(
        &self,
        code: &[u32],
        modules: &[ModuleFiles<'a>],
        purposes: &[QuotedText],
    ) -> Vec<ModuleOverview> {
        let mut modules: Vec<ModuleFiles<'a>> = modules.iter().map(ModuleFiles::without_doc_sources).collect();
        let mut purposes = purposes.to_vec();
        let innermost = self.innermost_modules(&modules);
        let outside = code.iter().copied().filter(|file| innermost.module[*file as usize].is_none());
        let mut by_folder: BTreeMap<&'a str, Vec<u32>> = BTreeMap::new();
        outside.for_each(|file| by_folder.entry(folder(self.path(file))).or_default().push(file));
        for (path, members) in by_folder {
            modules.push(ModuleFiles { path, package: None, members, doc_sources: Vec::new() });
            purposes.push(QuotedText::default());
        }
        let innermost = self.innermost_modules(&modules);
        let order = self.module_order(&modules);
        order.into_iter().map(|idx| self.module_overview(idx, &modules, &purposes[idx], &innermost)).collect()
    }

    fn module_overview(
        &self,
        module_idx: usize,
        modules: &[ModuleFiles<'a>],
        purpose: &QuotedText,
        innermost: &InnermostModules,
    ) -> ModuleOverview {
        let module = &modules[module_idx];
        let related = |pairs: &[FileRelation]| {
            let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
            for pair in module.members.iter().flat_map(|file| of_file(pairs, *file)) {
                let is_code = is_code(&self.generation.tables.files[pair.other as usize]);
                if !is_code || module.members.binary_search(&pair.other).is_ok() {
                    continue;
                }
                // A package is related to packages, a folder to the innermost modules.
                let package = innermost.package[pair.other as usize].filter(|_| module.package.is_some());
                if let Some(other) = package.or(innermost.module[pair.other as usize]) {
                    *counts.entry(other).or_default() += pair.count;
                }
            }
            counts.remove(&(module_idx as u32));
            let mut counts: Vec<(u32, u32)> = counts.into_iter().collect();
            counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
            let with_path = |(other, count): (u32, u32)| (modules[other as usize].path.to_owned(), count);
            BoundedList::truncated(counts.into_iter().map(with_path).collect(), MAX_RELATED_MODULES)
        };
        let n_symbols = |file: &u32| self.generation.tables.files[*file as usize].n_symbols;
        ModuleOverview {
            path: module.path.to_owned(),
            package: module.package.unwrap_or_default().to_owned(),
            purpose: QuotedText {
                text: super::descriptive(::pages::first_sentence(&purpose.text)),
                path: purpose.path.clone(),
            },
            n_files: module.members.len() as u32,
            n_symbols: module.members.iter().map(n_symbols).sum(),
            owner: self.main_owner(&module.members),
            uses: related(&self.relations.depends_on),
            used_by: related(&self.relations.used_by),
        }
    }

    /// Returns the innermost module and the innermost package of each file.
    fn innermost_modules(&self, modules: &[ModuleFiles<'a>]) -> InnermostModules {
        let n_files = self.generation.tables.files.len();
        let mut innermost = InnermostModules { module: vec![None; n_files], package: vec![None; n_files] };
        // Inner modules have longer paths and overwrite outer ones.
        let mut by_depth: Vec<usize> = (0..modules.len()).collect();
        by_depth.sort_by_key(|idx| modules[*idx].path.len());
        for module_idx in by_depth {
            for file in &modules[module_idx].members {
                innermost.module[*file as usize] = Some(module_idx as u32);
                if modules[module_idx].package.is_some() {
                    innermost.package[*file as usize] = Some(module_idx as u32);
                }
            }
        }
        innermost
    }
}
