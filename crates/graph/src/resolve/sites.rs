//! Calls: which definition a call names.

use model::{
    SymbolKind,
    code::{Expression, ExpressionId, Flags, ScopeId},
};

use super::{Edge, Node};
use crate::{
    edge::{EdgeKind, Resolution},
    infer::{Arguments, Inference},
    names::Name,
    program::{FileIdx, Program, SymbolIdx},
    ty::Ty,
};

/// The most definitions that one call may mean; of more none is worth an edge.
const MAX_TARGETS: usize = 6;

/// Adds the edges of every call in a file; returns how many calls have no target.
pub(super) fn calls(cx: &mut Inference<'_>, file: FileIdx, edges: &mut Vec<Edge>) -> u32 {
    let program = cx.program;
    let mut n_unresolved = 0;
    for site in &program.code(file).sites {
        let mut targets = targets(cx, file, site.expression);
        cx.dialect(file).judge(cx, file, site, &mut targets);
        n_unresolved += u32::from(targets.is_empty());
        let from = caller(program, file, site.scope);
        let calls_macros = cx.dialect(file).calls_macros();
        edges.extend(targets.into_iter().map(|(to, resolution)| {
            let is_expanded = !calls_macros && program.definition(to).kind == SymbolKind::Macro;
            let kind = if is_expanded { EdgeKind::References } else { EdgeKind::Calls };
            Edge { from, to: Node::Symbol(to), kind, resolution, line: site.line, n_sites: 1 }
        }));
    }
    n_unresolved
}

/// Returns the innermost function around a scope that has a name; the file where there is none.
fn caller(program: &Program<'_>, file: FileIdx, scope: ScopeId) -> Node {
    let mut at = program.code(file).definition_around(scope).map(|definition| program.symbol(file, definition));
    // A definition around another of the same file is never deeper than there are definitions.
    while let Some(symbol) = at {
        let definition = program.definition(symbol);
        let has_name =
            !program.shape(symbol).flags.has(Flags::UNNAMED) && program.dialect(file).is_caller(program, symbol);
        if crate::infer::is_function(definition.kind) && has_name {
            return Node::Symbol(symbol);
        }
        at = definition.parent.map(|parent| program.symbol(file, model::code::DefinitionId(parent)));
    }
    Node::File(file)
}

/// Returns the definitions that a call may mean, with how each was found.
fn targets(cx: &mut Inference<'_>, file: FileIdx, site: ExpressionId) -> Vec<(SymbolIdx, Resolution)> {
    let program = cx.program;
    match program.code(file).expression(site) {
        Expression::Call { callee, type_arguments, arguments } => {
            let arguments = Arguments { file, types: type_arguments, values: arguments };
            let own = cx.dialect(file).callee(cx, file, site);
            let of = own.unwrap_or_else(|| cx.type_of(file, *callee));
            let found = called(cx, &of, &arguments);
            if found.is_empty() && of.is_unknown() {
                return by_name(cx, file, *callee);
            }
            let is_member =
                matches!(program.code(file).expression(*callee), Expression::Member { .. } | Expression::Path { .. });
            let mut rated = rated(cx, file, found, is_member);
            let dialect = cx.dialect(file);
            for (to, resolution) in &mut rated {
                if !dialect.is_named_by(cx, file, *callee, *to) {
                    *resolution = Resolution::Ambiguous;
                }
            }
            rated
        }
        Expression::Make { made, arguments } => {
            let arguments = Arguments { file, types: &[], values: arguments };
            let own = cx.dialect(file).callee(cx, file, site);
            let of = own.unwrap_or_else(|| crate::infer::as_class(cx.written(file, *made)));
            let found = called(cx, &of, &arguments);
            rated(cx, file, found, false)
        }
        // A property that is read, a component that is named: a call without a sign.
        _ => {
            let value = cx.type_of_named(file, site);
            let found: Vec<Found> = value
                .into_iter()
                .filter(|symbol| {
                    let is_property = program.shape(*symbol).flags.has(Flags::PROPERTY);
                    is_property || program.definition(*symbol).kind == SymbolKind::Function
                })
                .map(|to| Found { to, receiver: None, is_made: false })
                .collect();
            rated(cx, file, found, true)
        }
    }
}

/// A definition that a call may mean.
struct Found {
    to: SymbolIdx,
    /// The type that it was asked of.
    receiver: Option<SymbolIdx>,
    is_made: bool,
}

/// Returns the definitions that a callee of this type may mean.
fn called(cx: &mut Inference<'_>, callee: &Ty, arguments: &Arguments<'_>) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for ty in callee.alternatives() {
        match ty {
            Ty::Function { candidates, receiver } => {
                let receiver = receiver.as_deref().and_then(type_symbol);
                let chosen = cx.chosen(candidates, arguments);
                found.extend(chosen.into_iter().map(|to| Found { to, receiver, is_made: false }));
            }
            Ty::Class(applied) => {
                let dialect = cx.dialect(cx.program.file_of(applied.of));
                let constructors = dialect.constructors(cx, applied.of);
                let chosen = cx.chosen(&constructors, arguments);
                found.extend(chosen.into_iter().map(|to| Found { to, receiver: None, is_made: true }));
            }
            Ty::Object(applied) => {
                let members = cx.dialect(arguments.file).call_members(cx, ty);
                let chosen = cx.chosen(&members, arguments);
                let receiver = Some(applied.of);
                found.extend(chosen.into_iter().map(|to| Found { to, receiver, is_made: false }));
            }
            Ty::Intersection(parts) => {
                let parts = parts.iter().map(|part| called(cx, part, arguments));
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

fn type_symbol(ty: &Ty) -> Option<SymbolIdx> {
    match ty {
        Ty::Object(applied) | Ty::Class(applied) => Some(applied.of),
        Ty::Parameter { of, .. } => Some(*of),
        _ => None,
    }
}

/// Says how each was found. Several are possibilities, unless one is as good as the other: an overload of the same type.
fn rated(cx: &mut Inference<'_>, file: FileIdx, found: Vec<Found>, is_member: bool) -> Vec<(SymbolIdx, Resolution)> {
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
                Found { is_made: true, .. } => Resolution::Construct,
                Found { receiver: Some(receiver), to, .. } if program.parent(to) != Some(receiver) => {
                    Resolution::Inherited
                }
                Found { receiver: Some(_), .. } => Resolution::Receiver,
                Found { to, .. } if program.file_of(to) == file => Resolution::Scope,
                _ if is_member => Resolution::Receiver,
                _ => Resolution::Import,
            };
            cx.consult(program.file_of(one.to));
            (one.to, resolution)
        })
        .collect()
}

/// Binds a callee of which nothing is known by its name alone, where the language allows it.
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
