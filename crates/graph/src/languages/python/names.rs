//! Name resolution: definitions, imports, aliases.

use model::{
    SymbolKind,
    code::{Expression, ExpressionId, Flags, Literal, NameId},
};

use super::{PythonDialect, bindings::last_binding_before, standard_library};
use crate::{
    infer::Inference,
    names::Name,
    program::{FileIdx, Node, Program, SymbolIdx},
    ty::{ModuleIdx, Ty},
};

impl PythonDialect {
    /// Indexes the module-level imports of a file. Imports in functions are bindings of their scopes.
    pub(super) fn index_imports(&mut self, program: &Program<'_>, file: FileIdx) {
        let facts = program.facts(file);
        let functions: Vec<_> = facts
            .definitions
            .iter()
            .filter(|definition| {
                matches!(definition.kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor)
            })
            .map(|definition| definition.lines)
            .collect();
        // Functions are sorted by start line; `end` is the last line of those that started before.
        let mut next = 0;
        let mut end = 0;
        for (index, import) in facts.imports.iter().enumerate() {
            while let Some(lines) = functions.get(next).filter(|lines| lines.start < import.line) {
                end = end.max(lines.end);
                next += 1;
            }
            if import.line <= end {
                continue;
            }
            if import.name == "*" {
                self.stars.entry(file).or_default().push(index as u32);
                continue;
            }
            let bound = match (&import.alias, &import.name) {
                (alias, _) if !alias.is_empty() => alias.as_str(),
                (_, name) if !name.is_empty() => name.as_str(),
                // `import a.b` binds `a`.
                _ => import.module.split('.').next().unwrap_or_default(),
            };
            if let Some(name) = program.name_named(bound) {
                self.imports.entry((file, name)).or_default().push(index as u32);
            }
        }
    }

