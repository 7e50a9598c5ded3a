//! Registrations whose path and handler are in different calls: `router.get("/x").handler(f)` of Vert.x, `route(GET("/x"), f)` of
//! WebFlux; and endpoints of FastEndpoints, which call `Get("/x")` in their configuration.

use graph::FileIdx;
use model::code::{ExpressionId, ScopeId};

use super::{
    RouteReader,
    calls::{MAX_CHAIN, RouteArguments, verb},
};
use crate::contracts::{requests::methods, values::CallShape};

/// Functions of a route of Vert.x that take its handler.
const HANDLERS: [&str; 5] = ["handler", "blockingHandler", "coroutineHandler", "coHandler", "respond"];

impl<'p> RouteReader<'_, '_, 'p> {
    /// Returns the route of Vert.x or of WebFlux that a call registers.
    pub(super) fn chained_route(&mut self, file: FileIdx, shape: &CallShape<'p>) -> Option<RouteArguments> {
        match shape.name {
            "route" | "andRoute" if shape.arguments.len() == 2 => self.route_of_predicate(file, shape),
            name if HANDLERS.contains(&name) => self.route_of_chain(file, shape),
            _ => None,
        }
    }

    /// `router.get("/x").consumes("json").handler(f)`, `router.route(HttpMethod.GET, "/x").handler(f)`.
    fn route_of_chain(&mut self, file: FileIdx, shape: &CallShape<'p>) -> Option<RouteArguments> {
        let imports = &self.values.program().facts(file).imports;
        if !imports.iter().any(|import| import.module.contains("vertx")) {
            return None;
        }
        let handler = shape.positional().last();
        // `JWTAuthHandler.create(provider)` handles a request before its route does.
        let made = handler.and_then(|handler| self.values.call(file, handler));
        if made.is_some_and(|made| made.name == "create") {
            return None;
        }
        let mut at = shape.object;
        for _ in 0..MAX_CHAIN {
            let call = self.values.call(file, at?)?;
            let stated = match call.name {
                "route" if call.arguments.len() == 2 => {
                    Some((methods::of_value(self.values, file, call.at(0)?, None)?, call.at(1)?))
                }
                "route" => Some(("*".to_owned(), call.at(0)?)),
                name => verb(name).zip(call.at(0)),
            };
            if let Some((method, path)) = stated {
                let is_path = self.values.text(file, path).as_literal().is_none_or(|text| text.starts_with('/'));
                return (is_path && self.is_router_of_vertx(file, call.object)).then(|| RouteArguments {
                    methods: vec![method],
                    path: Some(path),
                    handler,
                });
            }
            at = call.object;
        }
        None
    }

    /// Returns true for a router. A client of Vert.x has functions of the same names.
    fn is_router_of_vertx(&mut self, file: FileIdx, object: Option<ExpressionId>) -> bool {
        let named = object.and_then(|object| self.values.dotted(file, object));
        let is_named = named.is_some_and(|name| name.to_ascii_lowercase().ends_with("router"));
        is_named || self.is_router(file, object)
    }

    /// `route(GET("/x").and(accept(JSON)), f)`, `andRoute(RequestPredicates.POST("/x"), f)`.
    fn route_of_predicate(&mut self, file: FileIdx, shape: &CallShape<'p>) -> Option<RouteArguments> {
        let mut at = shape.at(0);
        for _ in 0..MAX_CHAIN {
            let call = self.values.call(file, at?)?;
            if methods::METHODS.contains(&call.name) {
                let (method, path) = (call.name.to_owned(), call.at(0)?);
                return Some(RouteArguments { methods: vec![method], path: Some(path), handler: shape.at(1) });
            }
            at = call.object;
        }
        None
    }

    /// `Get("/x")` in the method `Configure` of an endpoint.
    pub(super) fn configured_endpoint(
        &mut self,
        file: FileIdx,
        shape: &CallShape<'p>,
        scope: ScopeId,
    ) -> Option<RouteArguments> {
        let program = self.values.program();
        let method = methods::METHODS.iter().find(|method| method.eq_ignore_ascii_case(shape.name))?;
        if shape.object.is_some() || !shape.name.starts_with(char::is_uppercase) {
            return None;
        }
        let around = self.values.code(file).definition_around(scope)?;
        let is_configuration = program.definition(program.symbol(file, around)).name == "Configure";
        let class = self.values.type_around(file, scope)?;
        let code = self.values.code(program.file_of(class));
        let is_endpoint = program.shape(class).bases.iter().any(|base| {
            self.values
                .written_name(program.file_of(class), base.base)
                .is_some_and(|(_, name)| code.name(name).contains("Endpoint"))
        });
        let path: ExpressionId = shape.at(0).filter(|_| is_configuration && is_endpoint)?;
        self.values.literal(file, path)?;
        Some(RouteArguments { methods: vec![(*method).to_owned()], path: Some(path), handler: None })
    }
}
