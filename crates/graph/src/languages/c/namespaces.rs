//! Namespaces: one tree over all files, since each file may open each of them again.

use model::{
    SymbolKind,
    code::{Binding, Code, Expression, ExpressionId, Flags, NameId, ScopeId, TypeExpression},
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    dialect::Family,
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
};

/// A namespace, as a number in its program; the first is the one around all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Namespace(pub(super) u32);

/// What is around everything.
pub(super) const GLOBAL: Namespace = Namespace(0);

/// How many scopes or definitions may lie in each other.
const MAX_DEPTH: usize = 400;

/// The most namespaces that macros are believed to open; a library has one or two.
const MAX_BY_MACROS: usize = 8;

/// The namespaces of a program.
pub(super) struct Namespaces {
    parents: Vec<Option<Namespace>>,
    children: FxHashMap<(Namespace, Name), Namespace>,
    members: FxHashMap<(Namespace, Name), Vec<SymbolIdx>>,
    /// Values of an `enum` in a type, which are names of that type.
    variants: FxHashMap<(SymbolIdx, Name), SymbolIdx>,
    /// By module: the namespace that it is a piece of.
    of_module: FxHashMap<SymbolIdx, Namespace>,
    /// All names of the second are names of the first, where the file is seen.
    directives: FxHashMap<Namespace, Vec<(FileIdx, Namespace)>>,
    /// Names that a namespace takes in or gives another name, with the binding that says so.
    taken_in: FxHashMap<(Namespace, Name), Vec<(FileIdx, u32)>>,
    /// Names of namespaces that only macros open, so that their members seem to stand in what is around.
    by_macros: FxHashSet<Name>,
    /// Namespaces that macros open, too, in order.
    also_by_macros: Vec<Namespace>,
}

impl Namespaces {
    /// Lays out the namespaces of a program.
    pub(super) fn of(program: &Program<'_>) -> Namespaces {
        let mut all = Namespaces {
            parents: vec![None],
            children: FxHashMap::default(),
            members: FxHashMap::default(),
            variants: FxHashMap::default(),
            of_module: FxHashMap::default(),
            directives: FxHashMap::default(),
            taken_in: FxHashMap::default(),
            by_macros: FxHashSet::default(),
            also_by_macros: Vec::new(),
        };
        let files: Vec<FileIdx> =
            program.file_indices().filter(|file| Family::of(program.language(*file)) == Family::C).collect();
        for file in &files {
            program.symbols_of(*file).for_each(|symbol| all.open(program, *file, symbol));
        }
        let is_by_macros = |(_, name): &(Namespace, Name)| all.by_macros.contains(name);
        let mut also: Vec<Namespace> =
            all.children.iter().filter(|(key, _)| is_by_macros(key)).map(|(_, child)| *child).collect();
        also.sort_unstable();
        also.dedup();
        also.truncate(MAX_BY_MACROS);
        all.also_by_macros = also;
        for file in &files {
            program.symbols_of(*file).for_each(|symbol| all.add(program, *file, symbol));
        }
        for file in &files {
            all.take_in(program, *file);
        }
        for named in all.directives.values_mut() {
            named.sort_unstable();
            named.dedup();
        }
        all
    }

    /// Opens the namespace that a module is a piece of.
    fn open(&mut self, program: &Program<'_>, file: FileIdx, symbol: SymbolIdx) {
        let definition = program.definition(symbol);
        if matches!(definition.kind, SymbolKind::Macro | SymbolKind::Constant) {
            for opened in definition.signature.split("namespace ").skip(1) {
                let name = opened.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
                self.by_macros.extend(program.name_named(name));
            }
            return;
        }
        if definition.kind != SymbolKind::Module {
            return;
        }
        let mut at = self.around(program, file, symbol);
        let is_inline = program.shape(symbol).flags.has(Flags::DEFAULT);
        for part in definition.name.split('.') {
            let Some(name) = program.name_named(part) else {
                // `a.b` is one name of the program, `a` may be none.
                at = self.child(at, Name::NONE);
                continue;
            };
            // What is in an inline namespace is in the one around it.
            if is_inline {
                self.children.insert((at, name), at);
            } else {
                at = self.child(at, name);
            }
        }
        self.of_module.insert(symbol, at);
    }

