//! Routes that a framework makes for a whole class: repositories of Spring Data REST, and controllers with `@Crud` of NestJS.

use graph::{FileIdx, Node, SymbolIdx};
use model::{
    SymbolKind,
    code::{Expression, ExpressionId, Literal, ScopeId, TypeExpression},
};

use super::{Registration, RouteHandler, RouteReader, decorated::with_class, joined};
use crate::contracts::decorations::{DecorationCall, decoration_call, decorations_of};

/// The routes of a collection: method, and the path behind that of the collection.
const COLLECTION: [(&str, &str); 6] =
    [("GET", ""), ("POST", ""), ("GET", "/{id}"), ("PUT", "/{id}"), ("PATCH", "/{id}"), ("DELETE", "/{id}")];

impl<'p> RouteReader<'_, '_, 'p> {
    /// Returns the registrations that frameworks make for the annotated types of a file.
    pub(super) fn generated(&mut self, file: FileIdx) -> Vec<Registration> {
        let program = self.values.program();
        let mut found = Vec::new();
        for decoration in &self.values.code(file).decorations {
            let owner = program.symbol(file, decoration.definition);
            let Some(call) = decoration_call(self.values, file, decoration) else { continue };
            let kind = program.definition(owner).kind;
            if !matches!(kind, SymbolKind::Class | SymbolKind::Interface) {
                continue;
            }
            match call.name {
                "RepositoryRestResource" if !self.is_hidden(&call) => {
                    let path = self.path_of_repository(owner, &call);
                    found.extend(self.collection(owner, &call, std::slice::from_ref(&path), decoration.expression));
                    found.extend(self.searches(owner, &path, decoration.expression));
                }
                "Crud" => {
                    let paths = self.class_paths(owner);
                    found.extend(self.collection(owner, &call, &paths, decoration.expression));
                }
                _ => {}
            }
        }
        found
    }

    fn collection(
        &self,
        owner: SymbolIdx,
        call: &DecorationCall<'p>,
        paths: &[String],
        expression: ExpressionId,
    ) -> Vec<Registration> {
        let all = paths.iter().flat_map(|path| COLLECTION.iter().map(move |route| (path, route)));
        all.map(|(path, (method, rest))| Registration {
            methods: vec![(*method).to_owned()],
            path: with_class(path, rest),
            handler: RouteHandler { node: Some(Node::Symbol(owner)), is_inline: false },
            router: None,
            call: expression,
            scope: ScopeId(0),
            line: call.line,
        })
        .collect()
    }

    /// Returns the routes of the methods of a repository of Spring Data REST: `/orders/search/findByCustomer`.
    fn searches(&mut self, repository: SymbolIdx, path: &str, expression: ExpressionId) -> Vec<Registration> {
        let program = self.values.program();
        let home = program.file_of(repository);
        let methods: Vec<SymbolIdx> =
            program.symbols_of(home).filter(|member| program.parent(*member) == Some(repository)).collect();
        let mut found = Vec::new();
        for method in methods {
            let definition = program.definition(method);
            let annotation = decorations_of(self.values, method).into_iter().find(|one| one.name == "RestResource");
            if annotation.as_ref().is_some_and(|one| self.is_hidden(one)) {
                continue;
            }
            let stated = annotation.and_then(|one| self.paths(&one).into_iter().next());
            let name = stated.unwrap_or_else(|| definition.name.clone());
            found.push(Registration {
                methods: vec!["GET".to_owned()],
                path: joined(&with_class(path, "/search"), &name),
                handler: RouteHandler { node: Some(Node::Symbol(method)), is_inline: false },
                router: None,
                call: expression,
                scope: ScopeId(0),
                line: definition.name_line,
            });
        }
        found
    }

    /// Returns the path of a repository: as stated, or the name of its entity in the plural.
    fn path_of_repository(&mut self, repository: SymbolIdx, call: &DecorationCall<'p>) -> String {
        if let Some(path) = self.paths(call).into_iter().next() {
            return path;
        }
        let program = self.values.program();
        let code = self.values.code(program.file_of(repository));
        let mut bases = program.shape(repository).bases.iter();
        let entity = bases.find_map(|base| match code.written(base.base) {
            TypeExpression::Named { arguments, .. } => match code.written(*arguments.first()?) {
                TypeExpression::Named { path, .. } => path.last().map(|name| code.name(*name)),
                _ => None,
            },
            _ => None,
        });
        let name = entity.unwrap_or_else(|| program.definition(repository).name.trim_end_matches("Repository"));
        plural(name)
    }

    /// Returns true for `exported = false`. The value is not kept, and nobody states the default.
    fn is_hidden(&self, call: &DecorationCall<'p>) -> bool {
        let exported = call.named(self.values, &["exported"]);
        let is_boolean =
            |value| matches!(self.values.expression(call.file, value), Expression::Literal(Literal::Boolean));
        exported.is_some_and(is_boolean)
    }
}

/// Returns the path that Spring Data REST makes of the name of an entity: `orderItems` of `OrderItem`, `categories` of `Category`.
fn plural(name: &str) -> String {
    let mut chars = name.chars();
    let small: String = chars.next().into_iter().flat_map(char::to_lowercase).chain(chars).collect();
    let ends_in_consonant_y = small.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u']));
    match ends_in_consonant_y {
        Some(stem) => format!("{stem}ies"),
        None if small.ends_with(['s', 'x', 'z']) || small.ends_with("ch") || small.ends_with("sh") => small + "es",
        None => small + "s",
    }
}
