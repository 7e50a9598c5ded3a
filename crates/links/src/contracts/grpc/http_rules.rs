//! Routes of HTTP that stand for rpcs: rules in `.proto` files (`google.api.http`), and registrations of grpc-gateway.

use graph::{FileIdx, Node, Program};
use model::{
    Language,
    code::{Expression, ExpressionId, ScopeId, Site},
};

use super::{calls, channels, flow, generated, service_name};
use crate::{
    contract::{ContractKind, ContractOffer, ContractUse, HttpRoute},
    contracts::{enclosing::node_around, requests::methods, values::ValueReader},
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

/// Returns the routes that a file registers with grpc-gateway, and the rpcs that are called for them:
/// `RegisterCartHandlerFromEndpoint(ctx, mux, address, options)`. Generated code of the repository has the routes.
pub(in crate::contracts) fn gateway(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
) -> (Vec<HttpRoute>, Vec<ContractUse>) {
    let program = values.program();
    let (mut routes, mut uses) = (Vec::new(), Vec::new());
    if program.language(file) != Language::Go || generated::is_generated(program, file) {
        return (routes, uses);
    }
    for site in &values.code(file).sites {
        let Some(call) = values.call(file, site.expression) else { continue };
        let Some(service) = registered_service(call.name) else { continue };
        let Some(module) = call.object.and_then(|module| values.dotted(file, module)) else { continue };
        let node = node_around(program, file, site.scope);
        let address = channels::address(values.cx, file, call.arguments);
        for (home, rule) in generated_rules(values, file, &module, service) {
            values.cx.consult(home);
            uses.push(ContractUse {
                kind: ContractKind::Grpc,
                key: rule.rpc,
                member: address.clone(),
                node,
                line: site.line,
                confidence: crate::services::CONFIRMED,
                n_sites: 1,
                serves: false,
            });
            routes.push(HttpRoute { method: rule.method, path: rule.path, line: site.line, handler: Some(node) });
        }
    }
    (routes, uses)
}

/// Returns the service that a function of grpc-gateway registers.
fn registered_service(function: &str) -> Option<&str> {
    const ENDS: [&str; 3] = ["HandlerFromEndpoint", "HandlerClient", "Handler"];
    let name = function.strip_prefix("Register")?;
    ENDS.iter().find_map(|end| name.strip_suffix(end)).filter(|service| !service.is_empty())
}

/// A route in the generated code of a gateway.
struct GeneratedRule {
    method: String,
    path: String,
    /// The full name of the rpc.
    rpc: String,
}

/// Returns the routes of a service in the generated code of an imported package, with their files.
fn generated_rules(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
    module: &str,
    service: &str,
) -> Vec<(FileIdx, GeneratedRule)> {
    let program = values.program();
    let Some((import_idx, _)) = service_name::import_of(program, file, module) else { return Vec::new() };
    let targets = values.cx.import_targets(file, import_idx).into_iter().map(|target| match target {
        Node::File(file) => file,
        Node::Symbol(symbol) => program.file_of(symbol),
    });
    // A target is one file of the package.
    let folders: Vec<&str> = targets.map(|target| flow::folder(program.path(target))).collect();
    let is_gateway = |home: &FileIdx| {
        let path = program.path(*home);
        path.ends_with(".pb.gw.go") && folders.contains(&flow::folder(path))
    };
    let homes: Vec<FileIdx> = program.file_indices().filter(is_gateway).collect();
    let mut found = Vec::new();
    for home in homes {
        for site in &values.code(home).sites {
            let Some(rule) = generated_rule(values, home, site) else { continue };
            let is_of_service = calls::full_name(&format!("/{}", rule.rpc)).is_some_and(|(_, name, _)| name == service);
            found.extend(is_of_service.then_some((home, rule)));
        }
    }
    found
}

/// Reads `AnnotateContext(ctx, mux, req, "/shop.Cart/Get", runtime.WithHTTPPathPattern("/v1/items"))`.
fn generated_rule(values: &mut ValueReader<'_, '_>, file: FileIdx, site: &Site) -> Option<GeneratedRule> {
    let call = values.call(file, site.expression).filter(|call| call.name == "AnnotateContext")?;
    let mut texts = call.arguments.iter().filter_map(|argument| values.literal(file, *argument));
    let rpc = texts.find(|text| calls::full_name(text).is_some())?.trim_start_matches('/').to_owned();
    let mut options = call.arguments.iter().filter_map(|argument| values.call(file, *argument));
    let pattern = options.find(|option| option.name == "WithHTTPPathPattern")?;
    let path = values.literal(file, pattern.at(0)?)?.to_owned();
    Some(GeneratedRule { method: method_around(values, file, site.scope)?, path, rpc })
}

/// Returns the method of the registration around a scope: `mux.Handle("GET", pattern, func …)`.
fn method_around(values: &mut ValueReader<'_, '_>, file: FileIdx, scope: ScopeId) -> Option<String> {
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
