//! Files of properties: their keys with dots and indices are the paths of a tree, as in the YAML of the same framework.

use model::DocumentFormat;

use super::{
    assignments::assigned,
    builder::DraftDocument,
    key_names::{ends_with_address, is_secret_name},
};

/// Maximum number of parts of a key.
const MAX_PARTS: usize = 16;

/// A part of a key that is open: its text, and its entry.
type OpenPart<'t> = (&'t str, u32);

/// Reads properties as a tree; `None` if no key has several parts.
pub(super) fn read(text: &str) -> Option<DraftDocument> {
    let mut document = DraftDocument::new(DocumentFormat::Yaml);
    let mut open: Vec<OpenPart<'_>> = Vec::new();
    let mut has_paths = false;
    for (line, content) in (1..).zip(text.lines()) {
        if document.is_full() {
            break;
        }
        let Some((key, value)) = assigned(content.trim()) else { continue };
        if is_secret_name(key) && !ends_with_address(key) {
            continue;
        }
        let Some(parts) = parts(key) else { continue };
        has_paths |= parts.len() > 1;
        // Keys with the same beginning that follow each other share its entries.
        let n_shared = open.iter().zip(&parts[..parts.len() - 1]).take_while(|((one, _), part)| one == *part).count();
        open.truncate(n_shared);
        for (idx, part) in parts.iter().enumerate().skip(n_shared) {
            let is_last = idx + 1 == parts.len();
            let value = if is_last { value.trim().trim_matches(['"', '\'']) } else { "" };
            // An index is an item of a list, which has no key.
            let name = if part.starts_with('[') { "" } else { part };
            let entry = document.add(open.last().map(|(_, entry)| *entry), name, value, line);
            if !is_last {
                open.push((part, entry));
            }
        }
    }
    has_paths.then_some(document)
}

/// Returns the parts of a key: `routes`, `[0]`, `uri` of `routes[0].uri`.
fn parts(key: &str) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    for part in key.split('.') {
        let (name, indices) = part.split_at(part.find('[').unwrap_or(part.len()));
        parts.extend(Some(name).filter(|name| !name.is_empty()));
        parts.extend(indices.split_inclusive(']').filter(|index| index.starts_with('[')));
    }
    (!parts.is_empty() && parts.len() <= MAX_PARTS).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> Vec<String> {
        let Some(document) = read(text).and_then(DraftDocument::disclosed) else { return Vec::new() };
        let depth = |mut at: Option<u32>| {
            let mut depth = 0;
            while let Some(parent) = at {
                at = document.entries[parent as usize].parent;
                depth += 1;
            }
            depth
        };
        let lines = document
            .entries
            .iter()
            .map(|one| format!("{}{}={} :{}", "-".repeat(depth(one.parent)), one.key, one.value, one.line));
        lines.collect()
    }

    #[test]
    fn properties_are_a_tree() {
        let routes = "spring.cloud.gateway.routes[0].uri=lb://cart\nspring.cloud.gateway.routes[0].predicates[0]=Path=/cart/**\n";
        let expected = [
            "spring= :1",
            "-cloud= :1",
            "--gateway= :1",
            "---routes= :1",
            "----= :1",
            "-----uri=lb://cart :1",
            "-----predicates= :2",
            "------=Path=/cart/** :2",
        ];
        assert_eq!(tree(routes), expected);
        assert_eq!(tree("server.port=9321\n"), ["server= :1", "-port=9321 :1"]);
        assert_eq!(tree("spring.application.name=cart\n").last().map(String::as_str), Some("--name=cart :1"));
    }

    #[test]
    fn other_assignments_are_no_tree() {
        for text in ["CART_ADDR=cart:80\n", "jwt.secret.value=abcdef\n", "a.password=cart\n", ""] {
            assert_eq!(tree(text), [""; 0], "{text}");
        }
    }
}
