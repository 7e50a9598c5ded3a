//! The package and name that an import of each language means.

use std::collections::BTreeMap;

use graph::{Family, FileIdx, Program, public_headers};
use model::{Import, Language};

use crate::manifests::{DeclaredPackages, normal_python_name};

/// Confidence of a name of a package that the manifest declares.
const DECLARED: f32 = 0.95;

/// Confidence of a name of a package that no manifest here declares: it may be another package of the same name.
const UNDECLARED: f32 = 0.4;

/// The package and name that a local name was imported from.
#[derive(Debug, Clone)]
pub(super) struct ImportOrigin {
    /// The key of the package.
    pub(super) key: String,
    /// The name within the package, `module::Name`, or a module; empty for the package itself.
    pub(super) member: String,
    pub(super) kind: ImportKind,
    pub(super) confidence: f32,
}

/// The kind of thing that an import binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ImportKind {
    Module,
    /// A type, function or value.
    Name,
    /// A module, a function or a value: `from a import b`, `use a::b`.
    Either,
}

impl ImportOrigin {
    /// Returns a name within this module.
    pub(super) fn name_within(&self, name: &str) -> String {
        if self.member.is_empty() { name.to_owned() } else { format!("{}::{name}", self.member) }
    }
}

/// Returns the origin of an import; `None` if it is in the standard library or in this repository.
pub(super) fn of_import(
    program: &Program<'_>,
    packages: &DeclaredPackages,
    file: FileIdx,
    import: &Import,
) -> Option<ImportOrigin> {
    let (key, module, confidence) = match program.language(file) {
        Language::JavaScript | Language::TypeScript | Language::Tsx => npm(packages, &import.module)?,
        Language::Python => python(packages, &import.module)?,
        Language::Go => go(packages, &import.module)?,
        Language::Rust => cargo(packages, &import.module)?,
        Language::Java | Language::Kotlin | Language::Scala => java(program, &import.module)?,
        Language::C | Language::Cpp => c_header(&import.module)?,
        _ => return None,
    };
    if packages.makes(&key) {
        return None;
    }
    let is_whole = import.name.is_empty() || import.name == "*";
    let language = program.language(file);
    let member = match (module.as_str(), import.name.as_str()) {
        // `import a.b` binds `a`.
        (_, "") if language == Language::Python && import.alias.is_empty() => String::new(),
        (module, _) if is_whole => module.to_owned(),
        // The default export of a JavaScript module is the module itself.
        (module, "default") if is_ecmascript(language) => module.to_owned(),
        ("", name) => name.to_owned(),
        (module, name) => format!("{module}::{name}"),
    };
    let last = member.rsplit([':', '.']).next().unwrap_or_default();
    let kind = match language {
        Language::Java | Language::Kotlin | Language::Scala => ImportKind::Name,
        Language::Python if is_whole => ImportKind::Module,
        // Names of modules and functions begin with a lower-case letter.
        Language::Python | Language::Rust if !last.is_empty() && starts_upper(last) => ImportKind::Name,
        Language::Python | Language::Rust => ImportKind::Either,
        language if is_ecmascript(language) && import.name == "default" => ImportKind::Module,
        _ if is_whole => ImportKind::Module,
        _ => ImportKind::Name,
    };
    Some(ImportOrigin { key, member, kind, confidence })
}

fn npm(packages: &DeclaredPackages, module: &str) -> Option<(String, String, f32)> {
    let is_path = module.starts_with(['.', '/', '#']) || module.contains(':');
    if is_path || module.is_empty() {
        return None;
    }
    let n_parts = if module.starts_with('@') { 2 } else { 1 };
    let end = module.match_indices('/').nth(n_parts - 1).map_or(module.len(), |(at, _)| at);
    let key = format!("npm:{}", &module[..end]);
    let is_declared = packages.requires(&key);
    // If other packages are declared, an undeclared one is part of the platform.
    if !is_declared && packages.requires_any("npm") {
        return None;
    }
    let confidence = if is_declared { DECLARED } else { UNDECLARED };
    Some((key, module[end..].trim_start_matches('/').to_owned(), confidence))
}

