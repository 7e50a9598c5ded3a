//! Calls whose target depends on the build: template instantiation, or definitions under a preprocessor condition.

use model::{
    SymbolKind,
    code::{Expression, ExpressionId, Flags, ScopeId, Site, TypeExpression},
};

use super::CDialect;
use crate::{
    edge::Resolution,
    infer::Inference,
    program::{FileIdx, Program, SymbolIdx},
    ty::Ty,
};

/// Maximum depth of nested expressions and types to inspect.
const MAX_DEPTH: u32 = 24;

impl CDialect {
    /// Marks uncertain targets as `Ambiguous`, and drops calls of implicit copy constructors.
    pub(super) fn mark_conditional_calls(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        site: &Site,
        found: &mut Vec<(SymbolIdx, Resolution)>,
    ) {
        if found.is_empty() {
            return;
        }
        let program = cx.program;
        let is_constructor = |symbol: SymbolIdx| program.definition(symbol).kind == SymbolKind::Constructor;
        if is_constructor(found[0].0) && self.is_plain_copy(cx, file, site.expression, found) {
            found.clear();
            return;
        }
        let is_template_dependent = is_in_template(program, file, site.scope) && depends_on_template(cx, file, site);
        for (to, resolution) in found.iter_mut() {
            if is_template_dependent || may_be_absent(program, *to) {
                *resolution = Resolution::Ambiguous;
            }
        }
    }

    /// Returns true if an object is copied and none of the found constructors is a copy constructor.
    fn is_plain_copy(
        &self,
        cx: &mut Inference<'_>,
        file: FileIdx,
        site: ExpressionId,
        found: &[(SymbolIdx, Resolution)],
    ) -> bool {
        let program = cx.program;
        let (Expression::Make { arguments, .. } | Expression::Call { arguments, .. }) =
            program.code(file).expression(site)
        else {
            return false;
        };
        let [only] = &arguments[..] else { return false };
        let Ty::Object(actual) = cx.type_of(file, *only) else { return false };
        let takes_own = |cx: &mut Inference<'_>, one: SymbolIdx| {
            let first = program.shape(one).parameters.first().and_then(|first| first.declared);
            let symbol_file = program.file_of(one);
            match first.map(|first| cx.written_type(symbol_file, first)) {
                Some(Ty::Object(applied)) => applied.of == actual.of,
                _ => false,
            }
        };
        program.parent(found[0].0) == Some(actual.of) && !found.iter().any(|(one, _)| takes_own(cx, *one))
    }
}

/// Returns true if the target may not exist in a build, or may not be the function that runs. This holds for a function
/// without a body in the repository, for a macro or prototype under a condition, and for a conditional function that
/// replaces a macro of the same name (a fallback for a missing library or platform).
fn may_be_absent(program: &Program<'_>, symbol: SymbolIdx) -> bool {
    let flags = program.shape(symbol).flags;
    if flags.has(Flags::DECLARATION) && program.definition(symbol).kind == SymbolKind::Function {
        return true;
    }
    let is_macro = |symbol: SymbolIdx| program.definition(symbol).signature.starts_with('#');
    flags.has(Flags::CONDITIONAL)
        && (is_macro(symbol)
            || flags.has(Flags::DECLARATION)
            || program.named(program.name_of(symbol)).iter().any(|other| is_macro(*other)))
}

/// Returns true if a scope is inside a template.
fn is_in_template(program: &Program<'_>, file: FileIdx, scope: ScopeId) -> bool {
    let Some(definition) = program.code(file).definition_around(scope) else { return false };
    is_template(program, program.symbol(file, definition))
}

/// Returns true if a definition is a template or is inside one.
fn is_template(program: &Program<'_>, symbol: SymbolIdx) -> bool {
    let mut at = Some(symbol);
    for _ in 0..MAX_DEPTH {
        let Some(symbol) = at else { return false };
        if !program.shape(symbol).type_parameters.is_empty() {
            return true;
        }
        at = program.parent(symbol);
    }
    false
}

/// Returns true if the target of a call is only known when the enclosing template is instantiated.
fn depends_on_template(cx: &mut Inference<'_>, file: FileIdx, site: &Site) -> bool {
    let code = cx.program.code(file);
    match code.expression(site.expression) {
        Expression::Call { callee, arguments, .. } => match code.expression(*callee) {
            Expression::Member { of, .. } | Expression::Path { of, .. }
                if is_dependent_expression(cx, file, *of, 0) =>
            {
                true
            }
            Expression::Name { .. } | Expression::Path { .. } => {
                let is_class = matches!(cx.type_of(file, *callee), Ty::Class(_));
                is_class && {
                    let created = cx.type_of(file, site.expression);
                    is_dependent_type(cx.program, &created, 0) || any_depends(cx, file, arguments)
                }
            }
            Expression::Member { .. } => match cx.type_of(file, *callee) {
                Ty::Function { candidates, .. } if candidates.len() > 1 => any_depends(cx, file, arguments),
                _ => false,
            },
            _ => is_dependent_expression(cx, file, *callee, 0),
        },
        Expression::Make { made, arguments } => {
            let is_initialiser = matches!(code.written(*made), TypeExpression::Of(_));
            let created = cx.written_type(file, *made);
            is_initialiser || is_dependent_type(cx.program, &created, 0) || any_depends(cx, file, arguments)
        }
        _ => false,
    }
}

fn any_depends(cx: &mut Inference<'_>, file: FileIdx, arguments: &[ExpressionId]) -> bool {
    arguments.iter().any(|argument| is_dependent_expression(cx, file, *argument, 0))
}

/// Returns true if the type of an expression depends on the enclosing template. `this` does not depend on it: the
/// members that its class declares are known.
fn is_dependent_expression(cx: &mut Inference<'_>, file: FileIdx, expression: ExpressionId, depth: u32) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    let inside = match cx.program.code(file).expression(expression) {
        Expression::This { .. } => return false,
        Expression::Dereferenced { of } if matches!(cx.program.code(file).expression(*of), Expression::This { .. }) => {
            return false;
        }
        Expression::Dereferenced { of } | Expression::Path { of, .. } | Expression::Member { of, .. } => Some(*of),
        Expression::Operation { left, .. } => Some(*left),
        Expression::Element { of, .. } => Some(*of),
        Expression::Call { callee, .. } => Some(*callee),
        Expression::Type(written) => {
            let ty = cx.written_type(file, *written);
            return is_dependent_type(cx.program, &ty, 0);
        }
        _ => None,
    };
    let ty = cx.type_of(file, expression);
    let is_class = matches!(ty, Ty::Class(_) | Ty::Module(_) | Ty::Function { .. });
    !is_class && is_dependent_type(cx.program, &ty, 0)
        || inside.is_some_and(|inside| is_dependent_expression(cx, file, inside, depth + 1))
}

/// Returns true if a type mentions template parameters, or belongs to a template.
fn is_dependent_type(program: &Program<'_>, ty: &Ty, depth: u32) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    let any = |types: &[Ty]| types.iter().any(|ty| is_dependent_type(program, ty, depth + 1));
    match ty {
        Ty::Parameter { .. } => true,
        Ty::Object(applied) | Ty::Class(applied) => {
            let is_open = applied.arguments.is_empty() && is_template(program, applied.of);
            is_open || any(&applied.arguments)
        }
        Ty::Builtin { arguments, .. } => any(arguments),
        Ty::Tuple(parts) | Ty::Union(parts) => any(parts),
        _ => false,
    }
}
