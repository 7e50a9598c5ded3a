//! Reading the arguments of a call as leniently as their schema allows, and saying what was not understood.

use serde::de::DeserializeOwned;
use serde_json::{Number, Value, json};

use crate::{
    refusal::{Refusal, quoted},
    schema::JsonObject,
};

/// The longest text that an argument takes, in bytes: the longest path that a file system takes.
const MAX_TEXT_BYTES: usize = 4 << 10;

/// The longest list of aliases, in bytes: thousands of them.
const MAX_ALIASES_BYTES: usize = 64 << 10;

/// Ignored arguments beyond these are counted, not listed.
const MAX_LISTED_IGNORED: usize = 20;

/// Arguments that were understood, and a line on each that was not.
#[derive(Debug)]
pub(crate) struct Understood<T> {
    pub(crate) arguments: T,
    pub(crate) ignored: Vec<String>,
}

/// Reads arguments by their schema. What is unknown, or outside a closed list, is left out and reported; what is
/// missing or of another type is refused.
pub(crate) fn read<T: DeserializeOwned>(schema: &JsonObject, arguments: Value) -> Result<Understood<T>, Refusal> {
    read_with(schema, arguments, Listed::Noted)
}

/// Does the same, but refuses what is outside a closed list: for tools whose answer would be another one.
pub(crate) fn read_strictly<T: DeserializeOwned>(
    schema: &JsonObject,
    arguments: Value,
) -> Result<Understood<T>, Refusal> {
    read_with(schema, arguments, Listed::Refused)
}

fn read_with<T: DeserializeOwned>(
    schema: &JsonObject,
    arguments: Value,
    outside: Listed,
) -> Result<Understood<T>, Refusal> {
    let given = match arguments {
        Value::Null => JsonObject::new(),
        Value::Object(given) => given,
        other => return Err(Refusal::new(format!("arguments are an object by name, not {}", type_name(&other)))),
    };
    let properties = schema["properties"].as_object().expect("every schema of arguments has properties");
    let mut ignored = Ignored::default();
    let mut understood = JsonObject::new();
    for (name, value) in given.into_iter().filter(|(_, value)| !value.is_null()) {
        let Some((known_name, property)) = find(properties, &name) else {
            ignored.note(|| unknown(&name, properties));
            continue;
        };
        match convert(known_name, property, value)? {
            Converted::Value(value) => {
                understood.insert(known_name.clone(), value);
            }
            Converted::NotListed { what } if outside == Listed::Refused => {
                return Err(Refusal::new(what));
            }
            Converted::NotListed { what } => ignored.note(|| format!("{what}, and was not applied")),
            Converted::Nothing => {}
        }
    }
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if !understood.contains_key(name) {
            let description = properties[name].get("description").and_then(Value::as_str).unwrap_or_default();
            return Err(Refusal::new(format!("`{name}` is missing: {description}")));
        }
    }
    let arguments = serde_json::from_value(Value::Object(understood))
        .map_err(|error| Refusal::new(format!("the arguments could not be read: {error}")))?;
    Ok(Understood { arguments, ignored: ignored.into_lines() })
}

/// The lines on the first arguments that were ignored, and how many more there were.
#[derive(Default)]
struct Ignored {
    lines: Vec<String>,
    n_more: usize,
}

impl Ignored {
    fn note(&mut self, line: impl FnOnce() -> String) {
        if self.lines.len() < MAX_LISTED_IGNORED { self.lines.push(line()) } else { self.n_more += 1 }
    }

    fn into_lines(mut self) -> Vec<String> {
        if self.n_more > 0 {
            self.lines.push(format!("and {} more", self.n_more));
        }
        self.lines
    }
}

fn unknown(name: &str, properties: &JsonObject) -> String {
    let known: Vec<&str> = properties.keys().map(String::as_str).collect();
    format!("`{}`: unknown; known are {}", quoted(name), known.join(", "))
}

/// What becomes of a value outside a closed list.
#[derive(Clone, Copy, PartialEq)]
enum Listed {
    Noted,
    Refused,
}

enum Converted {
    Value(Value),
    /// Outside a closed list, with a line on what is in it.
    NotListed {
        what: String,
    },
    /// Given, but empty.
    Nothing,
}

/// Finds a property by name, whatever its notation: `symbolId` is `symbol_id`.
fn find<'a>(properties: &'a JsonObject, name: &str) -> Option<(&'a String, &'a Value)> {
    let fold = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    properties.get_key_value(name).or_else(|| properties.iter().find(|(known, _)| fold(known) == fold(name)))
}

