//! Types of names and other expressions.

use model::code::{Expression, ExpressionId, Literal, ScopeId, TypeId};

use super::{
    JavaDialect,
    ancestry::apply,
    generics::common_type,
    packages::MAX_SCOPES,
    standard_library,
    types::{NULL, array, boxed, item_of, promoted, simple_type, unboxed},
};
use crate::{
    infer::Inference,
    names::Name,
    program::{FileIdx, Program},
    ty::Ty,
};

/// Maximum number of segments of a qualified name.
const MAX_PATH: usize = 24;

impl JavaDialect {
    /// Returns the type of an expression, or the type itself if the expression is a type name.
    pub(super) fn expression_type(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        expression: ExpressionId,
    ) -> Option<Ty> {
        let program = cx.program;
        Some(match program.code(file).expression(expression) {
            Expression::Name { name, scope, n_before } => {
                self.name_value(cx, file, program.name(file, *name), *scope, *n_before)
            }
            Expression::This { scope } => self.this_object(cx, file, *scope),
            Expression::Super { scope } => {
                let this = self.this_object(cx, file, *scope);
                self.super_object_of(cx, &this)
            }
            Expression::Member { of, name } => {
                let of_ty = cx.type_of(file, *of);
                self.member_value(cx, file, expression, &of_ty, program.name(file, *name))
            }
            Expression::Call { .. } => self.call_result(cx, file, expression),
            Expression::Make { .. } => self.created_object(cx, file, expression),
            Expression::Element { of, .. } => {
                let of = cx.type_of(file, *of);
                item_of(&of).cloned().unwrap_or(Ty::Unknown)
            }
            Expression::Item { of } => {
                let of = cx.type_of(file, *of);
                self.item(cx, of)
            }
            Expression::Matched { variant, index, .. } => self.component(cx, file, *variant, *index),
            Expression::Cast { of, to } => self.cast(cx, file, *of, *to),
            Expression::Either(choices) => {
                let mut types = choices.iter();
                let mut ty = cx.type_of(file, *types.next()?);
                for choice in types {
                    let other = cx.type_of(file, *choice);
                    ty = common_type(cx, self, ty, other);
                }
                ty
            }
            Expression::List(items) => {
                let first = items.first().map_or(Ty::Unknown, |first| cx.type_of(file, *first));
                array(first)
            }
            Expression::Type(written) => {
                let of = cx.written_type(file, *written);
                Ty::builtin("Class", [boxed(of)])
            }
            Expression::Function { .. } | Expression::Path { .. } => Ty::Closure { file, expression },
            Expression::Operation { operator, left, right } => {
                let operator = program.text(program.name(file, *operator));
                self.operation(cx, file, operator, *left, *right)
            }
            Expression::Literal(literal) => literal_type(*literal),
            _ => return None,
        })
    }

    /// Resolves an expression name: a variable, else a type.
    fn name_value(&self, cx: &mut Inference<'_>, file: FileIdx, name: Name, scope: ScopeId, n_before: u32) -> Ty {
        let program = cx.program;
        let code = program.code(file);
        let mut at = Some(scope);
        for _ in 0..MAX_SCOPES {
            let Some(scope_id) = at else { break };
            let bound = program.bindings(file, scope_id, name);
            let before = bound.partition_point(|binding| *binding < n_before);
            if let Some(binding) = before.checked_sub(1).and_then(|last| bound.get(last)) {
                return self.bound_value(cx, file, *binding);
            }
            if let Some(enclosing) = self.type_of_scope(cx, file, scope_id)
                && let Some(found) = self.field(cx, &enclosing, name)
            {
                return found;
            }
            at = code.scopes.get(scope_id.index()).and_then(|scope| scope.parent);
        }
        for from in self.static_imports(cx, file, name) {
            if let Some(found) = self.field(cx, &from, name) {
                return found;
            }
        }
        self.resolve_type_name(cx, file, name, scope, None)
    }

    /// Returns the type of a local variable or parameter.
    fn bound_value(&self, cx: &mut Inference<'_>, file: FileIdx, binding: u32) -> Ty {
        let known = &cx.program.code(file).bindings[binding as usize];
        match (known.declared, known.value) {
            (Some(declared), _) => cx.written_type(file, declared),
            (None, Some(value)) => cx.type_of(file, value),
            (None, None) => self.lambda_parameter(cx, file, known.scope, binding),
        }
    }

    /// Resolves a member access: a field, a static field, a member type, or a qualified type name.
    fn member_value(&self, cx: &mut Inference<'_>, file: FileIdx, expression: ExpressionId, of: &Ty, name: Name) -> Ty {
        match of {
            Ty::Unknown => return self.qualified_name(cx, file, expression).unwrap_or(Ty::Unknown),
            Ty::External | Ty::Foreign(_) => return Ty::External,
            _ => {}
        }
        if let Some(field) = self.field(cx, of, name) {
            return field;
        }
        match of {
            Ty::Class(applied) => self.member_type(cx, applied.of, name).map_or(Ty::External, Ty::class),
            Ty::Builtin { name: outer, .. } => {
                let inner = standard_library::find_type(outer).and_then(|outer| {
                    standard_library::find_in_package(
                        &format!("{}.{}", outer.package, outer.name),
                        cx.program.text(name),
                    )
                });
                inner.map_or(Ty::External, |inner| simple_type(inner.name))
            }
            _ => Ty::External,
        }
    }

