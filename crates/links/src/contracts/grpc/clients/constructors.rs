//! Clients that calls and constructors make: `NewCartClient(conn)`, `new CartClient(address, credentials)`, `CartStub(channel)`.

use graph::{FileIdx, SymbolIdx, Ty};
use model::{
    Language,
    code::{Expression, ExpressionId, TypeExpression, TypeId},
};

use super::{
    super::{
        channels, flow, generated,
        generators::{self, GeneratedMatch, Role},
        loaded, packaged_services,
        service_name::{self, ServiceName},
    },
    Clients, RpcClient,
};

impl Clients<'_, '_> {
    pub(super) fn of_call(
        &mut self,
        file: FileIdx,
        callee: ExpressionId,
        type_arguments: &[TypeId],
        arguments: &[ExpressionId],
    ) -> Option<RpcClient> {
        let program = self.cx.program;
        let code = program.code(file);
        let resolved = match self.cx.type_of(file, callee) {
            Ty::Function { candidates, .. } => candidates.first().copied(),
            Ty::Class(applied) => Some(applied.of),
            _ => None,
        };
        if let Some(function) = resolved.filter(|symbol| !generated::is_generated(program, program.file_of(*symbol))) {
            return if program.definition(function).kind.is_type() { None } else { self.of_definition(function) };
        }
        let member = flow::member_of(code, callee);
        if let Some((object, name)) = member
            && generators::is_option(name)
            && let Some(client) = self.of_expression(file, object)
        {
            return Some(client);
        }
        let path = flow::path_of(code, callee);
        // In languages with `new`, a function of this name does not make a client.
        let has_new = matches!(program.language(file), Language::CSharp | Language::Php | Language::Java);
        let by_name = path.and_then(|path| self.made_by(file, &path, resolved, !has_new));
        let made = by_name.map(RpcClient::generated).or_else(|| self.of_factory(file, callee, arguments));
        if let Some(client) = made {
            return Some(RpcClient { address: channels::address(self.cx, file, arguments), ..client });
        }
        // A method of the enclosing type, by its declared result.
        if resolved.is_none()
            && let Some(client) = self.of_expression(file, callee)
        {
            return Some(client);
        }
        // `provider.GetRequiredService<Cart.CartClient>()`.
        type_arguments.iter().find_map(|argument| self.of_type(file, *argument))
    }

    /// Returns the service of a function or type of generated code that makes a client. A name that other libraries have too counts
    /// only if `may_be_common` is true.
    fn made_by(
        &mut self,
        file: FileIdx,
        path: &[&str],
        resolved: Option<SymbolIdx>,
        may_be_common: bool,
    ) -> Option<ServiceName> {
        let of_type = match path.split_last() {
            Some((last, before)) if generators::CONSTRUCTORS.contains(last) => Some(before),
            _ => None,
        };
        [Some(path), of_type].into_iter().flatten().find_map(|path| {
            let (found, path) = self.client_names(file, path)?;
            if !found.is_specific && !may_be_common {
                return None;
            }
            service_name::of_match(self.cx, file, &path, &found, resolved)
        })
    }

    /// Returns the match of the names of a client, and the names to look up the import with.
    pub(super) fn client_names<'n>(&mut self, file: FileIdx, path: &[&'n str]) -> Option<(GeneratedMatch, Vec<&'n str>)>
    where
        Self: 'n,
    {
        let program = self.cx.program;
        let expanded = service_name::without_alias(program, file, path);
        let is_client = |role: Role| role == Role::Client;
        let packaged = packaged_services::find(program, file, &expanded, is_client)
            .or_else(|| packaged_services::injected(program, file, &expanded));
        let language = program.language(file);
        let found = match packaged {
            Some(found) => found,
            None => {
                let found = generators::find(language, &expanded, is_client)?;
                // Most interfaces of PHP are of other libraries.
                let is_interface =
                    language == Language::Php && expanded.last().is_some_and(|last| last.ends_with("Interface"));
                if is_interface && !service_name::has_generated_namespace(self.cx, file, path) {
                    return None;
                }
                found
            }
        };
        let names = if expanded.len() == path.len() { path.to_vec() } else { expanded };
        Some((found, names))
    }

    pub(super) fn of_new(&mut self, file: FileIdx, made: TypeId, arguments: &[ExpressionId]) -> Option<RpcClient> {
        let program = self.cx.program;
        let mut client = match program.code(file).written(made) {
            TypeExpression::Of(expression) => self.of_constructor(file, *expression, arguments),
            _ => self.of_type(file, made),
        }?;
        client.address = channels::address(self.cx, file, arguments);
        if client.service.confidence < crate::services::CONFIRMED && loaded::has_credentials(self.cx, file, arguments) {
            client.service.confidence = crate::services::CONFIRMED;
        }
        Some(client)
    }

    /// Returns the client that `new constructor(address, credentials)` makes. Descriptors that are loaded at run time have a
    /// constructor with the name of each service.
    pub(super) fn of_constructor(
        &mut self,
        file: FileIdx,
        constructor: ExpressionId,
        arguments: &[ExpressionId],
    ) -> Option<RpcClient> {
        let program = self.cx.program;
        let code = program.code(file);
        let resolved = match self.cx.type_of(file, constructor) {
            Ty::Class(applied) => Some(applied.of),
            Ty::Function { candidates, .. } => candidates.first().copied(),
            _ => None,
        };
        let path = flow::path_of(code, constructor)?;
        let by_name = self.made_by(file, &path, resolved, true);
        if let Some(service) = by_name {
            return Some(RpcClient::generated(service));
        }
        let (service, before) = path.split_last()?;
        let is_service = resolved.is_none() && service.starts_with(|c: char| c.is_uppercase());
        let (object, _) = flow::member_of(code, constructor)?;
        let loaded_package = loaded::package(self.cx, file, object, 0);
        if !is_service || loaded_package.is_none() && !loaded::has_credentials(self.cx, file, arguments) {
            return None;
        }
        let hint = loaded_package.unwrap_or_else(|| before.join("."));
        let service = ServiceName::hinted(hint, service, true);
        Some(RpcClient { is_loaded: true, ..RpcClient::generated(service) })
    }

    pub(super) fn of_part(&mut self, file: FileIdx, of: ExpressionId, index: u32) -> Option<RpcClient> {
        let program = self.cx.program;
        let code = program.code(file);
        let Expression::Call { callee, .. } = code.expression(of) else {
            return if index == 0 { self.of_expression(file, of) } else { None };
        };
        let function = match self.cx.type_of(file, *callee) {
            Ty::Function { candidates, .. } => candidates.first().copied(),
            _ => None,
        };
        let own = function.filter(|symbol| !generated::is_generated(program, program.file_of(*symbol)));
        let Some(function) = own else {
            return if index == 0 { self.of_expression(file, of) } else { None };
        };
        let of_function = program.file_of(function);
        let shape = program.shape(function);
        let code = program.code(of_function);
        if let Some(TypeExpression::Tuple(parts)) = shape.declared.map(|declared| code.written(declared))
            && let Some(found) = self.of_type(of_function, *parts.get(index as usize)?)
        {
            return Some(found);
        }
        shape.values.iter().find_map(|value| match code.expression(*value) {
            Expression::Tuple(parts) => self.of_expression(of_function, *parts.get(index as usize)?),
            _ => None,
        })
    }
}
