//! Overload resolution: by number of arguments, then by conversion rank of each argument.

use model::{
    SymbolKind,
    code::{Expression, ExpressionId, Flags, Parameter, TypeExpression},
};

use super::{
    CDialect,
    conversions::ConversionRank,
    qualifiers::{self, Qualifier},
    signatures::{MAX_CANDIDATES, same_parameters, same_types},
    standard_library,
};
use crate::{
    infer::{CallArguments, Inference, parameter_at},
    program::{FileIdx, Program, SymbolIdx},
    ty::Ty,
};

/// Conversion rank of an argument, or none if its type is unknown.
type ArgumentRank = Option<ConversionRank>;

impl CDialect {
    /// Returns the overloads that a call may select; one if the argument types decide.
    pub(super) fn select_overloads(
        &self,
        cx: &mut Inference<'_>,
        candidates: &[SymbolIdx],
        of: &CallArguments<'_>,
    ) -> Vec<SymbolIdx> {
        let program = cx.program;
        if candidates.len() > MAX_CANDIDATES {
            return Vec::new();
        }
        let mut remaining = without_redeclarations(program, candidates);
        // Default arguments are part of the declaration, not of the definition.
        remaining.retain(|one| {
            accepts_count(cx, *one, of)
                || candidates.iter().any(|other| {
                    is_declaration(program, *other)
                        && accepts_count(cx, *other, of)
                        && same_parameters(program, *one, *other)
                })
        });
        if remaining.is_empty() {
            return Vec::new();
        }
        if remaining.len() > 1 {
            let constant: Vec<bool> =
                of.values.iter().map(|value| self.is_pointer_to_const(cx, of.file, *value)).collect();
            let ranks: Vec<Vec<ArgumentRank>> =
                remaining.iter().map(|one| rank_arguments(cx, *one, of, &constant)).collect();
            remaining = best_candidates(program, &remaining, &ranks);
        }
        let mut remaining = self.deduplicate(program, remaining, of.file);
        // Prefers definitions that exist in every build over conditional ones.
        let is_everywhere = |one: &SymbolIdx| !program.shape(*one).flags.has(Flags::CONDITIONAL);
        if remaining.len() > 1 && remaining.iter().any(is_everywhere) {
            remaining.retain(is_everywhere);
        }
        remaining
    }

    /// Deduplicates functions with equal parameters. Within a file keeps the first, preferring a non-const one. Over
    /// several files keeps the one of the calling file or of its folder, if that is unique.
    fn deduplicate(&self, program: &Program<'_>, found: Vec<SymbolIdx>, file: FileIdx) -> Vec<SymbolIdx> {
        let mut distinct: Vec<SymbolIdx> = Vec::new();
        for one in found {
            let is_const = |symbol: SymbolIdx| program.shape(symbol).flags.has(Flags::CONSTANT);
            let duplicate = distinct.iter().position(|other| {
                program.file_of(*other) == program.file_of(one)
                    && program.parent(*other) == program.parent(one)
                    && same_types(program, *other, one)
            });
            match duplicate {
                Some(index) if is_const(distinct[index]) && !is_const(one) => distinct[index] = one,
                Some(_) => {}
                None => distinct.push(one),
            }
        }
        if distinct.len() > 1 && distinct[1..].iter().all(|one| same_parameters(program, distinct[0], *one)) {
            let in_file: Vec<SymbolIdx> =
                distinct.iter().copied().filter(|one| program.file_of(*one) == file).collect();
            if in_file.len() == 1 {
                return in_file;
            }
            let folder = |symbol: SymbolIdx| crate::paths::folder(program.path(program.file_of(symbol)));
            let own_folder = crate::paths::folder(program.path(file));
            let in_folder: Vec<SymbolIdx> = distinct.iter().copied().filter(|one| folder(*one) == own_folder).collect();
            if in_folder.len() == 1 {
                return in_folder;
            }
        }
        distinct
    }
}

fn is_declaration(program: &Program<'_>, function: SymbolIdx) -> bool {
    program.shape(function).flags.has(Flags::DECLARATION)
}

/// Drops the declarations of functions whose definition is among the candidates.
fn without_redeclarations(program: &Program<'_>, candidates: &[SymbolIdx]) -> Vec<SymbolIdx> {
    candidates
        .iter()
        .copied()
        .filter(|one| {
            !is_declaration(program, *one)
                || !candidates
                    .iter()
                    .any(|other| !is_declaration(program, *other) && same_parameters(program, *one, *other))
        })
        .collect()
}

