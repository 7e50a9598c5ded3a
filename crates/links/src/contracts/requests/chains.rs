//! Requests whose URL and method are in different calls of a chain, and requests that are objects.
//!
//! `client.post().uri("/x")`, `new Request.Builder().url(u).post(body)`, `HttpRequest.newBuilder(u).PUT(body)`,
//! `Request::builder().method("POST").uri(u)`, `new HttpRequestMessage(HttpMethod.Get, u)`, `new HttpPost(u)`.

use graph::FileIdx;
use model::{
    Language,
    code::{Expression, ExpressionId, TypeId},
};

use super::{HttpRequest, KNOWN_CLIENT, RequestReader, bases, methods};
use crate::contracts::{
    imports::local_name,
    text_value::{CallFrame, TextPart, TextValue, with_slash},
    url::with_base,
    values::{CallShape, CalledFunction, ValueSource},
};

/// Maximum number of calls of a chain.
const MAX_CHAIN: usize = 12;

/// Origins of the objects on which such a chain begins, and the method if the chain names none.
const CHAINS: [(&str, &str); 14] = [
    ("WebClient", "*"),
    ("RestClient", "*"),
    ("WebTestClient", "*"),
    ("Request.Builder()", "GET"),
    ("Builder()", "GET"),
    ("HttpRequest.newBuilder()", "GET"),
    ("HttpRequest.Builder()", "GET"),
    ("hyper.Request.builder()", "GET"),
    ("http.Request.builder()", "GET"),
    ("hyper.http.Request.builder()", "GET"),
    ("axum.http.Request.builder()", "GET"),
    ("Request.builder()", "GET"),
    ("HttpUrl.Builder()", "GET"),
    ("ClientRequest.create()", "*"),
];

/// Requests of PSR-7.
const PSR_REQUESTS: [&str; 3] = ["GuzzleHttp\\Psr7\\Request", "Nyholm\\Psr7\\Request", "Laminas\\Diactoros\\Request"];

/// Methods of clients that send a request of PSR-7.
const SENDERS: [&str; 3] = ["send", "sendAsync", "sendRequest"];

/// Beginnings of the origins of targets of JAX-RS.
const TARGETS: [&str; 6] =
    ["ClientBuilder", "Client()", "WebTarget()", "ResteasyClient", "ResteasyClientBuilder", "JerseyClient"];

impl<'p> RequestReader<'_, '_, 'p> {
    /// Returns the request of the call in a chain that has its URL.
    pub(super) fn chained_request(
        &mut self,
        file: FileIdx,
        shape: &CallShape<'p>,
        frame: Option<&CallFrame<'_>>,
    ) -> Option<HttpRequest> {
        if shape.name == "request" {
            return self.request_of_target(file, shape, frame);
        }
        let is_url = matches!(shape.name, "uri" | "url");
        // `HttpRequest.newBuilder(uri)` has the URL in the first call.
        let is_first = shape.name == "newBuilder" && !shape.arguments.is_empty();
        if !is_url && !is_first {
            return None;
        }
        let origin = self.values.origin(file, if is_first { shape.callee } else { shape.object? })?;
        let path = if is_first { origin.path + "()" } else { origin.path };
        let (_, default) = CHAINS.iter().find(|(start, _)| path.starts_with(start))?;
        let argument = shape.at(0)?;
        let url = self.built_url(file, argument, frame);
        let method = self.method_of_chain(file, shape, frame);
        let base = bases::base_of(self.values, origin.made_by.filter(|_| !is_first));
        let base = base.or_else(|| self.base_of_injected(file, shape.object.filter(|_| !is_first)?));
        Some(HttpRequest {
            method: method.unwrap_or_else(|| (*default).to_owned()),
            url: with_base(base.as_ref(), &url),
            confidence: KNOWN_CLIENT,
        })
    }

    /// Returns the request of `client.target(url).path("items").request().get()` of JAX-RS.
    fn request_of_target(
        &mut self,
        file: FileIdx,
        shape: &CallShape<'p>,
        frame: Option<&CallFrame<'_>>,
    ) -> Option<HttpRequest> {
        let object = shape.object?;
        let origin = self.values.origin(file, object)?;
        if !TARGETS.iter().any(|start| origin.path.starts_with(start)) {
            return None;
        }
        let url = self.values.text_in_call(file, object, frame);
        // The address may be unknown where the path is not.
        let url = if url.is_computed() { self.path_of_target(file, object, frame)? } else { url };
        let method = self.method_of_chain(file, shape, frame).unwrap_or_else(|| "*".to_owned());
        Some(HttpRequest { method, url, confidence: KNOWN_CLIENT }).filter(|request| !request.url.is_computed())
    }

    /// Returns the path that the calls of a target add to an address of which nothing is known.
    fn path_of_target(
        &mut self,
        file: FileIdx,
        target: ExpressionId,
        frame: Option<&CallFrame<'_>>,
    ) -> Option<TextValue> {
        let mut parts: Vec<TextValue> = Vec::new();
        let (mut home, mut at) = (file, target);
        for _ in 0..MAX_CHAIN {
            if let Some(call) = self.values.call(home, at) {
                if call.name == "path" {
                    parts.push(self.values.text_in_call(home, call.at(0)?, frame.filter(|_| home == file)));
                }
                match call.object.filter(|_| call.name != "target") {
                    Some(object) => at = object,
                    None => break,
                }
                continue;
            }
            let held = self.values.sources(home, at).into_iter().find_map(|source| match source {
                ValueSource::Expression(home, value) => Some((home, value)),
                _ => None,
            });
            match held {
                Some(held) => (home, at) = held,
                None => break,
            }
        }
        let address = TextValue::of_parts(vec![TextPart::Computed]);
        (!parts.is_empty()).then(|| parts.iter().rev().fold(address, |url, part| with_slash(&url, part)))
    }

