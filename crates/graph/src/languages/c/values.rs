//! Expressions and written types with semantics specific to C and C++.

use model::{
    Language,
    code::{Expression, ExpressionId, TypeExpression, TypeId},
};

use super::{
    CDialect, GLOBAL,
    lookup::{LookupKind, UseSite},
    namespaces::Namespace,
    qualifiers, standard_library,
};
use crate::{
    infer::{Inference, as_class, as_object},
    names::Name,
    program::FileIdx,
    ty::{Applied, Ty},
};

/// Operators with a boolean result.
const BOOLEAN_OPERATORS: [&str; 12] = ["==", "!=", "<", ">", "<=", ">=", "&&", "||", "!", "and", "or", "not"];

impl CDialect {
    /// Returns the type of an expression, or none to use the language-independent rules.
    pub(super) fn expression_type(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        expression: ExpressionId,
    ) -> Option<Ty> {
        let program = cx.program;
        match program.code(file).expression(expression) {
            Expression::Name { name, scope, n_before } => {
                let at = UseSite { file, scope: *scope, n_before: *n_before };
                Some(self.resolve_name(cx, at, program.name(file, *name), LookupKind::Value))
            }
            Expression::Path { of, name } => {
                let of = self.qualifier(cx, file, *of);
                Some(self.resolve_member(cx, file, &of, program.name(file, *name), LookupKind::Value))
            }
            Expression::Operation { operator, left, right } => {
                let operator = program.text(program.name(file, *operator));
                Some(self.operation_type(cx, file, operator, *left, *right))
            }
            Expression::Call { callee, type_arguments, arguments } => {
                self.library_call_type(cx, file, *callee, type_arguments, arguments)
            }
            _ => None,
        }
    }

    /// Returns the type or namespace before `::`.
    pub(super) fn qualifier(&self, cx: &mut Inference<'_>, file: FileIdx, of: ExpressionId) -> Ty {
        let program = cx.program;
        match program.code(file).expression(of) {
            Expression::Name { name, scope, n_before } => {
                let name = program.name(file, *name);
                let at = UseSite { file, scope: *scope, n_before: *n_before };
                let found = self.resolve_name(cx, at, name, LookupKind::Type);
                self.normalize_qualifier(cx, found, name)
            }
            Expression::Path { of, name } => {
                let of = self.qualifier(cx, file, *of);
                let name = program.name(file, *name);
                let found = self.resolve_member(cx, file, &of, name, LookupKind::Type);
                self.normalize_qualifier(cx, found, name)
            }
            _ => cx.type_of(file, of),
        }
    }

    /// Normalises a qualifier. An alias becomes its target. A namespace that only macros open becomes the global one.
    /// An undefined name becomes `External`.
    fn normalize_qualifier(&self, cx: &mut Inference<'_>, found: Ty, name: Name) -> Ty {
        match found {
            Ty::Class(applied) => as_class(cx.applied(applied, Default::default())),
            Ty::Unknown if self.namespaces.is_macro_namespace(name) => module(GLOBAL),
            Ty::Unknown if !self.is_defined(cx, name) => Ty::External,
            other => other,
        }
    }

    /// Returns true if the program defines a type or namespace of this name, even if lookup did not find it.
    fn is_defined(&self, cx: &Inference<'_>, name: Name) -> bool {
        let kind = |symbol: &crate::program::SymbolIdx| cx.program.definition(*symbol).kind;
        cx.program.named(name).iter().any(|symbol| kind(symbol).is_type() || kind(symbol) == model::SymbolKind::Module)
    }

    /// Resolves a name in a type or namespace.
    fn resolve_member(&self, cx: &mut Inference<'_>, file: FileIdx, of: &Ty, name: Name, kind: LookupKind) -> Ty {
        match of {
            Ty::Module(module) => {
                let namespace = Namespace(module.index);
                let is_std = cx.program.name_named("std").and_then(|std| self.namespaces.child_named(GLOBAL, std));
                match self.resolve_in_namespace(cx, file, namespace, name, kind) {
                    Some(found) => found,
                    None if is_std == Some(namespace) => Ty::External,
                    None if self.namespaces.is_opened_by_macros(namespace) => {
                        self.resolve_in_namespace(cx, file, GLOBAL, name, kind).unwrap_or(Ty::Unknown)
                    }
                    None => Ty::Unknown,
                }
            }
            Ty::Class(applied) | Ty::Object(applied) => match self.resolve_in_class(cx, file, applied.of, name, kind) {
                Some(Ty::Class(Applied { of, .. })) if kind == LookupKind::Type => Ty::class(of),
                Some(found) => found,
                None => Ty::Unknown,
            },
            Ty::External | Ty::Builtin { .. } => Ty::External,
            _ => Ty::Unknown,
        }
    }

