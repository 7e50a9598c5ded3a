//! Imports of packages of other repositories that could not be followed, and imported names that no longer exist.
//!
//! A name counts as gone only if nothing can define it: the package is indexed, and neither its definitions nor its re-exports nor
//! code that computes names has it. Whether that is the fault of the code or of another version is for the reader to decide.

use std::collections::BTreeSet;

use graph::{Family, FileIdx, Inference, Node, Program};
use model::{
    Import, Language,
    code::{Expression, ExpressionId},
};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::{
    contracts::{local_name, package_of_import},
    manifests::DeclaredPackages,
};

/// Maximum number of re-exporting files through which a name is looked for.
const MAX_REEXPORTS: usize = 64;

/// Names in Python code that computes the names of its module, and in JavaScript code that exports an object.
const COMPUTED_NAMES: [&str; 7] = ["__getattr__", "globals", "setattr", "exec", "module", "exports", "require"];

/// The import of a name of a package of another repository, or its use.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ImportedName {
    /// The path of the file.
    pub path: String,
    /// The line.
    pub line: u32,
    /// The key of the package.
    pub package: String,
    /// The name within the package, or within a module of it; empty for a module.
    pub name: String,
}

/// The imports of one file that lead to no definition.
#[derive(Debug, Default)]
pub(super) struct ImportsWithoutTarget {
    /// They could not be followed.
    pub(super) unfollowed: Vec<ImportedName>,
    /// They were followed to a package that does not have the name.
    pub(super) stale: Vec<ImportedName>,
}

/// The packages and names by which imports are judged.
pub(super) struct ImportScope<'a> {
    /// The packages of the importer.
    pub(super) declared: &'a DeclaredPackages,
    /// The keys of the packages that the providers make.
    pub(super) packages: &'a BTreeSet<String>,
    /// The packages of each provider.
    pub(super) providers: &'a [&'a DeclaredPackages],
    /// The provider of each file of the program; `None` for a file of the importer.
    pub(super) provider_of: &'a dyn Fn(FileIdx) -> Option<u32>,
    /// The path of a file in its own repository.
    pub(super) path_of: &'a dyn Fn(FileIdx) -> String,
    /// The files in a folder of the program.
    pub(super) files_in: &'a dyn Fn(&str) -> &'a [FileIdx],
    /// Returns true if a file of a provider, given its index, defines or re-exports a name.
    pub(super) has_name: &'a dyn Fn(usize, &str) -> bool,
}

impl ImportScope<'_> {
    /// Reads the imports of a file of the importer.
    pub(super) fn read(&self, cx: &mut Inference<'_>, file: FileIdx) -> ImportsWithoutTarget {
        let program = cx.program;
        let mut found = ImportsWithoutTarget::default();
        for (index, import) in program.facts(file).imports.iter().enumerate() {
            let package = package_of_import(program, self.declared, file, import);
            let Some(package) = package.filter(|package| self.packages.contains(package)) else { continue };
            let site = |name: &str, line: u32| ImportedName {
                path: (self.path_of)(file),
                line,
                package: package.clone(),
                name: name.to_owned(),
            };
            let targets = cx.import_targets(file, index);
            if targets.is_empty() {
                let imported = site(&import.name, import.line);
                match self.is_gone_crate_name(program, file, import, &package) {
                    true => found.stale.push(imported),
                    false => found.unfollowed.push(imported),
                }
                continue;
            }
            match Family::of(program.language(file)) {
                Family::Ecmascript | Family::Python if self.is_gone_name(cx, import, &targets) => {
                    found.stale.push(site(&import.name, import.line));
                }
                Family::Go => {
                    let gone = self.gone_members(program, file, import, &targets);
                    found.stale.extend(gone.iter().map(|(line, name)| site(name, *line)));
                }
                _ => {}
            }
        }
        found
    }

    /// Returns true if an import names a definition of an indexed crate, and no file of its repository has the name.
    fn is_gone_crate_name(&self, program: &Program<'_>, file: FileIdx, import: &Import, package: &str) -> bool {
        let is_name = !matches!(import.name.as_str(), "" | "*" | "self");
        let makers = self.providers.iter().enumerate().filter(|(_, made)| made.makes(package));
        let mut makers = makers.map(|(provider, _)| provider).peekable();
        program.language(file) == Language::Rust
            && is_name
            && makers.peek().is_some()
            && makers.all(|provider| !(self.has_name)(provider, &import.name))
    }

    /// Returns true if an import leads to files of another repository, and none of them has the imported name.
    fn is_gone_name(&self, cx: &mut Inference<'_>, import: &Import, targets: &[Node]) -> bool {
        let is_name = !matches!(import.name.as_str(), "" | "*" | "default") && !import.name.starts_with('_');
        is_name
            && targets.iter().all(|target| match target {
                Node::File(module) if is_module_named(cx.program.path(*module), &import.name) => false,
                Node::File(module) if (self.provider_of)(*module).is_some() => {
                    lacks_name(cx, *module, &import.name, &mut BTreeSet::new())
                }
                _ => false,
            })
    }

    /// Returns the exported names that a file of Go uses of an imported package, and that no file of the package defines.
    fn gone_members<'p>(
        &self,
        program: &'p Program<'_>,
        file: FileIdx,
        import: &Import,
        targets: &[Node],
    ) -> BTreeSet<(u32, &'p str)> {
        let module = match targets {
            [Node::File(module)] if (self.provider_of)(*module).is_some() => *module,
            _ => return BTreeSet::new(),
        };
        let (local, code) = (local_name(Language::Go, import), program.code(file));
        let is_shadowed = code.bindings.iter().any(|binding| code.name(binding.name) == local);
        if is_shadowed || matches!(local, "_" | "." | "C") {
            return BTreeSet::new();
        }
        let member = |callee: ExpressionId| match code.expression(callee) {
            Expression::Member { of, name } => match code.expression(*of) {
                Expression::Name { name: first, .. } if code.name(*first) == local => Some(code.name(*name)),
                _ => None,
            },
            _ => None,
        };
        let calls = code.sites.iter().filter_map(|site| match code.expression(site.expression) {
            Expression::Call { callee, .. } => Some((site.line, member(*callee)?)),
            _ => None,
        });
        let references = program.facts(file).references.iter().filter(|reference| reference.receiver == local);
        let references = references.map(|reference| (reference.line, reference.name.as_str()));
        let used = calls.chain(references).filter(|(_, name)| name.starts_with(char::is_uppercase));
        let used: BTreeSet<(u32, &str)> = used.collect();
        if used.is_empty() {
            return used;
        }
        let package = (self.files_in)(folder_of(program.path(module)));
        let defined: FxHashSet<&str> = package
            .iter()
            .flat_map(|other| &program.facts(*other).definitions)
            .map(|definition| definition.name.as_str())
            .collect();
        used.into_iter().filter(|(_, name)| !defined.contains(name)).collect()
    }
}

