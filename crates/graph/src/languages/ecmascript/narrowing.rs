//! Type narrowing by conditions.

use model::code::{Expression, ExpressionId, Literal};

use super::{EcmascriptDialect, types::text_type};
use crate::{infer::Inference, program::FileIdx, ty::Ty};

impl EcmascriptDialect {
    /// Narrows a type by a condition that holds: a type guard call, the comparison of a member with a string,
    /// or an `instanceof` that fails.
    pub(super) fn narrowed(&self, cx: &mut Inference<'_>, file: FileIdx, of: Ty, variant: ExpressionId) -> Ty {
        let program = cx.program;
        match program.code(file).expression(variant) {
            Expression::Call { callee, .. } => {
                let callee = cx.type_of(file, *callee);
                if matches!(callee, Ty::Builtin { name: "Array.isArray", .. }) {
                    let lists = of.alternatives().iter().filter(|ty| matches!(ty, Ty::Builtin { name: "Array", .. }));
                    return Ty::one_of(lists.cloned());
                }
                match cx.type_of(file, variant) {
                    Ty::Builtin { name: "is", arguments } => {
                        arguments.first().filter(|guarded| !guarded.is_unknown()).cloned().unwrap_or(of)
                    }
                    _ => of,
                }
            }
            Expression::Operation { operator, left, right: Some(right) } => {
                if let Expression::Type(excluded) = program.code(file).expression(*right) {
                    let excluded = cx.written_type(file, *excluded);
                    let rest = of.alternatives().iter().filter(|ty| **ty != excluded);
                    let rest = Ty::one_of(rest.cloned());
                    return if rest.is_unknown() { of } else { rest };
                }
                let (Expression::Member { name, .. }, Expression::Literal(Literal::Text(Some(text)))) =
                    (program.code(file).expression(*left), program.code(file).expression(*right))
                else {
                    return of;
                };
                if of.alternatives().len() < 2 {
                    return of;
                }
                let expected = text_type(program.name(file, *text));
                let is_equal = program.text(program.name(file, *operator)) == "===";
                let name = program.name(file, *name);
                let mut remaining = Vec::new();
                for ty in of.alternatives() {
                    let member = cx.member_value(file, ty, name);
                    let is_known = member.alternatives().iter().all(is_text);
                    let has = member.alternatives().contains(&expected);
                    let is_only = has && member.alternatives().len() == 1;
                    if !is_known || (is_equal && has) || (!is_equal && !is_only) {
                        remaining.push(ty.clone());
                    }
                }
                Ty::one_of(remaining)
            }
            _ => of,
        }
    }
}

/// Returns true if a type is a string literal type.
fn is_text(ty: &Ty) -> bool {
    matches!(ty, Ty::Builtin { name: "string", arguments } if !arguments.is_empty())
}
