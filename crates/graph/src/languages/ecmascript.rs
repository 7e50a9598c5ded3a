//! TypeScript and JavaScript dialect.
//!
//! Values and types have separate declaration spaces: `interface A` and `const A` may coexist. `modules` resolves
//! specifiers to files, `exports` resolves names through imports and exports, `builtins` models the standard library.

mod builtins;
mod calls;
mod exports;
mod manifests;
mod modules;
mod narrowing;
mod objects;
#[cfg(test)]
mod tests;
mod types;

use model::{
    Import,
    code::{Expression, ExpressionId, Flags, Literal, ScopeId, Site, TypeId},
};
use rustc_hash::FxHashMap;

use crate::{
    edge::Resolution,
    infer::{CallArguments, Dialect, Inference, ResolvedMember},
    manifest::ManifestFile,
    names::Name,
    program::{FileIdx, Node, Program, SymbolIdx},
    ty::{ModuleIdx, OWN_TYPE, Ty},
};
use exports::{DeclarationSpace, ModuleRecord, OTHER_MODULE};

pub(crate) use exports::{global_names, is_script};

/// The TypeScript and JavaScript dialect of one program.
pub(crate) struct EcmascriptDialect {
    /// The imports and exports of each file; empty for files of other languages.
    records: Vec<ModuleRecord>,
    /// The file of each module specifier, by importing file. Absent for modules outside of the repository.
    modules: FxHashMap<(FileIdx, Name), FileIdx>,
    /// Definitions in the global scope.
    globals: FxHashMap<Name, Vec<SymbolIdx>>,
    names: WellKnownNames,
}

/// Names with a meaning in the language.
struct WellKnownNames {
    default: Option<Name>,
    export_assignment: Option<Name>,
    other_module: Option<Name>,
    constructor: Option<Name>,
    new: Option<Name>,
    call: Option<Name>,
    item: Option<Name>,
    spread: Option<Name>,
    prototype: Option<Name>,
}

impl EcmascriptDialect {
    /// Builds the module records of a program.
    pub(crate) fn lay_out(program: &Program<'_>, manifests: &[ManifestFile<'_>]) -> EcmascriptDialect {
        let find = |text: &str| program.name_named(text);
        let names = WellKnownNames {
            default: find("default"),
            export_assignment: find("="),
            other_module: find(OTHER_MODULE),
            constructor: find("constructor"),
            new: find("new"),
            call: find("()"),
            item: find("[]"),
            spread: find("..."),
            prototype: find("prototype"),
        };
        let (records, modules) = exports::lay_out(program, manifests);
        let globals = exports::globals(program, &records);
        EcmascriptDialect { records, modules, globals, names }
    }
}

impl Dialect for EcmascriptDialect {
    fn attachments(&self, cx: &mut Inference<'_>) -> Vec<(SymbolIdx, SymbolIdx)> {
        objects::attachments(cx.program, &self.globals)
    }

    fn type_of(&self, cx: &mut Inference<'_>, file: FileIdx, expression: ExpressionId) -> Option<Ty> {
        match cx.program.code(file).expression(expression) {
            Expression::Make { made, arguments } => Some(self.new_expression_type(cx, file, *made, arguments)),
            Expression::Super { scope } => Some(self.base_class(cx, file, *scope)),
            Expression::Import { module, .. } => {
                let module = cx.program.name(file, *module);
                Some(match self.modules.get(&(file, module)) {
                    Some(target) => self.module_value(cx, *target),
                    None => Ty::External,
                })
            }
            Expression::Either(choices) => Some(self.union_of_choices(cx, file, choices)),
            Expression::Operation { .. } => Some(Ty::builtin("string", [])),
            _ => None,
        }
    }

