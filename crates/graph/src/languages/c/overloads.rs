//! Which of several functions of one name a call means: by the number of its arguments, then by how well their types fit.

use model::{
    SymbolKind,
    code::{Expression, ExpressionId, Flags, Parameter, TypeExpression, TypeId},
};

use super::{
    C, library,
    marks::{self, Mark},
};
use crate::{
    infer::{Arguments, Inference, parameter_at},
    program::{FileIdx, Program, SymbolIdx},
    ty::Ty,
};

/// How well an argument fits a parameter; nothing where that is not known.
type Fit = Option<u8>;

/// The argument has the parameter's type.
const EXACT: u8 = 5;
/// A small number becomes a larger one.
const PROMOTED: u8 = 4;
/// A number becomes another, an object its base, an array of one type a pointer to anything.
const CONVERTED: u8 = 3;
/// A constructor or an operator of a class comes in between.
const MADE: u8 = 2;
/// It is one of any number of arguments.
const ANY: u8 = 1;
/// It cannot be given.
const NEVER: u8 = 0;

/// The most functions of one name that are told apart.
pub(super) const MAX_CANDIDATES: usize = 100;

impl C {
    /// Returns the functions that a call may mean; one, if the arguments say enough.
    pub(super) fn best(&self, cx: &mut Inference<'_>, candidates: &[SymbolIdx], of: &Arguments<'_>) -> Vec<SymbolIdx> {
        let program = cx.program;
        if candidates.len() > MAX_CANDIDATES {
            return Vec::new();
        }
        let mut left = without_declared(program, candidates);
        // What may be left out is said where a function is declared, not where its body is.
        left.retain(|one| {
            takes(cx, *one, of)
                || candidates.iter().any(|other| {
                    is_declared(program, *other) && takes(cx, *other, of) && same_parameters(program, *one, *other)
                })
        });
        if left.is_empty() {
            return Vec::new();
        }
        if left.len() > 1 {
            let constant: Vec<bool> =
                of.values.iter().map(|value| self.points_at_constant(cx, of.file, *value)).collect();
            let fits: Vec<Vec<Fit>> = left.iter().map(|one| fits(cx, *one, of, &constant)).collect();
            left = undominated(program, &left, &fits);
        }
        let mut left = self.without_twins(program, left, of.file);
        // What every build has is meant rather than what some have.
        let is_everywhere = |one: &SymbolIdx| !program.shape(*one).flags.has(Flags::CONDITIONAL);
        if left.len() > 1 && left.iter().any(is_everywhere) {
            left.retain(is_everywhere);
        }
        left
    }

    /// Of functions with the same parameters, one stays: the first of a file, that can be called on any object; of several
    /// files the one that is nearest, if one is.
    fn without_twins(&self, program: &Program<'_>, found: Vec<SymbolIdx>, file: FileIdx) -> Vec<SymbolIdx> {
        let mut kept: Vec<SymbolIdx> = Vec::new();
        for one in found {
            let is_const = |symbol: SymbolIdx| program.shape(symbol).flags.has(Flags::CONSTANT);
            let twin = kept.iter().position(|other| {
                program.file_of(*other) == program.file_of(one)
                    && program.parent(*other) == program.parent(one)
                    && same_types(program, *other, one)
            });
            match twin {
                Some(index) if is_const(kept[index]) && !is_const(one) => kept[index] = one,
                Some(_) => {}
                None => kept.push(one),
            }
        }
        if kept.len() > 1 && kept[1..].iter().all(|one| same_parameters(program, kept[0], *one)) {
            let here: Vec<SymbolIdx> = kept.iter().copied().filter(|one| program.file_of(*one) == file).collect();
            if here.len() == 1 {
                return here;
            }
            let folder = |symbol: SymbolIdx| crate::paths::folder(program.path(program.file_of(symbol)));
            let own_folder = crate::paths::folder(program.path(file));
            let beside: Vec<SymbolIdx> = kept.iter().copied().filter(|one| folder(*one) == own_folder).collect();
            if beside.len() == 1 {
                return beside;
            }
        }
        kept
    }
}

fn is_declared(program: &Program<'_>, function: SymbolIdx) -> bool {
    program.shape(function).flags.has(Flags::DECLARATION)
}

/// Drops what only declares a function that is among the others with its body.
fn without_declared(program: &Program<'_>, candidates: &[SymbolIdx]) -> Vec<SymbolIdx> {
    candidates
        .iter()
        .copied()
        .filter(|one| {
            !is_declared(program, *one)
                || !candidates
                    .iter()
                    .any(|other| !is_declared(program, *other) && same_parameters(program, *one, *other))
        })
        .collect()
}

