//! Requests that a sidecar passes on to a service by its name: the clients of Dapr, and the path of its HTTP interface.

use std::rc::Rc;

use graph::{FileIdx, Program};
use model::code::{DefinitionId, ExpressionId};
use rustc_hash::FxHashMap;

use super::{HttpRequest, KNOWN_CLIENT, RequestReader, methods};
use crate::contracts::{
    text_value::{CallFrame, TextValue, with_slash},
    url::RequestUrl,
    values::CallShape,
};

/// A function of a client of Dapr: its name in small letters without underscores, and the method of a call that names none.
const FUNCTIONS: [(&str, &str); 7] = [
    ("invokemethod", "*"),
    ("invokemethodwithcontent", "*"),
    ("invokemethodwithcustomcontent", "*"),
    ("invokemethodasync", "POST"),
    ("invokemethodwithresponseasync", "POST"),
    ("createinvokemethodrequest", "POST"),
    ("invoke", "*"),
];

/// Types of clients. A project of .NET may import them for all its files.
const CLIENTS: [&str; 2] = ["DaprClient", "DaprClientBuilder"];

/// Names of the argument with the service.
const SERVICES: [&str; 3] = ["app_id", "appId", "serviceAppId"];

/// Names of the argument with the path.
const PATHS: [&str; 3] = ["method_name", "methodName", "method"];

/// Names of the argument with the method.
const METHODS: [&str; 4] = ["http_verb", "httpVerb", "httpMethod", "verb"];

/// The beginning of the path by which a sidecar takes a request for a service, and what follows the service.
const INVOCATION: (&str, &str) = ("/v1.0/invoke/", "/method");

/// The header by which a sidecar takes a request for a service.
const HEADER: &str = "dapr-app-id";

/// The names and calls of one file that tell of sidecars.
#[derive(Default)]
pub(super) struct SidecarFacts {
    /// True if the file imports a client of Dapr, or names its type. Other libraries have functions of the same names.
    has_client: bool,
    has_header: bool,
    /// By call, in a file with the header: the definition around it.
    around: FxHashMap<ExpressionId, Option<DefinitionId>>,
    /// By definition: the services that calls with the header name.
    services: FxHashMap<Option<DefinitionId>, Vec<ExpressionId>>,
}

impl SidecarFacts {
    fn of(program: &Program<'_>, file: FileIdx) -> SidecarFacts {
        let code = program.code(file);
        let mut imports = program.facts(file).imports.iter();
        let imports_client = imports.any(|import| import.module.to_ascii_lowercase().contains("dapr"));
        SidecarFacts {
            has_client: imports_client || code.names.iter().any(|name| CLIENTS.contains(&&**name)),
            has_header: code.names.iter().any(|name| name.eq_ignore_ascii_case(HEADER)),
            ..SidecarFacts::default()
        }
    }
}

impl<'p> RequestReader<'_, '_, 'p> {
    /// Returns the names and calls of a file that tell of sidecars, which are read once.
    fn sidecar_facts(&mut self, file: FileIdx) -> Rc<SidecarFacts> {
        if let Some(known) = self.sidecars.get(&file) {
            return Rc::clone(known);
        }
        let mut facts = SidecarFacts::of(self.values.program(), file);
        if facts.has_header {
            let code = self.values.code(file);
            for site in &code.sites {
                let around = code.definition_around(site.scope);
                facts.around.insert(site.expression, around);
                let Some(call) = self.values.call(file, site.expression) else { continue };
                let name = call.at(0).and_then(|name| self.values.literal(file, name));
                if let Some(service) = call.at(1).filter(|_| name.is_some_and(|name| name.eq_ignore_ascii_case(HEADER)))
                {
                    facts.services.entry(around).or_default().push(service);
                }
            }
        }
        let facts = Rc::new(facts);
        self.sidecars.insert(file, Rc::clone(&facts));
        facts
    }

