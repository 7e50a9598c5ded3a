//! Documents that describe interfaces: OpenAPI, AsyncAPI, GraphQL.

use super::{ContractKind, NearMiss, NotationRow};

/// A request of each document of an interface.
const REQUEST: &str = "//- /user.ts\nexport function load() { return fetch('http://cart/v1/items/1') }";

/// A handler that the operation of the document names.
const HANDLER: &str =
    "//- /server.go\npackage a\ntype Server struct{}\nfunc (s *Server) GetItem(w W, r *R, id string) {}\n";

/// A producer and a consumer of messages, whose topic the document declares.
const PRODUCER: &str = "//- /a.ts\nimport { Kafka } from 'kafkajs'\nexport function f(producer) { return producer.send({ topic: 'orders.paid', messages: [] }) }";

/// Document, its path, its text, a near miss.
#[rustfmt::skip]
const INTERFACES: &[(&str, &str, &str, &str)] = &[
    (
        "OpenAPI in YAML",
        "openapi.yaml",
        "openapi: 3.0.0\nservers:\n- url: http://cart/v1\npaths:\n  /items/{id}:\n    get:\n      operationId: getItem\n",
        "openapi: 3.0.0\nservers:\n- url: http://cart/v2\npaths:\n  /items/{id}:\n    get:\n      operationId: getItem\n",
    ),
    (
        "OpenAPI in JSON",
        "openapi.json",
        "{\n  \"swagger\": \"2.0\",\n  \"basePath\": \"/v1\",\n  \"paths\": {\n    \"/items/{id}\": {\n      \"get\": {\"operationId\": \"getItem\"}\n    }\n  }\n}\n",
        "{\n  \"basePath\": \"/v1\",\n  \"pages\": {\n    \"/items/{id}\": {\n      \"get\": {\"operationId\": \"getItem\"}\n    }\n  }\n}\n",
    ),
    (
        "OpenAPI in minified JSON",
        "api/swagger.json",
        "{\"openapi\":\"3.0.0\",\"servers\":[{\"url\":\"/v1\"}],\"paths\":{\"/items/{id}\":{\"get\":{\"operationId\":\"getItem\"}}}}",
        "{\"openapi\":\"3.0.0\",\"servers\":[{\"url\":\"/v1\"}],\"paths\":{\"/items/{id}\":{\"put\":{\"operationId\":\"getItem\"}}}}",
    ),
];

/// Document, its path, its text, a near miss.
#[rustfmt::skip]
const MESSAGES: &[(&str, &str, &str, &str)] = &[
    (
        "AsyncAPI in YAML",
        "asyncapi.yaml",
        "asyncapi: 3.0.0\nservers:\n  main:\n    host: broker:9092\n    protocol: kafka\nchannels:\n  paid:\n    address: orders.paid\noperations:\n  onPaid:\n    action: receive\n    channel:\n      $ref: '#/channels/paid'\n",
        "asyncapi: 3.0.0\nservers:\n  main:\n    host: broker:80\n    protocol: wss\nchannels:\n  paid:\n    address: orders.paid\noperations:\n  onPaid:\n    action: receive\n    channel:\n      $ref: '#/channels/paid'\n",
    ),
    (
        "AsyncAPI in JSON",
        "asyncapi.json",
        "{\"asyncapi\":\"2.6.0\",\"servers\":{\"a\":{\"url\":\"x\",\"protocol\":\"kafka\"}},\"channels\":{\"orders.paid\":{\"publish\":{\"message\":{}}}}}",
        "{\"openapi\":\"3.0.0\",\"servers\":{\"a\":{\"url\":\"x\",\"protocol\":\"kafka\"}},\"channels\":{\"orders.paid\":{\"publish\":{\"message\":{}}}}}",
    ),
];

/// Form, file of the user, file of the provider, near miss of the provider.
#[rustfmt::skip]
const GRAPHQL: &[(&str, &str, &str, &str)] = &[
    (
        "schemas of GraphQL",
        "//- /a.ts\nimport { gql } from '@apollo/client'\nconst Q = gql`query Cart($id: ID!) { cartOfShop(id: $id) { id } }`\nconst M = gql`mutation { addItemToCart(id: 1) { id } }`\n",
        "//- /schema.ts\nimport { gql } from 'apollo-server'\nexport const typeDefs = gql`\ntype Query {\n  cartOfShop(id: ID!): Cart\n}\ntype Mutation {\n  addItemToCart(id: ID!): Cart\n}\n`\n",
        "//- /schema.ts\nimport { gql } from 'apollo-server'\nexport const typeDefs = gql`\ntype Shop {\n  cartOfShop(id: ID!): Cart\n  addItemToCart(id: ID!): Cart\n}\n`\n",
    ),
    (
        "operations of GraphQL",
        "//- /ops.graphql\nmutation Add { addItemToCart(id: 1) { id } }\nmutation Drop { dropItemOfCart(id: 1) { id } }\n",
        "//- /A.java\nclass A { @MutationMapping Item addItemToCart() { return null; } @MutationMapping Item dropItemOfCart() { return null; } }\n",
        "//- /A.java\nclass A { @Transactional Item addItemToCart() { return null; } @Transactional Item dropItemOfCart() { return null; } }\n",
    ),
    (
        "resolvers of GraphQL",
        "//- /a.py\nfrom gql import gql\ndef f(c): c.execute(gql(\"\"\"mutation { addItemToCart(id: 1) { id } dropItemOfCart(id: 1) { id } }\"\"\"))\n",
        "//- /a.ts\nexport const resolvers = { Mutation: { addItemToCart: (_, args) => load(args), dropItemOfCart: (_, args) => drop(args) } }\n",
        "//- /a.ts\nexport const columns = { Mutated: { addItemToCart: (_, args) => load(args), dropItemOfCart: (_, args) => drop(args) } }\n",
    ),
];

pub(super) fn rows() -> Vec<NotationRow> {
    let interface = |(name, path, text, near): &(&str, &str, &str, &str)| {
        let file = |text: &str| format!("//- /{path}\n{text}\n{HANDLER}");
        NotationRow::new(name, ContractKind::Http, "/items/", REQUEST, &file(text), NearMiss::Provider(file(near)))
    };
    let message = |(name, path, text, near): &(&str, &str, &str, &str)| {
        let file = |text: &str| format!("//- /{path}\n{text}\n");
        // A document may be a copy of that of another application.
        NotationRow::new(name, ContractKind::Topic, "", PRODUCER, &file(text), NearMiss::Provider(file(near)))
            .candidate()
    };
    let graphql = |(name, user, provider, near): &(&str, &str, &str, &str)| {
        NotationRow::new(name, ContractKind::Http, "", user, provider, NearMiss::Provider((*near).to_owned()))
    };
    INTERFACES.iter().map(interface).chain(MESSAGES.iter().map(message)).chain(GRAPHQL.iter().map(graphql)).collect()
}
