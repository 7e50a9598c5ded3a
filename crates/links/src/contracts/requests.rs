//! HTTP requests: the calls that send a method and a path to another service.
//!
//! A call is a request if the origin of its callee is a known client. A function of the repository whose URL is one of its
//! parameters is a wrapper: its requests are those of its callers.

mod base_names;
mod bases;
mod block_requests;
mod chains;
mod clients;
mod commands;
mod constructed_clients;
mod default_bases;
mod injected_clients;
pub(super) mod interfaces;
pub(super) mod methods;
mod nest_modules;
mod node_requests;
mod operations;
mod options;
mod request_builders;
mod request_objects;
mod sidecars;
#[cfg(test)]
pub(super) mod tests;
mod typed_clients;

use std::rc::Rc;

use graph::{FileIdx, Node};
use model::{
    Language,
    code::{DefinitionId, Expression, ExpressionId},
};
use rustc_hash::FxHashMap;

use super::{
    enclosing::node_around,
    text_value::{CallFrame, TextValue},
    url::{RequestUrl, by_path, by_service, with_base},
    values::{CallShape, CalledFunction, ValueReader, ValueSource},
};
use crate::contract::{ContractKind, ContractUse};
use clients::ClientCall;
use sidecars::SidecarFacts;

pub(crate) use sidecars::invoked_service;

/// Confidence of a call of a known HTTP client.
const KNOWN_CLIENT: f32 = 0.9;

/// Confidence of a call that is known to be of a client by the name of its object alone, and of a call of a wrapper.
const POSSIBLE_CLIENT: f32 = 0.7;

/// Maximum number of functions between a call and the client that sends its request.
const MAX_WRAPPERS: u32 = 3;

/// Maximum number of requests of one call: a wrapper sends one, or one of two.
const MAX_REQUESTS: usize = 3;

/// Maximum number of expressions of a call that are searched for a value of several methods.
const MAX_URL_STEPS: usize = 200;

/// Maximum number of calls in the body of a function that may be a wrapper.
const MAX_CALLS_OF_WRAPPER: usize = 60;

/// Returns the requests that a file sends. `registrations` are the calls that register its own routes.
pub(super) fn uses(
    values: &mut ValueReader<'_, '_>,
    file: FileIdx,
    registrations: &[ExpressionId],
) -> Vec<ContractUse> {
    let program = values.program();
    let code = program.code(file);
    let mut found = interfaces::uses(values, file);
    found.extend(request_builders::uses(values, file));
    let mut reader = RequestReader {
        values,
        parents: FxHashMap::default(),
        calls: FxHashMap::default(),
        open: FxHashMap::default(),
        sidecars: FxHashMap::default(),
        beans: None,
        set_up_files: None,
    };
    for site in code.sites.iter().filter(|site| !registrations.contains(&site.expression)) {
        let requests = reader.requests(file, site.expression, None, 0);
        let node = node_around(program, file, site.scope);
        for request in requests.into_iter().filter(|request| !request.is_open()).take(MAX_REQUESTS) {
            let named = reader.named_address(file, site.expression, &request);
            let contract = request.contract(node, site.line);
            found.extend(contract.map(|contract| match named {
                Some(address) => ContractUse { member: address.notation(), ..contract },
                None => contract,
            }));
        }
    }
    found.extend(reader.typed_clients(file));
    found.extend(reader.constructed_clients(file));
    found
}

/// A request, as far as the code tells it.
#[derive(Debug, Clone)]
struct HttpRequest {
    /// In capitals; `*` if it is not known.
    method: String,
    url: TextValue,
    confidence: f32,
}

impl HttpRequest {
    /// Returns true if only the callers of the function around the request know its path.
    fn is_open(&self) -> bool {
        let is_named = |url: RequestUrl| url.path.split('/').any(|segment| !says_nothing(segment));
        self.url.has_parameter() && !RequestUrl::of(&self.url).is_some_and(is_named)
    }

