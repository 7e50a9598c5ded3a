//! OpenAPI documents: the operations that they declare.

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
}

/// A mapping or a sequence that is open while a document is read.
enum Container {
    Sequence,
    /// With the key whose value comes next, if the key was read.
    Mapping(Option<String>),
}

/// Returns the operations below `paths` of a document, in YAML or in JSON, which is YAML too. Of a malformed document, what
/// precedes the error counts.
pub(super) fn operations(text: &str) -> Vec<OpenApiOperation> {
    let mut operations = Vec::new();
    let mut open: Vec<Container> = Vec::new();
    for (event, span) in Parser::new_from_str(text).map_while(Result::ok) {
        if operations.len() == MAX_OPERATIONS {
            break;
        }
        match event {
            Event::Scalar(text, ..) => match open.last_mut() {
                Some(Container::Mapping(key @ None)) => {
                    *key = Some(text.into_owned());
                    operations.extend(operation(&open, span.start.line()));
                }
                _ => end_value(&mut open),
            },
            Event::Alias(_) => end_value(&mut open),
            Event::MappingStart(..) => open.push(Container::Mapping(None)),
            Event::SequenceStart(..) => open.push(Container::Sequence),
            Event::MappingEnd | Event::SequenceEnd => {
                open.pop();
                end_value(&mut open);
            }
            _ => {}
        }
    }
    operations
}

/// Ends a value, so that the next scalar of its mapping is a key. A key that is no scalar counts as an empty one.
fn end_value(open: &mut [Container]) {
    if let Some(Container::Mapping(key)) = open.last_mut() {
        *key = if key.is_none() { Some(String::new()) } else { None };
    }
}

/// Returns the operation whose method is the innermost key.
fn operation(open: &[Container], line: usize) -> Option<OpenApiOperation> {
    let [Container::Mapping(Some(paths)), Container::Mapping(Some(path)), Container::Mapping(Some(method))] = open
    else {
        return None;
    };
    let is_operation = paths == "paths" && path.starts_with('/') && METHODS.contains(&method.as_str());
    is_operation.then(|| OpenApiOperation {
        method: method.to_ascii_uppercase(),
        path: path.clone(),
        line: u32::try_from(line).unwrap_or(u32::MAX),
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
            &["GET /a 3", "GET /d 7"],
        );
    }

    #[test]
    fn what_precedes_an_error_counts() {
        check("paths:\n  /a:\n    get: {}\n  /b: ]\n    get: {}\n", &["GET /a 3"]);
        check("", &[]);
        check("\u{feff}- - [", &[]);
    }
}
