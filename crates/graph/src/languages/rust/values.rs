//! The types of values.

use std::rc::Rc;

use model::code::{Expression, ExpressionId, Literal};

use super::{
    Rust,
    results::has_unknown,
    scopes::{Named, Space},
};
use crate::{
    infer::Inference,
    names::Name,
    program::FileIdx,
    ty::{Applied, Ty},
};

/// How many calls after its binding say what is put into a collection.
const MAX_FILLING_CALLS: usize = 96;

impl Rust {
    /// Returns the type of an expression; nothing where the rules of all languages apply.
    pub(super) fn value(&self, cx: &mut Inference<'_>, file: FileIdx, expression: ExpressionId) -> Option<Ty> {
        let program = cx.program;
        let code = program.code(file);
        let ty = match code.expression(expression) {
            Expression::Name { .. } | Expression::Path { .. } => {
                match self.named(cx, file, expression, Space::Values) {
                    Named::Found(found, owner) => self.value_of_found(cx, &found, owner.as_ref()),
                    Named::Value(ty) => ty,
                    Named::Type(Ty::Object(applied)) => Ty::Class(applied),
                    Named::Foreign(name) => self.foreign_constant(cx, file, expression, name),
                    Named::Type(_) => Ty::External,
                    Named::Nothing => Ty::Unknown,
                }
            }
            Expression::Member { of, name } => {
                let of = cx.type_of(file, *of);
                self.field(cx, &of, program.name(file, *name))
            }
            Expression::Call { .. } => self.result(cx, file, expression),
            Expression::Make { made, arguments } => {
                let made = cx.written(file, *made);
                self.made_of_fields(cx, file, made, arguments)
            }
            Expression::Element { of, index } => {
                let of = cx.type_of(file, *of);
                self.element(cx, file, &of, *index)
            }
            Expression::Item { of } => {
                let of = cx.type_of(file, *of);
                self.item_of(cx, &of)
            }
            Expression::Part { of, index } => match cx.type_of(file, *of) {
                Ty::Tuple(parts) => parts.get(*index as usize).cloned().unwrap_or(Ty::Unknown),
                Ty::External => Ty::External,
                _ => Ty::Unknown,
            },
            Expression::Matched { of, variant, index } => self.matched(cx, file, *of, *variant, *index),
            Expression::Tried { of } => match cx.type_of(file, *of) {
                Ty::Builtin { name: "Option" | "Result", arguments } => {
                    arguments.first().cloned().unwrap_or(Ty::Unknown)
                }
                Ty::External | Ty::Foreign(_) => Ty::External,
                _ => Ty::Unknown,
            },
            Expression::Dereferenced { of } => match cx.type_of(file, *of) {
                Ty::Builtin { name: "pointer", arguments } => arguments.first().cloned().unwrap_or(Ty::Unknown),
                of @ Ty::Builtin { .. } => self.dereferenced_to(cx, &of).unwrap_or(of),
                other => other,
            },
            Expression::List(items) => Ty::builtin("Vec", [cx.common(file, items)]),
            Expression::Literal(Literal::Text(_)) => Ty::builtin("str", []),
            Expression::Cast { of, to } => {
                let to = cx.written(file, *to);
                match has_unknown(&to) {
                    true => {
                        let of = cx.type_of(file, *of);
                        self.filled(cx, to, &of, 0)
                    }
                    false => to,
                }
            }
            Expression::Operation { operator, left, .. } => {
                let left = cx.type_of(file, *left);
                match (code.name(*operator), left) {
                    ("..", _) => Ty::builtin("Iterator", [Ty::External]),
                    (_, left @ Ty::Builtin { name: "str" | "String", .. }) => left,
                    _ => Ty::External,
                }
            }
            _ => return None,
        };
        Some(ty)
    }