    /// Returns the type of an operator expression.
    fn operation_type(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        operator: &str,
        left: ExpressionId,
        right: Option<ExpressionId>,
    ) -> Ty {
        if BOOLEAN_OPERATORS.contains(&operator) {
            return Ty::builtin("bool", []);
        }
        let of_left = cx.type_of(file, left);
        match (operator, right) {
            ("&", None) => match of_left {
                Ty::Unknown | Ty::External | Ty::Function { .. } => of_left,
                known => standard_library::pointer(known),
            },
            (_, None) => of_left,
            (_, Some(right)) => {
                let of_right = cx.type_of(file, right);
                standard_library::computed(&of_left, &of_right)
            }
        }
    }

    /// Returns the result of standard library functions that return the type of an argument.
    fn library_call_type(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        callee: ExpressionId,
        type_arguments: &[TypeId],
        arguments: &[ExpressionId],
    ) -> Option<Ty> {
        let program = cx.program;
        let name = match program.code(file).expression(callee) {
            Expression::Name { name, .. } | Expression::Path { name, .. } => program.text(program.name(file, *name)),
            _ => return None,
        };
        let passes_argument = matches!(name, "move" | "forward" | "ref" | "cref" | "as_const" | "min" | "max");
        let makes_smart = matches!(
            name,
            "make_unique" | "make_shared" | "allocate_shared" | "static_pointer_cast" | "dynamic_pointer_cast"
        );
        if !passes_argument && !makes_smart && !matches!(name, "make_pair" | "to_string") {
            return None;
        }
        if !matches!(cx.type_of(file, callee), Ty::Unknown | Ty::External) {
            return None;
        }
        match name {
            "to_string" => Some(standard_library::string()),
            "make_pair" => {
                let (first, second) = (cx.type_of(file, *arguments.first()?), cx.type_of(file, *arguments.get(1)?));
                Some(standard_library::pair(first, second))
            }
            _ if makes_smart => Some(standard_library::smart(cx.written_type(file, *type_arguments.first()?))),
            _ => Some(cx.type_of(file, *arguments.first()?)),
        }
    }

    /// Resolves a written type, or returns none to use the language-independent rules.
    pub(super) fn resolve_written_type(&self, cx: &mut Inference<'_>, file: FileIdx, written: TypeId) -> Option<Ty> {
        let program = cx.program;
        match program.code(file).written(written) {
            TypeExpression::Named { .. } if let Some((_, of)) = qualifiers::split_qualifier(program, file, written) => {
                Some(cx.written_type(file, of))
            }
            TypeExpression::Named { path, arguments, scope } => {
                let arguments: Vec<Ty> = arguments.iter().map(|argument| cx.written_type(file, *argument)).collect();
                let path: Vec<Name> = path.iter().map(|name| program.name(file, *name)).collect();
                let (first, rest) = path.split_first()?;
                let text = path.last().map_or("", |last| program.text(*last));
                let at = UseSite { file, scope: *scope, n_before: u32::MAX };
                let mut found = self.resolve_name(cx, at, *first, LookupKind::Type);
                let mut before = *first;
                for name in rest {
                    found = self.normalize_qualifier(cx, found, before);
                    found = self.resolve_member(cx, file, &found, *name, LookupKind::Type);
                    before = *name;
                }
                Some(match found {
                    Ty::Class(applied) => cx.applied(applied, arguments.into()),
                    Ty::Unknown | Ty::External => {
                        let is_c = program.language(file) == Language::C;
                        match standard_library::named(text, &arguments).filter(|_| !is_c || arguments.is_empty()) {
                            Some(builtin) => builtin,
                            None if self.is_defined(cx, before) => Ty::Unknown,
                            None => Ty::External,
                        }
                    }
                    Ty::Module(_) | Ty::Function { .. } => Ty::Unknown,
                    other => other,
                })
            }
            TypeExpression::Pointer(to) => {
                let to = cx.written_type(file, *to);
                // A pointer to a function is called like the function.
                Some(if matches!(to, Ty::FunctionType { .. }) { to } else { standard_library::pointer(to) })
            }
            TypeExpression::Member { of, name } => {
                let of = cx.written_type(file, *of);
                let name = program.name(file, *name);
                let found = match &of {
                    Ty::Builtin { .. } => standard_library::nested(&of, program.text(name)),
                    _ => self.resolve_member(cx, file, &of, name, LookupKind::Type),
                };
                Some(match (found, &of) {
                    (Ty::Class(inner), Ty::Object(outer)) => {
                        cx.applied(inner, Default::default()).substitute(outer.of, &outer.arguments)
                    }
                    (Ty::Class(inner), _) => cx.applied(inner, Default::default()),
                    (other, _) => other,
                })
            }
            TypeExpression::Of(of) => Some(as_object(cx.type_of(file, *of))),
            _ => None,
        }
    }
}

fn module(namespace: Namespace) -> Ty {
    Ty::Module(crate::ty::ModuleIdx { family: crate::family::Family::C, index: namespace.0 })
}
