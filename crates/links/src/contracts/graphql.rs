//! GraphQL: operations in the texts of clients, and the resolvers of root fields.
//!
//! A root field is a route of its own: `QUERY /graphql/cart`, `MUTATION /graphql/addItem`. All of them have one URL, so that the
//! address of a request says only which service it goes to.

mod text;

use graph::{FileIdx, Node, SymbolIdx, Ty};
use model::{
    Language,
    code::{Expression, ExpressionId, Literal},
};

use super::{decorations::decorations_of, enclosing::node_around, values::ValueReader};
use crate::contract::{ContractKind, ContractOffer, ContractUse};
use text::{RootField, fields_of_operations, fields_of_schema};

/// Types with root fields, and the method that stands for each.
const ROOTS: [(&str, &str); 3] = [("Query", "QUERY"), ("Mutation", "MUTATION"), ("Subscription", "SUBSCRIPTION")];

/// Libraries whose decorators of these names make resolvers.
const LIBRARIES: [&str; 5] = ["@nestjs/graphql", "type-graphql", "graphql", "strawberry", "ariadne"];

/// Maximum number of texts of one file that are read.
const MAX_TEXTS: usize = 2_000;

/// Returns the root fields that a file resolves or declares, and those that it asks for.
pub(super) fn contracts(values: &mut ValueReader<'_, '_>, file: FileIdx) -> (Vec<ContractOffer>, Vec<ContractUse>) {
    let (mut offers, mut uses) = (Vec::new(), Vec::new());
    for (text, node, line) in texts(values, file) {
        let offered = fields_of_schema(text);
        offers.extend(offered.iter().map(|field| offer(field, node, line + field.line)));
        uses.extend(fields_of_operations(text).iter().map(|field| request(field, node, line + field.line)));
    }
    offers.extend(resolvers_of_objects(values, file));
    offers.extend(resolvers_of_types(values, file));
    (offers, uses)
}

fn key(method: &str, field: &str) -> String {
    format!("{method} /graphql/{field}")
}

fn offer(field: &RootField, node: Node, line: u32) -> ContractOffer {
    let key = key(field.method, &field.name);
    ContractOffer { kind: ContractKind::Http, key, member: String::new(), node, line }
}

fn request(field: &RootField, node: Node, line: u32) -> ContractUse {
    ContractUse {
        kind: ContractKind::Http,
        key: format!("{} {{}}/graphql/{}", field.method, field.name),
        member: "{}".to_owned(),
        node,
        line,
        confidence: crate::services::CONFIRMED,
        n_sites: 1,
        serves: false,
    }
}

/// Returns the texts of a file that may be of GraphQL, with their node and line: arguments of calls, and values of variables.
fn texts<'p>(values: &ValueReader<'_, 'p>, file: FileIdx) -> Vec<(&'p str, Node, u32)> {
    let (program, code) = (values.program(), values.code(file));
    let text_of = |expression: ExpressionId| match code.expression(expression) {
        Expression::Literal(Literal::Text(Some(text))) => Some(code.name(*text)).filter(|text| text::may_be(text)),
        _ => None,
    };
    let mut found = Vec::new();
    for site in &code.sites {
        let Expression::Call { arguments, .. } = code.expression(site.expression) else { continue };
        for text in arguments.iter().filter_map(|argument| text_of(*argument)) {
            found.push((text, node_around(program, file, site.scope), site.line));
        }
    }
    for symbol in program.symbols_of(file).filter(|symbol| program.shape(*symbol).body.is_none()) {
        let text = program.shape(symbol).values.iter().find_map(|value| text_of(*value));
        found.extend(text.map(|text| (text, Node::Symbol(symbol), program.definition(symbol).name_line)));
    }
    found.truncate(MAX_TEXTS);
    found
}