    /// Returns the contract of a request; `None` if nothing is known of its URL.
    fn contract(&self, node: Node, line: u32) -> Option<ContractUse> {
        let url = RequestUrl::of(&self.url)?;
        let has_address = url.address.variables().next().is_some() || url.address.hosts().next().is_some();
        // A load generator sends `/` to a host that only its command line has.
        let is_root_of_client = self.confidence >= KNOWN_CLIENT && url.path == "/" && url.has_written_path;
        if url.n_constant() == 0 && !has_address && !is_root_of_client {
            return None;
        }
        let (key_path, address) = (url.key_path(), url.address.notation());
        let (path, address) = match invoked_service(&key_path) {
            Some((service, path)) => (path.to_owned(), format!("http://{service}")),
            None => (key_path, address),
        };
        Some(ContractUse {
            kind: ContractKind::Http,
            key: format!("{} {path}", self.method),
            member: address,
            node,
            line,
            confidence: self.confidence,
            n_sites: 1,
            serves: false,
        })
    }
}

/// A call in the body of a function.
#[derive(Debug, Clone, Copy)]
struct BodyCall {
    expression: ExpressionId,
    line: u32,
}

/// Reads the requests of one file and of the wrappers that it calls.
struct RequestReader<'r, 'c, 'p> {
    values: &'r mut ValueReader<'c, 'p>,
    /// By file and object: the call of a member of it.
    parents: FxHashMap<FileIdx, FxHashMap<ExpressionId, ExpressionId>>,
    /// By file and definition: the calls in its body.
    calls: FxHashMap<FileIdx, Rc<FxHashMap<DefinitionId, Vec<BodyCall>>>>,
    /// By function: the calls in it whose URL its callers know.
    open: FxHashMap<CalledFunction, Vec<ExpressionId>>,
    sidecars: FxHashMap<FileIdx, Rc<SidecarFacts>>,
    /// The functions that make injected clients, if they were searched for.
    beans: Option<Vec<injected_clients::ClientBean>>,
    /// The files that may set up an application of axios, if they were searched for.
    set_up_files: Option<Rc<[FileIdx]>>,
}

impl<'p> RequestReader<'_, '_, 'p> {
    /// Returns the requests of a call: its own, or those of the wrapper that it calls.
    fn requests(
        &mut self,
        file: FileIdx,
        call: ExpressionId,
        frame: Option<&CallFrame<'_>>,
        depth: u32,
    ) -> Vec<HttpRequest> {
        if let Some(request) = self.request(file, call, frame) {
            return self.by_choice(file, call, request, frame);
        }
        let Some(shape) = self.values.call(file, call).filter(|_| depth < MAX_WRAPPERS) else { return Vec::new() };
        let may_wrap = if depth == 0 {
            methods::begins_name(shape.name) && self.has_text(file, &shape)
                || shape.arguments.iter().any(|argument| has_path_text(self.values, file, *argument, 0))
                || methods::of_name(shape.name).is_some() && self.has_path_of_function(file, &shape)
        } else {
            !shape.arguments.is_empty()
        };
        if !may_wrap {
            return Vec::new();
        }
        let Some(function) = self.values.callee_of(file, &shape) else { return Vec::new() };
        let home = self.values.home_of(function);
        let receiver = self.values.receiver_of(file, &shape, frame);
        let inner = CallFrame { function, file, arguments: shape.arguments, receiver, outer: frame };
        let calls = self.open_calls(function, depth);
        let sent = calls.into_iter().flat_map(|call| self.requests(home, call, Some(&inner), depth + 1));
        sent.take(MAX_REQUESTS).map(|request| HttpRequest { confidence: POSSIBLE_CLIENT, ..request }).collect()
    }

