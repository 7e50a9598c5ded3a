//! Namespaces: one tree over all files, since every file may reopen a namespace.

use model::{
    SymbolKind,
    code::{Binding, Code, Expression, ExpressionId, Flags, NameId, ScopeId, TypeExpression},
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    family::Family,
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
};

/// Index of a namespace in its program; index 0 is the global namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Namespace(pub(super) u32);

/// The global namespace.
pub(super) const GLOBAL: Namespace = Namespace(0);

/// Maximum nesting depth of scopes and definitions.
const MAX_DEPTH: usize = 400;

/// Maximum number of namespaces that macros are assumed to open; a library has one or two.
const MAX_MACRO_NAMESPACES: usize = 8;

/// Maximum number of namespaces of one file that a name without a scope is looked up in.
const MAX_OPENED: usize = 16;

/// The namespaces of a program.
pub(super) struct Namespaces {
    parents: Vec<Option<Namespace>>,
    children: FxHashMap<(Namespace, Name), Namespace>,
    members: FxHashMap<(Namespace, Name), Vec<SymbolIdx>>,
    /// Enumerators of an `enum` inside a type; they are members of that type.
    variants: FxHashMap<(SymbolIdx, Name), SymbolIdx>,
    /// The namespace of each module definition.
    of_module: FxHashMap<SymbolIdx, Namespace>,
    /// `using namespace` directives: the file of the directive and the namespace whose names it adds.
    directives: FxHashMap<Namespace, Vec<(FileIdx, Namespace)>>,
    /// `using` declarations and aliases: the file and the binding that declares them.
    using_declarations: FxHashMap<(Namespace, Name), Vec<(FileIdx, u32)>>,
    /// Names of namespaces that a macro opens, so that their members appear to be in the enclosing namespace.
    macro_namespaces: FxHashSet<Name>,
    /// By file: the namespaces that it opens, the last first.
    of_file: FxHashMap<FileIdx, Vec<Namespace>>,
    /// Namespaces that are opened both by macros and explicitly, sorted.
    opened_also_by_macros: Vec<Namespace>,
}

impl Namespaces {
    /// Builds the namespace tree of a program.
    pub(super) fn of(program: &Program<'_>) -> Namespaces {
        let mut all = Namespaces {
            parents: vec![None],
            children: FxHashMap::default(),
            members: FxHashMap::default(),
            variants: FxHashMap::default(),
            of_module: FxHashMap::default(),
            directives: FxHashMap::default(),
            using_declarations: FxHashMap::default(),
            macro_namespaces: FxHashSet::default(),
            of_file: FxHashMap::default(),
            opened_also_by_macros: Vec::new(),
        };
        let files: Vec<FileIdx> =
            program.file_indices().filter(|file| Family::of(program.language(*file)) == Family::C).collect();
        for file in &files {
            program.symbols_of(*file).for_each(|symbol| all.open_namespace(program, *file, symbol));
        }
        let is_macro_namespace = |(_, name): &(Namespace, Name)| all.macro_namespaces.contains(name);
        let mut also: Vec<Namespace> =
            all.children.iter().filter(|(key, _)| is_macro_namespace(key)).map(|(_, child)| *child).collect();
        also.sort_unstable();
        also.dedup();
        also.truncate(MAX_MACRO_NAMESPACES);
        all.opened_also_by_macros = also;
        for file in &files {
            program.symbols_of(*file).for_each(|symbol| all.add_member(program, *file, symbol));
        }
        for file in &files {
            all.add_using_declarations(program, *file);
        }
        for named in all.directives.values_mut() {
            named.sort_unstable();
            named.dedup();
        }
        all
    }

    /// Creates the namespace of a module definition, and records the namespaces that a macro opens.
    fn open_namespace(&mut self, program: &Program<'_>, file: FileIdx, symbol: SymbolIdx) {
        let definition = program.definition(symbol);
        if matches!(definition.kind, SymbolKind::Macro | SymbolKind::Constant) {
            for opened in definition.signature.split("namespace ").skip(1) {
                let name = opened.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
                self.macro_namespaces.extend(program.name_named(name));
            }
            return;
        }
        if definition.kind != SymbolKind::Module {
            return;
        }
        let mut at = self.enclosing(program, file, symbol);
        let is_inline = program.shape(symbol).flags.has(Flags::DEFAULT);
        for part in definition.name.split('.') {
            let Some(name) = program.name_named(part) else {
                // The name table has `a.b` as one name; it may lack `a`.
                at = self.child(at, Name::NONE);
                continue;
            };
            // Members of an inline namespace are members of the enclosing namespace.
            if is_inline {
                self.children.insert((at, name), at);
            } else {
                at = self.child(at, name);
            }
        }
        self.of_module.insert(symbol, at);
        let opened = self.of_file.entry(file).or_default();
        if !opened.contains(&at) && opened.len() < MAX_OPENED {
            opened.insert(0, at);
        }
    }

    /// Returns the child namespace of a name, and creates it if it does not exist.
    fn child(&mut self, parent: Namespace, name: Name) -> Namespace {
        if let Some(known) = self.children.get(&(parent, name)) {
            return *known;
        }
        let child = Namespace(self.parents.len() as u32);
        self.parents.push(Some(parent));
        self.children.insert((parent, name), child);
        child
    }

