//! Clients that inherit the functions which send their requests: `class CartClient extends BaseClient { list() { return this.get("/items") } }`.
//! The base class may be in a library.

use graph::FileIdx;
use model::code::{Expression, ExpressionId};

use crate::contracts::{values::ValueReader, words};

/// Words of the names of such types.
const CLIENTS: [&str; 5] = ["client", "proxy", "gateway", "connector", "sdk"];

/// Objects that are the one of the type around.
const OWN: [&str; 5] = ["this", "self", "$this", "base", "super"];

/// Returns true if a method of the own object is inherited by the type of a file that is named as a client.
pub(super) fn is_inherited(values: &ValueReader<'_, '_>, file: FileIdx, object: ExpressionId, method: &str) -> bool {
    let is_own = matches!(values.expression(file, object), Expression::This { .. })
        || values.dotted(file, object).is_some_and(|name| OWN.contains(&name.as_str()));
    if !is_own {
        return false;
    }
    let program = values.program();
    let is_client = |name: &str| words(name).iter().any(|word| CLIENTS.contains(&word.as_str()));
    let mut types = program.symbols_of(file).filter(|symbol| program.definition(*symbol).kind.is_type());
    let is_derived = types.any(|symbol| {
        let definition = program.definition(symbol);
        is_client(&definition.name) && has_base(&definition.signature, &definition.name)
    });
    is_derived && program.symbols_of(file).all(|symbol| program.definition(symbol).name != method)
}

/// Returns true if the declaration of a type names a base.
fn has_base(signature: &str, name: &str) -> bool {
    let after = signature.split_once(name).map_or("", |(_, after)| after);
    let is_named = |rest: &str| rest.trim_start().starts_with(|c: char| c.is_ascii_uppercase());
    after.contains("extends ")
        || after.split_once(':').is_some_and(|(_, rest)| is_named(rest))
        || after.split_once(" < ").is_some_and(|(_, rest)| is_named(rest))
        || after.strip_prefix('(').is_some_and(is_named)
}

#[cfg(test)]
mod tests {
    use crate::testing::contracts;

    #[test]
    fn inherited_functions_send_the_requests_of_a_client() {
        for (fixture, expected) in [
            (
                "//- /CartProxy.php\n<?php\nclass CartProxy extends BaseProxy {\n  public function list() { return $this->get('api/items'); }\n}",
                Some("- GET {}/api/items {} by CartProxy.php::CartProxy.list:3 0.7"),
            ),
            (
                "//- /cart.ts\nimport { BaseClient } from '@shop/http'\nexport class CartClient extends BaseClient {\n  add(id: string) { return this.post(`/items/${id}`, {}) }\n}",
                Some("- POST {}/items/{} {} by cart.ts::CartClient.add:3 0.7"),
            ),
            // Without a base, of a type that is no client, and with a method of its own.
            ("//- /a.ts\nexport class CartClient {\n  add() { return this.post('/items', {}) }\n}", None),
            (
                "//- /a.ts\nimport { Base } from '@shop/x'\nexport class CartStore extends Base {\n  add() { return this.post('/items', {}) }\n}",
                None,
            ),
            (
                "//- /a.ts\nimport { Base } from '@shop/x'\nexport class CartClient extends Base {\n  add() { return this.post('/items', {}) }\n  post(a, b) {}\n}",
                None,
            ),
        ] {
            let lines = contracts(fixture);
            let found = lines.iter().find(|line| line.contains("/items") && line.starts_with("- "));
            assert_eq!(found.map(String::as_str), expected, "{fixture}\n{lines:#?}");
        }
    }
}
