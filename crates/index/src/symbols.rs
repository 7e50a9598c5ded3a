//! Symbol search by name, regular expression or id.

use globset::GlobBuilder;
use model::Filter;
use ranking::name::{NamePattern, NameTier, SymbolOrder};
use regex::RegexBuilder;

use crate::{
    error::IndexError,
    records::{symbol_texts::SymbolTextsByFile, tables::ArchivedSymbolRecord},
    snapshot::Snapshot,
    views::{FileView, SymbolView},
};

/// Maximum size of a compiled regular expression. It bounds time and memory of a match.
const MAX_REGEX_BYTES: usize = 1 << 20;

/// A search for symbols.
#[derive(Debug, Clone)]
pub struct SymbolQuery {
    /// The name, pattern or id to match.
    pub selector: SymbolSelector,
    /// Restricts files and symbol kinds.
    pub filter: Filter,
    /// A glob over paths; empty for all paths.
    pub file_pattern: String,
    /// Maximum number of hits.
    pub limit: usize,
}

impl SymbolQuery {
    /// Returns an error if a pattern is invalid, so that it can be reported once rather than per repository.
    pub fn validate(&self) -> Result<(), IndexError> {
        let _ = path_predicate(&self.file_pattern)?;
        if let SymbolSelector::Regex(regex) = &self.selector {
            compile_regex(regex)?;
        }
        Ok(())
    }
}

/// Selects symbols by name, pattern or id.
#[derive(Debug, Clone)]
pub enum SymbolSelector {
    /// A name, matched in tiers from exact to fuzzy.
    Name(String),
    /// A regular expression over simple and qualified names.
    Regex(String),
    /// A symbol id, which may be abbreviated at the start of its path and name.
    Id {
        /// The path, or the end of it; empty for all files.
        path: String,
        /// The qualified name, or the end of it.
        qualified: String,
        /// Number among symbols of equal qualified name in one file, from 1 on; 0 for all of them.
        ordinal: u32,
    },
}

/// The best matches of one repository.
#[derive(Debug, Clone, Default)]
pub struct SymbolHits {
    /// The best matches, in order.
    pub hits: Vec<SymbolHit>,
    /// Number of all matches.
    pub matched: u64,
}

/// A matching symbol.
#[derive(Debug, Clone)]
pub struct SymbolHit {
    /// The sort key across repositories. Ties are broken by alias, path and line.
    pub order: SymbolOrder,
    /// Its file.
    pub file: FileView,
    /// The symbol.
    pub symbol: SymbolView,
    /// Match tier of the name, from exact to fuzzy.
    pub tier: NameTier,
    /// Edit distance of a fuzzy match; 0 in other tiers.
    pub distance: u32,
}

struct SymbolMatch {
    tier: NameTier,
    distance: u32,
    symbol_idx: u32,
}

impl Snapshot {
    /// Returns the best matches, sorted by tier, distance, file class, uses, kind and position.
    pub fn symbols(&self, query: &SymbolQuery) -> Result<SymbolHits, IndexError> {
        let admits_path = path_predicate(&query.file_pattern)?;
        let mut matches = match &query.selector {
            SymbolSelector::Name(name) => self.match_name(&NamePattern::parse(name)),
            SymbolSelector::Regex(regex) => self.match_regex(regex)?,
            SymbolSelector::Id { path, qualified, ordinal } => self.match_id(path, qualified, *ordinal),
        };
        matches.retain(|found| {
            let symbol = &self.tables().symbols[found.symbol_idx as usize];
            let file = &self.tables().files[symbol.file.to_native() as usize];
            !self.is_replaced(symbol.file.to_native())
                && query.filter.symbol_kind.is_none_or(|kind| kind == symbol.kind())
                && query.filter.admits_file(&file.path, file.class(), file.language())
                && admits_path(&file.path)
        });
        matches.sort_unstable_by_key(|found| (self.order(found), found.symbol_idx));
        let matched = matches.len() as u64;
        matches.truncate(query.limit);
        let mut texts = SymbolTextsByFile::default();
        let hits = matches.iter().map(|found| self.symbol_hit(found, &mut texts)).collect::<Result<_, _>>()?;
        Ok(SymbolHits { hits, matched })
    }