    /// Returns the text of a URL, or the path that a closure gives to a builder: `uri(b -> b.path("/x").build())`.
    fn built_url(&mut self, file: FileIdx, argument: ExpressionId, frame: Option<&CallFrame<'_>>) -> TextValue {
        let Expression::Function { results, .. } = self.values.expression(file, argument) else {
            return self.values.text_in_call(file, argument, frame);
        };
        let mut at = results.first().copied();
        let mut path: Option<TextValue> = None;
        let mut host: Option<TextValue> = None;
        for _ in 0..MAX_CHAIN {
            let Some(call) = at.and_then(|at| self.values.call(file, at)) else { break };
            match (call.name, call.at(0)) {
                ("path", Some(part)) if path.is_none() => path = Some(self.values.text_in_call(file, part, frame)),
                ("host", Some(name)) => host = Some(self.values.text_in_call(file, name, frame)),
                _ => {}
            }
            at = call.object;
        }
        if let Some(path) = path {
            let address = host.map(|host| TextValue::literal("http://").followed_by(&host));
            return address.map_or(path.clone(), |address| with_slash(&address, &path));
        }
        // The body may be several statements.
        let body = self.calls_in(CalledFunction::Closure(file, argument));
        let paths = body.into_iter().filter_map(|call| self.values.call(file, call.expression));
        let path = paths.filter(|call| call.name == "path").find_map(|call| call.at(0));
        self.values.text_in_call(file, path.unwrap_or(argument), frame)
    }

    /// Returns the method that another call of a chain names, before the URL or behind it.
    fn method_of_chain(
        &mut self,
        file: FileIdx,
        shape: &CallShape<'p>,
        frame: Option<&CallFrame<'_>>,
    ) -> Option<String> {
        let mut before = shape.object;
        for _ in 0..MAX_CHAIN {
            let Some(call) = before.and_then(|object| self.values.call(file, object)) else { break };
            if let Some(method) = self.method_of_link(file, &call, frame) {
                return Some(method);
            }
            before = call.object;
        }
        let mut behind = shape.call;
        for _ in 0..MAX_CHAIN {
            behind = self.parent(file, behind)?;
            let call = self.values.call(file, behind)?;
            if let Some(method) = self.method_of_link(file, &call, frame) {
                return Some(method);
            }
        }
        None
    }

    fn method_of_link(&mut self, file: FileIdx, call: &CallShape<'p>, frame: Option<&CallFrame<'_>>) -> Option<String> {
        match call.name {
            "method" => methods::of_value(self.values, file, call.at(0)?, frame),
            name => methods::of_name(name),
        }
    }

    /// Returns true if a class of PHP is a request of a library of PSR-7.
    fn is_psr_request(&self, file: FileIdx, made: TypeId) -> bool {
        let Some((path, name)) = self.values.written_name(file, made) else { return false };
        let code = self.values.code(file);
        let written = path.iter().map(|name| code.name(*name)).collect::<Vec<_>>().join("\\");
        let is_known = |name: &str| PSR_REQUESTS.contains(&name.trim_start_matches('\\'));
        let mut imports = self.values.program().facts(file).imports.iter();
        is_known(&written)
            || imports.any(|import| {
                let is_named = local_name(Language::Php, import) == code.name(name) && path.len() == 1;
                is_named && (is_known(&import.module) || is_known(&format!("{}\\{}", import.module, import.name)))
            })
    }

    /// Returns the request that a constructor makes.
    pub(super) fn made_request(
        &mut self,
        file: FileIdx,
        make: ExpressionId,
        frame: Option<&CallFrame<'_>>,
    ) -> Option<HttpRequest> {
        let Expression::Make { made, arguments } = self.values.expression(file, make) else { return None };
        let (name, origin) = self.made_type(file, *made)?;
        let (method, url) = match name.as_str() {
            "HttpRequestMessage" => self.parts_of_message(file, make, arguments, frame)?,
            "RequestEntity" => self.parts_of_entity(file, arguments, frame)?,
            "RestRequest" => self.parts_of_rest_request(file, make, arguments, frame)?,
            // PSR-7 of PHP: `new Request("GET", $url)`.
            "Request" if self.values.program().language(file) == Language::Php => {
                if !self.is_psr_request(file, *made) && !self.is_sent_by(file, make, |name| SENDERS.contains(&name)) {
                    return None;
                }
                let [method, url, ..] = &**arguments else { return None };
                (Some(methods::of_value(self.values, file, *method, frame)?), *url)
            }
            // `Net::HTTP::Post.new(uri)` of Ruby.
            name if origin.starts_with("Net.HTTP") => (Some(methods::of_name(name)?), *arguments.first()?),
            // Apache's client: `new HttpGet(url)`.
            name => (Some(methods::of_name(name.strip_prefix("Http")?)?), *arguments.first()?),
        };
        let url = self.values.text_in_call(file, url, frame);
        let method = method.unwrap_or_else(|| "*".to_owned());
        Some(HttpRequest { method, url, confidence: KNOWN_CLIENT }).filter(|request| !request.url.is_computed())
    }
}
