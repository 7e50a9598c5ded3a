//! Name lookup in modules: own items, submodules, imports, glob imports, extern crates.

use model::{SymbolKind, code::Flags};

use super::{
    RustDialect,
    modules::{ModuleId, ScopeImports},
};
use crate::{
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
};

/// Maximum length of a chain of imports.
const MAX_LINKS: usize = 24;

/// The items of a name. Several items of different namespaces may share a name.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ItemSet {
    pub(super) symbols: Vec<SymbolIdx>,
    pub(super) module: Option<ModuleId>,
    /// True if an item is in another repository.
    pub(super) is_external: bool,
}

impl ItemSet {
    pub(super) fn is_empty(&self) -> bool {
        self.symbols.is_empty() && self.module.is_none() && !self.is_external
    }

    fn external() -> ItemSet {
        ItemSet { is_external: true, ..ItemSet::default() }
    }

    fn module(module: ModuleId) -> ItemSet {
        ItemSet { module: Some(module), ..ItemSet::default() }
    }

    fn add(&mut self, other: ItemSet) {
        for symbol in other.symbols {
            if !self.symbols.contains(&symbol) {
                self.symbols.push(symbol);
            }
        }
        self.module = self.module.or(other.module);
        self.is_external |= other.is_external;
    }
}

/// Keeps the definitions that are compiled on Linux, or all if there are none.
pub(super) fn select_compiled(program: &Program<'_>, symbols: Vec<SymbolIdx>) -> Vec<SymbolIdx> {
    let is_here = |symbol: &SymbolIdx| !program.shape(*symbol).flags.has(Flags::ELSEWHERE);
    if symbols.len() < 2 || !symbols.iter().any(is_here) {
        return symbols;
    }
    symbols.into_iter().filter(is_here).collect()
}

/// Maximum number of lookups for one name. Mutual glob imports have far more paths than modules.
const MAX_STEPS: u32 = 1_000;

/// Names on the current lookup path, to detect import cycles.
#[derive(Default)]
struct LookupStack {
    names: Vec<(ModuleId, Name)>,
    n_steps: u32,
}

impl RustDialect {
    /// Resolves a name in a module.
    pub(super) fn resolve_in_module(&self, program: &Program<'_>, module: ModuleId, name: Name) -> ItemSet {
        if let Some(known) = self.resolved_names.read().ok().and_then(|known| known.get(&(module, name)).cloned()) {
            return known;
        }
        let found = self.lookup_in_module(program, module, name, &mut LookupStack::default());
        if let Ok(mut known) = self.resolved_names.write() {
            known.insert((module, name), found.clone());
        }
        found
    }

    /// Resolves a path written in a module.
    pub(super) fn resolve_path(&self, program: &Program<'_>, module: ModuleId, path: &str) -> ItemSet {
        self.lookup_path(program, module, path, &mut LookupStack::default())
    }

    /// Resolves a name in a module within the limits of the lookup.
    fn lookup_in_module(
        &self,
        program: &Program<'_>,
        module: ModuleId,
        name: Name,
        stack: &mut LookupStack,
    ) -> ItemSet {
        stack.n_steps += 1;
        let is_limit_reached = stack.names.len() > MAX_LINKS || stack.n_steps > MAX_STEPS;
        if is_limit_reached || stack.names.contains(&(module, name)) {
            return ItemSet::default();
        }
        stack.names.push((module, name));
        let found = self.lookup_items(program, module, name, stack);
        stack.names.pop();
        found
    }

    /// Resolves a name to the items, submodules and imports of a module.
    fn lookup_items(&self, program: &Program<'_>, id: ModuleId, name: Name, stack: &mut LookupStack) -> ItemSet {
        let module = &self.modules.all[id as usize];
        let own = match module.definition {
            Some(block) => program.members(block, name),
            None => program.top(module.file, name),
        };
        let is_item = |symbol: &&SymbolIdx| {
            program.definition(**symbol).kind != SymbolKind::Module && !self.extension_members.contains(symbol)
        };
        let items = select_compiled(program, own.iter().filter(is_item).copied().collect());
        let mut found = ItemSet { symbols: items, ..ItemSet::default() };
        found.module = module.children.get(&name).and_then(|children| children.first()).copied();
        if let Some(imports) = self.modules.of_module.get(&id) {
            found.add(self.lookup_imports(program, id, imports, name, !found.is_empty(), stack));
        }
        found
    }

    /// Resolves a name through imports. Named imports shadow glob imports.
    fn lookup_imports(
        &self,
        program: &Program<'_>,
        module: ModuleId,
        imports: &ScopeImports,
        name: Name,
        is_known: bool,
        stack: &mut LookupStack,
    ) -> ItemSet {
        let mut found = ItemSet::default();
        for place in imports.named.get(&name).into_iter().flatten() {
            let target = self.lookup_import(program, module, *place, stack);
            // An import that cannot be resolved comes from another repository.
            found.add(if target.is_empty() { ItemSet::external() } else { target });
        }
        found.symbols = select_compiled(program, found.symbols);
        if is_known || !found.is_empty() {
            return found;
        }
        for place in &imports.globs {
            let glob_target = self.lookup_import(program, module, *place, stack);
            if let Some(inner) = glob_target.module {
                found.add(self.lookup_in_module(program, inner, name, stack));
            }
            for symbol in glob_target.symbols {
                let variants = program.members(symbol, name).iter();
                found.symbols.extend(variants.filter(|one| program.definition(**one).kind == SymbolKind::Variant));
            }
        }
        found.symbols = select_compiled(program, found.symbols);
        found
    }

