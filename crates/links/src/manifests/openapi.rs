//! OpenAPI documents: the operations that they declare.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser};

/// The most operations of one document.
const MAX_OPERATIONS: usize = 5_000;

const METHODS: [&str; 7] = ["get", "post", "put", "patch", "delete", "head", "options"];

/// An operation of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenApiOperation {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) line: u32,
    /// The `operationId`; empty without one.
    pub(crate) id: String,
}

/// A mapping or a sequence that is open while a document is read.
enum Container {
    Sequence,
    Mapping {
        /// The key whose value comes next, if the key was read.
        key: Option<String>,
        /// The number of its anchor; 0 without one.
        anchor: usize,
    },
}

/// The parts of a document that are read so far.
#[derive(Default)]
struct OpenApiReader {
    open: Vec<Container>,
    operations: Vec<OpenApiOperation>,
    /// By anchor: the methods of the mapping, each with its line.
    anchored: BTreeMap<usize, Vec<(String, u32)>>,
    /// The path before those of the operations.
    base: Option<String>,
}

/// Returns the operations below `paths` of a document, in YAML or in JSON, which is YAML too, behind the path of its first server.
/// Of a malformed document, what precedes the error counts.
pub(super) fn operations(text: &str) -> Vec<OpenApiOperation> {
    let mut reader = OpenApiReader::default();
    for (event, span) in Parser::new_from_str(text).map_while(Result::ok) {
        let line = u32::try_from(span.start.line()).unwrap_or(u32::MAX);
        reader.read(event, line);
        if reader.operations.len() >= MAX_OPERATIONS {
            break;
        }
    }
    let base = reader.base.unwrap_or_default();
    let operations = reader.operations.into_iter().take(MAX_OPERATIONS);
    operations.map(|operation| OpenApiOperation { path: format!("{base}{}", operation.path), ..operation }).collect()
}

impl OpenApiReader {
    fn read(&mut self, event: Event<'_>, line: u32) {
        match event {
            Event::Scalar(text, ..) => match self.open.last_mut() {
                Some(Container::Mapping { key: key @ None, anchor }) => {
                    if *anchor > 0 && METHODS.contains(&text.as_ref()) {
                        self.anchored.entry(*anchor).or_default().push((text.as_ref().to_owned(), line));
                    }
                    *key = Some(text.into_owned());
                    self.read_method(line);
                }
                _ => {
                    self.read_base(&text);
                    self.read_id(&text);
                    self.end_value();
                }
            },
            Event::Alias(anchor) => {
                self.read_alias(anchor);
                self.end_value();
            }
            Event::MappingStart(anchor, _) => self.open.push(Container::Mapping { key: None, anchor }),
            Event::SequenceStart(..) => self.open.push(Container::Sequence),
            Event::MappingEnd | Event::SequenceEnd => {
                self.open.pop();
                self.end_value();
            }
            _ => {}
        }
    }

    /// Ends a value, so that the next scalar of its mapping is a key. A key that is no scalar counts as an empty one.
    fn end_value(&mut self) {
        if let Some(Container::Mapping { key, .. }) = self.open.last_mut() {
            *key = if key.is_none() { Some(String::new()) } else { None };
        }
    }

    /// Returns the keys of the open mappings, from the outside in; an empty one for a sequence.
    fn keys(&self) -> Vec<&str> {
        self.open
            .iter()
            .map(|container| match container {
                Container::Mapping { key: Some(key), .. } => key.as_str(),
                _ => "",
            })
            .collect()
    }

    /// Adds the operation whose method is the innermost key.
    fn read_method(&mut self, line: u32) {
        let added = match self.keys()[..] {
            ["paths", path, method] => operation(path, method, line),
            _ => None,
        };
        self.operations.extend(added);
    }

    /// Reads the `operationId` of the operation that is open.
    fn read_id(&mut self, text: &str) {
        let ["paths", path, method, "operationId"] = self.keys()[..] else { return };
        let method = method.to_ascii_uppercase();
        let is_open = |operation: &OpenApiOperation| operation.path == path && operation.method == method;
        if let Some(idx) = self.operations.iter().rposition(is_open) {
            text.clone_into(&mut self.operations[idx].id);
        }
    }

    /// Adds the operations of an anchored path item: as the value of a path (`/b: *a`), or merged into one (`<<: *a`).
    fn read_alias(&mut self, anchor: usize) {
        let path = match self.keys()[..] {
            ["paths", path] | ["paths", path, "<<"] => path.to_owned(),
            _ => return,
        };
        let methods = self.anchored.get(&anchor).cloned().unwrap_or_default();
        self.operations.extend(methods.iter().filter_map(|(method, line)| operation(&path, method, *line)));
    }

