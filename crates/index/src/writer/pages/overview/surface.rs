//! The external surface of a repository: its packages, routes, services and required packages.

use std::{cmp::Reverse, collections::BTreeMap};

use ::graph::Node;
use links::{ContractKind, HttpRoute};
use model::{FileClass, SymbolKind};
use rustc_hash::FxHashMap;

use crate::{
    overview::{DefinitionSummary, FileLine, PackageOverview, ServedRoute},
    writer::pages::{context::PageContext, file_relations::class},
};

impl PageContext<'_> {
    /// Returns the packages that manifests publish, sorted by key.
    pub(super) fn published_packages(&self) -> Vec<PackageOverview> {
        let mut published: BTreeMap<&str, PackageOverview> = BTreeMap::new();
        for file in self.files_of(&[FileClass::Config]) {
            let offers = &self.generation.graph.files[file].contracts.offers;
            for offer in offers.iter().filter(|offer| offer.kind == ContractKind::Package) {
                add_declaration(
                    &mut published,
                    &offer.key,
                    FileLine { path: self.path(file as u32).to_owned(), line: offer.line },
                );
            }
        }
        published.into_values().collect()
    }

    /// Returns the packages that manifests require, the most used first.
    pub(super) fn required_packages(&self) -> Vec<PackageOverview> {
        let mut required: BTreeMap<&str, PackageOverview> = BTreeMap::new();
        let mut files: Vec<usize> = self.files_of(&[FileClass::Config, FileClass::Source]).collect();
        // The first declaration should be in a manifest near the root, rather than in a list of packages for a task.
        files.sort_by_key(|file| {
            (is_package_list(self.path(*file as u32)), self.path(*file as u32).matches('/').count())
        });
        for file in files {
            let uses = &self.generation.graph.files[file].contracts.uses;
            // A template variable of the build is not a package name.
            let declared = uses.iter().filter(|one| one.kind == ContractKind::Package && !one.key.contains("${"));
            for one in declared {
                add_declaration(
                    &mut required,
                    &one.key,
                    FileLine { path: self.path(file as u32).to_owned(), line: one.line },
                );
            }
        }
        let mut n_sites: FxHashMap<&str, u32> = FxHashMap::default();
        for file in self.files_of(&[FileClass::Source]) {
            let uses = &self.generation.graph.files[file].contracts.uses;
            for one in uses.iter().filter(|one| one.kind == ContractKind::PackageSymbol) {
                *n_sites.entry(&one.key).or_default() += one.n_sites;
            }
        }
        let with_sites = |(key, package): (&str, PackageOverview)| PackageOverview {
            n_sites: n_sites.get(key).copied().unwrap_or(0),
            ..package
        };
        let mut packages: Vec<PackageOverview> = required.into_iter().map(with_sites).collect();
        packages.sort_by_key(|package| (Reverse(package.n_sites), is_package_list(&package.at.path)));
        packages
    }

    /// Returns the routes that the product serves, sorted by path.
    pub(super) fn served_routes(&self) -> Vec<ServedRoute> {
        let mut routes: Vec<ServedRoute> = Vec::new();
        for file in self.files_of(&[FileClass::Source, FileClass::Config]) {
            let contracts = &self.generation.graph.files[file].contracts;
            let offers = contracts.offers.iter().filter(|offer| offer.kind == ContractKind::Http);
            let at = |line| FileLine { path: self.path(file as u32).to_owned(), line };
            // An API description offers routes without handlers. Routes outside of the product are no offers.
            if contracts.routes.is_empty() {
                routes.extend(offers.filter_map(|offer| {
                    let (method, path) = offer.key.split_once(' ')?;
                    let (method, path) = (method.to_owned(), path.to_owned());
                    Some(ServedRoute { method, path, at: at(offer.line), handler: String::new() })
                }));
            } else if offers.count() > 0 {
                routes.extend(contracts.routes.iter().map(|route| ServedRoute {
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

    /// Returns the symbol id of the handler of a route; empty if it is unknown.
    fn handler(&self, route: &HttpRoute) -> String {
        match route.handler {
            Some(Node::Symbol(symbol)) => self.symbol_id(symbol.0),
            Some(Node::File(_)) | None => String::new(),
        }
    }

    /// Returns the services of protobuf files.
    pub(super) fn offered_services(&self, code: &[u32]) -> Vec<DefinitionSummary> {
        let symbols = code.iter().flat_map(|file| self.symbols_of(*file));
        let is_service =
            |symbol: &u32| self.generation.tables.symbols[*symbol as usize].kind == SymbolKind::Service as u8;
        symbols.filter(is_service).map(|symbol| self.definition_summary(symbol)).collect()
    }

    fn files_of(&self, classes: &[FileClass]) -> impl Iterator<Item = usize> {
        let files = &self.generation.tables.files;
        (0..files.len().min(self.generation.graph.files.len()))
            .filter(move |file| classes.contains(&class(&files[*file])))
    }
}

/// Returns true for a manifest that only lists packages, which usually are those of a task.
fn is_package_list(path: &str) -> bool {
    path.ends_with(".txt")
}

/// Counts a manifest that declares a package, and records the first declaration.
fn add_declaration<'k>(declared: &mut BTreeMap<&'k str, PackageOverview>, key: &'k str, at: FileLine) {
    let first = || PackageOverview { key: key.to_owned(), at, n_manifests: 0, n_sites: 0 };
    declared.entry(key).or_insert_with(first).n_manifests += 1;
}
