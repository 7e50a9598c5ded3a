//! Requests that are objects, made in one place and sent in another: `fetch(new Request(url, {method: "POST"}))`,
//! `new HttpRequestMessage { Method = HttpMethod.Put, RequestUri = uri }`, `new RestRequest(path)`.

use graph::FileIdx;
use model::{
    Language,
    code::{Expression, ExpressionId, TypeId},
};

use super::{METHOD_NAMES, RequestReader, methods};
use crate::contracts::{text_value::CallFrame, values::ValueSource};

/// Fields of a message of .NET with its method and its address.
const METHOD: &str = "Method";
const ADDRESS: &str = "RequestUri";

/// Field of a request of RestSharp with its path.
const RESOURCE: &str = "Resource";

/// Maximum number of steps from a variable to the object that it holds.
const MAX_STEPS: u32 = 4;

/// Maximum number of calls of a file that are searched for the one that sends a request.
const MAX_CALLS: usize = 2_000;

/// A request that a constructor makes.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestObject<'p> {
    file: FileIdx,
    arguments: &'p [ExpressionId],
}

impl<'p> RequestReader<'_, '_, 'p> {
    /// Returns the `Request` of the Fetch API that an argument is, or that it holds.
    pub(super) fn request_object(&mut self, file: FileIdx, argument: ExpressionId) -> Option<RequestObject<'p>> {
        let language = self.values.program().language(file);
        let is_of_script = matches!(language, Language::JavaScript | Language::TypeScript | Language::Tsx);
        if !is_of_script {
            return None;
        }
        let (mut home, mut at) = (file, argument);
        for _ in 0..MAX_STEPS {
            match self.values.expression(home, at) {
                Expression::Make { made, arguments } => {
                    let (_, name) = self.values.written_name(home, *made)?;
                    let is_request = self.values.code(home).name(name) == "Request" && !arguments.is_empty();
                    return is_request.then_some(RequestObject { file: home, arguments });
                }
                Expression::Awaited { of } | Expression::Cast { of, .. } => at = *of,
                Expression::Name { .. } => {
                    let sources = self.values.sources(home, at);
                    (home, at) = sources.into_iter().find_map(|source| match source {
                        ValueSource::Expression(home, value) => Some((home, value)),
                        _ => None,
                    })?;
                }
                _ => return None,
            }
        }
        None
    }

    /// Returns the method of a request: that of its options, or the default without one; `None` if the options are not known.
    pub(super) fn method_of_object(&mut self, object: RequestObject<'p>, default: &str) -> Option<String> {
        let Some(options) = object.arguments.get(1) else { return Some(default.to_owned()) };
        match self.option(object.file, *options, &METHOD_NAMES) {
            Some((home, method)) => methods::of_value(self.values, home, method, None),
            None => {
                let is_written = matches!(self.values.expression(object.file, *options), Expression::Object(_));
                is_written.then(|| default.to_owned())
            }
        }
    }

    /// Returns the method and the address of a message of .NET: arguments of its constructor, fields of its initializer, or values that are
    /// assigned to it later.
    pub(super) fn parts_of_message(
        &mut self,
        file: FileIdx,
        make: ExpressionId,
        arguments: &[ExpressionId],
        frame: Option<&CallFrame<'_>>,
    ) -> Option<(Option<String>, ExpressionId)> {
        let (first, second) = self.first_arguments(file, arguments);
        let method = first.or_else(|| self.field_of(file, arguments, METHOD));
        let address = second.or_else(|| self.field_of(file, arguments, ADDRESS));
        let address = address.or_else(|| self.assigned_to(file, make, ADDRESS).into_iter().next())?;
        let stated = self.stated_methods(file, make, method, frame);
        let method = match stated.as_slice() {
            // A message has this method unless it states another one.
            [] => Some("GET".to_owned()),
            [method] => method.clone(),
            _ => None,
        };
        Some((method, address))
    }

    /// Returns the method and the address of a request of RestSharp: `new RestRequest("/items", Method.Put)`,
    /// `new RestRequest("/items") { Method = Method.Put }`; `None` if the method of the client that sends it tells the method.
    pub(super) fn parts_of_rest_request(
        &mut self,
        file: FileIdx,
        make: ExpressionId,
        arguments: &[ExpressionId],
        frame: Option<&CallFrame<'_>>,
    ) -> Option<(Option<String>, ExpressionId)> {
        let (first, second) = self.first_arguments(file, arguments);
        let method = second.or_else(|| self.field_of(file, arguments, METHOD));
        let resource = first.or_else(|| self.field_of(file, arguments, RESOURCE));
        let resource = resource.or_else(|| self.assigned_to(file, make, RESOURCE).into_iter().next())?;
        let stated = self.stated_methods(file, make, method, frame);
        let known = match stated.as_slice() {
            [method] => method.clone(),
            _ => None,
        };
        if known.is_none() && self.is_sent_by_verb(file, make) {
            return None;
        }
        Some((known.or_else(|| stated.is_empty().then(|| "GET".to_owned())), resource))
    }

    /// Returns the methods that a request states, each once: the one of its constructor, or those that are assigned later. A method that is
    /// not known is `None`.
    fn stated_methods(
        &mut self,
        file: FileIdx,
        make: ExpressionId,
        of_constructor: Option<ExpressionId>,
        frame: Option<&CallFrame<'_>>,
    ) -> Vec<Option<String>> {
        let stated = of_constructor.map_or_else(|| self.assigned_to(file, make, METHOD), |method| vec![method]);
        let each = stated.into_iter().map(|method| methods::of_value(self.values, file, method, frame));
        let mut each: Vec<Option<String>> = each.collect();
        each.dedup();
        each
    }

    /// Returns the first two arguments of a constructor that are no initializer.
    fn first_arguments(
        &self,
        file: FileIdx,
        arguments: &[ExpressionId],
    ) -> (Option<ExpressionId>, Option<ExpressionId>) {
        let code = self.values.code(file);
        let is_positional = |argument: &&ExpressionId| !matches!(code.expression(**argument), Expression::Object(_));
        let mut positional = arguments.iter().filter(is_positional).copied();
        (positional.next(), positional.next())
    }

    /// Returns the value of a field in the initializer behind a constructor: `new A { Field = value }`.
    fn field_of(&self, file: FileIdx, arguments: &[ExpressionId], field: &str) -> Option<ExpressionId> {
        let code = self.values.code(file);
        let fields = arguments.iter().filter_map(|argument| match code.expression(*argument) {
            Expression::Object(fields) => Some(fields),
            _ => None,
        });
        let mut named = fields.flatten().filter(|(name, _)| code.name(*name) == field);
        named.next().map(|(_, value)| *value)
    }

    /// Returns the values that a file assigns to a field of the variable with an object: `request.Method = HttpMethod.Put`.
    fn assigned_to(&mut self, file: FileIdx, make: ExpressionId, field: &str) -> Vec<ExpressionId> {
        let assigned = self.values.field_values(file, field).into_iter();
        assigned.filter(|(object, _)| self.holds(file, *object, make)).map(|(_, value)| value).collect()
    }

    /// Returns true if a variable holds the object that a constructor makes.
    fn holds(&mut self, file: FileIdx, variable: ExpressionId, make: ExpressionId) -> bool {
        matches!(self.values.expression(file, variable), Expression::Name { .. })
            && self.values.sources(file, variable).contains(&ValueSource::Expression(file, make))
    }

    /// Returns true if a method of a client that tells the method sends a request: `client.PostAsync(request)` of RestSharp.
    pub(super) fn is_sent_by_verb(&mut self, file: FileIdx, make: ExpressionId) -> bool {
        self.is_sent_by(file, make, |name| {
            methods::of_name(name.trim_start_matches("Execute").trim_end_matches("Async")).is_some()
        })
    }

    /// Returns true if a method of some name takes an object as its first argument.
    pub(super) fn is_sent_by(&mut self, file: FileIdx, make: ExpressionId, is_sender: impl Fn(&str) -> bool) -> bool {
        let code = self.values.code(file);
        let calls = code.sites.iter().filter_map(|site| self.values.call(file, site.expression)).take(MAX_CALLS);
        let sent: Vec<ExpressionId> = calls.filter(|call| is_sender(call.name)).filter_map(|call| call.at(0)).collect();
        sent.into_iter().any(|argument| argument == make || self.holds(file, argument, make))
    }

    /// Returns the method and the address of an entity of Spring: `new RequestEntity<>(body, HttpMethod.PUT, uri, type)`. The address follows
    /// the method, and the variable of the body may have the name of a method.
    pub(super) fn parts_of_entity(
        &mut self,
        file: FileIdx,
        arguments: &[ExpressionId],
        frame: Option<&CallFrame<'_>>,
    ) -> Option<(Option<String>, ExpressionId)> {
        let mut last_first = arguments.iter().enumerate().rev();
        let (at, method) = last_first
            .find_map(|(at, argument)| Some((at, methods::of_value(self.values, file, *argument, frame)?)))?;
        Some((Some(method), *arguments.get(at + 1)?))
    }

    /// Returns the last name of a type of which a constructor makes an object, and its whole origin.
    pub(super) fn made_type(&mut self, file: FileIdx, made: TypeId) -> Option<(String, String)> {
        let origin = self.values.origin_of_type(file, made, 0)?.path;
        let name = origin.trim_end_matches("()").rsplit('.').next()?.to_owned();
        Some((name, origin))
    }
}
