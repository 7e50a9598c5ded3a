//! Texts in GraphQL: the root fields of operations and of schemas.

/// Maximum length of a text.
const MAX_BYTES: usize = 200_000;

/// A field of a root type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RootField {
    /// The method that stands for the root type.
    pub(super) method: &'static str,
    pub(super) name: String,
    /// The number of lines before it in its text.
    pub(super) line: u32,
}

/// Returns true if a text may be of GraphQL.
pub(super) fn may_be(text: &str) -> bool {
    const STARTS: [&str; 8] =
        ["query", "mutation", "subscription", "type ", "extend ", "schema", "scalar ", "fragment "];
    let start = text.trim_start();
    let start = start
        .strip_prefix('#')
        .and_then(|comment| comment.split_once('\n'))
        .map_or(start, |(_, rest)| rest.trim_start());
    text.len() <= MAX_BYTES && text.contains('{') && STARTS.iter().any(|word| start.starts_with(word))
}

/// Returns the fields that the operations of a text ask for.
pub(super) fn fields_of_operations(text: &str) -> Vec<RootField> {
    root_fields(text, |words| match words {
        ["query"] | ["query", _] => Some("QUERY"),
        ["mutation"] | ["mutation", _] => Some("MUTATION"),
        ["subscription"] | ["subscription", _] => Some("SUBSCRIPTION"),
        _ => None,
    })
}

/// Returns the root fields that the schema in a text declares.
pub(super) fn fields_of_schema(text: &str) -> Vec<RootField> {
    root_fields(text, |words| {
        let words = words.strip_prefix(&["extend"]).unwrap_or(words);
        match words {
            ["type", "Query", ..] => Some("QUERY"),
            ["type", "Mutation", ..] => Some("MUTATION"),
            ["type", "Subscription", ..] => Some("SUBSCRIPTION"),
            _ => None,
        }
    })
}

/// Returns the names directly in the blocks whose head has a method. An alias (`mine: cart`) is followed by its field; in a schema, the
/// type behind the colon is no field.
fn root_fields(text: &str, method_of: impl Fn(&[&str]) -> Option<&'static str>) -> Vec<RootField> {
    let mut found: Vec<RootField> = Vec::new();
    let mut head: Vec<&str> = Vec::new();
    let mut method = None;
    let (mut depth, mut parentheses, mut line) = (0_u32, 0_u32, 0);
    let mut is_after_colon = false;
    let mut is_declaration = false;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        let len = if is_word(c) { end } else { c.len_utf8() };
        let (token, after) = rest.split_at(len);
        rest = after;
        match token {
            "\n" => line += 1,
            "#" => rest = rest.find('\n').map_or("", |at| &rest[at..]),
            "\"" => {
                // A description or an argument.
                let end = rest
                    .strip_prefix("\"\"")
                    .map_or_else(|| rest.find('"'), |inner| inner.find("\"\"\"").map(|at| at + 4));
                let text = end.map_or(rest, |end| &rest[..end]);
                line += text.matches('\n').count() as u32;
                rest = end.map_or("", |end| &rest[end + 1..]);
            }
            "(" => parentheses += 1,
            ")" => parentheses = parentheses.saturating_sub(1),
            _ if parentheses > 0 => {}
            "{" => {
                if depth == 0 {
                    method = method_of(&head);
                    is_declaration = head.contains(&"type");
                    is_after_colon = false;
                }
                depth += 1;
            }
            "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    head.clear();
                    method = None;
                }
            }
            ":" => is_after_colon = true,
            // A fragment (`...Name`, `... on Type`) is no field.
            "." => {
                rest = rest.trim_start_matches(['.', ' ']);
                rest = rest.strip_prefix("on ").unwrap_or(rest).trim_start().trim_start_matches(is_word);
            }
            "@" | "$" => rest = rest.trim_start_matches(is_word),
            word if word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') => match (depth, method) {
                (0, _) => head.push(word),
                (1, Some(method)) => {
                    let is_type = is_declaration && is_after_colon;
                    // The field behind an alias replaces it.
                    if is_after_colon && !is_declaration {
                        found.pop();
                    }
                    is_after_colon = false;
                    if !is_type {
                        found.push(RootField { method, name: word.to_owned(), line });
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }
    // A text that only looks like GraphQL has an open block.
    if depth == 0 { found } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_fields_are_read() {
        for (text, operations, schema) in [
            (
                "query Cart($id: ID!) {\n  cart(id: $id, x: {a: 1}) { id items { id } }\n  user { id }\n}",
                "QUERY cart 1, QUERY user 2",
                "",
            ),
            ("mutation { mine: addItem(id: \"}\") { id } }", "MUTATION addItem 0", ""),
            ("query and more words { cart { id } }", "", ""),
            ("query { ...F cart @include(if: $x) { id } }\nfragment F on Query { id }", "QUERY cart 0", ""),
            (
                "type Query {\n  \"The cart\"\n  cart(id: ID! = 1): Cart! @auth\n  carts: [Cart!]!\n}\ntype Cart { id: ID }\nextend type Mutation { addItem: Cart }",
                "",
                "QUERY cart 2, QUERY carts 3, MUTATION addItem 6",
            ),
            ("query { open", "", ""),
        ] {
            let shown = |fields: Vec<RootField>| {
                fields
                    .iter()
                    .map(|one| format!("{} {} {}", one.method, one.name, one.line))
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            assert_eq!(shown(fields_of_operations(text)), operations, "{text}");
            assert_eq!(shown(fields_of_schema(text)), schema, "{text}");
        }
    }
}