    /// Resolves `a.b.C` as a type name, where `a` is no value. A type of a package that no file declares is external.
    fn qualified_name(&self, cx: &mut Inference<'_>, file: FileIdx, expression: ExpressionId) -> Option<Ty> {
        let program = cx.program;
        let code = program.code(file);
        let mut parts = Vec::new();
        let mut at = expression;
        loop {
            match code.expression(at) {
                Expression::Member { of, name } if parts.len() < MAX_PATH => {
                    parts.push(program.text(program.name(file, *name)));
                    at = *of;
                }
                Expression::Name { name, scope, n_before } => {
                    let name = program.name(file, *name);
                    parts.push(program.text(name));
                    if cx.binding_before(file, name, *scope, *n_before).is_some() {
                        return None;
                    }
                    break;
                }
                _ => return None,
            }
        }
        parts.reverse();
        match self.resolve_qualified(cx, file, &parts) {
            Ty::Unknown => is_external(program, &parts).then_some(Ty::External),
            found => Some(found),
        }
    }

    /// Returns the element type of iteration.
    pub(super) fn item(&self, cx: &mut Inference<'_>, of: Ty) -> Ty {
        if let Some(item) = item_of(&of) {
            return item.clone();
        }
        let iterable = Ty::builtin("Iterable", []);
        match self.as_super(cx, &of, &iterable) {
            Some(Ty::Builtin { arguments, .. }) => arguments.first().cloned().unwrap_or(Ty::Unknown),
            _ => Ty::Unknown,
        }
    }

    /// Returns the type of a record component.
    fn component(&self, cx: &mut Inference<'_>, file: FileIdx, variant: ExpressionId, index: u32) -> Ty {
        let Expression::Type(written) = cx.program.code(file).expression(variant) else { return Ty::Unknown };
        let Ty::Object(applied) = cx.written_type(file, *written) else { return Ty::Unknown };
        let parameter = cx.program.shape(applied.of).parameters.get(index as usize);
        let Some(declared) = parameter.and_then(|parameter| parameter.declared) else { return Ty::Unknown };
        let of_file = cx.program.file_of(applied.of);
        apply(&cx.written_type(of_file, declared), &applied)
    }

    /// Returns the type of a cast. `A.this` and `A.super` are represented as casts.
    fn cast(&self, cx: &mut Inference<'_>, file: FileIdx, of: ExpressionId, to: TypeId) -> Ty {
        let operand = cx.program.code(file).expression(of);
        let ty = cx.written_type(file, to);
        match (operand, &ty) {
            (Expression::This { scope } | Expression::Super { scope }, Ty::Object(applied)) => {
                let enclosing = self.types_around(cx, file, *scope);
                let outer = enclosing.into_iter().find(|one| matches!(one, Ty::Object(one) if one.of == applied.of));
                match (operand, outer) {
                    (Expression::Super { .. }, Some(outer)) => self.super_object_of(cx, &outer),
                    (_, Some(outer)) => outer,
                    _ => ty,
                }
            }
            _ => ty,
        }
    }

    /// Returns the type of an operator expression.
    fn operation(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        operator: &str,
        left: ExpressionId,
        right: Option<ExpressionId>,
    ) -> Ty {
        let left = cx.type_of(file, left);
        let right = right.filter(|_| operator != "=");
        let Some(right) = right else { return promoted(&left, &simple_type("int")).unwrap_or(left) };
        let right = cx.type_of(file, right);
        let text = simple_type("String");
        match operator {
            "+" if left == text || right == text => text,
            "<<" | ">>" | ">>>" => promoted(&left, &simple_type("int")).unwrap_or(Ty::Unknown),
            "&" | "|" | "^" if unboxed(&left) == Some("boolean") => simple_type("boolean"),
            _ => promoted(&left, &right).unwrap_or(Ty::Unknown),
        }
    }
}

fn literal_type(literal: Literal) -> Ty {
    match literal {
        Literal::Text(_) => simple_type("String"),
        Literal::Integer => simple_type("int"),
        Literal::Float => simple_type("double"),
        Literal::Boolean => simple_type("boolean"),
        Literal::Character => simple_type("char"),
        Literal::Null => simple_type(NULL),
        Literal::Bytes | Literal::Pattern | Literal::Map => Ty::External,
    }
}

/// Returns true for a type with its package (`a.b.C`) if no file declares the package.
fn is_external(program: &Program<'_>, parts: &[&str]) -> bool {
    let starts_upper = |part: &str| part.starts_with(char::is_uppercase);
    parts.split_last().is_some_and(|(name, package)| {
        package.len() > 1
            && starts_upper(name)
            && !package.iter().any(|part| starts_upper(part))
            && !program.has_package(&package.join("."))
    })
}