    fn global(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty {
        self.resolve_name(cx, file, name, DeclarationSpace::Value)
    }

    fn global_type(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name) -> Ty {
        self.resolve_name(cx, file, name, DeclarationSpace::Type)
    }

    fn import_targets(&self, cx: &mut Inference<'_>, file: FileIdx, import: usize) -> Vec<Node> {
        self.imported_nodes(cx, file, import)
    }

    fn module_member(&self, cx: &mut Inference<'_>, module: ModuleIdx, name: Name) -> Ty {
        self.resolve_export(cx, FileIdx(module.index), name, DeclarationSpace::Value)
    }

    fn written_type(&self, cx: &mut Inference<'_>, file: FileIdx, written: TypeId) -> Option<Ty> {
        self.resolve_written_type(cx, file, written)
    }

    fn builtin_member(&self, cx: &mut Inference<'_>, file: FileIdx, of: &Ty, name: Name) -> ResolvedMember {
        self.non_class_member(cx, file, of, name)
    }

    fn builtin_call(&self, cx: &mut Inference<'_>, file: FileIdx, callee: &Ty, arguments: &CallArguments<'_>) -> Ty {
        self.non_class_call(cx, file, callee, arguments)
    }

    fn closure_parameter(&self, _cx: &mut Inference<'_>, callee: &Ty, n_argument: usize, n_parameter: usize) -> Ty {
        builtins::closure_parameter(callee, n_argument, n_parameter)
    }

    fn revise_targets(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        site: &Site,
        found: &mut Vec<(SymbolIdx, Resolution)>,
    ) {
        self.adjust_targets(cx, file, site, found);
    }

    fn expected_argument(
        &self,
        cx: &mut Inference<'_>,
        of: &Ty,
        arguments: &CallArguments<'_>,
        n_argument: usize,
    ) -> Ty {
        self.expected_argument_type(cx, of, arguments, n_argument)
    }

    fn parameter_of(&self, cx: &mut Inference<'_>, of: &Ty, n_parameter: usize) -> Option<Ty> {
        let (parameters, _) = self.call_signature(cx, of)?;
        Some(parameters.get(n_parameter).cloned().unwrap_or(Ty::Unknown))
    }

    fn binds_definitions(&self) -> bool {
        true
    }

    fn hoists(&self) -> bool {
        true
    }

    fn constructors(&self, cx: &mut Inference<'_>, of: SymbolIdx) -> Vec<SymbolIdx> {
        self.constructors_of(cx.program, of)
    }

    fn choose(
        &self,
        cx: &mut Inference<'_>,
        candidates: &[SymbolIdx],
        arguments: &CallArguments<'_>,
    ) -> Vec<SymbolIdx> {
        self.select_overload(cx, candidates, arguments)
    }

    fn literal(&self, _cx: &mut Inference<'_>, literal: Literal) -> Ty {
        match literal {
            Literal::Text(_) => Ty::builtin("string", []),
            Literal::Integer | Literal::Float => Ty::builtin("number", []),
            Literal::Boolean => Ty::builtin("boolean", []),
            Literal::Pattern => Ty::builtin("RegExp", []),
            _ => Ty::External,
        }
    }

    fn awaited_type(&self, cx: &mut Inference<'_>, of: Ty) -> Ty {
        builtins::awaited(self.resolve_lookup(cx, &of))
    }

    fn item(&self, cx: &mut Inference<'_>, _file: FileIdx, of: Ty) -> Ty {
        builtins::item(&self.resolve_lookup(cx, &of))
    }

    fn element(&self, cx: &mut Inference<'_>, file: FileIdx, of: Ty, index: Option<ExpressionId>) -> Ty {
        if let Some(member) = index.and_then(|index| self.computed_member(cx, file, &of, index)) {
            return member;
        }
        self.element_of(cx, &of)
    }

    fn part(&self, _cx: &mut Inference<'_>, _file: FileIdx, of: Ty, index: u32) -> Ty {
        match of {
            Ty::Tuple(parts) => parts.get(index as usize).cloned().unwrap_or(Ty::Unknown),
            other => builtins::item(&other),
        }
    }

    fn matched_field(&self, cx: &mut Inference<'_>, file: FileIdx, of: Ty, variant: ExpressionId, _index: u32) -> Ty {
        let of = self.resolve_lookup(cx, &of);
        self.narrowed(cx, file, of, variant)
    }

    fn collection(&self, cx: &mut Inference<'_>, file: FileIdx, expression: &Expression) -> Ty {
        match expression {
            Expression::List(items) => {
                let items: Vec<Ty> = items.iter().map(|item| cx.type_of(file, *item)).collect();
                builtins::array(Ty::one_of(items))
            }
            _ => Ty::External,
        }
    }

    fn written_list(&self, item: Ty) -> Ty {
        builtins::array(item)
    }

    fn written_map(&self, key: Ty, value: Ty) -> Ty {
        Ty::builtin("Record", [key, value])
    }

    fn inferred_result(&self, cx: &mut Inference<'_>, of: SymbolIdx, returned: Ty) -> Ty {
        let flags = cx.program.shape(of).flags;
        // `return this` returns the receiver, which may be an instance of a derived class.
        let returned = if self.returns_this(cx.program, of) { own_type(cx.program, of, returned) } else { returned };
        if flags.has(Flags::GENERATOR) {
            return Ty::builtin("Generator", [returned]);
        }
        if flags.has(Flags::ASYNC) { Ty::builtin("Promise", [builtins::awaited(returned)]) } else { returned }
    }

    fn this(&self, cx: &mut Inference<'_>, file: FileIdx, scope: ScopeId) -> Ty {
        self.this_object(cx, file, scope)
    }
}

impl EcmascriptDialect {
    fn returns_this(&self, program: &Program<'_>, of: SymbolIdx) -> bool {
        let code = program.code(program.file_of(of));
        let values = &program.shape(of).values;
        let is_this = |value: &ExpressionId| matches!(code.expression(*value), Expression::This { .. });
        !values.is_empty() && values.iter().all(is_this)
    }
}

/// Returns the receiver type for a method of a class, else the returned type.
fn own_type(program: &Program<'_>, method: SymbolIdx, returned: Ty) -> Ty {
    match program.parent(method).filter(|owner| program.definition(*owner).kind.is_type()) {
        Some(of) if !program.shape(method).flags.has(Flags::STATIC) => Ty::Parameter { of, index: OWN_TYPE },
        _ => returned,
    }
}

/// Returns the local name of an import.
fn local_name(import: &Import) -> &str {
    if import.alias.is_empty() { &import.name } else { &import.alias }
}
