//! Python dialect.

mod bindings;
mod builtin_types;
mod classes;
mod decorators;
mod modules;
mod names;
mod operators;
mod overloads;
mod standard_library;
mod standard_modules;
#[cfg(test)]
mod tests;

use model::code::{Expression, ExpressionId, Flags, Literal, ScopeId, TypeId};
use rustc_hash::FxHashMap;

use self::modules::PythonModules;
use crate::{
    infer::{CallArguments, Dialect, Inference, ResolvedMember},
    manifest::ManifestFile,
    names::Name,
    program::{FileIdx, Node, Program, SymbolIdx},
    ty::{ModuleIdx, Ty},
};

/// The Python dialect of one program.
pub(crate) struct PythonDialect {
    modules: PythonModules,
    /// Module-level imports by file and bound name, in source order.
    imports: FxHashMap<(FileIdx, Name), Vec<u32>>,
    /// Star imports of each file.
    stars: FxHashMap<FileIdx, Vec<u32>>,
    /// Instance attributes assigned in methods, by class and name, as indices into `Code::fields`.
    fields: FxHashMap<(SymbolIdx, Name), Vec<u32>>,
    /// Decorators of each definition, as indices into `Code::decorations`.
    decorations: FxHashMap<SymbolIdx, Vec<u32>>,
}

