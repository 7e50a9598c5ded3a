//! Terraform: blocks, attributes, and the objects and lists within them.

use model::DocumentFormat;

use super::builder::DraftDocument;

/// Maximum nesting depth of blocks and objects.
const MAX_DEPTH: usize = 40;

/// Reads a file of Terraform line by line. The key of a block is its type and labels (`resource aws_sqs_queue orders`).
pub(super) fn read(text: &str) -> DraftDocument {
    let mut document = DraftDocument::new(DocumentFormat::Terraform);
    let mut open: Vec<Option<u32>> = vec![None];
    for (line, content) in (1..).zip(text.lines()) {
        let content = content.trim();
        if content.is_empty() || content.starts_with('#') || content.starts_with("//") || document.is_full() {
            continue;
        }
        for statement in statements(content) {
            let parent = open.last().copied().flatten();
            match statement {
                Statement::Open(key) if open.len() < MAX_DEPTH => {
                    let entry = document.add(parent, &key, "", line);
                    open.push(Some(entry));
                }
                Statement::Value(key, value) => {
                    document.add(parent, &key, &value, line);
                }
                Statement::Close if open.len() > 1 => {
                    open.pop();
                }
                _ => {}
            }
        }
    }
    document
}

enum Statement {
    Open(String),
    Value(String, String),
    Close,
}

/// Splits a line at its brackets and commas outside of texts. `jsonencode([` opens a list.
fn statements(line: &str) -> Vec<Statement> {
    let mut found = Vec::new();
    let mut part = String::new();
    let (mut is_text, mut depth_of_text) = (false, 0u32);
    for c in line.chars() {
        match c {
            '"' if depth_of_text == 0 => {
                is_text = !is_text;
                part.push(c);
            }
            '{' if is_text => {
                depth_of_text += 1;
                part.push(c);
            }
            '}' if is_text => {
                depth_of_text = depth_of_text.saturating_sub(1);
                part.push(c);
            }
            c if is_text => part.push(c),
            '{' | '[' => {
                let key = part.split('=').next().unwrap_or_default().replace(['"', '('], " ");
                found.push(Statement::Open(key.split_whitespace().collect::<Vec<_>>().join(" ")));
                part.clear();
            }
            '}' | ']' => {
                found.extend(value(&part));
                found.push(Statement::Close);
                part.clear();
            }
            ',' => {
                found.extend(value(&part));
                part.clear();
            }
            '#' => break,
            c => part.push(c),
        }
    }
    found.extend(value(&part));
    found
}

/// Returns the value of `key = "value"` or `"key" : "value"`, or an item of a list.
fn value(part: &str) -> Option<Statement> {
    let part = part.trim().trim_matches(')').trim();
    if part.is_empty() {
        return None;
    }
    let plain = |text: &str| text.trim().trim_matches('"').to_owned();
    match part.split_once('=').or_else(|| part.split_once("\":")) {
        Some((key, value)) => Some(Statement::Value(plain(key), plain(value))),
        None => part.starts_with('"').then(|| Statement::Value(String::new(), plain(part))),
    }
}
