//! Routes of HTTP that stand for rpcs: rules in `.proto` files (`google.api.http`), and the code that grpc-gateway makes of them.

use graph::{FileIdx, Node, Program};
use model::code::{Expression, ExpressionId};

use super::{calls, flow};
use crate::{
    contract::{ContractKind, ContractOffer, ContractUse, HttpRoute},
    contracts::{requests::methods, values::ValueReader},
};

/// Maximum number of scopes between a call and the registration around it.
const MAX_SCOPES: usize = 16;

/// Name of the decoration with a rule.
const RULE: &str = "google.api.http";

/// Returns the routes that rules in a `.proto` file give to its rpcs.
pub(in crate::contracts) fn offers(program: &Program<'_>, file: FileIdx) -> Vec<ContractOffer> {
    let code = program.code(file);
    let rules = code.decorations.iter().filter_map(|decoration| {
        let Expression::Call { callee, arguments, .. } = code.expression(decoration.expression) else { return None };
        let [method, path] = arguments[..] else { return None };
        let (method, path) = (flow::text(program, file, method)?, flow::text(program, file, path)?);
        let node = Node::Symbol(program.symbol(file, decoration.definition));
        let is_rule = flow::path_of(code, *callee)? == [RULE];
        is_rule.then(|| crate::contracts::route_offer(&method.to_ascii_uppercase(), path, node, decoration.line))?
    });
    rules.collect()
}

/// Returns the routes of a gateway in generated code, and the rpcs that it calls for them.
pub(in crate::contracts) fn gateway(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
) -> (Vec<HttpRoute>, Vec<ContractUse>) {
    let code = values.code(file);
    let (mut routes, mut uses) = (Vec::new(), Vec::new());
    if !values.program().path(file).ends_with(".pb.gw.go") {
        return (routes, uses);
    }
    for site in &code.sites {
        let Some(call) = values.call(file, site.expression).filter(|call| call.name == "AnnotateContext") else {
            continue;
        };
        let texts = || call.arguments.iter().filter_map(|argument| values.literal(file, *argument));
        let Some((package, service, rpc)) = texts().find_map(calls::full_name) else { continue };
        let node = super::node_around(values.program(), file, site.scope);
        uses.push(ContractUse {
            kind: ContractKind::Grpc,
            key: format!("{package}.{service}/{rpc}"),
            member: String::new(),
            node,
            line: site.line,
            confidence: crate::services::CONFIRMED,
            n_sites: 1,
            serves: false,
        });
        let options = call.arguments.iter().filter_map(|argument| values.call(file, *argument));
        let pattern = options.into_iter().find(|option| option.name == "WithHTTPPathPattern");
        let path = pattern.and_then(|pattern| values.literal(file, pattern.at(0)?));
        if let (Some(path), Some(method)) = (path, method_around(values, file, site.scope)) {
            routes.push(HttpRoute { method, path: path.to_owned(), line: site.line, handler: Some(node) });
        }
    }
    (routes, uses)
}

/// Returns the method of the registration around a scope: `mux.Handle("GET", pattern, func …)`.
fn method_around(values: &mut ValueReader<'_, '_>, file: FileIdx, scope: model::code::ScopeId) -> Option<String> {
    let mut at = Some(scope);
    for _ in 0..MAX_SCOPES {
        let scope = at?;
        let around: Option<ExpressionId> = values.cx.closure_call(file, scope);
        if let Some(call) = around.and_then(|around| values.call(file, around)).filter(|call| call.name == "Handle") {
            return methods::of_value(values, file, call.at(0)?, None);
        }
        at = values.code(file).scopes.get(scope.index()).and_then(|scope| scope.parent);
    }
    None
}