/// Reads `{Query: {cart: resolve}, Mutation: {addItem(parent, input) {}}}`.
fn resolvers_of_objects(values: &mut ValueReader<'_, '_>, file: FileIdx) -> Vec<ContractOffer> {
    use Language::{JavaScript, Tsx, TypeScript};
    let (program, code) = (values.program(), values.code(file));
    if !matches!(program.language(file), JavaScript | TypeScript | Tsx) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for expression in &code.expressions {
        let Expression::Object(types) = expression else { continue };
        for (name, value) in types {
            let root = ROOTS.iter().find(|(root, _)| *root == code.name(*name));
            let (Some((_, method)), Expression::Object(fields)) = (root, code.expression(*value)) else { continue };
            for (field, resolver) in fields {
                let Some(node) = resolver_node(values, file, *resolver) else { continue };
                let line = match node {
                    Node::Symbol(symbol) => program.definition(symbol).name_line,
                    Node::File(_) => 1,
                };
                let field = RootField { method, name: code.name(*field).to_owned(), line: 0 };
                found.push(offer(&field, node, line));
            }
        }
    }
    found
}

/// Returns the function that resolves a field; `None` if the value is no function.
fn resolver_node(values: &mut ValueReader<'_, '_>, file: FileIdx, resolver: ExpressionId) -> Option<Node> {
    let (program, code) = (values.program(), values.code(file));
    match code.expression(resolver) {
        Expression::Definition(definition) => Some(Node::Symbol(program.symbol(file, *definition))),
        Expression::Function { scope, .. } => Some(node_around(program, file, *scope)),
        _ => match values.cx.type_of(file, resolver) {
            Ty::Function { candidates, .. } => candidates.first().copied().map(Node::Symbol),
            _ => None,
        },
    }
}

/// Returns the root fields that methods resolve, by decorators (Nest, TypeGraphQL, Spring, DGS, Strawberry, Ariadne) and by the names
/// of their types (gqlgen, Graphene).
fn resolvers_of_types(values: &mut ValueReader<'_, '_>, file: FileIdx) -> Vec<ContractOffer> {
    let program = values.program();
    let facts = program.facts(file);
    let is_imported = facts.imports.iter().any(|import| {
        LIBRARIES.iter().any(|library| import.module.starts_with(library)) || import.module.contains("graphene")
    });
    let may_be = is_imported || matches!(program.language(file), Language::Go | Language::Java | Language::Kotlin);
    let mut found = Vec::new();
    for symbol in program.symbols_of(file).filter(|_| may_be) {
        let resolved = match program.language(file) {
            Language::Go => by_receiver(values, symbol),
            Language::Python => by_decorator(values, symbol).or_else(|| by_type_of_python(values, symbol)),
            _ => by_decorator(values, symbol),
        };
        let line = program.definition(symbol).name_line;
        found.extend(resolved.map(|field| offer(&field, Node::Symbol(symbol), line)));
    }
    found
}

/// gqlgen: `func (r *queryResolver) Cart(ctx)`.
fn by_receiver(values: &ValueReader<'_, '_>, method: SymbolIdx) -> Option<RootField> {
    let program = values.program();
    let owner = &program.definition(program.parent(method)?).name;
    let root = owner.strip_suffix("Resolver")?;
    let (_, kind) = ROOTS.iter().find(|(name, _)| name.eq_ignore_ascii_case(root))?;
    let name = &program.definition(method).name;
    let is_exported = name.starts_with(|c: char| c.is_uppercase());
    is_exported.then(|| RootField { method: kind, name: lower_first(name), line: 0 })
}

/// `@Query()` of Nest, `@QueryMapping` of Spring, `@DgsQuery(field = "cart")`, `@query.field("cart")` of Ariadne.
fn by_decorator(values: &mut ValueReader<'_, '_>, method: SymbolIdx) -> Option<RootField> {
    let program = values.program();
    let language = program.language(program.file_of(method));
    for decoration in decorations_of(values, method) {
        let name = decoration.name;
        let kind = match language {
            Language::Java | Language::Kotlin => {
                let root = name.strip_suffix("Mapping").or(name.strip_prefix("Dgs"))?;
                ROOTS.iter().find(|(of, _)| *of == root)
            }
            Language::Python if name == "field" => {
                let object = decoration.object.and_then(|object| values.dotted(decoration.file, object));
                ROOTS.iter().find(|(of, _)| object.as_deref().is_some_and(|object| of.eq_ignore_ascii_case(object)))
            }
            Language::Python => None,
            _ => ROOTS.iter().find(|(of, _)| *of == name),
        };
        let Some((_, kind)) = kind else { continue };
        let named = decoration.named(values, &["name", "field", "value"]);
        let written = named.or_else(|| decoration.positional.first().copied());
        let written = written.and_then(|written| values.literal(decoration.file, written));
        let own = program.definition(method).name.as_str();
        return Some(RootField { method: kind, name: written.unwrap_or(own).to_owned(), line: 0 });
    }
    None
}

