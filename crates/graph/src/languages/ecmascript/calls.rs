//! Members and calls of what is no class of the repository: functions, records, what the library has.

use std::rc::Rc;

use model::code::{Expression, ExpressionId, Flags, Site};

use super::{Ecmascript, builtins};
use crate::{
    edge::Resolution,
    infer::{Arguments, Inference, Member},
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
    ty::Ty,
};

impl Ecmascript {
    pub(super) fn other_member(&self, cx: &mut Inference<'_>, file: FileIdx, of: &Ty, name: Name) -> Member {
        let program = cx.program;
        match of {
            Ty::Function { candidates, .. } => {
                if Some(name) == self.names.prototype && candidates.len() == 1 {
                    return Member::Value(Ty::object(candidates[0]));
                }
                // What is assigned to a function is its member.
                let attached: Vec<SymbolIdx> = candidates
                    .iter()
                    .flat_map(|function| program.members(*function, name))
                    .filter(|member| program.definition(**member).parent.is_none())
                    .copied()
                    .collect();
                if !attached.is_empty() {
                    return Member::Symbols(attached);
                }
                function_member(of, program.text(name))
            }
            Ty::Closure { .. } | Ty::FunctionType { .. } => function_member(of, program.text(name)),
            Ty::Class(applied) => match program.text(name) {
                "prototype" => Member::Value(Ty::Object(applied.clone())),
                "constructor" => match self.outer_member(cx, &Ty::Object(applied.clone())) {
                    Member::Unknown => Member::Value(of.clone()),
                    outer => outer,
                },
                "bind" => Member::Value(of.clone()),
                // A namespace that is merged with a class, a constant of an object.
                _ => Member::Unknown,
            },
            Ty::Object(applied) => {
                let kind = program.definition(applied.of).kind;
                if program.text(name) == "constructor" && kind.is_type() {
                    return Member::Value(Ty::Class(applied.clone()));
                }
                self.outer_member(cx, of)
            }
            Ty::Record(fields) => {
                let spread: Vec<Ty> = fields
                    .iter()
                    .filter(|(field, _)| Some(*field) == self.names.spread)
                    .map(|(_, ty)| ty.clone())
                    .collect();
                let found = spread.iter().rev().map(|ty| cx.member_value(file, ty, name)).find(|ty| !ty.is_unknown());
                match found {
                    Some(value) => Member::Value(value),
                    None => Member::Unknown,
                }
            }
            Ty::Tuple(parts) => {
                let list = builtins::array(Ty::one_of(parts.iter().cloned()));
                builtins::member(&list, program.text(name))
            }
            Ty::Lookup { .. } => match self.looked_up(cx, of) {
                Ty::Unknown | Ty::Lookup { .. } => Member::Unknown,
                known => Member::Value(cx.member_value(file, &known, name)),
            },
            other => builtins::member(other, program.text(name)),
        }
    }

    /// An object of a class that builds on one of another package may have any member.
    fn outer_member(&self, cx: &mut Inference<'_>, of: &Ty) -> Member {
        let Ty::Object(applied) = of else { return Member::Unknown };
        let is_outer = cx.lineage(applied).iter().any(|ancestor| {
            let file = cx.program.file_of(ancestor.of);
            let bases = &cx.program.shape(ancestor.of).bases;
            bases.iter().any(|base| matches!(cx.written(file, base.base), Ty::External | Ty::Builtin { .. }))
        });
        if is_outer { Member::Value(Ty::External) } else { Member::Unknown }
    }

    pub(super) fn other_call(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        callee: &Ty,
        arguments: &Arguments<'_>,
    ) -> Ty {
        match callee {
            Ty::Builtin { name, arguments: own } => {
                let given: Vec<Ty> = arguments.values.iter().map(|value| cx.type_of(file, *value)).collect();
                let mut results = Vec::with_capacity(given.len());
                for ty in &given {
                    results.push(match ty {
                        Ty::Closure { .. } | Ty::Function { .. } | Ty::FunctionType { .. } => {
                            self.callable(cx, ty).map_or(Ty::Unknown, |(_, result)| result)
                        }
                        _ => Ty::Unknown,
                    });
                }
                let typed = arguments.types.first().map(|written| cx.written(file, *written));
                builtins::called(name, own, &given, &results, typed)
            }
            Ty::External => Ty::External,
            other => self.callable(cx, other).map_or(Ty::Unknown, |(_, result)| result),
        }
    }

    /// Returns one of several values. A function beside something of which nothing is known may be that instead.
    pub(super) fn either(&self, cx: &mut Inference<'_>, file: FileIdx, choices: &[ExpressionId]) -> Ty {
        let mut types: Vec<Ty> = choices.iter().map(|choice| cx.type_of(file, *choice)).collect();
        let is_open = types.iter().any(|ty| matches!(ty, Ty::Unknown | Ty::External));
        if is_open && types.iter().any(|ty| matches!(ty, Ty::Function { .. })) {
            types.push(Ty::FunctionType { parameters: Rc::new([]), result: Rc::new(Ty::Unknown) });
        }
        Ty::one_of(types)
    }

