//! Clients that inherit the functions which send their requests: `class CartClient extends BaseClient { list() { return this.get("/items") } }`.
//! The base class may be in a library.

use graph::{FileIdx, SymbolIdx};
use model::code::{BaseKind, ExpressionId, TypeExpression, TypeId};

use crate::contracts::{values::ValueReader, words};

/// Words of the names of such types.
const CLIENTS: [&str; 5] = ["client", "proxy", "gateway", "connector", "sdk"];

/// Further words of the names of base classes that send requests, which a library has.
const BASES: [&str; 12] =
    ["base", "abstract", "http", "https", "rest", "api", "request", "requests", "fetch", "axios", "service", "web"];

/// Words of types that have functions of these names for other things.
const OTHERS: [&str; 22] = [
    "redis",
    "cache",
    "memcached",
    "mongo",
    "db",
    "database",
    "sql",
    "elastic",
    "elasticsearch",
    "kafka",
    "rabbit",
    "queue",
    "mqtt",
    "nats",
    "ftp",
    "s3",
    "storage",
    "socket",
    "websocket",
    "ws",
    "grpc",
    "ldap",
];

/// Maximum number of bases between a client and the type that has its functions.
const MAX_BASES: u32 = 8;

/// Returns true if a method of the own object is inherited by the type around, which is named as a client.
pub(super) fn is_inherited(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
    object: ExpressionId,
    method: &str,
) -> bool {
    let program = values.program();
    let scope = values.own_scope(file, object);
    let Some(owner) = scope.and_then(|scope| values.type_around(file, scope)) else { return false };
    has_word(&program.definition(owner).name, &CLIENTS)
        && !has_word(&program.definition(owner).name, &OTHERS)
        && program.symbols_of(file).all(|symbol| program.definition(symbol).name != method)
        && inherits(values, owner, method, 0)
}

/// Returns true if a base of a type has a method, or may have it since it is named as a client of a library.
fn inherits(values: &mut ValueReader<'_, '_>, of: SymbolIdx, method: &str, depth: u32) -> bool {
    if depth > MAX_BASES {
        return false;
    }
    let program = values.program();
    let home = program.file_of(of);
    values.cx.consult(home);
    let mut bases = program.shape(of).bases.iter().filter(|base| base.kind != BaseKind::Implement);
    bases.any(|base| {
        let Some(name) = name_of(values, home, base.base).filter(|name| !has_word(name, &OTHERS)) else { return false };
        let named = values.written_name(home, base.base).map(|(_, name)| values.global_symbols(home, name));
        let mut types = named.unwrap_or_default();
        types.retain(|symbol| *symbol != of && program.definition(*symbol).kind.is_type());
        if types.is_empty() {
            return has_word(&name, &CLIENTS) || has_word(&name, &BASES);
        }
        types.into_iter().any(|symbol| {
            let member = program.name_named(method).map(|method| program.members(symbol, method));
            member.is_some_and(|members| !members.is_empty()) || inherits(values, symbol, method, depth + 1)
        })
    })
}

/// Returns the last name of a base as written.
fn name_of(values: &ValueReader<'_, '_>, file: FileIdx, base: TypeId) -> Option<String> {
    if let Some((_, name)) = values.written_name(file, base) {
        return Some(values.code(file).name(name).to_owned());
    }
    let TypeExpression::Of(of) = values.code(file).written(base) else { return None };
    values.dotted(file, *of).and_then(|path| path.rsplit('.').next().map(str::to_owned))
}

fn has_word(name: &str, of: &[&str]) -> bool {
    words(name).iter().any(|word| of.contains(&word.as_str()))
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
            (
                "//- /base.ts\nimport { HttpService } from '@shop/http'\nexport class Base extends HttpService {}\n//- /cart.ts\nimport { Base } from './base'\nexport class CartClient extends Base {\n  add() { return this.post('/items', {}) }\n}",
                Some("- POST {}/items {} by cart.ts::CartClient.add:3 0.7"),
            ),
            // A base that has no such function, or those of something else.
            (
                "//- /base.ts\nexport class Base {}\n//- /cart.ts\nimport { Base } from './base'\nexport class CartClient extends Base {\n  add() { return this.post('/items', {}) }\n}",
                None,
            ),
            (
                "//- /a.ts\nimport Redis from 'ioredis'\nexport class RedisClient extends Redis {\n  list() { return this.get('users/items') }\n  all() { return this.get('/items') }\n}",
                None,
            ),
            // The base of another type, of a type parameter, and the type of a parameter.
            (
                "//- /a.ts\nimport { BaseClient } from '@shop/http'\nexport class CartClient extends BaseClient {}\nexport class Store {\n  add() { return this.post('/items', {}) }\n}",
                None,
            ),
            (
                "//- /a.ts\nimport { BaseItem } from '@shop/http'\nexport class CartClient<T extends BaseItem> {\n  add() { return this.post('/items', {}) }\n}",
                None,
            ),
            ("//- /A.kt\nclass CartClient(val http: HttpBase) {\n  fun list() = this.get(\"/items\")\n}", None),
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
