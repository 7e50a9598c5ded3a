//! Module tree: the files and blocks of each crate, and their imports.

use model::{Import, SymbolKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::crates::{self, Crate, join_normalized};
use crate::{
    infer::is_function,
    manifest::ManifestFile,
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
};

/// Maximum number of modules of a program.
const MAX_MODULES: usize = 1_000_000;

/// Index of a module.
pub(super) type ModuleId = u32;

/// A module.
pub(super) struct RustModule {
    /// The root module of the crate.
    pub(super) root: ModuleId,
    pub(super) parent: Option<ModuleId>,
    pub(super) file: FileIdx,
    /// The definition of an inline module; `None` for a file module.
    pub(super) definition: Option<SymbolIdx>,
    pub(super) children: FxHashMap<Name, Vec<ModuleId>>,
    /// Index of the crate in `extern_crates`.
    pub(super) crate_idx: usize,
    /// The folder of the module's submodule files.
    folder: String,
}

/// Imports of a module or function.
#[derive(Default)]
pub(super) struct ScopeImports {
    pub(super) named: FxHashMap<Name, Vec<(FileIdx, u32)>>,
    pub(super) globs: Vec<(FileIdx, u32)>,
}

/// The module tree of a program.
#[derive(Default)]
pub(super) struct ModuleTree {
    pub(super) all: Vec<RustModule>,
    pub(super) by_file: FxHashMap<FileIdx, ModuleId>,
    pub(super) by_block: FxHashMap<SymbolIdx, ModuleId>,
    pub(super) of_module: FxHashMap<ModuleId, ScopeImports>,
    pub(super) of_function: FxHashMap<SymbolIdx, ScopeImports>,
    /// The extern crates of each crate by name, with their root modules; none for crates of other repositories.
    pub(super) extern_crates: Vec<FxHashMap<String, Option<ModuleId>>>,
}

impl ModuleTree {
    /// Builds the module tree of a program.
    pub(super) fn lay_out(program: &Program<'_>, manifests: &[ManifestFile<'_>]) -> ModuleTree {
        let packages = crates::packages(manifests);
        let crates = crates::crates(program, &packages);
        let mut modules = ModuleTree::default();
        let roots: Vec<Option<ModuleId>> =
            crates.iter().enumerate().map(|(index, one)| modules.add_crate(program, one.root, index)).collect();
        let extern_crates_of = |one: &Crate<'_>| {
            let extern_crates = one.extern_crates.iter();
            extern_crates.map(|(name, library)| (name.clone(), library.and_then(|library| roots[library]))).collect()
        };
        modules.extern_crates = crates.iter().map(extern_crates_of).collect();
        // Files that no crate reaches become crates of their own, outermost first, with the dependencies of the package around them.
        modules.extern_crates.push(FxHashMap::default());
        let mut rest: Vec<FileIdx> = program.file_indices().filter(|file| is_rust(program, *file)).collect();
        rest.sort_by_key(|file| (!is_root(program.path(*file)), program.path(*file).matches('/').count(), *file));
        for file in rest {
            if !modules.by_file.contains_key(&file) {
                let around = crates::crate_around(&crates, program.path(file));
                modules.add_crate(program, file, around.unwrap_or(crates.len()));
            }
        }
        for file in program.file_indices().filter(|file| is_rust(program, *file)) {
            modules.index_imports(program, file);
        }
        modules
    }

    /// Adds a crate by its root file, with all submodules. Returns none if the file is already a module.
    fn add_crate(&mut self, program: &Program<'_>, file: FileIdx, crate_idx: usize) -> Option<ModuleId> {
        if self.by_file.contains_key(&file) {
            return None;
        }
        let path = program.path(file);
        let folder = path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        let root = self.all.len() as ModuleId;
        self.by_file.insert(file, root);
        self.all.push(RustModule {
            root,
            parent: None,
            file,
            definition: None,
            children: FxHashMap::default(),
            crate_idx,
            folder,
        });
        let mut next = root as usize;
        while next < self.all.len() && self.all.len() < MAX_MODULES {
            if self.all[next].definition.is_none() {
                self.add_modules_of_file(program, next as ModuleId);
            }
            next += 1;
        }
        Some(root)
    }

    /// Adds the inline modules of a file and the file modules that it declares.
    fn add_modules_of_file(&mut self, program: &Program<'_>, of: ModuleId) {
        let file = self.all[of as usize].file;
        // Definitions come after their parents.
        for symbol in program.symbols_of(file) {
            if program.definition(symbol).kind != SymbolKind::Module {
                continue;
            }
            let mut enclosing = program.parent(symbol);
            while enclosing.is_some_and(|enclosing| !self.by_block.contains_key(&enclosing)) {
                enclosing = enclosing.and_then(|enclosing| program.parent(enclosing));
            }
            let parent = enclosing.and_then(|enclosing| self.by_block.get(&enclosing).copied()).unwrap_or(of);
            let name = program.name_of(symbol);
            let folder = format!("{}{}/", self.all[parent as usize].folder, program.text(name));
            let child = self.add_child(parent, name, file, Some(symbol), folder);
            self.by_block.insert(symbol, child);
        }
        let scopes = ImportScopes::of(program, file);
        for (index, import) in program.facts(file).imports.iter().enumerate() {
            let is_path = import.module.ends_with(".rs");
            if import.name.is_empty() || !import.alias.is_empty() || !is_path && import.module != "self" {
                continue;
            }
            let enclosing = scopes.enclosing(index);
            let parent = enclosing.and_then(|enclosing| self.enclosing_block(program, enclosing)).unwrap_or(of);
            if let Some(target) = self.module_file(program, parent, import, is_path) {
                // A module without any use of its name still belongs to the crate.
                let name = program.name_named(&import.name).unwrap_or(Name::NONE);
                self.add_file_module(program, parent, name, target);
            }
        }
    }

    /// Returns the innermost inline module around a definition.
    fn enclosing_block(&self, program: &Program<'_>, symbol: SymbolIdx) -> Option<ModuleId> {
        let mut at = Some(symbol);
        for _ in 0..MAX_NESTING {
            if let Some(module) = self.by_block.get(&at?) {
                return Some(*module);
            }
            at = program.parent(at?);
        }
        None
    }

    /// Returns the file of `mod name;`.
    fn module_file(&self, program: &Program<'_>, of: ModuleId, import: &Import, is_path: bool) -> Option<FileIdx> {
        let module = &self.all[of as usize];
        if is_path {
            let own = program.path(module.file);
            let own = own.rfind('/').map_or("", |slash| &own[..=slash]);
            let folder = if module.definition.is_some() { module.folder.as_str() } else { own };
            return program.file_at(&join_normalized(folder, &import.module));
        }
        let name = import.name.trim_start_matches("r#");
        let sibling = program.file_at(&format!("{}{name}.rs", module.folder));
        sibling.or_else(|| program.file_at(&format!("{}{name}/mod.rs", module.folder)))
    }

    /// Adds the module of a file that `mod name;` declares.
    fn add_file_module(&mut self, program: &Program<'_>, parent: ModuleId, name: Name, file: FileIdx) {
        if let Some(known) = self.by_file.get(&file) {
            // A file that is a module of several crates belongs to the first.
            let children = self.all[parent as usize].children.entry(name).or_default();
            if !children.contains(known) {
                children.push(*known);
            }
            return;
        }
        let path = program.path(file);
        let folder = path.strip_suffix("mod.rs").map(str::to_owned);
        let folder = folder.unwrap_or_else(|| format!("{}/", path.strip_suffix(".rs").unwrap_or(path)));
        let child = self.add_child(parent, name, file, None, folder);
        self.by_file.insert(file, child);
    }

    fn add_child(
        &mut self,
        parent: ModuleId,
        name: Name,
        file: FileIdx,
        definition: Option<SymbolIdx>,
        folder: String,
    ) -> ModuleId {
        let child = self.all.len() as ModuleId;
        let RustModule { root, crate_idx, .. } = self.all[parent as usize];
        self.all[parent as usize].children.entry(name).or_default().push(child);
        let children = FxHashMap::default();
        self.all.push(RustModule { root, parent: Some(parent), file, definition, children, crate_idx, folder });
        child
    }

    /// Indexes the imports of a file by enclosing module or function.
    fn index_imports(&mut self, program: &Program<'_>, file: FileIdx) {
        let Some(own) = self.by_file.get(&file).copied() else { return };
        let scopes = ImportScopes::of(program, file);
        for (index, import) in program.facts(file).imports.iter().enumerate() {
            if import.module == "self" && import.alias.is_empty() || import.module.ends_with(".rs") {
                continue;
            }
            let imports = match scopes.enclosing(index) {
                Some(enclosing) if is_function(program.definition(enclosing).kind) => {
                    self.of_function.entry(enclosing).or_default()
                }
                Some(enclosing) => {
                    let module = self.by_block.get(&enclosing).copied().unwrap_or(own);
                    self.of_module.entry(module).or_default()
                }
                None => self.of_module.entry(own).or_default(),
            };
            let place = (file, index as u32);
            if import.name == "*" {
                imports.globs.push(place);
                continue;
            }
            let last = import.module.rsplit("::").next().unwrap_or_default();
            let name = if import.name.is_empty() { last } else { import.name.as_str() };
            let name = if import.alias.is_empty() { name } else { import.alias.as_str() };
            if let Some(name) = program.name_named(name) {
                imports.named.entry(name).or_default().push(place);
            }
        }
    }
}