    /// Resolves a name at module level.
    pub(super) fn global_value(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty {
        let program = cx.program;
        let own = program.top(file, name);
        let imports = self.imports.get(&(file, name)).map_or(&[][..], Vec::as_slice);
        if !own.is_empty() || !imports.is_empty() {
            let facts = program.facts(file);
            let (fallbacks, regular): (Vec<u32>, Vec<u32>) =
                imports.iter().copied().partition(|import| facts.imports[*import as usize].is_fallback);
            let (own_fallbacks, own): (Vec<SymbolIdx>, Vec<SymbolIdx>) =
                own.iter().copied().partition(|symbol| program.shape(*symbol).flags.has(Flags::CONDITIONAL));
            let is_declared = own.iter().any(|symbol| program.shape(*symbol).declared.is_some());
            let regular = self.bound_values(cx, file, &regular, &own);
            // A name that an `except` clause binds counts only if the program does not have what was tried first. A declared variable may
            // have any of its values.
            if is_declared || matches!(regular, Ty::Unknown | Ty::External | Ty::Builtin { .. }) {
                return Ty::one_of([regular, self.bound_values(cx, file, &fallbacks, &own_fallbacks)]);
            }
            return regular;
        }
        for star in self.stars.get(&file).into_iter().flatten() {
            let found = self.resolve_star_import(cx, file, *star, name);
            if !found.is_unknown() {
                return found;
            }
        }
        standard_library::builtin(program.text(name))
    }

    /// Returns the value of a name that imports and definitions of a module bind.
    fn bound_values(&self, cx: &mut Inference<'_>, file: FileIdx, imports: &[u32], own: &[SymbolIdx]) -> Ty {
        let imported: Vec<Ty> = imports.iter().map(|import| self.import_value(cx, file, *import)).collect();
        let own = cx.symbols_value(own, None);
        Ty::one_of(imported.into_iter().chain([own]))
    }

    /// Returns the value that an import statement binds.
    fn import_value(&self, cx: &mut Inference<'_>, file: FileIdx, import: u32) -> Ty {
        let program = cx.program;
        let import = &program.facts(file).imports[import as usize];
        match (import.name.as_str(), import.alias.as_str()) {
            ("", "") => {
                let first = import.module.split('.').next().unwrap_or_default();
                self.module_value(program, file, first)
            }
            ("", _) => self.module_value(program, file, &import.module),
            (name, _) => self.resolve_from_import(cx, file, &import.module, name),
        }
    }

    fn module_value(&self, program: &Program<'_>, file: FileIdx, module: &str) -> Ty {
        match self.modules.resolve(program, file, module) {
            Some(module) => Ty::Module(module),
            None => standard_library::module(module),
        }
    }

    /// Resolves `from module import name`.
    fn resolve_from_import(&self, cx: &mut Inference<'_>, file: FileIdx, module: &str, name: &str) -> Ty {
        let program = cx.program;
        match self.modules.resolve(program, file, module) {
            Some(module) => {
                let by_name =
                    program.name_named(name).map_or(Ty::Unknown, |name| self.module_level_name(cx, module, name));
                match (by_name, self.modules.submodule(module, name)) {
                    (Ty::Unknown, Some(inner)) => Ty::Module(inner),
                    (found, _) => found,
                }
            }
            None => standard_library::member(module, name),
        }
    }

    /// Resolves a name through `from module import *`.
    fn resolve_star_import(&self, cx: &mut Inference<'_>, file: FileIdx, star: u32, name: Name) -> Ty {
        let program = cx.program;
        let import = &program.facts(file).imports[star as usize];
        let Some(module) = self.modules.resolve(program, file, &import.module) else { return Ty::Unknown };
        let is_private = program.text(name).starts_with('_');
        if is_private && !self.exports_name(program, module, name) {
            return Ty::Unknown;
        }
        self.module_level_name(cx, module, name)
    }

    /// Returns true if a module lists a name in `__all__`.
    fn exports_name(&self, program: &Program<'_>, module: ModuleIdx, name: Name) -> bool {
        let (Some(file), Some(all)) = (self.modules.file(module), program.name_named("__all__")) else { return false };
        let code = program.code(file);
        program.top(file, all).iter().flat_map(|symbol| program.shape(*symbol).values.iter()).any(|value| {
            let (Expression::List(items) | Expression::Tuple(items)) = code.expression(*value) else { return false };
            items.iter().any(|item| match code.expression(*item) {
                Expression::Literal(Literal::Text(Some(text))) => program.name(file, *text) == name,
                _ => false,
            })
        })
    }

    /// Resolves a name that the file of a module binds; builtin names are not members of it.
    fn module_level_name(&self, cx: &mut Inference<'_>, module: ModuleIdx, name: Name) -> Ty {
        let Some(file) = self.modules.file(module) else { return Ty::Unknown };
        cx.consult(file);
        if standard_library::builtin(cx.program.text(name)) != Ty::Unknown && cx.program.top(file, name).is_empty() {
            let is_bound = self.imports.contains_key(&(file, name));
            if !is_bound {
                return Ty::Unknown;
            }
        }
        cx.global(file, name)
    }

    /// Resolves a member of a module: a name that it binds, or a submodule.
    pub(super) fn resolve_module_member(&self, cx: &mut Inference<'_>, module: ModuleIdx, name: Name) -> Ty {
        match self.module_level_name(cx, module, name) {
            Ty::Unknown => match self.modules.submodule(module, cx.program.text(name)) {
                Some(inner) => Ty::Module(inner),
                None => Ty::Unknown,
            },
            found => found,
        }
    }

    /// Returns the value of an import expression.
    pub(super) fn import_expression_value(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        module: NameId,
        name: Option<NameId>,
    ) -> Ty {
        let code = cx.program.code(file);
        let module = code.name(module);
        match name {
            Some(name) => self.resolve_from_import(cx, file, module, code.name(name)),
            None => self.module_value(cx.program, file, module),
        }
    }

    /// Returns the definitions or the file that an import names.
    pub(super) fn imported_nodes(&self, cx: &mut Inference<'_>, file: FileIdx, import: usize) -> Vec<Node> {
        let import = &cx.program.facts(file).imports[import];
        if import.name.is_empty() || import.name == "*" {
            let module = self.modules.resolve(cx.program, file, &import.module);
            return module.and_then(|module| self.modules.file(module)).map(Node::File).into_iter().collect();
        }
        let mut nodes = Vec::new();
        for ty in self.resolve_from_import(cx, file, &import.module, &import.name).alternatives() {
            match ty {
                Ty::Class(applied) => nodes.push(Node::Symbol(applied.of)),
                Ty::Function { candidates, .. } => nodes.extend(candidates.last().map(|last| Node::Symbol(*last))),
                Ty::Module(module) => nodes.extend(self.modules.file(*module).map(Node::File)),
                _ => {}
            }
        }
        if nodes.is_empty() {
            let module = self.modules.resolve(cx.program, file, &import.module);
            nodes.extend(module.and_then(|module| self.modules.file(module)).map(Node::File));
        }
        nodes
    }

    /// Returns true if a callee denotes a definition by its own name or its import alias, and false if it is a
    /// variable.
    pub(super) fn callee_names_definition(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        callee: ExpressionId,
        to: SymbolIdx,
    ) -> bool {
        let program = cx.program;
        let written = match program.code(file).expression(callee) {
            // An import path expression is called by its last segment.
            Expression::Name { name, .. } if program.code(file).name(*name).contains('.') => {
                let text = program.code(file).name(*name).rsplit('.').next().unwrap_or_default();
                return program.text(program.name_of(to)) == text;
            }
            Expression::Name { name, .. } | Expression::Member { name, .. } => program.name(file, *name),
            _ => return true,
        };
        let is_constructor = program.text(program.name_of(to)) == "__init__";
        let owner = program.parent(to).filter(|_| is_constructor);
        if written == program.name_of(to) || owner.is_some_and(|owner| program.name_of(owner) == written) {
            return true;
        }
        match program.code(file).expression(callee) {
            Expression::Name { name, scope, n_before } => {
                let bound = last_binding_before(program, file, program.name(file, *name), *scope, *n_before);
                match bound.map(|binding| program.code(file).bindings[binding as usize].value) {
                    None => self.is_import_alias(program, file, written, to, 0),
                    Some(value) => value.is_some_and(|value| self.is_local_alias(program, file, value, to)),
                }
            }
            Expression::Member { of, .. } => match cx.type_of(file, *of) {
                Ty::Module(module) => {
                    self.modules.file(module).is_some_and(|file| self.is_import_alias(program, file, written, to, 0))
                }
                _ => false,
            },
            _ => true,
        }
    }

    fn is_local_alias(&self, program: &Program<'_>, file: FileIdx, value: ExpressionId, to: SymbolIdx) -> bool {
        match program.code(file).expression(value) {
            Expression::Import { name: Some(name), .. } => program.name(file, *name) == program.name_of(to),
            _ => false,
        }
    }

    /// Returns true if imports alone bind a definition to a name of a module.
    fn is_import_alias(&self, program: &Program<'_>, file: FileIdx, written: Name, to: SymbolIdx, depth: u32) -> bool {
        /// Maximum length of a chain of re-exports.
        const MAX_IMPORTS: u32 = 8;
        let is_named = [Some(to), program.parent(to)].into_iter().flatten().any(|to| program.name_of(to) == written);
        if depth > 0 && is_named {
            return true;
        }
        let imports = self.imports.get(&(file, written)).map_or(&[][..], Vec::as_slice);
        depth < MAX_IMPORTS
            && imports.iter().any(|import| {
                let import = &program.facts(file).imports[*import as usize];
                let module = self.modules.resolve(program, file, &import.module);
                let (Some(from), Some(name)) =
                    (module.and_then(|module| self.modules.file(module)), program.name_named(&import.name))
                else {
                    return false;
                };
                self.is_import_alias(program, from, name, to, depth + 1)
            })
    }
}
