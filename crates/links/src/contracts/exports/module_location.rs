//! The package and module that a file belongs to.

use graph::{FileIdx, Program, public_headers};
use model::Language;

use crate::manifests::DeclaredPackages;

/// The place of a file in its package.
pub(super) struct ModuleLocation {
    /// The key of the package.
    pub(super) key: String,
    /// The module that the file is, in the notation of the language; empty for the package itself.
    pub(super) module: String,
    /// True if the file represents the package, because no manifest does.
    pub(super) is_root: bool,
}

impl ModuleLocation {
    /// Returns the name of a definition of the file within the package.
    pub(super) fn member(&self, name: &str) -> String {
        match (self.module.as_str(), name) {
            ("", name) => name.to_owned(),
            (module, "") => module.to_owned(),
            (module, name) => format!("{module}::{name}"),
        }
    }
}

/// Returns the package and module of a file; `None` if the file belongs to no package.
pub(super) fn locate(program: &Program<'_>, packages: &DeclaredPackages, file: FileIdx) -> Option<ModuleLocation> {
    let path = program.path(file);
    match program.language(file) {
        Language::Python => python_module(program, path),
        Language::Go => {
            let (folder, package) = packages.containing(path, "go")?;
            let module = path[folder.len()..].rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
            Some(ModuleLocation { key: package.key.clone(), module, is_root: false })
        }
        Language::Rust => {
            let (folder, package) = packages.containing(path, "cargo")?;
            let inside = path[folder.len()..].strip_prefix("src/")?.strip_suffix(".rs")?;
            let inside = inside.strip_suffix("/mod").unwrap_or(inside);
            let module = if inside == "lib" { String::new() } else { inside.replace('/', "::") };
            (inside != "main" && !inside.starts_with("bin/")).then(|| ModuleLocation {
                key: package.key.clone(),
                module,
                is_root: false,
            })
        }
        Language::Java | Language::Kotlin | Language::Scala => {
            let package = &program.code(file).package;
            (!package.is_empty()).then(|| ModuleLocation {
                key: format!("java:{package}"),
                module: String::new(),
                is_root: true,
            })
        }
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            let (folder, package) = packages.containing(path, "npm")?;
            let inside = &path[folder.len()..];
            let stem = inside.strip_prefix("src/").or(inside.strip_prefix("lib/")).unwrap_or(inside);
            let stem = stem.split('.').next().unwrap_or(stem);
            let module = stem.strip_suffix("/index").unwrap_or(stem);
            // The entry file is the package; every other file is a module named by its path.
            let module = if module == "index" || module == "main" { String::new() } else { module.to_owned() };
            Some(ModuleLocation { key: package.key.clone(), module, is_root: false })
        }
        Language::C | Language::Cpp => public_header(path),
        _ => None,
    }
}

/// Returns the place of a public header. Its package is the folder that includes name first, or the header itself.
fn public_header(path: &str) -> Option<ModuleLocation> {
    let included = public_headers::included_path(path)?;
    let first = included.split('/').next().filter(|first| !first.is_empty())?;
    Some(ModuleLocation { key: format!("include:{first}"), module: included.to_owned(), is_root: true })
}

/// Returns the module of a Python file: its path from the outermost folder that is a package.
fn python_module(program: &Program<'_>, path: &str) -> Option<ModuleLocation> {
    let stem = path.strip_suffix(".py").or(path.strip_suffix(".pyi"))?;
    let mut parts: Vec<&str> = stem.split('/').collect();
    if parts.last() == Some(&"__init__") {
        parts.pop();
    }
    let is_package = |end: usize| program.file_at(&format!("{}/__init__.py", first_folders(stem, end))).is_some();
    let mut first = parts.len().checked_sub(1)?;
    while first > 0 && is_package(first) {
        first -= 1;
    }
    let key = format!("python:{}", parts[first]);
    let module = parts[first + 1..].join(".");
    let is_root = module.is_empty();
    Some(ModuleLocation { key, module, is_root })
}

/// Returns the first `n_parts` folders of a path.
fn first_folders(stem: &str, n_parts: usize) -> &str {
    let end = stem.match_indices('/').nth(n_parts.saturating_sub(1)).map_or(stem.len(), |(at, _)| at);
    &stem[..end]
}