/// Returns true if a function accepts this number of arguments.
fn accepts_count(cx: &Inference<'_>, function: SymbolIdx, of: &CallArguments<'_>) -> bool {
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

/// Returns true for a parameter pack expansion (`arguments...`).
fn is_pack(program: &Program<'_>, file: FileIdx, expression: &Expression) -> bool {
    match expression {
        Expression::Operation { operator, right: None, .. } => program.text(program.name(file, *operator)) == "...",
        _ => false,
    }
}

/// Ranks the conversion of each argument to its parameter. `constant` is true for each argument that is a pointer to const.
fn rank_arguments(
    cx: &mut Inference<'_>,
    function: SymbolIdx,
    of: &CallArguments<'_>,
    constant: &[bool],
) -> Vec<ArgumentRank> {
    let program = cx.program;
    let shape = program.shape(function);
    let file = program.file_of(function);
    let mut ranks = Vec::new();
    for (index, value) in of.values.iter().enumerate() {
        let expression = program.code(of.file).expression(*value);
        let Some(parameter) = parameter_at(&shape.parameters, index) else {
            ranks.push(None);
            continue;
        };
        if is_pack(program, of.file, expression) {
            ranks.push(None);
            continue;
        }
        let Some(declared) = parameter.declared else {
            ranks.push(if parameter.is_variadic { Some(ConversionRank::Ellipsis) } else { None });
            continue;
        };
        let expected = cx.written_type(file, declared);
        let actual = cx.type_of(of.file, *value);
        let takes_rvalue = qualifiers::has_qualifier(program, file, declared, Qualifier::RvalueReference)
            && !matches!(expected, Ty::Parameter { .. });
        let is_lvalue = match expression {
            Expression::Call { callee, .. } if matches!(cx.type_of(of.file, *callee), Ty::Class(_)) => Some(false),
            other => is_lvalue(program, of.file, other),
        };
        // A pointer to const does not convert to a pointer to non-const.
        let may_change = matches!(expected, Ty::Builtin { name: standard_library::POINTER, .. })
            && !qualifiers::is_const_type(program, file, declared, true);
        ranks.push(match expression {
            _ if may_change && constant[index] => Some(ConversionRank::Impossible),
            _ if takes_rvalue && is_lvalue == Some(true) => Some(ConversionRank::Impossible),
            Expression::List(_) if standard_library::is_number(&expected) => Some(ConversionRank::Impossible),
            Expression::List(_) => None,
            _ => match rank_conversion(cx, &expected, &actual) {
                // An rvalue prefers an rvalue reference parameter.
                Some(ConversionRank::Exact) if takes_rvalue && is_lvalue == Some(false) => {
                    Some(ConversionRank::ExactPreferred)
                }
                Some(ConversionRank::Exact) if may_change => Some(ConversionRank::ExactPreferred),
                rank => rank,
            },
        });
    }
    ranks
}

/// Returns true for an lvalue, false for an rvalue, and none if the value category is unknown.
fn is_lvalue(program: &Program<'_>, file: FileIdx, value: &Expression) -> Option<bool> {
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

/// Ranks the conversion of a value of one type to a parameter of another.
fn rank_conversion(cx: &mut Inference<'_>, expected: &Ty, actual: &Ty) -> ArgumentRank {
    match (expected, actual) {
        // `a ? b : 0` is a pointer if `b` is one.
        (expected, Ty::Union(types)) if types.iter().any(standard_library::is_pointer) => {
            let pointer = types.iter().find(|ty| standard_library::is_pointer(ty))?;
            let is_empty = |ty: &Ty| ty == pointer || standard_library::is_number(ty) || standard_library::is_null(ty);
            if types.iter().all(is_empty) { rank_conversion(cx, expected, pointer) } else { None }
        }
        (_, Ty::Unknown | Ty::External | Ty::Foreign(_) | Ty::Union(_) | Ty::Parameter { .. }) => None,
        (Ty::Unknown | Ty::External | Ty::Foreign(_), _) => None,
        (Ty::Parameter { .. }, _) => Some(ConversionRank::Exact),
        (expected, actual) if expected == actual => Some(ConversionRank::Exact),
        (Ty::Object(expected), Ty::Object(actual)) if expected.of == actual.of => Some(ConversionRank::Exact),
        (Ty::Object(base), Ty::Object(_)) => {
            let base = base.of;
            Some(if cx.as_base(actual, base).is_some() {
                ConversionRank::Conversion
            } else if has_converting_constructor(cx, base) || has_conversion_operator(cx, actual) {
                ConversionRank::UserDefined
            } else {
                ConversionRank::Impossible
            })
        }
        (Ty::Object(applied), _) => Some(if has_converting_constructor(cx, applied.of) {
            ConversionRank::UserDefined
        } else {
            ConversionRank::Impossible
        }),
        (expected, Ty::Object(applied)) => {
            let is_enum = cx.program.definition(applied.of).kind == SymbolKind::Enum;
            match (is_enum, standard_library::is_number(expected)) {
                (true, true) => Some(ConversionRank::Conversion),
                (true, false) => Some(ConversionRank::Impossible),
                _ if has_conversion_operator(cx, actual) => Some(ConversionRank::UserDefined),
                _ => Some(ConversionRank::Impossible),
            }
        }
        (Ty::FunctionType { .. }, Ty::Closure { .. } | Ty::Function { .. }) => Some(ConversionRank::Conversion),
        (_, Ty::Closure { .. } | Ty::Function { .. }) => Some(ConversionRank::Impossible),
        (Ty::Builtin { name: expected, arguments: to }, Ty::Builtin { name: actual, arguments: from }) => {
            if *expected == standard_library::POINTER && *actual == standard_library::POINTER {
                return rank_pointer_conversion(cx, &to[0], &from[0]);
            }
            standard_library::rank_builtin_conversion(expected, actual)
        }
        _ => None,
    }
}

/// Ranks the conversion between two pointers by the types that they point to.
fn rank_pointer_conversion(cx: &mut Inference<'_>, expected: &Ty, actual: &Ty) -> ArgumentRank {
    match (expected, actual) {
        (Ty::Parameter { .. }, _) => Some(ConversionRank::Exact),
        (Ty::Builtin { name: "void", .. }, _) => Some(ConversionRank::Conversion),
        (Ty::Unknown | Ty::External, _) | (_, Ty::Unknown | Ty::External | Ty::Parameter { .. }) => None,
        (Ty::Object(base), Ty::Object(derived)) if base.of != derived.of => {
            Some(if cx.as_base(actual, base.of).is_some() {
                ConversionRank::Conversion
            } else {
                ConversionRank::Impossible
            })
        }
        (expected, actual) => Some(if expected == actual { ConversionRank::Exact } else { ConversionRank::Impossible }),
    }
}

/// Returns true if a class has a converting constructor (callable with one argument).
fn has_converting_constructor(cx: &Inference<'_>, class: SymbolIdx) -> bool {
    let program = cx.program;
    let constructors = program.members(class, program.name_of(class));
    constructors.iter().any(|one| {
        let parameters = &program.shape(*one).parameters;
        let n_needed = parameters.iter().filter(|one| !one.is_optional && !one.is_variadic).count();
        n_needed <= 1 && !parameters.is_empty()
    })
}

/// Returns true if a class or one of its bases has a conversion operator.
fn has_conversion_operator(cx: &mut Inference<'_>, object: &Ty) -> bool {
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

/// Returns the candidates for which no other candidate is better.
fn best_candidates(program: &Program<'_>, candidates: &[SymbolIdx], ranks: &[Vec<ArgumentRank>]) -> Vec<SymbolIdx> {
    let possible: Vec<usize> =
        (0..candidates.len()).filter(|one| !ranks[*one].contains(&Some(ConversionRank::Impossible))).collect();
    // If no candidate is viable, the inferred types are wrong: all candidates stay.
    let possible = if possible.is_empty() { (0..candidates.len()).collect() } else { possible };
    let is_better = |a: usize, b: usize| {
        // A candidate that matches exactly beats any candidate with unknown ranks.
        let is_exact =
            |one: usize| ranks[one].iter().all(|rank| rank.is_some_and(|rank| rank >= ConversionRank::Exact));
        if is_exact(a) && ranks[b].contains(&None) {
            return true;
        }
        let pairs = || ranks[a].iter().zip(&ranks[b]).filter_map(|(a, b)| Some(((*a)?, (*b)?)));
        if !pairs().all(|(a, b)| a >= b) {
            return false;
        }
        if pairs().any(|(a, b)| a > b) {
            return true;
        }
        // A tie is broken only if all ranks are known, or all are equal.
        let all_known = ranks[a].iter().chain(&ranks[b]).all(Option::is_some);
        all_known && specificity(program, candidates[a]) > specificity(program, candidates[b])
    };
    let best = possible.iter().copied().filter(|one| !possible.iter().any(|other| is_better(*other, *one)));
    best.map(|one| candidates[one]).collect()
}

/// Tie-break rank: prefers non-templates, then functions without variadic parameters, then parameters of more specific
/// types.
fn specificity(program: &Program<'_>, of: SymbolIdx) -> (bool, bool, usize) {
    let shape = program.shape(of);
    let file = program.file_of(of);
    let is_plain = |parameter: &&Parameter| {
        let code = program.code(file);
        let Some(declared) = parameter.declared else { return false };
        match code.written(qualifiers::unqualified(program, file, declared)) {
            TypeExpression::Named { path, arguments, .. } if path.len() == 1 && arguments.is_empty() => {
                !shape.type_parameters.iter().any(|one| one.name == path[0])
            }
            _ => true,
        }
    };
    let is_variadic = shape.parameters.iter().any(|parameter| parameter.is_variadic);
    (shape.type_parameters.is_empty(), !is_variadic, shape.parameters.iter().filter(is_plain).count())
}
