//! Edits of YAML files: lines are inserted and removed, all others keep their bytes.

use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use serde_json::{Value, json};

use super::file_edit::EditError;

/// Maximum nesting of a file.
const MAX_DEPTH: usize = 64;

/// A node with its place in the text.
#[derive(Debug)]
struct YamlNode {
    span: Span,
    content: YamlContent,
}

#[derive(Debug)]
enum YamlContent {
    /// A text without quotes, which may be a number or true.
    Plain(String),
    Scalar(String),
    Sequence(Vec<YamlNode>),
    Mapping(Vec<(YamlNode, YamlNode)>),
}

/// Returns the entry `name` of the mapping `servers`.
pub(super) fn get(text: &str, servers: &str, name: &str) -> Result<Option<Value>, EditError> {
    let root = parse_unique(text, servers, name)?;
    let servers = root.as_ref().and_then(|root| root.value(servers));
    Ok(servers.and_then(|servers| servers.value(name)).map(YamlNode::to_json))
}

/// Returns the text with an entry.
pub(super) fn set(text: &str, servers: &str, name: &str, entry: &Value) -> Result<String, EditError> {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    if let Some(lines) = block_lines(text, servers, name)? {
        let block = block(name, entry, lines.indentation, newline);
        return checked(text, format!("{}{block}{}", lines.before, lines.after), servers, name, Some(entry));
    }
    let before = text;
    let text = remove(text, servers, name)?;
    let root = parse_unique(&text, servers, name)?;
    let edited = match root.as_ref().map(|root| (root, root.pair(servers))) {
        None => format!("{}{servers}:{newline}{}", with_newline(&text, newline), block(name, entry, 2, newline)),
        Some((root, None)) => match &root.content {
            YamlContent::Mapping(_) if root.span.start.col() == 0 => {
                format!("{}{servers}:{newline}{}", with_newline(&text, newline), block(name, entry, 2, newline))
            }
            _ => return Err(EditError("it has no mapping in block style at its root".to_owned())),
        },
        Some((_, Some((key, value)))) => match &value.content {
            YamlContent::Mapping(pairs) if is_flow(&text, value) => {
                let comma = if pairs.is_empty() { "" } else { ", " };
                insert(&text, value.span.start.index() + 1, &format!("{}: {entry}{comma}", Value::from(name)))
            }
            YamlContent::Mapping(pairs) => {
                let first = &pairs[0].0.span.start;
                let line = first.index() - first.col();
                insert(&text, line, &block(name, entry, first.col(), newline))
            }
            YamlContent::Plain(scalar) if ["", "~", "null"].contains(&scalar.as_str()) => {
                let colon = key.span.end.index() + 1;
                let rest = skip_chars(&text, value.span.end.index().max(colon));
                let before: String = text.chars().take(colon).collect();
                let block = block(name, entry, key.span.start.col() + 2, newline);
                format!("{before}{newline}{block}{}", rest.trim_start_matches([' ', '\r']).trim_start_matches('\n'))
            }
            _ => return Err(EditError(format!("`{servers}` is not a mapping"))),
        },
    };
    checked(before, edited, servers, name, Some(entry))
}

/// Returns the text without an entry, which must be in block style. A mapping that is then empty is written as `{}`.
pub(super) fn remove(text: &str, servers: &str, name: &str) -> Result<String, EditError> {
    let root = parse_unique(text, servers, name)?;
    let Some((servers_key, mapping)) = root.as_ref().and_then(|root| root.pair(servers)) else {
        return Ok(text.to_owned());
    };
    let Some((key, value)) = mapping.pair(name) else { return Ok(text.to_owned()) };
    if is_flow(text, mapping) {
        let end = value.span.end.index();
        let rest = skip_chars(text, end);
        let separator = rest.len() - rest.trim_start_matches([',', ' ']).len();
        let before: String = text.chars().take(key.span.start.index()).collect();
        return checked(text, before + &rest[separator..], servers, name, None);
    }
    let Some(BlockLines { mut before, after, .. }) = block_lines(text, servers, name)? else {
        return Ok(text.to_owned());
    };
    if matches!(&mapping.content, YamlContent::Mapping(pairs) if pairs.len() == 1) {
        let colon = servers_key.span.end.index() + 1;
        before = insert(&before, colon, " {}");
    }
    checked(text, before + &after, servers, name, None)
}