    /// Returns the request that a client of Dapr sends: `client.InvokeMethod(ctx, "cart", "items/1", "GET")`.
    pub(super) fn invocation(
        &mut self,
        file: FileIdx,
        shape: &CallShape<'p>,
        frame: Option<&CallFrame<'_>>,
    ) -> Option<HttpRequest> {
        let name = shape.name.to_ascii_lowercase().replace('_', "");
        let (function, default) = FUNCTIONS.iter().find(|(function, _)| *function == name)?;
        let object = shape.object?;
        if !self.sidecar_facts(file).has_client {
            return None;
        }
        // `client.invoker.invoke(…)` of JavaScript; `invoke` alone is a common name.
        if *function == "invoke" && !self.values.dotted(file, object).is_some_and(|of| of.ends_with("invoker")) {
            return None;
        }
        let mut method = None;
        let mut texts: Vec<ExpressionId> = Vec::new();
        for argument in shape.positional() {
            if texts.len() == 2 || self.is_written_method(file, argument) {
                method = method.or_else(|| methods::of_value(self.values, file, argument, frame));
            } else if texts.len() == 1 || !self.values.text_in_call(file, argument, frame).is_computed() {
                texts.push(argument);
            }
        }
        let service = shape.named(&SERVICES).or(texts.first().copied())?;
        let path = shape.named(&PATHS).or(texts.get(1).copied())?;
        let stated = shape.named(&METHODS).and_then(|value| methods::of_value(self.values, file, value, frame));
        let method = stated.or(method).unwrap_or_else(|| (*default).to_owned());
        let service = self.values.text_in_call(file, service, frame);
        if service.is_computed() || service.as_literal().is_some_and(|name| name.contains('/')) {
            return None;
        }
        let path = self.values.text_in_call(file, path, frame);
        let url = TextValue::literal("http://").followed_by(&with_slash(&service, &path));
        Some(HttpRequest { method, url, confidence: KNOWN_CLIENT })
    }

    /// Returns the name of the service to which a header makes the sidecar pass a request on: `{headers: {"dapr-app-id": "cart"}}`, and
    /// `req.Header.Add("dapr-app-id", "cart")` in the same function, which may be that of another request.
    pub(super) fn passed_on(
        &mut self,
        file: FileIdx,
        shape: &CallShape<'p>,
        url: &TextValue,
        frame: Option<&CallFrame<'_>>,
    ) -> Option<TextValue> {
        let facts = self.sidecar_facts(file);
        if !facts.has_header {
            return None;
        }
        let of_options = shape.named(&["headers", "header"]).and_then(|headers| {
            let (home, fields) = self.values.object(file, headers, 0)?;
            let code = self.values.code(home);
            let (_, service) = fields.iter().find(|(name, _)| code.name(*name).eq_ignore_ascii_case(HEADER))?;
            Some((home, *service))
        });
        let may_go_to_sidecar = || {
            let is_own_machine = |host: String| matches!(host.as_str(), "localhost" | "127.0.0.1");
            RequestUrl::of(url).is_none_or(|url| url.address.hosts().all(is_own_machine))
        };
        // The only call with the header in the function around the request.
        let beside = facts.around.get(&shape.call).and_then(|around| facts.services.get(around));
        let beside = || match beside.map(Vec::as_slice) {
            Some([service]) if may_go_to_sidecar() => Some((file, *service)),
            _ => None,
        };
        let (home, service) = of_options.or_else(beside)?;
        Some(self.values.text_in_call(home, service, frame.filter(|_| home == file))).filter(|one| !one.is_computed())
    }

    /// Returns true for `"GET"` and `HttpMethod.Get`. A path may be `get`.
    fn is_written_method(&self, file: FileIdx, argument: ExpressionId) -> bool {
        match self.values.literal(file, argument) {
            Some(text) => methods::METHODS.contains(&text),
            None => self
                .values
                .dotted(file, argument)
                .is_some_and(|path| path.rsplit_once('.').is_some_and(|(_, last)| methods::of_name(last).is_some())),
        }
    }
}

/// Returns the URL of a request that a sidecar passes on to a service.
pub(super) fn to_service(service: &TextValue, url: &TextValue) -> TextValue {
    let path = RequestUrl::of(url).map_or_else(String::new, |url| url.path);
    TextValue::literal("http://").followed_by(service).followed_by(&TextValue::literal(&path))
}

/// Returns the service and the path of a request to a sidecar: `cart` and `/items` of `/v1.0/invoke/cart/method/items`.
pub(crate) fn invoked_service(path: &str) -> Option<(&str, &str)> {
    let (_, rest) = path.split_once(INVOCATION.0)?;
    let (service, path) = rest.split_once(INVOCATION.1)?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_whole = path.is_empty() || path.starts_with('/');
    let is_service = !service.is_empty() && service.chars().all(is_name);
    (is_service && is_whole).then_some((service, if path.is_empty() { "/" } else { path }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_a_sidecar_name_the_service() {
        for (path, expected) in [
            ("/v1.0/invoke/cart/method/items/{}", Some(("cart", "/items/{}"))),
            ("/dapr/v1.0/invoke/cart.prod/method", Some(("cart.prod", "/"))),
            ("/v1.0/invoke/{}/method/items", None),
            ("/v1.0/invoke/cart/methods/items", None),
            ("/v1.0/publish/bus/orders", None),
        ] {
            assert_eq!(invoked_service(path), expected, "{path}");
        }
    }
}
