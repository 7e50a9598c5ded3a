//! Dockerfiles: stages, variables and labels.

use model::DocumentFormat;

use super::{builder::DraftDocument, requests};

/// Returns true if the first instruction of a file is that of a Dockerfile.
pub(super) fn is_dockerfile<'t>(lines: impl Iterator<Item = &'t str>) -> bool {
    let is_argument = |line: &&str| line.starts_with("ARG ");
    let mut rest = lines.skip_while(is_argument);
    let first = rest.next().unwrap_or_default();
    let has_image = first.split_whitespace().nth(1).is_some();
    let is_from = first.starts_with("FROM ") || first.starts_with("from ");
    let is_instruction = |line: &str| {
        let word = line.split_whitespace().next().unwrap_or_default();
        matches!(
            word.to_ascii_uppercase().as_str(),
            "RUN" | "COPY" | "ADD" | "WORKDIR" | "CMD" | "ENTRYPOINT" | "ENV" | "ARG" | "EXPOSE" | "LABEL" | "USER"
        )
    };
    is_from && has_image && rest.take(40).any(is_instruction)
}

/// Reads a Dockerfile.
pub(super) fn read(text: &str) -> DraftDocument {
    let mut document = DraftDocument::new(DocumentFormat::Dockerfile);
    let mut lines = (1..).zip(text.lines());
    while let Some((line, first)) = lines.next() {
        let mut instruction = vec![(line, first.trim())];
        while instruction.last().is_some_and(|(_, text)| text.ends_with('\\')) {
            let Some((line, next)) = lines.next() else { break };
            instruction.push((line, next.trim()));
        }
        let (word, _) = instruction[0].1.split_once(char::is_whitespace).unwrap_or((instruction[0].1, ""));
        let word = word.to_ascii_uppercase();
        match word.as_str() {
            "FROM" | "EXPOSE" => {
                let value = instruction[0].1[word.len()..].trim();
                document.add(None, &word, value, line);
            }
            "ENV" | "LABEL" | "ARG" => {
                for (line, part) in instruction {
                    let part = part.trim_end_matches('\\').trim();
                    let part =
                        if part.to_ascii_uppercase().starts_with(&word) { part[word.len()..].trim() } else { part };
                    for (name, value) in pairs(part) {
                        document.add(None, &format!("{word} {name}"), &value, line);
                    }
                }
            }
            "RUN" | "CMD" | "ENTRYPOINT" | "HEALTHCHECK" => {
                for (line, part) in instruction {
                    for request in requests::of_line(part) {
                        document.add(None, "request", &request, line);
                    }
                }
            }
            _ => {}
        }
    }
    document
}

/// Returns the pairs of `A=1 B="2"` or of `A 1`.
fn pairs(text: &str) -> Vec<(String, String)> {
    if !text.contains('=') {
        let pair = text.split_once(char::is_whitespace);
        return pair.map(|(name, value)| (name.to_owned(), value.trim().to_owned())).into_iter().collect();
    }
    let mut pairs = Vec::new();
    for word in text.split_whitespace() {
        if let Some((name, value)) = word.split_once('=') {
            pairs.push((name.trim_matches('"').to_owned(), value.trim_matches(['"', '\'']).to_owned()));
        }
    }
    pairs
}
