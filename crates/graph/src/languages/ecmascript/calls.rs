//! Members and calls of values that are not classes of the repository: functions, records, library objects.

use std::rc::Rc;

use model::code::{Expression, ExpressionId, Flags, Site};

use super::{EcmascriptDialect, builtins};
use crate::{
    edge::Resolution,
    infer::{CallArguments, Inference, ResolvedMember},
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
    ty::Ty,
};

impl EcmascriptDialect {
    /// Returns a member of a value that is not an object of a class of the repository.
    pub(super) fn non_class_member(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        of: &Ty,
        name: Name,
    ) -> ResolvedMember {
        let program = cx.program;
        match of {
            Ty::Function { candidates, .. } => {
                if Some(name) == self.names.prototype && candidates.len() == 1 {
                    return ResolvedMember::Value(Ty::object(candidates[0]));
                }
                // An assignment to a property of a function declares a member.
                let attached: Vec<SymbolIdx> = candidates
                    .iter()
                    .flat_map(|function| program.members(*function, name))
                    .filter(|member| program.definition(**member).parent.is_none())
                    .copied()
                    .collect();
                if !attached.is_empty() {
                    return ResolvedMember::Symbols(attached);
                }
                function_member(of, program.text(name))
            }
            Ty::Closure { .. } | Ty::FunctionType { .. } => function_member(of, program.text(name)),
            Ty::Class(applied) => match program.text(name) {
                "prototype" => ResolvedMember::Value(Ty::Object(applied.clone())),
                "constructor" => match self.external_base_member(cx, &Ty::Object(applied.clone())) {
                    ResolvedMember::Unknown => ResolvedMember::Value(of.clone()),
                    outer => outer,
                },
                "bind" => ResolvedMember::Value(of.clone()),
                // The member may belong to a namespace merged with the class, or to a constant object.
                _ => ResolvedMember::Unknown,
            },
            Ty::Object(applied) => {
                let kind = program.definition(applied.of).kind;
                if program.text(name) == "constructor" && kind.is_type() {
                    return ResolvedMember::Value(Ty::Class(applied.clone()));
                }
                self.external_base_member(cx, of)
            }
            Ty::Record(fields) => {
                let spread: Vec<Ty> = fields
                    .iter()
                    .filter(|(field, _)| Some(*field) == self.names.spread)
                    .map(|(_, ty)| ty.clone())
                    .collect();
                let found = spread.iter().rev().map(|ty| cx.member_value(file, ty, name)).find(|ty| !ty.is_unknown());
                match found.unwrap_or_else(|| self.element_of(cx, of)) {
                    Ty::Unknown => ResolvedMember::Unknown,
                    value => ResolvedMember::Value(value),
                }
            }
            Ty::Tuple(parts) => {
                let list = builtins::array(Ty::one_of(parts.iter().cloned()));
                builtins::member(&list, program.text(name))
            }
            Ty::Lookup { .. } => match self.resolve_lookup(cx, of) {
                Ty::Unknown | Ty::Lookup { .. } => ResolvedMember::Unknown,
                known => ResolvedMember::Value(cx.member_value(file, &known, name)),
            },
            other => builtins::member(other, program.text(name)),
        }
    }

    /// Returns `External` for an object whose class has an external base, since that may have any member.
    fn external_base_member(&self, cx: &mut Inference<'_>, of: &Ty) -> ResolvedMember {
        let Ty::Object(applied) = of else { return ResolvedMember::Unknown };
        let has_external_base = cx.lineage(applied).iter().any(|ancestor| {
            let file = cx.program.file_of(ancestor.of);
            let bases = &cx.program.shape(ancestor.of).bases;
            bases.iter().any(|base| matches!(cx.written_type(file, base.base), Ty::External | Ty::Builtin { .. }))
        });
        if has_external_base { ResolvedMember::Value(Ty::External) } else { ResolvedMember::Unknown }
    }

