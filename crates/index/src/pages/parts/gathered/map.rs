//! The map of modules: what each is for, and which others it uses.

use std::collections::BTreeMap;

use super::Told;
use crate::{
    overview::{self, Listed, Said},
    pages::{
        ground::{Pair, folder, of_file},
        modules::{Module, is_code},
    },
};

/// Other modules that one module names: whoever uses more uses everything.
const MAX_TIES: usize = 12;

/// By file: the module that it belongs to, and the package that it belongs to, as places in a list of modules.
struct Homes {
    module: Vec<Option<u32>>,
    package: Vec<Option<u32>>,
}

impl<'a> Told<'a> {
    /// Returns the modules of the product, the most used packages first; and folders of code that no module holds.
    pub(super) fn map(&self, code: &[u32], modules: &[Module<'a>], purposes: &[Said]) -> Vec<overview::Module> {
        let mut modules: Vec<Module<'a>> = modules.iter().map(Module::again).collect();
        let mut purposes = purposes.to_vec();
        let homes = self.homes(&modules);
        let apart = code.iter().copied().filter(|file| homes.module[*file as usize].is_none());
        let mut by_folder: BTreeMap<&'a str, Vec<u32>> = BTreeMap::new();
        apart.for_each(|file| by_folder.entry(folder(self.path(file))).or_default().push(file));
        for (path, members) in by_folder {
            modules.push(Module { path, package: None, members, speakers: Vec::new() });
            purposes.push(Said::default());
        }
        let homes = self.homes(&modules);
        let order = self.order(&modules);
        order.into_iter().map(|place| self.on_map(place, &modules, &purposes[place], &homes)).collect()
    }

    fn on_map(&self, place: usize, modules: &[Module<'a>], purpose: &Said, homes: &Homes) -> overview::Module {
        let module = &modules[place];
        let ties = |pairs: &[Pair]| {
            let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
            for pair in module.members.iter().flat_map(|file| of_file(pairs, *file)) {
                let is_code = is_code(&self.sealing.tables.files[pair.other as usize]);
                if !is_code || module.members.binary_search(&pair.other).is_ok() {
                    continue;
                }
                // A package uses packages; a folder of one may use single folders of another.
                let package = homes.package[pair.other as usize].filter(|_| module.package.is_some());
                if let Some(other) = package.or(homes.module[pair.other as usize]) {
                    *counts.entry(other).or_default() += pair.count;
                }
            }
            counts.remove(&(place as u32));
            let mut counts: Vec<(u32, u32)> = counts.into_iter().collect();
            counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
            let tie = |(other, count): (u32, u32)| (modules[other as usize].path.to_owned(), count);
            Listed::of(counts.into_iter().map(tie).collect(), MAX_TIES)
        };
        let n_symbols = |file: &u32| self.sealing.tables.files[*file as usize].n_symbols;
        overview::Module {
            path: module.path.to_owned(),
            package: module.package.unwrap_or_default().to_owned(),
            purpose: Said { text: super::purpose(::pages::first_sentence(&purpose.text)), path: purpose.path.clone() },
            n_files: module.members.len() as u32,
            n_symbols: module.members.iter().map(n_symbols).sum(),
            owner: self.main_owner(&module.members),
            uses: ties(&self.ground.depends_on),
            used_by: ties(&self.ground.used_by),
        }
    }

    /// Tells of each file the innermost module and the innermost package that it is a member of.
    fn homes(&self, modules: &[Module<'a>]) -> Homes {
        let n_files = self.sealing.tables.files.len();
        let mut homes = Homes { module: vec![None; n_files], package: vec![None; n_files] };
        // Longer paths lie deeper.
        let mut by_depth: Vec<usize> = (0..modules.len()).collect();
        by_depth.sort_by_key(|place| modules[*place].path.len());
        for place in by_depth {
            for file in &modules[place].members {
                homes.module[*file as usize] = Some(place as u32);
                if modules[place].package.is_some() {
                    homes.package[*file as usize] = Some(place as u32);
                }
            }
        }
        homes
    }
}