/// Returns the files of a program by their folder.
pub(super) fn by_folder<'p>(program: &'p Program<'_>) -> FxHashMap<&'p str, Vec<FileIdx>> {
    let mut by_folder: FxHashMap<&str, Vec<FileIdx>> = FxHashMap::default();
    for file in program.file_indices() {
        by_folder.entry(folder_of(program.path(file))).or_default().push(file);
    }
    by_folder
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns true if a file is the module with a name, or its package.
fn is_module_named(path: &str, name: &str) -> bool {
    let mut parts = path.rsplit('/');
    let stem = parts.next().and_then(|file| file.split('.').next());
    stem == Some(name) || parts.next() == Some(name)
}

/// Returns the names that the files of a repository define or re-export.
pub(super) fn defined_names<'a>(files: impl Iterator<Item = &'a model::FileFacts>) -> FxHashSet<&'a str> {
    files
        .flat_map(|facts| {
            let definitions = facts.definitions.iter().map(|definition| definition.name.as_str());
            let reexports = facts.imports.iter().filter(|import| import.reexport);
            definitions.chain(reexports.flat_map(|import| [import.name.as_str(), import.alias.as_str()]))
        })
        .collect()
}

/// Returns true if nothing in a module can give it a name: neither code of the module nor a module that it re-exports as a whole.
fn lacks_name(cx: &mut Inference<'_>, module: FileIdx, name: &str, seen: &mut BTreeSet<FileIdx>) -> bool {
    if !seen.insert(module) {
        return true;
    }
    cx.consult(module);
    let (facts, program) = (cx.program.facts(module), cx.program);
    let has_name = |text: &str| text == name || COMPUTED_NAMES.contains(&text);
    let is_mentioned = facts.code.names.iter().any(|text| has_name(text))
        || facts.definitions.iter().any(|definition| has_name(&definition.name))
        || facts.imports.iter().any(|import| import.name == name || import.alias == name);
    if is_mentioned || seen.len() > MAX_REEXPORTS || facts.code.shapes.len() != facts.definitions.len() {
        return false;
    }
    for (index, import) in program.facts(module).imports.iter().enumerate().filter(|(_, import)| import.name == "*") {
        let targets = cx.import_targets(module, index);
        let leads_nowhere = targets.is_empty() && (import.reexport || program.language(module) == Language::Python);
        let lacks = |target: &Node| match target {
            Node::File(other) => lacks_name(cx, *other, name, seen),
            Node::Symbol(_) => true,
        };
        if leads_nowhere || !targets.iter().all(lacks) {
            return false;
        }
    }
    true
}
