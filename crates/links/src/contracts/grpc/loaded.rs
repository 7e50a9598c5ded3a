//! Descriptors that code loads at run time, and the channels of their clients.

use graph::{FileIdx, Inference, Ty};
use model::code::{Expression, ExpressionId};

use super::flow;

/// Returns the names of the package behind descriptors that a file loads at run time:
/// `loadPackageDefinition(definition).shop.v1`.
pub(super) fn package(cx: &mut Inference<'_>, file: FileIdx, expression: ExpressionId, depth: u32) -> Option<String> {
    if depth > 8 {
        return None;
    }
    let program = cx.program;
    let code = program.code(file);
    match code.expression(expression) {
        Expression::Member { of, name } => {
            let before = package(cx, file, *of, depth + 1)?;
            Some(model::symbol::qualify(&before, code.name(*name)))
        }
        Expression::Cast { of, .. } | Expression::Awaited { of } => package(cx, file, *of, depth + 1),
        Expression::Name { name, .. } => {
            if let Some(binding) = flow::binding_of(cx, file, expression) {
                return package(cx, file, binding.value?, depth + 1);
            }
            let (of, value) = flow::definitions_named(cx, file, code.name(*name))
                .into_iter()
                .find_map(|symbol| Some((program.file_of(symbol), *program.shape(symbol).values.first()?)))?;
            cx.consult(of);
            package(cx, of, value, depth + 1)
        }
        Expression::Call { callee, .. } => {
            let path = flow::path_of(code, *callee)?;
            if matches!(path.last(), Some(&"loadPackageDefinition")) || path == ["grpc", "load"] {
                return Some(String::new());
            }
            let Ty::Function { candidates, .. } = cx.type_of(file, *callee) else { return None };
            let function = *candidates.first()?;
            let of = program.file_of(function);
            cx.consult(of);
            program.shape(function).values.iter().find_map(|value| package(cx, of, *value, depth + 1))
        }
        _ => None,
    }
}

/// Returns true if an argument makes the credentials of a channel.
pub(super) fn has_credentials(cx: &Inference<'_>, file: FileIdx, arguments: &[ExpressionId]) -> bool {
    let code = cx.program.code(file);
    let names_credentials = |expression: ExpressionId| {
        let path = match code.expression(expression) {
            Expression::Call { callee, .. } => flow::path_of(code, *callee),
            _ => flow::path_of(code, expression),
        };
        path.is_some_and(|path| {
            let is_credentials = |name: &&str| name.to_ascii_lowercase().contains("credentials");
            path.iter().any(is_credentials) || matches!(path.last(), Some(&"createInsecure" | &"createSsl"))
        })
    };
    arguments.iter().any(|argument| match code.expression(*argument) {
        Expression::Object(fields) => fields.iter().any(|(_, value)| names_credentials(*value)),
        _ => names_credentials(*argument),
    })
}
