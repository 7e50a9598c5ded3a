//! Files with operations of GraphQL, from which generators make the code of a client: `query Cart { cart(id: 1) { id } }`.

use model::DocumentFormat;

use super::builder::DraftDocument;

/// The kinds of operations, with the method that stands for each.
const OPERATIONS: [(&str, &str); 3] = [("query", "QUERY"), ("mutation", "MUTATION"), ("subscription", "SUBSCRIPTION")];

/// Maximum number of fields of one file.
const MAX_FIELDS: usize = 500;

/// Returns true for a text whose first definition is an operation or a fragment.
pub(super) fn is_operations(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let Some(first) = lines.next().filter(|first| first.contains('{') || text.contains('{')) else { return false };
    let is_head = |word: &str| {
        let rest = first.strip_prefix(word).filter(|rest| rest.starts_with([' ', '(', '{']));
        let is_of_head = |c: char| c.is_ascii_alphanumeric() || "_ ,$:!()[]={}@\"".contains(c);
        rest.is_some_and(|rest| {
            !rest.trim_start().starts_with(['=', ':'])
                && !is_placeholder(rest)
                && rest.replace("...", "").chars().all(is_of_head)
        })
    };
    OPERATIONS.iter().any(|(word, _)| is_head(word)) || first.starts_with("fragment ") && first.contains(" on ")
}

/// Returns true if the first block is a name alone, without spaces, as the variable of a template: `{question}`.
fn is_placeholder(head: &str) -> bool {
    let Some((_, block)) = head.split_once('{') else { return false };
    let name = block.split('}').next().filter(|name| name.len() < block.len() && !name.is_empty());
    name.is_some_and(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

/// Reads the fields that the operations ask for, each as a request to a service that only the settings of the client name.
pub(super) fn read(text: &str) -> DraftDocument {
    let mut document = DraftDocument::new(DocumentFormat::Commands);
    let mut method = None;
    let (mut braces, mut brackets) = (0_usize, 0_usize);
    // A name that a colon follows is an alias.
    let mut pending: Option<(String, u32)> = None;
    let mut n_fields = 0;
    for (line, whole) in (1..).zip(text.lines()) {
        let mut words = Words(whole).peekable();
        while let Some(word) = words.next() {
            match word {
                "(" | "[" => brackets += 1,
                ")" | "]" => brackets = brackets.saturating_sub(1),
                _ if brackets > 0 => {}
                "{" => braces += 1,
                "}" => braces = braces.saturating_sub(1),
                ":" => pending = None,
                // A directive or a block may follow at once.
                "..." if words.peek().is_some_and(|next| matches!(*next, "@" | "{")) => continue,
                "@" | "$" | "..." => {
                    let is_type = words.next() == Some("on");
                    words.next_if(|_| is_type);
                    continue;
                }
                word if braces == 0 => {
                    let operation = OPERATIONS.iter().find(|(name, _)| *name == word);
                    // The name of an operation follows its kind.
                    let is_name = method.is_some() && operation.is_none() && word != "fragment";
                    method = if is_name { method } else { operation.map(|(_, method)| *method) };
                }
                word if braces == 1 && method.is_some() => {
                    add(&mut document, method, pending.take());
                    pending = Some((word.to_owned(), line));
                    n_fields += 1;
                }
                _ => {}
            }
            if braces != 1 {
                add(&mut document, method, pending.take());
            }
            if braces == 0 && word == "}" {
                method = None;
            }
        }
        if n_fields >= MAX_FIELDS {
            break;
        }
    }
    document
}

fn add(document: &mut DraftDocument, method: Option<&str>, field: Option<(String, u32)>) {
    if let Some((method, (field, line))) = method.zip(field) {
        document.add(None, "request", &format!("{method} $/graphql/{field}"), line);
    }
}

/// The names and signs of a line, without its comment. Texts are one sign.
struct Words<'t>(&'t str);

impl<'t> Iterator for Words<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let rest = self.0.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        let first = rest.chars().next().filter(|first| *first != '#')?;
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let len = match first {
            '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
            '.' => rest.find(|c: char| c != '.').unwrap_or(rest.len()),
            c if is_of_name(c) => rest.find(|c: char| !is_of_name(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (word, after) = rest.split_at(len);
        self.0 = after;
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use model::Language;

    use crate::documents::read;

    #[test]
    fn operations_ask_for_fields() {
        for (text, expected) in [
            (
                "# The cart\nquery Cart($id: ID!, $n: Int = 1) {\n  cart(id: $id, by: {a: 1}) {\n    id\n  }\n  user { id }\n}",
                "QUERY $/graphql/cart 3, QUERY $/graphql/user 6",
            ),
            (
                "mutation Add {\n  mine: addItem(name: \"}\") @x(if: $y) { ...Part }\n}\nfragment Part on Item {\n  id\n}",
                "MUTATION $/graphql/addItem 2",
            ),
            ("query { ... on Query { id } cart }", "QUERY $/graphql/cart 1"),
            ("fragment Part on Item {\n  id\n}\n", ""),
            (
                "query {\n  cart(color: \"#fff\") { id } # of {\n  user { id }\n}",
                "QUERY $/graphql/cart 2, QUERY $/graphql/user 3",
            ),
            ("query { cart ... @include(if: $x) { id } }", "QUERY $/graphql/cart 1"),
            ("query {question}\nAnswer: {answer}", ""),
            ("query{cart{id}}", "QUERY $/graphql/cart 1"),
            ("type Query {\n  cart: Cart\n}\n", ""),
            ("query = { cart }", ""),
            ("query the cart, then {go}.", ""),
        ] {
            let documents = read(Language::Text, text.as_bytes());
            let entries = documents.iter().flat_map(|document| &document.entries);
            let found: Vec<String> = entries.map(|entry| format!("{} {}", entry.value, entry.line)).collect();
            assert_eq!(found.join(", "), expected, "{text}");
        }
    }
}
