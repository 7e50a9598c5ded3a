//! The definitions of the symbols that a compiler found in an importer: its own, and those of the providers.
//!
//! A symbol of another repository has the same text in the index of that repository. If that has no index, the symbol is looked up by
//! its package, its types and its name.

use std::collections::{BTreeSet, HashMap};

use graph::{FileIdx, ManifestFile, Program, SymbolIdx};
use model::{code::DefinitionId, symbol::qualify};

use crate::{
    RepositoryManifests,
    compiler_facts::{CompilerFacts, CompilerSymbol, DefinitionPlace},
    link_facts::LinkFacts,
};

/// The definitions of symbols, by the index of the symbol in the importer.
pub(super) struct CompilerTargets(Vec<Vec<SymbolIdx>>);

impl CompilerTargets {
    /// Finds the definitions of the symbols of an importer. `repositories` are the importer and its providers, whose files are in this
    /// order in the program.
    pub(super) fn new(program: &Program<'_>, repositories: &[&LinkFacts]) -> CompilerTargets {
        let (importer, providers) = repositories.split_first().expect("the importer is the first");
        if importer.compiler.files.is_empty() {
            return CompilerTargets(Vec::new());
        }
        let first_files: Vec<u32> = repositories
            .iter()
            .scan(0, |next, facts| Some(std::mem::replace(next, *next + facts.files.len() as u32)))
            .collect();
        let indexed = IndexedProviders::new(providers);
        let made: Vec<MadePackages> = providers.iter().map(|facts| MadePackages::of(facts)).collect();
        let own = PlacedFiles { facts: importer, first_file: 0 };
        let targets = importer.compiler.symbols.iter().map(|symbol| {
            if symbol.is_defined {
                return own.symbols(program, &symbol.definitions);
            }
            if let Some((provider, found)) = indexed.symbol(&symbol.text) {
                let place = PlacedFiles { facts: providers[provider], first_file: first_files[provider + 1] };
                return place.symbols(program, &found.definitions);
            }
            let makers: Vec<usize> = (0..providers.len()).filter(|provider| made[*provider].has(symbol)).collect();
            match makers[..] {
                [provider] => {
                    let first = first_files[provider + 1];
                    let files = first..first + providers[provider].files.len() as u32;
                    by_descriptors(program, symbol, &files)
                }
                // Several repositories make a package of this name: nothing tells which one is meant.
                _ => Vec::new(),
            }
        });
        CompilerTargets(targets.collect())
    }

    /// Returns the definitions of a symbol.
    pub(super) fn of(&self, symbol: u32) -> Vec<SymbolIdx> {
        self.0.get(symbol as usize).cloned().unwrap_or_default()
    }
}

/// The files of a repository in a program.
struct PlacedFiles<'a> {
    facts: &'a LinkFacts,
    first_file: u32,
}

impl PlacedFiles<'_> {
    fn symbols(&self, program: &Program<'_>, places: &[DefinitionPlace]) -> Vec<SymbolIdx> {
        let symbol = |place: &DefinitionPlace| {
            let position = self.facts.files.binary_search_by_key(&place.file_idx, |file| file.file_idx).ok()?;
            let n_definitions = self.facts.files[position].facts.definitions.len() as u32;
            let file = FileIdx(self.first_file + position as u32);
            (place.definition < n_definitions).then(|| program.symbol(file, DefinitionId(place.definition)))
        };
        places.iter().filter_map(symbol).collect()
    }
}