fn convert(name: &str, property: &Value, value: Value) -> Result<Converted, Refusal> {
    if let Some(listed) = property.get("enum").and_then(Value::as_array) {
        return Ok(convert_listed(name, listed, &value));
    }
    let wanted = property.get("type").and_then(Value::as_str).unwrap_or("string");
    let converted = match (wanted, &value) {
        ("string", Value::String(_)) => Some(value.clone()),
        ("string", Value::Number(number)) => Some(json!(number.to_string())),
        ("string", Value::Array(items)) if is_list_of_aliases(name) => join(name, items)?,
        ("integer", Value::Number(number)) => Some(json!(to_integer(number))),
        ("integer", Value::String(digits)) => digits.trim().parse::<i64>().ok().map(|number| json!(number)),
        ("number", Value::Number(_)) => Some(value.clone()),
        ("number", Value::String(digits)) => digits.trim().parse::<f64>().ok().map(|number| json!(number)),
        ("boolean", Value::Bool(_)) => Some(value.clone()),
        ("boolean", Value::String(word)) => word.trim().to_lowercase().parse::<bool>().ok().map(|truth| json!(truth)),
        ("array", _) => list(name, property, &value)?,
        _ => None,
    };
    if let Some(Value::String(text)) = &converted {
        refuse_too_long(name, text)?;
    }
    let article = if matches!(wanted, "integer" | "array") { "an" } else { "a" };
    converted.map(Converted::Value).ok_or_else(|| {
        // What numbers are valid stands in the description alone.
        let description = property.get("description").and_then(Value::as_str).filter(|_| wanted == "number");
        let valid = description.map(|description| format!(": {description}")).unwrap_or_default();
        Refusal::new(format!("`{name}` takes {article} {wanted}, not {}{valid}", type_name(&value)))
    })
}

fn is_list_of_aliases(name: &str) -> bool {
    matches!(name, "repo" | "projects")
}

/// Items of a list beyond these are refused: every one is a question to the workers. A change has as many files as it has.
const MAX_ITEMS: usize = 50;
const MAX_CHANGED_FILES: usize = 300;

fn max_items(name: &str) -> usize {
    if name == "changed_files" { MAX_CHANGED_FILES } else { MAX_ITEMS }
}

/// Reads a list, or text with commas as one; nothing if it is something else. Items are checked like arguments.
fn list(name: &str, property: &Value, value: &Value) -> Result<Option<Value>, Refusal> {
    let items: Vec<Value> = match value {
        Value::Array(items) => items.clone(),
        Value::String(text) => text.split(',').map(|item| json!(item.trim())).collect(),
        _ => return Ok(None),
    };
    let most = max_items(name);
    if items.len() > most {
        return Err(Refusal::new(format!("`{name}` takes at most {most} items, not {}", items.len())));
    }
    let mut read = Vec::with_capacity(items.len());
    for item in items {
        match convert(name, &property["items"], item)? {
            Converted::Value(item) => read.push(item),
            Converted::NotListed { what } => return Err(Refusal::new(what)),
            Converted::Nothing => {}
        }
    }
    Ok(Some(json!(read)))
}

fn convert_listed(name: &str, listed: &[Value], value: &Value) -> Converted {
    let typed = value.as_str().map(|typed| typed.trim().to_lowercase());
    if typed.as_deref() == Some("") {
        return Converted::Nothing;
    }
    match listed.iter().find(|known| known.as_str() == typed.as_deref()) {
        Some(known) => Converted::Value(known.clone()),
        None => {
            let known: Vec<&str> = listed.iter().filter_map(Value::as_str).collect();
            Converted::NotListed { what: none_of(name, &value.to_string(), &known) }
        }
    }
}

/// Returns the line on a value outside a closed list.
pub(crate) fn not_listed(name: &str, value: &str, known: &[&str]) -> String {
    format!("{}, and was not applied", none_of(name, value, known))
}

fn none_of(name: &str, value: &str, known: &[&str]) -> String {
    format!("`{name}`: `{}` is none of {}", quoted(value.trim_matches('"')), known.join(", "))
}

/// Refuses what is longer than anything that makes sense, before anybody reads it. A query is cut instead.
fn refuse_too_long(name: &str, text: &str) -> Result<(), Refusal> {
    let most = match name {
        "query" => return Ok(()),
        _ if is_list_of_aliases(name) => MAX_ALIASES_BYTES,
        _ => MAX_TEXT_BYTES,
    };
    if text.len() > most {
        return Err(Refusal::new(format!("`{name}` takes at most {most} bytes, not {}", text.len())));
    }
    Ok(())
}

