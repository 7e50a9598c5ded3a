//! Nested blocks of directives, as the configuration of nginx has them.

use model::DocumentFormat;

use super::builder::DraftDocument;

/// Maximum nesting depth of blocks.
const MAX_DEPTH: usize = 20;

/// Returns true if a text has directives of a proxy.
pub(super) fn has_directives(text: &str) -> bool {
    let has = |word: &str| text.contains(word) && text.lines().any(|line| line.trim_start().starts_with(word));
    text.contains('{') && (has("proxy_pass ") || has("grpc_pass ") || has("upstream "))
}

/// Reads directives, each up to its `;` or its block. An embedded script or a variable in braces (`${HOST}`) is part of a value.
pub(super) fn read(text: &str) -> DraftDocument {
    let mut document = DraftDocument::new(DocumentFormat::Directives);
    let mut open: Vec<Option<u32>> = vec![None];
    let (mut directive, mut line_of_directive) = (String::new(), 1);
    for (line, content) in (1..).zip(text.lines()) {
        let content = content.trim();
        if content.starts_with('#') || document.is_full() {
            continue;
        }
        let mut before = ' ';
        let mut is_in_variable = false;
        for c in content.chars().chain(['\n']) {
            if directive.trim().is_empty() {
                line_of_directive = line;
            }
            let parent = open.last().copied().flatten();
            match c {
                '{' if before == '$' || before == '{' => {
                    is_in_variable = true;
                    directive.push(c);
                }
                '}' if is_in_variable => {
                    is_in_variable = false;
                    directive.push(c);
                }
                ';' | '{' => {
                    let (key, value) =
                        directive.trim().split_once(char::is_whitespace).unwrap_or((directive.trim(), ""));
                    let entry = document.add(parent, key, value.trim(), line_of_directive);
                    if c == '{' && open.len() < MAX_DEPTH {
                        open.push(Some(entry));
                    }
                    directive.clear();
                }
                '}' => {
                    directive.clear();
                    if open.len() > 1 {
                        open.pop();
                    }
                }
                '#' if before.is_whitespace() => break,
                c => directive.push(if c == '\n' { ' ' } else { c }),
            }
            before = c;
        }
    }
    document
}