/// Returns an edited text if it differs in the entry only. A text in an unforeseen style is not written.
fn checked(
    before: &str,
    edited: String,
    servers: &str,
    name: &str,
    entry: Option<&Value>,
) -> Result<String, EditError> {
    let mut expected = content(before)?;
    if let Some(entry) = entry {
        expected[servers][name] = entry.clone();
    } else if let Some(entries) = expected.get_mut(servers).and_then(Value::as_object_mut) {
        entries.remove(name);
    }
    match content(&edited) {
        Ok(found) if found == expected => Ok(edited),
        _ => {
            Err(EditError(format!("`{servers}` has a style that cannot be edited: change its entry `{name}` by hand")))
        }
    }
}

fn content(text: &str) -> Result<Value, EditError> {
    Ok(parse(text)?.map_or_else(|| json!({}), |root| root.to_json()))
}

/// The lines around an entry in block style.
struct BlockLines {
    before: String,
    after: String,
    indentation: usize,
}

/// Returns the lines around an entry; `None` if it is missing, or not in block style.
fn block_lines(text: &str, servers: &str, name: &str) -> Result<Option<BlockLines>, EditError> {
    let root = parse_unique(text, servers, name)?;
    let mapping = root.as_ref().and_then(|root| root.value(servers)).filter(|mapping| !is_flow(text, mapping));
    let Some((key, _)) = mapping.and_then(|mapping| mapping.pair(name)) else { return Ok(None) };
    let (first_line, indentation) = (key.span.start.line() - 1, key.span.start.col());
    let is_deeper = |line: &str| line.len() - line.trim_start_matches(' ').len() > indentation;
    // Blank lines and comments are part of an entry if more of it follows.
    let is_blank = |line: &str| line.trim().is_empty() || (!is_deeper(line) && line.trim_start().starts_with('#'));
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let following = lines[first_line + 1..].iter().take_while(|line| is_blank(line) || is_deeper(line));
    let n_lines = following.enumerate().filter(|(_, line)| !is_blank(line)).last().map_or(1, |(idx, _)| idx + 2);
    let (before, after) = (lines[..first_line].concat(), lines[first_line + n_lines..].concat());
    Ok(Some(BlockLines { before, after, indentation }))
}

impl YamlNode {
    fn pair(&self, name: &str) -> Option<(&YamlNode, &YamlNode)> {
        self.pairs(name).next()
    }

    fn pairs(&self, name: &str) -> impl Iterator<Item = (&YamlNode, &YamlNode)> {
        let pairs = if let YamlContent::Mapping(pairs) = &self.content { pairs.as_slice() } else { &[] };
        let is_named = move |key: &YamlNode| matches!(&key.content, YamlContent::Plain(text) | YamlContent::Scalar(text) if text == name);
        pairs.iter().filter(move |(key, _)| is_named(key)).map(|(key, value)| (key, value))
    }

    fn value(&self, name: &str) -> Option<&YamlNode> {
        self.pair(name).map(|(_, value)| value)
    }

    fn to_json(&self) -> Value {
        match &self.content {
            YamlContent::Plain(text) => plain(text),
            YamlContent::Scalar(text) => text.as_str().into(),
            YamlContent::Sequence(elements) => elements.iter().map(YamlNode::to_json).collect(),
            YamlContent::Mapping(pairs) => {
                let name = |key: &YamlNode| match &key.content {
                    YamlContent::Plain(text) | YamlContent::Scalar(text) => text.clone(),
                    _ => String::new(),
                };
                pairs.iter().map(|(key, value)| (name(key), value.to_json())).collect::<serde_json::Map<_, _>>().into()
            }
        }
    }
}

/// Returns the value of a text without quotes.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => true.into(),
        "false" | "False" | "FALSE" => false.into(),
        text => match serde_json::from_str(text) {
            Ok(Value::Number(number)) => Value::Number(number),
            _ => text.into(),
        },
    }
}

/// Parses a text in which the keys of the path of an entry are unique: programs differ in the one that they read.
fn parse_unique(text: &str, servers: &str, name: &str) -> Result<Option<YamlNode>, EditError> {
    let root = parse(text)?;
    let mut mapping = root.as_ref();
    for key in [servers, name] {
        if mapping.is_some_and(|mapping| mapping.pairs(key).count() > 1) {
            return Err(EditError(format!("it has the key `{key}` more than once: keep one of them")));
        }
        mapping = mapping.and_then(|mapping| mapping.value(key));
    }
    Ok(root)
}