    /// Adds a definition to its namespace. Members of types and functions are skipped.
    fn add_member(&mut self, program: &Program<'_>, file: FileIdx, symbol: SymbolIdx) {
        let definition = program.definition(symbol);
        let kind = definition.kind;
        let parent = definition.parent.map(|parent| program.symbol(file, model::code::DefinitionId(parent)));
        let parent_kind = parent.map(|parent| program.definition(parent).kind);
        let is_friend = program.shape(symbol).flags.has(Flags::FRIEND);
        let is_macro = matches!(kind, SymbolKind::Macro) || definition.signature.starts_with('#');
        let at = match parent_kind {
            _ if is_macro => GLOBAL,
            None | Some(SymbolKind::Module) => self.enclosing(program, file, symbol),
            Some(_) if is_friend => self.enclosing(program, file, symbol),
            // The enumerators of an `enum` are members of the enclosing scope.
            Some(SymbolKind::Enum) if kind == SymbolKind::Variant => {
                let outer = parent.and_then(|parent| program.definition(parent).parent);
                let outer = outer.map(|outer| program.symbol(file, model::code::DefinitionId(outer)));
                match outer.filter(|outer| program.definition(*outer).kind != SymbolKind::Module) {
                    Some(outer) => {
                        self.variants.insert((outer, program.name_of(symbol)), symbol);
                        return;
                    }
                    None => self.enclosing(program, file, symbol),
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

    /// Returns the innermost namespace around a definition.
    pub(super) fn enclosing(&self, program: &Program<'_>, file: FileIdx, symbol: SymbolIdx) -> Namespace {
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

    /// Records the `using` declarations and aliases of a file that are in a namespace, not in a function or type.
    fn add_using_declarations(&mut self, program: &Program<'_>, file: FileIdx) {
        let code = program.code(file);
        let mut levels: FxHashMap<ScopeId, Option<Namespace>> = FxHashMap::default();
        for (index, binding) in code.bindings.iter().enumerate() {
            let Some(value) = binding.value else { continue };
            let is_path = matches!(code.expression(value), Expression::Path { .. } | Expression::Name { .. });
            if !is_path {
                continue;
            }
            let level =
                *levels.entry(binding.scope).or_insert_with(|| self.namespace_of_scope(program, file, binding.scope));
            let Some(level) = level else { continue };
            self.add_using(program, file, index as u32, binding, level);
        }
    }

    /// Records one `using` directive, `using` declaration or alias.
    fn add_using(&mut self, program: &Program<'_>, file: FileIdx, index: u32, binding: &Binding, level: Namespace) {
        let code = program.code(file);
        if code.name(binding.name) != "*" {
            let name = program.name(file, binding.name);
            self.using_declarations.entry((level, name)).or_default().push((file, index));
            return;
        }
        let Some(path) = binding.value.and_then(|value| path_of(code, value)) else { return };
        let path: Vec<Name> = path.into_iter().map(|name| program.name(file, name)).collect();
        if let Some(named) = self.find(level, &path) {
            self.directives.entry(level).or_default().push((file, named));
        }
    }

    /// Returns the namespace that a scope belongs to, or none for a scope in a function or type.
    fn namespace_of_scope(&self, program: &Program<'_>, file: FileIdx, scope: ScopeId) -> Option<Namespace> {
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

    /// Returns the namespaces that a file opens, the last first: an inner one is opened after the one around it.
    pub(super) fn opened_in(&self, file: FileIdx) -> &[Namespace] {
        self.of_file.get(&file).map_or(&[], Vec::as_slice)
    }

    /// Returns the namespace of a module definition.
    pub(super) fn of_module(&self, module: SymbolIdx) -> Option<Namespace> {
        self.of_module.get(&module).copied()
    }

    /// Returns the enclosing namespace.
    pub(super) fn parent(&self, of: Namespace) -> Option<Namespace> {
        self.parents.get(of.0 as usize).copied().flatten()
    }

    /// Returns the direct child namespace of a name.
    pub(super) fn child_named(&self, of: Namespace, name: Name) -> Option<Namespace> {
        self.children.get(&(of, name)).copied()
    }

    /// Resolves a namespace path from inside a namespace, outwards.
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

    /// Returns the definitions of a name in a namespace, over all files.
    pub(super) fn members(&self, of: Namespace, name: Name) -> &[SymbolIdx] {
        self.members.get(&(of, name)).map_or(&[], Vec::as_slice)
    }

    /// Returns the enumerator of a name in an `enum` inside a type.
    pub(super) fn variant(&self, of: SymbolIdx, name: Name) -> Option<SymbolIdx> {
        self.variants.get(&(of, name)).copied()
    }

    /// Returns the `using namespace` directives of a namespace, each with its file.
    pub(super) fn directives(&self, of: Namespace) -> &[(FileIdx, Namespace)] {
        self.directives.get(&of).map_or(&[], Vec::as_slice)
    }

    /// Returns the bindings of the `using` declarations and aliases of a name in a namespace.
    pub(super) fn using_declarations_of(&self, of: Namespace, name: Name) -> &[(FileIdx, u32)] {
        self.using_declarations.get(&(of, name)).map_or(&[], Vec::as_slice)
    }

    /// Returns true if a namespace is also opened by macros, so that some of its members appear to be in the enclosing
    /// one.
    pub(super) fn is_opened_by_macros(&self, namespace: Namespace) -> bool {
        self.opened_also_by_macros.contains(&namespace)
    }

    /// Returns the namespaces that macros may open around definitions of the global namespace.
    pub(super) fn opened_by_macros(&self) -> &[Namespace] {
        &self.opened_also_by_macros
    }

    /// Returns true if a macro opens a namespace of this name.
    pub(super) fn is_macro_namespace(&self, name: Name) -> bool {
        self.macro_namespaces.contains(&name)
    }
}

/// Returns the names of a path expression.
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
