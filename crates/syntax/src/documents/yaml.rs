//! YAML and JSON, and templates of Helm.

use model::{DocumentFormat, Language};
use saphyr_parser::{Event, Parser};

use super::{MAX_DOCUMENTS, MAX_EMBEDDING, builder::DraftDocument, drafts, helm};

/// Maximum number of lines of one document that are blanked because they cannot be parsed.
const MAX_REPAIRS: usize = 8;

/// Maximum number of aliases of one document.
const MAX_ALIASES: usize = 500;

/// Maximum nesting depth.
const MAX_DEPTH: usize = 60;

/// Returns true if the first line of a text is one of YAML with keys.
pub(super) fn is_yaml<'t>(mut lines: impl Iterator<Item = &'t str>) -> bool {
    let is_key = |line: &str| {
        let Some((key, rest)) = line.split_once(':') else { return false };
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '"' | '\'');
        !key.is_empty() && key.chars().all(is_name) && (rest.is_empty() || rest.starts_with(' '))
    };
    let is_marker = |line: &&str| *line == "---" || line.starts_with("{{") || line.starts_with('%');
    lines.by_ref().take(50).find(|line| !is_marker(line)).is_some_and(|line| is_key(line.trim_start_matches("- ")))
}

/// Returns true if a text in JSON has the keys of settings or of a deployment.
pub(super) fn is_json_of_settings(text: &str) -> bool {
    const KEYS: [&str; 16] = [
        "\"Resources\"",
        "\"databaseChangeLog\"",
        "\"ConnectionStrings\"",
        "\"Logging\"",
        "\"AllowedHosts\"",
        "\"ReverseProxy\"",
        "\"Kestrel\"",
        "\"Serilog\"",
        "\"containerDefinitions\"",
        "\"apiVersion\"",
        "\"applicationUrl\"",
        "\"environmentVariables\"",
        "\"services\"",
        "\"UpstreamPathTemplate\"",
        "\"destinations\"",
        "\"Destinations\"",
    ];
    KEYS.iter().any(|key| text.contains(key))
}

/// Returns the documents of a text. An error costs at most its line, or the rest of its document.
pub(super) fn read(text: &str, embedding: u32) -> Vec<DraftDocument> {
    let template = helm::with_placeholders(text);
    let mut documents = Vec::new();
    for (first_line, part) in parts(&template.text).into_iter().take(MAX_DOCUMENTS) {
        let mut part = indented_brackets(&part.replace('\t', "  "));
        let mut document = parse(&part, first_line, &template, embedding);
        for _ in 0..MAX_REPAIRS {
            let Err((_, line)) = document else { break };
            let Some(repaired) = without_line(&part, line) else { break };
            part = repaired;
            document = parse(&part, first_line, &template, embedding);
        }
        let document = document.unwrap_or_else(|(before, _)| before);
        documents.push(document);
    }
    documents
}

/// Returns the documents of a text, each with the number of lines before it.
fn parts(text: &str) -> Vec<(u32, String)> {
    let mut parts: Vec<(u32, String)> = vec![(0, String::new())];
    for (line_idx, line) in (0..).zip(text.split_inclusive('\n')) {
        if line.trim_end() == "---" || line.starts_with("--- ") {
            parts.push((line_idx + 1, String::new()));
            continue;
        }
        if let Some((_, part)) = parts.last_mut() {
            part.push_str(line);
        }
    }
    parts
}

/// Returns a text with a blank line in place of one, or of the nearest line before it that has content.
fn without_line(text: &str, line: usize) -> Option<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let at = (0..line.min(lines.len())).rev().find(|at| !lines[*at].trim().is_empty())?;
    Some(lines[..at].concat() + "\n" + &lines[at + 1..].concat())
}

/// A mapping or a sequence that is open.
struct OpenNode {
    entry: Option<u32>,
    /// The key whose value comes next, and its line; `None` in a sequence and before a key.
    key: Option<(String, u32)>,
    is_mapping: bool,
}

/// Indents brackets that close a list at the level of its key, which Compose accepts and this parser does not.
fn indented_brackets(text: &str) -> String {
    const INDENTATION: &str = "                                        ";
    let lines = text.split_inclusive('\n').map(|line| match line.trim() {
        "]" | "}" | "]," | "}," => format!("{INDENTATION}{line}"),
        _ => line.to_owned(),
    });
    lines.collect()
}

