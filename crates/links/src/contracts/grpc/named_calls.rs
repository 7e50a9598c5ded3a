//! Calls through a client of the system that takes the names of the service and the rpc: `grpc.call("CartService", "GetCart", request)`,
//! `grpc.callCartService("GetCart", request)`.

use graph::{FileIdx, Program};
use model::code::{Expression, Site};

use super::{RpcUse, flow, node_around, service_name::ServiceName};

/// Confidence of a call that only names tell.
const BY_NAME: f32 = 0.7;

/// Words with which the names of such functions begin.
const VERBS: [&str; 7] = ["call", "invoke", "request", "execute", "send", "unary", "rpc"];

/// Maximum number of arguments among which the names are searched.
const MAX_ARGUMENTS: usize = 3;

/// Returns the rpc that a call names.
pub(super) fn call(program: &Program<'_>, file: FileIdx, site: &Site) -> Option<RpcUse> {
    let code = program.code(file);
    let Expression::Call { callee, arguments, .. } = code.expression(site.expression) else { return None };
    let (object, name) = flow::member_of(code, *callee)?;
    let lower = name.to_ascii_lowercase();
    let verb = VERBS.iter().find(|verb| lower.starts_with(*verb))?;
    let texts: Vec<&str> =
        arguments.iter().take(MAX_ARGUMENTS).filter_map(|argument| flow::text(program, file, *argument)).collect();
    let (service, method) = match texts[..] {
        [service, method] | [service, method, _] if is_service(service) => (service, method),
        [method, ..] if is_service(&name[verb.len()..]) => (&name[verb.len()..], method),
        _ => return None,
    };
    // An object for other protocols may have functions of these names.
    let is_of_rpcs = flow::path_of(code, object).is_some_and(|path| {
        path.iter().any(|part| ["grpc", "rpc"].iter().any(|word| part.to_ascii_lowercase().contains(word)))
    });
    is_of_rpcs.then_some(())?;
    is_rpc(method).then(|| RpcUse {
        service: ServiceName { confidence: BY_NAME, ..ServiceName::hinted(String::new(), service, true) },
        method: method.to_owned(),
        address: String::new(),
        node: node_around(program, file, site.scope),
        line: site.line,
        serves: false,
    })
}

fn is_service(name: &str) -> bool {
    name.len() > "Service".len() && name.ends_with("Service") && is_rpc(name)
}

/// Returns true for a name as protocols have them: words with capitals, without other characters.
fn is_rpc(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.len() > 2
        && name.contains(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric())
}