    /// Returns the requests of which a call sends one: `fetch(id ? "/items/" + id : "/items", {method: id ? "PUT" : "POST"})`. As many
    /// paths as methods belong together in their order.
    fn by_choice(
        &mut self,
        file: FileIdx,
        call: ExpressionId,
        request: HttpRequest,
        frame: Option<&CallFrame<'_>>,
    ) -> Vec<HttpRequest> {
        let option = self.values.call(file, call).and_then(|shape| shape.named(&METHOD_NAMES));
        let choices = match option.filter(|_| request.method == "*") {
            Some(option) => methods::choices(self.values, file, option, frame),
            None => Vec::new(),
        };
        if choices.is_empty() {
            let mut urls = by_service(&request.url);
            if urls.len() > 1 && self.has_values_of_methods(file, call, frame) {
                urls = vec![request.url.clone()];
            }
            return urls.into_iter().map(|url| HttpRequest { url, ..request.clone() }).collect();
        }
        let urls = by_path(&request.url);
        let are_pairs = urls.len() == choices.len();
        let of_choice = choices.into_iter().enumerate().map(|(idx, method)| {
            let url = if are_pairs { urls[idx].clone() } else { request.url.clone() };
            HttpRequest { method, url, ..request }
        });
        of_choice.collect()
    }

    /// Returns true if an argument of a call, or of those around it, has a field or a variable of a file with several values. Each call of
    /// its function has one of them.
    fn has_values_of_methods(&mut self, file: FileIdx, call: ExpressionId, frame: Option<&CallFrame<'_>>) -> bool {
        let mut open: Vec<(FileIdx, ExpressionId)> = vec![(file, call)];
        let mut outer = frame;
        while let Some(frame) = outer {
            open.extend(frame.arguments.iter().map(|argument| (frame.file, *argument)));
            outer = frame.outer;
        }
        let mut n_steps = 0;
        while let Some((home, at)) = open.pop() {
            n_steps += 1;
            if n_steps > MAX_URL_STEPS {
                return true;
            }
            let (code, program) = (self.values.code(home), self.values.program());
            open.extend(code.holes(at).iter().map(|hole| (home, *hole)));
            match code.expression(at) {
                Expression::Name { .. } | Expression::Member { .. } | Expression::Path { .. } => {
                    let is_local = matches!(code.expression(at), Expression::Name { name, scope, n_before }
                        if self.values.cx.binding_before(home, program.name(home, *name), *scope, *n_before).is_some());
                    let sources = self.values.sources(home, at).into_iter().filter_map(|source| match source {
                        ValueSource::Expression(home, value) => Some((home, value)),
                        _ => None,
                    });
                    let sources: Vec<(FileIdx, ExpressionId)> = sources.collect();
                    if sources.len() > 1 && !is_local {
                        return true;
                    }
                    open.extend(sources);
                }
                Expression::Operation { left, right, .. } => {
                    open.extend([Some(*left), *right].into_iter().flatten().map(|one| (home, one)));
                }
                Expression::Either(several) => open.extend(several.iter().map(|one| (home, *one))),
                Expression::Call { callee, arguments, .. } => {
                    open.extend(arguments.iter().map(|one| (home, *one)));
                    // The URL may be in another call of a chain.
                    if let Expression::Member { of, .. } = code.expression(*callee)
                        && matches!(code.expression(*of), Expression::Call { .. })
                    {
                        open.push((home, *of));
                    }
                }
                Expression::Make { arguments, .. } => open.extend(arguments.iter().map(|one| (home, *one))),
                Expression::Object(fields) => open.extend(fields.iter().map(|(_, value)| (home, *value))),
                Expression::Awaited { of } | Expression::Cast { of, .. } => open.push((home, *of)),
                _ => {}
            }
        }
        false
    }

    /// Returns true if the first argument is a text, which may be a path without a slash: `get("items")`.
    fn has_text(&mut self, file: FileIdx, shape: &CallShape<'p>) -> bool {
        let Some(first) = shape.at(0) else { return false };
        let is_text = |values: &ValueReader<'_, '_>, file: FileIdx, value: ExpressionId| {
            values.literal(file, value).is_some_and(|text| text.starts_with(|c: char| c.is_ascii_alphanumeric()))
        };
        match self.values.expression(file, first) {
            Expression::Name { .. } => self.values.sources(file, first).into_iter().any(|source| match source {
                ValueSource::Expression(home, value) => is_text(self.values, home, value),
                _ => false,
            }),
            _ => is_text(self.values, file, first),
        }
    }