/// The symbols that the indexes of providers define, by text.
struct IndexedProviders<'a>(HashMap<&'a str, (usize, &'a CompilerSymbol)>);

impl<'a> IndexedProviders<'a> {
    fn new(providers: &[&'a LinkFacts]) -> IndexedProviders<'a> {
        let mut by_text = HashMap::new();
        for (provider, facts) in providers.iter().enumerate() {
            let CompilerFacts { symbols, .. } = &facts.compiler;
            for symbol in symbols.iter().filter(|symbol| !symbol.definitions.is_empty()) {
                by_text.entry(symbol.text.as_str()).or_insert((provider, symbol));
            }
        }
        IndexedProviders(by_text)
    }

    fn symbol(&self, text: &str) -> Option<(usize, &'a CompilerSymbol)> {
        self.0.get(text).copied()
    }
}

/// The packages that a repository makes.
struct MadePackages(BTreeSet<String>);

impl MadePackages {
    fn of(facts: &LinkFacts) -> MadePackages {
        let texts: Vec<ManifestFile<'_>> =
            facts.manifests.iter().map(|(path, text)| ManifestFile { path, text }).collect();
        let declared = RepositoryManifests::read(&texts);
        let made = texts.iter().flat_map(|manifest| declared.packages.made_by(manifest.path));
        MadePackages(made.map(|package| package.key.clone()).collect())
    }

    fn has(&self, symbol: &CompilerSymbol) -> bool {
        self.0.contains(&symbol.package)
    }
}

/// Returns the definitions among some files that a symbol names: those in the file that its namespace fits best. None if several files
/// fit equally.
fn by_descriptors(program: &Program<'_>, symbol: &CompilerSymbol, files: &std::ops::Range<u32>) -> Vec<SymbolIdx> {
    let Some((name, types)) = symbol.path.split_last() else { return Vec::new() };
    let Some(named) = program.name_named(name) else { return Vec::new() };
    let qualified = qualify(&types.join("."), name);
    let is_meant = |candidate: &&SymbolIdx| {
        let definition = program.definition(**candidate);
        files.contains(&program.file_of(**candidate).0) && qualify(&definition.container, &definition.name) == qualified
    };
    let candidates: Vec<SymbolIdx> = program.named(named).iter().filter(is_meant).copied().collect();
    let fit = |candidate: &SymbolIdx| n_equal_parts(&symbol.namespace, program.path(program.file_of(*candidate)));
    let Some(best) = candidates.iter().map(fit).max() else { return Vec::new() };
    let best: Vec<SymbolIdx> = candidates.into_iter().filter(|candidate| fit(candidate) == best).collect();
    let is_one_file = best.iter().all(|one| program.file_of(*one) == program.file_of(best[0]));
    if is_one_file { best } else { Vec::new() }
}

/// Returns the number of parts at the end of a path, or of its folder, that are those at the end of a namespace.
fn n_equal_parts(namespace: &[String], path: &str) -> usize {
    let namespace: Vec<&str> = namespace.iter().flat_map(|part| part.split(['/', '.', ':'])).collect();
    // A declaration file describes the source file of the same name.
    let namespace = namespace.strip_suffix(&["d", "ts"]).unwrap_or(&namespace);
    let path: Vec<&str> = path.split(['/', '.']).collect();
    let n_equal = |parts: &[&str]| {
        let pairs = parts.iter().rev().zip(namespace.iter().rev());
        pairs.take_while(|(part, expected)| part == expected).count()
    };
    let without_extension = &path[..path.len() - 1];
    let folder = &path[..path.len().saturating_sub(2)];
    [&path[..], without_extension, folder].into_iter().map(n_equal).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use model::{FileClass, FileFacts, Language};

    use super::*;
    use crate::{
        compiler_facts::{CompilerFile, SymbolUse},
        joint::link_importer,
        link_facts::{FileToEncode, decode_importer, decode_provider, encode},
    };

    const APP: &[(&str, &str)] = &[("a.py", "from kit import pool\n\ndef f(p):\n    p.take()\n")];
    const KIT: &[(&str, &str)] = &[
        ("kit/other.py", "class Pool:\n    def take(self):\n        pass\n"),
        ("kit/pool.py", "class Pool:\n    def take(self):\n        pass\n"),
        ("pyproject.toml", "[project]\nname = \"kit\"\n"),
    ];

    fn encoded(files: &[(&str, &str)], compiler: &CompilerFacts) -> Vec<u8> {
        let facts: Vec<(&str, FileFacts)> = files
            .iter()
            .map(|(path, text)| (*path, syntax::extract(Language::of_path(path), text.as_bytes())))
            .collect();
        let manifests = files.iter().filter(|(path, _)| graph::is_manifest(path));
        let manifests: Vec<ManifestFile<'_>> = manifests.map(|(path, text)| ManifestFile { path, text }).collect();
        let files = facts.iter().map(|(path, facts)| FileToEncode {
            path,
            class: FileClass::Source,
            facts,
            interface: graph::interface_hash(facts),
            is_unchanged: false,
        });
        encode(files, &manifests, compiler, &[], None).expect("few bytes")
    }

    fn symbol(namespace: &str, definitions: &[DefinitionPlace]) -> CompilerSymbol {
        CompilerSymbol {
            text: "scip-python python kit 0.1 `kit.pool`/Pool#take().".to_owned(),
            package: "pypi:kit".to_owned(),
            namespace: vec![namespace.to_owned()],
            path: vec!["Pool".to_owned(), "take".to_owned()],
            is_defined: !definitions.is_empty(),
            definitions: definitions.to_vec(),
        }
    }

    /// Returns the calls of the app, whose index has one use of `Pool.take`, as the provider and the path of the target.
    fn calls(used: CompilerSymbol, providers: &[CompilerFacts]) -> Vec<(u32, String, f32)> {
        let uses = vec![SymbolUse { line: 4, name: 0, symbol: 0 }];
        let app = CompilerFacts {
            symbols: vec![used],
            names: vec!["take".to_owned()],
            files: vec![CompilerFile { file_idx: 0, uses, bases: Vec::new() }],
        };
        let importer = decode_importer(&encoded(APP, &app)).unwrap();
        let providers: Vec<LinkFacts> =
            providers.iter().map(|compiler| decode_provider(&encoded(KIT, compiler)).unwrap()).collect();
        let links = link_importer(&importer, &providers.iter().collect::<Vec<_>>(), &BTreeSet::new()).links;
        let calls = links.into_iter().filter(|link| link.kind == graph::EdgeKind::Calls);
        calls.map(|link| (link.provider, link.target.path.to_string(), link.resolution.confidence())).collect()
    }

    #[test]
    fn a_symbol_is_found_in_the_index_of_its_repository() {
        let place = DefinitionPlace { file_idx: 1, definition: 1 };
        let indexed = CompilerFacts { symbols: vec![symbol("kit.pool", &[place])], ..CompilerFacts::default() };
        let expected = [(1, "kit/pool.py".to_owned(), 1.0)];
        // Both repositories make the package, and one has the symbol in its index.
        assert_eq!(calls(symbol("elsewhere", &[]), &[CompilerFacts::default(), indexed]), expected);
    }

    #[test]
    fn a_symbol_is_found_by_package_types_and_name() {
        let none = CompilerFacts::default;
        assert_eq!(calls(symbol("kit.pool", &[]), &[none()]), [(0, "kit/pool.py".to_owned(), 1.0)]);
        assert_eq!(calls(symbol("kit.other", &[]), &[none()]), [(0, "kit/other.py".to_owned(), 1.0)]);
        // Both files fit equally.
        assert_eq!(calls(symbol("dist", &[]), &[none()]), []);
        // Two repositories make the package.
        assert_eq!(calls(symbol("kit.pool", &[]), &[none(), none()]), []);
        let foreign = CompilerSymbol { package: "pypi:pool".to_owned(), ..symbol("kit.pool", &[]) };
        assert_eq!(calls(foreign, &[none()]), []);
    }

    #[test]
    fn namespaces_are_compared_with_paths() {
        for (namespace, path, expected) in [
            (&["src", "a.ts"][..], "1/packages/kit/src/a.ts", 3),
            (&["dist", "a.d.ts"], "1/src/a.ts", 1),
            (&["kit.pool"], "1/src/kit/pool.py", 2),
            (&["example.com/kit/pool"], "1/pool/take.go", 1),
            (&["org", "acme"], "1/src/main/java/org/acme/A.java", 2),
            (&["b"], "1/a.ts", 0),
        ] {
            let namespace: Vec<String> = namespace.iter().map(|part| (*part).to_owned()).collect();
            assert_eq!(n_equal_parts(&namespace, path), expected, "{namespace:?} {path}");
        }
    }
}
