//! Bindings in functions: assigned values, narrowing by tests, parameters.

use model::code::{Expression, ScopeId, TypeExpression, TypeId};

use super::PythonDialect;
use crate::{
    infer::Inference,
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
    ty::Ty,
};

/// Maximum nesting depth of scopes.
const MAX_SCOPES: usize = 400;

impl PythonDialect {
    /// Resolves a written type whose first name is bound in a function: an import, a class or a parameter.
    pub(super) fn resolve_local_type(&self, cx: &mut Inference<'_>, file: FileIdx, written: TypeId) -> Option<Ty> {
        let program = cx.program;
        let TypeExpression::Named { path, arguments, scope } = program.code(file).written(written) else { return None };
        let (first, rest) = path.split_first()?;
        let binding = last_binding_before(program, file, program.name(file, *first), *scope, u32::MAX)?;
        let mut at = cx.binding_value(file, binding);
        for name in rest {
            at = cx.member_value(file, &at, program.name(file, *name));
        }
        let Ty::Class(class) = at else { return None };
        let arguments: Vec<Ty> = arguments.iter().map(|argument| cx.written_type(file, *argument)).collect();
        Some(cx.applied(class, arguments.into()))
    }

    /// Returns the type of a binding: the value's type narrowed to the declared type, else the declared type.
    pub(super) fn binding_type(&self, cx: &mut Inference<'_>, file: FileIdx, binding: u32) -> Option<Ty> {
        let program = cx.program;
        let code = program.code(file);
        let binding = &code.bindings[binding as usize];
        match (binding.declared, binding.value) {
            (Some(declared), Some(value)) => {
                let declared = cx.written_type(file, declared);
                let actual = cx.type_of(file, value);
                let is_test = matches!(code.expression(value), Expression::Name { name, .. } if *name == binding.name);
                Some(self.narrowed(cx, declared, actual, is_test))
            }
            (None, None) => self.inherited_parameter(cx, file, binding.scope, binding.name),
            _ => None,
        }
    }

    /// Narrows a declared type by the type of the assigned or tested value.
    fn narrowed(&self, cx: &mut Inference<'_>, declared: Ty, actual: Ty, is_test: bool) -> Ty {
        match (&declared, &actual) {
            (Ty::Unknown, _) => actual,
            (_, Ty::Unknown | Ty::External) => declared,
            (Ty::External, _) if is_test => declared,
            // The declaration has the element type: `[]` does not.
            (Ty::Builtin { name, .. }, Ty::Builtin { name: other, .. }) if name == other => declared,
            (Ty::External | Ty::Builtin { .. }, _) => actual,
            _ => {
                let remaining: Vec<Ty> =
                    actual.alternatives().iter().filter(|ty| self.is_subtype(cx, ty, &declared)).cloned().collect();
                match (remaining.is_empty(), &declared, &actual) {
                    (false, ..) => Ty::one_of(remaining),
                    (_, Ty::Object(tested), Ty::Object(_)) if is_test && !self.is_base(cx, tested.of, &actual) => {
                        // The value is an instance of a class that derives from both.
                        Ty::Intersection([declared, actual].into())
                    }
                    _ => declared,
                }
            }
        }
    }

    /// Returns true if a class derives from the class of a value.
    fn is_base(&self, cx: &mut Inference<'_>, class: SymbolIdx, of: &Ty) -> bool {
        match of {
            Ty::Object(base) => cx.as_base(&Ty::object(class), base.of).is_some(),
            _ => false,
        }
    }

    /// Returns true if a type is a subtype of one of the alternatives of another.
    pub(super) fn is_subtype(&self, cx: &mut Inference<'_>, ty: &Ty, of: &Ty) -> bool {
        of.alternatives().iter().any(|of| match (ty, of) {
            (Ty::Object(_) | Ty::Parameter { .. }, Ty::Object(of)) | (Ty::Class(_), Ty::Class(of)) => {
                cx.as_base(ty, of.of).is_some()
            }
            (Ty::Builtin { name, .. }, Ty::Builtin { name: of, .. }) => name == of,
            _ => ty == of,
        })
    }

    /// Removes a type from the alternatives of a value. The result is `External` if no alternative remains.
    pub(super) fn exclude_type(&self, cx: &mut Inference<'_>, value: Ty, out: &Ty) -> Ty {
        if matches!(value, Ty::Unknown | Ty::External) {
            return value;
        }
        let remaining: Vec<Ty> =
            value.alternatives().iter().filter(|ty| !self.is_subtype(cx, ty, out)).cloned().collect();
        if remaining.is_empty() { Ty::External } else { Ty::one_of(remaining) }
    }
}

/// Returns a later binding of a name in an enclosing function. It is visible to a nested function, which runs later.
pub(super) fn later_binding(program: &Program<'_>, file: FileIdx, name: Name, scope: ScopeId) -> Option<u32> {
    let code = program.code(file);
    let mut is_around = false;
    let mut at = scope;
    for _ in 0..MAX_SCOPES {
        let scope = code.scopes.get(at.index())?;
        let bound = program.bindings(file, at, name).iter().copied().find(|_| is_around && scope.parent.is_some());
        let is_assigned = |binding: &u32| match code.bindings[*binding as usize].value.map(|of| code.expression(of)) {
            Some(Expression::Operation { .. } | Expression::Either(_) | Expression::Name { .. }) | None => false,
            Some(_) => true,
        };
        if let Some(bound) = bound.filter(is_assigned) {
            return Some(bound);
        }
        is_around |= scope.definition.is_some();
        at = scope.parent?;
    }
    None
}

/// Returns the last binding of a name before a position, in the enclosing scopes.
pub(super) fn last_binding_before(
    program: &Program<'_>,
    file: FileIdx,
    name: Name,
    scope: ScopeId,
    n_before: u32,
) -> Option<u32> {
    let code = program.code(file);
    let mut at = Some(scope);
    for _ in 0..MAX_SCOPES {
        let scope = at?;
        let bound = program.bindings(file, scope, name);
        let n = bound.partition_point(|binding| *binding < n_before);
        if n > 0 {
            return Some(bound[n - 1]);
        }
        at = code.scopes.get(scope.index())?.parent;
    }
    None
}
