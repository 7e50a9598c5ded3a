//! Lenient reading of tool arguments by their schema, with a report of ignored ones.

use ranking::edit_distance::{allowed_distance, edit_distance};
use serde::de::DeserializeOwned;
use serde_json::{Number, Value, json};

use crate::schema::JsonObject;
use federation::{
    plan::no_aliases,
    refusal::{Refusal, quoted},
};

/// Maximum length of a text argument in bytes: the longest path of common file systems.
const MAX_TEXT_BYTES: usize = 4 << 10;

/// Maximum length of a list of aliases in bytes: enough for thousands.
const MAX_ALIASES_BYTES: usize = 64 << 10;

/// Maximum length of a change in bytes, which may be a diff.
const MAX_CHANGE_BYTES: usize = review::MAX_DIFF_BYTES;

/// Maximum number of ignored arguments in the report; the others are counted.
const MAX_LISTED_IGNORED: usize = 20;

/// Accepted arguments, and one line for each ignored one.
#[derive(Debug)]
pub struct ParsedArguments<T> {
    /// Known names with valid values.
    pub arguments: T,
    /// At most 20 lines, and one with the number of further arguments.
    pub ignored: Vec<String>,
}

/// Reads arguments by their schema. Unknown names and values outside a closed list are ignored and reported. Missing
/// arguments and wrong types are refused.
pub fn read<T: DeserializeOwned>(schema: &JsonObject, arguments: Value) -> Result<ParsedArguments<T>, Refusal> {
    read_with(schema, arguments, UnlistedValues::Note)
}

/// Does the same, but refuses values outside a closed list: for tools that would otherwise answer another question.
pub fn read_strictly<T: DeserializeOwned>(
    schema: &JsonObject,
    arguments: Value,
) -> Result<ParsedArguments<T>, Refusal> {
    read_with(schema, arguments, UnlistedValues::Refuse)
}

fn read_with<T: DeserializeOwned>(
    schema: &JsonObject,
    arguments: Value,
    unlisted_values: UnlistedValues,
) -> Result<ParsedArguments<T>, Refusal> {
    let by_name = match arguments {
        Value::Null => JsonObject::new(),
        Value::Object(by_name) => by_name,
        other => return Err(Refusal::new(format!("the arguments must be an object, not {}", type_name(&other)))),
    };
    let properties = schema["properties"].as_object().expect("every schema of arguments has properties");
    let mut ignored = IgnoredArguments::default();
    let mut accepted = JsonObject::new();
    let (named, others): (Vec<_>, Vec<_>) = by_name
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        .partition(|(name, _)| find(properties, name).is_some());
    // A name of the schema takes precedence over an alias of it.
    for (name, value) in named.into_iter().chain(others) {
        let by_alias = || find_by_alias(properties, &name).filter(|(known, _)| !accepted.contains_key(*known));
        let Some((known_name, property)) = find(properties, &name).or_else(by_alias) else {
            ignored.note(|| unknown(&name, properties));
            continue;
        };
        match convert(known_name, property, value)? {
            ConvertedArgument::Value(value) => {
                accepted.insert(known_name.clone(), value);
            }
            ConvertedArgument::NotListed { message } if unlisted_values == UnlistedValues::Refuse => {
                return Err(Refusal::new(message));
            }
            ConvertedArgument::NotListed { message } => ignored.note(|| format!("{message}, and was not applied")),
            ConvertedArgument::Empty => {}
        }
    }
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if !accepted.contains_key(name) {
            let description = properties[name].get("description").and_then(Value::as_str).unwrap_or_default();
            let misspelt = ignored.lines.iter().find(|line| line.ends_with(&did_you_mean(name)));
            let misspelt = misspelt.map(|line| format!("; {line}")).unwrap_or_default();
            return Err(Refusal::new(format!("`{name}` is missing: {description}{misspelt}")));
        }
    }
    let arguments = serde_json::from_value(Value::Object(accepted))
        .map_err(|error| Refusal::new(format!("the arguments are invalid: {error}")))?;
    Ok(ParsedArguments { arguments, ignored: ignored.into_lines() })
}

/// The lines about the first ignored arguments, and the number of further ones.
#[derive(Default)]
struct IgnoredArguments {
    lines: Vec<String>,
    n_more: usize,
}