/// Parses one document. The error is the part before it, and the number of the line at which the parser gave up, from 1 within the
/// text.
fn parse(
    text: &str,
    first_line: u32,
    template: &helm::Template,
    embedding: u32,
) -> Result<DraftDocument, (DraftDocument, usize)> {
    let mut document = DraftDocument::new(DocumentFormat::Yaml);
    let mut open: Vec<OpenNode> = Vec::new();
    let mut anchors: Vec<(usize, u32)> = Vec::new();
    let mut merges: Vec<(u32, u32)> = Vec::new();
    let mut n_aliases = 0;
    for event in Parser::new_from_str(text) {
        let (event, span) = match event {
            Ok(event) => event,
            Err(error) => return Err((document, error.marker().line())),
        };
        if document.is_full() || open.len() > MAX_DEPTH {
            break;
        }
        let line = u32::try_from(span.start.line()).unwrap_or(u32::MAX).saturating_add(first_line);
        match event {
            Event::Scalar(value, _, anchor, _) => {
                let value = template.restored(&value);
                if let Some(OpenNode { is_mapping: true, key: key @ None, .. }) = open.last_mut() {
                    *key = Some((value, line));
                    continue;
                }
                let Some((parent, key, _)) = place(&mut open, line) else { continue };
                let entry = document.add(parent, &key, &value, line);
                anchors.extend((anchor > 0).then_some((anchor, entry)));
                if is_command(&key) && !value.contains('\n') {
                    for request in super::requests::of_line(&value) {
                        document.add(Some(entry), "request", &request, line);
                    }
                }
                if value.contains('\n') && embedding < MAX_EMBEDDING {
                    // The location of a block scalar is its first line after the key.
                    embed(&mut document, entry, &key, &value, line.saturating_sub(1), embedding);
                }
            }
            Event::Alias(anchor) => {
                if let Some(OpenNode { is_mapping: true, key: key @ None, .. }) = open.last_mut() {
                    *key = Some((String::new(), line));
                    continue;
                }
                let Some((parent, key, _)) = place(&mut open, line) else { continue };
                n_aliases += 1;
                if n_aliases > MAX_ALIASES {
                    continue;
                }
                let Some((_, target)) = anchors.iter().rev().find(|(known, _)| *known == anchor).copied() else {
                    continue;
                };
                if key == "<<" {
                    merges.extend(parent.map(|parent| (target, parent)));
                } else {
                    let value = document.value(target).to_owned();
                    let entry = document.add(parent, &key, &value, line);
                    document.copy_children(target, entry);
                }
            }
            Event::MappingStart(anchor, _) | Event::SequenceStart(anchor, _) => {
                let is_mapping = matches!(event, Event::MappingStart(..));
                if let Some(OpenNode { is_mapping: true, key: key @ None, .. }) = open.last_mut() {
                    // A key that is no scalar.
                    *key = Some((String::new(), line));
                }
                let (parent, key, key_line) = place(&mut open, line).unwrap_or((None, String::new(), line));
                let is_root = parent.is_none() && key.is_empty() && open.is_empty();
                let is_merged = key == "<<" && !is_mapping;
                let entry = match (is_root, is_merged) {
                    (true, _) => None,
                    (_, true) => parent,
                    _ => Some(document.add(parent, &key, "", key_line)),
                };
                anchors.extend(entry.filter(|_| anchor > 0 && !is_merged).map(|entry| (anchor, entry)));
                let key = is_merged.then(|| ("<<".to_owned(), key_line));
                open.push(OpenNode { entry, key, is_mapping });
            }
            Event::MappingEnd | Event::SequenceEnd => {
                let closed = open.pop().and_then(|node| node.entry);
                let own: Vec<(u32, u32)> = merges.iter().copied().filter(|(_, to)| Some(*to) == closed).collect();
                merges.retain(|(_, to)| Some(*to) != closed);
                own.into_iter().for_each(|(from, to)| document.copy_children(from, to));
            }
            _ => {}
        }
    }
    Ok(document)
}

/// Returns the parent, key and line of the value that comes next. A merge list keeps its key for each of its items.
fn place(open: &mut [OpenNode], line: u32) -> Option<(Option<u32>, String, u32)> {
    let node = open.last_mut()?;
    let (key, key_line) = match (node.is_mapping, &node.key) {
        (true, _) => node.key.take().unwrap_or((String::new(), line)),
        (false, Some(key)) => key.clone(),
        (false, None) => (String::new(), line),
    };
    Some((node.entry, key, key_line))
}

/// Returns true if the value of a key may be a command: a step of CI, or an item of a list.
fn is_command(key: &str) -> bool {
    matches!(key, "run" | "script" | "bash" | "command" | "test" | "cmd" | "")
}

/// Adds the documents of a file that is the value of an entry, as in the data of a `ConfigMap`.
fn embed(document: &mut DraftDocument, entry: u32, key: &str, value: &str, line: u32, embedding: u32) {
    let is_file = key.rsplit_once('.').is_some_and(|(_, end)| {
        matches!(end, "yaml" | "yml" | "json" | "properties" | "conf" | "env" | "cfg" | "template" | "tpl")
    });
    if is_file {
        drafts(Language::Text, value, embedding + 1).iter().for_each(|inner| document.embed(inner, entry, line));
    } else if is_command(key) {
        document.embed(&super::commands::read(value), entry, line);
    }
    document.set_value(entry, "");
}
