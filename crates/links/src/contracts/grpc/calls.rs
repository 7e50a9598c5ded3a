//! Calls of rpcs: calls of a method on a client, and calls that name the rpc in full.

use graph::{FileIdx, Inference};
use model::code::{Expression, Site};

use super::{RpcUse, clients::Clients, flow, generators, named_calls, service_name::ServiceName, signatures};
use crate::contracts::enclosing::node_around;

/// Returns the calls of rpcs in a file.
pub(super) fn uses(cx: &mut Inference<'_>, file: FileIdx) -> Vec<RpcUse> {
    let program = cx.program;
    let code = program.code(file);
    if code.sites.is_empty() {
        return signatures::calls(program, file);
    }
    let mut clients = Clients::new(cx);
    let mut found = Vec::new();
    for site in &code.sites {
        found.extend(call_of_method(&mut clients, file, site));
        found.extend(call_by_full_name(clients.cx, file, site));
        found.extend(named_calls::call(clients.cx.program, file, site));
    }
    found
}

/// Returns the call `client.method(…)`.
fn call_of_method(clients: &mut Clients<'_, '_>, file: FileIdx, site: &Site) -> Option<RpcUse> {
    let program = clients.cx.program;
    let code = program.code(file);
    let Expression::Call { callee, .. } = code.expression(site.expression) else { return None };
    let (object, method) = flow::member_of(code, *callee)?;
    // A service that is loaded at run time has no other functions of these names.
    let is_constructor = generators::CONSTRUCTORS.contains(&method) && clients.may_load(file);
    if generators::is_client_method(method) && !is_constructor {
        return None;
    }
    // An interface that is written by hand may describe a service that is loaded at run time; few objects are of such a type.
    let is_written_by_hand = clients.is_written_by_hand(file, object);
    if is_written_by_hand && !clients.may_load(file) {
        return None;
    }
    let client = clients.static_client(file, object).or_else(|| clients.of_expression(file, object))?;
    // The name of a type alone is no evidence.
    let is_client = client.has_evidence() && (client.is_loaded || !is_written_by_hand && !is_constructor);
    is_client.then(|| RpcUse {
        service: client.service,
        method: method.to_owned(),
        address: client.address,
        node: node_around(program, file, site.scope),
        line: site.line,
        serves: false,
    })
}

/// Returns the call that names its rpc in full: `conn.Invoke(ctx, "/shop.Cart/Get", …)`, a POST to `/twirp/shop.Cart/Get`.
fn call_by_full_name(cx: &mut Inference<'_>, file: FileIdx, site: &Site) -> Option<RpcUse> {
    let program = cx.program;
    let code = program.code(file);
    let Expression::Call { callee, arguments, .. } = code.expression(site.expression) else { return None };
    let name = flow::member_of(code, *callee).map(|(_, name)| name).or_else(|| flow::path_of(code, *callee)?.pop())?;
    // Routers and registrations serve the rpc.
    if name.to_ascii_lowercase().contains("handle") || matches!(name, "route" | "use" | "add" | "Route") {
        return None;
    }
    let full = arguments.iter().find_map(|argument| full_name(flow::text(program, file, *argument)?))?;
    let (package, service, method) = full;
    Some(RpcUse {
        service: ServiceName::exact(package, service),
        method: method.to_owned(),
        address: String::new(),
        node: node_around(program, file, site.scope),
        line: site.line,
        serves: false,
    })
}

/// Returns the package, service and method of a full name at the end of a text: `/shop.v1.Cart/Get`, `{}/twirp/shop.v1.Cart/Get`.
pub(super) fn full_name(text: &str) -> Option<(&str, &str, &str)> {
    let (before, method) = text.rsplit_once('/')?;
    let (before, service) = before.rsplit_once('/')?;
    let (package, service) = service.rsplit_once('.')?;
    let is_base = before.is_empty() || before.ends_with("/twirp") || before.contains("://") || before.ends_with('}');
    let is_word = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let starts_upper = |text: &str| text.starts_with(|c: char| c.is_ascii_uppercase());
    let is_package = package.split('.').all(|part| !part.is_empty() && is_word(part) && !starts_upper(part));
    let is_name = is_package && is_word(service) && is_word(method) && starts_upper(service) && starts_upper(method);
    (is_base && is_name).then_some((package, service, method))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_names_are_paths_of_http_too() {
        for (text, expected) in [
            ("/shop.v1.Cart/Get", Some(("shop.v1", "Cart", "Get"))),
            ("/twirp/shop.Cart/Get", Some(("shop", "Cart", "Get"))),
            ("http://cart:80/twirp/shop.Cart/Get", Some(("shop", "Cart", "Get"))),
            ("/api/v1.0/users", None),
            ("/Shop.Cart/Get", None),
            ("/files/index.Html/x", None),
            ("a.b.C", None),
        ] {
            assert_eq!(full_name(text), expected, "{text}");
        }
    }
}
