//! Edits of JSON files, also with comments and trailing commas. Everything outside the edited property keeps its bytes.

use jsonc_parser::{
    ParseOptions,
    cst::{CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode},
};
use serde_json::Value;

use super::file_edit::EditError;

/// Returns the value at a path of keys.
pub(super) fn get(text: &str, keys: &[&str]) -> Result<Option<Value>, EditError> {
    let root = parse(text)?;
    check_unique(&root, keys)?;
    let value = root.value().and_then(|value| value.to_serde_value());
    Ok(value.and_then(|value| keys.iter().try_fold(&value, |value, key| value.get(key)).cloned()))
}

/// Returns the text with a value at a path of keys. Missing objects are created.
pub(super) fn set(text: &str, keys: &[&str], value: &Value) -> Result<String, EditError> {
    let (name, parents) = keys.split_last().expect("a path has at least one key");
    let root = parse(text)?;
    check_unique(&root, keys)?;
    let object = object_at(&root, parents)?;
    match object.get(name) {
        Some(property) => property.set_value(input(value)),
        None => drop(object.append(name, input(value))),
    }
    Ok(with_final_newline(text, root.to_string()))
}

/// Returns the text without the property at a path of keys.
pub(super) fn remove(text: &str, keys: &[&str]) -> Result<String, EditError> {
    let (name, parents) = keys.split_last().expect("a path has at least one key");
    let root = parse(text)?;
    check_unique(&root, keys)?;
    let parent = parents.iter().try_fold(root.object_value(), |object, key| Some(object?.object_value(key)));
    if let Some(property) = parent.flatten().and_then(|object| object.get(name)) {
        property.remove();
    }
    Ok(root.to_string())
}

/// Returns the text with a further element in the array at a path of keys, which is created if it is missing.
pub(super) fn append(text: &str, keys: &[&str], element: &Value) -> Result<String, EditError> {
    let (name, parents) = keys.split_last().expect("a path has at least one key");
    let root = parse(text)?;
    check_unique(&root, keys)?;
    let array = object_at(&root, parents)?.array_value_or_create(name);
    array.ok_or_else(|| EditError(format!("`{}` is not an array", keys.join("."))))?.append(input(element));
    Ok(with_final_newline(text, root.to_string()))
}

/// Returns the text without the matching elements of the arrays `nested` in the objects of the array at a path of keys. An object whose
/// nested array is then empty is removed, and so is the outer array.
pub(super) fn remove_nested_elements(
    text: &str,
    keys: &[&str],
    nested: &str,
    is_removed: impl Fn(&Value) -> bool,
) -> Result<String, EditError> {
    let (name, parents) = keys.split_last().expect("a path has at least one key");
    let root = parse(text)?;
    check_unique(&root, keys)?;
    let parent = parents.iter().try_fold(root.object_value(), |object, key| Some(object?.object_value(key)));
    let Some(array) = parent.flatten().and_then(|object| object.array_value(name)) else { return Ok(root.to_string()) };
    let is_removed = |element: &CstNode| element.to_serde_value().is_some_and(|element| is_removed(&element));
    for element in array.elements() {
        let Some(inner) = element.as_object().and_then(|object| object.array_value(nested)) else { continue };
        let removed: Vec<CstNode> = inner.elements().into_iter().filter(is_removed).collect();
        match removed.len() {
            0 => {}
            n_removed if n_removed == inner.elements().len() => element.remove(),
            _ => removed.into_iter().for_each(CstNode::remove),
        }
    }
    if array.elements().is_empty() { remove(&root.to_string(), keys) } else { Ok(root.to_string()) }
}

/// Returns true if the document has no content but empty objects and arrays.
pub(super) fn is_skeleton(text: &str) -> bool {
    fn is_empty(value: &Value) -> bool {
        match value {
            Value::Object(fields) => fields.values().all(is_empty),
            Value::Array(elements) => elements.is_empty(),
            _ => false,
        }
    }
    !text.contains("//") && !text.contains("/*") && get(text, &[]).is_ok_and(|value| value.is_none_or(|v| is_empty(&v)))
}

/// Parses standard JSON with comments and trailing commas. Clients reject other extensions.
fn parse(text: &str) -> Result<CstRootNode, EditError> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    CstRootNode::parse(text, &options).map_err(|error| EditError(format!("it is not valid JSON: {error}")))
}