impl IgnoredArguments {
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

/// Names for the same argument in other servers. Each is accepted where the schema has exactly one name of its group.
const ALIASES: [&[&str]; 7] = [
    &["query", "question", "pattern"],
    &["target", "entity", "symbol", "symbol_id", "name"],
    &["file", "path"],
    &["limit", "top_k", "max_results"],
    &["token_budget", "max_tokens"],
    &["repo", "repository", "project"],
    &["file_pattern", "glob"],
];

/// Finds the property that an alias stands for.
fn find_by_alias<'a>(properties: &'a JsonObject, name: &str) -> Option<(&'a String, &'a Value)> {
    let is_in = |group: &&&[&str], name: &str| group.iter().any(|known| fold(known) == fold(name));
    let group = ALIASES.iter().find(|group| is_in(group, name))?;
    let mut of_group = properties.iter().filter(|(known, _)| is_in(&group, known));
    of_group.next().filter(|_| of_group.next().is_none())
}

/// Folds the case and the notation of a name.
pub(crate) fn fold(name: &str) -> String {
    name.replace(['_', '-'], "").to_lowercase()
}

fn unknown(name: &str, properties: &JsonObject) -> String {
    let folded = fold(name);
    let max = allowed_distance(folded.chars().count());
    let distance = |known: &str| edit_distance(&folded, &fold(known), max);
    let nearest = properties.keys().filter_map(|known| Some((distance(known)?, known))).min();
    match nearest {
        Some((_, known)) => format!("{}: unknown; {}", quoted(name), did_you_mean(known)),
        None => {
            let known: Vec<&str> = properties.keys().map(String::as_str).collect();
            format!("{}: unknown; known are {}", quoted(name), known.join(", "))
        }
    }
}

fn did_you_mean(known: &str) -> String {
    format!("did you mean `{known}`?")
}

/// The handling of a value outside a closed list.
#[derive(Clone, Copy, PartialEq)]
enum UnlistedValues {
    Note,
    Refuse,
}

enum ConvertedArgument {
    Value(Value),
    /// Outside a closed list; `message` lists its values.
    NotListed {
        message: String,
    },
    /// An empty value.
    Empty,
}

/// Finds a property by name in any notation: `symbolId` is `symbol_id`.
fn find<'a>(properties: &'a JsonObject, name: &str) -> Option<(&'a String, &'a Value)> {
    properties.get_key_value(name).or_else(|| properties.iter().find(|(known, _)| fold(known) == fold(name)))
}

