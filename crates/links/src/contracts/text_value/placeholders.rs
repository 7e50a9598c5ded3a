//! Placeholders of frameworks in texts: `http://${cart.host:cart}/items`.

use super::TextValue;

/// Maximum number of placeholders of a text, and their nesting depth.
const MAX_PLACEHOLDERS: usize = 8;

/// Returns the value of a text whose placeholders are variables. A default is an alternative.
pub(super) fn value(text: &str) -> TextValue {
    value_within(text, 0)
}

fn value_within(text: &str, depth: usize) -> TextValue {
    let mut value = TextValue::of_parts(Vec::new());
    let mut rest = text;
    for _ in 0..MAX_PLACEHOLDERS {
        let Some(start) = rest.find("${").filter(|_| depth < MAX_PLACEHOLDERS) else { break };
        let Some(len) = length(&rest[start + 2..]) else { break };
        let inner = &rest[start + 2..start + 2 + len];
        let (name, default) = inner.split_once(':').map_or((inner, None), |(name, default)| (name, Some(default)));
        let variable = TextValue::variable(name.trim());
        let variable = match default.filter(|default| !default.is_empty()) {
            Some(default) => variable.or(value_within(default, depth + 1)),
            None => variable,
        };
        value = value.followed_by(&TextValue::literal(&rest[..start])).followed_by(&variable);
        rest = &rest[start + len + 3..];
    }
    value.followed_by(&TextValue::literal(rest))
}

/// Returns the length of the content of a placeholder, which may have others in its default.
fn length(inner: &str) -> Option<usize> {
    let mut n_open = 1;
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            b'{' => n_open += 1,
            b'}' => n_open -= 1,
            _ => {}
        }
        if n_open == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::TextPart;
    use super::*;

    #[test]
    fn placeholders_are_variables_with_defaults() {
        for (text, expected) in [
            ("${cart.url}", &["$cart.url"][..]),
            ("http://${HOST}/items", &["http://$HOST/items"]),
            (
                "${cart.host:cart}:${cart.port:80}",
                &["$cart.host:$cart.port", "$cart.host:80", "cart:$cart.port", "cart:80"],
            ),
            ("${a:${b:http://c}}", &["$a", "$b", "http://c"]),
            ("${open", &["${open"]),
            ("plain", &["plain"]),
        ] {
            let show = |parts: &Vec<TextPart>| -> String {
                let part = |part: &TextPart| match part {
                    TextPart::Text(text) => text.clone(),
                    TextPart::Variable(name) => format!("${name}"),
                    TextPart::Parameter | TextPart::Computed => "?".to_owned(),
                };
                parts.iter().map(part).collect()
            };
            let found: Vec<String> = value(text).alternatives.iter().map(show).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