    fn child(&mut self, parent: Namespace, name: Name) -> Namespace {
        if let Some(known) = self.children.get(&(parent, name)) {
            return *known;
        }
        let child = Namespace(self.parents.len() as u32);
        self.parents.push(Some(parent));
        self.children.insert((parent, name), child);
        child
    }

    /// Adds a definition to the namespace whose member it is, if it is no member of a type or function.
    fn add(&mut self, program: &Program<'_>, file: FileIdx, symbol: SymbolIdx) {
        let definition = program.definition(symbol);
        let kind = definition.kind;
        let parent = definition.parent.map(|parent| program.symbol(file, model::code::DefinitionId(parent)));
        let parent_kind = parent.map(|parent| program.definition(parent).kind);
        let is_friend = program.shape(symbol).flags.has(Flags::FRIEND);
        let is_macro = matches!(kind, SymbolKind::Macro) || definition.signature.starts_with('#');
        let at = match parent_kind {
            _ if is_macro => GLOBAL,
            None | Some(SymbolKind::Module) => self.around(program, file, symbol),
            Some(_) if is_friend => self.around(program, file, symbol),
            // The values of an `enum` are names of what is around it.
            Some(SymbolKind::Enum) if kind == SymbolKind::Variant => {
                let outer = parent.and_then(|parent| program.definition(parent).parent);
                let outer = outer.map(|outer| program.symbol(file, model::code::DefinitionId(outer)));
                match outer.filter(|outer| program.definition(*outer).kind != SymbolKind::Module) {
                    Some(outer) => {
                        self.variants.insert((outer, program.name_of(symbol)), symbol);
                        return;
                    }
                    None => self.around(program, file, symbol),
                }
            }
            Some(_) => return,
        };
        let at = match program.shape(symbol).receiver {
            None => at,
            Some(receiver) => {
                let code = program.code(file);
                let TypeExpression::Named { path, scope, .. } = code.written(receiver) else { return };
                let start = if *scope == ScopeId(0) && code.scopes.len() > 1 { GLOBAL } else { at };
                let path: Vec<Name> = path.iter().map(|name| program.name(file, *name)).collect();
                match self.find(start, &path) {
                    Some(named) => named,
                    None => return,
                }
            }
        };
        self.members.entry((at, program.name_of(symbol))).or_default().push(symbol);
    }

    /// Returns the namespace that a definition stands in, however deep in types and functions.
    pub(super) fn around(&self, program: &Program<'_>, file: FileIdx, symbol: SymbolIdx) -> Namespace {
        let mut at = program.definition(symbol).parent;
        for _ in 0..MAX_DEPTH {
            let Some(parent) = at else { break };
            let parent = program.symbol(file, model::code::DefinitionId(parent));
            if let Some(namespace) = self.of_module.get(&parent) {
                return *namespace;
            }
            at = program.definition(parent).parent;
        }
        GLOBAL
    }

    /// Notes what `using` and aliases outside of functions and types take in.
    fn take_in(&mut self, program: &Program<'_>, file: FileIdx) {
        let code = program.code(file);
        let mut levels: FxHashMap<ScopeId, Option<Namespace>> = FxHashMap::default();
        for (index, binding) in code.bindings.iter().enumerate() {
            let Some(value) = binding.value else { continue };
            let is_path = matches!(code.expression(value), Expression::Path { .. } | Expression::Name { .. });
            if !is_path {
                continue;
            }
            let level = *levels.entry(binding.scope).or_insert_with(|| self.level(program, file, binding.scope));
            let Some(level) = level else { continue };
            self.take(program, file, index as u32, binding, level);
        }
    }

