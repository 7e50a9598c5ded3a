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
        let is_of_module = self.is_module(file, object)
            && self.values.origin(file, object).is_some_and(|origin| MODULES.contains(&origin.path.as_str()));
        if !is_of_module || shape.arguments.iter().any(|argument| self.is_handler(file, *argument)) {
            return None;
        }
        let first = shape.at(0)?;
        let Some((home, host)) = self.option(file, first, &HOSTS) else {
            let url = self.values.text_in_call(file, first, frame);
            let is_options = matches!(self.values.expression(file, first), Expression::Object(_));
            if is_options || url.is_computed() {
                return None;
            }
            let second = shape.at(1);
            let method = second.map_or_else(|| "GET".to_owned(), |options| self.method_of(file, shape, options, frame));
            return Some(HttpRequest { method, url, confidence: KNOWN_CLIENT });
        };
        let method = self.method_of(file, shape, first, frame);
        let host = self.values.text_in_call(home, host, frame.filter(|_| home == file));
        let path = self.option(file, first, &["path"]);
        let path = path.map(|(home, path)| self.values.text_in_call(home, path, frame.filter(|_| home == file)));
        let address = TextValue::literal("http://").followed_by(&host);
        let url = path.map_or(address.clone(), |path| with_slash(&address, &path));
        Some(HttpRequest { method, url, confidence: KNOWN_CLIENT })
    }

    /// Returns true if an object is a module that the file imports or requires: a parameter may have the name of a module.
    fn is_module(&mut self, file: FileIdx, object: ExpressionId) -> bool {
        let (program, code) = (self.values.program(), self.values.code(file));
        let Expression::Name { name, scope, n_before } = self.values.expression(file, object) else {
            return matches!(self.values.expression(file, object), Expression::Import { .. });
        };
        let binding = self.values.cx.binding_before(file, program.name(file, *name), *scope, *n_before);
        let has_value = binding.is_none_or(|binding| code.bindings[binding as usize].value.is_some());
        has_value && program.facts(file).imports.iter().any(|import| MODULES.contains(&import.module.as_str()))
    }

    /// Returns true for the handler of a request that arrives, `(request, response) => {}`; that of a response has one parameter.
    fn is_handler(&self, file: FileIdx, argument: ExpressionId) -> bool {
        matches!(self.values.expression(file, argument), Expression::Function { parameters, .. } if parameters.len() > 1)
    }

    /// Returns the method that options of such a request give; `*` if they are not known.
    fn method_of(
        &mut self,
        file: FileIdx,
        shape: &CallShape<'p>,
        options: ExpressionId,
        frame: Option<&CallFrame<'_>>,
    ) -> String {
        let written = match self.values.expression(file, options) {
            Expression::Object(_) => self.option(file, options, &METHOD_NAMES),
            _ => None,
        };
        if let Some((home, method)) = written {
            let frame = frame.filter(|_| home == file);
            return methods::of_value(self.values, home, method, frame).unwrap_or_else(|| "*".to_owned());
        }
        let (method, is_open) = self.method_among(file, options, frame);
        // A member or an item may have any options, and a function is the handler of the response.
        let is_readable = matches!(
            self.values.expression(file, options),
            Expression::Object(_) | Expression::Function { .. } | Expression::Name { .. } | Expression::Call { .. }
        );
        let is_default = shape.name == "get" || is_readable && !is_open;
        method.unwrap_or_else(|| if is_default { "GET" } else { "*" }.to_owned())
    }
}
