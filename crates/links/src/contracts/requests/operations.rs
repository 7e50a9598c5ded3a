//! Requests of generated clients of OpenAPI documents, whose functions have the path and the method of their operation, and
//! requests of `http` of Node.js, whose options have the parts of a URL.

use graph::FileIdx;
use model::code::ExpressionId;

use super::{HttpRequest, KNOWN_CLIENT, RequestReader, bases, clients, methods};
use crate::contracts::{
    text_value::{CallFrame, TextPart, TextValue, with_slash},
    values::CallShape,
};

/// The place of the path and the method in a call.
#[derive(Clone, Copy)]
enum OperationForm {
    /// The positions of the path and of the method.
    Positions(usize, usize),
    /// Named arguments or fields of an object.
    Named,
}

use OperationForm::{Named, Positions};

/// Functions of the runtime of generated clients: openapi-generator of Python, Java, Go, JavaScript,
/// TypeScript, Ruby and Kotlin, openapi-typescript-codegen.
const FUNCTIONS: [(&str, OperationForm); 11] = [
    ("call_api", Positions(0, 1)),
    ("callApi", Positions(0, 1)),
    ("param_serialize", Named),
    ("_param_serialize", Named),
    ("invokeAPI", Positions(0, 1)),
    ("buildCall", Positions(1, 2)),
    ("prepareRequest", Positions(1, 2)),
    ("__request", Named),
    ("request", Named),
    ("sendRequest", Named),
    ("RequestConfig", Named),
];

/// Names of the path among named arguments.
const PATHS: [&str; 3] = ["path", "url", "resource_path"];

impl<'p> RequestReader<'_, '_, 'p> {
    /// Returns the request of a call in a generated client.
    pub(super) fn operation(
        &mut self,
        file: FileIdx,
        shape: &CallShape<'p>,
        frame: Option<&CallFrame<'_>>,
    ) -> Option<HttpRequest> {
        if let Some(request) = self.typed_path(file, shape, frame) {
            return Some(request);
        }
        let (_, form) = FUNCTIONS.iter().find(|(name, _)| *name == shape.name)?;
        let (path, method) = match form {
            Positions(path, method) => {
                let (path, method) = (shape.at(*path)?, shape.at(*method)?);
                // Ruby has the method first: `call_api(:GET, path)`.
                let is_method_first = methods::of_value(self.values, file, path, frame).is_some();
                if is_method_first { (method, path) } else { (path, method) }
            }
            Named => (shape.named(&PATHS)?, shape.named(&["method"])?),
        };
        // A function of the repository that sends the request knows its address.
        let function = self.values.callee_of(file, shape).filter(|_| matches!(form, Named));
        if function.is_some_and(|function| !self.open_calls(function, 0).is_empty()) {
            return None;
        }
        // A client that the code makes knows its base: `axios.create({ baseURL }).request({ url, method })`.
        let client = clients::of_call(self.values, file, shape).filter(|_| matches!(form, Named));
        if client.is_some_and(|client| client.made_by.is_some()) {
            return None;
        }
        let method = methods::of_value(self.values, file, method, frame)?;
        let path = self.values.text_in_call(file, path, frame);
        let host = shape.named(&["hostname", "host"]);
        let url = match host {
            Some(host) => {
                let host = self.values.text_in_call(file, host, frame);
                TextValue::literal("http://").followed_by(&with_slash(&host, &path))
            }
            None => behind_unknown_base(&path)?,
        };
        Some(HttpRequest { method, url, confidence: KNOWN_CLIENT })
    }

    /// `client.GET("/items/{id}")` of openapi-fetch, `fetcher.path("/items").method("get")` of openapi-typescript-fetch.
    fn typed_path(
        &mut self,
        file: FileIdx,
        shape: &CallShape<'p>,
        frame: Option<&CallFrame<'_>>,
    ) -> Option<HttpRequest> {
        let (path, method, object): (ExpressionId, String, ExpressionId) = match shape.name {
            "method" => {
                let before = self.values.call(file, shape.object?).filter(|before| before.name == "path")?;
                let method = methods::of_value(self.values, file, shape.at(0)?, frame)?;
                (before.at(0)?, method, before.object?)
            }
            name if methods::METHODS.contains(&name) => (shape.at(0)?, name.to_owned(), shape.object?),
            _ => return None,
        };
        let origin = self.values.origin(file, object)?;
        let is_typed =
            ["openapi-fetch", "openapi-typescript-fetch"].iter().any(|module| origin.path.starts_with(module));
        let path = self.values.text_in_call(file, path, frame);
        let base = bases::base_of(self.values, origin.made_by.filter(|_| is_typed));
        let url = match base {
            Some(base) => with_slash(&base, &path),
            None => bases::of_unknown_host(&path),
        };
        is_typed.then_some(HttpRequest { method, url, confidence: KNOWN_CLIENT })
    }
}

/// Returns a path behind a base that only the configuration of the client has; `None` if the text is no path.
fn behind_unknown_base(path: &TextValue) -> Option<TextValue> {
    let parts = path.alternatives.first()?;
    let at = parts.iter().position(|part| matches!(part, TextPart::Text(text) if text.starts_with('/')))?;
    let path = TextValue::of_parts(parts[at..].to_vec());
    Some(bases::of_unknown_host(&path))
}
