//! Calls: the definitions that a call may invoke.

use model::{
    SymbolKind,
    code::{DefinitionId, Expression, ExpressionId, Flags, ScopeId, TypeExpression},
};

use super::{Edge, UncertainCall};
use crate::{
    edge::{CERTAIN, EdgeKind, Resolution},
    family::Family,
    infer::{CallArguments, Inference},
    names::Name,
    program::{FileIdx, Node, Program, SymbolIdx},
    ty::Ty,
};

/// Maximum number of targets of one call. A call with more gets no edge.
pub(super) const MAX_TARGETS: usize = 6;

/// Adds the edges of every call in a file; returns the calls whose target is not known or only guessed.
pub(super) fn calls(cx: &mut Inference<'_>, file: FileIdx, edges: &mut Vec<Edge>) -> Vec<UncertainCall> {
    let program = cx.program;
    let mut unresolved = Vec::new();
    if !Family::of(program.language(file)).has_inference() {
        return unresolved;
    }
    for site in &program.code(file).sites {
        let mut targets = targets(cx, file, site.expression);
        cx.dialect(file).revise_targets(cx, file, site, &mut targets);
        let is_guess = |(_, resolution): &(SymbolIdx, Resolution)| {
            *resolution == Resolution::UniqueName || resolution.confidence() < CERTAIN
        };
        // A call through a variable has one target of low confidence, which is known.
        let is_through_variable = matches!(targets.as_slice(), [(_, Resolution::Ambiguous)]);
        let has_no_target = targets.is_empty() && is_of_unknown_type(cx, file, site.expression);
        if has_no_target || !targets.is_empty() && targets.iter().all(is_guess) && !is_through_variable {
            let name = callee_name(program, file, site.expression);
            let targets = targets.clone();
            unresolved.push(UncertainCall { name, line: site.line, site: site.expression, targets });
        }
        let from = caller(cx, file, site.scope);
        let calls_macros = cx.dialect(file).calls_macros();
        edges.extend(targets.into_iter().map(|(to, resolution)| {
            let is_expanded = !calls_macros && program.definition(to).kind == SymbolKind::Macro;
            let kind = if is_expanded { EdgeKind::References } else { EdgeKind::Calls };
            Edge { from, to: Node::Symbol(to), kind, resolution, line: site.line, n_sites: 1 }
        }));
    }
    unresolved
}

/// Returns true if nothing is known of the callee of a call: neither its type, nor that of the object whose member it is. Other
/// calls without a target are known to leave the program.
fn is_of_unknown_type(cx: &mut Inference<'_>, file: FileIdx, site: ExpressionId) -> bool {
    let code = cx.program.code(file);
    match code.expression(site) {
        Expression::Call { callee, .. } => match code.expression(*callee) {
            Expression::Member { of, .. } | Expression::Path { of, .. } => {
                let is_unknown = cx.type_of(file, *callee).is_unknown();
                let of = cx.type_of(file, *of);
                is_unknown && (of.is_unknown() || cx.dialect(file).may_be_replaced(&of))
            }
            _ => cx.type_of(file, *callee).is_unknown(),
        },
        Expression::Make { made, .. } => cx.written_type(file, *made).is_unknown(),
        // The read of a member is a call only if the member is a property.
        _ => false,
    }
}

/// Returns the name of the callee of a call.
pub(super) fn callee_name(program: &Program<'_>, file: FileIdx, site: ExpressionId) -> Name {
    let code = program.code(file);
    let named = |expression: &Expression| match expression {
        Expression::Name { name, .. } | Expression::Member { name, .. } | Expression::Path { name, .. } => Some(*name),
        _ => None,
    };
    let name = match code.expression(site) {
        Expression::Call { callee, .. } => named(code.expression(*callee)),
        Expression::Make { made, .. } => match code.types.get(made.index()) {
            Some(TypeExpression::Named { path, .. }) => path.last().copied(),
            _ => None,
        },
        other => named(other),
    };
    name.map_or(Name::NONE, |name| program.name(file, name))
}

/// Returns the innermost named function that contains a scope; otherwise the file.
pub(super) fn caller(cx: &Inference<'_>, file: FileIdx, scope: ScopeId) -> Node {
    calling_function(cx, file, cx.program.code(file).definition_around(scope))
}

/// Returns the innermost named function that is or contains a definition; otherwise the file.
pub(super) fn calling_function(cx: &Inference<'_>, file: FileIdx, definition: Option<DefinitionId>) -> Node {
    let program = cx.program;
    let mut at = definition.map(|definition| program.symbol(file, definition));
    // Parents of definitions form a finite chain within the file.
    while let Some(symbol) = at {
        let definition = program.definition(symbol);
        let has_name = !program.shape(symbol).flags.has(Flags::UNNAMED) && cx.dialect(file).is_caller(program, symbol);
        if crate::infer::is_function(definition.kind) && has_name {
            return Node::Symbol(symbol);
        }
        at = definition.parent.map(|parent| program.symbol(file, DefinitionId(parent)));
    }
    Node::File(file)
}

