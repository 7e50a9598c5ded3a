//! What a name means in a module: its own items, modules below, imports, what is imported as a whole, other crates.

use model::{SymbolKind, code::Flags};

use super::{
    Rust,
    modules::{Imports, ModuleId},
};
use crate::{
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
};

/// How far imports lead to imports.
const MAX_LINKS: usize = 24;

/// What a name means. Several things of different kinds may have one name.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Found {
    pub(super) symbols: Vec<SymbolIdx>,
    pub(super) module: Option<ModuleId>,
    /// It comes from another repository.
    pub(super) is_external: bool,
}

impl Found {
    pub(super) fn is_empty(&self) -> bool {
        self.symbols.is_empty() && self.module.is_none() && !self.is_external
    }

    fn external() -> Found {
        Found { is_external: true, ..Found::default() }
    }

    fn module(module: ModuleId) -> Found {
        Found { module: Some(module), ..Found::default() }
    }

    fn add(&mut self, other: Found) {
        for symbol in other.symbols {
            if !self.symbols.contains(&symbol) {
                self.symbols.push(symbol);
            }
        }
        self.module = self.module.or(other.module);
        self.is_external |= other.is_external;
    }
}

/// Returns those of several definitions of one name that Linux compiles; all where it compiles none.
pub(super) fn compiled(program: &Program<'_>, symbols: Vec<SymbolIdx>) -> Vec<SymbolIdx> {
    let is_here = |symbol: &SymbolIdx| !program.shape(*symbol).flags.has(Flags::ELSEWHERE);
    if symbols.len() < 2 || !symbols.iter().any(is_here) {
        return symbols;
    }
    symbols.into_iter().filter(is_here).collect()
}

/// How many names are looked up for one: imports of whole modules that lead to each other have far more ways than modules.
const MAX_STEPS: u32 = 1_000;

/// The names that are being looked up, so that imports in circles end.
#[derive(Default)]
struct Open {
    names: Vec<(ModuleId, Name)>,
    n_steps: u32,
}

impl Rust {
    /// Returns what a name means in a module.
    pub(super) fn in_module(&self, program: &Program<'_>, module: ModuleId, name: Name) -> Found {
        if let Some(known) = self.known_names.read().ok().and_then(|known| known.get(&(module, name)).cloned()) {
            return known;
        }
        let found = self.in_module_at(program, module, name, &mut Open::default());
        if let Ok(mut known) = self.known_names.write() {
            known.insert((module, name), found.clone());
        }
        found
    }

    /// Returns what a path means that is written in a module.
    pub(super) fn path_in(&self, program: &Program<'_>, module: ModuleId, path: &str) -> Found {
        self.path_at(program, module, path, &mut Open::default())
    }

    fn in_module_at(&self, program: &Program<'_>, module: ModuleId, name: Name, open: &mut Open) -> Found {
        open.n_steps += 1;
        let is_over = open.names.len() > MAX_LINKS || open.n_steps > MAX_STEPS;
        if is_over || open.names.contains(&(module, name)) {
            return Found::default();
        }
        open.names.push((module, name));
        let found = self.in_open_module(program, module, name, open);
        open.names.pop();
        found
    }

    fn in_open_module(&self, program: &Program<'_>, id: ModuleId, name: Name, open: &mut Open) -> Found {
        let module = &self.modules.all[id as usize];
        let own = match module.definition {
            Some(block) => program.members(block, name),
            None => program.top(module.file, name),
        };
        let is_item = |symbol: &&SymbolIdx| {
            program.definition(**symbol).kind != SymbolKind::Module && !self.extension_members.contains(symbol)
        };
        let items = compiled(program, own.iter().filter(is_item).copied().collect());
        let mut found = Found { symbols: items, ..Found::default() };
        found.module = module.children.get(&name).and_then(|children| children.first()).copied();
        if let Some(imports) = self.modules.of_module.get(&id) {
            found.add(self.imported_at(program, id, imports, name, !found.is_empty(), open));
        }
        found
    }

    /// Returns what imports bring in under a name. What is imported as a whole gives way to what has the name.
    fn imported_at(
        &self,
        program: &Program<'_>,
        module: ModuleId,
        imports: &Imports,
        name: Name,
        is_known: bool,
        open: &mut Open,
    ) -> Found {
        let mut found = Found::default();
        for place in imports.named.get(&name).into_iter().flatten() {
            let target = self.import_at(program, module, *place, open);
            // Names of an import that cannot be followed are from elsewhere.
            found.add(if target.is_empty() { Found::external() } else { target });
        }
        found.symbols = compiled(program, found.symbols);
        if is_known || !found.is_empty() {
            return found;
        }
        for place in &imports.globs {
            let whole = self.import_at(program, module, *place, open);
            if let Some(inner) = whole.module {
                found.add(self.in_module_at(program, inner, name, open));
            }
            for symbol in whole.symbols {
                let variants = program.members(symbol, name).iter();
                found.symbols.extend(variants.filter(|one| program.definition(**one).kind == SymbolKind::Variant));
            }
        }
        found.symbols = compiled(program, found.symbols);
        found
    }

