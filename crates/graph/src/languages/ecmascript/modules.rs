//! Module resolution: from specifiers to files.

use rustc_hash::FxHashMap;

use super::manifests::{self, NpmPackage, PathMappings};
use crate::paths::{folder, join};
use crate::{
    manifest::ManifestFile,
    program::{FileIdx, Program},
};

/// File extensions that a specifier may omit, in resolution order.
const EXTENSIONS: [&str; 9] = [".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"];

/// Source extensions for each extension in a specifier.
const SOURCES: [(&str, &[&str]); 7] = [
    (".js", &[".ts", ".tsx", ".d.ts", ".js", ".jsx"]),
    (".mjs", &[".mts", ".ts", ".d.mts", ".mjs"]),
    (".cjs", &[".cts", ".ts", ".d.cts", ".cjs"]),
    (".jsx", &[".tsx", ".d.ts", ".jsx"]),
    (".d.ts", &[".d.ts", ".ts", ".tsx"]),
    (".d.mts", &[".d.mts", ".mts", ".ts"]),
    (".d.cts", &[".d.cts", ".cts", ".ts"]),
];

/// Build output folders, whose sources are elsewhere in the package.
const OUTPUT_FOLDERS: [&str; 8] = ["dist", "lib", "build", "out", "esm", "cjs", "es", "types"];

/// Resolver of module specifiers over the files and manifests of a program.
pub(super) struct ModuleResolver<'p> {
    program: &'p Program<'p>,
    packages: Vec<NpmPackage>,
    /// Indices in `packages` of each package name.
    by_name: FxHashMap<String, Vec<usize>>,
    paths: FxHashMap<String, PathMappings>,
}