/// Says whether a function can be called with these arguments, as far as their number tells.
fn takes(cx: &Inference<'_>, function: SymbolIdx, of: &Arguments<'_>) -> bool {
    let program = cx.program;
    if program.definition(function).kind == SymbolKind::Macro {
        return true;
    }
    let parameters = &program.shape(function).parameters;
    let code = program.code(of.file);
    let is_pack = |value: &ExpressionId| is_pack(program, of.file, code.expression(*value));
    let n_single = of.values.iter().filter(|value| !is_pack(value)).count();
    let has_pack = n_single < of.values.len();
    let n_needed = parameters.iter().filter(|parameter| !parameter.is_optional && !parameter.is_variadic).count();
    let is_variadic = parameters.iter().any(|parameter| parameter.is_variadic);
    (has_pack || n_needed <= n_single) && (is_variadic || n_single <= parameters.len())
}

fn is_pack(program: &Program<'_>, file: FileIdx, expression: &Expression) -> bool {
    match expression {
        Expression::Operation { operator, right: None, .. } => program.text(program.name(file, *operator)) == "...",
        _ => false,
    }
}

/// `constant` says of each argument whether it points at what must stay as it is.
fn fits(cx: &mut Inference<'_>, function: SymbolIdx, of: &Arguments<'_>, constant: &[bool]) -> Vec<Fit> {
    let program = cx.program;
    let shape = program.shape(function);
    let file = program.file_of(function);
    let mut fits = Vec::new();
    for (index, value) in of.values.iter().enumerate() {
        let expression = program.code(of.file).expression(*value);
        let Some(parameter) = parameter_at(&shape.parameters, index) else {
            fits.push(None);
            continue;
        };
        if is_pack(program, of.file, expression) {
            fits.push(None);
            continue;
        }
        let Some(declared) = parameter.declared else {
            fits.push(if parameter.is_variadic { Some(ANY) } else { None });
            continue;
        };
        let expected = cx.written(file, declared);
        let given = cx.type_of(of.file, *value);
        let takes_going = marks::has(program, file, declared, Mark::Going) && !matches!(expected, Ty::Parameter { .. });
        let is_lasting = match expression {
            Expression::Call { callee, .. } if matches!(cx.type_of(of.file, *callee), Ty::Class(_)) => Some(false),
            other => is_lasting(program, of.file, other),
        };
        // A pointer to what must stay is no pointer to what need not.
        let may_change = matches!(expected, Ty::Builtin { name: library::POINTER, .. })
            && !marks::says_const(program, file, declared, true);
        fits.push(match expression {
            _ if may_change && constant[index] => Some(NEVER),
            _ if takes_going && is_lasting == Some(true) => Some(NEVER),
            Expression::List(_) if library::is_number(&expected) => Some(NEVER),
            Expression::List(_) => None,
            _ => match fit(cx, &expected, &given) {
                // What is about to go is rather taken as such.
                Some(EXACT) if takes_going && is_lasting == Some(false) => Some(EXACT + 1),
                Some(EXACT) if may_change => Some(EXACT + 1),
                fit => fit,
            },
        });
    }
    fits
}

/// Says whether a value is there after a call; nothing where only its type tells.
fn is_lasting(program: &Program<'_>, file: FileIdx, value: &Expression) -> Option<bool> {
    match value {
        Expression::Name { .. } | Expression::Member { .. } | Expression::Dereferenced { .. } => Some(true),
        Expression::Element { .. } | Expression::Path { .. } => Some(true),
        Expression::Make { .. } | Expression::Literal(_) => Some(false),
        Expression::Operation { operator, .. } => match program.text(program.name(file, *operator)) {
            "forward" | "..." => None,
            _ => Some(false),
        },
        _ => None,
    }
}

