//! Symbols by name, by pattern, and by id.

use globset::GlobBuilder;
use model::Filter;
use ranking::name::{NamePattern, NameTier, kind_order};
use regex::RegexBuilder;

use crate::{FileView, IndexError, Snapshot, SymbolView, table::ArchivedSymbolRecord};

/// The largest compiled regular expression, in bytes: it bounds time and memory of a match.
const MAX_REGEX_BYTES: usize = 1 << 20;

/// What symbols are wanted.
#[derive(Debug, Clone)]
pub struct SymbolQuery {
    pub wanted: Wanted,
    pub filter: Filter,
    /// A glob over paths; empty for any.
    pub file_pattern: String,
    pub limit: usize,
}

impl SymbolQuery {
    /// Says whether the patterns in it can be used at all: whoever typed them should hear of it, not every shard.
    pub fn check(&self) -> Result<(), IndexError> {
        let _ = path_predicate(&self.file_pattern)?;
        if let Wanted::Regex(regex) = &self.wanted {
            compile(regex)?;
        }
        Ok(())
    }
}

/// How they are named.
#[derive(Debug, Clone)]
pub enum Wanted {
    /// A name, in tiers.
    Name(String),
    /// A regular expression over qualified names.
    Regex(String),
    /// The parts of a symbol id: the end of a path, the end of a qualified name, and which of several (0: any).
    Id { path: String, qualified: String, ordinal: u32 },
}

/// The best symbols of one repository.
#[derive(Debug, Clone, Default)]
pub struct SymbolHits {
    pub hits: Vec<SymbolHit>,
    /// All that matched, the hits included.
    pub matched: u64,
}

#[derive(Debug, Clone)]
pub struct SymbolHit {
    pub file: FileView,
    pub symbol: SymbolView,
    pub tier: NameTier,
    pub distance: u32,
}

struct Match {
    tier: NameTier,
    distance: u32,
    symbol_idx: u32,
}

impl Snapshot {
    /// Returns the symbols that are wanted, in the order of tier, distance, what they are, and place.
    pub fn symbols(&self, query: &SymbolQuery) -> Result<SymbolHits, IndexError> {
        let admits_path = path_predicate(&query.file_pattern)?;
        let mut matches = match &query.wanted {
            Wanted::Name(name) => self.by_name(&NamePattern::parse(name), query.limit),
            Wanted::Regex(regex) => self.by_regex(regex)?,
            Wanted::Id { path, qualified, ordinal } => self.by_id(path, qualified, *ordinal),
        };
        matches.retain(|found| {
            let symbol = &self.tables().symbols[found.symbol_idx as usize];
            let file = &self.tables().files[symbol.file.to_native() as usize];
            query.filter.symbol_kind.is_none_or(|kind| kind == symbol.kind())
                && query.filter.admits_file(&file.path, file.class(), file.language())
                && admits_path(&file.path)
        });
        matches.sort_unstable_by_key(|found| self.sort_key(found));
        let matched = matches.len() as u64;
        matches.truncate(query.limit);
        let hits = matches.iter().map(|found| self.symbol_hit(found)).collect();
        Ok(SymbolHits { hits, matched })
    }

    fn sort_key(&self, found: &Match) -> (NameTier, u32, u8, u8, u32) {
        let symbol = &self.tables().symbols[found.symbol_idx as usize];
        let file = &self.tables().files[symbol.file.to_native() as usize];
        (found.tier, found.distance, demotion(file.class()), kind_order(Some(symbol.kind())), found.symbol_idx)
    }

    fn symbol_hit(&self, found: &Match) -> SymbolHit {
        let symbol = &self.tables().symbols[found.symbol_idx as usize];
        SymbolHit {
            file: self.tables().files[symbol.file.to_native() as usize].view(),
            symbol: self.symbol_view(found.symbol_idx as usize),
            tier: found.tier,
            distance: found.distance,
        }
    }

    /// Fuzzy matches are looked for only where the better tiers leave room for them: they could not be returned else.
    fn by_name(&self, pattern: &NamePattern, limit: usize) -> Vec<Match> {
        let close = self.match_names(pattern, NamePattern::closeness);
        if close.len() >= limit {
            return close;
        }
        let mut all = close;
        all.extend(
            self.match_names(pattern, |pattern, _, folded| {
                pattern.distance(folded).map(|edits| (NameTier::Fuzzy, edits))
            }),
        );
        all.sort_unstable_by_key(|found| (found.symbol_idx, found.tier));
        all.dedup_by_key(|found| found.symbol_idx);
        all
    }

    fn match_names(
        &self,
        pattern: &NamePattern,
        matches: impl Fn(&NamePattern, &str, &str) -> Option<(NameTier, u32)>,
    ) -> Vec<Match> {
        let mut found = Vec::new();
        for name in self.tables().names.iter() {
            // One spelling decides whether the folded form can match at all; the tier depends on each symbol's own.
            for symbol_idx in name.symbols.iter().map(|idx| idx.to_native()) {
                let symbol = &self.tables().symbols[symbol_idx as usize];
                let Some((tier, distance)) = matches(pattern, &symbol.name, &name.folded) else {
                    continue;
                };
                if pattern.admits_container(&symbol.container) {
                    found.push(Match { tier, distance, symbol_idx });
                }
            }
        }
        found
    }

    fn by_regex(&self, regex: &str) -> Result<Vec<Match>, IndexError> {
        let regex = compile(regex)?;
        Ok(self.filter_symbols(|symbol| regex.is_match(&symbol.qualified())))
    }

    fn by_id(&self, path: &str, qualified: &str, ordinal: u32) -> Vec<Match> {
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

    fn filter_symbols(&self, admits: impl Fn(&ArchivedSymbolRecord) -> bool) -> Vec<Match> {
        let symbols = self.tables().symbols.iter().enumerate();
        symbols
            .filter(|(_, symbol)| admits(symbol))
            .map(|(symbol_idx, _)| Match { tier: NameTier::Exact, distance: 0, symbol_idx: symbol_idx as u32 })
            .collect()
    }
}

/// Says how far a file of this class is held back among equals.
fn demotion(class: model::FileClass) -> u8 {
    use model::FileClass::*;
    match class {
        Source | Config => 0,
        Test | Docs => 1,
        Generated | Vendored | Binary => 2,
    }
}

fn compile(regex: &str) -> Result<regex::Regex, IndexError> {
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