    /// Returns the result type of a call whose callee is not a function or class of the repository.
    pub(super) fn non_class_call(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        callee: &Ty,
        arguments: &CallArguments<'_>,
    ) -> Ty {
        match callee {
            Ty::Builtin { name, arguments: own } => {
                let actual: Vec<Ty> = arguments.values.iter().map(|value| cx.type_of(file, *value)).collect();
                let mut results = Vec::with_capacity(actual.len());
                for ty in &actual {
                    results.push(match ty {
                        Ty::Closure { .. } | Ty::Function { .. } | Ty::FunctionType { .. } => {
                            self.call_signature(cx, ty).map_or(Ty::Unknown, |(_, result)| result)
                        }
                        _ => Ty::Unknown,
                    });
                }
                let typed = arguments.types.first().map(|written| cx.written_type(file, *written));
                builtins::call_result(name, own, &actual, &results, typed)
            }
            Ty::External => Ty::External,
            other => self.call_signature(cx, other).map_or(Ty::Unknown, |(_, result)| result),
        }
    }

    /// Returns the union of several values. With a value of unknown type, a function gets an alternative without a target.
    pub(super) fn union_of_choices(&self, cx: &mut Inference<'_>, file: FileIdx, choices: &[ExpressionId]) -> Ty {
        let mut types: Vec<Ty> = choices.iter().map(|choice| cx.type_of(file, *choice)).collect();
        let is_undecided = types.iter().any(|ty| matches!(ty, Ty::Unknown | Ty::External));
        if is_undecided && types.iter().any(|ty| matches!(ty, Ty::Function { .. })) {
            types.push(Ty::FunctionType { parameters: Rc::new([]), result: Rc::new(Ty::Unknown) });
        }
        Ty::one_of(types)
    }

    /// Marks targets as ambiguous if the callee may also be another value or if the function has no name. Adds the
    /// implementations of declaration files.
    pub(super) fn adjust_targets(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        site: &Site,
        found: &mut Vec<(SymbolIdx, Resolution)>,
    ) {
        let program = cx.program;
        let is_undecided = match program.code(file).expression(site.expression) {
            Expression::Call { callee, .. } => {
                let callee = cx.type_of(file, *callee);
                let is_other = |ty: &Ty| matches!(ty, Ty::FunctionType { .. } | Ty::Closure { .. });
                callee.alternatives().iter().any(is_other)
            }
            _ => false,
        };
        let implementations: Vec<SymbolIdx> =
            found.iter().flat_map(|(target, _)| implementations_of_declaration(program, *target)).collect();
        found.extend(implementations.into_iter().map(|implementation| (implementation, Resolution::Dispatch)));
        for (target, resolution) in found {
            if is_undecided || program.shape(*target).flags.has(Flags::UNNAMED) {
                *resolution = Resolution::Ambiguous;
            }
        }
    }

    /// Returns the expected type of an argument: that of the first call signature whose parameters match the arguments.
    pub(super) fn expected_argument_type(
        &self,
        cx: &mut Inference<'_>,
        of: &Ty,
        arguments: &CallArguments<'_>,
        n_argument: usize,
    ) -> Ty {
        let code = cx.program.code(arguments.file);
        for signature in self.call_signatures(cx, of) {
            let Ty::FunctionType { parameters, .. } = &signature else { continue };
            let mut fits = true;
            for (index, value) in arguments.values.iter().enumerate() {
                let parameter = parameters.get(index).or(parameters.last());
                let is_function =
                    matches!(code.expression(*value), Expression::Function { .. } | Expression::Definition(_));
                let takes = match parameter {
                    None => false,
                    Some(Ty::Unknown) => true,
                    Some(parameter) => is_function == self.call_signature(cx, parameter).is_some(),
                };
                fits &= takes;
            }
            if fits {
                let parameter = parameters.get(n_argument).or(parameters.last());
                return parameter.cloned().unwrap_or(Ty::Unknown);
            }
        }
        Ty::Unknown
    }

