//! Edits of TOML files: an entry is a table of its own at the end of the file.

use std::{collections::BTreeMap, ops::Range};

use serde_json::Value;
use toml_edit::{Document, DocumentMut, InlineTable, Item, TableLike, Value as TomlValue};

use super::file_edit::EditError;

/// Returns the entry `name` of the table `servers`.
pub(super) fn get(text: &str, servers: &str, name: &str) -> Result<Option<Value>, EditError> {
    let document = parse(text)?;
    let entry = document.get(servers).and_then(|servers| servers.as_table_like()?.get(name)?.as_table_like());
    Ok(entry.map(json_table))
}

/// Returns the text with an entry. Values that the entry of `source` has too keep their notation, for dates and infinite numbers have none
/// in JSON.
pub(super) fn set_from(
    text: &str,
    servers: &str,
    name: &str,
    entry: &Value,
    source: &str,
) -> Result<String, EditError> {
    let present = notations(source, servers, name)?;
    let text = remove(text, servers, name)?;
    // The header of an entry would extend the last table of an array.
    if parse(&text)?.get(servers).is_some_and(|servers| servers.as_table_like().is_none()) {
        return Err(EditError(format!("`{servers}` is not a table")));
    }
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let fields = entry.as_object().expect("an entry is an object");
    let notation = |key: &String, value: &Value| match present.get(key) {
        Some((equal, notation)) if equal == value => notation.clone(),
        _ => literal(value),
    };
    let lines: String =
        fields.iter().map(|(key, value)| format!("{} = {}{newline}", toml_key(key), notation(key, value))).collect();
    let separator = match text.as_str() {
        "" => String::new(),
        text if text.ends_with('\n') => newline.to_owned(),
        _ => newline.repeat(2),
    };
    let appended = format!("{text}{separator}[{servers}.{name}]{newline}{lines}");
    if parse(&appended).is_ok() {
        return Ok(appended);
    }
    // The table of servers is an inline table, which no header can extend.
    let mut document = parse(&text)?;
    let inline = document.get_mut(servers).and_then(Item::as_inline_table_mut);
    let inline = inline.ok_or_else(|| EditError(format!("`{servers}` is not a table")))?;
    inline.insert(name, inline_table(&lines)?.into());
    Ok(with_line_ends_of(&text, document.to_string()))
}

/// Returns the text without an entry.
pub(super) fn remove(text: &str, servers: &str, name: &str) -> Result<String, EditError> {
    let mut document = parse(text)?;
    if let Some(lines) = lines_of_table(text, servers, name) {
        let (before, after) = (&text[..lines.start], &text[lines.end..]);
        // The blank line before the header.
        let before = before
            .strip_suffix("\r\n\r\n")
            .map(|before| (before, "\r\n"))
            .or_else(|| Some((before.strip_suffix("\n\n")?, "\n")))
            .map_or(before.to_owned(), |(before, newline)| format!("{before}{newline}"));
        return Ok(before + after);
    }
    let table = document.get_mut(servers).and_then(Item::as_table_like_mut);
    if table.is_none_or(|table| table.remove(name).is_none()) {
        return Ok(text.to_owned());
    }
    Ok(with_line_ends_of(text, document.to_string()))
}

/// Returns the values of an entry by key, each with its notation.
fn notations(text: &str, servers: &str, name: &str) -> Result<BTreeMap<String, (Value, String)>, EditError> {
    let document = parse(text)?;
    let entry = document.get(servers).and_then(|servers| servers.as_table_like()?.get(name)?.as_table_like());
    let notation = |(key, item): (&str, &Item)| {
        let value = item.clone().into_value().ok()?.decorated("", "");
        Some((key.to_owned(), (json_item(item), value.to_string())))
    };
    Ok(entry.into_iter().flat_map(|entry| entry.iter()).filter_map(notation).collect())
}

/// Returns the byte range of a table with a header and plain values, without the comments around it.
fn lines_of_table(text: &str, servers: &str, name: &str) -> Option<Range<usize>> {
    let document = Document::parse(text).ok()?;
    let table = document.get(servers)?.as_table_like()?.get(name)?.as_table()?;
    let mut end = table.span()?.end;
    for (_, item) in table.iter() {
        end = end.max(item.as_value()?.span()?.end);
    }
    let line_end = text[end..].find('\n').map_or(text.len(), |offset| end + offset + 1);
    Some(table.span()?.start..line_end)
}

fn parse(text: &str) -> Result<DocumentMut, EditError> {
    text.parse().map_err(|error| EditError(format!("it is not valid TOML: {error}")))
}

fn inline_table(lines: &str) -> Result<InlineTable, EditError> {
    Ok(parse(lines)?.as_table().clone().into_inline_table())
}

/// Restores line ends, since the library writes `\n` only.
fn with_line_ends_of(before: &str, after: String) -> String {
    let has_only_crlf = before.contains("\r\n") && before.matches('\n').count() == before.matches("\r\n").count();
    if has_only_crlf { after.replace("\r\n", "\n").replace('\n', "\r\n") } else { after }
}

fn json_table(table: &dyn TableLike) -> Value {
    table.iter().map(|(key, item)| (key.to_owned(), json_item(item))).collect::<serde_json::Map<_, _>>().into()
}

fn json_item(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => json_value(value),
        Item::Table(table) => json_table(table),
        Item::ArrayOfTables(tables) => tables.iter().map(|table| json_table(table)).collect(),
    }
}

