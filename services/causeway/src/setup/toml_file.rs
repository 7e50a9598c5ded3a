//! Edits of TOML files: an entry is a table of its own at the end of the file.

use std::ops::Range;

use serde_json::Value;
use toml_edit::{Document, DocumentMut, InlineTable, Item, TableLike};

use super::file_edit::EditError;

/// Returns the entry `name` of the table `servers`.
pub(super) fn get(text: &str, servers: &str, name: &str) -> Result<Option<Value>, EditError> {
    let document = parse(text)?;
    let entry = document.get(servers).and_then(|servers| servers.as_table_like()?.get(name)?.as_table_like());
    Ok(entry.map(json_table))
}

/// Returns the text with an entry.
pub(super) fn set(text: &str, servers: &str, name: &str, entry: &Value) -> Result<String, EditError> {
    let text = remove(text, servers, name)?;
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let fields = entry.as_object().expect("an entry is an object");
    let lines: String = fields.iter().map(|(key, value)| format!("{key} = {value}{newline}")).collect();
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

/// Returns the strings, arrays of strings and tables of an item. Nothing reads other values.
fn json_item(item: &Item) -> Value {
    let strings = |array: &toml_edit::Array| array.iter().filter_map(|one| one.as_str().map(Value::from)).collect();
    match (item.as_str(), item.as_array(), item.as_table_like()) {
        (Some(text), _, _) => text.into(),
        (_, Some(array), _) => Value::Array(strings(array)),
        (_, _, Some(table)) => json_table(table),
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
        assert!(set("mcp_servers = 1", "mcp_servers", "causeway", &json!({ "url": "a" })).is_err());
    }
}