/// Says how well a value of one type fits a parameter of another.
fn fit(cx: &mut Inference<'_>, expected: &Ty, given: &Ty) -> Fit {
    match (expected, given) {
        // `a ? b : 0` is a pointer if `b` is one.
        (expected, Ty::Union(types)) if types.iter().any(library::is_pointer) => {
            let pointer = types.iter().find(|ty| library::is_pointer(ty))?;
            let is_empty = |ty: &Ty| ty == pointer || library::is_number(ty) || library::is_null(ty);
            if types.iter().all(is_empty) { fit(cx, expected, pointer) } else { None }
        }
        (_, Ty::Unknown | Ty::External | Ty::Foreign(_) | Ty::Union(_) | Ty::Parameter { .. }) => None,
        (Ty::Unknown | Ty::External | Ty::Foreign(_), _) => None,
        (Ty::Parameter { .. }, _) => Some(EXACT),
        (expected, given) if expected == given => Some(EXACT),
        (Ty::Object(expected), Ty::Object(given)) if expected.of == given.of => Some(EXACT),
        (Ty::Object(base), Ty::Object(_)) => {
            let base = base.of;
            Some(if cx.as_base(given, base).is_some() {
                CONVERTED
            } else if makes_others(cx, base) || converts(cx, given) {
                MADE
            } else {
                NEVER
            })
        }
        (Ty::Object(applied), _) => Some(if makes_others(cx, applied.of) { MADE } else { NEVER }),
        (expected, Ty::Object(applied)) => {
            let is_enum = cx.program.definition(applied.of).kind == SymbolKind::Enum;
            match (is_enum, library::is_number(expected)) {
                (true, true) => Some(CONVERTED),
                (true, false) => Some(NEVER),
                _ if converts(cx, given) => Some(MADE),
                _ => Some(NEVER),
            }
        }
        (Ty::FunctionType { .. }, Ty::Closure { .. } | Ty::Function { .. }) => Some(CONVERTED),
        (_, Ty::Closure { .. } | Ty::Function { .. }) => Some(NEVER),
        (Ty::Builtin { name: expected, arguments: to }, Ty::Builtin { name: given, arguments: from }) => {
            if *expected == library::POINTER && *given == library::POINTER {
                return points(cx, &to[0], &from[0]);
            }
            library::fit_of_builtins(expected, given).map(|fit| match fit {
                library::Fit::Exact => EXACT,
                library::Fit::Promoted => PROMOTED,
                library::Fit::Converted => CONVERTED,
                library::Fit::Made => MADE,
                library::Fit::Never => NEVER,
            })
        }
        _ => None,
    }
}

fn points(cx: &mut Inference<'_>, expected: &Ty, given: &Ty) -> Fit {
    match (expected, given) {
        (Ty::Parameter { .. }, _) => Some(EXACT),
        (Ty::Builtin { name: "void", .. }, _) => Some(CONVERTED),
        (Ty::Unknown | Ty::External, _) | (_, Ty::Unknown | Ty::External | Ty::Parameter { .. }) => None,
        (Ty::Object(base), Ty::Object(derived)) if base.of != derived.of => {
            Some(if cx.as_base(given, base.of).is_some() { CONVERTED } else { NEVER })
        }
        (expected, given) => Some(if expected == given { EXACT } else { NEVER }),
    }
}

/// Says whether a class can be made of one value of another type.
fn makes_others(cx: &Inference<'_>, class: SymbolIdx) -> bool {
    let program = cx.program;
    let constructors = program.members(class, program.name_of(class));
    constructors.iter().any(|one| {
        let parameters = &program.shape(*one).parameters;
        let n_needed = parameters.iter().filter(|one| !one.is_optional && !one.is_variadic).count();
        n_needed <= 1 && !parameters.is_empty()
    })
}

/// Says whether objects of a class become something else by an operator of theirs.
fn converts(cx: &mut Inference<'_>, object: &Ty) -> bool {
    let (Ty::Object(applied), program) = (object, cx.program) else { return false };
    cx.lineage(&applied.clone()).into_iter().any(|base| {
        let file = program.file_of(base.of);
        let own = program.definition_id(base.of).0;
        let after = &program.facts(file).definitions[own as usize..];
        let end = program.definition(base.of).bytes.end;
        after
            .iter()
            .take_while(|inner| inner.bytes.start < end)
            .any(|inner| inner.parent == Some(own) && inner.name.starts_with("operator "))
    })
}

