//! Python.

mod bindings;
mod builtins;
mod classes;
mod decorators;
mod externals;
mod modules;
mod names;
mod operators;
mod overloads;
mod standard;
#[cfg(test)]
mod tests;

use model::code::{Expression, ExpressionId, Flags, Literal, ScopeId, TypeId};
use rustc_hash::FxHashMap;

use self::modules::Modules;
use crate::{
    dialect::Dialect,
    infer::{Arguments, Inference, Member},
    names::Name,
    program::{FileIdx, Manifest, Program, SymbolIdx},
    resolve::Node,
    ty::{ModuleIdx, Ty},
};

/// What is known of the modules and classes of a program.
pub(crate) struct Python {
    modules: Modules,
    /// By file and name: the imports of the module's own level, in the order of the text.
    imports: FxHashMap<(FileIdx, Name), Vec<u32>>,
    /// By file: imports of all names.
    stars: FxHashMap<FileIdx, Vec<u32>>,
    /// By class and name: what methods store in objects, as numbers in `Code::fields`.
    fields: FxHashMap<(SymbolIdx, Name), Vec<u32>>,
    /// By definition: its decorators, as numbers in `Code::decorations`.
    decorations: FxHashMap<SymbolIdx, Vec<u32>>,
}

impl Python {
    /// Lays out the modules of a program.
    pub(crate) fn lay_out(program: &Program<'_>, _manifests: &[Manifest<'_>]) -> Python {
        let mut python = Python {
            modules: Modules::lay_out(program),
            imports: FxHashMap::default(),
            stars: FxHashMap::default(),
            fields: FxHashMap::default(),
            decorations: FxHashMap::default(),
        };
        for file in modules::files(program) {
            python.lay_out_imports(program, file);
            let code = program.code(file);
            for (index, field) in code.fields.iter().enumerate() {
                let key = (program.symbol(file, field.owner), program.name(file, field.name));
                python.fields.entry(key).or_default().push(index as u32);
            }
            for (index, decoration) in code.decorations.iter().enumerate() {
                let of = program.symbol(file, decoration.definition);
                python.decorations.entry(of).or_default().push(index as u32);
            }
        }
        python
    }
}

impl Dialect for Python {
    fn type_of(&self, cx: &mut Inference<'_>, file: FileIdx, expression: ExpressionId) -> Option<Ty> {
        match cx.program.code(file).expression(expression) {
            Expression::Import { module, name } => Some(self.imported_here(cx, file, *module, *name)),
            Expression::Super { scope } => Some(self.super_of(cx, file, *scope)),
            Expression::Operation { operator, left, right } => Some(self.operation(cx, file, *operator, *left, *right)),
            Expression::Object(entries) => {
                let values: Vec<ExpressionId> = entries.iter().map(|(_, value)| *value).collect();
                Some(Ty::builtin("dict", [Ty::External, cx.common(file, &values)]))
            }
            Expression::Name { name, scope, n_before } => {
                let name = cx.program.name(file, *name);
                if bindings::bound_before(cx.program, file, name, *scope, *n_before).is_some() {
                    return None;
                }
                let later = bindings::bound_later(cx.program, file, name, *scope)?;
                Some(cx.binding_value(file, later))
            }
            Expression::Call { callee, .. } => {
                self.made_by_own_class(cx, file, *callee).or_else(|| self.overloaded(cx, file, expression))
            }
            _ => None,
        }
    }

