//! The module tree: which file or block is which module of which crate, and what each imports.

use model::{Import, SymbolKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::crates::{self, Crate, joined};
use crate::{
    infer::is_function,
    names::Name,
    program::{FileIdx, Manifest, Program, SymbolIdx},
};

/// The most modules of a program.
const MAX_MODULES: usize = 1_000_000;

/// A module, as a number.
pub(super) type ModuleId = u32;

/// A module.
pub(super) struct Module {
    /// The module that is the root of its crate.
    pub(super) root: ModuleId,
    pub(super) parent: Option<ModuleId>,
    pub(super) file: FileIdx,
    /// The block that it is; nothing where it is a file.
    pub(super) definition: Option<SymbolIdx>,
    pub(super) children: FxHashMap<Name, Vec<ModuleId>>,
    /// The crates that its crate knows, as their roots; nothing for those of other repositories.
    pub(super) known: usize,
    /// Where the files of its modules lie.
    folder: String,
}

/// What is imported into a module or a function.
#[derive(Default)]
pub(super) struct Imports {
    pub(super) named: FxHashMap<Name, Vec<(FileIdx, u32)>>,
    pub(super) globs: Vec<(FileIdx, u32)>,
}

/// The module tree of a program.
#[derive(Default)]
pub(super) struct Modules {
    pub(super) all: Vec<Module>,
    pub(super) by_file: FxHashMap<FileIdx, ModuleId>,
    pub(super) by_block: FxHashMap<SymbolIdx, ModuleId>,
    pub(super) of_module: FxHashMap<ModuleId, Imports>,
    pub(super) of_function: FxHashMap<SymbolIdx, Imports>,
    /// By crate: the names of other crates, with the roots of those that are in the repository.
    pub(super) known: Vec<FxHashMap<String, Option<ModuleId>>>,
}

impl Modules {
    /// Lays out the modules of a program.
    pub(super) fn lay_out(program: &Program<'_>, manifests: &[Manifest<'_>]) -> Modules {
        let packages = crates::packages(manifests);
        let crates = crates::crates(program, &packages);
        let mut modules = Modules::default();
        let roots: Vec<Option<ModuleId>> =
            crates.iter().enumerate().map(|(index, one)| modules.root(program, one.root, index)).collect();
        let roots_known = |one: &Crate<'_>| {
            let known = one.known.iter();
            known.map(|(name, library)| (name.clone(), library.and_then(|library| roots[library]))).collect()
        };
        modules.known = crates.iter().map(roots_known).collect();
        // Files that no crate reaches are crates of their own, outermost first.
        modules.known.push(FxHashMap::default());
        let mut rest: Vec<FileIdx> = program.file_indices().filter(|file| is_rust(program, *file)).collect();
        rest.sort_by_key(|file| (!is_root(program.path(*file)), program.path(*file).matches('/').count(), *file));
        for file in rest {
            modules.root(program, file, crates.len());
        }
        for file in program.file_indices().filter(|file| is_rust(program, *file)) {
            modules.import(program, file);
        }
        modules
    }

    /// Adds a crate by its root, with all modules below; nothing if the file is a module already.
    fn root(&mut self, program: &Program<'_>, file: FileIdx, known: usize) -> Option<ModuleId> {
        if self.by_file.contains_key(&file) {
            return None;
        }
        let path = program.path(file);
        let folder = path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        let root = self.all.len() as ModuleId;
        self.by_file.insert(file, root);
        self.all.push(Module {
            root,
            parent: None,
            file,
            definition: None,
            children: FxHashMap::default(),
            known,
            folder,
        });
        let mut next = root as usize;
        while next < self.all.len() && self.all.len() < MAX_MODULES {
            if self.all[next].definition.is_none() {
                self.blocks(program, next as ModuleId);
            }
            next += 1;
        }
        Some(root)
    }

    /// Adds the modules that a file has as blocks, and those that it takes in from other files.
    fn blocks(&mut self, program: &Program<'_>, of: ModuleId) {
        let file = self.all[of as usize].file;
        // Definitions come after those around them.
        for symbol in program.symbols_of(file) {
            if program.definition(symbol).kind != SymbolKind::Module {
                continue;
            }
            let mut around = program.parent(symbol);
            while around.is_some_and(|around| !self.by_block.contains_key(&around)) {
                around = around.and_then(|around| program.parent(around));
            }
            let parent = around.and_then(|around| self.by_block.get(&around).copied()).unwrap_or(of);
            let name = program.name_of(symbol);
            let folder = format!("{}{}/", self.all[parent as usize].folder, program.text(name));
            let child = self.child(parent, name, file, Some(symbol), folder);
            self.by_block.insert(symbol, child);
        }
        let places = Places::of(program, file);
        for (index, import) in program.facts(file).imports.iter().enumerate() {
            let is_path = import.module.ends_with(".rs");
            if import.name.is_empty() || !import.alias.is_empty() || !is_path && import.module != "self" {
                continue;
            }
            let around = places.around(index);
            let parent = around.and_then(|around| self.block_around(program, around)).unwrap_or(of);
            if let Some(taken) = self.file_of(program, parent, import, is_path) {
                // A module that nobody names is a part of its crate all the same.
                let name = program.name_named(&import.name).unwrap_or(Name::NONE);
                self.take(program, parent, name, taken);
            }
        }
    }

    fn block_around(&self, program: &Program<'_>, symbol: SymbolIdx) -> Option<ModuleId> {
        let mut at = Some(symbol);
        for _ in 0..MAX_AROUND {
            if let Some(module) = self.by_block.get(&at?) {
                return Some(*module);
            }
            at = program.parent(at?);
        }
        None
    }

    /// Returns the file of `mod name;`.
    fn file_of(&self, program: &Program<'_>, of: ModuleId, import: &Import, is_path: bool) -> Option<FileIdx> {
        let module = &self.all[of as usize];
        if is_path {
            let own = program.path(module.file);
            let own = own.rfind('/').map_or("", |slash| &own[..=slash]);
            let folder = if module.definition.is_some() { module.folder.as_str() } else { own };
            return program.file_at(&joined(folder, &import.module));
        }
        let name = import.name.trim_start_matches("r#");
        let beside = program.file_at(&format!("{}{name}.rs", module.folder));
        beside.or_else(|| program.file_at(&format!("{}{name}/mod.rs", module.folder)))
    }

    fn take(&mut self, program: &Program<'_>, parent: ModuleId, name: Name, file: FileIdx) {
        if let Some(known) = self.by_file.get(&file) {
            // A file that is a module of several crates is read as one of the first.
            let children = self.all[parent as usize].children.entry(name).or_default();
            if !children.contains(known) {
                children.push(*known);
            }
            return;
        }
        let path = program.path(file);
        let folder = path.strip_suffix("mod.rs").map(str::to_owned);
        let folder = folder.unwrap_or_else(|| format!("{}/", path.strip_suffix(".rs").unwrap_or(path)));
        let child = self.child(parent, name, file, None, folder);
        self.by_file.insert(file, child);
    }

    fn child(
        &mut self,
        parent: ModuleId,
        name: Name,
        file: FileIdx,
        definition: Option<SymbolIdx>,
        folder: String,
    ) -> ModuleId {
        let child = self.all.len() as ModuleId;
        let Module { root, known, .. } = self.all[parent as usize];
        self.all[parent as usize].children.entry(name).or_default().push(child);
        let children = FxHashMap::default();
        self.all.push(Module { root, parent: Some(parent), file, definition, children, known, folder });
        child
    }

    /// Sorts the imports of a file by the module or function that they stand in.
    fn import(&mut self, program: &Program<'_>, file: FileIdx) {
        let Some(own) = self.by_file.get(&file).copied() else { return };
        let places = Places::of(program, file);
        for (index, import) in program.facts(file).imports.iter().enumerate() {
            if import.module == "self" && import.alias.is_empty() || import.module.ends_with(".rs") {
                continue;
            }
            let imports = match places.around(index) {
                Some(around) if is_function(program.definition(around).kind) => {
                    self.of_function.entry(around).or_default()
                }
                Some(around) => {
                    let module = self.by_block.get(&around).copied().unwrap_or(own);
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
            let bare = if import.name.is_empty() { last } else { import.name.as_str() };
            let bare = if import.alias.is_empty() { bare } else { import.alias.as_str() };
            if let Some(name) = program.name_named(bare) {
                imports.named.entry(name).or_default().push(place);
            }
        }
    }
}

/// How many definitions may lie in each other.
const MAX_AROUND: usize = 400;

/// The innermost module or function around each import of a file.
struct Places {
    around: Vec<Option<SymbolIdx>>,
}

impl Places {
    fn of(program: &Program<'_>, file: FileIdx) -> Places {
        let imports = &program.facts(file).imports;
        let mut around = vec![None; imports.len()];
        let mut open: Vec<SymbolIdx> = Vec::new();
        let holds = |symbol: &SymbolIdx| {
            let kind = program.definition(*symbol).kind;
            kind == SymbolKind::Module || is_function(kind)
        };
        let mut symbols = program.symbols_of(file).filter(holds).peekable();
        for (index, import) in imports.iter().enumerate() {
            while let Some(symbol) = symbols.next_if(|symbol| program.definition(*symbol).lines.start <= import.line) {
                open.push(symbol);
            }
            while open.last().is_some_and(|symbol| program.definition(*symbol).lines.end < import.line) {
                open.pop();
            }
            around[index] = open.last().copied();
        }
        Places { around }
    }

    fn around(&self, import: usize) -> Option<SymbolIdx> {
        self.around.get(import).copied().flatten()
    }
}

fn is_rust(program: &Program<'_>, file: FileIdx) -> bool {
    program.language(file) == model::Language::Rust
}

fn is_root(path: &str) -> bool {
    matches!(path.rsplit('/').next(), Some("lib.rs" | "main.rs"))
}

/// Members of extensions of a program: they stand at the top of files and modules, and yet are none of their names.
pub(super) fn extension_members(program: &Program<'_>) -> FxHashSet<SymbolIdx> {
    let mut members = FxHashSet::default();
    for file in program.file_indices().filter(|file| is_rust(program, *file)) {
        for extension in &program.code(file).extensions {
            members.extend(extension.members.iter().map(|member| program.symbol(file, *member)));
        }
    }
    members
}