    /// Makes targets possibilities where the callee may be something else as well; what has no name is not called by one.
    pub(super) fn doubt(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        site: &Site,
        found: &mut Vec<(SymbolIdx, Resolution)>,
    ) {
        let program = cx.program;
        let is_open = match program.code(file).expression(site.expression) {
            Expression::Call { callee, .. } => {
                let callee = cx.type_of(file, *callee);
                let is_other = |ty: &Ty| matches!(ty, Ty::FunctionType { .. } | Ty::Closure { .. });
                callee.alternatives().iter().any(is_other)
            }
            _ => false,
        };
        let twins: Vec<SymbolIdx> = found.iter().flat_map(|(target, _)| twins(program, *target)).collect();
        found.extend(twins.into_iter().map(|twin| (twin, Resolution::Dispatch)));
        for (target, resolution) in found {
            if is_open || program.shape(*target).flags.has(Flags::UNNAMED) {
                *resolution = Resolution::Ambiguous;
            }
        }
    }

    /// Returns the type that an argument must have where an object with signatures is called: of the first that fits.
    pub(super) fn expected(&self, cx: &mut Inference<'_>, of: &Ty, arguments: &Arguments<'_>, n_argument: usize) -> Ty {
        let code = cx.program.code(arguments.file);
        for signature in self.signatures(cx, of) {
            let Ty::FunctionType { parameters, .. } = &signature else { continue };
            let mut fits = true;
            for (index, value) in arguments.values.iter().enumerate() {
                let parameter = parameters.get(index).or(parameters.last());
                let is_function =
                    matches!(code.expression(*value), Expression::Function { .. } | Expression::Definition(_));
                let takes = match parameter {
                    None => false,
                    Some(Ty::Unknown) => true,
                    Some(parameter) => is_function == self.callable(cx, parameter).is_some(),
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

    /// Returns the signatures of an object that can be called.
    fn signatures(&self, cx: &mut Inference<'_>, of: &Ty) -> Vec<Ty> {
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
                            let signature = field.declared.map_or(Ty::Unknown, |declared| cx.written(file, declared));
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
                .flat_map(|ty| if let Ty::Object(_) = ty { self.signatures(cx, ty) } else { Vec::new() })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the member whose key is computed from the same name (`a[Symbol.iterator]`), if there is one.
    pub(super) fn keyed(&self, cx: &mut Inference<'_>, file: FileIdx, of: &Ty, index: ExpressionId) -> Option<Ty> {
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

    /// Returns what an index into a value gives.
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
            Ty::Lookup { .. } => match self.looked_up(cx, of) {
                Ty::Lookup { .. } => Ty::Unknown,
                known => self.element_of(cx, &known),
            },
            Ty::External => Ty::External,
            _ => Ty::Unknown,
        }
    }

    /// Chooses among overloads: by the number of arguments; of those of one type or file, the first stands for all.
    pub(super) fn overload(
        &self,
        cx: &mut Inference<'_>,
        candidates: &[SymbolIdx],
        arguments: &Arguments<'_>,
    ) -> Vec<SymbolIdx> {
        let program = cx.program;
        let fitting = cx.choose_by_count(candidates, arguments);
        let fitting = if fitting.is_empty() { candidates.to_vec() } else { fitting };
        let Some(first) = fitting.first().copied() else { return fitting };
        let is_together = fitting.iter().all(|one| {
            program.file_of(*one) == program.file_of(first) && program.parent(*one) == program.parent(first)
        });
        if is_together { vec![first] } else { fitting }
    }
}

/// Returns the functions that a declaration file declares for the code beside it.
fn twins<'p>(program: &'p Program<'p>, declared: SymbolIdx) -> Vec<SymbolIdx> {
    let Some(stem) = program.path(program.file_of(declared)).strip_suffix(".d.ts") else { return Vec::new() };
    let Some(code) = program.file_at(&format!("{stem}.js")) else { return Vec::new() };
    let same = program.top(code, program.name_of(declared)).iter().copied();
    same.filter(|twin| program.parent(declared).is_none() && program.parent(*twin).is_none()).collect()
}

/// `call`, `apply` and `bind` of a function.
fn function_member(of: &Ty, name: &str) -> Member {
    match name {
        "bind" => Member::Value(Ty::builtin("Function.bind", Rc::from([of.clone()]))),
        "call" | "apply" => Member::Value(Ty::builtin("Function.call", Rc::from([of.clone()]))),
        "toString" | "length" | "name" => Member::Value(Ty::External),
        _ => Member::Unknown,
    }
}
