//! Symbols by name, by pattern, and by id.

use globset::GlobBuilder;
use model::Filter;
use ranking::name::{NamePattern, NameTier, SymbolOrder};
use regex::RegexBuilder;

use crate::{FileView, IndexError, Snapshot, SymbolView, table::ArchivedSymbolRecord, wording::WordingsByFile};

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
    /// What symbols of any repositories are ordered by, before alias, path and line.
    pub order: SymbolOrder,
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
            Wanted::Name(name) => self.by_name(&NamePattern::parse(name)),
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
        matches.sort_unstable_by_key(|found| (self.order(found), found.symbol_idx));
        let matched = matches.len() as u64;
        matches.truncate(query.limit);
        let mut read = WordingsByFile::default();
        let hits = matches.iter().map(|found| self.symbol_hit(found, &mut read)).collect::<Result<_, _>>()?;
        Ok(SymbolHits { hits, matched })
    }

    fn order(&self, found: &Match) -> SymbolOrder {
        let symbol = &self.tables().symbols[found.symbol_idx as usize];
        let file = &self.tables().files[symbol.file.to_native() as usize];
        SymbolOrder::new(found.tier, found.distance, file.class(), self.used_by(found.symbol_idx), Some(symbol.kind()))
    }

    fn symbol_hit(&self, found: &Match, read: &mut WordingsByFile) -> Result<SymbolHit, IndexError> {
        let symbol = &self.tables().symbols[found.symbol_idx as usize];
        Ok(SymbolHit {
            order: self.order(found),
            file: self.file_view(symbol.file.to_native() as usize),
            symbol: self.symbol(found.symbol_idx as usize, read)?,
            tier: found.tier,
            distance: found.distance,
        })
    }

    fn by_name(&self, pattern: &NamePattern) -> Vec<Match> {
        self.match_names(pattern, |name, folded| {
            let fuzzy = || pattern.distance(folded).map(|edits| (NameTier::Fuzzy, edits));
            pattern.closeness(name, folded).or_else(fuzzy)
        })
    }

    fn match_names(
        &self,
        pattern: &NamePattern,
        matches: impl Fn(&str, &str) -> Option<(NameTier, u32)>,
    ) -> Vec<Match> {
        let mut found = Vec::new();
        let packages = self.package_names();
        for name in self.tables().names.iter() {
            // The tier depends on how each symbol writes the name, though all of them fold to the same.
            for symbol_idx in name.symbols.iter().map(|idx| idx.to_native()) {
                let symbol = &self.tables().symbols[symbol_idx as usize];
                let Some((tier, distance)) = matches(&symbol.name, &name.folded) else { continue };
                if self.is_qualified_so(symbol, pattern, &packages) {
                    found.push(Match { tier, distance, symbol_idx });
                }
            }
        }
        found
    }

    fn by_regex(&self, regex: &str) -> Result<Vec<Match>, IndexError> {
        let regex = compile(regex)?;
        Ok(self.filter_symbols(|symbol| regex.is_match(&symbol.qualified()) || regex.is_match(&symbol.name)))
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