impl<'p> ModuleResolver<'p> {
    pub(super) fn new(program: &'p Program<'p>, manifests: &[ManifestFile<'_>]) -> ModuleResolver<'p> {
        let packages = manifests::packages(manifests);
        let mut by_name: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (index, package) in packages.iter().enumerate() {
            if !package.name.is_empty() {
                by_name.entry(package.name.clone()).or_default().push(index);
            }
        }
        ModuleResolver { program, packages, by_name, paths: manifests::paths(manifests) }
    }

    /// Resolves a specifier in a file. Returns none for a module outside of the repository.
    pub(super) fn find(&self, from: FileIdx, specifier: &str) -> Option<FileIdx> {
        let specifier = specifier.split(['?', '!']).next().unwrap_or(specifier);
        let importing_folder = folder(self.program.path(from));
        if specifier.starts_with("./") || specifier.starts_with("../") || matches!(specifier, "." | "..") {
            return self.resolve_file(&self.program.relative_path(from, specifier)?);
        }
        if specifier.starts_with('#') {
            let own = self.enclosing_package(importing_folder)?;
            return self
                .resolve_entry(own, &own.imports, specifier)
                .or_else(|| self.resolve_mapped(importing_folder, specifier));
        }
        self.resolve_mapped(importing_folder, specifier)
            .or_else(|| self.resolve_in_packages(importing_folder, specifier))
    }

    /// Resolves a specifier by the path mappings of the nearest configuration, then of the enclosing ones.
    fn resolve_mapped(&self, importing_folder: &str, specifier: &str) -> Option<FileIdx> {
        let mut at = Some(importing_folder);
        while let Some(enclosing) = at {
            if let Some(paths) = self.paths.get(enclosing) {
                for (pattern, targets) in &paths.patterns {
                    let Some(rest) = matches(pattern, specifier) else { continue };
                    let found = targets.iter().find_map(|target| self.resolve_file(&target.replacen('*', rest, 1)));
                    if found.is_some() {
                        return found;
                    }
                }
                let in_base = paths.base.as_deref().and_then(|base| self.resolve_file(&join(base, specifier)?));
                if in_base.is_some() {
                    return in_base;
                }
            }
            at = (!enclosing.is_empty()).then(|| folder(enclosing));
        }
        None
    }

    /// Resolves `name`, `name/sub` or `@scope/name/sub` in the packages of the repository, then in those of others.
    fn resolve_in_packages(&self, importing_folder: &str, specifier: &str) -> Option<FileIdx> {
        let n_parts = if specifier.starts_with('@') { 2 } else { 1 };
        let end = specifier.match_indices('/').nth(n_parts - 1).map_or(specifier.len(), |(at, _)| at);
        let package = self.package_named(importing_folder, &specifier[..end])?;
        let sub = format!(".{}", &specifier[end..]);
        if let Some(found) = self.resolve_entry(package, &package.exports, &sub) {
            return Some(found);
        }
        let inner = sub.trim_start_matches("./").trim_start_matches('.');
        let places = [join(&package.folder, "src"), Some(package.folder.clone())];
        places.into_iter().flatten().find_map(|place| self.resolve_file(&join(&place, &format!("./{inner}"))?))
    }

    /// Returns the package of a name: the first one of the repository, else the outermost one of another repository.
    fn package_named(&self, importing_folder: &str, name: &str) -> Option<&NpmPackage> {
        let repository = self.program.root_of(importing_folder);
        let named = self.by_name.get(name)?.iter().map(|index| &self.packages[*index]);
        let own = named.clone().find(|package| self.program.root_of(&package.folder) == repository);
        own.or_else(|| named.min_by_key(|package| package.folder.matches('/').count()))
    }

    /// Resolves a subpath in the entry points of a package.
    fn resolve_entry(
        &self,
        package: &NpmPackage,
        entries: &[(String, Vec<String>)],
        expected: &str,
    ) -> Option<FileIdx> {
        for (entry, targets) in entries {
            let Some(rest) = matches(entry, expected) else { continue };
            for target in targets {
                let target = target.replacen('*', rest, 1);
                if let Some(found) = self.source_of(package, &target) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// Returns the source of an entry file, which may be a build output.
    fn source_of(&self, package: &NpmPackage, target: &str) -> Option<FileIdx> {
        if let Some(found) = self.resolve_file(&join(&package.folder, target)?) {
            return Some(found);
        }
        let mut rest = target.trim_start_matches("./");
        for _ in 0..3 {
            let Some((first, inner)) = rest.split_once('/').filter(|(first, _)| OUTPUT_FOLDERS.contains(first)) else {
                break;
            };
            let _ = first;
            rest = inner;
            let places = [join(&package.folder, "src"), Some(package.folder.clone())];
            let found = places.into_iter().flatten().find_map(|place| self.resolve_file(&join(&place, rest)?));
            if found.is_some() {
                return found;
            }
        }
        let sources = join(&package.folder, "src")?;
        let found = self.resolve_file(&join(&sources, rest)?);
        // A bundle that has the name of its package, as `dist/vue.d.ts`, is built from the index.
        let is_bundle = rest != target.trim_start_matches("./") && package.is_named(bundle_name(rest));
        found.or_else(|| if is_bundle { self.resolve_file(&join(&sources, "./index")?) } else { None })
    }

    /// Returns the innermost package around a folder.
    fn enclosing_package(&self, importing_folder: &str) -> Option<&NpmPackage> {
        let is_around = |package: &&NpmPackage| {
            package.folder.is_empty()
                || importing_folder == package.folder
                || importing_folder.strip_prefix(package.folder.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        self.packages.iter().filter(is_around).max_by_key(|package| package.folder.len())
    }

    /// Resolves a path with or without extension, or the index file of a folder.
    fn resolve_file(&self, path: &str) -> Option<FileIdx> {
        let at = |path: &str| self.program.file_at(path);
        for (extension, sources) in SOURCES {
            // A declaration file has priority over the code beside it, as in the compiler.
            let Some(stem) = path.strip_suffix(extension) else { continue };
            return sources.iter().find_map(|source| at(&format!("{stem}{source}")));
        }
        if has_extension(path)
            && let Some(found) = at(path)
        {
            return Some(found);
        }
        let with_extension = EXTENSIONS.iter().find_map(|extension| at(&format!("{path}{extension}")));
        with_extension.or_else(|| {
            let folder = if path.is_empty() { String::new() } else { format!("{path}/") };
            EXTENSIONS.iter().find_map(|extension| at(&format!("{folder}index{extension}")))
        })
    }
}

/// Returns the name of a built file without its extensions: `vue` of `vue.runtime.esm-bundler.js`.
fn bundle_name(path: &str) -> &str {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    name.split_once('.').map_or(name, |(name, _)| name)
}

fn has_extension(path: &str) -> bool {
    EXTENSIONS.iter().any(|extension| path.ends_with(extension))
}

/// Returns the text that `*` in a pattern matches; empty for an exact match without `*`.
fn matches<'s>(pattern: &str, text: &'s str) -> Option<&'s str> {
    match pattern.split_once('*') {
        Some((before, after)) => text.strip_prefix(before)?.strip_suffix(after),
        None => (pattern == text).then_some(""),
    }
}
