//! Names that a file imports: definitions, variables that a module imports from another one, and the value of a module.

use graph::{FileIdx, Node, SymbolIdx};
use model::code::NameId;

use super::{ValueReader, ValueSource, folder};
use crate::contracts::imports::local_name;

/// Maximum number of modules that pass a name on: a package, its parts, and a facade or two.
const MAX_MODULES: u32 = 4;

/// Files of .NET with the imports of a project.
const SHARED_IMPORTS: [&str; 3] = ["GlobalUsings.cs", "Usings.cs", "GlobalUsing.cs"];

/// Maximum number of folders above a file.
const MAX_FOLDERS: usize = 8;

/// The name of a default export.
const DEFAULT: &str = "default";

/// The name of the value of a whole module: `module.exports = value`.
const WHOLE: &str = "=";

impl ValueReader<'_, '_> {
    /// Returns the files of a folder and those above that import namespaces of .NET for all files below.
    pub(super) fn shared_imports(&mut self, of: &str) -> Vec<FileIdx> {
        let program = self.program();
        let folders = std::iter::successors(Some(of), |at| (!at.is_empty()).then(|| folder(at)));
        let paths = folders.take(MAX_FOLDERS).flat_map(|at| {
            let slash = if at.is_empty() { "" } else { "/" };
            SHARED_IMPORTS.map(|name| format!("{at}{slash}{name}"))
        });
        let found: Vec<FileIdx> = paths.filter_map(|path| program.file_at(&path)).collect();
        found.iter().for_each(|file| self.cx.consult(*file));
        found
    }

    /// Returns the definitions that an import of a name means.
    pub(super) fn import_symbols(&mut self, file: FileIdx, import_idx: usize) -> Vec<SymbolIdx> {
        self.import_symbols_within(file, import_idx, 0)
    }

    fn import_symbols_within(&mut self, file: FileIdx, import_idx: usize, depth: u32) -> Vec<SymbolIdx> {
        let program = self.program();
        let import = &program.facts(file).imports[import_idx];
        let mut found = Vec::new();
        for target in self.cx.import_targets(file, import_idx) {
            match target {
                Node::Symbol(symbol) => found.push(symbol),
                // A variable of a module.
                Node::File(target) if !import.name.is_empty() => {
                    found.extend(self.offered_symbols(target, &import.name, depth));
                }
                Node::File(_) => {}
            }
        }
        found
    }

    /// Returns the definitions that a module offers under a name: its own, or those of the module that it imports the name from.
    fn offered_symbols(&mut self, module: FileIdx, name: &str, depth: u32) -> Vec<SymbolIdx> {
        let program = self.program();
        let own = program.name_named(name).map_or(&[][..], |name| program.top(module, name));
        if !own.is_empty() || depth >= MAX_MODULES {
            return own.to_vec();
        }
        let language = program.language(module);
        let is_named =
            |import: &model::Import| !matches!(import.name.as_str(), "" | "*") && local_name(language, import) == name;
        let Some(import_idx) = program.facts(module).imports.iter().position(is_named) else { return Vec::new() };
        self.cx.consult(module);
        self.import_symbols_within(module, import_idx, depth + 1)
    }

    /// Returns the sources of a name that an import within code binds.
    pub(super) fn imported_sources(&mut self, file: FileIdx, module: NameId, name: NameId) -> Vec<ValueSource> {
        let program = self.program();
        let code = self.code(file);
        let (module, name) = (code.name(module), code.name(name));
        let imports = &program.facts(file).imports;
        let Some(import_idx) = imports.iter().position(|import| import.module == module && import.name == name) else {
            return Vec::new();
        };
        let symbols = self.import_symbols(file, import_idx);
        symbols.into_iter().flat_map(|symbol| self.symbol_sources(symbol)).collect()
    }

    /// Returns the sources of the value of a whole module: `require("./api")` of `module.exports = axios.create()`.
    pub(super) fn whole_module_sources(&mut self, file: FileIdx, module: NameId) -> Vec<ValueSource> {
        match self.imported_file(file, module).filter(|target| *target != file) {
            Some(target) => self.exported_sources(target, WHOLE),
            None => Vec::new(),
        }
    }

    /// Returns the sources of a name to which a file binds the default export of a module: `api` of `import api from "./api"`.
    pub(super) fn default_export(&mut self, file: FileIdx, name: &str) -> Vec<ValueSource> {
        let program = self.program();
        let language = program.language(file);
        let imports = program.facts(file).imports.iter();
        let import_idx =
            imports.into_iter().position(|import| import.name == DEFAULT && local_name(language, import) == name);
        let targets = import_idx.map_or_else(Vec::new, |import_idx| self.cx.import_targets(file, import_idx));
        let target = targets.into_iter().find_map(|target| match target {
            Node::File(target) if target != file => Some(target),
            _ => None,
        });
        target.map_or_else(Vec::new, |target| {
            self.cx.consult(target);
            self.exported_sources(target, DEFAULT)
        })
    }
}