    /// Returns the call signatures of an object.
    fn call_signatures(&self, cx: &mut Inference<'_>, of: &Ty) -> Vec<Ty> {
        let program = cx.program;
        let Some(call) = self.names.call else { return Vec::new() };
        match of {
            Ty::Object(applied) => {
                let mut found = Vec::new();
                for ancestor in cx.lineage(applied) {
                    let file = program.file_of(ancestor.of);
                    let owner = program.definition_id(ancestor.of);
                    for field in &program.code(file).fields {
                        if field.owner == owner && program.name(file, field.name) == call {
                            let signature =
                                field.declared.map_or(Ty::Unknown, |declared| cx.written_type(file, declared));
                            found.push(signature.substitute(ancestor.of, &ancestor.arguments));
                        }
                    }
                }
                found
            }
            Ty::Record(fields) => {
                fields.iter().filter(|(name, _)| *name == call).map(|(_, signature)| signature.clone()).collect()
            }
            Ty::Union(types) | Ty::Intersection(types) => types
                .iter()
                .flat_map(|ty| if let Ty::Object(_) = ty { self.call_signatures(cx, ty) } else { Vec::new() })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the member with the same computed key (`a[Symbol.iterator]`).
    pub(super) fn computed_member(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        of: &Ty,
        index: ExpressionId,
    ) -> Option<Ty> {
        let program = cx.program;
        let code = program.code(file);
        let text = |name| program.text(program.name(file, name));
        let key = match code.expression(index) {
            Expression::Name { name, .. } => format!("[{}]", text(*name)),
            Expression::Member { of, name } => match code.expression(*of) {
                Expression::Name { name: outer, .. } => format!("[{}.{}]", text(*outer), text(*name)),
                _ => return None,
            },
            _ => return None,
        };
        let key = program.name_named(&key)?;
        let found = cx.member_value(file, of, key);
        (!matches!(found, Ty::Unknown | Ty::External)).then_some(found)
    }

    /// Returns the type of an index expression.
    pub(super) fn element_of(&self, cx: &mut Inference<'_>, of: &Ty) -> Ty {
        match of {
            Ty::Object(_) => self.names.item.and_then(|item| cx.field_value(of, item)).unwrap_or(Ty::Unknown),
            Ty::Record(fields) => {
                let by_index = fields.iter().find(|(name, _)| Some(*name) == self.names.item);
                by_index.map_or(Ty::Unknown, |(_, value)| value.clone())
            }
            Ty::Tuple(parts) => Ty::one_of(parts.iter().cloned()),
            Ty::Builtin { name: "Record" | "Map", arguments } => arguments.get(1).cloned().unwrap_or(Ty::Unknown),
            Ty::Builtin { name: "Array", arguments } => arguments.first().cloned().unwrap_or(Ty::Unknown),
            Ty::Builtin { name: "string", .. } => Ty::builtin("string", []),
            Ty::Union(types) => {
                let types: Vec<Ty> = types.iter().map(|ty| self.element_of(cx, ty)).collect();
                Ty::one_of(types)
            }
            Ty::Lookup { .. } => match self.resolve_lookup(cx, of) {
                Ty::Lookup { .. } => Ty::Unknown,
                known => self.element_of(cx, &known),
            },
            Ty::External => Ty::External,
            _ => Ty::Unknown,
        }
    }

    /// Selects an overload by number of arguments. The first one represents all overloads of one type or file.
    pub(super) fn select_overload(
        &self,
        cx: &mut Inference<'_>,
        candidates: &[SymbolIdx],
        arguments: &CallArguments<'_>,
    ) -> Vec<SymbolIdx> {
        let program = cx.program;
        let fitting = cx.choose_by_count(candidates, arguments);
        let fitting = if fitting.is_empty() { candidates.to_vec() } else { fitting };
        let Some(first) = fitting.first().copied() else { return fitting };
        let is_one_scope = fitting.iter().all(|one| {
            program.file_of(*one) == program.file_of(first) && program.parent(*one) == program.parent(first)
        });
        if is_one_scope { vec![first] } else { fitting }
    }
}

/// Returns the functions that a declaration file declares for the JavaScript file beside it.
fn implementations_of_declaration<'p>(program: &'p Program<'p>, declared: SymbolIdx) -> Vec<SymbolIdx> {
    let Some(stem) = program.path(program.file_of(declared)).strip_suffix(".d.ts") else { return Vec::new() };
    let Some(code) = program.file_at(&format!("{stem}.js")) else { return Vec::new() };
    let same = program.top(code, program.name_of(declared)).iter().copied();
    same.filter(|implementation| program.parent(declared).is_none() && program.parent(*implementation).is_none())
        .collect()
}

/// Returns `call`, `apply` and `bind` of a function.
fn function_member(of: &Ty, name: &str) -> ResolvedMember {
    match name {
        "bind" => ResolvedMember::Value(Ty::builtin("Function.bind", Rc::from([of.clone()]))),
        "call" | "apply" => ResolvedMember::Value(Ty::builtin("Function.call", Rc::from([of.clone()]))),
        "toString" | "length" | "name" => ResolvedMember::Value(Ty::External),
        _ => ResolvedMember::Unknown,
    }
}