    fn global(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty {
        self.global_value(cx, file, name)
    }

    fn global_type(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty {
        match self.global_value(cx, file, name) {
            // The names of builtin types mean them by themselves.
            Ty::Builtin { name, .. } if externals::is_callable(name) => Ty::External,
            other => other,
        }
    }

    fn module_member(&self, cx: &mut Inference<'_>, module: ModuleIdx, name: Name) -> Ty {
        self.member_of_module(cx, module, name)
    }

    fn builtin_type(&self, cx: &mut Inference<'_>, _file: FileIdx, path: &[Name], arguments: &[Ty]) -> Ty {
        let name = path.last().map_or("", |name| cx.program.text(*name));
        builtins::written(name, arguments)
    }

    fn member(&self, cx: &mut Inference<'_>, file: FileIdx, of: &Ty, name: Name) -> Option<Member> {
        Some(self.member_of_class(cx, file, of, name))
    }

    fn builtin_member(&self, cx: &mut Inference<'_>, file: FileIdx, of: &Ty, name: Name) -> Member {
        match of {
            Ty::Function { candidates, .. } => self.member_of_function(cx, file, candidates, name),
            other => builtins::member(other, cx.program.text(name)),
        }
    }

    fn builtin_call(&self, cx: &mut Inference<'_>, file: FileIdx, callee: &Ty, arguments: &Arguments) -> Ty {
        match callee {
            Ty::Object(_) | Ty::Parameter { .. } => {
                let called = self.special(cx, file, callee, "__call__");
                if called.is_unknown() { Ty::Unknown } else { cx.call(&called, arguments) }
            }
            Ty::Builtin { name, arguments: of } => self.call_of_builtin(cx, file, name, of, arguments),
            Ty::External => Ty::External,
            _ => Ty::Unknown,
        }
    }

    fn bound(&self, cx: &mut Inference<'_>, file: FileIdx, binding: u32) -> Option<Ty> {
        self.binding(cx, file, binding)
    }

    fn is_named_by(&self, cx: &mut Inference<'_>, file: FileIdx, callee: ExpressionId, to: SymbolIdx) -> bool {
        self.names_definition(cx, file, callee, to)
    }

    /// What a class says itself: a constructor that it inherits is not named by a call of it, and of several overloads
    /// none is more than the others.
    fn constructors(&self, cx: &mut Inference<'_>, of: SymbolIdx) -> Vec<SymbolIdx> {
        let program = cx.program;
        let Some(name) = program.name_named("__init__") else { return vec![of] };
        match program.members(of, name) {
            [own] => vec![*own],
            _ => vec![of],
        }
    }

    /// Of several definitions of one name the last one counts, but for overloads, which only declare.
    fn choose(&self, cx: &mut Inference<'_>, candidates: &[SymbolIdx], _arguments: &Arguments) -> Vec<SymbolIdx> {
        let program = cx.program;
        let defines = |of: &&SymbolIdx| !program.shape(**of).flags.has(Flags::DECLARATION);
        match candidates.iter().rev().find(defines) {
            Some(last) => vec![*last],
            None => candidates.to_vec(),
        }
    }

    fn literal(&self, _cx: &mut Inference<'_>, _literal: Literal) -> Ty {
        Ty::External
    }

    fn awaited(&self, _cx: &mut Inference<'_>, of: Ty) -> Ty {
        match of {
            Ty::Builtin { name: "awaitable", arguments } => arguments.first().cloned().unwrap_or(Ty::External),
            Ty::Builtin { .. } | Ty::External => Ty::External,
            Ty::Union(types) => Ty::one_of(types.iter().map(|ty| self.awaited(_cx, ty.clone()))),
            _ => Ty::Unknown,
        }
    }

    fn item(&self, cx: &mut Inference<'_>, file: FileIdx, of: Ty) -> Ty {
        self.item_of(cx, file, &of)
    }

    fn element(&self, cx: &mut Inference<'_>, file: FileIdx, of: Ty, _index: Option<ExpressionId>) -> Ty {
        match &of {
            // `A[int]` is the class still.
            Ty::Class(_) => of,
            Ty::Object(_) | Ty::Parameter { .. } => {
                let callee = self.special(cx, file, &of, "__getitem__");
                cx.call(&callee, &Arguments { file, types: &[], values: &[] })
            }
            Ty::Builtin { name: "list", arguments } => arguments.first().cloned().unwrap_or(Ty::External),
            Ty::Builtin { name: "dict", arguments } => arguments.get(1).cloned().unwrap_or(Ty::External),
            Ty::Tuple(parts) => Ty::one_of(parts.iter().cloned()),
            Ty::Union(types) => {
                let elements: Vec<Ty> = types.iter().map(|ty| self.element(cx, file, ty.clone(), _index)).collect();
                Ty::one_of(elements)
            }
            Ty::Builtin { .. } | Ty::External => Ty::External,
            _ => Ty::Unknown,
        }
    }

    fn part(&self, cx: &mut Inference<'_>, file: FileIdx, of: Ty, index: u32) -> Ty {
        match &of {
            Ty::Tuple(parts) => parts.get(index as usize).cloned().unwrap_or(Ty::Unknown),
            Ty::Union(types) => {
                let parts: Vec<Ty> = types.iter().map(|ty| self.part(cx, file, ty.clone(), index)).collect();
                Ty::one_of(parts)
            }
            Ty::Object(_) | Ty::Parameter { .. } => match self.named_part(cx, &of, index) {
                Some(part) => part,
                None => self.item_of(cx, file, &of),
            },
            other => self.item_of(cx, file, other),
        }
    }

    fn written_map(&self, key: Ty, value: Ty) -> Ty {
        Ty::builtin("dict", [key, value])
    }

    fn inferred_result(&self, cx: &mut Inference<'_>, of: SymbolIdx, returned: Ty) -> Ty {
        let flags = cx.program.shape(of).flags;
        let result = if flags.has(Flags::GENERATOR) { Ty::builtin("list", [returned]) } else { returned };
        self.decorated_result(cx, of, result)
    }

    fn declared_result(&self, cx: &mut Inference<'_>, of: SymbolIdx, declared: Ty) -> Ty {
        self.decorated_result(cx, of, declared)
    }

    fn this(&self, cx: &mut Inference<'_>, file: FileIdx, scope: ScopeId) -> Ty {
        self.receiver(cx, file, scope)
    }

    fn written(&self, cx: &mut Inference<'_>, file: FileIdx, written: TypeId) -> Option<Ty> {
        self.local_type(cx, file, written)
    }

    fn imported(&self, cx: &mut Inference<'_>, file: FileIdx, import: usize) -> Vec<Node> {
        self.imported_nodes(cx, file, import)
    }
}