    /// Reads `basePath`, and the URL of the first server.
    fn read_base(&mut self, text: &str) {
        if self.base.is_none() && matches!(self.keys()[..], ["basePath"] | ["servers", "", "url"]) {
            self.base = Some(path_of_url(text).to_owned());
        }
    }
}

/// Returns the path of the URL of a server, without a slash at its end; none if it has a variable.
fn path_of_url(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = rest.find('/').map_or("", |at| rest[at..].trim_end_matches('/'));
    if path.contains('{') { "" } else { path }
}

fn operation(path: &str, method: &str, line: u32) -> Option<OpenApiOperation> {
    let is_operation = path.starts_with('/') && METHODS.contains(&method);
    is_operation.then(|| OpenApiOperation {
        method: method.to_ascii_uppercase(),
        path: path.to_owned(),
        line,
        id: String::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let shown = |one: &OpenApiOperation| format!("{} {} {}", one.method, one.path, one.line);
        assert_eq!(operations(text).iter().map(shown).collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn operations_are_read_from_either_notation() {
        let yaml = "openapi: 3.0.0\npaths:\n  /a/{id}:\n    parameters: []\n    get:\n      x: 1\n    delete:\n  '/b':\n    \
                    post:\ncomponents:\n  /c:\n    get:\n";
        check(yaml, &["GET /a/{id} 5", "DELETE /a/{id} 7", "POST /b 9"]);
        check("{\n \"paths\": {\n  \"/a\": {\n   \"get\": {}\n  }\n }\n}", &["GET /a 4"]);
        check(
            r#"{"info":{"x":["\/"]},"paths":{"/a:cancel":{"post":{},"get":{}},"\/b":{"put":{}}},"tags":[]}"#,
            &["POST /a:cancel 1", "GET /a:cancel 1", "PUT /b 1"],
        );
        check("{\n\t\"paths\": {\n\t\t\"/a\": {\n\t\t\t\"get\": {}\n\t\t}\n\t}\n}", &["GET /a 4"]);
    }

    #[test]
    fn only_operations_below_paths_count() {
        check("x-paths:\n  paths:\n    /a:\n      get: {}\nwebhooks:\n  /b:\n    get: {}\n", &[]);
        check(
            "paths:\n  /a: &a\n    get: {}\n  /b: *a\n  ? [c]\n  : {get: 1}\n  /d: {get: 1}\n",
            &["GET /a 3", "GET /b 3", "GET /d 7"],
        );
    }

    #[test]
    fn the_path_of_the_server_belongs_to_the_operations() {
        for (head, expected) in [
            ("basePath: /v1\n", "GET /v1/a 3"),
            ("servers: [{url: 'https://shop.example/api/v2/'}]\n", "GET /api/v2/a 3"),
            ("servers: [{url: /v3}, {url: /v4}]\n", "GET /v3/a 3"),
            ("servers: [{url: 'https://{host}/{base}'}]\n", "GET /a 3"),
            ("servers: [{url: 'http://localhost:8080'}]\n", "GET /a 3"),
        ] {
            check(&format!("{head}paths:\n  /a: {{get: {{}}}}\n"), &[expected]);
        }
        // A document may name its servers at its end.
        check("{\"paths\":{\"/a\":{\"get\":{}}},\"servers\":[{\"url\":\"/v1\"}]}", &["GET /v1/a 1"]);
    }

    #[test]
    fn operations_have_identifiers() {
        let found = operations("paths:\n  /a:\n    get:\n      operationId: listA\n    post: {x: 1}\n");
        let ids: Vec<(&str, &str)> = found.iter().map(|one| (one.method.as_str(), one.id.as_str())).collect();
        assert_eq!(ids, [("GET", "listA"), ("POST", "")]);
    }

    #[test]
    fn anchors_are_followed() {
        check(
            "x-item: &item\n  get: {}\n  put: {}\npaths:\n  /a:\n    <<: *item\n    post: {}\n  /b: *item\n",
            &["GET /a 2", "PUT /a 3", "POST /a 7", "GET /b 2", "PUT /b 3"],
        );
    }

    #[test]
    fn a_large_document_on_one_line_is_read() {
        let paths: Vec<String> =
            (0..6_000).map(|n| format!("\"/a{n}\":{{\"get\":{{\"x\":\"{}\"}}}}", "y".repeat(300))).collect();
        let found = operations(&format!("{{\"paths\":{{{}}}}}", paths.join(",")));
        assert_eq!(found.len(), MAX_OPERATIONS);
    }

    #[test]
    fn what_precedes_an_error_counts() {
        check("paths:\n  /a:\n    get: {}\n  /b: ]\n    get: {}\n", &["GET /a 3"]);
        check("", &[]);
        check("\u{feff}- - [", &[]);
    }
}
