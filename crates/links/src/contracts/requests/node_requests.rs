//! Requests of `http` and `https` of Node.js, whose options may be in a variable: `http.request(options, callback)`.

use graph::FileIdx;
use model::{
    Language,
    code::{Expression, ExpressionId},
};

use super::{HttpRequest, KNOWN_CLIENT, METHOD_NAMES, RequestReader, methods};
use crate::contracts::{
    text_value::{CallFrame, TextValue, with_slash},
    values::CallShape,
};

/// Modules of Node.js that send requests.
const MODULES: [&str; 4] = ["http", "https", "node:http", "node:https"];

/// Names of the options with the host.
const HOSTS: [&str; 2] = ["hostname", "host"];

impl<'p> RequestReader<'_, '_, 'p> {
    /// Returns the request of a call of such a module: with an object of options, or with a URL.
    pub(super) fn request_of_node(
        &mut self,
        file: FileIdx,
        shape: &CallShape<'p>,
        frame: Option<&CallFrame<'_>>,
    ) -> Option<HttpRequest> {
        let language = self.values.program().language(file);
        let is_of_script = matches!(language, Language::JavaScript | Language::TypeScript | Language::Tsx);
        let object = shape.object.filter(|_| is_of_script && matches!(shape.name, "request" | "get"))?;
        let origin = self.values.origin(file, object)?;
        if !MODULES.contains(&origin.path.as_str()) {
            return None;
        }
        let first = shape.at(0)?;
        let method = |reader: &mut Self, options: ExpressionId| match reader.option(file, options, &METHOD_NAMES) {
            Some((home, method)) => methods::of_value(reader.values, home, method, None).unwrap_or("*".to_owned()),
            None => "GET".to_owned(),
        };
        let Some((home, host)) = self.option(file, first, &HOSTS) else {
            let url = self.values.text_in_call(file, first, frame);
            let is_options = matches!(self.values.expression(file, first), Expression::Object(_));
            let second = shape.at(1);
            let method = second.map_or_else(|| "GET".to_owned(), |options| method(self, options));
            let request = HttpRequest { method, url, confidence: KNOWN_CLIENT };
            return Some(request).filter(|request| !is_options && !request.url.is_computed());
        };
        let method = method(self, first);
        let host = self.values.text(home, host);
        let path = self.option(file, first, &["path"]).map(|(home, path)| self.values.text(home, path));
        let address = TextValue::literal("http://").followed_by(&host);
        let url = path.map_or(address.clone(), |path| with_slash(&address, &path));
        Some(HttpRequest { method, url, confidence: KNOWN_CLIENT })
    }
}