    /// Returns the type of a value of another repository: a constant of a type is as a rule one of its objects.
    fn foreign_constant(&self, cx: &Inference<'_>, file: FileIdx, of: ExpressionId, name: Name) -> Ty {
        let code = cx.program.code(file);
        let is_constant = cx.program.text(name).bytes().all(|byte| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'_'));
        let Expression::Path { of, .. } = code.expression(of) else { return Ty::External };
        match code.expression(*of) {
            Expression::Name { name: head, .. } | Expression::Path { name: head, .. }
                if is_constant && code.name(*head).starts_with(char::is_uppercase) =>
            {
                Ty::Foreign(cx.program.name(file, *head))
            }
            _ => Ty::External,
        }
    }

    /// Returns the object that a struct's fields make it to.
    fn made_of_fields(&self, cx: &mut Inference<'_>, file: FileIdx, made: Ty, arguments: &[ExpressionId]) -> Ty {
        let program = cx.program;
        let Ty::Object(applied) = &made else { return made };
        let owner = match program.definition(applied.of).kind {
            model::SymbolKind::Variant => program.parent(applied.of).unwrap_or(applied.of),
            _ => applied.of,
        };
        let n_parameters = program.shape(owner).type_parameters.len();
        if !applied.arguments.is_empty() || n_parameters == 0 {
            return Ty::Object(Applied { of: owner, arguments: Rc::clone(&applied.arguments) });
        }
        let mut bindings = super::bindings::Bindings::default();
        let fields = arguments.first().map(|fields| program.code(file).expression(*fields));
        if let Some(Expression::Object(fields)) = fields {
            for (name, value) in fields {
                let own = program.members(applied.of, program.name(file, *name)).first().copied();
                let Some(own) = own else { continue };
                let expected = cx.variable(own);
                let given = cx.type_of(file, *value);
                bindings.unify(self, cx, &expected, &given);
            }
        }
        let arguments: Vec<Ty> =
            (0..n_parameters as u32).map(|index| bindings.get(owner, index).cloned().unwrap_or(Ty::Unknown)).collect();
        Ty::Object(Applied { of: owner, arguments: arguments.into() })
    }

    /// Returns the type of what is bound to a name.
    pub(super) fn bound(&self, cx: &mut Inference<'_>, file: FileIdx, binding: u32) -> Ty {
        let program = cx.program;
        let binding = &program.code(file).bindings[binding as usize];
        match (binding.declared, binding.value) {
            (Some(declared), value) => {
                let declared = cx.written(file, declared);
                match value {
                    Some(value) if has_unknown(&declared) => {
                        let value_ty = cx.type_of(file, value);
                        let filled = self.filled(cx, declared, &value_ty, 0);
                        self.put_in(cx, file, binding, value, filled)
                    }
                    _ => declared,
                }
            }
            (None, Some(value)) => {
                let ty = cx.type_of(file, value);
                self.put_in(cx, file, binding, value, ty)
            }
            (None, None) => self.closure_parameter(cx, file, binding.scope, program.name(file, binding.name)),
        }
    }

    /// Returns the type of a collection that was empty at first, by what is put into it next.
    fn put_in(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        binding: &model::code::Binding,
        value: ExpressionId,
        ty: Ty,
    ) -> Ty {
        let Ty::Builtin { name, arguments } = &ty else { return ty };
        let is_collection = matches!(*name, "Vec" | "VecDeque" | "HashMap" | "HashSet" | "BinaryHeap");
        if !is_collection || !arguments.iter().any(Ty::is_unknown) {
            return ty;
        }
        let code = cx.program.code(file);
        let first = code.sites.partition_point(|site| site.expression <= value);
        for site in code.sites[first..].iter().take(MAX_FILLING_CALLS) {
            let Expression::Call { callee, arguments: given, .. } = code.expression(site.expression) else { continue };
            let Expression::Member { of, name: method } = code.expression(*callee) else { continue };
            let is_meant = matches!(code.expression(*of), Expression::Name { name, .. } if *name == binding.name);
            if !is_meant {
                continue;
            }
            let mut types: Vec<Ty> = match (code.name(*method), &given[..]) {
                ("push" | "push_back" | "push_front", [item]) => vec![cx.type_of(file, *item)],
                ("insert", [item]) => vec![cx.type_of(file, *item)],
                ("insert", [key, value]) if *name == "HashMap" => {
                    vec![cx.type_of(file, *key), cx.type_of(file, *value)]
                }
                ("insert", [_, item]) => vec![cx.type_of(file, *item)],
                ("extend", [items]) if *name != "HashMap" => {
                    let items = cx.type_of(file, *items);
                    vec![self.item_of(cx, &items)]
                }
                _ => continue,
            };
            if types.iter().all(Ty::is_unknown) {
                continue;
            }
            types.truncate(arguments.len());
            for (own, known) in types.iter_mut().zip(arguments.iter()) {
                if !known.is_unknown() {
                    *own = known.clone();
                }
            }
            return Ty::builtin(name, types);
        }
        ty
    }
}
