//! Clients that a factory makes of a described service, and modules of functions that are clients.

use graph::FileIdx;
use model::{Language, code::ExpressionId};

use super::{
    clients::{Clients, RpcClient},
    flow,
    generators::{self, GeneratedMatch, Role},
    service_name::{self, ServiceName},
};

impl Clients<'_, '_> {
    /// Returns the client that a factory makes of a service that it takes as an argument: `createClient(CartDefinition, channel)`,
    /// `getService<CartClient>("Cart")`.
    pub(super) fn of_factory(
        &mut self,
        file: FileIdx,
        callee: ExpressionId,
        arguments: &[ExpressionId],
    ) -> Option<RpcClient> {
        const FACTORIES: [&str; 6] =
            ["createClient", "createPromiseClient", "createCallbackClient", "makeClient", "useClient", "create"];
        let program = self.cx.program;
        let code = program.code(file);
        let path = flow::path_of(code, callee)?;
        let name = path.last().copied()?;
        let first = *arguments.first()?;
        let is_grpc = service_name::names_grpc(program, file);
        if name == "getService" && is_grpc {
            let service = flow::text(program, file, first)?;
            let service = ServiceName::hinted(String::new(), service, true);
            return Some(RpcClient { is_loaded: true, ..RpcClient::generated(service) });
        }
        if !FACTORIES.contains(&name) || !is_grpc {
            return None;
        }
        let described = flow::path_of(code, first)?;
        let last = described.last()?;
        let service = last.strip_suffix("Definition").unwrap_or(last);
        let is_service = service.starts_with(|c: char| c.is_uppercase()) && (name != "create" || service != *last);
        let found = GeneratedMatch {
            service: service.to_owned(),
            n_before: described.len() - 1,
            role: Role::Client,
            is_specific: true,
        };
        let made = is_service.then(|| service_name::of_match(self.cx, file, &described, &found, None)).flatten();
        made.map(RpcClient::generated)
    }

    /// Returns the module of functions that a client is in some languages: `Shop.Cart.Stub.get(channel, request)`.
    pub(super) fn static_client(&mut self, file: FileIdx, object: ExpressionId) -> Option<RpcClient> {
        let program = self.cx.program;
        if program.language(file) != Language::Elixir {
            return None;
        }
        let path = flow::path_of(program.code(file), object)?;
        let path: Vec<&str> = path.iter().flat_map(|name| name.split('.')).collect();
        let found = generators::find(Language::Elixir, &path, |role| role == Role::Client)?;
        let service = service_name::of_match(self.cx, file, &path, &found, None)?;
        Some(RpcClient::generated(service))
    }
}
