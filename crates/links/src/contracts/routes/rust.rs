//! Registrations of Rust: method routers of axum, resources of actix, filters of warp.

use graph::FileIdx;
use model::code::{Expression, ExpressionId, ScopeId};

use super::{Registration, RouteReader, calls::MAX_CHAIN};
use crate::contracts::{requests::methods, values::CallShape};

impl<'p> RouteReader<'_, '_, 'p> {
    /// `.route("/x", get(a).post(b))`, `web::resource("/x").route(web::get().to(a))`, `warp::path("x").and(warp::get()).map(a)`.
    pub(super) fn rust_routes(
        &mut self,
        file: FileIdx,
        shape: &CallShape<'p>,
        scope: ScopeId,
        line: u32,
    ) -> Vec<Registration> {
        let mut found = Vec::new();
        let (path, service) = match (shape.name, shape.arguments.len()) {
            ("route", 2) => (shape.at(0).and_then(|path| self.route_text(file, path)), shape.at(1)),
            ("route", 1) => {
                let path = self.linked(file, shape.object, &["resource"]);
                (path.and_then(|path| self.route_text(file, path)), shape.at(0))
            }
            ("map" | "and_then" | "then", 1) => return self.warp_routes(file, shape, scope, line),
            _ => return Vec::new(),
        };
        let (Some(path), Some(service)) = (path, service) else { return Vec::new() };
        let mut at = Some(service);
        let mut to: Option<ExpressionId> = None;
        for _ in 0..MAX_CHAIN {
            let Some(call) = at.and_then(|at| self.values.call(file, at)) else { break };
            let method = if call.name == "any" { Some("*".to_owned()) } else { methods::of_name(call.name) };
            match (call.name, method) {
                ("to", _) => to = call.at(0),
                (_, Some(method)) => {
                    if let Some(handler) = call.at(0).or(to) {
                        let handler = self.handler(file, handler, scope);
                        let (methods, path) = (vec![method], path.clone());
                        found.push(Registration {
                            methods,
                            path,
                            handler,
                            router: shape.object,
                            call: shape.call,
                            scope,
                            line,
                        });
                    }
                }
                _ => {}
            }
            at = call.object.filter(|object| matches!(self.values.expression(file, *object), Expression::Call { .. }));
        }
        found
    }

    fn warp_routes(&mut self, file: FileIdx, shape: &CallShape<'p>, scope: ScopeId, line: u32) -> Vec<Registration> {
        let mut segments: Vec<String> = Vec::new();
        let mut method = None;
        let mut at = shape.object;
        for _ in 0..MAX_CHAIN {
            let Some(call) = at.and_then(|at| self.values.call(file, at)) else { break };
            let parts: Vec<CallShape<'p>> = if call.name == "and" {
                call.at(0).and_then(|part| self.values.call(file, part)).into_iter().collect()
            } else {
                vec![call]
            };
            for part in parts {
                if !self.values.origin(file, part.callee).is_some_and(|origin| origin.path.starts_with("warp")) {
                    continue;
                }
                match part.name {
                    "path" => segments.extend(part.at(0).and_then(|text| self.route_text(file, text))),
                    "param" => segments.push("{}".to_owned()),
                    name => method = method.or_else(|| methods::of_name(name)),
                }
            }
            at = call.object.filter(|_| call.name == "and");
        }
        let (Some(handler), false) = (shape.at(0), segments.is_empty()) else { return Vec::new() };
        segments.reverse();
        let handler = self.handler(file, handler, scope);
        let methods = vec![method.unwrap_or_else(|| "*".to_owned())];
        let path = format!("/{}", segments.join("/"));
        vec![Registration { methods, path, handler, router: None, call: shape.call, scope, line }]
    }
}
