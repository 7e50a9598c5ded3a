//! What names mean: definitions, imports, what is assigned and tested.

use model::{
    SymbolKind,
    code::{Expression, ExpressionId, Literal, NameId},
};

use super::{Python, bindings::bound_before, externals};
use crate::{
    infer::Inference,
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
    resolve::Node,
    ty::{ModuleIdx, Ty},
};

impl Python {
    /// Notes the imports of a module's own level; those within functions are values there.
    pub(super) fn lay_out_imports(&mut self, program: &Program<'_>, file: FileIdx) {
        let facts = program.facts(file);
        let functions: Vec<_> = facts
            .definitions
            .iter()
            .filter(|definition| {
                matches!(definition.kind, SymbolKind::Function | SymbolKind::Method | SymbolKind::Constructor)
            })
            .map(|definition| definition.lines)
            .collect();
        // Functions are sorted by their start: how far the ones that began reach.
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

    /// Returns what a name means in a module.
    pub(super) fn global_value(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty {
        let program = cx.program;
        let own = program.top(file, name);
        let imports = self.imports.get(&(file, name)).map_or(&[][..], Vec::as_slice);
        if !own.is_empty() || !imports.is_empty() {
            let imported: Vec<Ty> = imports.iter().map(|import| self.import_value(cx, file, *import)).collect();
            let own = cx.symbols_value(own, None);
            return Ty::one_of(imported.into_iter().chain([own]));
        }
        for star in self.stars.get(&file).into_iter().flatten() {
            let found = self.star_value(cx, file, *star, name);
            if !found.is_unknown() {
                return found;
            }
        }
        externals::builtin(program.text(name))
    }

    fn import_value(&self, cx: &mut Inference<'_>, file: FileIdx, import: u32) -> Ty {
        let program = cx.program;
        let import = &program.facts(file).imports[import as usize];
        match (import.name.as_str(), import.alias.as_str()) {
            ("", "") => {
                let first = import.module.split('.').next().unwrap_or_default();
                self.module_value(program, file, first)
            }
            ("", _) => self.module_value(program, file, &import.module),
            (name, _) => self.name_of_module(cx, file, &import.module, name),
        }
    }

    fn module_value(&self, program: &Program<'_>, file: FileIdx, module: &str) -> Ty {
        match self.modules.find(program, file, module) {
            Some(module) => Ty::Module(module),
            None => externals::module(module),
        }
    }

    fn name_of_module(&self, cx: &mut Inference<'_>, file: FileIdx, module: &str, name: &str) -> Ty {
        let program = cx.program;
        match self.modules.find(program, file, module) {
            Some(module) => {
                let by_name = program.name_named(name).map_or(Ty::Unknown, |name| self.own_member(cx, module, name));
                match (by_name, self.modules.within(module, name)) {
                    (Ty::Unknown, Some(inner)) => Ty::Module(inner),
                    (found, _) => found,
                }
            }
            None => externals::member(module, name),
        }
    }

    fn star_value(&self, cx: &mut Inference<'_>, file: FileIdx, star: u32, name: Name) -> Ty {
        let program = cx.program;
        let import = &program.facts(file).imports[star as usize];
        let Some(module) = self.modules.find(program, file, &import.module) else { return Ty::Unknown };
        let is_private = program.text(name).starts_with('_');
        if is_private && !self.offers(program, module, name) {
            return Ty::Unknown;
        }
        self.own_member(cx, module, name)
    }

    /// Says whether a module lists a name in `__all__`.
    fn offers(&self, program: &Program<'_>, module: ModuleIdx, name: Name) -> bool {
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

    /// Returns a name that the file of a module binds; builtin names are none of it.
    fn own_member(&self, cx: &mut Inference<'_>, module: ModuleIdx, name: Name) -> Ty {
        let Some(file) = self.modules.file(module) else { return Ty::Unknown };
        cx.consult(file);
        if externals::builtin(cx.program.text(name)) != Ty::Unknown && cx.program.top(file, name).is_empty() {
            let is_bound = self.imports.contains_key(&(file, name));
            if !is_bound {
                return Ty::Unknown;
            }
        }
        cx.global(file, name)
    }

    pub(super) fn member_of_module(&self, cx: &mut Inference<'_>, module: ModuleIdx, name: Name) -> Ty {
        match self.own_member(cx, module, name) {
            Ty::Unknown => match self.modules.within(module, cx.program.text(name)) {
                Some(inner) => Ty::Module(inner),
                None => Ty::Unknown,
            },
            found => found,
        }
    }

    /// Returns what an import in the midst of code gives.
    pub(super) fn imported_here(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        module: NameId,
        name: Option<NameId>,
    ) -> Ty {
        let code = cx.program.code(file);
        let module = code.name(module);
        match name {
            Some(name) => self.name_of_module(cx, file, module, code.name(name)),
            None => self.module_value(cx.program, file, module),
        }
    }

    pub(super) fn imported_nodes(&self, cx: &mut Inference<'_>, file: FileIdx, import: usize) -> Vec<Node> {
        let import = &cx.program.facts(file).imports[import];
        if import.name.is_empty() || import.name == "*" {
            let module = self.modules.find(cx.program, file, &import.module);
            return module.and_then(|module| self.modules.file(module)).map(Node::File).into_iter().collect();
        }
        let mut nodes = Vec::new();
        for ty in self.name_of_module(cx, file, &import.module, &import.name).alternatives() {
            match ty {
                Ty::Class(applied) => nodes.push(Node::Symbol(applied.of)),
                Ty::Function { candidates, .. } => nodes.extend(candidates.last().map(|last| Node::Symbol(*last))),
                Ty::Module(module) => nodes.extend(self.modules.file(*module).map(Node::File)),
                _ => {}
            }
        }
        if nodes.is_empty() {
            let module = self.modules.find(cx.program, file, &import.module);
            nodes.extend(module.and_then(|module| self.modules.file(module)).map(Node::File));
        }
        nodes
    }

    /// A callee names a definition by its own name, or by the name that it is imported under; a variable does not.
    pub(super) fn names_definition(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        callee: ExpressionId,
        to: SymbolIdx,
    ) -> bool {
        let program = cx.program;
        let written = match program.code(file).expression(callee) {
            // A part that is followed by itself is called by its last name.
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
                let bound = bound_before(program, file, program.name(file, *name), *scope, *n_before);
                match bound.map(|binding| program.code(file).bindings[binding as usize].value) {
                    None => self.is_alias(program, file, written, to, 0),
                    Some(value) => value.is_some_and(|value| self.is_local_alias(program, file, value, to)),
                }
            }
            Expression::Member { of, .. } => match cx.type_of(file, *of) {
                Ty::Module(module) => {
                    self.modules.file(module).is_some_and(|file| self.is_alias(program, file, written, to, 0))
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

    /// Says whether a module knows a definition under a name by imports alone.
    fn is_alias(&self, program: &Program<'_>, file: FileIdx, written: Name, to: SymbolIdx, depth: u32) -> bool {
        /// How often a name is passed on.
        const MAX_IMPORTS: u32 = 8;
        let named = [Some(to), program.parent(to)].into_iter().flatten().any(|to| program.name_of(to) == written);
        if depth > 0 && named {
            return true;
        }
        let imports = self.imports.get(&(file, written)).map_or(&[][..], Vec::as_slice);
        depth < MAX_IMPORTS
            && imports.iter().any(|import| {
                let import = &program.facts(file).imports[*import as usize];
                let module = self.modules.find(program, file, &import.module);
                let (Some(from), Some(name)) =
                    (module.and_then(|module| self.modules.file(module)), program.name_named(&import.name))
                else {
                    return false;
                };
                self.is_alias(program, from, name, to, depth + 1)
            })
    }
}
