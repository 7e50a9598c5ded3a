//! Servers of Go that are known only as the interface of their service: a function that returns one as `pb.CartServer`, and an
//! assertion that a type implements it (`var _ pb.CartServer = (*server)(nil)`).

use graph::{FileIdx, Inference, SymbolIdx};
use model::{
    Language,
    code::{Expression, ExpressionId, TypeExpression, TypeId},
};

use super::{
    flow,
    generators::Role,
    servers,
    service_name::{self, ServiceName},
};

/// Returns the types of Go that a file states to be the server of a service, with the service.
pub(super) fn server_types(cx: &mut Inference<'_>, file: FileIdx) -> Vec<(SymbolIdx, ServiceName)> {
    let program = cx.program;
    if program.language(file) != Language::Go {
        return Vec::new();
    }
    let code = program.code(file);
    let mut stated: Vec<(TypeId, ExpressionId)> = Vec::new();
    for shape in &code.shapes {
        let declared = shape.declared.and_then(|declared| first_type(cx, file, declared));
        stated
            .extend(declared.into_iter().flat_map(|declared| shape.values.iter().map(move |value| (declared, *value))));
    }
    let bound = code.bindings.iter().filter_map(|binding| binding.declared.zip(binding.value));
    stated.extend(bound);
    let mut found: Vec<(SymbolIdx, ServiceName)> = Vec::new();
    for (declared, value) in stated {
        let Some(service) = interface_service(cx, file, declared) else { continue };
        let Some(class) = servers::class_of_value(cx, file, first_value(cx, file, value)) else { continue };
        if !found.contains(&(class, service.clone())) {
            found.push((class, service));
        }
    }
    found
}

/// Returns the first of several results of a function.
fn first_type(cx: &Inference<'_>, file: FileIdx, declared: TypeId) -> Option<TypeId> {
    match cx.program.code(file).written(declared) {
        TypeExpression::Tuple(types) => types.first().copied(),
        _ => Some(declared),
    }
}

/// Returns the first of several values of a `return`.
fn first_value(cx: &Inference<'_>, file: FileIdx, value: ExpressionId) -> ExpressionId {
    match cx.program.code(file).expression(value) {
        Expression::Tuple(values) => values.first().copied().unwrap_or(value),
        _ => value,
    }
}

/// Returns the service whose server has this interface.
fn interface_service(cx: &mut Inference<'_>, file: FileIdx, declared: TypeId) -> Option<ServiceName> {
    let program = cx.program;
    let code = program.code(file);
    let path = flow::type_path(code, declared)?;
    // The type of a server of one stream is `Cart_ListServer`.
    if path.len() > 2 || path.last()?.contains('_') {
        return None;
    }
    let service = servers::service_of_base(cx, file, &path, Role::ServerInterface)?;
    let import = service_name::import_of(program, file, path[0]);
    let is_generated = import.is_some_and(|(_, import)| service_name::is_generated_module(&import.module));
    (service.is_exact || is_generated).then_some(service)
}