/// Returns a value. A date is its text.
fn json_value(value: &TomlValue) -> Value {
    match value {
        TomlValue::String(text) => text.value().as_str().into(),
        TomlValue::Integer(number) => (*number.value()).into(),
        TomlValue::Float(number) => (*number.value()).into(),
        TomlValue::Boolean(is_set) => (*is_set.value()).into(),
        TomlValue::Datetime(date) => date.value().to_string().into(),
        TomlValue::Array(elements) => elements.iter().map(json_value).collect(),
        TomlValue::InlineTable(table) => json_table(table),
    }
}

/// Returns a value in TOML notation, on one line.
fn literal(value: &Value) -> String {
    match value {
        Value::Array(elements) => format!("[{}]", elements.iter().map(literal).collect::<Vec<_>>().join(",")),
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| format!("{} = {}", toml_key(key), literal(value));
            format!("{{ {} }}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        scalar => scalar.to_string(),
    }
}

fn toml_key(key: &str) -> String {
    let is_bare = |one: char| one.is_ascii_alphanumeric() || "_-".contains(one);
    if !key.is_empty() && key.chars().all(is_bare) { key.to_owned() } else { Value::from(key).to_string() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn set(text: &str, servers: &str, name: &str, entry: &Value) -> Result<String, EditError> {
        set_from(text, servers, name, entry, text)
    }

    #[test]
    fn values_without_a_notation_in_json_survive() {
        let values = "since = 1979-05-27\nlimit = inf\nmask = 0xff\nenv = { at = 07:32:00 }\n";
        for text in [
            format!("[mcp_servers.causeway]\nurl = \"old\"\n{values}"),
            format!(
                "[mcp_servers.causeway]\nurl = \"old\"\n{values}[mcp_servers.causeway.nested]\nfrom = 1979-05-28\n"
            ),
        ] {
            let mut entry = get(&text, "mcp_servers", "causeway").unwrap().unwrap();
            entry["url"] = json!("new");
            let edited = set(&text, "mcp_servers", "causeway", &entry).unwrap();
            for line in values.lines() {
                assert!(edited.contains(line), "{line:?} in {edited}");
            }
            assert!(edited.contains("\"new\"") && !edited.contains("\"old\""), "{edited}");
            assert_eq!(edited.contains("from = 1979-05-28"), text.contains("nested"), "{edited}");
            // A later edit takes them from another text.
            let restored = set_from("a = 1\n", "mcp_servers", "causeway", &entry, &text).unwrap();
            assert!(restored.contains("since = 1979-05-27\n") && restored.contains("\"new\""), "{restored}");
        }
    }

    fn check(text: &str) {
        let entry = json!({ "command": "causeway", "args": ["mcp", "a \"b\" \\ c"] });
        let edited = set(text, "mcp_servers", "causeway", &entry).unwrap();
        assert_eq!(get(&edited, "mcp_servers", "causeway").unwrap(), Some(entry), "{edited}");
        for line in text.lines().filter(|line| !line.contains("= {")) {
            assert!(edited.lines().any(|kept| kept == line), "{line:?} in {edited}");
        }
        let removed = remove(&edited, "mcp_servers", "causeway").unwrap();
        assert_eq!(removed.trim_end(), text.trim_end(), "{edited}");
    }

    #[test]
    fn everything_else_survives() {
        check("");
        check("# head\nmodel = \"m\"   # inline\n\n[mcp_servers.other]\nurl = \"u\"\n# tail\n");
        check("model = 'm'");
        check("a = 1\r\n\r\n[mcp_servers]\r\n[mcp_servers.x]\r\nurl = 'u'\r\n");
        check("[mcp_servers.x]\nargs = [\n  \"a\", # one\n]\n\n[profiles.p]\nmodel = \"m\"\n");
        check("mcp_servers = { x = { url = \"u\" } }\n");
    }

    #[test]
    fn second_entry_replaces_the_first() {
        let first = set("", "mcp_servers", "causeway", &json!({ "url": "a" })).unwrap();
        assert_eq!(first, "[mcp_servers.causeway]\nurl = \"a\"\n");
        let second = set(&first, "mcp_servers", "causeway", &json!({ "url": "b" })).unwrap();
        assert_eq!(second.matches("causeway").count(), 1, "{second}");
    }

    #[test]
    fn other_values_are_not_extended() {
        for text in ["mcp_servers = 1", "[[mcp_servers]]\nname = \"x\"\n", "mcp_servers = [{ name = \"x\" }]\n"] {
            let error = set(text, "mcp_servers", "causeway", &json!({ "url": "a" })).unwrap_err();
            assert!(error.to_string().contains("not a table"), "{text}: {error}");
        }
    }

    #[test]
    fn values_of_all_types_are_read_and_written() {
        let entry = json!({
            "command": "causeway", "enabled": false, "startup_timeout_sec": 20, "ratio": 0.5, "args": ["a", 1],
            "env": { "A B": "b", "C": "d" },
        });
        let edited = set("", "mcp_servers", "causeway", &entry).unwrap();
        assert_eq!(get(&edited, "mcp_servers", "causeway").unwrap(), Some(entry), "{edited}");
        let text = "[mcp_servers.causeway]\nurl = \"u\"\n[mcp_servers.causeway.env]\nA = \"b\"\n";
        let found = get(text, "mcp_servers", "causeway").unwrap();
        assert_eq!(found, Some(json!({ "url": "u", "env": { "A": "b" } })));
    }
}
