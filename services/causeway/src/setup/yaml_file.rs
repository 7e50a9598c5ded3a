//! Edits of YAML files: lines are inserted and removed, all others keep their bytes.

#[cfg(test)]
mod tests;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use serde_json::{Value, json};

use super::file_edit::EditError;

/// Maximum nesting of a file.
const MAX_DEPTH: usize = 64;

/// Begins a text without quotes that other programs may read as a number, a date or a truth value, so that it is written as it was. No
/// text of a file has this character.
const VERBATIM: char = '\0';

/// A node with its place in the text.
#[derive(Debug)]
struct YamlNode {
    span: Span,
    content: YamlContent,
    /// A part of it has a tag, such as `!!str`.
    is_tagged: bool,
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
                insert(
                    &text,
                    value.span.start.index() + 1,
                    &format!("{}: {}{comma}", Value::from(name), notation(entry)),
                )
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
            Ok(Value::Number(number)) if number.to_string() == text => Value::Number(number),
            _ if may_be_other_type(text) => format!("{VERBATIM}{text}").into(),
            _ => text.into(),
        },
    }
}

/// Returns true for a text without quotes that some version of YAML reads as a number, a date or a truth value.
fn may_be_other_type(text: &str) -> bool {
    const TRUTH_VALUES: [&str; 6] = ["y", "n", "yes", "no", "on", "off"];
    const NAMED_NUMBERS: [&str; 2] = ["inf", "nan"];
    let number = text.strip_prefix(['+', '-']).unwrap_or(text);
    let fraction = number.strip_prefix('.').unwrap_or(number);
    let is_named =
        fraction.len() < number.len() && NAMED_NUMBERS.iter().any(|name| name.eq_ignore_ascii_case(fraction));
    // Also digits to the base of 16, the time of a date, and the blank before it.
    let is_digit = |c: char| c.is_ascii_hexdigit() || "xo_.:+- tz".contains(c.to_ascii_lowercase());
    let is_number = fraction.starts_with(|first: char| first.is_ascii_digit()) && number.chars().all(is_digit);
    is_named || is_number || TRUTH_VALUES.iter().any(|value| value.eq_ignore_ascii_case(text))
}

/// Returns a value in JSON notation, which is YAML, or as it was written.
fn notation(value: &Value) -> String {
    match value {
        Value::String(text) => text.strip_prefix(VERBATIM).map_or_else(|| value.to_string(), str::to_owned),
        Value::Array(elements) => format!("[{}]", elements.iter().map(notation).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| format!("{}: {}", Value::from(key.as_str()), notation(value));
            format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
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
    if mapping.is_some_and(|entry| entry.is_tagged) {
        return Err(EditError(format!("its entry `{name}` has tags: remove them, or change it by hand")));
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
    let mut is_tagged = match &event {
        Event::Scalar(.., tag) | Event::SequenceStart(.., tag) | Event::MappingStart(.., tag) => tag.is_some(),
        _ => false,
    };
    let content = match event {
        Event::Scalar(text, ..) if text.contains(VERBATIM) => return Err("it has a null character"),
        Event::Scalar(text, ScalarStyle::Plain, ..) => YamlContent::Plain(text.into_owned()),
        Event::Scalar(text, ..) => YamlContent::Scalar(text.into_owned()),
        Event::SequenceStart(..) => {
            let mut elements = Vec::new();
            loop {
                match rest.next().ok_or("it ends early")? {
                    (Event::SequenceEnd, _) => break YamlContent::Sequence(elements),
                    first => {
                        let element = node(first, rest, depth + 1)?;
                        is_tagged |= element.is_tagged;
                        elements.push(element);
                    }
                }
            }
        }
        Event::MappingStart(..) => {
            let mut pairs = Vec::new();
            let mut end = next()?;
            while end.0 != Event::MappingEnd {
                let key = node(end, rest, depth + 1)?;
                let value = rest.next().ok_or("it ends early")?;
                let value = node(value, rest, depth + 1)?;
                is_tagged |= key.is_tagged || value.is_tagged;
                pairs.push((key, value));
                end = rest.next().ok_or("it ends early")?;
            }
            // The span of a flow mapping reaches to its brace.
            let span = Span::new(span.start, end.1.end);
            return Ok(YamlNode { span, content: YamlContent::Mapping(pairs), is_tagged });
        }
        _ => return Err("it has aliases"),
    };
    Ok(YamlNode { span, content, is_tagged })
}

fn is_flow(text: &str, node: &YamlNode) -> bool {
    text.chars().nth(node.span.start.index()) == Some('{')
}

/// Returns the lines of an entry, with one for each field.
fn block(name: &str, entry: &Value, indentation: usize, newline: &str) -> String {
    let spaces = " ".repeat(indentation);
    let Some(fields) = entry.as_object().filter(|fields| !fields.is_empty()) else {
        return format!("{spaces}{name}: {}{newline}", notation(entry));
    };
    let line = |(key, value): (&String, &Value)| format!("{spaces}  {key}: {}{newline}", notation(value));
    let lines: String = fields.iter().map(line).collect();
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
