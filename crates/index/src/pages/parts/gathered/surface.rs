//! What a repository offers to others, and what it takes from them.

use std::{cmp::Reverse, collections::BTreeMap};

use ::graph::{ContractKind, Node, Route};
use model::{FileClass, SymbolKind};
use rustc_hash::FxHashMap;

use super::Told;
use crate::{
    overview::{self, Named, Package, Spot},
    pages::ground::class,
};

impl Told<'_> {
    /// Returns the packages that manifests make.
    pub(super) fn makes(&self) -> Vec<Package> {
        let mut made: BTreeMap<&str, Package> = BTreeMap::new();
        for file in self.files_of(&[FileClass::Config]) {
            let offers = &self.sealing.graph.resolved[file].contracts.offers;
            for offer in offers.iter().filter(|offer| offer.kind == ContractKind::Package) {
                declare(&mut made, &offer.key, Spot { path: self.path(file as u32).to_owned(), line: offer.line });
            }
        }
        made.into_values().collect()
    }

    /// Returns the packages that manifests require, the most used first.
    pub(super) fn requires(&self) -> Vec<Package> {
        let mut required: BTreeMap<&str, Package> = BTreeMap::new();
        let mut files: Vec<usize> = self.files_of(&[FileClass::Config, FileClass::Source]).collect();
        // What the product requires is said by a manifest near the root, before lists of what a task requires.
        files.sort_by_key(|file| (is_list(self.path(*file as u32)), self.path(*file as u32).matches('/').count()));
        for file in files {
            let uses = &self.sealing.graph.resolved[file].contracts.uses;
            // What a build fills in is no name.
            let declared = uses.iter().filter(|one| one.kind == ContractKind::Package && !one.key.contains("${"));
            for one in declared {
                declare(&mut required, &one.key, Spot { path: self.path(file as u32).to_owned(), line: one.line });
            }
        }
        let mut n_sites: FxHashMap<&str, u32> = FxHashMap::default();
        for file in self.files_of(&[FileClass::Source]) {
            let uses = &self.sealing.graph.resolved[file].contracts.uses;
            for one in uses.iter().filter(|one| one.kind == ContractKind::PackageSymbol) {
                *n_sites.entry(&one.key).or_default() += one.n_sites;
            }
        }
        let with_sites =
            |(key, package): (&str, Package)| Package { n_sites: n_sites.get(key).copied().unwrap_or(0), ..package };
        let mut packages: Vec<Package> = required.into_iter().map(with_sites).collect();
        packages.sort_by_key(|package| (Reverse(package.n_sites), is_list(&package.at.path)));
        packages
    }

    /// Returns the routes that the product answers, in the order of paths.
    pub(super) fn answered_routes(&self) -> Vec<overview::Route> {
        let mut routes: Vec<overview::Route> = Vec::new();
        for file in self.files_of(&[FileClass::Source, FileClass::Config]) {
            let contracts = &self.sealing.graph.resolved[file].contracts;
            let offers = contracts.offers.iter().filter(|offer| offer.kind == ContractKind::Http);
            let at = |line| Spot { path: self.path(file as u32).to_owned(), line };
            // Routes of what is not the product are no offers.
            if contracts.routes.is_empty() {
                routes.extend(offers.filter_map(|offer| {
                    let (method, path) = offer.key.split_once(' ')?;
                    let (method, path) = (method.to_owned(), path.to_owned());
                    Some(overview::Route { method, path, at: at(offer.line), handler: String::new() })
                }));
            } else if offers.count() > 0 {
                routes.extend(contracts.routes.iter().map(|route| overview::Route {
                    method: route.method.clone(),
                    path: route.path.clone(),
                    at: at(route.line),
                    handler: self.handler(route),
                }));
            }
        }
        routes.sort_by(|a, b| (&a.path, &a.method, &a.at.path).cmp(&(&b.path, &b.method, &b.at.path)));
        routes
    }

    fn handler(&self, route: &Route) -> String {
        match route.handler {
            Some(Node::Symbol(symbol)) => self.id(symbol.0),
            Some(Node::File(_)) | None => String::new(),
        }
    }

    pub(super) fn offered_services(&self, code: &[u32]) -> Vec<Named> {
        let symbols = code.iter().flat_map(|file| self.symbols_of(*file));
        let is_service = |symbol: &u32| self.sealing.tables.symbols[*symbol as usize].kind == SymbolKind::Service as u8;
        symbols.filter(is_service).map(|symbol| self.named(symbol)).collect()
    }

    fn files_of(&self, classes: &[FileClass]) -> impl Iterator<Item = usize> {
        let files = &self.sealing.tables.files;
        (0..files.len().min(self.sealing.graph.resolved.len()))
            .filter(move |file| classes.contains(&class(&files[*file])))
    }
}

/// Says whether a manifest lists packages and says nothing else: those of a task, mostly.
fn is_list(path: &str) -> bool {
    path.ends_with(".txt")
}

fn declare<'k>(declared: &mut BTreeMap<&'k str, Package>, key: &'k str, at: Spot) {
    let first = || Package { key: key.to_owned(), at, n_manifests: 0, n_sites: 0 };
    declared.entry(key).or_insert_with(first).n_manifests += 1;
}