/// Parses the only document of a text; `None` if it is empty.
fn parse(text: &str) -> Result<Option<YamlNode>, EditError> {
    let invalid = |reason: &str| EditError(format!("it is not YAML that can be edited: {reason}"));
    let events: Result<Vec<(Event<'_>, Span)>, _> = Parser::new_from_str(text).collect();
    let events = events.map_err(|error| invalid(&error.to_string()))?;
    if events.iter().filter(|(event, _)| matches!(event, Event::DocumentStart(_))).count() > 1 {
        return Err(invalid("it has several documents"));
    }
    let is_content = |event: &Event<'_>| {
        !matches!(
            event,
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd
        )
    };
    let mut content = events.into_iter().filter(|(event, _)| is_content(event));
    let Some(first) = content.next() else { return Ok(None) };
    let root = node(first, &mut content, 0).map_err(invalid)?;
    let is_null = matches!(&root.content, YamlContent::Plain(text) if text.is_empty() || text == "~");
    Ok((!is_null).then_some(root))
}

fn node<'a>(
    (event, span): (Event<'a>, Span),
    rest: &mut impl Iterator<Item = (Event<'a>, Span)>,
    depth: usize,
) -> Result<YamlNode, &'static str> {
    if depth > MAX_DEPTH {
        return Err("it is nested too deep");
    }
    let mut next = || rest.next().ok_or("it ends early");
    let content = match event {
        Event::Scalar(text, ScalarStyle::Plain, ..) => YamlContent::Plain(text.into_owned()),
        Event::Scalar(text, ..) => YamlContent::Scalar(text.into_owned()),
        Event::SequenceStart(..) => {
            let mut elements = Vec::new();
            loop {
                match rest.next().ok_or("it ends early")? {
                    (Event::SequenceEnd, _) => break YamlContent::Sequence(elements),
                    first => elements.push(node(first, rest, depth + 1)?),
                }
            }
        }
        Event::MappingStart(..) => {
            let mut pairs = Vec::new();
            let mut end = next()?;
            while end.0 != Event::MappingEnd {
                let key = node(end, rest, depth + 1)?;
                let value = rest.next().ok_or("it ends early")?;
                pairs.push((key, node(value, rest, depth + 1)?));
                end = rest.next().ok_or("it ends early")?;
            }
            // The span of a flow mapping reaches to its brace.
            return Ok(YamlNode { span: Span::new(span.start, end.1.end), content: YamlContent::Mapping(pairs) });
        }
        _ => return Err("it has aliases"),
    };
    Ok(YamlNode { span, content })
}

fn is_flow(text: &str, node: &YamlNode) -> bool {
    text.chars().nth(node.span.start.index()) == Some('{')
}

/// Returns the lines of an entry. Values are in JSON notation, which is YAML.
fn block(name: &str, entry: &Value, indentation: usize, newline: &str) -> String {
    let spaces = " ".repeat(indentation);
    let fields = entry.as_object().expect("an entry is an object").iter();
    let lines: String = fields.map(|(key, value)| format!("{spaces}  {key}: {value}{newline}")).collect();
    format!("{spaces}{name}:{newline}{lines}")
}

/// Inserts at a position in characters.
fn insert(text: &str, position: usize, inserted: &str) -> String {
    let before: String = text.chars().take(position).collect();
    format!("{before}{inserted}{}", &text[before.len()..])
}

fn skip_chars(text: &str, n_chars: usize) -> &str {
    text.char_indices().nth(n_chars).map_or("", |(offset, _)| &text[offset..])
}

