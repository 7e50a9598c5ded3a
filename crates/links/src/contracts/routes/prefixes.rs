//! Prefixes of routers: groups, options of constructors, and the blocks around a registration.

mod laravel;
mod nest;

use std::collections::BTreeSet;

use graph::FileIdx;
use model::{
    Language,
    code::{Expression, ExpressionId, ScopeId},
};

use super::{Registration, RouteReader, joined, mounts::MAX_MOUNTS};
use crate::contracts::values::{CallShape, ValueSource};

/// Functions that give a router for a group of routes under a path, the first argument or an option.
pub(super) const GROUPS: [&str; 20] = [
    "Group",
    "group",
    "Route",
    "route",
    "nest",
    "scope",
    "Blueprint",
    "APIRouter",
    "Mount",
    "PathPrefix",
    "Router",
    "basePath",
    "MapGroup",
    "namespace",
    "prefix",
    "Party",
    "Prefix",
    "Hono",
    "KoaRouter",
    "SimpleRouter",
];

/// Options with the path of a group or mount.
const OPTIONS: [&str; 3] = ["url_prefix", "prefix", "basePath"];

impl<'p> RouteReader<'_, '_, 'p> {
    /// Returns the prefixes of a registration: that of its router, or those of the blocks around it. A route of several versions has
    /// several.
    pub(super) fn prefixes_of(&mut self, file: FileIdx, registration: &Registration) -> Vec<String> {
        match registration.router {
            Some(router) if !self.is_static(file, router) => vec![self.prefix(file, router, 0)],
            _ => {
                let own = self.prefix_of_blocks(file, registration.scope, registration.call);
                let of_laravel = laravel::prefix_of_file(self.values, file);
                let outer =
                    if of_laravel.is_empty() { self.prefixes_of_nest(file, registration) } else { vec![of_laravel] };
                outer.iter().map(|outer| if outer.is_empty() { own.clone() } else { joined(outer, &own) }).collect()
            }
        }
    }

    /// Returns true for a router that is no object: `Route::get` of Laravel.
    fn is_static(&self, file: FileIdx, router: ExpressionId) -> bool {
        let language = self.values.program().language(file);
        language == Language::Php && self.values.dotted(file, router).is_some_and(|name| name.ends_with("Route"))
    }

    /// Returns the path under which a router is, as far as this file determines it.
    pub(super) fn prefix(&mut self, file: FileIdx, router: ExpressionId, depth: u32) -> String {
        if depth > MAX_MOUNTS {
            return String::new();
        }
        match self.values.expression(file, router) {
            Expression::Call { .. } => {
                let Some(call) = self.values.call(file, router) else { return String::new() };
                let outer = call.object.map_or_else(String::new, |object| self.prefix(file, object, depth + 1));
                match self.path_of_group(file, &call).filter(|_| self.makes_group(file, &call)) {
                    Some(own) => joined(&outer, &own),
                    None => outer,
                }
            }
            Expression::Make { arguments, .. } => {
                let options = arguments.iter().find_map(|argument| self.option(file, *argument));
                options.unwrap_or_default()
            }
            Expression::Name { name, scope, n_before } => {
                let code = self.values.code(file);
                let name = self.values.program().name(file, *name);
                let binding = self.values.cx.binding_before(file, name, *scope, *n_before);
                if let Some(binding) = binding.map(|binding| &code.bindings[binding as usize])
                    && binding.value.is_none()
                {
                    // The parameter of a closure that is passed to a function that makes a group.
                    let call = self.values.cx.closure_call(file, binding.scope);
                    return call.map_or_else(String::new, |call| self.prefix(file, call, depth + 1));
                }
                self.prefix_of_sources(file, router, depth)
            }
            Expression::Member { .. } => self.prefix_of_sources(file, router, depth),
            _ => String::new(),
        }
    }

