//! Patterns of messages of NestJS: a text, or an object such as `{ cmd: 'find' }`.

use super::{super::message_calls::split, loops::written, values};

/// Maximum number of fields of a pattern.
const MAX_FIELDS: usize = 8;

/// Returns the names of the messages of a pattern: the text itself, or the fields of an object in the order of their names,
/// `cmd:find/role:users`. A text is not the same pattern as an object with it.
pub(in crate::documents) fn pattern(value: &str, lines: &[&str], index: usize) -> Vec<String> {
    let object = match value.trim_start() {
        written if written.starts_with('{') => Some(written.to_owned()),
        name if name.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
            written(name.trim(), lines).filter(|text| text.starts_with('{') && !name.contains(['(', '.']))
        }
        _ => None,
    };
    match object {
        Some(object) => of_object(&object, lines, index).into_iter().collect(),
        None => values(value, lines, index),
    }
}

fn of_object(object: &str, lines: &[&str], index: usize) -> Option<String> {
    let fields = object.trim_start_matches('{').trim_end().trim_end_matches(['}', ';', ' ']);
    let each = split(fields).into_iter().filter(|field| !field.is_empty()).take(MAX_FIELDS).map(|field| {
        let (name, value) = field.split_once(':')?;
        let value = values(value.trim(), lines, index).into_iter().next()?;
        Some((name.trim().trim_matches(['"', '\'']).to_owned(), value))
    });
    let mut fields = each.collect::<Option<Vec<(String, String)>>>()?;
    fields.sort();
    match fields.as_slice() {
        [] => None,
        [(name, value)] if !value.contains('{') => Some(format!("{name}:{value}")),
        [(_, value)] => Some(value.clone()),
        // A part of a constant would not be found.
        all if all.iter().any(|(_, value)| value.contains('{')) => None,
        all => Some(all.iter().map(|(name, value)| format!("{name}:{value}")).collect::<Vec<_>>().join("/")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_texts_or_objects() {
        let lines = ["const FIND = { cmd: 'find' };", "const orders = 'orders.made'"];
        for (value, expected) in [
            ("'orders.made'", &["orders.made"][..]),
            ("orders", &["orders.made"]),
            ("{ cmd: 'find' }", &["cmd:find"]),
            ("FIND", &["cmd:find"]),
            ("{ role: 'users', cmd: 'find' }", &["cmd:find/role:users"]),
            ("Patterns.FIND", &["{name:Patterns.FIND}"]),
            // A part that nothing tells.
            ("{ role, cmd: 'find' }", &[]),
            ("{ role: of(user), cmd: 'find' }", &[]),
            ("{}", &[]),
        ] {
            assert_eq!(pattern(value, &lines, 1), expected, "{value}");
        }
    }
}