impl PythonDialect {
    /// Builds the module index of a program.
    pub(crate) fn lay_out(program: &Program<'_>, _manifests: &[ManifestFile<'_>]) -> PythonDialect {
        let mut python = PythonDialect {
            modules: PythonModules::lay_out(program),
            imports: FxHashMap::default(),
            stars: FxHashMap::default(),
            fields: FxHashMap::default(),
            decorations: FxHashMap::default(),
        };
        for file in modules::files(program) {
            python.index_imports(program, file);
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

impl Dialect for PythonDialect {
    fn type_of(&self, cx: &mut Inference<'_>, file: FileIdx, expression: ExpressionId) -> Option<Ty> {
        match cx.program.code(file).expression(expression) {
            Expression::Import { module, name } => Some(self.import_expression_value(cx, file, *module, *name)),
            Expression::Super { scope } => Some(self.super_object(cx, file, *scope)),
            Expression::Operation { operator, left, right } => {
                Some(self.operator_result(cx, file, *operator, *left, *right))
            }
            Expression::Object(entries) => {
                let values: Vec<ExpressionId> = entries.iter().map(|(_, value)| *value).collect();
                Some(Ty::builtin("dict", [Ty::External, cx.common_type(file, &values)]))
            }
            Expression::Name { name, scope, n_before } => {
                let name = cx.program.name(file, *name);
                if bindings::last_binding_before(cx.program, file, name, *scope, *n_before).is_some() {
                    return None;
                }
                let later = bindings::later_binding(cx.program, file, name, *scope)?;
                Some(cx.binding_value(file, later))
            }
            Expression::Call { callee, .. } => {
                self.cls_call_result(cx, file, *callee).or_else(|| self.overload_result(cx, file, expression))
            }
            _ => None,
        }
    }

    fn global(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty {
        self.global_value(cx, file, name)
    }

    fn global_type(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty {
        match self.global_value(cx, file, name) {
            // The name of a builtin type denotes the type itself.
            Ty::Builtin { name, .. } if standard_library::is_callable(name) => Ty::External,
            other => other,
        }
    }

    fn module_member(&self, cx: &mut Inference<'_>, module: ModuleIdx, name: Name) -> Ty {
        self.resolve_module_member(cx, module, name)
    }

    fn builtin_type(&self, cx: &mut Inference<'_>, _file: FileIdx, path: &[Name], arguments: &[Ty]) -> Ty {
        let name = path.last().map_or("", |name| cx.program.text(*name));
        builtin_types::library_type(name, arguments)
    }

    fn member(&self, cx: &mut Inference<'_>, file: FileIdx, of: &Ty, name: Name) -> Option<ResolvedMember> {
        Some(self.member_of_class(cx, file, of, name))
    }

    fn builtin_member(&self, cx: &mut Inference<'_>, file: FileIdx, of: &Ty, name: Name) -> ResolvedMember {
        match of {
            Ty::Function { candidates, .. } => self.member_of_function(cx, file, candidates, name),
            other => builtin_types::member(other, cx.program.text(name)),
        }
    }

    fn may_be_replaced(&self, of: &Ty) -> bool {
        let is_decorated = |symbol: &SymbolIdx| self.decorations.contains_key(symbol);
        let is_replaced =
            |ty: &Ty| matches!(ty, Ty::Function { candidates, .. } if candidates.iter().any(is_decorated));
        of.alternatives().iter().any(is_replaced)
    }

    fn builtin_call(&self, cx: &mut Inference<'_>, file: FileIdx, callee: &Ty, arguments: &CallArguments) -> Ty {
        match callee {
            Ty::Object(_) | Ty::Parameter { .. } => {
                let called = self.special_method(cx, file, callee, "__call__");
                if called.is_unknown() { Ty::Unknown } else { cx.call(&called, arguments) }
            }
            Ty::Builtin { name, arguments: of } => self.builtin_call_result(cx, file, name, of, arguments),
            Ty::External => Ty::External,
            _ => Ty::Unknown,
        }
    }

    fn binding_type(&self, cx: &mut Inference<'_>, file: FileIdx, binding: u32) -> Option<Ty> {
        self.binding_type(cx, file, binding)
    }

    fn is_named_by(&self, cx: &mut Inference<'_>, file: FileIdx, callee: ExpressionId, to: SymbolIdx) -> bool {
        self.callee_names_definition(cx, file, callee, to)
    }

    /// Returns the only `__init__` of the class itself, else the class. A call does not name an inherited constructor,
    /// and no overload has priority.
    /// A keyword argument is lowered as a path from the callee. It names a field if the class has no constructor of its own, as
    /// a data class.
    fn is_access(&self, cx: &mut Inference<'_>, file: FileIdx, expression: ExpressionId) -> bool {
        let Expression::Path { of, .. } = cx.program.code(file).expression(expression) else { return true };
        match cx.type_of(file, *of) {
            Ty::Class(applied) => self.constructors(cx, applied.of) == [applied.of],
            _ => false,
        }
    }

    fn constructors(&self, cx: &mut Inference<'_>, of: SymbolIdx) -> Vec<SymbolIdx> {
        let program = cx.program;
        let Some(name) = program.name_named("__init__") else { return vec![of] };
        match program.members(of, name) {
            [own] => vec![*own],
            _ => vec![of],
        }
    }

    /// Returns the last definition of a name, without overload declarations.
    fn choose(&self, cx: &mut Inference<'_>, candidates: &[SymbolIdx], _arguments: &CallArguments) -> Vec<SymbolIdx> {
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

    fn awaited_type(&self, _cx: &mut Inference<'_>, of: Ty) -> Ty {
        match of {
            Ty::Builtin { name: "awaitable", arguments } => arguments.first().cloned().unwrap_or(Ty::External),
            Ty::Builtin { .. } | Ty::External => Ty::External,
            Ty::Union(types) => Ty::one_of(types.iter().map(|ty| self.awaited_type(_cx, ty.clone()))),
            _ => Ty::Unknown,
        }
    }

    fn item(&self, cx: &mut Inference<'_>, file: FileIdx, of: Ty) -> Ty {
        self.item_of(cx, file, &of)
    }

    fn element(&self, cx: &mut Inference<'_>, file: FileIdx, of: Ty, _index: Option<ExpressionId>) -> Ty {
        match &of {
            // `A[int]` denotes the class as well.
            Ty::Class(_) => of,
            Ty::Object(_) | Ty::Parameter { .. } => {
                let callee = self.special_method(cx, file, &of, "__getitem__");
                cx.call(&callee, &CallArguments { file, types: &[], values: &[] })
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
            Ty::Object(_) | Ty::Parameter { .. } => match self.named_tuple_field(cx, &of, index) {
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
        self.receiver_type(cx, file, scope)
    }

    fn written_type(&self, cx: &mut Inference<'_>, file: FileIdx, written: TypeId) -> Option<Ty> {
        self.resolve_local_type(cx, file, written)
    }

    fn import_targets(&self, cx: &mut Inference<'_>, file: FileIdx, import: usize) -> Vec<Node> {
        self.imported_nodes(cx, file, import)
    }
}
