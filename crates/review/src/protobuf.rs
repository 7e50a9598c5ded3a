//! Compatibility of messages on the wire.

/// Types that have the same form on the wire.
const SAME_FORM: [&[&str]; 5] = [
    &["int32", "uint32", "int64", "uint64", "bool"],
    &["sint32", "sint64"],
    &["string", "bytes"],
    &["fixed32", "sfixed32"],
    &["fixed64", "sfixed64"],
];

/// A field of a message: `repeated string names = 3`.
struct ProtobufField<'a> {
    label: &'a str,
    type_text: &'a str,
    number: &'a str,
}

impl ProtobufField<'_> {
    fn of(text: &str) -> Option<ProtobufField<'_>> {
        let (declared, number) = text.split_once('=')?;
        let (declared, _name) = declared.trim().rsplit_once(char::is_whitespace)?;
        let (label, type_text) = match declared.split_once(char::is_whitespace) {
            Some((label @ ("repeated" | "optional" | "required"), type_text)) => (label, type_text.trim()),
            _ => ("", declared),
        };
        let number = number.split('[').next().unwrap_or_default().trim();
        Some(ProtobufField { label, type_text, number })
    }
}

/// Returns the reason why old and new messages do not understand each other after the change of a field; `None` if they do.
pub(crate) fn wire_conflict(old: &str, new: &str) -> Option<String> {
    let (old, new) = (ProtobufField::of(old)?, ProtobufField::of(new)?);
    let has_same_form = |form: &&&[&str]| form.contains(&old.type_text) && form.contains(&new.type_text);
    if old.number != new.number {
        return Some(format!("number {} to {}", old.number, new.number));
    }
    if old.type_text != new.type_text && !SAME_FORM.iter().any(|form| has_same_form(&form)) {
        return Some(format!("type `{}` to `{}`", old.type_text, new.type_text));
    }
    let is_list = (old.label == "repeated", new.label == "repeated");
    (is_list.0 != is_list.1).then(|| format!("label `{}` to `{}`", old.label, new.label))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conflicts_are_numbers_types_and_lists() {
        for (old, new, expected) in [
            ("string name = 1", "string title = 1", None),
            ("int32 n = 2", "int64 n = 2", None),
            ("int32 n = 2", "int32 n = 3", Some("number 2 to 3")),
            ("int32 n = 2", "string n = 2", Some("type `int32` to `string`")),
            ("string n = 2", "repeated string n = 2", Some("label `` to `repeated`")),
        ] {
            assert_eq!(wire_conflict(old, new).as_deref(), expected, "{old} {new}");
        }
    }
}
