//! Servers that a declaration names: methods with a decorator, and objects with the type of a server.

use graph::{FileIdx, Inference};
use model::code::Expression;

use super::{
    RpcUse, flow,
    servers::{base_service, method_use, serve_with_value},
    service_name::ServiceName,
};

/// Returns the methods with a decorator that names their rpc: `@GrpcMethod("Cart", "Get")`.
pub(super) fn decorated(cx: &mut Inference<'_>, file: FileIdx) -> Vec<RpcUse> {
    let program = cx.program;
    let code = program.code(file);
    let found = code.decorations.iter().filter_map(|decoration| {
        let Expression::Call { callee, arguments, .. } = code.expression(decoration.expression) else { return None };
        let path = flow::path_of(code, *callee)?;
        if !matches!(path.last(), Some(&"GrpcMethod" | &"GrpcStreamMethod" | &"GrpcStreamCall")) {
            return None;
        }
        let mut texts = arguments.iter().filter_map(|argument| flow::text(program, file, *argument));
        let (service, method) = (texts.next()?, texts.next());
        let service = ServiceName::hinted(String::new(), service, true);
        let symbol = program.symbol(file, decoration.definition);
        let by_name = method_use(program, &service, symbol);
        Some(RpcUse { method: method.map_or(by_name.method.clone(), str::to_owned), ..by_name })
    });
    found.collect()
}

/// Returns the functions of an object that is declared as a server: `const cart: CartServiceImplementation = { … }`.
pub(super) fn typed_objects(cx: &mut Inference<'_>, file: FileIdx) -> Vec<RpcUse> {
    let program = cx.program;
    let code = program.code(file);
    let mut found = Vec::new();
    for symbol in program.symbols_of(file) {
        let shape = program.shape(symbol);
        let (Some(declared), [value]) = (shape.declared, shape.values.as_ref()) else { continue };
        if !matches!(code.expression(*value), Expression::Object(_)) {
            continue;
        }
        let Some(path) = flow::type_path(code, declared) else { continue };
        if let Some(service) = base_service(cx, file, &path) {
            found.extend(serve_with_value(cx, file, &service, *value));
        }
    }
    found
}