    /// Resolves a name through the imports of a function.
    pub(super) fn resolve_function_import(
        &self,
        program: &Program<'_>,
        module: ModuleId,
        function: SymbolIdx,
        name: Name,
    ) -> ItemSet {
        match self.modules.of_function.get(&function) {
            Some(imports) => self.lookup_imports(program, module, imports, name, false, &mut LookupStack::default()),
            None => ItemSet::default(),
        }
    }

    /// Resolves the target of an import.
    pub(super) fn resolve_import(&self, program: &Program<'_>, module: ModuleId, place: (FileIdx, u32)) -> ItemSet {
        self.lookup_import(program, module, place, &mut LookupStack::default())
    }

    fn lookup_import(
        &self,
        program: &Program<'_>,
        module: ModuleId,
        (file, index): (FileIdx, u32),
        stack: &mut LookupStack,
    ) -> ItemSet {
        let import = &program.facts(file).imports[index as usize];
        if import.name.is_empty() || import.name == "*" {
            return self.lookup_path(program, module, &import.module, stack);
        }
        self.lookup_path(program, module, &format!("{}::{}", import.module, import.name), stack)
    }

    fn lookup_path(&self, program: &Program<'_>, module: ModuleId, path: &str, stack: &mut LookupStack) -> ItemSet {
        let mut parts = path.split("::").map(str::trim);
        let first = parts.next().unwrap_or_default();
        let n_parts = path.split("::").count();
        let mut found = match first {
            "" => self.extern_crate(module, parts.next().unwrap_or_default()),
            first => self.lookup_path_head(program, module, first, n_parts > 1, stack),
        };
        let mut parts = parts.peekable();
        while let Some(part) = parts.next() {
            found = self.lookup_path_segment(program, &found, part, parts.peek().is_some(), stack);
            if found.is_empty() {
                return found;
            }
        }
        found
    }

    /// Resolves the first segment of a path: a keyword, a name of the module, or an extern crate.
    fn lookup_path_head(
        &self,
        program: &Program<'_>,
        module: ModuleId,
        first: &str,
        is_longer: bool,
        stack: &mut LookupStack,
    ) -> ItemSet {
        let of = &self.modules.all[module as usize];
        match first {
            "crate" | "$crate" => return ItemSet::module(of.root),
            "self" => return ItemSet::module(module),
            "super" => return of.parent.map(ItemSet::module).unwrap_or_default(),
            _ => {}
        }
        let mut found = ItemSet::default();
        if let Some(name) = program.name_named(first) {
            if let Some(child) = self.child(module, name).filter(|_| is_longer) {
                return ItemSet::module(child);
            }
            found = self.lookup_in_module(program, module, name, stack);
            if is_longer {
                found.symbols.retain(|symbol| program.definition(*symbol).kind.is_type());
            }
            if found.is_empty() && !self.is_extern_crate(module, first) && of.root != module {
                // In the 2015 edition paths start at the crate root.
                found = self.lookup_in_module(program, of.root, name, stack);
            }
        }
        if found.is_empty() { self.extern_crate(module, first) } else { found }
    }

    fn child(&self, of: ModuleId, name: Name) -> Option<ModuleId> {
        self.modules.all[of as usize].children.get(&name)?.first().copied()
    }

    fn is_extern_crate(&self, module: ModuleId, name: &str) -> bool {
        let crate_idx = self.modules.all[module as usize].crate_idx;
        matches!(name, "std" | "core" | "alloc") || self.modules.extern_crates[crate_idx].contains_key(name)
    }

    /// Returns a crate by name; an unknown one is in another repository.
    pub(super) fn extern_crate(&self, module: ModuleId, name: &str) -> ItemSet {
        let crate_idx = self.modules.all[module as usize].crate_idx;
        match self.modules.extern_crates[crate_idx].get(name) {
            Some(Some(root)) => ItemSet::module(*root),
            _ => ItemSet::external(),
        }
    }

    /// Returns an extern crate for a name that has no other meaning.
    pub(super) fn crate_named(&self, module: ModuleId, name: &str) -> ItemSet {
        if self.is_extern_crate(module, name) { self.extern_crate(module, name) } else { ItemSet::default() }
    }

    /// Resolves the next segment of a path.
    fn lookup_path_segment(
        &self,
        program: &Program<'_>,
        of: &ItemSet,
        part: &str,
        is_longer: bool,
        stack: &mut LookupStack,
    ) -> ItemSet {
        match (part, of.module) {
            ("self", _) => return of.clone(),
            ("super", Some(module)) => {
                return self.modules.all[module as usize].parent.map(ItemSet::module).unwrap_or_default();
            }
            _ => {}
        }
        let Some(name) = program.name_named(part) else {
            return ItemSet { is_external: of.is_external, ..ItemSet::default() };
        };
        let mut found = ItemSet::default();
        if let Some(module) = of.module {
            // A module often re-exports a function of its own name.
            if let Some(child) = self.child(module, name).filter(|_| is_longer) {
                return ItemSet::module(child);
            }
            found.add(self.lookup_in_module(program, module, name, stack));
        }
        for symbol in &of.symbols {
            found.symbols.extend(program.members(*symbol, name));
        }
        found.is_external |= of.is_external && found.is_empty();
        found
    }
}
