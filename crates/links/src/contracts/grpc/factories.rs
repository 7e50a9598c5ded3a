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
            // The constant of ts-proto may be in a library: `CART_SERVICE_NAME`.
            let constant = || service_of_constant(flow::path_of(code, first)?.last()?);
            let service = flow::text(program, file, first).map(str::to_owned).or_else(constant)?;
            let service = ServiceName::hinted(String::new(), &service, true);
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

/// Returns the service of a constant that ts-proto makes: `CartService` of `CART_SERVICE_NAME`.
fn service_of_constant(constant: &str) -> Option<String> {
    let words = constant.strip_suffix("_NAME")?;
    let is_constant = words.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let word = |word: &str| format!("{}{}", &word[..1], word[1..].to_ascii_lowercase());
    (is_constant && words.ends_with("_SERVICE"))
        .then(|| words.split('_').filter(|part| !part.is_empty()).map(word).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_of_ts_proto_name_services() {
        for (constant, expected) in [
            ("CART_SERVICE_NAME", Some("CartService")),
            ("USER_ACCOUNT_SERVICE_NAME", Some("UserAccountService")),
            ("CART_SERVICE", None),
            ("CART_NAME", None),
            ("cartServiceName", None),
        ] {
            assert_eq!(service_of_constant(constant).as_deref(), expected, "{constant}");
        }
    }
}
