//! OpenAPI documents: the operations that they declare.

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

/// Returns the operations below `paths:` of a document in JSON or YAML, by their indentation. Documents of both formats put each
/// path and each method on a separate line.
pub(super) fn operations(text: &str) -> Vec<OpenApiOperation> {
    let mut operations = Vec::new();
    let mut below_paths: Option<usize> = None;
    let mut path: Option<(usize, String)> = None;
    for (index, line) in text.lines().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let Some((key, _)) = line.trim().split_once(':') else { continue };
        let key = key.trim_matches(['"', '\'', ' ']);
        match below_paths {
            None if key == "paths" => below_paths = Some(indent),
            Some(outer) if indent <= outer => (below_paths, path) = (None, None),
            Some(_) if key.starts_with('/') => {
                // A path may hold a colon itself, so that the key is read to its last quote or to the end.
                let whole = line.trim().trim_end_matches(['{', ' ']).trim_end_matches(':');
                path = Some((indent, whole.trim_matches(['"', '\'', ' ']).to_owned()));
            }
            Some(_) if METHODS.contains(&key) => {
                if let Some((_, path)) = path.as_ref().filter(|(outer, _)| *outer < indent) {
                    let method = key.to_ascii_uppercase();
                    operations.push(OpenApiOperation { method, path: path.clone(), line: index as u32 + 1 });
                }
            }
            _ => {}
        }
        if operations.len() >= MAX_OPERATIONS {
            break;
        }
    }
    operations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_read_from_either_notation() {
        let shown = |text: &str| -> Vec<String> {
            operations(text).iter().map(|one| format!("{} {} {}", one.method, one.path, one.line)).collect()
        };
        let yaml = "openapi: 3.0.0\npaths:\n  /a/{id}:\n    parameters: []\n    get:\n      x: 1\n    delete:\n  '/b':\n    post:\ncomponents:\n  /c:\n    get:\n";
        assert_eq!(shown(yaml), ["GET /a/{id} 5", "DELETE /a/{id} 7", "POST /b 9"]);
        let json = "{\n \"paths\": {\n  \"/a\": {\n   \"get\": {}\n  }\n }\n}";
        assert_eq!(shown(json), ["GET /a 4"]);
    }
}
