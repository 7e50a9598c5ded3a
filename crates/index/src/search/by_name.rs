//! Files by the names of their symbols.

use std::collections::BTreeSet;

use links::ContractKind;
use model::SymbolKind;
use ranking::{
    analyser::fold,
    name::{NamePattern, NameTier, kind_order},
};
use rustc_hash::FxHashMap;

use super::query::SearchQuery;
use crate::{records::tables::ArchivedSymbolRecord, snapshot::Snapshot};

/// Minimum length of an identifier that matches as a prefix. Half of all names start with `re`.
const MIN_PREFIX_BYTES: usize = 4;

/// The best match of any identifier among the symbols of a file.
#[derive(Debug, Clone, Copy)]
pub struct BestName {
    pub(super) identifier: usize,
    pub(super) tier: NameTier,
    pub(super) count: u64,
    pub(super) kind: SymbolKind,
    pub(super) symbol_idx: u32,
}

impl BestName {
    /// Returns the sort key; the smallest key is the best match.
    fn key(&self) -> (NameTier, u64, u8, usize, u32) {
        (self.tier, self.count, kind_order(Some(self.kind)), self.identifier, self.symbol_idx)
    }
}

impl Snapshot {
    /// Returns the number of definitions whose folded name equals that of an identifier.
    pub(super) fn count_definitions(&self, typed: &str) -> u64 {
        let pattern = NamePattern::parse(typed);
        let names = &self.tables().names;
        let found = names.binary_search_by(|name| name.folded.as_str().cmp(pattern.folded.as_str()));
        let Some(name) = found.ok().map(|name_idx| &names[name_idx]).filter(|_| !pattern.is_empty()) else { return 0 };
        let symbols = name.symbols.iter().map(|idx| &self.tables().symbols[idx.to_native() as usize]);
        let packages = self.package_names();
        let is_counted = |symbol: &&ArchivedSymbolRecord| {
            !self.is_replaced(symbol.file.to_native()) && self.matches_qualifier(symbol, &pattern, &packages)
        };
        symbols.filter(is_counted).count() as u64
    }

    /// Returns true if a symbol lies within the qualifier of a pattern: in its definitions, and these in a file, folder or
    /// package of that name.
    pub(crate) fn matches_qualifier(
        &self,
        symbol: &ArchivedSymbolRecord,
        pattern: &NamePattern,
        packages: &BTreeSet<String>,
    ) -> bool {
        let is_in_path = |module: &str| {
            let path = self.tables().files[symbol.file.to_native() as usize].path.as_str();
            path.split('/').any(|part| fold(part.split('.').next().unwrap_or(part)) == module)
        };
        match pattern.unmatched_qualifier(&symbol.container) {
            None => false,
            Some("") => true,
            Some(module) => packages.contains(module) || is_in_path(module),
        }
    }

    /// Returns the folded names of the packages of this repository, without ecosystem and scope.
    pub(crate) fn package_names(&self) -> BTreeSet<String> {
        let packages = self.graph_snapshot().offers().filter(|offer| offer.kind == ContractKind::Package);
        packages.map(|offer| fold(offer.key.rsplit([':', '/']).next().unwrap_or_default())).collect()
    }

    /// Returns the best matching symbol of each file.
    pub(super) fn rank_by_name(&self, query: &SearchQuery<'_>) -> FxHashMap<u32, BestName> {
        let mut files: FxHashMap<u32, BestName> = FxHashMap::default();
        let names = &self.tables().names;
        let packages = if query.identifiers.is_empty() { BTreeSet::new() } else { self.package_names() };
        for (identifier, (typed, count)) in query.identifiers.iter().enumerate() {
            let pattern = NamePattern::parse(typed);
            if pattern.is_empty() {
                continue;
            }
            let first = names.partition_point(|name| name.folded.as_str() < pattern.folded.as_str());
            let is_prefix = pattern.folded.len() >= MIN_PREFIX_BYTES;
            let matching = names[first..].iter().take_while(|name| {
                if is_prefix {
                    name.folded.starts_with(&pattern.folded)
                } else {
                    name.folded.as_str() == pattern.folded
                }
            });
            for symbol_idx in matching.flat_map(|name| name.symbols.iter()).map(|idx| idx.to_native()) {
                let symbol = &self.tables().symbols[symbol_idx as usize];
                if !self.matches_qualifier(symbol, &pattern, &packages)
                    || query.filter.symbol_kind.is_some_and(|kind| kind != symbol.kind())
                {
                    continue;
                }
                let folded = fold(&symbol.name);
                let Some((tier, _)) = pattern.match_tier(&symbol.name, &folded) else { continue };
                let file_idx = symbol.file.to_native();
                if !self.admits(file_idx, query) {
                    continue;
                }
                let found = BestName { identifier, tier, count: *count, kind: symbol.kind(), symbol_idx };
                files
                    .entry(file_idx)
                    .and_modify(|best| *best = if found.key() < best.key() { found } else { *best })
                    .or_insert(found);
            }
        }
        files
    }
}