fn with_newline(text: &str, newline: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}{newline}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) {
        let entry = json!({ "cmd": "causeway", "args": ["mcp", "a: b"] });
        let edited = set(text, "extensions", "causeway", &entry).unwrap();
        assert_eq!(get(&edited, "extensions", "causeway").unwrap(), Some(entry), "{edited}");
        let other = |text: &str| get(text, "extensions", "other").unwrap();
        assert_eq!(other(&edited), other(text), "{edited}");
        for line in text.lines().filter(|line| !line.starts_with("extensions:")) {
            assert!(edited.lines().any(|kept| kept == line), "{line:?} in {edited}");
        }
        let removed = remove(&edited, "extensions", "causeway").unwrap();
        assert_eq!(get(&removed, "extensions", "causeway").unwrap(), None, "{removed}");
        assert_eq!(other(&removed), other(text), "{removed}");
    }

    #[test]
    fn everything_else_survives() {
        check("");
        check("# only a comment\n");
        check("GOOSE_MODEL: m # inline\nextensions:\n  # first\n  other:\n    type: stdio\n    args: [a]\nlast: ü\n");
        check("extensions:\n    other: {type: stdio}\n");
        check("extensions: {}\nlast: 1\n");
        check("extensions:\nlast: 1\n");
        check("extensions: {other: {type: stdio}} # flow\n");
        check("ü: 1\r\nextensions:\r\n  other:\r\n    type: a\r\n");
        check("model: m");
    }

    #[test]
    fn insertion_is_exact() {
        let text = "a: 1\nextensions:\n  other:\n    type: stdio\n";
        let edited = set(text, "extensions", "causeway", &json!({ "uri": "u" })).unwrap();
        assert_eq!(edited, "a: 1\nextensions:\n  causeway:\n    uri: \"u\"\n  other:\n    type: stdio\n");
        assert_eq!(remove(&edited, "extensions", "causeway").unwrap(), text);
    }

    #[test]
    fn blank_lines_and_comments_are_part_of_an_entry() {
        let entry = json!({ "uri": "new" });
        let tail = "\n# about the other server\n  other:\n    type: stdio\n";
        for inner in ["\n", "# a comment\n", "  # a comment\n", "\n\n    # a comment\n\n", " \n#\n", ""] {
            let text = format!(
                "extensions:\n  first:\n    type: stdio\n  causeway:\n    uri: old\n{inner}    timeout: 300\n{tail}"
            );
            let edited = set(&text, "extensions", "causeway", &entry).unwrap();
            let expected = format!("extensions:\n  first:\n    type: stdio\n  causeway:\n    uri: \"new\"\n{tail}");
            assert_eq!(edited, expected, "{inner:?}");
            let removed = remove(&text, "extensions", "causeway").unwrap();
            assert_eq!(removed, format!("extensions:\n  first:\n    type: stdio\n{tail}"), "{inner:?}");
        }
    }

    #[test]
    fn repeated_keys_are_rejected() {
        for (text, key) in [
            ("extensions:\n  causeway: {}\n  causeway: {}\n", "causeway"),
            ("extensions:\n  causeway: {}\n  'causeway': {}\n", "causeway"),
            ("extensions: {causeway: {}, causeway: {}}\n", "causeway"),
            ("extensions: {}\nextensions: {}\n", "extensions"),
        ] {
            let (extensions, name) = ("extensions", "causeway");
            let errors = [
                set(text, extensions, name, &json!({})).err(),
                get(text, extensions, name).err(),
                remove(text, extensions, name).err(),
            ];
            for error in errors {
                let error = error.expect(text).to_string();
                assert!(error.contains(&format!("`{key}` more than once")), "{text}: {error}");
            }
        }
    }

    #[test]
    fn a_text_with_another_change_is_not_written() {
        let before = "extensions:\n  causeway:\n    uri: a\n  other:\n    type: b\n";
        for (edited, expected) in [
            ("extensions:\n  other:\n    type: b\n", true),
            ("extensions:\n  other:\n    type: c\n", false),
            ("extensions: {}\n", false),
            (before, false),
            ("extensions:\n  other:\n type: b\n", false),
        ] {
            let is_accepted = checked(before, edited.to_owned(), "extensions", "causeway", None).is_ok();
            assert_eq!(is_accepted, expected, "{edited}");
        }
    }

    #[test]
    fn values_of_all_types_are_read_and_written() {
        let text = "extensions:\n  causeway:\n    enabled: false\n    timeout: 300\n    name: 'true'\n    envs: {A: b c}\n    note:\n";
        let expected =
            json!({ "enabled": false, "timeout": 300, "name": "true", "envs": { "A": "b c" }, "note": null });
        let found = get(text, "extensions", "causeway").unwrap().unwrap();
        assert_eq!(found, expected);
        let edited = set(text, "extensions", "causeway", &found).unwrap();
        assert_eq!(get(&edited, "extensions", "causeway").unwrap(), Some(expected), "{edited}");
    }

    #[test]
    fn other_documents_are_not_changed() {
        for text in ["- a\n", "extensions: [a]\n", "a: 1\n---\nb: 2\n", "a: [\n", "{a: 1}\n"] {
            assert!(set(text, "extensions", "causeway", &json!({ "uri": "u" })).is_err(), "{text}");
        }
    }
}
