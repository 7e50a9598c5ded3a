//! Types of expressions and bindings.

use std::rc::Rc;

use model::{
    SymbolKind,
    code::{Binding, Expression, ExpressionId, Literal},
};

use super::{
    RustDialect,
    resolution::{NameResolution, RustNamespace},
    results::has_unknown,
    type_bindings::TypeBindings,
};
use crate::{
    infer::Inference,
    names::Name,
    program::FileIdx,
    ty::{Applied, Ty},
};

/// Maximum number of calls after a binding to inspect for the element type of a collection.
const MAX_FILLING_CALLS: usize = 96;

impl RustDialect {
    /// Returns the type of an expression, or none to use the language-independent rules.
    pub(super) fn expression_type(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        expression: ExpressionId,
    ) -> Option<Ty> {
        let program = cx.program;
        let code = program.code(file);
        let ty = match code.expression(expression) {
            Expression::Name { .. } | Expression::Path { .. } => {
                match self.resolve_path_expression(cx, file, expression, RustNamespace::Values) {
                    NameResolution::Items(found, owner) => self.value_of_items(cx, &found, owner.as_ref()),
                    NameResolution::Local(ty) => ty,
                    NameResolution::Type(Ty::Object(applied)) => Ty::Class(applied),
                    NameResolution::Foreign(name) => self.foreign_constant(cx, file, expression, name),
                    NameResolution::Type(_) => Ty::External,
                    NameResolution::Unresolved => Ty::Unknown,
                }
            }
            Expression::Member { of, name } => {
                let of = cx.type_of(file, *of);
                self.field(cx, &of, program.name(file, *name))
            }
            Expression::Call { .. } => self.call_result(cx, file, expression),
            Expression::Make { made, arguments } => {
                let made = cx.written_type(file, *made);
                self.struct_expression_type(cx, file, made, arguments)
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
            Expression::Matched { of, variant, index } => self.pattern_field_type(cx, file, *of, *variant, *index),
            Expression::Tried { of } => {
                let of = cx.type_of(file, *of);
                success_type(&of)
            }
            Expression::Dereferenced { of } => match cx.type_of(file, *of) {
                Ty::Builtin { name: "pointer", arguments } => arguments.first().cloned().unwrap_or(Ty::Unknown),
                of @ Ty::Builtin { .. } => self.deref_target(cx, &of).unwrap_or(of),
                other => other,
            },
            Expression::List(items) => Ty::builtin("Vec", [cx.common_type(file, items)]),
            Expression::Literal(Literal::Text(_)) => Ty::builtin("str", []),
            Expression::Cast { of, to } => {
                let to = cx.written_type(file, *to);
                match has_unknown(&to) {
                    true => {
                        let of = cx.type_of(file, *of);
                        self.fill_unknown_arguments(cx, to, &of, 0)
                    }
                    false => to,
                }
            }
            Expression::Operation { operator, left, right } => {
                let left = cx.type_of(file, *left);
                match code.name(*operator) {
                    ".." => Ty::builtin("Iterator", [Ty::External]),
                    operator => self.operation_type(cx, operator, right.is_some(), left),
                }
            }
            _ => return None,
        };
        Some(ty)
    }

    /// Returns the type of an external value. An associated constant is assumed to have its own type.
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

    /// Returns the type of a struct expression.
    fn struct_expression_type(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        made: Ty,
        arguments: &[ExpressionId],
    ) -> Ty {
        let program = cx.program;
        let Ty::Object(applied) = &made else { return made };
        let owner = match program.definition(applied.of).kind {
            SymbolKind::Variant => program.parent(applied.of).unwrap_or(applied.of),
            _ => applied.of,
        };
        let n_parameters = program.shape(owner).type_parameters.len();
        if !applied.arguments.is_empty() || n_parameters == 0 {
            return Ty::Object(Applied { of: owner, arguments: Rc::clone(&applied.arguments) });
        }
        let mut bindings = TypeBindings::default();
        let fields = arguments.first().map(|fields| program.code(file).expression(*fields));
        if let Some(Expression::Object(fields)) = fields {
            for (name, value) in fields {
                let own = program.members(applied.of, program.name(file, *name)).first().copied();
                let Some(own) = own else { continue };
                let expected = cx.variable(own);
                let actual = cx.type_of(file, *value);
                bindings.unify(self, cx, &expected, &actual);
            }
        }
        let arguments: Vec<Ty> =
            (0..n_parameters as u32).map(|index| bindings.get(owner, index).cloned().unwrap_or(Ty::Unknown)).collect();
        Ty::Object(Applied { of: owner, arguments: arguments.into() })
    }

    /// Returns the type of a binding.
    pub(super) fn binding_type(&self, cx: &mut Inference<'_>, file: FileIdx, binding: u32) -> Ty {
        let program = cx.program;
        let binding = &program.code(file).bindings[binding as usize];
        match (binding.declared, binding.value) {
            (Some(declared), value) => {
                let declared = cx.written_type(file, declared);
                match value {
                    Some(value) if has_unknown(&declared) => {
                        let value_ty = cx.type_of(file, value);
                        let filled = self.fill_unknown_arguments(cx, declared, &value_ty, 0);
                        self.infer_element_type(cx, file, binding, value, filled)
                    }
                    _ => declared,
                }
            }
            (None, Some(value)) => {
                let ty = cx.type_of(file, value);
                self.infer_element_type(cx, file, binding, value, ty)
            }
            (None, None) => self.closure_parameter_type(cx, file, binding.scope, program.name(file, binding.name)),
        }
    }

    /// Infers the element type of an initially empty collection from later insertions.
    fn infer_element_type(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        binding: &Binding,
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
            let Expression::Call { callee, arguments: actual, .. } = code.expression(site.expression) else { continue };
            let Expression::Member { of, name: method } = code.expression(*callee) else { continue };
            let is_of_binding = matches!(code.expression(*of), Expression::Name { name, .. } if *name == binding.name);
            if !is_of_binding {
                continue;
            }
            let mut types: Vec<Ty> = match (code.name(*method), &actual[..]) {
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

/// Returns the type of a value whose failure returns early. A failure in a `Poll` does, too.
fn success_type(of: &Ty) -> Ty {
    let first = |arguments: &[Ty]| arguments.first().cloned().unwrap_or(Ty::Unknown);
    match of {
        Ty::Builtin { name: "Option" | "Result", arguments } => first(arguments),
        Ty::Builtin { name: "Poll", arguments } => match first(arguments) {
            Ty::Builtin { name: "Option", arguments } => {
                Ty::builtin("Poll", [Ty::builtin("Option", [success_type(&first(&arguments))])])
            }
            result => Ty::builtin("Poll", [success_type(&result)]),
        },
        Ty::External | Ty::Foreign(_) => Ty::External,
        _ => Ty::Unknown,
    }
}