/// Joins a list of aliases as the `repo` argument writes them; nothing if it is a list of something else.
fn join(name: &str, items: &[Value]) -> Result<Option<Value>, Refusal> {
    let names: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
    match names {
        Some(names) if names.iter().all(|name| name.trim().is_empty()) && name == "repo" => Err(no_aliases()),
        names => Ok(names.map(|names| json!(names.join(",")))),
    }
}

/// Returns the error for a list of repositories that names none.
pub(crate) fn no_aliases() -> Refusal {
    Refusal::new("`repo` is an empty list: name an alias, or leave it out; list_repos tells what there is")
}

/// Returns the nearest integer there is.
fn to_integer(number: &Number) -> i64 {
    number.as_i64().unwrap_or_else(|| number.as_f64().unwrap_or_default() as i64)
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    struct Example {
        /// What to look for.
        query: String,
        limit: Option<i64>,
        repo: Option<String>,
        mode: Option<Mode>,
    }

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Mode {
        Auto,
        Path,
    }

    fn check(arguments: Value, expected: Result<(Example, &[&str]), &str>) {
        let schema = crate::schema::of_arguments::<Example>();
        let read = read::<Example>(&schema, arguments.clone()).map_err(|refusal| refusal.to_string());
        let read = read.map(|understood| (understood.arguments, understood.ignored));
        let expected = expected.map(|(example, lines)| (example, lines.iter().map(|l| (*l).to_owned()).collect()));
        assert_eq!(read, expected.map_err(str::to_owned), "{arguments}");
    }

    #[test]
    fn what_can_be_understood_is() {
        let example = |limit, repo: Option<&str>, mode| Example {
            query: "q".to_owned(),
            limit,
            repo: repo.map(str::to_owned),
            mode,
        };
        check(json!({"query": "q"}), Ok((example(None, None, None), &[])));
        check(json!({"query": "q", "limit": "7", "mode": null}), Ok((example(Some(7), None, None), &[])));
        check(json!({"query": "q", "limit": 1e30}), Ok((example(Some(i64::MAX), None, None), &[])));
        check(json!({"query": "q", "Mode": "PATH"}), Ok((example(None, None, Some(Mode::Path)), &[])));
        check(json!({"query": "q", "repo": ["a", "b"]}), Ok((example(None, Some("a,b"), None), &[])));
        check(
            json!({"query": "q", "mode": "psychic", "nonsense": 1}),
            Ok((
                example(None, None, None),
                &[
                    "`mode`: `psychic` is none of auto, path, and was not applied",
                    "`nonsense`: unknown; known are limit, mode, query, repo",
                ],
            )),
        );
    }

    #[test]
    fn what_cannot_be_understood_is_refused() {
        check(json!({}), Err("`query` is missing: What to look for."));
        check(Value::Null, Err("`query` is missing: What to look for."));
        check(json!([]), Err("arguments are an object by name, not a list"));
        check(json!({"query": {}}), Err("`query` takes a string, not an object"));
        check(json!({"query": "q", "limit": "many"}), Err("`limit` takes an integer, not a string"));
        for empty in [json!([]), json!(["", " "])] {
            let expected = no_aliases().to_string();
            check(json!({"query": "q", "repo": empty}), Err(&expected));
        }
    }

    #[test]
    fn what_is_too_long_is_refused_before_it_is_read() {
        let schema = crate::schema::of_arguments::<Lengths>();
        let long = |n_bytes: usize| "a:".repeat(n_bytes / 2);
        for (arguments, expected) in [
            (json!({"query": long(400_000)}), Ok(())),
            (json!({"file": long(4_096)}), Ok(())),
            (json!({"file": long(4_098)}), Err("`file` takes at most 4096 bytes, not 4098")),
            (json!({"repo": [long(40_000), long(40_000)]}), Err("`repo` takes at most 65536 bytes, not 80001")),
        ] {
            let read = read::<Lengths>(&schema, arguments).map(|_| ()).map_err(|refusal| refusal.to_string());
            assert_eq!(read, expected.map_err(str::to_owned));
        }
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Lengths {
        query: Option<String>,
        file: Option<String>,
        repo: Option<String>,
    }

    #[test]
    fn ignored_arguments_are_listed_within_bounds() {
        let mut given: JsonObject = (0..50_000).map(|n| (format!("p{n}"), json!(1))).collect();
        given.insert("query".to_owned(), json!("q"));
        let schema = crate::schema::of_arguments::<Example>();
        let ignored = read::<Example>(&schema, Value::Object(given)).unwrap().ignored;
        assert_eq!(ignored.len(), MAX_LISTED_IGNORED + 1);
        assert_eq!(ignored.last().unwrap(), "and 49980 more");
    }
}
