//! JSON schemas that every client understands: only `type`, `enum`, `items`, `properties`, `required`, `default` and
//! `description`.
//!
//! Clients differ in further keywords: some warn about `format: uint32`, and some models refuse type arrays and `$ref`.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// A JSON object: a schema, or arguments by name.
pub type JsonObject = Map<String, Value>;

/// Returns the schema of a tool's arguments.
pub fn of_arguments<T: JsonSchema>() -> JsonObject {
    portable(generate::<T>(SchemaSettings::draft2020_12()), Descriptions::Include)
}

/// Returns the schema of a tool's answer, without descriptions. It does not spell out the items of lists and objects,
/// since every client pays for the list of tools.
pub fn of_answer<T: JsonSchema>() -> JsonObject {
    // A field that is omitted when empty is not required.
    let mut schema = portable(generate::<T>(SchemaSettings::draft2020_12().for_serialize()), Descriptions::Omit);
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    properties.into_iter().flat_map(|properties| properties.values_mut()).for_each(|property| {
        let inner = if property["type"] == "array" { &mut property["items"] } else { property };
        if inner["type"] == "object" {
            *inner = json!({"type": "object"});
        }
    });
    schema
}

#[derive(Clone, Copy, PartialEq)]
enum Descriptions {
    Include,
    Omit,
}

fn generate<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

fn portable(schema: Value, descriptions: Descriptions) -> JsonObject {
    let Value::Object(mut object) = simplify(schema, descriptions) else { return JsonObject::new() };
    object.remove("description");
    object
}

fn simplify(schema: Value, descriptions: Descriptions) -> Value {
    let Value::Object(mut object) = schema else { return schema };
    if let Some(choice) = only_choice(&object) {
        let mut chosen = choice;
        if let (Some(description), Some(chosen)) = (object.get("description"), chosen.as_object_mut()) {
            chosen.insert("description".to_owned(), description.clone());
        }
        return simplify(chosen, descriptions);
    }
    if let Some(names) = constants(&object) {
        object.insert("type".to_owned(), json!("string"));
        object.insert("enum".to_owned(), json!(names));
    }
    if let Some(Value::Array(types)) = object.get("type") {
        let first = types.iter().find(|name| *name != "null").cloned();
        object.insert("type".to_owned(), first.unwrap_or(json!("string")));
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::String(description)) = object.get_mut("description") {
        *description = description.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    if object.get("default").is_some_and(Value::is_null) {
        object.remove("default");
    }
    let allowed = ["type", "enum", "items", "properties", "required", "default", "description"];
    object.retain(|key, _| allowed.contains(&key.as_str()));
    if descriptions == Descriptions::Omit {
        object.remove("description");
    }
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        properties.values_mut().for_each(|property| *property = simplify(property.take(), descriptions));
    }
    if let Some(items) = object.get_mut("items") {
        *items = simplify(items.take(), descriptions);
    }
    Value::Object(object)
}

/// Returns the only non-null alternative of `anyOf`, if there is exactly one.
fn only_choice(object: &JsonObject) -> Option<Value> {
    let choices = object.get("anyOf")?.as_array()?;
    let mut others = choices.iter().filter(|choice| choice.get("type") != Some(&json!("null")));
    others.next().filter(|_| others.next().is_none()).cloned()
}

/// Returns the values of an enum whose variants have separate descriptions.
fn constants(object: &JsonObject) -> Option<Vec<Value>> {
    object.get("oneOf")?.as_array()?.iter().map(|choice| choice.get("const").cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Example {
        /// What it
        /// is about.
        query: String,
        limit: Option<i64>,
        mode: Option<Mode>,
        nested: Vec<Nested>,
    }

    #[derive(JsonSchema)]
    #[schemars(rename_all = "lowercase")]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum Mode {
        /// One.
        Auto,
        /// Two.
        Path,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Nested {
        count: u32,
    }

    #[test]
    fn schemas_are_plain() {
        let nested = json!({"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]});
        let expected = json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What it is about."},
                "limit": {"type": "integer"},
                "mode": {"type": "string", "enum": ["auto", "path"]},
                "nested": {"type": "array", "items": nested},
            },
            "required": ["query", "nested"],
        });
        assert_eq!(Value::Object(of_arguments::<Example>()), expected);
        assert!(of_answer::<Example>()["properties"]["query"].get("description").is_none());
    }
}