    /// Returns the calls of a function whose URL its callers know.
    fn open_calls(&mut self, function: CalledFunction, depth: u32) -> Vec<ExpressionId> {
        if let Some(known) = self.open.get(&function) {
            return known.clone();
        }
        // A function that calls itself is no wrapper of itself.
        self.open.insert(function, Vec::new());
        if self.values.parameters_of(function).is_empty() {
            return Vec::new();
        }
        let home = self.values.home_of(function);
        self.values.cx.consult(home);
        let calls = self.calls_in(function);
        let open: Vec<ExpressionId> = calls
            .into_iter()
            .take(MAX_CALLS_OF_WRAPPER)
            .map(|call| call.expression)
            .filter(|call| self.requests(home, *call, None, depth + 1).iter().any(HttpRequest::is_open))
            .collect();
        self.open.insert(function, open.clone());
        open
    }

    /// Returns the calls in the body of a function.
    pub(super) fn calls_in(&mut self, function: CalledFunction) -> Vec<BodyCall> {
        let home = self.values.home_of(function);
        match function {
            CalledFunction::Function(symbol) => {
                let definition = self.values.program().definition_id(symbol);
                self.calls_of(home).get(&definition).cloned().unwrap_or_default()
            }
            CalledFunction::Closure(_, expression) => {
                let code = self.values.code(home);
                let Expression::Function { scope: body, .. } = code.expression(expression) else { return Vec::new() };
                let sites = code.sites.iter().filter(|site| code.is_within(site.scope, *body));
                sites.map(|site| BodyCall { expression: site.expression, line: site.line }).collect()
            }
        }
    }

    /// Returns true if the first argument is a path that a function or an object of the repository gives: `api.get(paths.item(id))`.
    fn has_path_of_function(&mut self, file: FileIdx, shape: &CallShape<'p>) -> bool {
        let Some(first) = shape.at(0) else { return false };
        let may_be = matches!(self.values.expression(file, first), Expression::Call { .. } | Expression::Member { .. });
        may_be
            && self.values.text(file, first).alternatives.iter().any(
                |parts| matches!(parts.first(), Some(super::text_value::TextPart::Text(text)) if text.starts_with('/')),
            )
    }

    fn calls_of(&mut self, file: FileIdx) -> Rc<FxHashMap<DefinitionId, Vec<BodyCall>>> {
        let code = self.values.code(file);
        let calls = self.calls.entry(file).or_insert_with(|| {
            let mut by_definition: FxHashMap<DefinitionId, Vec<BodyCall>> = FxHashMap::default();
            for site in &code.sites {
                if let Some(definition) = code.definition_around(site.scope) {
                    let call = BodyCall { expression: site.expression, line: site.line };
                    by_definition.entry(definition).or_default().push(call);
                }
            }
            Rc::new(by_definition)
        });
        Rc::clone(calls)
    }

    /// Returns the call of a member of a value: `a.b().c()` for `a.b()`.
    fn parent(&mut self, file: FileIdx, object: ExpressionId) -> Option<ExpressionId> {
        let code = self.values.code(file);
        let parents = self.parents.entry(file).or_insert_with(|| {
            let mut parents = FxHashMap::default();
            for site in &code.sites {
                if let Expression::Call { callee, .. } = code.expression(site.expression)
                    && let Expression::Member { of, .. } | Expression::Path { of, .. } = code.expression(*callee)
                {
                    parents.insert(*of, site.expression);
                }
            }
            parents
        });
        parents.get(&object).copied()
    }