fn convert(name: &str, property: &Value, value: Value) -> Result<ConvertedArgument, Refusal> {
    if let Some(listed) = property.get("enum").and_then(Value::as_array) {
        return Ok(convert_listed(name, listed, &value));
    }
    let expected_type = property.get("type").and_then(Value::as_str).unwrap_or("string");
    let conversion = match (expected_type, &value) {
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
    if let Some(Value::String(text)) = &conversion {
        refuse_too_long(name, text)?;
    }
    let article = if matches!(expected_type, "integer" | "array") { "an" } else { "a" };
    conversion.map(ConvertedArgument::Value).ok_or_else(|| {
        // Only the description of a number states its valid range.
        let description = property.get("description").and_then(Value::as_str).filter(|_| expected_type == "number");
        let valid = description.map(|description| format!(": {description}")).unwrap_or_default();
        Refusal::new(format!("`{name}` takes {article} {expected_type}, not {}{valid}", type_name(&value)))
    })
}

fn is_list_of_aliases(name: &str) -> bool {
    matches!(name, "repo" | "projects")
}

/// Maximum number of list items: each is a query to the workers. A change may have many more files.
const MAX_ITEMS: usize = 50;
const MAX_CHANGED_FILES: usize = 300;
const MAX_SEEN: usize = 500;

fn max_items(name: &str) -> usize {
    match name {
        "changed_files" => MAX_CHANGED_FILES,
        "seen" => MAX_SEEN,
        _ => MAX_ITEMS,
    }
}

/// Reads a list, or comma-separated text as one; returns `None` for other types. Items are checked like arguments.
fn list(name: &str, property: &Value, value: &Value) -> Result<Option<Value>, Refusal> {
    let items: Vec<Value> = match value {
        Value::Array(items) => items.clone(),
        Value::String(text) => text.split(',').map(|item| json!(item.trim())).collect(),
        _ => return Ok(None),
    };
    let max_length = max_items(name);
    if items.len() > max_length {
        return Err(Refusal::new(format!("`{name}` takes at most {max_length} items, not {}", items.len())));
    }
    let mut read = Vec::with_capacity(items.len());
    for item in items {
        match convert(name, &property["items"], item)? {
            ConvertedArgument::Value(item) => read.push(item),
            ConvertedArgument::NotListed { message } => return Err(Refusal::new(message)),
            ConvertedArgument::Empty => {}
        }
    }
    Ok(Some(json!(read)))
}

fn convert_listed(name: &str, listed: &[Value], value: &Value) -> ConvertedArgument {
    let lower_case = value.as_str().map(|lower_case| lower_case.trim().to_lowercase());
    if lower_case.as_deref() == Some("") {
        return ConvertedArgument::Empty;
    }
    match listed.iter().find(|known| known.as_str() == lower_case.as_deref()) {
        Some(known) => ConvertedArgument::Value(known.clone()),
        None => {
            let known: Vec<&str> = listed.iter().filter_map(Value::as_str).collect();
            ConvertedArgument::NotListed { message: none_of(name, &value.to_string(), &known) }
        }
    }
}

/// Returns the report line for a value outside a closed list.
pub fn not_listed(name: &str, value: &str, known: &[&str]) -> String {
    format!("{}, and was not applied", none_of(name, value, known))
}

fn none_of(name: &str, value: &str, known: &[&str]) -> String {
    format!("`{name}`: {} is none of {}", quoted(value.trim_matches('"')), known.join(", "))
}

/// Returns an argument as a suggested call shows it, such as `file="src/a.rs"`; the value is a JSON string.
pub(crate) fn suggested(name: &str, value: &str) -> String {
    format!("{name}={}", Value::from(text::sanitise_name(value)))
}

/// Refuses overlong text before it is parsed. A query is cut instead.
fn refuse_too_long(name: &str, text: &str) -> Result<(), Refusal> {
    let max_length = match name {
        "query" => return Ok(()),
        "changes" => MAX_CHANGE_BYTES,
        _ if is_list_of_aliases(name) => MAX_ALIASES_BYTES,
        _ => MAX_TEXT_BYTES,
    };
    if text.len() > max_length {
        return Err(Refusal::new(format!("`{name}` takes at most {max_length} bytes, not {}", text.len())));
    }
    Ok(())
}

/// Joins a list of aliases into the notation of the `repo` argument; returns `None` for a list of other types.
fn join(name: &str, items: &[Value]) -> Result<Option<Value>, Refusal> {
    let names: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
    match names {
        Some(names) if names.iter().all(|name| name.trim().is_empty()) && name == "repo" => Err(no_aliases()),
        names => Ok(names.map(|names| json!(names.join(",")))),
    }
}

/// Returns the nearest integer.
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
        let read = read.map(|accepted| (accepted.arguments, accepted.ignored));
        let expected = expected.map(|(example, lines)| (example, lines.iter().map(|l| (*l).to_owned()).collect()));
        assert_eq!(read, expected.map_err(str::to_owned), "{arguments}");
    }

    #[test]
    fn lenient_arguments_are_accepted() {
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
    fn aliases_and_misspelt_names_are_understood() {
        let example = |limit, repo: Option<&str>| Example {
            query: "q".to_owned(),
            limit,
            repo: repo.map(str::to_owned),
            mode: None,
        };
        check(json!({"question": "q", "top_k": 3, "Repository": "a"}), Ok((example(Some(3), Some("a")), &[])));
        check(json!({"query": "q", "maxResults": 3, "project": "a"}), Ok((example(Some(3), Some("a")), &[])));
        let beside = "`question`: unknown; known are limit, mode, query, repo";
        check(json!({"question": "p", "query": "q"}), Ok((example(None, None), &[beside])));
        check(json!({"query": "q", "limt": 3}), Ok((example(None, None), &["`limt`: unknown; did you mean `limit`?"])));
        check(
            json!({"qeury": "q"}),
            Err("`query` is missing: What to look for.; `qeury`: unknown; did you mean `query`?"),
        );
    }

    #[test]
    fn missing_and_mistyped_arguments_are_refused() {
        check(json!({}), Err("`query` is missing: What to look for."));
        check(Value::Null, Err("`query` is missing: What to look for."));
        check(json!([]), Err("the arguments must be an object, not a list"));
        check(json!({"query": {}}), Err("`query` takes a string, not an object"));
        check(json!({"query": "q", "limit": "many"}), Err("`limit` takes an integer, not a string"));
        for empty in [json!([]), json!(["", " "])] {
            let expected = no_aliases().to_string();
            check(json!({"query": "q", "repo": empty}), Err(&expected));
        }
    }

    #[test]
    fn overlong_arguments_are_refused_before_parsing() {
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
        let mut by_name: JsonObject = (0..50_000).map(|n| (format!("p{n}"), json!(1))).collect();
        by_name.insert("query".to_owned(), json!("q"));
        let schema = crate::schema::of_arguments::<Example>();
        let ignored = read::<Example>(&schema, Value::Object(by_name)).unwrap().ignored;
        assert_eq!(ignored.len(), MAX_LISTED_IGNORED + 1);
        assert_eq!(ignored.last().unwrap(), "and 49980 more");
    }
}
