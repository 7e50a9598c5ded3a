//! Calls whose target is not known: the name that they may mean, and their arguments.

use model::code::{Expression, ExpressionId};

use super::{CalleeForm, GivenArguments, UncertainCall, UnresolvedCall};
use crate::{edge::Resolution, family::Family, infer::Inference, names::Name, program::FileIdx, ty::Ty};

/// Maximum number of variables and imports between the callee of a call and the name that it means.
const MAX_ALIASES: usize = 8;

/// Returns the details of a call whose target is not known.
pub(super) fn unresolved_call(cx: &mut Inference<'_>, file: FileIdx, call: &UncertainCall) -> UnresolvedCall {
    let UncertainCall { name, line, site, ref targets } = *call;
    let code = cx.program.code(file);
    let (meant, arguments) = match code.expression(site) {
        Expression::Call { callee, arguments, .. } => {
            // Most calls mean names that only libraries have. Their arguments tell nothing.
            let meant = meant_name(cx, file, *callee).filter(|(name, _)| !cx.program.named(*name).is_empty());
            let arguments = meant.map_or_else(GivenArguments::unknown, |_| given_arguments(cx, file, arguments));
            (meant, arguments)
        }
        Expression::Make { arguments, .. } => {
            let made = imported_name(cx, file, name).unwrap_or(name);
            (Some((made, CalleeForm::Bare)), given_arguments(cx, file, arguments))
        }
        // The read of a property has no arguments.
        Expression::Member { .. } => (Some((name, CalleeForm::Member)), GivenArguments::unknown()),
        _ => (Some((name, CalleeForm::Bare)), GivenArguments::unknown()),
    };
    let (callee, form) = meant.unwrap_or((Name::NONE, CalleeForm::Bare));
    // A name alone is no evidence against other definitions of the name.
    let is_of_types = targets.iter().all(|(_, resolution)| *resolution != Resolution::UniqueName);
    let candidates = targets.iter().filter(|_| is_of_types).map(|(to, _)| *to).collect();
    UnresolvedCall { name, callee, line, form, arguments, candidates }
}

/// Returns the name of the definitions that a callee may mean. A callee that is a parameter, an element or the result of a call
/// names none: the function is used where it is passed.
fn meant_name(cx: &mut Inference<'_>, file: FileIdx, callee: ExpressionId) -> Option<(Name, CalleeForm)> {
    let program = cx.program;
    let code = program.code(file);
    let mut at = callee;
    for _ in 0..MAX_ALIASES {
        match code.expression(at) {
            Expression::Name { name, scope, n_before } => {
                let name = program.name(file, *name);
                if let Some(binding) = cx.binding_before(file, name, *scope, *n_before) {
                    at = code.bindings.get(binding as usize)?.value?;
                    continue;
                }
                if let Some(imported) = imported_name(cx, file, name) {
                    return Some((imported, CalleeForm::Bare));
                }
                let values = program.top(file, name).iter().flat_map(|symbol| program.shape(*symbol).values.iter());
                match values.copied().next() {
                    Some(value) => at = value,
                    None => return can_be_global(cx, file, name).then_some((name, CalleeForm::Bare)),
                }
            }
            Expression::Member { of, name } => {
                let form = if is_module(cx, file, *of) { CalleeForm::Qualified } else { CalleeForm::Member };
                return Some((program.name(file, *name), form));
            }
            Expression::Path { name, .. } => return Some((program.name(file, *name), CalleeForm::Qualified)),
            Expression::Import { name: Some(name), .. } => return Some((program.name(file, *name), CalleeForm::Bare)),
            Expression::Cast { of, .. } | Expression::Awaited { of } | Expression::Dereferenced { of } => at = *of,
            Expression::Either(values) => at = *values.iter().find(|value| **value != callee)?,
            _ => return None,
        }
    }
    None
}

/// Returns the name of the definition that an import of a file binds to a name.
fn imported_name(cx: &Inference<'_>, file: FileIdx, name: Name) -> Option<Name> {
    let program = cx.program;
    let text = program.text(name);
    let is_of = |import: &&model::Import| match import.alias.as_str() {
        "" => import.name == text,
        alias => alias == text,
    };
    let import = program.facts(file).imports.iter().find(is_of)?;
    // A module or a default export has the name that the import gives it.
    let has_name = !import.name.is_empty() && import.name != "default";
    Some(if has_name { program.name_named(&import.name).unwrap_or(name) } else { name })
}

/// Returns true if a name that a file neither binds nor imports may be a definition of another file.
fn can_be_global(cx: &Inference<'_>, file: FileIdx, name: Name) -> bool {
    let program = cx.program;
    let has_star = || program.facts(file).imports.iter().any(|import| import.name == "*");
    match Family::of(program.language(file)) {
        // Other names are built in.
        Family::Python => !program.top(file, name).is_empty() || has_star(),
        Family::Ecmascript => !program.top(file, name).is_empty(),
        _ => true,
    }
}

/// Returns true if an expression is a module, or the name of an import whose target is not known.
fn is_module(cx: &mut Inference<'_>, file: FileIdx, of: ExpressionId) -> bool {
    if matches!(cx.type_of(file, of), Ty::Module(_)) {
        return true;
    }
    let program = cx.program;
    match program.code(file).expression(of) {
        Expression::Name { name, scope, n_before } => {
            let name = program.name(file, *name);
            cx.binding_before(file, name, *scope, *n_before).is_none() && imported_name(cx, file, name).is_some()
        }
        Expression::Import { .. } => true,
        _ => false,
    }
}

/// Returns the arguments of a call.
fn given_arguments(cx: &mut Inference<'_>, file: FileIdx, arguments: &[ExpressionId]) -> GivenArguments {
    let code = cx.program.code(file);
    let mut given = GivenArguments { is_open: false, ..GivenArguments::unknown() };
    for argument in arguments {
        let is_function = |ty: &Ty| matches!(ty, Ty::Function { .. } | Ty::Closure { .. } | Ty::FunctionType { .. });
        if cx.type_of(file, *argument).alternatives().iter().all(is_function) {
            given.functions.push(given.n_positional);
        }
        match code.expression(*argument) {
            // A spread argument is an item of its list, or is not lowered.
            Expression::Opaque | Expression::Item { .. } => given.is_open = true,
            Expression::Dereferenced { of } => match code.expression(*of) {
                Expression::Object(named) => {
                    given.keywords.extend(named.iter().map(|(name, _)| code.name(*name).to_owned()));
                }
                _ => given.n_positional += 1,
            },
            _ => given.n_positional += 1,
        }
    }
    given.is_open |= given.keywords.iter().any(|keyword| keyword == "**");
    given.keywords.retain(|keyword| keyword != "**");
    given
}