/// Rejects a text that has a key of the path twice: programs differ in the one that they read.
fn check_unique(root: &CstRootNode, keys: &[&str]) -> Result<(), EditError> {
    let mut object = root.object_value();
    for key in keys {
        let Some(parent) = object else { return Ok(()) };
        let is_named = |property: &&CstObjectProp| {
            property.name().and_then(|name| name.decoded_value().ok()).is_some_and(|name| name == *key)
        };
        if parent.properties().iter().filter(is_named).count() > 1 {
            return Err(EditError(format!("it has the key `{key}` more than once: keep one of them")));
        }
        object = parent.object_value(key);
    }
    Ok(())
}

fn object_at(root: &CstRootNode, keys: &[&str]) -> Result<CstObject, EditError> {
    let root = root.object_value_or_create().ok_or_else(|| EditError("it has no object at its root".to_owned()))?;
    keys.iter().try_fold(root, |object, key| {
        object.object_value_or_create(key).ok_or_else(|| EditError(format!("`{key}` is not an object")))
    })
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(elements) => CstInputValue::Array(elements.iter().map(input).collect()),
        Value::Object(fields) => {
            CstInputValue::Object(fields.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}

/// A new document ends with a newline.
fn with_final_newline(before: &str, after: String) -> String {
    if before.trim().is_empty() && !after.ends_with('\n') { after + "\n" } else { after }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const KEYS: [&str; 2] = ["mcpServers", "causeway"];

    #[test]
    fn comments_commas_and_line_ends_survive() {
        let entry = json!({ "url": "u" });
        for text in [
            "{\n\t// mine\n\t\"mcpServers\": {\n\t\t\"other\": {\"url\": \"x\",}, // last\n\t},\n}\n",
            "{\r\n  \"mcpServers\": {\r\n    \"other\": {}\r\n  },\r\n  \"a\": [1,  2]\r\n}",
            "{\"theme\":\"dark\"}",
            "/* head */\n{}\n// tail\n",
        ] {
            let edited = set(text, &KEYS, &entry).unwrap();
            assert_eq!(get(&edited, &KEYS).unwrap(), Some(entry.clone()), "{edited}");
            assert_eq!(edited.contains("\r\n"), text.contains("\r\n"), "{edited:?}");
            for line in text.lines().map(|line| line.trim_matches([' ', '\t', '{', '}', ','])) {
                assert!(edited.contains(line), "{line:?} in {edited}");
            }
            let removed = remove(&edited, &KEYS).unwrap();
            assert_eq!(get(&removed, &KEYS).unwrap(), None, "{removed}");
            assert_eq!(get(&removed, &["theme"]).unwrap(), get(text, &["theme"]).unwrap());
        }
    }

    #[test]
    fn new_file_is_formatted() {
        let created = set("", &KEYS, &json!({ "url": "u" })).unwrap();
        assert_eq!(created, "{\n  \"mcpServers\": {\n    \"causeway\": {\n      \"url\": \"u\"\n    }\n  }\n}\n");
        assert!(is_skeleton(&remove(&created, &KEYS).unwrap()));
    }

    #[test]
    fn other_values_are_not_replaced() {
        for text in ["[]", "{\"mcpServers\": []}", "{\"mcpServers\": 1}", "{", "{'a': 1}"] {
            assert!(set(text, &KEYS, &json!({})).is_err(), "{text}");
        }
    }

    #[test]
    fn repeated_keys_are_rejected() {
        for (text, key) in [
            ("{\"mcpServers\":{},\"mcpServers\":{}}", "mcpServers"),
            ("{\"mcpServers\":{\"causeway\":{},\"causeway\":{}}}", "causeway"),
            ("{\"mcpServers\":{},\"mcp\\u0053ervers\":{}}", "mcpServers"),
        ] {
            for error in [set(text, &KEYS, &json!({})).err(), get(text, &KEYS).err(), remove(text, &KEYS).err()] {
                let error = error.expect(text).to_string();
                assert!(error.contains(&format!("`{key}` more than once")), "{text}: {error}");
            }
        }
        // Other keys are no matter of this program.
        assert!(set("{\"a\":1,\"a\":2,\"mcpServers\":{\"x\":{},\"x\":{}}}", &KEYS, &json!({})).is_ok());
    }
}