    fn prefix_of_sources(&mut self, file: FileIdx, router: ExpressionId, depth: u32) -> String {
        let sources = self.values.sources(file, router);
        let value = sources.into_iter().find_map(|source| match source {
            ValueSource::Expression(file, value) => Some((file, value)),
            _ => None,
        });
        value.map_or_else(String::new, |(file, value)| self.prefix(file, value, depth + 1))
    }

    /// Returns the prefix that the blocks around a call give: `namespace :api do … end`, `route("/api") { … }`.
    pub(super) fn prefix_of_blocks(&mut self, file: FileIdx, scope: ScopeId, call: ExpressionId) -> String {
        let code = self.values.code(file);
        let mut at = Some(scope);
        let mut prefixes = Vec::new();
        let mut seen = BTreeSet::from([call]);
        for _ in 0..64 {
            let Some(scope) = at else { break };
            if let Some(block) = self.values.cx.closure_call(file, scope).filter(|block| seen.insert(*block)) {
                prefixes.extend(self.prefix_of_block(file, block));
            }
            at = code.scopes.get(scope.index()).and_then(|scope| scope.parent);
        }
        prefixes.iter().rev().fold(String::new(), |prefix, part| joined(&prefix, part))
    }

    fn prefix_of_block(&mut self, file: FileIdx, block: ExpressionId) -> Option<String> {
        let call = self.values.call(file, block)?;
        let named = call.named(&["path"]).and_then(|path| self.route_text(file, path));
        let text = named.or_else(|| call.at(0).and_then(|first| self.route_text(file, first)));
        match call.name {
            "namespace" | "scope" | "route" | "nest" | "path" => text,
            "resources" | "resource" => {
                let is_plural = call.name == "resources";
                let text = text?;
                let id = if is_plural { "/{id}" } else { "" };
                Some(format!("/{}{id}", text.trim_matches('/')))
            }
            // `collection do … end` leaves out the identity of the resource.
            "collection" => Some("/..".to_owned()),
            // `Route::prefix("api")->middleware("x")->group(function () { … })`.
            "group" => {
                let mut prefix = text.unwrap_or_default();
                let mut object = call.object;
                for _ in 0..8 {
                    let Some(before) = object.and_then(|object| self.values.call(file, object)) else { break };
                    if before.name == "prefix" {
                        let own = before.at(0).and_then(|first| self.route_text(file, first)).unwrap_or_default();
                        prefix = joined(&own, &prefix);
                    }
                    object = before.object;
                }
                Some(prefix)
            }
            _ => None,
        }
    }

    /// Returns true if a call gives the router of a group. With a second router as its argument, it mounts that one.
    fn makes_group(&self, file: FileIdx, call: &CallShape<'p>) -> bool {
        let is_mount = matches!(call.name, "route" | "nest" | "scope" | "mount" | "Mount");
        let has_block = call
            .arguments
            .last()
            .is_some_and(|last| matches!(self.values.expression(file, *last), Expression::Function { .. }));
        GROUPS.contains(&call.name) && (!is_mount || call.arguments.len() == 1 || has_block)
    }

    fn path_of_group(&mut self, file: FileIdx, call: &CallShape<'p>) -> Option<String> {
        for argument in call.arguments {
            let path = self.option(file, *argument).or_else(|| self.route_text(file, *argument));
            if let Some(path) = path.filter(|path| path.starts_with('/') || call.object.is_some()) {
                return Some(path);
            }
        }
        None
    }

    /// Returns the option with the path among keyword arguments or in an object.
    pub(super) fn option(&mut self, file: FileIdx, argument: ExpressionId) -> Option<String> {
        let code = self.values.code(file);
        let fields = match code.expression(argument) {
            Expression::Dereferenced { of } => code.expression(*of),
            other => other,
        };
        let Expression::Object(fields) = fields else { return None };
        let (_, value) = fields.iter().find(|(name, _)| OPTIONS.contains(&code.name(*name)))?;
        self.route_text(file, *value)
    }
}
