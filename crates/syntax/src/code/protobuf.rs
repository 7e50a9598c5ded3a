//! Lowering of protocol buffers: the package, and the routes of rpcs, since a schema has no data flow.

use model::{
    ByteSpan,
    code::{Decoration, Expression, Literal, ScopeId},
};

use super::CodeBuilder;
use crate::node::SyntaxNode;

/// The option that gives an rpc its routes.
const HTTP_RULE: &str = "google.api.http";

/// Methods of such a rule.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// Maximum number of routes of one rpc.
const MAX_ROUTES: usize = 16;

/// Writes the package of a file, and each route of an rpc as a decoration `google.api.http("get", "/v1/items")`.
pub(super) fn lower(out: &mut CodeBuilder<'_>, root: SyntaxNode<'_>) {
    let package = root.named_child_of_kind("package");
    if let Some(name) = package.and_then(|package| package.named_child(0)) {
        out.code.package = out.text(name).to_owned();
    }
    let mut cursor = root.walk();
    let services: Vec<SyntaxNode<'_>> =
        root.named_children(&mut cursor).filter(|one| one.kind() == "service").collect();
    for service in services {
        let mut cursor = service.walk();
        let rpcs: Vec<SyntaxNode<'_>> = service.named_children(&mut cursor).filter(|one| one.kind() == "rpc").collect();
        rpcs.into_iter().for_each(|rpc| lower_routes(out, rpc));
    }
}

fn lower_routes(out: &mut CodeBuilder<'_>, rpc: SyntaxNode<'_>) {
    let text = out.text(rpc);
    let Some((_, rule)) = text.split_once(HTTP_RULE) else { return };
    let Some(definition) = rpc.named_child_of_kind("rpc_name").and_then(|name| out.definition_at(name)) else { return };
    let routes: Vec<(String, String)> = routes(rule).take(MAX_ROUTES).collect();
    let line = rpc.start_position().row as u32 + 1;
    let bytes = ByteSpan { start: rpc.start_byte() as u32, end: rpc.end_byte() as u32 };
    for (method, path) in routes {
        let arguments = [method, path].map(|text| {
            let text = out.intern(&text);
            out.add_expression(Expression::Literal(Literal::Text(Some(text))))
        });
        let callee = out.intern(HTTP_RULE);
        let callee = out.add_expression(Expression::Name { name: callee, scope: ScopeId(0), n_before: 0 });
        let call = Expression::Call { callee, type_arguments: Box::default(), arguments: arguments.into() };
        let expression = out.add_expression(call);
        out.code.decorations.push(Decoration { definition, expression, line, bytes });
    }
}

/// Returns the methods and paths of a rule: `get: "/v1/items"`, `post: "/v1/items" body: "*"`.
fn routes(rule: &str) -> impl Iterator<Item = (String, String)> {
    let texts: Vec<&str> = rule.split('"').collect();
    let pairs: Vec<(String, String)> = texts
        .chunks(2)
        .filter_map(|pair| {
            let [before, path] = pair else { return None };
            let key = before.trim_end().strip_suffix(':')?.trim_end();
            let method = key.rsplit(|c: char| !c.is_ascii_alphanumeric()).next()?;
            let is_route = METHODS.contains(&method) && path.starts_with('/');
            is_route.then(|| (method.to_owned(), (*path).to_owned()))
        })
        .collect();
    pairs.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_have_routes() {
        let rule = ") = { post: \"/v1/items/{id}:pay\" body: \"*\" additional_bindings { get: \"/v1/pay\" } };";
        let expected = [("post", "/v1/items/{id}:pay"), ("get", "/v1/pay")];
        let found: Vec<(String, String)> = routes(rule).collect();
        let found: Vec<(&str, &str)> = found.iter().map(|(method, path)| (method.as_str(), path.as_str())).collect();
        assert_eq!(found, expected);
        assert_eq!(routes(") = { body: \"*\" };").count(), 0);
    }
}