/// Returns the definitions that a call may invoke, with the way in which each was found.
fn targets(cx: &mut Inference<'_>, file: FileIdx, site: ExpressionId) -> Vec<(SymbolIdx, Resolution)> {
    let program = cx.program;
    match program.code(file).expression(site) {
        Expression::Call { callee, type_arguments, arguments } => {
            let arguments = CallArguments { file, types: type_arguments, values: arguments };
            let own = cx.dialect(file).callee(cx, file, site);
            let of = own.unwrap_or_else(|| cx.type_of(file, *callee));
            let found = call_targets(cx, &of, &arguments);
            if found.is_empty() && of.is_unknown() {
                return by_name(cx, file, *callee);
            }
            let is_member =
                matches!(program.code(file).expression(*callee), Expression::Member { .. } | Expression::Path { .. });
            let mut rated = rate(cx, file, found, is_member);
            let dialect = cx.dialect(file);
            for (to, resolution) in &mut rated {
                if !dialect.is_named_by(cx, file, *callee, *to) {
                    *resolution = Resolution::Ambiguous;
                }
            }
            rated
        }
        Expression::Make { made, arguments } => {
            let arguments = CallArguments { file, types: &[], values: arguments };
            let own = cx.dialect(file).callee(cx, file, site);
            let of = own.unwrap_or_else(|| crate::infer::as_class(cx.written_type(file, *made)));
            let found = call_targets(cx, &of, &arguments);
            rate(cx, file, found, false)
        }
        // A property that is read, or a component that is named, is called without call syntax.
        _ => {
            let value = cx.type_of_named(file, site);
            let found: Vec<SiteTarget> = value
                .into_iter()
                .filter(|symbol| {
                    let is_property = program.shape(*symbol).flags.has(Flags::PROPERTY);
                    is_property || program.definition(*symbol).kind == SymbolKind::Function
                })
                .map(|to| SiteTarget { to, receiver: None, is_construction: false })
                .collect();
            rate(cx, file, found, true)
        }
    }
}

/// A definition that a call may invoke.
struct SiteTarget {
    to: SymbolIdx,
    /// The receiver type.
    receiver: Option<SymbolIdx>,
    is_construction: bool,
}

/// Returns the definitions that a call of a callee of this type may invoke.
fn call_targets(cx: &mut Inference<'_>, callee: &Ty, arguments: &CallArguments<'_>) -> Vec<SiteTarget> {
    let mut found: Vec<SiteTarget> = Vec::new();
    for ty in callee.alternatives() {
        match ty {
            Ty::Function { candidates, receiver } => {
                let receiver = receiver.as_deref().and_then(type_symbol);
                let chosen = cx.choose_overloads(candidates, arguments);
                found.extend(chosen.into_iter().map(|to| SiteTarget { to, receiver, is_construction: false }));
            }
            Ty::Class(applied) => {
                let dialect = cx.dialect(cx.program.file_of(applied.of));
                let constructors = dialect.constructors(cx, applied.of);
                let chosen = cx.choose_overloads(&constructors, arguments);
                found.extend(chosen.into_iter().map(|to| SiteTarget { to, receiver: None, is_construction: true }));
            }
            Ty::Object(applied) => {
                let members = cx.dialect(arguments.file).call_members(cx, ty);
                let chosen = cx.choose_overloads(&members, arguments);
                let receiver = Some(applied.of);
                found.extend(chosen.into_iter().map(|to| SiteTarget { to, receiver, is_construction: false }));
            }
            Ty::Intersection(parts) => {
                let parts = parts.iter().map(|part| call_targets(cx, part, arguments));
                found.extend(parts.into_iter().find(|found| !found.is_empty()).unwrap_or_default());
            }
            _ => {}
        }
    }
    let mut seen = Vec::new();
    found.retain(|one| {
        let is_new = !seen.contains(&one.to);
        seen.push(one.to);
        is_new
    });
    found
}

pub(super) fn type_symbol(ty: &Ty) -> Option<SymbolIdx> {
    match ty {
        Ty::Object(applied) | Ty::Class(applied) => Some(applied.of),
        Ty::Parameter { of, .. } => Some(*of),
        _ => None,
    }
}

/// Adds the way in which each target was found. Each of several targets is ambiguous.
fn rate(
    cx: &mut Inference<'_>,
    file: FileIdx,
    found: Vec<SiteTarget>,
    is_member: bool,
) -> Vec<(SymbolIdx, Resolution)> {
    if found.len() > MAX_TARGETS {
        return Vec::new();
    }
    let program = cx.program;
    let is_one = found.len() == 1;
    found
        .into_iter()
        .map(|one| {
            let resolution = match one {
                _ if !is_one => Resolution::Ambiguous,
                SiteTarget { is_construction: true, .. } => Resolution::Construct,
                SiteTarget { receiver: Some(receiver), to, .. } if program.parent(to) != Some(receiver) => {
                    Resolution::Inherited
                }
                SiteTarget { receiver: Some(_), .. } => Resolution::Receiver,
                SiteTarget { to, .. } if program.file_of(to) == file => Resolution::Scope,
                _ if is_member => Resolution::Receiver,
                _ => Resolution::Import,
            };
            cx.consult(program.file_of(one.to));
            (one.to, resolution)
        })
        .collect()
}

/// Binds an unknown callee by its name alone, if the language allows it.
fn by_name(cx: &mut Inference<'_>, file: FileIdx, callee: ExpressionId) -> Vec<(SymbolIdx, Resolution)> {
    let code = cx.program.code(file);
    let (name, is_member) = match code.expression(callee) {
        Expression::Name { name, .. } => (*name, false),
        Expression::Member { name, .. } | Expression::Path { name, .. } => (*name, true),
        _ => return Vec::new(),
    };
    let name: Name = cx.program.name(file, name);
    let found = cx.dialect(file).by_name_alone(cx, file, name, is_member);
    let resolution = if found.len() == 1 { Resolution::UniqueName } else { Resolution::Ambiguous };
    if found.len() > MAX_TARGETS { Vec::new() } else { found.into_iter().map(|to| (to, resolution)).collect() }
}
