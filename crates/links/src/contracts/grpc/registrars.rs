//! The objects on which code registers services: a `grpc.Server` or `grpc.ServiceRegistrar`.

use graph::{FileIdx, Inference};
use model::code::{Code, Expression, ExpressionId};

use super::{flow, service_name};

/// Returns true if an object has a type of a library for rpcs, or a function of one makes it. False for other types, and if nothing tells.
pub(super) fn is_rpc_server(cx: &mut Inference<'_>, file: FileIdx, object: ExpressionId) -> bool {
    let Some((home, path)) = origin(cx, file, object) else { return false };
    let import = path.first().and_then(|head| service_name::import_of(cx.program, home, head));
    import.is_some_and(|(_, import)| service_name::is_generated_module(&import.module))
}

/// Returns the declared type of an object, or the function that makes it, with the file that writes its path.
fn origin<'p>(cx: &mut Inference<'p>, file: FileIdx, object: ExpressionId) -> Option<(FileIdx, Vec<&'p str>)> {
    let program = cx.program;
    let code = program.code(file);
    if let Some(binding) = flow::binding_of(cx, file, object) {
        let declared = binding.declared.and_then(|declared| flow::type_path(code, declared));
        return Some((file, declared.or_else(|| maker(code, binding.value?))?));
    }
    let Expression::Member { of, name } = code.expression(object) else { return Some((file, maker(code, object)?)) };
    let owner = cx.type_of(file, *of).definition()?;
    let field = program.members(owner, program.name(file, *name)).first().copied()?;
    let home = program.file_of(field);
    cx.consult(home);
    Some((home, flow::type_path(program.code(home), program.shape(field).declared?)?))
}

/// Returns the path of the function that makes a value: `grpc.NewServer` of `grpc.NewServer(options...)`.
fn maker(code: &Code, value: ExpressionId) -> Option<Vec<&str>> {
    match code.expression(value) {
        Expression::Call { callee, .. } => flow::path_of(code, *callee),
        Expression::Part { of, .. } => maker(code, *of),
        _ => None,
    }
}