    fn order(&self, found: &SymbolMatch) -> SymbolOrder {
        let symbol = &self.tables().symbols[found.symbol_idx as usize];
        let file = &self.tables().files[symbol.file.to_native() as usize];
        SymbolOrder::new(found.tier, found.distance, file.class(), self.used_by(found.symbol_idx), Some(symbol.kind()))
    }

    fn symbol_hit(&self, found: &SymbolMatch, texts: &mut SymbolTextsByFile) -> Result<SymbolHit, IndexError> {
        let symbol = &self.tables().symbols[found.symbol_idx as usize];
        Ok(SymbolHit {
            order: self.order(found),
            file: self.file_view(symbol.file.to_native() as usize),
            symbol: self.symbol(found.symbol_idx as usize, texts)?,
            tier: found.tier,
            distance: found.distance,
        })
    }

    fn match_name(&self, pattern: &NamePattern) -> Vec<SymbolMatch> {
        self.match_names(pattern, |name, folded| {
            let fuzzy = || pattern.distance(folded).map(|edits| (NameTier::Fuzzy, edits));
            pattern.match_tier(name, folded).or_else(fuzzy)
        })
    }

    fn match_names(
        &self,
        pattern: &NamePattern,
        matches: impl Fn(&str, &str) -> Option<(NameTier, u32)>,
    ) -> Vec<SymbolMatch> {
        let mut found = Vec::new();
        let packages = self.package_names();
        for name in self.tables().names.iter() {
            // Symbols of one folded name may differ in case and separators, which decide the tier.
            for symbol_idx in name.symbols.iter().map(|idx| idx.to_native()) {
                let symbol = &self.tables().symbols[symbol_idx as usize];
                let Some((tier, distance)) = matches(&symbol.name, &name.folded) else { continue };
                if self.matches_qualifier(symbol, pattern, &packages) {
                    found.push(SymbolMatch { tier, distance, symbol_idx });
                }
            }
        }
        found
    }

    fn match_regex(&self, regex: &str) -> Result<Vec<SymbolMatch>, IndexError> {
        let regex = compile_regex(regex)?;
        Ok(self.filter_symbols(|symbol| regex.is_match(&symbol.qualified()) || regex.is_match(&symbol.name)))
    }

    fn match_id(&self, path: &str, qualified: &str, ordinal: u32) -> Vec<SymbolMatch> {
        let path = path.trim_start_matches("./").trim_matches('/');
        let path_end = format!("/{path}");
        let qualified_end = format!(".{qualified}");
        self.filter_symbols(|symbol| {
            let file = &self.tables().files[symbol.file.to_native() as usize];
            let full = symbol.qualified();
            (full == qualified || full.ends_with(&qualified_end))
                && (ordinal == 0 || symbol.ordinal.to_native() == ordinal)
                && (path.is_empty() || file.path.as_str() == path || file.path.as_str().ends_with(&path_end))
        })
    }

    fn filter_symbols(&self, admits: impl Fn(&ArchivedSymbolRecord) -> bool) -> Vec<SymbolMatch> {
        let symbols = self.tables().symbols.iter().enumerate();
        symbols
            .filter(|(_, symbol)| admits(symbol))
            .map(|(symbol_idx, _)| SymbolMatch { tier: NameTier::Exact, distance: 0, symbol_idx: symbol_idx as u32 })
            .collect()
    }
}

fn compile_regex(regex: &str) -> Result<regex::Regex, IndexError> {
    RegexBuilder::new(regex)
        .size_limit(MAX_REGEX_BYTES)
        .build()
        .map_err(|error| IndexError::Pattern(format!("not a regular expression: {error}")))
}

fn path_predicate(pattern: &str) -> Result<impl Fn(&str) -> bool, IndexError> {
    let matcher = match pattern {
        "" => None,
        pattern => {
            let glob = if pattern.contains('/') { pattern.to_owned() } else { format!("**/{pattern}") };
            let glob = GlobBuilder::new(&glob)
                .literal_separator(true)
                .build()
                .map_err(|error| IndexError::Pattern(format!("not a file pattern: {error}")))?;
            Some(glob.compile_matcher())
        }
    };
    Ok(move |path: &str| matcher.as_ref().is_none_or(|matcher| matcher.is_match(path)))
}
