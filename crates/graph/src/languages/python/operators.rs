//! Operators: special methods of objects, and unions of types.

use model::code::{ExpressionId, NameId};

use super::PythonDialect;
use crate::{
    infer::{CallArguments, Inference, as_object},
    program::FileIdx,
    ty::Ty,
};

impl PythonDialect {
    /// Returns the result of an operator: a union for `|` of two classes, else the result of the special method.
    pub(super) fn operator_result(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        operator: NameId,
        left: ExpressionId,
        right: Option<ExpressionId>,
    ) -> Ty {
        let operator = cx.program.code(file).name(operator);
        let left = cx.type_of(file, left);
        if operator == "|" {
            // A class is an operand of types alone, also beside `str` or another union.
            let is_class = |ty: &Ty| ty.alternatives().iter().any(|ty| matches!(ty, Ty::Class(_)));
            let right = right.map_or(Ty::Unknown, |right| cx.type_of(file, right));
            if is_class(&left) || is_class(&right) {
                return Ty::one_of([left, right]);
            }
        }
        if operator == "is not" {
            let out = right.map_or(Ty::Unknown, |right| as_object(cx.type_of(file, right)));
            return self.exclude_type(cx, left, &out);
        }
        let method = match operator {
            "+" => "__add__",
            "-" => "__sub__",
            "*" => "__mul__",
            "/" => "__truediv__",
            "//" => "__floordiv__",
            "%" => "__mod__",
            "@" => "__matmul__",
            "&" => "__and__",
            "|" => "__or__",
            "^" => "__xor__",
            "<<" => "__lshift__",
            ">>" => "__rshift__",
            _ => return Ty::Unknown,
        };
        match left {
            Ty::Object(_) | Ty::Parameter { .. } => {
                let callee = self.special_method(cx, file, &left, method);
                cx.call(&callee, &CallArguments { file, types: &[], values: &[] })
            }
            Ty::Builtin { name: "list", .. } | Ty::External => left,
            _ => Ty::Unknown,
        }
    }
}