    /// Returns the request that a call or constructor itself sends or makes.
    fn request(&mut self, file: FileIdx, call: ExpressionId, frame: Option<&CallFrame<'_>>) -> Option<HttpRequest> {
        if self.values.program().language(file) == Language::Bash {
            return commands::request(self.values, file, call);
        }
        if let Expression::Make { .. } = self.values.expression(file, call) {
            return self.made_request(file, call, frame);
        }
        let shape = self.values.call(file, call)?;
        if let Some(request) = self.chained_request(file, &shape, frame) {
            return Some(request);
        }
        let of_form = self.request_of_node(file, &shape, frame).or_else(|| self.request_of_block(file, &shape, frame));
        if let Some(request) = of_form {
            return Some(request);
        }
        if let Some(request) = self.operation(file, &shape, frame) {
            return Some(request);
        }
        if let Some(request) = self.invocation(file, &shape, frame) {
            return Some(request);
        }
        let found = clients::of_call(self.values, file, &shape)?;
        let url_argument = shape.at(found.form.url).or_else(|| shape.named(&URL_NAMES))?;
        let (home, url) = self.url_value(file, url_argument);
        let url = self.values.text_in_call(home, url, frame.filter(|_| home == file));
        let method = self.method(file, &shape, &found, frame);
        let of_call = shape.named(&["baseURL", "prefixUrl", "base_url"]).map(|base| self.values.text(file, base));
        let base = of_call.or_else(|| bases::base_in_call(self.values, found.made_by, frame));
        let base = base.or_else(|| self.base_of_named_client(found.made_by));
        let base = base.or_else(|| bases::assigned_base(self.values, found.made_by));
        let base = base.or_else(|| self.base_of_given_client(file, &shape, found.made_by));
        let (base, url) = match base {
            Some(base) => {
                let url = with_base(Some(&base), &url);
                (Some(base), url)
            }
            None => {
                let host = bases::of_simulated_user(self.values, file, shape.object);
                let url = match &host {
                    // A simulated user may add a port to its host.
                    Some(host) if bases::begins_with_port(&url) => host.followed_by(&url),
                    _ => with_base(host.as_ref(), &url),
                };
                (host, url)
            }
        };
        let url = self
            .passed_on(file, &shape, &url, frame)
            .map_or(url.clone(), |service| sidecars::to_service(&service, &url));
        let url = if base.is_none() && found.has_unknown_host { bases::of_unknown_host(&url) } else { url };
        if found.is_by_name && !is_plausible(&url, &shape, self.values, file) {
            return None;
        }
        let confidence = if found.is_by_name { POSSIBLE_CLIENT } else { KNOWN_CLIENT };
        Some(HttpRequest { method, url, confidence })
    }

    /// Returns the base of a client that the code around the call does not make: the container injects it, or the file completes it.
    fn base_of_given_client(
        &mut self,
        file: FileIdx,
        shape: &CallShape<'p>,
        made_by: Option<(FileIdx, ExpressionId)>,
    ) -> Option<TextValue> {
        let client = shape.object.filter(|_| made_by.is_none())?;
        match self.values.program().language(file) {
            Language::CSharp => bases::base_of_given(self.values, file, client),
            Language::JavaScript | Language::TypeScript | Language::Tsx => {
                self.default_base(file, client).or_else(|| self.base_of_module(file, client))
            }
            _ => self.base_of_injected(file, client),
        }
    }

    /// Returns the argument itself, or the `url` of an options object, which a variable may hold: `axios({url: "/x"})`.
    fn url_value(&mut self, file: FileIdx, argument: ExpressionId) -> (FileIdx, ExpressionId) {
        self.option(file, argument, &URL_NAMES).unwrap_or((file, argument))
    }

    /// Returns the value of an option of an options object.
    fn option(&mut self, file: FileIdx, options: ExpressionId, names: &[&str]) -> Option<(FileIdx, ExpressionId)> {
        let is_object =
            matches!(self.values.expression(file, options), Expression::Object(_) | Expression::Name { .. });
        let (home, fields) = is_object.then(|| self.values.object(file, options, 0)).flatten()?;
        let code = self.values.code(home);
        let (_, value) = fields.iter().find(|(name, _)| names.contains(&code.name(*name)))?;
        Some((home, *value))
    }