    fn take(&mut self, program: &Program<'_>, file: FileIdx, index: u32, binding: &Binding, level: Namespace) {
        let code = program.code(file);
        if code.name(binding.name) != "*" {
            let name = program.name(file, binding.name);
            self.taken_in.entry((level, name)).or_default().push((file, index));
            return;
        }
        let Some(path) = binding.value.and_then(|value| path_of(code, value)) else { return };
        let path: Vec<Name> = path.into_iter().map(|name| program.name(file, name)).collect();
        if let Some(named) = self.find(level, &path) {
            self.directives.entry(level).or_default().push((file, named));
        }
    }

    /// Returns the namespace whose scope this is; nothing for one in a function or type.
    fn level(&self, program: &Program<'_>, file: FileIdx, scope: ScopeId) -> Option<Namespace> {
        let code = program.code(file);
        let mut at = Some(scope);
        let mut is_block = false;
        for _ in 0..MAX_DEPTH {
            let Some(scope) = at.and_then(|at| code.scopes.get(at.index())) else { break };
            if let Some(definition) = scope.definition {
                return self.of_module.get(&program.symbol(file, definition)).copied();
            }
            is_block |= scope.parent.is_none();
            at = scope.parent;
        }
        is_block.then_some(GLOBAL)
    }

    /// Returns the namespace that a module is a piece of.
    pub(super) fn of_module(&self, module: SymbolIdx) -> Option<Namespace> {
        self.of_module.get(&module).copied()
    }

    /// Returns the namespace around one.
    pub(super) fn parent(&self, of: Namespace) -> Option<Namespace> {
        self.parents.get(of.0 as usize).copied().flatten()
    }

    /// Returns the namespace that a name means in another.
    pub(super) fn child_named(&self, of: Namespace, name: Name) -> Option<Namespace> {
        self.children.get(&(of, name)).copied()
    }

    /// Returns the namespace that a path means, asked from within another.
    pub(super) fn find(&self, from: Namespace, path: &[Name]) -> Option<Namespace> {
        let mut start = Some(from);
        while let Some(at) = start {
            let found = path.iter().try_fold(at, |at, name| self.child_named(at, *name));
            if found.is_some() {
                return found;
            }
            start = self.parent(at);
        }
        None
    }

    /// Returns the definitions of a name in a namespace, in all files.
    pub(super) fn members(&self, of: Namespace, name: Name) -> &[SymbolIdx] {
        self.members.get(&(of, name)).map_or(&[], Vec::as_slice)
    }

    /// Returns the value of an `enum` in a type.
    pub(super) fn variant(&self, of: SymbolIdx, name: Name) -> Option<SymbolIdx> {
        self.variants.get(&(of, name)).copied()
    }

    /// Returns the namespaces all of whose names are names of this one, with the file that says so.
    pub(super) fn directives(&self, of: Namespace) -> &[(FileIdx, Namespace)] {
        self.directives.get(&of).map_or(&[], Vec::as_slice)
    }

    /// Returns the bindings that take a name into a namespace.
    pub(super) fn taken_in_as(&self, of: Namespace, name: Name) -> &[(FileIdx, u32)] {
        self.taken_in.get(&(of, name)).map_or(&[], Vec::as_slice)
    }

    /// Says whether a namespace is one that macros open, too, so that some of its members seem to stand in what is around.
    pub(super) fn is_opened_by_macros(&self, namespace: Namespace) -> bool {
        self.also_by_macros.contains(&namespace)
    }

    /// Returns the namespaces that may be around what seems to stand in none.
    pub(super) fn opened_by_macros(&self) -> &[Namespace] {
        &self.also_by_macros
    }

    /// Says whether a namespace of this name is opened by macros alone.
    pub(super) fn is_by_macros(&self, name: Name) -> bool {
        self.by_macros.contains(&name)
    }
}

/// Returns the names of a path that is an expression.
fn path_of(code: &Code, value: ExpressionId) -> Option<Vec<NameId>> {
    let mut names = Vec::new();
    let mut at = value;
    for _ in 0..MAX_DEPTH {
        match code.expression(at) {
            Expression::Path { of, name } => {
                names.push(*name);
                at = *of;
            }
            Expression::Name { name, .. } => {
                names.push(*name);
                names.reverse();
                return Some(names);
            }
            _ => return None,
        }
    }
    None
}
