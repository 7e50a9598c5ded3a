//! Calls that only a build settles: those that depend on what a template is instantiated with, and those of what is there
//! under some conditions alone.

use model::{
    SymbolKind,
    code::{Expression, ExpressionId, Flags, ScopeId, Site, TypeExpression},
};

use super::C;
use crate::{
    edge::Resolution,
    infer::Inference,
    program::{FileIdx, Program, SymbolIdx},
    ty::Ty,
};

/// How deep expressions and types are looked into.
const MAX_DEPTH: u32 = 24;

impl C {
    /// Makes possibilities of targets that are not certain, and drops the copies that no one wrote a constructor for.
    pub(super) fn doubt(
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
        let is_settled_later = is_in_template(program, file, site.scope) && depends_on_template(cx, file, site);
        for (to, resolution) in found.iter_mut() {
            if is_settled_later || may_be_absent(program, *to) {
                *resolution = Resolution::Ambiguous;
            }
        }
    }

    /// Says whether an object is made of another of its type, and none of the constructors is for that.
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
        let Ty::Object(given) = cx.type_of(file, *only) else { return false };
        let takes_own = |cx: &mut Inference<'_>, one: SymbolIdx| {
            let first = program.shape(one).parameters.first().and_then(|first| first.declared);
            let home = program.file_of(one);
            match first.map(|first| cx.written(home, first)) {
                Some(Ty::Object(applied)) => applied.of == given.of,
                _ => false,
            }
        };
        program.parent(found[0].0) == Some(given.of) && !found.iter().any(|(one, _)| takes_own(cx, *one))
    }
}

/// Says whether a definition may not be what is called: a function whose body is not here, but in a macro or elsewhere;
/// and whether a build may do without it: a macro or a prototype under a condition, or a function under one in
/// the place of a macro, as code has them in case a library or a platform has not.
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

/// Says whether a place is in a template.
fn is_in_template(program: &Program<'_>, file: FileIdx, scope: ScopeId) -> bool {
    let Some(definition) = program.code(file).definition_around(scope) else { return false };
    is_template(program, program.symbol(file, definition))
}

/// Says whether a definition is a template, or stands in one.
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

/// Says whether what a call means is known only when the template around it is instantiated.
fn depends_on_template(cx: &mut Inference<'_>, file: FileIdx, site: &Site) -> bool {
    let code = cx.program.code(file);
    match code.expression(site.expression) {
        Expression::Call { callee, arguments, .. } => match code.expression(*callee) {
            Expression::Member { of, .. } | Expression::Path { of, .. } if depends(cx, file, *of, 0) => true,
            Expression::Name { .. } | Expression::Path { .. } => {
                let is_class = matches!(cx.type_of(file, *callee), Ty::Class(_));
                is_class && {
                    let made = cx.type_of(file, site.expression);
                    is_dependent(cx.program, &made, 0) || any_depends(cx, file, arguments)
                }
            }
            Expression::Member { .. } => match cx.type_of(file, *callee) {
                Ty::Function { candidates, .. } if candidates.len() > 1 => any_depends(cx, file, arguments),
                _ => false,
            },
            _ => depends(cx, file, *callee, 0),
        },
        Expression::Make { made, arguments } => {
            let is_initialiser = matches!(code.written(*made), TypeExpression::Of(_));
            let made = cx.written(file, *made);
            is_initialiser || is_dependent(cx.program, &made, 0) || any_depends(cx, file, arguments)
        }
        _ => false,
    }
}

fn any_depends(cx: &mut Inference<'_>, file: FileIdx, arguments: &[ExpressionId]) -> bool {
    arguments.iter().any(|argument| depends(cx, file, *argument, 0))
}

/// Says whether the type of an expression depends on the template around it. The object itself does not: what its class
/// declares is known.
fn depends(cx: &mut Inference<'_>, file: FileIdx, expression: ExpressionId, depth: u32) -> bool {
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
            let ty = cx.written(file, *written);
            return is_dependent(cx.program, &ty, 0);
        }
        _ => None,
    };
    let ty = cx.type_of(file, expression);
    let is_class = matches!(ty, Ty::Class(_) | Ty::Module(_) | Ty::Function { .. });
    !is_class && is_dependent(cx.program, &ty, 0) || inside.is_some_and(|inside| depends(cx, file, inside, depth + 1))
}

/// Says whether a type is written in terms of a template's parameters, or stands in a template itself.
fn is_dependent(program: &Program<'_>, ty: &Ty, depth: u32) -> bool {
    if depth > MAX_DEPTH {
        return false;
    }
    let any = |types: &[Ty]| types.iter().any(|ty| is_dependent(program, ty, depth + 1));
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
