//! Calls through a client of the system that takes the names of the service and the rpc: `grpc.call("CartService", "GetCart", request)`,
//! `grpc.callCartService("GetCart", request)`.

use graph::{FileIdx, Program};
use model::code::{Expression, Site};

use super::{RpcUse, flow, service_name::ServiceName};
use crate::contracts::{enclosing::node_around, words};

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
    flow::path_of(code, object).filter(|path| is_of_rpcs(path))?;
    is_rpc(method).then(|| RpcUse {
        service: ServiceName { confidence: BY_NAME, ..ServiceName::hinted(String::new(), service, true) },
        method: method.to_owned(),
        address: String::new(),
        node: node_around(program, file, site.scope),
        line: site.line,
        serves: false,
    })
}

/// Returns true if the names of an object say that it is for rpcs of protocols; those of JSON and XML have their own.
fn is_of_rpcs(path: &[&str]) -> bool {
    let words: Vec<String> = path.iter().flat_map(|part| words(part)).collect();
    let is_other = words.iter().any(|word| matches!(word.as_str(), "json" | "xml"));
    words.iter().any(|word| word.starts_with("grpc") || word.starts_with("rpc") && !is_other)
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