/// Maximum nesting depth of definitions.
const MAX_NESTING: usize = 400;

/// The innermost module or function around each import of a file.
struct ImportScopes {
    enclosing: Vec<Option<SymbolIdx>>,
}

impl ImportScopes {
    fn of(program: &Program<'_>, file: FileIdx) -> ImportScopes {
        let imports = &program.facts(file).imports;
        let mut enclosing = vec![None; imports.len()];
        let mut stack: Vec<SymbolIdx> = Vec::new();
        let is_scope = |symbol: &SymbolIdx| {
            let kind = program.definition(*symbol).kind;
            kind == SymbolKind::Module || is_function(kind)
        };
        let mut symbols = program.symbols_of(file).filter(is_scope).peekable();
        for (index, import) in imports.iter().enumerate() {
            while let Some(symbol) = symbols.next_if(|symbol| program.definition(*symbol).lines.start <= import.line) {
                stack.push(symbol);
            }
            while stack.last().is_some_and(|symbol| program.definition(*symbol).lines.end < import.line) {
                stack.pop();
            }
            enclosing[index] = stack.last().copied();
        }
        ImportScopes { enclosing }
    }

    fn enclosing(&self, import: usize) -> Option<SymbolIdx> {
        self.enclosing.get(import).copied().flatten()
    }
}

fn is_rust(program: &Program<'_>, file: FileIdx) -> bool {
    program.language(file) == model::Language::Rust
}

fn is_root(path: &str) -> bool {
    matches!(path.rsplit('/').next(), Some("lib.rs" | "main.rs"))
}

/// Returns the members of all `impl` blocks. They are top-level definitions but not names of their modules.
pub(super) fn extension_members(program: &Program<'_>) -> FxHashSet<SymbolIdx> {
    let mut members = FxHashSet::default();
    for file in program.file_indices().filter(|file| is_rust(program, *file)) {
        for extension in &program.code(file).extensions {
            members.extend(extension.members.iter().map(|member| program.symbol(file, *member)));
        }
    }
    members
}