/// Returns the candidates than which no other is better.
fn undominated(program: &Program<'_>, candidates: &[SymbolIdx], fits: &[Vec<Fit>]) -> Vec<SymbolIdx> {
    let possible: Vec<usize> = (0..candidates.len()).filter(|one| !fits[*one].contains(&Some(NEVER))).collect();
    // Where none fits, the types are not what they seem.
    let possible = if possible.is_empty() { (0..candidates.len()).collect() } else { possible };
    let is_better = |a: usize, b: usize| {
        // Nothing fits better than what fits as it is.
        let is_exact = |one: usize| fits[one].iter().all(|fit| fit.is_some_and(|fit| fit >= EXACT));
        if is_exact(a) && fits[b].contains(&None) {
            return true;
        }
        let pairs = || fits[a].iter().zip(&fits[b]).filter_map(|(a, b)| Some(((*a)?, (*b)?)));
        if !pairs().all(|(a, b)| a >= b) {
            return false;
        }
        if pairs().any(|(a, b)| a > b) {
            return true;
        }
        // A tie is broken only if all is known, or nothing differs.
        let all_known = fits[a].iter().chain(&fits[b]).all(Option::is_some);
        all_known && rank(program, candidates[a]) > rank(program, candidates[b])
    };
    let best = possible.iter().copied().filter(|one| !possible.iter().any(|other| is_better(*other, *one)));
    best.map(|one| candidates[one]).collect()
}

/// Of two functions that fit as well the one is meant that is no template, that takes no other arguments, and whose
/// parameters say more.
fn rank(program: &Program<'_>, of: SymbolIdx) -> (bool, bool, usize) {
    let shape = program.shape(of);
    let file = program.file_of(of);
    let is_plain = |parameter: &&Parameter| {
        let code = program.code(file);
        let Some(declared) = parameter.declared else { return false };
        match code.written(marks::unmarked(program, file, declared)) {
            TypeExpression::Named { path, arguments, .. } if path.len() == 1 && arguments.is_empty() => {
                !shape.type_parameters.iter().any(|one| one.name == path[0])
            }
            _ => true,
        }
    };
    let is_variadic = shape.parameters.iter().any(|parameter| parameter.is_variadic);
    (shape.type_parameters.is_empty(), !is_variadic, shape.parameters.iter().filter(is_plain).count())
}

/// Says whether two functions have parameters that are written alike. In C their number says it all.
pub(super) fn same_parameters(program: &Program<'_>, a: SymbolIdx, b: SymbolIdx) -> bool {
    let is_const = |one: SymbolIdx| program.shape(one).flags.has(Flags::CONSTANT);
    is_const(a) == is_const(b) && same_types(program, a, b)
}

/// Says the same of functions of which one may be for objects that stay as they are.
pub(super) fn same_types(program: &Program<'_>, a: SymbolIdx, b: SymbolIdx) -> bool {
    let (file_a, file_b) = (program.file_of(a), program.file_of(b));
    let (a, b) = (&program.shape(a).parameters, &program.shape(b).parameters);
    let is_c = |file| program.language(file) == model::Language::C;
    if is_c(file_a) && is_c(file_b) {
        // `f()` and the functions of old say nothing of their parameters.
        return a.len() == b.len() || a.is_empty() || b.is_empty();
    }
    a.len() == b.len()
        && a.iter().zip(b.iter()).all(|(a, b)| match (a.declared, b.declared) {
            (Some(a), Some(b)) => {
                let is_going = |file, of| marks::has(program, file, of, Mark::Going);
                let (plain_a, plain_b) = (marks::unmarked(program, file_a, a), marks::unmarked(program, file_b, b));
                is_going(file_a, a) == is_going(file_b, b)
                    && same_type(program, (file_a, plain_a), (file_b, plain_b), 0)
            }
            _ => true,
        })
}

/// Says whether two types are written alike, but for what stands before their names.
fn same_type(program: &Program<'_>, a: (FileIdx, TypeId), b: (FileIdx, TypeId), depth: u32) -> bool {
    use TypeExpression::*;
    if depth > 8 {
        return true;
    }
    let inner = |one: TypeId, other: TypeId| same_type(program, (a.0, one), (b.0, other), depth + 1);
    match (program.code(a.0).written(a.1), program.code(b.0).written(b.1)) {
        (Pointer(x) | List(x), Pointer(y) | List(y)) => inner(*x, *y),
        (Pointer(_) | List(_), Named { .. }) | (Named { .. }, Pointer(_) | List(_)) => false,
        (Named { path: x, arguments: of_x, .. }, Named { path: y, arguments: of_y, .. }) => {
            let last = |file, path: &[model::code::NameId]| path.last().map(|name| program.name(file, *name));
            last(a.0, x) == last(b.0, y)
                && (of_x.len() != of_y.len() || of_x.iter().zip(of_y.iter()).all(|(x, y)| inner(*x, *y)))
        }
        (Member { name: x, .. }, Member { name: y, .. }) => program.name(a.0, *x) == program.name(b.0, *y),
        _ => true,
    }
}