/// Returns the Python module. Its name may differ from that of the distribution, in which case it counts as undeclared.
fn python(packages: &DeclaredPackages, module: &str) -> Option<(String, String, f32)> {
    if module.starts_with('.') || module.is_empty() {
        return None;
    }
    let (root, rest) = module.split_once('.').unwrap_or((module, ""));
    let distribution = format!("pypi:{}", normal_python_name(root));
    let is_declared = packages.requires(&distribution);
    if !is_declared && packages.requires_any("pypi") {
        return None;
    }
    let confidence = if is_declared { DECLARED } else { UNDECLARED };
    Some((format!("python:{root}"), rest.to_owned(), confidence))
}

/// Returns the Go module: the longest required path that is a prefix of the import.
fn go(packages: &DeclaredPackages, path: &str) -> Option<(String, String, f32)> {
    let key = |module: &str| format!("go:{module}");
    let mut modules = std::iter::successors(Some(path), |module| module.rsplit_once('/').map(|(above, _)| above));
    let module = modules.find(|module| packages.requires(&key(module)))?;
    Some((key(module), path[module.len()..].trim_start_matches('/').to_owned(), DECLARED))
}

fn cargo(packages: &DeclaredPackages, path: &str) -> Option<(String, String, f32)> {
    let path = path.trim_start_matches("::");
    let (root, rest) = path.split_once("::").unwrap_or((path, ""));
    let package = packages.required("cargo").find(|declared| declared.local == root)?;
    Some((package.key.clone(), rest.to_owned(), DECLARED))
}

/// Returns the Java package, which is its own key: its name begins with a domain and is therefore unique.
fn java(program: &Program<'_>, module: &str) -> Option<(String, String, f32)> {
    let is_platform = ["java.", "javax.", "jdk.", "sun.", "kotlin.", "scala.", "android."]
        .iter()
        .any(|platform| module.starts_with(platform));
    if is_platform || !module.contains('.') {
        return None;
    }
    (!program.has_package(module)).then(|| (format!("java:{module}"), String::new(), DECLARED))
}

/// Returns the header that an include names; `None` if many repositories have one of the name. Its key is that of the folder of headers, or
/// of the header if there is none.
fn c_header(path: &str) -> Option<(String, String, f32)> {
    let first = path.split('/').next().filter(|first| !first.is_empty() && !first.starts_with('.'))?;
    public_headers::is_specific(path).then(|| (format!("include:{first}"), path.to_owned(), UNDECLARED))
}

/// Returns the crates that Rust code may name without an import.
pub(super) fn crates_in_scope(
    program: &Program<'_>,
    packages: &DeclaredPackages,
    file: FileIdx,
) -> BTreeMap<String, ImportOrigin> {
    if program.language(file) != Language::Rust {
        return BTreeMap::new();
    }
    let crates = packages.required("cargo").filter(|declared| !packages.makes(&declared.key));
    let origin = |key: &str| ImportOrigin {
        key: key.to_owned(),
        member: String::new(),
        kind: ImportKind::Module,
        confidence: DECLARED,
    };
    crates.map(|declared| (declared.local.clone(), origin(&declared.key))).collect()
}

/// Returns the name that an import binds in its file.
pub(crate) fn local_name(language: Language, import: &Import) -> &str {
    match (import.alias.as_str(), import.name.as_str()) {
        ("", "") if language == Language::Go => go_package_name(&import.module),
        ("", "") if language == Language::Python => import.module.split('.').next().unwrap_or_default(),
        ("", "") => import.module.rsplit([':', '/', '.']).next().unwrap_or_default(),
        ("", name) => name,
        (alias, _) => alias,
    }
}

/// Returns the name of an imported Go package: the last segment of its path that is no version.
fn go_package_name(path: &str) -> &str {
    let is_version = |part: &str| part.strip_prefix('v').is_some_and(|n| n.chars().all(|c| c.is_ascii_digit()));
    path.rsplit('/').find(|part| !is_version(part)).unwrap_or(path)
}

/// Returns true for JavaScript and TypeScript.
pub(super) fn is_ecmascript(language: Language) -> bool {
    Family::of(language) == Family::Ecmascript
}

pub(super) fn starts_upper(name: &str) -> bool {
    name.starts_with(|c: char| c.is_uppercase())
}