    /// Returns what a name means that is imported in a function.
    pub(super) fn imported_in_function(
        &self,
        program: &Program<'_>,
        module: ModuleId,
        function: SymbolIdx,
        name: Name,
    ) -> Found {
        match self.modules.of_function.get(&function) {
            Some(imports) => self.imported_at(program, module, imports, name, false, &mut Open::default()),
            None => Found::default(),
        }
    }

    /// Returns what an import names.
    pub(super) fn import(&self, program: &Program<'_>, module: ModuleId, place: (FileIdx, u32)) -> Found {
        self.import_at(program, module, place, &mut Open::default())
    }

    fn import_at(
        &self,
        program: &Program<'_>,
        module: ModuleId,
        (file, index): (FileIdx, u32),
        open: &mut Open,
    ) -> Found {
        let import = &program.facts(file).imports[index as usize];
        if import.name.is_empty() || import.name == "*" {
            return self.path_at(program, module, &import.module, open);
        }
        self.path_at(program, module, &format!("{}::{}", import.module, import.name), open)
    }

    fn path_at(&self, program: &Program<'_>, module: ModuleId, path: &str, open: &mut Open) -> Found {
        let mut parts = path.split("::").map(str::trim);
        let first = parts.next().unwrap_or_default();
        let n_parts = path.split("::").count();
        let mut found = match first {
            "" => self.extern_crate(module, parts.next().unwrap_or_default()),
            first => self.head_at(program, module, first, n_parts > 1, open),
        };
        let mut parts = parts.peekable();
        while let Some(part) = parts.next() {
            found = self.next_at(program, &found, part, parts.peek().is_some(), open);
            if found.is_empty() {
                return found;
            }
        }
        found
    }

    /// Returns what the first name of a path means: one of the words of paths, a name of the module, or another crate.
    fn head_at(&self, program: &Program<'_>, module: ModuleId, first: &str, is_longer: bool, open: &mut Open) -> Found {
        let of = &self.modules.all[module as usize];
        match first {
            "crate" | "$crate" => return Found::module(of.root),
            "self" => return Found::module(module),
            "super" => return of.parent.map(Found::module).unwrap_or_default(),
            _ => {}
        }
        let mut found = Found::default();
        if let Some(name) = program.name_named(first) {
            if let Some(child) = self.child(module, name).filter(|_| is_longer) {
                return Found::module(child);
            }
            found = self.in_module_at(program, module, name, open);
            if is_longer {
                found.symbols.retain(|symbol| program.definition(*symbol).kind.is_type());
            }
            if found.is_empty() && !self.knows_crate(module, first) && of.root != module {
                // Before the edition of 2018 paths start at the root.
                found = self.in_module_at(program, of.root, name, open);
            }
        }
        if found.is_empty() { self.extern_crate(module, first) } else { found }
    }

    fn child(&self, of: ModuleId, name: Name) -> Option<ModuleId> {
        self.modules.all[of as usize].children.get(&name)?.first().copied()
    }

    fn knows_crate(&self, module: ModuleId, name: &str) -> bool {
        let known = self.modules.all[module as usize].known;
        matches!(name, "std" | "core" | "alloc") || self.modules.known[known].contains_key(name)
    }

    /// Returns a crate by its name; one of another repository where there is none.
    pub(super) fn extern_crate(&self, module: ModuleId, name: &str) -> Found {
        let known = self.modules.all[module as usize].known;
        match self.modules.known[known].get(name) {
            Some(Some(root)) => Found::module(*root),
            _ => Found::external(),
        }
    }

    /// Returns another crate if that is what a name means where nothing else has it.
    pub(super) fn named_crate(&self, module: ModuleId, name: &str) -> Found {
        if self.knows_crate(module, name) { self.extern_crate(module, name) } else { Found::default() }
    }

    /// Returns what a name means behind something.
    fn next_at(&self, program: &Program<'_>, of: &Found, part: &str, is_longer: bool, open: &mut Open) -> Found {
        match (part, of.module) {
            ("self", _) => return of.clone(),
            ("super", Some(module)) => {
                return self.modules.all[module as usize].parent.map(Found::module).unwrap_or_default();
            }
            _ => {}
        }
        let Some(name) = program.name_named(part) else {
            return Found { is_external: of.is_external, ..Found::default() };
        };
        let mut found = Found::default();
        if let Some(module) = of.module {
            // A module often has a function of its own name, which is imported through it.
            if let Some(child) = self.child(module, name).filter(|_| is_longer) {
                return Found::module(child);
            }
            found.add(self.in_module_at(program, module, name, open));
        }
        for symbol in &of.symbols {
            found.symbols.extend(program.members(*symbol, name));
        }
        found.is_external |= of.is_external && found.is_empty();
        found
    }
}