/// Graphene: `class Query: def resolve_cart`. Strawberry: `@strawberry.field def cart` in `class Query`.
fn by_type_of_python(values: &mut ValueReader<'_, '_>, method: SymbolIdx) -> Option<RootField> {
    let program = values.program();
    let owner = program.parent(method)?;
    let (_, kind) = ROOTS.iter().find(|(root, _)| *root == program.definition(owner).name)?;
    let name = &program.definition(method).name;
    let is_decorated = decorations_of(values, method).iter().any(|one| matches!(one.name, "field" | "mutation"));
    let field = match name.strip_prefix("resolve_") {
        Some(field) => field,
        None if is_decorated => name,
        None => return None,
    };
    Some(RootField { method: kind, name: camel_case(field), line: 0 })
}

/// Returns the name of a field in a schema: `lineItems` of `line_items`.
fn camel_case(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |joined, part| {
        let mut chars = part.chars();
        let upper = chars.next().map(|first| first.to_uppercase().chain(chars).collect::<String>());
        joined + &upper.unwrap_or_default()
    })
}

fn lower_first(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use crate::testing::contracts;

    #[test]
    fn operations_ask_for_fields_that_resolvers_have() {
        for (fixture, expected) in [
            (
                "//- /a.ts\nimport { gql } from '@apollo/client'\nconst Q = gql`query Cart($id: ID!) { cart(id: $id) { id } }`\n",
                Some("- QUERY {}/graphql/cart {}"),
            ),
            (
                "//- /a.py\nfrom gql import gql\ndef f(c): c.execute(gql(\"\"\"mutation { addItem(id: 1) { id } }\"\"\"))\n",
                Some("- MUTATION {}/graphql/addItem {}"),
            ),
            ("//- /a.ts\nconst typeDefs = gql`type Query { cart(id: ID!): Cart }`\n", Some("+ QUERY /graphql/cart")),
            (
                "//- /a.ts\nexport const resolvers = { Query: { cart: (_, args) => load(args) }, Cart: { items: () => [] } }\n",
                Some("+ QUERY /graphql/cart"),
            ),
            (
                "//- /a.ts\nimport { Resolver, Query } from '@nestjs/graphql'\n@Resolver()\nclass A { @Query(() => Cart) cart() {} }\n",
                Some("+ QUERY /graphql/cart"),
            ),
            (
                "//- /A.java\nclass A { @MutationMapping Item addItem() { return null; } }\n",
                Some("+ MUTATION /graphql/addItem"),
            ),
            (
                "//- /a.go\npackage a\ntype queryResolver struct{}\nfunc (r *queryResolver) Cart(ctx C) {}\n",
                Some("+ QUERY /graphql/cart"),
            ),
            (
                "//- /a.py\nimport graphene\nclass Query(graphene.ObjectType):\n    def resolve_line_items(self, info): pass\n",
                Some("+ QUERY /graphql/lineItems"),
            ),
            (
                "//- /a.py\nimport strawberry\n@strawberry.type\nclass Query:\n    @strawberry.field\n    def cart(self) -> int: return 1\n",
                Some("+ QUERY /graphql/cart"),
            ),
            // Other texts, objects and decorators.
            ("//- /a.ts\nlog('query the cart { now }')\n", None),
            ("//- /a.ts\nconst x = { Query: { cart: 1 } }\n", None),
            ("//- /a.ts\nimport { Query } from './db'\nclass A { @Query() cart() {} }\n", None),
            ("//- /a.py\nclass Query:\n    def resolve_cart(self): pass\n", None),
        ] {
            let lines = contracts(fixture);
            let found = lines.iter().find(|line| line.contains("/graphql/"));
            match expected {
                Some(expected) => {
                    assert!(found.is_some_and(|line| line.starts_with(expected)), "{fixture}\n{lines:#?}")
                }
                None => assert_eq!(found, None, "{fixture}"),
            }
        }
    }
}