    fn method(
        &mut self,
        file: FileIdx,
        shape: &CallShape<'p>,
        found: &ClientCall,
        frame: Option<&CallFrame<'_>>,
    ) -> String {
        let stated = match found.form.method {
            clients::MethodSource::Fixed(method) => Some(method.to_owned()),
            clients::MethodSource::Argument(index) => {
                shape.at(index).and_then(|argument| methods::of_value(self.values, file, argument, frame))
            }
            clients::MethodSource::Option(default) => {
                let option = shape.named(&METHOD_NAMES);
                let stated = option.and_then(|option| methods::of_value(self.values, file, option, frame));
                let (by_variable, is_open) = self.method_of_options(file, shape, frame);
                let beside_url = shape.at(found.form.url).and_then(|url| self.option(file, url, &METHOD_NAMES));
                let beside_url = beside_url.and_then(|(home, value)| methods::of_value(self.values, home, value, None));
                let object = shape.at(found.form.url).and_then(|url| self.request_object(file, url));
                let of_object = object.and_then(|object| self.method_of_object(object, default));
                let is_default = option.is_none() && !is_open && object.is_none();
                stated.or(by_variable).or(beside_url).or(of_object).or_else(|| is_default.then(|| default.to_owned()))
            }
        };
        stated.unwrap_or_else(|| "*".to_owned())
    }
}

/// Returns true for a segment that many paths have: a computed one, `api`, `v1`.
fn says_nothing(segment: &str) -> bool {
    let version = segment.strip_prefix('v').unwrap_or("-");
    matches!(segment, "" | "{}" | "api" | "rest") || version.chars().all(|c| c.is_ascii_digit())
}

/// Names of the option with the method.
const METHOD_NAMES: [&str; 3] = ["method", "type", "Method"];

/// Names of the argument with the URL.
const URL_NAMES: [&str; 6] = ["url", "uri", "path", "URL", "endpoint", "requestUri"];

/// Returns true if the call of an object that is known only by its name may be a request: it has a path and no handler.
fn is_plausible(url: &TextValue, shape: &CallShape<'_>, values: &mut ValueReader<'_, '_>, file: FileIdx) -> bool {
    let has_handler = shape.arguments.iter().any(|argument| super::routes::is_function(values, file, *argument));
    let has_path = url.has_parameter() || RequestUrl::of(url).is_some_and(|url| url.n_constant() > 0);
    let is_path = url.alternatives.iter().all(|parts| match parts.first() {
        Some(super::text_value::TextPart::Text(text)) => text.starts_with('/') || text.contains("://"),
        _ => true,
    });
    has_path && is_path && !has_handler
}

/// Returns true for a member that holds an address: `endpoints.cartUrl`.
fn is_named_as_url(name: &str) -> bool {
    const WORDS: [&str; 5] = ["url", "uri", "endpoint", "address", "host"];
    let has_word =
        |word: &&str| name.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()));
    WORDS.iter().any(has_word)
}

/// Returns true if an argument is a text with a slash in it.
fn has_path_text(values: &mut ValueReader<'_, '_>, file: FileIdx, argument: ExpressionId, depth: u32) -> bool {
    if depth > 3 {
        return false;
    }
    match values.expression(file, argument) {
        Expression::Literal(_) => values.literal(file, argument).is_some_and(|text| text.contains('/')),
        Expression::Operation { left, right, .. } => {
            has_path_text(values, file, *left, depth + 1)
                || right.is_some_and(|right| has_path_text(values, file, right, depth + 1))
        }
        Expression::Call { arguments, callee, .. } => {
            let object = match values.expression(file, *callee) {
                Expression::Member { of, .. } => Some(*of),
                _ => None,
            };
            arguments.iter().copied().chain(object).take(4).any(|one| has_path_text(values, file, one, depth + 1))
        }
        Expression::Dereferenced { of } => has_path_text(values, file, *of, depth + 1),
        Expression::Object(fields) => {
            fields.iter().take(8).any(|(_, value)| has_path_text(values, file, *value, depth + 1))
        }
        Expression::Member { name, .. } if depth == 0 && !is_named_as_url(values.code(file).name(*name)) => false,
        Expression::Name { .. } | Expression::Member { .. } if depth == 0 => {
            let sources = values.sources(file, argument);
            sources.into_iter().any(|source| match source {
                ValueSource::Expression(file, value) => has_path_text(values, file, value, depth + 1),
                _ => false,
            })
        }
        _ => false,
    }
}
