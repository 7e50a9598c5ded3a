//! `package.json` and `tsconfig.json`: packages, entry points and path mappings.

use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::manifest::ManifestFile;
use crate::paths::{folder, join};

/// Maximum length of a chain of `extends`.
const MAX_EXTENDS: usize = 8;

/// Maximum number of targets of one entry of `exports` or `paths`.
const MAX_TARGETS: usize = 64;

/// A package of the repository.
#[derive(Debug)]
pub(super) struct NpmPackage {
    pub(super) folder: String,
    pub(super) name: String,
    /// Files by subpath (`.`, `./sub`, `./sub/*`), in order of the conditions.
    pub(super) exports: Vec<(String, Vec<String>)>,
    /// The same for `#internal` specifiers.
    pub(super) imports: Vec<(String, Vec<String>)>,
}

impl NpmPackage {
    /// Returns true for the name of the package without its scope.
    pub(super) fn is_named(&self, name: &str) -> bool {
        !name.is_empty() && self.name.rsplit('/').next() == Some(name)
    }
}

/// Path mappings of a configuration.
#[derive(Debug, Clone, Default)]
pub(super) struct PathMappings {
    /// The `baseUrl` folder.
    pub(super) base: Option<String>,
    /// Patterns with at most one `*`, and their targets relative to the repository root.
    pub(super) patterns: Vec<(String, Vec<String>)>,
}

/// Reads the packages of a repository.
pub(super) fn packages(manifests: &[ManifestFile<'_>]) -> Vec<NpmPackage> {
    let files = manifests.iter().filter(|manifest| file_name(manifest.path) == "package.json");
    let mut packages: Vec<NpmPackage> = files.filter_map(package).collect();
    packages.sort_by(|a, b| a.folder.cmp(&b.folder));
    packages
}

fn package(manifest: &ManifestFile<'_>) -> Option<NpmPackage> {
    let json: Value = serde_json::from_str(manifest.text).ok()?;
    let name = json.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut exports = entries(json.get("exports"));
    let mains: Vec<String> = ["source", "types", "typings", "module", "main"]
        .iter()
        .filter_map(|field| json.get(*field)?.as_str())
        .map(str::to_owned)
        .collect();
    if !mains.is_empty() && !exports.iter().any(|(entry, _)| entry == ".") {
        exports.push((".".to_owned(), mains));
    }
    Some(NpmPackage { folder: folder(manifest.path).to_owned(), name, exports, imports: entries(json.get("imports")) })
}

/// Parses `exports` in any of its forms: a file, conditions, or subpaths.
fn entries(value: Option<&Value>) -> Vec<(String, Vec<String>)> {
    let Some(value) = value else { return Vec::new() };
    match value {
        Value::Object(fields) if fields.keys().any(|key| key.starts_with(['.', '#'])) => {
            fields.iter().map(|(entry, targets)| (entry.clone(), files_in(targets))).collect()
        }
        other => vec![(".".to_owned(), files_in(other))],
    }
}

/// Returns the files of an entry, in order of its conditions.
fn files_in(targets: &Value) -> Vec<String> {
    let mut files = Vec::new();
    let mut pending = vec![targets];
    while let Some(value) = pending.pop() {
        match value {
            Value::String(file) if files.len() < MAX_TARGETS => files.push(file.clone()),
            Value::Array(values) => pending.extend(values.iter().rev()),
            Value::Object(conditions) => {
                // `types` has priority over the other conditions, whatever their order.
                let is_types = |condition: &&String| condition.as_str() == "types";
                let (types, rest): (Vec<_>, Vec<_>) = conditions.iter().partition(|(name, _)| is_types(name));
                pending.extend(rest.into_iter().rev().chain(types).map(|(_, targets)| targets));
            }
            _ => {}
        }
    }
    files
}

/// Reads the path mappings of each folder with a configuration.
pub(super) fn paths(manifests: &[ManifestFile<'_>]) -> FxHashMap<String, PathMappings> {
    let configs: FxHashMap<&str, Value> = manifests
        .iter()
        .filter(|manifest| manifest.path.ends_with(".json") && file_name(manifest.path) != "package.json")
        .filter_map(|manifest| Some((manifest.path, serde_json::from_str(&jsonc_to_json(manifest.text)).ok()?)))
        .collect();
    let mut found = FxHashMap::default();
    for path in configs.keys() {
        if matches!(file_name(path), "tsconfig.json" | "jsconfig.json") {
            found.insert(folder(path).to_owned(), paths_of(path, &configs));
        }
    }
    found
}

/// Reads the path mappings of a configuration and of those that it extends.
fn paths_of(path: &str, configs: &FxHashMap<&str, Value>) -> PathMappings {
    let mut found = PathMappings::default();
    let mut pending = vec![path.to_owned()];
    for _ in 0..MAX_EXTENDS {
        let Some(path) = pending.pop() else { break };
        let Some(config) = configs.get(path.as_str()) else { continue };
        let config_folder = folder(&path);
        let options = config.get("compilerOptions");
        let base =
            options.and_then(|options| options.get("baseUrl")?.as_str()).and_then(|base| join(config_folder, base));
        if let Some(patterns) = options.and_then(|options| options.get("paths")?.as_object())
            && found.patterns.is_empty()
        {
            let root = base.clone().unwrap_or_else(|| config_folder.to_owned());
            for (pattern, targets) in patterns {
                let targets = files_in(targets).iter().filter_map(|target| join(&root, target)).collect();
                found.patterns.push((pattern.clone(), targets));
            }
        }
        found.base = found.base.or(base);
        let extended: Vec<String> = match config.get("extends") {
            Some(Value::String(one)) => vec![one.clone()],
            Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        for one in extended.iter().filter(|one| one.starts_with('.')) {
            if let Some(target) = join(config_folder, one) {
                pending.push(if target.ends_with(".json") { target } else { target + ".json" });
            }
        }
    }
    found
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Removes comments and trailing commas, which configurations may have but JSON does not allow.
fn jsonc_to_json(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut in_string = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if in_string => {
                plain.push(c);
                plain.extend(chars.next());
            }
            '"' => {
                in_string = !in_string;
                plain.push(c);
            }
            '/' if !in_string && chars.peek() == Some(&'/') => {
                for skipped in chars.by_ref() {
                    if skipped == '\n' {
                        break;
                    }
                }
            }
            '/' if !in_string && chars.peek() == Some(&'*') => {
                chars.next();
                let mut last = ' ';
                for skipped in chars.by_ref() {
                    if last == '*' && skipped == '/' {
                        break;
                    }
                    last = skipped;
                }
            }
            '}' | ']' if !in_string => {
                let trimmed = plain.trim_end();
                if trimmed.ends_with(',') {
                    plain.truncate(trimmed.len() - 1);
                }
                plain.push(c);
            }
            _ => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_are_removed() {
        let text = "{ // a\n \"b\": [\"c//\", /* d */ \"e,]\",], }";
        let json: Value = serde_json::from_str(&jsonc_to_json(text)).expect("plain");
        assert_eq!(json["b"][1], "e,]");
    }

    #[test]
    fn configurations_extend_others() {
        let manifests = [
            ManifestFile { path: "a/tsconfig.json", text: r#"{ "extends": "../base" }"# },
            ManifestFile { path: "base.json", text: r##"{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }"## },
        ];
        assert_eq!(paths(&manifests)["a"].patterns, [("@/*".to_owned(), vec!["src/*".to_owned()])]);
    }
}
