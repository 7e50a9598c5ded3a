//! Which file a specifier means.

use rustc_hash::FxHashMap;

use super::manifests::{self, Package, Paths};
use crate::paths::{folder, join};
use crate::program::{FileIdx, Manifest, Program};

/// Endings that a specifier may leave out, in the order in which they are tried.
const ENDINGS: [&str; 9] = [".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"];

/// What a specifier's ending may stand for in the source.
const SOURCES: [(&str, &[&str]); 7] = [
    (".js", &[".ts", ".tsx", ".d.ts", ".js", ".jsx"]),
    (".mjs", &[".mts", ".ts", ".d.mts", ".mjs"]),
    (".cjs", &[".cts", ".ts", ".d.cts", ".cjs"]),
    (".jsx", &[".tsx", ".d.ts", ".jsx"]),
    (".d.ts", &[".d.ts", ".ts", ".tsx"]),
    (".d.mts", &[".d.mts", ".mts", ".ts"]),
    (".d.cts", &[".d.cts", ".cts", ".ts"]),
];

/// Folders of what is built, whose sources lie elsewhere in the package.
const BUILT: [&str; 8] = ["dist", "lib", "build", "out", "esm", "cjs", "es", "types"];

/// The files of a program by what specifiers mean.
pub(super) struct Modules<'p> {
    program: &'p Program<'p>,
    packages: Vec<Package>,
    /// By name: the place among the packages.
    by_name: FxHashMap<String, usize>,
    paths: FxHashMap<String, Paths>,
}

impl<'p> Modules<'p> {
    pub(super) fn new(program: &'p Program<'p>, manifests: &[Manifest<'_>]) -> Modules<'p> {
        let packages = manifests::packages(manifests);
        let mut by_name = FxHashMap::default();
        for (index, package) in packages.iter().enumerate() {
            if !package.name.is_empty() {
                by_name.entry(package.name.clone()).or_insert(index);
            }
        }
        Modules { program, packages, by_name, paths: manifests::paths(manifests) }
    }

    /// Returns the file that a specifier in another file means; nothing where it lies outside of the repository.
    pub(super) fn find(&self, from: FileIdx, specifier: &str) -> Option<FileIdx> {
        let specifier = specifier.split(['?', '!']).next().unwrap_or(specifier);
        let here = folder(self.program.path(from));
        if specifier.starts_with("./") || specifier.starts_with("../") || matches!(specifier, "." | "..") {
            return self.file(&join(here, specifier)?);
        }
        if specifier.starts_with('#') {
            let own = self.package_around(here)?;
            return self.entry(own, &own.imports, specifier).or_else(|| self.aliased(here, specifier));
        }
        self.aliased(here, specifier).or_else(|| self.in_package(specifier))
    }

    /// Looks through the aliases of the nearest configuration, then of those around it.
    fn aliased(&self, here: &str, specifier: &str) -> Option<FileIdx> {
        let mut at = Some(here);
        while let Some(around) = at {
            if let Some(paths) = self.paths.get(around) {
                for (pattern, targets) in &paths.patterns {
                    let Some(rest) = matches(pattern, specifier) else { continue };
                    let found = targets.iter().find_map(|target| self.file(&target.replacen('*', rest, 1)));
                    if found.is_some() {
                        return found;
                    }
                }
                let in_base = paths.base.as_deref().and_then(|base| self.file(&join(base, specifier)?));
                if in_base.is_some() {
                    return in_base;
                }
            }
            at = (!around.is_empty()).then(|| folder(around));
        }
        None
    }

    /// `name`, `name/sub`, `@scope/name/sub` of a package of the repository.
    fn in_package(&self, specifier: &str) -> Option<FileIdx> {
        let n_parts = if specifier.starts_with('@') { 2 } else { 1 };
        let end = specifier.match_indices('/').nth(n_parts - 1).map_or(specifier.len(), |(at, _)| at);
        let package = &self.packages[*self.by_name.get(&specifier[..end])?];
        let sub = format!(".{}", &specifier[end..]);
        if let Some(found) = self.entry(package, &package.exports, &sub) {
            return Some(found);
        }
        let inner = sub.trim_start_matches("./").trim_start_matches('.');
        let places = [join(&package.folder, "src"), Some(package.folder.clone())];
        places.into_iter().flatten().find_map(|place| self.file(&join(&place, &format!("./{inner}"))?))
    }

    fn entry(&self, package: &Package, entries: &[(String, Vec<String>)], wanted: &str) -> Option<FileIdx> {
        for (entry, targets) in entries {
            let Some(rest) = matches(entry, wanted) else { continue };
            for target in targets {
                let target = target.replacen('*', rest, 1);
                if let Some(found) = self.source_of(package, &target) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// Returns the source of a file that a package offers, which may be built from it.
    fn source_of(&self, package: &Package, target: &str) -> Option<FileIdx> {
        if let Some(found) = self.file(&join(&package.folder, target)?) {
            return Some(found);
        }
        let mut rest = target.trim_start_matches("./");
        for _ in 0..3 {
            let Some((first, inner)) = rest.split_once('/').filter(|(first, _)| BUILT.contains(first)) else { break };
            let _ = first;
            rest = inner;
            let places = [join(&package.folder, "src"), Some(package.folder.clone())];
            let found = places.into_iter().flatten().find_map(|place| self.file(&join(&place, rest)?));
            if found.is_some() {
                return found;
            }
        }
        self.file(&join(&join(&package.folder, "src")?, rest)?)
    }

    fn package_around(&self, here: &str) -> Option<&Package> {
        let is_around = |package: &&Package| {
            package.folder.is_empty()
                || here == package.folder
                || here.strip_prefix(package.folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        self.packages.iter().filter(is_around).max_by_key(|package| package.folder.len())
    }

    /// Returns the file that a path without or with its ending means, or the index of the folder.
    fn file(&self, path: &str) -> Option<FileIdx> {
        let at = |path: &str| self.program.file_at(path);
        for (ending, sources) in SOURCES {
            // A declaration file wins over the code beside it, as for the compiler.
            let Some(stem) = path.strip_suffix(ending) else { continue };
            return sources.iter().find_map(|source| at(&format!("{stem}{source}")));
        }
        if has_ending(path)
            && let Some(found) = at(path)
        {
            return Some(found);
        }
        let beside = ENDINGS.iter().find_map(|ending| at(&format!("{path}{ending}")));
        beside.or_else(|| {
            let folder = if path.is_empty() { String::new() } else { format!("{path}/") };
            ENDINGS.iter().find_map(|ending| at(&format!("{folder}index{ending}")))
        })
    }
}

fn has_ending(path: &str) -> bool {
    ENDINGS.iter().any(|ending| path.ends_with(ending))
}

/// Returns what stands for `*` in a pattern, if a text matches it; empty for a pattern without one.
fn matches<'s>(pattern: &str, text: &'s str) -> Option<&'s str> {
    match pattern.split_once('*') {
        Some((before, after)) => text.strip_prefix(before)?.strip_suffix(after),
        None => (pattern == text).then_some(""),
    }
}
