//! Expressions and types that mean in C and C++ what they mean in no other language.

use model::{
    Language,
    code::{Expression, ExpressionId, TypeExpression, TypeId},
};

use super::{
    C, GLOBAL, library,
    lookup::{Place, Wanted},
    marks,
    namespaces::Namespace,
};
use crate::{
    infer::{Inference, as_class, as_object},
    names::Name,
    program::FileIdx,
    ty::{Applied, Ty},
};

/// Operators that compare, or combine what is true.
const TRUTHS: [&str; 12] = ["==", "!=", "<", ">", "<=", ">=", "&&", "||", "!", "and", "or", "not"];

impl C {
    /// Returns the type of an expression; nothing where it is as in other languages.
    pub(super) fn value(&self, cx: &mut Inference<'_>, file: FileIdx, expression: ExpressionId) -> Option<Ty> {
        let program = cx.program;
        match program.code(file).expression(expression) {
            Expression::Name { name, scope, n_before } => {
                let at = Place { file, scope: *scope, n_before: *n_before };
                Some(self.name(cx, at, program.name(file, *name), Wanted::Value))
            }
            Expression::Path { of, name } => {
                let of = self.qualifier(cx, file, *of);
                Some(self.member_of(cx, file, &of, program.name(file, *name), Wanted::Value))
            }
            Expression::Operation { operator, left, right } => {
                let operator = program.text(program.name(file, *operator));
                Some(self.operation(cx, file, operator, *left, *right))
            }
            Expression::Call { callee, type_arguments, arguments } => {
                let made = self.library_call(cx, file, *callee, type_arguments, arguments)?;
                Some(made)
            }
            _ => None,
        }
    }

    /// Returns what stands before `::`: a type or a namespace.
    fn qualifier(&self, cx: &mut Inference<'_>, file: FileIdx, of: ExpressionId) -> Ty {
        let program = cx.program;
        match program.code(file).expression(of) {
            Expression::Name { name, scope, n_before } => {
                let name = program.name(file, *name);
                let at = Place { file, scope: *scope, n_before: *n_before };
                let found = self.name(cx, at, name, Wanted::Type);
                self.opened(cx, found, name)
            }
            Expression::Path { of, name } => {
                let of = self.qualifier(cx, file, *of);
                let name = program.name(file, *name);
                let found = self.member_of(cx, file, &of, name, Wanted::Type);
                self.opened(cx, found, name)
            }
            _ => cx.type_of(file, of),
        }
    }

    /// Returns the type that an alias stands for; what is around all, for a namespace that only macros open; and that it is
    /// from elsewhere, if there is no such type or namespace.
    fn opened(&self, cx: &mut Inference<'_>, found: Ty, name: Name) -> Ty {
        match found {
            Ty::Class(applied) => as_class(cx.applied(applied, Default::default())),
            Ty::Unknown if self.namespaces.is_by_macros(name) => module(GLOBAL),
            Ty::Unknown if !self.is_defined(cx, name) => Ty::External,
            other => other,
        }
    }

    /// Says whether any definition has a name, so that it may be meant though it was not found.
    fn is_defined(&self, cx: &Inference<'_>, name: Name) -> bool {
        let kind = |symbol: &crate::program::SymbolIdx| cx.program.definition(*symbol).kind;
        cx.program.named(name).iter().any(|symbol| kind(symbol).is_type() || kind(symbol) == model::SymbolKind::Module)
    }

    /// Returns a name of a type or namespace.
    fn member_of(&self, cx: &mut Inference<'_>, file: FileIdx, of: &Ty, name: Name, wanted: Wanted) -> Ty {
        match of {
            Ty::Module(module) => {
                let namespace = Namespace(module.index);
                let is_std = cx.program.name_named("std").and_then(|std| self.namespaces.child_named(GLOBAL, std));
                match self.in_namespace(cx, file, namespace, name, wanted) {
                    Some(found) => found,
                    None if is_std == Some(namespace) => Ty::External,
                    None if self.namespaces.is_opened_by_macros(namespace) => {
                        self.in_namespace(cx, file, GLOBAL, name, wanted).unwrap_or(Ty::Unknown)
                    }
                    None => Ty::Unknown,
                }
            }
            Ty::Class(applied) | Ty::Object(applied) => match self.in_class(cx, file, applied.of, name, wanted) {
                Some(Ty::Class(Applied { of, .. })) if wanted == Wanted::Type => Ty::class(of),
                Some(found) => found,
                None => Ty::Unknown,
            },
            Ty::External | Ty::Builtin { .. } => Ty::External,
            _ => Ty::Unknown,
        }
    }

    fn operation(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        operator: &str,
        left: ExpressionId,
        right: Option<ExpressionId>,
    ) -> Ty {
        if TRUTHS.contains(&operator) {
            return Ty::builtin("bool", []);
        }
        let of_left = cx.type_of(file, left);
        match (operator, right) {
            ("&", None) => match of_left {
                Ty::Unknown | Ty::External | Ty::Function { .. } => of_left,
                known => library::pointer(known),
            },
            (_, None) => of_left,
            (_, Some(right)) => {
                let of_right = cx.type_of(file, right);
                library::computed(&of_left, &of_right)
            }
        }
    }

    /// Returns what functions of the standard library give that pass types through.
    fn library_call(
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
            "to_string" => Some(library::string()),
            "make_pair" => {
                let (first, second) = (cx.type_of(file, *arguments.first()?), cx.type_of(file, *arguments.get(1)?));
                Some(library::pair(first, second))
            }
            _ if makes_smart => Some(library::smart(cx.written(file, *type_arguments.first()?))),
            _ => Some(cx.type_of(file, *arguments.first()?)),
        }
    }

    /// Returns what a written type means; nothing where it is as in other languages.
    pub(super) fn type_written(&self, cx: &mut Inference<'_>, file: FileIdx, written: TypeId) -> Option<Ty> {
        let program = cx.program;
        match program.code(file).written(written) {
            TypeExpression::Named { .. } if let Some((_, of)) = marks::inside(program, file, written) => {
                Some(cx.written(file, of))
            }
            TypeExpression::Named { path, arguments, scope } => {
                let arguments: Vec<Ty> = arguments.iter().map(|argument| cx.written(file, *argument)).collect();
                let path: Vec<Name> = path.iter().map(|name| program.name(file, *name)).collect();
                let (first, rest) = path.split_first()?;
                let text = path.last().map_or("", |last| program.text(*last));
                let at = Place { file, scope: *scope, n_before: u32::MAX };
                let mut found = self.name(cx, at, *first, Wanted::Type);
                let mut before = *first;
                for name in rest {
                    found = self.opened(cx, found, before);
                    found = self.member_of(cx, file, &found, *name, Wanted::Type);
                    before = *name;
                }
                Some(match found {
                    Ty::Class(applied) => cx.applied(applied, arguments.into()),
                    Ty::Unknown | Ty::External => {
                        let is_c = program.language(file) == Language::C;
                        match library::named(text, &arguments).filter(|_| !is_c || arguments.is_empty()) {
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
                let to = cx.written(file, *to);
                // A pointer to a function is called like the function.
                Some(if matches!(to, Ty::FunctionType { .. }) { to } else { library::pointer(to) })
            }
            TypeExpression::Member { of, name } => {
                let of = cx.written(file, *of);
                let name = program.name(file, *name);
                let found = match &of {
                    Ty::Builtin { .. } => library::nested(&of, program.text(name)),
                    _ => self.member_of(cx, file, &of, name, Wanted::Type),
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
    Ty::Module(crate::ty::ModuleIdx { family: crate::dialect::Family::C, index: namespace.0 })
}
